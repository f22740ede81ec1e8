"""What the tests of ready-made problems share."""

import jax
import numpy as np
import pytest


@pytest.fixture
def traced():
    """The names of the functions that JAX traced during a test, one entry per time; clear it."""
    names = []

    def listen(event, _, **about):
        if event.endswith("jaxpr_trace_duration"):
            names.append(about.get("fun_name"))

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield names
    jax.monitoring.unregister_event_duration_listener(listen)


@pytest.fixture(scope="session")
def table():
    """300 periods of 5 assets, of different means and deviations, correlated."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=(300, 1))
    own = rng.normal(size=(300, 5)) * np.linspace(0.3, 1.2, 5)
    return 0.5 * common + own + np.linspace(-0.1, 0.4, 5)
