"""Limits by name become the right set: against linear programs, and refused with a reason."""

import re

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from holdings import NAMES
from scipy.optimize import linprog

from wolfnest.portfolio import Constraints

ASSETS = NAMES[:6]
GROUPS = {"AA": "tech", "BB": "tech", "CC": "tech", "DD": "energy", "EE": "energy"}
HELD = np.array([0.3, 0.3, 0.2, 0.2, 0.0, 0.0])

# Limits, the set that they should become, and the same limits for a linear program in
# (x, p, q, b, s) with x = p - q and x - held = b - s.
CASES = {
    "long only": ({}, "Simplex"),
    "caps": ({"max_weight": 0.3}, "CappedSimplex"),
    "caps by name": ({"max_weight": {"AA": 0.1, "DD": 0.2}}, "CappedSimplex"),
    "caps in a Series": ({"max_weight": pd.Series(0.25, index=ASSETS)}, "CappedSimplex"),
    "least weights": ({"min_weight": 0.05, "max_weight": 0.5}, "LongShort"),
    "groups": ({"groups": GROUPS, "group_caps": {"tech": 0.4}, "max_weight": 0.35}, "GroupCapped"),
    "groups and least weights": (
        {"groups": GROUPS, "group_caps": {"tech": 0.4, "energy": 0.3}, "min_weight": 0.02},
        "Polytope",
    ),
    "130/30": ({"long_only": False, "gross": 1.6}, "LongShort"),
    "130/30 with caps": ({"long_only": False, "gross": 1.6, "max_weight": 0.4}, "LongShort"),
    "market neutral": ({"long_only": False, "gross": 1.0, "net": 0.0}, "LongShort"),
    "turnover": ({"previous": HELD, "max_turnover": 0.4}, "TurnoverSimplex"),
    "turnover with caps": (
        {"previous": HELD, "max_turnover": 0.4, "max_weight": 0.35},
        "TurnoverSimplex",
    ),
    "turnover from elsewhere": ({"previous": 0.5 * HELD, "max_turnover": 1.0}, "LinearImage"),
    "turnover and groups": (
        {"previous": HELD, "max_turnover": 0.5, "groups": GROUPS, "group_caps": {"energy": 0.3}},
        "LinearImage",
    ),
    "everything": (
        {
            "long_only": False, "gross": 1.4, "previous": HELD, "max_turnover": 0.6,
            "max_weight": 0.5, "groups": GROUPS, "group_caps": {"tech": 0.7},
        },
        "LinearImage",
    ),
}  # fmt: skip


def program(direction, limits):
    """The least `<direction, x>` by a linear program that knows nothing of our sets."""
    d = len(ASSETS)
    keep = lambda value, default: (
        np.array([dict(value.items()).get(a, default) for a in ASSETS])
        if hasattr(value, "items")
        else np.full(d, default if value is None else value)
    )
    upper = keep(limits.get("max_weight"), np.inf)
    lower = keep(limits.get("min_weight"), 0.0) if limits.get("long_only", True) else -upper
    net, gross = limits.get("net", 1.0), limits.get("gross", 10.0)
    held, turnover = limits.get("previous", np.zeros(d)), limits.get("max_turnover", 10.0)
    eye, none = np.eye(d), np.zeros((d, d))
    zero, one = np.zeros(d), np.ones(d)
    equal = np.block(
        [
            [one, zero, zero, zero, zero],
            [eye, -eye, eye, none, none],
            [eye, none, none, -eye, eye],
        ]
    )
    below = [
        np.concatenate([zero, one, one, zero, zero]),
        np.concatenate([zero, zero, zero, one, one]),
    ]
    right = [gross, turnover]
    for group, cap in limits.get("group_caps", {}).items():
        member = np.array([float(GROUPS.get(a) == group) for a in ASSETS])
        below.append(np.concatenate([member, zero, zero, zero, zero]))
        right.append(cap)
    bounds = [*zip(lower, upper, strict=True), *[(0, None)] * (4 * d)]
    done = linprog(
        np.concatenate([direction, np.zeros(4 * d)]), A_ub=np.array(below), b_ub=right,
        A_eq=equal, b_eq=np.concatenate([[net], zero, held]), bounds=bounds,
    )  # fmt: skip
    assert done.status == 0
    return done.fun


