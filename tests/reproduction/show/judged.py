"""Made-up verdicts in the shape of real ones, for tests of the report only."""

import numpy as np
import pandas as pd
import synthetic

from wolfnest_reproduction.judge.beside import COLUMNS
from wolfnest_reproduction.judge.claims import CLAIMS, Claim, Contest
from wolfnest_reproduction.judge.completeness import MISSING
from wolfnest_reproduction.judge.factors import Factor
from wolfnest_reproduction.judge.judgement import COLUMNS as FIGURES
from wolfnest_reproduction.judge.judgement import Judgement
from wolfnest_reproduction.judge.tally import Tally
from wolfnest_reproduction.judge.verdict import Counts, Measured, Note, Part, Verdict

PART = "ours against rivals"
TITLES = {claim.name: claim.title for claim in CLAIMS}
CRITERIA = ("optimal_gap", "frank_wolfe_gap", "gradient_mapping")
MEASURES = ("at equal time", "at equal samples", "area under log-curve (time)",
            "area under log-curve (samples)")  # fmt: skip
KINDS = ("holds", "partly", "does not hold", "not tested", "partly")


def judgement(found, seed=0):
    """Verdicts of all four kinds and comparisons with numbers out of a generator."""
    rng = np.random.default_rng(seed)
    verdicts = [verdict(f"C{k + 1}", kind, incomplete=k == 1) for k, kind in enumerate(KINDS)]
    groups = found.traces[["experiment", "data", "setting", "horizon"]].drop_duplicates()
    rows, aside = [], []
    for group in groups.to_dict("records"):
        claim = f"C{group['experiment'][1:]}"
        for criterion in CRITERIA[group["experiment"] == "E1" :]:
            for measure in MEASURES:
                for rival in synthetic.RIVALS[:3]:
                    names = {"method": "PMVR-v1", "rival": rival}
                    rows.append(
                        {"claim": claim, **group, "criterion": criterion, "measure": measure,
                         **names, **_values(rng)}
                    )  # fmt: skip
            for measure in ("at equal samples", "at equal time"):
                for form, method in (
                    ("separate batches", "PMVR-v1 (separate)"), ("automatic choice", "automatic")
                ):  # fmt: skip
                    aside.append(
                        {"form": form, **group, "criterion": criterion, "method": method,
                         "rival": "PMVR-v1", "measure": measure, **_values(rng)}
                    )  # fmt: skip
    return Judgement(verdicts, pd.DataFrame(rows), pd.DataFrame(aside, columns=COLUMNS))


def verdict(claim="C1", kind="partly", text=None, data=None, incomplete=False, part=PART):
    """A verdict with one part as a whole and by data set, and with two factors."""
    text = text or f"Claim {claim} in words: the proposed methods are faster than the rivals."
    contest = Contest(part, "E2", (("PMVR-v1", ("SCSC",)),))
    return Verdict(
        Claim(claim, TITLES.get(claim, claim), text, (contest,)),
        kind,
        [_part(part, kind)],
        [data or "Industry-10"],
        [],
        (5, 5),
        [Note(MISSING, {"experiment": "E2", "names": {"NLASG": 1}, "groups": 1})] * incomplete,
        incomplete,
    )


def _part(name, kind):
    count = Tally(0, 0, 0) if kind == "not tested" else Tally(14, 11, 7)
    half = Tally(*(number // 2 for number in count))
    measures = {"at equal time": Measured(half, 0.5)} if count.total else {}
    rest = kind, count, Tally(4, 3, 1), Tally(2, 0, 1), half, half, measures
    factors = [
        Factor("time or samples", {"by time": Tally(3, 9, 4), "by samples": Tally(11, 2, 3)}),
        Factor("criterion", {"optimal_gap": Tally(5, 1, 0)}),
    ]
    whole, finer = Counts("all", "all", *rest), Counts("Industry-10", "optimal_gap", *rest)
    return Part(name, whole, [finer], factors)


def _values(rng):
    value, other = 10.0 ** rng.uniform(-4, -1, 2)
    ratio = np.log10(value / other)
    outcome = "better" if ratio < -0.3 else "worse" if ratio > 0.3 else "open"
    return {"value": value, "rival_value": other, "ratio": value / other, "low": ratio - 0.3,
            "high": ratio + 0.3, "outcome": outcome}  # fmt: skip


def nothing():
    """A judgement without any verdict."""
    return Judgement([], pd.DataFrame(columns=FIGURES), pd.DataFrame(columns=COLUMNS))
