"""``ReverseWalk`` as a person meets it: in JupyterLab, in a browser, by key, mouse and Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from axe import assert_accessible
from engines import BOTH
from lab import Lab, LabPage, wait_until
from playwright.sync_api import Locator

from engine import Graph, ReverseWalk, Value
from engine.drawing.palette import DARK, LIGHT
from engine.words.naming import number, title

sys.path.insert(0, str(Path(__file__).parents[1] / "drawing"))
from drawn_graphs import HOSTILE

SEVEN = """
from engine import Graph, ReverseWalk, Value, reverse_walk

a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
e = a * b
d = e + c
L = d * f
view = ReverseWalk(L)
view
"""
EARLY = "ReverseWalk(L, order=['a', 'L', 'f', 'd', 'c', 'e', 'b'])"
# The walk of the course's example, as anybody can work it out by hand.
ORDER = "Lfdceba"
GRADIENTS = {
    0: {"L": 1},
    1: {"d": -2, "f": 4},
    2: {},
    3: {"e": -2, "c": -2},
    4: {},
    5: {"a": 6, "b": -4},
    6: {},
    7: {},
}
CAPTIONS = {
    1: {"d to L": "−2 × 1 = −2", "f to L": "4 × 1 = 4"},
    3: {"e to d": "1 × (−2) = −2", "c to d": "1 × (−2) = −2"},
    5: {"a to e": "−3 × (−2) = 6", "b to e": "2 × (−2) = −4"},
}


def seven_nodes() -> ReverseWalk:
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    L = d * f  # noqa: N806
    return ReverseWalk(Graph.of(L, {"a": a, "b": b, "c": c, "f": f, "e": e, "d": d, "L": L}))


def nth_view(page: LabPage, number: int = 0) -> Locator:
    view = page.page.locator(".rw-view").nth(number)
    view.wait_for()
    view.scroll_into_view_if_needed()
    return view


def place(view: Locator) -> int:
    """The position that is shown."""
    return int((view.locator(".rw-place").text_content() or "").split(" / ")[0])


def wait_for_place(view: Locator, position: int, seconds: float = 20.0) -> None:
    wait_until(lambda: place(view) == position, f"position {position} is shown", seconds)


_SHOWN = """view => {
  const visible = part => getComputedStyle(part).visibility === 'visible';
  const text = (part, name) => part.querySelector(name).textContent;
  const all = name => [...view.querySelectorAll(name)];
  return {
    heading: text(view, '.rw-story strong'),
    sentences: all('.rw-said p').map(p => p.textContent),
    slider: [view.querySelector('input').value,
             view.querySelector('input').getAttribute('aria-valuetext')],
    nodes: all('[data-node]').map(node => ({
      title: text(node, '.rw-title'), data: text(node, '.rw-data'), grad: text(node, '.rw-grad'),
      mark: text(node, '.rw-mark'), state: node.dataset.state,
    })),
    captions: Object.fromEntries(all('[data-caption]').filter(visible)
      .map(part => [part.dataset.caption, text(part, '.rw-product')])),
    backward: all('[data-edge]').filter(edge => visible(edge.querySelector('.rw-backward')))
      .map(edge => edge.dataset.edge),
    forward: all('[data-edge]').filter(edge => visible(edge.querySelector('.rw-forward'))).length,
    rows: all('tbody tr').map(row => [...row.cells].map(cell => cell.textContent)),
    current: all('tbody tr').map(row => row.getAttribute('aria-current')),
    disabled: all('button').filter(b => b.ariaDisabled === 'true')
      .map(b => b.ariaLabel ?? b.textContent),
  };
}"""


def assert_shows(view: Locator, position: int) -> None:
    """The whole page agrees with what Python says of a position, in every part."""
    python = seven_nodes()
    python.index = position
    state, graph, order = python.state, python.graph, python.walk.order
    wait_until(lambda: not view.locator("[data-travels]").count(), "contributions have landed")
    shown = view.evaluate(_SHOWN)
    assert shown["heading"] == state.heading
    assert tuple(shown["sentences"]) == state.sentences
    assert shown["slider"] == [str(position), state.heading]

    receives = set(GRADIENTS[position]) if position else set()
    done = order[: position - 1] if position else ()
    for node, box in zip(graph.nodes, shown["nodes"], strict=True):
        name = graph.names[node.index]
        current = bool(position) and node.index == order[position - 1]
        expected = "current" if current else "done" if node.index in done else "waiting"
        marks = {"current": "now", "done": "✓", "waiting": ""}
        assert box == {
            "title": title(graph, node.index),
            "data": number(node.data),
            "grad": number(state.gradients[name]),
            "mark": "+=" if name in receives else marks[expected],
            "state": expected,
        }

    edges = {
        f"{node.index}-{slot}": f"{graph.names[target]} to {graph.names[node.index]}"
        for node in graph.nodes
        for slot, target in enumerate(node.inputs)
    }
    captions = {edges[edge]: caption for edge, caption in shown["captions"].items()}
    assert captions == CAPTIONS.get(position, {})
    assert {edges[edge] for edge in shown["backward"]} == set(captions)
    assert shown["forward"] == len(edges) - len(captions)

    for step, (row, current) in enumerate(zip(shown["rows"], shown["current"], strict=True), 1):
        node = graph.nodes[order[step - 1]]
        assert row[1:] == [
            str(step),
            title(graph, node.index),
            number(node.data),
            number(state.gradients[graph.names[node.index]]),
        ]
        here = step == position
        assert current == ("step" if here else None)
        received = ORDER[step - 1] in receives and not here
        sign = "now" if here else "✓" if step < position else ""
        assert row[0] == ("+=" if received else sign)
    ends = {0: ["Back", "First"], 7: ["Next", "Last"]}
    assert shown["disabled"] == ends.get(position, [])


def focus(view: Locator) -> None:
    """Put the focus on the view as a click beside all buttons does."""
    view.locator(".rw-said").click()


def cells(page: LabPage) -> tuple[list[str], Any]:
    """Every cell's source, and which cell is selected."""
    active = page.page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex")
    return [cell["source"] for cell in page.cells()], active


