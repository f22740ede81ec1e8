"""One method in words, and as a record: its card and its settings."""

from __future__ import annotations

import textwrap
from typing import Any

from wolfnest.methods.by_name import resolve, settings
from wolfnest.methods.cards import CARDS
from wolfnest.methods.meanings import meaning
from wolfnest.methods.method_table import by_regime, yes_or_no

LEGEND = (
    "u: tracked values of the levels; v: tracked gradient; g: batch gradient; Π: projection; now, "
    "before, at_snap: batch means of the same samples at the present, the previous and the "
    "snapshot's inputs. SFO: samples, LMO: linear minimisations, as proved, with the settings of "
    "the proof; T: steps, m: length of the data, λ: strong convexity, k: number of the step."
)


def record(name: str) -> dict[str, Any]:
    """The card of a method as a dictionary, with its settings: defaults and meanings.

    >>> record("PMFS-v1")["settings"]["period"]
    {'default': None, 'meaning': 'iterations between snapshots; None: ⌈m/batch⌉'}
    """
    name = resolve(name)
    explained = {
        key: {"default": value, "meaning": meaning(name, key)}
        for key, value in settings(name).items()
    }
    return {**CARDS[name].as_dict(), "settings": explained}


def describe(name: str) -> str:
    """A method in words: its source, its updates, what is proved about it, and its settings.

    >>> print(describe("SCSC")[:4])
    SCSC
    """
    name = resolve(name)
    card = CARDS[name]
    facts = {
        "levels": "any number" if card.levels == "K" else "one",
        "estimator": card.estimator,
        "step": card.step,
        "criterion": card.criterion,
        "proved": by_regime(card.rates),
        "batch": card.batch,
        "projection-free": yes_or_no(card.projection_free),
        "finite sums only": yes_or_no(card.finite_sum),
        "equations": card.equations,
    }
    explained = {f"{key} = {value!r}": meaning(name, key) for key, value in settings(name).items()}
    parts = [
        card.name,
        _filled(f"{card.reference}."),
        textwrap.indent(card.summary, "  "),
        _listed(facts),
        "Settings with their defaults:",
        _listed(explained),
        _filled(LEGEND),
    ]
    return "\n\n".join(parts)


def _listed(entries: dict[str, str]) -> str:
    """Keys to the left, wrapped texts to the right."""
    margin = " " * (max(map(len, entries)) + 4)
    lines = []
    for key, text in entries.items():
        wrapped = [_filled(part, margin) for part in text.splitlines()]
        wrapped[0] = f"  {key}".ljust(len(margin)) + wrapped[0][len(margin) :]
        lines += wrapped
    return "\n".join(lines)


def _filled(text: str, margin: str = "") -> str:
    # What the text itself is indented by, its further lines are, too.
    hanging = margin + " " * (2 * text.startswith("  "))
    return textwrap.fill(
        text, 80, initial_indent=margin, subsequent_indent=hanging, break_on_hyphens=False
    )
