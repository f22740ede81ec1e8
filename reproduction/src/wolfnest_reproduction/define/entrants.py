"""What an experiment compares: methods with their gradient batches, and the automatic choice."""

from __future__ import annotations

import dataclasses

from wolfnest import methods

SHARED, SEPARATE = "shared", "separate"
USER, LIBRARY = "user", "library"


@dataclasses.dataclass(frozen=True)
class Entrant:
    """A method as it enters an experiment.

    With `gradient_batch="separate"` its gradient has samples of its own, from the same total.
    """

    name: str | None
    """That of the registry; None where the library chooses a method for the problem."""
    gradient_batch: str = SHARED

    @property
    def chosen_by(self) -> str:
        return LIBRARY if self.name is None else USER

    @property
    def label(self) -> str:
        """The name that results have it under.

        >>> Entrant("PMVR-v1").label, Entrant("PMVR-v1", SEPARATE).label, AUTOMATIC.label
        ('PMVR-v1', 'PMVR-v1 (separate)', 'automatic')
        """
        if self.name is None:
            return "automatic"
        return self.name if self.gradient_batch == SHARED else f"{self.name} (separate)"

    def with_batches(self, gradient_batch: str) -> Entrant:
        return dataclasses.replace(self, gradient_batch=gradient_batch)


AUTOMATIC = Entrant(None)
_KNOWN = {
    each.label: each
    for each in (
        *(Entrant(name, batch) for name in methods.names() for batch in (SHARED, SEPARATE)),
        AUTOMATIC,
    )
}


def entrant(label: str) -> Entrant:
    """What results have under a label; a method that this library does not have is one by itself.

    >>> entrant("PMVR-v1 (separate)")
    Entrant(name='PMVR-v1', gradient_batch='separate')
    """
    return _KNOWN.get(label, Entrant(label))
