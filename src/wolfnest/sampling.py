"""Uniform row numbers, drawn cheaply: a multiply and a shift instead of a division."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray, UInt32

_HALF = 16
_LOW = (1 << _HALF) - 1
# Up to this length one random word per index is enough: the chances of two rows then differ by
# less than 2^-16 of themselves. Longer data use two words, and 2^-32.
ONE_WORD = 1 << 16


def indices(key: PRNGKeyArray, size: int, n: int) -> UInt32[Array, " n"]:
    """`n` row numbers, uniform on 0 … size-1, with replacement."""
    if size <= ONE_WORD:
        high, _ = _multiply(jax.random.bits(key, (n,), jnp.uint32), size)
        return high
    words = jax.random.bits(key, (2, n), jnp.uint32)
    high, low = _multiply(words[0], size)
    carried, _ = _multiply(words[1], size)
    overflow = (low + carried < low).astype(jnp.uint32)
    return high + overflow


def _multiply(word: Array, size: int) -> tuple[Array, Array]:
    """The high and the low 32 bits of `word * size`, by 16-bit halves: no 64-bit integers are
    needed, which JAX has only when they are enabled."""
    size_high, size_low = size >> _HALF, size & _LOW
    word_high, word_low = word >> _HALF, word & _LOW
    low = word_low * size_low
    middle = word_high * size_low + (low >> _HALF)
    cross = word_low * size_high + (middle & _LOW)
    high = word_high * size_high + (middle >> _HALF) + (cross >> _HALF)
    return high, word * size
