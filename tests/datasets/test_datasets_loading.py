"""Which file is taken, by number, by name, or when nothing is named."""

import io
import sys

import numpy as np
import pytest
from french_files import copy, daily, monthly, table, write, zipped
from rich.console import Console

from wolfnest.datasets import DataError, Returns, available, cache_dir, industry, load, loading
from wolfnest.datasets.listing import listing
from wolfnest.datasets.loading import Found

NAMES = {n: [f"I{i}" for i in range(n)] for n in (5, 10, 12, 17)}
STAND_IN = Returns([[1.0]], ["2020-01-02"], ("A",), "S&P 500 stand-in")


@pytest.fixture(autouse=True)
def shipped(monkeypatch):
    """The S&P 500 set without skfolio."""
    monkeypatch.setattr(loading, "sp500", lambda: STAND_IN)


@pytest.mark.parametrize(
    ("name", "frequency", "weightings"),
    [
        ("5_Industry_Portfolios_daily.CSV", "daily", {"value", "equal"}),
        ("5_Industry_Portfolios_Daily.csv", "daily", {"value", "equal"}),
        ("5_Industry_Portfolios_daily_CSV.zip", "daily", {"value", "equal"}),
        ("5_Industry_Portfolios_daily_TXT.zip", "daily", {"value", "equal"}),
        ("5_Industry_Portfolios.CSV", "monthly", {"value", "equal"}),
        ("5_Industry_Portfolios_CSV.zip", "monthly", {"value", "equal"}),
        ("industry5_daily_vw_25105.csv", "daily", {"value"}),
        ("industry5_monthly_ew.csv", "monthly", {"equal"}),
        ("Industry5_daily.csv", "daily", {"value"}),
        ("5_Industry_Portfolios_Wout_Div.CSV", None, set()),
        ("15_Industry_Portfolios_daily.CSV", None, set()),
        ("my_5_Industry_Portfolios_daily.CSV", None, set()),
        ("5_Industry_Portfolios_daily.CSV.bak", None, set()),
    ],
)
def test_files_are_recognised_by_their_names(name, frequency, weightings, tmp_path):
    text = {"daily": daily(), "monthly": monthly(), None: daily()}[frequency]
    write(tmp_path, zipped(("a.csv", text)) if name.endswith("zip") else text, name)
    for asked in ("daily", "monthly"):
        for weighting, block in (("value", 1), ("equal", 2)):
            if asked == frequency and weighting in weightings:
                found = industry(5, asked, weighting, data=tmp_path)
                assert found.values.tolist() == table(block)
                assert found.provenance["file"] == name
            else:
                with pytest.raises(DataError, match=f"no file of the 5 .*{asked}, {weighting}"):
                    industry(5, asked, weighting, data=tmp_path)


def test_of_several_files_the_official_one_is_taken(tmp_path):
    write(tmp_path, copy().replace("1.00", "7.00"), "industry5_daily_vw.csv")
    write(tmp_path, zipped(("a.csv", daily())), "5_Industry_Portfolios_daily_CSV.zip")
    taken = industry(5, data=tmp_path).provenance["file"]
    assert taken == "5_Industry_Portfolios_daily_CSV.zip"


def test_of_two_alike_none_is_taken(tmp_path):
    for name in ("industry5_daily_vw_1.csv", "industry5_daily_vw_2.csv"):
        write(tmp_path, copy(), name)
    with pytest.raises(
        DataError, match=r"several files.*vw_1\.csv, industry5_daily_vw_2\.csv.*data="
    ):
        industry(5, data=tmp_path)
    assert industry(5, data=tmp_path / "industry5_daily_vw_2.csv").shape == (3, 5)


