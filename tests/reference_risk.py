"""Risk measures in plain NumPy and SciPy, from their definitions, and their conic models in CVXPY.

Written without a look at the library's formulas where there is another way: tails by linear
programming, balls of distributions by their primal, expectiles by their first-order condition.
"""

import math

import numpy as np
from scipy import optimize

# ---- ρ itself ------------------------------------------------------------------------------------


def rho(name, r, p, x, s):
    """ρ of the portfolio x, for returns r with probabilities p and settings s."""
    return RHO[name](-(r @ x), p, s)


def _variance(loss, p, s):
    mean = math.fsum(p * loss)
    return math.fsum(p * (loss - mean) ** 2)


def _semideviation(loss, p, s):
    mean, total = math.fsum(p * loss), 0.0
    for each, weight in zip(loss, p, strict=True):
        total += weight * max(each - mean, 0.0) ** s["order"]
    return total ** (1 / s["order"])


def _absolute(loss, p, s):
    mean = math.fsum(p * loss)
    return math.fsum(p * abs(loss - mean))


def _cvar(loss, p, s):
    """The largest mean over distributions with density at most 1/(1 - α)."""
    found = optimize.linprog(
        -loss, A_eq=np.ones((1, len(p))), b_eq=[1.0], bounds=[(0, w / (1 - s["level"])) for w in p]
    )
    return -found.fun


def _entropic(loss, p, s):
    return math.log(math.fsum(p * np.exp(s["theta"] * loss))) / s["theta"]


def _kl(loss, p, radius):
    """The tilted distribution whose divergence is the radius."""

    def tilted(log_heat):
        q = p * np.exp((loss - loss.max()) / math.exp(log_heat))
        return q / q.sum()

    def divergence(log_heat):
        q = tilted(log_heat)
        used = q > 0
        return math.fsum(q[used] * np.log(q[used] / p[used]))

    root = optimize.brentq(lambda a: divergence(a) - radius, -12, 12, xtol=1e-14)
    return math.fsum(tilted(root) * loss)


def _chi2(loss, p, s):
    """The primal, in coordinates in which the ball is round."""
    import cvxpy as cp

    q = cp.Variable(len(p))
    ball = cp.sum_squares(cp.multiply(1 / np.sqrt(p), q - p)) <= s["radius"]
    model = cp.Problem(cp.Maximize(loss @ q), [q >= 0, cp.sum(q) == 1, ball])
    return model.solve(solver="CLARABEL")


def _expectile(loss, p, s):
    a = s["level"]

    def balance(e):
        above, below = np.maximum(loss - e, 0), np.maximum(e - loss, 0)
        return a * math.fsum(p * above) - (1 - a) * math.fsum(p * below)

    return optimize.brentq(balance, loss.min(), loss.max(), xtol=1e-15)


def _drag(loss, p, s):
    u = s["unit"]
    return -math.fsum(p * loss) - u * math.fsum(p * np.log(1 - loss / u))


RHO = {
    "variance": _variance,
    "deviation": lambda loss, p, s: math.sqrt(_variance(loss, p, s)),
    "semideviation": _semideviation,
    "absolute-deviation": _absolute,
    "cvar": _cvar,
    "entropic": _entropic,
    "evar": lambda loss, p, s: _kl(loss, p, -math.log(1 - s["level"])),
    "expectile": _expectile,
    "kl-robust": lambda loss, p, s: _kl(loss, p, s["radius"]),
    "chi2-robust": _chi2,
    "log-utility": _drag,
    "tracking-error": lambda loss, p, s: math.sqrt(_variance(loss + s["benchmark"], p, s)),
}

# ---- what is minimised: ρ smoothed, at a point with its extra variables --------------------------


def hinge(t, w):
    """max(t, 0), with a parabola between -w and w."""
    return 0.0 if t <= -w else t if t >= w else (t + w) ** 2 / (4 * w)


