"""The table itself: what it refuses, how it is cut, what it says about itself."""

import datetime
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfnest.datasets import DataError, Returns

DAYS = np.array(["2020-12-31", "2021-01-04", "2021-02-01", "2021-02-26"], "datetime64[D]")
VALUES = np.arange(8.0).reshape(4, 2)


def returns(values=VALUES, dates=DAYS, names=("A", "B"), **more):
    return Returns(values, dates, names, "made up", **more)


def test_it_says_what_it_is():
    text = "Returns(4 × 2, percent, 2020-12-31 to 2021-02-26, made up)"
    assert repr(returns()) == text
    assert repr(returns(dates=None)) == "Returns(4 × 2, percent, no dates, made up)"
    assert len(returns()) == 4
    assert returns().shape == (4, 2)


def test_it_cannot_be_changed():
    table = returns(np.array(VALUES))
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1
    with pytest.raises(AttributeError):
        table.source = "else"


def test_the_arrays_are_not_copied_and_stay_the_callers():
    mine = np.array(VALUES)
    table = returns(mine)
    assert np.shares_memory(table.values, mine)
    assert np.shares_memory(table.last(2).values, mine)
    mine[0, 0] = 5  # still allowed


def test_other_types_become_float64_and_days():
    table = returns([[1, 2]], ["2021-10-29"], ["A", "B"])
    assert table.values.dtype == np.float64
    assert table.dates is not None
    assert table.dates.dtype == "datetime64[D]"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.ones(4)}, r"table.*got shape \(4,\)"),
        ({"values": np.ones((0, 2)), "dates": DAYS[:0]}, r"at least one row"),
        ({"values": [["x", "y"]]}, "values must be an array of float64"),
        ({"names": ("A",)}, "2 different names.*got 1"),
        ({"names": ("A", "A")}, "2 different names.*A, A"),
        ({"dates": DAYS[:3]}, r"4 days.*got shape \(3,\)"),
        ({"dates": ["x"] * 4}, "dates must be an array"),
        ({"dates": DAYS[[0, 2, 1, 3]]}, "increasing, got 2021-01-04 in row 2 after 2021-02-01"),
        ({"dates": DAYS[[0, 0, 1, 3]]}, "increasing, got 2020-12-31 in row 1"),
        ({"dates": np.array(["NaT", *DAYS[1:].astype(str)], "datetime64[D]")}, "NaT"),
        ({"values": np.where(VALUES == 5, np.nan, VALUES)}, r"nan in row 2 \(2021-02-01\).*'B'"),
        ({"values": np.where(VALUES == 5, np.inf, VALUES), "dates": None}, r"inf in row 2, .*'B'"),
    ],
)
def test_what_it_refuses(change, message):
    with pytest.raises(DataError, match=message):
        returns(**change)


@pytest.mark.parametrize(
    ("start", "end", "rows"),
    [
        (None, None, [0, 1, 2, 3]),
        ("2021", None, [1, 2, 3]),
        (None, "2020", [0]),
        ("2021-02", "2021-02", [2, 3]),
        ("2021-01-04", "2021-02-01", [1, 2]),
        ("2021-01-05", "2021-02-25", [2]),
        (datetime.date(2021, 1, 4), np.datetime64("2021-01"), [1]),
        ("1900", "2100", [0, 1, 2, 3]),
    ],
)
def test_between_includes_both_ends(start, end, rows):
    part = returns().between(start, end)
    assert part.values.tolist() == VALUES[rows].tolist()
    assert part.dates is not None
    assert part.dates.tolist() == DAYS[rows].tolist()
    assert part.provenance["rows"] == len(rows)
    assert part.provenance["first"] == str(DAYS[rows[0]])


def test_cuts_that_leave_nothing_or_make_no_sense():
    with pytest.raises(DataError, match=r"no rows from 2022-01-01 to 2021-02-26"):
        returns().between("2022")
    with pytest.raises(DataError, match="end must be a date such as"):
        returns().between(end="yesterday")
    with pytest.raises(DataError, match="start must be a date such as"):
        returns().between(start=7)
    with pytest.raises(DataError, match="cannot be cut by date"):
        returns(dates=None).between("2021")
    with pytest.raises(DataError, match="at most the 4 rows"):
        returns().last(5)
    with pytest.raises(ValueError, match="n must be a whole number"):
        returns().last(0)


@given(st.integers(1, 4))
def test_last_keeps_the_end(n):
    assert returns().last(n).values.tolist() == VALUES[-n:].tolist()
    assert returns(dates=None).last(n).shape == (n, 2)


def test_provenance_is_kept_and_can_be_stored():
    table = returns(provenance={"file": "a.csv", "rows": 99}).last(2)
    expected = {"file": "a.csv", "rows": 2, "first": "2021-02-01", "last": "2021-02-26"}
    assert json.loads(json.dumps(table.provenance)) == expected


def test_to_frame():
    pandas = pytest.importorskip("pandas")
    frame = returns().to_frame()
    assert list(frame.columns) == ["A", "B"]
    assert frame.loc["2021-02-01", "B"] == 5
    assert isinstance(frame.index, pandas.DatetimeIndex)
    assert returns(dates=None).to_frame().index.tolist() == [0, 1, 2, 3]


def test_to_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas.*pip install 'wolfnest\["):
        returns().to_frame()
