"""What users write with the library passes their type checker in its strict form."""

import subprocess
import sys
from pathlib import Path

import pytest

import wolfnest

SOURCE = Path(wolfnest.__file__).parent.parent
SKELETONS = Path(__file__).parent.parent / "examples" / "skeletons"

# The library counts as installed: what it does inside is its own affair. Nothing else is let off.
SETTINGS = f"""
[mypy]
strict = true
mypy_path = {SOURCE}

[mypy-wolfnest.*]
follow_imports = silent
"""

SHORT = """
import jax
import jax.numpy as jnp

import wolfnest as wn

returns = 0.05 + jax.random.normal(jax.random.key(0), (1000, 3))
mean = wn.Level(lambda x, r: (r @ x, x), data=returns)
risk = wn.Level(lambda y, r: (r @ y[1] - y[0]) ** 2 - y[0], data=returns)
problem = wn.Problem([mean, risk], wn.sets.Simplex(3), convex=True)
solution = wn.solve(problem, wn.method("PMVR-v1", eta=0.02), steps=200, key=1, progress=False)
print(solution.x, solution.status, solution.counts.lmo, solution.trace.frank_wolfe_gap[-1])
"""

LONG = """
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from jax import Array

import wolfnest as wn
from wolfnest.estimators import Composition, Cost, Estimate, MemorylessEstimator, track_values


class Interval(wn.sets.ClosedFormSet):
    reach: Array

    def __init__(self, reach: float) -> None:
        self.reach = jnp.asarray(reach)

    def lmo(self, direction: Array) -> Array:
        return -self.reach * jnp.sign(direction)

    def project(self, x: Array) -> Array:
        return jnp.clip(x, -self.reach, self.reach)

    def contains(self, x: Array, tol: float = 1e-5) -> Array:
        return jnp.abs(x) <= self.reach * (1 + tol)

    @property
    def diameter(self) -> Array:
        return 2 * self.reach

    def start(self, dtype: Any = None) -> Array:
        return jnp.zeros((), dtype)


class AveragedValues(MemorylessEstimator):
    def update(
        self, composition: Composition, state: wn.State, x: Any, batch: Any, stage: wn.Stage
    ) -> Estimate:
        values, gradient = self.split(composition, batch)
        inputs, u = track_values(composition, x, state.u, None, values, stage.alpha)
        return Estimate(u, composition.gradient(inputs, gradient, self.pairing))

    def steps_cost(self, composition: Composition, batch_size: int, t: int, steps: int) -> Cost:
        return self.cost(composition, batch_size * steps, points=1)


def look(record: Mapping[str, Any]) -> None:
    print(record["step"])


level = wn.Level(lambda x, row: (x - row) ** 2, data=jnp.arange(8.0))
problem = wn.Problem([level], Interval(2.0), convex=True, strong_convexity=2.0)
schedule = wn.schedules.Constant(eta=0.02, alpha=0.1, batch=4)
solver = wn.Solver(AveragedValues(gradient_batch="separate"), wn.LMO(), schedule)
solution: wn.Solution = wn.solve(
    problem,
    solver,
    problem.start(),
    steps=100,
    key=1,
    tol=1e-3,
    criterion=("frank_wolfe_gap", "gradient_mapping"),
    budget=wn.Budget(samples=10_000),
    record_every=10,
    output="last",
    callback=look,
    progress=False,
)
last: float = float(solution.trace.objective[-1]) + float(solution.trace["time"][-1])
if solution.certificate is not None:
    print(solution.certificate.bound, solution.certificate.kind)

exact = wn.Solver(
    wn.estimators.Exact(),
    wn.directions.AwayStep(),
    wn.schedules.Constant(1.0, 1.0, batch=1),
    step_size=wn.stepsizes.LineSearch("secant"),
)
state = exact.init(problem, problem.start())
state, info = exact.step(problem, state, None, wn.Stage(1, eta=1.0, alpha=1.0, batch=1))
calls: int = int(info.lmo)
gap: float = wn.metrics.frank_wolfe_gap(problem, state.x)
best: Array = problem.value(state.x)
names: tuple[str, ...] = wn.methods.names()
card: str = wn.methods.table()[0].rate
preset, steps = wn.theory.theorem(1, 0.1)
print(preset.name, steps + 1, wn.methods.describe(names[0]))
"""

WRONG = """
import wolfnest as wn

level = wn.Level(lambda x: x @ x)
problem = wn.Problem([level], wn.sets.Simplex(3))
solution = wn.solve(problem, steps="many")  # E: arg-type
print(solution.counts.oracle)  # E: attr-defined
wn.Problem([level], "simplex")  # E: arg-type
wn.estimators.Storm(pairing="some")  # E: arg-type
wn.estimators.MemorylessEstimator()  # E: abstract
wn.stepsizes.LineSearch("brent")  # E: arg-type
"""


def checked(paths, folder):
    pytest.importorskip("mypy")
    (folder / "mypy.ini").write_text(SETTINGS)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *map(str, paths)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
def test_scripts_of_users_pass(tmp_path):
    (tmp_path / "short.py").write_text(SHORT)
    (tmp_path / "long.py").write_text(LONG)
    done = checked(["short.py", "long.py"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = subprocess.run([sys.executable, "long.py"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_skeletons_pass(tmp_path):
    done = checked(sorted(SKELETONS.glob("*.py")), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_wrong_scripts_do_not(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    lines = checked(["wrong.py"], tmp_path).stdout.splitlines()
    found = [int(line.split(":")[1]) for line in lines if ": error: " in line]
    assert found == [n for n, line in enumerate(WRONG.splitlines(), 1) if "# E: " in line], lines
