"""Tests of experiments see neither the user's cache nor the user's data folder."""

import pytest
import small


@pytest.fixture(autouse=True)
def _home(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.delenv("WOLFNEST_DATA", raising=False)
    monkeypatch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # workers compile faster


@pytest.fixture
def data(tmp_path):
    """A folder with a data set."""
    folder = tmp_path / "data"
    folder.mkdir()
    small.write_data(folder)
    return folder
