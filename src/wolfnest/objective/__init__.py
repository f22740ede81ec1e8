"""What is minimised: levels, their composition, a problem on a set.

- `level`: one level, batch means and exact passes over its data
- `composition`: the chain of levels, and its chained gradient
- `problem`: levels and set together
- `sampling`: row numbers, drawn cheaply
- `fitting_levels`, `fitting_points`: do levels, data, set and points fit, before anything is
  compiled; `shapes` says them in words
"""
