"""The writer of files: all of a file or nothing of it."""

import os

import pytest

from wolfnest.common import files


def test_a_file_is_written_whole_and_replaced(tmp_path):
    path = tmp_path / "new" / "file.txt"
    for content in ("first ä", b"second"):
        assert files.store(path, content) == path
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == ["file.txt"]
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o644


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def fail():
        with files.replacing(path) as file:
            file.write(b"half of the n")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk"):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_durable_file_is_synced_before_it_gets_its_name_and_the_name_after(tmp_path, monkeypatch):
    path, there, sync = tmp_path / "file", [], os.fsync

    def noted(descriptor):
        there.append(path.exists())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    files.store(path, "plain")
    path.unlink()
    assert there == []
    files.store(path, "safe", durable=True)
    assert there == ([False, True] if os.name == "posix" else [False])
    assert path.read_text() == "safe"


def test_what_killed_processes_left_is_removed(tmp_path):
    kept = files.store(tmp_path / "file", "whole")
    with files.replacing(tmp_path / "other") as file:
        (left,) = (path for path in tmp_path.iterdir() if path != kept)
        copy = left.with_name(left.name.replace("other", "copy"))
        copy.write_bytes(b"half")
        file.write(b"all")
    assert sorted(tmp_path.iterdir()) == sorted([kept, copy, tmp_path / "other"])
    files.remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == [kept, tmp_path / "other"]


def test_files_are_written_together_or_not_at_all(tmp_path, monkeypatch):
    folder = tmp_path / "report"
    files.store_all(folder, {"a.csv": "old", "index.html": "old"})

    def fail(path, content):
        if path.name == "index.html":
            raise OSError("no space left")
        path.write_text(content)

    monkeypatch.setattr(files, "store", fail)
    with pytest.raises(OSError, match="no space"):
        files.store_all(folder, {"a.csv": "new", "index.html": "new"})
    assert {p.name: p.read_text() for p in folder.iterdir()} == {
        "a.csv": "old",
        "index.html": "old",
    }
    with pytest.raises(OSError, match="no space"):
        files.store_all(tmp_path / "other", {"a.csv": "new", "index.html": "new"})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report"]
