"""Every risk measure with settings that differ from the defaults, and small data for them."""

import numpy as np

from wolfnest.problems import risk

ROWS, ASSETS = 60, 4
RNG = np.random.default_rng(7)
COMMON = RNG.standard_t(5, (ROWS, 1))
# Percent; the second asset is the calmest, the last one the wildest.
RETURNS = 0.1 + 0.6 * COMMON + RNG.standard_t(5, (ROWS, ASSETS)) * np.array([0.8, 0.4, 1.0, 1.6])
EVEN = np.full(ROWS, 1 / ROWS)
UNEVEN = RNG.uniform(0.5, 2.0, ROWS)
PATH = RETURNS @ np.array([0.1, 0.2, 0.3, 0.4]) + 0.3 * RNG.normal(size=ROWS)

SETTINGS = {
    "variance": {},
    "deviation": {"smoothing": 0.1},
    "semideviation": {"order": 2, "smoothing": 0.1},
    "semideviation-1": {"order": 1, "smoothing": 0.2},
    "semideviation-3": {"order": 3, "smoothing": 0.2},
    "absolute-deviation": {"smoothing": 0.2},
    "cvar": {"level": 0.8, "smoothing": 0.1},
    "entropic": {"theta": 0.7},
    "evar": {"level": 0.8, "smoothing": 0.05},
    "expectile": {"level": 0.8, "smoothing": 0.1},
    "kl-robust": {"radius": 0.3, "smoothing": 0.05},
    "chi2-robust": {"radius": 0.5, "smoothing": 0.1},
    "log-utility": {"unit": 100.0, "floor": 0.2},
    "tracking-error": {"benchmark": PATH, "smoothing": 0.1},
}
CASES = tuple(SETTINGS)
LEVELS = {  # K
    **dict.fromkeys(("cvar", "evar", "kl-robust", "log-utility"), 1),
    **dict.fromkeys(("variance", "semideviation-1", "absolute-deviation"), 2),
    **dict.fromkeys(("entropic", "expectile", "chi2-robust"), 2),
    **dict.fromkeys(("deviation", "semideviation", "semideviation-3", "tracking-error"), 3),
}
EXTRA = {  # variables beside the weights
    **dict.fromkeys(("cvar", "expectile", "chi2-robust"), ("threshold",)),
    **dict.fromkeys(("evar", "kl-robust"), ("temperature", "threshold")),
}


def measure(case):
    """The name of a case's measure."""
    return case.split("-")[0] if case.startswith("semi") else case


def made(case, returns=RETURNS, **options):
    """The problem of a case; options replace its settings and the common ones."""
    return risk.problem(measure(case), returns, **{**SETTINGS[case], **options})


def bound(case, returns=RETURNS, **options):
    return risk.error_bound(measure(case), returns, **{**SETTINGS[case], **options})


def probabilities(weights):
    return weights / weights.sum()


def point(case, x, **extra):
    """A point of the problem, and the same as a dict that always has weights."""
    given = {"threshold": 0.4, "temperature": 0.9, **extra}
    named = {"weights": np.asarray(x, float)}
    named |= {key: np.asarray(given[key]) for key in EXTRA.get(case, ())}
    return (named if case in EXTRA else named["weights"]), named
