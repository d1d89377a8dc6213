"""``GraphExplorer`` in real JupyterLab: one weight found, and its gradient's way to the loss read.

With the keyboard alone, in both themes, at 200 % zoom, and after the kernel is gone.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from axe import assert_accessible
from lab import Lab, LabPage, wait_until
from playwright.sync_api import Locator, expect

from engine import GraphExplorer
from engine.widgets.explorer_words import NO_PYTHON
from tests.bench.gpt_shaped import SHORT_NAME, GptShaped

ROOT = Path(__file__).parents[2]
MODEL = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
from engine import GraphExplorer
from tests.bench.gpt_shaped import SHORT_NAME, GptShaped
loss = GptShaped(width=8).loss(SHORT_NAME)"""
WEIGHT = "wq[3][5]"


@pytest.fixture
def page(lab: Lab) -> LabPage:
    return lab.notebook([MODEL, "view = GraphExplorer(loss)\nview", "print(view.state.opened)"])


@pytest.fixture
def same() -> GraphExplorer:
    """What Python says about the same recording."""
    loss = GptShaped(width=8).loss(SHORT_NAME)
    return GraphExplorer(loss)


def view_of(page: LabPage) -> Locator:
    """The view, from its top on: it is higher than the page."""
    view = page.page.locator(".rw-view").first
    view.evaluate("element => element.scrollIntoView({ block: 'start' })")
    return view


def story(view: Locator) -> list[str]:
    return [text for text in view.locator(".rw-story").inner_text().splitlines() if text]


def box(view: Locator, path: str, same: GraphExplorer) -> Locator:
    """The box of a path, by what Python says of the same drawing."""
    place = next(i for i, shown in enumerate(same.shown["boxes"]) if shown["path"] == path)
    return view.locator(f'[data-node="{place}"]')


def in_sight(view: Locator, path: str, same: GraphExplorer) -> Locator:
    """The box of a path, brought into the window on the drawing."""
    found = box(view, path, same)
    found.focus()
    return found


def expect_same(view: Locator, same: GraphExplorer) -> None:
    """The page shows the drawing, the words and the step that Python has."""
    state = same.state
    if state.index:
        expected = [same.shown["positions"][state.index]["heading"], *state.sentences]
    else:
        expected = list(state.story)
    wait_until(lambda: story(view) == expected, f"the page says {expected}")
    assert view.locator("[data-node] .rw-title").all_text_contents() == list(state.boxes)
    titles = [frame["title"] for frame in same.shown["frames"]]
    assert view.locator("[data-frame]").count() == len(titles)
    closing = view.get_by_role("group", name="Open boxes")
    assert closing.locator("button").all_inner_texts() == titles


def test_a_weight_is_found_and_followed_to_the_loss_by_keyboard(
    page: LabPage, same: GraphExplorer, tmp_path: Path
) -> None:
    page.run_all()
    view, press = view_of(page), page.page.keyboard.press
    cells = page.cells()
    expect_same(view, same)
    assert_accessible(view)

    # Search: what is typed stays in the field.
    view.locator('input[type="text"]').focus()
    page.page.keyboard.type(WEIGHT)
    press("Home")
    press("End")
    press("Enter")
    found = view.locator(".rw-found")
    expect(found.locator("p")).to_have_text(same.search(WEIGHT).sentence)
    cells_of_row = found.locator("tbody tr").first.locator("th, td").all_inner_texts()
    assert cells_of_row[:4] == same.shown["found"]["rows"][0]["cells"]
    field = view.locator('input[type="text"]').bounding_box()
    sentence = found.locator("p").bounding_box()
    assert field is not None
    assert sentence is not None
    assert sentence["y"] >= field["y"] + field["height"] + 6, "room for the ring of the focus"
    assert view.locator('input[type="text"]').input_value() == WEIGHT

    # The strongest path of the node that was found, reached with Tab.
    for _ in range(10):
        press("Tab")
        if page.page.evaluate("document.activeElement.textContent") == "Path":
            break
    press("Enter")
    expect_same(view, same.strongest_path(WEIGHT))
    chain = view.locator("[data-caption] .rw-product").all_text_contents()
    captions = [
        caption["caption"]
        for position in same.shown["positions"]
        for caption in position["contributions"]
    ]
    assert sorted(chain) == sorted(captions)
    scene = view.locator(".rw-scene").evaluate(
        "e => [e.clientWidth, e.scrollWidth, e.clientHeight, e.firstChild.clientHeight]"
    )
    assert scene[0] == scene[1], "the path is cut at the right"
    assert scene[2] - scene[3] < 20, "there is empty space below the drawing"
    written = view.locator("svg .rw-title").first.bounding_box()
    assert written is not None
    assert written["height"] >= 10, "the text of the path is too small to be read"
    page.screenshot(tmp_path / "path.png")

    # Step along it with a clicker, to its start; then Backspace to the boxes.
    for step in range(1, same.last + 1):
        press("PageDown")
        expect_same(view, same.step())
        assert same.index == step
        current = same.shown["positions"][step]["box"]
        expect(view.locator('[data-node][data-state="current"]')).to_have_attribute(
            "data-node", str(current)
        )
        active = view.locator("[data-edge][data-active]")
        assert active.count() == len(same.shown["positions"][step]["contributions"])
    press("Backspace")
    expect_same(view, same.back())
    assert page.cells() == cells


