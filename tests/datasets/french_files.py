"""Small files in the layouts of the industry portfolio files, with made-up numbers."""

import io
import zipfile

NAMES = ("NoDur", "Durbl", "Hlth ", "Utils", "Other")
DAYS = ("20211027", "20211028", "20211029")
MONTHS = ("202108", "202109", "202110")
YEARS = ("2019", "2020")
VINTAGE = "This file was created by CMPT_IND_RETS_DAILY using the 202110 CRSP database."
PREAMBLE = f"""{VINTAGE}
It contains value- and equal-weighted returns for 5 industry portfolios.

The portfolios are constructed at the end of June.

The annual returns are from January to December.

Missing data are indicated by -99.99 or -999.


"""
FOOTER = "\nCopyright 2021 Kenneth R. French\n"


def number(block, row, column):
    """A different value for every cell of every block."""
    return round((-1) ** column * (block + row + column / 10), 2)


def table(block, rows=3, columns=5):
    return [[number(block, r, c) for c in range(columns)] for r in range(rows)]


def rows(block, dates, columns=5, separator=","):
    cells = table(block, len(dates), columns)
    return "".join(
        f"{date}{separator}" + separator.join(f"{v:7.2f}" for v in line) + "\n"
        for date, line in zip(dates, cells, strict=True)
    )


def section(title, block, dates, names=NAMES):
    return f"  {title}\n,{','.join(names)}\n{rows(block, dates, len(names))}"


def daily(names=NAMES):
    """The official daily file: block 1 is value weighted, block 2 equal weighted."""
    return (
        PREAMBLE
        + section("Average Value Weighted Returns -- Daily", 1, DAYS, names)
        + "\n\n"
        + section("Average Equal Weighted Returns -- Daily", 2, DAYS, names)
        + FOOTER
    )


def monthly(names=NAMES):
    """The official monthly file: blocks 1 and 2 as above, then six that are something else."""
    parts = [
        section("Average Value Weighted Returns -- Monthly", 1, MONTHS, names),
        section("Average Equal Weighted Returns -- Monthly", 2, MONTHS, names),
        section("Average Value Weighted Returns -- Annual", 3, [f"  {y}" for y in YEARS], names),
        section("Average Equal Weighted Returns -- Annual", 4, [f"  {y}" for y in YEARS], names),
        section("Number of Firms in Portfolios", 5, MONTHS, names),
        section("Average Firm Size", 6, MONTHS, names),
        section("Sum of BE / Sum of ME", 7, [f"  {y}" for y in YEARS], names),
        section("Value-Weighted Average of BE/ME", 8, [f"  {y}" for y in YEARS], names),
    ]
    return PREAMBLE + "\n\n".join(parts) + FOOTER


def copy(first="Date", dates=DAYS, names=NAMES):
    """A copy of the first block only, with its header in line 1."""
    return f"{first},{','.join(names)}\n{rows(1, dates, len(names))}"


def zipped(*members):
    """An archive of (name, text) pairs, as bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members:
            archive.writestr(name, text)
    return buffer.getvalue()


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
