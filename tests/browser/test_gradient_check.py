"""``GradientCheck`` and the plots in a real JupyterLab: table, slider, plot, keys, both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe import assert_accessible
from lab import Lab, LabPage, text_pixels, wait_until
from playwright.sync_api import Locator

from engine import GradientCheck, Value

IMPORTS = """\
from engine import GradientCheck, error_by_step
from engine.drawing.plots import *
"""
MIXED_CELL = """\
def mixed(x, y, z):
    return x.tanh() * x.exp() + (y - 0.001).relu() + (z - 1.0).relu()

check = GradientCheck(mixed, {"x": 0.5, "y": 0.002, "z": 0.5})
check
"""
HOSTILE_CELL = """\
def total(**inputs):
    return sum(list(inputs.values())[1:], next(iter(inputs.values())))

hostile = "<img src=x onerror=window.hurt=1>"
GradientCheck(total, {hostile: 1.0, "x" * 999: 2.0})
"""
PLOT_CELLS = [
    "error_against_step(error_by_step(lambda x: x ** 3, 2.0, 12.0))",
    "decision_boundary(lambda x, y: x - 0.5, [(0, 0), (1, 1)], [0, 1], resolution=5)",
    "curve = loss_curve()\nfor k in range(30):\n    curve.add(1 / (k + 1))",
]
TELL = "print(check.index, check.chosen, check.h)"
SET = "check.h = 1e-1\ncheck.chosen = 1"
COLUMNS = ("central", "absolute", "relative", "verdict")
PAGE_KEYS = ("x", "j", "k", "d", "d", "a", "b", "c", "v", "m", "y", "z", "Enter")


def mixed(x: Value, y: Value, z: Value) -> Value:
    return x.tanh() * x.exp() + (y - 0.001).relu() + (z - 1.0).relu()


@pytest.fixture(scope="module")
def payload() -> dict[str, Any]:
    told: dict[str, Any] = GradientCheck(mixed, {"x": 0.5, "y": 0.002, "z": 0.5}).payload
    return told


def nth_view(page: LabPage, number: int) -> Locator:
    view = page.page.locator(".rw-view").nth(number)
    view.wait_for()
    view.scroll_into_view_if_needed()
    return view


def focus(view: Locator) -> None:
    view.locator(".rw-said").click()


def step_text(view: Locator) -> str:
    return view.locator(".rw-place").text_content() or ""


def assert_shows(view: Locator, payload: dict[str, Any], place: int, chosen: int) -> None:
    """Everything on the page belongs to this step and this input."""
    told, shown = payload["inputs"][chosen], payload["places"][place]
    wait_until(lambda: step_text(view) == f"h = {shown['step']}", f"h = {shown['step']}")
    assert view.locator(".rw-story strong").inner_text() == shown["heading"]
    assert view.locator(".rw-story p").all_inner_texts() == told["sentences"][place]
    assert view.locator(".rw-note").inner_text() == told["note"]
    rows = view.locator("tbody tr")
    for index, row in enumerate(shown["rows"]):
        cells = rows.nth(index).locator("td, th").all_inner_texts()
        numbers = [row[name] for name in COLUMNS[:-1]]
        assert cells[4:] == [*numbers, f"{row['mark']} {row['verdict']}"]
        assert rows.nth(index).locator("input").is_checked() == (index == chosen)
    slider = view.get_by_role("slider")
    assert slider.input_value() == str(place)
    assert slider.get_attribute("aria-valuetext") == f"h = {shown['step']}"
    chart = view.locator(".rw-chart")
    assert chart.get_attribute("aria-label") in told["svg"].replace("&lt;", "<")
    assert chart.locator(".rw-now").get_attribute("transform") == f"translate({shown['x']} 0)"
    now = chart.locator("[data-now]").evaluate_all("all => all.map(p => p.dataset.place)")
    assert set(now) <= {str(place)}
    assert len(now) == (0 if shown["rows"][chosen]["verdict"] == "no number" else 2)


def assert_marker_is_on_its_points(view: Locator) -> None:
    middles = view.evaluate(
        """view => ['.rw-now-line', '[data-now]'].map(selector => {
          const box = view.querySelector(selector).getBoundingClientRect();
          return box.left + box.width / 2;
        })"""
    )
    assert abs(middles[0] - middles[1]) < 1.0


def assert_quiet(page: LabPage) -> None:
    assert page.console_errors == []
    assert page.foreign_requests == []


def test_every_way_to_change_the_step_and_the_input(lab: Lab, payload: dict[str, Any]) -> None:
    page = lab.notebook([IMPORTS, MIXED_CELL, TELL, SET]).run_all()
    page.run_cell(1)  # Run All has run the last cell too, which moves the step
    view, press = nth_view(page, 0), page.page.keyboard.press
    start = next(k for k, p in enumerate(payload["places"]) if p["step"] == "1e−5")
    last = len(payload["places"]) - 1
    assert_shows(view, payload, start, 2)
    sources = [cell["source"] for cell in page.cells()]

    story = view.locator(".rw-said")
    assert (story.get_attribute("role"), story.get_attribute("aria-live")) == ("status", "polite")
    assert view.get_attribute("aria-label") == "Gradient check of 3 inputs: x, y, z"
    assert view.get_by_role("slider").get_attribute("aria-label") == "Step h"

    focus(view)
    place, chosen = start, 2
    for key, by in (
        ("ArrowRight", 1),
        ("PageUp", 1),
        ("ArrowLeft", -1),
        ("PageDown", -1),
        ("PageDown", -1),
    ):
        press(key)
        place += by
        assert_shows(view, payload, place, chosen)
        assert_marker_is_on_its_points(view)
    for key, end in (("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0)):
        press(key)
        assert_shows(view, payload, end, chosen)
    for key, index in (("ArrowUp", 1), ("ArrowUp", 0), ("ArrowUp", 0), ("ArrowDown", 1)):
        press(key)
        assert_shows(view, payload, 0, index)

    for key in PAGE_KEYS:
        press(key)
    assert [cell["source"] for cell in page.cells()] == sources
    assert_shows(view, payload, 0, 1)

    view.get_by_role("button", name="Larger h").click()
    assert_shows(view, payload, 1, 1)
    view.get_by_role("button", name="Smaller h").click()
    assert_shows(view, payload, 0, 1)
    assert view.get_by_role("button", name="Smaller h").is_disabled()

    slider = view.get_by_role("slider")
    slider.focus()
    for key, by in (("ArrowUp", 1), ("ArrowRight", 2), ("ArrowDown", 1)):
        press(key)
        assert_shows(view, payload, by, 1)
    box = slider.bounding_box()
    assert box
    page.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert_shows(view, payload, last, 1)

    view.get_by_role("radio", name="plot of x").focus()
    press("Space")
    assert_shows(view, payload, last, 0)
    press("ArrowDown")
    assert_shows(view, payload, last, 1)
    assert view.get_by_role("radio", name="plot of y").evaluate(
        "radio => radio === document.activeElement"
    )
    view.get_by_role("rowheader", name="z").click()
    assert_shows(view, payload, last, 2)

    assert page.run_cell(2) == f"{last} 2 0.1"
    page.run_cell(3)
    assert_shows(nth_view(page, 0), payload, last, 1)
    focus(nth_view(page, 0))
    press("Home")
    assert page.run_cell(2) == "0 1 1e-15"

    page.shutdown_kernel()
    view = nth_view(page, 0)
    focus(view)
    press("End")
    assert_shows(view, payload, last, 1)
    press("ArrowUp")
    assert_shows(view, payload, last, 0)
    assert_quiet(page)


def test_it_can_be_read_in_every_light_and_size(
    lab: Lab, payload: dict[str, Any], tmp_path: Path
) -> None:
    page = lab.notebook([IMPORTS, MIXED_CELL, HOSTILE_CELL, *PLOT_CELLS]).run_all()
    colors = set()
    for theme in ("light", "dark"):
        page.theme(theme)
        view = nth_view(page, 0)
        focus(view)
        page.page.keyboard.press("End")
        for key, chosen in (("ArrowUp", None), ("ArrowUp", 0), ("ArrowDown", 1)):
            page.page.keyboard.press(key)
            if chosen is not None:
                assert_shows(view, payload, len(payload["places"]) - 1, chosen)
        assert_accessible(view)
        colors.add(view.locator(".rw-sheet").evaluate("sheet => getComputedStyle(sheet).fill"))
        page.screenshot(tmp_path / f"{theme}.png")
    assert len(colors) == 2

    hostile = nth_view(page, 1)
    assert_accessible(hostile)
    names = hostile.locator("tbody th").all_inner_texts()
    assert names[0].startswith("<img src=x onerror")
    assert len(names[1]) <= 30
    assert page.page.evaluate("() => window.hurt") is None

    page.zoom(2.0)
    for number in (0, 1):
        view = nth_view(page, number)
        focus(view)
        page.page.keyboard.press("Home")
        assert_accessible(view)
        assert view.evaluate("view => view.scrollWidth <= view.clientWidth + 1")
        assert view.locator(".rw-order").evaluate(
            "part => ['auto', 'scroll'].includes(getComputedStyle(part).overflowX)"
        )
        assert view.locator(".rw-scene").evaluate("scene => !scene.hasAttribute('data-part')")
        for edge in ("Home", "End"):
            page.page.keyboard.press(edge)
            assert marker_is_in_sight(view), f"view {number} at {edge}"
    page.screenshot(tmp_path / "zoom.png")
    page.zoom(1.0)

    for place in range(3, 3 + len(PLOT_CELLS)):
        picture = page.code_cell(place).locator(".jp-OutputArea-output img")
        picture.scroll_into_view_if_needed()
        assert picture.count() == 1
        assert text_pixels(picture) >= 11
    page.screenshot(tmp_path / "plots.png")
    assert_quiet(page)


def marker_is_in_sight(view: Locator) -> bool:
    return bool(
        view.evaluate(
            """view => {
              const scene = view.querySelector('.rw-scene').getBoundingClientRect();
              const marker = view.querySelector('.rw-now-line').getBoundingClientRect();
              return marker.left >= scene.left - 1 && marker.right <= scene.right + 1;
            }"""
        )
    )
