"""Every drawing fits: its width, the size of its texts, its height; what happens is in sight."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from engine import GradientCheck, GraphExplorer, OrderPlayground, Predict, ReverseWalk, Value
from engine.course.offline import traits_of_view
from engine.course.site import command
from tests.widgets.examples import seven_nodes, shared


def softmax() -> Value:
    scores = [Value(1.0986, "score_0"), Value(0.0, "score_1")]
    powers = [score.exp() for score in scores]
    total = powers[0] + powers[1]
    weights = [power / total for power in powers]
    return weights[0] * 2.0 + weights[1] * Value(6.0, "value_1")


def chain() -> Value:
    y = Value(0.5, "x")
    for _ in range(12):
        y = (y * 1.1).tanh()
    return y


VIEWS: dict[str, Callable[[], Any]] = {
    "seven": lambda: ReverseWalk(seven_nodes()),
    "shared": lambda: ReverseWalk(shared()),
    "softmax": lambda: ReverseWalk(softmax()),
    "chain": lambda: ReverseWalk(chain()),
    "predict": lambda: Predict(softmax()),
    "playground": lambda: OrderPlayground(shared()),
    "check": lambda: GradientCheck(lambda x: x * x * x, [2.0]),
    "explorer": lambda: GraphExplorer(softmax()),
}
STEPS = {"seven": 7, "shared": 4, "softmax": 11, "chain": 20, "explorer": 4}
MEASURED = """view => {
  const scene = view.querySelector('.rw-scene'), room = scene.getBoundingClientRect();
  const picture = scene.querySelector('.rw-drawing, .rw-chart');
  const scale = picture.getScreenCTM().a;
  const sizes = [...picture.querySelectorAll('text')]
    .map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
  const out = [...picture.querySelectorAll('[data-state="current"], [data-receives]')]
    .map(node => node.querySelector('.rw-box').getBoundingClientRect())
    .filter(box => box.left < room.left - 1 || box.right > room.right + 1
      || box.top < room.top - 1 || box.bottom > room.bottom + 1);
  const root = document.scrollingElement;
  const said = view.querySelector('.rw-story').getBoundingClientRect();
  return {
    least: Math.min(...sizes), height: room.height, seen: innerHeight, outOfSight: out.length,
    tooWide: root.scrollWidth - root.clientWidth, told: said.bottom - room.top,
  };
}"""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page with every view, as an exported page has it."""
    places = []
    for name, make in VIEWS.items():
        traits = json.dumps(traits_of_view(make().get_state())).replace("</", "<\\/")
        script = f'<script type="application/json">{traits}</script>'
        places.append(f'<div class="live" id="{name}">{script}</div>')
    style, script = command.style(), command.views_script()
    text = f"<style>{style}</style>{''.join(places)}<script>{script}</script>"
    file = tmp_path_factory.mktemp("fit") / "views.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{text}", encoding="utf-8")
    return file


def opened(browser: Browser, document: Path, width: int, height: int, motion: str) -> Page:
    size = {"width": width, "height": height}
    page = browser.new_page(viewport=size, reduced_motion=motion)  # type: ignore[arg-type]
    page.goto(document.as_uri())
    page.wait_for_selector("#explorer .rw-view .rw-drawing")
    page.wait_for_timeout(200)
    return page


@pytest.mark.parametrize(("width", "height"), [(860, 800), (1280, 800), (390, 780), (640, 400)])
def test_every_step_of_every_view_fits(
    browser: Browser, document: Path, width: int, height: int, subtests: pytest.Subtests
) -> None:
    page = opened(browser, document, width, height, "reduce")
    for name in VIEWS:
        view = page.locator(f"#{name} .rw-view")
        for step in range(STEPS.get(name, 0) + 1):
            with subtests.test(view=name, step=step):
                found = view.evaluate(MEASURED)
                assert found["least"] >= 10.99
                assert found["height"] <= 0.76 * height
                assert found["tooWide"] <= 0 or name == "explorer"
                assert found["outOfSight"] == 0
            view.dispatch_event("keydown", {"key": "ArrowRight"})
    page.close()


def test_full_screen_is_legible_from_the_back_row(browser: Browser, document: Path) -> None:
    page = opened(browser, document, 1920, 1080, "reduce")
    for name in ("seven", "softmax", "explorer"):
        view = page.locator(f"#{name} .rw-view")
        view.evaluate("view => view.requestFullscreen()")
        page.wait_for_selector(f"#{name} .rw-view[data-full]")
        page.wait_for_timeout(300)
        found = view.evaluate(MEASURED)
        assert found["least"] >= 23.9, name
        assert found["height"] > 500, name
        page.evaluate("() => document.exitFullscreen()")
        page.wait_for_selector(f"#{name} .rw-view:not([data-full])")
    page.close()


def test_contributions_travel_and_the_gradient_counts_up(browser: Browser, document: Path) -> None:
    page = opened(browser, document, 860, 800, "no-preference")
    view = page.locator("#shared .rw-view")
    watch = """view => new Promise(done => {
      const grad = view.querySelector('[data-node="0"] .rw-grad'), seen = [grad.textContent];
      const began = performance.now();
      const look = () => {
        if (grad.textContent !== seen.at(-1)) seen.push(grad.textContent);
        if (performance.now() - began < 700) requestAnimationFrame(look);
        else done(seen);
      };
      view.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      look();
    })"""
    for _ in range(2):
        view.dispatch_event("keydown", {"key": "ArrowRight"})
    assert view.evaluate(watch) == ["0", "9", "18"]
    view.dispatch_event("keydown", {"key": "ArrowLeft"})
    for key in ("ArrowRight", "ArrowRight"):
        view.dispatch_event("keydown", {"key": key})
    assert view.locator('[data-node="0"] .rw-grad').text_content() == "18", "the next key lands all"
    page.close()


def test_what_belongs_together_lights_up_together(browser: Browser, document: Path) -> None:
    page = opened(browser, document, 860, 800, "reduce")
    view = page.locator("#seven .rw-view")
    view.dispatch_event("keydown", {"key": "ArrowRight"})
    view.locator('[data-edge="6-0"]').dispatch_event("pointerover")
    lit = view.evaluate("view => [...view.querySelectorAll('[data-lit]')].map(p => p.dataset.key)")
    assert {"e6-0", "n6", "n4"} <= set(lit) or {"e6-0", "n6", "n5"} <= set(lit)
    sentence = view.locator('.rw-said p[data-key="e6-0"][data-lit]')
    assert view.locator(".rw-tip").inner_text() == sentence.inner_text()
    assert "local derivative" in sentence.inner_text()
    page.close()


def test_a_drawing_can_be_zoomed_and_says_where_one_is(browser: Browser, document: Path) -> None:
    page = opened(browser, document, 860, 800, "reduce")
    view = page.locator("#seven .rw-view")
    scene = view.locator(".rw-scene")
    before = view.evaluate(MEASURED)["least"]
    view.dispatch_event("keydown", {"key": "+"})
    assert view.evaluate(MEASURED)["least"] == pytest.approx(1.25 * before, rel=0.01)
    assert scene.locator(".rw-overview").is_visible()
    view.dispatch_event("keydown", {"key": "0"})
    assert view.evaluate(MEASURED)["least"] == pytest.approx(before)
    assert not scene.locator(".rw-overview").is_visible()
    page.close()
