"""What the settings of the methods mean, in a few words."""

from __future__ import annotations

import fnmatch

# What settings mean: the first pattern that matches "method.setting" counts.
SETTINGS: dict[str, str] = {
    "1-SFW.eta": "step size η in (0,1]; None: that of the regime",
    "SPIDER-FW.eta": "step size η in (0,1], nonconvex regime only; None: T^(-1/2)",
    "SVFW.eta": "step size η in (0,1]; None: T^(-1/2)",
    "Sw*.eta": "step size η in the first stage, in (0,1]",
    "*.eta": "step size η in (0,1]: the share of the way to z that x moves",
    "A-TSCGD.alpha": "factor of the weights β_j, which are at most 1",
    "Sw*.alpha": "weight α of new samples in the first stage, in (0,1]",
    "*.alpha": "weight α of new samples in what is tracked, in (0,1]",
    "1-SFW.rho": "weight ρ of new samples in (0,1]; None: that of the regime",
    "*.tau": "weight τ of steps and averages, in (0,1]; None: T^(-1/2)",
    "A-TSCGD.lr": "factor of the learning rates a",
    "*.lr": "learning rate: how far along -v, before the projection",
    "*.eps": "lr·eps is the length of the longest step",
    "SPIDER-FW.batch": "samples per iteration, nonconvex, None: ⌈√m⌉ (128 without data); "
    "convex: factor of the batches 1, 2, 4, …, None: 1",
    "Nested-SPIDER.batch": "samples per level and iteration; None: ⌈√m⌉ (128 without data)",
    "SVFW.batch": "samples per iteration; None: ⌈m^(2/3)⌉",
    "SCGS.batch": "samples of the first iteration",
    "Sw*.batch": "samples per level and iteration in the first stage",
    "*.batch": "samples per level and iteration",
    "SCGS.batch_growth": "iteration k takes batch·((k+2)/3)^batch_growth samples, rounded up to "
    "batch times a power of 2",
    "*.batch_growth": "batches grow as (length of the stage)^batch_growth",
    "*.most_batch": "the largest batch; None: all data, or 2^16 samples",
    "*PMFS*.initial_batch": "not used: the first estimates are exact",
    "*.initial_batch": "samples per level for the first estimates; None: as the first batch",
    "*.large_batch": "samples per level at epoch starts; None: exact passes, for finite sums",
    "*.gradient_batch": '"shared": one batch for values and gradient, as published; "separate": '
    "an independent one for the gradient, unbiased when K ≥ 2, twice the samples",
    "*.pairing": '"paired": Jacobians multiplied sample by sample; "all": their batch means',
    "SVFW.epoch": "steps between exact passes; None: ⌈m^(1/3)⌉",
    "SPIDER-FW.epoch": "steps between fresh starts, nonconvex regime only; None: √ of the samples "
    "of a start, rounded up",
    "*.epoch": "steps between fresh starts; None: √ of the samples of a start, rounded up",
    "*.period": "iterations between snapshots; None: ⌈m/batch⌉",
    "LiNASA+ICG.inner": "factor of the number of inner steps, ⌈inner·k^inner_growth⌉ in step k",
    "NCGS.inner": "the most inner steps of either prox step",
    "SGD+ICG.inner": "the most inner steps of a prox step",
    "SCGS.inner": "the most inner steps of a prox step",
    "*.inner": "N, inner Frank-Wolfe steps (oracle calls) per step",
    "*.inner_growth": "power of k with which the number of inner steps grows",
    "Sw*.beta": "β of the prox step; None: half of strong_convexity, or 1 without it",
    "*.beta": "β of the prox step, which minimises <v,w> + β/2 ||w-x||²",
    "*.strong_convexity": "λ of the objective, in place of beta: β = λ/2",
    "*FW.smoothness": 'L, for step="short"; None: for all other rules, which need none',
    "*.smoothness": "L, a Lipschitz constant of the gradient of the objective",
    "*.rule": 'inner step sizes: "line-search" (exact) or "agnostic" (2/(n+1))',
    "NCGS.tol": "gap at which the inner steps end; None: 1/T",
    "SGD+ICG.tol": "gap at which the inner steps end; None: 1/(4T)",
    "*.tol": "gap at which the inner steps end early; None: never",
    "*.clip": "largest Frobenius norm of a tracked Jacobian; None: no limit",
    "A-TSCGD.regime": 'exponents of a and β_j: "nonconvex" or "strongly-convex"',
    "*.regime": 'step sizes and batches of either theorem: "convex" or "nonconvex"',
    "Grow*.length": "steps on the largest sample; a smaller one gets twice as many as the next",
    "Grow*.growth": "every sample is so many times as large as the one before",
    "GrowPFW.step": 'length of steps: "secant" or "golden" (line searches), "adaptive" or "short"',
    "*.memory": "last values of the objective above the largest of which no step rises",
    "*.first": "rows of every level in the first sample",
    "*.length": "steps of the first stage",
    "*.growth": "each stage is this many times as long as the one before",
    "*.decay": "η shrinks as (length of the stage)^-decay",
    "SwPMVR*.alpha_decay": "the same exponent for α; None: decay",
    "SwPMM*.alpha_decay": "the same exponent for α; None: 2/3 of decay",
    "SwPMFS*.alpha_decay": "the same exponent for α; None: 0",
    "SwPMFS*.restart": "any number: stages re-initialise by exact passes; None: they go on",
    "*.restart": "samples from which stages re-initialise their estimates; None: they go on",
    "*.step": 'length of steps: "adaptive" (estimates the smoothness), "secant" or "golden" (line '
    'searches), "short" (with smoothness), "monotone" or "agnostic" (2/(t+2))',
    "*.capacity": "vertices with which the arrays begin; they double when they are full",
    "BPFW.lazy": "the oracle rests while a pairwise step gains 1/lazy of its last gap; None: never",
    "*.factor": "the oracle rests while a known vertex has 1/factor of its last gap",
    "*.order": 'which block is next: "cyclic" or "random"',
    "*.blocks": 'their number, for step="agnostic" and "monotone", where γ = 2n/(t+2n)',
    "*.handover": 'what a stage leaves to the next: its "last" iterate or a "random" one',
}


def meaning(name: str, setting: str) -> str:
    """What a setting of a method means.

    >>> meaning("PMFS-v1", "period")
    'iterations between snapshots; None: ⌈m/batch⌉'
    """
    pair = f"{name}.{setting}"
    return next(text for key, text in SETTINGS.items() if fnmatch.fnmatchcase(pair, key))
