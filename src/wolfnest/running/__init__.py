"""The loop and what stands around it: budgets, records, checkpoints, the live table."""
