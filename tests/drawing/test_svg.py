"""The picture is plain, safe and named, whatever the labels are."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from drawn_graphs import HOSTILE, find_renderer, graphs, hostile_value, rendering_with
from hypothesis import given, settings

from engine import Graph, Value, draw, reverse_walk
from engine.drawing.layout import Layout, caption_size, layout
from engine.drawing.palette import DARK, LIGHT, TEXT_PAIRS, css_variables
from engine.drawing.svg import svg
from engine.words.naming import (
    LONGEST_LABEL,
    graph_summary,
    graph_text,
    label,
    number,
    operand,
    title,
)
from engine.words.walks import WalkWords

SVG = "{http://www.w3.org/2000/svg}"
STYLE_SHEET = Path(__file__).parents[2] / "engine" / "widgets" / "front" / "shared.css"
BIDI_CONTROLS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def place(graph: Graph) -> Layout:
    with rendering_with(find_renderer("graphviz-pure") or find_renderer("dot") or ""):
        placed = layout(graph)
    assert placed is not None, "neither Graphviz program is at hand"
    return placed


def markup(graph: Graph, captions: bool = False) -> str:
    return svg(graph, place(graph), captions)


def example() -> Graph:
    a, b, c = Value(2.0, "a"), Value(-3.0, "b"), Value(10.0, "c")
    e = a * b
    e.label = "e"
    return Graph.of(e + c, {})


def assert_inert(text: str) -> ET.Element:
    """Well-formed, and nothing in it but the drawing's own few kinds of elements."""
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label")
    allowed = {f"{SVG}{name}" for name in ("svg", "title", "g", "path", "polygon", "rect", "text")}
    for element in root.iter():
        assert element.tag in allowed
        for name in element.attrib:
            assert name not in ("id", "style", "href", "src")
            assert not name.startswith("on")
            assert "url(" not in element.attrib[name]
    return root


def test_the_name_of_a_drawing_of_one_node_speaks_of_one() -> None:
    assert graph_summary(Graph.of(Value(3.0, label="x"))) == "Graph of x: 1 node, a leaf"


@settings(max_examples=40)
@given(graph=graphs())
def test_any_drawing_is_plain_named_and_complete(graph: Graph) -> None:
    root = assert_inert(markup(graph, captions=True))
    assert root.get("aria-label") == graph_summary(graph)
    assert root[0].tag == f"{SVG}title"
    found = {key: [part.get(key) for part in root.iter() if part.get(key)] for key in KEYS}
    assert found["data-node"] == [str(node.index) for node in graph.nodes]
    edges = [f"{n.index}-{slot}" for n in graph.nodes for slot in range(len(n.inputs))]
    assert found["data-edge"] == found["data-caption"] == edges


KEYS = ("data-node", "data-edge", "data-caption")


def test_a_box_shows_name_data_and_gradient() -> None:
    graph = example()
    graph = graph.with_gradients(reverse_walk(graph).gradients)
    root = assert_inert(markup(graph))
    shown = {
        group.get("data-node"): [text.text for text in group.iter(f"{SVG}text")]
        for group in root.iter(f"{SVG}g")
        if group.get("data-node")
    }
    assert shown["0"][:5] == ["a", "data", "2", "grad", "\N{MINUS SIGN}3"]
    assert shown["2"][:5] == ["e = a * b", "data", "\N{MINUS SIGN}6", "grad", "1"]
    kinds = [group.get("class") for group in root.iter(f"{SVG}g") if group.get("data-node")]
    assert kinds[0] == "rw-node rw-leaf"
    assert kinds[2] == "rw-node rw-computed"
    assert "data-caption" not in markup(graph)


def chain(length: int) -> Graph:
    y = Value(1.0, "x")
    for _ in range(length):
        y = y * 1.5
    return Graph.of(y, {})


@pytest.mark.parametrize(
    ("length", "scale"), [(1, 1.0), (3, 1.0), (4, None), (20, 11 / 14)], ids=["1", "3", "4", "20"]
)
def test_a_still_picture_fits_a_page_while_it_can_be_read(length: int, scale: float) -> None:
    placed = place(chain(length))
    root = ET.fromstring(svg(chain(length), placed))
    width, height = (float(root.get(name) or 0.0) for name in ("width", "height"))
    expected = scale or 840.0 / placed.width
    assert 11 / 14 <= expected <= 1.0
    assert width == pytest.approx(expected * placed.width, abs=0.5)
    assert height == pytest.approx(expected * placed.height, abs=0.5)
    live = ET.fromstring(svg(chain(length), placed, captions=True))
    assert live.get("width") == f"{placed.width:.0f}"
    assert live.get("viewBox") == root.get("viewBox")


