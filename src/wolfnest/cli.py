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
    report_to: Annotated[
        Path | None, typer.Option(help="Another folder for the report, without the single runs.")
    ] = None,
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
    typer.echo(f"report: {report.write(results, report_to or out, judgement)}")
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


@app.command(epilog="Example: wolfnest bench")
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

    from wolfnest import bench as package
    from wolfnest.bench.rendering import listing

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


def main() -> None:
    """The entry point of the command `wolfnest`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Greek letters, whatever the locale
            stream.reconfigure(encoding="utf-8")
    app(prog_name="wolfnest")
