"""Pytrees of sets, and other trees cut where the sets are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jaxtyping import PyTree

from wolfnest.sets.base import AbstractSet


def is_part(node: Any) -> bool:
    """Whether a node of a tree of sets is not looked into: sets, and None in place of one."""
    return node is None or isinstance(node, AbstractSet)


def cut(structure: Any, tree: PyTree, refusal: Callable[[Any], str]) -> list[PyTree]:
    """The blocks of a tree, one where each leaf of `structure` is. `refusal` says what is wrong
    with a tree that has another structure, which it is given."""
    try:
        return structure.flatten_up_to(tree)
    except (TypeError, ValueError) as error:
        raise ValueError(refusal(jax.tree.structure(tree))) from error


def checked_guesses(guess: Any, count: int) -> tuple[PyTree, ...]:
    """The guess of a set that is made of several: a tuple of theirs."""
    if not isinstance(guess, tuple) or len(guess) != count:
        raise ValueError(f"guess must be a tuple of {count}, one per set, got {guess!r}.")
    return guess