def test_captions_and_backward_arrows_wait_hidden() -> None:
    root = assert_inert(markup(example(), captions=True))
    captions = [part for part in root.iter() if part.get("data-caption")]
    assert captions
    assert {part.get("visibility") for part in captions} == {"hidden"}
    heads = {part.get("class"): part.get("visibility") for part in root.iter(f"{SVG}polygon")}
    assert heads == {"rw-forward": "visible", "rw-backward": "hidden"}
    assert caption_size("1 x 1 = 1") > caption_size("1")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_label_is_text_and_nothing_else(text: str) -> None:
    y = hostile_value(text)
    graph = Graph.of(y, {})
    drawn = markup(graph, captions=True)
    root = assert_inert(drawn)
    drawn.encode("utf-8")
    assert "<script" not in drawn
    titles = [
        part.text or "" for part in root.iter(f"{SVG}text") if part.get("class") == "rw-title"
    ]
    assert titles == [title(graph, node.index) for node in graph.nodes]
    for words in (*titles, root.get("aria-label") or "", *graph_text(graph).splitlines()):
        assert all(c.isprintable() or c in BIDI_CONTROLS for c in words)
        assert_direction_is_kept_in(words)
    assert len(graph_text(graph).splitlines()) == 1 + len(graph)
    words = WalkWords(reverse_walk(graph))
    for position in range(len(graph) + 1):
        for sentence in (words.heading(position), *words.sentences(position)):
            assert len(sentence) < 400
            assert all(c.isprintable() or c in BIDI_CONTROLS for c in sentence)
    assert len(words.text().splitlines()) == 1 + len(graph)


def assert_direction_is_kept_in(text: str) -> None:
    depth = 0
    for character in text:
        assert character not in "\u202a\u202b\u202d\u202e"
        depth += character in "\u2066\u2067\u2068"
        depth -= character == "\u2069"
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_label_is_short_and_on_one_line(text: str) -> None:
    shown = label(text)
    assert len(shown) <= LONGEST_LABEL + 2
    assert len(shown.splitlines()) <= 1
    assert_direction_is_kept_in(shown)


def test_a_direction_change_stays_inside_its_label() -> None:
    assert label("שלום") == "\N{FIRST STRONG ISOLATE}שלום\N{POP DIRECTIONAL ISOLATE}"
    assert label("a\u202eb") == "a\N{REPLACEMENT CHARACTER}b"
    assert label("plain") == "plain"


@pytest.mark.parametrize("text", ["\u0645\u06cc\u200c\u062e", "\U0001f469\u200d\U0001f52c"])
def test_what_joins_or_parts_letters_stays(text: str) -> None:
    assert text in label(text)


def test_a_label_of_spaces_can_be_seen() -> None:
    assert label("\u200d \u200c") == "'\u200d \u200c'"
    assert label(" \t ") == "'   '"
    assert label("") == ""


def test_an_empty_label_leaves_the_expression() -> None:
    assert title(Graph.of(hostile_value(""), {}), 2) == "n0 * n1"


def test_numbers_are_written_as_in_a_book() -> None:
    minus = "\N{MINUS SIGN}"
    assert [number(x) for x in (-8.0, 0.5, -1e-5, -0.0)] == [
        f"{minus}8",
        "0.5",
        f"{minus}1e{minus}05",
        "0",
    ]
    assert [operand(x) for x in (-2.0, 4.0, 0.0)] == [f"({minus}2)", "4", "0"]


def test_text_is_the_same_each_time_and_has_no_coordinates() -> None:
    first, second = (repr(draw(example())) for _ in range(2))
    assert first == second
    assert first.splitlines()[0].split() == ["node", "data", "grad"]
    with rendering_with(""):
        assert repr(draw(example())).startswith(first)


def test_what_cannot_be_drawn_says_so() -> None:
    x = Value(1.0, "x")
    y = x
    for _ in range(150):
        y = y + 1.0
    with pytest.raises(ValueError, match=r"151 nodes .*150") as error:
        draw(y)
    assert isinstance(error.value, ValueError)
    assert draw(y.inputs[0]).svg is not None
    for nonsense in (3.0, None, "x", [x]):
        with pytest.raises(TypeError, match="Value"):
            draw(nonsense)  # type: ignore[arg-type]


# The palette.


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    shares = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


THEMES = {"light": LIGHT, "dark": DARK}


def test_contrast_is_computed_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "behind"), TEXT_PAIRS)
def test_text_stands_out(theme: str, text: str, behind: str) -> None:
    assert contrast(THEMES[theme][text], THEMES[theme][behind]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    ("line", "behind"),
    [
        ("line", "page"),
        ("border", "card"),
        ("border", "page"),
        ("done-border", "done"),
        ("current-border", "page"),
        ("active", "page"),
    ],
)
def test_lines_and_borders_stand_out(theme: str, line: str, behind: str) -> None:
    assert contrast(THEMES[theme][line], THEMES[theme][behind]) >= 3.0


def test_the_style_sheet_has_no_color_but_the_palettes() -> None:
    rules = STYLE_SHEET.read_text(encoding="utf-8")
    used = set(re.findall(r"var\(--rw-([\w-]+)", rules))
    set_by_the_front_end = {"lines", "width"}
    assert LIGHT.keys() == DARK.keys()
    assert used - set_by_the_front_end <= LIGHT.keys()
    values = "".join(re.findall(r":([^;{}]*);", rules))
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", values)


def test_both_themes_reach_the_page() -> None:
    css = css_variables()
    for theme, colors in THEMES.items():
        block = css.split(f'[data-theme="{theme}"] {{')[1].split("}")[0]
        assert dict(re.findall(r"--rw-([\w-]+): (#\w+);", block)) == colors
