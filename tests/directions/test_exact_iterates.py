"""Methods on exact gradients against plain NumPy, step by step."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import exact_problems
import problems
import reference
import reference_exact as ref
import wolfnest as wn
from wolfnest.directions import ActiveSet

STEPS = 20
LMOS, CUTS = (ref.simplex, ref.l1_ball), (0, 3, 7)

# method, settings, problem, reference step, reference rule. An exact line search between two
# vertices leaves both equally good, and rounding would choose: pairwise steps have other rules.
CASES = {
    "FW, agnostic": ("FW", {"step": "agnostic"}, "nested", ref.frank_wolfe_step, ref.agnostic),
    "FW, monotone": ("FW", {"step": "monotone"}, "face", ref.frank_wolfe_step, ref.monotone),
    "FW, adaptive": ("FW", {}, "squares", ref.frank_wolfe_step, ref.adaptive),
    "FW, golden": ("FW", {"step": "golden"}, "birkhoff", ref.frank_wolfe_step, ref.search),
    "AFW, adaptive": ("AFW", {}, "nested", ref.away_step, ref.adaptive),
    "AFW, short": ("AFW", {"step": "short", "smoothness": 1.5}, "squares", ref.away_step,
                   ref.short(1.5)),
    "AFW, agnostic": ("AFW", {"step": "agnostic"}, "birkhoff", ref.away_step, ref.agnostic),
    "PFW, short": ("PFW", {"step": "short", "smoothness": 17.0}, "birkhoff", ref.pairwise_step,
                   ref.short(17.0)),
    "PFW, adaptive": ("PFW", {}, "nested", ref.pairwise_step, ref.adaptive),
    "BPFW, adaptive": ("BPFW", {}, "face", ref.blended_step, ref.adaptive),
    "BPFW, short": ("BPFW", {"step": "short", "smoothness": 17.0}, "birkhoff", ref.blended_step,
                    ref.short(17.0)),
    "LazyFW, secant": ("LazyFW", {"step": "secant"}, "nested", ref.Lazy(2.0), ref.search),
    "LazyFW, short": ("LazyFW", {"step": "short", "smoothness": 9.0, "factor": 4.0}, "face",
                      ref.Lazy(4.0), ref.short(9.0)),
}  # fmt: skip


def run(problem, solver, x0=None, steps=STEPS, **options):
    """The flat points of a run after every step, and its solution."""
    points = []

    def look(row):
        if row["step"]:
            points.append(np.asarray(ravel_pytree(row["state"].x)[0]))

    solution = wn.solve(
        problem, solver, x0, steps=steps, record_every=1, callback=look, progress=False, **options
    )
    return np.array(points), solution


@pytest.mark.parametrize("name", CASES)
def test_iterates_are_those_of_the_papers(name):
    method, settings, which, step, rule = CASES[name]
    problem, objective = exact_problems.ALL[which]()
    start = np.asarray(problem.start())
    expected = ref.iterates(objective, start, step, rule, STEPS)
    found, solution = run(problem, wn.method(method, **settings))
    # Values tell a minimiser from its neighbours only up to the root of their precision.
    tolerance = 1e-6 if settings.get("step") == "golden" else 1e-9
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    if isinstance(step, ref.Lazy):
        assert solution.counts.lmo == step.calls < STEPS


@pytest.mark.parametrize(("which", "name"), [("nested", "simplex"), ("squares", "l1_ball")])
@pytest.mark.parametrize("memory", [1, 8])
def test_spectral_steps_are_those_of_the_paper(which, name, memory):
    problem, objective = exact_problems.ALL[which]()
    start, project = np.asarray(problem.start()), getattr(reference, name)().project
    expected = ref.spectral_iterates(objective, project, start, STEPS // 2, memory)
    found, _ = run(problem, wn.method("GrowSPG", memory=memory), steps=STEPS // 2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_spectral_steps_keep_their_rate_on_a_new_sample_and_forget_old_values():
    """The points of a stage are those of a run on its sample that starts with the last rate."""
    table = problems.returns(200)
    level = wn.Level(lambda x, r: jnp.exp(-(r @ x)), data=table)
    problem = wn.Problem([level], wn.sets.Simplex(problems.DIM), convex=True)
    states = []
    look = lambda record: states.append(record["state"])
    solver = wn.method("GrowSPG", first=20, growth=4.0, length=3)
    wn.solve(problem, solver, steps=12, record_every=1, progress=False, callback=look)
    stages = solver.schedule.stages(12, m=200)
    assert [(stage.steps, stage.sample) for stage in stages] == [(3, 20), (9, None)]
    before, after = states[3], states[4]
    assert float(after.active.rate) == float(before.active.rate) > 0
    x, g = before.x, problem.gradient(before.x)
    z = problem.domain.project(x - before.active.rate * g)
    gamma = np.linalg.norm(after.x - x) / np.linalg.norm(z - x)
    np.testing.assert_allclose(after.x, x + gamma * (z - x), atol=1e-12)
    assert int(np.isfinite(after.search).sum()) == 1  # one value: that of all data


def test_spectral_steps_do_not_depend_on_the_units_of_the_objective():
    problem, _ = exact_problems.ALL["nested"]()
    points = []
    for unit in (1.0, 1e6, 1e-6):
        scaled = wn.Level(lambda y, unit=unit: unit * y)
        levels = [*problem.levels, scaled]
        posed = wn.Problem(levels, problem.domain, convex=True)
        points.append(run(posed, wn.method("GrowSPG"), steps=10)[0])
    np.testing.assert_allclose(points[1], points[0], atol=1e-9)
    np.testing.assert_allclose(points[2], points[0], atol=1e-9)


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e20, 1e30])
def test_spectral_steps_need_no_squares_of_small_or_large_numbers_in_single_precision(scale):
    data = problems.returns(50, np.float32)
    level = wn.Level(lambda x, r: jnp.float32(scale) * (r @ x - 1) ** 2, data=data)
    problem = wn.Problem([level], wn.sets.Simplex(problems.DIM), convex=True)
    solution = wn.solve(problem, wn.method("GrowSPG"), steps=40, record_every=40, progress=False)
    assert solution.counts.lmo == 1
    gap = solution.trace.frank_wolfe_gap
    assert abs(gap[-1]) <= 1e-4 * gap[0]


def test_spectral_steps_stay_where_every_length_is_refused():
    level = wn.Level(lambda x: jnp.where(x[0] > 0.2 + 1e-9, jnp.nan, -x[0]))
    problem = wn.Problem([level], wn.sets.Simplex(5), convex=True)
    points, solution = run(problem, wn.method("GrowSPG"), steps=3)
    np.testing.assert_array_equal(points, np.full((3, 5), 0.2))
    assert solution.status == "finished"


@pytest.mark.parametrize("start", ["interior", "vertex"])
def test_blocks_take_turns(start):
    problem, objective = exact_problems.ALL["product"]()
    x0 = None if start == "interior" else {"a": jnp.eye(3)[2], "b": -jnp.eye(4)[1]}
    flat = ravel_pytree(problem.point(x0))[0]
    turn = iter(range(STEPS))
    step = lambda *a: ref.block_step(*a, next(turn), LMOS, CUTS)
    expected = ref.iterates(objective, np.asarray(flat), step, ref.search, STEPS)
    found, solution = run(problem, wn.method("BCFW", step="secant"), x0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert solution.counts.lmo == STEPS


def test_blocks_drawn_at_random_come_one_at_a_time_and_all_of_them():
    problem, _ = exact_problems.ALL["product"]()
    points, _ = run(problem, wn.method("BCFW", order="random", step="agnostic", blocks=2))
    before = np.vstack([ravel_pytree(problem.start())[0], points[:-1]])
    moved = np.array([[(d[:3] != 0).any(), (d[3:] != 0).any()] for d in points - before])
    assert (moved.sum(1) <= 1).all()
    assert (moved.sum(0) >= 4).all()


def test_only_the_oracle_of_the_block_in_turn_runs():
    calls = []

    def oracle(name, d):
        jax.debug.callback(lambda: calls.append(name))
        return -jnp.sign(d)

    box = lambda name: wn.sets.FromOracle(functools.partial(oracle, name), jnp.zeros(2))
    domain = wn.sets.Product((box("a"), box("b"), box("c")))
    problem = wn.Problem([wn.Level(lambda x: sum(jnp.sum((a - 0.3) ** 2) for a in x))], domain)
    solver = wn.method("BCFW", step="agnostic")
    state = solver.init(problem, problem.start())
    (stage,) = solver.schedule.stages(4)
    jax.effects_barrier()
    calls.clear()
    step = jax.jit(solver.step)
    for t in range(4):
        state, info = step(problem, state, None, stage.at(t))
        assert int(info.lmo) == 1
    jax.effects_barrier()
    assert calls == ["a", "b", "c", "a"]


def test_a_vertex_is_found_again_up_to_rounding():
    atoms = np.random.default_rng(0).standard_normal((3, 40))
    active = ActiveSet.of(jnp.asarray(atoms[0]), capacity=64)
    for atom in atoms[1:]:
        active = active.put(jnp.asarray(atom), active.find(jnp.asarray(atom)), jnp.ones(()))
    for row, atom in enumerate(atoms):
        assert int(active.find(atom * (1 + 1e-15))) == row
        assert int(active.find(atom + 1e-12)) == 3
    assert int(active.find(jnp.full(40, jnp.nan))) == 3


def test_vertices_of_a_linear_program_are_kept_once():
    """The capped simplex by HiGHS: the same run, and no vertex twice."""
    cap, target = 0.3, np.array([0.5, 0.4, 0.1, 0.05, -0.1, 0.02])
    level = wn.Level(lambda x: jnp.sum((x - jnp.asarray(target)) ** 2))
    by_lp = wn.sets.Polytope(C=[np.ones(6)], d=[1.0], lower=0.0, upper=cap)
    for domain in (by_lp, wn.sets.CappedSimplex(6, cap)):
        problem = wn.Problem([level], domain, convex=True)
        _, solution = run(problem, wn.method("BPFW"), domain.lmo(jnp.ones(6)), steps=40)
        atoms = np.asarray(solution.state.active.atoms)[: int(solution.state.active.count)]
        assert len(np.unique(np.round(atoms, 9), axis=0)) == len(atoms)
        expected = wn.sets.CappedSimplex(6, cap).project(target)
        np.testing.assert_allclose(solution.x, expected, atol=1e-6)


def test_weights_add_up_and_rebuild_the_point():
    problem, _ = exact_problems.ALL["birkhoff"]()
    _, solution = run(problem, wn.method("PFW", step="secant"))
    active = solution.state.active
    count = int(active.count)
    weights = np.asarray(active.weights)
    assert (weights[:count] > 0).all()
    assert (weights[count:] == 0).all()
    assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    atoms = np.asarray(active.atoms[:count])
    np.testing.assert_allclose(weights[:count] @ atoms, solution.x, atol=1e-15)
    assert len(np.unique(atoms, axis=0)) == count
    assert all((atom == exact_problems.BIRKHOFF).all(1).any() for atom in atoms)
