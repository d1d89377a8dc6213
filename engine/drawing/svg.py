"""The drawing itself: one SVG, readable on a light and on a dark page, that a view can restyle.

It carries its looks as attributes, so it needs no style sheet; a view's style sheet may override
them. Every node, edge and caption can be found by a ``data-`` attribute; there are no ids, which
would clash between two drawings on one page.
"""

import math
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from engine.drawing.layout import (
    CAPTION_HEIGHT,
    CAPTION_PADDING,
    TIP,
    Box,
    Edge,
    Layout,
    text_width,
)
from engine.drawing.palette import ARROW, CARD, CARD_BORDER, INK, MUTED
from engine.drawing.words import graph_summary, number, title
from engine.graph import Graph

FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
LINES = (21.0, 40.0, 58.0)
SIDE = 12.0


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
        gradients: what to write for the gradient of each node, by index; by default the number.

    Returns:
        SVG markup; labels in it are text and nothing else.
    """
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
            "aria-label": graph_summary(graph),
        },
    )
    ET.SubElement(root, "title").text = graph_summary(graph)
    for edge in layout.edges:
        _draw_edge(root, edge)
    if gradients is None:
        gradients = [number(node.grad) for node in graph.nodes]
    for node, box, gradient in zip(graph.nodes, layout.boxes, gradients, strict=True):
        _draw_node(root, graph, node.index, box, gradient)
    if captions:
        for edge in layout.edges:
            _draw_caption(root, edge)
    return ET.tostring(root, encoding="unicode")


def caption_width(text: str) -> float:
    """How wide the space behind a caption is.

    >>> caption_width("") == 2 * CAPTION_PADDING
    True
    """
    return text_width(text) + 2 * CAPTION_PADDING


def _draw_node(root: ET.Element, graph: Graph, index: int, box: Box, gradient: str) -> None:
    node = graph.nodes[index]
    group = ET.SubElement(
        root,
        "g",
        {
            "class": f"rw-node rw-{node.kind}",
            "data-node": str(index),
            "transform": f"translate({box.x:.1f} {box.y:.1f})",
        },
    )
    ET.SubElement(group, "title").text = (
        graph.title(index) if graph.title(index).isprintable() else title(graph, index)
    )
    ET.SubElement(
        group,
        "rect",
        {
            "class": "rw-box",
            "width": f"{box.width:.1f}",
            "height": f"{box.height:.1f}",
            "rx": "14" if node.kind == "computed" else "2",
            "fill": CARD,
            "stroke": CARD_BORDER,
            "stroke-width": "1.5",
        },
    )
    middle, right = f"{box.width / 2:.1f}", f"{box.width - SIDE:.1f}"
    _text(group, title(graph, index), "rw-title", middle, LINES[0], anchor="middle", weight="bold")
    for name, value, y in (("data", number(node.data), LINES[1]), ("grad", gradient, LINES[2])):
        _text(group, name, "rw-key", f"{SIDE}", y, fill=MUTED)
        _text(group, value, f"rw-{name}", right, y, anchor="end")
    _text(group, "", "rw-mark", f"{box.width - 4:.1f}", -6.0, anchor="end")


def _text(
    parent: ET.Element,
    text: str,
    name: str,
    x: str,
    y: float,
    anchor: str = "start",
    weight: str = "normal",
    fill: str = INK,
) -> ET.Element:
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


def _draw_edge(root: ET.Element, edge: Edge) -> None:
    group = ET.SubElement(
        root, "g", {"class": "rw-edge", "data-edge": f"{edge.source}-{edge.slot}"}
    )
    start, *rest = edge.curve
    tail, head = _tip(edge.curve[1], start), _tip(edge.curve[-2], edge.curve[-1])
    pieces = " ".join(
        "C " + ", ".join(f"{x:.1f} {y:.1f}" for x, y in rest[i : i + 3])
        for i in range(0, len(rest), 3)
    )
    near_tail, near_head = _between(start, tail), _between(edge.curve[-1], head)
    ET.SubElement(
        group,
        "path",
        {
            "class": "rw-line",
            "d": f"M {near_tail} L {start[0]:.1f} {start[1]:.1f} {pieces} L {near_head}",
            "fill": "none",
            "stroke": ARROW,
            "stroke-width": "1.5",
        },
    )
    _draw_head(group, "rw-forward", edge.curve[-1], head, shown=True)
    _draw_head(group, "rw-backward", start, tail, shown=False)


def _tip(before: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    length = math.dist(before, end) or 1.0
    return (
        end[0] + TIP * (end[0] - before[0]) / length,
        end[1] + TIP * (end[1] - before[1]) / length,
    )


def _between(start: tuple[float, float], tip: tuple[float, float]) -> str:
    return f"{(start[0] + tip[0]) / 2:.1f} {(start[1] + tip[1]) / 2:.1f}"


def _draw_head(
    group: ET.Element,
    name: str,
    base: tuple[float, float],
    tip: tuple[float, float],
    shown: bool,
) -> None:
    across = ((tip[1] - base[1]) * 0.45, (base[0] - tip[0]) * 0.45)
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


def _draw_caption(root: ET.Element, edge: Edge) -> None:
    x, y = edge.caption
    group = ET.SubElement(
        root,
        "g",
        {
            "class": "rw-caption",
            "data-caption": f"{edge.source}-{edge.slot}",
            "transform": f"translate({x:.1f} {y:.1f})",
            "visibility": "hidden",
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
        },
    )
    _text(group, "", "rw-product", "0", 5.0, anchor="middle", weight="bold")
