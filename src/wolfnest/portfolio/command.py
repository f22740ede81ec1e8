"""The arguments of `wolfnest portfolio`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from wolfnest.common.commands import command


def _option(text: str, *names: str) -> Any:
    return typer.Option(*names, help=text)


@command(
    "Find the weights of least risk for a table of returns; with --out, write a page on them.",
    example="wolfnest portfolio sp500 --risk semideviation --max-weight 0.1",
)
def portfolio(
    file: Annotated[
        str, typer.Argument(help="CSV or Parquet, a column per asset; or sp500, a sample.")
    ],
    risk: Annotated[str, _option("A measure of risk: semideviation, cvar, …")] = "semideviation",
    risk_aversion: Annotated[
        float, _option("The weight of risk against mean return; inf: least risk.")
    ] = 1.0,
    setting: Annotated[
        list[str] | None, _option("Of the measure, such as level=0.99; repeat it.")
    ] = None,
    max_weight: Annotated[float | None, _option("The largest weight.")] = None,
    cap: Annotated[list[str] | None, _option("Of one asset, NAME=0.2; repeat it.")] = None,
    groups: Annotated[Path | None, _option("CSV: assets and their groups.")] = None,
    group_cap: Annotated[list[str] | None, _option("Of one group, NAME=0.3; repeat it.")] = None,
    gross: Annotated[
        float | None, _option("Allow short positions up to this gross sum: 1.6.")
    ] = None,
    net: Annotated[float, _option("The sum of the weights.")] = 1.0,
    cardinality: Annotated[int | None, _option("The most assets to hold.")] = None,
    previous: Annotated[Path | None, _option("CSV: assets and weights held.")] = None,
    max_turnover: Annotated[
        float | None, _option("The most to trade, sales and purchases both counted.")
    ] = None,
    costs: Annotated[float | None, _option("Per unit traded: 0.001.")] = None,
    prices: Annotated[bool | None, _option("What the numbers are.", "--prices/--returns")] = None,
    unit: Annotated[str, _option("Of returns: fraction, percent or detect.")] = "detect",
    dates: Annotated[
        str, _option("Of dates as 01/02/2005: day-first, month-first or detect.")
    ] = "detect",
    nan: Annotated[str, _option("Gaps: raise, drop (the row) or zero.")] = "raise",
    without: Annotated[list[str] | None, _option("Leave out a column; repeat it.")] = None,
    tol: Annotated[float, _option("Stop at this gap, relative to the objective.")] = 1e-4,
    train: Annotated[int | None, _option("Rows of a fit of the backtest.")] = None,
    test: Annotated[int | None, _option("Rows between its fits.")] = None,
    out: Annotated[Path | None, _option("A folder for the page and its tables.")] = None,
    as_json: Annotated[bool, _option("Print JSON.", "--json")] = False,
) -> None:
    from wolfnest.portfolio.reading.asset_files import by_asset
    from wolfnest.portfolio.report import write_report

    write_report(
        file,
        kind="detect" if prices is None else "prices" if prices else "returns",
        unit=unit,
        dates=dates,
        without=without or (),
        out=out,
        train=train,
        test=test,
        as_json=as_json,
        typed=sys.argv[2:] if sys.argv[1:2] == ["portfolio"] else [file],
        caps=pairs("--cap", cap or ()),
        risk=risk,
        risk_aversion=risk_aversion,
        settings=settings(setting or ()) or None,
        max_weight=max_weight,
        groups=by_asset("--groups", groups, str),
        group_caps=pairs("--group-cap", group_cap or ()) or None,
        long_only=gross is None,
        gross=gross,
        net=net,
        cardinality=cardinality,
        previous_weights=by_asset("--previous", previous, float),
        max_turnover=max_turnover,
        transaction_costs=costs,
        nan=nan,
        tol=tol,
    )


def pairs(option: str, given: Iterable[str]) -> dict[str, float]:
    """`NAME=VALUE` arguments as numbers by name.

    >>> pairs("--cap", ["AAPL=0.2"])
    {'AAPL': 0.2}
    """
    found = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            sign = ""
        if not sign or not name.strip():
            raise ValueError(f"{option} must be NAME=VALUE with a number, got {text!r}.")
    return found


def settings(given: Iterable[str]) -> dict[str, Any]:
    """Settings of a measure: numbers, whole ones as such, and text where there is no number.

    >>> settings(["order=2", "level=0.9", "benchmark=SPY"])
    {'order': 2, 'level': 0.9, 'benchmark': 'SPY'}
    """
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"--setting must be NAME=VALUE, got {text!r}.")
        try:
            number = float(value)
            found[name.strip()] = int(number) if number == int(number) else number
        except (ValueError, OverflowError):
            found[name.strip()] = value.strip()
    return found
