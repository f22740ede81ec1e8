"""Sets and directions as an optax optimiser."""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import wolfnest as wn
from wolfnest.interop import as_optax, feasible, storm_gradients
from wolfnest.sets import Stacked

rng = np.random.default_rng(3)
ROWS = jnp.asarray(rng.normal(size=(60, 4)))
TARGETS = ROWS @ jnp.array([0.7, 0.3, 0.0, 0.0]) + 0.1 * jnp.asarray(rng.normal(size=60))


def loss(x, batch):
    rows, targets = batch
    return jnp.mean((rows @ x - targets) ** 2)


def batches(steps, size=6):
    picks = np.random.default_rng(5).integers(60, size=(steps, size))
    return [(ROWS[pick], TARGETS[pick]) for pick in picks]


def train(optimiser, params, data, loss=loss, estimator="momentum"):
    """The points of a run; gradients at the previous point are taken where they are needed."""
    gradients = storm_gradients(loss)

    @jax.jit
    def step(params, state, batch):
        if estimator == "storm":
            _, grads, before = gradients(params, state, batch)
            updates, state = optimiser.update(grads, state, params, previous_grads=before)
        else:
            updates, state = optimiser.update(jax.grad(loss)(params, batch), state, params)
        return optax.apply_updates(params, updates), state

    state, points = optimiser.init(params), [params]
    for batch in data:
        params, state = step(params, state, batch)
        points.append(params)
    return points


