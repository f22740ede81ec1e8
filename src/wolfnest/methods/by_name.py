"""Methods by their names, and the settings that they take."""

from __future__ import annotations

import re
from typing import Any

from wolfnest.methods.exact_gradients import EXACT
from wolfnest.methods.own import OWN
from wolfnest.methods.paper import PAPER
from wolfnest.methods.recipe import Recipe
from wolfnest.methods.rivals import RIVALS
from wolfnest.solver import Solver

REGISTRY: dict[str, Recipe] = {**PAPER, **RIVALS, **EXACT, **OWN}


def names() -> tuple[str, ...]:
    """The names that `method` knows, in the spelling of their papers."""
    return tuple(REGISTRY)


def settings(name: str) -> dict[str, Any]:
    """The settings that a method takes, with their defaults.

    >>> settings("PMVR-v1")["batch"]
    128
    """
    return dict(REGISTRY[resolve(name)].defaults)


def method(name: str, **settings: Any) -> Solver:
    """A solver by the name of its paper: "PMVR-v1", "Stage-wise PMM-v1", "NLASG", "SPIDER-FW".

    `settings(name)` lists the settings of a method, `describe(name)` explains them. Those of the
    paper take `eta`, `alpha`, `batch`, `initial_batch`, `pairing` ("paired" or "all"),
    `gradient_batch` ("shared" or "separate"). Methods of type v2 add `inner`, `beta`, `rule`
    ("line-search" or "agnostic") and `tol`; PMFS adds `period`. Stage-wise methods take the
    values of the first stage and add its `length`, the `growth` of lengths, the exponents with
    which η shrinks (`decay`) and α (`alpha_decay`) and the batch grows (`batch_growth`) with the
    length of a stage, `restart` (samples from which every stage re-initialises its estimates) and
    `handover`; their v2 forms add `strong_convexity`, in place of `beta`. Methods on exact
    gradients ("FW", "AFW", "PFW", "BPFW", "LazyFW", "BCFW") take `step`, the rule for the lengths
    of their steps.

    >>> method("PMVR-v2", eta=0.05, inner=20).name
    'PMVR-v2'
    """
    resolved = resolve(name)
    return REGISTRY[resolved].build(resolved, settings)


def resolve(name: str) -> str:
    """A name in the spelling of `names`.

    >>> resolve("stage-wise pmm-v1")
    'SwPMM-v1'
    """
    key = _plain_name(name) if isinstance(name, str) else name
    known = {_plain_name(known): known for known in REGISTRY}
    if key not in known:
        raise ValueError(f"unknown method {name!r}; known are {', '.join(REGISTRY)}.")
    return known[key]


def _plain_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).replace("stagewise", "sw")
