"""The benchmark of all methods runs and names them all. What it times is not tested."""

import subprocess
import sys
from pathlib import Path

import pytest

import wolfnest as wn

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "methods.py"


def rows(markdown):
    """Cells by method of the first table, in two groups: K = 2 and K = 1."""
    table = markdown.split("\n\n")[0].splitlines()[2:]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in table)
    return {name: (found[:6], found[6:]) for name, *found in cells}


@pytest.mark.skipif(not SCRIPT.exists(), reason="this copy comes without benchmarks")
def test_the_benchmark_of_all_methods_reports_each_of_them(tmp_path):
    page = tmp_path / "table.md"
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick", "--markdown", str(page)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    table = rows(page.read_text(encoding="utf-8"))
    assert tuple(table) == wn.methods.names()
    first_words = {line.split(" ")[0] for line in done.stdout.splitlines()}
    assert first_words >= set(wn.methods.names())

    for name, (two_levels, one_level) in table.items():
        single = wn.methods.REGISTRY[name].most_levels == 1
        assert ("–" in two_levels) == single, name
        assert ("–" in one_level) == (not single and name != "PMVR-v1"), name

    samples, evaluations, calls, size = table["PMVR-v1"][0][2:]
    assert (samples, evaluations, calls) == ("256", "512", "1")
    assert table["PMVR-v2"][0][4] == "10"
    assert table["SMVR"][0][4] == "0"
    assert int(table["SMVR"][0][5].replace(",", "")) > int(size)  # Jacobians
