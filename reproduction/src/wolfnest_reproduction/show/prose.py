"""What a reader needs to understand the page without the paper."""

from __future__ import annotations

LEAD = (
    "Many things worth minimising are averages inside averages. The variance of a portfolio is the "
    "average of a square, and inside that square stands another average, the mean return. Such "
    "an objective is called nested, or multi-level: each level is an average over data, and the "
    "result of one level goes into the next.",
    "All methods here look for the point with the lowest objective inside a convex set, and most "
    "see the data only through small random batches. The paper proposes methods that never "
    "project onto the set (they are projection-free), and claims that they beat earlier methods, "
    "here called rivals. This page runs the paper’s five experiments again, on the same data, with "
    "the same number of samples and the same tuning effort for every method, and answers its "
    "claims.",
)
CURVE = (
    "A curve follows one method, averaged over many runs: lower is better, and further left is "
    "cheaper, counted in seconds, iterations, samples or LMO calls as you choose. The shaded band "
    "says how well that average is known: where two bands overlap, do not read much into which "
    "curve is lower."
)
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

GLOSSARY = {
    "Level": "One of the nested averages. E1 has one level, mean-variance two, mean-deviation "
    "three.",
    "Sample": "One random draw of the data at one level (here: one trading day, or one random "
    "matrix). All methods of a comparison may draw equally many in total.",
    "Batch": "The samples that a method draws at a level in one iteration.",
    "Iteration": "One step of a method: draw a batch of samples, update the estimates, move the "
    "point. Methods differ in how much one iteration costs.",
    "Horizon": "The number of iterations that a method with one batch per iteration gets. It sets "
    "the number of samples for all methods. Short horizons ask who is fast, long ones who gets "
    "far.",
    "Run, seed": "Every method is run many times with other random numbers (seeds), the same ones "
    "for all methods.",
    "Projection": "Going back to the nearest point of the set after a step that left it.",
    "LMO call": "Linear minimisation oracle: finding the point of the set that goes furthest in a "
    "given direction. Projection-free methods need only this; rivals that project need none, and "
    "pay with projections, which on some sets cost much more.",
    "Frank-Wolfe": "The oldest projection-free method: move a part of the way to what the LMO call "
    "returns.",
    "Objective": "The value that is minimised, computed on all data.",
    "Optimal gap": "Objective now minus the best possible objective, computed beforehand to high "
    "precision. Known only where the problem is convex.",
    "Frank-Wolfe gap": "How much a straight-line view of the objective could still fall inside "
    "the set. Zero at a solution; needs no knowledge of the optimum, and for convex objectives it "
    "is never below the optimal gap.",
    "Gradient mapping": "Squared length of the step that a projected gradient step would take. "
    "Zero at a solution. A square: ten times closer shows as a hundred times lower.",
    "Equal time, equal samples": "Two methods are compared where the first of them ends: after the "
    "same seconds, or after the same number of samples.",
    "Area under the log-curve": "The average of the logarithm of the curve: rewards a method for "
    "being low all along, not only at the end.",
    "λ": "The weight of risk against return in the portfolio problems.",
}

FAMILIES = {
    "PMM": "Momentum: moving averages of the levels’ values and of the gradient smooth the noise "
    "of batches.",
    "PMVR": "Variance reduction: each batch is evaluated at the present and at the previous point, "
    "and the difference corrects the average. Less noise, twice the work per sample.",
    "PMFS": "As PMVR, with exact passes over all data now and then (snapshots) that the batches "
    "then correct.",
    "Sw…": "Stage-wise: the same method in stages that grow longer while its steps grow shorter.",
    "v1, v2": "v1 moves towards the point of one LMO call. v2 takes several LMO calls (inner "
    "Frank-Wolfe) for one better aimed move.",
    "Rivals": "Earlier methods for nested objectives. All but LiNASA+ICG project.",
    "(separate)": "The paper uses one batch per level for values and gradient alike, which biases "
    "the gradient. These draw a second batch for the gradient, from the same total of samples.",
    "automatic": "What this library picks where the user names no method. It is not tuned.",
    "Without sampling": "Frank-Wolfe on all data in every step, its pairwise form, and a conic "
    "solver through CVXPY: what one would do without any of the methods above.",
}

AVERAGE = (
    "Optimal gap, Frank-Wolfe gap and gradient mapping are averaged over runs as logarithms "
    "(geometric mean), the objective as it is; bands are 95 % confidence intervals of that mean "
    "(Student’s t, on the same scale). Time was measured on single runs, without compilation "
    "and without computing the criteria. Solvers without sampling have no "
    "randomness, and no band."
)
BESIDE = (
    "Two questions that the claims do not ask; none of this enters a verdict. Separate batches: "
    "each method of the paper that draws a second batch for its gradient meets the same method "
    "with the paper’s shared batch, both with the same total of samples. Automatic choice: what "
    "the library picks when nothing is named, not tuned, meets every tuned method of the paper. "
    "“×” is the median ratio of the two values: below 1, separate batches or the automatic choice "
    "are lower."
)
EXACT = (
    "The same problems, solved on all data at once: by Frank-Wolfe on full gradients, by its "
    "pairwise form, and by a conic solver. The gap is the optimal gap, or the Frank-Wolfe gap "
    "where no optimum is known (E1). Beside each solver stands the sampling method that was lowest "
    "when it was done, and its gap then: where the solver’s own gap is smaller, sampling did not "
    "pay. “Sampling ahead until” is the moment from which on one of these solvers was lower than "
    "every sampling method, or had solved the problem: sampling is worth it for who stops earlier. "
    "A step on all data takes longer the more data there is, a step on a batch does not. Sampling "
    "methods were tuned beforehand, which no time here includes; these solvers need no tuning."
)
COST = (
    "Microseconds per iteration, measured on single runs (median over settings and horizons), "
    "and what an iteration asks for."
)
TUNING = (
    "Every method gets the same number of trials: first all values of the paper’s grid, then the "
    "neighbours of the best, beyond the grid where its end wins. “Tried” lists all values, "
    "“beyond” those outside the paper’s grid. The score that was minimised is the mean of log₁₀ of "
    "the Frank-Wolfe gap over the budget of samples, on random numbers of its own. “At the edge” "
    "names settings that ended at the end of what could be tried: a value beyond might do better."
)
TRACKS = (
    "“Tracks”: what a method carries from iteration to iteration to average out the noise of "
    "samples. “LMO” moves towards the point of the set that an LMO call returns, “inner "
    "Frank-Wolfe” takes several such calls for one better aimed move."
)
