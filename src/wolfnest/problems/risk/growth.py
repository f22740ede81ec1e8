"""Log (Kelly) utility: the growth that risk takes away from the mean."""

from __future__ import annotations

from typing import Any, Unpack

import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array

from wolfnest.common import checks
from wolfnest.common.pytrees import inner
from wolfnest.datasets.returns import DataError, Returns
from wolfnest.objective.level import Level
from wolfnest.objective.problem import Problem
from wolfnest.problems.risk.common_options import Common, Scenarios, prepare, within
from wolfnest.problems.risk.returns_table import ReturnsLike, column_name
from wolfnest.problems.risk.smooth_functions import log_growth
from wolfnest.problems.risk.terms import Net, RiskWeight, Row, Scalar, Scenario, split, weighed
from wolfnest.problems.risk.threshold_boxes import most


def log_utility(
    returns: ReturnsLike,
    risk: Any = 1.0,
    *,
    unit: Any = None,
    floor: Any = 0.1,
    **common: Unpack[Common],
) -> Problem:
    """Minimise `-E r·x + λ (E r·x - u E log(1 + r·x/u))`; K = 1.

    The risk is the growth drag: the mean return less the mean log return, never negative. With
    `λ = 1` the objective is `-u E log(1 + r·x/u)`: Kelly's. `u = unit` is the return that doubles
    what is held: 1 for fractions, 100 for percent. By default `Returns` in percent have 100, and
    other tables 1; a return below `-u` is refused, since nothing held can lose more than itself.

        f_1(x) = E[(λ - reward) r·x - λ u g(r·x/u)] + cost(x)

    where `g(v)` is `log(1 + v)` as long as `1 + v ≥ floor`, and its second-order expansion below.
    If the least `1 + r·x/u` over the scenarios is at least `floor`, then the drag is exact. It is
    never too large, so that a minimum at which this holds is the exact one.

    >>> import numpy as np
    >>> from wolfnest import problems
    >>> from wolfnest.problems import risk
    >>> bets = np.array([[1.0, 0.0], [-0.5, 0.0]])  # half of the fortune is right
    >>> print(problems.minimum(risk.log_utility(bets)).x.round(2))
    [0.5 0.5]
    """
    scenes = prepare(returns, risk, **common)
    unit, floor = _checked(returns, scenes, unit, floor)
    fn = Partial(_drag, scenes.risk, scenes.net, unit, floor)
    return Problem([Level(fn, data=scenes.data)], scenes.domain, convex=True)


def unit_of(returns: ReturnsLike, unit: Any) -> Any:
    """The return that doubles what is held."""
    if unit is not None:
        return checks.positive("unit", unit)
    return 100.0 if isinstance(returns, Returns) and returns.unit == "percent" else 1.0


def refuse_ruin(returns: ReturnsLike, table: Any, unit: Any) -> None:
    """No asset can lose more than all of itself."""
    least = np.min(np.asarray(table))
    if least < -unit:
        row, column = (int(i) for i in np.argwhere(np.asarray(table) == least)[0])
        raise DataError(
            f"returns must be at least -{unit:g} (everything is lost), got {least:g} in row {row} "
            f"(from 0), column {column_name(returns, column)}. For returns in percent pass "
            "unit=100."
        )


def growth_bound(scenes: Scenarios, unit: Any, floor: Any) -> Array:
    """0 where no portfolio of the set falls below the floor in any scenario; else infinite: the
    logarithm is not bounded."""
    unit, floor = _checked(scenes.table, scenes, unit, floor)
    worst = most(scenes.domain, jnp.max(-scenes.table, axis=0), jnp.max(scenes.table, axis=0))
    return jnp.where(1 - worst / unit >= floor, 0.0, jnp.inf)


def _checked(returns: ReturnsLike, scenes: Scenarios, unit: Any, floor: Any) -> tuple[Array, Array]:
    unit, floor = unit_of(returns, unit), within("floor", floor, 0, 1)
    if not checks.is_traced((scenes.table, unit)):
        refuse_ruin(returns, scenes.table, unit)
    return scenes.number(unit), scenes.number(floor)


def _drag(
    risk: RiskWeight, net: Net, unit: Scalar, floor: Scalar, x: Row, scenario: Scenario
) -> Scalar:
    r, w = split(scenario)
    gain = inner(r, x)
    drag = weighed(w, gain - unit * log_growth(gain / unit, floor))
    return -net(weighed(w, gain), x) + risk.value * drag
