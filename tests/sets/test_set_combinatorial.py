"""Sets whose oracle is a combinatorial algorithm or a linear program, against SciPy."""

from __future__ import annotations

import itertools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from wolfnest.sets import BipartiteMatching, Birkhoff, FlowPolytope, SpanningTree, Transport
from wolfnest.sets.assignment import COMPILED
from wolfnest.sets.tools.host import as_words, from_words, on_host

jax.config.update("jax_enable_x64", True)

CALLS = []

lmo = jax.jit(lambda domain, d: domain.lmo(d))
contains = jax.jit(lambda domain, x: domain.contains(x))


def counted(d, shift):
    CALLS.append(d)
    if shift < 0:
        raise OSError("no licence")
    return np.eye(d.size)[np.argmin(d)] + shift


@jax.jit
def call(d, shift):
    return on_host(counted, d, shift)


def test_a_host_oracle_gets_scaled_finite_numbers_and_no_nan():
    CALLS.clear()
    assert np.all(np.isnan(call(jnp.array([1.0, jnp.nan, 2.0]), 0.0)))
    assert not CALLS
    call(jnp.array([1e300, -2e300, 0.0]), 0.0)
    np.testing.assert_allclose(CALLS.pop(), [0.5, -1, 0])
    call(jnp.array([1e300, -jnp.inf, jnp.inf]), 0.0)
    np.testing.assert_array_equal(CALLS.pop(), [0, -1, 1])


def test_a_host_oracle_can_be_batched_over_everything():
    d = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = jax.vmap(jax.vmap(call, (None, 0)), (0, None))(d, np.array([0.0, 10.0]))
    np.testing.assert_array_equal(found, [[[0, 1], [10, 11]], [[1, 0], [11, 10]]])


def test_an_error_on_the_host_says_where():
    # JAX chooses the type of what it raises, by whether it waited for the result.
    with pytest.raises((RuntimeError, ValueError), match="counted failed on the host: no licence"):
        jax.block_until_ready(call(jnp.ones(2), -1.0))


def test_words_keep_double_precision_in_a_single_precision_program():
    exact = np.array([0.1, -1e300, np.inf])
    with jax.enable_x64(False):
        words = jax.jit(lambda w: w)(as_words(exact))
    np.testing.assert_array_equal(from_words(words), exact)


@pytest.mark.parametrize("n", [COMPILED, COMPILED + 1])
def test_both_ways_to_an_assignment(n):
    rows = np.random.default_rng(n).standard_normal((2, n, n))
    found = jax.jit(jax.vmap(Birkhoff(n).lmo))(rows)
    for d, s in zip(rows, found, strict=True):
        assert np.sum(s * d) == pytest.approx(d[linear_sum_assignment(d)].sum(), rel=1e-12)
        assert set(np.unique(s)) == {0.0, 1.0}


def test_assignments_without_optax(monkeypatch):
    monkeypatch.setitem(sys.modules, "optax.assignment", None)
    np.testing.assert_array_equal(jax.jit(lambda d: Birkhoff(3).lmo(d))(-jnp.eye(3)), np.eye(3))


def sums(n, m):
    """The matrix that takes a plan to its row and column sums."""
    return np.concatenate(
        [np.kron(np.eye(n), np.ones((1, m))), np.kron(np.ones((1, n)), np.eye(m))]
    )


def test_a_matching_takes_what_pays():
    d = np.random.default_rng(6).standard_normal((6, 8))
    pairs = BipartiteMatching(6, 8)
    s = lmo(pairs, d)
    best = linprog(d.ravel(), A_ub=sums(6, 8), b_ub=np.ones(14), method="highs-ipm").fun
    assert np.sum(s * d) == pytest.approx(best, rel=1e-9)
    assert np.all(d[np.asarray(s) > 0] < 0)
    np.testing.assert_array_equal(lmo(pairs, np.abs(d)), np.zeros((6, 8)))


def test_transport_plans_are_vertices():
    rng = np.random.default_rng(7)
    r, c = 5 * rng.dirichlet(np.ones(10)), 5 * rng.dirichlet(np.ones(15))
    d = rng.standard_normal((10, 15))
    for dtype, rel in ((np.float64, 1e-9), (np.float32, 1e-5)):
        plans = Transport(r.astype(dtype), c.astype(dtype))
        s = np.asarray(lmo(plans, d.astype(dtype)), float)
        best = linprog(d.ravel(), A_eq=sums(10, 15), b_eq=np.concatenate([r, c])).fun
        assert np.sum(s * d) == pytest.approx(best, rel=rel)
        assert np.sum(s > 0) == 24
        assert contains(plans, s)
    square = Transport(np.ones(4), np.ones(4))
    assert float(square.diameter) == pytest.approx(float(Birkhoff(4).diameter))


def test_rounded_totals_still_have_a_plan():
    """In single precision ten times 0.1 is more than 1, and the last column can take no less."""
    with jax.enable_x64(False):
        s = lmo(Transport([1.0], [0.1] * 10 + [0.0]), jnp.ones((1, 11)))
    np.testing.assert_allclose(s, [[0.1] * 10 + [0.0]], rtol=1e-6)


def test_marginals_may_be_traced_and_may_have_zeros():
    @jax.jit
    def plan(scale):
        return Transport(scale * jnp.array([1.0, 0.0]), scale * jnp.array([0.25, 0.75])).start()

    np.testing.assert_allclose(plan(2.0), [[0.5, 1.5], [0, 0]])
    s = Transport([1.0, 0.0], [0.25, 0.75]).lmo(jnp.zeros((2, 2)))
    np.testing.assert_allclose(s, [[0.25, 0.75], [0, 0]])


