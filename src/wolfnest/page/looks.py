"""How curves look, in figures and on pages: colour, dashes, marker."""

from __future__ import annotations

import math
import zlib
from typing import Any, NamedTuple

Point = tuple[float, float]


class Look(NamedTuple):
    """Colours on a light and on a dark page, dashes in units of the line's width, a marker."""

    name: str
    group: str
    colour: str
    dark: str
    marker: str
    dash: tuple[float, ...] = ()
    filled: bool = True
    width: float = 1.6

    def drawn(self) -> dict[str, Any]:
        """The look as a page's script and style read it: dashes in pixels.

        >>> Look("mine", "other", "#000000", "#ffffff", "star", (6, 2), width=1.5).drawn()["dash"]
        '9.0 3.0'
        """
        return self._asdict() | {"dash": " ".join(f"{self.width * part:.1f}" for part in self.dash)}

    def __html__(self) -> str:
        """A line with its marker, as in the legend."""
        corners = (f"{20 + 4.2 * x:.1f} {7 - 4.2 * y:.1f}" for x, y in MARKERS[self.marker])
        kind = "mark full" if self.filled else "mark"
        return (
            f'<svg class="ink" style="--light:{self.colour};--dark:{self.dark}" width="40" '
            'height="14" viewBox="0 0 40 14" aria-hidden="true"><path class="stroke" d="M1 7H39" '
            f'stroke-width="{self.width}" stroke-dasharray="{self.drawn()["dash"]}"/>'
            f'<path class="{kind}" d="M{"L".join(corners)}Z"/></svg>'
        )


def _regular(corners: int, turn: float = 0.0, inner: float = 1.0) -> list[Point]:
    """The corners of a polygon, every second one as far inside as `inner` says: of a star."""
    angles = (math.pi / 2 + turn + 2 * math.pi * k / corners for k in range(corners))
    points = [(round(math.cos(angle), 3), round(math.sin(angle), 3)) for angle in angles]
    points[1::2] = [(round(inner * x, 3), round(inner * y, 3)) for x, y in points[1::2]]
    return points


_CROSS = [(1, 3), (1, 1), (3, 1), (3, -1), (1, -1), (1, -3)]
_PLUS = [(x / 3, y / 3) for x, y in _CROSS + [(-x, -y) for x, y in _CROSS]]

# Corners of the markers, y upwards: the same shapes in matplotlib and in a page's SVG.
MARKERS: dict[str, list[Point]] = {
    "circle": _regular(20),
    "square": _regular(4, math.pi / 4),
    "up": _regular(3),
    "down": _regular(3, math.pi),
    "left": _regular(3, math.pi / 2),
    "right": _regular(3, -math.pi / 2),
    "diamond": _regular(4),
    "thin": [(0, 1), (0.55, 0), (0, -1), (-0.55, 0)],
    "plus": [(round(x, 3), round(y, 3)) for x, y in _PLUS],
    "cross": [(round((x - y) * 0.75, 3), round((x + y) * 0.75, 3)) for x, y in _PLUS],
    "pentagon": _regular(5),
    "hexagon": _regular(6),
    "star": [(1.3 * x, 1.3 * y) for x, y in _regular(10, inner=0.45)],
}

_SPARE = (
    ("#9a3324", "#f2a094", "left", (5, 1.5)),
    ("#3d5a80", "#9dbbe0", "right", (8, 1.5)),
    ("#5f6b2d", "#c3d080", "hexagon", (3, 1, 1, 1)),
    ("#87457a", "#e0a4d4", "thin", (6, 1, 2, 1)),
    ("#4a4a4a", "#d0d0d0", "cross", (2, 2)),
)


def spare(name: str) -> Look:
    """A look for what has none of its own: always the same one for the same name.

    >>> spare("mine") == spare("mine"), spare("mine").group
    (True, 'other')
    """
    colour, dark, marker, dash = _SPARE[zlib.crc32(name.encode()) % len(_SPARE)]
    return Look(name, "other", colour, dark, marker, dash, filled=False)
