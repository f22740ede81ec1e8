"""The same code on whatever device JAX finds: results against float64 on the host.

`python benchmarks/device_check.py` prints, per problem and method, the criterion reached and the
cost of an iteration.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import wolfnest as wn


def mean_variance(dtype) -> wn.Problem:
    rng = np.random.default_rng(0)
    table = 0.04 + 0.8 * rng.standard_t(4, size=(25_105, 1)) + 0.5 * rng.standard_t(4, (25_105, 17))
    table = jnp.asarray(table, dtype)
    first = wn.Level(lambda x, r: (-(r @ x), x), data=table)
    second = wn.Level(lambda y, r: y[0] + (r @ y[1] + y[0]) ** 2, data=table)
    return wn.Problem([first, second], wn.sets.Simplex(17), convex=True)


def matrix_index(size: int = 100) -> wn.Problem:
    """`E(y - <A, B>²)²` over the nuclear ball, endless samples."""
    v = jax.random.normal(jax.random.key(3), (size,))
    truth = jnp.outer(v, v) / jnp.vdot(v, v)

    def sample(key, n):
        one, two = jax.random.split(key)
        a = jnp.eye(size) + 0.3 * jax.random.normal(one, (n, size, size))
        noise = 0.1 * jax.random.normal(two, (n,))
        return a, jnp.einsum("nij,ij->n", a, truth) ** 2 + noise

    loss = wn.Level(lambda b, s: (s[1] - jnp.vdot(s[0], b) ** 2) ** 2, sample=sample)
    return wn.Problem([loss], wn.sets.NuclearBall((size, size)))


def report(name: str, run: wn.Solution) -> None:
    gap = np.atleast_1d(run.trace.frank_wolfe_gap[-1])
    print(
        f"{name:34s} {run.solver.name:10s} gap {gap.mean():.2e}  "
        f"{run.seconds / run.steps * 1e6:8.1f} µs per step  {jax.tree.leaves(run.x)[0].dtype}"
    )


def main() -> None:
    print("device:", jax.devices()[0].device_kind, "jax", jax.__version__)
    for dtype in (jnp.float32, jnp.float64):
        with jax.enable_x64(dtype == jnp.float64):
            problem = mean_variance(dtype)
            for name in ("PMVR-v1", "PMVR-v2", "PMM-v1", "PMFS-v1", "SwPMFS-v1"):
                solver = wn.method(name, gradient_batch="separate")
                report("mean-variance", wn.solve(problem, solver, steps=2000, progress=False))
            report("mean-variance, 100 seeds", wn.solve(problem, wn.method("PMVR-v1"), steps=2000,
                                                        seeds=100, progress=False))  # fmt: skip
    problem = matrix_index()
    start = problem.domain.lmo(-jnp.ones((100, 100)))
    for name in ("PMVR-v1", "PMVR-v2"):
        solver = wn.method(name, eta=0.02, batch=64)
        run = wn.solve(problem, solver, 0.5 * start, steps=200, progress=False)
        report("matrix, 100 × 100", run)


if __name__ == "__main__":
    main()