def assert_quiet(page: LabPage) -> None:
    assert page.console_errors == []
    assert page.foreign_requests == []


def test_the_example_is_the_one_worked_out_by_hand() -> None:
    python = seven_nodes()
    assert "".join(python.graph.names[node] for node in python.walk.order) == ORDER
    gradients = dict.fromkeys(ORDER, 0)
    for position, received in GRADIENTS.items():
        gradients |= received
        python.index = position
        assert python.state.gradients == gradients


@BOTH
def test_every_way_to_step(lab: Lab) -> None:
    page = lab.notebook([SEVEN]).run_all()
    view, press = nth_view(page), page.page.keyboard.press
    before = cells(page)
    assert_shows(view, 0)
    focus(view)
    assert before == cells(page)

    # A live region speaks when its content changes: each step has a text of its own.
    assert view.locator(".rw-said").get_attribute("aria-live") == "polite"
    heard = set()
    for position in range(1, 8):
        press("ArrowRight")
        assert_shows(view, position)
        heard.add(view.locator(".rw-said").inner_text())
    assert len(heard) == 7
    press("ArrowRight")
    assert_shows(view, 7)
    for position in range(6, -1, -1):
        press("ArrowLeft")
        assert_shows(view, position)
    press("ArrowLeft")
    assert place(view) == 0

    keys = {
        "ArrowDown": 1, "PageDown": 2, "ArrowUp": 1, "End": 7, "PageUp": 6, "Home": 0,
    }  # fmt: skip
    for key, position in keys.items():
        press(key)
        assert place(view) == position, key

    # JupyterLab would cut, move to, select, add or delete a cell at each of these.
    for key in ("x", "j", "k", "d", "d", "a", "b", "c", "v", "m", "y", "z", "Enter"):
        press(key)
    assert cells(page) == before
    assert page.cells()[0]["count"] == 1
    assert place(view) == 0

    for name, position in (("Last", 7), ("Back", 6), ("First", 0), ("Next", 1)):
        view.get_by_role("button", name=name, exact=True).click()
        assert_shows(view, position)
    press("Space")
    assert place(view) == 2, "Space on a button presses it"
    press("Enter")
    assert place(view) == 3, "Enter on a button presses it"

    view.get_by_role("button", name="Last", exact=True).click(force=True)
    press("Enter")
    assert place(view) == 7, "a button at its end does nothing"
    press("x")
    press("ArrowLeft")
    assert place(view) == 6, "and keeps the focus, so that the keys go on working"
    assert cells(page) == before
    for _ in range(3):
        press("ArrowLeft")

    slider = view.get_by_role("slider")
    slider.focus()
    press("ArrowRight")
    assert_shows(view, 4)
    press("Home")
    assert place(view) == 0
    box = slider.bounding_box()
    assert box is not None
    page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert place(view) in (3, 4)
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + box["width"] + 5, box["y"] + box["height"] / 2, steps=5)
    page.page.mouse.up()
    assert_shows(view, 7)

    names = seven_nodes().graph.names
    for step, name in enumerate(ORDER, 1):
        view.locator(f'[data-node="{names.index(name)}"] .rw-box').click()
        assert_shows(view, step)
    for step in (5, 1, 7):
        view.locator(f'tr[data-step="{step}"]').click()
        assert_shows(view, step)
    press("ArrowLeft")
    assert place(view) == 6, "after a click the keys work"

    play = view.get_by_role("button", name="Play", exact=True)
    focus(view)
    press("Home")
    press("Space")
    assert play.get_attribute("aria-pressed") == "true"
    assert place(view) == 1
    wait_for_place(view, 3)
    press("Space")
    assert play.get_attribute("aria-pressed") == "false"
    stopped = place(view)
    page.page.wait_for_timeout(2000)
    assert place(view) == stopped
    press("End")
    press("ArrowLeft")
    play.click()
    wait_for_place(view, 7)
    wait_until(lambda: play.get_attribute("aria-pressed") == "false", "it stops at the end")
    play.click()
    assert place(view) == 0, "from the end it plays from the start"
    press("ArrowRight")
    assert play.get_attribute("aria-pressed") == "false", "a step of one's own ends playing"
    assert_quiet(page)


