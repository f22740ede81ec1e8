"""The runs that `test_resume.py` kills and continues; `python resumed.py NAME DIRECTORY PAUSE`."""

import signal
import sys
import time

import jax
import numpy as np

import wolfnest as wn
from problems import plain, portfolio, staged

RUNS = {
    "stages": (
        staged("SwPMFS-v1", batch=3),
        {"steps": 150, "record_every": 2, "output": "best"},
    ),
    "seeds": (
        staged("SwPMVR-v1", handover="random"),
        {"steps": 150, "record_every": 2, "seeds": 3, "output": "random"},
    ),
    "jacobians": (
        wn.method("Nested-SPIDER", lr=0.1, large_batch=30, batch=4, epoch=6),
        {"steps": 150, "record_every": 2, "seeds": 2},
    ),
    "long": (plain("PMVR-v1"), {"steps": 40_000, "record_every": 400}),
}


def solve(name, directory, **options):
    solver, settings = RUNS[name]
    checkpoint = None if directory is None else wn.Checkpoint(directory, every=0)
    settings = settings | {"checkpoint": checkpoint, "progress": False, "key": 7}
    return wn.solve(portfolio(), solver, **settings | options)


if __name__ == "__main__":
    # A shell that starts the tests in the background makes its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    jax.config.update("jax_enable_x64", True)
    name, directory, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
    solution = solve(name, directory, callback=lambda row: time.sleep(pause))
    print(solution.status, solution.steps, bool(np.isfinite(solution.x).all()))
