"""Portfolios beside CVXPY and skfolio: the same objective, by other means.

For every measure of risk that both have, over the long-only simplex with a cap on each weight:
`-E r·x + λ ρ(x)` of our weights, of CVXPY's (an exact conic model, without smoothing) and of
skfolio's (`MeanRisk`, maximal utility), all evaluated by the same exact formula. Returns are
fractions; measures that are squares of them get 100 times the weight (and the entropic risk
θ = 100), so that risk counts as much as for the others. Relative differences are those to CVXPY; a
negative one is in our favour. Times are of one run in a warm process, posing the problem included;
ours a second time, since the first one also compiles.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import math
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cvxpy as cp
import jax
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from wolfnest import datasets
from wolfnest.portfolio import PortfolioOptimizer
from wolfnest.problems import risk as measures

HEADINGS = (
    "data", "measure", "λ", "objective", "difference", "certificate", "ours (s)", "first (s)",
    "CVXPY (s)", "skfolio", "skfolio (s)",
)  # fmt: skip
LEVEL, BETA = 0.95, (2 * 0.95 - 1) / 0.05
SQUARES, THETA = 100.0, 100.0
QUICK_ROWS = 250
FACTORS = (1, 100)  # of a conic solver's objective, where it fails with the first


# ---- exact models ----------------------------------------------------------------------------


def _centred(gains: Any) -> Any:
    return gains - cp.sum(gains) / gains.size


def _cvar(gains: Any) -> Any:
    tau = cp.Variable()
    return tau + cp.sum(cp.pos(-gains - tau)) / (gains.size * (1 - LEVEL))


def _kl(gains: Any, kappa: float) -> Any:
    """`min_t t log E exp(L/t) + κ t`, through exponential cones of the perspective."""
    rows = gains.size
    t, u, eta = cp.Variable(nonneg=True), cp.Variable(rows), cp.Variable()
    cone = cp.ExpCone(-gains - eta, t * np.ones(rows), u)
    # t E exp((L - η)/t) ≤ t; then η = t log E exp(L/t) at the minimum.
    return eta + kappa * t, [cone, cp.sum(u) / rows <= t]


def _expectile(gains: Any) -> Any:
    e = cp.Variable()
    loss = -gains
    side = cp.sum(loss) / gains.size + BETA * cp.sum(cp.pos(loss - e)) / gains.size
    return cp.maximum(e, side)


def _chi2(gains: Any) -> Any:
    eta = cp.Variable()
    root = cp.norm(cp.pos(-gains - eta), 2) / math.sqrt(gains.size)
    return eta + math.sqrt(1 + 0.1) * root


@dataclasses.dataclass(frozen=True)
class Case:
    """A measure: its exact model on the gains of a portfolio (and on those of equal weights, which
    are what tracking error follows), our settings, and its name in skfolio, if it has one."""

    model: Callable[[Any, np.ndarray], Any]
    measure: str
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    skfolio: str | None = None
    times: float = 1.0


def _deviation(gains: Any, order: int) -> Any:
    return cp.norm(gains, order) / gains.size ** (1 / order)


CASES: dict[str, Case] = {
    "variance": Case(
        lambda g, e: cp.sum_squares(_centred(g)) / g.size, "variance", {}, "VARIANCE", SQUARES
    ),
    "deviation": Case(
        lambda g, e: _deviation(_centred(g), 2), "deviation", {}, "STANDARD_DEVIATION"
    ),
    "semideviation": Case(
        lambda g, e: _deviation(cp.pos(-_centred(g)), 2), "semideviation", {}, "SEMI_DEVIATION"
    ),
    "semideviation, order 1": Case(
        lambda g, e: _deviation(cp.pos(-_centred(g)), 1), "semideviation", {"order": 1},
        "FIRST_LOWER_PARTIAL_MOMENT",
    ),
    "absolute-deviation": Case(
        lambda g, e: _deviation(_centred(g), 1), "absolute-deviation", {},
        "MEAN_ABSOLUTE_DEVIATION",
    ),
    "cvar": Case(lambda g, e: _cvar(g), "cvar", {}, "CVAR"),
    "expectile": Case(lambda g, e: _expectile(g), "expectile"),
    "chi2-robust": Case(lambda g, e: _chi2(g), "chi2-robust"),
    "evar": Case(lambda g, e: _kl(g, math.log(1 / (1 - LEVEL))), "evar", {}, "EVAR"),
    "kl-robust": Case(lambda g, e: _kl(g, 0.1), "kl-robust"),
    "entropic": Case(
        lambda g, e: (cp.log_sum_exp(-THETA * g) - math.log(g.size)) / THETA, "entropic",
        {"theta": THETA},
    ),
    "log-utility": Case(
        lambda g, e: cp.sum(g - cp.log(1 + g)) / g.size, "log-utility", times=SQUARES
    ),
    "tracking-error": Case(lambda g, e: _deviation(_centred(g - e), 2), "tracking-error"),
}  # fmt: skip


def conic(case: Case, returns: np.ndarray, risk: float, cap: float) -> np.ndarray:
    x = cp.Variable(returns.shape[1], nonneg=True)
    found = case.model(returns @ x, returns.mean(1))
    rho, extra = found if isinstance(found, tuple) else (found, [])
    limits: list[Any] = [cp.sum(x) == 1, *extra]
    # Exponential cones fail in one form and not in another: a cap of 1 says nothing new.
    forms = [[*limits, x <= cap], *([limits] if cap >= 1 else [])]
    for factor, rules in itertools.product(FACTORS, forms):
        objective = factor * (-returns.mean(0) @ x + risk * rho)
        with contextlib.suppress(cp.SolverError):
            cp.Problem(cp.Minimize(objective), rules).solve(solver="CLARABEL")
        if x.value is not None:
            return np.asarray(x.value)
    raise RuntimeError("the conic solver failed")


def skfolio(case: Case, returns: np.ndarray, risk: float, cap: float) -> np.ndarray:
    from skfolio import RiskMeasure
    from skfolio.optimization import MeanRisk, ObjectiveFunction

    model = MeanRisk(
        objective_function=ObjectiveFunction.MAXIMIZE_UTILITY,
        risk_measure=RiskMeasure[str(case.skfolio)],
        risk_aversion=risk,
        max_weights=cap,
    )
    return np.asarray(model.fit(returns).weights_)


# ---- the table -------------------------------------------------------------------------------


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    try:
        found = run()
    except Exception as error:  # a peer that fails is a row that says so
        return error, math.nan
    return found, time.perf_counter() - began


def clean(weights: Any, cap: float) -> np.ndarray | None:
    """Weights within the limits up to rounding; a solver leaves some just outside."""
    if not isinstance(weights, np.ndarray) or not np.all(np.isfinite(weights)):
        return None
    weights = np.clip(weights, 0, cap)
    return weights / weights.sum()


def row(title: str, name: str, returns: np.ndarray, risk: float, cap: float) -> list[str]:
    case = CASES[name]
    risk, settings = case.times * risk, dict(case.settings)
    if case.measure == "tracking-error":
        settings["benchmark"] = returns.mean(1)

    def objective(weights: np.ndarray | None) -> float:
        if weights is None:
            return math.nan
        rho = measures.evaluate(case.measure, returns, weights, **settings)
        return risk * rho - returns.mean(0) @ weights

    fit = lambda: PortfolioOptimizer(
        case.measure, risk, settings=settings, max_weight=cap, tol=1e-5
    ).fit(returns)
    _, first = timed(fit)
    model, again = timed(fit)
    if isinstance(model, Exception):
        raise model
    theirs, seconds = timed(lambda: conic(case, returns, risk, cap))
    other, sk_seconds = (None, math.nan)
    if case.skfolio is not None:
        other, sk_seconds = timed(lambda: skfolio(case, returns, risk, cap))
    ours = objective(np.asarray(model.weights_))
    best, sk = objective(clean(theirs, cap)), objective(clean(other, cap))
    relative = lambda value: (
        "–" if math.isnan(value - best) else f"{(value - best) / abs(best):+.0e}"
    )
    shown = lambda value: "–" if math.isnan(value) else f"{value:.2f}"
    certificate = f"{float(model.certificate_.relative):.0e}"
    cells = [title, name, f"{risk:g}", f"{ours:.6g}", relative(ours), certificate]
    return [*cells, *map(shown, (again, first, seconds)), relative(sk), shown(sk_seconds)]


def tables(folder: Path | None, industries: list[int], rows: int | None) -> dict[str, np.ndarray]:
    """Returns as fractions, by name: the S&P 500, or industry portfolios from a folder."""
    found = {"S&P 500": datasets.sp500()} if folder is None else {}
    for count in industries if folder is not None else ():
        found[f"Industry-{count}"] = datasets.industry(count, data=folder)
    cut = lambda one: one if rows is None else one.last(rows)
    return {name: np.asarray(cut(one).values) / 100 for name, one in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  python -m wolfnest_benchmarks.peers.portfolios --data FOLDER",
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER", help="industry portfolios instead of the S&P 500")
    add("--industries", type=int, nargs="+", default=[10, 12, 17], help="(default: 10 12 17)")
    add("--measures", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME")
    add("--risk", type=float, default=1.0, help="λ (default: 1)")
    add("--cap", type=float, default=0.25, help="the largest weight (default: 0.25)")
    add("--rows", type=int, help="only the last so many rows")
    add("--markdown", type=Path, metavar="FILE", help="write the table to FILE, too")
    add("--quick", action="store_true", help="little data: only see that it runs")
    options = parser.parse_args()
    if options.quick:
        options.rows = QUICK_ROWS
    jax.config.update("jax_enable_x64", True)
    warnings.simplefilter("ignore")
    console = Console(width=None if sys.stdout.isatty() else 160)
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in HEADINGS:
        grid.add_column(heading, justify="left" if heading in HEADINGS[:2] else "right")
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * 2 + "---:|" * (len(HEADINGS) - 2)]
    errors = Console(stderr=True)
    with errors.status("") as status:
        for title, returns in tables(options.data, options.industries, options.rows).items():
            for name in options.measures:
                status.update(f"{title}: {name}")
                cells = row(title, name, returns, options.risk, options.cap)
                grid.add_row(*cells)
                lines.append("| " + " | ".join(cells) + " |")
                errors.print(" ".join(cells), soft_wrap=True, highlight=False)
                if options.markdown is not None:  # a long run leaves what it has
                    options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print(grid)


if __name__ == "__main__":
    main()
