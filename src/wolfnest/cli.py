"""The command line: arguments in, functions of the library called, text out.

A command is one function below. It imports what it needs itself, so that `--help` stays quick.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Annotated

import typer

app = typer.Typer(
    help="Projection-free minimisation of nested stochastic objectives.",
    epilog="Example: wolfnest methods PMVR-v1",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        import wolfnest

        typer.echo(f"wolfnest {wolfnest.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Say which version."
        ),
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: wolfnest methods SwPMFS-v1 --json")
def methods(
    name: Annotated[str | None, typer.Argument(help="A method; without one, all of them.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the methods, or describe one: its source, updates, rates and settings."""
    from rich.console import Console

    from wolfnest.methods import describe, names, table
    from wolfnest.methods.table import record

    try:
        if as_json:
            found = record(name) if name else [record(each) for each in names()]
            typer.echo(json.dumps(found, indent=2))
        elif name:
            typer.echo(describe(name))
        else:
            Console().print(table())
            typer.echo('"wolfnest methods NAME" describes one of them.')
    except ValueError as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(2) from error


def main() -> None:
    """The entry point of the command `wolfnest`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Greek letters, whatever the locale
            stream.reconfigure(encoding="utf-8")
    app(prog_name="wolfnest")
