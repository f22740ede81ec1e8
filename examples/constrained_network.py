"""A small network with a set for every layer: `python examples/constrained_network.py --help`.

Trains the same network with momentum and with STORM through optax, and prints the loss, the norm
of every layer as a part of what its set allows, and by how much any of them exceeds it.
"""

from __future__ import annotations

import argparse
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from rich.console import Console
from rich.table import Table

import wolfnest as wn
from wolfnest.interop import as_optax, feasible, storm_gradients
from wolfnest.sets import Stacked

FEATURES, HIDDEN = 12, 24
RADII = {"sparse": 0.5, "low rank": 2.0, "bounded": 0.2, "out": 2.0}

DOMAIN = {
    "mix": Stacked(wn.sets.Simplex(FEATURES), count=FEATURES),
    "sparse": Stacked(wn.sets.L1Ball(FEATURES, RADII["sparse"]), count=HIDDEN, axis=1),
    "bounded": wn.sets.LInfBall(HIDDEN, RADII["bounded"]),
    "low rank": wn.sets.NuclearBall((HIDDEN, HIDDEN), RADII["low rank"]),
    "out": wn.sets.L2Ball(HIDDEN, RADII["out"]),
    "bias": None,
}


def first_params(rng: np.random.Generator) -> dict[str, jax.Array]:
    shapes = {
        "mix": (FEATURES, FEATURES),
        "sparse": (FEATURES, HIDDEN),
        "bounded": (HIDDEN,),
        "low rank": (HIDDEN, HIDDEN),
        "out": (HIDDEN,),
        "bias": (),
    }
    drawn = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return feasible({name: jnp.asarray(a, jnp.float32) for name, a in drawn.items()}, DOMAIN)


def loss(params: dict[str, jax.Array], rows: jax.Array, targets: jax.Array) -> jax.Array:
    hidden = jnp.tanh(rows @ params["mix"].T @ params["sparse"] + params["bounded"])
    hidden = jnp.tanh(hidden @ params["low rank"])
    return jnp.mean((hidden @ params["out"] + params["bias"] - targets) ** 2)


def sizes(params: dict[str, jax.Array]) -> dict[str, float]:
    """The norm that each set bounds as a part of its radius, in double precision; of the simplex,
    the sum of absolute values."""
    p = {name: np.asarray(a, dtype=np.float64) for name, a in params.items()}
    norms = {
        "mix": np.abs(p["mix"]).sum(axis=1).max(),
        "sparse": np.abs(p["sparse"]).sum(axis=0).max(),
        "low rank": np.linalg.svd(p["low rank"], compute_uv=False).sum(),
        "bounded": np.abs(p["bounded"]).max(),
        "out": np.linalg.norm(p["out"]),
    }
    return {name: float(norm / RADII.get(name, 1.0)) for name, norm in norms.items()}


def train(estimator: str, steps: int, data: tuple[jax.Array, jax.Array], seed: int = 0):
    """The trained parameters, and the losses on all of the data along the way."""
    rng = np.random.default_rng(seed)
    params = first_params(rng)
    optimiser = as_optax(
        DOMAIN,
        eta=optax.cosine_decay_schedule(0.05, steps, alpha=0.01),
        estimator=estimator,  # type: ignore[arg-type]
        free=optax.adam(1e-2),
    )
    gradients = storm_gradients(loss)

    def step(carry, pick):
        params, state = carry
        batch = (data[0][pick], data[1][pick])
        if estimator == "storm":
            _, grads, before = gradients(params, state, *batch)
            extra = {"previous_grads": before}
        else:
            grads, extra = jax.grad(loss)(params, *batch), {}
        updates, state = optimiser.update(grads, state, params, **extra)
        return (optax.apply_updates(params, updates), state), None

    stretch = jax.jit(lambda carry, picks: jax.lax.scan(step, carry, picks)[0])
    carry, losses = (params, optimiser.init(params)), [float(loss(params, *data))]
    for _ in range(10):
        picks = rng.integers(len(data[0]), size=(max(1, steps // 10), 64))
        carry = stretch(carry, picks)
        losses.append(float(loss(carry[0], *data)))
    return carry[0], losses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=5_000, help="updates (default 5,000)")
    options = parser.parse_args()
    rng = np.random.default_rng(7)
    rows = jnp.asarray(rng.normal(size=(4_000, FEATURES)), jnp.float32)
    data = (rows, jnp.tanh(rows[:, 0] - rows[:, 5]) * jnp.cos(rows[:, 3]) + 0.5)

    table = Table(title=f"After {options.steps:,} steps")
    table.add_column("")
    runs = {name: train(name, options.steps, data) for name in ("momentum", "storm")}
    for name in runs:
        table.add_column(name, justify="right")
    table.add_row("first loss", *(f"{losses[0]:.4f}" for _, losses in runs.values()))
    table.add_row("last loss", *(f"{losses[-1]:.4f}" for _, losses in runs.values()))
    parts = [sizes(params) for params, _ in runs.values()]
    for layer in parts[0]:
        table.add_row(f"{layer}: norm / allowed", *(f"{part[layer]:.4f}" for part in parts))
    excess = (max(0.0, max(part.values()) - 1) for part in parts)
    table.add_row("largest excess", *(f"{amount:.1e}" for amount in excess))
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