# ---- the same steps as the solver ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "estimator", "direction", "domain"),
    [
        ("PMM-v1", "momentum", wn.LMO(), wn.sets.Simplex(4)),
        ("PMVR-v1", "storm", wn.LMO(), wn.sets.L1Ball(4)),
        ("PMVR-v2", "storm", wn.InnerFrankWolfe(2.0), wn.sets.Simplex(4)),
        ("PMM-v1", "momentum", wn.LMO(), wn.sets.L2Ball(4)),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_steps_equal_those_of_the_solver(name, estimator, direction, domain):
    level = wn.Level(lambda x, row: (row[0] @ x - row[1]) ** 2, data=(ROWS, TARGETS))
    problem = wn.Problem([level], domain)
    options = {"beta": 2.0, "inner": 7} if name.endswith("v2") else {}
    solver = wn.method(name, eta=0.1, alpha=0.3, batch=6, **options)
    stage, data = solver.schedule.stages(1)[0], batches(12)
    state, expected = solver.init(problem, problem.start(), (data[0],)), []
    step = jax.jit(solver.step)
    for batch in data[1:]:
        state, _ = step(problem, state, (batch,), stage)
        expected.append(state.x)
    optimiser = as_optax(domain, direction, eta=0.1, alpha=0.3, estimator=estimator, inner=7)
    points = train(optimiser, problem.start(), data, estimator=estimator)
    np.testing.assert_allclose(points[1:-1], expected, rtol=1e-9, atol=1e-12)


def test_storm_by_hand():
    """`v ← g + (1-α) (v - g')`, moves towards vertices of the simplex; NumPy throughout."""
    gradient = lambda x, batch: np.asarray(
        2 * batch[0].T @ (batch[0] @ x - batch[1]) / len(batch[1])
    )
    data, eta, alpha = batches(10), [0.5 / (k + 1) for k in range(10)], 0.4
    points, v = [np.full(4, 0.25)], None
    for k, batch in enumerate(data):
        g = gradient(points[-1], batch)
        v = g if v is None else g + (1 - alpha) * (v - gradient(points[-2], batch))
        points.append(points[-1] + eta[k] * (np.eye(4)[np.argmin(v)] - points[-1]))
    optimiser = as_optax(
        wn.sets.Simplex(4), eta=lambda k: 0.5 / (k + 1), alpha=alpha, estimator="storm"
    )
    chained = optax.chain(optax.identity(), optimiser)
    for one in (optimiser, chained):
        found = train(one, jnp.full(4, 0.25), data, estimator="storm")
        np.testing.assert_allclose(found, points, rtol=1e-12)


# ---- a network with a set for every layer ----------------------------------------------------

HIDDEN = 12


def network(params, inputs):
    mixed = inputs @ params["mix"].T  # rows of weights that add up to one
    hidden = jnp.tanh(mixed @ params["sparse"] + params["shift"])
    hidden = jnp.tanh(hidden @ params["low rank"])
    return hidden @ params["out"] + params["bias"]


def network_loss(params, batch):
    inputs, targets = batch
    return jnp.mean((network(params, inputs) - targets) ** 2)


LAYERS = {
    "mix": Stacked(wn.sets.Simplex(6), count=8),
    "sparse": Stacked(wn.sets.L1Ball(8, radius=0.5), count=HIDDEN, axis=1),
    "shift": wn.sets.L2Ball(HIDDEN, radius=0.1),
    "low rank": wn.sets.NuclearBall((HIDDEN, HIDDEN), radius=1.5),
    "out": wn.sets.LInfBall(HIDDEN, radius=0.25),
    "bias": None,
}


def violations(params):
    """By NumPy in double precision, relative to the radius."""
    p = {name: np.asarray(a, dtype=np.float64) for name, a in params.items()}
    return {
        "mix": max(abs(p["mix"].sum(axis=1) - 1).max(), -p["mix"].min()),
        "sparse": abs(p["sparse"]).sum(axis=0).max() / 0.5 - 1,
        "shift": np.linalg.norm(p["shift"]) / 0.1 - 1,
        "low rank": np.linalg.svd(p["low rank"], compute_uv=False).sum() / 1.5 - 1,
        "out": abs(p["out"]).max() / 0.25 - 1,
    }


def first_params():
    shapes = {"mix": (8, 6), "sparse": (8, HIDDEN), "shift": (HIDDEN,), "bias": ()}
    shapes |= {"low rank": (HIDDEN, HIDDEN), "out": (HIDDEN,)}
    draw = lambda shape: jnp.asarray(rng.normal(size=shape), jnp.float32)
    return {name: draw(shape) for name, shape in shapes.items()}


def task(n):
    inputs = jnp.asarray(rng.normal(size=(n, 6)), jnp.float32)
    return inputs, jnp.tanh(inputs[:, 0] - inputs[:, 3]) + 0.5


@pytest.mark.parametrize("estimator", ["momentum", "storm"])
def test_a_network_learns_and_keeps_its_constraints(estimator):
    steps, data = 4_000, task(512)
    params = feasible(first_params(), LAYERS)
    eta = optax.cosine_decay_schedule(0.05, steps, alpha=0.01)
    optimiser = optax.chain(
        optax.clip_by_global_norm(10.0) if estimator == "momentum" else optax.identity(),
        as_optax(LAYERS, eta=eta, alpha=0.1, estimator=estimator, free=optax.sgd(0.05)),
    )
    gradients = storm_gradients(network_loss)

    def step(carry, pick):
        params, state = carry
        batch = jax.tree.map(lambda a: a[pick], data)
        if estimator == "storm":
            _, grads, before = gradients(params, state, batch)
            extra = {"previous_grads": before}
        else:
            grads, extra = jax.grad(network_loss)(params, batch), {}
        updates, state = optimiser.update(grads, state, params, **extra)
        return (optax.apply_updates(params, updates), state), None

    picks = jnp.asarray(rng.integers(512, size=(steps // 100, 100, 32)))
    stretch = jax.jit(lambda carry, picks: jax.lax.scan(step, carry, picks)[0])
    carry, before = (params, optimiser.init(params)), network_loss(params, data)
    for some in picks:
        carry = stretch(carry, some)
        worst = violations(carry[0])
        assert max(worst.values()) <= 1e-6, worst
    assert network_loss(carry[0], data) < 0.2 * before
    assert sum(worst[name] > -0.05 for name in worst) >= 3, "the constraints were never felt"
    assert all(a.dtype == jnp.float32 for a in jax.tree.leaves(carry[0]))
    assert carry[0]["bias"] != params["bias"]


def test_tiny_steps_neither_stall_nor_drift_in_single_precision():
    """Without compensation, updates below half a unit in the last place would be lost."""
    optimiser = as_optax(wn.sets.Simplex(2), eta=1e-5, alpha=1.0)
    grads = jnp.array([1.0, 0.0], jnp.float32)

    @jax.jit
    def many(params, state):
        def step(_, carry):
            updates, state = optimiser.update(grads, carry[1], carry[0])
            return optax.apply_updates(carry[0], updates), state

        return jax.lax.fori_loop(0, 200_000, step, (params, state))[0]

    start = jnp.array([0.5, 0.5], jnp.float32)
    x = np.asarray(many(start, optimiser.init(start)), np.float64)
    np.testing.assert_allclose(x[0], 0.5 * np.exp(-2), rtol=1e-3)
    assert abs(x.sum() - 1) < 2e-7


# ---- which parameter has which set -----------------------------------------------------------


class Linear(eqx.Module):
    weight: jax.Array
    bias: jax.Array
    activation: object = jax.nn.relu
    width: int = eqx.field(static=True, default=2)

    def __call__(self, x):
        return self.activation(self.weight @ x + self.bias)


def test_equinox_modules_train_with_sets_by_name():
    domain = lambda name, value: wn.sets.L1Ball(value.size) if "weight" in name else None
    model = feasible(Linear(jnp.full((2, 3), 2.0), jnp.ones(2)), domain)
    assert model.activation is jax.nn.relu
    np.testing.assert_allclose(model.weight, 1 / 6, rtol=1e-6)
    optimiser = as_optax(domain, eta=0.1, estimator="storm", free=optax.sgd(0.1))
    state = optimiser.init(eqx.filter(model, eqx.is_inexact_array))
    gradients = storm_gradients(lambda model, x: jnp.sum((model(x) - 1.0) ** 2))

    @eqx.filter_jit
    def step(model, state, x):
        value, grads, before = gradients(model, state, x)
        params = eqx.filter(model, eqx.is_inexact_array)
        updates, state = optimiser.update(grads, state, params, previous_grads=before)
        return eqx.apply_updates(model, updates), state, value

    values = []
    for _ in range(30):
        model, state, value = step(model, state, jnp.array([1.0, 0.5, -0.5]))
        values.append(float(value))
        assert float(jnp.sum(jnp.abs(model.weight))) <= 1 + 1e-6
    assert values[-1] < 0.2 * values[0]


def test_a_domain_may_cover_a_whole_subtree():
    pair = wn.sets.Product((wn.sets.Simplex(2), wn.sets.Box(-1.0, 1.0)))
    params = {"pair": (jnp.array([0.5, 0.5]), jnp.array(0.0)), "rest": [jnp.ones(3), jnp.ones(2)]}
    optimiser = as_optax({"pair": pair, "rest": None}, eta=1.0, alpha=1.0, free=optax.sgd(1.0))
    grads = jax.tree.map(jnp.ones_like, params)
    updates, _ = optimiser.update(grads, optimiser.init(params), params)
    after = optax.apply_updates(params, updates)
    np.testing.assert_allclose(after["pair"][0], [1.0, 0.0])
    np.testing.assert_allclose(after["pair"][1], -1.0)
    np.testing.assert_allclose(after["rest"][0], 0.0)


def test_feasible_projects_or_takes_the_start():
    oracle = wn.sets.FromOracle(
        lambda d: -jnp.sign(d), start=np.zeros(2), contains=lambda x, tol: jnp.max(abs(x)) <= 1
    )
    params = {"a": jnp.array([5.0, 1.0]), "b": jnp.array([5.0, 1.0]), "c": jnp.array([0.5, 1.0])}
    domain = {"a": wn.sets.L2Ball(2), "b": oracle, "c": oracle}
    found = feasible(params, domain)
    np.testing.assert_allclose(found["a"], np.array([5, 1]) / np.sqrt(26), rtol=1e-12)
    np.testing.assert_array_equal(found["b"], [0, 0])
    np.testing.assert_array_equal(found["c"], [0.5, 1.0])


# ---- transformations, and what is refused ----------------------------------------------------


def test_step_sizes_can_be_mapped_over_and_nan_stays_nan():
    def after(eta, slope):
        optimiser = as_optax(wn.sets.Simplex(2), eta=eta)
        params = jnp.array([0.5, 0.5])
        return optimiser.update(slope, optimiser.init(params), params)[0]

    slopes = jnp.array([[1.0, 0.0], [0.0, 1.0], [jnp.nan, 0.0]])
    found = jax.jit(jax.vmap(after))(jnp.array([0.1, 0.2, 0.3]), slopes)
    np.testing.assert_allclose(found[:2], [[-0.05, 0.05], [0.1, -0.1]], rtol=1e-12)
    assert jnp.isnan(found[2]).all()
    scheduled = as_optax(wn.sets.Simplex(2), eta=lambda k: 3.0 - 3.0 * k)
    params, state = jnp.array([0.5, 0.5]), scheduled.init(jnp.array([0.5, 0.5]))
    for expected in ([0.0, 1.0], [0.0, 1.0]):  # clipped to 1, then 0
        updates, state = scheduled.update(slopes[0], state, params)
        params = optax.apply_updates(params, updates)
        np.testing.assert_allclose(params, expected, atol=1e-15)


def start(domain, params=None, direction=None, **options):
    options = {"eta": 0.1} | options
    params = jnp.array([0.5, 0.5]) if params is None else params
    parts = (domain,) if direction is None else (domain, direction)
    return as_optax(*parts, **options).init(params)


SIMPLEX = wn.sets.Simplex(2)


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda: start(SIMPLEX, eta=0.0), "eta must lie in"),
        (lambda: start(SIMPLEX, eta=[0.1, 0.2]), "eta must be a number"),
        (lambda: start(SIMPLEX, alpha=2.0), "alpha must lie in"),
        (lambda: start(SIMPLEX, estimator="adam"), "estimator must be one of 'momentum'"),
        (lambda: start(SIMPLEX, inner=0), "inner must be a whole"),
        (
            lambda: start(SIMPLEX, direction=wn.directions.Sliding(1.0)),
            "direction must be one that names",
        ),
        (lambda: start({"a": SIMPLEX}), "domain must be a prefix of the parameters"),
        (lambda: start(None), "at least one set"),
        (lambda: start({"a": 3}, {"a": jnp.ones(2)}), r"params\['a'\] a set or None, got 3"),
        (lambda: start(wn.sets.Simplex(3)), r"shape of the points of Simplex, \(3,\), got \(2,\)"),
        (lambda: start(SIMPLEX, jnp.array([0, 1])), "floating point numbers, got int"),
        (lambda: start(SIMPLEX, [jnp.ones(2)]), "built like the points of Simplex"),
        (lambda: start(SIMPLEX, jnp.ones(2)), r"outside: start from feasible"),
        (lambda: storm_gradients(jnp.sum)(jnp.ones(2), start(SIMPLEX)), "state must be that of"),
    ],
)
def test_what_cannot_work_is_refused_by_name(refused, message):
    with pytest.raises(ValueError, match=message):
        refused()


def test_an_update_says_what_it_misses():
    optimiser, params = as_optax(SIMPLEX, eta=0.1, estimator="storm"), jnp.array([0.5, 0.5])
    state = optimiser.init(params)
    with pytest.raises(ValueError, match="params must be given"):
        optimiser.update(params, state)
    with pytest.raises(ValueError, match="previous_grads must be given"):
        optimiser.update(params, state, params)
    plain = wn.sets.FromOracle(lambda d: -jnp.sign(d), start=np.zeros(2))
    with pytest.raises(ValueError, match="direction cannot be taken"):
        start(plain, params, direction=wn.Projected(1.0))


def test_without_optax_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optax", None)
    with pytest.raises(ImportError, match=r"pip install 'wolfnest\[optax\]'"):
        as_optax(SIMPLEX, eta=0.1)
