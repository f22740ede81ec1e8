"""The benchmark against other libraries: its problems are right, and on small ones all methods that
are installed reach the same minimum. What it times is not tested."""

import importlib.util
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest_benchmarks as bench
from wolfnest_benchmarks import apart
from wolfnest_benchmarks.peers.certified_minimum import CERTIFIED, CertifiedMinimum
from wolfnest_benchmarks.peers.clarabel_scs_highs import program
from wolfnest_benchmarks.peers.compared_method import efforts
from wolfnest_benchmarks.peers.convex_problems import instances
from wolfnest_benchmarks.rows import many_scenarios, time_to_gap

SMALL = {instance.name: instance for instance in instances(small=True)}
every_problem = pytest.mark.parametrize("name", SMALL)


def a_point(instance, seed=0):
    """Somewhere in the set."""
    noise = np.random.default_rng(seed).standard_normal(instance.start().shape)
    return np.asarray(instance.domain.project(jnp.asarray(noise)))


@every_problem
def test_numpy_and_jax_agree_on_an_objective_and_its_gradient(name):
    instance = SMALL[name]
    x = a_point(instance)
    data = tuple(map(jnp.asarray, instance.data))
    loss = lambda point: instance.loss(*data, point)
    value, gradient = instance.value_and_gradient(x)
    np.testing.assert_allclose(value, loss(x), rtol=1e-12)
    np.testing.assert_allclose(gradient, jax.grad(loss)(x), rtol=1e-9, atol=1e-13)
    problem = instance.problem()
    assert problem.dtype == np.float64
    np.testing.assert_allclose(problem.value(x), value, rtol=1e-12)


@every_problem
def test_the_lowest_product_is_that_of_the_oracle(name):
    instance = SMALL[name]
    direction = np.random.default_rng(1).standard_normal(instance.start().shape)
    vertex = np.asarray(instance.domain.lmo(jnp.asarray(direction)))
    assert instance.lowest(direction) == pytest.approx(np.vdot(direction, vertex), rel=1e-9)


@every_problem
def test_no_curvature_exceeds_the_smoothness(name):
    instance = SMALL[name]
    one, two = a_point(instance, 1), a_point(instance, 2)
    change = instance.value_and_gradient(one)[1] - instance.value_and_gradient(two)[1]
    moved = np.linalg.norm(one - two)
    assert np.linalg.norm(change) <= instance.smoothness * moved * (1 + 1e-9)


@every_problem
def test_a_minimum_is_that_of_a_conic_solver(name):
    pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    pytest.importorskip("clarabel", reason="clarabel is not installed")
    instance = SMALL[name]
    best = CertifiedMinimum.of(instance)
    problem, _ = program(instance)
    problem.solve(solver="CLARABEL")
    assert best.error <= CERTIFIED * best.range
    assert best.value == pytest.approx(problem.value, abs=1e-6 * best.range)
    assert best.relative(instance.value(instance.start())) == pytest.approx(1)


def test_a_search_notes_the_first_effort_for_each_gap_and_ends_with_the_last():
    instance = SMALL["variance"]
    best = CertifiedMinimum(value=0.0, error=0.0, range=1.0)
    search = time_to_gap.Search(time_to_gap.Ours(instance), instance, best, seconds=1e9)
    values = iter([0.5, 9e-3, 2e-2, 8e-3, 1e-5, 1e-7])
    search.instance = _Valued(instance.domain, values)
    going = [search(effort, instance.start()) for effort in range(1, 7)]
    assert going == [True] * 5 + [False]
    assert search.efforts == {1e-2: 2, 1e-4: 5, 1e-6: 6}


class _Valued:
    def __init__(self, domain, values):
        self.domain, self.values = domain, values

    def value(self, x):
        return next(self.values)


def test_efforts_grow_slowly_and_end():
    found = list(efforts())
    assert found[:20] == list(range(1, 21))
    assert all(1 < b / a <= 1.06 for a, b in itertools.pairwise(found[18:]))


PEERS = {
    label: package
    for label, (package, _) in time_to_gap.ENTRIES.items()
    if label != time_to_gap.OURS
}


@pytest.fixture(scope="module")
def tables():
    """The tables of the row for small problems."""
    return bench.rows.find("gaps").measure(bench.Options(quick=True), limit=10.0)


def test_there_are_all_problems_and_our_methods_reach_the_first_gap(tables):
    assert len(tables) == len(SMALL)
    for table in tables:
        methods = table.column("method")
        assert methods[0].startswith("wolfnest, "), table.title
        assert table.column("ratio to 1e-02")[0] == 1
        skipped = {reason.split(":")[0] for reason in table.skipped}
        assert {*methods[1:], *skipped} == set(PEERS)


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_reaches_the_same_minima_or_the_table_says_why_it_was_not_run(tables, peer):
    if importlib.util.find_spec(PEERS[peer]) is None:
        reason = f"{peer}: {PEERS[peer]} is not installed"
        assert all(reason in table.skipped for table in tables)
        pytest.skip(reason)
    found = [line for table in tables for line in table.cells if line[0] == peer]
    assert found
    for line in found:
        *gaps, least = line[1:]
        times = gaps[1::3]
        # Where there is no time, the last column says how far it got.
        assert (None in times) == (least is not None), line


def test_portfolios_agree_with_those_of_peers():
    pytest.importorskip("clarabel", reason="clarabel is not installed")
    row = bench.rows.find("portfolios")
    (table,) = row.measure(bench.Options(quick=True), measures=("variance", "evar"))
    assert table.column("measure") == ["variance", "evar"]
    assert all(abs(away) < 1e-4 for away in table.column("ours - CVXPY"))
    if not table.skipped:
        assert all(abs(away) < 1e-4 for away in table.column("skfolio - CVXPY"))


def test_scenarios_are_a_line_for_us_and_one_for_every_solver(monkeypatch):
    pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    monkeypatch.setattr(many_scenarios, "CASES", many_scenarios.CASES[-1:])
    monkeypatch.setattr(many_scenarios, "work", lambda function, *given, **_: done(function, given))
    tables = bench.rows.find("scenarios").measure(bench.Options(quick=True))
    assert [table.title for table in tables] == [f"{n} scenarios" for n in (100, 200, 300)]
    for table in tables:
        ours, *others = table.column("objective")
        assert table.column("solver")[1:] == ["HIGHS", "CLARABEL", "SCS"]
        assert others == pytest.approx([ours] * 3, rel=1e-3)


def done(function, given):
    """Work in this process."""
    return apart.Done(function(*given), apart.peak_bytes())
