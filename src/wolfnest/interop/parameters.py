"""Which set every parameter of a model belongs to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from wolfnest.common import checks
from wolfnest.directions.base import without_projection
from wolfnest.sets.base import AbstractSet
from wolfnest.sets.product import Product
from wolfnest.sets.shaped import Reshaped
from wolfnest.sets.tools.trees_of_sets import cut, is_part

Domain: TypeAlias = PyTree | Callable[[str, Array], AbstractSet | None]


class Blocks(NamedTuple):
    """A pytree cut where the sets are: one set, or None, for every block."""

    structure: Any
    sets: tuple[AbstractSet | None, ...]
    names: tuple[str, ...]

    @property
    def domain(self) -> Product:
        """The product of the sets; its points are lists of blocks."""
        return Product([one for one in self.sets if one is not None])

    def constrained(self, tree: PyTree) -> list[PyTree]:
        """The blocks that have a set."""
        return [block for block, one in self._pairs(tree) if one is not None]

    def free(self, tree: PyTree, hole: PyTree) -> PyTree:
        """The tree with `hole` for every block that has a set."""
        blocks = [block if one is None else hole for block, one in self._pairs(tree)]
        return self.structure.unflatten(blocks)

    def join(self, constrained: list[PyTree], free: PyTree) -> PyTree:
        """The tree with these blocks where there are sets, and those of `free` elsewhere."""
        ours = iter(constrained)
        blocks = [block if one is None else next(ours) for block, one in self._pairs(free)]
        return self.structure.unflatten(blocks)

    def _pairs(self, tree: PyTree) -> list[tuple[PyTree, AbstractSet | None]]:
        return list(zip(self.structure.flatten_up_to(tree), self.sets, strict=True))


def match(domain: Domain, params: PyTree) -> Blocks:
    """The sets of `domain` with the parameters that they belong to, shapes checked.

    `domain` is a prefix of the tree of parameters, or a function of the name and the value of
    a parameter. A set of vectors on a parameter of another shape reads it row by row.
    """
    if callable(domain) and not isinstance(domain, AbstractSet):
        found, structure = jax.tree_util.tree_flatten_with_path(params)
        sets = [domain(jax.tree_util.keystr(path), leaf) for path, leaf in found]
        paths = [path for path, _ in found]
    else:
        found, structure = jax.tree_util.tree_flatten_with_path(domain, is_leaf=is_part)
        paths, sets = [path for path, _ in found], [one for _, one in found]
    blocks = cut(
        structure,
        params,
        lambda got: f"domain must be a prefix of the parameters, got {structure} for {got}.",
    )
    names = tuple("params" + jax.tree_util.keystr(path) for path in paths)
    fitted = tuple(map(_fitted, names, sets, blocks))
    if all(one is None for one in fitted):
        raise ValueError("domain must hold at least one set, got None for every parameter.")
    return Blocks(structure, fitted, names)


def check_feasible(blocks: Blocks, params: PyTree) -> None:
    """Refuse parameters outside their sets; inside a transformation their values are unknown."""
    if checks.is_traced(params):
        return
    for block, one, name in zip(
        blocks.structure.flatten_up_to(params), blocks.sets, blocks.names, strict=True
    ):
        if one is not None and not one.contains(block):
            raise ValueError(
                f"{name} must lie in its set, {type(one).__name__}, got a point outside: start "
                "from feasible(params, domain)."
            )


def feasible(params: PyTree, domain: Domain) -> PyTree:
    """The parameters, with those that have a set moved into it.

    They are projected. Where a set has no projection, parameters outside of it are replaced by
    the set's own start. An `equinox.Module` keeps all that is not a floating point array.

    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> params = {"w": jnp.array([3.0, 1.0]), "b": jnp.array(7.0)}
    >>> feasible(params, {"w": sets.L1Ball(2), "b": None})["w"].tolist()
    [1.0, 0.0]
    """
    arrays, others = eqx.partition(params, eqx.is_inexact_array)
    blocks = match(domain, arrays)
    moved = [
        _inside(one, block)
        for one, block in zip(blocks.domain.parts, blocks.constrained(arrays), strict=True)
    ]
    return eqx.combine(blocks.join(moved, arrays), others)


def _inside(one: AbstractSet, x: PyTree) -> PyTree:
    if without_projection(one) is None:
        return one.project(x)
    stays, start = one.contains(x), one.start(jnp.result_type(*jax.tree.leaves(x)))
    return jax.tree.map(lambda a, b: jnp.where(stays, a, b.astype(a.dtype)), x, start)


def _fitted(name: str, one: Any, block: PyTree) -> AbstractSet | None:
    """The set in the shape of its parameters."""
    if one is None:
        return None
    if not isinstance(one, AbstractSet):
        raise ValueError(f"domain must give {name} a set or None, got {one!r}.")
    point = jax.eval_shape(one.start)
    shapes = lambda tree: jax.tree.map(jnp.shape, tree)
    if jax.tree.structure(point) != jax.tree.structure(block):
        raise ValueError(
            f"{name} must be built like the points of {type(one).__name__}, "
            f"{jax.tree.structure(point)}, got {jax.tree.structure(block)}."
        )
    bad = [a.dtype for a in jax.tree.leaves(block) if not jnp.issubdtype(a.dtype, jnp.floating)]
    if bad:
        raise ValueError(f"{name} must be real floating point numbers, got {bad[0]}.")
    if shapes(point) == shapes(block):
        return one
    if jax.tree_util.all_leaves([block]) and point.shape == (math.prod(jnp.shape(block)),):
        return Reshaped(one, jnp.shape(block))
    raise ValueError(
        f"{name} must have the shape of the points of {type(one).__name__}, {shapes(point)}, "
        f"got {shapes(block)}."
    )
