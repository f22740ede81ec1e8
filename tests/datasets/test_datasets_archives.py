"""Downloads: nothing is trusted before it is read, nothing half done is left behind."""

import hashlib
import http.server
import json
import sys
import threading

import pytest
from french_files import VINTAGE, copy, daily, monthly, write, zipped

from wolfnest.datasets import DataError, cache_dir, download, industry, load
from wolfnest.datasets.french import official_archives

NAME = "5_Industry_Portfolios_daily_CSV.zip"
URL = f"https://mba.tuck.dartmouth.edu/pages/faculty/ken.french/ftp/{NAME}"
ARCHIVE = zipped(("5_Industry_Portfolios_Daily.CSV", daily()))


def delivers(content, asked=None):
    """A fetch function that writes these bytes."""

    def fetch(url, path):
        if asked is not None:
            asked.append(url)
        path.write_bytes(content)

    return fetch


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_archive_and_its_record_are_kept():
    asked = []
    path = download(5, fetch=delivers(ARCHIVE, asked))
    assert asked == [URL]
    assert path == cache_dir() / NAME
    assert files(cache_dir()) == [NAME, f"{NAME}.json"]
    record = json.loads((cache_dir() / f"{NAME}.json").read_text())
    assert record["url"] == URL
    assert record["sha256"] == hashlib.sha256(ARCHIVE).hexdigest()
    assert record["vintage"] == VINTAGE
    assert len(record["downloaded"]) == len("2021-10-29")
    about = industry(5).provenance
    assert record.items() <= about.items()


def test_it_is_fetched_only_if_asked_for_and_only_once(monkeypatch):
    asked = []
    monkeypatch.setattr(official_archives, "with_pooch", delivers(ARCHIVE, asked))
    with pytest.raises(DataError, match="download=True"):
        industry(5)
    assert asked == []
    for weighting in ("value", "equal"):
        assert industry(5, weighting=weighting, download=True).shape == (3, 5)
    assert load("industry5", download=True).shape == (3, 5)
    assert asked == [URL]


def test_a_folder_can_be_named(tmp_path, monkeypatch):
    monkeypatch.setattr(official_archives, "with_pooch", delivers(ARCHIVE))
    assert industry(5, data=tmp_path, download=True).shape == (3, 5)
    assert NAME in files(tmp_path)
    assert not cache_dir().exists()


def test_the_default_is_fetched_if_asked_for(monkeypatch):
    asked = []
    names = [f"I{i}" for i in range(17)]
    monkeypatch.setattr(
        official_archives, "with_pooch", delivers(zipped(("a.csv", daily(names))), asked)
    )
    assert "17 industry portfolios" in load(download=True).source
    assert asked == [URL.replace("5_", "17_")]


def test_monthly_archives_have_another_name():
    asked = []
    archive = zipped(("5_Industry_Portfolios.CSV", monthly()))
    path = download(5, "monthly", fetch=delivers(archive, asked))
    assert path.name == "5_Industry_Portfolios_CSV.zip"
    assert asked == [URL.replace("_daily", "")]
    assert industry(5, "monthly").shape == (3, 5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>Moved</html>", "web page"),
        (b"", "empty"),
        (ARCHIVE[:-40], "archive"),
        (zipped(("a.csv", daily()[:700])), "values|date|number|equal"),
        (zipped(("a.csv", copy())), "no equal weighted"),
        (zipped(("a.csv", monthly())), "no value weighted daily"),
        (zipped(("a.csv", daily(("A", "B")))), "expected 5 columns, got 2"),
    ],
)
def test_what_cannot_be_read_is_not_kept(content, message, tmp_path):
    with pytest.raises(DataError, match=rf"(?s){URL} delivered.*nothing was kept.*({message})"):
        download(5, folder=tmp_path, fetch=delivers(content))
    assert files(tmp_path) == []


def test_a_failure_leaves_the_former_copy(tmp_path):
    download(5, folder=tmp_path, fetch=delivers(ARCHIVE))
    with pytest.raises(DataError, match="nothing was kept"):
        download(5, folder=tmp_path, fetch=delivers(b"<html>"))
    assert files(tmp_path) == [NAME, f"{NAME}.json"]
    assert industry(5, data=tmp_path).shape == (3, 5)


