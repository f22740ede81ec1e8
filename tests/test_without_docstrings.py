"""No docstring is data: without them (`python -OO`) everything is said and done as with them."""

import os
import subprocess
import sys

import pytest

SAID = """
import jax.numpy as jnp
import wolfnest as wn
print(wn.methods.table())
print(wn.methods.describe("PMFS-v2"), wn.methods.record("SCSC"))
level = wn.Level(lambda x, r: (r @ x - 0.1) ** 2, data=jnp.eye(3))
problem = wn.Problem([level], wn.sets.Simplex(3), convex=True)
print(wn.solve(problem, steps=20, progress=False).certificate)
"""
HELP = """
import sys
from wolfnest.cli import main
for command in ([], ["methods"], ["data"], ["portfolio"], ["reproduce"], ["bench"]):
    sys.argv = ["wolfnest", *command, "--help"]
    try:
        main()
    except SystemExit as end:
        assert end.code in (0, None), end
"""


def said(code, *options):
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=os.environ | {"COLUMNS": "100", "TERM": "dumb"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("code", [SAID, HELP], ids=["library", "command line"])
def test_nothing_is_lost_without_docstrings(code):
    with_docstrings = said(code)
    assert len(with_docstrings) > 1000
    assert said(code, "-OO") == with_docstrings
