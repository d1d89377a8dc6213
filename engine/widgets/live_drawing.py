"""The drawing of a ``LiveGraph``: its parts once, and for each placement where they go."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any
from xml.etree import ElementTree as ET

from engine.drawing.boxes import Box, Curve, Point, along
from engine.drawing.layout import (
    BOX_HEIGHT,
    BOX_PADDING,
    CAPTION_HEIGHT,
    Edge,
    Layout,
    caption_size,
    place,
    text_width,
)
from engine.drawing.palette import CARD, MUTED
from engine.drawing.renderer import placed_or_why
from engine.drawing.svg import (
    BASELINES,
    SIDE,
    Line,
    canvas,
    card,
    draw_box,
    draw_caption,
    draw_edge,
    draw_lines,
    draw_text,
)
from engine.graph import Graph
from engine.recompute import Moved
from engine.widgets.live_words import HINTS, LABELS, page_words
from engine.words.naming import TIMES, graph_summary, label, name, number, title

DIGITS = 9  # a box has room for numbers of so many characters, and the page writes no longer ones
TALL_BOX = 104.0
THIRD_BASELINE = 76.0
STRIP = 91.0  # where the bar of a wiggle lies in a tall box
GAP, GAP_DOWN = 104.0, 58.0
MOST_WITH_TITLES = 20
SIGNS = {"*": TIMES, "-": "\N{MINUS SIGN}", "/": "\N{DIVISION SIGN}", "neg": "\N{MINUS SIGN}"}
BESIDE = 5.0  # between an arrow and its caption
USUAL_CAPTION = 78.0
SHARES = (0.5, 0.4, 0.6, 0.3, 0.7)  # of the length of an arrow: where a caption may stand
SAMPLES = 64
ACROSS, DOWN, TALL = "across", "down", "tall"
PLACEMENTS = {
    ACROSS: (False, BOX_HEIGHT),
    DOWN: (True, BOX_HEIGHT),
    f"{ACROSS} {TALL}": (False, TALL_BOX),
    f"{DOWN} {TALL}": (True, TALL_BOX),
}


def live_layout(graph: Graph, which: str) -> Layout | None:
    """Place a graph whose numbers may become any others, with arrows and their middles.

    Args:
        graph: the graph to place.
        which: one of ``PLACEMENTS``.

    Returns:
        The geometry, or None where no Graphviz program is at hand.

    Raises:
        RenderingError: the Graphviz program failed.
    """
    down, height = PLACEMENTS[which]
    room = text_width(f"data {'0' * DIGITS}")
    widths = [max(room, text_width(head)) + 2 * BOX_PADDING for head in heads(graph)]
    inputs = [node.inputs for node in graph.nodes]
    dense = len(graph) > MOST_WITH_TITLES
    gap = GAP_DOWN if down or dense else GAP
    placed = place(widths, inputs, gap, height=height, down=down)
    if placed is None:
        return None
    edges = tuple(
        Edge(source, target, slot, curve, curve[0])
        for source, targets in enumerate(inputs)
        for slot, (target, curve) in enumerate(zip(targets, placed.curves[source], strict=True))
    )
    return Layout(placed.width, placed.height, placed.boxes, edges)


def heads(graph: Graph) -> list[str]:
    """What stands at the top of each box: its title, or in a large graph its name or operation."""
    if len(graph) <= MOST_WITH_TITLES:
        return [title(graph, node.index) for node in graph.nodes]
    return [label(node.label) or SIGNS.get(node.op, node.op) for node in graph.nodes]


def live_svg(graph: Graph, layout: Layout, moved: Moved | None = None) -> ET.Element:
    """Draw every part a page will move: numbers, bars, arrows and their captions.

    Args:
        graph: at its present numbers, with its gradients.
        layout: where its parts go.
        moved: a wiggle to show, in tall boxes: how far each number goes, and by which arrows.
    """
    root = canvas(layout, graph_summary(graph))
    for edge in layout.edges:
        draw_edge(root, edge)
    farthest = max(map(abs, _ends(graph, moved, range(len(graph))))) if moved else 0.0
    for node, box, head in zip(graph.nodes, layout.boxes, heads(graph), strict=True):
        group = card(root, f"rw-{node.kind}", node.index, box, title(graph, node.index))
        draw_box(group, box, corner=14 if node.op else 2)
        second, third = _lines(graph, node.index, moved)
        draw_lines(group, box, head, [Line("data", LABELS["data"], number(node.data)), second])
        right = f"{box.width - SIDE:.1f}"
        draw_text(group, third.key, "rw-key rw-third", f"{SIDE}", THIRD_BASELINE, fill=MUTED)
        draw_text(group, third.value, "rw-ratio rw-third", right, THIRD_BASELINE, anchor="end")
        if not node.op:
            _draw_handle(group, box)
        half = box.width / 2 - SIDE
        scale = half / farthest if farthest else 0.0
        ends = _ends(graph, moved, [node.index]) if moved else []
        _draw_strip(group, box, [scale * end for end in ends])
    for edge, spot in zip(layout.edges, _captions(layout.edges, layout.boxes), strict=True):
        ratio = moved.along.get((edge.source, edge.slot)) if moved else None
        text = "" if ratio is None else f"{TIMES} {number(ratio)}"
        draw_caption(root, replace(edge, caption=_middle(spot, caption_size(text)[0])), text)
    return root


def _ends(graph: Graph, moved: Moved, places: Iterable[int]) -> list[float]:
    """How far nodes go down and up from where they are."""
    ends = (moved.low, moved.high)
    return [end[place] - graph.nodes[place].data for place in places for end in ends]


def _lines(graph: Graph, index: int, moved: Moved | None) -> tuple[Line, Line]:
    grad = Line("grad", LABELS["grad"], number(graph.nodes[index].grad))
    if moved is None:
        return grad, Line("ratio", "", "")
    if index == moved.node:
        return grad, Line("ratio", LABELS["measured"], number(moved.ratios[-1]))
    key = LABELS["ratio"].format(node=name(graph, index), name=name(graph, moved.node))
    return (
        Line("grad", LABELS["delta"], number(moved.deltas[index])),
        Line("ratio", key, number(moved.ratios[index])),
    )


def _draw_handle(group: ET.Element, box: Box) -> None:
    """What shows that a number can be dragged: a line below it, and two small arrows."""
    right, line = box.width - SIDE, f"{BASELINES[1] + 4.0}"
    ends = {"x1": f"{right - 58:.1f}", "x2": f"{right:.1f}", "y1": line, "y2": line}
    ET.SubElement(group, "line", {"class": "rw-under", "stroke": MUTED, **ends})
    shape = f"M {box.width - 9:.1f} 30 l 6 5 l -6 5 z M 9 30 l -6 5 l 6 5 z"
    ET.SubElement(group, "path", {"class": "rw-hands", "d": shape, "visibility": "hidden"})


def _draw_strip(group: ET.Element, box: Box, ends: Sequence[float]) -> None:
    """The bar that shows how far a number goes, split at the number itself."""
    where = f"translate({box.width / 2:.1f} {STRIP})"
    look = {"class": "rw-strip", "transform": where, "visibility": "visible" if ends else "hidden"}
    strip = ET.SubElement(group, "g", look)
    half = f"{box.width / 2 - SIDE:.1f}"
    track = {"class": "rw-track", "stroke": MUTED, "x1": f"-{half}", "x2": half}
    ET.SubElement(strip, "line", track)
    for side, end, fill in zip(("low", "high"), ends or (0.0, 0.0), (CARD, MUTED), strict=True):
        bar = {"x": f"{min(end, 0.0):.1f}", "width": f"{abs(end):.1f}", "y": "-5", "height": "10"}
        ET.SubElement(strip, "rect", {"class": f"rw-{side}", "fill": fill, "stroke": MUTED, **bar})
    ET.SubElement(strip, "g", {"class": "rw-shares"})
    ET.SubElement(strip, "line", {"class": "rw-tick", "stroke": MUTED, "y1": "-8", "y2": "8"})
    ET.SubElement(strip, "circle", {"class": "rw-dot", "r": "5", "visibility": "hidden"})


def _captions(edges: Sequence[Edge], boxes: Sequence[Box]) -> list[tuple[Point, Point]]:
    """For each arrow a point on it and the way aside where a caption covers no box and no other."""
    taken: list[tuple[Point, Point]] = []
    for edge in edges:
        places = [
            (at, (side * across, side * up))
            for share in SHARES
            for at, (across, up) in [_on_the_way(edge.curve, share)]
            for side in (1.0, -1.0)
        ]
        free = (p for p in places if not any(_covers(p, b) for b in boxes) and _is_apart(p, taken))
        taken.append(next(free, places[0]))
    return taken


def _on_the_way(curve: Curve, share: float) -> tuple[Point, Point]:
    """The point at a share of an arrow's length, and the way aside: upward, or to the right."""
    points = [along(curve, k / SAMPLES) for k in range(SAMPLES + 1)]
    lengths = [math.dist(one, other) for one, other in pairwise(points)]
    passed = [0.0, *accumulate(lengths)]
    at = next(k for k, length in enumerate(passed) if length >= share * passed[-1])
    (x0, y0), (x1, y1) = points[max(0, at - 1)], points[min(SAMPLES, at + 1)]
    length = math.dist((x0, y0), (x1, y1)) or 1.0
    across, up = (y1 - y0) / length, (x0 - x1) / length
    turn = 1.0 if up < -0.2 or (across > 0.0 and up < 0.2) else -1.0
    return points[at], (turn * across, turn * up)


