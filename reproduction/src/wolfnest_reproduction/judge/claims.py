"""The paper's claims C1 to C5, as contests: which method is said to beat which."""

from __future__ import annotations

from typing import NamedTuple

OBJECTIVE, GAP, MAPPING = CRITERIA = ("optimal_gap", "frank_wolfe_gap", "gradient_mapping")

PLAIN = ("PMVR-v1", "PMVR-v2", "PMM-v1", "PMM-v2")
STAGED = ("SwPMVR-v1", "SwPMVR-v2", "SwPMM-v1")
FINITE = ("PMFS-v1", "PMFS-v2", "SwPMFS-v1", "SwPMFS-v2")
RIVALS = ("A-TSCGD", "NLASG", "Nested-SPIDER", "SCSC", "SMVR", "LiNASA+ICG")

PAPER_DATA = ("Industry-10", "Industry-12", "Industry-17")
ALIKE = ("Industry-10", "Industry-12")  # their optimal portfolios hold the same assets


class Contest(NamedTuple):
    """One part of a claim: methods of an experiment, each said to beat certain others.

    >>> pmvr_v2_first("E2").pairs[0][1][-3:]
    ('PMVR-v1', 'PMM-v1', 'PMM-v2')
    """

    name: str
    experiment: str
    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    batch: int | None = None  # what the claim says about the batch size

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(method for method, _ in self.pairs)

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rival for _, rivals in self.pairs for rival in rivals))

    @property
    def is_family(self) -> bool:
        """Whether several methods meet the same rivals: the best of them can then meet the best."""
        return len(self.pairs) > 1 and len({rivals for _, rivals in self.pairs}) == 1


class Claim(NamedTuple):
    """A claim in few and in more words, its contests, the criteria and data sets it speaks of, and
    how its words were read where they can be read in several ways."""

    name: str
    title: str
    text: str
    contests: tuple[Contest, ...]
    criteria: tuple[str, ...] = CRITERIA
    data: tuple[str, ...] = PAPER_DATA
    reading: str = ""


def ours_first(experiment: str) -> Contest:
    return Contest(
        "proposed methods against the rivals",
        experiment,
        tuple((method, RIVALS) for method in PLAIN),
    )


def pmvr_v2_first(experiment: str) -> Contest:
    others = tuple(method for method in PLAIN if method != "PMVR-v2")
    return Contest("PMVR-v2 against all others", experiment, (("PMVR-v2", RIVALS + others),))


CLAIMS = (
    Claim(
        "C1",
        "faster than the rivals on matrices",
        "On matrix single-index regression (E1), the proposed methods lower the Frank-Wolfe gap "
        "and the gradient mapping faster than the rivals.",
        (ours_first("E1"),),
        criteria=(GAP, MAPPING),
        data=(),
    ),
    Claim(
        "C2",
        "faster than the rivals on mean-variance",
        "On mean-variance portfolios (E2), PMVR and PMM (v1 and v2) converge faster than the "
        "rivals on all three data sets, and PMVR-v2 is the fastest on all three measures.",
        (ours_first("E2"), pmvr_v2_first("E2")),
    ),
    Claim(
        "C3",
        "faster than the rivals on mean-deviation",
        "On mean-deviation portfolios (E3), PMVR and PMM (v1 and v2) converge faster than the "
        "rivals on all three data sets, and PMVR-v2 is the fastest on all three measures.",
        (ours_first("E3"), pmvr_v2_first("E3")),
    ),
    Claim(
        "C4",
        "snapshots and stages pay",
        "Among the variants on mean-variance portfolios at batch 128 (E4), PMFS and SwPMFS are "
        "the best overall, and stage-wise variants beat the plain ones.",
        (
            Contest(
                "PMFS and SwPMFS against the variants without snapshots",
                "E4",
                tuple((method, PLAIN + STAGED) for method in FINITE),
                batch=128,
            ),
            Contest(
                "stage-wise variants against their plain counterparts",
                "E4",
                (
                    ("SwPMVR-v1", ("PMVR-v1", "PMM-v1")),
                    ("SwPMVR-v2", ("PMVR-v2", "PMM-v2")),
                    ("SwPMM-v1", ("PMM-v1",)),
                    ("SwPMFS-v1", ("PMFS-v1",)),
                    ("SwPMFS-v2", ("PMFS-v2",)),
                ),
                batch=128,
            ),
        ),
        reading="The paper says “best overall”. This is read strictly: each of PMFS and SwPMFS "
        "against each other variant. How the best of them does against the best of the others is "
        "counted beside it.",
    ),
    Claim(
        "C5",
        "PMVR for large batches, PMM for small ones",
        "On mean-variance portfolios, PMVR beats PMM at batch 128 (E4), and PMM beats PMVR at "
        "batch 32 (E5).",
        (
            Contest(
                "PMVR against PMM at batch 128",
                "E4",
                (("PMVR-v1", ("PMM-v1",)), ("PMVR-v2", ("PMM-v2",))),
                batch=128,
            ),
            Contest(
                "PMM against PMVR at batch 32",
                "E5",
                (("PMM-v1", ("PMVR-v1",)), ("PMM-v2", ("PMVR-v2",))),
                batch=32,
            ),
        ),
    ),
)
