"""Products of sets: a pytree of sets, whose points are pytrees of points."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import unit


class Product(AbstractSet):
    """`{x : x_j ∈ C_j for every block j}`, for a pytree (tuple, dict, nested) of sets `C_j`.

    The oracle, the projection and the membership are those of the blocks. A NaN in the direction
    of one block makes that block of the answer NaN, and leaves the others as they are. The guess
    of `lmo_from` is a tuple with one entry per set, in the order of the leaves.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> both = sets.Product({"bias": sets.Box(-1.0, 1.0), "weights": sets.Simplex(2)})
    >>> point = both.lmo({"bias": jnp.array(-3.0), "weights": jnp.array([1.0, 2.0])})
    >>> print(point["bias"], point["weights"])
    1.0 [1. 0.]
    """

    sets: PyTree

    def __init__(self, sets: PyTree):
        if not jax.tree.leaves(sets, is_leaf=_is_part):
            raise ValueError(f"sets must hold at least one set, got {sets!r}.")
        for path, part in jax.tree_util.tree_leaves_with_path(sets, is_leaf=_is_part):
            if not isinstance(part, AbstractSet):
                where = f"sets{jax.tree_util.keystr(path)}"
                raise ValueError(f"{where} must be a set, got {part!r}.")
        self.sets = sets

    def lmo(self, direction: PyTree) -> PyTree:
        return self._join([c.lmo(d) for c, d in self._blocks("direction", direction)])

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        blocks = self._blocks("direction", direction)
        if not isinstance(guess, tuple) or len(guess) != len(blocks):
            raise ValueError(f"guess must be a tuple of {len(blocks)}, one per set, got {guess!r}.")
        found = [c.lmo_from(d, g) for (c, d), g in zip(blocks, guess, strict=True)]
        return self._join([point for point, _ in found]), tuple(new for _, new in found)

    def first_guess(self, dtype: Any = None) -> tuple[PyTree, ...]:
        return tuple(c.first_guess(dtype) for c in self._leaves())

    def project(self, x: PyTree) -> PyTree:
        return self._join([c.project(block) for c, block in self._blocks("x", x)])

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether every block lies in its set, up to `tol` relative to the size of that set."""
        return jnp.all(jnp.stack([c.contains(block, tol) for c, block in self._blocks("x", x)]))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`(Σ_j diameter_j²)^(1/2)`."""
        return unit(jnp.stack([c.diameter for c in self._leaves()]))[1]

    def start(self, dtype: Any = None) -> PyTree:
        return self._join([c.start(dtype) for c in self._leaves()])

    def _leaves(self) -> list[AbstractSet]:
        return jax.tree.leaves(self.sets, is_leaf=_is_part)

    def _join(self, blocks: list[PyTree]) -> PyTree:
        return jax.tree.structure(self.sets, is_leaf=_is_part).unflatten(blocks)

    def _blocks(self, name: str, point: PyTree) -> list[tuple[AbstractSet, PyTree]]:
        """Every set with its block of a point."""
        structure = jax.tree.structure(self.sets, is_leaf=_is_part)
        try:
            blocks = structure.flatten_up_to(point)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{name} must have one block per set, in the structure {structure}, "
                f"got {jax.tree.structure(point)}."
            ) from error
        return list(zip(self._leaves(), blocks, strict=True))


def _is_part(node: Any) -> bool:
    # None is a leaf here, to be rejected by name and not to vanish from the tree.
    return node is None or isinstance(node, AbstractSet)
