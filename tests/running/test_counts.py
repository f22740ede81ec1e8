"""Oracle counts: the formulas, and the formulas against evaluations seen from inside the levels.

`samples` are samples drawn and used at a level; `evaluations` are (sample, point) pairs at which a
level is evaluated: one point per sample for momentum, two for STORM, three for a snapshot method
(two on the steps that take a snapshot, where the current point is the snapshot). An exact pass
over a finite sum of m terms is m of both. Levels without samples count nothing.
"""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn

jax.config.update("jax_enable_x64", True)

DIM, LENGTHS = 3, (7, 10)


class Witness:
    """Collects every (level, sample, point) at which a level is evaluated."""

    def __init__(self):
        self.seen = set()

    def report(self, level, sample, *leaves):
        point = b"".join(np.asarray(leaf).tobytes() for leaf in leaves)
        self.seen.add((level, float(sample), point))

    def take(self):
        """(distinct samples, distinct evaluations) since the last call."""
        jax.effects_barrier()
        seen, self.seen = self.seen, set()
        return len({(level, sample) for level, sample, _ in seen}), len(seen)


def portfolio(witness=None, sampler=False, lengths=LENGTHS):
    """Mean-deviation: two sampled levels and one without samples. A sample is (name, returns)."""

    def told(level, fn):
        def evaluate(y, xi):
            name, r = xi
            if witness is not None:
                leaves = jax.tree.leaves(y)
                jax.debug.callback(lambda s, *p: witness.report(level, s, *p), name, *leaves)
            return fn(y, r)

        return evaluate

    first = told(1, lambda x, r: (r @ x, jnp.tanh(x)))
    second = told(2, lambda y, r: (y[0], (r @ y[1] - y[0]) ** 2))

    def last(z):
        return -z[0] + jnp.sqrt(z[1] ** 2 + 0.1)

    def draw(key, n):
        names, returns = jax.random.split(key)
        return jax.random.uniform(names, (n,)), jax.random.normal(returns, (n, DIM))

    if sampler:
        levels = [wn.Level(first, sample=draw), wn.Level(second, sample=draw), wn.Level(last)]
    else:
        rng = np.random.default_rng(0)
        one, two = ((np.arange(float(m)), rng.normal(size=(m, DIM))) for m in lengths)
        levels = [wn.Level(first, data=one), wn.Level(second, data=two), wn.Level(last)]
    return wn.Problem(levels, wn.sets.Simplex(DIM))


def fresh_batch(rng, n, used):
    """n new draws per level: their names occur neither in the data nor in an earlier batch."""
    names = 1000.0 + used + np.arange(2.0 * n).reshape(2, n)
    return (names[0], rng.normal(size=(n, DIM))), (names[1], rng.normal(size=(n, DIM))), None


def run(problem, solver, steps):
    counts = wn.solve(problem, solver, steps=steps, seeds=None, progress=False).counts
    assert all(type(n) is int for n in (counts.samples, counts.evaluations, counts.lmo))
    return counts


def snapshots(steps, period):
    """How many of the iterations t = 2 … steps + 1 take a snapshot."""
    return sum(t % period == 0 for t in range(2, steps + 2))


# Formulas.


@pytest.mark.parametrize(
    ("name", "points", "sampler", "gradient_batch"),
    [("PMM", 1, True, "shared"), ("PMM", 1, False, "separate"), ("PMVR", 2, True, "separate")],
)
def test_momentum_and_storm(name, points, sampler, gradient_batch):
    steps, batch, first = 9, 4, 6
    solver = wn.method(
        f"{name}-v1", eta=0.1, alpha=0.2, batch=batch, initial_batch=first,
        gradient_batch=gradient_batch,
    )  # fmt: skip
    counts = run(portfolio(sampler=sampler), solver, steps)
    draws = 2 if gradient_batch == "separate" else 1  # per level and iteration
    assert counts.samples == 2 * draws * (first + steps * batch)
    assert counts.evaluations == 2 * draws * (first + steps * batch * points)
    assert counts.lmo == steps


@pytest.mark.parametrize(
    ("period", "gradient_batch"),
    [(1, "shared"), (3, "separate"), (None, "shared")],
)
def test_snapshot_methods(period, gradient_batch):
    steps, batch = 11, 4
    solver = wn.method(
        "PMFS-v1", eta=0.1, alpha=0.2, batch=batch, period=period, gradient_batch=gradient_batch
    )
    counts = run(portfolio(), solver, steps)
    draws = 2 if gradient_batch == "separate" else 1
    taken = snapshots(steps, period or math.ceil(max(LENGTHS) / batch))
    passes = (1 + taken) * sum(LENGTHS)  # the exact start is a pass
    points = 2 * taken + 3 * (steps - taken)
    assert counts.samples == 2 * draws * batch * steps + passes
    assert counts.evaluations == 2 * draws * batch * points + passes


