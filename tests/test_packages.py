"""The three packages as wheels: what is in them, and what a plain install has."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
FOLDERS = {
    "wolfnest": ROOT,
    "wolfnest_reproduction": ROOT / "reproduction",
    "wolfnest_benchmarks": ROOT / "benchmarks",
}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The names of the files of each wheel."""
    place = tmp_path_factory.mktemp("wheels")
    for folder in FOLDERS.values():
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    made = {path.name.partition("-")[0]: path for path in place.glob("*.whl")}
    return {name: zipfile.ZipFile(path).namelist() for name, path in made.items()}


def test_each_wheel_holds_its_own_package_and_nothing_else(wheels):
    assert set(wheels) == set(FOLDERS)
    for name, files in wheels.items():
        folders = {file.partition("/")[0] for file in files}
        assert {folder for folder in folders if not folder.endswith(".dist-info")} == {name}


def test_the_library_has_its_marker_for_type_checkers(wheels):
    assert "wolfnest/py.typed" in wheels["wolfnest"]


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_left_out_of_a_wheel(name, wheels):
    source = FOLDERS[name] / "src"
    needed = {
        path.relative_to(source).as_posix()
        for path in (source / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert needed <= set(wheels[name])
