"""Files as they come: each by name, its bytes, and what reading it must give.

A case is read with its options, and gives dates, returns and notes, or an error that says what to
do. New cases are entered where their kind stands; the tests run all of them.
"""

import dataclasses
import datetime
import gzip

import numpy as np

ROWS = 60


@dataclasses.dataclass(frozen=True)
class Hostile:
    """A file, and what it must give: `says` stands in the error, or in one of the notes."""

    content: bytes
    says: str = ""
    refused: bool = False
    first: str | None = None
    last: str | None = None
    rows: int | None = None
    size: float | None = None  # the median of |returns|, within a factor of 2
    values: tuple[tuple[float, ...], ...] | None = None
    options: dict = dataclasses.field(default_factory=dict)
    name: str = "table.csv"


def numbers(scale=0.01, rows=ROWS, columns=3, seed=1):
    return scale * np.random.default_rng(seed).standard_t(4, (rows, columns))


def business_days(rows=ROWS, start=datetime.date(2021, 1, 4)):
    days = (start + datetime.timedelta(days=i) for i in range(3 * rows))
    return [day for day in days if day.weekday() < 5][:rows]


def table(values, days=None, form="%Y-%m-%d", separator=",", cell="{:.8f}".format):
    """A CSV file of a date and a column per asset, A, B, ….; None is an empty cell."""
    days = business_days(len(values)) if days is None else days
    text = [day if isinstance(day, str) else day.strftime(form) for day in days]
    names = [chr(ord("A") + i) for i in range(len(values[0]))]
    lines = [["date", *names]]
    for day, row in zip(text, values, strict=True):
        lines.append([day, *("" if v is None or v != v else cell(v) for v in row)])
    return "\n".join(separator.join(line) for line in lines).encode() + b"\n"


def with_value(values, at, value):
    changed = np.array(values)
    changed[at] = value
    return changed


UNITS = {
    "fractions": Hostile(table(numbers()), "taken as returns in fraction", size=0.0075),
    "percent": Hostile(table(numbers(1.0)), "taken as returns in percent", size=0.0075),
    "one fraction below -1": Hostile(
        table(with_value(numbers(), (5, 1), -1.5)),
        "1 of 180 values below -1, the first in row 5 (from 0, 2021-01-11), column 'B'",
        size=0.0075,
    ),
    "three of many fractions below -1": Hostile(
        table(with_value(numbers(0.015, 2_000), ([3, 70, 900], [0, 1, 2]), -1.01)),
        "3 of 6,000 values below -1",
        size=0.011,
    ),
    "quiet percent with one below -1": Hostile(
        table(with_value(numbers(0.06), (5, 1), -1.5)), "Say --unit fraction or --unit", True
    ),
    "quiet percent, as was said": Hostile(
        table(with_value(numbers(0.06), (5, 1), -1.5)),
        "taken as returns in percent",
        size=0.00045,
        options={"unit": "percent"},
    ),
    "small values and many below -1": Hostile(
        table(with_value(numbers(), (slice(0, 20), 1), -1.5)), "Say --unit fraction", True
    ),
    "returns of years": Hostile(
        table(np.clip(numbers(0.2), -0.6, 0.9), [f"{1950 + i}-12-31" for i in range(ROWS)]),
        "much for fractions, and none is below -1",
        True,
    ),
    "one column in percent": Hostile(
        table(numbers() * [1, 1, 100]),
        "these columns seem to be percent among fractions: 'C'",
        True,
    ),
    "percent with many zeros": Hostile(
        table(np.where(np.arange(ROWS)[:, None] % 3 == 0, numbers(1.0), 0.0)),
        "taken as returns in percent",
    ),
    "cash beside stocks in percent": Hostile(
        table(numbers(1.0) * [1, 1, 0.01]), "taken as returns in percent"
    ),
}


