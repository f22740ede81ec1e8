"""Settings of the whole suite: 64-bit floats are on, and float32 must stay float32 all the same."""

import os
from pathlib import Path

# Most of the suite's time would be compilation of the same programs over and over.
CACHE = Path(__file__).parent.parent / ".pytest_cache" / "compiled"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

import jax  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from browsing import browser as browser  # noqa: E402
from browsing import open_page as open_page  # noqa: E402

jax.config.update("jax_enable_x64", True)

settings.register_profile("wolfnest", deadline=None, derandomize=True)
settings.load_profile("wolfnest")

# Files whose tests take long together: `make test-slow` runs them.
SLOW = {
    *("test_bench_rows", "test_bench_loops", "test_benchmarks_peers"),
    *("test_every_page", "test_report_page", "test_portfolio_page", "test_portfolio_command"),
    *("test_reproduction", "test_reproduce_command"),
    *("test_determinism", "test_resume", "test_theory_runs"),
    *("test_portfolio_backtesting", "test_risk_minima", "test_problems_single_index"),
    *("test_portfolio_fitting", "test_problems_minimum", "test_interop"),
    *("test_exact_runs", "test_rivals", "test_identities"),
}
# The same of single tests: their names begin so, or their parameters end so.
SLOW_NAMES = ("test_the_examples_in_docstrings_run",)
SLOW_CASES = ("-matrix, K = 1]",)
TESTS_PER_CACHE = 150
_finished = 0


def pytest_collection_modifyitems(items):
    for item in items:
        if (
            item.path.stem in SLOW
            or item.name.startswith(SLOW_NAMES)
            or item.name.endswith(SLOW_CASES)
        ):
            item.add_marker(pytest.mark.slow)


def pytest_runtest_teardown(item, nextitem):
    """Compiled programs are dropped now and then: thousands of them in one process exhaust its
    memory maps. The folder above has them still."""
    global _finished
    _finished += 1
    if _finished % TESTS_PER_CACHE == 0:
        jax.clear_caches()
