"""Long products of cases, thinned: `make test` runs as many as cover them, the rest is slow.

With `strength=1` every value of every axis occurs in a case that is kept, with `strength=2` every
pair of values of two axes that occurs at all.
"""

import itertools

import pytest


def thinned(cases, strength=1):
    """The cases as parameters, in their order; those that cover nothing new are marked slow.

    >>> [len(p.marks) for p in thinned([("a", 1), ("a", 2), ("b", 1), ("b", 2)])]
    [0, 1, 1, 0]
    """
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]
    combinations = {i: _combinations(case, strength) for i, case in enumerate(cases)}
    missing, kept = set().union(*combinations.values()), set()
    while missing:
        best = max(combinations, key=lambda i: (len(combinations[i] & missing), -i))
        missing -= combinations[best]
        kept.add(best)
    return [
        pytest.param(*case, marks=() if i in kept else pytest.mark.slow)
        for i, case in enumerate(cases)
    ]


def _combinations(case, strength):
    places = itertools.combinations(range(len(case)), min(strength, len(case)))
    return {tuple((place, case[place]) for place in chosen) for chosen in places}
