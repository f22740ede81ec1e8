"""The cards of the methods on exact gradients; m is the number of samples of all levels."""

from __future__ import annotations

import functools

from wolfnest.methods.cards.card import GAP, OPTIMAL, Card, Reference, proved

_SLOW = proved(f"convex, {OPTIMAL} ≤ ε", "SFO m ε⁻¹, LMO ε⁻¹")
_ANYWHERE = (_SLOW, proved(f"{GAP} ≤ ε", "SFO m ε⁻², LMO ε⁻²"))
ON_POLYTOPES = (
    _SLOW,
    proved(f"λ-strongly convex on a polytope, {OPTIMAL} ≤ ε", "SFO m λ⁻¹ log ε⁻¹, LMO λ⁻¹ log ε⁻¹"),
)
_JAGGI = Reference(
    ("Lacoste-Julien", "Jaggi"),
    "On the global linear convergence of Frank-Wolfe optimization variants",
    2015,
)

_card = functools.partial(
    Card,
    levels="K",
    estimator="none: exact passes",
    criterion=f"{GAP}; {OPTIMAL} (convex)",
    projection_free=True,
    finite_sum=True,
    batch="all data",
    equations="as published",
)

EXACT_CARDS = (
    _card(
        name="FW",
        cited=Reference(
            ("Frank", "Wolfe"),
            "An algorithm for quadratic programming",
            1956,
        ),
        step="LMO",
        rates=_ANYWHERE,
        summary="x ← x + γ (s - x), s = LMO(∇F(x))",
    ),
    _card(
        name="AFW",
        cited=_JAGGI,
        step="LMO or away from a vertex",
        rates=ON_POLYTOPES,
        summary="s = LMO(∇F(x)), a the worst vertex in use, with weight w\n"
        "x ← x + γ (s - x), γ ≤ 1, or x ← x + γ (x - a), γ ≤ w/(1-w): the steeper one",
    ),
    _card(
        name="PFW",
        cited=_JAGGI,
        step="from a vertex to another",
        rates=ON_POLYTOPES,
        summary="s = LMO(∇F(x)), a the worst vertex in use, with weight w\n"
        "x ← x + γ (s - a), γ ≤ w",
    ),
    _card(
        name="BPFW",
        cited=Reference(
            ("Tsuji", "Tanaka", "Pokutta"),
            "Pairwise conditional gradients without swap steps and sparser kernel herding",
            2022,
        ),
        step="LMO or from a vertex in use to another",
        rates=ON_POLYTOPES,
        summary="a, b the worst and the best vertex in use, a with weight w, s = LMO(∇F(x))\n"
        "x ← x + γ (b - a), γ ≤ w, where <∇F, a - b> ≥ <∇F, x - s>\n"
        "x ← x + γ (s - x), γ ≤ 1, elsewhere",
    ),
    _card(
        name="LazyFW",
        cited=Reference(
            ("Braun", "Pokutta", "Zink"),
            "Lazifying conditional gradient algorithms",
            2017,
        ),
        step="LMO, or a vertex met before that is good enough",
        rates=_ANYWHERE,
        summary="x ← x + γ (s - x), s the best vertex met so far\n"
        "s = LMO(∇F(x)) where <∇F, x - s> < least gap of the oracle so far / factor",
    ),
    _card(
        name="BCFW",
        cited=Reference(
            ("Lacoste-Julien", "Jaggi", "Schmidt", "Pletscher"),
            "Block-coordinate Frank-Wolfe optimization for structural SVMs",
            2013,
        ),
        step="LMO of one block of a product",
        rates=_ANYWHERE,
        summary="x_j ← x_j + γ (s_j - x_j), s_j = LMO of block j; one block per step",
    ),
)
