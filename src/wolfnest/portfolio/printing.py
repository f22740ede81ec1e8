"""What `wolfnest portfolio` prints: for people, and for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wolfnest.portfolio.in_words import achieved
from wolfnest.portfolio.study import Study

SMALL = 5e-4  # weights below this are not listed one by one


def show(console: Console, found: Study, said: Iterable[str]) -> None:
    """The weights and what they achieve, for a terminal; `said` are warnings of the fit."""
    console.print(f"[bold]{escape(found.table.source)}[/bold]", soft_wrap=True)
    for note in found.table.notes:
        console.print(f"  {escape(note)}", soft_wrap=True)
    for warning in said:
        console.print(f"[yellow]note:[/yellow] {escape(warning)}", soft_wrap=True)
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("asset", "weight", "share of risk"):
        grid.add_column(heading, justify="left" if heading == "asset" else "right")
    small = np.abs(found.weights) < SMALL
    for i in np.argsort(-np.abs(found.weights), kind="stable")[: np.sum(~small)]:
        cells = (f"{100 * found.weights[i]:.2f} %", f"{100 * found.shares[i]:.2f} %")
        grid.add_row(escape(found.assets[i]), *cells)
    if small.any():
        rest = f"{100 * float(found.weights[small].sum()):.2f} %"
        grid.add_row(f"{np.sum(small)} others", rest, "")
    console.print(grid)
    for name, value in achieved(found).items():
        console.print(f"{name}: {escape(str(value))}", soft_wrap=True, highlight=False)


def record(found: Study, said: Iterable[str]) -> dict[str, Any]:
    """The same as values of JSON."""
    model, bound = found.model, found.model.certificate_
    finite = lambda value: float(value) if math.isfinite(value) else None
    return {
        "source": found.table.source,
        "notes": [*found.table.notes, *said],
        "risk_measure": model.risk,
        "risk_aversion": finite(model.risk_aversion),
        "weights": dict(zip(found.assets, map(float, found.weights), strict=True)),
        "share_of_risk": dict(zip(found.assets, map(float, found.shares), strict=True)),
        "mean": model.mean_,
        "risk": model.risk_,
        "objective": finite(float(bound.value)),
        "certificate": finite(float(bound.bound)),
        "exact_gap": finite(model.exact_gap_),
        "smoothing": finite(model.smoothing_),
        "converged": model.solution_.status == "converged",
        "seconds": model.seconds_,
    }
