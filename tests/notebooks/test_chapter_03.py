"""Chapter 03 asks for nothing that only chapter 04 explains."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import hygiene

from engine import Graph, Value

(CHAPTER,) = (Path(__file__).resolve().parents[2] / "notebooks").glob("03-*.ipynb")


def used_more_than_once(chapter: hygiene.Chapter) -> list[str]:
    """Every number of a chapter's graphs that has two uses, with the cell that shows it."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for cell in chapter.code:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(cell.source, variables)
        for value in variables.values():
            if isinstance(value, Value):
                graph = Graph.of(value, variables)
                uses = zip(graph.names, graph.consumers, strict=True)
                found += [f"{cell.id}: {name}" for name, by in uses if len(by) > 1]
    return found


def test_every_gradient_has_one_contribution() -> None:
    """Contributions are added from chapter 04 on."""
    assert used_more_than_once(hygiene.read(CHAPTER)) == []


def test_a_second_use_is_seen() -> None:
    chapter = hygiene.read(CHAPTER)
    for cell in chapter.code:
        cell.source = cell.source.replace("y = t * k", "y = t * r")
    first, *_ = used_more_than_once(chapter)
    assert first == "upstream-18: r"
