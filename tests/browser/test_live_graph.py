"""``LiveGraph`` under a hand: dragged, stepped, typed, refused, wiggled and walked back over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from axe import assert_accessible
from lab import Lab
from playwright.sync_api import Locator, Page, expect

from engine import LiveGraph, Value
from engine.course import offline
from engine.widgets.view import View

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


def seven() -> Value:
    a, b, c, f = Value(2.0, "a"), Value(-3.0, "b"), Value(10.0, "c"), Value(-2.0, "f")
    e = a * b
    d = e + c
    e.label, d.label = "e", "d"
    last = d * f
    last.label = "L"
    return last


def logarithm() -> Value:
    y = Value(0.5, "a").log()
    y.label = "y"
    return y


class Live:
    """A view on a page with no kernel and no network."""

    def __init__(self, page: Page, view: View, file: Path, theme: str = "light") -> None:
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

    @property
    def view(self) -> Locator:
        return self.page.locator(".rw-view")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def node(self, place: int) -> Locator:
        return self.view.locator(f'[data-node="{place}"]')

    def text(self, place: int, part: str) -> str:
        return self.node(place).locator(f".rw-{part}").text_content() or ""

    def numbers(self, place: int) -> tuple[str, str]:
        return self.text(place, "data"), self.text(place, "grad")

    @property
    def heading(self) -> Locator:
        return self.view.locator(".rw-story strong")

    @property
    def notice(self) -> Locator:
        return self.view.locator(".rw-notice")

    def drag(self, place: int, pixels: int) -> None:
        box = self.node(place).bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + pixels / 2, y)
        self.page.mouse.move(x + pixels, y)
        self.page.mouse.up()


@pytest.fixture
def live(lab: Lab, tmp_path: Path) -> Iterator[Callable[..., Live]]:
    contexts = []

    def opened(view: View, theme: str = "light", **options: object) -> Live:
        options = {"viewport": DESK, "offline": True, **options}
        contexts.append(lab.browser.new_context(**options))  # type: ignore[arg-type]
        shown = Live(contexts[-1].new_page(), view, tmp_path / "view.html", theme)
        opened.pages.append(shown)  # type: ignore[attr-defined]
        return shown

    opened.pages = []  # type: ignore[attr-defined]
    yield opened
    for shown in opened.pages:  # type: ignore[attr-defined]
        assert not shown.errors
    for context in contexts:
        context.close()


def test_all_numbers_follow_a_drag_and_a_key(live: Callable[..., Live]) -> None:
    shown = live(LiveGraph(seven()))
    shown.drag(0, 50)  # ten steps of a tenth
    assert shown.numbers(0) == ("3", "6")
    assert shown.numbers(6) == ("\u22122", "1")
    assert shown.numbers(1) == ("\u22123", "\u22126")
    expect(shown.heading).to_have_text("a went from 2 to 3, L from \u22128 to \u22122.")
    shown.press("ArrowDown", "ArrowLeft", "PageUp")
    assert shown.numbers(1)[0] == "\u22123.2"
    shown.press("Home")
    assert shown.numbers(1)[0] == "\u22123"


def test_a_number_is_typed_as_people_write_it_and_nonsense_is_refused(
    live: Callable[..., Live],
) -> None:
    shown = live(LiveGraph(seven()))
    shown.view.focus()
    shown.press("-")
    shown.page.keyboard.type("7,5")
    shown.press("Enter")
    assert shown.numbers(0)[0] == "\u22127.5"
    shown.press("Enter")
    shown.page.keyboard.type("abc")
    shown.press("Enter")
    expect(shown.notice).to_contain_text("abc")
    expect(shown.notice).to_contain_text("a stays \u22127.5")
    shown.press("9", "Escape")
    assert shown.numbers(0)[0] == "\u22127.5"


def test_a_drag_out_of_a_domain_stops_at_the_last_number_that_exists(
    live: Callable[..., Live],
) -> None:
    shown = live(LiveGraph(logarithm()))
    shown.drag(0, -400)
    assert shown.numbers(0)[0] == "0.01"
    expect(shown.notice).to_contain_text("log needs a number above 0. a stays 0.01.")
    shown.press("ArrowRight")
    expect(shown.notice).to_have_text("")


def test_with_the_keyboard_alone_a_wiggle_meets_the_gradient_and_follows_b(
    live: Callable[..., Live],
) -> None:
    shown = live(LiveGraph(seven()))
    shown.press("Tab", "w")
    expect(shown.heading).to_have_text("a moves 0.2 in all, L moves 1.2: 6 times as far.")
    assert shown.text(0, "ratio") == "6"
    shown.press("ArrowDown", "4", "Enter", "ArrowUp")
    expect(shown.heading).to_have_text(
        "a moves 0.2 in all, L moves \u22121.6: \u22128 times as far."
    )
    assert shown.numbers(0)[1] == "\u22128"


def test_a_smaller_h_brings_the_measured_number_to_the_gradient(live: Callable[..., Live]) -> None:
    x = Value(1.0, "x")
    shown = live(LiveGraph(x.exp(), mode="wiggle", h=1.0))
    told = shown.view.locator(".rw-story p").last
    expect(told).to_contain_text("they differ by 0.48")
    shown.view.focus()
    shown.press(*["PageDown"] * 3)
    expect(told).to_contain_text("they differ by 0.0045")


def test_a_clicker_walks_back_over_the_changed_numbers(live: Callable[..., Live]) -> None:
    shown = live(LiveGraph(seven(), mode="walk"))
    shown.view.focus()
    shown.press("t", "4", "Enter", "b", *["PageDown"] * 7)
    assert shown.numbers(1)[1] == "\u22128"
    expect(shown.heading).to_contain_text("Step 7 of 7")


@pytest.mark.parametrize("mode", ["hold", "wiggle", "walk"])
def test_it_fits_a_phone_where_a_finger_drags_and_is_accessible(
    mode: str, live: Callable[..., Live]
) -> None:
    shown = live(LiveGraph(seven(), mode=mode), "dark", viewport=PHONE, has_touch=True)
    assert shown.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
    type_size = "g => g.getScreenCTM().a * 14"
    assert shown.node(0).evaluate(type_size) >= 10.9
    assert (
        shown.view.locator(".rw-scene").evaluate("e => getComputedStyle(e).touchAction") == "pan-y"
    )
    assert_accessible(shown.view)
