r"""Make an exercise notebook from its solution, as nbgrader would.

A notebook in ``solutions/`` is the one source. An answer cell has nbgrader's ``solution`` mark, and
its solution stands between two lines:

    derivative = ...
    ### BEGIN SOLUTION
    derivative = (4.96 - 5.0) / (2.01 - 2.0)
    ### END SOLUTION

The check cell after it has nbgrader's ``grade`` mark and points. Learners get its first line; the
hidden test gives nbgrader an error when the answer is not right:

    check("01.1", derivative)
    ### BEGIN HIDDEN TESTS
    from engine.course.checks.grading import require

    require("01.1", derivative)
    ### END HIDDEN TESTS

Two things make such a cell run untouched: an answer starts as three dots, and a function to be
written has a docstring, which alone is a body.

The build seals what it makes, in the notebook's metadata: an exercise that a person has written
into is never built over.

>>> cleared("answer = ...\n### BEGIN SOLUTION\nanswer = 6\n### END SOLUTION", SOLUTION, [STUB])
'answer = ...\n# Your code here.'
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import NamedTuple

from nbformat.notebooknode import NotebookNode

from engine.course.places import CourseError

STUB = "# Your code here."
TEXT_STUB = "Your words here."


class Region(NamedTuple):
    """A part of a cell that learners do not get.

    Attributes:
        begin: what the line before it has.
        end: what the line after it has.
        mark: of nbgrader, for the cells that may have such a part.
    """

    begin: str
    end: str
    mark: str


SOLUTION = Region("BEGIN SOLUTION", "END SOLUTION", "solution")
HIDDEN_TESTS = Region("BEGIN HIDDEN TESTS", "END HIDDEN TESTS", "grade")


def exercise(solution: NotebookNode, name: str) -> NotebookNode:
    """The exercise notebook of a solution, without outputs.

    Args:
        solution: the notebook; it stays as it is.
        name: of its file, for errors.

    Raises:
        CourseError: a cell has a region that is not closed, or lacks nbgrader's mark.
    """
    made: NotebookNode = copy.deepcopy(solution)
    for cell in made.cells:
        try:
            _clear(cell)
        except ValueError as error:
            raise CourseError(f"{name}, cell {cell.id}: {error}") from error
        _lock(cell)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return made


def _clear(cell: NotebookNode) -> None:
    stub = STUB if cell.cell_type == "code" else TEXT_STUB
    for region, lines in ((SOLUTION, [stub]), (HIDDEN_TESTS, [])):
        text = cleared(cell.source, region, lines)
        has_region = text != cell.source
        if has_region and not marked(cell, region.mark):
            raise ValueError(f"it has {region.begin!r}, and not nbgrader's mark {region.mark!r}.")
        if region is SOLUTION and marked(cell, region.mark) and not has_region:
            text = stub
        cell.source = text


def cleared(text: str, region: Region, stub: Sequence[str]) -> str:
    """A text with lines of its own in place of each region.

    Args:
        text: the source of a cell.
        region: what to take out.
        stub: the lines to put there, indented like the line that begins the region.

    Raises:
        ValueError: a region is not closed, or stands inside another one.
    """
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if region.begin in line:
            if inside:
                raise ValueError(f"{region.begin!r} stands inside another one.")
            inside = True
            indent = (re.match(r"\s*", line) or [""])[0]
            kept += [f"{indent}{stub_line}" for stub_line in stub]
        elif region.end in line:
            inside = False
        elif not inside:
            kept.append(line)
    if inside:
        raise ValueError(f"{region.begin!r} has no {region.end!r}.")
    return "\n".join(kept)


def marked(cell: NotebookNode, mark: str) -> bool:
    """Whether a cell has one of nbgrader's marks.

    Args:
        cell: of a notebook.
        mark: such as ``"solution"`` or ``"grade"``.
    """
    return bool(cell.metadata.get("nbgrader", {}).get(mark, False))


def _lock(cell: NotebookNode) -> None:
    """What learners must not delete, and what they must not change either."""
    if marked(cell, "solution"):
        cell.metadata["deletable"] = False
    elif marked(cell, "grade") or marked(cell, "locked"):
        cell.metadata["deletable"] = False
        cell.metadata["editable"] = False
