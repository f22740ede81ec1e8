"""The rows of `wolfnest bench`, one file each."""
