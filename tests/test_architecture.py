"""The floors of the engine: what each module may import, and what stays light."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "engine"

# From the ground up. A room is a module of `engine`, or a whole package such as `engine.drawing`;
# it imports from the floors below, and on its own floor from the rooms that stand before it.
FLOORS: tuple[tuple[str, ...], ...] = (
    # words and numbers, what is recorded under which name, what a number refuses
    ("text", "numbers", "rules", "recording", "guards"),
    # numbers that record
    ("all_or_nothing", "constants", "value", "own_operations", "tape"),
    # plain data out of a recording
    (
        "variables",
        "kinks",
        "graph",
        "measuring",
        "gradcheck",
        "walk",
        "recompute",
        "boxes",
        "paths",
        "folding",
    ),
    # what is built from it
    (
        "step_sizes",
        "nn",
        "moons",
        "optim",
        "gpt",
        "documents",
        "replay",
        "training",
        "arrays",
        "array_graph",
        "gpt_arrays",
    ),
    # how a walk is told, and what each wrong number means
    ("words",),
    ("drawing",),
    ("widgets",),
    ("course",),
)
ROOMS = {
    room: (floor, place) for floor, rooms in enumerate(FLOORS) for place, room in enumerate(rooms)
}
TOP = len(FLOORS) - 1
# The floors that compute: a learner can use them without a picture, a plot or a notebook.
LIGHT_FLOORS = range(FLOORS.index(("drawing",)))
# These compute in arrays: they need NumPy, and only training by replay loads it by itself.
IN_ARRAYS = {"replay", "training", "arrays", "array_graph", "gpt_arrays"}
HEAVY = {"IPython", "anywidget", "graphviz", "ipywidgets", "matplotlib", "numpy"}


def module_name(path: Path) -> str:
    """Return the dotted name of a source file, `engine` for the package's own `__init__`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(ENGINE.rglob("*.py"))}


def unit(module: str) -> str:
    """Return the part of a module's name that has a floor, "" for `engine` itself."""
    return module.split(".")[1] if "." in module else ""


def resolve(module: str, node: ast.ImportFrom) -> str:
    """Return the absolute name that a `from ... import` reads from."""
    if node.level == 0:
        return node.module or ""
    package = module.split(".")
    if MODULES[module].name != "__init__.py":
        package = package[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join(base + ([node.module] if node.module else []))


def imported_by(module: str, nodes: list[ast.AST]) -> set[str]:
    """Return every module that the given syntax nodes of `module` import, by absolute name."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = resolve(module, node)
            names = {f"{source}.{alias.name}" for alias in node.names}
            submodules = names & MODULES.keys()
            found |= submodules
            if len(submodules) < len(names):
                found.add(source)
    return found


def all_imports(module: str) -> set[str]:
    """Return what `module` imports anywhere, inside functions too."""
    return imported_by(module, list(ast.walk(ast.parse(MODULES[module].read_text("utf-8")))))


def imports_at_load(module: str) -> set[str]:
    """Return what `module` imports when it is itself imported."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [ast.parse(MODULES[module].read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return imported_by(module, nodes)


def is_engine(name: str) -> bool:
    """Tell whether a dotted name lies in the engine."""
    return name == "engine" or name.startswith("engine.")


def light_modules() -> list[str]:
    """Return the modules on the light floors."""
    return [
        name
        for name in MODULES
        if unit(name) in ROOMS
        and ROOMS[unit(name)][0] in LIGHT_FLOORS
        and unit(name) not in IN_ARRAYS
    ]


def test_every_module_has_a_floor_and_every_floor_has_its_modules() -> None:
    assert {unit(name) for name in MODULES} - {""} == set(ROOMS)


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"engine"}))
def test_a_module_imports_only_from_the_floors_below(module: str) -> None:
    mine = unit(module)
    assert mine in ROOMS, f"{module} has no floor"
    for name in filter(is_engine, all_imports(module)):
        theirs = unit(name)
        if ROOMS[mine][0] == TOP and theirs == "":
            continue
        assert theirs, f"{module} imports the whole engine, which stands above it"
        assert ROOMS[theirs] <= ROOMS[mine], f"{module} imports {name}, which stands above it"


def test_the_engine_loads_only_light_floors_at_once() -> None:
    units = {unit(name) for name in filter(is_engine, imports_at_load("engine"))}
    assert {ROOMS[name][0] for name in units} <= set(LIGHT_FLOORS)
    assert not units & IN_ARRAYS


@pytest.mark.parametrize("module", light_modules())
def test_a_light_module_names_no_heavy_package(module: str) -> None:
    assert not {name.split(".")[0] for name in all_imports(module)} & HEAVY


def test_no_two_modules_need_each_other_to_load() -> None:
    needs = {name: imports_at_load(name) & MODULES.keys() - {"engine"} for name in MODULES}
    order = list(TopologicalSorter(needs).static_order())
    assert set(order) == set(MODULES)


@pytest.mark.parametrize("module", ["engine", *light_modules()])
def test_importing_the_engine_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not set(result.stdout.split()) & HEAVY


@pytest.mark.parametrize("module", [name for name in MODULES if unit(name) in IN_ARRAYS])
def test_what_computes_in_arrays_needs_numpy_and_nothing_else_that_is_heavy(module: str) -> None:
    assert not {name.split(".")[0] for name in all_imports(module)} & (HEAVY - {"numpy"})
