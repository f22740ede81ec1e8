"""What the sets share: shapes checked before anything is compiled, dtypes taken from the input."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


def as_point(name: str, x: Any, shape: tuple[int, ...]) -> Array:
    """`x` as a real floating point array of the given shape; integers become default floats."""
    try:
        array = jnp.asarray(x)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of shape {shape}, got {x!r}.") from None
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}.")
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise ValueError(f"{name} must be real, got dtype {array.dtype}.")
    if not jnp.issubdtype(array.dtype, jnp.floating):
        array = array.astype(float_dtype())
    return array


def float_dtype(dtype: Any = None) -> Any:
    """`dtype`, or that of a float made without asking: float64 when JAX is told to allow it."""
    return jnp.zeros(()).dtype if dtype is None else dtype


def like(value: Any, x: Array) -> Array:
    """A parameter in the dtype of `x`, so that float32 in gives float32 out."""
    return jnp.asarray(value, x.dtype)


def nan_where(bad: Bool[Array, ""], point: Array) -> Array:
    """`point`, or NaN in all of it."""
    return jnp.where(bad, jnp.nan, point)


def has_nan(x: Array) -> Bool[Array, ""]:
    return jnp.any(jnp.isnan(x))


def first_only(mask: Bool[Array, " n"]) -> Bool[Array, " n"]:
    """The mask with all but its first True put out.

    Two plain reductions, with that of the caller; `argmin` is several times slower on a CPU.
    """
    position = jnp.arange(mask.size, dtype=jnp.int32)
    return position == jnp.min(jnp.where(mask, position, mask.size))


def smallest(values: Float[Array, " n"], k: int) -> Bool[Array, " n"]:
    """The `k` smallest entries, the first ones on ties."""
    # 0 - x has one zero only, and the selection tells 0 from -0.
    order = jax.lax.top_k(0 - values, k)[1]
    return jnp.zeros(values.shape, bool).at[order].set(True)


def against(d: Array, size: Array) -> Array:
    """`size` with the signs that make `<·, d>` smallest; plus where `d` is zero."""
    return jnp.where(d > 0, 0 - size, size)  # 0 - 0 has no sign


def unit(x: Array) -> tuple[Array, Float[Array, ""]]:
    """`x / ‖x‖` and `‖x‖` over all entries, without overflow or underflow of the squares.

    Zero stays zero; NaN or an infinite entry gives NaN.
    """
    largest = jnp.max(jnp.abs(x))
    scaled = x / jnp.where(largest == 0, 1, largest)
    norm = jnp.sqrt(jnp.sum(scaled * scaled))
    return scaled / jnp.where(norm == 0, 1, norm), norm * largest


def rescaled(direction: Float[Array, "*shape"]) -> tuple[Float[Array, "*shape"], Bool[Array, ""]]:
    """The direction over its largest absolute entry, and whether it has a NaN (zero then).

    Infinite entries outweigh all finite ones: they become ±1 and the others 0, the limit of
    directions that grow there.
    """
    nan = has_nan(direction)
    largest = jnp.max(jnp.abs(direction))
    finite = direction / jnp.where(largest == 0, 1, largest)
    infinite = jnp.where(jnp.isinf(direction), jnp.sign(direction), 0)
    heading = jnp.where(jnp.isinf(largest), infinite, finite)
    return jnp.where(nan, 0, heading), nan


def no_projection(name: str) -> ValueError:
    """The error of a set that knows no projection."""
    return ValueError(
        f"project is not known for {name}, which has no fast projection: use a direction that "
        "needs only the oracle (LMO, InnerFrankWolfe, Pairwise) instead of a projected one."
    )
