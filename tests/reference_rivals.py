"""The rival methods in plain NumPy, one function each: a step from iteration t to t + 1.

Written from the equations and independent of the library, on top of the batch means, sets and
inner Frank-Wolfe of `reference.py`. A step takes (levels, domain, state, batches, settings) and
returns the new state and the number of oracle calls; it moves with the present `v` and then
estimates at the new point. `batches` is a pair: samples for the values and samples for the
gradient (the same twice when they are shared), or, for methods with epochs, the small batch and
the large one of an epoch start (the data themselves when epochs start exactly).
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

import reference as ref
from reference import batch_gradient, direction, mean_jacobian, mean_value


@dataclass
class State(ref.State):
    """Adds the step number k, which no stage resets, tracked Jacobians, and the prox centre and
    the point of estimation of the methods whose output (`x`) is neither."""

    k: int = 1
    jacobians: list = field(default_factory=list)
    centre: np.ndarray | None = None
    point: np.ndarray | None = None


def moved(old, x, u, v, **more):
    """The state of the next iteration."""
    return replace(old, x=x, u=u, v=v, t=old.t + 1, k=old.k + 1, **more)


# Starts.


def start(levels, x, batches, *, pairing="paired"):
    """Batch means at x, level by level."""
    u, for_gradient = means(levels, x, batches[0]), batches[1]
    return State(x, u, batch_gradient(levels, [x, *u[:-1]], for_gradient, pairing))


def start_jacobians(levels, x, batches, *, clip=None):
    """Batch means of values and of Jacobians."""
    u = means(levels, x, batches[0])
    jacobians = [
        clipped(mean_jacobian(level, y, samples), clip)
        for level, y, samples in zip(levels, [x, *u[:-1]], batches[1], strict=True)
    ]
    return State(x, u, chain(jacobians), jacobians=jacobians)


def start_epoch(levels, x, batches):
    """Means over the large batch."""
    return start_jacobians(levels, x, (batches[1], batches[1]))


def start_snapshot(levels, x, batches):
    """Exact values and gradient, which are the first snapshot."""
    return State(x, *exact(levels, x), snap_inputs=[x], **snapshot_at(levels, x))


def start_ahead(levels, x, batches):
    """x, the prox centre and the point of estimation start at the same place: γ_1 = a_1 = 1."""
    return replace(start(levels, x, batches), centre=x, point=x)


# Parts.


def means(levels, x, batch):
    """Batch mean of level 1 at x, of level 2 at that value, and so on."""
    u, y = [], x
    for level, samples in zip(levels, batch, strict=True):
        y = mean_value(level, y, samples)
        u.append(y)
    return u


def exact(levels, x):
    """All values and the gradient over all data."""
    u = ref.exact_values(levels, x)
    return u, ref.exact_gradient(levels, [x, *u[:-1]])


def snapshot_at(levels, x):
    values, gradient = exact(levels, x)
    return {"snap_values": values, "snap_gradient": gradient}


def chain(jacobians):
    """V¹ V² … V^K, a vector."""
    product = np.eye(len(jacobians[0]))
    for jacobian in jacobians:
        product = product @ jacobian
    return product[:, 0]


def clipped(matrix, most):
    """The nearest matrix of Frobenius norm at most `most`."""
    norm = np.sqrt(np.sum(matrix**2))
    return matrix if most is None or norm <= most else matrix * (most / norm)


def tracked_values(levels, old, x, batch, alpha):
    """u^i by STORM: (1-α) u^i + now - (1-α) before; α = 0 are the differences of SPIDER."""
    u, y = [], x
    for level, known, point, samples in zip(levels, old.u, old.inputs, batch, strict=True):
        now, before = mean_value(level, y, samples), mean_value(level, point, samples)
        y = (1 - alpha) * known + now - (1 - alpha) * before
        u.append(y)
    return u


def tracked_jacobians(levels, old, inputs, batch, alpha, clip=None):
    """V^i by STORM at the new inputs, each clipped; α = 0 are the differences of SPIDER."""
    jacobians = []
    for i, level in enumerate(levels):
        now = mean_jacobian(level, inputs[i], batch[i])
        before = mean_jacobian(level, old.inputs[i], batch[i])
        new = (1 - alpha) * old.jacobians[i] + now - (1 - alpha) * before
        jacobians.append(clipped(new, clip))
    return jacobians


def cndg(domain, gradient, x, beta, tol, most, rule="line-search"):
    """CndG(g, x, β, tol): the point and the oracle calls."""
    method = ref.Method("", direction=rule, beta=beta, tol=tol)
    return direction(domain, method, x, gradient, most)


def starts_epoch(t, epoch):
    """Whether iteration t is one of 1, 1 + q, 1 + 2q, …"""
    return (t - 1) % epoch == 0


# Any number of levels.


def a_tscgd(levels, domain, old, batches, *, lr, alpha, strongly_convex=False, pairing="paired"):
    n, k = len(levels), old.k
    base = n + 3 if strongly_convex else n + 7
    a = 1 / k if strongly_convex else k ** (-(n + 3) / base)
    x = domain.project(old.x - lr * a * old.v)
    u, before, after = [], old.x, x
    for j, level in enumerate(levels, start=1):
        beta = min(1.0, alpha * k ** (-(n + 3 - j) / base))
        z = (1 - 1 / beta) * before + after / beta
        y = (1 - beta) * old.u[j - 1] + beta * mean_value(level, z, batches[0][j - 1])
        u.append(y)
        before, after = old.u[j - 1], y
    return moved(old, x, u, batch_gradient(levels, [x, *u[:-1]], batches[1], pairing)), 0


def linearised(levels, old, x, batches, tau, pairing):
    """The estimates of NLASG and LiNASA: values G_i, Jacobians J_i and g at the old inputs."""
    u, difference = [], x - old.x
    for i, level in enumerate(levels):
        value = mean_value(level, old.inputs[i], batches[0][i])
        jacobian = mean_jacobian(level, old.inputs[i], batches[0][i])
        new = (1 - tau) * old.u[i] + tau * value + jacobian.T @ difference
        u.append(new)
        difference = new - old.u[i]
    g = batch_gradient(levels, old.inputs, batches[1], pairing)
    return moved(old, x, u, (1 - tau) * old.v + tau * g)


def nlasg(levels, domain, old, batches, *, tau, beta, pairing="paired"):
    d = domain.project(old.x - old.v / beta)
    return linearised(levels, old, old.x + tau * (d - old.x), batches, tau, pairing), 0


def linasa(levels, domain, old, batches, *, tau, beta, inner=1, inner_growth=0.5, pairing="paired"):
    steps = math.ceil(inner * old.k**inner_growth)
    d = old.x
    for t in range(steps):
        mu = 2 / (t + 2)
        d = (1 - mu) * d + mu * domain.lmo(old.v + beta * (d - old.x))
    return linearised(levels, old, old.x + tau * (d - old.x), batches, tau, pairing), steps


def scsc(levels, domain, old, batches, *, lr, alpha, pairing="paired"):
    x = domain.project(old.x - lr * old.v)
    u = tracked_values(levels, old, x, batches[0], alpha)
    return moved(old, x, u, batch_gradient(levels, [x, *u[:-1]], batches[1], pairing)), 0


def smvr(levels, domain, old, batches, *, lr, alpha, clip=None):
    x = domain.project(old.x - lr * old.v)
    u = tracked_values(levels, old, x, batches[0], alpha)
    jacobians = tracked_jacobians(levels, old, [x, *u[:-1]], batches[1], alpha, clip)
    return moved(old, x, u, chain(jacobians), jacobians=jacobians), 0


def nested_spider(levels, domain, old, batches, *, lr, eps, epoch):
    small = batches[0]
    ahead = domain.project(old.x - lr * old.v)
    distance = np.sqrt(np.sum((ahead - old.x) ** 2))
    gamma = 0.5 if distance == 0 else min(lr * eps / distance, 0.5)
    x = old.x + gamma * (ahead - old.x)
    if starts_epoch(old.t + 1, epoch):
        new = start_epoch(levels, x, batches)
        return moved(old, x, new.u, new.v, jacobians=new.jacobians), 0
    u = tracked_values(levels, old, x, small, 0.0)
    jacobians = tracked_jacobians(levels, old, [x, *u[:-1]], small, 0.0)
    return moved(old, x, u, chain(jacobians), jacobians=jacobians), 0


# One level. The value u is estimated in the same way as the gradient v.


def gradient(levels, x, batch):
    """The batch gradient of the only level."""
    return mean_jacobian(levels[0], x, batch[0])[:, 0]


def one_sfw(levels, domain, old, batches, *, regime, horizon, eta=None, rho=None):
    t, batch = old.t, batches[0]
    if eta is None:
        eta = {"convex": 1 / (t + 1), "nonconvex": horizon ** (-2 / 3)}[regime]
    if rho is None:  # of iteration t + 1, where it is used
        rho = {"convex": 1 / (t + 2), "nonconvex": (t + 1) ** (-2 / 3)}[regime]
    x = old.x + eta * (domain.lmo(old.v) - old.x)
    u = tracked_values(levels, old, x, batch, rho)
    now, before = gradient(levels, x, batch), gradient(levels, old.x, batch)
    return moved(old, x, u, (1 - rho) * (old.v - before) + now), 1


def spider_fw(levels, domain, old, batches, *, eta=None, epoch=None):
    """Without settings the convex regime: stages of 1, 2, 4, … steps, each of them an epoch."""
    small, large = batches
    if eta is None:
        length = 2 ** (old.k.bit_length() - 1)
        eta = 2 / (length + old.t)
    x = old.x + eta * (domain.lmo(old.v) - old.x)
    if epoch is not None and starts_epoch(old.t + 1, epoch):
        return moved(old, x, means(levels, x, large), gradient(levels, x, large)), 1
    u = tracked_values(levels, old, x, small, 0.0)
    v = old.v + gradient(levels, x, small) - gradient(levels, old.x, small)
    return moved(old, x, u, v), 1


def next_stage(levels, old, batches):
    """t = 1 again; k goes on."""
    return replace(old, t=1)


def renewed_stage(levels, old, batches):
    """SPIDER-FW: a new stage renews the estimates at the present point from the large batch."""
    u, v = means(levels, old.x, batches[1]), gradient(levels, old.x, batches[1])
    return replace(old, u=u, v=v, t=1)


def svfw(levels, domain, old, batches, *, eta, epoch):
    batch = batches[0]
    x = old.x + eta * (domain.lmo(old.v) - old.x)
    if starts_epoch(old.t + 1, epoch):
        old = replace(old, snap_inputs=[x], **snapshot_at(levels, x))
    (point,) = old.snap_inputs
    change = mean_value(levels[0], x, batch[0]) - mean_value(levels[0], point, batch[0])
    v = gradient(levels, x, batch) - gradient(levels, point, batch) + old.snap_gradient
    return moved(old, x, [change + old.snap_values[0]], v), 1


def sgd_icg(levels, domain, old, batches, *, smoothness, tol, inner):
    x, calls = cndg(domain, old.v, old.x, 2 * smoothness, tol, inner, rule="agnostic")
    return moved(old, x, means(levels, x, batches[0]), gradient(levels, x, batches[0])), calls


def scgs(levels, domain, old, batches, *, smoothness, diameter, inner):
    k = old.k
    gamma, beta = 3 / (k + 2), 4 * smoothness / (k + 2)
    tol = smoothness * diameter**2 / (k * (k + 1))
    centre, calls = cndg(domain, old.v, old.centre, beta, tol, inner)
    y = (1 - gamma) * old.x + gamma * centre
    following = 3 / (k + 3)
    z = (1 - following) * y + following * centre
    return estimated_ahead(levels, old, y, centre, z, batches[0]), calls


def ncgs(levels, domain, old, batches, *, smoothness, tol, inner):
    k, z = old.k, old.point
    centre, first = cndg(domain, old.v, old.centre, 4 * smoothness / k, tol, inner)
    y, second = cndg(domain, old.v, z, 2 * smoothness, tol, inner)
    following = 2 / (k + 2)
    z = (1 - following) * y + following * centre
    return estimated_ahead(levels, old, y, centre, z, batches[0]), first + second


def estimated_ahead(levels, old, y, centre, z, batch):
    """Output y, prox centre, and batch means at z."""
    u, v = means(levels, z, batch), gradient(levels, z, batch)
    return moved(old, y, u, v, centre=centre, point=z)
