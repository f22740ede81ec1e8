"""Theorem presets against the table of parameters, written out here a second time.

Constants hidden in Θ and Ω are 1 unless a test says otherwise. `m` is the length of the longest
finite sum, λ the strong convexity, ε_s = ε_1 / 2^s.
"""

import math
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from wolfnest.methods.theory import theorem

NAMES = {
    1: "PMVR-v1", 2: "SwPMVR-v1", 3: "PMVR-v2", 4: "PMM-v1", 5: "PMM-v2", 6: "SwPMVR-v1",
    7: "SwPMVR-v2", 8: "PMFS-v1", 9: "PMFS-v2", 10: "SwPMFS-v1", 11: "SwPMFS-v2",
}  # fmt: skip
FAMILIES = {
    "PMVR": wn.estimators.Storm,
    "PMM": wn.estimators.Momentum,
    "PMFS": wn.estimators.Snapshot,
}
REGIMES = ("constant", "large")
CASES = [(n, r) for n in NAMES for r in REGIMES if (n, r) not in ((4, "constant"), (5, "constant"))]
FINITE_SUM, HALVING, STRONG = (8, 9, 10, 11), (6, 7, 10, 11), (7, 11)


def up(value):
    """The ceiling, where 999.9999999999 and 1000.0000000001 are a thousand."""
    return max(1, math.ceil(round(value, 9)))


@dataclass(frozen=True)
class Row:
    """A cell of the table: one stage, before rounding and capping. `first` is B_0."""

    steps: float
    eta: float
    alpha: float
    batch: float
    inner: float = 1
    first: float | None = None
    restart: float | None = None

    def settled(self):
        eta, alpha = min(1, self.eta), min(1, self.alpha)
        restart = None if self.restart is None else up(self.restart)
        return up(self.steps), eta, alpha, up(self.batch), up(self.inner), restart


def plain_row(n, regime, e, m):
    """Theorems with one stage."""
    root = math.sqrt(m)
    long, short = up(root * e**-2), up(e**-2)
    return {
        (1, "constant"): Row(e**-3, e**2, e**2, 1, first=1 / e),
        (1, "large"): Row(e**-2, e, e, 1 / e, first=1 / e),
        (3, "constant"): Row(e**-1.5, e**0.5, e, 1, inner=1 / e, first=e**-0.5),
        (3, "large"): Row(1 / e, 1, e**0.5, e**-0.5, inner=1 / e, first=e**-0.5),
        (4, "large"): Row(short, short**-0.5, 0.5, short, first=1),
        (5, "large"): Row(1 / e, 1, 0.5, up(1 / e), inner=up(1 / e)),
        (8, "constant"): Row(long, m**-0.25 * long**-0.5, 1 / m, 1),
        (8, "large"): Row(short, short**-0.5, 1 / root, root),
        (9, "constant"): Row(root / e, 1 / root, 1 / m, 1, inner=1 / e),
        (9, "large"): Row(1 / e, 1, 1 / root, root, inner=1 / e),
    }[n, regime]


def stage_row(n, regime, e, m, lam, eps):
    """Stage s of the theorems with a fixed number of stages; `e` is ε_s."""
    root = math.sqrt(m)
    return {
        (6, "constant"): Row(e**-2, e**2, e**2, 1),
        (6, "large"): Row(1 / e, e, e, 1 / e),
        (7, "constant"): Row(1 / (lam * e), lam * e, lam * e, 1, inner=lam / eps),
        (7, "large"): Row(1 / lam, lam, lam, 1 / e, inner=lam / eps),
        (10, "constant"): Row(root / e, e / root, 1 / m, 1),
        (10, "large"): Row(1 / e, e, 1 / root, root),
        (11, "constant"): Row(root / lam, lam / root, 1 / m, 1, inner=lam / eps),
        (11, "large"): Row(1, 1, 1 / (lam * root), root / lam, inner=lam / eps),
    }[n, regime]


def doubled(steps, row):
    """Stages of 1, 2, 4, … steps until `steps` are spent, the last one cut."""
    stages, length = [], 1
    while steps > 0:
        settled = row(length).settled()
        stages.append((min(length, steps), *settled[1:]))
        steps, length = steps - length, 2 * length
    return stages


def expected(n, regime, eps, m=100, lam=0.5, eps1=1.0):
    if n == 2 and regime == "constant":
        third = 1 / 3
        row = lambda t: Row(t, t ** -(2 * third), t ** -(2 * third), 1, restart=t**third)
        return doubled(up(eps**-3), row)
    if n == 2:
        return doubled(up(eps**-2), lambda t: Row(t, t**-0.5, t**-0.5, t**0.5, restart=t**0.5))
    if n in HALVING:
        count = up(math.log2(eps1 / eps))
        errors = [eps1 / 2**s for s in range(1, count + 1)]
        return [stage_row(n, regime, e, m, lam, eps).settled() for e in errors]
    return [plain_row(n, regime, eps, m).settled()]


