"""The cards of the methods of this project."""

from __future__ import annotations

from wolfnest.methods.cards.card import GAP, MAPPING, OPTIMAL, Card, Reference, proved
from wolfnest.methods.cards.of_exact_gradients import ON_POLYTOPES

OWN_CARDS = (
    Card(
        name="GrowPFW",
        cited=Reference(
            ("wolfnest",),
            "Pairwise steps on growing samples",
            2026,
        ),
        levels="K",
        estimator="none: exact passes over a sample",
        step="from a vertex to another",
        criterion=f"{GAP}; {OPTIMAL} (convex)",
        rates=ON_POLYTOPES,
        projection_free=True,
        finite_sum=True,
        batch="samples that grow to all data",
        equations="our own",
        summary="PFW on a fixed sample of n rows of every level, n = first, growth·first, …\n"
        "its vertices and weights start the next one; last, PFW on all data",
    ),
    Card(
        name="GrowSPG",
        cited=Reference(
            ("wolfnest",),
            "Spectral projected steps on growing samples",
            2026,
        ),
        levels="K",
        estimator="none: exact passes over a sample",
        step="projection, as long as the last step suggests",
        criterion=f"{MAPPING}; {OPTIMAL} (convex)",
        rates=(proved(f"{MAPPING} ≤ ε", "SFO m ε⁻¹, LMO 1"),),
        projection_free=False,
        finite_sum=True,
        batch="samples that grow to all data",
        equations="our own",
        summary="on a fixed sample of n rows of every level, n = first, growth·first, …, all\n"
        "z = Π_X(x - a ∇F(x)), a = <s,s>/<s,y> of the last step; x ← x + γ (z - x)\n"
        "γ = 1, or less where F would rise above all of its last values",
    ),
)
