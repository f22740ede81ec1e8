"""The others: jaxopt, copt, and conic solvers through CVXPY."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wolfnest_benchmarks.peers.methods import MOST_STEPS, Method, Watch, efforts
from wolfnest_benchmarks.peers.problems import Instance

TOLERANCES = tuple(10.0**-digits for digits in range(1, 11))


# ---- jaxopt ----------------------------------------------------------------------------------


class Jaxopt(Method):
    """Accelerated projected gradients, with jaxopt's line search or with steps of 1/L."""

    def __init__(self, instance: Instance, stepsize: str) -> None:
        import jaxopt

        projection, self.bounds = _jaxopt_set(instance)
        self.data, self.x0 = tuple(map(jnp.asarray, instance.data)), jnp.asarray(instance.start())
        solver = jaxopt.ProjectedGradient(
            fun=lambda x, *data: instance.loss(*data, x),
            projection=projection,
            stepsize=0.0 if stepsize == "search" else 1 / instance.smoothness,
        )

        @jax.jit
        def begin(x: Any, bounds: Any, data: Any) -> Any:
            return solver.init_state(x, bounds, *data)

        @jax.jit
        def advance(x: Any, state: Any, bounds: Any, data: Any, n: Any) -> Any:
            step = lambda _, pair: tuple(solver.update(*pair, bounds, *data))
            return jax.lax.fori_loop(0, n, step, (x, state))

        self.begin, self.advance = begin, advance

    def trace(self, watch: Watch) -> None:
        x, state, done = self.x0, self.begin(self.x0, self.bounds, self.data), 0
        for effort in efforts():
            x, state = self.advance(x, state, self.bounds, self.data, effort - done)
            done = effort
            if not watch(effort, np.asarray(x)):
                return

    def run(self, effort: int) -> Any:
        state = self.begin(self.x0, self.bounds, self.data)
        x, _ = self.advance(self.x0, state, self.bounds, self.data, effort)
        return jax.block_until_ready(x)


def _jaxopt_set(instance: Instance) -> tuple[Callable, Any]:
    from jaxopt import projection

    if instance.name != "variance":
        return projection.projection_l1_ball, jnp.asarray(instance.size)
    ones = jnp.ones(instance.start().size)
    return projection.projection_box_section, (0 * ones, instance.size * ones, ones, 1.0)


# ---- copt ------------------------------------------------------------------------------------


class Copt(Method):
    """Frank-Wolfe steps, pairwise ones, or accelerated projected gradients; in NumPy."""

    def __init__(self, instance: Instance, variant: str) -> None:
        import copt
        import copt.constraint

        if not hasattr(np, "alltrue"):
            setattr(np, "alltrue", np.all)  # noqa: B010  # a name that NumPy 2 has dropped
        shape, self.variant = instance.start().shape, variant
        self.start, self.arguments = np.zeros(instance.start().size), {"jac": True, "tol": 0.0}
        if instance.name == "completion":
            ball = copt.constraint.TraceBall(instance.size, shape)
        else:
            ball = copt.constraint.L1Ball(instance.size)
        if variant == "projected":
            # It makes one step more than it is told to.
            self.minimize, self.surplus = copt.minimize_proximal_gradient, 1
            self.arguments |= {"prox": ball.prox, "accelerated": True}
        else:
            self.minimize, self.surplus = copt.minimize_frank_wolfe, 0
            oracle = ball.lmo_pairwise if variant == "pairwise" else ball.lmo
            self.arguments |= {"lmo": oracle, "variant": variant}
        if variant == "pairwise":  # begins at a vertex
            self.start[0] = instance.size
            self.arguments["x0_rep"] = (1.0, 0)

        def fun(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = instance.value_and_gradient(x.reshape(shape))
            return value, gradient.ravel()

        self.fun, self.shape = fun, shape

    def _minimize(self, steps: int, callback: Any = None) -> np.ndarray:
        # It prints its first estimate, and warns of every run that its tolerance did not end.
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.minimize(
                self.fun,
                self.start.copy(),
                max_iter=steps - self.surplus,
                callback=callback,
                **self.arguments,
            )
        return found.x

    def trace(self, watch: Watch) -> None:
        calls, wanted = 0, efforts()
        effort = next(wanted)

        def callback(found: dict[str, Any]) -> bool:
            nonlocal calls, effort
            if calls == effort:
                effort = next(wanted, None)
                if not watch(calls, found["x"].reshape(self.shape)) or effort is None:
                    return False
            calls += 1
            return True

        self._minimize(MOST_STEPS, callback)

    def run(self, effort: int) -> Any:
        return self._minimize(effort).reshape(self.shape)


# ---- CVXPY -----------------------------------------------------------------------------------


class Conic(Method):
    """A conic solver on the form that CVXPY brings a problem into, which is not timed."""

    def __init__(self, instance: Instance, solver: str, seconds: float = 20.0) -> None:
        import cvxpy as cp

        self.problem, self.variable = conic_problem(instance)
        self.solver, self.seconds = solver, seconds
        parts = self.problem.get_problem_data(getattr(cp, solver), solver_opts={})
        self.data, self.chain, self.inverse = parts

    def _options(self, tolerance: float) -> dict[str, Any]:
        if self.solver == "SCS":
            return {
                "eps_abs": tolerance,
                "eps_rel": tolerance,
                "max_iters": MOST_STEPS,
                "time_limit_secs": self.seconds,
            }
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


def conic_problem(instance: Instance) -> tuple[Any, Any]:
    import cvxpy as cp

    x = cp.Variable(instance.start().shape)
    if instance.name == "logistic":
        a, signs = instance.data
        loss = cp.sum(cp.logistic(-cp.multiply(signs, a @ x))) / len(signs)
        return cp.Problem(cp.Minimize(loss), [cp.norm1(x) <= instance.size]), x
    if instance.name == "squares":
        a, b = instance.data
        loss = cp.sum_squares(a @ x - b) / (2 * len(b))
        return cp.Problem(cp.Minimize(loss), [cp.norm1(x) <= instance.size]), x
    if instance.name == "completion":
        rows, columns = np.nonzero(instance.data[0])
        rest = x[rows, columns] - instance.data[1][rows, columns]
        loss = cp.sum_squares(rest) / (2 * rows.size)
        return cp.Problem(cp.Minimize(loss), [cp.normNuc(x) <= instance.size]), x
    loss = cp.quad_form(x, cp.psd_wrap(instance.data[0])) / 2
    return cp.Problem(cp.Minimize(loss), [x >= 0, x <= instance.size, cp.sum(x) == 1]), x
