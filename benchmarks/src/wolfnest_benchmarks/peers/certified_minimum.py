"""The minima that gaps are measured from: by accelerated projected gradients, certified.

The run shares no code with the methods that are compared but the projections to their sets; its
duality gap, computed in NumPy, tells how far it is from the minimum.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wolfnest_benchmarks.peers.convex_problems import Instance

# The minimum is known up to this share of what there is to gain from the start.
CERTIFIED = 1e-9
CHUNK, MOST_CHUNKS = 100, 1_000


@dataclasses.dataclass(frozen=True)
class CertifiedMinimum:
    """`value - error ≤ min F ≤ value`, and what there is to gain from the set's own start."""

    value: float
    error: float
    range: float

    @classmethod
    def of(cls, instance: Instance) -> CertifiedMinimum:
        """Steps of 1/L, restarted where they climb, until the duality gap is `CERTIFIED` of what
        was gained."""
        data, x = tuple(map(jnp.asarray, instance.data)), jnp.asarray(instance.start())
        first, carry = instance.value(np.asarray(x)), (x, x, jnp.ones(()))
        gap = gain = 0.0
        for _ in range(MOST_CHUNKS):
            carry = _descend(instance.loss, instance.domain, data, instance.smoothness, carry)
            x = np.asarray(carry[0])
            value, gap = instance.value(x), instance.gap(x)
            gain = first - value
            if gap <= CERTIFIED * gain:
                return cls(value, gap, gain)
        raise RuntimeError(
            f"the minimum of {instance.title} is known to {gap:.1e} only, expected "
            f"{CERTIFIED * gain:.1e}: allow more than {MOST_CHUNKS} chunks."
        )

    def relative(self, value: float) -> float:
        """`(F(x) - min F) / (F(start) - min F)`."""
        return (value - self.value) / self.range


@functools.partial(jax.jit, static_argnums=0)
def _descend(loss: Any, domain: Any, data: Any, smoothness: Any, carry: Any) -> Any:
    def one(_: Any, carry: Any) -> Any:
        x, y, t = carry
        new = domain.project(y - jax.grad(lambda point: loss(*data, point))(y) / smoothness)
        climbing = jnp.vdot(y - new, new - x) > 0
        t = jnp.where(climbing, 1.0, t)
        later = (1 + jnp.sqrt(1 + 4 * t * t)) / 2
        ahead = jnp.where(climbing, 0.0, (t - 1) / later)
        return new, new + ahead * (new - x), later

    return jax.lax.fori_loop(0, CHUNK, one, carry)