@BOTH
def test_keys_that_are_not_the_views_still_reach_jupyterlab(lab: Lab) -> None:
    page = lab.notebook([SEVEN]).run_all()
    view = nth_view(page)
    dirty = "() => jupyterapp.shell.currentWidget.context.model.dirty"
    focus(view)
    assert page.page.evaluate(dirty)
    page.page.keyboard.press("Control+s")
    wait_until(lambda: not page.page.evaluate(dirty), "Ctrl+S has saved the notebook")
    page.page.keyboard.press("Control+Shift+c")
    palette = page.page.locator(".lm-CommandPalette:visible")
    palette.wait_for()
    page.page.keyboard.press("Escape")
    assert_quiet(page)


def test_esc_leaves_a_view_and_shift_enter_runs_its_cell(lab: Lab) -> None:
    page = lab.notebook([SEVEN, "from engine import Predict\nPredict(L)", "1 + 1"]).run_all()
    press, view, asks = page.page.keyboard.press, nth_view(page), page.page.locator(".rw-asks")
    inside = "() => Boolean(document.activeElement.closest('.rw-view'))"
    focus(view)
    press("Escape")
    assert not page.page.evaluate(inside)
    press("ArrowDown")
    assert cells(page)[1] == 1, "the keys are JupyterLab's again"

    for cell, place_of_focus in ((0, view.locator(".rw-said")), (1, asks.locator("input"))):
        before = [c["count"] for c in page.cells()]
        place_of_focus.click()
        press("Shift+Enter")
        wait_until(lambda c=cell, b=before: page.cells()[c]["count"] not in (None, b[c]), "it ran")
        assert cells(page)[1] == cell + 1, "and goes on to the next cell"

    nth_view(page).locator(".rw-said").click()
    tabs = 0
    while tabs < 9 and page.page.evaluate(
        "() => Boolean(document.querySelector('.rw-view').contains(document.activeElement))"
    ):
        press("Tab")
        tabs += 1
    assert tabs <= 4, "three places in a view stop the Tab key, at most"
    assert page.foreign_requests == []


