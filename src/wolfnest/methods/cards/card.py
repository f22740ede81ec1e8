"""What a card of a method says."""

from __future__ import annotations

from typing import Literal, NamedTuple

# The measures that rates speak of.
GAP, OPTIMAL = "Frank-Wolfe gap", "optimal gap"
MAPPING, NORM = "squared gradient mapping", "squared gradient norm"


class Card(NamedTuple):
    """What there is to know about a method before taking it.

    >>> Card._fields[:3]
    ('name', 'reference', 'levels')
    """

    name: str
    reference: str
    levels: Literal["K", "1"]
    """Number of levels: any ("K"), or one."""
    estimator: str
    step: str
    criterion: str
    rate: str
    """What was proved: one line per measure."""
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
    def source(self) -> str:
        """Authors and year."""
        authors, _, rest = self.reference.partition(', "')
        names = authors.replace(" and ", ", ").split(", ")
        short = f"{names[0]} et al." if len(names) > 3 else authors
        return f"{short} {rest[-4:]}"
