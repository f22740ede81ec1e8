"""Time to a given gap, against copt, jaxopt and conic solvers through CVXPY, on one core.

Logistic regression and least squares on an L1 ball, matrix completion on a nuclear ball and minimum
variance on a capped simplex, all in float64. A gap is `F(x) - min F` as a share of what there is to
gain from the start. First every method shows how many steps (or which tolerance) it needs for a
gap; then runs of that length are timed, round by round, ours next to the others.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import importlib.util
from collections.abc import Callable
from pathlib import Path

from wolfnest_benchmarks.peers import one_core  # noqa: F401  # pins to one core: before the rest

# isort: split

from rich.console import Console

from wolfnest.sets import NuclearBall
from wolfnest_benchmarks.peers.methods import Method, Wolfnest
from wolfnest_benchmarks.peers.minima import CERTIFIED, Minimum, minimum
from wolfnest_benchmarks.peers.others import Conic, Copt, Jaxopt
from wolfnest_benchmarks.peers.problems import Instance, instances
from wolfnest_benchmarks.peers.table import LONG, ROUNDS_OF_LONG, Row, Search, measure, table

OURS = "wolfnest"
# Interior-point methods are not tried on semidefinite cones with more entries than this.
MOST_ENTRIES = 5_000
NOTE = (
    "ratio: time over that of {ours} next to it, above 1 where we are faster; median of {rounds} "
    "interleaved rounds ± half the distance of the quartiles ({long_rounds} rounds of runs that "
    "take more than {long:g} s); then seconds, and steps or the solver's tolerance. Processor time "
    "on one core; compilation and CVXPY's rewriting of a problem are left out. The minimum is "
    "known to {certified:g} of what there is to gain."
)


# ---- who runs where --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Entry:
    """A row of the table: how to make the method, or why there is none."""

    label: str
    package: str
    make: Callable[[Instance], Method]
    lacks: Callable[[Instance], str | None] = lambda instance: None

    def because(self, instance: Instance) -> str | None:
        """Why this cannot be run on an instance, None if it can."""
        if importlib.util.find_spec(self.package) is None:
            return f"{self.package} is not installed"
        return self.lacks(instance)


NAMES = ("logistic", "squares", "completion", "variance")


def choice(instance: Instance) -> tuple[str, dict[str, str]]:
    """Pairwise steps on polytopes. The vertices of a curved set never come twice, and keeping them
    gains nothing: plain steps there, with a line search."""
    if isinstance(instance.domain, NuclearBall):
        return "FW", {"step": "secant"}
    return "PFW", {}


def chosen(instance: Instance) -> str:
    name, settings = choice(instance)
    return "".join([name, *(f", {key}={value}" for key, value in settings.items())])


def _ours(instance: Instance) -> Method:
    name, settings = choice(instance)
    return Wolfnest(instance, name, **settings)


def _no_nuclear(instance: Instance) -> str | None:
    return "jaxopt has no nuclear ball" if instance.name == "completion" else None


def _no_caps(instance: Instance) -> str | None:
    return "copt has no capped simplex" if instance.name == "variance" else None


def _no_pairs(instance: Instance) -> str | None:
    if instance.name == "completion":
        return "copt has pairwise steps on the L1 ball only"
    return _no_caps(instance)


def _too_dense(instance: Instance) -> str | None:
    """A semidefinite cone is a dense block in the equations of an interior-point method."""
    side = sum(instance.start().shape)
    entries = side * (side + 1) // 2
    if instance.name != "completion" or entries <= MOST_ENTRIES:
        return None
    return f"a semidefinite cone of side {side} makes a dense block of side {entries:,}"


ENTRIES = (
    Entry(OURS, "wolfnest", _ours),
    Entry("copt, Frank-Wolfe", "copt", lambda i: Copt(i, "vanilla"), _no_caps),
    Entry("copt, pairwise", "copt", lambda i: Copt(i, "pairwise"), _no_pairs),
    Entry("copt, projected, accelerated", "copt", lambda i: Copt(i, "projected"), _no_caps),
    Entry("jaxopt, projected", "jaxopt", lambda i: Jaxopt(i, "search"), _no_nuclear),
    Entry("jaxopt, projected, steps 1/L", "jaxopt", lambda i: Jaxopt(i, "constant"), _no_nuclear),
    Entry("CVXPY, Clarabel", "clarabel", lambda i: Conic(i, "CLARABEL"), _too_dense),
    Entry("CVXPY, SCS", "scs", lambda i: Conic(i, "SCS")),
)


def prepared(
    instance: Instance, best: Minimum, limit: float, told: Callable[[str], None]
) -> list[Row]:
    rows = []
    for entry in ENTRIES:
        told(f"{instance.title}: {entry.label}")
        reason = entry.because(instance)
        if reason is not None:
            rows.append(Row(entry.label, False, None, None, reason))
            continue
        method, search = entry.make(instance), Search(instance, best, limit)
        method.trace(search)
        ours = entry.label == OURS
        name = f"{OURS}, {chosen(instance)}" if ours else entry.label
        rows.append(Row(name, ours, method, search, None))
    return rows


def versions() -> str:
    known = []
    for package in ("wolfnest", "jax", "numpy", "scipy", "copt", "jaxopt", "cvxpy-base",
                    "clarabel", "scs"):  # fmt: skip
        try:
            known.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            known.append(f"{package} not installed")
    return ", ".join(known)


# ---- the command -----------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n  python -m wolfnest_benchmarks.peers.gaps --rounds 7",
    )
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="interleaved rounds (default: 5)")
    add(
        "--seconds",
        type=float,
        default=0.05,
        help="least time of one measurement, for which runs are repeated (default: 0.05)",
    )
    add("--limit", type=float, default=60.0, help="seconds a method may search (default: 60)")
    add("--only", nargs="+", metavar="NAME", help="problems: logistic squares completion variance")
    add("--markdown", type=Path, metavar="FILE", help="write the tables to FILE, too")
    add("--quick", action="store_true", help="tiny problems, two rounds; the times mean nothing")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds must be 1 or more, got {options.rounds}")
    if unknown := set(options.only or ()) - set(NAMES):
        parser.error(f"--only: no problem {', '.join(sorted(unknown))}; use {' '.join(NAMES)}")
    if options.markdown is not None and not options.markdown.parent.is_dir():
        parser.error(f"--markdown: there is no folder {options.markdown.parent}")
    if options.quick:
        options.rounds, options.seconds = 2, 0.0
    return options


def main() -> None:
    options, console, progress = arguments(), Console(), Console(stderr=True)
    asked = [i for i in instances(options.quick) if i.name in (options.only or NAMES)]
    told = lambda text: progress.print(text, style="dim")
    found = []
    for instance in asked:
        told(f"{instance.title}: the minimum")
        best = minimum(instance)
        found.append((instance, prepared(instance, best, options.limit, told)))
    for number in range(options.rounds):
        told(f"timing, round {number + 1} of {options.rounds}")
        for _, rows in found:
            measure(rows, number, options.seconds)
    texts = []
    for instance, rows in found:
        texts += [f"### {instance.title}", "", *table(rows, options.limit), ""]
    told_rounds = {"rounds": options.rounds, "long_rounds": ROUNDS_OF_LONG, "long": LONG}
    texts.append(NOTE.format(ours=OURS, certified=CERTIFIED, **told_rounds))
    texts += ["", f"Versions: {versions()}.", ""]
    page = "\n".join(texts)
    console.print(page, markup=False, highlight=False, soft_wrap=True)
    if options.markdown is not None:
        options.markdown.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
