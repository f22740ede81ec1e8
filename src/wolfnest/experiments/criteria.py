"""The criteria at many points, exact, a few points at a time."""

from __future__ import annotations

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array

from wolfnest import metrics
from wolfnest.problem import Problem

# β of the gradient mapping, whatever β a method uses itself: one criterion for all.
BETA = 1.0
ALL = ("objective", "frank_wolfe_gap", "gradient_mapping")
# Points of one call, filled up with copies: one program per problem; and of one pass over the data.
CALL, PASS = 64, 16


def measure(
    problem: Problem, points: np.ndarray, names: tuple[str, ...] = ALL
) -> dict[str, np.ndarray]:
    """The named criteria at points `(…, *shape)`, in arrays of shape `(…)`.

    >>> import jax.numpy as jnp, wolfnest as wn
    >>> problem = wn.Problem([wn.Level(lambda x: jnp.sum(x**2))], wn.sets.Simplex(2))
    >>> corners = np.eye(2, dtype=np.float32)
    >>> measure(problem, corners, ("frank_wolfe_gap",))
    {'frank_wolfe_gap': array([2., 2.], dtype=float32)}
    """
    shape = jax.eval_shape(problem.start).shape
    lead = points.shape[: points.ndim - len(shape)]
    flat = points.reshape(-1, *shape)
    found = []
    for begin in range(0, len(flat), CALL):
        part = flat[begin : begin + CALL]
        padded = np.concatenate([part, np.repeat(part[-1:], CALL - len(part), axis=0)])
        values = _measured(names, problem, jax.numpy.asarray(padded))
        found.append({name: np.asarray(value)[: len(part)] for name, value in values.items()})
    return {name: np.concatenate([part[name] for part in found]).reshape(lead) for name in names}


@eqx.filter_jit
def _measured(names: tuple[str, ...], problem: Problem, points: Array) -> dict[str, Array]:
    def one(x: Array) -> dict[str, Array]:
        value, gradient = problem.value_and_gradient(x)
        every = {
            "objective": lambda: value,
            "frank_wolfe_gap": lambda: metrics.gap_of(problem.domain, x, gradient),
            "gradient_mapping": lambda: metrics.mapping_of(problem.domain, x, gradient, BETA),
        }
        return {name: every[name]() for name in names}

    return jax.lax.map(one, points, batch_size=PASS)
