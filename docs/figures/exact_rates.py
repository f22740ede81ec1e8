"""Draw the rates of exact Frank-Wolfe methods: `python docs/figures/exact_rates.py --help`."""

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

COLOURS = {"FW": "#7f8c8d", "AFW": "#c0392b", "PFW": "#2471a3", "BPFW": "#1e8449"}
WORDS = {"FW": "vanilla", "AFW": "away steps", "PFW": "pairwise", "BPFW": "blended pairwise"}
# Rounding decides below.
FLOOR = 1e-12


def towards_face(domain: wn.sets.AbstractSet, best: np.ndarray, rng) -> wn.Problem:
    """`½ Σ c_i (x_i - t_i)²`, `1 ≤ c ≤ 10`, with its minimiser at `best`: the gradient there is
    zero where `best` is not, and positive elsewhere."""
    curvature = rng.uniform(1, 10, best.shape)
    slope = np.where(best > 0, 0.0, rng.uniform(0.1, 1.0, best.shape))
    c, t = jnp.asarray(curvature), jnp.asarray(best - slope / curvature)
    level = wn.Level(lambda x: 0.5 * jnp.sum(c * (x - t) ** 2))
    return wn.Problem([level], domain, strong_convexity=float(curvature.min()))


def in_simplex(dim: int = 100, used: int = 20) -> tuple[wn.Problem, np.ndarray, str]:
    rng = np.random.default_rng(0)
    best = np.zeros(dim)
    best[:used] = rng.dirichlet(np.full(used, 5.0))
    title = f"simplex, {dim} entries, {used} of them in the minimiser"
    return towards_face(wn.sets.Simplex(dim), best, rng), np.eye(dim)[-1], title


def in_birkhoff(dim: int = 8, used: int = 6) -> tuple[wn.Problem, np.ndarray, str]:
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(used, 5.0))
    best = sum(w * np.eye(dim)[rng.permutation(dim)] for w in weights)
    title = f"Birkhoff polytope, {dim} × {dim}, minimiser of {used} permutations"
    return towards_face(wn.sets.Birkhoff(dim), best, rng), np.eye(dim), title


def run(problem: wn.Problem, name: str, start: np.ndarray, steps: int):
    """Steps, and the least gap so far."""
    solution = wn.solve(
        problem, wn.method(name), start, steps=steps, record_every=max(1, steps // 100)
    )
    return solution.trace.step, np.minimum.accumulate(solution.trace.frank_wolfe_gap)


def slope(step: np.ndarray, gap: np.ndarray) -> float:
    """Digits per step, over the second half of the digits gained."""
    half = (gap <= np.sqrt(gap[0] * max(gap[-1], FLOOR))) & (gap > FLOOR)
    return float(-np.polyfit(step[half], np.log10(gap[half]), 1)[0])


def power(step: np.ndarray, gap: np.ndarray) -> float:
    """The exponent of `gap ~ t^-p`, over the last nine tenths of the steps."""
    late = step >= step[-1] / 10
    return float(-np.polyfit(np.log10(step[late]), np.log10(gap[late]), 1)[0])


def draw(axes, problem: wn.Problem, start: np.ndarray, title: str, steps: int) -> None:
    print(title)
    for name, colour in COLOURS.items():
        step, gap = run(problem, name, start, steps)
        if name == "FW":
            rate = f"like t^-{power(step, gap):.2f}"
        else:
            rate = f"{slope(step, gap):.3f} digits per step"
        print(f"  {name:5} {rate}, {gap[-1]:.1e} after {step[-1]} steps")
        shown = gap > FLOOR
        axes.plot(step[shown], gap[shown], color=colour, label=f"{WORDS[name]}: {rate}")
    axes.set(yscale="log", xlabel="steps", ylabel="least Frank-Wolfe gap so far", title=title)
    axes.title.set_fontsize(10)
    axes.set_ylim(FLOOR, 1e5)
    axes.legend(fontsize=8, loc="upper right")
    axes.grid(alpha=0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the rates of exact Frank-Wolfe methods.")
    parser.add_argument("--steps", type=int, default=600, help="steps per run (default 600)")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".png"))
    options = parser.parse_args()
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for panel, case in zip(axes, (in_simplex(), in_birkhoff()), strict=True):
        draw(panel, *case, options.steps)
    figure.savefig(options.out, dpi=110)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
