"""What is minimised: levels, their composition, a problem on a set."""
