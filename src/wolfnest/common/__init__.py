"""What every part uses: checks, pytrees, numbers for people, files, the machine."""
