"""Other libraries on the same problems."""
