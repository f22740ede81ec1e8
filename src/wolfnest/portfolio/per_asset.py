"""Values given per asset: one for all of them, one by one in their order, or by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

MOST_SHOWN = 6


def per_asset(name: str, value: Any, assets: Sequence[str], missing: float) -> np.ndarray:
    """`value` as one number per asset; what a mapping or a Series leaves out is `missing`.

    >>> per_asset("max_weight", {"B": 0.3}, ("A", "B"), missing=1.0)
    array([1. , 0.3])
    >>> per_asset("max_weight", 0.5, ("A", "B"), missing=1.0)
    array([0.5, 0.5])
    """
    if value is None:
        return np.full(len(assets), missing)
    given = by_name(value)
    if given is not None:
        refuse_unknown(name, given, assets)
        value = [missing if (v := given.get(asset)) is None else v for asset in assets]
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, or one per asset, got {value!r}.") from None
    if numbers.shape not in ((), (len(assets),)):
        raise ValueError(
            f"{name} must be a number, {len(assets)} numbers (one per asset) or numbers by asset, "
            f"got shape {numbers.shape}."
        )
    numbers = np.broadcast_to(numbers, (len(assets),))
    if np.any(np.isnan(numbers)):
        where = assets[int(np.argmax(np.isnan(numbers)))]
        raise ValueError(f"{name} must be made of numbers, got NaN for {where!r}.")
    return np.array(numbers)


def labels(name: str, value: Any, assets: Sequence[str]) -> list[Any]:
    """One label per asset; None for assets that a mapping or a Series leaves out.

    >>> labels("groups", {"A": "tech"}, ("A", "B"))
    ['tech', None]
    """
    given = by_name(value)
    if given is not None:
        refuse_unknown(name, given, assets)
        return [given.get(asset) for asset in assets]
    found = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else []
    if len(found) != len(assets):
        raise ValueError(
            f"{name} must have one label for each of the {len(assets)} assets, or labels by asset, "
            f"got {value!r}."
        )
    return found


def by_name(value: Any) -> dict[Any, Any] | None:
    """A mapping or a pandas Series by the names of its keys; None for anything else."""
    if isinstance(value, Mapping):
        return {str(key): one for key, one in value.items()}
    # Recognised by its look: pandas need not be installed.
    if hasattr(value, "items") and hasattr(value, "index") and getattr(value, "ndim", 0) == 1:
        if not value.index.is_unique:
            twice = list(value.index[value.index.duplicated()])
            raise ValueError(f"a Series by asset must name each asset once, got {listed(twice)}.")
        return {str(key): one for key, one in value.items()}
    return None


def refuse_unknown(name: str, given: Iterable[Any], assets: Sequence[str]) -> None:
    """An error that names the keys which are no assets."""
    unknown = [key for key in given if key not in assets]
    if unknown:
        raise ValueError(
            f"{name} has {listed(unknown)}, and there is no such asset: the assets are "
            f"{listed(assets)}. Correct the name, or leave it out."
        )


def listed(names: Iterable[Any], most: int = MOST_SHOWN) -> str:
    """Names in one line, the first few of them.

    >>> listed(["A", "B", "C"], most=2)
    "'A', 'B' and 1 more"
    """
    every = [repr(str(name)) for name in names]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
