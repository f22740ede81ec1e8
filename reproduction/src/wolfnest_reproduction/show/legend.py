"""How each method looks, in figures and on the page: colour, dashes, marker, place in the legend.

The paper's own methods are solid lines with filled markers, in one hue per family; rivals are
dashed with open markers; the same method with separate gradient batches keeps its colour and is
dotted; solvers without sampling are thick and pale. No two methods share both dashes and marker, so
that curves can be told apart without any colour. All colours have a contrast of at least 3 with the
page, in its light and its dark form.
"""

from __future__ import annotations

from wolfnest.page.looks import Look, spare
from wolfnest_reproduction.define.entrants import AUTOMATIC, SEPARATE, SHARED, entrant
from wolfnest_reproduction.show import labels

GROUPS = {
    "ours": "The paper's methods",
    "rivals": "Rivals",
    "separate": "The paper's methods, separate gradient batches",
    "automatic": "The library's own choice",
    "exact": "Without sampling, on all data",
    "other": "Others",
}


def _ours(name: str, colour: str, dark: str, marker: str) -> Look:
    return Look(name, "ours", colour, dark, marker)


def _rival(name: str, colour: str, dark: str, marker: str, *dash: float) -> Look:
    return Look(name, "rivals", colour, dark, marker, dash, filled=False)


# In the order of the legend.
_TABLE = (
    _ours("PMVR-v1", "#1f78c8", "#5aa9f0", "circle"),
    _ours("PMVR-v2", "#08306b", "#b4d4fa", "square"),
    _ours("PMM-v1", "#c96a00", "#ffa640", "up"),
    _ours("PMM-v2", "#8c2d04", "#ff8a5c", "down"),
    _ours("PMFS-v1", "#1b8a4b", "#4fd08a", "diamond"),
    _ours("PMFS-v2", "#004d2a", "#b5ecca", "plus"),
    _ours("SwPMVR-v1", "#2a86a5", "#4cc3e6", "pentagon"),
    _ours("SwPMVR-v2", "#5b4fc4", "#a79bff", "hexagon"),
    _ours("SwPMM-v1", "#d6452b", "#ff6f59", "left"),
    _ours("SwPMFS-v1", "#6b8e00", "#bcd63f", "right"),
    _ours("SwPMFS-v2", "#00807a", "#3fd6c8", "cross"),
    _rival("A-TSCGD", "#6b6b6b", "#b0b0b0", "circle", 6, 2),
    _rival("NLASG", "#c2468f", "#f08fd0", "square", 3, 1.5),
    _rival("Nested-SPIDER", "#7a3fa0", "#c99af0", "diamond", 7, 2, 1.5, 2),
    _rival("SCSC", "#8a6d3b", "#d9bc85", "up", 4.5, 1.5, 1, 1.5, 1, 1.5),
    _rival("SMVR", "#333333", "#e8e8e8", "down", 10, 2.5),
    _rival("LiNASA+ICG", "#7d1f3f", "#e0708f", "pentagon", 2, 1),
)
_AUTOMATIC = Look(AUTOMATIC.label, "automatic", "#000000", "#ffffff", "star", width=2.4)
LOOKS = {look.name: look for look in (*_TABLE, _AUTOMATIC)}


def _solver(name: str, colour: str, dark: str, marker: str, *dash: float) -> Look:
    return Look(name, "exact", colour, dark, marker, dash, filled=False, width=3.2)


SOLVERS = {
    look.name: look
    for look in (
        _solver("exact Frank-Wolfe", "#7f8790", "#8d96a0", "hexagon"),
        _solver("pairwise Frank-Wolfe", "#9a8478", "#b09a8c", "thin", 2.5, 0.8),
    )
}
_DONE = _solver("", "#7f8790", "#8d96a0", "cross", 0.6, 1.2)


def look(method: str) -> Look:
    """How a method looks.

    >>> look("PMVR-v1").dash, look("PMVR-v1 (separate)").dash
    ((), (1.0, 1.2))
    >>> look("PMVR-v1 (separate)").group, look("SMVR").group, look("mine").group
    ('separate', 'rivals', 'other')
    """
    shared = LOOKS.get(_shared(method)) or spare(_shared(method))
    if entrant(method).gradient_batch == SEPARATE:
        return shared._replace(name=method, group="separate", dash=(1.0, 1.2), filled=False)
    return shared


def _shared(method: str) -> str:
    """The same method with shared batches."""
    return entrant(method).with_batches(SHARED).label


def solver(name: str) -> Look:
    """How a solver without sampling looks; one that is not known as those without a curve do.

    >>> solver("exact Frank-Wolfe").group, solver("CVXPY (CLARABEL)").marker
    ('exact', 'cross')
    """
    return SOLVERS.get(name, _DONE._replace(name=name))


def place(method: str) -> tuple[int, int, list[tuple[int, int, str]]]:
    """What to sort methods by: groups in the order of `GROUPS`, inside them as in the table."""
    own = look(method)
    base = list(LOOKS).index(name) if (name := _shared(method)) in LOOKS else 99
    return list(GROUPS).index(own.group), base, labels.natural(method)