def grid(n):
    """Edges of a grid that lead right and down."""
    cells = itertools.product(range(n), repeat=2)
    right = [(n * i + j, n * i + j + 1) for i, j in cells if j < n - 1]
    cells = itertools.product(range(n), repeat=2)
    return [*right, *((n * i + j, n * i + j + n) for i, j in cells if i < n - 1)]


def test_shortest_paths_in_a_grid_with_negative_lengths():
    edges = grid(7)
    incidence = np.zeros((49, len(edges)))
    for e, (tail, head) in enumerate(edges):
        incidence[tail, e], incidence[head, e] = -1, 1
    gain = np.zeros(49)
    gain[0], gain[-1] = -1, 1
    flows = FlowPolytope(edges, 0, 48)
    for d in np.random.default_rng(8).standard_normal((3, len(edges))):
        best = linprog(d, A_eq=incidence, b_eq=gain).fun
        s = np.asarray(lmo(flows, d))
        assert s @ d == pytest.approx(best, rel=1e-9)
        assert set(np.unique(s)) == {0.0, 1.0}
        assert s.sum() == 12
    assert float(flows.diameter) == pytest.approx(24**0.5)


def test_paths_take_the_first_edge_on_ties():
    flows = FlowPolytope([(0, 1), (0, 1), (0, 2), (1, 3), (2, 3)], 0, 3)
    np.testing.assert_array_equal(lmo(flows, jnp.zeros(5)), [1, 0, 0, 1, 0])
    np.testing.assert_allclose(flows.start(), [1 / 3, 1 / 3, 1 / 3, 2 / 3, 1 / 3])


def test_spanning_trees_with_zero_equal_and_negative_weights():
    rng = np.random.default_rng(9)
    n = 40
    edges = np.concatenate([rng.integers(0, n, (200, 2)), [(i, i + 1) for i in range(n - 1)]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    trees = SpanningTree(n, edges)
    for d in (rng.integers(-2, 3, len(edges)) * 1.0, rng.standard_normal(len(edges))):
        s = np.asarray(lmo(trees, d))
        # Kruskal, by hand.
        part = np.arange(n)
        best = 0.0
        for e in np.argsort(d, kind="stable"):
            one, other = part[edges[e]]
            if one != other:
                part[part == other] = one
                best += d[e]
        assert s @ d == pytest.approx(best)
        assert s.sum() == n - 1
        assert contains(trees, s)
    assert contains(trees, trees.start())


def test_membership_of_the_spanning_tree_polytope_looks_at_every_subset():
    edges = list(itertools.combinations(range(5), 2))
    trees = SpanningTree(5, edges)
    within = [
        (np.array([tail in nodes and head in nodes for tail, head in edges]), k - 1)
        for k in range(2, 5)
        for nodes in itertools.combinations(range(5), k)
    ]
    rng = np.random.default_rng(10)
    answers = []
    for _ in range(60):
        x = np.minimum(4 * rng.dirichlet(np.full(10, 1.0)), 1)
        x *= 4 / x.sum()
        excess = max(x[inside].sum() - most for inside, most in within)
        if abs(excess) > 1e-3:
            answers.append(bool(contains(trees, x)))
            assert answers[-1] == (excess < 0)
    assert 10 < sum(answers) < len(answers) - 10


def test_the_mean_of_all_spanning_trees():
    trees = SpanningTree(3, [(0, 1), (0, 1), (1, 2), (2, 0)])  # of 5 trees, 2 have the first edge
    np.testing.assert_allclose(trees.start(), [2 / 5, 2 / 5, 3 / 5, 3 / 5])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Birkhoff(0), "dim must be a whole number of at least 1, got 0"),
        (lambda: Birkhoff(3, -1.0), "radius must be a positive"),
        (lambda: BipartiteMatching(2, 0), "right must be a whole number"),
        (lambda: BipartiteMatching(2.5, 1), "left must be a whole number"),
        (lambda: Transport([1.0, 2.0], [2.0, 2.0]), "equal totals, got 3.0 in rows and 4.0 in col"),
        (
            lambda: Transport([1.0, -2.0], [1.0]),
            r"rows must be non-negative, got -2.0 at index \(1",
        ),
        (lambda: Transport([0.0], [0.0]), "rows must have a positive total, got 0.0"),
        (lambda: Transport([[1.0]], [1.0]), "rows must be a vector"),
        (
            lambda: FlowPolytope([(0, 1), (1, 2), (2, 1)], 0, 2),
            r"no directed cycle .* nodes \[1, 2",
        ),
        (lambda: FlowPolytope([(0, 1), (2, 1)], 0, 2), "sink 2 must be reached from source 0"),
        (lambda: FlowPolytope([(0, 1)], 1, 1), "source and sink must be two nodes, got 1 for both"),
        (lambda: FlowPolytope([(0, 1)], 0, 5), "sink must be a node of edges, got 5"),
        (lambda: FlowPolytope([(0, 1), (2, 2)], 0, 1), r"join two nodes each, got \(2, 2\) at 1"),
        (lambda: FlowPolytope([(0, 1, 2)], 0, 1), "edges must be a list of pairs"),
        (lambda: FlowPolytope([(0, 1), (2,)], 0, 1), "edges must be a list of pairs"),
        (lambda: FlowPolytope([(0.5, 1)], 0, 1), "edges must be a list of pairs of whole numbers"),
        (lambda: SpanningTree(1, [(0, 1)]), "n_nodes must be a whole number of at least 2"),
        (lambda: SpanningTree(2, [(0, 2)]), r"nodes from 0 to n_nodes - 1 = 1, got .* 0 to 2"),
        (lambda: SpanningTree(4, [(0, 1), (2, 3)]), "got no path from node 0 to node 2"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