def _middle(place: tuple[Point, Point], width: float) -> Point:
    """Where the middle of a caption has to be so that it touches its arrow nowhere."""
    (x, y), (across, up) = place
    room = BESIDE + (abs(across) * width + abs(up) * CAPTION_HEIGHT) / 2
    return x + across * room, y + up * room


def _covers(place: tuple[Point, Point], box: Box) -> bool:
    x, y = _middle(place, USUAL_CAPTION)
    return (
        box.x - USUAL_CAPTION / 2 < x < box.x + box.width + USUAL_CAPTION / 2
        and box.y - CAPTION_HEIGHT / 2 < y < box.y + box.height + CAPTION_HEIGHT / 2
    )


def _is_apart(place: tuple[Point, Point], taken: Sequence[tuple[Point, Point]]) -> bool:
    x, y = _middle(place, USUAL_CAPTION)
    others = (_middle(other, USUAL_CAPTION) for other in taken)
    return all(abs(x - u) >= USUAL_CAPTION or abs(y - v) >= CAPTION_HEIGHT for u, v in others)


def placement_data(root: ET.Element, layout: Layout, which: str) -> dict[str, Any]:
    """Where the parts of a drawing go, for a page that moves them there."""
    edges = {}
    shapes = {group.get("data-edge"): list(group) for group in root if group.get("data-edge")}
    for edge, spot in zip(layout.edges, _captions(layout.edges, layout.boxes), strict=True):
        key = f"{edge.source}-{edge.slot}"
        line, forward, backward = shapes[key]
        edges[key] = {
            "line": line.get("d"),
            "forward": forward.get("points"),
            "backward": backward.get("points"),
            "middle": [round(x, 1) for x in spot[0]],
            "aside": [round(x, 3) for x in spot[1]],
        }
    boxes = [[round(x, 1) for x in (b.x, b.y, b.width, b.height)] for b in layout.boxes]
    size = {"width": round(layout.width), "height": round(layout.height)}
    return {**size, "boxes": boxes, "edges": edges, "down": PLACEMENTS[which][0]}


