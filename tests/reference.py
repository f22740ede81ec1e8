"""The paper's algorithms in plain NumPy: dense Jacobians, explicit loops over samples.

Written from the equations and independent of the library, to compare the library with. Nothing
here is meant to be fast. Everything is a flat vector; `jacobian(y, xi)` is the paper's ∇f_i, of
shape (inputs, outputs), so that the gradient of the composition is ∇f_1 ∇f_2 … ∇f_K from left to
right. A batch is one entry per level: a tuple of arrays with a leading sample axis, or None for a
level without samples.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Level:
    """One level: value(y, xi) and jacobian(y, xi) for a single sample xi (a tuple, or None)."""

    value: Callable
    jacobian: Callable
    data: tuple | None = None


@dataclass(frozen=True)
class Domain:
    """A convex set: lmo(d) minimises <s, d> over it, project(y) is the nearest point."""

    lmo: Callable
    project: Callable


@dataclass(frozen=True)
class Method:
    """Which equations to run; `estimator` is momentum, storm or snapshot."""

    estimator: str
    direction: str = "lmo"  # or "line-search", "agnostic" (inner Frank-Wolfe), "projected"
    pairing: str = "paired"
    gradient_batch: str = "shared"
    period: int | None = None
    beta: float = 1.0
    tol: float | None = None


@dataclass
class State:
    """x_t, u_t^1..u_t^K, v_t, and the snapshot: inputs u_τ^{i-1}, exact values, exact gradient."""

    x: np.ndarray
    u: list
    v: np.ndarray
    t: int = 1
    snap_inputs: list = field(default_factory=list)
    snap_values: list = field(default_factory=list)
    snap_gradient: np.ndarray | None = None

    @property
    def inputs(self):
        """u_t^0 = x_t, u_t^1, …, u_t^{K-1}."""
        return [self.x, *self.u[:-1]]


# Batch means of values and of gradients.


def pick(batch, j):
    """Sample j of one level's batch."""
    return None if batch is None else tuple(a[j] for a in batch)


def size(batch):
    """Number of samples of one level's batch; a level without samples counts as one."""
    return 1 if batch is None else len(batch[0])


def mean_value(level, y, batch):
    """(1/B) Σ_j f_i(y; ξ^{i,j})."""
    total = 0.0
    for j in range(size(batch)):
        total = total + np.atleast_1d(level.value(y, pick(batch, j)))
    return total / size(batch)


def mean_jacobian(level, y, batch):
    """(1/B) Σ_j ∇f_i(y; ξ^{i,j})."""
    total = 0.0
    for j in range(size(batch)):
        total = total + level.jacobian(y, pick(batch, j))
    return total / size(batch)


def product_of_means(levels, inputs, batches):
    """∏_i (1/B) Σ_j ∇f_i(u^{i-1}; ξ^{i,j}): every sample meets every other."""
    product = np.eye(len(inputs[0]))
    for level, y, batch in zip(levels, inputs, batches, strict=True):
        product = product @ mean_jacobian(level, y, batch)
    return product[:, 0]


def mean_of_products(levels, inputs, batches):
    """(1/B) Σ_j ∏_i ∇f_i(u^{i-1}; ξ^{i,j}): the paper's paired form."""
    n = max(size(batch) for batch in batches)
    total = 0.0
    for j in range(n):
        product = np.eye(len(inputs[0]))
        for level, y, batch in zip(levels, inputs, batches, strict=True):
            product = product @ level.jacobian(y, pick(batch, j))
        total = total + product[:, 0]
    return total / n


def batch_gradient(levels, inputs, batches, pairing):
    """The batch gradient of the chosen pairing."""
    chosen = {"paired": mean_of_products, "all": product_of_means}[pairing]
    return chosen(levels, inputs, batches)


def exact_values(levels, x):
    """f_1(x), f_2(f_1(x)), …, F(x), each level over all of its data."""
    values, y = [], x
    for level in levels:
        y = mean_value(level, y, level.data)
        values.append(y)
    return values


def exact_gradient(levels, inputs):
    """∏_i ∇f_i(u^{i-1}) with full mean Jacobians at the given inputs."""
    return product_of_means(levels, inputs, [level.data for level in levels])


