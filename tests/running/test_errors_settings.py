"""Mistakes in settings and in batches from outside: refused with what was got and expected."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wolfnest as wn
from refusals import DATA, DIM, compiled, endless, finite, problem, refused, same, solver

__all__ = ["compiled", "refused"]  # fixtures

# ---- methods ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["PMVR", "PMVR-v3", "sgd", "", None, 3])
def test_an_unknown_method_is_refused_with_the_known_ones(name, refused):
    refused(lambda: wn.method(name), r"unknown method", repr(name), r"PMVR-v1", r"SwPMFS-v2")


@pytest.mark.parametrize("name", wn.methods.names())
def test_an_unknown_setting_is_refused_with_the_known_ones(name, refused):
    known = ", ".join(wn.methods.settings(name))
    refused(lambda: wn.method(name, stepsize=0.1), re.escape(name), r"'stepsize'", known)


def settings_among(*kinds, methods=None):
    """(method, setting) for all settings of these names."""
    for name in methods or wn.methods.names():
        yield from ((name, setting) for setting in wn.methods.settings(name) if setting in kinds)


def convex_spider(name, setting):
    """Convex SPIDER-FW sets its own steps and epochs; the other regime takes them."""
    return {"regime": "nonconvex"} if name == "SPIDER-FW" and setting in ("eta", "epoch") else {}


WEIGHTS = ("eta", "alpha", "tau", "rho")
SIZES = ("batch", "initial_batch", "large_batch", "epoch", "inner", "most_batch")
RATES = ("lr", "beta", "smoothness", "eps", "clip")


@pytest.mark.parametrize("value", [0, -0.1, np.nan, np.inf])
@pytest.mark.parametrize(("name", "setting"), list(settings_among(*WEIGHTS, *RATES)))
def test_weights_that_are_not_positive_are_refused_by_every_method(name, setting, value, refused):
    given = {setting: value, **convex_spider(name, setting)}
    refused(lambda: wn.method(name, **given), rf"^{setting} must", rf"got {value}")


ONE_STAGE = [n for n in wn.methods.names() if not n.startswith("Sw") and n != "A-TSCGD"]


@pytest.mark.parametrize(("name", "setting"), list(settings_among(*WEIGHTS, methods=ONE_STAGE)))
def test_weights_above_one_are_refused_by_every_method_with_one_stage(name, setting, refused):
    given = {setting: 1.5, **convex_spider(name, setting)}
    refused(lambda: wn.method(name, **given), rf"{setting} must lie in \(0, 1\], got 1.5")


@pytest.mark.parametrize("value", [0, -4])
@pytest.mark.parametrize(("name", "setting"), list(settings_among(*SIZES)))
def test_batches_that_are_not_positive_are_refused_by_every_method(name, setting, value, refused):
    given = {setting: value, **convex_spider(name, setting)}
    refused(lambda: wn.method(name, **given), rf"^{setting} must be", rf"got {value}")


@pytest.mark.parametrize(
    ("name", "settings", "parts"),
    [
        ("PMVR-v1", {"batch": 1.5}, (r"batch", r"whole number", r"got 1.5")),
        ("PMFS-v1", {"period": 0}, (r"period", r"at least 1", r"got 0")),
        ("PMVR-v2", {"inner": 0}, (r"inner", r"at least 1", r"got 0")),
        ("PMVR-v2", {"beta": 0.0}, (r"beta", r"positive", r"got 0")),
        ("PMVR-v2", {"rule": "armijo"}, (r"rule", r"'line-search', 'agnostic'", r"'armijo'")),
        ("PMVR-v1", {"pairing": "some"}, (r"pairing", r"'paired', 'all'", r"'some'")),
        ("PMM-v1", {"gradient_batch": "own"}, (r"gradient_batch", r"'separate', got 'own'")),
        ("SwPMVR-v1", {"handover": "best"}, (r"handover", r"'last', 'random'", r"'best'")),
        ("SwPMVR-v2", {"beta": 1.0, "strong_convexity": 2.0}, (r"or beta", r"both")),
        ("SwPMFS-v2", {"strong_convexity": -2.0}, (r"convexity|beta", r"positive", r"-[12]")),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(name, settings, parts, refused):
    refused(lambda: wn.method(name, **settings), *parts)


def test_a_snapshot_method_on_an_endless_level_is_refused_and_the_level_is_named(refused):
    sampled = problem(same(), endless())
    for name in ("PMFS-v1", "PMFS-v2", "SwPMFS-v1", "SwPMFS-v2"):
        method = wn.method(name)
        refused(
            lambda m=method: wn.solve(sampled, m, steps=2), name, r"level 2 is endless", r"PMVR"
        )
        refused(lambda m=method: m.init(sampled, sampled.start()), name, r"level 2 is endless")


# ---- arguments of solve ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"criterion": "gap"}, (r"criterion", r"frank_wolfe_gap", r"'gap'")),
        ({"criterion": ("objective", "gap")}, (r"criterion", r"frank_wolfe_gap", r"'gap'")),
        ({"criterion": ()}, (r"criterion", r"at least one")),
        ({"criterion": None}, (r"criterion", r"frank_wolfe_gap", r"None")),
        ({"criterion": ("objective", 3)}, (r"criterion", r"frank_wolfe_gap", r"3")),
        ({"output": "mean"}, (r"output", r"'last', 'random', 'average', 'best'", r"'mean'")),
        ({"budget": {"sample": 10}}, (r"budget", r"'samples', 'lmo', 'seconds'", r"'sample'")),
        ({"budget": 10}, (r"budget", r"'samples', 'lmo', 'seconds'", r"got 10")),
        ({"budget": {"samples": -1}}, (r"budget\['samples'\]", r"at least 0", r"got -1")),
        ({"budget": {"lmo": np.nan}}, (r"budget\['lmo'\]", r"got nan")),
        ({"steps": 0}, (r"steps", r"at least 1", r"got 0")),
        ({"steps": 2.5}, (r"steps", r"whole", r"got 2.5")),
        ({"seeds": 0}, (r"seeds", r"at least 1", r"got 0")),
        ({"record_every": 0}, (r"record_every", r"at least 1", r"got 0")),
        ({"tol": np.inf}, (r"tol", r"finite", r"got inf")),
        ({"tol": np.nan}, (r"tol", r"got nan")),
        ({"solver": "PMVR-v1"}, (r"solver", r"Solver|method", r"'PMVR-v1'|str")),
        ({"problem": finite()}, (r"problem must be a wn.Problem", r"got Level")),
    ],
    ids=lambda part: "-".join(f"{k}-{v}" for k, v in part.items()) if type(part) is dict else "",
)  # fmt: skip
def test_arguments_of_solve_that_make_no_sense_are_refused(arguments, parts, refused):
    given = {"problem": problem(), "solver": solver(), "steps": 2, "progress": False} | arguments
    refused(lambda: wn.solve(**given), *parts)


# ---- batches from outside --------------------------------------------------------------------


def nested():
    first = finite(lambda x, r: (r @ x, x))
    second = finite(lambda y, r: (r @ y[1] - y[0]) ** 2)
    return problem(first, second, wn.Level(lambda z: z + z**2))


ROWS = DATA[:2]
BAD_BATCHES = {
    "nothing": (None, (r"3 levels", r"None")),
    "a-level-is-missing": ((ROWS, ROWS), (r"3 levels", r"got 2")),
    "one-array": (ROWS, (r"3 levels", r"got")),
    "no-samples-where-needed": ((ROWS, None, None), (r"level 2", r"finite-sum", r"samples")),
    "samples-where-there-are-none": ((ROWS, ROWS, ROWS), (r"level 3", r"deterministic", r"None")),
    "unequal-sizes": ((ROWS, DATA[:3], None), (r"same number", r"2\b.*level 1", r"3\b.*level 2")),
    "samples-of-another-shape": ((ROWS, np.ones((2, 5)), None), (r"level 2", r"5", r"3")),
    "samples-of-another-structure": ((ROWS, (ROWS, ROWS), None), (r"level 2",)),
}


@pytest.mark.parametrize("separate", [False, True], ids=["shared", "separate"])
@pytest.mark.parametrize("case", BAD_BATCHES)
def test_batches_that_do_not_fit_the_levels_are_refused(case, separate, refused):
    bad, parts = BAD_BATCHES[case]
    good, target = (ROWS, ROWS, None), nested()
    method = solver(gradient_batch="separate" if separate else "shared")
    pair = lambda batch: (good, batch) if separate else batch
    refused(lambda: method.init(target, target.start(), pair(bad)), *parts)
    state = method.init(target, target.start(), pair(good))
    refused(lambda: method.step(target, state, pair(bad), wn.Stage(1, 0.1, 0.1, 2)), *parts)
    compiled_step = jax.jit(lambda b: method.step(target, state, b, wn.Stage(1, 0.1, 0.1, 2)))
    refused(lambda: compiled_step(pair(bad)), *parts)


def test_a_separate_gradient_batch_needs_a_pair_and_the_error_says_so(refused):
    method = solver(gradient_batch="separate")
    for target in (nested(), problem(), problem(same(), finite())):
        batch = target.draw(0, 2)
        method.init(target, target.start(), (batch, batch))
        refused(lambda t=target, b=batch: method.init(t, t.start(), b), r"separate", r"pair")
        refused(lambda t=target: method.init(t, t.start(), None), r"separate", r"pair")


def test_a_single_batch_of_pairs_is_not_taken_for_a_pair_of_batches(refused):
    data = (np.ones((4, 2)), np.ones((4, 2)))
    first = wn.Level(lambda x, s: jnp.sum(s[0]) * x + jnp.sum(s[1]), data=data)
    second = wn.Level(lambda y, s: jnp.sum(s[0]) * jnp.sum(y) + jnp.sum(s[1]), data=data)
    target, method = problem(first, second), solver(gradient_batch="separate")
    refused(lambda: method.init(target, target.start(), target.draw(0, 2)), r"level|pair")


def test_one_step_takes_one_weight(refused):
    target = problem()
    method, batch = solver(), target.draw(0, 2)
    state = method.init(target, target.start(), batch)
    for weights in ({"eta": np.full(DIM, 0.1), "alpha": 0.1}, {"eta": 0.1, "alpha": [0.1] * DIM}):
        stage = wn.Stage(steps=DIM, batch=2, **weights)
        refused(
            lambda s=stage: method.step(target, state, batch, s), r"eta|alpha", r"scalar|number"
        )


def test_a_stage_that_restarts_needs_its_batch(refused):
    target = problem()
    state = solver().init(target, target.start(), target.draw(0, 2))
    stage = wn.Stage(2, 0.1, 0.1, 2, restart=5)
    refused(lambda: solver().begin_stage(target, state, stage), r"5 samples", r"batch is None")


def test_levels_without_samples_need_no_batch():
    target = problem(wn.Level(lambda x: jnp.sum(x**2)))
    for gradient_batch in ("shared", "separate"):
        method = solver(gradient_batch=gradient_batch)
        state = method.init(target, target.start(), None)
        state, _ = method.step(target, state, None, wn.Stage(1, 0.1, 0.1, 2))
        assert np.all(np.isfinite(state.x))
