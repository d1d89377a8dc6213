"""A folded graph as a drawing: boxes for scopes, frames around open ones, arrows with counts.

It is the drawing of a graph, with other texts in its boxes: the same cards, arrows and positions.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

from engine.boxes import Arrow, FoldedGraph, Frame
from engine.boxes import Box as FoldedBox
from engine.drawing.boxes import Box, Curve, Point, moved
from engine.drawing.captions import SHARES, Size, beside, clear_places
from engine.drawing.layout import (
    BOX_HEIGHT,
    BOX_PADDING,
    CAPTION_HEIGHT,
    CAPTION_PADDING,
    FRAME_PADDING,
    LINE_OF_DATA,
    MARGIN,
    NARROWEST_BOX,
    ROOM_FOR_MARKS,
    TIP,
    Edge,
    Layout,
    caption_size,
    place,
    text_width,
)
from engine.drawing.palette import ARROW, CARD, CARD_BORDER
from engine.drawing.svg import (
    LEAST_SCALE,
    PAGE_WIDTH,
    SIDE,
    Line,
    canvas,
    card,
    draw_box,
    draw_caption,
    draw_edge,
    draw_lines,
    draw_node,
    draw_text,
)
from engine.folding import OWN, PARAMETERS, REPEATED, Folding
from engine.paths import product_of
from engine.words.naming import TIMES, label, number, operand, title

MOST_CHAIN_COLUMNS = 4
DIGITS = 4
CHAIN_ROW_GAP = 50.0
DECADES = 4.0
WIDEST_TITLE = 180.0
SMALLEST_WEIGHT = 0.04
STACKED = 5.0
LINE_OF_SIZE = "max |grad| "
THICKER_FOR_TENFOLD = 0.9
GAP = 44.0
WIDER_FOR_EACH_ARROW = 1.0
WIDEST_GAP = 76.0
APART = 7.0
BORDER = 6.0


@dataclass(frozen=True, slots=True)
class FoldedLayout:
    """The geometry of a folded graph.

    Attributes:
        layout: boxes and edges, by place.
        frames: one for each frame of the folded graph.
    """

    layout: Layout
    frames: tuple[Box, ...]


def scope_title(path: str, members: Sequence[str] = (), rest: bool = False) -> str:
    """What a scope is called: its last part, or how many repeat it.

    >>> scope_title("token*", ["token0", "token1"])
    'each of 2 tokens'
    >>> scope_title("layer0/attention"), scope_title("layer0/attention/.")
    ('attention', 'attention itself')
    """
    outer, _, name = path.rpartition("/")
    if name == OWN:
        return f"{label(outer.rpartition('/')[2])} itself" if outer else "in no scope"
    if not members:
        return label(name)
    other = "other " if rest else ""
    return f"each of {len(members)} {other}{label(_plural(name.removesuffix(REPEATED)))}"


def box_title(folding: Folding, box: FoldedBox) -> str:
    """The heading of a box."""
    if box.node is not None:
        return title(folding.graph, box.node)
    if not box.path:
        return f"{box.count:,} {'nodes between' if box.between else 'additions'}"
    return scope_title(box.path, box.members, box.rest)


def arrow_text(arrow: Arrow) -> str:
    """What stands on an arrow: the local derivative, or how many edges it is.

    >>> arrow_text(Arrow(0, 1, 1536)), arrow_text(Arrow(0, 1, 1, -0.5))
    ('1,536', '× (−0.5)')
    """
    if arrow.local_derivative is None:
        return f"{arrow.count:,}"
    return f"{TIMES} {operand(_rounded(arrow.local_derivative))}"


def size_text(folding: Folding, box: FoldedBox) -> str:
    """What stands in a box for its gradient: that of a node, or how large the largest is.

    On a path it is what becomes of a gradient in the box: the local derivatives, or their product.
    """
    if box.node is not None:
        return number(folding.gradients[box.node])
    if box.path:
        return number(_rounded(folding.gradient_size(box.largest)))
    return product_text(box.between, rounded=True) if box.between else "1 each"


def product_text(factors: Sequence[float], rounded: bool = False) -> str:
    """The product of some numbers, or why it cannot be written.

    >>> product_text([0.5, -0.5]), product_text([1e-200, 1e-200]), product_text([1e-200, 0.0])
    ('−0.25', 'too small for a float', '0')
    """
    product = product_of(factors)
    if product == 0.0 and 0.0 not in factors:
        return "too small for a float"
    if math.isinf(product):
        return "too large for a float"
    return number(_rounded(product) if rounded else product)


def boxes_text(count: int) -> str:
    """A number of boxes in words.

    >>> boxes_text(1), boxes_text(15)
    ('1 box', '15 boxes')
    """
    return "1 box" if count == 1 else f"{count} boxes"


def folded_summary(folding: Folding, folded: FoldedGraph) -> str:
    """One sentence that names a folded drawing, for a reader who does not see it."""
    graph = folding.graph
    name = label(graph.names[graph.output.index])
    return f"Graph of {name}: {len(graph):,} nodes, drawn as {boxes_text(len(folded.boxes))}"


def arrows_into(folded: FoldedGraph) -> list[list[Arrow]]:
    """For each box the arrows that end there; the place in such a list is the edge's slot."""
    into: list[list[Arrow]] = [[] for _ in folded.boxes]
    for arrow in folded.arrows:
        into[arrow.end].append(arrow)
    return into


