"""Uniform row numbers, drawn cheaply: random words in straight-line code, and a multiply and a
shift instead of a division."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray, UInt32

_HALF = 16
_LOW = (1 << _HALF) - 1
# Up to this length one random word per index is enough: the chances of two rows then differ by
# less than 2^-16 of themselves. Longer data use two words, and 2^-32.
ONE_WORD = 1 << 16

# Threefry-2x32 with 20 rounds: rotations of its rounds, and the constant of its third key word.
_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_ROUNDS = 20
_PARITY = 0x1BD11BDA


def indices(key: PRNGKeyArray, size: int, n: int) -> UInt32[Array, " n"]:
    """`n` row numbers, uniform on 0 … size-1, with replacement."""
    if size <= ONE_WORD:
        high, _ = _multiply(words(key, (n,)), size)
        return high
    drawn = words(key, (2, n))
    high, low = _multiply(drawn[0], size)
    carried, _ = _multiply(drawn[1], size)
    overflow = (low + carried < low).astype(jnp.uint32)
    return high + overflow


def words(key: PRNGKeyArray, shape: tuple[int, ...]) -> UInt32[Array, " *shape"]:
    """The words of `jax.random.bits(key, shape)`, in half the time on a CPU.

    JAX writes out the rounds of its generator on accelerators only; on a CPU they are a loop, which
    goes through memory in every turn. Written out, the compiler makes one vectorised pass of them.
    """
    if str(jax.random.key_impl(key)) != "threefry2x32":
        return jax.random.bits(key, shape, jnp.uint32)
    first, second = jax.random.key_data(key)
    keys = (first, second, first ^ second ^ jnp.uint32(_PARITY))
    low = jax.lax.iota(jnp.uint32, math.prod(shape)) + keys[1]
    high = jnp.broadcast_to(keys[0], low.shape)
    for done in range(_ROUNDS):
        turn = _ROTATIONS[done % 8]
        high = high + low
        low = high ^ ((low << turn) | (low >> (32 - turn)))
        if done % 4 == 3:
            group = done // 4 + 1
            high = high + keys[group % 3]
            low = low + keys[(group + 1) % 3] + jnp.uint32(group)
    return (high ^ low).reshape(shape)


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
