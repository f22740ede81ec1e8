"""Worker processes: a core each, deaths survived, compiled programs used again."""

import pytest
import small

from wolfnest_reproduction.run.pool import Pool

pytestmark = pytest.mark.usefixtures("home")


def test_a_worker_that_dies_is_replaced(tmp_path):
    ends = {}
    tasks = [small.Deadly("a", True), small.Deadly("b", False), small.Deadly("c", False)]
    with Pool(1, small.DeadlyWork(tmp_path)) as pool:
        pool.run(tasks, lambda task, seconds, error: ends.update({task.id: error}))
    assert "ended with code 3" in ends["a"]
    assert ends["b"] is ends["c"] is None
    # One core for each worker, and 64-bit floats.
    assert (tmp_path / "c").read_text() == "1 1"


def test_a_worker_keeps_to_what_it_has_compiled(tmp_path):
    ends = []
    tasks = [small.Deadly(id, False, program=(id[0],)) for id in ("a1", "b1", "a2", "b2")]
    with Pool(1, small.DeadlyWork(tmp_path)) as pool:
        pool.run(tasks, lambda task, *_: ends.append(task.id))
    assert ends == ["a1", "a2", "b1", "b2"]