def stages_of(solver, steps):
    return [
        (s.steps, float(s.eta), float(s.alpha), s.batch, s.inner, s.restart)
        for s in solver.schedule.stages(steps)
    ]


def agree(got, want):
    assert len(got) == len(want)
    for have, should in zip(got, want, strict=True):
        assert have[:1] + have[3:] == should[:1] + should[3:]
        np.testing.assert_allclose(have[1:3], should[1:3], rtol=1e-12)


@pytest.mark.parametrize("eps", [0.1, 0.07, 0.25, 0.3])
@pytest.mark.parametrize(("n", "regime"), CASES)
def test_stages_and_number_of_steps_are_those_of_the_table(n, regime, eps):
    settings = [
        {"m": m, "lam": lam, "eps1": eps1}
        for m in ((100, 50, 1) if n in FINITE_SUM else (100,))
        for lam in ((0.5, 2.0, 0.08) if n in STRONG else (0.5,))
        for eps1 in ((1.0, 3.0, 0.45) if n in HALVING else (1.0,))
    ]
    for s in settings:
        want = expected(n, regime, eps, **s)
        solver, steps = theorem(n, eps, regime, m=s["m"], strong_convexity=s["lam"], eps1=s["eps1"])
        assert steps == sum(stage[0] for stage in want), s
        agree(stages_of(solver, steps), want)


@pytest.mark.parametrize(("n", "regime"), CASES)
def test_parts_are_those_of_the_method_and_the_gradient_has_its_own_batch(n, regime):
    solver, steps = theorem(n, 0.25, regime, m=50, strong_convexity=0.6, beta=3.0)
    assert solver.name == NAMES[n]
    family = NAMES[n].removeprefix("Sw").split("-")[0]
    assert type(solver.estimator) is FAMILIES[family]
    assert solver.estimator.gradient_batch == "separate"
    assert solver.estimator.pairing == "paired"
    if NAMES[n].endswith("v1"):
        assert type(solver.direction) is wn.LMO
    else:
        assert type(solver.direction) is wn.InnerFrankWolfe
        assert solver.direction.rule == "line-search"
        assert float(solver.direction.beta) == pytest.approx(0.3 if n in STRONG else 3.0)
    first = plain_row(n, regime, 0.25, 50).first if n in (1, 3, 4) else None
    if first is not None:
        assert solver.initial_batch == up(first)
    if n == 2:  # B_0 of the first stage, T_1 = 1
        assert (solver.initial_batch or solver.schedule.stages(steps)[0].batch) == 1


@pytest.mark.parametrize("m", [100, 50])
@pytest.mark.parametrize(("n", "regime"), [(n, r) for n, r in CASES if n in FINITE_SUM])
def test_snapshot_period_is_the_data_length_over_the_batch(n, regime, m):
    solver, steps = theorem(n, 0.25, regime, m=m, strong_convexity=0.5)
    levels = [wn.Level(lambda x, a: jnp.sum(a * x**2), data=np.ones(m))]
    composition = wn.Problem(levels, wn.sets.Simplex(3)).composition
    for stage in solver.schedule.stages(steps):
        assert solver.estimator.period_for(composition, stage.batch) == up(m / stage.batch)


@pytest.mark.parametrize(
    ("n", "regime", "eps", "steps"),
    [(1, "constant", 0.1, 1000), (1, "constant", 0.2, 125), (1, "constant", 0.01, 10**6),
     (1, "large", 0.1, 100), (2, "constant", 0.1, 1000), (3, "constant", 0.01, 1000),
     (4, "large", 0.1, 100), (5, "large", 0.1, 10), (8, "constant", 0.1, 1000),
     (9, "constant", 0.01, 1000), (9, "large", 1e-3, 1000)],
)  # fmt: skip
def test_powers_that_are_whole_numbers_are_not_rounded_up_further(n, regime, eps, steps):
    assert theorem(n, eps, regime, m=100)[1] == steps


def test_whole_sizes_inside_stages_are_not_rounded_up_further():
    solver, steps = theorem(2, 0.1, "constant")
    restarts = {s.steps: s.restart for s in solver.schedule.stages(steps)[:-1]}
    assert (restarts[8], restarts[64]) == (2, 4)
    assert theorem(3, 0.01, "large")[0].initial_batch == 10
    # 2.4000000000000004 / 0.3 is 8 up to rounding: three halvings, not four.
    solver, steps = theorem(6, 0.3, "large", eps1=0.1 * 3 * 8)
    assert len(solver.schedule.stages(steps)) == 3