def test_python_and_the_page_share_one_state(lab: Lab) -> None:
    page = lab.notebook(
        [
            SEVEN,
            "print('index is', view.index)",
            "view.index = 6",
            "view",
            "ReverseWalk(view.walk)",
            EARLY,
        ]
    ).run_all()
    view, again, twin, early = (nth_view(page, k) for k in range(4))
    wait_for_place(view, 6)
    assert place(again) == 6
    assert place(twin) == 0
    focus(view)
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.page.keyboard.press(key)
    assert_shows(view, 2)
    assert_shows(again, 2)
    assert_shows(twin, 0)
    assert page.run_cell(1) == "index is 2"
    page.run_cell(2)
    wait_for_place(view, 6)
    assert_shows(view, 6)
    assert_shows(again, 6)
    focus(again)
    page.page.keyboard.press("Home")
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    for shown in (view, again):
        shown.get_by_role("button", name="Play", exact=True).click()
    wait_for_place(view, 7)
    page.page.wait_for_timeout(3500)
    assert place(view) == place(again) == 7, "played twice, it ends once"
    focus(view)
    page.page.keyboard.press("ArrowLeft")
    focus(twin)
    page.page.keyboard.press("ArrowRight")
    assert_shows(twin, 1)
    assert_shows(view, 6)

    page.run_cell(0)
    fresh = nth_view(page, 0)
    wait_for_place(fresh, 0)
    focus(fresh)
    page.page.keyboard.press("ArrowRight")
    assert_shows(fresh, 1)
    assert page.page.locator(".rw-view").count() == 4

    # Another order: a first, and so too early.
    focus(early)
    for states in (
        ["current", *["waiting"] * 6],
        ["done", *["waiting"] * 5, "current"],
        ["done", *["waiting"] * 4, "current", "done"],
    ):
        page.page.keyboard.press("ArrowRight")
        assert [node["state"] for node in early.evaluate(_SHOWN)["nodes"]] == states
    assert_quiet(page)


def test_it_steps_on_without_a_kernel(lab: Lab) -> None:
    page = lab.notebook([SEVEN]).run_all()
    view = nth_view(page)
    page.shutdown_kernel()
    focus(view)
    for position in range(1, 8):
        page.page.keyboard.press("ArrowRight")
        assert_shows(view, position)
    view.get_by_role("button", name="First", exact=True).click()
    assert_shows(view, 0)
    assert_quiet(page)


def test_a_notebook_opened_again_shows_the_view_where_it_was(lab: Lab) -> None:
    page = lab.notebook([SEVEN]).run_all()
    view = nth_view(page)
    focus(view)
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Control+s")
    file = lab.places.work / page.path
    wait_until(lambda: "widgets" in file.read_text(encoding="utf-8"), "the view is saved")
    lab.close_pages()

    page = lab.open_again(page.path)
    view = nth_view(page)
    assert_shows(view, 2)
    focus(view)
    page.page.keyboard.press("ArrowRight")
    assert_shows(view, 3)
    page.run_all()
    wait_for_place(nth_view(page), 0)
    focus(nth_view(page))
    page.page.keyboard.press("ArrowRight")
    assert_shows(nth_view(page), 1)
    assert_quiet(page)


def rgb(color: str) -> str:
    return "rgb({}, {}, {})".format(*(int(color[i : i + 2], 16) for i in (1, 3, 5)))


