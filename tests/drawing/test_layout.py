"""Boxes and arrows of any graph can be told apart, with either program and at every step."""

import math
from collections import Counter
from itertools import combinations

import pytest
from drawn_graphs import RENDERERS, find_renderer, graphs, rendering_with
from hypothesis import given, settings
from hypothesis.strategies import booleans

from engine import Graph, Value, reverse_walk
from engine.drawing.boxes import Box, along
from engine.drawing.layout import (
    BOX_PADDING,
    CAPTION_HEIGHT,
    TIP,
    Edge,
    Layout,
    caption_size,
    layout,
    text_width,
)
from engine.words.naming import number, product, title

NEAR = 4.0
Area = tuple[float, float, float, float]


@pytest.fixture(scope="module", params=RENDERERS)
def program(request: pytest.FixtureRequest) -> str:
    found = find_renderer(request.param)
    if found is None:
        pytest.skip(f"this machine has no {request.param}")
    return found


def placed(graph: Graph, program: str, down: bool = False) -> tuple[Layout, list[str], list[float]]:
    """A layout with everything that its whole walk will show."""
    contributions = [c for step in reverse_walk(graph).steps for c in step.contributions]
    captions = [product(contribution) for contribution in contributions]
    gradients = [contribution.after for contribution in contributions]
    with rendering_with(program):
        result = layout(graph, gradients, captions, down)
    assert result is not None
    return result, captions, gradients


def area(box: Box) -> Area:
    return box.x, box.y, box.x + box.width, box.y + box.height


def caption_area(edge: Edge, captions: list[str]) -> Area:
    sizes = [caption_size(caption) for caption in captions]
    width, height = max(w for w, _ in sizes), max(h for _, h in sizes)
    x, y = edge.caption
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def distance(point: tuple[float, float], box: Box) -> float:
    left, top, right, bottom = area(box)
    across = max(left - point[0], 0.0, point[0] - right)
    down = max(top - point[1], 0.0, point[1] - bottom)
    return math.hypot(across, down)


@settings(max_examples=60)
@given(graph=graphs(), down=booleans())
def test_everything_has_its_own_place(program: str, graph: Graph, down: bool) -> None:
    drawing, captions, _ = placed(graph, program, down)
    boxes = [area(box) for box in drawing.boxes]
    assert len(boxes) == len(graph)
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other)

    wanted = [(node.index, slot) for node in graph.nodes for slot in range(len(node.inputs))]
    assert [(edge.source, edge.slot) for edge in drawing.edges] == wanted
    for edge in drawing.edges:
        assert edge.target == graph.nodes[edge.source].inputs[edge.slot]
        assert len(edge.curve) % 3 == 1
        assert distance(edge.curve[0], drawing.boxes[edge.target]) < TIP + NEAR
        assert distance(edge.curve[-1], drawing.boxes[edge.source]) < TIP + NEAR
    assert len({edge.curve for edge in drawing.edges}) == len(drawing.edges)

    if captions:
        shown = [caption_area(edge, captions) for edge in drawing.edges]
        for edge, caption in zip(drawing.edges, shown, strict=True):
            assert not any(overlap(caption, box) for box in boxes)
            together = [c for e, c in zip(drawing.edges, shown, strict=True) if e is not edge]
            partners = [e for e in drawing.edges if e is not edge]
            for other, place in zip(partners, together, strict=True):
                at_once = other.source == edge.source or other.target == edge.target
                assert not at_once or not overlap(caption, place)
        boxes += shown
    for left, top, right, bottom in boxes:
        assert left >= -1e-9
        assert right <= drawing.width + 1e-9
        assert top >= -1e-9
        assert bottom <= drawing.height + 1e-9


@settings(max_examples=30)
@given(graph=graphs())
def test_a_box_has_room_for_all_it_will_ever_show(program: str, graph: Graph) -> None:
    drawing, _, _ = placed(graph, program)
    walk = reverse_walk(graph)
    for node, box in zip(graph.nodes, drawing.boxes, strict=True):
        values = [walk.gradients_after(k)[node.index] for k in range(len(walk.steps) + 1)]
        lines = [title(graph, node.index), *(f"grad {number(value)}" for value in values)]
        lines.append(f"data {number(node.data)}")
        assert box.width + 0.5 >= max(map(text_width, lines)) + 2 * BOX_PADDING


def test_the_widest_gradient_of_the_walk_counts_not_the_last(program: str) -> None:
    x = Value(3.0, "x")
    y = x * 0.123456 + x * 0.876544
    graph = Graph.of(y, {})
    drawing, _, gradients = placed(graph, program)
    assert max(map(number, gradients), key=len) == "0.876544"
    assert reverse_walk(graph).grad("x") == 1.0
    widest = text_width("grad 0.876544") + 2 * BOX_PADDING
    assert drawing.boxes[0].width == pytest.approx(widest, abs=0.5)


def test_two_edges_between_the_same_boxes_are_two(program: str) -> None:
    x = Value(3.0, "x")
    drawing, _, _ = placed(Graph.of(x * x, {}), program)
    first, second = drawing.edges
    middle = len(first.curve) // 2
    assert math.dist(first.curve[middle], second.curve[middle]) > 5.0
    assert math.dist(first.caption, second.caption) >= CAPTION_HEIGHT


@settings(max_examples=30)
@given(graph=graphs(), down=booleans())
def test_a_caption_stands_beside_its_arrow(program: str, graph: Graph, down: bool) -> None:
    drawing, captions, _ = placed(graph, program, down)
    for edge in drawing.edges:
        left, top, right, bottom = caption_area(edge, captions)
        for x, y in (along(edge.curve, k / 50) for k in range(51)):
            assert not (left < x < right and top < y < bottom)


def test_what_comes_from_several_nodes_to_a_shared_one_has_room(program: str) -> None:
    x = Value(3.0, "x")
    with rendering_with(program):
        drawing = layout(Graph.of(x * x + x, {}), captions=["?"])
    assert drawing is not None
    into_x = [caption_area(edge, ["?"]) for edge in drawing.edges if edge.target == 0]
    assert len(into_x) == 3
    assert not any(overlap(*pair) for pair in combinations(into_x, 2))


def test_what_comes_from_nodes_in_several_columns_to_one_has_room(program: str) -> None:
    x, w = Value(3.0, "x"), Value(2.0, "w")
    y = x
    for _ in range(6):
        y = (y * w + x) * x
    with rendering_with(program):
        drawing = layout(Graph.of(y, {}), captions=["?"])
    assert drawing is not None
    for target in {edge.target for edge in drawing.edges}:
        into = [caption_area(edge, ["?"]) for edge in drawing.edges if edge.target == target]
        assert not any(overlap(*pair) for pair in combinations(into, 2))
        assert all(top >= -1e-9 and bottom <= drawing.height + 1e-9 for _, top, _, bottom in into)


def test_random_graphs_share_nodes_and_repeat_inputs() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=60)
    @given(graph=graphs())
    def look(graph: Graph) -> None:
        seen["shared"] += any(len(set(users)) > 1 for users in graph.consumers)
        seen["twice"] += any(len(set(n.inputs)) < len(n.inputs) for n in graph.nodes)
        seen["large"] += len(graph) > 8

    look()
    assert min(seen["shared"], seen["twice"], seen["large"]) >= 10, seen
