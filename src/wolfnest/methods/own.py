"""Methods of this project: combinations of parts that no paper has."""

from __future__ import annotations

from wolfnest.directions import Pairwise, SpectralProjected
from wolfnest.estimators import Exact
from wolfnest.methods import exact_gradients
from wolfnest.methods.recipe import Recipe, Settings
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
    rule = exact_gradients.step_size(s)
    return LineSearch("secant", FLAT) if s.step == "secant" else rule


OWN: dict[str, Recipe] = {
    "GrowPFW": Recipe(
        lambda s: Exact(),
        lambda s: Pairwise(s.capacity),
        _schedule,
        {"step": "secant", "smoothness": None}
        | {"first": 8192, "growth": 8.0, "length": 32, "capacity": 64},
        step_size=_step_size,
    ),
    "GrowSPG": Recipe(
        lambda s: Exact(),
        lambda s: SpectralProjected(),
        lambda s: GrowingSamples(s.first, s.growth, s.length),
        {"memory": 8, "first": 8192, "growth": 8.0, "length": 32},
        step_size=lambda s: Nonmonotone(s.memory),
    ),
}
