"""Where a run takes place: what is recorded of it, and what a worker gets."""

import json
import os
import platform

from wolfnest.common import environment


def test_the_environment_of_a_worker_is_only_lent(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_given")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    before, allowed = dict(os.environ), environment.cores()
    with environment.for_worker(allowed[-1]):
        assert os.environ["XLA_FLAGS"].startswith("--xla_given ")
        assert os.environ["OMP_NUM_THREADS"] == "1"
        assert environment.cores() in ([allowed[-1]], allowed)
    assert dict(os.environ) == before
    assert environment.cores() == allowed


def test_the_record_of_the_environment_names_no_machine():
    facts = environment.describe()
    assert set(facts) == {"python", "wolfnest", "jax", "numpy", "platform", "cpu", "cores"}
    assert platform.node() not in json.dumps(facts) or len(platform.node()) < 4


def test_further_packages_count_as_far_as_they_are_installed():
    found = environment.describe("equinox", "no-such-package")
    assert list(found)[3:5] == ["numpy", "equinox"]
    assert "no-such-package" not in found
