"""What sets share: points, parameters, sums to fill, monotone fits, roots, Krylov spaces."""
