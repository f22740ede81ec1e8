"""One card per method: where it comes from, what it does, what has been proved about it.

Rates are orders of magnitude as proved, with the settings of the proof (`wn.theory` has those
of the paper). SFO counts samples, LMO linear minimisations, "≤ ε" names the measure, which
for mappings and gradients is the *squared* norm throughout, whatever the original papers use. m is
the length of a finite sum (in the cards of methods on exact gradients, the number of samples of all
levels), λ the strong convexity, T the number of steps.
"""

from wolfnest.methods.cards.card import Card, Rate, Reference
from wolfnest.methods.cards.of_exact_gradients import EXACT_CARDS
from wolfnest.methods.cards.of_own import OWN_CARDS
from wolfnest.methods.cards.of_paper import PAPER_CARDS
from wolfnest.methods.cards.of_rivals import RIVAL_CARDS

CARDS: dict[str, Card] = {
    card.name: card for card in (*PAPER_CARDS, *RIVAL_CARDS, *EXACT_CARDS, *OWN_CARDS)
}

__all__ = ["CARDS", "Card", "Rate", "Reference"]
