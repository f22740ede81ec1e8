"""One level `f_i(y) = E[f_i(y; ξ)]` of a nested objective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PRNGKeyArray, PyTree

from wolfnest.common.pytrees import as_pytree, cast_like
from wolfnest.objective import sampling

# Exact passes over more data than this go block by block, so that memory for intermediate
# results stays bounded however long the data are.
BLOCK_BYTES = 1 << 25
BLOCK_ROWS = 1 << 16

Kind = Literal["finite-sum", "endless", "deterministic"]


class Level(eqx.Module):
    """A level of a nested objective, given by its function of ONE sample.

    - `fn(y, xi)` with `data`, a pytree of arrays with a leading sample axis: a finite sum;
    - `fn(y, xi)` with `sample(key, n)`, which returns `n` samples along a leading axis: an
      endless level;
    - `fn(y)` with neither: a deterministic level.

    `y` and the output are arrays or pytrees of arrays.

    >>> import jax.numpy as jnp
    >>> mean = Level(lambda x, row: row @ x, data=jnp.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> mean.kind, mean.size
    ('finite-sum', 2)
    >>> float(mean.exact(jnp.ones(2)))
    5.0
    """

    fn: Callable[..., PyTree]
    data: PyTree | None
    sample: Callable[..., PyTree] | None

    def __init__(
        self,
        fn: Callable[..., PyTree],
        data: PyTree | None = None,
        sample: Callable[..., PyTree] | None = None,
    ) -> None:
        if data is not None and sample is not None:
            raise ValueError(
                "a Level takes data (finite sum) or sample (endless), got both: drop one of them."
            )
        self.fn = as_pytree("fn", fn)
        if isinstance(data, list):
            raise ValueError(
                "the data of a Level must be an array or a tuple or dict of arrays, got a list: "
                "convert it with np.asarray."
            )
        self.data = None if data is None else jax.tree.map(_numbers, data)
        self.sample = None if sample is None else as_pytree("sample", sample)

    @property
    def kind(self) -> Kind:
        if self.data is not None:
            return "finite-sum"
        return "deterministic" if self.sample is None else "endless"

    @property
    def size(self) -> int | None:
        """The number of samples of a finite sum; None for the other kinds."""
        return None if self.data is None else jax.tree.leaves(self.data)[0].shape[0]

    def one_sample(self) -> PyTree:
        """Shapes and dtypes of one sample, None for a deterministic level."""
        batch, sample = self.data, self.sample
        if sample is not None:
            batch = jax.eval_shape(lambda key: sample(key, 1), jax.random.key(0))
        return jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape[1:], a.dtype), batch)

    # ---- drawing -------------------------------------------------------------------------

    def ticket(self, key: PRNGKeyArray, n: int) -> PyTree:
        """The random part of a draw of `n` samples: indices, or the key of the sampler.

        Tickets are cheap to hold, so a loop draws them ahead and fetches samples as it goes.
        """
        if self.data is not None:
            return sampling.indices(key, jax.tree.leaves(self.data)[0].shape[0], n)
        return None if self.sample is None else key

    def fetch(self, ticket: PyTree, n: int) -> PyTree:
        """The `n` samples of a ticket."""
        if self.data is not None:
            rows = lambda leaf: leaf.at[ticket].get(mode="promise_in_bounds")
            return jax.tree.map(rows, self.data)
        return None if self.sample is None else self.sample(ticket, n)

    # ---- batch means and their pull-backs ------------------------------------------------

    def one(self, y: PyTree, xi: PyTree | None) -> PyTree:
        """The value at `y` with one sample, None for a deterministic level."""
        return self.fn(y) if xi is None else self.fn(y, xi)

    def each(self, y: PyTree, batch: PyTree) -> PyTree:
        """The values at a shared `y`, one per sample of the batch."""
        return jax.vmap(self.fn, (None, 0))(y, batch)

    def mean(self, y: PyTree, batch: PyTree | None) -> PyTree:
        """The batch mean at `y`; without a batch, the deterministic value."""
        if batch is None:
            return self.fn(y)
        return jax.tree.map(lambda leaf: jnp.mean(leaf, axis=0), self.each(y, batch))

    def pull_mean(self, y: PyTree, batch: PyTree | None, cotangent: PyTree) -> PyTree:
        """`(1/B) Σ_j ∇f(y; ξ_j) · cotangent`."""
        return _pull(lambda point: self.mean(point, batch), y, cotangent)

    def push_mean(self, y: PyTree, batch: PyTree | None, tangent: PyTree) -> tuple[PyTree, PyTree]:
        """The batch mean at `y`, and its Jacobian times `tangent`."""
        return jax.jvp(lambda point: self.mean(point, batch), (y,), (cast_like(tangent, y),))

    def jacobian(self, y: PyTree, batch: PyTree | None) -> Array:
        """`(1/B) Σ_j ∇f(y; ξ_j)`, dense: inputs × outputs, both flattened."""
        return _dense(lambda point: self.mean(point, batch), y)

    # ---- exact passes --------------------------------------------------------------------

    def exact(self, y: PyTree) -> PyTree:
        """`f(y)` itself: one pass over the data of a finite sum."""
        if self.data is None:
            return self.fn(y)
        total = self._over_data(lambda rows: self._sum(y, rows))
        return jax.tree.map(lambda a: a / self.size, total)

    def exact_pull(self, y: PyTree, cotangent: PyTree) -> PyTree:
        """`∇f(y) · cotangent` with the full Jacobian."""
        if self.data is None:
            return _pull(self.fn, y, cotangent)

        total = lambda rows: _pull(lambda point: self._sum(point, rows), y, cotangent)
        return jax.tree.map(lambda a: a / self.size, self._over_data(total))

    def exact_jacobian(self, y: PyTree) -> Array:
        """`∇f(y)`, dense: inputs × outputs, both flattened."""
        if self.data is None:
            return _dense(self.fn, y)
        total = lambda rows: _dense(lambda point: self._sum(point, rows), y)
        return self._over_data(total) / self.size

    def _sum(self, y: PyTree, rows: PyTree) -> PyTree:
        return jax.tree.map(lambda a: jnp.sum(a, axis=0), self.each(y, rows))

    def _over_data(self, total: Callable[[PyTree], PyTree]) -> PyTree:
        """`total` over all rows, where `total` of two blocks is the sum of their totals."""
        leaves = jax.tree.leaves(self.data)
        size = leaves[0].shape[0]
        row_bytes = sum(leaf.nbytes for leaf in leaves) // size
        rows = min(BLOCK_ROWS, max(1, BLOCK_BYTES // max(1, row_bytes)))
        blocks, rest = divmod(size, rows)
        if blocks == 0 or (blocks == 1 and rest == 0):
            return total(self.data)

        def take(start: Any, length: int) -> PyTree:
            cut = lambda a: jax.lax.dynamic_slice_in_dim(a, start, length)
            return jax.tree.map(cut, self.data)

        def add(block: Array, so_far: PyTree) -> PyTree:
            return jax.tree.map(jnp.add, so_far, total(take(block * rows, rows)))

        result = jax.lax.fori_loop(1, blocks, add, total(take(0, rows)))
        if rest:
            result = jax.tree.map(jnp.add, result, total(take(blocks * rows, rest)))
        return result


def _numbers(leaf: Any) -> Array:
    if not isinstance(leaf, jax.Array):
        leaf = np.asarray(leaf)
        if leaf.dtype.kind not in "biufc" and leaf.dtype.name != "bfloat16":
            raise ValueError(f"the data of a Level must be numbers, got dtype {leaf.dtype}.")
        if leaf.dtype.kind in "iu" and leaf.size:
            kept = np.iinfo(jax.dtypes.canonicalize_dtype(leaf.dtype))
            if leaf.max() > kept.max or leaf.min() < kept.min:
                leaf = leaf.astype(float)  # 32-bit integers would wrap around
    return jnp.asarray(leaf)


def _pull(fn: Callable[..., PyTree], y: PyTree, cotangent: PyTree) -> PyTree:
    value, pull_back = jax.vjp(fn, y)
    return pull_back(cast_like(cotangent, value))[0]


def _dense(fn: Callable[..., PyTree], y: PyTree) -> Array:
    """The Jacobian of `fn` at `y` as a matrix, by whichever side is shorter."""
    point, unravel = ravel_pytree(y)
    flat = lambda a: ravel_pytree(fn(unravel(a)))[0]
    outputs = jax.eval_shape(flat, point).size
    side = jax.jacrev if outputs <= point.size else jax.jacfwd
    return side(flat)(point).T
