"""Which returns the experiments run on."""

from __future__ import annotations

from pathlib import Path

from wolfnest import datasets
from wolfnest.datasets.french.by_number import locate, places
from wolfnest.datasets.returns import Returns

PAPER = (10, 12, 17)


def returns(data: str | Path | None = None, most: int | None = None) -> dict[str, Returns]:
    """The paper's industry portfolios as far as they are found, at most so many; else what
    `wolfnest.datasets.load` takes when nothing is named, which is the S&P 500 set.

    `data` is a folder or a file, as in `wolfnest.datasets.load`.
    """
    found = {}
    if not any(place.is_file() for place in places(data)):
        for portfolios in PAPER:
            if len(found) == most:
                break
            if locate(portfolios, "daily", "value", data) is not None:
                found[f"Industry-{portfolios}"] = datasets.industry(portfolios, data=data)
    if found:
        return found
    other = datasets.load(data=data)
    return {name_of(other): other}


def name_of(returns: Returns) -> str:
    """The name under which results have a data set."""
    if "package" in returns.provenance:  # the one set that another package brings
        return "S&P 500"
    facts = returns.provenance
    kind = [facts.get("frequency"), facts.get("weighting")]
    unusual = [word for word in kind if word in ("monthly", "equal")]
    return " ".join([f"Industry-{returns.shape[1]}", *unusual])
