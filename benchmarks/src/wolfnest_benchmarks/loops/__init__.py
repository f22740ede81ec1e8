"""PMVR, PMM and PMFS written by hand for two portfolio problems, in NumPy, PyTorch and Numba.

What the library is measured against. A loop takes the row numbers of every step, or draws its own
in the way that is natural to it; with the same rows all of them, and the library, visit the same
points.
"""

from wolfnest_benchmarks.loops.settings import METHODS, PROBLEMS, Settings

__all__ = ["METHODS", "PROBLEMS", "Settings"]