@pytest.mark.parametrize("case", CASES)
def test_the_set_is_that_of_the_limits(case):
    limits, kind = CASES[case]
    domain = Constraints(**limits).domain(ASSETS)
    assert type(domain).__name__ == kind
    rng = np.random.default_rng(1)
    for _ in range(6):
        direction = rng.normal(size=len(ASSETS))
        vertex = np.asarray(domain.lmo(jnp.asarray(direction)))
        assert direction @ vertex == pytest.approx(program(direction, limits), abs=1e-7)
    start = np.asarray(domain.start())
    for row in (*np.eye(len(ASSETS)), *-np.eye(len(ASSETS))):
        assert row @ start >= program(row, limits) - 1e-7


def test_without_a_sum_the_set_is_the_k_sparse_polytope():
    limits = Constraints(long_only=False, net=None, cardinality=2, max_weight=0.25)
    domain = limits.domain(ASSETS)
    assert type(domain).__name__ == "KSparse"
    vertex = np.asarray(domain.lmo(jnp.array([3.0, -1.0, 0.0, -2.0, 0.5, 0.0])))
    assert vertex.tolist() == [-0.25, 0, 0, 0.25, 0, 0]
    held = np.array([True, False, False, True, False, False])
    few = limits.restricted(ASSETS, held)
    assert np.asarray(few.lmo(jnp.ones(6))).tolist() == [-0.25, 0, 0, -0.25, 0, 0]


def test_a_cardinality_bounds_the_gross_sum():
    limits = Constraints(long_only=False, gross=2.0, max_weight=0.5, cardinality=3)
    assert float(limits.domain(ASSETS).gross) == 1.5


REFUSED = {
    "max_weight leaves no portfolio: the caps add up to 0.6, and the weights must add up to 1. "
    "Raise max_weight to at least 0.167 for each.": {"max_weight": 0.1},
    "min_weight leaves no portfolio: the bounds add up to 1.2": {"min_weight": 0.2},
    "max_weight has 'XX', and there is no such asset": {"max_weight": {"XX": 0.1}},
    "max_weight must be a number, 6 numbers (one per asset) or numbers by asset, got shape (2,)":
        {"max_weight": [0.1, 0.2]},
    "max_weight must be at least 0, got -0.1 for 'BB'": {"max_weight": {"BB": -0.1}},
    "max_weight must be made of numbers, got NaN for 'BB'": {"max_weight": {"BB": np.nan}},
    "min_weight must be at least 0 with long_only=True, got -0.1": {"min_weight": -0.1},
    "min_weight must be at most max_weight, got 0.5 for 'AA'":
        {"min_weight": {"AA": 0.5}, "max_weight": 0.4},
    "groups has 'XX', and there is no such asset":
        {"groups": {"XX": "t"}, "group_caps": {"t": 0.5}},
    "group_caps has 'tek', and no asset is in such a group: the groups are 'tech', 'energy'":
        {"groups": GROUPS, "group_caps": {"tek": 0.5}},
    "group_caps needs groups": {"group_caps": {"tech": 0.5}},
    "groups must have one label for each of the 6 assets":
        {"groups": ["a"], "group_caps": {"a": 1}},
    "group_caps and max_weight leave no portfolio: they leave room for 0.9":
        {"groups": ["a"] * 3 + ["b"] * 3, "group_caps": {"a": 0.4, "b": 0.5}},
    "the cap of group 'tech' must be": {"groups": GROUPS, "group_caps": {"tech": -1}},
    "gross must be at least the net sum of the weights, 1, got 0.8":
        {"long_only": False, "gross": 0.8},
    "without long_only the weights need a limit": {"long_only": False},
    "max_turnover needs previous_weights": {"max_turnover": 0.2},
    "the limits leave no portfolio": {
        "previous": HELD, "max_turnover": 0.1, "groups": GROUPS, "group_caps": {"tech": 0.2}
    },
    "turnover must be at least": {"previous": HELD, "max_turnover": 0.01, "max_weight": 0.2},
    "cardinality=2 leaves no portfolio: the 2 largest caps add up to 0.6":
        {"cardinality": 2, "max_weight": 0.3},
    "cardinality must be at most 6": {"cardinality": 7},
    "net=None goes with long_only=False": {"net": None},
    "net must be a finite number": {"net": np.inf},
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_limits_that_cannot_be_met_are_refused_with_the_reason(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Constraints(**REFUSED[message]).domain(ASSETS)


def test_a_series_that_names_an_asset_twice_is_refused():
    twice = pd.Series([0.1, 0.2], index=["AA", "AA"])
    with pytest.raises(ValueError, match="name each asset once, got 'AA'"):
        Constraints(max_weight=twice).domain(ASSETS)
