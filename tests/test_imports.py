"""Dependencies point one way: every module imports only from layers below its own."""

import ast
import functools
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import wolfnest

ROOT = Path(wolfnest.__file__).parent

# From the bottom up, by the longest name that fits. A module may import from layers below, and
# from its own name: the files of a package know each other. New modules must be entered here.
LAYERS = (
    {"common"},
    {"objective.sampling", "objective.shapes", "stepsizes.ray"}
    | {"schedules.per_step", "running.interrupts", "running.references", "running.streams"}
    | {"running.lock"},
    {"sets", "objective.level", "datasets", "page", "running.checksum"},
    {
        "objective.composition",
        "objective.fitting_levels",
        "objective.fitting_points",
        "state",
        "schedules.stage",
    }
    | {"running.live_table", "running.checkpoint", "running.fingerprint"},
    {"objective.problem", "schedules", "running.carry", "running.progress"},
    {"estimators", "directions", "stepsizes", "metrics", "running.divergence", "problems"},
    {"iteration", "certificate", "interop"},
    {"solver", "running.engine"},
    {"solution", "running.clock", "methods"},
    {"methods.theory", "methods.choice", "running.budget", "running.position"},
    {"running.costs", "running.recording"},
    {"running.request"},
    {"running.identity"},
    {"running.journal", "running.stepping", "running.stopping", "running.outcome"},
    {"running.loop"},
    {"running.solve"},
    {"api"},
    {""},  # wolfnest/__init__.py
    {"portfolio"},
    {"cli"},
    {"__main__"},
)
NAMES = {name for names in LAYERS for name in names}
# Folders that hold files of several layers: their `__init__` imports nothing.
MIXED = {"objective", "running"}
# What a module must never reach, whatever its layer, directly or through others.
OBJECTIVE = {"objective.level", "objective.composition", "objective.problem"}
NEVER = {
    "sets": OBJECTIVE | {"estimators", "directions", "state", "solver"},
    "objective.level": {"sets", "objective.composition", "estimators", "directions", "solver"},
    "objective.composition": {"sets", "objective.problem", "estimators", "directions", "solver"},
    "estimators": {"sets", "directions", "objective.problem", "solver"},
    "directions": OBJECTIVE | {"estimators", "stepsizes", "solver"},
    "stepsizes": {"sets", "estimators", "directions", "objective.problem", "solver"},
    "solver": {"methods", "methods.theory", "running.engine", "running.loop", "running.solve"},
    "metrics": {"estimators", "directions", "solver"},
}
BESIDE = {"wolfnest_reproduction", "wolfnest_benchmarks"}
ALLOWED_OUTSIDE = {"jax", "equinox", "jaxtyping", "numpy", "rich", "ml_dtypes", "typer"}


@functools.cache
def files():
    return sorted(ROOT.rglob("*.py"))


def dotted(path):
    """The name of a file within the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def entry(name):
    """The name under which the layers list a module; None if they do not."""
    parts = name.split(".")
    prefixes = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((prefix for prefix in prefixes if prefix in NAMES), None if name else "")


def layer(name):
    (found,) = (i for i, names in enumerate(LAYERS) if name in names)
    return found


def for_types_only(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements(tree):
    """All nodes that run: without the imports for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if not for_types_only(node):
            yield node
            yield from statements(node)


def is_module(name):
    place = ROOT.parent / name.replace(".", "/")
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


@functools.cache
def imported(path):
    """(dotted name, whether at the top of the module) of everything that a file imports."""
    return list(_imported(path))


def _imported(path):
    tree = ast.parse(path.read_text())
    for node in statements(tree):
        top = node in tree.body
        if isinstance(node, ast.Import):
            yield from ((alias.name, top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield (name if is_module(name) else node.module), top


def inside(path):
    """What a file imports of the package, as the layers list it."""
    names = (name.partition(".") for name, _ in imported(path))
    return {entry(name) for package, _, name in names if package == "wolfnest"}


@pytest.mark.parametrize("path", files(), ids=dotted)
def test_a_module_imports_only_from_below(path):
    name = dotted(path)
    own = entry(name)
    if name in MIXED:
        assert not inside(path)
        return
    for other in inside(path) - {own}:
        collected = path.name == "__init__.py" and other.startswith(f"{own}.")
        assert layer(other) < layer(own) or collected, f"{own} imports {other}"


def reach(start):
    graph = {}
    for path in files():
        graph.setdefault(entry(dotted(path)), set()).update(inside(path))
    seen, ahead = set(), set(graph[start])
    while ahead:
        name = ahead.pop()
        seen.add(name)
        ahead |= graph.get(name, set()) - seen
    return seen - {start}


@pytest.mark.parametrize("name", NEVER)
def test_what_a_part_must_not_know_it_does_not_reach(name):
    assert not reach(name) & NEVER[name]


def test_every_module_is_in_a_layer_and_every_entry_is_a_module():
    found = {dotted(path) for path in files()}
    assert found >= NAMES
    assert {name for name in found - MIXED if entry(name) is None} == set()


@pytest.mark.parametrize("path", files(), ids=dotted)
def test_only_declared_dependencies_are_imported_at_the_top(path):
    outside = {name.split(".")[0] for name, top in imported(path) if top} - {"wolfnest"}
    assert outside <= ALLOWED_OUTSIDE | sys.stdlib_module_names


@pytest.mark.parametrize("path", files(), ids=dotted)
def test_the_library_knows_nothing_of_the_packages_beside_it(path):
    assert not {name.split(".")[0] for name, _ in imported(path)} & BESIDE


@pytest.mark.parametrize("path", [f for f in files() if f.name == "__init__.py"], ids=dotted)
def test_what_a_package_exports_is_there_and_no_module_has_its_name(path):
    package = importlib.import_module(f"wolfnest.{dotted(path)}".rstrip("."))
    public = {name: getattr(package, name) for name in getattr(package, "__all__", ())}
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not {n for n, value in public.items() if not isinstance(value, ModuleType)} & modules


def loaded_by(code):
    """The packages that a fresh process has loaded in the end."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_the_package_loads_no_optional_package():
    # What a dependency imports by itself is not ours: only what comes on top of them counts.
    before = "import sys, jax, jax.numpy, equinox, jaxtyping, rich.live"
    loaded = loaded_by(f"{before}\nimport wolfnest.api") - loaded_by(before)
    assert "wolfnest" in loaded
    optional = {"pandas", "matplotlib", "plotly", "sklearn", "pyarrow", "pooch", "scipy", "skfolio"}
    assert not loaded & optional


def test_portfolios_load_nothing_of_the_packages_beside():
    loaded = loaded_by(
        "import sys, importlib, pkgutil, wolfnest.portfolio as p\n"
        "for m in pkgutil.walk_packages(p.__path__, 'wolfnest.portfolio.'):\n"
        "    importlib.import_module(m.name)"
    )
    assert "wolfnest" in loaded
    assert not loaded & BESIDE


def test_the_package_shows_its_public_names_and_nothing_else():
    for _ in range(2):  # loading modules must not add to them
        assert {name for name in dir(wolfnest) if name != "__version__"} == set(wolfnest.__all__)
    assert not hasattr(wolfnest, "foo.bar")
    with pytest.raises(AttributeError, match="module 'wolfnest' has no attribute 'Levle'"):
        _ = wolfnest.Levle
