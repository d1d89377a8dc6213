"""What of a student's notebook is there still after an update of the course."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import nbformat
from nbformat.notebooknode import NotebookNode


def lost_cells(given: str, saved: str, after: str) -> list[str]:
    """What of a student's notebook is not in the file after an update.

    Args:
        given: the file as the student got it.
        saved: the file as the student saved it.
        after: the file after the update. It may have lines that the student did not write, also
            between theirs.
    """
    try:
        merged = nbformat.reads(after, as_version=4)
        nbformat.validate(merged)
    except Exception as error:  # noqa: BLE001 (whatever is wrong with it, it is no notebook)
        return [f"the notebook itself: {type(error).__name__}: {str(error)[:200]}"]
    first = {cell.id: cell for cell in nbformat.reads(given, as_version=4).cells}
    now = {cell.id: cell for cell in merged.cells}
    nothing = NotebookNode(source="", outputs=[])
    lost = []
    for cell in nbformat.reads(saved, as_version=4).cells:
        before, arrived = first.get(cell.id, nothing), now.get(cell.id, nothing)
        if not _holds(arrived.source, _own_lines(before.source, cell.source)):
            lost.append(f"source of {cell.id}")
        outputs = cell.get("outputs", [])
        if outputs not in (before.get("outputs", []), arrived.get("outputs", [])):
            lost.append(f"outputs of {cell.id}")
    return lost


def _own_lines(given: str, saved: str) -> list[str]:
    """The lines of a cell that a student wrote."""
    compared = difflib.ndiff(given.split("\n"), saved.split("\n"))
    return [line[2:] for line in compared if line.startswith("+ ")]


def _holds(source: str, lines: Sequence[str]) -> bool:
    """Tell whether lines stand in a cell, in their order."""
    there = iter(source.split("\n"))
    return all(line in there for line in lines)
