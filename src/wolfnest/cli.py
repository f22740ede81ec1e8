"""The command line: arguments in, functions of the library called, text out.

A command is one function below. It imports what it needs itself, so that `--help` stays quick.
"""

from __future__ import annotations

import functools
import io
import json
import sys
from importlib.metadata import entry_points
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

    from wolfnest.methods import describe, names, record, table

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


@app.command(epilog="Example: wolfnest portfolio sp500 --risk semideviation --max-weight 0.1")
def portfolio(
    file: Annotated[
        str, typer.Argument(help="CSV or Parquet, a column per asset; or sp500, a sample.")
    ],
    risk: Annotated[str, typer.Option(help="A measure of risk: semideviation, cvar, …")] = (
        "semideviation"
    ),
    risk_aversion: Annotated[
        float, typer.Option(help="The weight of risk against mean return; inf: least risk.")
    ] = 1.0,
    setting: Annotated[
        list[str] | None, typer.Option(help="Of the measure, such as level=0.99; repeat it.")
    ] = None,
    max_weight: Annotated[float | None, typer.Option(help="The largest weight.")] = None,
    cap: Annotated[
        list[str] | None, typer.Option(help="Of one asset, NAME=0.2; repeat it.")
    ] = None,
    groups: Annotated[Path | None, typer.Option(help="CSV: assets and their groups.")] = None,
    group_cap: Annotated[
        list[str] | None, typer.Option(help="Of one group, NAME=0.3; repeat it.")
    ] = None,
    gross: Annotated[
        float | None, typer.Option(help="Allow short positions up to this gross sum: 1.6.")
    ] = None,
    net: Annotated[float, typer.Option(help="The sum of the weights.")] = 1.0,
    cardinality: Annotated[int | None, typer.Option(help="The most assets to hold.")] = None,
    previous: Annotated[Path | None, typer.Option(help="CSV: assets and weights held.")] = None,
    max_turnover: Annotated[
        float | None, typer.Option(help="The most to trade, sales and purchases both counted.")
    ] = None,
    costs: Annotated[float | None, typer.Option(help="Per unit traded: 0.001.")] = None,
    prices: Annotated[
        bool | None, typer.Option("--prices/--returns", help="What the numbers are.")
    ] = None,
    unit: Annotated[str, typer.Option(help="Of returns: fraction, percent or detect.")] = "detect",
    nan: Annotated[str, typer.Option(help="Gaps: raise, drop (the row) or zero.")] = "raise",
    without: Annotated[
        list[str] | None, typer.Option(help="Leave out a column; repeat it.")
    ] = None,
    tol: Annotated[float, typer.Option(help="Stop at this gap, relative to the objective.")] = 1e-4,
    train: Annotated[int | None, typer.Option(help="Rows of a fit of the backtest.")] = None,
    test: Annotated[int | None, typer.Option(help="Rows between its fits.")] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for the page and its tables.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the weights of least risk for a table of returns; with --out, write a page on them."""
    try:
        from wolfnest.portfolio import command

        command.run(
            file,
            kind="detect" if prices is None else "prices" if prices else "returns",
            unit=unit,
            without=without or (),
            out=out,
            train=train,
            test=test,
            as_json=as_json,
            typed=sys.argv[2:] if sys.argv[1:2] == ["portfolio"] else [file],
            caps=command.pairs("--cap", cap or ()),
            risk=risk,
            risk_aversion=risk_aversion,
            settings=command.settings(setting or ()) or None,
            max_weight=max_weight,
            groups=command.by_asset("--groups", groups),
            group_caps=command.pairs("--group-cap", group_cap or ()) or None,
            long_only=gross is None,
            gross=gross,
            net=net,
            cardinality=cardinality,
            previous_weights=command.numbers("--previous", previous),
            max_turnover=max_turnover,
            transaction_costs=costs,
            nan=nan,
            tol=tol,
        )
    except (ValueError, ImportError) as error:
        typer.echo(f"wolfnest: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt as stop:
        raise typer.Exit(130) from stop


# Commands of packages beside this one, and what to install for each.
BESIDE = {"reproduce": "wolfnest-reproduction", "bench": "wolfnest-benchmarks"}


def _add_commands() -> None:
    """Commands that other installed packages offer, by their entry points; for those that are not
    installed, one line that says what to install."""
    found = {point.name: point for point in entry_points(group="wolfnest.commands")}
    for name, point in sorted(found.items()):
        command = point.load()
        app.command(name, epilog=getattr(command, "example", None))(command)
    for name in sorted(BESIDE.keys() - found):
        app.command(
            name,
            hidden=True,
            context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
            add_help_option=False,
        )(functools.partial(_missing, name))


def _missing(name: str) -> None:
    folder = BESIDE[name].removeprefix("wolfnest-")
    typer.echo(
        f"wolfnest: {name} is in a package of its own: pip install {BESIDE[name]} "
        f"(from a checkout: pip install ./{folder}).",
        err=True,
    )
    raise typer.Exit(2)


def main() -> None:
    """The entry point of the command `wolfnest`."""
    _add_commands()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Greek letters, whatever the locale
            stream.reconfigure(encoding="utf-8")
    app(prog_name="wolfnest")
