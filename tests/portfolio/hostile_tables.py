"""Files as they come: each by name, its bytes, and what reading it must give.

A case is read with its options, and gives dates, returns and notes, or an error that says what to
do. New cases are entered where their kind stands; the tests run all of them.
"""

import dataclasses
import datetime

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

CASES = {**UNITS}
