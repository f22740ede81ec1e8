"""Whether a point lies in a set that is known by its oracle alone.

The nearest point of the set is looked for by Wolfe's minimum-norm-point method (Wolfe 1976), which
is Frank-Wolfe with full correction: the vertices seen so far stay, and every step moves to the
nearest point of their convex hull. Two bounds of the distance come with every step, and the first
of them that decides ends the iteration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, PyTree

from wolfnest.sets.base import AbstractSet
from wolfnest.sets.tools.points import first_only, unit


class _Hull(NamedTuple):
    """Some vertices, and the point of their hull that is nearest to zero: `weights @ vertices`."""

    vertices: Float[Array, "k n"]
    weights: Float[Array, " k"]
    used: Bool[Array, " k"]


class _Search(NamedTuple):
    hull: _Hull
    guess: PyTree
    far: Float[Array, ""]  # no point of the set is nearer than this
    near: Float[Array, ""]  # some point of the set is this near
    steps: Array


def lies_in(domain: AbstractSet, x: PyTree, tol: Any, most: int | None = None) -> Bool[Array, ""]:
    """Whether the distance of `x` to the set is at most `tol · diameter`, by oracle calls.

    With `y` the nearest point so far and `s = lmo(y - x)`, the distance lies between
    `<s - x, y - x> / ‖y - x‖` and `‖y - x‖`. The first to pass the tolerance decides. Where
    rounding ends all progress before that, as it may in float32 near a curved boundary, a point
    that no hyperplane separates from the set is taken to lie in it if some point of the set is
    within `√ε · diameter`; after `most` steps likewise (None is `200 + 100 n` for `n` entries).

    A step costs an oracle call and a least-squares problem with at most `n + 2` unknowns. For
    polytopes about `n` steps are usual; a point on a curved boundary takes 5 to 50 times that.
    """
    flat, back = ravel_pytree(x)
    eps = jnp.finfo(flat.dtype).eps
    first = ravel_pytree(domain.start(flat.dtype))[0]
    size = jnp.asarray(domain.diameter, flat.dtype)
    scale = jnp.where(size > 0, size, 1)
    reach = jnp.maximum(jnp.max(jnp.abs(flat)), jnp.max(jnp.abs(first)))
    allowed = (tol * size + 4 * eps * flat.size**0.5 * reach) / scale
    n = flat.size
    most = 200 + 100 * n if most is None else most

    def seen(point: PyTree) -> Float[Array, " n"]:
        return (ravel_pytree(point)[0].astype(flat.dtype) - flat) / scale

    def undecided(search: _Search) -> Bool[Array, ""]:
        return (search.far <= allowed) & (search.near > allowed) & (search.steps < most)

    def step(search: _Search) -> _Search:
        hull = search.hull
        heading, near = unit(hull.weights @ hull.vertices)
        point, guess = domain.lmo_from(back(heading), search.guess)
        vertex = seen(point)
        far = jnp.maximum(search.far, vertex @ heading)
        hull = _nearest(_with(hull, vertex))
        nearer = unit(hull.weights @ hull.vertices)[1]
        steps = jnp.where(nearer < near, search.steps + 1, most)
        return _Search(hull, guess, far, jnp.minimum(near, nearer), steps)

    nothing = jnp.zeros((n + 2, n), flat.dtype)
    begin = seen(domain.start(flat.dtype))
    one = jnp.arange(n + 2) == 0
    hull = _Hull(nothing.at[0].set(begin), one.astype(flat.dtype), one)
    zero = jnp.zeros((), flat.dtype)
    search = _Search(hull, domain.first_guess(flat.dtype), zero, unit(begin)[1], jnp.asarray(0))
    found = jax.lax.while_loop(undecided, step, search)
    return (found.near <= allowed) | ((found.far <= allowed) & (found.near <= eps**0.5))


def _with(hull: _Hull, vertex: Float[Array, " n"]) -> _Hull:
    """The hull with a vertex more, of weight zero as yet."""
    place = first_only(~hull.used)
    vertices = jnp.where(place[:, None], vertex, hull.vertices)
    return _Hull(vertices, hull.weights, hull.used | place)


def _nearest(hull: _Hull) -> _Hull:
    """The nearest point of the hull to zero, and the vertices that it needs.

    As long as the nearest point of the affine hull has a negative weight, move towards it until
    the first weight vanishes, and drop that vertex.
    """

    def outside(carry: tuple[_Hull, Array]) -> Bool[Array, ""]:
        return jnp.any(carry[0].used & (carry[1] <= 0))

    def shrink(carry: tuple[_Hull, Array]) -> tuple[_Hull, Array]:
        (vertices, weights, used), goal = carry
        falling = used & (goal <= 0)
        room = jnp.where(falling, weights / jnp.where(falling, weights - goal, 1), jnp.inf)
        room = jnp.where(falling & (weights <= 0), 0, room)
        weights = weights + jnp.min(room) * (goal - weights)
        used = used & ~first_only(room == jnp.min(room)) & (weights > 0)
        weights = jnp.where(used, weights, 0)
        hull = _Hull(vertices, weights / jnp.sum(weights), used)
        return hull, _affine(hull)

    hull, goal = jax.lax.while_loop(outside, shrink, (hull, _affine(hull)))
    return hull._replace(weights=goal / jnp.sum(goal))


def _affine(hull: _Hull) -> Float[Array, " k"]:
    """The weights, of sum 1, of the point of the affine hull that is nearest to zero.

    They are proportional to the least-squares solution of `Σ w = 1`, `Σ w_i v_i = 0`. A ridge of
    the size of rounding keeps the problem regular when a vertex comes twice.
    """
    used = hull.used.astype(hull.vertices.dtype)
    vertices = jnp.where(hull.used[:, None], hull.vertices, 0)
    ridge = jnp.where(hull.used, 4 * jnp.finfo(used.dtype).eps, 1)
    rows = jnp.concatenate([used[None], vertices.T, jnp.diag(ridge)])
    right = jnp.zeros((rows.shape[0], 1), rows.dtype).at[0].set(1)
    # The last column of R is Qᵀ times the right-hand side: Q itself is not needed.
    r = jnp.linalg.qr(jnp.concatenate([rows, right], axis=1), mode="r")
    k = used.size
    weights = jax.scipy.linalg.solve_triangular(r[:k, :k], r[:k, k])
    weights = jnp.where(hull.used, weights, 0)
    return weights / jnp.sum(weights)
