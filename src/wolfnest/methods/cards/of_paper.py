"""The cards of the paper's methods."""

from __future__ import annotations

from wolfnest.methods.cards.card import GAP, MAPPING, OPTIMAL, Card

_PAPER = (
    'Jiang, Yang, Yang, Wang, Wan, Li and Zhang, "Projection-free multi-level algorithms for '
    'stochastic constrained compositional optimization", 2025'
)
_STORM = "u, v ← (1-α)·prev + α·now + (1-α)·(now - before)"
_MOMENTUM = "u, v ← (1-α)·prev + α·now"
_SNAPSHOT = "u, v ← (1-α)·prev + α·(now - at_snap + exact_at_snap) + (1-α)·(now - before)"
_V1 = "x ← x + η (z - x), z = LMO(v)"
_V2 = "x ← x + η (z - x), z = N inner Frank-Wolfe steps on <v,w> + β/2 ||w-x||²"
_STAGES = "in stages of T_s = length·growth^s steps; η ∝ T_s^-decay, α alike"

_FAMILIES = {
    "PMVR": ("STORM (values, gradient)", _STORM),
    "PMM": ("moving average (values, gradient)", _MOMENTUM),
    "PMFS": ("STORM with exact snapshots (values, gradient)", _SNAPSHOT),
}
_DIRECTIONS = {"v1": ("LMO", _V1), "v2": ("inner Frank-Wolfe", _V2)}


def _paper(name: str, criterion: str, rate: str, batch: str) -> Card:
    family, version = name.removeprefix("Sw").split("-")
    estimator, tracking = _FAMILIES[family]
    step, move = _DIRECTIONS[version]
    staged = name.startswith("Sw")
    return Card(
        name=name,
        reference=_PAPER,
        levels="K",
        estimator=estimator,
        step=f"{step}, stage-wise" if staged else step,
        criterion=criterion,
        rate=rate,
        projection_free=True,
        finite_sum=family == "PMFS",
        batch=batch,
        equations="as published",
        summary="\n".join([tracking, move] + [_STAGES] * staged),
    )


_BY_STORM = f"{GAP} ≤ ε: SFO ε⁻³, LMO ε⁻³ (batch 1); SFO ε⁻³, LMO ε⁻² (batch ε⁻¹)"
_BY_MOMENTUM = f"{GAP} ≤ ε: SFO ε⁻⁴, LMO ε⁻² (batch ε⁻²)"
_BY_SNAPSHOT = f"{GAP} ≤ ε: SFO √m ε⁻², LMO √m ε⁻² (batch 1); SFO √m ε⁻², LMO ε⁻² (batch √m)"

PAPER_CARDS = (
    _paper("PMVR-v1", GAP, _BY_STORM, "1, or ε⁻¹ for fewer LMO calls"),
    _paper(
        "PMVR-v2", MAPPING,
        f"{MAPPING} ≤ ε: SFO ε^-1.5, LMO ε^-2.5 (batch 1); SFO ε^-1.5, LMO ε⁻² (batch ε^-0.5)",
        "1, or ε^-0.5 for fewer LMO calls",
    ),
    _paper("PMM-v1", GAP, _BY_MOMENTUM, "ε⁻², as many as steps"),
    _paper(
        "PMM-v2", MAPPING, f"{MAPPING} ≤ ε: SFO ε⁻², LMO ε⁻² (batch ε⁻¹)",
        "ε⁻¹, as many as steps",
    ),
    _paper("PMFS-v1", GAP, _BY_SNAPSHOT, "1, or √m for fewer LMO calls"),
    _paper(
        "PMFS-v2", MAPPING,
        f"{MAPPING} ≤ ε: SFO √m ε⁻¹, LMO √m ε⁻² (batch 1); SFO √m ε⁻¹, LMO ε⁻² (batch √m)",
        "1, or √m for fewer LMO calls",
    ),
    _paper(
        "SwPMVR-v1", f"{GAP}; {OPTIMAL} (convex)",
        f"{_BY_STORM}\nconvex, {OPTIMAL} ≤ ε: SFO ε⁻², LMO ε⁻² (batch 1); "
        "SFO ε⁻², LMO ε⁻¹ (batch ε⁻¹)",
        "1, or growing to ε⁻¹ for fewer LMO calls",
    ),
    _paper(
        "SwPMVR-v2", f"{OPTIMAL} (strongly convex)",
        f"λ-strongly convex, {OPTIMAL} ≤ ε: SFO λ⁻¹ε⁻¹, LMO ε⁻² (batch 1); "
        "SFO λ⁻¹ε⁻¹, LMO ε⁻¹ (batch ε⁻¹)",
        "1, or growing to ε⁻¹ for fewer LMO calls",
    ),
    _paper("SwPMM-v1", GAP, _BY_MOMENTUM, "growing to ε⁻², as many as steps of the stage"),
    _paper(
        "SwPMFS-v1", f"{GAP}; {OPTIMAL} (convex)",
        f"{_BY_SNAPSHOT}\nconvex, {OPTIMAL} ≤ ε: SFO √m ε⁻¹, LMO √m ε⁻¹ (batch 1); "
        "SFO √m ε⁻¹, LMO ε⁻¹ (batch √m)",
        "1, or √m for fewer LMO calls",
    ),
    _paper(
        "SwPMFS-v2", f"{OPTIMAL} (strongly convex)",
        f"λ-strongly convex, {OPTIMAL} ≤ ε, times log ε⁻¹: SFO √m λ⁻¹, LMO √m ε⁻¹ (batch 1); "
        "SFO √m λ⁻¹, LMO λ ε⁻¹ (batch √m/λ)",
        "1, or √m/λ for fewer LMO calls",
    ),
)  # fmt: skip
