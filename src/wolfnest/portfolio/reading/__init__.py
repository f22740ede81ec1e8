"""A table of prices or returns, from a file to returns as fractions: dates, units, gaps."""

from wolfnest.portfolio.reading.returns_file import NotedReturns, read

__all__ = ["NotedReturns", "read"]