def weights(folding: Folding, folded: FoldedGraph) -> tuple[float, ...]:
    """How long the bar in each box is, from 0 to 1: a quarter less for a tenth of the gradient."""
    sizes = [folding.gradient_size(box.largest) for box in folded.boxes]
    largest = max(filter(math.isfinite, sizes), default=0.0)
    return tuple(
        min(max(1.0 + math.log10(size / largest) / DECADES, SMALLEST_WEIGHT), 1.0)
        if size and largest
        else 0.0
        for size in sizes
    )


def folded_layout(folding: Folding, folded: FoldedGraph, down: bool = False) -> FoldedLayout | None:
    """Place a folded graph from left to right, or from top to bottom.

    Returns:
        The geometry, or None where no Graphviz program is at hand.

    Raises:
        RenderingError: the Graphviz program failed.
    """
    into = arrows_into(folded)
    inputs = [[arrow.start for arrow in arrows] for arrows in into]
    sizes = [caption_size(arrow_text(arrow)) for arrow in folded.arrows]
    longest = max((size[1 if down else 0] for size in sizes), default=0.0)
    crowded = min(GAP + WIDER_FOR_EACH_ARROW * len(folded.arrows), WIDEST_GAP)
    gap = max(crowded, longest + 2 * TIP)
    frames = [_members(folded, frame.path) for frame in folded.frames]
    placed = place(_box_widths(folding, folded), inputs, gap, frames, down=down)
    if placed is None:
        return None
    outlines = tuple(_frame_boxes(folded, frames, placed.boxes))
    titles = [Box(o.x, o.y, min(o.width, WIDEST_TITLE), FRAME_PADDING) for o in outlines]
    borders = [border for outline in outlines for border in _borders(outline)]
    curves = _opposites_apart(inputs, placed.curves)
    edges = tuple(_edges(into, curves, (*placed.boxes, *titles, *borders)))
    # A curve may sag to the lower edge of what Graphviz placed, and its caption stands below it.
    sizes = [caption_size(arrow_text(arrow)) for arrows in into for arrow in arrows]
    ends = [edge.caption for edge in edges]
    width = max([placed.width, *(x + w / 2 for (x, _), (w, _) in zip(ends, sizes, strict=True))])
    height = max([placed.height, *(y + h / 2 for (_, y), (_, h) in zip(ends, sizes, strict=True))])
    return FoldedLayout(Layout(width, height, placed.boxes, edges), outlines)


