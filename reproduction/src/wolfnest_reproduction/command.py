"""The arguments of `wolfnest reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wolfnest.common.commands import command


@command(
    "Run the paper's experiments, judge its claims, write the report. Finished cells are kept.",
    example="wolfnest reproduce E2 E3 --quick --plan",
)
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
    import wolfnest_reproduction as package

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
    from wolfnest_reproduction import show as report
    from wolfnest_reproduction.judge.judgement import judge
    from wolfnest_reproduction.show.sentences import plain

    judgement = judge(results)
    typer.echo(plain(judgement))
    typer.echo(f"report: {report.write(results, report_to or out, judgement)}")
    if results.info["failures"]:
        raise typer.Exit(1)