def months(count, day=1, year=2005):
    return [datetime.date(year + i // 12, i % 12 + 1, day) for i in range(count)]


def mondays(count):
    return [datetime.date(2021, 1, 4) + datetime.timedelta(weeks=i) for i in range(count)]


def hours(zone_before, zone_after):
    """The hours around the morning on which clocks in New York were put back."""
    early = [f"2021-11-07 {hour:02}:00:00{zone_before}" for hour in range(2)]
    return early + [f"2021-11-07 {hour:02}:00:00{zone_after}" for hour in range(1, 6)]


DAY, MONTH = "%d/%m/%Y", "%m/%d/%Y"
SAY_DATES = "Say --dates day-first or --dates month-first"
DATES = {
    "the first of every month of one year, day first": Hostile(
        table(numbers(rows=11), months(12)[1:], DAY), SAY_DATES, True
    ),
    "the same, as was said": Hostile(
        table(numbers(rows=11), months(12)[1:], DAY),
        "day first as was said",
        first="2005-02-01",
        last="2005-12-01",
        options={"dates": "day-first"},
    ),
    "the first of every month of two years, day first": Hostile(
        table(numbers(rows=24), months(24), DAY),
        "day first: so they are evenly spaced",
        first="2005-01-01",
        last="2006-12-01",
    ),
    "the first of every month of two years, month first": Hostile(
        table(numbers(rows=24), months(24), MONTH), "month first", last="2006-12-01"
    ),
    "days, day first": Hostile(
        table(numbers(), form=DAY), "day first: 13/01/2021", first="2021-01-04", last="2021-03-26"
    ),
    "days, month first, with points": Hostile(
        table(numbers(), form="%m.%d.%Y"), "month first", first="2021-01-04", last="2021-03-26"
    ),
    "days, day first, years of two digits": Hostile(
        table(numbers(), form="%d-%m-%y"), "day first", first="2021-01-04", last="2021-03-26"
    ),
    "days, month first, newest first": Hostile(
        table(numbers(), business_days()[::-1], MONTH),
        "turned round",
        first="2021-01-04",
        last="2021-03-26",
    ),
    "seven days that can be either": Hostile(
        table(numbers(rows=7), business_days(7), MONTH), SAY_DATES, True
    ),
    "both ways in one file": Hostile(
        table(numbers(rows=4), ["13/01/2021", "01/14/2021", "15/01/2021", "16/01/2021"]),
        "got '13/01/2021' in row 0 (from 0; day first) and '01/14/2021' in row 1 (month first)",
        True,
    ),
    "said otherwise": Hostile(
        table(numbers(), form=DAY),
        "expected a date, got '13/01/2021'",
        True,
        options={"dates": "month-first"},
    ),
    "a thirteenth month after all": Hostile(
        table(numbers(rows=4), ["30/01/2021", "31/01/2021", "31/02/2021", "01/03/2021"]),
        "expected a date, got '31/02/2021' in row 2",
        True,
    ),
    "weeks across daylight saving": Hostile(
        table(
            numbers(rows=30),
            [f"{d} 00:00:00-0{5 if i < 10 else 4}:00" for i, d in enumerate(mondays(30))],
        ),
        "dates from column 'date'",
        first="2021-01-04",
        last="2021-07-26",
    ),
    "the hour that clocks show twice": Hostile(
        table(numbers(rows=7), hours("-04:00", "-05:00")), "in UTC", rows=7
    ),
    "zones by name": Hostile(
        table(numbers(), form="%Y-%m-%d 16:00:00 EST"), first="2021-01-04", last="2021-03-26"
    ),
    "day first with times and zones": Hostile(
        table(numbers(), form="%d/%m/%Y 16:00+01:00"), "day first", last="2021-03-26"
    ),
    "numbers of seven and eight digits": Hostile(
        table(numbers(), form="%d%m%Y"), "expected a date", True
    ),
}


def living(begin, end, values=None):
    """Returns of which the second column is there only from one row to another."""
    values = numbers() if values is None else values
    values = np.array(values)
    values[:begin, 1] = values[end:, 1] = np.nan
    return values


PRICES = 100 * np.cumprod(1 + numbers(0.01), axis=0)
DEAD = "'B' (2021-01-04 to 2021-02-12), of a table from 2021-01-04 to 2021-03-26"
STARTS_AND_STOPS = {
    "an asset that stops": Hostile(table(living(0, 30)), DEAD, True),
    "how to go on without it": Hostile(
        table(living(0, 30)), "leave them out first (--without B)", True
    ),
    "an asset that starts": Hostile(table(living(30, 60)), "'B' (2021-02-15 to 2021-03-26)", True),
    "an asset that stops, counted as zero": Hostile(
        table(living(0, 30)), DEAD, rows=60, options={"nan": "zero"}
    ),
    "an asset that stops, rows dropped": Hostile(
        table(living(0, 30)),
        "the sample now runs from 2021-01-04 to 2021-02-12, 30 of 60 rows",
        last="2021-02-12",
        rows=30,
        options={"nan": "drop"},
    ),
    "prices that stop": Hostile(table(living(0, 30, PRICES)), DEAD, True),
    "prices that stop, rows dropped": Hostile(
        table(living(0, 30, PRICES)), DEAD, last="2021-02-12", rows=29, options={"nan": "drop"}
    ),
    "prices that stop, left out": Hostile(
        table(living(0, 30, PRICES)), "taken as prices", rows=59, options={"without": ("B",)}
    ),
    "assets that never meet": Hostile(
        table(np.column_stack([living(0, 30)[:, 1], living(30, 60)[:, 1]])),
        "--nan drop leaves 0 of 60 rows",
        True,
        options={"nan": "drop"},
    ),
    "a column without a value": Hostile(table(living(60, 60)), "'B' (no value)", True),
}


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


MILLIONS = 40_000 * PRICES
PRICE_SIZE = 0.0075
FILES = {
    "decimal comma": Hostile(
        table(PRICES, form="%d.%m.%Y", separator=";", cell=lambda v: f"{v:.4f}".replace(".", ",")),
        "numbers have a decimal comma",
        first="2021-01-05",
        size=PRICE_SIZE,
    ),
    "decimal comma and points between thousands": Hostile(
        table(MILLIONS, form="%d.%m.%Y", separator=";", cell=german),
        "numbers have a decimal comma",
        size=PRICE_SIZE,
    ),
    "commas between thousands": Hostile(
        table(MILLIONS, cell=lambda v: f'"{v:,.2f}"'), "commas part thousands", size=PRICE_SIZE
    ),
    "commas that can be either": Hostile(
        table(10 * PRICES + 1000, separator=";", cell=lambda v: f"{v:,.0f}"),
        "with a decimal comma or with commas between thousands",
        True,
    ),
    "percent signs": Hostile(
        table(numbers(0.1), cell="{:.4f}%".format), "numbers have percent signs", size=0.00075
    ),
    "percent signs here and there": Hostile(
        table(numbers(1.0), cell=lambda v: f"{v:.4f}" + "%" * int(v > 0)), "in one way", True
    ),
    "a separator at every end": Hostile(
        table(numbers()).replace(b"\n", b",\n"), "taken as returns", size=0.0075, rows=60
    ),
    "a separator at the end of rows alone": Hostile(
        table(numbers()).replace(b"\n", b",\n").replace(b"C,\n", b"C\n"),
        first="2021-01-04",
        size=0.0075,
    ),
    "dates without a heading": Hostile(
        table(numbers()).replace(b"date,", b""), "dates from column", first="2021-01-04"
    ),
    "Latin-1": Hostile(
        table(numbers()).replace(b",B", ",Köln".encode("latin-1")), "read as Latin-1", rows=60
    ),
    "UTF-16": Hostile(table(numbers()).decode().encode("utf-16"), "UTF-16", size=0.0075),
    "UTF-16 without a mark": Hostile(
        table(numbers()).decode().encode("utf-16-le"), "UTF-16", first="2021-01-04", size=0.0075
    ),
    "packed": Hostile(gzip.compress(table(numbers())), size=0.0075, name="table.csv.gz"),
    "packed and cut off": Hostile(
        gzip.compress(table(numbers()))[:900], "Download the data again", True, name="table.gz"
    ),
    "a workbook": Hostile(
        b"PK\x03\x04" + bytes(range(256)), "save the sheet as CSV (UTF-8)", True, name="t.xlsx"
    ),
    "no text": Hostile(bytes(range(256)) * 9, "is not a text file", True),
}


ROWS_ALONE = table(np.column_stack([PRICES[:, :2], 1e6 + 0 * PRICES[:, :2]])).split(b"\n", 1)[1]
LONG = b"".join(
    f"{day},{asset},{value:.6f}\n".encode()
    for day, row in zip(business_days(), PRICES, strict=True)
    for asset, value in zip("ABC", row, strict=True)
)
SHAPES = {
    "fields above assets": Hostile(
        b"Price,Close,Close,Volume,Volume\nTicker,A,B,A,B\nDate,,,,\n" + ROWS_ALONE,
        "'Close' is taken",
        first="2021-01-05",
        rows=59,
        size=PRICE_SIZE,
    ),
    "assets above fields": Hostile(
        b"Ticker,A,B,A,B\nPrice,Adj Close,Adj Close,Volume,Volume\nDate,,,,\n" + ROWS_ALONE,
        "'Adj Close' is taken",
        first="2021-01-05",
        rows=59,
        size=PRICE_SIZE,
    ),
    "one row per date and asset": Hostile(
        b"date,ticker,price\n" + LONG,
        "one column for each 'ticker'",
        first="2021-01-05",
        rows=59,
        size=PRICE_SIZE,
    ),
    "one row per date and asset, one of them twice": Hostile(
        b"date,ticker,price\n" + LONG + LONG.splitlines(True)[-1], "must occur once", True
    ),
}

CASES = {**UNITS, **DATES, **STARTS_AND_STOPS, **FILES, **SHAPES}
