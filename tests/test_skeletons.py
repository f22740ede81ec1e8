"""The skeletons of parts to copy: each is complete, and solves what it says."""

import runpy
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn

SKELETONS = Path(__file__).parent.parent / "examples" / "skeletons"


def skeleton(name):
    return runpy.run_path(str(SKELETONS / f"{name}.py"))


def test_there_is_one_of_every_kind_and_each_is_short():
    files = sorted(SKELETONS.glob("*.py"))
    assert [path.stem for path in files] == ["direction", "estimator", "method", "set", "step_size"]
    assert all(len(path.read_text().splitlines()) <= 60 for path in files)


def test_the_contributors_page_points_to_each():
    page = (SKELETONS.parent.parent / "CONTRIBUTING.md").read_text()
    assert all(f"examples/skeletons/{path.name}" in page for path in SKELETONS.glob("*.py"))


def test_set():
    found = skeleton("set")
    np.testing.assert_allclose(found["example"]().x, [0.6, 0.0, 0.8], atol=1e-6)
    ball, rng = found["NonnegativeBall"](4, radius=2.0), np.random.default_rng(0)
    points = np.abs(rng.normal(size=(2000, 4)))
    points *= 2 * rng.uniform(size=(2000, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    for direction in rng.normal(size=(20, 4)):
        vertex = ball.lmo(jnp.asarray(direction))
        assert bool(ball.contains(vertex))
        assert float(vertex @ direction) <= np.min(points @ direction)
        nearest = ball.project(jnp.asarray(3 * direction))
        assert bool(ball.contains(nearest))
        reach = np.linalg.norm(nearest - 3 * direction)
        assert reach <= np.min(np.linalg.norm(points - 3 * direction, axis=1))
    assert not bool(ball.contains(jnp.array([0.0, 0.0, 0.0, 2.1])))
    assert np.all(np.isnan(ball.lmo(jnp.array([jnp.nan, 1.0, -1.0, 0.0]))))
    assert float(ball.diameter) == pytest.approx(2 * 2**0.5)
    assert ball.lmo(-jnp.ones(4, jnp.float32)).dtype == jnp.float32


def test_estimator():
    found = skeleton("estimator")
    solution = found["example"]()
    # Half the variance with covariance -0.0125 and variances 0.005 and 0.035, less 0.1 of the mean.
    second = 0.0275 / 0.065
    np.testing.assert_allclose(solution.x, [1 - second, second], atol=0.02)
    assert solution.counts.samples == solution.counts.evaluations
    assert float(solution.state.u[-1]) == pytest.approx(-0.0119, abs=0.004)


def test_direction():
    found = skeleton("direction")
    solution = found["example"]()
    np.testing.assert_allclose(solution.x, [0.55, 0.45, 0.0], atol=1e-6)
    assert solution.counts.lmo == 10
    alternating = found["Alternating"](1.0)
    assert [alternating.most_calls(None, k, 3) for k in (1, 2)] == [2, 1]
    assert "projection" in alternating.needs(wn.sets.Birkhoff(3))
    nested = wn.sets.Product({"a": wn.sets.Simplex(2), "b": wn.sets.Box(-1.0, 1.0)})
    level = wn.Level(lambda x: jnp.sum(x["a"] ** 2) + (x["b"] - 0.5) ** 2)
    solver = wn.Solver(wn.estimators.Exact(), alternating, wn.schedules.Constant(0.5, 1.0, 1))
    solution = wn.solve(wn.Problem([level], nested), solver, steps=101, progress=False)
    assert {leaf.shape for leaf in jax.tree.leaves(solution.x)} == {(), (2,)}


def test_step_size():
    found = skeleton("step_size")
    solution = found["example"]()
    np.testing.assert_allclose(solution.x, [0.55, 0.45, 0.0], atol=1e-6)
    assert solution.certificate.bound < 1e-6


def test_method():
    found = skeleton("method")
    np.testing.assert_allclose(found["example"]().x, [0.55, 0.45, 0.0], atol=0.05)
    assert found["momentum_away"](batch=8).initial_batch == 32
