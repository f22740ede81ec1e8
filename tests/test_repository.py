"""What people who work here rely on: hooks, forms, the citation."""

import tomllib
from pathlib import Path

import pytest
import yaml

import wolfnest

ROOT = Path(__file__).parent.parent
FILES = [
    ROOT / ".pre-commit-config.yaml",
    ROOT / "CITATION.cff",
    *sorted((ROOT / ".github").rglob("*.yml")),
]


def parsed(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def recipe(target):
    """The commands of a target of the Makefile, with the tools where they are."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    (start,) = (i for i, line in enumerate(lines) if line.startswith(f"{target}:"))
    for line in lines[start + 1 :]:
        if not line.startswith("\t"):
            return
        yield line.strip().replace("$(BIN)", ".venv/bin")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_of_settings_can_be_read(path):
    assert isinstance(parsed(path), dict)


def test_what_runs_before_a_commit_is_what_make_lint_runs():
    (local,) = parsed(ROOT / ".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"  # no network
    commands = [hook["entry"] for hook in local["hooks"]]
    assert commands == list(recipe("lint"))
    for hook in local["hooks"]:
        assert (hook["language"], hook["pass_filenames"]) == ("system", False)


@pytest.mark.parametrize("name", ["bug.yml", "feature.yml"])
def test_forms_ask_for_something(name):
    form = parsed(ROOT / ".github" / "ISSUE_TEMPLATE" / name)
    fields = [field["id"] for field in form["body"]]
    assert form["name"]
    assert form["description"]
    assert len(set(fields)) == len(fields) >= 3
    assert all(field["attributes"]["label"] for field in form["body"])
    assert form["body"][0]["validations"]["required"]


def test_the_citation_is_of_this_version():
    citation = parsed(ROOT / "CITATION.cff")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert str(citation["version"]) == project["version"] == wolfnest.__version__
    assert citation["license"] == project["license"]
    (paper,) = citation["references"]
    assert [author["family-names"] for author in paper["authors"]][:1] == ["Jiang"]


def test_pages_that_people_look_for_are_there():
    for name in ("CONTRIBUTING.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md"):
        assert len((ROOT / name).read_text(encoding="utf-8")) > 200
