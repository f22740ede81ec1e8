"""Whole runs on exact gradients: rates, growing arrays, seeds, checkpoints, counts."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import exact_problems
import problems
import wolfnest as wn
from problems import same

# ---- linear convergence ----------------------------------------------------------------------

GOAL = 1e-8
# Steps within which the fast methods must reach 1e-8. Measured with adaptive steps: 112, 55 and 47
# in the simplex, 52, 34 and 48 in the Birkhoff polytope from a vertex; vanilla is at 2e-2 and 9e-2
# after 250.
LIMITS = {"face": 150, "birkhoff": 80, "assignment": 80}


@pytest.mark.parametrize("which", LIMITS)
def test_vertices_to_move_away_from_make_convergence_linear(which):
    problem, _ = exact_problems.ALL[which]()
    options = {"steps": LIMITS[which], "record_every": 5, "progress": False}
    slow = wn.solve(problem, wn.method("FW"), **options)
    assert slow.trace.frank_wolfe_gap.min() > 1e-2
    for name in ("AFW", "PFW", "BPFW"):
        fast = wn.solve(problem, wn.method(name), **options)
        gap = np.minimum.accumulate(fast.trace.frank_wolfe_gap)
        assert gap[-1] < GOAL, name
        # Straight line in the logarithm: both halves of the digits take as long.
        digits = -np.log10(gap[gap > 1e-12] / gap[0])
        steps = fast.trace.step[: len(digits)]
        assert np.corrcoef(steps, digits)[0, 1] > 0.95, name
        assert np.polyfit(steps, digits, 1)[0] > 8 / LIMITS[which], name


def test_a_tolerance_ends_a_run_close_to_where_it_is_met():
    problem, _ = exact_problems.ALL["face"]()
    solution = wn.solve(problem, wn.method("AFW"), tol=GOAL, progress=False)
    assert solution.status == "converged"
    assert solution.trace.frank_wolfe_gap[-1] <= GOAL < solution.trace.frank_wolfe_gap[-2]
    assert np.all(np.diff(solution.trace.step) == 10)


def test_no_step_size_gets_stuck_at_the_precision_of_numbers():
    """The adaptive rule goes on to where single precision ends, and stays there."""
    problem, _ = exact_problems.ALL["nested"]()
    table = jnp.asarray(problem.levels[0].data, jnp.float32)
    levels = [
        wn.Level(problems.mean_and_point, data=table),
        wn.Level(exact_problems.mean_and_risk, data=table[::2]),
    ]
    single = wn.Problem(levels, problem.domain, convex=True)
    solution = wn.solve(single, wn.method("PFW"), steps=300, progress=False)
    floats = {leaf.dtype for leaf in jax.tree.leaves(solution.state) if leaf.dtype != jnp.int32}
    assert floats == {jnp.dtype(jnp.float32)}
    gap = solution.trace.frank_wolfe_gap / solution.trace.frank_wolfe_gap[0]
    assert gap[len(gap) // 2 :].max() < 1e-5
    smoothness = float(solution.state.search)
    assert 1e-3 < smoothness < 1e3


@pytest.mark.parametrize("step", ["adaptive", "secant", "golden", "monotone", "agnostic"])
@pytest.mark.parametrize("name", ["AFW", "PFW", "BPFW"])
def test_at_the_best_vertex_nothing_moves(name, step):
    """The best vertex is also the worst one in use: it must not give its weight to itself."""
    level = wn.Level(lambda x: jnp.arange(1.0, 4.0) @ x)
    problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
    solution = wn.solve(problem, wn.method(name, step=step), np.eye(3)[0], steps=3, progress=False)
    assert solution.status == "finished"
    np.testing.assert_array_equal(solution.x, np.eye(3)[0])
    assert int(solution.state.active.count) == 1


@pytest.mark.parametrize("name", ["AFW", "PFW", "BPFW"])
def test_atoms_whose_weight_has_vanished_do_not_block_the_way(name):
    problem, objective = exact_problems.ALL["face"]()
    solver = wn.method(name, step="secant")
    (stage,) = solver.schedule.stages(1)
    state = solver.init(problem, np.eye(6)[0])
    # The worst vertex of all, with no weight, as rounding leaves it behind.
    worst = np.eye(6)[np.argmax(objective.gradient(np.eye(6)[0]) * (np.arange(6) > 0))]
    active = dataclasses.replace(
        state.active, atoms=state.active.atoms.at[1].set(worst), count=jnp.int32(2)
    )
    state = dataclasses.replace(state, active=active)
    step = jax.jit(solver.step)
    for _ in range(60):
        state, info = step(problem, state, None, stage)
    assert float(info.gap) < 1e-3
    atoms = np.asarray(state.active.atoms)[: int(state.active.count)]
    assert not (atoms == worst).all(axis=1).any()


# ---- growing arrays --------------------------------------------------------------------------

MANY = 90


def spread(x, a):
    return 0.5 * jnp.sum((x - a) ** 2)


def many_vertices():
    """The minimiser needs all vertices of the simplex."""
    rng = np.random.default_rng(1)
    data = rng.uniform(0.5, 1.5, size=(3, MANY)) / MANY
    return wn.Problem([wn.Level(spread, data=data)], wn.sets.Simplex(MANY), convex=True)


def used(state):
    """A state without the rows that are not in use, and what they hold."""
    active = state.active
    count = int(np.max(active.count))
    cut = dataclasses.replace(
        active, atoms=active.atoms[..., :count, :], weights=active.weights[..., :count]
    )
    return dataclasses.replace(state, active=cut), active.capacity


def grow(name, capacity, x0=None, **options):
    solver = wn.method(name, step="short", smoothness=1.0, capacity=capacity)
    problem = many_vertices()
    start = np.eye(MANY)[3] if x0 is None else x0
    options = {"steps": 110, "record_every": 5, "progress": False} | options
    return wn.solve(problem, solver, start, **options)


@pytest.mark.parametrize(("name", "capacity"), [("AFW", 16), ("BPFW", 64), ("LazyFW", 64)])
def test_arrays_that_grow_give_the_same_bits_as_large_ones(name, capacity):
    small, large = grow(name, capacity), grow(name, 256)
    (found, size), (expected, enough) = used(small.state), used(large.state)
    assert size == 128
    assert enough == 256
    assert int(found.active.count) > 64
    assert same((small.x, found), (large.x, expected))
    assert small.counts == large.counts
    assert same(problems.columns(small.trace), problems.columns(large.trace))


def test_growth_with_seeds_a_random_output_and_other_cuts_changes_nothing():
    one = grow("AFW", 64, seeds=2, output="random")
    other = grow("AFW", 128, seeds=2, output="random", record_every=55)
    assert used(one.state)[1] == used(other.state)[1] == 128
    assert same((one.x, used(one.state)[0]), (other.x, used(other.state)[0]))
    assert one.counts == other.counts
    plain = grow("AFW", 16)
    np.testing.assert_allclose(one.state.x[1], plain.x, atol=1e-12)


def test_a_checkpoint_of_a_grown_run_continues(tmp_path):
    place = lambda every: wn.Checkpoint(tmp_path, every=every)
    first = grow("AFW", 16, checkpoint=place(0), budget={"lmo": 60})
    assert first.status == "budget"
    assert used(first.state)[1] > 16
    again, whole = grow("AFW", 16, checkpoint=place(30)), grow("AFW", 16)
    assert again.counts == whole.counts
    assert same((again.x, used(again.state)[0]), (whole.x, used(whole.state)[0]))


def test_full_arrays_are_noticed_where_nothing_makes_them_grow():
    solver, problem = wn.method("AFW", capacity=16), many_vertices()
    (stage,) = solver.schedule.stages(1)
    state = solver.init(problem, np.eye(MANY)[3])
    move = lambda state, _: (solver.step(problem, state, None, stage)[0], state.active.count)
    last, counts = jax.jit(lambda s: jax.lax.scan(move, s, length=30))(state)
    assert int(counts.max()) > 16
    assert np.isnan(last.x).all()


# ---- what is counted -------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["adaptive", "secant", "golden", "monotone", "agnostic"])
def test_every_pass_of_a_rule_is_counted(step):
    """Rows are counted per pass, whatever the rule needs; budgets in samples are never exceeded."""
    problem, _ = exact_problems.ALL["nested"]()
    rows = problem.composition.rows
    solver = wn.method("FW", step=step)
    counts = wn.solve(problem, solver, steps=12, progress=False).counts
    passes, rest = divmod(counts.samples, rows)
    assert rest == 0
    assert counts.evaluations == counts.samples
    least = {"agnostic": 0, "monotone": 1, "adaptive": 1, "secant": 1, "golden": 20}[step]
    extra = passes - 13  # the start and twelve steps
    assert extra == 0 if step == "agnostic" else extra >= 12 * least
    short = wn.solve(problem, solver, budget={"samples": 40 * rows}, progress=False)
    assert short.counts.samples <= 40 * rows
    assert short.status == "budget"


def test_lazy_directions_call_the_oracle_less_often_and_get_as_far():
    problem, objective = exact_problems.ALL["birkhoff"]()
    options, best = {"steps": 60, "progress": False}, objective.value(exact_problems.FACE)
    for eager, lazy in (
        (wn.method("FW"), wn.method("LazyFW")),
        (wn.method("BPFW"), wn.method("BPFW", lazy=2.0)),
    ):
        one, other = (wn.solve(problem, solver, **options) for solver in (eager, lazy))
        assert one.counts.lmo == 60
        assert other.counts.lmo < 40
        assert other.trace.objective[-1] - best < 2 * (one.trace.objective[-1] - best) + 1e-12


# ---- transformations and refusals ------------------------------------------------------------


def test_steps_can_be_mapped_over():
    problem, _ = exact_problems.ALL["face"]()
    solver = wn.method("PFW", step="secant")
    (stage,) = solver.schedule.stages(1)
    starts = jnp.eye(6)[:3]

    def five(x):
        state = solver.init(problem, x)
        move = lambda s, _: (solver.step(problem, s, None, stage)[0], None)
        return jax.lax.scan(move, state, length=5)[0].x

    together = jax.jit(jax.vmap(five))(starts)
    alone = [wn.solve(problem, solver, x, steps=5, progress=False).x for x in starts]
    np.testing.assert_allclose(together, np.stack(alone), atol=1e-12)


def test_parts_that_do_not_go_together_say_so():
    problem, _ = exact_problems.ALL["squares"]()
    schedule = wn.schedules.Constant(1.0, 1.0, batch=4)
    sampled = wn.Solver(
        wn.estimators.Storm(), wn.LMO(), schedule, step_size=wn.stepsizes.Adaptive()
    )
    assert "Adaptive compares exact values, and the estimator is Storm" in sampled.supports(problem)
    sliding = wn.Solver(
        wn.estimators.Exact(),
        wn.directions.Sliding(1.0),
        schedule,
        step_size=wn.stepsizes.ShortStep(1.0),
    )
    assert "Sliding sets the lengths of its steps itself" in sliding.supports(problem)
    endless = problems.endless()
    assert "level 1 is endless, and exact passes need data" in wn.method("FW").supports(endless)
    shortened = wn.Solver(
        wn.estimators.Storm(), wn.LMO(), schedule, step_size=wn.stepsizes.ShortStep(9.0)
    )
    assert wn.solve(problem, shortened, steps=20, progress=False).status == "finished"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": "newton"}, "step must be one of 'adaptive', 'secant'"),
        ({"step": "short"}, 'smoothness is for step="short", and needed there'),
        ({"smoothness": 2.0}, "got smoothness=2.0 with step='adaptive'"),
        ({"step": "short", "smoothness": -1.0}, "smoothness must be a positive"),
        ({"capacity": 0}, "capacity must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        wn.method("AFW", **settings)
    with pytest.raises(ValueError, match="blocks must be a whole number of at least 1, got 0"):
        wn.method("BCFW", blocks=0)


def test_a_run_that_leaves_the_finite_numbers_says_which_level():
    level = wn.Level(lambda x, a: jnp.sum(jnp.log(x * a)), data=np.ones((2, 2)))
    problem = wn.Problem([level], wn.sets.Simplex(2))
    solver = wn.method("FW", step="agnostic")
    with pytest.raises(wn.DivergedError, match="level 1 is not finite"):
        wn.solve(problem, solver, steps=5, progress=False)
