"""A check says when its answer is older than the cell above it, which has failed."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from engine.course.build import executed

START = "from engine.course import check"
SAID = "so this is about your earlier answer"
CHECK = 'check("01.1", derivative)'


def said(*sources: str) -> list[str]:
    """What the checks among these cells say, on one line each."""
    cells = [nbformat.v4.new_code_cell(source) for source in (START, *sources)]
    for cell in cells:
        cell.metadata["tags"] = ["raises-exception"]
    notebook = nbformat.v4.new_notebook(cells=cells)
    executed(Path(__file__).parent / "in-memory.ipynb", notebook=notebook)
    checks = (cell for cell in notebook.cells if cell.source.startswith("check("))
    return [" ".join(cell.outputs[-1].data["text/plain"].split()) for cell in checks]


@pytest.mark.parametrize(
    "failing",
    ["derivative = -4 W", "derivative = 1 / 0", "x = 1\nderivative: float = no_such_name"],
)
def test_the_answer_of_before_is_called_earlier_until_its_cell_runs(failing: str) -> None:
    first, then, again, mended = said(
        "derivative = -4", CHECK, failing, CHECK, CHECK, "derivative = -400", CHECK
    )
    assert SAID not in first
    for text in (then, again):
        assert f"The last run of the cell with derivative stopped with an error, {SAID}." in text
        assert "Right" in text
    assert SAID not in mended


def test_a_function_that_was_made_before_its_cell_failed_is_no_earlier_one() -> None:
    first, then = said(
        "def derivative():\n    return 1 / 0\nderivative()",
        CHECK,
        "def derivative():\n    return 2 / 0\nderivative()",
        CHECK,
    )
    assert SAID not in first + then


def test_a_cell_that_only_uses_the_answer_may_fail() -> None:
    assert SAID not in said("derivative = -4", "print(derivative / 0)", CHECK)[0]


def test_the_names_of_an_answer_in_several_parts_are_told_apart() -> None:
    (text,) = said(
        'method = "forward"\nstep = 0.1',
        "method = central",
        'check("01.5", {"method": method, "step": step})',
    )
    assert f"the cell with method stopped with an error, {SAID}." in text
