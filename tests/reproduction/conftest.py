"""What tests of definitions and runs share: a home of their own, and a folder with data."""

import pytest
import small


@pytest.fixture
def home(tmp_path_factory, monkeypatch):
    """Neither the user's cache nor the user's data folder; workers compile faster."""
    folder = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.delenv("WOLFNEST_DATA", raising=False)
    monkeypatch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")


@pytest.fixture
def data(tmp_path):
    """A folder with a data set."""
    folder = tmp_path / "data"
    folder.mkdir()
    small.write_data(folder)
    return folder