def test_folders_are_searched_in_order(tmp_path, monkeypatch):
    named, other = tmp_path / "named", tmp_path / "variable"
    for place, name in ((named, "c"), (other, "b"), (cache_dir(), "a")):
        place.mkdir(parents=True)
        write(place, copy(), f"industry5_daily_vw_{name}.csv")
    file = lambda **where: industry(5, **where).provenance["file"]
    assert file() == "industry5_daily_vw_a.csv"
    monkeypatch.setenv("WOLFNEST_DATA", str(other))
    assert file() == "industry5_daily_vw_b.csv"
    assert file(data=named) == "industry5_daily_vw_c.csv"
    (other / "industry5_daily_vw_b.csv").unlink()
    assert file() == "industry5_daily_vw_a.csv"
    (named / "industry5_daily_vw_c.csv").unlink()
    with pytest.raises(DataError, match="no file of the 5"):
        industry(5, data=named)
    monkeypatch.setenv("WOLFNEST_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="variable WOLFNEST_DATA must name a folder"):
        industry(5)


def test_a_file_can_be_named_whatever_it_is_called(tmp_path, monkeypatch):
    path = write(tmp_path, daily(), "mine.dat")
    assert industry(5, weighting="equal", data=str(path)).values.tolist() == table(2)
    monkeypatch.setenv("WOLFNEST_DATA", str(path))
    assert industry(5).values.tolist() == table(1)
    assert load().values.tolist() == table(1)
    with pytest.raises(DataError, match=r"5 columns, and 17 .* portfolios=5"):
        industry(17)


def test_dates_and_columns_are_cut(tmp_path):
    write(tmp_path, daily(), "5_Industry_Portfolios_daily.CSV")
    found = industry(5, data=tmp_path, start="2021-10-28", end="2021-10-28", without=("Utils",))
    assert found.values.tolist() == [[v for i, v in enumerate(table(1)[1]) if i != 3]]
    assert industry(5, data=tmp_path, without="Utils").shape == (3, 4)


def test_what_is_missing_is_told_with_a_remedy(tmp_path):
    with pytest.raises(DataError) as caught:
        industry(49, "monthly", data=tmp_path)
    for part in (
        "49_Industry_Portfolios_CSV.zip", "https://mba.tuck.dartmouth.edu/", str(tmp_path),
        "WOLFNEST_DATA", "download=True",
    ):  # fmt: skip
        assert part in str(caught.value)
    with pytest.raises(ValueError, match=r"one of 5, 10, .* got 11"):
        industry(11)
    with pytest.raises(ValueError, match="frequency must be"):
        industry(10, "annual")
    with pytest.raises(ValueError, match="weighting must be"):
        industry(10, weighting="cap")


def test_names(tmp_path):
    write(tmp_path, daily(), "5_Industry_Portfolios_daily.CSV")
    write(tmp_path, monthly(), "5_Industry_Portfolios.CSV")
    for name, block, frequency in (
        ("industry5", 1, "daily"),
        ("industry5-equal", 2, "daily"),
        ("industry5-monthly", 1, "monthly"),
        ("industry5-monthly-equal", 2, "monthly"),
    ):
        found = load(name, data=tmp_path)
        assert found.values.tolist() == table(block)
        assert found.provenance["frequency"] == frequency
    assert load("sp500") is STAND_IN
    assert load("industry5", data=tmp_path, start="2021-10-29").shape == (1, 5)
    np.testing.assert_array_equal(
        load("synthetic:6x2:3").values, load("synthetic:9x2:3").values[:6]
    )
    assert "seed 0" in load("synthetic:6x2").source
    for wrong in ("industry", "sp600", "synthetic:6", "synthetic:6x2x1", "Industry17", ""):
        with pytest.raises(ValueError, match=f"name must be 'industry17'.*got {wrong!r}"):
            load(wrong)


def test_when_nothing_is_named(tmp_path, monkeypatch):
    assert load() is STAND_IN
    with pytest.raises(DataError, match="no file of the 17"):
        load(data=tmp_path)  # a folder was named: other data would be a surprise
    monkeypatch.setenv("WOLFNEST_DATA", str(tmp_path))
    assert load() is STAND_IN
    write(tmp_path, monthly(NAMES[5]), "5_Industry_Portfolios.CSV")
    assert "5 industry portfolios, monthly" in load().source
    for n in (5, 10, 12, 17):
        write(tmp_path, copy(names=NAMES[n]), f"industry{n}_daily_vw.csv")
        assert f"{n} industry portfolios, daily" in load().source
        assert f"{n} industry portfolios, daily" in load(data=tmp_path).source


def test_without_any_data_it_says_what_to_do(monkeypatch):
    def missing():
        raise ImportError("skfolio is not there.")

    monkeypatch.setattr(loading, "sp500", missing)
    with pytest.raises(
        DataError, match=r"no data: .*wolfnest, and skfolio is not there.*synthetic"
    ):
        load()
    assert available() == []


def test_what_is_available(tmp_path, monkeypatch):
    write(tmp_path, daily(), "5_Industry_Portfolios_daily.CSV")
    write(tmp_path, monthly().partition("\n\n\n  Average Equal")[0], "5_Industry_Portfolios.CSV")
    write(tmp_path, copy(names=NAMES[10]), "industry10_daily_vw.csv")
    write(tmp_path, "<html>", "industry12_daily_ew.csv")
    write(tmp_path, copy(), "7_Industry_Portfolios_daily.CSV")
    found = {one.name: one for one in available(tmp_path)}
    assert list(found) == [
        "industry12-equal", "industry10", "industry5", "industry5-equal", "industry5-monthly",
    ]  # fmt: skip
    assert "web page" in found["industry12-equal"].problem
    assert found["industry12-equal"].file == "industry12_daily_ew.csv"
    one = found["industry5"]
    assert (one.rows, one.columns, one.first, one.last) == (3, 5, "2021-10-27", "2021-10-29")
    assert one.vintage.startswith("This file was created")
    for name, one in found.items():
        if not one.problem:
            assert load(name, data=tmp_path).source == one.source
    monkeypatch.setenv("WOLFNEST_DATA", str(tmp_path))
    assert [one.name for one in available()] == [*found, "sp500"]


def test_the_listing_says_how_to_get_the_papers_data_where_they_are_not():
    def shown(*names, problem=""):
        console = Console(file=io.StringIO(), width=200)
        console.print(listing([Found(name, "file", problem=problem) for name in names]))
        return console.file.getvalue()

    assert "wolfnest data --download" in shown("sp500")
    assert "--download" not in shown("sp500", "industry17")
    assert "--download" not in shown("mine.csv", problem="line 2 is wrong")


def test_what_a_named_file_is(tmp_path):
    (one,) = available(write(tmp_path, daily(), "mine.dat"))
    assert (one.name, one.file, one.problem) == ("industry5", "mine.dat", "")
    (bad,) = available(write(tmp_path, "words", "bad.dat"))
    assert "no rows" in bad.problem


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_cache_is_in_the_users_home(platform, monkeypatch, home):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA")
    assert home in cache_dir().parents
    assert cache_dir().name == "wolfnest"
