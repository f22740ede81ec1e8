"""Clarabel, SCS and HiGHS through CVXPY: conic and linear models, exact and without smoothing.

The rows `scenarios`, `gaps` and `portfolios` compare with them.

Models of portfolios are those of `wolfnest.interop.conic`; those of the other convex problems are
below.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from wolfnest.interop.conic import ConicModel
from wolfnest.sets import L1Ball, NuclearBall
from wolfnest_benchmarks.peers.compared_method import MOST_STEPS, Method, Unsupported, Watch
from wolfnest_benchmarks.peers.convex_problems import Instance

TOLERANCES = tuple(10.0**-digits for digits in range(1, 11))
# Interior-point methods are not tried on semidefinite cones with more entries than this.
MOST_ENTRIES = 5_000
FACTORS = (1, 100)  # of an objective, where a solver fails with the first


def cvxpy() -> Any:
    return importlib.import_module("cvxpy")


# ---- portfolios ------------------------------------------------------------------------------


class Solved(NamedTuple):
    """Weights, the processor time that CVXPY and the solver took, and how they say it ended."""

    weights: np.ndarray
    seconds: float
    status: str


def solved(model: ConicModel, solver: str) -> Solved:
    """What a solver finds with its default accuracy."""
    problem, start = model.program, time.process_time()
    problem.solve(solver=solver)
    seconds = time.process_time() - start
    return Solved(np.asarray(model.weights.value, dtype=float), seconds, problem.status)


def capped_weights(model: ConicModel, cap: float, solver: str = "CLARABEL") -> np.ndarray:
    """The weights that a solver finds, none above `cap`."""
    cp = cvxpy()
    # Exponential cones fail in one form and not in another: a cap of 1 says nothing new.
    forms = [[*model.constraints, model.weights <= cap]]
    forms += [model.constraints] if cap >= 1 else []
    for factor, rules in itertools.product(FACTORS, forms):
        with contextlib.suppress(cp.SolverError):
            cp.Problem(cp.Minimize(factor * model.objective), rules).solve(solver=solver)
        if model.weights.value is not None:
            return np.asarray(model.weights.value)
    raise RuntimeError(f"{solver} failed in every form of the problem")


# ---- convex problems -------------------------------------------------------------------------


class Conic(Method):
    """A conic solver on the form that CVXPY brings a problem into, which is not timed."""

    def __init__(self, instance: Instance, solver: str, seconds: float = 20.0) -> None:
        if solver == "CLARABEL" and isinstance(instance.domain, NuclearBall):
            _refuse_dense(sum(instance.start().shape))
        self.problem, self.variable = program(instance)
        self.solver, self.seconds = solver, seconds
        parts = self.problem.get_problem_data(getattr(cvxpy(), solver), solver_opts={})
        self.data, self.chain, self.inverse = parts

    def _options(self, tolerance: float) -> dict[str, Any]:
        if self.solver == "SCS":
            limits = {"max_iters": MOST_STEPS, "time_limit_secs": self.seconds}
            return {"eps_abs": tolerance, "eps_rel": tolerance, **limits}
        names = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
        return dict.fromkeys(names, tolerance) | {"time_limit": self.seconds}

    def trace(self, watch: Watch) -> None:
        for effort in range(len(TOLERANCES)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "may be inaccurate": that is measured here
                self.problem.unpack_results(self.run(effort), self.chain, self.inverse)
            x = self.variable.value
            if x is None or not watch(effort, np.asarray(x)):
                return

    def run(self, effort: int) -> Any:
        options = self._options(TOLERANCES[effort])
        return self.chain.solve_via_data(self.problem, self.data, False, False, options)

    def amount(self, effort: int) -> str:
        return f"tol {TOLERANCES[effort]:.0e}"


def _refuse_dense(side: int) -> None:
    """A semidefinite cone is a dense block in the equations of an interior-point method."""
    entries = side * (side + 1) // 2
    if entries > MOST_ENTRIES:
        raise Unsupported(
            f"a semidefinite cone of side {side} makes a dense block of side {entries:,}"
        )


def program(instance: Instance) -> tuple[Any, Any]:
    """An instance as a CVXPY problem, and its variable."""
    cp = cvxpy()
    x = cp.Variable(instance.start().shape)
    if isinstance(instance.domain, L1Ball):
        inside = [cp.norm1(x) <= instance.size]
    elif isinstance(instance.domain, NuclearBall):
        inside = [cp.normNuc(x) <= instance.size]
    else:
        inside = [x >= 0, x <= instance.size, cp.sum(x) == 1]
    return cp.Problem(cp.Minimize(OBJECTIVES[instance.name](cp, x, *instance.data)), inside), x


def _logistic(cp: Any, x: Any, a: np.ndarray, signs: np.ndarray) -> Any:
    return cp.sum(cp.logistic(-cp.multiply(signs, a @ x))) / len(signs)


def _squares(cp: Any, x: Any, a: np.ndarray, b: np.ndarray) -> Any:
    return cp.sum_squares(a @ x - b) / (2 * len(b))


def _completion(cp: Any, x: Any, mask: np.ndarray, known: np.ndarray) -> Any:
    there = np.nonzero(mask)
    return cp.sum_squares(x[there] - known[there]) / (2 * there[0].size)


def _variance(cp: Any, x: Any, covariance: np.ndarray) -> Any:
    return cp.quad_form(x, cp.psd_wrap(covariance)) / 2


OBJECTIVES = {
    "logistic": _logistic,
    "squares": _squares,
    "completion": _completion,
    "variance": _variance,
}
