"""``OrderPlayground`` from Python alone: any order, what is missing at each pick, and its end."""

import json
from itertools import permutations, product
from math import factorial
from typing import Any

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Graph, OrderPlayground, ReleasedError, ReverseWalk, Tape, Value, reverse_walk
from engine.widgets.orders import ending, missing, moment, table, valid_orders

from .examples import same_name, seven_nodes, shared

TIMES = "\N{MULTIPLICATION SIGN}"


def chain(length: int) -> Value:
    y = Value(1.0, "x")
    for _ in range(length - 1):
        y = y * 1.01
    return y


def many(leaves: int) -> Value:
    y = Value(1.0)
    for place in range(leaves - 1):
        y = y * Value(float(place))
    return y


def picked(view: OrderPlayground, names: str) -> OrderPlayground:
    for name in names:
        assert not view.pick(name).refused
    return view


@st.composite
def recordings(draw: st.DrawFn) -> Graph:
    """Random graphs of at most six nodes."""
    values = [Value(x) for x in draw(st.lists(st.sampled_from((0.0, 2.0, -1.5)), min_size=1))[:2]]
    for _ in range(draw(st.integers(1, 4))):
        one = values[draw(st.integers(0, len(values) - 1))]
        other = values[draw(st.integers(0, len(values) - 1))]
        values.append(draw(st.sampled_from((one + other, one * other, one.tanh()))))
    return Graph.of(values[-1], {})


def is_valid(graph: Graph, order: tuple[int, ...]) -> bool:
    """The dependency condition itself: every node after all nodes that use it."""
    place = {node: k for k, node in enumerate(order)}
    return all(place[node.index] < place[i] for node in graph.nodes for i in node.inputs)


# -- the picks ----------------------------------------------------------------------------------


def test_the_valid_order_gives_the_true_gradients() -> None:
    view = picked(OrderPlayground(shared()), "yvux")
    assert view.walk.grad("x") == 18.0
    assert view.state.early == ()
    assert "only valid order" in view.state.sentences[-1]
    assert view.walk == reverse_walk(view.graph)


def test_u_before_v_gives_6_and_not_18() -> None:
    view = OrderPlayground(shared())
    view.pick("y")
    pick = view.pick("u")
    assert pick.early
    assert pick.missing == ("v",)
    assert pick.sentences[0] == (
        "✗ Too early: u.grad = 1 is not complete. "
        f"Missing from v: local derivative 2 {TIMES} v.grad."
    )
    picked(view, "vx")
    assert view.state.gradients == {"x": 6.0, "u": 3.0, "v": 1.0, "y": 1.0}
    assert view.state.early == ("u",)
    told = " ".join(view.state.sentences)
    assert "In your order x.grad = 6 (true: 18)." in told
    assert "u came too early. u handed on 1 instead of 3." in told
    assert "1 valid order." in told


def test_a_complete_pick_says_what_had_arrived_and_what_is_handed_on() -> None:
    view = picked(OrderPlayground(shared()), "yv")
    pick = view.pick("u")
    assert not pick.early
    assert pick.sentences[0] == "✓ All contributions had arrived: u.grad = 3."
    assert f"local derivative 3 {TIMES} upstream gradient 3 = contribution 9" in pick.sentences[1]
    assert view.state.heading == "Pick 3 of 4: u = x * x"
    assert view.pick("x").sentences[1] == "x is a leaf: there is nothing to hand on."


def test_two_equal_uses_are_told_once() -> None:
    pick = OrderPlayground(shared()).pick("x")
    assert pick.missing == ("u",)
    assert pick.sentences[0].endswith(f"Missing from u: local derivative 3 {TIMES} u.grad, twice.")


def test_an_early_leaf_spoils_no_number_but_the_order() -> None:
    view = picked(OrderPlayground(shared()), "xyvu")
    assert view.walk.grad("x") == 18.0
    told = view.state.sentences[-2]
    assert told.startswith("✗ Not a valid order: x came too early.")
    assert "right all the same" in told


def test_a_node_is_processed_once() -> None:
    view = picked(OrderPlayground(shared()), "yu")
    again = view.pick("u")
    assert again.refused
    assert "processed already" in str(again)
    assert view.state.picks == ("y", "u")


