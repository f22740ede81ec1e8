"""Tests of data sets see neither the user's cache nor the user's data folder."""

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    """An empty home directory."""
    folder = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.delenv("WOLFNEST_DATA", raising=False)
    return folder
