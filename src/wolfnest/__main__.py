"""`python -m wolfnest` is the command `wolfnest`."""

from wolfnest.cli import main

if __name__ == "__main__":
    main()
