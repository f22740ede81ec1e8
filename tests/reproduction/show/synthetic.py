"""Made-up results in the shape of real ones, for tests of the report only."""

import dataclasses
import json
from typing import Any

import numpy as np
import pandas as pd

PLAIN = ["PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2"]
MORE = ["PMFS-v1", "PMFS-v2", "SwPMVR-v1", "SwPMVR-v2", "SwPMM-v1", "SwPMFS-v1", "SwPMFS-v2"]
RIVALS = ["A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR", "LiNASA+ICG"]
PROJECTING = {"A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR"}
SEPARATE = [f"{name} (separate)" for name in PLAIN]
CAST = {
    **{name: [*PLAIN, *RIVALS, *SEPARATE, "automatic"] for name in ("E1", "E2", "E3")},
    **{name: [*PLAIN, *MORE, *SEPARATE[:2], "automatic"] for name in ("E4", "E5")},
}
DATA = {"E1": ["20 x 20", "100 x 100"]}
BATCH = {"E5": 32}


@dataclasses.dataclass(frozen=True)
class Results:
    traces: pd.DataFrame
    cells: pd.DataFrame
    baselines: pd.DataFrame
    info: dict[str, Any]
    folder: Any = None


def results(
    experiments=("E1", "E2", "E3", "E4", "E5"),
    data=("Industry-10", "Industry-17"),
    settings=("λ=1",),
    horizons=(400, 4000),
    seeds=4,
    records=12,
    cast=None,
):
    """Curves that fall at rates of their own, noise over seeds, one method that diverges."""
    rng = np.random.default_rng(0)
    traces, cells, baselines = [], [], []
    for experiment in experiments:
        for name in DATA.get(experiment, data):
            for setting in ("",) if experiment == "E1" else settings:
                for horizon in horizons:
                    for k, method in enumerate((cast or CAST)[experiment]):
                        key = (experiment, name, setting, method, horizon)
                        traces.append(_trace(rng, k, *key, seeds, records))
                        cells.append(_cell(k, *key, seeds))
                if experiment in ("E2", "E3"):  # E4 and E5 pose the problem of E2
                    baselines += _baselines(experiment, name, setting)
    return Results(
        pd.concat(traces, ignore_index=True),
        pd.DataFrame(cells),
        pd.DataFrame(baselines),
        _info(experiments, data),
    )


def _trace(rng, k, experiment, data, setting, method, horizon, seeds, records):
    batch, levels = BATCH.get(experiment, 128), 1 if experiment == "E1" else 2
    double = 2 if "separate" in method else 1
    step = np.unique(np.linspace(0, horizon // double, records).astype(int))
    slow = 8.0 if "v2" in method else 1.0 + 0.3 * (k % 5)
    fall = 3.0 * (1 - np.exp(-step / horizon * double * (1.5 + 5 * ((k * 7) % 10) / 10)))
    rows = []
    for seed in range(seeds):
        wiggle = 0.08 * rng.standard_normal(len(step)).cumsum() + 0.15 * rng.standard_normal()
        gap = 2.0 * 10.0 ** (-fall + wiggle * (step > 0))
        if method == "Nested-SPIDER" and experiment == "E2" and seed == 1:
            gap[len(gap) // 2 :] = np.nan
        rows.append(
            {
                "experiment": experiment,
                "data": data,
                "setting": setting,
                "method": method,
                "horizon": horizon,
                "batch": batch,
                "seed": seed,
                "step": step,
                "time": step * 9e-6 * slow * (1 + 0.02 * seed),
                "samples": step * batch * levels * double,
                "evaluations": step * batch * levels * double * 2,
                "lmo": step * (0 if method in PROJECTING else 50 if "v2" in method else 1),
                "objective": gap - 0.4,
                "optimal_gap": gap if experiment not in ("E1",) else np.nan,
                "frank_wolfe_gap": 1.5 * gap,
                "gradient_mapping": gap**2,
                "status": "diverged" if np.isnan(gap).any() else "max_steps",
            }
        )
    return pd.concat([pd.DataFrame(row) for row in rows], ignore_index=True)


def _cell(k, experiment, data, setting, method, horizon, seeds):
    rate = "lr" if method in PROJECTING else "eta"
    return {
        "id": f"{experiment}-{data}-{setting}-{method}-{horizon}",
        "experiment": experiment,
        "data": data,
        "setting": setting,
        "method": method,
        "name": method.removesuffix(" (separate)"),
        "horizon": horizon,
        "batch": BATCH.get(experiment, 128),
        "seeds": seeds,
        "settings": {rate: 0.01, "alpha": 0.003 if k == 0 else 0.1},
        "tuning": {
            "grid": {rate: [0.001, 0.005, 0.01, 0.05, 0.1], "alpha": [0.01, 0.03, 0.05, 0.1, 0.3]},
            "runs": 25,
            "extended": [{"alpha": 0.003}] if k == 0 else [],
            "at_edge": ["alpha"] if k == 0 else [],
            "score": -2.5 - k / 10,
            "scores": [[{rate: 0.001, "alpha": 0.01}, -1.0], [{rate: 0.01, "alpha": 0.1}, -2.5]],
        },
        "microseconds_per_iteration": 9.0 * (8 if "v2" in method else 1 + 0.3 * (k % 5)),
        "samples_per_iteration": 256.0,
        "lmo_per_iteration": 0.0 if method in PROJECTING else 50.0 if "v2" in method else 1.0,
        "status": "done",
    }


def _baselines(experiment, data, setting):
    """Frank-Wolfe that falls by a factor of ten in 2 ms, with its curve, and a solver without."""
    common = {"experiment": experiment, "data": data, "setting": setting}
    time = np.arange(1, 21) * 1e-3
    gap = (2.0 if data == "Industry-10" else 1.0) * 10.0 ** (-time / 2e-3)
    curve = {"time": time, "objective": gap - 0.4, "optimal_gap": gap, "frank_wolfe_gap": 3 * gap}
    text = json.dumps({name: values.tolist() for name, values in curve.items()})
    return [
        {**common, "solver": "exact Frank-Wolfe", "time": 0.02, "iterations": 20,
         "objective": -0.4, "optimal_gap": gap[-1], "frank_wolfe_gap": 3 * gap[-1], "note": "",
         "curve": text},
        {**common, "solver": "CVXPY (CLARABEL)", "time": 0.1, "iterations": 14, "objective": -0.4,
         "optimal_gap": 1e-10, "frank_wolfe_gap": 1e-9, "note": "with its moments", "curve": None},
    ]  # fmt: skip


def _info(experiments, data):
    return {
        "command": "wolfnest reproduce --quick --out out/quick",
        "note": "The path after --data is shortened.",
        "profile": "quick",
        "overrides": {},
        "started": "2025-01-01T10:00:00+00:00",
        "finished": "2025-01-01T10:01:02+00:00",
        "experiments": list(experiments),
        "environment": {
            "python": "3.12.1", "wolfnest": "0.1.0", "jax": "0.5.0", "numpy": "2.0.0",
            "platform": "Linux", "cpu": "a processor", "cores": 2, "precision": "float64",
        },
        "data": {
            name: {
                "source": f"{name}_Portfolios_Daily.csv", "sha256": "ab" * 32, "vintage": "202110",
                "rows": 25105, "first": "1926-07-01", "last": "2021-10-29",
            }
            for name in data
        },
    }  # fmt: skip
