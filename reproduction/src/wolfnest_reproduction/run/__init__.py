"""Cells are tuned, run and stored."""
