"""The benchmark against other libraries: its problems are right, and on small ones all methods that
are installed reach the same minimum. What it times is not tested."""

import importlib.util
import itertools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from wolfnest_benchmarks.peers import methods as peers_methods
from wolfnest_benchmarks.peers import minima as peers_minima
from wolfnest_benchmarks.peers import others as peers_others
from wolfnest_benchmarks.peers import problems as peers_problems
from wolfnest_benchmarks.peers import table as peers_table

SMALL = {instance.name: instance for instance in peers_problems.instances(small=True)}
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
    best = peers_minima.minimum(instance)
    problem, _ = peers_others.conic_problem(instance)
    problem.solve(solver="CLARABEL")
    assert best.error <= peers_minima.CERTIFIED * best.range
    assert best.value == pytest.approx(problem.value, abs=1e-6 * best.range)
    assert best.relative(instance.value(instance.start())) == pytest.approx(1)


def test_a_search_notes_the_first_effort_for_each_gap_and_ends_with_the_last():
    instance = SMALL["variance"]
    best = peers_minima.Minimum(value=0.0, error=0.0, range=1.0)
    search = peers_table.Search(instance, best, seconds=1e9)
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
    efforts = list(peers_methods.efforts())
    assert efforts[:20] == list(range(1, 21))
    assert all(1 < b / a <= 1.06 for a, b in itertools.pairwise(efforts[18:]))


def rows(markdown):
    """Cells by method, for each table of the page."""
    tables = {}
    for part in markdown.split("### ")[1:]:
        title, *text = part.splitlines()
        lines = [line for line in text if line.startswith("|")][2:]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        tables[title.split(" (")[0]] = {label: found for label, *found in cells}
    return tables


PEERS = {
    "copt, Frank-Wolfe": "copt",
    "copt, pairwise": "copt",
    "copt, projected, accelerated": "copt",
    "jaxopt, projected": "jaxopt",
    "jaxopt, projected, steps 1/L": "jaxopt",
    "CVXPY, Clarabel": "clarabel",
    "CVXPY, SCS": "scs",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What the command writes for small problems."""
    file = tmp_path_factory.mktemp("peers") / "table.md"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "wolfnest_benchmarks.peers.gaps",
            "--quick",
            "--markdown",
            str(file),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return rows(file.read_text(encoding="utf-8"))


def test_the_page_has_all_problems_and_our_methods_reach_the_first_gap(page):
    assert len(page) == len(SMALL)
    for title, table in page.items():
        ours, *others = table
        assert ours.startswith("wolfnest, "), title
        assert tuple(others) == tuple(PEERS)
        assert table[ours][0].startswith("1 ("), (title, table[ours])


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_reaches_the_same_minima_or_the_page_says_why_it_was_not_run(page, peer):
    reasons = [table[peer][0] for table in page.values() if "because" in table[peer][0]]
    assert all(reason.startswith("–, because ") for reason in reasons)
    if importlib.util.find_spec(PEERS[peer]) is None:
        assert reasons == [f"–, because {PEERS[peer]} is not installed"] * len(page)
        pytest.skip(f"{PEERS[peer]} is not installed")
    run = [cells for table in page.values() for cells in [table[peer]] if "because" not in cells[0]]
    assert run
    for cells in run:
        # A time without a ratio stands where ours was cut off.
        assert all(cell.startswith(("**", "(", "not in")) for cell in cells), cells
