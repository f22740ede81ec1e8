"""What experiments, criteria and axes are called, and the order of names."""

from __future__ import annotations

import re
from collections.abc import Iterable
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


def described(names: Iterable[str]) -> dict[str, str]:
    """What each experiment minimises, and why it is run, by name and title."""
    told = {}
    for name in dict.fromkeys(map(str, names)):
        one = experiment(name)
        told[name if one.title == name else f"{name}: {one.title}"] = one.whole
    return told


def natural(text: str) -> list[tuple[int, int, str]]:
    """What to sort names by, so that numbers in them count as numbers.

    >>> sorted(["100 x 100", "20 x 20"], key=natural)
    ['20 x 20', '100 x 100']
    """
    parts = re.findall(r"\d+|\D+", text)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