@pytest.mark.parametrize(("eps", "eps1", "count"), [(0.1, 1.0, 4), (0.125, 1.0, 3), (0.3, 4.0, 4)])
def test_number_of_stages_is_the_logarithm_of_the_accuracy_gained(eps, eps1, count):
    for n in HALVING:
        solver, steps = theorem(n, eps, "large", m=16, strong_convexity=0.5, eps1=eps1)
        assert len(solver.schedule.stages(steps)) == count
        # The schedule has an end: more steps do not add stages.
        assert sum(s.steps for s in solver.schedule.stages(10 * steps)) == steps


def test_an_accuracy_that_is_reached_at_the_start_still_gives_one_stage():
    for n in HALVING:
        solver, steps = theorem(n, 2.0, "constant", m=16, strong_convexity=0.5, eps1=1.0)
        assert len(solver.schedule.stages(steps)) == 1


def test_eta_and_alpha_are_capped_at_one():
    for n, regime in CASES:
        solver, steps = theorem(n, 4.0, regime, m=1, strong_convexity=30.0, eps1=64.0)
        stages = solver.schedule.stages(steps)
        assert all(0 < s.eta <= 1 and 0 < s.alpha <= 1 for s in stages)
        assert all(min(s.steps, s.batch, s.inner) >= 1 for s in stages)
    assert float(theorem(7, 0.1, "large", strong_convexity=30.0)[0].schedule.stage(0).eta) == 1


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize("m", [100, 50])
def test_stagewise_form_of_theorem_8_doubles_and_keeps_the_weight_of_the_data(regime, m):
    solver, steps = theorem(8, 0.2, regime, m=m, stagewise=True)
    root = math.sqrt(m)
    if regime == "constant":
        want = doubled(up(root * 25), lambda t: Row(t, m**-0.25 * t**-0.5, 1 / m, 1))
    else:
        want = doubled(25, lambda t: Row(t, t**-0.5, 1 / root, root))
    assert steps == sum(stage[0] for stage in want)
    agree(stages_of(solver, steps), want)
    assert (solver.name, type(solver.estimator)) == ("SwPMFS-v1", wn.estimators.Snapshot)
    assert solver.estimator.gradient_batch == "separate"


def test_stagewise_form_of_theorem_4_has_batches_as_long_as_its_stages():
    solver, steps = theorem(4, 0.2, "large", stagewise=True)
    agree(stages_of(solver, steps), doubled(25, lambda t: Row(t, t**-0.5, 0.5, t)))
    assert (solver.name, type(solver.estimator), steps) == ("SwPMM-v1", wn.estimators.Momentum, 25)
    assert type(solver.direction) is wn.LMO
    assert solver.estimator.gradient_batch == "separate"


# ---- constants -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "regime"), CASES)
def test_each_constant_scales_its_own_quantity(n, regime):
    known = {"m": 64, "strong_convexity": 0.25, "eps1": 1.0}
    plain = stages_of(*theorem(n, 1 / 16, regime, **known))
    for name, place in (("c_eta", 1), ("c_alpha", 2), ("c_batch", 3), ("c_inner", 4)):
        if name == "c_inner" and NAMES[n].endswith("v1"):
            continue
        factor = 0.5 if place < 3 else 3
        got = stages_of(*theorem(n, 1 / 16, regime, **known, **{name: factor}))
        for have, was in zip(got, plain, strict=True):
            # Sizes are scaled before they are rounded up.
            low = was[place] * factor if place < 3 else (was[place] - 1) * factor
            assert low - 1e-12 <= have[place] <= was[place] * factor + 1e-12
            others = [i for i in range(5) if i != place]
            np.testing.assert_allclose([have[i] for i in others], [was[i] for i in others])


@pytest.mark.parametrize(("n", "regime"), CASES)
def test_the_constant_of_the_steps_scales_all_steps_together(n, regime):
    known = {"m": 64, "strong_convexity": 0.25}
    steps = theorem(n, 1 / 16, regime, **known)[1]
    assert theorem(n, 1 / 16, regime, **known, c_steps=3)[1] == 3 * steps


def test_a_batch_that_is_the_number_of_steps_follows_it():
    solver, steps = theorem(4, 0.1, "large", c_steps=4)
    agree(stages_of(solver, steps), [plain_row(4, "large", 0.05, 1).settled()])
    solver, steps = theorem(5, 0.1, "large", c_steps=2)
    agree(stages_of(solver, steps), [plain_row(5, "large", 0.05, 1).settled()])
