"""Every row of the benchmark runs and reports what it should. What it times is not tested."""

import collections
import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from rich.console import Console

import wolfnest as wn
import wolfnest_benchmarks as bench
from wolfnest.solution import Trace
from wolfnest_benchmarks import apart, rendering
from wolfnest_benchmarks.prepared import Prepared
from wolfnest_benchmarks.results import Spread, Table
from wolfnest_benchmarks.rows import against_arpack, against_loops, against_projections, scaling
from wolfnest_benchmarks.timing import interleaved

QUICK = bench.Options(quick=True)


def measured(name):
    """The tables of a row in its quick form, by their first words."""
    return bench.rows.find(name).measure(QUICK)


def test_rows_have_numbers_names_and_goals_of_their_own():
    rows = bench.rows.every()
    assert {row.number for row in rows} == set(range(1, 12))
    for field in ("number", "name", "title", "goal"):
        assert len({getattr(row, field) for row in rows}) == len(rows)
    with pytest.raises(ValueError, match=r"no row '77'.*1 \(iteration\)"):
        bench.rows.find("77")


def test_iteration_has_a_ratio_for_every_loop_that_is_installed():
    single, many = measured("iteration")
    assert len(single.cells) == len(many.cells) == len(against_loops.FEW)
    assert len(against_loops.PAIRS) == 8
    missing = {reason.split(":")[0] for reason in single.skipped}
    for column in single.columns[3:]:
        found = single.column(column)
        if column.split(" ")[0] in missing:
            assert set(found) == {None}
        else:
            assert all(cell.median > 0 for cell in found)
    assert "NumPy" not in missing


def test_scaling_fits_exponents_and_draws_a_plot(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(scaling, "SWEEPS", {name: scaling.SWEEPS[name] for name in ("K", "N")})
    whole, every = scaling.measure(bench.Options(quick=True, figures=tmp_path))
    assert whole.column("size") == ["K", "N"]
    assert len(every.cells) == 4
    assert not whole.skipped
    assert (tmp_path / "scaling.png").stat().st_size > 1000


def test_exponents_are_slopes_of_the_upper_half():
    sizes = (1, 10, 100, 1_000, 10_000, 100_000)
    assert scaling.slope(sizes, [9, 9, 9, 1, 10, 100]) == pytest.approx(1)
    assert scaling.slope(sizes, [5.0] * 6) == pytest.approx(0)


def test_latency_compiles_again_for_other_sizes_only():
    cold, again = measured("latency")
    assert cold.column("process") == ["no cache", "cache, first ever run", "cache, later runs"]
    counts = dict(zip(again.column(again.columns[0]), again.column("compilations"), strict=True))
    assert counts["nothing: the first solve"] > 0
    for change in ("key", "η and α", "λ of the problem", "returns of the same shape"):
        assert counts[change] == 0, change
    assert counts["number of steps"] == 0
    assert counts["batch (a size)"] > 0


def test_the_singular_row_states_errors_and_products():
    cold, warm = measured("singular")
    assert len(cold.cells) == 4
    assert max(cold.column("our error")) <= against_arpack.TOL * 10
    assert max(warm.column("worst error")) <= against_arpack.TOL * 10
    assert min(cold.column("our products")) >= 8


def test_products_are_those_of_the_adaptive_stopping():
    a = np.diag([3.0, 2.0, 1.0] + [0.5] * 37)
    top = jax.numpy.eye(40)[0]
    assert against_arpack.products(jax.numpy.asarray(a), top) == (18, 2)
    hard = against_arpack.matrix("no gap", 40)
    assert against_arpack.products(jax.numpy.asarray(hard), top)[0] > 18


def test_the_gap_of_the_gap_matrix_is_a_factor_of_about_two():
    values = np.linalg.svd(against_arpack.matrix("gap", 100), compute_uv=False)
    assert 1.7 < values[0] / values[1] < 2.8
    values = np.linalg.svd(against_arpack.matrix("no gap", 100), compute_uv=False)
    assert values[0] / values[1] < 1.2


def test_the_matrix_row_times_every_method():
    (table,) = measured("matrix")
    assert table.column("method") == list(against_projections.RUNS)
    assert all(cell.median > 0 for cell in table.column("ms per step"))


def test_seconds_until_a_share_are_steps_times_their_cost():
    trace = Trace({"step": np.array([0, 5, 10]), "gradient_mapping": np.array([4.0, 3.0, 1.0])})
    never = Trace({"step": np.array([0, 5, 10]), "gradient_mapping": np.array([4.0, 5.0, 6.0])})
    run, lost = SimpleNamespace(trace=trace), SimpleNamespace(trace=never)
    assert against_projections.seconds([run], 0.25, 0.5) == 5.0  # type: ignore[list-item]
    assert against_projections.seconds([run, lost, run], 0.8, 0.5) == 2.5  # type: ignore[list-item]
    assert against_projections.seconds([lost, run, lost], 0.8, 0.5) == np.inf  # type: ignore[list-item]
    assert against_projections.seconds([run], 0.1, 0.5) == np.inf  # type: ignore[list-item]


def test_the_device_row_runs_on_any_device():
    floors, seeds = measured("device")
    assert len(floors.cells) == 2
    assert all(cell > 0 for cell in floors.column("floor, µs"))
    assert seeds.column("method") == ["PMFS-v1"]


def test_the_methods_row_has_every_sampled_method_and_its_costs():
    two, one = measured("methods")
    sampled = [name for name in wn.methods.names() if "batch" in wn.methods.settings(name)]
    assert set(two.column("method")) | set(one.column("method")) == set(sampled)
    costs = dict(zip(two.column("method"), two.cells, strict=True))
    assert tuple(costs["PMVR-v1"][3:6]) == (16, 32, 1)
    assert costs["PMVR-v2"][5] == 10
    assert costs["SMVR"][5] == 0
    assert costs["SMVR"][6] > costs["PMVR-v1"][6]  # Jacobians


def test_a_prepared_run_is_the_run_of_solve():
    problem = wn.problems.mean_variance(wn.datasets.factor_model(90, 4))
    for name in ("PMVR-v1", "SwPMFS-v1"):
        solver = wn.method(name, batch=4)
        run = Prepared(problem, solver, 30, key=jax.random.key(5))
        other = wn.solve(problem, solver, steps=run.steps, key=5, progress=False)
        np.testing.assert_array_equal(run().x, other.x)
        assert run.calls == other.counts.lmo


def test_the_points_of_a_grid_are_runs_of_their_own():
    problem = wn.problems.mean_variance(wn.datasets.factor_model(90, 4))
    run = Prepared(problem, wn.method("PMVR-v1", batch=4), 25, key=jax.random.key(5))
    found = against_loops.Grid(run, (0.01, 0.1), (0.05, 0.5))()
    pairs = [(0.01, 0.05), (0.01, 0.5), (0.1, 0.05), (0.1, 0.5)]
    for x, (eta, alpha) in zip(found, pairs, strict=True):
        solver = wn.method("PMVR-v1", eta=eta, alpha=alpha, batch=4)
        alone = wn.solve(problem, solver, steps=25, key=5, progress=False)
        np.testing.assert_allclose(x, alone.x, rtol=0, atol=1e-12)


def test_rounds_are_interleaved():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "abc"}
    times = interleaved(calls, bench.Options(rounds=3), 9, seconds=0)
    assert [len(found) for found in times.values()] == [3, 3, 3]
    assert order[-9:] == list("abc") * 3