def test_a_new_vintage_replaces_the_former_one(tmp_path):
    download(5, folder=tmp_path, fetch=delivers(ARCHIVE))
    newer = zipped(("a.csv", daily().replace("202110 CRSP", "202201 CRSP")))
    download(5, folder=tmp_path, fetch=delivers(newer))
    assert "202201" in industry(5, data=tmp_path).provenance["vintage"]


def test_a_record_never_meets_another_archive(tmp_path, monkeypatch):
    download(5, folder=tmp_path, fetch=delivers(ARCHIVE))
    replace = official_archives.os.replace

    def killed_after_the_archive(source, target):
        if str(target).endswith("json"):
            raise KeyboardInterrupt
        replace(source, target)

    newer = zipped(("a.csv", daily().replace("202110 CRSP", "202201 CRSP")))
    monkeypatch.setattr(official_archives.os, "replace", killed_after_the_archive)
    with pytest.raises(KeyboardInterrupt):
        download(5, folder=tmp_path, fetch=delivers(newer))
    assert "202201" in industry(5, data=tmp_path).provenance["vintage"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_download_leaves_nothing(error, tmp_path):
    def fetch(url, path):
        path.write_bytes(ARCHIVE[:100])
        raise error

    with pytest.raises(error):
        download(5, folder=tmp_path, fetch=fetch)
    assert files(tmp_path) == []


def test_without_a_connection_it_says_which_file_to_put_where(tmp_path):
    def fetch(url, path):
        raise ConnectionError("no route to host")

    with pytest.raises(DataError) as caught:
        download(5, folder=tmp_path, fetch=fetch)
    for part in (URL, "no route to host", str(tmp_path), f"under the name {NAME}"):
        assert part in str(caught.value)
    assert files(tmp_path) == []
    write(tmp_path, ARCHIVE, NAME)  # as it says
    assert industry(5, data=tmp_path).shape == (3, 5)


def test_a_changed_file_is_refused(tmp_path):
    path = download(5, folder=tmp_path, fetch=delivers(ARCHIVE))
    path.write_bytes(zipped(("a.csv", daily().replace("1.00", "9.00"))))
    with pytest.raises(DataError, match=rf"not the file that was downloaded.*Delete it and {NAME}"):
        industry(5, data=tmp_path)
    with pytest.raises(DataError, match="not the file that was downloaded"):
        load(data=path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_a_damaged_record_is_refused(text, tmp_path):
    path = download(5, folder=tmp_path, fetch=delivers(ARCHIVE))
    write(tmp_path, text, f"{NAME}.json")
    with pytest.raises(DataError, match=r"json is damaged .*Delete it and"):
        industry(5, data=tmp_path)
    assert path.exists()


def test_a_folder_that_cannot_be_written_to(tmp_path):
    with pytest.raises(DataError, match="cannot write to"):
        download(5, folder=write(tmp_path, "a file", "file"), fetch=delivers(ARCHIVE))


def test_without_pooch_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"a download needs pooch.*pip install"):
        industry(5, data=tmp_path, download=True)
    assert files(tmp_path) == []


class Handler(http.server.BaseHTTPRequestHandler):
    """The archive of 5 portfolios, a web page instead of 10, half an archive for 12, no others."""

    def do_GET(self):
        name = self.path.rpartition("/")[2]
        content = {"5": ARCHIVE, "10": b"<html>", "12": ARCHIVE}.get(name.partition("_")[0])
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:100] if name.startswith("12") else content)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    pytest.importorskip("pooch")
    pytest.importorskip("requests")
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(official_archives, "BASE", f"http://127.0.0.1:{running.server_port}/ftp/")
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.mark.usefixtures("server")
def test_over_http():
    assert industry(5, download=True).shape == (3, 5)
    assert files(cache_dir()) == [NAME, f"{NAME}.json"]
    for portfolios, message in ((10, "web page"), (12, "cannot be fetched"), (30, "404")):
        with pytest.raises(DataError, match=message):
            industry(portfolios, download=True)
    assert files(cache_dir()) == [NAME, f"{NAME}.json"]


def test_over_http_without_a_server(server):
    server.shutdown()
    server.server_close()
    with pytest.raises(DataError, match="cannot be fetched"):
        industry(5, download=True)