_COLORS = """view => {
  const style = (name, property) => getComputedStyle(view.querySelector(name))[property];
  return {
    page: getComputedStyle(view).backgroundColor,
    ink: style('.rw-story', 'color'),
    current: style('[data-node][data-state="current"] .rw-box', 'fill'),
    done: style('[data-node][data-state="done"] .rw-box', 'fill'),
    card: style('[data-node][data-state="waiting"] .rw-box', 'fill'),
    active: style('.rw-edge[data-active] .rw-line', 'stroke'),
    muted: style('.rw-place', 'color'),
  };
}"""
_CLIPPED = """view => {
  const scrolls = part => ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
  const inScroller = part => {
    for (let p = part; p && p !== view; p = p.parentElement) if (scrolls(p)) return true;
    return false;
  };
  const edge = view.getBoundingClientRect();
  const out = [...view.querySelectorAll('button, input, p, strong, span, .rw-scene, .rw-order')]
    .filter(part => {
      if (!part.checkVisibility()) return false;
      const box = part.getBoundingClientRect();
      return box.right > edge.right + 1 || box.left < edge.left - 1;
    })
    .filter(part => !inScroller(part.parentElement));
  const page = document.scrollingElement;
  const output = view.closest('.jp-OutputArea-output');
  return {
    out: out.map(part => part.className || part.tagName),
    page: page.scrollWidth - page.clientWidth,
    output: output.scrollWidth - output.clientWidth,
    last: (() => {
      const order = view.querySelector('.rw-order');
      order.scrollLeft = 1e6;
      const cell = order.querySelector('tbody tr').lastChild.getBoundingClientRect();
      return cell.right - order.getBoundingClientRect().right;
    })(),
  };
}"""


def assert_all_can_be_reached(view: Locator) -> None:
    found = view.evaluate(_CLIPPED)
    assert found["out"] == []
    assert found["page"] == found["output"] == 0
    assert found["last"] <= 1


_IN_SIGHT = """(view, node) => {
  const [box, scene] = [`[data-node="${node}"] .rw-box`, '.rw-scene']
    .map(name => view.querySelector(name).getBoundingClientRect());
  return scene.left <= box.left && box.right <= scene.right + 1;
}"""


def test_it_can_be_read_in_every_light_and_size(lab: Lab, tmp_path: Path) -> None:
    page = lab.theme("dark").notebook([SEVEN]).run_all()
    view = nth_view(page)
    focus(view)
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    for theme, palette in (("dark", DARK), ("light", LIGHT)):
        page.theme(theme)
        wait_until(lambda theme=theme: view.get_attribute("data-theme") == theme, "the theme")
        colors = view.evaluate(_COLORS)
        assert colors == {name: rgb(palette[name]) for name in colors}
        assert_accessible(view)
        page.page.keyboard.press("End")
        assert place(view) == 7
        assert_accessible(view)
        page.page.keyboard.press("Home")
        for _ in range(3):
            page.page.keyboard.press("ArrowRight")
        page.screenshot(tmp_path / f"{theme}.png")
    assert_all_can_be_reached(view)

    page.zoom(2.0)
    nth_view(page)
    assert_all_can_be_reached(view)
    assert_shows(view, 3)
    focus(view)
    page.page.keyboard.press("End")
    current = view.locator('[data-state="current"] .rw-box').first.bounding_box()
    scene = view.locator(".rw-scene").bounding_box()
    assert current is not None
    assert scene is not None
    assert scene["x"] <= current["x"] <= scene["x"] + scene["width"] - current["width"]
    page.page.keyboard.press("Home")
    output = view.locator(f'[data-node="{seven_nodes().graph.output.index}"]').bounding_box()
    assert output is not None
    assert scene["x"] <= output["x"] <= scene["x"] + scene["width"] - output["width"] + 1, (
        "the walk starts at the output, with the seed gradient"
    )
    page.command("application:toggle-left-area")
    page.page.set_viewport_size({"width": 560, "height": 450})
    wait_until(
        lambda: view.evaluate(_IN_SIGHT, arg=seven_nodes().graph.output.index),
        "the node is in sight again after the page has become narrower",
        10,
    )
    page.command("application:toggle-left-area")
    view.evaluate("view => view.scrollIntoView()")
    page.screenshot(tmp_path / "zoom.png")

    page.zoom(1.0)
    page.page.set_viewport_size({"width": 400, "height": 800})
    page.command("application:toggle-left-area")
    view.scroll_into_view_if_needed()
    assert_all_can_be_reached(view)
    assert_accessible(view)
    page.screenshot(tmp_path / "narrow.png")

    scene, order = view.locator(".rw-scene"), view.locator(".rw-order")
    page.page.set_viewport_size({"width": 1366, "height": 768})
    drawing, table = scene.bounding_box(), order.bounding_box()
    assert drawing is not None
    assert table is not None
    assert drawing["x"] + drawing["width"] <= table["x"], "a laptop shows both side by side"
    assert table["y"] < drawing["y"] + drawing["height"]
    assert_quiet(page)


