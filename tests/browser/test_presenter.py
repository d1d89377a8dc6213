"""Presenter mode as a room sees it: on a page without a kernel, in JupyterLab and on a slide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe import assert_accessible
from engines import BOTH
from lab import Lab, wait_until
from playwright.sync_api import Locator, Page

from engine import GradientCheck, GraphExplorer, OrderPlayground, Predict, ReverseWalk, Value
from engine.course import offline
from engine.widgets.view import View

LEAST_TYPE = 24
LEAST_IN_DRAWING = 16
PROJECTORS = ((1280, 720), (1920, 1080))

# Everything a person reads in a view, with how large it is on the screen.
TEXTS = """view => {
  const found = [];
  const shown = part => part.checkVisibility() && getComputedStyle(part).visibility !== 'hidden';
  for (const part of view.querySelectorAll('strong, p, button, span, th, td, caption, svg text')) {
    const own = [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || !shown(part)) continue;
    const scale = part.ownerSVGElement ? part.getScreenCTM().a : 1;
    const box = part.getBoundingClientRect();
    found.push({
      text: part.textContent, size: scale * parseFloat(getComputedStyle(part).fontSize),
      drawn: Boolean(part.ownerSVGElement),
      left: box.left, right: box.right, top: box.top, bottom: box.bottom,
    });
  }
  return found;
}"""
# How far captions reach into boxes and into each other, where they stand on lines of their own.
COVERED = """view => {
  const boxes = [...view.querySelectorAll('.rw-node .rw-box')].map(b => b.getBoundingClientRect());
  const pills = [...view.querySelectorAll('.rw-caption[data-active] .rw-pill')]
    .map(pill => pill.getBoundingClientRect());
  const common = (a, b) => Math.min(
    Math.min(a.right, b.right) - Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  return Math.max(0, ...pills.flatMap(pill => boxes.map(box => common(pill, box))));
}"""
# Texts of a drawing that stick out of their box.
STICK_OUT = """view => [...view.querySelectorAll('.rw-node')].flatMap(node => {
  const box = node.querySelector('.rw-box').getBoundingClientRect();
  const texts = [...node.querySelectorAll('text:not(.rw-mark)')];
  const edges = texts.map(text => text.getBoundingClientRect());
  return edges.filter(e => e.left < box.left || e.right > box.right).map(() => node.textContent);
})"""
TOP = "part => part.getBoundingClientRect().top"


def seven() -> Value:
    a, b, c, f = Value(2.0, "a"), Value(-3.0, "b"), Value(10.0, "c"), Value(-2.0, "f")
    e = a * b
    d = e + c
    e.label, d.label = "e", "d"
    loss = d * f
    loss.label = "L"
    return loss


def long_numbers() -> Value:
    x = Value(0.123456, "x")
    y = x * 0.654321 + x.exp()
    y.label = "y"
    return y


VIEWS: dict[str, Callable[[], View]] = {
    "walk": lambda: ReverseWalk(seven()),
    "predict": lambda: Predict(seven()),
    "playground": lambda: OrderPlayground(seven()),
    "check": lambda: GradientCheck(lambda a, b, c, f: (a * b + c) * f, [2.0, -3.0, 10.0, -2.0]),
    "explorer": lambda: GraphExplorer(seven()),
}


class Exported:
    """A view on a page with no kernel and no network."""

    def __init__(self, page: Page, view: View, file: Path, theme: str) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        traits = offline.traits_of_view(view.get_state())
        shown = nbformat.v4.new_output("display_data", {offline.LIVE: traits})
        file.write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">'
            f"<style>{offline.views_style()} body {{ margin: 0; background: var(--rw-page); }}"
            f"</style><body>{offline.output_html(shown)}{offline.views_script()}",
            encoding="utf-8",
        )
        page.goto(file.as_uri())
        self.view.focus()

    @property
    def view(self) -> Locator:
        return self.page.locator(".rw-view")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def fill_the_screen(self) -> None:
        self.press("f")
        self.wait("data-full", True)

    def wait(self, attribute: str, there: bool) -> None:
        state = "attached" if there else "detached"
        self.page.locator(f".rw-view[{attribute}]").wait_for(state=state)

    def top(self, selector: str) -> float:
        top: float = self.view.locator(selector).first.evaluate(TOP)
        return top

    def texts(self) -> list[dict[str, Any]]:
        texts: list[dict[str, Any]] = self.view.evaluate(TEXTS)
        return texts


@pytest.fixture
def exported(lab: Lab, tmp_path: Path) -> Iterator[Callable[..., Exported]]:
    """Show a view on a screen of some size, in a theme."""
    contexts = []

    def show(view: View, size: tuple[int, int] = PROJECTORS[0], theme: str = "light") -> Exported:
        viewport = {"width": size[0], "height": size[1]}
        contexts.append(
            lab.browser.new_context(viewport=viewport, offline=True, reduced_motion="reduce")
        )
        return Exported(contexts[-1].new_page(), view, tmp_path / "view.html", theme)

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize("size", PROJECTORS, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_step_of_the_seven_node_walk_fits_a_projector(
    exported: Callable[..., Exported], size: tuple[int, int], theme: str, tmp_path: Path
) -> None:
    shown = exported(VIEWS["walk"](), size, theme)
    shown.fill_the_screen()
    for position in range(8):
        assert shown.view.locator(".rw-place").inner_text() == f"{position} / 7"
        texts = shown.texts()
        assert "Next" in {found["text"] for found in texts}
        assert len([found for found in texts if found["text"] == "grad"]) == 7
        for found in texts:
            least = LEAST_IN_DRAWING if found["drawn"] else LEAST_TYPE
            assert found["size"] >= least * size[1] / 720 - 0.01, found
            assert 0 <= found["left"] <= found["right"] <= size[0], found
            assert 0 <= found["top"] <= found["bottom"] <= size[1], found
        assert shown.view.evaluate("view => view.scrollHeight - view.clientHeight") == 0
        assert shown.top(".rw-story") < shown.top(".rw-scene") < shown.top(".rw-controls")
        assert shown.view.evaluate(COVERED) < 1
        assert shown.view.evaluate(STICK_OUT) == []
        shown.page.screenshot(path=tmp_path / f"step-{position}.png")
        shown.press("PageDown")
    assert shown.errors == []


def test_long_numbers_stay_in_their_boxes(exported: Callable[..., Exported]) -> None:
    shown = exported(ReverseWalk(long_numbers()))
    shown.press("p")
    for _ in range(6):
        assert shown.view.evaluate(STICK_OUT) == []
        shown.press("PageDown")
    shown.fill_the_screen()
    assert shown.view.evaluate(STICK_OUT) == []
    assert shown.errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", VIEWS)
def test_every_view_can_be_large_and_accessible(
    exported: Callable[..., Exported], kind: str, theme: str, tmp_path: Path
) -> None:
    shown = exported(VIEWS[kind](), theme=theme)
    usual = {found["text"]: found["size"] for found in shown.texts()}
    shown.press("p")
    shown.wait("data-presenter", True)
    texts = shown.texts()
    assert all(found["size"] >= LEAST_TYPE for found in texts if not found["drawn"])
    assert shown.top(".rw-said:not(:empty)") == min(found["top"] for found in texts)
    assert (
        shown.view.get_by_role("button", name="Presenter").get_attribute("aria-pressed") == "true"
    )
    assert_accessible(shown.view)  # axe sees no text in an element that fills the screen
    shown.page.screenshot(path=tmp_path / "large.png")

    shown.view.focus()
    shown.fill_the_screen()
    box = shown.view.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == PROJECTORS[0]
    picture = shown.view.locator(".rw-scene > svg").first.bounding_box()
    assert picture is not None
    assert picture["y"] + picture["height"] <= PROJECTORS[0][1]
    shown.page.screenshot(path=tmp_path / "full.png")

    shown.press("f")
    shown.wait("data-full", False)
    assert shown.view.get_attribute("data-presenter") is not None, "P was pressed before F"
    shown.press("p")
    shown.wait("data-presenter", False)
    assert {found["text"]: found["size"] for found in shown.texts()} == usual
    assert shown.errors == []


def test_the_keys_are_told_and_the_buttons_do_the_same(exported: Callable[..., Exported]) -> None:
    shown = exported(VIEWS["walk"]())
    hint = shown.view.locator(".rw-hint")
    assert "P: large type" in (hint.text_content() or "")
    assert "F: full screen" in (hint.text_content() or "")
    large = shown.view.get_by_role("button", name="Presenter")
    full = shown.view.get_by_role("button", name="Full screen")
    assert (large.get_attribute("title") or "").startswith("Presenter mode (P)")
    assert (full.get_attribute("title") or "").startswith("Full screen (F)")
    full.click()
    shown.wait("data-full", True)
    assert not hint.is_visible()
    shown.press("?")
    assert hint.is_visible()
    shown.press("Shift+?")
    assert not hint.is_visible()
    # Esc of a browser in full screen never reaches the page; this is what it does.
    shown.page.evaluate("() => document.exitFullscreen()")
    shown.wait("data-full", False)
    shown.wait("data-presenter", False)
    large.click()
    shown.wait("data-presenter", True)
    shown.press("f")
    shown.wait("data-full", True)
    shown.press("p")
    shown.wait("data-full", False)
    shown.wait("data-presenter", False)
    assert shown.view.locator(".rw-place").inner_text() == "0 / 7"
    assert shown.errors == []


def test_where_a_screen_cannot_be_filled_the_view_is_large(
    exported: Callable[..., Exported],
) -> None:
    shown = exported(VIEWS["walk"]())
    shown.page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject(); }")
    shown.press("f")
    shown.wait("data-presenter", True)
    assert shown.view.get_attribute("data-full") is None
    assert shown.errors == []


def test_a_letter_that_is_typed_stays_a_letter(exported: Callable[..., Exported]) -> None:
    shown = exported(VIEWS["predict"]())
    field = shown.view.get_by_role("textbox")
    field.focus()
    shown.press("p", "f", "-", "0")
    assert field.input_value() == "pf-0"
    assert shown.view.get_attribute("data-presenter") is None
    field.fill("")
    shown.view.focus()
    shown.press("-", "0")
    assert field.input_value() == "-0", "where numbers are typed, minus and 0 do not zoom"


def test_an_argument_begins_large_also_without_a_kernel(exported: Callable[..., Exported]) -> None:
    shown = exported(ReverseWalk(seven(), presenter=True))
    assert shown.view.get_attribute("data-presenter") is not None
    shown.press("PageDown", "p")
    shown.wait("data-presenter", False)
    assert shown.view.locator(".rw-place").inner_text() == "1 / 7"
    assert shown.errors == []


def test_python_and_jupyterlab_agree_on_presenter_mode(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook(
        [
            "from engine import ReverseWalk, Value\n"
            "a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)\n"
            "e = a * b\nd = e + c\nL = d * f\n"
            "view = ReverseWalk(L, presenter=True)\nview",
            "print('presenter is', view.presenter)",
            "view.presenter = True",
        ]
    ).run_all()
    page.page.locator(".rw-view[data-presenter]").wait_for()
    page.page.set_viewport_size({"width": 1280, "height": 720})
    view = page.page.locator(".rw-view").first
    view.scroll_into_view_if_needed()
    large = page.page.locator(".rw-view[data-presenter]")
    assert large.count() == 1
    before = page.cells()
    view.focus()
    page.page.keyboard.press("p")
    large.wait_for(state="detached")
    page.page.keyboard.press("f")
    page.page.locator(".rw-view[data-full]").wait_for()
    box = view.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 1280, 720)
    for _ in range(5):
        page.page.keyboard.press("PageDown")
    assert view.locator(".rw-place").inner_text() == "5 / 7"
    texts = view.evaluate(TEXTS)
    assert all(found["size"] >= LEAST_TYPE for found in texts if not found["drawn"])
    page.screenshot(tmp_path / "full.png")
    page.page.keyboard.press("f")
    page.page.locator(".rw-view[data-full]").wait_for(state="detached")
    assert [cell["source"] for cell in page.cells()] == [cell["source"] for cell in before]

    assert page.run_cell(1) == "presenter is False"
    page.run_cell(2)
    page.page.locator(".rw-view[data-presenter]").wait_for(state="attached")
    assert page.console_errors == []
    assert page.foreign_requests == []


@BOTH
def test_a_view_on_a_slide_fills_the_screen_and_gives_it_back(
    lab: Lab, decks: Path, tmp_path: Path
) -> None:
    context = lab.browser.new_context(
        viewport={"width": 1280, "height": 720}, offline=True, reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        page.goto(f"{(decks / '06-the-seven-node-walk.html').as_uri()}")
        page.wait_for_function("() => window.Reveal && Reveal.isReady()")
        page.evaluate(
            """() => {
              const slide = document.querySelector('[data-view=walk]').closest('section');
              const { h, v } = Reveal.getIndices(slide);
              Reveal.slide(h, v, 99);
            }"""
        )
        here = page.evaluate("() => Reveal.getSlidePastCount()")
        view = page.locator("section.present .rw-view").last
        page.keyboard.press("v")
        page.keyboard.press("f")
        page.locator(".rw-view[data-full]").wait_for()
        box = view.bounding_box()
        assert box is not None
        assert (round(box["width"]), round(box["height"])) == (1280, 720)
        for _ in range(5):
            page.keyboard.press("PageDown")
        texts = view.evaluate(TEXTS)
        assert all(found["size"] >= LEAST_TYPE for found in texts if not found["drawn"]), texts
        assert view.evaluate("view => view.scrollHeight - view.clientHeight") == 0
        # Firefox tells of the new size of a full screen some frames later.
        wait_until(lambda: view.evaluate(COVERED) < 1, "no contribution lies on a box", 20)
        page.screenshot(path=tmp_path / "full.png")
        page.keyboard.press("f")
        page.locator(".rw-view[data-full]").wait_for(state="detached")
        page.keyboard.press("p")
        page.locator(".rw-view[data-presenter]").wait_for()
        page.screenshot(path=tmp_path / "large.png")
        page.keyboard.press("p")
        page.locator(".rw-view[data-presenter]").wait_for(state="detached")
        assert page.evaluate("() => Reveal.getSlidePastCount()") == here
        page.keyboard.press("Escape")
        page.keyboard.press("PageDown")
        assert page.evaluate("() => Reveal.getSlidePastCount()") == here + 1
    finally:
        context.close()
