"""Methods by name: the paper's, the ones they are compared with, those on exact gradients, our own.

To build one and to look one up:

- `method(name, **settings)`: a solver; `wn.method` is the same
- `names()`: all names; `settings(name)`: the settings that one takes, with their defaults
- `table()`: all methods side by side, a `MethodTable` of `Card`s
- `describe(name)`: one of them in words; `record(name)`: the same as a dictionary

Beside them: `choice` takes a method for a problem, `theory` has the paper's theorems as solvers
(`wn.theory`). A method of your own is a `wn.Solver`: a function that builds one is all it takes
(`examples/skeletons/method.py`).
"""

from wolfnest.methods.by_name import REGISTRY, method, names, settings
from wolfnest.methods.cards import Card
from wolfnest.methods.description import describe, record
from wolfnest.methods.method_table import MethodTable, table

__all__ = [
    "REGISTRY",
    "Card",
    "MethodTable",
    "describe",
    "method",
    "names",
    "record",
    "settings",
    "table",
]
