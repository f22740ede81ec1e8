"""What experiments, criteria and axes are called, and numbers for reading."""

from __future__ import annotations

from typing import NamedTuple


class Experiment(NamedTuple):
    """An experiment in words: what is minimised over what, and why it is run."""

    title: str
    text: str
    minimised: str = ""

    @property
    def whole(self) -> str:
        return f"Minimises {self.minimised}. {self.text}" if self.minimised else self.text


_WEIGHTS = "over weights of the assets that are not negative and add up to 1"

EXPERIMENTS = {
    "E1": Experiment(
        "Matrix single-index model",
        "One level. Projecting onto the nuclear ball takes all singular values of a matrix, an LMO "
        "call only the largest: here methods without projections should pay most.",
        "the mean of (y - ⟨A, B⟩²)² over random matrices A with noisy labels y. B is a matrix in a "
        "nuclear ball: its singular values add up to at most 1",
    ),
    "E2": Experiment(
        "Mean-variance portfolio",
        "Two levels: the mean return sits inside the variance. Methods of the paper against "
        "rivals, on daily returns.",
        f"λ times the variance of a portfolio’s return less its mean, {_WEIGHTS}",
    ),
    "E3": Experiment(
        "Mean-deviation portfolio",
        "Three levels: the square root goes around the variance, which goes around the mean. "
        "Methods of the paper against rivals, on the same returns.",
        f"λ times the standard deviation of a portfolio’s return less its mean, {_WEIGHTS}",
    ),
    "E4": Experiment(
        "All variants, mean-variance, large batches",
        "The problem of E2 at 128 samples per level and iteration: which variant of the paper’s "
        "method is best? With and without exact snapshots, with constant steps and stage-wise.",
    ),
    "E5": Experiment(
        "All variants, mean-variance, small batches",
        "As E4, at 32 samples per level and iteration: does the order change?",
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


def experiment(name: str) -> Experiment:
    """An experiment in words; of an unknown one only its name.

    >>> experiment("E2").title, experiment("mine").title
    ('Mean-variance portfolio', 'mine')
    """
    return EXPERIMENTS.get(name, Experiment(name, ""))


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


def seconds(value: float) -> str:
    """A time in the unit that suits it; "–" for none.

    >>> seconds(0.0089), seconds(2.5), seconds(2e-5), seconds(float("nan"))
    ('8.9 ms', '2.5 s', '20 µs', '–')
    """
    if value != value:
        return "–"
    size, unit = next(
        ((size, unit) for size, unit in ((1, "s"), (1e3, "ms")) if value * size >= 1), (1e6, "µs")
    )
    return f"{number(float(f'{value * size:.3g}'))} {unit}"
