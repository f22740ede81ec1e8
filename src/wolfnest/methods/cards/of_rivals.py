"""The cards of the methods that the paper's are compared with."""

from __future__ import annotations

import functools

from wolfnest.methods.cards.card import GAP, MAPPING, NORM, OPTIMAL, Card, Reference, proved

_rival = functools.partial(Card, finite_sum=False, equations="as published")
_nested = functools.partial(_rival, levels="K", projection_free=False)
_single = functools.partial(_rival, levels="1", projection_free=True)

RIVAL_CARDS = (
    _nested(
        name="A-TSCGD",
        cited=Reference(
            ("Yang", "Wang", "Fang"),
            "Multilevel stochastic gradient methods for nested composition optimization",
            2019,
        ),
        estimator="extrapolated average (values), fresh gradient",
        step="projection, decaying",
        criterion=f"{NORM}; squared distance (strongly convex)",
        rates=(
            proved(f"unconstrained, {NORM} ≤ ε", "SFO ε^(-(K+7)/4), no LMO"),
            proved(
                "strongly convex, squared distance to the minimiser ≤ ε", "SFO ε^(-(K+3)/4), no LMO"
            ),
        ),
        batch="1",
        equations="reconstructed",
        summary="u^j ← (1-β_j) u^j + β_j f_j(z^j), z^j = (1-1/β_j) u^{j-1} + u^{j-1}_new/β_j\n"
        "x ← Π(x - a g(u)), a = lr·k^(-(K+3)/(K+7)), β_j = alpha·k^(-(K+3-j)/(K+7))",
    ),
    _nested(
        name="NLASG",
        cited=Reference(
            ("Balasubramanian", "Ghadimi", "Nguyen"),
            "Stochastic multi-level composition optimization algorithms with "
            "level-independent convergence rates",
            2020,
        ),
        estimator="linearised average (values), moving average (gradient)",
        step="projection, averaged",
        criterion=MAPPING,
        rates=(proved(f"{MAPPING} ≤ ε", "SFO ε⁻², no LMO", "(for the norm ≤ ε, SFO ε⁻⁴)"),),
        batch="1",
        summary="u^i ← (1-τ) u^i + τ G_i + J_i (u^{i-1}_new - u^{i-1}), v ← (1-τ) v + τ g\n"
        "x ← x + τ (Π(x - v/β) - x); values G, Jacobians J and g at the old inputs",
    ),
    _nested(
        name="LiNASA+ICG",
        cited=Reference(
            ("Xiao", "Balasubramanian", "Ghadimi"),
            "A projection-free algorithm for constrained stochastic multi-level composition "
            "optimization",
            2022,
        ),
        estimator="linearised average (values), moving average (gradient)",
        step="inner Frank-Wolfe, averaged",
        criterion=MAPPING,
        rates=(proved(f"{MAPPING} ≤ ε", "SFO ε⁻², LMO ε⁻³"),),
        projection_free=True,
        batch="1",
        summary="u, v as NLASG\nx ← x + τ (z - x), z = ⌈√k⌉ inner Frank-Wolfe steps on "
        "<v,w> + β/2 ||w-x||²",
    ),
    _nested(
        name="SCSC",
        cited=Reference(
            ("Chen", "Sun", "Yin"),
            "Solving stochastic compositional optimization is nearly as easy as solving "
            "stochastic optimization",
            2021,
        ),
        estimator="STORM (values), fresh gradient",
        step="projection",
        criterion=NORM,
        rates=(proved(f"unconstrained, {NORM} ≤ ε", "SFO ε⁻², no LMO"),),
        batch="1",
        summary="u ← (1-α)·prev + α·now + (1-α)·(now - before), v = g(u)\n"
        "x ← Π(x - lr·v); published without Π",
    ),
    _nested(
        name="SMVR",
        cited=Reference(
            ("Jiang", "Wang", "Wang", "Zhang", "Yang"),
            "Optimal algorithms for stochastic multi-level compositional optimization",
            2022,
        ),
        estimator="STORM (values, Jacobians)",
        step="projection",
        criterion=NORM,
        rates=(
            proved(
                f"unconstrained, {NORM} ≤ ε", "SFO ε^-1.5, no LMO", "(for the norm ≤ ε, SFO ε⁻³)"
            ),
        ),
        batch="1",
        summary="u, V^i ← (1-α)·prev + α·now + (1-α)·(now - before), v = V^1 ⋯ V^K\n"
        "x ← Π(x - lr·v); published without Π",
    ),
    _nested(
        name="Nested-SPIDER",
        cited=Reference(
            ("Zhang", "Xiao"),
            "Multilevel composite stochastic optimization via nested variance reduction",
            2021,
        ),
        estimator="SPIDER (values, Jacobians)",
        step="projection, steps of bounded length",
        criterion=MAPPING,
        rates=(
            proved(
                f"{MAPPING} ≤ ε",
                "SFO ε^-1.5, no LMO (endless)",
                "SFO m + √m ε⁻¹, no LMO (finite sums)",
                "(for the norm ≤ ε, ε⁻³ and m + √m ε⁻²)",
            ),
        ),
        batch="ε^-0.5, at epoch starts ε⁻¹ (large_batch, needed where a level is endless); finite "
        "sums: √m, at epoch starts all data",
        equations="reconstructed",
        summary="u, Z^i ← prev + now - before, afresh at epoch starts, v = Z^1 ⋯ Z^K\n"
        "x ← x + γ (x̃ - x), x̃ = Π(x - lr·v), γ = min(lr·eps/||x̃ - x||, 1/2)",
    ),
    _single(
        name="1-SFW",
        cited=Reference(
            ("Zhang", "Shen", "Mokhtari", "Hassani", "Karbasi"),
            "One sample stochastic Frank-Wolfe",
            2019,
        ),
        estimator="STORM (gradient)",
        step="LMO",
        criterion=f"{GAP}; {OPTIMAL} (convex)",
        rates=(
            proved(f"{GAP} ≤ ε", "SFO ε⁻³, LMO ε⁻³"),
            proved(f"convex, {OPTIMAL} ≤ ε", "SFO ε⁻², LMO ε⁻²"),
        ),
        batch="1",
        summary="v ← (1-ρ)·prev + ρ·now + (1-ρ)·(now - before), x ← x + η (LMO(v) - x)\n"
        "convex: η = ρ = 1/(t+1); nonconvex: η = T^(-2/3), ρ = t^(-2/3)",
    ),
    _single(
        name="SPIDER-FW",
        cited=Reference(
            ("Yurtsever", "Sra", "Cevher"),
            "Conditional gradient methods via stochastic path-integrated differential estimator",
            2019,
        ),
        estimator="SPIDER (gradient)",
        step="LMO",
        criterion=f"{GAP}; {OPTIMAL} (convex)",
        rates=(
            proved(f"{GAP} ≤ ε", "SFO ε⁻³, LMO ε⁻² (endless)", "SFO √m ε⁻², LMO ε⁻² (finite sum)"),
            proved(
                f"convex, {OPTIMAL} ≤ ε",
                "SFO ε⁻², LMO ε⁻¹ (endless)",
                "SFO m log ε⁻¹ + ε⁻², LMO ε⁻¹ (finite sum)",
            ),
        ),
        batch="ε⁻¹, or √m (nonconvex finite sum); at epoch starts all data, or large_batch, which "
        "is needed where the level is endless (constant here; the proof has it grow)",
        summary="v ← prev + now - before, afresh at epoch starts, x ← x + η (LMO(v) - x)\n"
        "convex: epochs of K_s = 1, 2, 4, … steps, η = 2/(K_s+k), batch K_s",
    ),
    _single(
        name="SVFW",
        cited=Reference(
            ("Reddi", "Sra", "Póczos", "Smola"),
            "Stochastic Frank-Wolfe methods for nonconvex optimization",
            2016,
        ),
        estimator="SVRG (gradient)",
        step="LMO",
        criterion=GAP,
        rates=(proved(f"{GAP} ≤ ε", "SFO m + m^(2/3) ε⁻², LMO ε⁻²"),),
        finite_sum=True,
        batch="m^(2/3), and all data every m^(1/3) steps",
        summary="v = now - at_snap + exact_at_snap\nx ← x + η (LMO(v) - x), η = T^(-1/2)",
    ),
    _single(
        name="NCGS",
        cited=Reference(
            ("Qu", "Li", "Xu"),
            "Non-convex conditional gradient sliding",
            2018,
        ),
        estimator="batch gradient at z",
        step="two inner Frank-Wolfe runs, accelerated",
        criterion=MAPPING,
        rates=(proved(f"{MAPPING} ≤ ε", "SFO ε⁻², LMO ε⁻²"),),
        batch="ε⁻¹",
        equations="reconstructed",
        summary="z = (1-a) y + a x, a = 2/(k+1), v = g(z)\n"
        "x ← CndG(v, x, 4L/k, tol), y ← CndG(v, z, 2L, tol); the output is y",
    ),
    _single(
        name="SGD+ICG",
        cited=Reference(
            ("Balasubramanian", "Ghadimi"),
            "Zeroth-order (non)-convex stochastic optimization via conditional gradient and "
            "gradient updates",
            2018,
        ),
        estimator="batch gradient",
        step="inner Frank-Wolfe up to a tolerance",
        criterion=MAPPING,
        rates=(proved(f"{MAPPING} ≤ ε", "SFO ε⁻², LMO ε⁻²"),),
        batch="ε⁻¹",
        summary="v = g(x)\nx ← inner Frank-Wolfe on <v,w> + L ||w-x||², γ = 2/(n+1), "
        "until gap ≤ 1/(4T)",
    ),
    _single(
        name="SCGS",
        cited=Reference(
            ("Lan", "Zhou"),
            "Conditional gradient sliding for convex optimization",
            2016,
        ),
        estimator="batch gradient at z",
        step="inner Frank-Wolfe up to a tolerance, accelerated; needs the diameter D",
        criterion=f"{OPTIMAL} (convex)",
        rates=(
            proved(f"convex, {OPTIMAL} ≤ ε", "SFO ε⁻², LMO ε⁻¹"),
            proved(f"λ-strongly convex, {OPTIMAL} ≤ ε", "SFO λ⁻¹ε⁻¹, LMO ε⁻¹ (if restarted)"),
        ),
        batch="growing with k as k³",
        summary="z = (1-γ) y + γ x, v = g(z), x ← CndG(v, x, β, tol), y ← (1-γ) y + γ x\n"
        "γ = 3/(k+2), β = 4L/(k+2), tol = L D²/(k(k+1)); the output is y",
    ),
)
