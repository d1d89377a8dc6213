"""A folded graph as a drawing: what it says fits, and nothing covers anything else."""

from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import pytest
from drawn_graphs import RENDERERS, find_renderer, rendering_with

from engine import Graph, Parameter, Value, scope
from engine.boxes import Arrow, FoldedGraph
from engine.drawing.boxes import Box, along
from engine.drawing.folded import (
    MOST_CHAIN_COLUMNS,
    arrow_text,
    arrows_into,
    box_title,
    chain_layout,
    folded_layout,
    folded_svg,
    scope_title,
    weights,
)
from engine.drawing.layout import CAPTION_HEIGHT, caption_size, text_width
from engine.drawing.svg import LEAST_SCALE, PAGE_WIDTH
from engine.folding import Fold, Folding
from engine.gpt import GPT, encode
from engine.paths import MOST_BOXES
from tests.bench.gpt_shaped import SHORT_NAME, GptShaped

SVG = "{http://www.w3.org/2000/svg}"
Area = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def folding() -> Folding:
    return Folding(Graph.of(GptShaped(width=8).loss(SHORT_NAME), names={}))


@pytest.fixture(params=RENDERERS)
def program(request: pytest.FixtureRequest) -> str:
    found = find_renderer(request.param)
    if found is None:
        pytest.skip(f"this machine has no {request.param}")
    return found


def drawings(folding: Folding) -> list[FoldedGraph]:
    first = folding.first()
    node = folding.nodes.search("wq[3][5]").nodes[0]
    return [
        folding.view(first),
        folding.view(folding.open(first, "token0/layer0/attention")),
        folding.view(folding.one_by_one(folding.close(first, "parameters"), "token*")),
        folding.nodes.cut_out(folding.nodes.neighborhood(node, 2).nodes),
    ]


def area(box: Box) -> Area:
    return box.x, box.y, box.x + box.width, box.y + box.height


def overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_a_number_below_a_sagging_arrow_is_inside_the_drawing(program: str) -> None:
    folding = Folding(Graph.of(GPT(seed=1).read(encode("ada")).loss, names={}))
    few_boxes = folding.view(folding.close(folding.first(), "parameters"))
    with rendering_with(program):
        placed = folded_layout(folding, few_boxes)
    assert placed is not None
    for edge in placed.layout.edges:
        assert edge.caption[1] + CAPTION_HEIGHT / 2 <= placed.layout.height


def test_boxes_and_the_numbers_on_arrows_cover_nothing(folding: Folding, program: str) -> None:
    covered = drawn = 0
    for folded in drawings(folding):
        with rendering_with(program):
            placed = folded_layout(folding, folded)
        assert placed is not None
        boxes = [area(box) for box in placed.layout.boxes]
        assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
        arrows = [arrow for arrows in arrows_into(folded) for arrow in arrows]
        for arrow, edge in zip(arrows, placed.layout.edges, strict=True):
            assert (edge.source, edge.target) == (arrow.end, arrow.start)
            half, (x, y) = caption_size(arrow_text(arrow))[0] / 2, edge.caption
            caption = (x - half, y - 8.0, x + half, y + 8.0)
            covered += any(overlap(caption, box) for box in boxes)
            drawn += 1
    assert covered <= drawn / 20


def test_no_number_cuts_a_flat_arrow_into_a_minus_sign(folding: Folding, program: str) -> None:
    flat = 0
    for folded in drawings(folding):
        with rendering_with(program):
            placed = folded_layout(folding, folded)
        assert placed is not None
        arrows = [arrow for arrows in arrows_into(folded) for arrow in arrows]
        for arrow, edge in zip(arrows, placed.layout.edges, strict=True):
            line = [along(edge.curve, step / 100) for step in range(101)]
            across, heights = line[-1][0] - line[0][0], [up for _, up in line]
            if max(heights) - min(heights) > abs(across) / 8:
                continue
            flat += 1
            half, (x, y) = caption_size(arrow_text(arrow))[0] / 2, edge.caption
            assert not any(abs(at - x) < half and abs(up - y) < 11.0 for at, up in line)
    assert flat > 5


