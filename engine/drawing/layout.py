"""Where the boxes and arrows of a graph go: fixed-size boxes in, positions out."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import graphviz

from engine.drawing.boxes import Box, Curve, Point, along, moved
from engine.drawing.captions import BESIDE_ARROW, Size, clear_places
from engine.drawing.renderer import positions
from engine.graph import Graph
from engine.words.naming import number, title

POINTS_PER_INCH = 72.0
FONT_SIZE = 14.0
CHARACTER_WIDTH = 0.605 * FONT_SIZE
BOX_PADDING = 14.0
BOX_HEIGHT = 68.0
NARROWEST_BOX = 96.0
ROW_GAP = 22.0
COLUMN_GAP = 52.0
MARGIN = 8.0
ROOM_FOR_MARKS = 14.0
TIP = 10.0
LINE_HEIGHT = 18.0
CAPTION_HEIGHT = LINE_HEIGHT + 4.0
CAPTION_PADDING = 8.0
EQUALS = " = "
FARTHER = 400.0
LINE_OF_DATA = "data "

FRAME_PADDING = 28.0


@dataclass(frozen=True, slots=True)
class Edge:
    """The line from an input to the node made from it.

    Attributes:
        source: index of the node that was made; contributions start here.
        target: index of the input.
        slot: which input of the source it is.
        curve: control points of cubic Bezier curves, from the input to the node.
        caption: the middle of the space kept for a contribution, beside the curve.
    """

    source: int
    target: int
    slot: int
    curve: Curve
    caption: Point


@dataclass(frozen=True, slots=True)
class Placement:
    """Where Graphviz puts boxes and curves, in points.

    Attributes:
        width: of the whole drawing.
        height: of the whole drawing.
        boxes: where they are, by place.
        curves: for each box the curves that come from its inputs, in their order.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[tuple[Curve, ...], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A drawing's geometry, in points.

    Attributes:
        width: of the whole drawing.
        height: of the whole drawing.
        boxes: one for each node, by index.
        edges: one for each input of each node.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def layout(
    graph: Graph,
    gradients: Iterable[float] = (),
    captions: Iterable[str] = (),
    down: bool = False,
) -> Layout | None:
    """Place a graph, inputs before results.

    Args:
        graph: the graph to place.
        gradients: every gradient that a box will have to hold, so that no box ever grows.
        captions: every text that an arrow will have to carry.
        down: from top to bottom instead of from left to right.

    Returns:
        The geometry, or None where no Graphviz program is at hand.

    Raises:
        RenderingError: the Graphviz program failed.

    >>> from engine.value import Value
    >>> a = Value(2.0)
    >>> placed = layout(Graph.of(a * 3))
    >>> placed is None or (len(placed.boxes), len(placed.edges))
    (2, 1)
    """
    sizes = [caption_size(text) for text in captions]
    size = max((w for w, _ in sizes), default=0.0), max((h for _, h in sizes), default=0.0)
    gap = max(COLUMN_GAP, size[1] + TIP + ROOM_FOR_MARKS if down else size[0] + 2 * TIP)
    inputs = [node.inputs for node in graph.nodes]
    placed = place(_box_widths(graph, gradients), inputs, gap, down=down)
    return None if placed is None else _with_captions(inputs, placed, gap, size, down)


def place(
    widths: Sequence[float],
    inputs: Sequence[Sequence[int]],
    gap: float = COLUMN_GAP,
    frames: Sequence[Sequence[int]] = (),
    height: float = BOX_HEIGHT,
    down: bool = False,
) -> Placement | None:
    """Place boxes from left to right, each to the right of its inputs if there is no circle.

    Args:
        widths: one for each box.
        inputs: for each box the boxes that arrows come from.
        gap: the least space between two columns.
        frames: boxes to keep together, so that a frame of ``FRAME_PADDING`` fits around them; a
            frame that lies in another one comes after it.
        height: of every box.
        down: from top to bottom instead, each below its inputs.

    Returns:
        The geometry, or None where no Graphviz program is at hand.

    Raises:
        RenderingError: the Graphviz program failed.

    >>> placed = place([100.0, 100.0], [[], [0]], frames=[[0, 1]])
    >>> placed is None or placed.boxes[0].x < placed.boxes[1].x
    True
    """
    plain = positions(_dot_source(widths, inputs, gap, frames, height, down))
    return None if plain is None else _read(plain, inputs, down)


def caption_size(text: str) -> Size:
    """How wide and high the space behind a caption is; a product and its result are two lines.

    >>> caption_size("")[0] == 2 * CAPTION_PADDING
    True
    """
    lines = text.split(EQUALS)
    width = max(text_width(line) for line in (lines[0], *(f"= {line}" for line in lines[1:])))
    return width + 2 * CAPTION_PADDING, CAPTION_HEIGHT + LINE_HEIGHT * (len(lines) - 1)


def text_width(text: str) -> float:
    """Estimate how wide a text is in the drawing's fixed-width font.

    >>> text_width("data") == 4 * CHARACTER_WIDTH
    True
    """
    wide = sum(unicodedata.east_asian_width(c) in {"W", "F"} for c in text)
    return (len(text) + wide) * CHARACTER_WIDTH


def _box_widths(graph: Graph, gradients: Iterable[float]) -> list[float]:
    shown = [number(gradient) for gradient in gradients]
    shown += [number(node.grad) for node in graph.nodes]
    longest_gradient = max(map(len, shown))
    widths = []
    for node in graph.nodes:
        digits = max(longest_gradient, len(number(node.data)))
        lines = (title(graph, node.index), LINE_OF_DATA + "0" * digits)
        widths.append(max(NARROWEST_BOX, *(text_width(line) + 2 * BOX_PADDING for line in lines)))
    return widths


def _dot_source(
    widths: Sequence[float],
    inputs: Sequence[Sequence[int]],
    gap: float,
    frames: Sequence[Sequence[int]],
    height: float,
    down: bool,
) -> str:
    dot = graphviz.Digraph(
        graph_attr={
            "rankdir": "TB" if down else "LR",
            "nodesep": _inches(ROW_GAP),
            "ranksep": _inches(gap),
        },
        node_attr={"shape": "box", "fixedsize": "true", "label": ""},
        edge_attr={"dir": "both", "arrowsize": f"{TIP / 10:.2f}"},
    )
    for box, width in enumerate(widths):
        dot.node(f"n{box}", width=_inches(width), height=_inches(height))
    _add_frames(dot, frames)
    for box, starts in enumerate(inputs):
        for start in starts:
            dot.edge(f"n{start}", f"n{box}")
    return str(dot.source)


def _add_frames(dot: graphviz.Digraph, frames: Sequence[Sequence[int]]) -> None:
    clusters = []
    for place, members in enumerate(frames):
        cluster = graphviz.Digraph(f"cluster{place}", graph_attr={"margin": f"{FRAME_PADDING}"})
        for box in members:
            cluster.node(f"n{box}")
        clusters.append(cluster)
    for place in reversed(range(len(frames))):
        outer = [c for c in range(place) if {*frames[place]} <= {*frames[c]}]
        (clusters[outer[-1]] if outer else dot).subgraph(clusters[place])


def _inches(points: float) -> str:
    return f"{points / POINTS_PER_INCH:.4f}"


def _read(plain: str, inputs: Sequence[Sequence[int]], down: bool) -> Placement:
    lines = [line.split() for line in plain.splitlines()]
    height = next(float(words[3]) for words in lines if words[0] == "graph")
    width = next(float(words[2]) for words in lines if words[0] == "graph")

    def point(x: str, y: str) -> Point:
        across = float(x) * POINTS_PER_INCH + MARGIN
        return across, (height - float(y)) * POINTS_PER_INCH + MARGIN + ROOM_FOR_MARKS

    boxes = {}
    curves: dict[tuple[int, int], list[Curve]] = defaultdict(list)
    for words in lines:
        if words[0] == "node":
            center, w, h = point(*words[2:4]), *(float(n) * POINTS_PER_INCH for n in words[4:6])
            boxes[int(words[1][1:])] = Box(center[0] - w / 2, center[1] - h / 2, w, h)
        elif words[0] == "edge":
            ends = int(words[1][1:]), int(words[2][1:])
            numbers = words[4 : 4 + 2 * int(words[3])]
            curves[ends].append(tuple(map(point, numbers[::2], numbers[1::2])))
    for parallel in curves.values():
        parallel.sort(key=lambda curve: along(curve, 0.5)[0 if down else 1])
    return Placement(
        width * POINTS_PER_INCH + 2 * MARGIN,
        height * POINTS_PER_INCH + 2 * MARGIN + ROOM_FOR_MARKS,
        tuple(boxes[box] for box in range(len(inputs))),
        tuple(
            tuple(curves[start, box].pop(0) for start in starts)
            for box, starts in enumerate(inputs)
        ),
    )


def _with_captions(
    inputs: Sequence[Sequence[int]], placed: Placement, gap: float, size: Size, down: bool
) -> Layout:
    """A layout whose captions stand beside their arrows, in the gap behind an arrow's input."""
    ends = [
        (source, target, slot)
        for source, targets in enumerate(inputs)
        for slot, target in enumerate(targets)
    ]
    curves = [placed.curves[source][slot] for source, _, slot in ends]
    partners = [
        {i for i, (source, target, _) in enumerate(ends) if source == own[0] or target == own[1]}
        for own in ends
    ]
    gaps = [
        (
            _end_of_column(placed.boxes, placed.boxes[target], down) + gap / 2,
            _start_of_column(placed.boxes, placed.boxes[source], down) - gap / 2,
        )
        for source, target, _ in ends
    ]
    choices = [
        list(_places_in_gaps(curve, middles, size, len(group), down))
        for curve, middles, group in zip(curves, gaps, partners, strict=True)
    ]
    captions = clear_places(choices, curves, partners, worse=FARTHER)
    # A caption may stand to the left of all boxes, or above them: then all make room for it.
    right = max(0.0, -min((box.x for box in captions), default=0.0))
    lower = max(0.0, -min((box.y for box in captions), default=0.0))
    edges = tuple(
        Edge(*end, moved(curve, right, lower), caption.moved(right, lower).middle)
        for end, curve, caption in zip(ends, curves, captions, strict=True)
    )
    return Layout(
        right + max(placed.width, *(box.x + box.width for box in captions), 0.0),
        lower + max(placed.height, *(box.y + box.height for box in captions), 0.0),
        tuple(box.moved(right, lower) for box in placed.boxes),
        edges,
    )


def _end_of_column(boxes: Sequence[Box], box: Box, down: bool) -> float:
    """Where the column of a box ends, or its row; marks above the next row need some room."""
    if down:
        return box.y + box.height - ROOM_FOR_MARKS / 2
    return max(b.x + b.width for b in boxes if abs(b.middle[0] - box.middle[0]) < 1.0)


def _start_of_column(boxes: Sequence[Box], box: Box, down: bool) -> float:
    """Where the column of a box starts, or its row with the marks above it."""
    if down:
        return box.y - ROOM_FOR_MARKS / 2
    return min(b.x for b in boxes if abs(b.middle[0] - box.middle[0]) < 1.0)


def _places_in_gaps(
    curve: Curve, middles: Sequence[float], size: Size, count: int, down: bool
) -> Iterator[Box]:
    """Places beside a curve, near ones first; between two columns or rows no box is in the way."""
    width, height = size
    samples = [along(curve, k / 64) for k in range(65)]
    inside = (width if down else height) / 2
    reach = (height if down else width) / 2 + BESIDE_ARROW
    flow, across = (1, 0) if down else (0, 1)
    for far in range(count + 1):
        shift = inside + BESIDE_ARROW + far * (2 * inside + 2.0)
        for middle in middles:
            near = [p[across] for p in samples if abs(p[flow] - middle) <= reach] or [
                min(samples, key=lambda p: abs(p[flow] - middle))[across]
            ]
            for center in (min(near) - shift, max(near) + shift):
                x, y = (center, middle) if down else (middle, center)
                yield Box(x - width / 2, y - height / 2, width, height)
