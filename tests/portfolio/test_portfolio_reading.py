"""Files of prices and returns: what is recognised, and every bad input by its message."""

import re

import numpy as np
import pandas as pd
import pytest

from wolfnest.datasets import DataError
from wolfnest.portfolio.reading import read


@pytest.fixture
def write(tmp_path):
    def write(table, name="table.csv", **options):
        path = tmp_path / name
        if path.suffix == ".parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, **options)
        return path

    return write


# ---- what is recognised ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_prices_become_returns(write, prices, frame, name):
    table = read(write(prices, name))
    assert table.frame.to_numpy() == pytest.approx(frame.to_numpy())
    assert list(table.frame.columns) == list(frame.columns)
    assert list(table.dates) == list(frame.index)
    assert table.notes[1].startswith("taken as prices: no value is negative or zero")
    assert table.source == name


def test_returns_stay_and_percent_become_fractions(write, frame):
    for unit, factor in (("fraction", 1), ("percent", 100)):
        table = read(write(factor * frame))
        assert table.frame.to_numpy() == pytest.approx(frame.to_numpy())
        assert any("as returns: there are negative values" in note for note in table.notes)
        assert any(note.startswith(f"taken as returns in {unit}") for note in table.notes)
    said = read(write(frame), kind="returns", unit="percent")
    assert said.frame.to_numpy() == pytest.approx(frame.to_numpy() / 100)


@pytest.mark.parametrize(
    "dates",
    [
        lambda index: index.strftime("%Y-%m-%d"),
        lambda index: index.strftime("%Y%m%d").astype(int),
        lambda index: index.strftime("%d %b %Y"),
    ],
)
@pytest.mark.parametrize("label", ["Date", "caldt", ""])
def test_dates_are_found(write, frame, dates, label):
    table = frame.set_axis(pd.Index(dates(frame.index), name=label or None), axis=0)
    found = read(write(table))
    assert list(found.dates) == list(frame.index)


def test_without_dates_rows_keep_their_order(write, frame):
    plain = frame.reset_index(drop=True)
    assert read(write(plain, index=False)).dates is None
    counted = read(write(plain))
    assert counted.frame.shape == frame.shape
    assert "the first column counts the rows and was left out" in counted.notes


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_are_read(write, frame, separator):
    assert read(write(frame, sep=separator)).frame.shape == frame.shape


def test_columns_can_be_left_out(write, frame):
    assert list(read(write(frame), without=("BB", "DD")).frame.columns) == ["AA", "CC", "EE"]
    with pytest.raises(DataError, match="there is no column 'XX' to leave out"):
        read(write(frame), without=("XX",))


def test_gaps_in_prices_are_dropped_or_carried_on(write, prices):
    prices.iloc[10, 1] = np.nan
    path = write(prices)
    dropped = read(path, nan="drop")
    assert len(dropped.frame) == len(prices) - 2
    assert "1 rows with gaps were left out" in dropped.notes
    carried = read(path, nan="zero").frame
    assert carried.iloc[9, 1] == 0
    assert carried.iloc[10, 1] == pytest.approx(prices.iloc[11, 1] / prices.iloc[9, 1] - 1)


def test_gaps_in_returns_are_dropped_or_zero(write, frame):
    frame = frame.copy()
    frame.iloc[10, 1] = np.nan
    path = write(frame)
    assert len(read(path, nan="drop").frame) == len(frame) - 1
    assert read(path, nan="zero").frame.iloc[10, 1] == 0


def test_the_sample_needs_no_file():
    assert read("sp500").frame.shape == (8312, 20)


# ---- what is refused -------------------------------------------------------------------------


def refused(path, message, **options):
    with pytest.raises(DataError, match=re.escape(message)):
        read(path, **options)


def test_a_gap_in_prices(write, prices):
    prices.iloc[10, 1] = np.nan
    day = prices.index[10].date()
    refused(write(prices), f"there is a gap in the prices in row 10 (from 0, {day}), column 'BB'")


def test_a_gap_in_returns(write, frame):
    frame = frame.copy()
    frame.iloc[4, 3] = np.nan
    refused(write(frame), "got NaN in row 4 (from 0, 2021-01-08), column 'DD'")


@pytest.mark.parametrize("value", [0.0, -3.0])
def test_a_price_that_is_none(write, prices, value):
    prices.iloc[5, 0] = value
    refused(write(prices), f"prices must be positive, got {value:g} in row 5", kind="prices")


