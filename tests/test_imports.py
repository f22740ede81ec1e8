"""Dependencies point one way: every module imports only from layers below its own."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import wolfnest

ROOT = Path(wolfnest.__file__).parent

# From the bottom up. A module may import from layers below, and from its own layer only where
# that is a package (its files know each other). New modules must be entered here.
LAYERS = (
    {"_checks", "_rounding", "_trees", "_units", "_fingerprint", "_confidence"}
    | {"sampling", "interrupts", "ray"},
    {"sets", "level", "datasets"},
    {"composition", "_fit", "state", "stage", "progress", "checkpoint"},
    {"problem", "schedules"},
    {"estimators", "directions", "stepsizes", "metrics", "divergence", "problems"},
    {"solver", "certificate", "interop"},
    {"solution", "engine", "methods"},
    {"theory", "choice", "budget", "recording", "journal"},
    {"loop"},
    {"outcome"},
    {"solve"},
    {""},  # wolfnest/__init__.py
    {"experiments"},
    {"report"},
    {"portfolio"},
    {"bench"},
    {"cli"},
    {"__main__"},
)
PACKAGES = {
    *("sets", "estimators", "directions", "stepsizes", "schedules", "methods"),
    *("datasets", "problems", "interop", "experiments", "report", "bench", "portfolio"),
}
# What a module must never reach, whatever its layer, directly or through others.
NEVER = {
    "sets": {"level", "composition", "problem", "estimators", "directions", "state", "solver"},
    "level": {"sets", "composition", "problem", "estimators", "directions", "solver"},
    "composition": {"sets", "problem", "estimators", "directions", "state", "solver"},
    "estimators": {"sets", "directions", "problem", "solver"},
    "directions": {"level", "composition", "estimators", "stepsizes", "problem", "solver"},
    "stepsizes": {"sets", "estimators", "directions", "problem", "solver"},
    "solver": {"methods", "theory", "engine", "loop", "solve"},
    "metrics": {"estimators", "directions", "solver"},
}
ALLOWED_OUTSIDE = {"jax", "equinox", "jaxtyping", "numpy", "rich", "ml_dtypes", "typer"}


def files():
    return sorted(ROOT.rglob("*.py"))


def module(path):
    """The name under which the layers list a file: its package, or its own name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def for_types_only(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(tree):
    """All nodes that run: without the imports for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if not for_types_only(node):
            yield node
            yield from statements(node)


def imported(path):
    """(dotted name, whether at the top of the module) of everything that a file imports."""
    tree = ast.parse(path.read_text())
    for node in statements(tree):
        top = node in tree.body
        if isinstance(node, ast.Import):
            yield from ((alias.name, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "wolfnest":
                yield from ((f"wolfnest.{alias.name}", top) for alias in node.names)
            else:
                yield node.module, top


def inside(path):
    """The modules of the package that a file imports."""
    names = (name.split(".") for name, _ in imported(path))
    return {parts[1] for parts in names if parts[0] == "wolfnest" and len(parts) > 1}


def layer(name):
    found = [i for i, names in enumerate(LAYERS) if name in names]
    assert len(found) == 1, f"module {name!r} must be entered in exactly one layer"
    return found[0]


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_below(path):
    own = module(path)
    for name in inside(path):
        if name == own and own in PACKAGES:
            continue
        assert layer(name) < layer(own), f"{own} imports {name}"


def reach(start):
    graph = {}
    for path in files():
        graph.setdefault(module(path), set()).update(inside(path))
    seen, ahead = set(), set(graph[start])
    while ahead:
        name = ahead.pop()
        seen.add(name)
        ahead |= graph.get(name, set()) - seen
    return seen - {start}


@pytest.mark.parametrize("name", NEVER)
def test_what_a_part_must_not_know_it_does_not_reach(name):
    assert not reach(name) & NEVER[name]


def test_every_layer_entry_is_a_module():
    assert {name for names in LAYERS for name in names} == {module(path) for path in files()}


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_declared_dependencies_are_imported_at_the_top(path):
    outside = {name.split(".")[0] for name, top in imported(path) if top} - {"wolfnest"}
    assert outside <= ALLOWED_OUTSIDE | sys.stdlib_module_names


def test_importing_the_package_loads_no_optional_package():
    # What a dependency imports by itself is not ours: only what comes on top of them counts.
    code = (
        "import sys, jax, jax.numpy, equinox, jaxtyping, rich.live\n"
        "before = set(sys.modules)\n"
        "import wolfnest\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    loaded = set(done.stdout.split())
    assert "wolfnest" in loaded
    optional = {"pandas", "matplotlib", "plotly", "sklearn", "pyarrow", "pooch", "scipy", "skfolio"}
    assert not loaded & optional
