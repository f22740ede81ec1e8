"""Sets and directions as an optax optimiser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, PyTree

from wolfnest.common import checks, pytrees
from wolfnest.directions import LMO, TargetDirection
from wolfnest.estimators.recursion import combine
from wolfnest.interop.parameters import Domain, check_feasible, match
from wolfnest.schedules.stage import Stage, weight
from wolfnest.state import State

if TYPE_CHECKING:
    import optax

Estimator = Literal["momentum", "storm"]
Schedule = Callable[[Any], Any]
_LMO = LMO()


class ConstrainedState(NamedTuple):
    """What the optimiser keeps. `v`, `rest` and `guess` are those of `wolfnest.State`, for the
    parameters that have a set; `previous` are all parameters before the last update, which STORM
    compares with, and `free` is the state of the optimiser of the others."""

    step: Int32[Array, ""]
    v: list[PyTree]
    rest: list[PyTree]
    guess: PyTree
    previous: PyTree | None
    free: Any


def as_optax(
    domain: Domain,
    direction: TargetDirection = _LMO,
    *,
    eta: float | Schedule,
    alpha: float | Schedule = 0.1,
    estimator: Estimator = "momentum",
    inner: int = 10,
    free: optax.GradientTransformation | None = None,
) -> optax.GradientTransformationExtraArgs:
    """An optax optimiser whose steps `x ← x + η (z - x)` keep parameters in their sets.

    - `domain`: sets as a prefix of the tree of parameters, or a function of the name and the value
      of a parameter that returns its set; None for a parameter without constraint. A set
      of vectors on a matrix reads it row by row; `wn.sets.Stacked` constrains rows or columns.
    - `direction`: how `z` is found, `wn.LMO()` (the default), `wn.InnerFrankWolfe(beta)` with
      `inner` oracle calls, or a projected one. The sets count as one, their product.
    - `eta`: a number in (0, 1], or an optax schedule, clipped to [0, 1].
    - `estimator` and `alpha` (a number in (0, 1], or a schedule): "momentum" is
      `v ← (1-α) v + α g`, and plain gradients for α = 1; "storm" is `v ← g + (1-α) (v - g')` with
      the gradient `g'` of the same batch at the parameters before the last update:
      `update(g, state, params, previous_grads=g')`, see `storm_gradients`.
    - `free`: the optimiser of parameters without set, on the gradients as they come; None is
      `optax.adam(1e-3)`.

    It comes last in an `optax.chain`, and `update` needs the parameters. They must start in their
    sets (`feasible`). What rounding keeps back from them is added to the next update, so that
    many small steps neither stall nor drift out of a set.

    >>> import jax.numpy as jnp, optax
    >>> import wolfnest.sets as sets
    >>> optimiser = as_optax({"w": sets.Simplex(2), "b": None}, eta=0.5, free=optax.sgd(1.0))
    >>> params = {"w": jnp.array([0.5, 0.5]), "b": jnp.array(1.0)}
    >>> grads = {"w": jnp.array([1.0, 0.0]), "b": jnp.array(2.0)}
    >>> updates, state = optimiser.update(grads, optimiser.init(params), params)
    >>> print(optax.apply_updates(params, updates)["w"], updates["b"])
    [0.25 0.75] -2.0
    """
    library = _import_optax()
    if not isinstance(direction, TargetDirection):
        raise ValueError(
            "direction must be one that names a target, such as wn.LMO(), wn.InnerFrankWolfe(beta) "
            f"or wn.Projected(beta), got {direction!r}."
        )
    storm = checks.choice("estimator", estimator, ("momentum", "storm")) == "storm"
    inner = checks.whole("inner", inner, most=checks.MOST)
    eta, alpha = _scheduled("eta", eta), _scheduled("alpha", alpha)
    others = library.with_extra_args_support(library.adam(1e-3) if free is None else free)

    def init(params: PyTree) -> ConstrainedState:
        blocks = match(domain, params)
        check_feasible(blocks, params)
        refused = direction.needs(blocks.domain)
        if refused:
            raise ValueError(f"direction cannot be taken in these sets: {refused}.")
        x = blocks.constrained(params)
        zero = lambda: jax.tree.map(jnp.zeros_like, x)
        return ConstrainedState(
            step=jnp.int32(0),
            v=zero(),
            rest=zero(),
            guess=blocks.domain.first_guess(jnp.result_type(*jax.tree.leaves(x))),
            # A copy: the parameters themselves may be donated to the first step.
            previous=jax.tree.map(lambda a: jnp.array(a, copy=True), params) if storm else None,
            free=others.init(blocks.free(params, library.MaskedNode())),
        )

    def update(
        grads: PyTree,
        state: ConstrainedState,
        params: PyTree | None = None,
        *,
        previous_grads: PyTree | None = None,
        **extra: Any,
    ) -> tuple[PyTree, ConstrainedState]:
        if params is None:
            raise ValueError("params must be given to update, got None: the step depends on them.")
        if storm and previous_grads is None:
            raise ValueError(
                "previous_grads must be given to update with estimator='storm', got None: "
                "storm_gradients computes them."
            )
        blocks = match(domain, params)
        compared = blocks.constrained(previous_grads) if storm else None
        v = _estimate(blocks.constrained(grads), compared, state, alpha(state.step))
        x, size = blocks.constrained(params), eta(state.step)
        at = _state(state, x, v)
        z, guess, _ = direction.target(blocks.domain, at, _stage(size, inner))
        # Whoever applies the update takes the sum, in the dtype of x.
        change, rest = pytrees.change_compensated(x, z, size, state.rest)
        masked = lambda tree: blocks.free(tree, library.MaskedNode())
        step, kept = others.update(masked(grads), state.free, masked(params), **extra)
        previous = params if storm else None
        new = ConstrainedState(state.step + 1, v, rest, guess, previous, kept)
        return blocks.join(change, step), new

    return library.GradientTransformationExtraArgs(init, update)


def _estimate(
    grads: list[PyTree], compared: list[PyTree] | None, state: ConstrainedState, alpha: Any
) -> list[PyTree]:
    """`v` of the paper's recursion; the first one is the gradient itself."""
    first = jnp.where(state.step == 0, 1, jnp.asarray(alpha))
    change = None if compared is None else jax.tree.map(jnp.subtract, grads, compared)
    return combine(state.v, grads, change, first)


def _state(state: ConstrainedState, x: list[PyTree], v: list[PyTree]) -> State:
    """The point and the estimate as directions know them; what else a run keeps is left out."""
    k = state.step + 1
    fields: dict[str, Any] = dict.fromkeys(State.__dataclass_fields__)
    fields |= {"x": x, "u": (None,), "v": v, "t": k, "k": k, "guess": state.guess}
    return State(**fields)


def _stage(eta: Any, inner: int) -> Stage:
    stage = Stage(steps=1, eta=1.0, alpha=1.0, batch=1, inner=inner)
    # A schedule may end at zero, which is no step size of a stage.
    return eqx.tree_at(lambda s: s.eta, stage, eta)


def _scheduled(name: str, value: float | Schedule) -> Schedule:
    if callable(value):
        schedule: Schedule = value
        return lambda step: jnp.clip(schedule(step), 0, 1)
    number = weight(name, value)
    return lambda step: number


def _import_optax() -> Any:
    try:
        import optax
    except ImportError as error:
        raise ImportError("as_optax needs optax: pip install 'wolfnest[optax]'.") from error
    return optax
