"""Small experiments for the tests; `python small.py DATA OUT JOBS` runs one of them."""

import dataclasses
import os
import signal
import sys
from pathlib import Path

import numpy as np

import wolfnest as wn
from wolfnest_reproduction import reproduce
from wolfnest_reproduction.define.cells import cells_of
from wolfnest_reproduction.define.entrants import entrant
from wolfnest_reproduction.define.experiments import EXPERIMENTS, Case, Profile
from wolfnest_reproduction.define.posing import Poser
from wolfnest_reproduction.run import plan

ASSETS, DAYS = 10, 200
METHODS = ("PMVR-v1", "SCSC", "automatic")


def table(days=DAYS, assets=ASSETS):
    return wn.datasets.factor_model(days, assets, seed=1)


def write_data(folder):
    """Returns in a file that is found as ten industry portfolios."""
    values = np.asarray(table().values).round(4)
    days = np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-01") + len(values))
    lines = [",".join(["date", *(f"A{i}" for i in range(ASSETS))])]
    for day, row in zip(days, values, strict=True):
        lines.append(",".join([str(day).replace("-", ""), *map(str, row)]))
    path = Path(folder, "industry10_daily_vw.csv")
    path.write_text("\n".join(lines) + "\n")
    return path


def experiment(name="E2", methods=METHODS, horizon=20, **changes):
    case = Case({"risk": 1.0}, (horizon,))
    entrants = tuple(map(entrant, methods))
    settings = {"entrants": entrants, "cases": (case,), "seeds": 2, "batch": 16} | changes
    return dataclasses.replace(EXPERIMENTS[name], **settings)


def profile(*experiments, **changes):
    settings = {
        "tuning_seeds": 1,
        "trials": 6,
        "thin": 4,
        "records": 5,
        "tuning_records": 2,
    }
    return Profile("small", {each.name: each for each in experiments}, **settings | changes)


def cells(*experiments, **changes):
    names = [each.name for each in experiments]
    return cells_of(names, profile(*experiments, **changes), {"Industry-10": table()})


def poser():
    return Poser({"Industry-10": table()})


@dataclasses.dataclass(frozen=True)
class Deadly:
    """A task that takes its worker with it, or only says who does it."""

    id: str
    dies: bool
    program: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class DeadlyWork:
    folder: Path

    def __call__(self, task):
        if task.dies:
            os._exit(3)
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        (self.folder / task.id).write_text(f"{threads} {os.environ['JAX_ENABLE_X64']}")


if __name__ == "__main__":
    # A shell that starts the tests in the background makes its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    data, out, jobs = sys.argv[1:]
    plan._baselines = lambda tasks: []
    reproduce(["E2"], profile=profile(experiment()), data=data, out=out, jobs=int(jobs))