def test_inner_frank_wolfe_calls_the_oracle_n_times():
    solver = wn.method("PMVR-v2", eta=0.1, alpha=0.2, batch=4, inner=5, beta=1.0)
    assert run(portfolio(), solver, 7).lmo == 35


def test_a_projected_step_calls_no_oracle():
    schedule = wn.schedules.Constant(1.0, 0.2, 4)
    solver = wn.Solver(wn.estimators.Storm(), wn.Projected(2.0), schedule, 4)
    counts = run(portfolio(), solver, 5)
    assert (counts.lmo, counts.samples) == (0, 2 * (4 + 5 * 4))


def test_snapshot_methods_pay_a_pass_at_every_stage_start():
    solver = wn.method("SwPMFS-v1", eta=0.3, alpha=0.2, batch=4, length=4)
    stages = solver.schedule.stages(15)
    assert [stage.steps for stage in stages] == [4, 8, 3]
    taken = [snapshots(stage.steps, math.ceil(max(LENGTHS) / stage.batch)) for stage in stages]
    passes = (len(stages) + sum(taken)) * sum(LENGTHS)
    counts = run(portfolio(), solver, 15)
    assert counts.samples == 2 * 4 * 15 + passes
    assert counts.evaluations == 2 * 4 * (3 * 15 - sum(taken)) + passes
    assert counts.lmo == 15


@pytest.mark.parametrize(("name", "points", "restart"), [("PMM", 1, None), ("PMVR", 2, 5)])
def test_stages_of_the_others_pay_only_for_restarts(name, points, restart):
    estimator = {"PMM": wn.estimators.Momentum, "PMVR": wn.estimators.Storm}[name]()
    schedule = wn.schedules.Stagewise(
        length=4, eta=0.3, alpha=0.2, batch=4, growth=2, batch_factor=0.5, restart=restart
    )
    solver = wn.Solver(estimator, wn.LMO(), schedule, 6)
    stages = schedule.stages(12)
    assert [(stage.steps, stage.batch) for stage in stages] == [(4, 4), (8, 2)]
    counts = run(portfolio(), solver, 12)
    starts = 6 + (restart or 0)
    assert counts.samples == 2 * (starts + 4 * 4 + 8 * 2)
    assert counts.evaluations == 2 * (starts + points * (4 * 4 + 8 * 2))


# The same numbers seen from inside the levels.


@pytest.mark.parametrize("gradient_batch", ["shared", "separate"])
@pytest.mark.parametrize("name", ["PMM-v1", "PMVR-v1", "PMFS-v1"])
def test_steps_evaluate_what_is_counted(name, gradient_batch):
    steps, batch, rng, witness = 7, 4, np.random.default_rng(1), Witness()
    extra = {"period": 3} if "FS" in name else {"initial_batch": batch}
    solver = wn.method(
        name, eta=0.1, alpha=0.2, batch=batch, gradient_batch=gradient_batch, **extra
    )
    (stage,) = solver.schedule.stages(steps)
    problem = portfolio(witness)
    x1 = np.full(DIM, 1 / DIM)
    separate = gradient_batch == "separate"

    def draw(t):
        pair = [fresh_batch(rng, batch, (2 * t + k) * 100) for k in range(1 + separate)]
        return tuple(pair) if separate else pair[0]

    state = solver.init(problem, x1, None if "FS" in name else draw(0))
    step, seen = eqx.filter_jit(solver.step), [witness.take()]
    for t in range(1, steps + 1):
        state, _ = step(problem, state, draw(t), stage)
        seen.append(witness.take())

    n, m, repeated = 2 * batch * (1 + separate), sum(LENGTHS), 0
    if "FS" in name:  # t = 2 … 8 with snapshots at 3 and 6
        plain, taken = (n, 3 * n), (n + m, 2 * n + m)
        # right after a snapshot the previous point is the snapshot: counted as evaluated, twice
        after, repeated = (n, 2 * n), 3 * n
        assert seen == [(m, m), after, taken, after, plain, taken, after, plain]
    else:
        assert seen == [(n, n)] + [(n, 2 * n if "VR" in name else n)] * steps
    if not separate:
        counts = run(portfolio(), solver, steps)
        samples, evaluations = np.sum(seen, axis=0)
        assert (counts.samples, counts.evaluations) == (samples, evaluations + repeated)


def test_a_stage_start_makes_one_exact_pass():
    witness, rng = Witness(), np.random.default_rng(2)
    solver = wn.method("PMFS-v1", eta=0.1, alpha=0.2, batch=4, period=5)
    (stage,) = solver.schedule.stages(4)
    problem = portfolio(witness)
    state = solver.init(problem, np.full(DIM, 1 / DIM), None)
    state, _ = solver.step(problem, state, fresh_batch(rng, 4, 0), stage)
    witness.take()
    solver.begin_stage(problem, state, stage)
    assert witness.take() == (sum(LENGTHS), sum(LENGTHS))
