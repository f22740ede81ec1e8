"""Methods can be told apart: by colour, without colour, on light and on dark pages."""

import itertools

import numpy as np
import pytest
import synthetic

from browsing import NIGHT, PAPER, contrast
from wolfnest import methods
from wolfnest.page.looks import MARKERS
from wolfnest_reproduction.define.entrants import AUTOMATIC
from wolfnest_reproduction.show import legend

NAMES = sorted({name for cast in synthetic.CAST.values() for name in cast})


@pytest.mark.parametrize("name", NAMES)
def test_every_method_stands_out_from_the_page(name):
    look = legend.look(name)
    assert contrast(look.colour, PAPER) >= 3
    assert contrast(look.dark, NIGHT) >= 3


def test_methods_differ_without_any_colour():
    shapes = [(one.marker, one.filled, one.dash) for one in map(legend.look, NAMES)]
    assert len(set(shapes)) == len(shapes)


def test_methods_of_one_group_differ_in_colour_and_marker():
    for group in ("ours", "rivals"):
        looks = [one for one in legend.LOOKS.values() if one.group == group]
        for one, other in itertools.combinations(looks, 2):
            assert one.marker != other.marker
            assert one.colour != other.colour
            assert one.dark != other.dark


# How red-blind and green-blind people see linear RGB (Viénot, Brettel and Mollon 1999).
BLIND = {
    "red": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "green": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


@pytest.mark.parametrize("blind", BLIND)
def test_the_papers_four_methods_differ_to_the_colour_blind(blind):
    def seen(colour):
        shares = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]) ** 2.2
        return np.clip(BLIND[blind] @ shares, 0, 1) ** (1 / 2.2)

    for one, other in itertools.combinations(synthetic.PLAIN, 2):
        pair = legend.look(one), legend.look(other)
        assert np.abs(seen(pair[0].colour) - seen(pair[1].colour)).max() > 0.1
        assert np.abs(seen(pair[0].dark) - seen(pair[1].dark)).max() > 0.1


def test_ours_are_solid_and_rivals_dashed():
    for name in NAMES:
        look = legend.look(name)
        assert bool(look.dash) == (look.group in ("rivals", "separate"))


def test_every_plotted_method_is_in_the_registry():
    known = {*methods.NAMES} if hasattr(methods, "NAMES") else {c.name for c in methods.table()}
    assert {name for name in legend.LOOKS if name != AUTOMATIC.label} <= known


def test_legends_have_a_fixed_order():
    order = sorted(NAMES, key=legend.place)
    groups = [legend.look(name).group for name in order]
    assert [key for key, _ in itertools.groupby(groups)] == [
        "ours",
        "rivals",
        "separate",
        "automatic",
    ]
    assert order[:2] == ["PMVR-v1", "PMVR-v2"]


def test_unknown_methods_get_a_look_that_stays():
    assert legend.look("something new") == legend.look("something new")
    assert legend.look("SGD+ICG (separate)").group == "separate"
    assert legend.look("something new").marker in MARKERS
