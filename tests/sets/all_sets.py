"""All sets of the common tests, from the tables of the single geometries."""

from __future__ import annotations

from set_table import CASES, Case
from set_table_budgets import CASES_BUDGETS
from set_table_combinatorial import CASES_COMBINATORIAL
from set_table_matrices import CASES_MATRICES
from set_table_vectors import CASES_VECTORS
from set_table_wrappers import CASES_WRAPPERS

TABLES = (
    CASES,
    CASES_VECTORS,
    CASES_MATRICES,
    CASES_COMBINATORIAL,
    CASES_WRAPPERS,
    CASES_BUDGETS,
)

EVERY: dict[str, Case] = {name: case for table in TABLES for name, case in table.items()}
