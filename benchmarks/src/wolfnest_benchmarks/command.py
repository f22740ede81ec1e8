"""The arguments of `wolfnest bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfnest.common.commands import command


@command(
    "Measure speed: ratios against alternatives, side by side in one run.\n\n"
    "Some rows have options of their own, which follow their names: wolfnest bench gaps "
    "--limit 15.\nWith -h in their place, they are listed.",
    example="wolfnest bench",
    context_settings={"ignore_unknown_options": True},
)
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
    from rich.console import Console

    import wolfnest_benchmarks as package
    from wolfnest_benchmarks.rendering import listing

    # Options that this command does not know are those of a row; they come after all rows.
    words = rows or []
    first = next((k for k, word in enumerate(words) if word.startswith("-")), len(words))
    names, own = words[:first], words[first:]
    if not words:
        Console().print(listing(package.rows.every()))
        typer.echo(
            '"wolfnest bench 1" measures a row, "wolfnest bench all" every one; '
            '"wolfnest bench gaps -h" lists the options that a row has of its own.'
        )
        return
    asked = package.rows.every() if names == ["all"] else list(map(package.rows.find, names))
    options = package.Options(quick=quick, rounds=rounds, figures=figures)
    try:
        package.run(asked, options, own=own, out=out, markdown=markdown)
    except package.RowError as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(1) from error
