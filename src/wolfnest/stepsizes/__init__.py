"""Step-size rules: how far to go along the ray that a direction proposes.

- `Scheduled`: η of the stage, at most the end of the ray
- `Monotone`: the same, halved until the objective does not rise
- `ShortStep`: the minimiser of the quadratic bound, for a known smoothness
- `Adaptive`: the same with a smoothness that is estimated along the way
- `LineSearch`: the minimiser on the ray
- `Nonmonotone`: the end of the ray, shortened where the objective would rise above its last values

For a rule of your own (`examples/skeletons/step_size.py` is one):

- `AbstractStepSize`: what a rule is; three methods to write
- `Ray`, `Length`: what `length` is given and returns; `Composition`: the levels
- `value_at`, `slope_at`: the objective and its derivative along a ray, an exact pass each
"""

from wolfnest.objective.composition import Composition
from wolfnest.stepsizes.adaptive import Adaptive
from wolfnest.stepsizes.base import AbstractStepSize, slope_at, value_at
from wolfnest.stepsizes.line_search import LineSearch
from wolfnest.stepsizes.monotone import Monotone
from wolfnest.stepsizes.nonmonotone import Nonmonotone
from wolfnest.stepsizes.ray import Length, Ray
from wolfnest.stepsizes.scheduled import Scheduled
from wolfnest.stepsizes.short_step import ShortStep

__all__ = [
    "AbstractStepSize",
    "Adaptive",
    "Composition",
    "Length",
    "LineSearch",
    "Monotone",
    "Nonmonotone",
    "Ray",
    "Scheduled",
    "ShortStep",
    "slope_at",
    "value_at",
]
