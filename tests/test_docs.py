"""Every example in the documentation runs as printed, in a fresh process with JAX's defaults."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

DOCTESTS = """
import doctest, importlib, pkgutil, sys
import wolfnest
names = ["wolfnest", *(m.name for m in pkgutil.walk_packages(wolfnest.__path__, "wolfnest."))]
tried = failed = 0
for name in names:
    result = doctest.testmod(importlib.import_module(name))
    tried, failed = tried + result.attempted, failed + result.failed
print(f"{tried} tried, {failed} failed")
sys.exit(failed > 0 or tried == 0)
"""


def python(code, directory):
    """Run code as a user would: 32-bit floats, another directory."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        env=environment | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def readme_blocks():
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    return blocks or [pytest.param(None, marks=pytest.mark.skip(reason="no example yet"))]


def test_the_examples_in_docstrings_run(tmp_path):
    done = python(DOCTESTS, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", readme_blocks())
def test_the_examples_in_the_readme_run(block, tmp_path):
    done = python(block, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
