"""The cards of the paper's methods."""

from __future__ import annotations

from typing import NamedTuple

from wolfnest.methods.cards.card import GAP, MAPPING, OPTIMAL, Card, Rate, Reference, proved

_PAPER = Reference(
    ("Jiang", "Yang", "Yang", "Wang", "Wan", "Li", "Zhang"),
    "Projection-free multi-level algorithms for stochastic constrained compositional optimization",
    2025,
)
_STORM = "u, v ← (1-α)·prev + α·now + (1-α)·(now - before)"
_MOMENTUM = "u, v ← (1-α)·prev + α·now"
_SNAPSHOT = "u, v ← (1-α)·prev + α·(now - at_snap + exact_at_snap) + (1-α)·(now - before)"
_V1 = "x ← x + η (z - x), z = LMO(v)"
_V2 = "x ← x + η (z - x), z = N inner Frank-Wolfe steps on <v,w> + β/2 ||w-x||²"
_STAGES = "in stages of T_s = length·growth^s steps; η ∝ T_s^-decay, α alike"


class _Estimator(NamedTuple):
    words: str
    equations: str
    finite_sum: bool = False


class _Step(NamedTuple):
    words: str
    equations: str


_PMVR = _Estimator("STORM (values, gradient)", _STORM)
_PMM = _Estimator("moving average (values, gradient)", _MOMENTUM)
_PMFS = _Estimator("STORM with exact snapshots (values, gradient)", _SNAPSHOT, finite_sum=True)
_LMO = _Step("LMO", _V1)
_INNER = _Step("inner Frank-Wolfe", _V2)


def _card(
    name: str, estimator: _Estimator, step: _Step, criterion: str, batch: str, *rates: Rate
) -> Card:
    return Card(
        name=name,
        cited=_PAPER,
        levels="K",
        estimator=estimator.words,
        step=step.words,
        criterion=criterion,
        rates=rates,
        projection_free=True,
        finite_sum=estimator.finite_sum,
        batch=batch,
        equations="as published",
        summary=f"{estimator.equations}\n{step.equations}",
    )


def _staged(
    name: str, estimator: _Estimator, step: _Step, criterion: str, batch: str, *rates: Rate
) -> Card:
    card = _card(name, estimator, step, criterion, batch, *rates)
    return card._replace(step=f"{card.step}, stage-wise", summary=f"{card.summary}\n{_STAGES}")


_CONVEX = f"{OPTIMAL} (convex)"
_STRONGLY_CONVEX = f"{OPTIMAL} (strongly convex)"
_GAP_STORM = proved(f"{GAP} ≤ ε", "SFO ε⁻³, LMO ε⁻³ (batch 1)", "SFO ε⁻³, LMO ε⁻² (batch ε⁻¹)")
_GAP_MOMENTUM = proved(f"{GAP} ≤ ε", "SFO ε⁻⁴, LMO ε⁻² (batch ε⁻²)")
_GAP_SNAPSHOT = proved(
    f"{GAP} ≤ ε", "SFO √m ε⁻², LMO √m ε⁻² (batch 1)", "SFO √m ε⁻², LMO ε⁻² (batch √m)"
)

PAPER_CARDS = (
    _card("PMVR-v1", _PMVR, _LMO, GAP, "1, or ε⁻¹ for fewer LMO calls", _GAP_STORM),
    _card(
        "PMVR-v2", _PMVR, _INNER, MAPPING, "1, or ε^-0.5 for fewer LMO calls",
        proved(
            f"{MAPPING} ≤ ε",
            "SFO ε^-1.5, LMO ε^-2.5 (batch 1)", "SFO ε^-1.5, LMO ε⁻² (batch ε^-0.5)",
        ),
    ),
    _card("PMM-v1", _PMM, _LMO, GAP, "ε⁻², as many as steps", _GAP_MOMENTUM),
    _card(
        "PMM-v2", _PMM, _INNER, MAPPING, "ε⁻¹, as many as steps",
        proved(f"{MAPPING} ≤ ε", "SFO ε⁻², LMO ε⁻² (batch ε⁻¹)"),
    ),
    _card("PMFS-v1", _PMFS, _LMO, GAP, "1, or √m for fewer LMO calls", _GAP_SNAPSHOT),
    _card(
        "PMFS-v2", _PMFS, _INNER, MAPPING, "1, or √m for fewer LMO calls",
        proved(
            f"{MAPPING} ≤ ε",
            "SFO √m ε⁻¹, LMO √m ε⁻² (batch 1)", "SFO √m ε⁻¹, LMO ε⁻² (batch √m)",
        ),
    ),
    _staged(
        "SwPMVR-v1", _PMVR, _LMO, f"{GAP}; {_CONVEX}",
        "1, or growing to ε⁻¹ for fewer LMO calls",
        _GAP_STORM,
        proved(
            f"convex, {OPTIMAL} ≤ ε",
            "SFO ε⁻², LMO ε⁻² (batch 1)", "SFO ε⁻², LMO ε⁻¹ (batch ε⁻¹)",
        ),
    ),
    _staged(
        "SwPMVR-v2", _PMVR, _INNER, _STRONGLY_CONVEX,
        "1, or growing to ε⁻¹ for fewer LMO calls",
        proved(
            f"λ-strongly convex, {OPTIMAL} ≤ ε",
            "SFO λ⁻¹ε⁻¹, LMO ε⁻² (batch 1)", "SFO λ⁻¹ε⁻¹, LMO ε⁻¹ (batch ε⁻¹)",
        ),
    ),
    _staged(
        "SwPMM-v1", _PMM, _LMO, GAP, "growing to ε⁻², as many as steps of the stage", _GAP_MOMENTUM
    ),
    _staged(
        "SwPMFS-v1", _PMFS, _LMO, f"{GAP}; {_CONVEX}", "1, or √m for fewer LMO calls",
        _GAP_SNAPSHOT,
        proved(
            f"convex, {OPTIMAL} ≤ ε",
            "SFO √m ε⁻¹, LMO √m ε⁻¹ (batch 1)", "SFO √m ε⁻¹, LMO ε⁻¹ (batch √m)",
        ),
    ),
    _staged(
        "SwPMFS-v2", _PMFS, _INNER, _STRONGLY_CONVEX, "1, or √m/λ for fewer LMO calls",
        proved(
            f"λ-strongly convex, {OPTIMAL} ≤ ε, times log ε⁻¹",
            "SFO √m λ⁻¹, LMO √m ε⁻¹ (batch 1)", "SFO √m λ⁻¹, LMO λ ε⁻¹ (batch √m/λ)",
        ),
    ),
)  # fmt: skip
