"""A portfolio under several measures of risk: `python examples/risk_report.py --help`.

Fits the same stocks under several measures, with the same limits, compares what each of them
holds and what it would have earned, and writes the page that `wolfnest portfolio` writes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from wolfnest.portfolio import (
    EqualWeighted,
    PortfolioOptimizer,
    backtest,
    periods_per_year,
    read,
    summary,
    write_report,
)

MEASURES = ("variance", "semideviation", "cvar")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: python examples/risk_report.py --returns prices.csv --out out/report",
    )
    parser.add_argument("--returns", default="sp500", help="CSV or Parquet; or sp500, a sample")
    parser.add_argument("--max-weight", type=float, default=0.15, help="(default: 0.15)")
    parser.add_argument("--rows", type=int, help="only the last so many rows")
    parser.add_argument("--out", type=Path, help="a folder for the page on the last measure")
    options = parser.parse_args()
    console = Console()

    table = read(options.returns)
    returns = table.frame if options.rows is None else table.frame.iloc[-options.rows :]
    console.print(f"[bold]{table.source}[/bold]: {len(returns):,} rows, {returns.shape[1]} assets")
    limits = {"max_weight": options.max_weight}
    strategies = {name: PortfolioOptimizer(name, np.inf, **limits) for name in MEASURES}

    weights = Table(title="Least risk, by three measures", title_justify="left")
    weights.add_column("asset")
    for name, model in strategies.items():
        model.fit(returns)
        weights.add_column(f"{name}\n{model.certificate_}", justify="right")
    for asset in returns.columns:
        row = [float(model.weights_[asset]) for model in strategies.values()]
        if max(row) > 0.005:
            weights.add_row(str(asset), *(f"{100 * w:.1f} %" for w in row))
    console.print(weights)

    train = len(returns) // 2
    strategies["equal weights"] = EqualWeighted()
    test = backtest(returns, strategies, train=train, test=max(1, train // 10))
    year = periods_per_year(returns.index)
    shown = Table(title=f"Out of sample, {len(test.returns):,} rows", title_justify="left")
    for heading in ("strategy", "mean", "deviation", "Sharpe", "worst 5 %", "largest fall"):
        shown.add_column(heading, justify="left" if heading == "strategy" else "right")
    for name in test.returns:
        found = summary(test.returns[name], year)
        percent = [f"{100 * found[key]:.1f} %" for key in ("mean", "deviation")]
        tail = [f"{100 * found[key]:.1f} %" for key in ("tail", "drawdown")]
        shown.add_row(str(name), *percent, f"{found['sharpe']:.2f}", *tail)
    console.print(shown)

    if options.out is not None:
        limits |= {"risk": MEASURES[-1], "risk_aversion": 1.0}
        write_report(options.returns, out=options.out, console=console, **limits)


if __name__ == "__main__":
    main()
