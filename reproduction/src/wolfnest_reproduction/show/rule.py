"""The rule by which verdicts are decided, and what it is applied to, for readers."""

from __future__ import annotations

RULE = (
    "A comparison sets one method against one rival on one data set, setting, horizon and "
    "criterion, with one of four measures: the value at equal time (the longest that both ran), "
    "the value at equal samples (the common budget), and the mean of the log10-curve up to there, "
    "over time and over samples. Its figure is the mean over the seeds, paired by number, of log10 "
    "of the ratio of the two values. It is *better* (*worse*) where the 95 % bootstrap interval of "
    "that mean lies below (above) 0, and *open* elsewhere. A comparison by time is also open where "
    "this would change if one of the two methods took longer by the spread of its clock: the range "
    "of the middle half of repeated timings relative to their median, the larger one of the two "
    "methods.",
    "A part of a claim *holds* if at least 95 % of its comparisons by time are better, and at "
    "least 95 % of those by samples. It *does not hold* if fewer than half of all are better. In "
    "between it holds *partly*. Open ones count as not better, so few seeds make claims fail; "
    "methods that share fewer than two seeds are not compared. Every method meets every rival; how "
    "it fares against the best rival of each comparison (the one against which it does worst) is "
    "reported beside it.",
    "A claim *holds* if all its parts hold, and *does not hold* if none of them holds even partly. "
    "It is *not tested* if there is a part without comparisons. Else it holds *partly*. Where "
    "methods, rivals, criteria or data sets of which it speaks are missing, it is *incomplete*, "
    "and holds partly at most.",
    "The settings of every method were chosen by one score, on other random numbers: the mean of "
    "log10 of the Frank-Wolfe gap over the samples. Time, objective and gradient mapping had no "
    "say. N, the number of inner steps of the v2 methods, takes time but no samples: a larger N "
    "was taken only if it lowered this score by more than 0.01 for each step from 10 over 50 to "
    "100. Their β is 1 throughout, while NLASG and LiNASA+ICG tune theirs, and the rivals that "
    "take projected steps tune the length of these, which plays the same part. Times are those of "
    "single runs and leave out tuning, compilation and the criteria.",
    "A run that diverged counts as infinitely bad at every measure; two of them tie. Values below "
    "1e-9 of the value at the start (1e-18 for the gradient mapping, a squared norm) count as that "
    "much. The objective is measured by its optimal gap, which counts as no less than the minimum "
    "is known to. The intervals cover the randomness of the runs. Industry-10 and Industry-12 "
    "share their optimal assets: they are not independent evidence.",
)
