"""The arguments of `wolfnest bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def bench(
    rows: Annotated[
        list[str] | None,
        typer.Argument(help="Numbers or names of rows, or all; without one, they are listed."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: only see that the rows run.")
    ] = False,
    rounds: Annotated[
        int | None, typer.Option(min=2, help="Interleaved rounds, in place of the row's own.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write all results to this JSON file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Append the tables to this Markdown file.")
    ] = None,
    figures: Annotated[Path | None, typer.Option(help="An existing folder for plots.")] = None,
) -> None:
    """Measure speed: ratios against alternatives, side by side in one run."""
    from rich.console import Console

    import wolfnest_benchmarks as package
    from wolfnest_benchmarks.rendering import listing

    try:
        if not rows:
            Console().print(listing(package.rows()))
            typer.echo('"wolfnest bench 1" measures a row, "wolfnest bench all" every one.')
            return
        asked = package.rows() if rows == ["all"] else [package.find(row) for row in rows]
        options = package.Options(quick=quick, rounds=rounds, figures=figures)
        package.run(asked, options, out=out, markdown=markdown)
    except (ValueError, package.RowError) as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(2 if isinstance(error, ValueError) else 1) from error
    except KeyboardInterrupt as stop:
        raise typer.Exit(130) from stop


bench.example = "Example: wolfnest bench"  # type: ignore[attr-defined]
