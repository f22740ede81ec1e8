"""Synthetic returns of any size: few common factors, heavy tails, a seed."""

from __future__ import annotations

import math

import numpy as np

from wolfnest.common import checks
from wolfnest.datasets.returns import BLOCK, Returns


def factor_model(
    rows: int, dim: int, *, factors: int = 3, df: float = 4.0, seed: int = 0
) -> Returns:
    """Daily returns in percent, `r_t = μ + B f_t + s ∘ e_t`.

    All entries of `f_t` and `e_t` are independent Student t variables with `df > 2` degrees of
    freedom, scaled to variance 1, so that `E r_t = μ` and `Cov r_t = B Bᵀ + diag(s²)`. Drawn once:
    `μ_i ~ N(0.04, 0.02²)`; loadings on the first factor, the market, `B_i1 ~ U(0.5, 1.5)`, on the
    others `B_ij ~ N(0, 0.3²)`; `s_i ~ U(0.5, 2)`. With `df = 4` the fourth moment is infinite.

    Rows come from one stream, in order: a longer sample of the same seed starts with the shorter
    one (up to rounding). Besides the result, a few MiB are needed.

    >>> sample = factor_model(1000, 5, seed=1)
    >>> sample
    Returns(1,000 × 5, percent, no dates, synthetic factor model, 3 factors, Student t with 4 \
degrees of freedom, seed 1)
    >>> bool(np.array_equal(sample.values, factor_model(1000, 5, seed=1).values))
    True
    """
    rows, dim = checks.whole("rows", rows), checks.whole("dim", dim)
    factors, seed = checks.whole("factors", factors), checks.whole("seed", seed, 0)
    df = checks.finite("df", df)
    if df <= 2:
        raise ValueError(f"df must be more than 2, for the variance to be finite, got {df}.")
    generator = np.random.default_rng(seed)
    mean = generator.normal(0.04, 0.02, dim)
    loadings = generator.normal(0.0, 0.3, (dim, factors))
    loadings[:, 0] = generator.uniform(0.5, 1.5, dim)
    noise = generator.uniform(0.5, 2.0, dim)
    scale = math.sqrt((df - 2) / df)

    values = np.empty((rows, dim))
    step = max(1, BLOCK // (factors + dim))
    for begin in range(0, rows, step):
        block = values[begin : begin + step]
        draws = generator.standard_t(df, (len(block), factors + dim))
        draws *= scale
        np.matmul(draws[:, :factors], loadings.T, out=block)
        draws[:, factors:] *= noise
        block += draws[:, factors:]
        block += mean
    return Returns(
        values=values,
        dates=None,
        names=tuple(f"asset{i}" for i in range(1, dim + 1)),
        source=f"synthetic factor model, {factors} factors, Student t with {df:g} degrees of "
        f"freedom, seed {seed}",
        provenance={"factors": factors, "df": df, "seed": seed, "numpy": np.__version__},
    )
