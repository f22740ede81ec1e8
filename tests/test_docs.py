"""Every example in the documentation runs as printed, in a fresh process with JAX's defaults."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

BESIDE = (
    "reproduction/src/wolfnest_reproduction",
    "benchmarks/src/wolfnest_benchmarks",
)

DOCTESTS = """
import doctest, importlib, pkgutil, sys
names = []
for top in ("wolfnest", "wolfnest_reproduction", "wolfnest_benchmarks"):
    found = pkgutil.walk_packages(importlib.import_module(top).__path__, f"{top}.")
    names += [top, *(m.name for m in found if not m.name.endswith("__main__"))]
tried = failed = 0
for name in names:
    result = doctest.testmod(importlib.import_module(name))
    tried, failed = tried + result.attempted, failed + result.failed
print(f"{tried} tried, {failed} failed")
sys.exit(failed > 0 or tried == 0)
"""


def python(code, directory):
    """Run code as a user would: 32-bit floats, another directory."""
    environment = {k: v for k, v in os.environ.items() if k != "JAX_ENABLE_X64"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        env=environment | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.S | re.M)


def test_the_examples_in_docstrings_run(tmp_path):
    done = python(DOCTESTS, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("number", range(len(blocks(ROOT / "README.md"))))
def test_every_example_of_the_readme_runs_on_its_own(number, tmp_path):
    done = python(blocks(ROOT / "README.md")[number], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if blocks(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run_from_top_to_bottom(page, tmp_path):
    done = python("\n".join(blocks(page)), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_files_that_the_architecture_names_are_there():
    """Names are relative to the library, or to the folder of a package named before them."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    packages = ("src/wolfnest", *BESIDE)
    homes = [ROOT, *(ROOT / package for package in packages)]
    named = set(re.findall(r"`([\w./-]+(?:/|\.py))`", text))
    assert len(named) > 50
    assert not {name for name in named if not any((home / name).exists() for home in homes)}
