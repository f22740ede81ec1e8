"""The experiments as data."""
