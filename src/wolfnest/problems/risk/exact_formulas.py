"""The measures themselves, neither smoothed nor sampled: NumPy, double precision.

Every function takes the gains `r·x` and the probabilities of the scenarios, none of them zero, and
returns ρ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from wolfnest.common import checks
from wolfnest.problems.risk.common_options import within
from wolfnest.problems.risk.deviations import checked_order
from wolfnest.problems.risk.robust import entropy
from wolfnest.problems.risk.tails import excess

Path = Float[np.ndarray, " T"]

HALVINGS = 200  # more than enough to use up double precision
COLDEST = 1e-12  # the temperature, in units of the range of the losses, that counts as zero


def variance(gain: Path, p: Path) -> float:
    return float(p @ (gain - p @ gain) ** 2)


def deviation(gain: Path, p: Path) -> float:
    return variance(gain, p) ** 0.5


def tracking_error(gain: Path, p: Path, benchmark: Path) -> float:
    return deviation(gain - benchmark, p)


def semideviation(gain: Path, p: Path, order: float) -> float:
    order = checked_order(order)
    below = np.maximum(p @ gain - gain, 0)
    largest = below.max() or 1.0  # powers of it are finite
    return float(largest * (p @ (below / largest) ** order) ** (1 / order))


def absolute_deviation(gain: Path, p: Path) -> float:
    return float(p @ np.abs(gain - p @ gain))


def cvar(gain: Path, p: Path, level: float) -> float:
    """The mean of the worst `1 - level`; of the scenario at the edge only a part counts."""
    level = within("level", level, 0, 1)
    order = np.argsort(gain)
    before = np.concatenate([[0.0], np.cumsum(p[order])[:-1]])
    counted = np.clip(1 - level - before, 0, p[order])
    return float(-(counted @ gain[order]) / counted.sum())


def entropic(gain: Path, p: Path, theta: float) -> float:
    theta, worst = float(checks.positive("theta", theta)), -gain.min()
    return float(worst + np.log(p @ np.exp(theta * (-gain - worst))) / theta)


def evar(gain: Path, p: Path, level: float) -> float:
    return kl_robust(gain, p, entropy(level))


def kl_robust(gain: Path, p: Path, radius: float) -> float:
    """`min_t t log E exp(L/t) + t κ`. The divergence of the tilted distribution falls with t, and
    is κ at the minimum; where it is less at once, the worst scenarios are the answer."""
    radius = float(checks.positive("radius", radius))
    worst, width = -gain.min(), float(np.ptp(gain))
    if width == 0:
        return float(worst)
    less = -gain - worst

    def moment(t: float) -> float:
        return float(np.log(p @ np.exp(less / t)))

    def divergence(t: float) -> float:
        tilted = p * np.exp(less / t)
        return float(tilted @ less / tilted.sum() / t) - moment(t)

    # KL(Q_t, P) ≤ (range/t)²/8.
    low, high = np.log(COLDEST * width), np.log(width / np.sqrt(8 * radius))
    if high <= low or divergence(np.exp(low)) <= radius:
        return float(worst)
    t = np.exp(_crossing(lambda log: divergence(np.exp(log)) - radius, low, high))
    return float(worst + t * (moment(t) + radius))


def chi2_robust(gain: Path, p: Path, radius: float) -> float:
    """`min_η η + √((1+ϱ) E max(L-η, 0)²)`. At the minimum `E u² = (1+ϱ) (E u)²` for
    `u = max(L-η, 0)`; the ratio of the two grows with η."""
    radius, loss = float(checks.positive("radius", radius)), -gain
    mean, worst = float(p @ loss), float(loss.max())
    if worst == loss.min() or p[loss == worst].sum() >= 1 / (1 + radius):
        return worst

    def excess(eta: float) -> float:
        above = np.maximum(loss - eta, 0)
        return (1 + radius) * float(p @ above) ** 2 - float(p @ above**2)

    # Just below the worst scenario, but not so near that its distance is rounding.
    low = mean - deviation(gain, p) / radius**0.5
    eta = _crossing(excess, low, worst - 1e-9 * (worst - mean))
    return eta + ((1 + radius) * float(p @ np.maximum(loss - eta, 0) ** 2)) ** 0.5


def expectile(gain: Path, p: Path, level: float) -> float:
    """The root of `E L + β E max(L - e, 0) - e`, by Newton's method: the function is convex and
    piecewise linear, so that steps from the left never pass the root and end at it."""
    loss, beta = -gain, excess(within("level", level, 0.5, 1))
    mean = float(p @ loss)
    e = mean
    for _ in range(HALVINGS):
        above = loss > e
        rest = mean + beta * float(p[above] @ (loss[above] - e)) - e
        ahead = e + rest / (1 + beta * float(p[above].sum()))
        if not ahead > e:
            break
        e = ahead
    return e


def growth_drag(gain: Path, p: Path, unit: float) -> float:
    """`E g - u E log(1 + g/u)`; infinite where a scenario leaves nothing."""
    unit = float(unit)
    if np.any(gain <= -unit):
        return float("inf")
    return float(p @ (gain - unit * np.log1p(gain / unit)))


def _crossing(fn: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that is positive at `low` and negative at `high` changes its sign."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if fn(middle) > 0 else (low, middle)
    return (low + high) / 2
