"""The page of rules: every operation, the words and the common mistakes, to print on one sheet.

The engine computes each number on it, and the words are those of the chapters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import glossary
from engine.graph import Graph
from engine.text import number_text
from engine.value import Value
from engine.walk import reverse_walk

FILE_NAME = "rules.ipynb"
A, B, C = 2.0, -4.0, 3.0
WORDS = (
    "node",
    "leaf",
    "literal",
    "data",
    "gradient",
    "output",
    "seed gradient",
    "local derivative",
    "upstream gradient",
    "contribution",
    "accumulate, `+=`",
    "clear",
    "topological order",
    "reverse walk",
    "visited set",
    "central difference",
    "relative error",
)
INTRODUCTION = """# All rules on one page

> **contribution = local derivative × upstream gradient**

The walk begins at the output, with the seed gradient 1. When all nodes that use a node have had
their turn, the node hands one contribution to each of its inputs, and the input adds it:
`input.grad += contribution`. Multiply along a path, add across paths."""


class Operation(NamedTuple):
    """One operation of the engine.

    Attributes:
        name: in words.
        written: as it is written in Python.
        derivatives: the local derivative for each input, as formulas of ``a``, ``b`` and the
            result ``y``.
        apply: what it does.
    """

    name: str
    written: str
    derivatives: tuple[str, ...]
    apply: Callable[[Value, Value], Value]


OPERATIONS = (
    Operation("add", "a + b", ("1", "1"), lambda a, b: a + b),
    Operation("subtract", "a - b", ("1", "-1"), lambda a, b: a - b),
    Operation("negate", "-a", ("-1",), lambda a, b: -a),
    Operation("multiply", "a * b", ("b", "a"), lambda a, b: a * b),
    Operation("divide", "a / b", ("1/b", "-a/b**2"), lambda a, b: a / b),
    Operation("power, `c` a plain number", "a**c", ("c * a**(c - 1)",), lambda a, b: a**C),
    Operation("exponential, e to the power a", "a.exp()", ("y",), lambda a, b: a.exp()),
    Operation("logarithm to the base e", "a.log()", ("1/a",), lambda a, b: a.log()),
    Operation("ReLU", "a.relu()", ("1 if a > 0 else 0",), lambda a, b: a.relu()),
    Operation("tanh", "a.tanh()", ("1 - y**2",), lambda a, b: a.tanh()),
)


def operations() -> str:
    """The table of the operations, each with its numbers at one point."""
    lines = [
        f"| operation | `y` = | local derivatives | at `a` = {A:g}, `b` = {B:g}, `c` = {C:g} |",
        "|---|---|---|---|",
    ]
    for one in OPERATIONS:
        slopes = map(number_text, one.apply(Value(A), Value(B)).local_derivatives)
        formulas = ", ".join(f"`{formula}`" for formula in one.derivatives)
        lines.append(f"| {one.name} | `{one.written}` | {formulas} | {', '.join(slopes)} |")
    return "\n".join(lines)


def mistakes() -> str:
    """The three mistakes, with what each makes of one gradient."""
    x = Value(3.0)
    u = x * x
    v = u * 2
    y = u + v
    graph = Graph.of(y, {"x": x, "u": u, "v": v, "y": y})
    walks = {
        "none": reverse_walk(graph),
        "`=` for `+=`: only the last contribution is kept": reverse_walk(graph, accumulate=False),
        "too early: `u` goes before `v`": reverse_walk(graph, ["y", "u", "v", "x"]),
        "no visited set: a node has several turns": reverse_walk(graph, visit_once=False),
    }
    lines = [
        "`x` is 3, `u = x * x`, `v = u * 2`, `y = u + v`. No mistake brings an error message.",
        "",
        "| mistake | gradient of `x` |",
        "|---|---|",
    ]
    lines += [f"| {name} | {number_text(walk.grad('x'))} |" for name, walk in walks.items()]
    return "\n".join(lines)


def words(chapters: Iterable[Path]) -> str:
    """The words of the walk, as the chapters explain them.

    Args:
        chapters: the chapters' notebooks, first chapter first.
    """
    meanings: dict[str, str] = {}
    for file in chapters:
        for word in glossary.words_of(file):
            meanings.setdefault(word.word, word.meaning)
    known = (word for word in WORDS if word in meanings)
    return "\n".join(
        ["| word | meaning |", "|---|---|", *(f"| {w} | {meanings[w]} |" for w in known)]
    )


def page(chapters: Iterable[Path]) -> NotebookNode:
    """Make the page's notebook.

    Args:
        chapters: the chapters' notebooks, first chapter first.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is no notebook.
    """
    parts = {
        "introduction": INTRODUCTION,
        "operations": f"## Operations\n\n{operations()}",
        "mistakes": f"## Three mistakes\n\n{mistakes()}",
        "words": f"## Words\n\n{words(chapters)}\n\n[All words](glossary.ipynb)",
    }
    notebook: NotebookNode = nbformat.v4.new_notebook()
    for name, text in parts.items():
        cell = nbformat.v4.new_markdown_cell(text, id=f"rules-{name}")
        cell.metadata["slideshow"] = {"slide_type": "skip"}
        notebook.cells.append(cell)
    return notebook
