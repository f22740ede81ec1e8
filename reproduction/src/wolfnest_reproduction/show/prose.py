"""How to read the verdicts, and what stands beside them."""

from __future__ import annotations

READING = (
    "Verdicts are computed from the runs, not written by hand.",
    "One comparison sets one method against one rival on one data set and criterion, at equal time "
    "or at equal samples, by the value at the end or along the whole curve. It is better (solid) "
    "or worse (striped) where the difference is too large to be chance, and open (grey) where it "
    "may be.",
    "A claim holds if at least 95 % of its comparisons are better, by time and by samples; it does "
    "not hold if fewer than half are; in between it holds partly. Open comparisons count as not "
    "better: few runs leave many of them open, and a claim then looks worse than it may be.",
    "Incomplete means that something which the claim speaks of was not run; it then holds partly "
    "at most.",
    "“Best rival” counts only the rival that was hardest in each comparison; “best against best” "
    "only the best of the claim’s methods against the best rival: who picks the winner of "
    "each family wins that often.",
)
BESIDE = (
    "Two questions that the claims do not ask; none of this enters a verdict. Separate batches: "
    "each method of the paper that draws a second batch for its gradient meets the same method "
    "with the paper’s shared batch, both with the same total of samples. Automatic choice: what "
    "the library picks when nothing is named, not tuned, meets every tuned method of the paper. "
    "“×” is the median ratio of the two values: below 1, separate batches or the automatic choice "
    "are lower."
)
