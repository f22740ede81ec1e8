"""The command line: arguments in, functions of the library called, text out.

A command is a function. It imports what it needs itself, so that `--help` stays quick.
"""

from __future__ import annotations

import functools
import io
import json
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any

import typer

from wolfnest.common.commands import command, told
from wolfnest.portfolio.command import portfolio

# Commands of packages beside this one, and what to install for each.
BESIDE = {"reproduce": "wolfnest-reproduction", "bench": "wolfnest-benchmarks"}


@command(
    "List the methods, or describe one: its source, updates, rates and settings.",
    example="wolfnest methods SwPMFS-v1 --json",
)
def methods(
    name: Annotated[str | None, typer.Argument(help="A method; without one, all of them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from rich.console import Console

    from wolfnest.methods import describe, names, record, table

    if as_json:
        found = record(name) if name else [record(each) for each in names()]
        typer.echo(json.dumps(found, indent=2))
    elif name:
        typer.echo(describe(name))
    else:
        Console().print(table())
        typer.echo('"wolfnest methods NAME" describes one of them.')


@command(
    "List the data sets that are found on this machine; with --download, fetch some first.",
    example="wolfnest data",
)
def data(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="To download: industry17, industry49-monthly, …; else the paper's."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--data", help="A folder or a file; else WOLFNEST_DATA, then the cache."),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch what is not there from its official site.")
    ] = False,
) -> None:
    from rich.console import Console

    from wolfnest import datasets
    from wolfnest.datasets.listing import listing

    for name in (names or ("industry10", "industry12", "industry17")) if download else ():
        typer.echo(repr(datasets.load(name, data=folder, download=True)))
    Console().print(listing(datasets.available(folder)))


OWN = (methods, data, portfolio)


def command_line(beside: Iterable[EntryPoint]) -> typer.Typer:
    """All commands: those of this package, and those of other packages by their entry points.

    For what is known and not installed there is one line that says what to install.
    """
    line = typer.Typer(
        help="Projection-free minimisation of nested stochastic objectives.",
        epilog="Example: wolfnest methods PMVR-v1",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    line.callback()(_options)
    for run in OWN:
        line.command(**told(run))(_spoken(run))
    found = {point.name: point for point in beside}
    for name, point in sorted(found.items()):
        run = point.load()
        line.command(name, **told(run))(_spoken(run))
    for name in sorted(BESIDE.keys() - found):
        line.command(
            name,
            hidden=True,
            context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
            add_help_option=False,
        )(_missing(name))
    return line


def _spoken(run: Callable[..., None]) -> Callable[..., None]:
    """The command with its errors as one line, and exit codes 2, or 130 when it is stopped."""

    @functools.wraps(run)
    def spoken(**arguments: Any) -> None:
        try:
            run(**arguments)
        except (ValueError, ImportError) as error:
            typer.echo(f"wolfnest: {error}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as stop:
            raise typer.Exit(130) from stop

    return spoken


def _missing(name: str) -> Callable[[], None]:
    def missing() -> None:
        folder = BESIDE[name].removeprefix("wolfnest-")
        typer.echo(
            f"wolfnest: {name} is in a package of its own: in a checkout of wolfnest, "
            f"pip install . ./{folder} (the package is called {BESIDE[name]}).",
            err=True,
        )
        raise typer.Exit(2)

    return missing


def _print_version(asked: bool) -> None:
    if asked:
        import wolfnest

        typer.echo(f"wolfnest {wolfnest.__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Say which version."
        ),
    ] = False,
) -> None:
    pass


app = command_line(entry_points(group="wolfnest.commands"))


def main() -> None:
    """The entry point of the command `wolfnest`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Greek letters, whatever the locale
            stream.reconfigure(encoding="utf-8")
    app(prog_name="wolfnest")
