"""Results made up so that the right verdict is known."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from wolfnest_reproduction.judge.claims import CRITERIA, FINITE, PLAIN, RIVALS, STAGED
from wolfnest_reproduction.judge.curves import Group

VARIANTS = PLAIN + STAGED + FINITE
INDUSTRY = ("Industry-10", "Industry-12", "Industry-17")


def cell(
    method,
    rate,
    *,
    experiment="E2",
    data="Industry-17",
    setting="λ=1",
    horizon=400,
    batch=128,
    seeds=10,
    records=21,
    seconds=1.0,
    samples=1000,
    noise=0.05,
    log10=None,
    luck=0,
):
    """A trace that falls by `rate` decades to the end of the budget, or as `log10(share)` says.

    Every seed has an offset of its own (`noise`), which grows from 0 at the common start.
    """
    share = np.linspace(0, 1, records)
    falls = -rate * share if log10 is None else log10(share)
    numbers = np.arange(seeds)
    random = np.random.default_rng([luck, *method.encode(), horizon])
    logs = falls + noise * random.standard_normal((seeds, 1)) * share
    frame = pd.DataFrame(
        {
            "seed": np.repeat(numbers, records),
            "step": np.tile(np.arange(records), seeds),
            "time": np.tile(seconds * share, seeds),
            "samples": np.tile(samples * share, seeds),
        }
    )
    for criterion in CRITERIA:
        frame[criterion] = 0.1 * 10 ** logs.ravel()
    return frame.assign(
        experiment=experiment,
        data=data,
        setting=setting,
        method=method,
        horizon=horizon,
        batch=batch,
        status="finished",
    )


def contest(rates, **settings):
    """One cell per method; `rates` by name."""
    return [cell(method, rate, **settings) for method, rate in rates.items()]


def ours_win(by=1.0, **settings):
    """Proposed methods `by` decades ahead of the rivals, PMVR-v2 another decade ahead."""
    rates = dict.fromkeys(PLAIN, 2.0 + by) | dict.fromkeys(RIVALS, 2.0)
    return contest(rates | {"PMVR-v2": 3.0 + by}, **settings)


def results(*frames, edges=(), **facts):
    """`edges` are (group, method) of cells with a setting at the edge of its grid, `facts` what all
    cells have in common."""
    traces = pd.concat(frames) if frames else pd.DataFrame()
    keys = [*Group._fields, "method"]
    cells = traces[keys].drop_duplicates() if frames else pd.DataFrame()
    if frames:
        at_edge = {(*group, method) for group, method in edges}
        cells["tuning"] = [
            {"at_edge": ["eta"] if tuple(row) in at_edge else []}
            for row in cells.itertuples(index=False)
        ]
        cells = cells.assign(**facts)
    return SimpleNamespace(traces=traces, cells=cells, info={}, baselines=pd.DataFrame())


def answer(judgement, claim):
    (found,) = [verdict for verdict in judgement.verdicts if verdict.claim.name == claim]
    return found
