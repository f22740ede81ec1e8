"""Row 11: portfolios beside CVXPY and skfolio: the same objective, by other means.

For every measure of risk, over the long-only simplex with a cap on each weight: `-E r·x + λ ρ(x)`
of our weights, of CVXPY's (an exact conic model, without smoothing) and of skfolio's (`MeanRisk`,
maximal utility, where it has the measure), all evaluated by the same exact formula. Returns are
fractions; measures that are squares of them get 100 times the weight (and the entropic risk
θ = 100), so that risk counts as much as for the others.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from wolfnest import datasets
from wolfnest.interop import conic
from wolfnest.portfolio import PortfolioOptimizer
from wolfnest.problems.risk import evaluate
from wolfnest_benchmarks.peers.clarabel_scs_highs import capped_weights
from wolfnest_benchmarks.peers.skfolio import mean_risk
from wolfnest_benchmarks.results import Cell, Table
from wolfnest_benchmarks.row import Options, Row
from wolfnest_benchmarks.timing import missing, timed, tracked

SQUARES, THETA = 100.0, 100.0
QUICK_ROWS = 250


class Case(NamedTuple):
    """A measure with its settings, its name in skfolio, if it has one, and what λ is multiplied
    with."""

    measure: str
    settings: Mapping[str, Any] = {}
    skfolio: str | None = None
    times: float = 1.0


CASES = {
    "variance": Case("variance", {}, "VARIANCE", SQUARES),
    "deviation": Case("deviation", {}, "STANDARD_DEVIATION"),
    "semideviation": Case("semideviation", {}, "SEMI_DEVIATION"),
    "semideviation, order 1": Case("semideviation", {"order": 1}, "FIRST_LOWER_PARTIAL_MOMENT"),
    "absolute-deviation": Case("absolute-deviation", {}, "MEAN_ABSOLUTE_DEVIATION"),
    "cvar": Case("cvar", {}, "CVAR"),
    "expectile": Case("expectile"),
    "chi2-robust": Case("chi2-robust"),
    "evar": Case("evar", {}, "EVAR"),
    "kl-robust": Case("kl-robust"),
    "entropic": Case("entropic", {"theta": THETA}),
    "log-utility": Case("log-utility", times=SQUARES),
    "tracking-error": Case("tracking-error"),  # of equal weights
}


def measure(
    options: Options,
    *,
    data: Annotated[Path | None, "a folder of industry portfolios in place of the S&P 500"] = None,
    industries: Annotated[tuple[int, ...], "how many industries, with --data"] = (10, 12, 17),
    measures: Annotated[tuple[str, ...], "measures of risk", tuple(CASES)] = tuple(CASES),
    risk: Annotated[float, "λ"] = 1.0,
    cap: Annotated[float, "the largest weight"] = 0.25,
    rows: Annotated[int | None, "only the last so many rows"] = None,
) -> list[Table]:
    warnings.simplefilter("ignore")
    tables = _returns(data, industries, options.pick(rows, QUICK_ROWS))
    lacking = {"CVXPY": missing("cvxpy", "clarabel"), "skfolio": missing("skfolio")}
    skipped = [f"{peer}: {reason}" for peer, reason in lacking.items() if reason is not None]
    cells: list[list[Cell]] = []
    for title, name in tracked(list(itertools.product(tables, measures)), "measures"):
        contest = Contest(CASES[name], tables[title], risk, cap)
        cells.append([title, name, contest.risk, *contest.line(lacking)])
        skipped += [f"{title}, {name}: {failure}" for failure in contest.failures]
    return [
        Table(
            "Portfolios by other means",
            (
                *("data", "measure", "λ", "objective", "ours - CVXPY", "certificate", "ours, s"),
                *("first, s", "CVXPY, s", "skfolio - CVXPY", "skfolio, s"),
            ),
            cells,
            "Differences of objectives are relative to CVXPY's; negative ones are in favour of the "
            "former. The certificate is ours, relative. Times are of one run in a warm process, "
            "posing the problem included; ours of a second fit, since the first one also compiles.",
            tuple(skipped),
        )
    ]


class Contest:
    """One measure on one table of returns; `failures` are those of the peers."""

    def __init__(self, case: Case, returns: np.ndarray, risk: float, cap: float) -> None:
        self.case, self.returns, self.risk, self.cap = case, returns, case.times * risk, cap
        self.settings, self.failures = dict(case.settings), []
        if case.measure == "tracking-error":
            self.settings["benchmark"] = returns.mean(1)

    def line(self, lacking: Mapping[str, str | None]) -> list[Cell]:
        settings, measure = self.settings, self.case.measure
        model = PortfolioOptimizer(
            measure, self.risk, settings=settings, max_weight=self.cap, tol=1e-5
        )
        fit = lambda: model.fit(self.returns)
        first, again = (timed(fit, clock=time.perf_counter) for _ in range(2))
        ours, certificate = self.objective(model.weights_), float(model.certificate_.relative)
        best = other = (None, None)
        if lacking["CVXPY"] is None:
            posed = lambda: conic.measured(measure, self.returns, self.risk, **settings)
            best = self.peer("CVXPY", lambda: capped_weights(posed(), self.cap))
        if lacking["skfolio"] is None and (known := self.case.skfolio) is not None:
            found = lambda: mean_risk(known, self.returns, self.risk, self.cap)
            other = self.peer("skfolio", found)
        away = lambda value: (
            None if value is None or best[0] is None else (value - best[0]) / abs(best[0])
        )
        mine = [ours, away(ours), certificate, again, first]
        return [*mine, best[1], away(other[0]), other[1]]

    def peer(self, name: str, weigh: Callable[[], np.ndarray]) -> tuple[float | None, float | None]:
        """The objective that a peer reaches, and its seconds."""
        start = time.perf_counter()
        try:
            weights = weigh()
            if not np.isfinite(weights).all():
                raise ValueError("its weights are not finite")
        except Exception as error:  # of whatever kind: the others go on
            self.failures.append(f"{name} failed, {error}".splitlines()[0])
            return None, None
        seconds = time.perf_counter() - start
        inside = np.clip(weights, 0, self.cap)  # a solver leaves some weights just outside
        return self.objective(inside / inside.sum()), seconds

    def objective(self, weights: Any) -> float:
        weights = np.asarray(weights)
        rho = evaluate(self.case.measure, self.returns, weights, **self.settings)
        return float(self.risk * rho - self.returns.mean(0) @ weights)


def _returns(folder: Path | None, industries: Sequence[int], rows: int | None) -> dict[str, Any]:
    """Returns as fractions, by name: the S&P 500, or industry portfolios from a folder."""
    found = {"S&P 500": datasets.sp500()} if folder is None else {}
    for count in industries if folder is not None else ():
        found[f"Industry-{count}"] = datasets.industry(count, data=folder)
    cut = lambda one: one if rows is None else one.last(rows)
    return {name: np.asarray(cut(one).values) / 100 for name, one in found.items()}


ROW = Row(
    number=11,
    name="portfolios",
    title="portfolios of 13 measures of risk, beside Clarabel through CVXPY and skfolio",
    goal="the same objective to 1e-4, not slower than either once compiled",
    measure=measure,
)
