"""The drawing itself: one SVG, readable on a light and on a dark page, that a view can restyle.

It carries its looks as attributes, so it needs no style sheet; a view's style sheet may override
them. Every node, edge and caption can be found by a ``data-`` attribute; there are no ids, which
would clash between two drawings on one page.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from engine.drawing.boxes import Box, Point
from engine.drawing.layout import CAPTION_HEIGHT, TIP, Edge, Layout, caption_size
from engine.drawing.palette import ARROW, CARD, CARD_BORDER, INK, MUTED
from engine.graph import Graph
from engine.words.naming import graph_summary, number, title

FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
BASELINES = (21.0, 40.0, 58.0)  # of the three lines in a box, from its top
SIDE = 12.0
PAGE_WIDTH = 840.0
LEAST_SCALE = 11 / 14  # of the size of the texts


class Line(NamedTuple):
    """One line of text in a box.

    Attributes:
        name: what the value is found by: ``"data"`` or ``"grad"``.
        key: what stands to the left.
        value: what stands to the right.
    """

    name: str
    key: str
    value: str


def svg(
    graph: Graph,
    layout: Layout,
    captions: bool = False,
    gradients: Sequence[str] | None = None,
) -> str:
    """Draw a graph with data and gradient in each box.

    Args:
        graph: the graph.
        layout: where its boxes and arrows go.
        captions: also make room for a contribution on each arrow, hidden until a view shows it.
            Without, it is a picture by itself, made a little smaller if a page is too narrow.
        gradients: what to write for the gradient of each node, by index; by default the number.

    Returns:
        SVG markup; labels in it are text and nothing else.
    """
    root = canvas(layout, graph_summary(graph))
    for edge in layout.edges:
        draw_edge(root, edge)
    if gradients is None:
        gradients = [number(node.grad) for node in graph.nodes]
    for node, box, gradient in zip(graph.nodes, layout.boxes, gradients, strict=True):
        draw_node(root, graph, node.index, box, gradient)
    if captions:
        for edge in layout.edges:
            draw_caption(root, edge)
    else:
        _fit_page(root, layout)
    return ET.tostring(root, encoding="unicode")


def canvas(layout: Layout, summary: str) -> ET.Element:
    """An empty drawing of the right size, named by one sentence."""
    width, height = (f"{length:.0f}" for length in (layout.width, layout.height))
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": width,
            "height": height,
            "role": "img",
            "class": "rw-drawing",
            "font-family": FONT,
            "font-size": "14",
            "aria-label": summary,
        },
    )
    ET.SubElement(root, "title").text = summary
    return root


def _fit_page(root: ET.Element, layout: Layout) -> None:
    scale = min(1.0, max(LEAST_SCALE, PAGE_WIDTH / layout.width))
    root.set("width", f"{scale * layout.width:.0f}")
    root.set("height", f"{scale * layout.height:.0f}")


def draw_node(
    root: ET.Element,
    graph: Graph,
    index: int,
    box: Box,
    gradient: str,
    place: int | None = None,
) -> None:
    """Draw a node with its data and a text for its gradient.

    Args:
        root: the drawing.
        graph: the graph of the node.
        index: of the node.
        box: where it goes.
        gradient: what to write for the gradient.
        place: what to find it by in the drawing, by default its index.
    """
    node, heading = graph.nodes[index], title(graph, index)
    whole = graph.title(index) if graph.title(index).isprintable() else heading
    lines = Line("data", "data", number(node.data)), Line("grad", "grad", gradient)
    group = card(root, f"rw-{node.kind}", index if place is None else place, box, whole)
    draw_box(group, box, corner=14 if node.kind == "computed" else 2)
    draw_lines(group, box, heading, lines)


def card(root: ET.Element, name: str, place: int, box: Box, whole_title: str) -> ET.Element:
    """The group that a box is drawn in, with what a mouse that rests on it shows."""
    attributes = {
        "class": f"rw-node {name}",
        "data-node": str(place),
        "transform": f"translate({box.x:.1f} {box.y:.1f})",
    }
    group = ET.SubElement(root, "g", attributes)
    ET.SubElement(group, "title").text = whole_title
    return group


def draw_box(group: ET.Element, box: Box, corner: int, shift: float = 0.0) -> None:
    """Draw the outline of a box."""
    ET.SubElement(
        group,
        "rect",
        {
            "class": "rw-box",
            "x": f"{shift}",
            "y": f"{shift}",
            "width": f"{box.width:.1f}",
            "height": f"{box.height:.1f}",
            "rx": f"{corner}",
            "fill": CARD,
            "stroke": CARD_BORDER,
            "stroke-width": "1.5",
        },
    )


def draw_lines(group: ET.Element, box: Box, heading: str, lines: Sequence[Line]) -> None:
    """Write into a box: its heading, and two lines below."""
    middle, right = f"{box.width / 2:.1f}", f"{box.width - SIDE:.1f}"
    draw_text(group, heading, "rw-title", middle, BASELINES[0], anchor="middle", weight="bold")
    for (name, key, value), y in zip(lines, BASELINES[1:], strict=True):
        draw_text(group, key, "rw-key", f"{SIDE}", y, fill=MUTED)
        draw_text(group, value, f"rw-{name}", right, y, anchor="end")
    draw_text(group, "", "rw-mark", f"{box.width - 4:.1f}", -6.0, anchor="end")


def draw_text(
    parent: ET.Element,
    text: str,
    name: str,
    x: str,
    y: float,
    anchor: str = "start",
    weight: str = "normal",
    fill: str = INK,
) -> ET.Element:
    """Write one line of text; whatever it contains stays text."""
    element = ET.SubElement(
        parent,
        "text",
        {
            "class": name,
            "x": x,
            "y": f"{y}",
            "text-anchor": anchor,
            "font-weight": weight,
            "fill": fill,
        },
    )
    element.text = text
    return element


def draw_edge(root: ET.Element, edge: Edge, thickness: float = 1.5) -> None:
    """Draw an arrow, with a second head that a view can turn it around with."""
    names = {"data-edge": f"{edge.source}-{edge.slot}", "data-target": f"{edge.target}"}
    group = ET.SubElement(root, "g", {"class": "rw-edge", **names})
    start, *rest = edge.curve
    tail, head = _tip(edge.curve[1], start), _tip(edge.curve[-2], edge.curve[-1])
    pieces = " ".join("C " + ", ".join(map(_at, rest[i : i + 3])) for i in range(0, len(rest), 3))
    # The line ends inside its heads, so that neither shows a gap nor a blunt end.
    near_tail, near_head = _middle(start, tail), _middle(edge.curve[-1], head)
    ET.SubElement(
        group,
        "path",
        {
            "class": "rw-line",
            "d": f"M {_at(near_tail)} L {_at(start)} {pieces} L {_at(near_head)}",
            "fill": "none",
            "stroke": ARROW,
            "stroke-width": f"{thickness:.1f}",
        },
    )
    spread = max(0.45, 0.15 * thickness)
    _draw_head(group, "rw-forward", edge.curve[-1], head, spread, shown=True)
    _draw_head(group, "rw-backward", start, tail, spread, shown=False)


def _tip(before: Point, end: Point) -> Point:
    """Where the head at the end of a curve points to."""
    length = math.dist(before, end) or 1.0
    return (
        end[0] + TIP * (end[0] - before[0]) / length,
        end[1] + TIP * (end[1] - before[1]) / length,
    )


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _draw_head(
    group: ET.Element,
    name: str,
    base: Point,
    tip: Point,
    spread: float,
    shown: bool,
) -> None:
    across = ((tip[1] - base[1]) * spread, (base[0] - tip[0]) * spread)
    corners = (
        tip,
        (base[0] + across[0], base[1] + across[1]),
        (base[0] - across[0], base[1] - across[1]),
    )
    ET.SubElement(
        group,
        "polygon",
        {
            "class": name,
            "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in corners),
            "fill": ARROW,
            "visibility": "visible" if shown else "hidden",
        },
    )


def draw_caption(root: ET.Element, edge: Edge, text: str = "") -> None:
    """Write a text on an arrow; without one, make room for what a view will show."""
    x, y = edge.caption
    width, _ = caption_size(text)
    size = {"width": f"{width:.1f}", "x": f"{-width / 2:.1f}"} if text else {}
    group = ET.SubElement(
        root,
        "g",
        {
            "class": "rw-caption rw-count" if text else "rw-caption",
            "data-caption": f"{edge.source}-{edge.slot}",
            "transform": f"translate({x:.1f} {y:.1f})",
            "visibility": "visible" if text else "hidden",
        },
    )
    ET.SubElement(
        group,
        "rect",
        {
            "class": "rw-pill",
            "y": f"{-CAPTION_HEIGHT / 2}",
            "height": f"{CAPTION_HEIGHT}",
            "rx": "6",
            "fill": CARD,
            **size,
        },
    )
    draw_text(group, text, "rw-product", "0", 5.0, anchor="middle", weight="bold")
