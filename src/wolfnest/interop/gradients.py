"""The two gradients of a batch that STORM compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
from jaxtyping import PyTree

from wolfnest.interop.optimiser import ConstrainedState


def storm_gradients(
    loss: Callable[..., Any], *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any, Any]]:
    """`loss(params, *batch)` as a function that also returns the gradients that STORM compares.

    `storm_gradients(loss)(params, state, *batch)` is `(value, grads, previous_grads)`: the value
    and the gradient at `params`, and the gradient of the same batch at the parameters before the
    last update, which the optimiser's `state` (of a chain, too) has kept. It costs two gradients.
    `params` may be an `equinox.Module`; `has_aux` is that of `jax.value_and_grad`.

    >>> import jax.numpy as jnp, optax
    >>> import wolfnest.sets as sets
    >>> from wolfnest.interop import as_optax
    >>> optimiser = as_optax(sets.Simplex(2), eta=0.5, estimator="storm")
    >>> params = jnp.array([0.5, 0.5])
    >>> state = optimiser.init(params)
    >>> gradients = storm_gradients(lambda x, target: jnp.sum((x - target) ** 2))
    >>> value, grads, before = gradients(params, state, jnp.array([0.0, 1.0]))
    >>> updates, state = optimiser.update(grads, state, params, previous_grads=before)
    >>> print(optax.apply_updates(params, updates))
    [0.25 0.75]
    """
    gradient = eqx.filter_value_and_grad(loss, has_aux=has_aux)

    def gradients(params: PyTree, state: Any, *args: Any, **named: Any) -> tuple[Any, Any, Any]:
        value, grads = gradient(params, *args, **named)
        before = eqx.combine(_previous(state), params)
        return value, grads, gradient(before, *args, **named)[1]

    return gradients


def _previous(state: Any) -> PyTree:
    ours = lambda node: isinstance(node, ConstrainedState)
    found = [node for node in jax.tree.leaves(state, is_leaf=ours) if ours(node)]
    if len(found) != 1 or found[0].previous is None:
        raise ValueError(
            "state must be that of one optimiser as_optax(..., estimator='storm'), alone or in a "
            f"chain, got {len(found)} of as_optax."
        )
    return found[0].previous
