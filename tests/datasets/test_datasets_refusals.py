"""Files that are not what they should be: errors with the file, the line and what to do."""

import re

import pytest
from french_files import DAYS, PREAMBLE, copy, daily, monthly, rows, write, zipped
from hypothesis import given
from hypothesis import strategies as st

from wolfnest.datasets import DataError, Returns, read_french
from wolfnest.datasets.french import text_files

HTML = "\n<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n"
TITLED = PREAMBLE + "  Average Value Weighted Returns -- Daily\n"

REFUSED = {
    "empty": ("", ("empty",)),
    "only-blanks": ("\n \r\n", ("empty",)),
    "web-page": (HTML, ("line 2", "web page", "<!DOCTYPE html>", "Download it again")),
    "prose": ("Only words,\nnothing else.\n", ("line 1", "no rows", "YYYYMMDD", "Only words")),
    "preamble-only": (PREAMBLE, ("line 1", "no rows")),
    "binary": ("\0\1\2", ("not plain text", "CSV")),
    "no-header": (rows(1, DAYS), ("line 1", "header", "date,Food")),
    "numbers-as-header": (rows(1, ("x", *DAYS)), ("line 1", "header", "different name")),
    "same-name-twice": (copy(names=("A", "B", "A", "C", "D")), ("line 1", "header", "A,B,A")),
    "name-missing": (copy(names=("A", "", "B")), ("line 1", "header")),
    "text-in-a-cell": (
        copy().replace("-3.10", "-3.1O"),
        ("line 4", "'Durbl'", "'-3.1O'", "number", "Correct it"),
    ),
    "infinite": (copy().replace("-3.10", "-inf"), ("line 4", "'Durbl'", "-inf", "finite")),
    "below-minus-100": (copy().replace("-3.10", "-310"), ("line 4", "'Durbl'", "-310", "-100")),
    "row-too-short": (copy().replace("  -3.10,", ""), ("line 4", "expected 5", "line 1", "got 4")),
    "row-too-long": (copy().replace("-3.10", "-3.10,1"), ("line 4", "expected 5", "got 6")),
    "cut-in-a-row": (copy()[:-12], ("line 4", "expected 5", "got 4")),
    "cut-after-a-date": (copy()[: copy().index("20211029") + 8], ("line 4", "got 0")),
    "cut-in-a-date": (copy()[: copy().index("20211029") + 5], ("line 4", "date", "'20211'")),
    "cut-in-the-last-number": (copy()[:-2], ("line 4", "ends inside a number")),
    "cut-in-an-official-file": (TITLED + copy("")[:-2], ("line 15", "ends inside a number")),
    "date-twice": (
        copy().replace("20211029", "20211028"),
        ("line 4", "2021-10-28", "line 3", "increase"),
    ),
    "dates-not-sorted": (
        copy().replace("20211029", "20211020"),
        ("line 4", "2021-10-20", "after 2021-10-28", "Sort"),
    ),
    "no-such-day": (copy().replace("20211029", "20211032"), ("line 4", "'20211032'", "not a date")),
    "no-such-month": (copy(dates=("202113",)), ("line 2", "'202113'", "not a date")),
    "misspelt-date": (copy().replace("20211028", "2021I028"), ("line 3", "date", "2021I028")),
    "month-among-days": (copy().replace("20211029", "202110"), ("line 4", "daily", "'202110'")),
    "word-among-rows": (copy().replace("20211029", "oops\n20211029"), ("line 4", "oops")),
    "blocks-without-a-line-between": (
        copy() + copy().partition("\n")[2],
        ("line 5", "2021-10-27", "increase"),
    ),
    "header-again": (
        copy() + "\n\n" + copy(),
        ("line 7", "start again", "no title", "Delete the line"),
    ),
    "words-among-rows": (
        copy().replace("20211029", "\nwords\n\n20211029"),
        ("line 5", "start again"),
    ),
    "same-block-twice": (
        daily().replace("Equal", "Value"),
        ("line 20", "two blocks", "value weighted daily", "line 13"),
    ),
    "only-annual": (copy(dates=("2019", "2020")), ("no value weighted", "annual rows from line 2")),
    "another-table": (
        "Number of Firms in Portfolios\n" + copy(),
        ("no value weighted", "'Number of Firms in Portfolios' daily rows from line 3"),
    ),
    "always-missing": (
        re.sub(r"  -\d\.10", "-99.99", copy()),
        ("no row without a missing cell", r"Durbl \(3\)", r"without=\('Durbl',\)"),
    ),
    "archive-cut": (zipped(("a.csv", daily()))[:-30], ("archive",)),
    "archive-damaged": (zipped(("a.csv", daily())).replace(b"a.csv", b"b.csv", 1), ("archive",)),
    "archive-of-nothing": (zipped(), ("exactly one", "no files")),
    "archive-without-data": (zipped(("a.md", "")), ("exactly one", "a.md", "Unpack")),
    "archive-of-two": (zipped(("a.csv", ""), ("b.csv", "")), ("exactly one", r"a.csv, b.csv")),
    "archive-of-an-empty-file": (zipped(("a.csv", "")), ("empty",)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused(case, tmp_path):
    content, parts = REFUSED[case]
    path = write(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_french(path)
    for part in (re.escape(str(path)), *parts):
        assert re.search(part, str(caught.value)), f"{part!r} is not in: {caught.value}"


def test_what_a_file_does_not_have_is_listed(tmp_path):
    with pytest.raises(
        DataError, match=r"no value weighted daily.*monthly rows from line 13.*Firms"
    ):
        read_french(write(tmp_path, monthly()), frequency="daily")
    with pytest.raises(DataError, match=r"no equal weighted.*has value weighted daily rows"):
        read_french(write(tmp_path, copy()), "equal")
    with pytest.raises(DataError, match=r"no value weighted.*has equal weighted daily rows"):
        read_french(write(tmp_path, copy(), "industry5_daily_ew.csv"))


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.csv cannot be read \(No such file"):
        read_french(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read_french(tmp_path)


@pytest.mark.parametrize("content", [b"x" * 2000, zipped(("a.csv", "x" * 2000))])
def test_absurd_sizes_are_refused(content, tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "LIMIT", 1000)
    with pytest.raises(DataError, match="more than"):
        read_french(write(tmp_path, content))


def test_arguments_are_checked(tmp_path):
    path = write(tmp_path, daily())
    with pytest.raises(ValueError, match="weighting must be one of 'value', 'equal', got 'cap'"):
        read_french(path, "cap")
    with pytest.raises(ValueError, match="frequency must be one of"):
        read_french(path, frequency="annual")
    with pytest.raises(DataError, match=r"without must name some .*NoDur, Durbl.* got Gold"):
        read_french(path, without=("Gold",))
    with pytest.raises(DataError, match="without must name some"):
        read_french(path, without=("NoDur", "Durbl", "Hlth", "Utils", "Other"))


def damaged(content, place, piece, cut):
    at = int(place * len(content))
    return content[:at] + piece + content[at + cut :]


@pytest.mark.parametrize(
    "content", [daily().encode(), copy().encode(), zipped(("a.csv", daily()))], ids=len
)
@given(
    st.floats(0, 1),
    st.binary(max_size=4) | st.sampled_from([b",", b"\n", b"9"]),
    st.integers(0, 60),
)
def test_damage_gives_returns_or_a_data_error(tmp_path_factory, content, place, piece, cut):
    path = write(tmp_path_factory.mktemp("damaged"), damaged(content, place, piece, cut))
    try:
        found = read_french(path)
    except DataError as error:
        found = str(error)
    assert isinstance(found, Returns) or str(path) in found