def test_undo_and_start_again() -> None:
    view = OrderPlayground(shared())
    fresh = view.state
    assert view.undo().state == fresh
    picked(view, "yu")
    after_one = picked(OrderPlayground(shared()), "y").state
    assert view.undo().state == after_one
    assert picked(view, "vux").start_again().state == fresh
    assert fresh.picks == ()
    assert not fresh.finished


def test_picks_can_be_set_and_must_begin_an_order() -> None:
    view = OrderPlayground(shared())
    view.picks = [3, 1]
    assert view.state.picks == ("y", "u")
    for wrong in ([0, 0], [4], [-1], ["x"]):
        with pytest.raises(traitlets.TraitError):
            view.picks = wrong
    assert view.picks == [3, 1]
    with pytest.raises(KeyError, match="among the 4 nodes"):
        view.pick("no_such")


def test_the_order_can_be_walked() -> None:
    view = picked(OrderPlayground(shared()), "yu")
    with pytest.raises(ValueError, match=r"Not picked yet: x, v\."):
        _ = view.walk
    picked(view, "vx")
    assert [view.graph.names[index] for index in view.walk.order] == ["y", "u", "v", "x"]
    assert ReverseWalk(view.walk).step(4).state.gradients["x"] == 6.0


def test_the_text_tells_the_order_and_its_end() -> None:
    view = OrderPlayground(shared())
    assert repr(view).splitlines()[0] == "Which node is processed first?"
    picked(view, "yuvx")
    lines = repr(view).splitlines()
    assert lines[0].split() == ["pick", "node", "grad", "then", "grad", "now", "arrived"]
    assert lines[2].split() == ["2", "u", "=", "x", "*", "x", "1", "3", "not", "all"]
    assert lines[5] == "✗ In your order x.grad = 6 (true: 18)."
    bundle = view._repr_mimebundle_()[0]
    assert bundle["text/plain"] == repr(view)
    assert ">6<" in bundle["image/svg+xml"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


@given(recordings(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_exactly_the_valid_orders_have_no_early_pick_and_all_of_them_are_right(
    graph: Graph, random: Any
) -> None:
    true = reverse_walk(graph).gradients
    for _ in range(20):
        order = list(range(len(graph)))
        random.shuffle(order)
        early = [k for k in range(len(order)) if missing(graph, order[: k + 1])]
        assert (not early) == is_valid(graph, tuple(order))
        if not early:
            assert reverse_walk(graph, order).gradients == pytest.approx(true)
            assert ending(graph, order, None)["sentences"][0].startswith("✓")
        else:
            assert ending(graph, order, None)["sentences"][0].startswith("✗")


def test_gradients_too_small_to_tell_apart_still_have_an_ending() -> None:
    x = Value(2.0, "x")
    square = x * x
    graph = Graph.of((square * square).tanh())
    for order in permutations(range(len(graph))):
        valid = is_valid(graph, order)
        assert ending(graph, order, None)["sentences"][0].startswith("✓" if valid else "✗")


# -- counting -----------------------------------------------------------------------------------


@given(recordings())
@settings(max_examples=60)
def test_the_count_is_that_of_trying_all_orders(graph: Graph) -> None:
    tried = permutations(range(len(graph)))
    assert valid_orders(graph) == sum(is_valid(graph, order) for order in tried)


def test_counts_known_from_elsewhere() -> None:
    assert valid_orders(Graph.of(chain(60))) == 1
    assert valid_orders(Graph.of(shared())) == 1
    # The seven-node example is a tree: 7! over the product of the sizes of its subtrees.
    assert valid_orders(Graph.of(seven_nodes())) == factorial(7) // (7 * 5 * 3)


def test_a_graph_with_too_many_sets_has_no_count() -> None:
    values = [Value(float(place)) for place in range(32)]
    while len(values) > 1:
        values = [a * b for a, b in zip(values[::2], values[1::2], strict=True)]
    assert valid_orders(Graph.of(values[0])) is None


# -- playing without Python ---------------------------------------------------------------------


def follow(told: dict[str, Any], order: tuple[int, ...]) -> tuple[list[Any], Any]:
    """What the front end does: from state to state, by the nodes picked."""
    state, moments = 0, []
    for node in order:
        said, state = told["states"][state][str(node)]
        moments.append(told["moments"][said])
    return moments, told["endings"].get(str(state))


@pytest.mark.parametrize("make", [shared, lambda: Value(2.0, "x"), lambda: chain(5)])
def test_the_table_says_the_same_as_python_for_every_order(make: Any) -> None:
    graph = Graph.of(make(), {})
    orders = valid_orders(graph)
    told = table(graph, orders)
    assert told is not None
    assert json.loads(json.dumps(told)) == told
    for order in permutations(range(len(graph))):
        moments, end = follow(told, order)
        assert moments == [moment(graph, order[: k + 1]) for k in range(len(order))]
        assert end == ending(graph, order, orders)


@given(recordings(), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_table_of_any_graph_says_the_same_as_python(graph: Graph, random: Any) -> None:
    told = table(graph, 1)
    assert told is not None
    for _ in range(10):
        order = list(range(len(graph)))
        random.shuffle(order)
        moments, end = follow(told, tuple(order))
        assert moments[-1] == moment(graph, order)
        assert end == ending(graph, order, 1)


def test_the_seven_nodes_fit_into_a_table_and_thirty_do_not() -> None:
    told = OrderPlayground(seven_nodes()).payload["table"]
    assert len(json.dumps(told)) < 150_000
    assert OrderPlayground(many(15)).payload["table"] is None


def test_a_larger_graph_gets_its_answers_from_python() -> None:
    view = OrderPlayground(many(8))
    assert view.shown == {"picks": [], "moments": [], "ending": None}
    order = list(reverse_walk(view.graph).order)
    view.picks = order[:2]
    assert view.shown["picks"] == order[:2]
    assert view.shown["moments"] == [moment(view.graph, order[:1]), moment(view.graph, order[:2])]
    view.picks = order
    assert view.shown["ending"]["sentences"][0].startswith("✓")


def test_a_small_graph_needs_no_answer_from_python() -> None:
    view = picked(OrderPlayground(shared()), "yuvx")
    assert view.shown == {}


# -- what the page gets -------------------------------------------------------------------------


def test_the_payload_is_plain_data_with_a_refusal_for_each_node() -> None:
    payload = OrderPlayground(shared()).payload
    assert json.loads(json.dumps(payload)) == payload
    assert [node["name"] for node in payload["nodes"]] == ["x", "u", "v", "y"]
    assert "u was processed already" in payload["nodes"][1]["refusal"]
    assert payload["gradients"] == ["0", "0", "0", "1"]


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", '"]; & < ]]>', "x" * 500])
def test_labels_are_only_text(label: str) -> None:
    x = Value(3.0, label)
    y = x * x
    y.label = label
    view = OrderPlayground(y)
    view.picks = [0, 1]
    assert all("<script" not in drawn for drawn in view.payload["svg"])
    assert all(len(sentence) < 300 for sentence in view.state.sentences)
    assert "\n".join(view.state.sentences).replace("\n", "").isprintable()


def test_what_cannot_be_played() -> None:
    with pytest.raises(ValueError, match=r"61 nodes .* limit is 60.*earlier node.*GraphExplorer"):
        OrderPlayground(chain(61))
    with pytest.raises(TypeError):
        OrderPlayground(3.0)  # type: ignore[arg-type]
    with Tape():
        x = Value(1.0)
        y = x * x
    with pytest.raises(ReleasedError):
        OrderPlayground(y)


def test_without_a_renderer_the_buttons_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERSE_WALK_DOT", "")
    view = OrderPlayground(shared())
    assert view.payload["svg"] == []
    assert "graphviz-pure" in view.payload["notice"]
    assert picked(view, "yuvx").walk.grad("x") == 6.0


def test_names_that_are_expressions_stand_in_parentheses() -> None:
    x = Value(3.0, "x")
    view = OrderPlayground(x * x + x * 2)
    for name, other in product(view.graph.names[1:3], repeat=2):
        if name != other:
            pick = view.start_again().pick(name)
            assert f"({name}).grad = 0 is not complete" in pick.sentences[0]


def test_nodes_that_share_a_name_are_kept_apart_in_the_picks_and_the_gradients() -> None:
    view = OrderPlayground(same_name())
    for index in (5, 2, 4, 3, 1, 0):
        view.pick(index)
    state = view.state
    assert state.picks == ("y", "a * b (n2)", "a * b (n4)", "a * b * 2", "b", "a")
    assert state.early == ("a * b (n2)",)
    assert (state.gradients["a * b (n2)"], state.gradients["a * b (n4)"]) == (2.0, 1.0)
    assert set(state.gradients) == set(state.picks)
