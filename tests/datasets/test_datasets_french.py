"""Every layout of the industry portfolio files gives the same numbers."""

import hashlib

import numpy as np
import pytest
from french_files import (
    DAYS,
    FOOTER,
    NAMES,
    PREAMBLE,
    VINTAGE,
    copy,
    daily,
    monthly,
    rows,
    table,
    write,
    zipped,
)
from hypothesis import given
from hypothesis import strategies as st

from wolfnest.datasets import read_french

STRIPPED = tuple(name.strip() for name in NAMES)
TITLE = "  Average Value Weighted Returns -- Daily\n"
BLANKS = " " * 8 + "  ".join(NAMES)

LAYOUTS = {
    "official": daily(),
    "line-ends-of-windows": daily().replace("\n", "\r\n"),
    "line-ends-of-old-macs": daily().replace("\n", "\r"),
    "long-preamble": "Words, and 2 commas,\nand the year\n1926 to 2021\n\n" * 20 + daily(),
    "no-preamble": daily().removeprefix(PREAMBLE),
    "one-blank-line-between-blocks": daily().replace("\n\n\n", "\n\n"),
    "blank-line-below-titles": daily().replace("-- Daily\n", "-- Daily\n\n"),
    "no-footer": daily().removesuffix(FOOTER),
    "footer-without-blank-line": daily().replace(FOOTER, FOOTER.lstrip()),
    "byte-order-mark": "\ufeff" + copy(),
    "header-empty": copy(""),
    "header-Date": copy("Date"),
    "header-date": copy("date"),
    "header-caldt": copy("caldt"),
    "header-quoted": copy().replace("NoDur", '"NoDur"'),
    "trimmed": copy("date").replace(" ", ""),
    "no-last-line-end": copy().removesuffix("\n"),
    "decimals-of-any-number": copy().replace("1.40\n", "1.400\n").removesuffix("0\n"),
    "prose-that-starts-with-a-year": "1926 to 2021.\n\n" + copy(),
    "first-block-with-its-title": PREAMBLE + TITLE + copy(""),
    "resaved-by-a-spreadsheet": daily().replace("\n", ",,\n").replace(",,\n", ",,,,,,,\n", 3),
    "blank-line-among-rows": copy().replace("20211028", "\n20211028"),
    "dates-with-dashes": copy().replace("202110", "2021-10-"),
    "dates-with-times": copy().replace("20211028", "2021-10-28 00:00:00"),
    "text-with-blanks": f"{PREAMBLE}{TITLE}{BLANKS}\n{rows(1, DAYS, separator=' ')}{FOOTER}",
    "text-with-blanks-and-Date": f"Date {BLANKS}\n{rows(1, DAYS, separator=' ')}",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read(layout, tmp_path):
    found = read_french(write(tmp_path, LAYOUTS[layout]))
    assert found.values.tolist() == table(1)
    assert found.names == STRIPPED
    assert [str(day).replace("-", "") for day in found.dates] == list(DAYS)
    assert found.provenance["frequency"] == "daily"
    assert found.provenance["missing_rows_dropped"] == 0


@pytest.mark.parametrize(("weighting", "block"), [("value", 1), ("equal", 2)])
@pytest.mark.parametrize("frequency", ["daily", "monthly", None])
def test_blocks_are_not_mixed_up(weighting, block, frequency, tmp_path):
    text = monthly() if frequency == "monthly" else daily()
    found = read_french(write(tmp_path, text), weighting, frequency)
    assert found.values.tolist() == table(block)
    assert f"{weighting} weighted" in found.source


def test_a_month_is_dated_by_its_last_day(tmp_path):
    found = read_french(write(tmp_path, monthly()))
    assert [str(day) for day in found.dates] == ["2021-08-31", "2021-09-30", "2021-10-31"]
    assert found.provenance["blocks"] == ["value monthly", "equal monthly"]
    february = copy(dates=("202001", "202002", "202003"))
    assert str(read_french(write(tmp_path, february)).dates[1]) == "2020-02-29"


def test_an_untitled_copy_is_what_its_name_says(tmp_path):
    equal = write(tmp_path, copy(), "industry5_daily_ew.csv")
    assert read_french(equal, "equal").values.tolist() == table(1)
    assert read_french(write(tmp_path, copy(), "new_few.csv")).shape == (3, 5)


@pytest.mark.parametrize("inside", ["10_Industry_Portfolios_Daily.CSV", "folder/data.txt"])
def test_an_archive_is_read_whatever_its_name(inside, tmp_path):
    archive = zipped(("readme.md", "no data"), (inside, daily()), ("__MACOSX/._a.csv", "\0"))
    found = read_french(write(tmp_path, archive, "data.bin"))
    assert found.values.tolist() == table(1)
    assert found.provenance["sha256"] == hashlib.sha256(archive).hexdigest()


def test_provenance_tells_the_file_and_its_vintage(tmp_path):
    path = write(tmp_path, daily())
    assert read_french(path).provenance == {
        "file": "data.csv",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "vintage": VINTAGE,
        "weighting": "value",
        "frequency": "daily",
        "blocks": ["value daily", "equal daily"],
        "missing_rows_dropped": 0,
        "missing_cells": {},
        "rows": 3,
        "first": "2021-10-27",
        "last": "2021-10-29",
    }
    assert read_french(write(tmp_path, copy())).provenance["vintage"] is None


@pytest.mark.parametrize("missing", ["-99.99", "  -999", "-999.00", "", "NA", "nan"])
def test_rows_with_missing_cells_are_dropped_and_counted(missing, tmp_path):
    text = copy().replace("-3.10", missing, 1)
    assert text != copy()
    found = read_french(write(tmp_path, text))
    assert found.values.tolist() == table(1)[:2]
    assert found.provenance["missing_rows_dropped"] == 1
    assert found.provenance["missing_cells"] == {"Durbl": 1}
    assert found.provenance["last"] == "2021-10-28"


def test_columns_can_be_left_out(tmp_path):
    lines = copy().splitlines()
    text = "\n".join([lines[0], *(line.rpartition(",")[0] + ",-99.99" for line in lines[1:])])
    path = write(tmp_path, text)
    found = read_french(path, without=("Other", "Durbl"))
    assert found.names == ("NoDur", "Hlth", "Utils")
    assert found.values.tolist() == [[row[i] for i in (0, 2, 3)] for row in table(1)]
    assert "without Other without Durbl" in found.source
    assert read_french(path, without="Other").shape == (3, 4)


def test_saturdays_are_days_like_any_other(tmp_path):
    found = read_french(write(tmp_path, copy(dates=("19260702", "19260703", "19260706"))))
    assert [str(day) for day in found.dates] == ["1926-07-02", "1926-07-03", "1926-07-06"]


@given(
    st.lists(st.dates(), min_size=1, max_size=6, unique=True),
    st.data(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ",  "]),
)
def test_what_is_written_is_read(tmp_path_factory, days, data, end, separator):
    cell = st.one_of(
        st.integers(-9998, 99999).map(lambda cents: cents / 100), st.sampled_from([-99.99, -999.0])
    )
    width = data.draw(st.integers(1, 5))
    values = [data.draw(st.lists(cell, min_size=width, max_size=width)) for _ in days]
    values[0] = [1.0] * width  # a row without missing cells
    lines = [separator.join(["", *NAMES[:width]])]
    for day, row in zip(sorted(days), values, strict=True):
        lines.append(separator.join([day.strftime("%Y%m%d").zfill(8), *(f"{v:.2f}" for v in row)]))
    found = read_french(write(tmp_path_factory.mktemp("drawn"), end.join([*lines, ""])))
    kept = [row for row in values if not {-99.99, -999.0} & set(row)]
    np.testing.assert_array_equal(found.values, kept)
    assert found.provenance["missing_rows_dropped"] == len(days) - len(kept)