LAYERS = """from engine import GraphExplorer
from engine.nn import MLP
y = MLP(2, (8, 8, 1), seed=1)([0.5, -1.0])[0]
GraphExplorer(y)"""
NEAR = "near = GraphExplorer(y).neighborhood('layer0.b[3]', hops=1)\nnear"


def test_every_open_box_has_a_name_and_the_hops_are_those_of_the_drawing(lab: Lab) -> None:
    page = lab.notebook([LAYERS, NEAR, "near.neighborhood('layer0.b[3]', hops=3)\nNone"])
    page.run_all()
    closing = view_of(page).get_by_role("group", name="Open boxes").locator("button")
    names = closing.evaluate_all("all => all.map(button => button.ariaLabel)")
    assert closing.all_inner_texts().count("each of 3 layers") == 2
    assert "Close parameters / each of 3 layers" in names
    assert len({*names}) == len(names)

    near = page.page.locator(".rw-view").nth(1)
    near.scroll_into_view_if_needed()
    expect(near.locator("label select")).to_have_value("3")
    near.get_by_role("button", name="Drawing before").click()
    expect(near.locator("label select")).to_have_value("1")
    expect(near.locator(".rw-story strong")).to_contain_text("within 1 hop of")


SLOW = """import time
slow = GraphExplorer(y).open('layer0')
slow.observe(lambda _: time.sleep(0.4), 'index')
slow"""


def test_steps_that_reach_a_slow_python_after_a_wish_belong_to_the_drawing_before(
    lab: Lab,
) -> None:
    page = lab.notebook([LAYERS, SLOW, "print(slow.index, slow.state.story[0])"]).run_all()
    view = page.page.locator(".rw-view").nth(1)
    before = story(page.page.locator(".rw-view").first)
    view.locator(".rw-said").click()
    for key in ("PageDown", "PageDown", "PageDown", "Backspace"):
        page.page.keyboard.press(key)
    wait_until(lambda: story(view) == before, f"the page says {before}")
    assert page.run_cell(2) == f"0 {before[0]}"
    assert story(view) == before


def test_boxes_open_and_close_by_keys_and_mouse_in_both_themes(
    page: LabPage, same: GraphExplorer, tmp_path: Path
) -> None:
    page.run_all()
    view, press = view_of(page), page.page.keyboard.press
    expect_same(view, same)

    # One stop for Tab; arrows go from box to box; Enter opens, and opens no cell.
    stops = view.locator('svg [role="button"]')
    assert stops.count() == len(same.shown["boxes"]) + len(same.shown["frames"])
    assert view.locator('svg [role="button"][tabindex="0"]').count() == 1
    box(view, "token*/embed", same).focus()
    press("ArrowRight")
    attention = box(view, "token*/layer0/attention", same)
    expect(attention).to_be_focused()
    expect(attention).to_have_attribute("aria-expanded", "false")
    press("x")
    press("Enter")
    expect_same(view, same.open("token*/layer0/attention"))
    opened = view.locator("[data-frame]:focus")
    expect(opened).to_have_attribute("aria-label", "each of 3 tokens / layer0 / attention, open")
    page.screenshot(tmp_path / "light.png")

    # The repeated heads: one of them, and each of them.
    in_sight(view, "token*/layer0/attention/head*", same).click()
    details = view.locator(".rw-details")
    expect(details.locator("strong")).to_have_text("each of 4 heads")
    assert details.locator("tbody tr").count() == 8
    details.get_by_label("One of them").select_option(index=2)
    details.get_by_role("button", name="One by one").click()
    expect_same(view, same.one_by_one("token*/layer0/attention/head*"))
    press("Backspace")
    expect_same(view, same.back())

    # Too much is refused in words, and nothing changes.
    in_sight(view, "parameters/wq", same).dblclick()
    expect(view.locator(".rw-notice")).to_contain_text("at most 60 are drawn at once")
    expect_same(view, same)

    # Python and the page are one.
    view.get_by_role("button", name="Close parameters").click()
    expect_same(view, same.close("parameters"))
    assert page.run_cell(2) == str(same.state.opened)
    view_of(page).locator("strong").first.click()

    for theme in ("dark", "light"):
        page.theme(theme)
        press("PageDown")
        expect_same(view, same.step())
        assert_accessible(view_of(page))
        page.screenshot(tmp_path / f"{theme}.png")

    page.zoom(2.0)
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    scene = view.locator(".rw-scene")
    last = view.locator("[data-node]").last
    last.scroll_into_view_if_needed()
    assert last.is_visible()
    left, right = scene.evaluate(
        "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
    )
    assert 0 <= left < right <= page.page.evaluate("innerWidth")
    page.screenshot(tmp_path / "zoom.png")
    page.zoom(1.0)

    # Without a kernel the walk goes on; opening says what it needs.
    page.shutdown_kernel()
    view.locator(".rw-said").click()
    press("PageDown")
    expect_same(view, same.step())
    in_sight(view, "token*/embed", same).dblclick()
    expect(view.locator(".rw-notice")).to_have_text(NO_PYTHON)
    expect_same(view, same)

    assert page.console_errors == []
    assert page.foreign_requests == []