def smoothed(name, r, p, point, s, scale):
    """ρ_s at a point, a dict of weights and the extra variables; one scenario at a time."""
    x = point["weights"]
    loss = -(r @ x)
    width = s.get("smoothing", 0.0) * scale
    mean = lambda values: math.fsum(w * value for w, value in zip(p, values, strict=True))
    average = mean(loss)
    if name in ("variance", "entropic", "log-utility"):
        return RHO[name](loss, p, s)
    if name in ("deviation", "tracking-error"):
        away = loss + s["benchmark"] if name == "tracking-error" else loss
        return math.sqrt(_variance(away, p, s) + width**2)
    if name == "semideviation":
        order = s["order"]
        if order == 1:
            return mean([hinge(each - average, width) for each in loss])
        if order == 2:
            return math.sqrt(mean([max(each - average, 0) ** 2 for each in loss]) + width**2)
        whole = mean([hinge(each - average, width) ** order for each in loss])
        return (whole + width**order) ** (1 / order)
    if name == "absolute-deviation":
        both = lambda t: hinge(t, width) + hinge(-t, width)
        return mean([both(each - average) for each in loss])
    tau = scale * point["threshold"]
    if name == "cvar":
        return tau + mean([hinge(each - tau, width) for each in loss]) / (1 - s["level"])
    if name == "expectile":
        beta = (2 * s["level"] - 1) / (1 - s["level"])
        inner = width * math.sqrt((1 - s["level"]) / s["level"])
        side = average + beta * mean([hinge(each - tau, inner) for each in loss])
        return tau + hinge(side - tau, width)
    if name == "chi2-robust":
        square = mean([max(each - tau, 0) ** 2 for each in loss])
        return tau + math.sqrt((1 + s["radius"]) * (square + width**2))
    heat = scale * point["temperature"]
    kappa = -math.log(1 - s["level"]) if name == "evar" else s["radius"]
    most = math.log(1 / min(p[p > 0]))

    def tilted(t):
        return math.exp(t) if t <= most else math.exp(most) * (1 + t - most)

    return tau + heat * (mean([tilted((each - tau) / heat) for each in loss]) - 1 + kappa)


def trading(x, rates, previous, width):
    """Σ c_i |x_i - p_i|, with a parabola where |x_i - p_i| < width."""
    total = 0.0
    for rate, change in zip(rates, np.abs(x - previous), strict=True):
        total += rate * (change**2 / (2 * width) if change < width else change - width / 2)
    return total


def slopes(fn, point, step=1e-6):
    """Central differences of fn over a dict of arrays."""
    found = {}
    for key, value in point.items():
        value = np.asarray(value, float)
        grad = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            moved = []
            for sign in (1, -1):
                other = value.copy()
                other[index] += sign * step
                moved.append(fn({**point, key: other}))
            grad[index] = (moved[0] - moved[1]) / (2 * step)
        found[key] = grad
    return found


# ---- the minimum of the exact objective over the simplex, by CVXPY -------------------------------


def conic_minimum(name, r, p, s, risk, more=lambda x: 0):
    """min -E r·x + risk · ρ(x) + more(x) over the simplex; not smoothed."""
    import cvxpy as cp

    x = cp.Variable(r.shape[1])
    loss = -(r @ x)
    mean, rules = p @ loss, [x >= 0, cp.sum(x) == 1]
    root = np.sqrt(p)
    if name == "variance":
        rho = cp.sum_squares(cp.multiply(root, loss - mean))
    elif name in ("deviation", "tracking-error"):
        away = loss + s["benchmark"] if name == "tracking-error" else loss
        rho = cp.norm(cp.multiply(root, away - p @ away))
    elif name == "semideviation":
        order = s["order"]
        rho = cp.pnorm(cp.multiply(p ** (1 / order), cp.pos(loss - mean)), order)
    elif name == "absolute-deviation":
        rho = p @ cp.abs(loss - mean)
    elif name == "entropic":
        rho = cp.log_sum_exp(s["theta"] * loss + np.log(p)) / s["theta"]
    elif name == "log-utility":
        rho = -mean - s["unit"] * (p @ cp.log(1 - loss / s["unit"]))
    else:
        tau = cp.Variable()
        if name == "cvar":
            rho = tau + p @ cp.pos(loss - tau) / (1 - s["level"])
        elif name == "expectile":
            beta = (2 * s["level"] - 1) / (1 - s["level"])
            rho, rules = tau, [*rules, tau >= mean + beta * (p @ cp.pos(loss - tau))]
        elif name == "chi2-robust":
            spread = cp.norm(cp.multiply(root, cp.pos(loss - tau)))
            rho = tau + math.sqrt(1 + s["radius"]) * spread
        else:
            heat, each = cp.Variable(), cp.Variable(len(p))
            kappa = -math.log(1 - s["level"]) if name == "evar" else s["radius"]
            cone = cp.ExpCone(loss - tau, heat * np.ones(len(p)), each)
            rho, rules = tau + kappa * heat, [*rules, cone, p @ each <= heat]
    model = cp.Problem(cp.Minimize(mean + risk * rho + more(x)), rules)
    return model.solve(solver="CLARABEL")
