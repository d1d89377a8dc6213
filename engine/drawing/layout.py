"""Where the boxes and arrows of a graph go: fixed-size boxes in, positions out."""

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import graphviz

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
COLUMN_GAP = 64.0
MARGIN = 8.0
ROOM_FOR_MARKS = 14.0
TIP = 10.0
CAPTION_HEIGHT = 22.0
CAPTION_PADDING = 8.0
SAME_COLUMN = 1.0
MOST_ROUNDS = 100
LINE_OF_DATA = "data "

FRAME_PADDING = 28.0

Point = tuple[float, float]
Curve = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node is drawn.

    Attributes:
        x: left edge, in points as all lengths here.
        y: top edge; y grows downward.
        width: from left to right.
        height: from top to bottom.
    """

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Edge:
    """The line from an input to the node made from it.

    Attributes:
        source: index of the node that was made; contributions start here.
        target: index of the input.
        slot: which input of the source it is.
        curve: control points of cubic Bezier curves, from the input to the node.
        caption: the middle of the space kept for a contribution.
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
    graph: Graph, gradients: Iterable[float] = (), captions: Iterable[str] = ()
) -> Layout | None:
    """Place a graph from left to right, inputs before results.

    Args:
        graph: the graph to place.
        gradients: every gradient that a box will have to hold, so that no box ever grows.
        captions: every text that an arrow will have to carry.

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
    longest = max(map(text_width, captions), default=0.0)
    gap = max(COLUMN_GAP, longest + 2 * CAPTION_PADDING + 2 * TIP + 8.0)
    inputs = [node.inputs for node in graph.nodes]
    placed = place(_box_widths(graph, gradients), inputs, gap)
    if placed is None:
        return None
    edges = tuple(_edges(inputs, placed, gap))
    lowest = max((edge.caption[1] for edge in edges), default=0.0) + CAPTION_HEIGHT / 2
    return Layout(placed.width, max(placed.height, lowest), placed.boxes, edges)


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
        down: whether to place them from top to bottom instead.

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


def _edges(inputs: Sequence[Sequence[int]], placed: Placement, gap: float) -> Iterator[Edge]:
    ends = [
        (source, target, slot)
        for source, targets in enumerate(inputs)
        for slot, target in enumerate(targets)
    ]
    curves = [placed.curves[source][slot] for source, _, slot in ends]
    columns = [_column_end(placed.boxes, placed.boxes[target]) + gap / 2 for _, target, _ in ends]
    places = list(zip(columns, map(_height_at, curves, columns), strict=True))
    lowest = placed.height - MARGIN
    captions = _apart(places, _shown_together(ends, columns), lowest)
    for (source, target, slot), curve, caption in zip(ends, curves, captions, strict=True):
        yield Edge(source, target, slot, curve, caption)


def _shown_together(
    ends: Sequence[tuple[int, int, int]], columns: Sequence[float]
) -> list[list[int]]:
    """Which edges of one column carry captions at once: of one node, or into one node."""
    groups: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for edge, (source, target, _) in enumerate(ends):
        column = round(columns[edge] / SAME_COLUMN)
        groups["of", source, column].append(edge)
        groups["into", target, column].append(edge)
    return [group for group in groups.values() if len(group) > 1]


def _column_end(boxes: Sequence[Box], box: Box) -> float:
    """The right edge of the widest box above, below or at a box."""
    middle = box.x + box.width / 2
    column = (b for b in boxes if abs(b.x + b.width / 2 - middle) < SAME_COLUMN)
    return max(b.x + b.width for b in column)


def _apart(
    captions: Sequence[Point], groups: Sequence[Sequence[int]], lowest: float
) -> list[Point]:
    """Move captions up and down until no two of a group overlap, in the order they have."""
    heights = [y for _, y in captions]
    order = sorted(range(len(captions)), key=lambda edge: (heights[edge], edge))
    rank = {edge: place for place, edge in enumerate(order)}
    ordered = [sorted(group, key=rank.__getitem__) for group in groups]
    for _ in range(MOST_ROUNDS):
        tight = [group for group in ordered if _is_tight([heights[edge] for edge in group])]
        if not tight:
            break
        for group in tight:
            spread = _spread([heights[edge] for edge in group], lowest)
            for edge, height in zip(group, spread, strict=True):
                heights[edge] = height
    return [(x, height) for (x, _), height in zip(captions, heights, strict=True)]


def _is_tight(heights: Sequence[float]) -> bool:
    return any(below - above < CAPTION_HEIGHT for above, below in pairwise(heights))


def _spread(heights: Sequence[float], lowest: float) -> list[float]:
    """The heights nearest to these, in this order, that leave each caption its room."""
    room = CAPTION_HEIGHT + 2.0
    blocks: list[tuple[float, int]] = []
    for place, height in enumerate(heights):
        mean, count = height - place * room, 1
        while blocks and blocks[-1][0] > mean:
            before, more = blocks.pop()
            mean, count = (before * more + mean * count) / (more + count), more + count
        blocks.append((mean, count))
    top = CAPTION_HEIGHT / 2
    bottom = max(top, lowest - CAPTION_HEIGHT / 2 - (len(heights) - 1) * room)
    bare = [min(max(mean, top), bottom) for mean, count in blocks for _ in range(count)]
    return [height + place * room for place, height in enumerate(bare)]


def along(curve: Curve, share: float) -> Point:
    """The point at a share of the way along a curve.

    >>> along(((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)), 0.5)
    (1.5, 0.0)
    """
    pieces = (len(curve) - 1) // 3
    piece = min(int(share * pieces), pieces - 1)
    t = share * pieces - piece
    corners = curve[3 * piece : 3 * piece + 4]
    weights = [math.comb(3, k) * (1 - t) ** (3 - k) * t**k for k in range(4)]
    return (
        sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
        sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
    )


def _height_at(curve: Curve, x: float) -> float:
    samples = [along(curve, k / 64) for k in range(65)]
    return min(samples, key=lambda p: abs(p[0] - x))[1]
