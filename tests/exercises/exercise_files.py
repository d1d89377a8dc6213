"""The solutions and the exercise notebooks, as the tests read them."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course.checks import catalog
from engine.course.exercise_notebooks import HIDDEN_TESTS, SOLUTION, cleared

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
NAMES = catalog.names()


def of_chapter(folder: str, number: str) -> Path:
    (file,) = (ROOT / folder).glob(f"{number}-*.ipynb")
    return file


def read(file: Path) -> NotebookNode:
    return nbformat.read(file, as_version=4)


def wrong_answers(name: str) -> list[tuple[Any, str]]:
    """The wrong answers to an exercise, each with its kind."""
    return importlib.import_module(f"answers_{name[:2]}").WRONG[name]


@cache
def answers(folder: str, number: str) -> dict[str, Any]:
    """What a notebook hands to each check, from running its cells here, one after the other."""
    notebook = read(of_chapter(folder, number))
    variables: dict[str, Any] = {"__name__": "__main__"}
    found: dict[str, Any] = {}

    def note(name: str, answer: Any) -> None:
        found[name] = answer

    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        source = cleared(cell.source, HIDDEN_TESTS, [])
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.parse(source), cell.id, "exec"), variables)
        variables["check"] = note
    return found


def solution_lines(text: str) -> list[str]:
    """The lines of a cell that an exercise notebook must not have."""
    without = cleared(text, SOLUTION, []).split("\n")
    return [line.strip() for line in text.split("\n") if line not in without and line.strip()]
