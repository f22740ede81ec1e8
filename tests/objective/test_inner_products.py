"""The inner product of sampled rows: two ways to compute it, and which of them is taken."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from wolfnest.common import pytrees


@pytest.mark.parametrize(
    ("backend", "size", "product"),
    [("cpu", 5_000, True), ("gpu", 5, True), ("gpu", 5_000, False)],
)
def test_long_rows_are_multiplied_as_sums_on_an_accelerator(monkeypatch, backend, size, product):
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    a, b = (np.random.default_rng(seed).normal(size=size) for seed in (0, 1))
    traced = jax.make_jaxpr(lambda a, b: pytrees.inner(a, b))(a, b)
    assert ("dot_general" in str(traced)) == product
    np.testing.assert_allclose(pytrees.inner(jnp.asarray(a), jnp.asarray(b)), a @ b, rtol=1e-5)
