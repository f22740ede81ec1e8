"""What the tests of error messages share: fixtures, and small problems made anew for each test
(a new function is compiled anew, so that an early compilation cannot hide in a cache)."""

import re

import jax
import numpy as np
import pytest

import wolfnest as wn

DIM = 3
DATA = np.arange(12.0).reshape(4, DIM)

# The compiled functions of the package. Tiny operations (is this finite?) may be compiled early.
OWN = {
    f"jit({name})"
    for name in (
        "begin", "begin_stage", "draw", "advance", "_measured", "_evaluate",
        "_exact_value", "_exact_value_and_gradient",
    )
}  # fmt: skip


@pytest.fixture
def compiled():
    """The names of the functions that were compiled during a test."""
    names = set()

    def listen(event, _, **about):
        if event.endswith("backend_compile_duration"):
            names.add(about.get("fun_name"))

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield names
    jax.monitoring.unregister_event_duration_listener(listen)


@pytest.fixture
def refused(compiled):
    """Checks that a call is refused with a message that has all the parts, uncompiled."""

    def check(call, *parts):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call()
        for part in parts:
            assert re.search(part, str(caught.value)), f"{part!r} is not in: {caught.value}"
        assert not compiled & OWN

    return check


def finite(fn=None, data=DATA):
    return wn.Level(fn or (lambda x, r: (r @ x) ** 2), data=data)


def endless():
    return wn.Level(lambda x, r: (r @ x) ** 2, sample=lambda k, n: jax.random.normal(k, (n, DIM)))


def same():
    return wn.Level(lambda x: 1.0 * x)


def problem(*levels):
    return wn.Problem(levels or [finite()], wn.sets.Simplex(DIM))


def solver(**settings):
    return wn.method("PMVR-v1", **{"batch": 2} | settings)
