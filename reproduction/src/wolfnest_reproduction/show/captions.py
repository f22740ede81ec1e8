"""What stands below a figure."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from wolfnest.common.formatting import number
from wolfnest_reproduction.show import labels, legend
from wolfnest_reproduction.show.averages import Frame
from wolfnest_reproduction.show.baseline_curves import Baseline

PER_INCH = 18  # characters of a caption


def curves(found: Frame, beyond: list[str]) -> str:
    """What the figure shows, and how it was averaged."""
    one = found.iloc[0]
    title = f"{one['experiment']}: {labels.experiment(one['experiment']).title}"
    setting = f", {one['setting']}" if one["setting"] else ""
    batch, seeds, horizon = (_span(found[name]) for name in ("batch", "seeds", "horizon"))
    text = (
        f"{title}{setting}; horizon {horizon} iterations, batch {batch}.\n"
        f"Mean over {seeds} seeds (of logarithms, except the objective); bands: 95 % confidence "
        "interval of that mean."
    )
    if beyond:
        text += f" Runs on beyond the axis: {', '.join(sorted(set(beyond), key=legend.place))}."
    return text


def fitted(text: str, inches: float) -> str:
    """Lines that are too long for a figure, broken.

    >>> fitted("one two three\\nfour", 0.5)
    'one two\\nthree\\nfour'
    """
    width = int(PER_INCH * inches)
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def exact(solvers: Sequence[Baseline], axis: str, unit: str = "") -> str:
    """What the caption says of solvers without sampling; `unit` is that of their times."""
    if not solvers:
        return ""
    if axis != "time":
        return (
            "\nSolvers without sampling draw no batches and are left out: the figure against time "
            "has them."
        )
    ends: dict[str, list[float]] = {}
    for one in solvers:
        if not one.is_curve:
            ends.setdefault(one.name, []).append(float(one.time[0]))
    done = [f"{name} was done, after {_span(times)}{unit}" for name, times in ends.items()]
    lines = f" Vertical lines: {'; '.join(done)}." if done else ""
    return f"\nThick pale curves: solvers on all data at once, without sampling.{lines}"


def _span(numbers: Collection[float]) -> str:
    low, high = number(min(numbers)), number(max(numbers))
    return low if low == high else f"{low} to {high}"
