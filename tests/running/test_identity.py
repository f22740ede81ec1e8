"""Which runs a checkpoint takes for its own, what a refusal names, and who may write there."""

import os
import signal
import subprocess
import sys
import time
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import problems
import wolfnest as wn
from problems import plain, portfolio, same
from wolfnest.running.fingerprint import fingerprint
from wolfnest.running.lock import Lock

FACTOR = 1.0
STORM = plain("PMVR-v1")


def helper(value):
    return FACTOR * value


def level_through_helper(x, a):
    return helper((a @ x - 0.3) ** 2)


def again(x):
    return once(x) if x > 0 else x


def once(x):
    return again(x - 1)


def problem(fn=level_through_helper, data=None):
    table = problems.returns() if data is None else data
    return wn.Problem([wn.Level(fn, data=table)], wn.sets.Simplex(problems.DIM))


def run(directory, problem=None, solver=STORM, **options):
    options = {"steps": 40, "record_every": 7, "progress": False} | options
    place = None if directory is None else wn.Checkpoint(directory, every=0)
    return wn.solve(problem or portfolio(), solver, checkpoint=place, **options)


@pytest.mark.parametrize("through", [lambda f: f, jax.jit], ids=["plain", "jit"])
@pytest.mark.parametrize(
    "change",
    [{"FACTOR": 2.0}, {"helper": lambda value: -value}],
    ids=["a global", "a helper function"],
)
def test_what_a_function_refers_to_is_part_of_it(tmp_path, monkeypatch, change, through):
    run(tmp_path, problem(through(level_through_helper)))
    run(tmp_path, problem(through(level_through_helper)))
    for name, value in change.items():
        monkeypatch.setitem(globals(), name, value)
    with pytest.raises(ValueError, match="another function of level 1"):
        run(tmp_path, problem(through(level_through_helper)))


def module(source):
    made = types.ModuleType("of_the_user")
    exec(source, made.__dict__)
    return made


SOURCES = {
    "default": "w = 1.0\ndef f(x, w=w): return w * x",
    "nested": "w = 1.0\ndef f(x): return (lambda y: w * y)(x)",
    "callable object": "class C:\n  def __call__(self, x): return 1.0 * x\nf = C()",
    "equinox module": (
        "import equinox\nclass C(equinox.Module):\n  def __call__(self, x): return 1.0 * x\nf = C()"
    ),
    "class": "class C:\n  w = 1.0\ndef f(x): return C.w * x",
    "container": "d = {'w': [1.0, 3]}\ndef f(x): return d['w'][0] * x",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_two_versions_of_a_function_differ(source):
    assert fingerprint(module(source).f) == fingerprint(module(source).f)
    assert fingerprint(module(source).f) != fingerprint(module(source.replace("1.0", "2.0")).f)


def test_parts_of_a_module_of_the_user_count(monkeypatch):
    user = module("w, other = 1.0, 1")
    user.__file__ = "/nowhere/of_the_user.py"
    name = {"user": user, "__name__": "notebook"}
    exec("def f(x): return user.w * x", name)
    first = fingerprint(name["f"])
    user.other = 2
    assert fingerprint(name["f"]) == first
    user.w = 2.0
    assert fingerprint(name["f"]) != first


def test_functions_that_refer_to_each_other_end():
    assert fingerprint(again) == fingerprint(again) != fingerprint(once)


def test_a_function_of_an_installed_package_does_not_bring_the_package():
    start = time.perf_counter()
    fingerprint(lambda x: jnp.sum(jax.nn.relu(x)) + np.linalg.norm(x))
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("size", [1_000_003, 9_000_001])
def test_every_byte_of_the_data_counts(size):
    data = np.zeros(size, np.float32)
    seen = {fingerprint(data)}
    for place in np.random.default_rng(0).integers(0, size, 20):
        data[place] = -0.0
        seen.add(fingerprint(data))
        data[place] = 0.0
    data[[5, 6]] = -0.0
    seen.add(fingerprint(data))
    assert len(seen) == 22
    assert fingerprint(jnp.zeros(size, jnp.float32)) == fingerprint(np.zeros(size, np.float32))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"solver": plain("PMM-v1")}, "another solver"),
        ({"key": 1}, "another key or seeds"),
        ({"seeds": 2}, "another key or seeds"),
        ({"problem": portfolio(seed=1)}, "another data of level 1, another data of level 2"),
        ({"problem": portfolio(radius=2.0)}, "another set"),
        ({"x0": np.eye(problems.DIM)[0]}, "another x0"),
        ({"criterion": "objective"}, "another criterion"),
        ({"record_every": 8}, "another record_every"),
        ({"output": "best"}, "another output"),
        ({"steps": 30}, "it has made 40 steps, and steps=30 are fewer"),
    ],
)
def test_a_refusal_names_the_part_that_differs(tmp_path, change, named):
    run(tmp_path)
    with pytest.raises(ValueError, match=f"cannot be continued by this one: {named}"):
        run(tmp_path, **change)


@pytest.mark.parametrize("solver", [STORM, problems.staged("SwPMVR-v1"), wn.method("1-SFW")])
def test_more_steps_extend_a_run_bit_for_bit(tmp_path, solver):
    for steps in (17, 40, 100):
        found = run(tmp_path, problem(), solver=solver, steps=steps)
        assert (found.status, found.steps) == ("finished", steps)
    whole = run(None, problem(), solver=solver, steps=100)
    assert found.counts == whole.counts
    assert same((found.x, found.state), (whole.x, whole.state))
    assert same(problems.columns(found.trace), problems.columns(whole.trace))


def test_a_schedule_that_depends_on_the_number_of_steps_says_so(tmp_path):
    solver = wn.method("SVFW")
    run(tmp_path, problem(), solver=solver)
    with pytest.raises(ValueError, match=r"depends on the number of steps.*steps=60"):
        run(tmp_path, problem(), solver=solver, steps=60)


def test_an_extension_keeps_the_records_of_the_first_part(tmp_path):
    run(tmp_path, steps=100, record_every=None)
    assert list(run(tmp_path, steps=200, record_every=None).trace.step[:4]) == [0, 2, 4, 6]


def test_two_processes_do_not_share_a_folder(tmp_path):
    code = (
        "import sys, time, pathlib; from wolfnest.running.lock import Lock; "
        f"lock = Lock(pathlib.Path({str(tmp_path)!r})); lock.acquire(); print('in', flush=True); "
        "time.sleep(60)"
    )
    known = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=known)
    assert other.stdout.readline() == b"in\n"
    try:
        with pytest.raises(ValueError, match=f"in use by another run .process {other.pid}."):
            run(tmp_path)
    finally:
        other.send_signal(signal.SIGKILL)
        other.communicate()
    assert run(tmp_path).status == "finished"  # what it left is stale
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]


def test_a_lock_is_released_after_an_error(tmp_path):
    def fail(row):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        run(tmp_path, callback=fail)
    lock = Lock(tmp_path)
    lock.acquire()
    lock.release()
