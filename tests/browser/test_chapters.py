"""Every chapter as its reader meets it: first as it is stored, then run from top to bottom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe import faint_texts
from lab import Lab, LabPage, wait_until
from playwright.sync_api import Locator

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
PICTURES = ("image/svg+xml", "text/html")

# Whether each picture of a cell, outside of live views, has been drawn, and all of it can be
# scrolled to.
_DRAWN = """cell => Array.from(cell.querySelectorAll('.jp-OutputArea-output img'))
  .filter(img => !img.closest('.rw-view')).map(img => {
  const output = img.closest('.jp-OutputArea-output');
  output.scrollLeft = 1e6;
  const end = output.getBoundingClientRect().right - img.getBoundingClientRect().right;
  output.scrollLeft = 0;
  return img.complete && img.naturalWidth > 0 && img.naturalHeight > 0 && end > -1;
})"""
# The kinds of output of each cell, as JupyterLab holds them.
_MIMETYPES = """() => Array.from(jupyterapp.shell.currentWidget.content.model.cells, cell =>
  cell.type !== 'code' ? [] : Array.from({ length: cell.outputs.length }, (_, k) =>
    Object.keys(cell.outputs.get(k).data)))"""


def stored_pictures(name: str) -> dict[int, int]:
    """For each cell that has pictures, how many."""
    cells = nbformat.read(NOTEBOOKS / name, as_version=4).cells
    found = {
        number: sum(is_picture(output.get("data", {})) for output in cell.get("outputs", []))
        for number, cell in enumerate(cells)
    }
    return {number: count for number, count in found.items() if count}


def is_picture(data: dict[str, Any]) -> bool:
    return any(kind in data for kind in PICTURES)


def assert_drawn(cell: Locator, count: int) -> None:
    wait_until(lambda: cell.evaluate(_DRAWN) == [True] * count, f"{count} pictures drawn")


def open_hidden_answers(page: LabPage) -> int:
    """Open each one by a click, and see that it then shows more than before."""
    opened = 0
    for number, cell in enumerate(page.cells()):
        if cell["code"] or "<details" not in cell["source"]:
            continue
        answers = page.cell(number).locator("details")
        hidden = cell["source"].count("<details")
        wait_until(lambda a=answers, n=hidden: a.count() == n, f"{hidden} answers in cell {number}")
        for answer in answers.all():
            answer.scroll_into_view_if_needed()
            assert answer.get_attribute("open") is None
            before = answer.bounding_box()
            answer.locator("summary").first.click()
            assert answer.get_attribute("open") is not None
            after = answer.bounding_box()
            assert before is not None
            assert after is not None
            assert after["height"] > before["height"] + 10
            opened += 1
    return opened


def assert_quiet(page: LabPage) -> None:
    assert page.console_errors == []
    assert page.foreign_requests == []


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_is_whole_before_and_after_it_is_run(lab: Lab, name: str, tmp_path: Path) -> None:
    pictures = stored_pictures(name)
    page = lab.open(name)
    for number, count in pictures.items():
        assert_drawn(page.cell(number), count)
    sources = "".join(cell["source"] for cell in page.cells() if not cell["code"])
    assert open_hidden_answers(page) == sources.count("<details")
    page.cell(0)
    page.screenshot(tmp_path / "stored.png")
    assert_quiet(page)

    page.run_all()
    kinds = page.page.evaluate(_MIMETYPES)
    for number, count in pictures.items():
        cell = page.cell(number)
        live = sum(
            WIDGET in output and is_picture(dict.fromkeys(output)) for output in kinds[number]
        )
        assert sum(is_picture(dict.fromkeys(output)) for output in kinds[number]) == count
        wait_until(lambda c=cell, n=live: c.locator(".rw-view").count() == n, "views are live")
        assert_drawn(cell, count - live)
        for view in cell.locator(".rw-view").all():
            assert view.is_visible()
            assert faint_texts(view) == []
        page.screenshot(tmp_path / f"cell-{number}.png")
    assert_quiet(page)