def live_picture(graph: Graph, moved: Moved) -> str | None:
    """A wiggle as a picture by itself, or None where no Graphviz program is at hand.

    Args:
        graph: at its present numbers, with its gradients.
        moved: what happens to it.
    """
    layout, _ = placed_or_why(lambda: live_layout(graph, f"{ACROSS} {TALL}"))
    return (
        None if layout is None else ET.tostring(live_svg(graph, layout, moved), encoding="unicode")
    )


def live_payload(graph: Graph) -> dict[str, Any]:
    """What the front end is told of a graph whose numbers it will compute itself.

    Args:
        graph: as it was recorded.
    """
    placements, drawing, why_none = {}, "", ""
    for which in PLACEMENTS:
        layout, why_none = placed_or_why(partial(live_layout, graph, which))
        if layout is None:
            break
        root = live_svg(graph, layout)
        drawing = drawing or ET.tostring(root, encoding="unicode")
        placements[which] = placement_data(root, layout, which)
    return {
        "summary": f"Numbers to take hold of. {graph_summary(graph)}.",
        "svg": drawing,
        "placements": placements,
        "notice": why_none,
        "digits": DIGITS,
        "dense": len(graph) > MOST_WITH_TITLES,
        "nodes": plain_nodes(graph),
        "words": page_words(),
        "labels": LABELS,
        "hints": HINTS,
    }


def plain_nodes(graph: Graph) -> list[dict[str, Any]]:
    """A graph as the page computes with it."""
    return [
        {
            "name": name(graph, node.index),
            "own": graph.own_names[node.index],
            "title": title(graph, node.index),
            "op": str(node.op),
            "operands": [o if isinstance(o, int) else {"c": o.data} for o in node.operands],
            "data": node.data,
        }
        for node in graph.nodes
    ]
