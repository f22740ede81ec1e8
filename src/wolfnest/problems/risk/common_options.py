"""The options that all measures share, checked, with the data: `prepare`."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from wolfnest.common import checks
from wolfnest.problems.risk.returns_table import Moments, ReturnsLike, as_table, moments, multiples
from wolfnest.problems.risk.terms import Net, RiskWeight, Scalar, TradingCosts
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.simplex import Simplex
from wolfnest.sets.tools.arrays import numbers, refuse_where

# The default width of smoothed costs over the number of assets: the turnover that is charged for
# is off by at most half of it.
COST_WIDTH = 0.01


class Common(TypedDict, total=False):
    """Options of every measure.

    - `domain`: the set of the weights, any of `wolfnest.sets` over R^d; by default the simplex.
    - `scenario_weights`: one non-negative number per row of returns, in any unit.
    - `costs`: what trading costs per unit of weight, in the unit of returns: a number, or one per
      asset; `previous`: the weights that are held now, needed with it.
    - `reward`: the weight of the mean; 0 minimises the risk alone.
    - `cost_smoothing`: trades below this size cost less; by default 0.01 over the number of assets.
    """

    domain: AbstractSet | None
    scenario_weights: Any
    costs: Any
    previous: Any
    reward: Any
    cost_smoothing: Any


class Scenarios(eqx.Module):
    """A table of returns with its weights, the set, and what the objective adds up."""

    table: Float[Array, "T d"]
    weights: Float[Array, " T"] | None
    domain: AbstractSet
    risk: RiskWeight
    net: Net

    @property
    def data(self) -> Any:
        """What the levels are given: rows, or pairs of a row and its weight."""
        return self.table if self.weights is None else (self.table, self.weights)

    def number(self, value: Any) -> Array:
        """A parameter in the precision of the returns."""
        return jnp.asarray(value, self.table.dtype)

    def moments(self) -> Moments:
        return moments(self.table, self.weights)

    def smoothing(self, value: Any) -> tuple[Array, Scalar]:
        """The `smoothing` of a measure, checked, and the scale that it multiplies."""
        return self.number(checks.positive("smoothing", value)), self.moments().scale


def prepare(returns: ReturnsLike, risk: Any, **common: Unpack[Common]) -> Scenarios:
    """The options of every measure, checked and in one precision."""
    unknown = set(common) - set(Common.__annotations__)
    if unknown:
        raise TypeError(f"there is no option {sorted(unknown)[0]!r}: use {_listed()}.")
    table = as_table(returns)
    rows, dim = table.shape
    weights = multiples(common.get("scenario_weights"), rows)
    domain = common.get("domain")
    number = lambda value: jnp.asarray(value, table.dtype)
    reward = common.get("reward", 1.0)
    return Scenarios(
        table=table,
        weights=None if weights is None else number(weights),
        domain=Simplex(dim) if domain is None else _fitting(domain, dim),
        risk=RiskWeight(number(checks.non_negative("risk", risk))),
        net=Net(
            # A weight of one is left out: the levels are then those of the paper.
            reward=None if _is_one(reward) else number(checks.non_negative("reward", reward)),
            costs=_costs(common, dim, number),
        ),
    )


def within(name: str, value: Any, low: float, high: float) -> Any:
    """`value`, if it lies strictly between `low` and `high`."""
    if checks.is_traced(value):
        return value
    number = checks.finite(name, value)
    if not low < number < high:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, got {value!r}.")
    return number


def _listed() -> str:
    return ", ".join(Common.__annotations__)


def _is_one(reward: Any) -> bool:
    return isinstance(reward, int | float) and reward == 1


def _fitting(domain: Any, dim: int) -> AbstractSet:
    if not isinstance(domain, AbstractSet):
        raise ValueError(
            f"domain must be a set of wolfnest.sets, such as Simplex({dim}), got {domain!r}."
        )
    shape = jax.eval_shape(domain.start)
    if not hasattr(shape, "shape") or shape.shape != (dim,):
        got = getattr(shape, "shape", jax.tree.structure(shape))
        raise ValueError(
            f"domain must be a set of vectors of length {dim}, one weight per column of returns, "
            f"got {type(domain).__name__} with points of shape {got}."
        )
    return domain


def cost_width(smoothing: Any, dim: int) -> Any:
    """The width of smoothed costs."""
    return COST_WIDTH / dim if smoothing is None else checks.positive("cost_smoothing", smoothing)


def cost_rates(costs: Any, dim: int) -> Array | np.ndarray:
    """Costs per asset."""
    rates = numbers("costs", costs)
    if rates.shape not in ((), (dim,)):
        raise ValueError(
            f"costs must be a number or {dim} of them, one per column of returns, got shape "
            f"{rates.shape}."
        )
    if isinstance(rates, np.ndarray):
        refuse_where("costs", rates, rates < 0, "at least 0")
        return np.broadcast_to(rates, (dim,))
    return jnp.broadcast_to(rates, (dim,))


def _costs(common: Common, dim: int, number: Any) -> TradingCosts | None:
    costs = common.get("costs")
    if costs is None:
        return None
    previous = common.get("previous")
    if previous is None:
        raise ValueError(
            "costs need previous, the weights that are held now, got None. For a portfolio that is "
            f"bought from cash pass previous=np.zeros({dim})."
        )
    held = numbers("previous", previous)
    if held.shape != (dim,):
        raise ValueError(
            f"previous must be {dim} weights, one per column of returns, got shape {held.shape}."
        )
    rates = cost_rates(costs, dim)
    width = cost_width(common.get("cost_smoothing"), dim)
    return TradingCosts(number(rates), number(held), number(width))