def test_infinite_values(write, frame, prices):
    frame = frame.copy()
    frame.iloc[4, 3] = np.inf
    refused(write(frame), "got inf (inf) in row 4 (from 0, 2021-01-08), column 'DD'")
    prices.iloc[4, 3] = np.inf
    refused(write(prices), "got inf (inf) in row 4")


def test_columns_that_never_change(write, frame, prices):
    refused(write(frame.assign(BB=0.0)), "these columns never change: 'BB' (the return is 0")
    refused(write(prices.assign(CC=7.0)), "these columns never change: 'CC'")


def test_names_that_are_there_twice(write, frame, tmp_path):
    twice = frame.set_axis(["AA", "BB", "AA", "DD", "EE"], axis=1)
    refused(write(twice), "'AA' more than once, in columns 2, 4. Rename or delete")


def test_rows_out_of_order(write, frame):
    path = write(frame.iloc[[0, 1, 5, 3, 4]])
    refused(path, "sorted by date, got 2021-01-07 in row 3 (from 0) after 2021-01-11")


def test_newest_first_is_turned_round(write, prices, frame):
    turned = read(write(prices.iloc[::-1]))
    assert list(turned.dates) == list(frame.index)
    assert turned.frame.to_numpy() == pytest.approx(frame.to_numpy())
    assert "the rows ran from new to old, from 2021-06-18, and were turned round" in turned.notes


def test_a_table_across_daylight_saving_keeps_its_days(write, frame):
    zoned = frame.set_axis(frame.index.tz_localize("America/New_York"), axis=0)
    for name in ("table.csv", "table.parquet"):
        assert list(read(write(zoned, name)).dates) == list(frame.index)


def test_dates_that_are_there_twice(write, frame):
    refused(
        write(frame.iloc[[0, 1, 1, 2]]), "got 2021-01-05 in row 1 and in row 2 (from 0). Keep one"
    )


def test_a_date_that_is_none(write, frame):
    days = frame.index.strftime("%Y-%m-%d").to_list()
    days[3] = "soon"
    path = write(frame.set_axis(pd.Index(days, name="date"), axis=0))
    refused(path, "expected a date, got 'soon' in row 3 (from 0), column 'date'")


def test_a_cell_that_is_no_number(write, frame):
    table = frame.astype(object)
    table.iloc[6, 2] = "n.q."
    refused(
        write(table), "expected a number, got 'n.q.' in row 6 (from 0, 2021-01-12), column 'CC'"
    )


def test_numbers_that_can_be_either(write, frame):
    refused(write(frame.abs().clip(lower=0).where(frame > 0, 0.0)), "and some are 0. Say which")
    refused(write(1 + frame), "and all are near 1. Say which, with --prices or --returns")


def test_prices_with_one_that_is_negative(write, prices):
    prices.iloc[5, 1] = -prices.iloc[5, 1]
    day = prices.index[5].date()
    refused(
        write(prices),
        f"only 1 of 605 are negative, the first in row 5 (from 0, {day}), column 'BB'. A price",
    )


def test_prices_that_are_called_returns(write, prices):
    refused(write(prices), "half of the values are beyond 1e+02", kind="returns")
    assert read(write(prices), kind="returns", unit="percent").frame.shape == prices.shape


def test_too_little(write, frame):
    refused(write(frame.iloc[:2]), "expected at least 3 rows and one column of numbers, got 2 rows")
    refused(write(frame[[]]), "got 120 rows and 0 columns")


def test_files_that_are_none(tmp_path):
    refused(tmp_path / "none.csv", "there is no file")
    refused(tmp_path, "is a folder. Name one CSV or Parquet file in it")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    refused(empty, "cannot be read as CSV")
    page = tmp_path / "page.csv"
    page.write_text("<!DOCTYPE html>\n<p>not here</p>\n")
    refused(page, "is a web page, not CSV")
    broken = tmp_path / "broken.csv"
    broken.write_text("date,AA\n2021-01-04,1\n2021-01-05,1,2,3\n")
    refused(broken, "cannot be read as CSV: ")
    parquet = tmp_path / "broken.parquet"
    parquet.write_bytes(b"no parquet")
    refused(parquet, "cannot be read as Parquet")


@pytest.mark.parametrize("option", ["kind", "unit", "dates", "nan"])
def test_options_are_checked(write, frame, option):
    with pytest.raises(ValueError, match=f"{option} must be one of"):
        read(write(frame), **{option: "guess"})