def test_a_table_as_markdown_says_what_was_skipped():
    table = Table("T", ("a", "b"), [("x", Spread(1.5, 0.25)), ("y", None)], "note", ("c: why",))
    page = rendering.markdown(table)
    assert "| x | 1.5 ± 0.25 |" in page
    assert "| y | – |" in page
    assert "Skipped: c: why." in page
    with pytest.raises(ValueError, match="must have 2 cells"):
        Table("T", ("a", "b"), [("x",)])


@pytest.mark.parametrize(
    ("spread", "shown"),
    [
        (Spread(12345.6, 7.8), "12,346 ± 8"),
        (Spread(7.512, 0.034), "7.51 ± 0.03"),
        (Spread(0.0125, 0.001), "0.0125 ± 0.001"),
        (Spread(1e-11, 0.0), "1e-11"),
        (Spread(0.0, 0.0), "0 ± 0"),
    ],
)
def test_spreads_are_readable(spread, shown):
    assert str(spread) == shown


def test_a_row_has_options_of_its_own():
    row = bench.rows.find("portfolios")
    found = row.own_options(["--industries", "10", "12", "--rows", "50", "--data", "a"])
    assert found["industries"] == [10, 12]
    assert (found["rows"], found["data"]) == (50, Path("a"))
    assert found["cap"] == 0.25
    assert bench.rows.find("iteration").own_options([]) == {}
    for words in (["--limit", "3"], ["--measures", "hope"]):
        with pytest.raises(SystemExit):
            row.own_options(words)
    with pytest.raises(ValueError, match="--cap is an option of one row"):
        bench.run(bench.rows.every(), QUICK, own=["--cap", "1"], console=Console(quiet=True))


def test_work_apart_has_an_answer_and_its_memory_or_says_why_not():
    done = apart.work(math.sqrt, 4.0)
    assert done.answer == 2.0
    assert done.memory > 2**20
    assert apart.work(math.sqrt, -1.0, quiet=True).status.startswith("ValueError: ")
    endless = apart.work(collections.deque, itertools.count(), 0, limit=1, quiet=True)
    assert endless == (None, None, "over 1 s")


def test_the_command_writes_json_and_markdown(tmp_path):
    out, page = tmp_path / "bench.json", tmp_path / "bench.md"
    page.write_text("before\n")
    command = [sys.executable, "-m", "wolfnest", "bench", "matrix", "--quick"]
    done = subprocess.run(
        [*command, "--out", str(out), "--markdown", str(page)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads(out.read_text(encoding="utf-8"))
    assert result["row"] == 5
    assert result["peak_bytes"] > 2**20
    assert {"jax", "numpy", "cpu", "device", "date"} <= set(result["machine"])
    assert page.read_text(encoding="utf-8").startswith("before\n## Row 5")
    assert "PMVR-v2" in done.stdout


def test_a_wrong_row_or_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"--out: there is no folder .*nowhere"):
        bench.run([], QUICK, out=tmp_path / "nowhere" / "a.json", console=Console(quiet=True))
