"""The same problems without sampling."""

import math

import numpy as np
import pytest
import small

from wolfnest import problems
from wolfnest.datasets import returns
from wolfnest_reproduction.run import baselines
from wolfnest_reproduction.run.store import Store, read_json
from wolfnest_reproduction.run.work import Work

pytestmark = pytest.mark.usefixtures("home")

KINDS = ("mean_variance", "mean_deviation")


def posed(kind):
    return small.poser()(kind, "Industry-10", {"risk": 1.0})


@pytest.mark.parametrize("kind", KINDS)
def test_pairwise_frank_wolfe_on_full_gradients_reaches_the_minimum(kind):
    row = baselines.frank_wolfe(posed(kind), "PFW")
    assert row["solver"] == "pairwise Frank-Wolfe"
    assert -1e-9 < row["optimal_gap"] <= 1.001e-6 * abs(posed(kind).best)
    assert row["frank_wolfe_gap"] >= row["optimal_gap"] - 1e-9
    assert row["time"] > 0
    assert 0 < row["iterations"] < baselines.MOST_ITERATIONS
    assert "below 1e-06" in row["note"]
    curve = row["curve"]
    assert curve["time"] == sorted(curve["time"])
    assert curve["optimal_gap"][-1] == pytest.approx(row["optimal_gap"], abs=1e-12)
    assert curve["optimal_gap"][0] > 100 * curve["optimal_gap"][-1]


def test_plain_frank_wolfe_ends_at_its_limit(monkeypatch):
    few, more = (_limited(monkeypatch, most) for most in (20, 200))
    assert (few["solver"], few["iterations"]) == ("exact Frank-Wolfe", 20)
    assert 0 < more["optimal_gap"] < few["optimal_gap"] / 3
    assert few["note"] == "stopped after 20 iterations"


def _limited(monkeypatch, most):
    monkeypatch.setattr(baselines, "MOST_ITERATIONS", most)
    return baselines.frank_wolfe(posed("mean_variance"))


def test_without_a_known_minimum_the_gap_ends_it(monkeypatch):
    monkeypatch.setattr(baselines, "MOST_ITERATIONS", 30)
    problem = small.poser()("matrix_single_index", "4 x 4", {"n": 4, "rows": 50})
    row = baselines.frank_wolfe(problem)
    assert math.isnan(row["optimal_gap"])
    start = problems.matrix_single_index(4, rows=50)
    assert row["objective"] < float(start.value(problem.x0))
    assert row["iterations"] <= 30


@pytest.mark.parametrize("kind", KINDS)
def test_a_conic_solver_agrees(kind):
    pytest.importorskip("cvxpy")
    row = baselines.conic_solver(posed(kind), small.table(), kind, {"risk": 1.0})
    assert row["solver"].startswith("CVXPY (")
    assert abs(row["optimal_gap"]) < 1e-5 * abs(posed(kind).best)
    assert row["time"] >= row["solver_time"] > 0


def test_without_cvxpy_it_says_so(monkeypatch):
    def missing(module, extra, user):
        raise ImportError(f"{user} needs {module}")

    monkeypatch.setattr(baselines, "optional", missing)
    row = baselines.conic_solver(
        posed("mean_variance"), small.table(), "mean_variance", {"risk": 1.0}
    )
    assert row["note"] == "not run: the conic baseline needs cvxpy"
    assert math.isnan(row["time"])


def test_a_baseline_stores_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "optional", returns.optional)
    store = Store(tmp_path)
    store.prepare()
    task = baselines.Baseline(small.cells(small.experiment())[0])
    Work(store, small.poser().data)(task)
    rows = read_json(store.baseline(task.id))["rows"]
    assert [row["solver"].split()[0] for row in rows] == ["exact", "pairwise", "CVXPY"]
    assert {(row["experiment"], row["data"], row["setting"]) for row in rows} == {
        ("E2", "Industry-10", "λ=1")
    }
    assert all(np.isfinite(row["time"]) for row in rows[:2])
