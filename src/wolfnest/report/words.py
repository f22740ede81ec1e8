"""What is said about experiments, criteria and axes, in words that need no paper."""

from __future__ import annotations

from typing import NamedTuple


class Experiment(NamedTuple):
    title: str
    text: str


EXPERIMENTS = {
    "E1": Experiment(
        "Matrix single-index model",
        "Find a low-rank matrix B from noisy squares of its inner products with random matrices, "
        "inside a nuclear-norm ball. One level. Projecting onto that ball takes all singular "
        "values; an LMO call takes only the largest.",
    ),
    "E2": Experiment(
        "Mean-variance portfolio",
        "Weights of assets that trade mean return against λ times its variance, over all daily "
        "returns of the data set. Two levels: the mean sits inside the variance.",
    ),
    "E3": Experiment(
        "Mean-deviation portfolio",
        "As E2, with the standard deviation in place of the variance. Three levels: the square "
        "root goes around the variance, which goes around the mean.",
    ),
    "E4": Experiment(
        "All variants, mean-variance, large batches",
        "All variants of the paper on the problem of E2, at 128 samples per level and iteration in "
        "the paper: with and without exact snapshots, with constant steps and stage-wise.",
    ),
    "E5": Experiment(
        "All variants, mean-variance, small batches",
        "As E4, at 32 samples per level and iteration in the paper.",
    ),
}

CRITERIA = {
    "optimal_gap": "Optimal gap",
    "objective": "Objective",
    "frank_wolfe_gap": "Frank-Wolfe gap",
    "gradient_mapping": "Gradient mapping",
}
AXES = {
    "time": "Time",
    "step": "Iterations",
    "samples": "Samples",
    "lmo": "LMO calls",
}
BADGES = {"holds": "✓", "partly": "≈", "does not hold": "✗", "not tested": "–"}

LEAD = (
    "Several methods minimise the same nested objective (a function of an average of a function "
    "of an average) over a convex set, seeing the data only through random samples; this page "
    "compares the methods of one paper with earlier ones (rivals), on the same data, with the "
    "same number of samples and equally careful tuning.",
    "A curve follows one method, averaged over many runs: lower is better, and further left means "
    "cheaper, counted in seconds, iterations, samples or LMO calls as you choose.",
    "The shaded band says how well that average is known: where two bands overlap, do not read "
    "much into which curve is lower.",
)

GLOSSARY = {
    "Sample": "One random draw of the data at one level (here: one trading day, or one random "
    "matrix). All methods of a comparison may draw equally many in total.",
    "Iteration": "One step of a method: draw a batch of samples, update the estimates, move the "
    "point. Methods differ in how much one iteration costs.",
    "LMO call": "Linear minimisation oracle: finding the point of the set that goes furthest in a "
    "given direction. Projection-free methods need only this; rivals that project need none, and "
    "pay with projections, which on some sets cost much more.",
    "Frank-Wolfe gap": "How much a straight-line view of the objective could still fall inside "
    "the set. Zero at a solution; needs no knowledge of the optimum, and for convex objectives it "
    "is never below the optimal gap.",
    "Gradient mapping": "Squared length of the step that a projected gradient step would take. "
    "Zero at a solution. A square: ten times closer shows as a hundred times lower.",
    "Optimal gap": "Objective now minus the best possible objective, computed beforehand to high "
    "precision. Known only where the problem is convex.",
    "Separate batches": "The paper draws one batch per level and uses it for values and gradient "
    "alike, which biases the gradient; “(separate)” draws a second, independent batch for the "
    "gradient, at the same total number of samples.",
    "Automatic": "The method the library picks when the user names none.",
}

AVERAGE = (
    "Optimal gap, Frank-Wolfe gap and gradient mapping are averaged over seeds as logarithms "
    "(geometric mean), the objective as it is; bands are 95 % confidence intervals of that mean "
    "(Student’s t, on the same scale). Time was measured on single runs, without compilation "
    "and without computing the criteria."
)


def experiment(name: str) -> Experiment:
    """Title and text of an experiment; of an unknown one only its name.

    >>> experiment("E2").title, experiment("mine").title
    ('Mean-variance portfolio', 'mine')
    """
    return EXPERIMENTS.get(name, Experiment(name, ""))


def label(data: str, setting: str) -> str:
    """A data set and its setting in one line.

    >>> label("Industry-10", "λ=1"), label("20 x 20", "")
    ('Industry-10, λ=1', '20 x 20')
    """
    return f"{data}, {setting}" if setting else data


def number(value: object, digits: int = 3) -> str:
    """A number for reading: few digits, an exponent only where it helps; "–" for none.

    >>> number(0.000123456), number(1e-10), number(1234567), number(0.25), number(None)
    ('1.23e-4', '1e-10', '1,234,567', '0.25', '–')
    """
    if value is None or isinstance(value, bool):
        return "–" if value is None else str(value)
    if isinstance(value, str):
        return value
    try:
        real = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        return str(value)
    if real != real:
        return "–"
    if real in (float("inf"), float("-inf")):
        return "∞" if real > 0 else "-∞"
    if real == int(real) and abs(real) < 1e9:
        return f"{int(real):,}"
    text = f"{real:.{digits}g}" if 1e-3 <= abs(real) < 1e5 else f"{real:.{digits - 1}e}"
    mantissa, e, exponent = text.partition("e")
    return f"{float(mantissa):g}e{int(exponent)}" if e else text
