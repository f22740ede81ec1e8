"""What a card of a method says."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

# The measures that rates speak of.
GAP, OPTIMAL = "Frank-Wolfe gap", "optimal gap"
MAPPING, NORM = "squared gradient mapping", "squared gradient norm"


class Reference(NamedTuple):
    """Where a method comes from.

    >>> paper = Reference(("Lan", "Zhou"), "Conditional gradient sliding", 2016)
    >>> print(paper, "|", paper.short)
    Lan and Zhou, "Conditional gradient sliding", 2016 | Lan and Zhou 2016
    """

    authors: tuple[str, ...]
    title: str
    year: int

    def __str__(self) -> str:
        return f'{self._all_authors}, "{self.title}", {self.year}'

    @property
    def short(self) -> str:
        """Authors and year."""
        many = len(self.authors) > 3
        return f"{f'{self.authors[0]} et al.' if many else self._all_authors} {self.year}"

    @property
    def _all_authors(self) -> str:
        *others, last = self.authors
        return f"{', '.join(others)} and {last}" if others else last


class Rate(NamedTuple):
    """What was proved for one measure, in one or more regimes.

    >>> print(proved("Frank-Wolfe gap ≤ ε", "SFO ε⁻³, LMO ε⁻³ (batch 1)", "SFO ε⁻³, LMO ε⁻²"))
    Frank-Wolfe gap ≤ ε: SFO ε⁻³, LMO ε⁻³ (batch 1); SFO ε⁻³, LMO ε⁻²
    """

    measure: str
    regimes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.measure}: {'; '.join(self.regimes)}"


def proved(measure: str, *regimes: str) -> Rate:
    return Rate(measure, regimes)


class Card(NamedTuple):
    """What there is to know about a method before taking it.

    >>> import wolfnest as wn
    >>> wn.methods.table()[0].estimator
    'STORM (values, gradient)'
    """

    name: str
    cited: Reference
    levels: Literal["K", "1"]
    """Number of levels: any ("K"), or one."""
    estimator: str
    step: str
    criterion: str
    rates: tuple[Rate, ...]
    projection_free: bool
    finite_sum: bool
    """Whether all levels with samples must be finite sums."""
    batch: str
    """Batch sizes that the rate asks for."""
    equations: Literal["as published", "reconstructed", "our own"]
    summary: str
    """The updates; "now", "before" and "at_snap" are batch means of the same samples at the
    present, the previous and the snapshot's inputs, g is the batch gradient."""

    @property
    def reference(self) -> str:
        """Authors, title and year."""
        return str(self.cited)

    @property
    def rate(self) -> str:
        """What was proved: one line per measure."""
        return "\n".join(map(str, self.rates))

    def as_dict(self) -> dict[str, Any]:
        """The card with texts for its reference and its rates: what tables and JSON take."""
        shown = {"cited": ("reference", self.reference), "rates": ("rate", self.rate)}
        return dict(shown.get(field, (field, value)) for field, value in self._asdict().items())
