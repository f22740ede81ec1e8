"""Methods of this project: combinations of parts that no paper has."""

from __future__ import annotations

from wolfnest.directions import Pairwise, SpectralProjected
from wolfnest.estimators import Exact
from wolfnest.methods import exact
from wolfnest.methods.card import Card
from wolfnest.methods.cards_exact import EXACT_CARDS
from wolfnest.methods.registry import Method, Settings
from wolfnest.schedules import GrowingSamples
from wolfnest.stepsizes import AbstractStepSize, LineSearch, Nonmonotone

# Line searches end where the slope is this share of the first one: a step gains hardly less.
FLAT = 0.1


def _schedule(s: Settings) -> GrowingSamples:
    if s.step in ("agnostic", "monotone"):
        raise ValueError(
            f"step must not follow the number of steps made, got {s.step!r}: samples come with "
            'fresh starts. Take "secant", "golden", "adaptive" or "short".'
        )
    return GrowingSamples(s.first, s.growth, s.length)


def _step_size(s: Settings) -> AbstractStepSize:
    rule = exact.step_size(s)
    return LineSearch("secant", FLAT) if s.step == "secant" else rule


OWN: dict[str, Method] = {
    "GrowPFW": Method(
        lambda s: Exact(),
        lambda s: Pairwise(s.capacity),
        _schedule,
        {"step": "secant", "smoothness": None}
        | {"first": 8192, "growth": 8.0, "length": 32, "capacity": 64},
        step_size=_step_size,
    ),
    "GrowSPG": Method(
        lambda s: Exact(),
        lambda s: SpectralProjected(),
        lambda s: GrowingSamples(s.first, s.growth, s.length),
        {"memory": 8, "first": 8192, "growth": 8.0, "length": 32},
        step_size=lambda s: Nonmonotone(s.memory),
    ),
}

OWN_CARDS = (
    Card(
        name="GrowPFW",
        reference='wolfnest, "Pairwise steps on growing samples", 2026',
        levels="K",
        estimator="none: exact passes over a sample",
        step="from a vertex to another",
        criterion="Frank-Wolfe gap; optimal gap (convex)",
        rate=next(card.rate for card in EXACT_CARDS if card.name == "PFW"),
        projection_free=True,
        finite_sum=True,
        batch="samples that grow to all data",
        equations="our own",
        summary="PFW on a fixed sample of n rows of every level, n = first, growth·first, …\n"
        "its vertices and weights start the next one; last, PFW on all data",
    ),
    Card(
        name="GrowSPG",
        reference='wolfnest, "Spectral projected steps on growing samples", 2026',
        levels="K",
        estimator="none: exact passes over a sample",
        step="projection, as long as the last step suggests",
        criterion="squared gradient mapping; optimal gap (convex)",
        rate="squared gradient mapping ≤ ε: SFO m ε⁻¹, LMO 1",
        projection_free=False,
        finite_sum=True,
        batch="samples that grow to all data",
        equations="our own",
        summary="on a fixed sample of n rows of every level, n = first, growth·first, …, all\n"
        "z = Π_X(x - a ∇F(x)), a = <s,s>/<s,y> of the last step; x ← x + γ (z - x)\n"
        "γ = 1, or less where F would rise above all of its last values",
    ),
)
