# Every target makes the environment it needs: `make test` works on a fresh checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TEST_JOBS ?= 2

.PHONY: demo example test test-slow lint format docs-figures bench clean help

help:
	@echo "make demo          the paper's experiments in their quick form: a page in out/demo/"
	@echo "make example       a portfolio in Python: live table, convergence figure"
	@echo "make test          the test suite (seven minutes on two cores)"
	@echo "make test-slow     the tests that take long"
	@echo "make lint          ruff and pyright"
	@echo "make format        rewrite the sources in the project's style"
	@echo "make docs-figures  redraw the figures of the documentation"
	@echo "make bench         speed: ratios measured side by side (hours; wolfnest bench 1 is one row)"

$(READY): pyproject.toml reproduction/pyproject.toml benchmarks/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("wolfnest needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]' --editable './reproduction[conic]' --editable ./benchmarks
	@touch $@

demo: $(READY)
	$(BIN)/wolfnest reproduce --quick --jobs 2 --out out/demo

example: $(READY)
	$(BIN)/python examples/portfolio.py --out out/example

test: $(READY)
	$(BIN)/python -m pytest -n $(TEST_JOBS) -m 'not slow'

test-slow: $(READY)
	$(BIN)/python -m pytest -n $(TEST_JOBS) -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs-figures: $(READY)
	$(BIN)/python docs/figures/shared_batches.py

bench: $(READY)
	mkdir -p out/bench
	$(BIN)/wolfnest bench all --out out/bench/bench.json --markdown out/bench/bench.md --figures out/bench

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis
