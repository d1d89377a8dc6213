"""``GraphExplorer`` from Python alone: what it draws, says and refuses."""

import json
import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import traitlets

from engine import (
    Graph,
    GraphExplorer,
    Parameter,
    ReleasedError,
    ReverseWalk,
    Tape,
    Value,
    draw,
    reverse_walk,
    scope,
)
from engine.drawing.renderer import ENVIRONMENT_VARIABLE, renderer
from engine.paths import MOST_AT_EITHER_END
from tests.bench.gpt_shaped import SHORT_NAME, GptShaped

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    '<script>alert("1")</script>',
    "a|b{c}\\",
    "&amp;",
    "\u05e9\u05dc\u05d5\u05dd",
    "x" * 999,
)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.of(GptShaped(width=8).loss(SHORT_NAME), names={})


@pytest.fixture
def view(graph: Graph) -> GraphExplorer:
    return GraphExplorer(graph)


def drawing(view: GraphExplorer) -> ET.Element:
    return ET.fromstring(view.shown["svg"][0])


def say(view: GraphExplorer, **message: object) -> str:
    view._hear(None, message, None)
    return str(view.shown["notice"])


def test_the_first_drawing_is_folded_with_counts(view: GraphExplorer, graph: Graph) -> None:
    assert view.state.story[0] == f"{len(graph):,} nodes in 15 boxes"
    assert view.state.opened == ("token*", "parameters", "token*/layer0")
    assert "attention" in view.state.boxes
    texts = [text.text for text in drawing(view).iter(f"{SVG}text")]
    assert "each of 3 tokens" in texts
    arrows = {caption["caption"] for p in view._positions for caption in p["contributions"]}
    assert arrows <= set(texts)
    assert all(re.fullmatch(r"[\d,]+", arrow) for arrow in arrows)


def test_thicker_arrows_stand_for_more_edges(view: GraphExplorer) -> None:
    width = {}
    for group in drawing(view).iter(f"{SVG}g"):
        if "data-edge" in group.attrib:
            width[group.attrib["data-edge"]] = float(group[0].attrib["stroke-width"])
    counts = {
        caption["edge"]: int(caption["caption"].replace(",", ""))
        for position in view._positions
        for caption in position["contributions"]
    }
    assert width.keys() == counts.keys()
    by_count = sorted(counts, key=lambda edge: counts[edge])
    assert [width[edge] for edge in by_count] == sorted(width.values())
    assert width[by_count[0]] < width[by_count[-1]]


def test_frames_hold_their_boxes_and_nothing_else(view: GraphExplorer) -> None:
    view.open("token1/layer0/attention")
    root = drawing(view)
    outlines = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
        if rect.attrib["class"] == "rw-outline"
    ]
    paths = [frame.path for frame in view._folded.frames]
    assert len(outlines) == len(paths) == 6
    for group in root.iter(f"{SVG}g"):
        if "data-node" not in group.attrib:
            continue
        box = view._folded.boxes[int(group.attrib["data-node"])]
        x, y = map(float, re.findall(r"[\d.]+", group.attrib["transform"]))
        for path, (left, top, width, height) in zip(paths, outlines, strict=True):
            inside = left <= x <= left + width and top <= y <= top + height
            assert inside == f"{box.frame}/".startswith(f"{path}/")


def test_open_close_and_back(view: GraphExplorer) -> None:
    first = view.state
    opened = view.open("token0/layer0").state
    assert "token0/layer0" in opened.opened
    assert "each of 2 other tokens" in [frame["title"] for frame in view.shown["frames"]]
    closed = view.close("token0").state
    assert "token0" in closed.boxes
    assert view.back().state == opened
    assert view.back().state == first
    assert view.back().state == first
    assert not view.shown["canGoBack"]
    view.boxes()
    assert not view.shown["canGoBack"]


def test_one_by_one(view: GraphExplorer) -> None:
    assert {"token0", "token1", "token2"} <= set(view.one_by_one("token*").state.boxes)


def test_a_search_lists_scope_data_and_gradient_of_the_whole_walk(
    view: GraphExplorer, graph: Graph
) -> None:
    found = view.search("wq[3][5]")
    (node,) = found.nodes
    assert (node.name, node.scope, found.total) == ("wq[3][5]", "", 1)
    assert node.grad == reverse_walk(graph).grad("wq[3][5]")
    assert view.shown["found"]["rows"][0]["node"] == graph.index("wq[3][5]")
    assert repr(found).splitlines()[0] == "1 node with “wq[3][5]” in the label."
    many = view.search("WQ[")
    assert many.sentence == (
        "64 nodes with “WQ[” in the label; the first 12 are listed. Type more of the label."
    )
    assert view.search("nothing").sentence == "No label contains “nothing”."
    view.search("")
    assert view.shown["found"] is None


def test_the_strongest_path_is_a_chain_with_its_product(view: GraphExplorer, graph: Graph) -> None:
    state = view.strongest_path("wq[3][5]").state
    assert view.path is not None
    assert view.path.nodes[-1] == graph.output.index
    assert f"{len(view.path.nodes)} nodes" in state.story[0]
    whole = reverse_walk(graph).grad("wq[3][5]")
    said = " ".join(state.story).replace("\N{MINUS SIGN}", "-")
    assert f"{whole:.6g}" in said
    assert f"{view.path.product:.6g}" in said
    assert state.boxes[0] == "wq[3][5]"
    texts = [text.text for text in drawing(view).iter(f"{SVG}text")]
    assert sum(str(text).startswith("\N{MULTIPLICATION SIGN}") for text in texts) == (
        len(state.boxes) - 1
    )
    assert view.boxes().state.story[0].endswith("15 boxes")
    assert view.path is None


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda x: x * 3.0, "There is no other path, so the two are the same."),
        (lambda x: x * 3.0 + x, "75 % of the gradient; the 1 other path add"),
        (lambda x: x * 3.0 - x, "Alone it would be 1.5 times the gradient"),
        (lambda x: x * 3.0 - x * 3.0, "Together with the 1 other path it adds up to 0."),
        (lambda x: (x * 3.0 - x * 2.0) - x * 2.0, "Its sign is the opposite"),
        (lambda x: (-x).relu() + (-x).relu(), "interrupted by a local derivative of 0"),
    ],
)
def test_a_path_is_compared_with_the_whole_gradient(make, sentence: str) -> None:  # type: ignore[no-untyped-def]
    view = GraphExplorer(make(Value(2.0, "x"))).strongest_path("x")
    assert sentence in view.state.story[2]


def halved_sums(times: int, factor: float) -> Value:
    number = Value(1.0, "x")
    for _ in range(times):
        number = (number + number) * factor
    return number


@pytest.mark.parametrize(
    ("output", "product", "sentence"),
    [
        (lambda: halved_sums(1100, 0.5), "too small for a float", "It is not 0, but too small"),
        (lambda: halved_sums(4, 1e-100), "too small for a float", "It is not 0, but too small"),
        (lambda: Value(1.0, "x") * 1e-200 * 1e-200, "too small for a float", "no number that is"),
        (lambda: Value(0.0, "x") * 1e200 * 1e200, "too large for a float", "no number that is"),
        (lambda: Value(0.0, "x") * 1e-200 * 1e-200 * 1e200 * 1e200, "1", "no number that is"),
        (lambda: Value(0.0, "x") * 1e-200 * 0.0, "0", "so the two are the same"),
    ],
)
def test_a_product_that_fits_in_no_float_is_said_to_be_no_0(  # type: ignore[no-untyped-def]
    output, product: str, sentence: str
) -> None:
    _, said, compared = GraphExplorer(output()).strongest_path("x").state.story
    assert f"is {product}. The whole gradient" in said
    assert sentence in compared
    assert "interrupted" not in compared


def test_the_middle_of_a_long_path_is_one_box_that_says_what_is_in_it() -> None:
    view = GraphExplorer(halved_sums(100, 0.5)).strongest_path("x")
    assert view.path is not None
    assert f"{len(view.path.nodes)} nodes" in view.state.story[0]
    place = next(i for i, box in enumerate(view.shown["boxes"]) if box["node"] is None)
    box = view.shown["boxes"][place]
    hidden = len(view.path.nodes) - (len(view.shown["boxes"]) - 1)
    assert box["title"] == f"{hidden} nodes between"
    inside = view.path.local_derivatives[place : place + hidden - 1]
    product = f"{math.prod(inside):.6g}".replace("-", "−")
    assert f"the product of the {hidden - 1} local derivatives is {product}." in box["sentences"][1]
    said = [line for position in view.shown["positions"] for line in position["sentences"]]
    (step,) = (line for line in said if line.endswith(f"their product: {product}."))
    assert f"The last of these {hidden} nodes has the gradient 1." in step
    assert any("a part of the gradient 1 of the last of them." in line for line in said)
    texts = [text.text for text in drawing(view).iter(f"{SVG}text")]
    assert f"{hidden} nodes between" in texts


@pytest.mark.parametrize("factor", [0.4, 0.5, 0.6])
def test_the_middle_of_a_long_path_can_be_seen_from_the_node_it_names(factor: float) -> None:
    view = GraphExplorer(halved_sums(100, factor)).strongest_path("x")
    (box,) = (box for box in view.shown["boxes"] if box["node"] is None)
    found = re.search(r"the node halfway, (n\d+), and show", box["sentences"][3])
    assert found is not None
    (halfway,) = view.search(found[1]).nodes
    shown_before = {box["node"] for box in view.shown["boxes"]}
    view.strongest_path(halfway.index)
    new = {box["node"] for box in view.shown["boxes"]} - shown_before
    assert len(new) >= MOST_AT_EITHER_END


def test_a_neighborhood_says_what_it_leaves_out(view: GraphExplorer, graph: Graph) -> None:
    state = view.neighborhood("wq[3][5]", hops=4).state
    total, drawn, left = (
        int(n.replace(",", ""))
        for n in re.findall(
            r"^([\d,]+) nodes|(\d+) of them|([\d,]+) are left", "\n".join(state.story)
        )
        for n in n
        if n
    )
    assert drawn == len(state.boxes) == 40
    assert total == drawn + left
    assert f"all {len(graph):,} nodes" in state.story[-1]


@pytest.mark.parametrize("hops", [0, 7, -1])
def test_hops_are_few(view: GraphExplorer, hops: int) -> None:
    with pytest.raises(ValueError, match=f"hops is a whole number from 1 to 6, got {hops}"):
        view.neighborhood("wq[3][5]", hops)


@pytest.mark.parametrize("hops", [2.5, "2", True, None])
def test_hops_are_a_whole_number(view: GraphExplorer, hops: object) -> None:
    with pytest.raises(TypeError, match="hops is a whole number, got"):
        view.neighborhood("wq[3][5]", hops)  # type: ignore[arg-type]


def test_hops_and_nodes_may_be_whole_numbers_of_numpy(view: GraphExplorer, graph: Graph) -> None:
    node = graph.index("wq[3][5]")
    view.neighborhood(np.int64(node), np.int64(2))  # type: ignore[arg-type]
    drawn = view.state
    json.dumps(view.shown)
    assert drawn == view.neighborhood(node, 2).state


def test_a_node_that_is_found_by_its_place_is_said_to_be() -> None:
    a, b, c = (Value(1.0, name) for name in "abc")
    view = GraphExplorer(a * b + c)
    found = view.search("n2")
    assert found.sentence == "1 node called “n2” by its place."
    assert [node.name for node in found.nodes] == ["a * b"]
    assert view.search("n5").sentence == "No label contains “n5”."
    product = a * b
    product.label = "n2"
    assert GraphExplorer(product + c).search("n2").sentence == "1 node with “n2” in the label."
    many = [Value(1.0, f"n1{place}") for place in range(20)]
    found = GraphExplorer(sum(many[1:], many[0])).search("n1")
    assert found.sentence == (
        "20 nodes with “n1” in the label; the first 12 are listed. Type more of the label."
    )
    found = GraphExplorer(sum(many[1:], many[0])).search("N12")
    assert found.sentence == "1 node called “N12” by its place and 1 node with “N12” in the label."
    assert found.nodes[0].index == 12


def test_what_a_search_names_can_be_named_again() -> None:
    twice = [Value(float(place), "x") for place in range(2)]
    view = GraphExplorer(twice[0] * twice[1])
    for node in view.search("x").nodes:
        assert view.strongest_path(node.name).path.nodes[0] == node.index  # type: ignore[union-attr]


def test_the_walk_goes_box_by_box_with_the_largest_gradient(
    view: GraphExplorer, graph: Graph
) -> None:
    gradients = reverse_walk(graph).gradients
    assert view.step().state.box == "loss"
    assert view.step(2).index == 3
    assert view.state.box == "logits"
    logits = [gradients[n.index] for n in graph.nodes if n.scope.endswith("logits")]
    largest = max(logits, key=abs)
    assert f"{largest:.6g}" in view.state.sentences[0].replace("\N{MINUS SIGN}", "-")
    assert view.step(99).index == view.last == 15
    assert view.step(-99).state.box is None
    with pytest.raises(traitlets.TraitError, match="positions 0 to 15, got 16"):
        view.index = 16


def test_a_step_at_a_single_node_multiplies(view: GraphExplorer) -> None:
    x = Value(3.0, "x")
    u = x * x
    u.label = "u"
    sentences = GraphExplorer(u * 2.0).step(2).state.sentences
    assert sentences[0] == "u.grad = 2."
    assert sentences[1] == (
        "To x: local derivative 3 \N{MULTIPLICATION SIGN} upstream gradient 2 = 6 of x.grad = 12."
    )


def test_boxes_of_one_name_are_told_apart_by_their_frames(view: GraphExplorer) -> None:
    view.step()
    assert view.shown["positions"][1]["heading"] == "Step 1 of 15: loss"
    assert "go back to loss in each of 3 tokens (3 edges)" in view.state.sentences[1]
    heading = view.shown["positions"][2]["heading"]
    assert heading == "Step 2 of 15: loss in each of 3 tokens"
    assert "go back to logits (81 edges)" in view.step().state.sentences[1]


def test_open_boxes_of_one_title_have_names_of_their_own() -> None:
    values = []
    for layer in range(3):
        with scope(f"layer{layer}"):
            values += [Parameter(0.5, f"layer{layer}.w[{k}]") * 2.0 for k in range(8)]
    view = GraphExplorer(sum(values[1:], values[0]))
    for path in ("layer*", "parameters", "parameters/layer*"):
        if path not in view.state.opened:
            view.open(path)
    names = {frame["path"]: frame["name"] for frame in view.shown["frames"]}
    titles = [frame["title"] for frame in view.shown["frames"]]
    assert titles.count("each of 3 layers") > 1
    assert len({*names.values()}) == len(titles)
    assert names["layer*"] == "each of 3 layers"
    assert names["parameters/layer*"] == "parameters / each of 3 layers"


def test_the_page_is_told_the_hops_of_a_neighborhood(view: GraphExplorer) -> None:
    assert view.shown["hops"] is None
    assert view.neighborhood("wq[3][5]", hops=1).shown["hops"] == 1
    assert view.neighborhood("wq[3][5]", hops=3).shown["hops"] == 3
    assert view.boxes().shown["hops"] is None


def test_another_drawing_starts_its_walk_anew(view: GraphExplorer) -> None:
    view.step(5).open("attention")
    assert view.index == 0
    view.step(3).search("wq")
    assert view.index == 3


def test_a_step_that_the_page_made_in_the_drawing_before_is_none_in_this_one(
    view: GraphExplorer,
) -> None:
    view.set_state({"stepped": [view.shown["number"], 4]})
    assert view.index == 4
    before = view.shown["number"]
    view.open("attention")
    view.set_state({"stepped": [before, 7]})
    assert view.index == 0
    assert view.stepped == [view.shown["number"], 0]
    view.set_state({"stepped": [view.shown["number"], 2]})
    assert view.state.index == 2


def test_the_page_holds_texts_and_places_only(view: GraphExplorer) -> None:
    for page in (view.shown, view.neighborhood("wq[3][5]").shown, view.search("wq") and view.shown):
        text = json.dumps(page)
        assert json.loads(text) == page
        for position in page["positions"]:
            for caption in position["contributions"]:
                assert isinstance(caption["caption"], str)


def test_buttons_and_python_do_the_same(view: GraphExplorer, graph: Graph) -> None:
    node = graph.index("wq[3][5]")
    for message, same in (
        ({"do": "open", "path": "token0/layer0"}, lambda v: v.open("token0/layer0")),
        ({"do": "close", "path": "token0"}, lambda v: v.close("token0")),
        ({"do": "each", "path": "token*"}, lambda v: v.one_by_one("token*")),
        ({"do": "around", "node": node, "hops": 3}, lambda v: v.neighborhood(node, 3)),
        ({"do": "path", "node": node}, lambda v: v.strongest_path(node)),
        ({"do": "boxes"}, lambda v: v.boxes()),
    ):
        other = GraphExplorer(graph)
        if message["do"] == "close":
            view.open("token0/layer0")
            other.open("token0/layer0")
        assert say(view, **message) == ""
        assert view.state == same(other).state
        say(view, do="back")
        while view.shown["canGoBack"]:
            say(view, do="back")


@pytest.mark.parametrize(
    ("message", "notice"),
    [
        ({"do": "open", "path": "parameters/wq"}, "at most 60 are drawn at once"),
        ({"do": "open", "path": "nowhere"}, "no scope 'nowhere'"),
        ({"do": "path", "node": -1}, "there is no node -1"),
        ({"do": "around", "node": 1, "hops": 50}, "from 1 to 6"),
        ({"do": "something"}, "something"),
        ({}, "do"),
    ],
)
def test_what_cannot_be_done_is_said_in_the_page(
    view: GraphExplorer, message: dict[str, object], notice: str
) -> None:
    before = view.state
    assert notice in say(view, **message)
    assert view.state == before


def test_bad_input_is_refused() -> None:
    with pytest.raises(TypeError):
        GraphExplorer(3.0)  # type: ignore[arg-type]
    x = Value(3.0)
    with Tape():
        y = x * 2
    with pytest.raises(ReleasedError):
        GraphExplorer(y)


def test_other_views_send_large_graphs_here() -> None:
    y = Value(1.0)
    for _ in range(200):
        y = y + 1.0
    for show in (draw, ReverseWalk):
        with pytest.raises(ValueError, match=r"GraphExplorer\(y\)"):
            show(y)
    assert GraphExplorer(y).state.boxes


def test_the_text_equivalent_names_the_paths_to_open(view: GraphExplorer) -> None:
    text = repr(view)
    for path in ("parameters/wq", "token*/embed", "token*/layer0/attention", "loss"):
        assert f"\n{path} " in text
    bundle, _ = view._repr_mimebundle_()
    assert bundle["text/plain"] == text
    assert bundle["image/svg+xml"] == view.shown["svg"][0]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_without_graphviz_the_text_and_the_tables_remain(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "")
    assert renderer() is None
    view = GraphExplorer(graph)
    assert view.shown["svg"] == []
    assert "graphviz-pure" in view.shown["noPicture"]
    bundle, _ = view._repr_mimebundle_()
    assert "image/svg+xml" not in bundle
    assert view.open("attention").state.boxes
    assert view.strongest_path("wq[3][5]").shown["svg"]


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_and_scopes_stay_text(label: str) -> None:
    total = Value(1.0, label)
    for place in range(12):
        with scope(f"{label}{place}"):
            total = (total * Parameter(2.0, f"{label}[{place}]")).tanh()
    view = GraphExplorer(total)
    for _ in range(2):
        root = drawing(view)
        assert {element.tag for element in root.iter()} <= {
            f"{SVG}{tag}" for tag in ("svg", "title", "g", "rect", "path", "polygon", "text")
        }
        assert not any("id" in element.attrib for element in root.iter())
        assert all("<script" not in drawn for drawn in view.shown["svg"])
        json.dumps(view.shown)
        view.neighborhood(0)
    assert view.search(label[:5]).total


def test_gradients_too_large_for_a_float_are_shown_all_the_same() -> None:
    x = Value(0.0, "x")
    y = x * 1e200 * 1e200 + x
    view = GraphExplorer(y)
    assert "inf" in view.search("x").sentence + repr(view.search("x"))
    assert "too large to compare" in view.strongest_path("x").state.story[2]
    json.dumps(view.shown, allow_nan=False)