HARM = {
    "view.append(document.createElement('button'))": "- button-name (",
    "view.querySelector('.rw-place').style.color = '#ccc'": "- color-contrast (",
    "view.querySelector('.rw-title').style.fill = '#ccc'": "- too little contrast in a drawing",
    "view.querySelector('input').removeAttribute('aria-label')": "- label (",
}


def test_the_accessibility_check_finds_what_is_wrong(lab: Lab) -> None:
    page = lab.notebook([SEVEN]).run_all()
    view = nth_view(page)
    for harm in HARM:
        view.evaluate(f"view => {{ {harm} }}")
    with pytest.raises(AssertionError, match="rules of accessibility are broken") as error:
        assert_accessible(view)
    for complaint in HARM.values():
        assert complaint in str(error.value)


def assert_row_is_in_sight(view: Locator) -> None:
    """The table of a long walk is no longer than a screen, and shows the current row."""
    order = view.locator(".rw-order").bounding_box()
    row = view.locator('tr[data-state="current"]').bounding_box()
    assert order is not None
    assert row is not None
    assert order["height"] <= 480
    assert order["y"] <= row["y"]
    assert row["y"] + row["height"] <= order["y"] + order["height"] + 1


def test_hostile_labels_are_shown_and_do_nothing(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook(
        [
            "from engine import Graph, ReverseWalk, Value, draw\n"
            f"values = [Value(1.0, label) for label in {list(HOSTILE.values())!r}]\n"
            "total = Graph.of(sum(values), {})\n"
            "ReverseWalk(total)",
            "draw(total)",
            "print(total, values)",
        ]
    ).run_all()
    view = nth_view(page)
    focus(view)
    page.page.keyboard.press("End")
    graph = Graph.of(sum(Value(1.0, label) for label in HOSTILE.values()), {})  # type: ignore[arg-type]
    titles = [title(graph, node.index) for node in graph.nodes]
    shown = view.evaluate(_SHOWN)
    assert [node["title"] for node in shown["nodes"]] == titles
    assert [row[2] for row in shown["rows"]] == titles[::-1]
    too_wide = view.evaluate(
        """view => [...view.querySelectorAll('[data-node]')].filter(node =>
          node.querySelector('.rw-title').getBBox().width
            > node.querySelector('.rw-box').getBBox().width
        ).map(node => node.querySelector('.rw-title').textContent)"""
    )
    assert too_wide == []
    for _ in range(5):
        page.page.keyboard.press("ArrowLeft")
    assert_accessible(view)
    assert_row_is_in_sight(view)
    page.page.keyboard.press("Home")
    page.page.keyboard.press("ArrowRight")
    assert_row_is_in_sight(view)
    assert page.page.evaluate("() => window.hacked") is None
    foreign = view.evaluate("view => view.querySelectorAll('script, img, iframe, a, link').length")
    assert foreign == 0
    page.screenshot(tmp_path / "hostile.png")
    assert_quiet(page)
