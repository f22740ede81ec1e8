"""Draw the bias of shared gradient batches: `python docs/figures/shared_batches.py --help`."""

from __future__ import annotations

import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import matplotlib
import numpy as np

import wolfnest as wn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

jax.config.update("jax_enable_x64", True)

ALPHAS = (0.3, 0.1, 0.03, 0.01)
COLOURS = {"shared": "#c0392b", "separate": "#2471a3"}


def still(point: jnp.ndarray) -> wn.sets.Box:
    """A set with one point: x stays where it is, and only the estimates move."""
    return wn.sets.Box(point, point)


def tracked_gradients(problem: wn.Problem, kind: str, alpha: float, batch: int, seeds: int):
    solver = wn.method("PMVR-v1", eta=1.0, alpha=alpha, batch=batch, gradient_batch=kind)
    steps = int(np.ceil(5 / alpha))
    return np.asarray(
        wn.solve(problem, solver, seeds=seeds, steps=steps, record_every=steps).state.v
    )


def product_problem(a: np.ndarray) -> wn.Problem:
    inner = wn.Level(lambda x, sample: sample * x, data=a)
    outer = wn.Level(lambda y: 0.5 * jnp.sum(y**2))
    return wn.Problem([inner, outer], still(jnp.ones(1)))


def mean_deviation(returns: np.ndarray) -> wn.Problem:
    assets = returns.shape[1]
    mean = wn.Level(lambda x, r: (r @ x, x), data=returns)
    variance = wn.Level(lambda y, r: (y[0], (r @ y[1] - y[0]) ** 2), data=returns)
    score = wn.Level(lambda z: -z[0] + jnp.sqrt(jnp.maximum(z[1], 0) + 1e-6))
    return wn.Problem([mean, variance, score], still(jnp.full(assets, 1 / assets)))


def draw_product(axes, seeds: int, batch: int = 4) -> None:
    a = np.array([0.0, 1.0, 1.0, 2.0, 6.0])
    problem = product_problem(a)
    for kind in ("shared", "separate"):
        v = [tracked_gradients(problem, kind, alpha, batch, seeds)[:, 0] for alpha in ALPHAS]
        bias = [values.mean() - a.mean() ** 2 for values in v]
        error = [2 * values.std() / np.sqrt(seeds) for values in v]
        axes.errorbar(ALPHAS, bias, error, fmt="o", capsize=3, color=COLOURS[kind], label=kind)
        axes.axhline(a.var() / batch if kind == "shared" else 0.0, color=COLOURS[kind], lw=1)
    axes.set(
        xscale="log", xlabel="α", ylabel="bias of v", title=f"f₁ = a x, f₂ = y²/2, batch {batch}"
    )
    axes.legend(title="gradient batch")


def draw_returns(axes, returns: np.ndarray, name: str, seeds: int) -> None:
    problem = mean_deviation(returns)
    exact = np.asarray(problem.gradient(problem.start()))
    for batch, style in ((32, "s--"), (128, "o-")):
        for kind in ("shared", "separate"):
            bias = [
                np.linalg.norm(
                    tracked_gradients(problem, kind, alpha, batch, seeds).mean(0) - exact
                )
                for alpha in ALPHAS
            ]
            axes.plot(ALPHAS, bias, style, color=COLOURS[kind], label=f"{kind}, batch {batch}")
            print(f"{kind:9s} batch {batch:4d}", [round(float(b), 4) for b in bias])
    axes.set(xscale="log", yscale="log", xlabel="α", ylabel="‖mean of v − ∇F‖", title=name)
    axes.legend()


def load(path: str | None) -> tuple[np.ndarray, str]:
    if path is None:
        rng = np.random.default_rng(0)
        market = rng.standard_t(4, size=(25_000, 1))
        own = rng.standard_t(4, size=(25_000, 10))
        return 0.04 + 0.8 * market + 0.5 * own, "mean-deviation, made-up returns"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, 1:], f"mean-deviation, {Path(path).stem.split('_')[0]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Draw the bias of shared gradient batches.",
        epilog="example: python docs/figures/shared_batches.py --returns industry10.csv",
    )
    parser.add_argument("--returns", help="CSV: a header, then a date and one return per asset")
    parser.add_argument("--seeds", type=int, default=4000, help="runs per point (default 4000)")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".png"))
    options = parser.parse_args()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    draw_product(left, options.seeds)
    draw_returns(right, *load(options.returns), options.seeds // 10)
    figure.savefig(options.out, dpi=150)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
