"""The command `wolfnest data`."""

import pytest
from typer.testing import CliRunner

from wolfnest import cli, datasets

HEAD = ",".join(["date", *(f"A{i}" for i in range(10))])
ROWS = [
    ",".join([f"202001{day}", *(f"{day / 10 + i}" for i in range(10))]) for day in range(10, 20)
]


@pytest.fixture
def data(tmp_path):
    """A folder with a data set."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "industry10_daily_vw.csv").write_text("\n".join([HEAD, *ROWS]))
    return folder


def command(*arguments):
    return CliRunner().invoke(cli.app, list(map(str, arguments)), prog_name="wolfnest")


def test_the_data_on_this_machine(data, tmp_path):
    assert "industry10" in command("data", "--data", data).output
    (data / "industry12_daily_vw.csv").write_text("<html>")
    output = command("data", "--data", data).output
    assert "industry10" in output
    assert "industry12:" in output
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "No data sets were found" in command("data", "--data", empty).output
    assert "--download" not in output
    assert command("data", "--data", tmp_path / "nowhere").exit_code == 2


def test_downloads_are_asked_for(data, tmp_path, monkeypatch):
    asked, table = [], datasets.factor_model(50, 10)
    load_one = lambda name, **options: asked.append((name, options)) or table
    monkeypatch.setattr(datasets, "load", load_one)
    assert command("data", "--data", data).exit_code == 0
    assert asked == []
    command("data", "--download", "--data", data)
    command("data", "industry49", "--download", "--data", data)
    names = [name for name, _ in asked]
    assert names == ["industry10", "industry12", "industry17", "industry49"]
    assert all(options == {"data": data, "download": True} for _, options in asked)
