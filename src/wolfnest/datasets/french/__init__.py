"""Industry portfolios of the Kenneth R. French Data Library: archives, files, blocks, cells.

The library (https://mba.tuck.dartmouth.edu/pages/faculty/ken.french/data_library.html) is
copyrighted by its authors; nothing of it is part of this package.
"""
