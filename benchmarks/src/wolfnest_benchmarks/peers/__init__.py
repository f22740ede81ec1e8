"""Other libraries on the same problems, one file each. All of them are optional: a row names those
that are not installed and goes on without them."""
