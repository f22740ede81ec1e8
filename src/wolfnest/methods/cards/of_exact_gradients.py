"""The cards of the methods on exact gradients; m is the number of samples of all levels."""

from __future__ import annotations

import functools

from wolfnest.methods.cards.card import GAP, OPTIMAL, Card

_SLOW = f"convex, {OPTIMAL} ≤ ε: SFO m ε⁻¹, LMO ε⁻¹"
_ANY = f"{_SLOW}\n{GAP} ≤ ε: SFO m ε⁻², LMO ε⁻²"
POLYTOPE_RATE = (
    f"{_SLOW}\nλ-strongly convex on a polytope, {OPTIMAL} ≤ ε: SFO m λ⁻¹ log ε⁻¹, LMO λ⁻¹ log ε⁻¹"
)
_JAGGI = (
    'Lacoste-Julien and Jaggi, "On the global linear convergence of Frank-Wolfe optimization '
    'variants", 2015'
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
        reference='Frank and Wolfe, "An algorithm for quadratic programming", 1956',
        step="LMO",
        rate=_ANY,
        summary="x ← x + γ (s - x), s = LMO(∇F(x))",
    ),
    _card(
        name="AFW",
        reference=_JAGGI,
        step="LMO or away from a vertex",
        rate=POLYTOPE_RATE,
        summary="s = LMO(∇F(x)), a the worst vertex in use, with weight w\n"
        "x ← x + γ (s - x), γ ≤ 1, or x ← x + γ (x - a), γ ≤ w/(1-w): the steeper one",
    ),
    _card(
        name="PFW",
        reference=_JAGGI,
        step="from a vertex to another",
        rate=POLYTOPE_RATE,
        summary="s = LMO(∇F(x)), a the worst vertex in use, with weight w\n"
        "x ← x + γ (s - a), γ ≤ w",
    ),
    _card(
        name="BPFW",
        reference='Tsuji, Tanaka and Pokutta, "Pairwise conditional gradients without swap steps '
        'and sparser kernel herding", 2022',
        step="LMO or from a vertex in use to another",
        rate=POLYTOPE_RATE,
        summary="a, b the worst and the best vertex in use, a with weight w, s = LMO(∇F(x))\n"
        "x ← x + γ (b - a), γ ≤ w, where <∇F, a - b> ≥ <∇F, x - s>\n"
        "x ← x + γ (s - x), γ ≤ 1, elsewhere",
    ),
    _card(
        name="LazyFW",
        reference='Braun, Pokutta and Zink, "Lazifying conditional gradient algorithms", 2017',
        step="LMO, or a vertex met before that is good enough",
        rate=_ANY,
        summary="x ← x + γ (s - x), s the best vertex met so far\n"
        "s = LMO(∇F(x)) where <∇F, x - s> < least gap of the oracle so far / factor",
    ),
    _card(
        name="BCFW",
        reference='Lacoste-Julien, Jaggi, Schmidt and Pletscher, "Block-coordinate Frank-Wolfe '
        'optimization for structural SVMs", 2013',
        step="LMO of one block of a product",
        rate=_ANY,
        summary="x_j ← x_j + γ (s_j - x_j), s_j = LMO of block j; one block per step",
    ),
)
