"""One self-contained HTML page about a portfolio, in the style of the report on a reproduction."""

from __future__ import annotations

import datetime
from string import Template
from typing import Any

import numpy as np

from wolfnest.common.environment import describe
from wolfnest.page import looks
from wolfnest.page.assembly import asset, fingerprint, program
from wolfnest.page.markup import Column, Raw, definitions, details, escape, facts, join, table, tag
from wolfnest.page.packing import script
from wolfnest.portfolio import plots, prose
from wolfnest.portfolio.performance import summary
from wolfnest.portfolio.study import Study

SHARED = ("scales", "chart")
SMALL = 5e-4  # weights below this are not listed one by one


def build(study: Study, command: str) -> str:
    """The page as text; the study must have a frontier and a backtest."""
    code = program(*(asset(f"{name}.js") for name in SHARED), _own("plots.js"))
    model, frame = study.model, study.table.frame
    dates = study.table.dates
    span = "" if dates is None else f"{str(dates[0])[:10]} to {str(dates[-1])[:10]}"
    shown = [study.table.source, f"{len(frame):,} rows × {frame.shape[1]} assets", span]
    return Template(_own("portfolio.html")).substitute(
        title=escape(f"A portfolio by {prose.measure(model.risk)}"),
        subtitle=escape(" · ".join(part for part in shown if part)),
        css=asset("page.css") + _own("portfolio.css"),
        script=code,
        script_hash=fingerprint(code),
        lead=join(tag("p", text, class_="lead") for text in prose.lead(study)),
        facts=facts(prose.achieved(study)),
        weights=_weights(study),
        frontier=_frontier(study),
        convergence=_convergence(study),
        backtest=_backtest(study),
        words=definitions(prose.WORDS),
        data=_data(study),
        run=_run(study, command),
        payload=script({"markers": looks.MARKERS, "plots": _plots(study)}),
    )


def _own(name: str) -> str:
    return asset(name, "wolfnest.portfolio")


def _plots(study: Study) -> dict[str, Any]:
    assert study.frontier is not None
    assert study.test is not None
    name = prose.measure(study.model.risk)
    equal = np.full(len(study.assets), 1 / len(study.assets))
    places = {plots.OURS.name: study.place(study.weights), plots.EQUAL.name: study.place(equal)}
    return {
        "frontier": plots.frontier_plot(study.frontier, places, name, _mean(study)),
        "convergence": plots.convergence_plot(study.model.solution_),
        "growth": plots.growth_plot(study.test),
    }


def _mean(study: Study) -> str:
    return "mean return" if study.costs[0] is None else "mean return after costs"


def _weights(study: Study) -> Raw:
    weights, shares = study.weights, study.shares
    most = max(float(np.max(np.abs(weights))), float(np.max(np.abs(shares))), 1e-12)
    columns = [Column("Asset", "keep"), Column("Weight", "n"), Column("Share of risk", "n"),
               Column("Weight (solid) and share of risk (hatched)", "bar")]  # fmt: skip
    order = np.argsort(-np.abs(weights), kind="stable")
    rows = [
        [
            study.assets[i],
            f"{100 * weights[i]:.2f} %",
            f"{100 * shares[i]:.2f} %",
            join([_bar(float(weights[i]), most, ""), _bar(float(shares[i]), most, " risk")], ""),
        ]
        for i in order
        if abs(weights[i]) >= SMALL
    ]
    rest = [study.assets[i] for i in order if abs(weights[i]) < SMALL]
    none = details(f"{len(rest):,} assets without weight", tag("p", ", ".join(rest)))
    grid = tag("div", table(columns, rows, "Weights"), class_="weights")
    return join([tag("p", prose.SHARES, class_="quiet"), grid, none if rest else ""])


def _bar(value: float, most: float, kind: str) -> Raw:
    below = " below" if value < 0 else ""
    inner = tag("i", style=f"width:{100 * abs(value) / most:.1f}%")
    return tag("div", inner, class_=f"share{kind}{below}", aria_hidden="true")


def _frontier(study: Study) -> Raw:
    found = study.frontier
    assert found is not None
    plot = plots.figure("frontier", "the efficient frontier", prose.FRONTIER)
    headings = ("λ", _mean(study).capitalize(), "Risk", "Gap", "Assets held")
    columns = [Column(heading, "n") for heading in headings]
    rows = [
        [found.lambdas[i], f"{100 * found.mean[i]:.4f} %", f"{100 * found.risk[i]:.4f} %",
         float(found.gap[i]), int(np.sum(np.abs(found.weights[i]) >= SMALL))]
        for i in range(len(found.lambdas))
    ]  # fmt: skip
    grid = table(columns, rows, "Portfolios on the frontier")
    return join([plot, details("The same as a table", grid)])


def _convergence(study: Study) -> Raw:
    caption = prose.convergence(study)
    return plots.figure("convergence", "the gap", caption)


def _backtest(study: Study) -> Raw:
    test, windows = study.test, study.windows
    assert test is not None
    assert windows is not None
    note = tag("p", prose.backtest(study), class_="quiet")
    year = study.per_year
    per = "a year" if year else "a period"
    columns = [Column("Strategy", "keep"), Column(f"Mean, {per}", "n"),
               Column(f"Deviation, {per}", "n"), Column("Sharpe ratio", "n"),
               Column("Worst 5 % of periods", "n"), Column("Largest fall", "n"),
               Column("Growth", "n"), Column("Traded per window", "n")]  # fmt: skip
    rows = []
    for name in test.returns:
        s = summary(test.returns[name], year)
        percent = [f"{100 * s[key]:.2f} %" for key in ("mean", "deviation")]
        tail = [f"{100 * s[key]:.2f} %" for key in ("tail", "drawdown", "growth")]
        traded = f"{100 * float(test.turnover[name].iloc[1:].mean() or 0):.1f} %"
        traded = "–" if len(test.turnover) < 2 else traded
        rows.append([name, *percent, f"{s['sharpe']:.2f}", *tail, traded])
    caption = prose.growth(plots.spread(test))
    plot = plots.figure("growth", "growth out of sample", caption)
    return join([note, plot, table(columns, rows, "Out of sample")])


def _data(study: Study) -> Raw:
    notes = tag("ul", join(tag("li", note) for note in study.table.notes))
    return join([notes, facts(prose.limits(study.model))])


def _run(study: Study, command: str) -> Raw:
    known = describe()
    made = {name: known[name] for name in ("wolfnest", "jax", "python", "platform", "cpu")}
    made["precision"] = study.model.solution_.problem.dtype
    made["made"] = datetime.datetime.now().isoformat(timespec="minutes", sep=" ")
    return join([tag("code", command, class_="command"), facts(made)])
