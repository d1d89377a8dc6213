"""``OrderPlayground`` in a real JupyterLab: clicked and typed, with and without a kernel."""

from __future__ import annotations

from pathlib import Path

from axe import assert_accessible
from lab import Lab, LabPage, wait_until
from playwright.sync_api import Locator

SHARED = """\
from engine import OrderPlayground, ReverseWalk, Value

x = Value(3.0)
u = x * x
v = u * 2
y = u + v
playground = OrderPlayground(y)
playground"""
LARGE = """\
h = Value(2.0, '<img src=x onerror="window.hacked=1">')
for _ in range(10):
    h = h * x
large = OrderPlayground(h)
large"""
REPORT = """\
print('heard', playground.state.picks, playground.walk.grad('x'))
ReverseWalk(playground.walk)"""


def view_of(page: LabPage, number: int) -> Locator:
    view = page.page.locator(".rw-view").nth(number)
    view.scroll_into_view_if_needed()
    return view


def press(page: LabPage, *keys: str) -> None:
    for key in keys:
        page.page.keyboard.press(key)


def focused(page: LabPage) -> str:
    return str(page.page.evaluate("() => document.activeElement.textContent"))


def story(view: Locator) -> str:
    return view.locator(".rw-story").inner_text()


def gradients(view: Locator) -> dict[str, str]:
    """What the drawing shows, by node."""
    titles = view.locator(".rw-node .rw-title").all_text_contents()
    shown = view.locator(".rw-node .rw-grad").all_text_contents()
    return {title.split(" ")[0]: grad for title, grad in zip(titles, shown, strict=True)}


def marks(view: Locator) -> list[str]:
    return view.locator(".rw-node .rw-mark").all_text_contents()


def rows(view: Locator, table: int) -> list[list[str]]:
    found = view.locator("table").nth(table).locator("tbody tr")
    return [row.locator("td, th").all_inner_texts() for row in found.all()]


def test_an_order_is_picked_by_keyboard_and_by_mouse(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook([SHARED, REPORT], "order.ipynb")
    page.run_cell(0)
    cells = page.cells()
    view = view_of(page, 0)
    assert "1 valid order" in story(view)
    toolbar = view.get_by_role("toolbar")
    assert toolbar.locator("button[tabindex='0']").count() == 1

    toolbar.locator("button").first.focus()
    press(page, "End", "Enter")
    assert "The seed gradient is there: y.grad = 1" in story(view)
    assert gradients(view) == {"x": "0", "u": "1", "v": "1", "y": "1"}
    assert marks(view) == ["", "+=", "+=", "✓ 1"]
    press(page, "ArrowLeft", "ArrowLeft", "Enter")
    assert "Too early" in story(view)
    assert "Missing from v: local derivative 2 × v.grad" in story(view)
    assert gradients(view)["x"] == "6"
    assert focused(page) == "u ✗ 2"
    press(page, "Enter")
    assert "processed already" in view.locator(".rw-notice").inner_text()
    press(page, "x", "d", "d", "j")
    assert page.cells() == cells
    assert focused(page) == "u ✗ 2"
    press(page, "Backspace")
    assert gradients(view)["x"] == "0"
    assert view.locator(".rw-notice").inner_text() == ""
    press(page, "Enter")

    view.locator('[data-node="2"] .rw-box').click()
    assert gradients(view)["u"] == "3"
    press(page, "Home")
    assert focused(page) == "x"
    press(page, " ")
    assert "In your order x.grad = 6 (true: 18)." in story(view)
    assert "u came too early. u handed on 1 instead of 3." in story(view)
    assert rows(view, 0)[1] == ["✗", "u = x * x", "2", "1", "3"]
    assert rows(view, 1)[-1] == ["✗", "x", "6", "18"]
    assert [row[0] for row in rows(view, 1)[:-1]] == ["✓", "✓", "✓"]
    for theme in ("light", "dark"):
        page.theme(theme)
        assert_accessible(view_of(page, 0))
        page.screenshot(tmp_path / f"end-{theme}.png")

    assert page.run_cell(1) == "heard ('y', 'u', 'v', 'x') 6.0"
    assert page.page.locator(".rw-view").count() == 2

    page.shutdown_kernel()
    view = view_of(page, 0)
    view.get_by_role("button", name="Start again").focus()
    press(page, "Enter")
    assert "Which node is processed first?" in story(view)
    press(page, "Enter", "x")
    assert page.cells()[0]["source"] == cells[0]["source"]
    for node in (3, 2, 1, 0):
        view.locator(f'[data-node="{node}"] .rw-box').click()
    assert "only valid order" in story(view)
    assert gradients(view) == {"x": "18", "u": "3", "v": "1", "y": "1"}
    assert not page.console_errors
    assert not page.foreign_requests


def test_a_graph_too_large_for_a_table_is_answered_by_python(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook([SHARED, LARGE], "large.ipynb")
    page.run_all()
    view = view_of(page, 1)
    buttons = view.get_by_role("toolbar").locator("button")
    count = buttons.count()
    assert count == 12
    assert "script" not in view.inner_html()
    buttons.first.focus()
    press(page, "End", "Enter")
    wait_until(lambda: "Pick 1 of 12" in story(view), "Python has answered")
    press(page, "Home", "Enter")
    wait_until(lambda: "Pick 2 of 12" in story(view), "Python has answered")
    assert "Too early" in story(view)
    assert "<img src=x" in story(view)
    assert page.page.evaluate("() => window.hacked") is None
    assert rows(view, 0)[1][0] == "✗"
    page.zoom(2.0)
    view_of(page, 1)
    assert view.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), "wider than its cell"
    assert_accessible(view)
    page.screenshot(tmp_path / "zoom.png")
    page.zoom(1.0)
    page.shutdown_kernel()
    view_of(page, 1).get_by_role("button", name="Undo").click()
    assert "does not reply" in view.locator(".rw-notice").inner_text()
    assert "Pick 2 of 12" in story(view)
    assert not page.foreign_requests
