"""nbgrader's button fails what a check calls wrong; a learner's run shows no error of it."""

from __future__ import annotations

import nbformat
from lab import Lab
from nbformat.notebooknode import NotebookNode
from playwright.sync_api import expect

CELLS = (
    "from engine.course import check",
    'check("01.1", -4)',
    'check("01.1", 4)',
)


def graded(source: str, name: str) -> NotebookNode:
    marks = {"grade": True, "solution": False, "task": False, "locked": True, "points": 1}
    marks |= {"grade_id": name, "schema_version": 3, "cell_type": "code"}
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": marks})


def test_the_button_validate_tells_what_the_check_tells(lab: Lab) -> None:
    start, right, wrong = CELLS
    page = lab.notebook([start, graded(right, "right"), graded(wrong, "wrong")])
    page.run_all()
    page.page.get_by_role("button", name="Validate").click()
    told = page.page.locator(".validation-failed")
    expect(told).to_contain_text("01.1 · Not yet.")
    expect(told).to_contain_text(wrong)
    expect(told).not_to_contain_text(right)
    expect(told).not_to_contain_text("01.1 · Right")
