"""From stored cells to verdicts on the claims."""
