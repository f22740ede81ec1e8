"""The command line: arguments in, functions of the library called, text out.

A command is one function below. It imports what it needs itself, so that `--help` stays quick.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
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


@app.command(epilog="Example: wolfnest reproduce E2 E3 --quick --plan")
def reproduce(
    experiments: Annotated[
        list[str] | None, typer.Argument(help="Some of E1 to E5; without a name, all of them.")
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick", help="All of the paper's runs, or a minute's worth of them."
        ),
    ] = False,
    seeds: Annotated[int | None, typer.Option(help="Runs per method, in place of 50.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Steps, in place of 400 and 4,000.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="A folder or a file with returns; else WOLFNEST_DATA, then the cache."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where results and report go.")] = Path("results"),
    jobs: Annotated[int, typer.Option(help="Worker processes, at most one per core.")] = 1,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would be run, run nothing.")
    ] = False,
) -> None:
    """Run the paper's experiments, judge its claims, write the report. Finished cells are kept."""
    from wolfnest import experiments as package

    profile = "full" if full else "quick"
    try:
        results = package.reproduce(
            experiments or (),
            profile=profile,
            seeds=seeds,
            horizon=horizon,
            data=data,
            out=out,
            jobs=jobs,
            plan_only=plan,
        )
    except (ValueError, ImportError) as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt as stop:
        raise typer.Exit(130) from stop
    if results is None:
        return
    from wolfnest import report
    from wolfnest.experiments.claims import judge

    judgement = judge(results)
    typer.echo(str(judgement))
    typer.echo(f"report: {report.write(results, out, judgement)}")
    if results.info["failures"]:
        raise typer.Exit(1)


@app.command(epilog="Example: wolfnest data")
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
    """List the data sets that are found on this machine; with --download, fetch some first."""
    from rich.console import Console

    from wolfnest import datasets
    from wolfnest.datasets.listing import listing

    try:
        for name in (names or ("industry10", "industry12", "industry17")) if download else ():
            typer.echo(repr(datasets.load(name, data=folder, download=True)))
        found = datasets.available(folder)
    except (ValueError, ImportError) as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(2) from error
    Console().print(listing(found))


def main() -> None:
    """The entry point of the command `wolfnest`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Greek letters, whatever the locale
            stream.reconfigure(encoding="utf-8")
    app(prog_name="wolfnest")
