"""A set from CVXPY constraints, solved on the host."""

from __future__ import annotations

import functools
import threading
import warnings
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from wolfnest.common import checks
from wolfnest.sets.base import ClosedFormSet
from wolfnest.sets.tools.host import Infeasible, Unbounded, answer_on_host, on_host
from wolfnest.sets.tools.points import as_point, float_dtype, like

# What Clarabel aims at, and what it must reach at least: less is an error.
_AIM = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
_LEAST = {"reduced_tol_gap_abs": 1e-7, "reduced_tol_gap_rel": 1e-7, "reduced_tol_feas": 1e-7}

# A point that violates no constraint by more is taken to be inside by `project`.
_INSIDE = 1e-8


class FromCVXPY(ClosedFormSet):
    """`{radius · x : x satisfies the constraints}`, for convex constraints on one CVXPY variable.

    The oracle, the projection and the membership call CVXPY on the host, for one point at a time.
    The problem is compiled once; parameters in the constraints (`cvxpy.Parameter`) may change
    their values between calls. The oracle is as accurate as the solver, 1e-8 or better in value
    with Clarabel, and on ties it need not be an extreme point. An infinite entry of the
    direction outweighs all finite ones; a NaN gives NaN. That the set is bounded is not checked
    before an oracle call finds that it is not, which is an error.

    `solver` and `options` go to `cvxpy.Problem.solve`; None is Clarabel with tight tolerances.
    Needs CVXPY, which `pip install 'wolfnest[conic]'` brings.

    >>> import cvxpy as cp
    >>> import jax.numpy as jnp
    >>> import wolfnest.sets as sets
    >>> x = cp.Variable(2)
    >>> half_disc = sets.FromCVXPY(x, [cp.norm(x) <= 1, x[0] >= 0])
    >>> print(half_disc.lmo(jnp.array([3.0, 4.0])).round(4) + 0)
    [ 0. -1.]
    """

    problems: Problems = eqx.field(static=True)
    middle: Float[np.ndarray, "*shape"]
    radius: Array | np.ndarray

    def __init__(
        self,
        variable: Any,
        constraints: Any,
        radius: Any = 1.0,
        *,
        solver: str | None = None,
        options: dict[str, Any] | None = None,
    ):
        self.problems = Problems(variable, constraints, solver, options)
        self.middle = self.problems.feasible()
        self.radius = checks.positive("radius", radius)

    def lmo(self, direction: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        d = as_point("direction", direction, self.middle.shape)
        return like(self.radius, d) * on_host(self.problems.lowest, d)

    def project(self, x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """By a quadratic program, to the accuracy of the solver; a point that violates no
        constraint by more than 1e-8 stays where it is. An infinite entry gives NaN."""
        x = as_point("x", x, self.middle.shape)
        x = jnp.where(jnp.isinf(x), jnp.nan, x)
        radius, size = like(self.radius, x), jnp.max(jnp.abs(x))
        return radius * on_host(self.problems.nearest, x, size / radius)

    def contains(self, x: Float[Array, "*shape"], tol: float = 1e-5) -> Bool[Array, ""]:
        """No constraint violated by more than `tol` at `x / radius`."""
        x = as_point("x", x, self.middle.shape)
        return answer_on_host(self.problems.holds, x / like(self.radius, x), tol)

    @property
    def diameter(self) -> Float[Array, ""]:
        """An upper bound: the diagonal of the bounding box. Two problems are solved per entry of
        the variable when it is first asked for."""
        return jnp.asarray(self.radius) * self.problems.diagonal

    def start(self, dtype: Any = None) -> Float[Array, "*shape"]:
        """A feasible point; with an interior point solver, one away from the constraints."""
        dtype = float_dtype(dtype)
        return jnp.asarray(self.radius, dtype) * jnp.asarray(self.middle, dtype)


class Problems:
    """The CVXPY problems of a set, which are equal if they are made of the same constraints."""

    def __init__(
        self, variable: Any, constraints: Any, solver: str | None, options: dict[str, Any] | None
    ):
        cp = _cvxpy()
        _check_variable(cp, variable)
        constraints = list(constraints) if isinstance(constraints, list | tuple) else [constraints]
        _check_constraints(cp, variable, constraints)
        self.variable, self.constraints = variable, constraints
        if solver is None and options is None:
            solver, options = "CLARABEL", _AIM | _LEAST
        self.settings = {"solver": solver, **(options or {})}
        self.lock = threading.Lock()  # values of variables and parameters are kept inside
        self.direction, self.curvature = cp.Parameter(variable.shape), cp.Parameter(nonneg=True)
        linear = cp.sum(cp.multiply(self.direction, variable))
        self.linear = cp.Problem(cp.Minimize(linear), constraints)
        quadratic = self.curvature * cp.sum_squares(variable) / 2
        self.quadratic = cp.Problem(cp.Minimize(quadratic + linear), constraints)

    def _key(self) -> tuple[Any, ...]:
        ids = tuple(constraint.id for constraint in self.constraints)
        return self.variable.id, ids, repr(sorted(self.settings.items(), key=str))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problems) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def lowest(self, direction: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
        with self.lock:
            return self._solved(self.linear, direction)

    def nearest(
        self, heading: Float[np.ndarray, "*shape"], size: np.ndarray
    ) -> Float[np.ndarray, "*shape"]:
        """The nearest point to `y = size · heading`: the minimum of `‖p‖² / (2 c) - <p, y> / c`,
        where `c` keeps the numbers of order 1 however far away `y` is."""
        point = float(size) * heading
        if self.holds(point, _INSIDE):
            return point
        scale = max(1.0, float(size))
        with self.lock:
            self.curvature.value = 1 / scale
            return self._solved(self.quadratic, -point / scale)

    def holds(self, x: Float[np.ndarray, "*shape"], tol: Any) -> bool:
        with self.lock:
            allowed = self.variable.project(x)  # what the variable was declared to be
            self.variable.save_value(allowed)
            errors = [np.max(constraint.violation()) for constraint in self.constraints]
        return max([np.max(np.abs(x - allowed)), *errors]) <= tol

    def feasible(self) -> Float[np.ndarray, "*shape"]:
        try:
            return self.lowest(np.zeros(self.variable.shape))
        except Infeasible:
            raise ValueError(
                f"constraints must leave at least one point, got an empty set: {self.constraints}."
            ) from None

    @functools.cached_property
    def diagonal(self) -> float:
        shape, n = self.variable.shape, self.variable.size
        axes = np.eye(n).reshape(n, *shape)
        lengths = [np.sum(e * (self.lowest(-e) - self.lowest(e))) for e in axes]
        return float(np.linalg.norm(lengths))

    def _solved(self, problem: Any, direction: np.ndarray) -> Float[np.ndarray, "*shape"]:
        self.direction.value = direction
        with warnings.catch_warnings():
            # Said of answers between what is aimed at and what is required.
            warnings.filterwarnings("ignore", "Solution may be inaccurate")
            problem.solve(**self.settings)
        if problem.status in ("infeasible", "infeasible_inaccurate"):
            raise Infeasible("no point satisfies the constraints")
        if problem.status in ("unbounded", "unbounded_inaccurate"):
            raise Unbounded("the constraints leave the set unbounded: bound the variable")
        if problem.status not in ("optimal", "optimal_inaccurate"):
            raise RuntimeError(f"{problem.solver_stats.solver_name} says {problem.status!r}")
        return np.asarray(self.variable.value, float)


def _cvxpy() -> Any:
    try:
        import cvxpy
    except ImportError as error:
        raise ImportError("FromCVXPY needs CVXPY: pip install 'wolfnest[conic]'.") from error
    return cvxpy


def _check_variable(cp: Any, variable: Any) -> None:
    if not isinstance(variable, cp.Variable):
        raise ValueError(f"variable must be a cvxpy.Variable, got {variable!r}.")
    other = ("complex", "imag", "hermitian", "boolean", "integer", "diag", "sparsity")
    for kind in other:
        if variable.attributes.get(kind):
            raise ValueError(
                f"variable must be real, continuous and dense, got one declared {kind}."
            )


def _check_constraints(cp: Any, variable: Any, constraints: list[Any]) -> None:
    for i, constraint in enumerate(constraints):
        name = f"constraints[{i}]"
        if not isinstance(constraint, cp.constraints.constraint.Constraint):
            raise ValueError(f"{name} must be a CVXPY constraint, got {constraint!r}.")
        if not constraint.is_dcp():
            raise ValueError(f"{name} must be convex by CVXPY's rules, got {constraint}.")
        if any(other is not variable for other in constraint.variables()):
            raise ValueError(f"{name} must be on variable alone, got {constraint}.")
