"""Products of sets: a pytree of sets, whose points are pytrees of points."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import unit
from wolfnest.sets.tools.trees_of_sets import checked_guesses, cut, is_part


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
        if not jax.tree.leaves(sets, is_leaf=is_part):
            raise ValueError(f"sets must hold at least one set, got {sets!r}.")
        for path, part in jax.tree_util.tree_leaves_with_path(sets, is_leaf=is_part):
            if not isinstance(part, AbstractSet):
                where = f"sets{jax.tree_util.keystr(path)}"
                raise ValueError(f"{where} must be a set, got {part!r}.")
        self.sets = sets

    @property
    def parts(self) -> list[AbstractSet]:
        """The sets, in the order of the leaves."""
        return jax.tree.leaves(self.sets, is_leaf=is_part)

    def cut(self, name: str, point: PyTree) -> list[PyTree]:
        """The blocks of a point, one per set."""
        structure = self._structure
        expected = f"one block per set, in the structure {structure}"
        return cut(structure, point, lambda got: f"{name} must have {expected}, got {got}.")

    def join(self, blocks: list[PyTree]) -> PyTree:
        """The point with these blocks."""
        return self._structure.unflatten(blocks)

    @property
    def _structure(self) -> Any:
        return jax.tree.structure(self.sets, is_leaf=is_part)

    def lmo(self, direction: PyTree) -> PyTree:
        blocks = self.cut("direction", direction)
        return self.join([c.lmo(d) for c, d in zip(self.parts, blocks, strict=True)])

    def lmo_from(self, direction: PyTree, guess: PyTree) -> tuple[PyTree, PyTree]:
        blocks = self.cut("direction", direction)
        guesses = checked_guesses(guess, len(blocks))
        together = zip(self.parts, blocks, guesses, strict=True)
        found = [c.lmo_from(d, g) for c, d, g in together]
        return self.join([point for point, _ in found]), tuple(new for _, new in found)

    def first_guess(self, dtype: Any = None) -> tuple[PyTree, ...]:
        return tuple(c.first_guess(dtype) for c in self.parts)

    def project(self, x: PyTree) -> PyTree:
        blocks = self.cut("x", x)
        return self.join([c.project(block) for c, block in zip(self.parts, blocks, strict=True)])

    def contains(self, x: PyTree, tol: float = 1e-5) -> Bool[Array, ""]:
        """Whether every block lies in its set, up to `tol` relative to the size of that set."""
        together = zip(self.parts, self.cut("x", x), strict=True)
        return jnp.all(jnp.stack([c.contains(block, tol) for c, block in together]))

    @property
    def diameter(self) -> Float[Array, ""]:
        """`(Σ_j diameter_j²)^(1/2)`."""
        return unit(jnp.stack([c.diameter for c in self.parts]))[1]

    def start(self, dtype: Any = None) -> PyTree:
        return self.join([c.start(dtype) for c in self.parts])
