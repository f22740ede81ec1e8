"""What the benchmarks share: one core, 64-bit floats, the mean-variance problem.

Import it before NumPy and JAX: they start their threads when they are loaded.
"""

from __future__ import annotations

import os

CORE = sorted(os.sched_getaffinity(0))[0] if hasattr(os, "sched_getaffinity") else None
if CORE is not None:
    os.sched_setaffinity(0, {CORE})

import jax  # noqa: E402
import numpy as np  # noqa: E402

import wolfnest as wn  # noqa: E402

jax.config.update("jax_enable_x64", True)

ASSETS, DAYS, BATCH, RISK = 17, 25_105, 128, 1.0


def first_level(x, r):
    return -(r @ x), x


def second_level(y, r):
    return y[0] + RISK * (r @ y[1] + y[0]) ** 2


def mean_variance(table: np.ndarray) -> wn.Problem:
    levels = [wn.Level(first_level, data=table), wn.Level(second_level, data=table)]
    return wn.Problem(levels, wn.sets.Simplex(table.shape[1]), convex=True)