def test_numbers_keep_off_the_border_of_a_frame(folding: Folding, program: str) -> None:
    crossing = drawn = 0
    for folded in drawings(folding):
        with rendering_with(program):
            placed = folded_layout(folding, folded)
        assert placed is not None
        arrows = [arrow for arrows in arrows_into(folded) for arrow in arrows]
        for arrow, edge in zip(arrows, placed.layout.edges, strict=True):
            half, (x, y) = caption_size(arrow_text(arrow))[0] / 2, edge.caption
            caption = (x - half, y - 11.0, x + half, y + 11.0)
            drawn += 1
            for left, top, right, bottom in map(area, placed.frames):
                within = left < caption[0] and caption[2] < right
                within &= top < caption[1] and caption[3] < bottom
                crossing += not within and overlap(caption, (left, top, right, bottom))
    assert crossing <= drawn / 20


def test_every_text_fits_into_its_box(folding: Folding, program: str) -> None:
    for folded in drawings(folding):
        with rendering_with(program):
            placed = folded_layout(folding, folded)
        assert placed is not None
        root = ET.fromstring(folded_svg(folding, folded, placed))
        for group in root.iter("{http://www.w3.org/2000/svg}g"):
            if "data-node" not in group.attrib:
                continue
            box = placed.layout.boxes[int(group.attrib["data-node"])]
            texts = {t.attrib["class"]: t.text or "" for t in group if t.tag.endswith("text")}
            assert text_width(texts["rw-title"]) <= box.width
            assert text_width("data " + texts["rw-data"]) <= box.width
            assert text_width(texts["rw-grad"]) <= box.width


def test_frames_lie_in_the_frames_around_them(folding: Folding, program: str) -> None:
    folded = drawings(folding)[1]
    with rendering_with(program):
        placed = folded_layout(folding, folded)
    assert placed is not None
    outline = dict(zip([f.path for f in folded.frames], map(area, placed.frames), strict=True))
    for frame in folded.frames:
        if frame.outer:
            inner, outer = outline[frame.path], outline[frame.outer]
            assert outer[0] < inner[0] < inner[2] < outer[2]
            assert outer[1] < inner[1] < inner[3] < outer[3]
    for one, other in combinations(folded.frames, 2):
        if one.outer == other.outer:
            assert not overlap(outline[one.path], outline[other.path])
    whole = (0.0, 0.0, placed.layout.width, placed.layout.height)
    for left, top, right, bottom in outline.values():
        assert whole[0] <= left < right <= whole[2]
        assert whole[1] <= top < bottom <= whole[3]


def test_a_chain_runs_in_rows_from_neighbor_to_neighbor(folding: Folding) -> None:
    path = folding.nodes.strongest_path(folding.nodes.search("wq[3][5]").nodes[0])
    chain = folding.nodes.chain(path)
    layout = chain_layout(folding, chain).layout
    assert len(layout.boxes) == len(chain.boxes) > MOST_CHAIN_COLUMNS
    assert 1 < len({box.x for box in layout.boxes}) < MOST_CHAIN_COLUMNS
    assert layout.width * LEAST_SCALE <= PAGE_WIDTH, "a row can be read on a page"
    for one, other in pairwise(layout.boxes):
        assert (one.x == other.x) != (one.y == other.y)
    assert not any(overlap(area(a), area(b)) for a, b in combinations(layout.boxes, 2))
    single = Folding(Graph.of(Value(1.0), names={}))
    assert (
        len(chain_layout(single, single.nodes.chain(single.nodes.strongest_path(0))).layout.boxes)
        == 1
    )


