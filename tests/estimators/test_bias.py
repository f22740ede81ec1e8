"""The bias of shared gradient batches, where it can be computed by hand.

Levels `f_1(x; a) = a x` and `f_2(y) = y²/2` at a point that does not move: the tracked value is
then a moving average of batch means, and with `E a = μ`, `Var a = σ²` the mean of `v` is

    STORM, shared       μ² x + σ² x / B        whatever α is
    momentum, shared    μ² x + α σ² x / B
    separate            μ² x

once the start is forgotten. STORM forgets nothing it would have to: the bias is there from `v_1`.
"""

import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn

A = np.array([0.0, 1.0, 1.0, 2.0, 6.0])
BATCH, SEEDS = 4, 3000

INNER = wn.Level(lambda x, a: a * x, data=A)
OUTER = wn.Level(lambda y: 0.5 * jnp.sum(y**2))
PROBLEM = wn.Problem([INNER, OUTER], wn.sets.Box(jnp.ones(1), jnp.ones(1)))


def mean_of_v(name: str, alpha: float, kind: str) -> tuple[float, float]:
    """Mean of `v` over runs, and its standard error."""
    solver = wn.method(name, eta=1.0, alpha=alpha, batch=BATCH, gradient_batch=kind)
    steps = int(np.ceil(6 / alpha))
    run = wn.solve(PROBLEM, solver, steps=steps, seeds=SEEDS, record_every=steps, progress=False)
    v = np.asarray(run.state.v)[:, 0]
    return v.mean(), v.std() / np.sqrt(SEEDS)


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.02])
def test_shared_batches_bias_storm_by_the_variance_over_the_batch_whatever_alpha(alpha):
    mean, error = mean_of_v("PMVR-v1", alpha, "shared")
    assert mean - A.mean() ** 2 == pytest.approx(A.var() / BATCH, abs=4 * error)
    assert mean - A.mean() ** 2 > 10 * error


@pytest.mark.parametrize("name", ["PMVR-v1", "PMM-v1"])
@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.02])
def test_separate_batches_have_no_bias(name, alpha):
    mean, error = mean_of_v(name, alpha, "separate")
    assert mean == pytest.approx(A.mean() ** 2, abs=4 * error)


@pytest.mark.parametrize("alpha", [0.5, 0.1])
def test_momentum_shrinks_the_bias_with_alpha(alpha):
    mean, error = mean_of_v("PMM-v1", alpha, "shared")
    assert mean - A.mean() ** 2 == pytest.approx(alpha * A.var() / BATCH, abs=4 * error)
