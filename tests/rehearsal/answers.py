"""What a student writes into an answer cell: the solution, or one of the typical mistakes."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from nbformat.notebooknode import NotebookNode

import engine

ROOT = Path(__file__).parents[2]
RIGHT, WRONG, UNTOUCHED = "right", "wrong", "untouched"
MARKS = {"### BEGIN SOLUTION", "### END SOLUTION"}


def exercise_of(cell: NotebookNode, kind: str) -> str:
    """The exercise that a cell belongs to, empty when it is no cell of this kind.

    Args:
        cell: of an exercise notebook or a solution.
        kind: ``"answer"`` or ``"check"``.

    >>> exercise_of(NotebookNode(metadata={"nbgrader": {"grade_id": "answer-02-1"}}), "answer")
    '02.1'
    """
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    found = re.fullmatch(rf"{kind}-(\d\d)-(\d+)", grade_id)
    return f"{found[1]}.{found[2]}" if found else ""


def exercises_of(notebook: NotebookNode) -> list[str]:
    """The exercises of a notebook, in order."""
    return [name for cell in notebook.cells if (name := exercise_of(cell, "check"))]


def right(solution: NotebookNode, exercise: str) -> str:
    """The answer cell of a solution, as a student would have it.

    Args:
        solution: the notebook.
        exercise: its name.
    """
    (cell,) = [cell for cell in solution.cells if exercise_of(cell, "answer") == exercise]
    kept = [line for line in cell.source.split("\n") if line.strip() not in MARKS]
    return "\n".join(kept)


def wrong(solution: NotebookNode, exercise: str) -> list[str]:
    """Answer cells with mistakes: those of the tests that can be written down as code.

    Args:
        solution: the notebook.
        exercise: its name.
    """
    (check,) = [cell for cell in solution.cells if exercise_of(cell, "check") == exercise]
    given = _argument(check.source)
    start = right(solution, exercise)
    module = _module(exercise[:2])
    mistakes = [answer for answer, _kind in module.WRONG[exercise]]
    ends = [end for mistake in mistakes if (end := _assigned(given, mistake, module))]
    return [f"{start}\n\n{end}" for end in ends]


def _argument(source: str) -> ast.expr:
    """What the first call of ``check`` in a cell is given as the answer."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    call = next(c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "check")
    return call.args[1]


def _assigned(given: ast.expr, mistake: Any, module: ModuleType) -> str:
    """Code that makes the expression be the mistake, empty where there is none."""
    if isinstance(given, ast.Name):
        return _assignment(given.id, mistake, module)
    parts = []
    if isinstance(given, ast.Dict) and isinstance(mistake, dict):
        # A dictionary of names, each to be given its own value.
        for key, value in zip(given.keys, given.values, strict=True):
            named = isinstance(key, ast.Constant) and isinstance(value, ast.Name)
            part = _assignment(value.id, mistake.get(key.value), module) if named else ""
            parts.append(part)
    return "\n".join(parts) if all(parts) else ""


def _assignment(name: str, mistake: Any, module: ModuleType) -> str:
    if isinstance(mistake, FunctionType) and mistake.__name__.isidentifier():
        return f"{''.join(_sources(mistake, module))}{name} = {mistake.__name__}"
    try:
        same = bool(ast.literal_eval(repr(mistake)) == mistake)
    except (ValueError, SyntaxError):
        same = False
    return f"{name} = {mistake!r}" if same and mistake is not None else ""


def _sources(function: FunctionType, module: ModuleType) -> Iterator[str]:
    """The text of a function and of what it needs, each once."""
    waiting, seen = [function.__name__], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = vars(module).get(name)
        if isinstance(found, FunctionType) and found.__module__ == module.__name__:
            yield f"{textwrap.dedent(inspect.getsource(found))}\n\n"
            waiting += found.__code__.co_names
        elif isinstance(found, ModuleType):
            yield f"import {found.__name__} as {name}\n"
        elif name in engine.__all__:
            yield f"from engine import {name}\n"


@cache
def _module(number: str) -> ModuleType:
    """The tests' wrong answers of a chapter."""
    file = ROOT / "tests" / "exercises" / f"answers_{number}.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
