"""A folded graph loses no node and no edge, and its gradients are those of the whole walk."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import pytest

from engine import Graph, Parameter, Value, reverse_walk, scope
from engine.boxes import Arrow, Box, FoldedGraph, box_order, circles
from engine.folding import FEW_NODES, MOST_AT_FIRST, Fold, Folding
from engine.paths import MOST_AT_EITHER_END, MOST_BOXES, product_of
from engine.walk import gradients_of
from tests.bench.gpt_shaped import SHORT_NAME, GptShaped

TOKENS = len(SHORT_NAME) - 1
MODEL = GptShaped(width=8, heads=4, layers=2, seed=3)


@pytest.fixture(scope="module")
def folding() -> Folding:
    return Folding(Graph.of(MODEL.loss(SHORT_NAME), names={}))


def paths(folded: FoldedGraph) -> list[str]:
    return [box.path for box in folded.boxes]


def edges_of(folding: Folding) -> int:
    return sum(len(node.inputs) for node in folding.graph.nodes)


def folds(folding: Folding) -> Iterator[Fold]:
    yield Fold()
    first = folding.first()
    yield first
    yield folding.open(first, "token1/layer0/attention")
    yield folding.one_by_one(first, "token*")
    yield folding.close(first, "token*")
    yield folding.open(first, "loss")  # its nodes, one by one


def repeated(*names: str) -> Folding:
    """One number made in each of some scopes."""
    total = Value(1.0, "x")
    for name in names:
        with scope(name):
            total = (total + 1.0) * 2.0
    return Folding(Graph.of(total, names={}))


def test_every_node_is_in_one_box_and_every_edge_is_counted_once(folding: Folding) -> None:
    for fold in folds(folding):
        folded = folding.view(fold)
        assert sum(box.count for box in folded.boxes) == len(folding.graph)
        counted = sum(arrow.count for arrow in folded.arrows)
        assert counted + sum(box.inside for box in folded.boxes) == edges_of(folding)


def test_an_arrow_counts_the_edges_between_its_two_boxes(folding: Folding) -> None:
    folded = folding.view(folding.first())
    box_of = {}
    for place, box in enumerate(folded.boxes):
        for node in folding.graph.nodes:
            parts = node.scope.split("/")
            if node.kind == "parameter":
                mine = ("parameters", *node.label.partition("[")[0].split("."))
            else:
                mine = tuple("token*" if part.startswith("token") else part for part in parts)
            wanted = tuple(box.path.split("/"))
            folded_layers = tuple("layer*" if p.startswith("layer") else p for p in mine)
            if wanted in (mine[: len(wanted)], folded_layers[: len(wanted)]):
                box_of[node.index] = place
    expected = Counter(
        (box_of[target], box_of[node.index])
        for node in folding.graph.nodes
        for target in node.inputs
    )
    got = {(arrow.start, arrow.end): arrow.count for arrow in folded.arrows}
    assert got == {ends: count for ends, count in expected.items() if ends[0] != ends[1]}


def test_a_gradient_that_is_no_number_counts_as_the_largest() -> None:
    x, w, v = Value(1e300, "x"), Value(2.0, "w"), Value(3.0, "v")
    lost = x * x * w * 0.0 + v * -1e9
    folding = Folding(Graph.of(lost, {}))
    x_place, w_place, v_place = map(folding.graph.index, ("x", "w", "v"))
    assert math.isnan(folding.gradients[w_place])
    sizes = [folding.gradient_size(place) for place in (x_place, w_place, v_place)]
    assert sizes == [0.0, math.inf, 1e9]
    (inputs,) = (box for box in folding.view(Fold()).boxes if box.path == "inputs")
    assert (inputs.count, inputs.largest) == (3, w_place)


def test_an_arrow_between_a_single_node_and_a_box_counts_too() -> None:
    x = Value(2.0, "x")
    with scope("part"):
        doubled = x * 2.0 + x
    folded = Folding(Graph.of((doubled + 1.0) * doubled, names={})).view(Fold())
    names = [box.path or box.node for box in folded.boxes]
    ends = [(names[a.start], names[a.end], a.count) for a in folded.arrows]
    assert sorted(ends, key=str) == [("part", 3, 1), ("part", 4, 1), (0, "part", 2), (3, 4, 1)]


def test_the_first_drawing_has_few_boxes_and_folds_the_tokens(folding: Folding) -> None:
    folded = folding.view(folding.first())
    assert len(folded.boxes) <= MOST_AT_FIRST
    token = next(frame for frame in folded.frames if frame.path == "token*")
    assert token.members == tuple(f"token{place}" for place in range(TOKENS))
    assert not token.rest
    assert folded.boxes[-1].last == folding.graph.output.index


def test_parameters_stand_together_by_label(folding: Folding) -> None:
    fold = folding.open(Fold(), "parameters/layer*")
    counts = {box.path: box.count for box in folding.view(fold).boxes}
    assert counts["parameters/layer*/wq"] == 2 * 8 * 8
    assert counts["parameters/layer*/fc1"] == 2 * 8 * 32
    assert counts["parameters/wte"] == len(set(SHORT_NAME[:-1])) * 8


def test_labels_that_end_in_a_number_are_not_repeated_scopes() -> None:
    total = Value(1.0)
    for layer in range(3):
        for place in range(2):
            total = total * Parameter(2.0, f"w{layer}[{place}]")
    for _ in range(FEW_NODES):
        total = total + 1.0
    folding = Folding(Graph.of(total, names={}))
    shown = paths(folding.view(folding.open(Fold(), "parameters")))
    assert {path for path in shown if path.startswith("parameters")} == {
        f"parameters/w{layer}" for layer in range(3)
    }


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("head0", "head1"), ["head*"]),
        (("fc1", "fc2"), ["fc1", "fc2"]),
        (("layer1", "layer2", "layer3"), ["layer*"]),
        (("a0", "b0", "a1"), ["a*", "b0"]),
        (("0", "1", "2"), ["*"]),
        (("token0", "token00"), ["token*"]),
        (("token0", "token1", "token*"), ["token0", "token1", "token*"]),
        (("a//b/", "./c"), ["a", "c"]),
    ],
)
def test_scopes_that_differ_only_by_a_trailing_number_are_one_box(
    names: tuple[str, ...], expected: list[str]
) -> None:
    found = {box.path for box in repeated(*names).view(Fold()).boxes}
    assert found - {""} == set(expected)


def test_one_of_several_is_taken_out_and_put_back(folding: Folding) -> None:
    first = folding.first()
    opened = folding.open(first, "token1/layer0")
    folded = folding.view(opened)
    assert "token1/embed" in paths(folded)
    assert "token1/layer0/mlp" in paths(folded)
    rest = next(frame for frame in folded.frames if frame.path == "token*")
    assert rest.members == ("token0", "token2")
    assert rest.rest

    closed = folding.close(opened, "token1")
    assert "token1" in paths(folding.view(closed))
    assert folding.close(closed, "token1") == first


def test_one_by_one_shows_each_of_them(folding: Folding) -> None:
    fold = folding.one_by_one(folding.first(), "token*")
    shown = paths(folding.view(fold))
    assert [path for path in shown if path.startswith("token")] == ["token0", "token1", "token2"]


def test_the_end_of_a_path_is_enough_where_one_box_ends_so(folding: Folding) -> None:
    fold = folding.first()
    assert folding.open(fold, "attention").opened == fold.opened | {"token*/layer*/attention"}
    assert folding.close(fold, "token*").opened == fold.opened - {
        path for path in fold.opened if path.startswith("token*")
    }
    opened = folding.open(Fold(frozenset({"token*"})), "layer*")
    assert "token*/layer*" in opened.opened


def test_what_is_too_much_to_draw_is_said_with_numbers_and_a_way_out(folding: Folding) -> None:
    fold = folding.first()
    with pytest.raises(ValueError, match=r"would draw [\d,]+ boxes; at most 60 .* search a label"):
        folding.open(fold, "token0/logits")
    total = Value(1.0)
    for place in range(100):
        with scope(f"sample{place}"):
            total = (total + 1.0) * 2.0
    many = Folding(Graph.of(total, names={}))
    with pytest.raises(ValueError, match=r"Open one of the repeated scopes, such as 'sample0'"):
        many.one_by_one(Fold(), "sample*")


def test_a_large_graph_without_scopes_is_one_box_that_cannot_be_opened() -> None:
    total = Value(1.0)
    for _ in range(100):
        total = total + 1.0
    folding = Folding(Graph.of(total, names={}))
    assert sorted(paths(folding.view(folding.first()))) == ["", "."]
    with pytest.raises(ValueError, match=r"'\.' would draw 101 boxes"):
        folding.open(folding.first(), ".")


def test_closing_another_box_is_offered_where_that_helps() -> None:
    total = Value(1.0)
    for outer in "abcdef":
        for inner in "ghijklmnopqrstu":
            with scope(f"{outer}/{inner}"):
                total = (total + 1.0) * 2.0
    folding, fold = Folding(Graph.of(total, names={})), Fold()
    for outer in "abc":
        fold = folding.open(fold, outer)
    with pytest.raises(ValueError, match="Close another box first, such as 'c'"):
        folding.open(fold, "d")


def test_unknown_paths_name_what_there_is(folding: Folding) -> None:
    with pytest.raises(KeyError, match=r"no scope 'tokens' in this graph, only: .*token"):
        folding.open(Fold(), "tokens/embed")
    with pytest.raises(KeyError, match=r"no scope 'embedding' in 'token\*', only: layer\*, embed"):
        folding.open(Fold(), "token*/embedding")
    with pytest.raises(KeyError, match="'logits' is not open; open: nothing"):
        folding.close(Fold(), "logits")
    with pytest.raises(KeyError, match="not one of several"):
        folding.one_by_one(Fold(), "loss")
    with pytest.raises(TypeError, match="a box has a path"):
        folding.open(Fold(), 3)  # type: ignore[arg-type]


def test_a_small_graph_is_shown_whole() -> None:
    a, b = Value(2.0, "a"), Value(-3.0, "b")
    folding = Folding(Graph.of(a * b + a, names={}))
    folded = folding.view(folding.first())
    assert [box.node for box in folded.boxes] == [0, 1, 2, 3]
    between = [(arrow.start, arrow.end, arrow.local_derivative) for arrow in folded.arrows]
    assert sorted(between) == [(0, 2, -3.0), (0, 3, 1.0), (1, 2, 2.0), (2, 3, 1.0)]


def test_own_nodes_of_a_scope_are_a_box_unless_they_are_few() -> None:
    def made(own: int) -> list[str]:
        total = Value(1.0)
        with scope("outer"):
            for place in range(4):
                with scope(f"inner{place}"):
                    total = (total + 1.0) * 2.0
            for _ in range(own):
                total = total + 1.0
        folding = Folding(Graph.of(total * 1.0, names={}))
        return paths(folding.view(folding.open(Fold(), "outer")))

    assert "outer/." in made(FEW_NODES + 1)
    assert "outer/." not in made(FEW_NODES)


def test_gradients_are_those_of_the_whole_walk(folding: Folding) -> None:
    assert gradients_of(folding.graph) == reverse_walk(folding.graph).gradients
    for fold in folds(folding):
        for box in folding.view(fold).boxes:
            if box.path:
                largest = folding.largest_in(fold, box.path)
                assert largest[0] == box.largest
                sizes = [folding.gradient_size(node) for node in largest]
                assert sizes == sorted(sizes, reverse=True)


def test_boxes_are_walked_after_all_that_were_made_from_them(folding: Folding) -> None:
    for fold in folds(folding):
        folded = folding.view(fold)
        order, in_circle = box_order(folded), circles(folded)
        assert sorted(order) == list(range(len(folded.boxes)))
        assert order[0] == len(folded.boxes) - 1
        turn = {box: number for number, box in enumerate(order)}
        for arrow in folded.arrows:
            if not {arrow.start, arrow.end} <= in_circle:
                assert turn[arrow.end] < turn[arrow.start]


def test_folded_layers_and_heads_make_circles_that_are_walked_all_the_same(
    folding: Folding,
) -> None:
    fold = folding.open(folding.first(), "token*/layer*/attention")
    folded = folding.view(fold)
    assert {folded.boxes[place].path for place in circles(folded)} >= {
        "token*/layer*/attention/.",
        "token*/layer*/attention/head*",
    }
    order = box_order(folded)
    assert sorted(order) == list(range(len(folded.boxes)))
    met_first = next(place for place in order if place in circles(folded))
    assert met_first == max(circles(folded), key=lambda place: folded.boxes[place].last)


def test_numbers_of_thousands_of_digits_are_only_text() -> None:
    digits = "9" * 5000
    folding = repeated(f"a{digits}", f"b{digits}", f"b0{digits}")
    assert folding.nodes.search(f"n{digits}").total == 0
    assert len(folding.view(Fold()).boxes) == 4


def test_search_puts_whole_labels_first_and_counts_all(folding: Folding) -> None:
    found = folding.nodes.search("layer1.WQ[3][5]")
    assert [folding.graph.nodes[node].label for node in found.nodes] == ["layer1.wq[3][5]"]
    labels = ("a wq", "wq two", "WQ")
    total = sum(Value(1.0, label) for label in labels)
    assert isinstance(total, Value)
    small = Folding(Graph.of(total, names={}))
    order = [small.graph.nodes[node].label for node in small.nodes.search("wq").nodes]
    assert order == ["WQ", "wq two", "a wq"]
    assert folding.nodes.search("wq").total == 2 * 8 * 8
    assert len(folding.nodes.search("wq").nodes) == 12
    assert folding.nodes.search("  ").total == folding.nodes.search("no such label").total == 0
    assert folding.nodes.search("n7").nodes[0] == 7
    with pytest.raises(TypeError, match="a search needs text"):
        folding.nodes.search(7)  # type: ignore[arg-type]


def test_a_neighborhood_is_what_edges_reach_nearest_first(folding: Folding) -> None:
    node = folding.nodes.search("layer0.wq[3][5]").nodes[0]
    graph = folding.graph
    near = {node, *graph.consumers[node], *graph.nodes[node].inputs}
    assert set(folding.nodes.neighborhood(node, 1).nodes) == near
    wide = folding.nodes.neighborhood(node, 4, most=10)
    assert len(wide.nodes) == 10
    assert near <= set(wide.nodes)
    reached = {node}
    for _ in range(4):
        reached |= {
            other for n in reached for other in (*graph.consumers[n], *graph.nodes[n].inputs)
        }
    assert wide.left_out == len(reached) - 10
    ring = folding.nodes.neighborhood(node, 2, most=1000).nodes
    outside = sorted(folding.gradient_size(n) for n in ring if n not in near)
    some = folding.nodes.neighborhood(node, 2, most=len(near) + 3).nodes
    assert sorted(folding.gradient_size(n) for n in some if n not in near) == outside[-3:]
    cut = folding.nodes.cut_out(wide.nodes)
    inside = sum(t in wide.nodes for n in wide.nodes for t in graph.nodes[n].inputs)
    assert len(cut.arrows) == inside


def every_path(graph: Graph, node: int) -> list[tuple[float, tuple[int, ...]]]:
    """Each way to the output, by plain recursion, with the product along it."""
    if node == graph.output.index:
        return [(1.0, (node,))]
    return [
        (slope * product, (node, *way))
        for consumer in sorted(set(graph.consumers[node]))
        for target, slope in zip(
            graph.nodes[consumer].inputs, graph.nodes[consumer].local_derivatives, strict=True
        )
        if target == node
        for product, way in every_path(graph, consumer)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_strongest_path_is_the_best_of_all_paths(seed: int) -> None:
    chance = random.Random(seed)
    numbers = [Value(chance.uniform(-2, 2)) for _ in range(3)]
    for _ in range(9):
        left, right = chance.choices(numbers[-4:], k=2)
        numbers.append(left * right if chance.random() < 0.5 else left - right)
    folding = Folding(Graph.of(numbers[-1], names={}))
    for node in folding.graph.nodes:
        ways = every_path(folding.graph, node.index)
        path = folding.nodes.strongest_path(node.index)
        best = max(abs(product) for product, _ in ways)
        assert abs(path.product) == pytest.approx(best, rel=1e-9)
        assert any(
            way == path.nodes and product == pytest.approx(path.product) for product, way in ways
        )
        assert path.ways == len(ways)
        total = sum(product for product, _ in ways)
        assert total == pytest.approx(folding.gradients[node.index], rel=1e-9, abs=1e-12)
        assert math.prod(path.local_derivatives) == path.product


def chain_of(factors: list[float]) -> Folding:
    number = Value(1.0, "x")
    for factor in factors:
        number = number * factor
    return Folding(Graph.of(number, names={}))


@pytest.mark.parametrize(
    ("factors", "product"),
    [
        ([1e-300, 1e-300, 1e300, 1e300], 1.0),
        ([-1e200, 0.5, -1e-200], 0.5),
        ([5e-324, 0.5], 0.0),
        ([1e-200] * 3, 0.0),
        ([0.0, 5.0], 0.0),
        ([], 1.0),
    ],
)
def test_a_product_is_too_small_only_where_it_is_itself(
    factors: list[float], product: float
) -> None:
    assert product_of(factors) == pytest.approx(product, rel=1e-12, abs=0.0)
    exact = math.prod(map(Fraction, factors))
    assert product_of(factors) == pytest.approx(float(exact), rel=1e-12, abs=0.0)


def test_a_product_too_large_for_a_float_is_infinite() -> None:
    assert product_of([1e200, -1e200]) == -math.inf
    assert product_of([1e200, 1e200, 1e-300]) == pytest.approx(1e100)


@pytest.mark.parametrize("steps", [MOST_BOXES - 1, MOST_BOXES, 2200])
def test_of_a_long_path_the_middle_is_one_box_with_the_product_in_it(steps: int) -> None:
    chance = random.Random(steps)
    folding = chain_of([chance.choice([-1.25, 0.8, 1.01]) for _ in range(steps)])
    path = folding.nodes.strongest_path(0)
    chain = folding.nodes.chain(path)
    assert len(path.nodes) == steps + 1 == sum(box.count for box in chain.boxes)
    between = [box for box in chain.boxes if box.node is None]
    assert (len(chain.boxes) == steps + 1) == (steps < MOST_BOXES) == (not between)
    factors = [arrow.local_derivative for arrow in chain.arrows]
    factors += [factor for box in between for factor in box.between]
    assert Counter(factors) == Counter(path.local_derivatives)
    for box in between:
        assert len(chain.boxes) == 2 * MOST_AT_EITHER_END + 1
        nodes = range(box.last - box.count + 1, box.last + 1)
        assert chain.boxes.index(box) == MOST_AT_EITHER_END == nodes[0]
        assert abs(folding.gradients[box.largest]) == max(abs(folding.gradients[n]) for n in nodes)
        start = folding.gradients[nodes[0]] / folding.gradients[box.last]
        assert product_of(box.between) == pytest.approx(start, rel=1e-9)


def test_a_long_path_of_additions_is_one_short_chain() -> None:
    total = Value(1.0, "x")
    for place in range(500):
        total = total + Value(2.0, f"a{place}")
    folding = Folding(Graph.of(total, names={}))
    chain = folding.nodes.chain(folding.nodes.strongest_path(folding.graph.index("x")))
    assert [box.count for box in chain.boxes] == [1, 499, 1]
    assert not any(box.between for box in chain.boxes)


def slow_order(folded: FoldedGraph) -> tuple[int, ...]:
    """Of the boxes whose outputs are all behind the walk, or in one circle with them, the last."""
    onward = {(arrow.start, arrow.end) for arrow in folded.arrows}
    places = range(len(folded.boxes))
    for middle, start, end in product(places, repeat=3):
        if {(start, middle), (middle, end)} <= onward:
            onward.add((start, end))
    left, order = set(places), []
    while left:
        ready = [b for b in left if all((c, b) in onward for c in left if (b, c) in onward)]
        order.append(max(ready, key=lambda place: folded.boxes[place].last))
        left.remove(order[-1])
    return tuple(order)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_boxes_is_that_of_its_definition_with_circles_too(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(1, 14)
    lasts = chance.sample(range(100), count)
    boxes = tuple(Box(str(last), (), False, 1, None, 0, last, 0, "") for last in lasts)
    ends = [chance.choices(range(count), k=2) for _ in range(chance.randint(0, 2 * count))]
    folded = FoldedGraph(boxes, tuple(Arrow(*pair, 1) for pair in ends))
    assert box_order(folded) == slow_order(folded)


def test_an_interrupted_path_is_still_a_path_with_product_0() -> None:
    x = Value(-1.0, "x")
    path = Folding(Graph.of(x.relu() * 3.0, names={})).nodes.strongest_path(0)
    assert path.nodes == (0, 1, 2)
    assert path.product == 0.0


def test_products_that_vanish_are_still_compared() -> None:
    x = Value(1.0, "x")
    small, smaller = x, x * 0.5
    for _ in range(3000):
        small, smaller = small * 0.5, smaller * 0.5
    folding = Folding(Graph.of(smaller + small, names={}))
    path = folding.nodes.strongest_path(0)
    assert path.product == 0.0
    assert len(path.nodes) == 3002


def test_a_chain_keeps_every_factor_and_folds_only_plain_additions(folding: Folding) -> None:
    node = folding.nodes.search("layer0.wq[3][5]").nodes[0]
    path = folding.nodes.strongest_path(node)
    chain = folding.nodes.chain(path)
    assert sum(box.count for box in chain.boxes) == len(path.nodes)
    factors = [arrow.local_derivative for arrow in chain.arrows]
    assert None not in factors
    product = math.prod(factor for factor in factors if factor is not None)
    assert product == pytest.approx(path.product, rel=1e-12)
    assert any(box.node is None for box in chain.boxes)
    assert (chain.boxes[0].node, chain.boxes[-1].node) == (node, folding.graph.output.index)
    for arrow, (start, end) in zip(chain.arrows, pairwise(range(len(chain.boxes))), strict=True):
        assert (arrow.start, arrow.end) == (start, end)


def test_at_most_so_many_boxes_are_ever_drawn(folding: Folding) -> None:
    chance = random.Random(5)
    fold = folding.first()
    refused = 0
    for _ in range(60):
        shown = paths(folding.view(fold))
        path = chance.choice([path for path in shown if path] or ["token*"])
        try:
            fold = folding.open(fold, path)
        except ValueError:
            refused += 1
        assert len(folding.view(fold).boxes) <= MOST_BOXES
    assert refused


def test_labels_and_scopes_are_only_text() -> None:
    total = Value(1.0, "a/b")
    for name in ("<script>", "*", "\\", "x" * 10_000, "é0", "é1", "\n", "r\u202e"):
        with scope(name):
            total = (total + Parameter(1.0, f"{name}[0]")) * 2.0
    folding = Folding(Graph.of(total, names={}))
    for fold in (Fold(), folding.first()):
        assert sum(box.count for box in folding.view(fold).boxes) == len(folding.graph)