# Estimators: one step of each at the new point x, from the state `old`.


def momentum(levels, method, old, x, for_values, for_gradient, alpha):
    """Equations ss1 and ss2."""
    u, y = [], x
    for i, level in enumerate(levels):
        y = (1 - alpha) * old.u[i] + alpha * mean_value(level, y, for_values[i])
        u.append(y)
    now = batch_gradient(levels, [x, *u[:-1]], for_gradient, method.pairing)
    return replace(old, x=x, u=u, v=(1 - alpha) * old.v + alpha * now)


def storm(levels, method, old, x, for_values, for_gradient, alpha):
    """Equations VR:u and VR:v."""
    u, y = [], x
    for i, level in enumerate(levels):
        now = mean_value(level, y, for_values[i])
        before = mean_value(level, old.inputs[i], for_values[i])
        y = (1 - alpha) * old.u[i] + now - (1 - alpha) * before
        u.append(y)
    now = batch_gradient(levels, [x, *u[:-1]], for_gradient, method.pairing)
    before = batch_gradient(levels, old.inputs, for_gradient, method.pairing)
    return replace(old, x=x, u=u, v=(1 - alpha) * old.v + now - (1 - alpha) * before)


def snapshot(levels, method, old, x, for_values, for_gradient, alpha, take):
    """Equations fs:u and fs:v; `take` says whether this iteration is a snapshot."""
    snap_inputs, snap_values = list(old.snap_inputs), list(old.snap_values)
    u, y = [], x
    for i, level in enumerate(levels):
        if take:
            snap_inputs[i], snap_values[i] = y, mean_value(level, y, level.data)
        now = mean_value(level, y, for_values[i])
        before = mean_value(level, old.inputs[i], for_values[i])
        h = now - mean_value(level, snap_inputs[i], for_values[i]) + snap_values[i]
        y = (1 - alpha) * old.u[i] + alpha * h + (1 - alpha) * (now - before)
        u.append(y)
    snap_gradient = exact_gradient(levels, snap_inputs) if take else old.snap_gradient
    now = batch_gradient(levels, [x, *u[:-1]], for_gradient, method.pairing)
    before = batch_gradient(levels, old.inputs, for_gradient, method.pairing)
    at_snap = batch_gradient(levels, snap_inputs, for_gradient, method.pairing)
    correction = now - at_snap + snap_gradient
    v = (1 - alpha) * old.v + alpha * correction + (1 - alpha) * (now - before)
    return replace(
        old, x=x, u=u, v=v, snap_inputs=snap_inputs, snap_values=snap_values,
        snap_gradient=snap_gradient,
    )  # fmt: skip


# Directions: the target z_t and the number of oracle calls.


def direction(domain, method, x, v, steps):
    """z_t by Algorithm 1 (v1), by Algorithm 2 with N = steps (v2), or by projection."""
    if method.direction == "lmo":
        return domain.lmo(v), 1
    if method.direction == "projected":
        return domain.project(x - v / method.beta), 0
    w = x
    for n in range(1, steps + 1):
        slope = v + method.beta * (w - x)
        s = domain.lmo(slope)
        gap = slope @ (w - s)
        if method.tol is not None and gap <= method.tol:
            return w, n
        if method.direction == "agnostic":
            gamma = 2 / (n + 1)
        else:  # minimise g(w + γ (s - w)), a quadratic in γ, over [0, 1]
            curvature = method.beta * ((s - w) @ (s - w))
            gamma = min(max(gap / curvature, 0.0), 1.0) if curvature > 0 else 0.0
        w = (1 - gamma) * w + gamma * s
    return w, steps


# The algorithms: start, step, stage.


def split(method, batch):
    """The batches for the values and for the gradient."""
    return batch if method.gradient_batch == "separate" else (batch, batch)


def init(levels, method, x, batch=None):
    """x_1, u_1, v_1: means over the first batch; exact for the snapshot family."""
    x = np.asarray(x, dtype=float)
    if method.estimator == "snapshot":
        u = exact_values(levels, x)
        state = State(x, u, exact_gradient(levels, [x, *u[:-1]]))
        return take_snapshot(levels, state)
    for_values, for_gradient = split(method, batch)
    u, y = [], x
    for level, samples in zip(levels, for_values, strict=True):
        y = mean_value(level, y, samples)
        u.append(y)
    return State(x, u, batch_gradient(levels, [x, *u[:-1]], for_gradient, method.pairing))


