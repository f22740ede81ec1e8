"""The loops in PyTorch: levels as functions of a batch, gradients by autograd, no compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wolfnest_benchmarks.loops.settings import Draw, Settings


def run(
    problem: str, method: str, table: np.ndarray, steps: int, at: Settings, draw: Draw | int = 0
) -> np.ndarray:
    """The point after `steps` steps; `draw` is a seed, or a function that names the rows."""
    import torch  # pyright: ignore[reportMissingImports]

    rows = torch.tensor(table)
    if isinstance(draw, int):
        source = torch.Generator().manual_seed(draw)
        pick = lambda step: torch.randint(len(rows), (2, at.batch), generator=source)
    else:
        named = draw
        pick = lambda step: torch.from_numpy(np.asarray(named(step), np.int64))
    chain = Chain({"mean-variance": mean_variance, "mean-deviation": mean_deviation}[problem](at))
    family, _, version = method.partition("-")
    corrected, anchored = family != "PMM", family == "PMFS"
    target = inner if version == "v2" else vertex
    keep, alpha, period = 1 - at.alpha, at.alpha, at.period(len(table))

    def track(old: Any, now: Any, then: Any, aim: Any) -> Any:
        if not corrected:
            return keep * old + alpha * now
        if not anchored:
            return now + keep * (old - then)
        return keep * (old + now - then) + alpha * aim

    x = rows.new_full((table.shape[1],), 1 / table.shape[1])
    batch = (rows, rows) if anchored else rows[pick(-1)]
    u = chain.values(x, batch)
    v = chain.exact_gradient(x, u, rows) if anchored else chain.gradient(x, u, batch)
    snap_x, snap, exact, exact_v = x, u, u, v
    for step in range(steps):
        before_x, before = x, u
        x = x + at.eta * (target(x, v, at) - x)
        batch, due = rows[pick(step)], anchored and (step + 2) % period == 0
        u, y, past, held, true = [], (x,), (before_x,), (snap_x,), []
        for i, old in enumerate(before):
            r = batch[min(i, 1)]
            now = then = aim = chain.mean(i, y, r)
            if corrected:
                then = chain.mean(i, past, r)
            if due:
                aim = chain.mean(i, y, rows)
                true.append(aim)
            elif anchored:
                there = chain.mean(i, held, r)
                aim = tuple(n - a + e for n, a, e in zip(now, there, exact[i], strict=True))
            y, past, held = tuple(map(track, old, now, then, aim)), old, snap[i]
            u.append(y)
        now = then = aim = chain.gradient(x, u, batch)
        if corrected:
            then = chain.gradient(before_x, before, batch)
        if due:
            snap_x, snap, exact, exact_v = x, u, true, chain.exact_gradient(x, u, rows)
            aim = exact_v
        elif anchored:
            aim = now - chain.gradient(snap_x, snap, batch) + exact_v
        v = track(v, now, then, aim)
    return x.numpy()


# ---- problems: what a level makes of its inputs and a batch, one value per sample ------------


def mean_variance(at: Settings) -> list[Callable]:
    return [
        lambda y, r: (-(r @ y[0]), y[0]),
        lambda y, r: (y[0] + at.risk * (_dots(r, y[1]) + y[0]) ** 2,),
    ]


def mean_deviation(at: Settings) -> list[Callable]:
    return [
        lambda y, r: (r @ y[0], y[0]),
        lambda y, r: (y[0], (_dots(r, y[1]) - y[0]) ** 2),
        lambda z, r: (-z[0] + at.risk * (z[1].clamp(min=0.0) + at.delta).sqrt(),),
    ]


def _dots(r: Any, w: Any) -> Any:
    """Rows times one vector, or times one each."""
    return r @ w if w.dim() == 1 else (r * w).sum(1)


class Chain:
    """Batch means of the levels, and the paired product of their Jacobians."""

    def __init__(self, levels: list[Callable]) -> None:
        self.levels = levels

    def mean(self, i: int, y: tuple, r: Any) -> tuple:
        """The batch mean of level `i`; what all samples share is its own mean."""
        values = self.levels[i](y, r)
        shared = [a is b for a in values for b in y]
        ones = [any(shared[k * len(y) : (k + 1) * len(y)]) for k in range(len(values))]
        return tuple(
            a if one or a.dim() == 0 else a.mean(0) for a, one in zip(values, ones, strict=True)
        )

    def values(self, x: Any, batch: Any) -> list[tuple]:
        y, found = (x,), []
        for i in range(len(self.levels)):
            y = self.mean(i, y, batch[min(i, 1)])
            found.append(y)
        return found

    def gradient(self, x: Any, u: list[tuple], batch: Any) -> Any:
        """`(1/B) Σ_j ∇f_1(x; ξ_j) ⋯ ∇f_K(u^{K-1}; ξ_j)`, by one copy of the inputs per sample."""
        import torch  # pyright: ignore[reportMissingImports]

        size, inputs = len(batch[0]), [(x,), *u[:-1]]
        cotangent = None
        for i in reversed(range(len(self.levels))):
            each = i > 0
            y = tuple(
                (a.expand(size, *a.shape) if each else a).detach().requires_grad_()
                for a in inputs[i]
            )
            out = self.levels[i](y, batch[min(i, 1)])
            if not each:
                out = tuple(a.expand(size, -1) if a is y[0] else a for a in out)
            given = [torch.full_like(a, 1 / size) for a in out] if cotangent is None else cotangent
            cotangent = torch.autograd.grad(out, y, given)
        return cotangent[0]  # type: ignore[index]

    def exact_gradient(self, x: Any, u: list[tuple], table: Any) -> Any:
        """The product of the full Jacobians."""
        import torch  # pyright: ignore[reportMissingImports]

        inputs, cotangent = [(x,), *u[:-1]], None
        for i in reversed(range(len(self.levels))):
            y = tuple(a.detach().clone().requires_grad_() for a in inputs[i])
            out = self.mean(i, y, table)
            given = [torch.ones_like(a) for a in out] if cotangent is None else cotangent
            cotangent = torch.autograd.grad(out, y, given, allow_unused=True)
        return cotangent[0]  # type: ignore[index]


# ---- where to move ---------------------------------------------------------------------------


def vertex(x: Any, v: Any, at: Settings) -> Any:
    z = x.new_zeros(x.shape)
    z[v.argmin()] = 1.0
    return z


def inner(x: Any, v: Any, at: Settings) -> Any:
    """N steps of Frank-Wolfe on `<v, w - x> + β/2 ||w - x||²` with exact line search."""
    w = x
    for _ in range(at.inner):
        slope = v + at.beta * (w - x)
        along = -w
        along[slope.argmin()] += 1.0
        bend = at.beta * (along @ along)
        w = w + (-(slope @ along) / bend).nan_to_num(0.0).clamp(0.0, 1.0) * along
    return w