def chain_layout(folding: Folding, folded: FoldedGraph, down: bool = False) -> FoldedLayout:
    """Place a chain of boxes in rows, each second row from right to left; needs no Graphviz.

    A row has as many boxes as a page can show in a size that can be read; or it has two, for a
    narrow page.
    """
    into = arrows_into(folded)
    longest = max((caption_size(arrow_text(arrow))[0] for arrow in folded.arrows), default=0.0)
    width = max(_box_widths(folding, folded))
    across, rows_apart = width + longest + 2 * TIP, BOX_HEIGHT + CHAIN_ROW_GAP
    columns = int((PAGE_WIDTH / LEAST_SCALE - 2 * MARGIN - width) // across) + 1
    columns = min(max(columns, 1), 2 if down else MOST_CHAIN_COLUMNS)
    boxes = tuple(
        Box(
            MARGIN + across * (column if row % 2 == 0 else columns - 1 - column),
            MARGIN + ROOM_FOR_MARKS + rows_apart * row,
            width,
            BOX_HEIGHT,
        )
        for row, column in (divmod(index, columns) for index in range(len(folded.boxes)))
    )
    curves = [(), *((_straight(*ends),) for ends in pairwise(boxes))]
    edges = tuple(_edges(into, curves, boxes))
    size = max(box.x for box in boxes) + width, max(box.y for box in boxes) + BOX_HEIGHT
    return FoldedLayout(Layout(size[0] + MARGIN, size[1] + MARGIN, boxes, edges), ())


def folded_svg(folding: Folding, folded: FoldedGraph, placed: FoldedLayout) -> str:
    """Draw a folded graph.

    Args:
        folding: of the whole graph.
        folded: what to draw of it.
        placed: where its boxes and arrows go.

    Returns:
        SVG markup; labels and scopes in it are text and nothing else.
    """
    layout = placed.layout
    root = canvas(layout, folded_summary(folding, folded))
    for outline in placed.frames:
        _draw_outline(root, outline)
    arrows = [arrow for arrows in arrows_into(folded) for arrow in arrows]
    for arrow, edge in zip(arrows, layout.edges, strict=True):
        draw_edge(root, edge, 1.5 + THICKER_FOR_TENFOLD * math.log10(arrow.count))
    for index, (frame, outline) in enumerate(zip(folded.frames, placed.frames, strict=True)):
        _draw_frame_title(root, frame, index, outline)
    shares = weights(folding, folded)
    for index, (box, area) in enumerate(zip(folded.boxes, layout.boxes, strict=True)):
        _draw_box(root, folding, box, index, area, shares[index])
    for arrow, edge in zip(arrows, layout.edges, strict=True):
        draw_caption(root, edge, arrow_text(arrow))
    return ET.tostring(root, encoding="unicode")


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _plural(name: str) -> str:
    """The plural of a scope's name, as far as a plain word has a regular one."""
    word = name.strip(" _-.")
    if not word.isalpha():
        return word or "scopes"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def _members(folded: FoldedGraph, path: str) -> list[int]:
    inside = f"{path}/"
    return [
        index
        for index, box in enumerate(folded.boxes)
        if box.frame == path or box.frame.startswith(inside)
    ]


def _box_widths(folding: Folding, folded: FoldedGraph) -> list[float]:
    widths = []
    for box in folded.boxes:
        texts = [box_title(folding, box), *(line.key + line.value for line in _lines(folding, box))]
        widest = max(text_width(text) for text in texts) + 2 * BOX_PADDING
        widths.append(max(NARROWEST_BOX, widest))
    return widths


def _lines(folding: Folding, box: FoldedBox) -> tuple[Line, Line]:
    size = size_text(folding, box)
    if box.node is not None:
        data = number(folding.graph.nodes[box.node].data)
        return Line("data", LINE_OF_DATA, data), Line("grad", LINE_OF_DATA, size)
    key = LINE_OF_SIZE if box.path else "product " if box.between else "derivatives "
    return Line("data", "nodes ", f"{box.count:,}"), Line("grad", key, size)


def _opposites_apart(
    inputs: Sequence[Sequence[int]], curves: Sequence[Sequence[Curve]]
) -> list[list[Curve]]:
    """Move the two arrows between boxes that use each other to either side of one line."""
    both = {(start, end) for end, starts in enumerate(inputs) for start in starts}
    return [
        [
            _aside(curve) if start != end and (end, start) in both else curve
            for start, curve in zip(inputs[end], own, strict=True)
        ]
        for end, own in enumerate(curves)
    ]


def _aside(curve: Curve) -> Curve:
    """A curve moved a little to its left, seen from its start."""
    (x, y), (to_x, to_y) = curve[0], curve[-1]
    length = math.dist(curve[0], curve[-1]) or 1.0
    return moved(curve, APART * (to_y - y) / length, -APART * (to_x - x) / length)


def _edges(
    into: Sequence[Sequence[Arrow]], curves: Sequence[Sequence[Curve]], boxes: Sequence[Box]
) -> Iterator[Edge]:
    ends = [(end, slot) for end, arrows in enumerate(into) for slot in range(len(arrows))]
    lines = [curves[end][slot] for end, slot in ends]
    sizes: list[Size] = [caption_size(arrow_text(into[end][slot])) for end, slot in ends]
    choices = [
        [place for share in SHARES for place in beside(line, share, size) if place.y >= 0.0]
        or [*beside(line, 0.5, size)]
        for line, size in zip(lines, sizes, strict=True)
    ]
    captions = clear_places(choices, lines, [range(len(ends))] * len(ends), boxes)
    for (end, slot), line, caption in zip(ends, lines, captions, strict=True):
        yield Edge(end, into[end][slot].start, slot, line, caption.middle)


def _frame_boxes(
    folded: FoldedGraph, frames: Sequence[Sequence[int]], boxes: Sequence[Box]
) -> Iterator[Box]:
    """A frame lies around its boxes, with room for the frames in between."""
    paths = [frame.path for frame in folded.frames]
    for frame, members in zip(folded.frames, frames, strict=True):
        areas = [
            _grown(boxes[member], FRAME_PADDING * _depth(folded.boxes[member], frame, paths))
            for member in members
        ]
        left, top = min(a.x for a in areas), min(a.y for a in areas)
        right, bottom = max(a.x + a.width for a in areas), max(a.y + a.height for a in areas)
        yield Box(left, top, right - left, bottom - top)


def _depth(box: FoldedBox, frame: Frame, paths: Iterable[str]) -> int:
    """How many frames lie around a box, up to a certain one."""
    around = (path for path in paths if f"{box.frame}/".startswith(f"{path}/"))
    return sum(len(path) >= len(frame.path) for path in around)


def _borders(box: Box) -> Iterator[Box]:
    """The four lines of a frame, as boxes that a caption had better not cover."""
    for x in (box.x, box.x + box.width):
        yield Box(x - BORDER / 2, box.y, BORDER, box.height)
    for y in (box.y, box.y + box.height):
        yield Box(box.x, y - BORDER / 2, box.width, BORDER)


def _grown(box: Box, by: float) -> Box:
    return Box(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by)


def _straight(start: Box, end: Box) -> Curve:
    """A line between neighbors in a chain, with room for a head at either end."""
    if start.y != end.y:
        x = start.x + start.width / 2
        ends = (x, start.y + start.height + TIP), (x, end.y - TIP)
    else:
        forward = 1.0 if end.x > start.x else -1.0
        y = start.y + start.height / 2
        edge = start.x + start.width if forward > 0 else start.x
        other = end.x if forward > 0 else end.x + end.width
        ends = (edge + forward * TIP, y), (other - forward * TIP, y)
    return (ends[0], _between(*ends, 1 / 3), _between(*ends, 2 / 3), ends[1])


def _between(start: Point, end: Point, share: float) -> Point:
    return (
        start[0] + share * (end[0] - start[0]),
        start[1] + share * (end[1] - start[1]),
    )


def _draw_outline(root: ET.Element, box: Box) -> None:
    ET.SubElement(
        root,
        "rect",
        {
            "class": "rw-outline",
            "x": f"{box.x:.1f}",
            "y": f"{box.y:.1f}",
            "width": f"{box.width:.1f}",
            "height": f"{box.height:.1f}",
            "rx": "10",
            "fill": "none",
            "stroke": CARD_BORDER,
            "stroke-dasharray": "5 4",
        },
    )


def _draw_frame_title(root: ET.Element, frame: Frame, index: int, box: Box) -> None:
    name = scope_title(frame.path, frame.members, frame.rest)
    while caption_size(name)[0] > box.width - SIDE and len(name) > 2:
        name = f"{name[:-2]}…"
    group = ET.SubElement(
        root,
        "g",
        {
            "class": "rw-frame",
            "data-frame": str(index),
            "transform": f"translate({box.x + SIDE / 2:.1f} {box.y + FRAME_PADDING / 2 + 1:.1f})",
        },
    )
    ET.SubElement(group, "title").text = label(frame.path)
    ET.SubElement(
        group,
        "rect",
        {
            "class": "rw-pill",
            "y": f"{-CAPTION_HEIGHT / 2}",
            "width": f"{caption_size(name)[0]:.1f}",
            "height": f"{CAPTION_HEIGHT}",
            "rx": "6",
            "fill": CARD,
        },
    )
    draw_text(group, name, "rw-frame-title", f"{CAPTION_PADDING}", 5.0, weight="bold")


def _draw_box(
    root: ET.Element, folding: Folding, box: FoldedBox, index: int, area: Box, share: float
) -> None:
    if box.node is not None:
        draw_node(root, folding.graph, box.node, area, size_text(folding, box), index)
        return
    kind = "rw-parameter" if box.path.split("/")[0] == PARAMETERS else "rw-computed"
    corner = 2 if kind == "rw-parameter" else 14
    group = card(root, f"rw-folded {kind}", index, area, label(box.path))
    for shift in (2 * STACKED, STACKED, 0.0) if box.members else (0.0,):
        draw_box(group, area, corner, shift)
    draw_lines(group, area, box_title(folding, box), _lines(folding, box))
    if not box.path:
        return
    ET.SubElement(
        group,
        "rect",
        {
            "class": "rw-weight",
            "x": f"{SIDE}",
            "y": f"{BOX_HEIGHT - 6}",
            "width": f"{share * (area.width - 2 * SIDE):.1f}",
            "height": "3",
            "fill": ARROW,
        },
    )