def take_snapshot(levels, state):
    """A snapshot at the present inputs; u and v stay as they are."""
    values = [mean_value(f, y, f.data) for f, y in zip(levels, state.inputs, strict=True)]
    gradient = exact_gradient(levels, state.inputs)
    return replace(
        state, snap_inputs=list(state.inputs), snap_values=values, snap_gradient=gradient
    )


def period(levels, method, batch_size):
    """I, by default ⌈m/B⌉ with m the largest data length."""
    if method.period is not None:
        return method.period
    return math.ceil(max(size(f.data) for f in levels if f.data is not None) / batch_size)


def step(levels, domain, method, state, batch, *, eta, alpha, inner=1):
    """Move with v_t, then estimate at x_{t+1}. Returns the state and the oracle calls."""
    z, calls = direction(domain, method, state.x, state.v, inner)
    x = state.x + eta * (z - state.x)
    t = state.t + 1
    for_values, for_gradient = split(method, batch)
    arguments = (levels, method, state, x, for_values, for_gradient, alpha)
    if method.estimator == "momentum":
        new = momentum(*arguments)
    elif method.estimator == "storm":
        new = storm(*arguments)
    else:
        every = period(levels, method, max(size(b) for b in for_values))
        new = snapshot(*arguments, take=t % every == 0)
    return replace(new, t=t), calls


def begin_stage(levels, method, state, batch=None):
    """t = 1 again, warm; with a batch the values and the gradient start afresh from it."""
    if batch is not None:
        return init(levels, method, state.x, batch)
    state = replace(state, t=1)
    return take_snapshot(levels, state) if method.estimator == "snapshot" else state


# Sets.


def simplex(radius=1.0):
    """{s ≥ 0, Σ s = radius}."""

    def lmo(d):
        s = np.zeros_like(d)
        s[np.argmin(d)] = radius
        return s

    def project(y):
        ordered = np.sort(y)[::-1]
        for k in range(len(y), 0, -1):  # the largest support whose smallest entry stays positive
            shift = (ordered[:k].sum() - radius) / k
            if ordered[k - 1] - shift > 0:
                return np.maximum(y - shift, 0.0)
        raise AssertionError("unreachable: k = 1 always fits")

    return Domain(lmo, project)


def l1_ball(radius=1.0):
    """{‖s‖₁ ≤ radius}."""

    def lmo(d):
        s = np.zeros_like(d)
        k = np.argmax(np.abs(d))
        s[k] = -radius * np.sign(d[k])
        return s

    def project(y):
        if np.abs(y).sum() <= radius:
            return y
        return np.sign(y) * simplex(radius).project(np.abs(y))

    return Domain(lmo, project)


def l2_ball(radius=1.0):
    """{‖s‖₂ ≤ radius}."""
    return Domain(
        lambda d: -radius * d / np.linalg.norm(d),
        lambda y: y * min(1.0, radius / np.linalg.norm(y)),
    )


def box(lower, upper):
    """{lower ≤ s ≤ upper}, flat."""
    return Domain(lambda d: np.where(d > 0, lower, upper), lambda y: np.clip(y, lower, upper))


def nuclear_ball(shape, radius=1.0):
    """{‖S‖_* ≤ radius}, matrices flattened by rows."""

    def lmo(d):
        left, _, right = np.linalg.svd(d.reshape(shape), full_matrices=False)
        return -radius * np.outer(left[:, 0], right[0]).ravel()

    def project(y):
        left, s, right = np.linalg.svd(y.reshape(shape), full_matrices=False)
        return ((left * l1_ball(radius).project(s)) @ right).ravel()

    return Domain(lmo, project)


def product(domains, sizes):
    """Blocks of the given sizes, each in its own set."""
    cuts = np.cumsum(sizes)[:-1]

    def each(name):
        def apply(y):
            parts = zip(domains, np.split(y, cuts), strict=True)
            return np.concatenate([getattr(domain, name)(part) for domain, part in parts])

        return apply

    return Domain(each("lmo"), each("project"))