@pytest.mark.parametrize("factor", [0.5, -1.5, 1.0])
def test_a_long_chain_is_a_page_that_says_what_its_middle_does(factor: float) -> None:
    number = Value(0.0, "x")
    for _ in range(3000):
        number = number * factor
    folding = Folding(Graph.of(number, names={}))
    chain = folding.nodes.chain(folding.nodes.strongest_path(0))
    placed = chain_layout(folding, chain)
    assert placed.layout.width * LEAST_SCALE <= PAGE_WIDTH, "a row can be read on a page"
    assert len(placed.layout.boxes) <= MOST_BOXES
    (middle,) = (place for place, box in enumerate(chain.boxes) if box.node is None)
    count = chain.boxes[middle].count
    assert count == len(folding.graph) - (len(chain.boxes) - 1)
    svg = ET.fromstring(folded_svg(folding, chain, placed))
    (group,) = (g for g in svg.iter(f"{SVG}g") if g.attrib.get("data-node") == str(middle))
    words = "".join(group.itertext())
    assert f"{count:,} nodes between" in words
    expected = {0.5: "too small for a float", -1.5: "too large for a float", 1.0: "product 1"}
    assert expected[factor] in words


def test_a_bar_is_a_quarter_shorter_for_a_tenth() -> None:
    terms = []
    for power, name in enumerate("abcdefg"):
        with scope(name):
            made = Value(1.0) * 1.0
        terms.append(made * 10.0**-power)
    with scope("nothing"):
        made = Value(1.0) * 1.0
    folding = Folding(Graph.of(sum(terms) + made * 0.0, names={}))
    folded = folding.view(Fold())
    bars = dict(zip([box.path for box in folded.boxes], weights(folding, folded), strict=True))
    assert [bars[name] for name in "abcd"] == pytest.approx([1.0, 0.75, 0.5, 0.25])
    assert 0.0 < bars["e"] == bars["f"] == bars["g"] < 0.25
    assert bars["nothing"] == 0.0


@pytest.mark.parametrize(
    ("path", "members", "rest", "title"),
    [
        ("a/token*", ("token0", "token1"), False, "each of 2 tokens"),
        ("token*", ("token1", "token2"), True, "each of 2 other tokens"),
        ("batch*", ("batch0", "batch1"), False, "each of 2 batches"),
        ("copy*", ("copy0", "copy1"), False, "each of 2 copies"),
        ("day*", ("day0", "day1"), False, "each of 2 days"),
        ("layer_*", ("layer_0", "layer_1"), False, "each of 2 layers"),
        ("*", ("0", "1"), False, "each of 2 scopes"),
        ("h2x*", ("h2x0", "h2x1"), False, "each of 2 h2x"),
        ("a/b", (), False, "b"),
        ("a/.", (), False, "a itself"),
        (".", (), False, "in no scope"),
    ],
)
def test_a_scope_is_called_by_its_last_part(
    path: str, members: tuple[str, ...], rest: bool, title: str
) -> None:
    assert scope_title(path, members, rest) == title


def test_an_arrow_says_how_many_edges_or_which_local_derivative() -> None:
    assert arrow_text(Arrow(0, 1, 12345)) == "12,345"
    assert arrow_text(Arrow(0, 1, 1, 0.123456)) == "\N{MULTIPLICATION SIGN} 0.1235"


def test_no_scope_or_label_reaches_the_program(program: str) -> None:
    hostile = 'x" ]; node [label="hacked'
    total = Value(1.0, hostile)
    for place in range(30):
        with scope(f"{hostile}{place}"):
            total = total * Parameter(1.0, hostile) + 1.0
    folding = Folding(Graph.of(total, names={}))
    folded = folding.view(folding.first())
    with rendering_with(program):
        placed = folded_layout(folding, folded)
    assert placed is not None
    assert len(placed.layout.boxes) == len(folded.boxes)
    markup = folded_svg(folding, folded, placed)
    titles = [t.text for t in ET.fromstring(markup).iter() if t.attrib.get("class") == "rw-title"]
    assert titles == [box_title(folding, box) for box in folded.boxes]
