"""``ReverseWalk`` from Python alone: the same positions, numbers and words that the page shows."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import traitlets

from engine import (
    Graph,
    GraphExplorer,
    ReleasedError,
    ReverseWalk,
    Tape,
    Value,
    Walk,
    reverse_walk,
)
from engine.drawing import renderer
from engine.drawing.layout import text_width
from engine.widgets import WalkState

from .examples import same_name, seven_nodes, shared

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def doubled() -> Value:
    x = Value(3.0, "x")
    y = x + x
    y.label = "y"
    return y


def gradients(view: ReverseWalk, index: int) -> dict[str, float]:
    view.index = index
    return view.state.gradients


# Where the view is.


def test_it_begins_with_the_seed_gradient_alone() -> None:
    state = ReverseWalk(seven_nodes()).state
    assert isinstance(state, WalkState)
    assert (state.index, state.node) == (0, None)
    assert state.gradients == dict.fromkeys("abecdf", 0.0) | {"L": 1.0}


def test_each_step_processes_one_node() -> None:
    view = ReverseWalk(seven_nodes())
    seen = [(view.step().state.node, view.index) for _ in range(view.last)]
    assert seen == [(node, k) for k, node in enumerate("Lfdceba", start=1)]
    assert view.state.gradients == {"L": 1, "d": -2, "f": 4, "e": -2, "c": -2, "a": 6, "b": -4}


def test_gradients_grow_step_by_step() -> None:
    view = ReverseWalk(seven_nodes())
    assert gradients(view, 1) == {"L": 1, "d": -2, "f": 4, "e": 0, "c": 0, "a": 0, "b": 0}
    assert gradients(view, 3) == {"L": 1, "d": -2, "f": 4, "e": -2, "c": -2, "a": 0, "b": 0}
    assert gradients(view, 1)["e"] == 0.0


def test_step_stops_at_both_ends_and_returns_the_view() -> None:
    view = ReverseWalk(doubled())
    assert view.step(100) is view
    assert view.index == view.last == 2
    assert view.step(-100).index == 0
    assert view.step(0).index == 0
    assert view.step(2).step(-1).index == 1


@pytest.mark.parametrize("count", ["a", 1.5, None])
@pytest.mark.parametrize("kind", [ReverseWalk, GraphExplorer])
def test_only_a_whole_number_of_steps_can_be_gone(kind: Any, count: Any) -> None:
    view = kind(doubled())
    with pytest.raises(TypeError, match=r"steps by a whole number of steps, got .*Try step\(2\)"):
        view.step(count)
    assert view.index == 0


@pytest.mark.parametrize("index", [-1, 3, 10**9])
def test_a_position_that_does_not_exist_is_refused(index: int) -> None:
    view = ReverseWalk(doubled()).step()
    with pytest.raises(traitlets.TraitError, match=rf"positions 0 to 2, got {index}"):
        view.index = index
    assert view.index == 1
    with pytest.raises(traitlets.TraitError):
        view.index = "1"


def test_views_of_one_walk_step_apart() -> None:
    walk = reverse_walk(Graph.of(doubled()))
    one, other = ReverseWalk(walk), ReverseWalk(walk)
    one.step()
    assert (one.index, other.index) == (1, 0)
    assert one.walk is other.walk is walk


def test_stepping_changes_nothing_else() -> None:
    y = seven_nodes()
    view = ReverseWalk(y)
    walk, payload = view.walk, json.dumps(view.payload)
    view.step(7).step(-3)
    assert view.walk == walk
    assert json.dumps(view.payload) == payload
    assert y.grad == 0.0


# What can be walked.


def test_a_graph_and_a_walk_can_be_walked() -> None:
    y = shared()
    graph = Graph.of(y)
    walk = reverse_walk(graph, ["y", "u", "v", "x"])
    assert ReverseWalk(graph).walk == ReverseWalk(y).walk
    assert ReverseWalk(walk).walk is walk
    assert ReverseWalk(walk).graph is graph
    assert isinstance(ReverseWalk(graph).walk, Walk)


@pytest.mark.parametrize(
    ("make", "options", "wrong", "right"),
    [
        (shared, {"order": ["y", "u", "v", "x"]}, 6.0, 18.0),
        (shared, {"order": [3, 1, 2, 0]}, 6.0, 18.0),
        (shared, {"visit_once": False}, 36.0, 18.0),
        (doubled, {"accumulate": False}, 1.0, 2.0),
    ],
)
def test_what_goes_wrong_without_each_part_of_the_method(
    make: Any, options: dict[str, Any], wrong: float, right: float
) -> None:
    view = ReverseWalk(make(), **options)
    assert gradients(view, view.last)["x"] == wrong
    assert "x.grad = " in " ".join(view.state.sentences)
    view = ReverseWalk(make())
    assert gradients(view, view.last)["x"] == right


def test_options_cannot_change_a_walk_that_is_complete() -> None:
    with pytest.raises(TypeError, match="order"):
        ReverseWalk(reverse_walk(Graph.of(shared())), order=["y", "v", "u", "x"])


@pytest.mark.parametrize("nonsense", [3.0, None, "y", [1.0]])
def test_nothing_else_can_be_walked(nonsense: Any) -> None:
    with pytest.raises(TypeError, match="Value"):
        ReverseWalk(nonsense)


def test_a_walk_too_long_for_the_eye_says_its_length() -> None:
    y = Value(1.0)
    for _ in range(60):
        y = y + 1.0
    with pytest.raises(ValueError, match=r"61 steps .*60"):
        ReverseWalk(y)
    assert ReverseWalk(y.inputs[0]).last == 60
    grown = Value(1.0)
    for _ in range(5):
        grown = grown * grown
    with pytest.raises(ValueError, match=r"63 steps .*60"):
        ReverseWalk(grown, visit_once=False)


def test_a_released_calculation_says_what_to_do() -> None:
    with Tape():
        y = doubled()
        kept = Graph.of(y)
    with pytest.raises(ReleasedError):
        ReverseWalk(y)
    assert ReverseWalk(kept).step(2).state.gradients["x"] == 2.0


# What it says.


def test_headings_tell_the_place_and_the_node() -> None:
    view = ReverseWalk(seven_nodes())
    assert view.state.heading == "Start, before step 1 of 7: the seed gradient"
    assert view.step().state.heading == "Step 1 of 7: L = d * f"
    assert view.step().state.heading == "Step 2 of 7: f"


def said(view: ReverseWalk, index: int) -> tuple[str, ...]:
    view.index = index
    return view.state.sentences


def test_the_seed_gradient_has_nothing_to_do_with_the_value() -> None:
    assert said(ReverseWalk(seven_nodes()), 0) == (
        "L.grad = 1: if L moves a little, L moves just as much.",
        f"That L has the value {MINUS}8 does not matter here.",
    )
    assert len(said(ReverseWalk(Value(1.0, "one") * 1.0), 0)) == 1


def test_a_complete_gradient_is_the_upstream_gradient() -> None:
    assert said(ReverseWalk(seven_nodes()), 5) == (
        f"e.grad = {MINUS}2 is complete, and is the upstream gradient here.",
        f"To a: local derivative {MINUS}3 {TIMES} upstream gradient ({MINUS}2) = contribution 6. "
        "a.grad = 0 + 6 = 6.",
        f"To b: local derivative 2 {TIMES} upstream gradient ({MINUS}2) = contribution {MINUS}4. "
        f"b.grad = 0 + ({MINUS}4) = {MINUS}4.",
    )


def test_a_leaf_has_nothing_to_hand_on() -> None:
    assert said(ReverseWalk(seven_nodes()), 2) == (
        "f.grad = 4 is complete. f is a leaf: there is nothing to hand on.",
    )


def test_a_node_too_early_misses_a_contribution_and_spoils_what_follows() -> None:
    view = ReverseWalk(shared(), order=["y", "u", "v", "x"])
    assert said(view, 2)[0] == "u.grad = 1 is not complete: v has not been processed yet."
    assert said(view, 3)[1] == (
        f"To u: local derivative 2 {TIMES} upstream gradient 1 = contribution 2. "
        "u.grad = 1 + 2 = 3. Too late: u was processed before and hands nothing on again."
    )
    assert said(view, 4) == ("x.grad = 6 is not right: u.grad was not right when handed on.",)


def test_a_leaf_is_never_too_late() -> None:
    view = ReverseWalk(doubled(), order=["x", "y"])
    assert said(view, 1)[0] == "x.grad = 0 is not complete: y has not been processed yet."
    assert not any("Too late" in sentence for sentence in said(view, 2))
    assert view.state.gradients["x"] == 2.0


def test_two_missing_contributions_are_both_named() -> None:
    x = Value(3.0, "x")
    u, v = x * 2, x * 5
    u.label, v.label = "u", "v"
    y = u + v
    y.label = "y"
    view = ReverseWalk(y, order=["y", "x", "u", "v"])
    assert said(view, 2) == ("x.grad = 0 is not complete: u and v have not been processed yet.",)


def test_an_overwritten_contribution_is_named() -> None:
    view = ReverseWalk(doubled(), accumulate=False)
    assert said(view, 1)[1].endswith("x.grad = 1.")
    assert said(view, 1)[2].endswith("x.grad = 1; the 1 it held is overwritten.")
    assert said(view, 2) == (
        "x.grad = 1 is not right: a contribution that had arrived was overwritten.",
    )


def test_what_came_from_an_overwritten_gradient_is_wrong_too() -> None:
    x = Value(3.0, "x")
    u = x * 2
    u.label = "u"
    y = u + u
    y.label = "y"
    view = ReverseWalk(y, accumulate=False)
    assert said(view, 2)[0].endswith("a contribution that had arrived was overwritten.")
    assert said(view, 3) == ("x.grad = 2 is not right: u.grad was not right when handed on.",)


def test_a_contribution_is_not_too_late_for_a_node_that_comes_again() -> None:
    x = Value(3.0, "x")
    u = x * 2
    u.label = "u"
    v = u * u
    v.label = "v"
    y = v + u
    y.label = "y"
    view = ReverseWalk(y, visit_once=False)
    assert [view.step().state.node for _ in range(5)] == ["y", "u", "x", "v", "u"]
    assert said(view, 4)[1].endswith("u.grad = 1 + 6 = 7.")


def test_a_node_processed_again_counts_once_more() -> None:
    view = ReverseWalk(shared(), visit_once=False)
    again = [said(view, k)[0] for k in range(1, view.last + 1)]
    assert "u.grad = 3, but u was processed before: now it counts once more." in again
    assert "x.grad = 36, but x was processed before: a leaf hands nothing on." in again


def test_what_came_from_a_wrong_gradient_is_wrong_too() -> None:
    x = Value(3.0, "x")
    w, u, v = x * 1.5, x * 2, x * 5
    for value, name in ((w, "w"), (u, "u"), (v, "v")):
        value.label = name
    p, q = u * 2, u + v + w
    p.label, q.label = "p", "q"
    y = p + q
    y.label = "y"
    order = ["y", "u", "p", "q", "n7", "v", "w", "x"]
    names = Graph.of(y, {}).names
    order = [next(n for n in names if n not in order) if n == "n7" else n for n in order]
    view = ReverseWalk(Graph.of(y, {}), order=order)
    assert said(view, 2)[0].startswith("u.grad = 0 is not complete: p and ")
    assert said(view, 8) == ("x.grad = 6.5 is not right: u.grad was not right when handed on.",)


def test_rounding_is_not_called_wrong() -> None:
    x = Value(1.0, "x")
    big, small = x * 1e17, x * 1.0
    minus = x * -1e17
    big.label, small.label, minus.label = "big", "small", "minus"
    y = big + small + minus
    graph = Graph.of(y, {})
    sums = [n for n in graph.names if n not in ("big", "small", "minus", "x")]
    views = [
        ReverseWalk(graph, order=[*reversed(sums), *order, "x"])
        for order in (("big", "small", "minus"), ("big", "minus", "small"))
    ]
    found = [gradients(view, view.last)["x"] for view in views]
    assert found == [0.0, 1.0]
    assert all("is complete" in view.state.sentences[0] for view in views)


# What the page and other readers are given.


def parts(data: Any, key: str = "") -> list[tuple[str, Any]]:
    """Every plain datum in a payload, with the key it stands under."""
    if isinstance(data, dict):
        return [part for name, value in data.items() for part in parts(value, name)]
    if isinstance(data, list):
        return [part for value in data for part in parts(value, key)]
    return [(key, data)]


@pytest.mark.parametrize("make", [seven_nodes, shared, doubled])
def test_the_page_is_given_texts_and_places_and_no_number_to_compute_with(make: Any) -> None:
    payload = ReverseWalk(make()).payload
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    numbers = {key for key, datum in parts(payload) if isinstance(datum, int | float)}
    assert numbers == {"node", "target", "output"}
    for key, datum in parts(payload):
        if key in ("node", "target", "output"):
            assert datum is None or isinstance(datum, int)


def test_the_page_says_what_python_says() -> None:
    view = ReverseWalk(shared(), order=["y", "u", "v", "x"])
    assert len(view.payload["positions"]) == view.last + 1
    grad = list(view.payload["gradients"])
    for index, position in enumerate(view.payload["positions"]):
        view.index = index
        state = view.state
        assert position["heading"] == state.heading
        assert tuple(position["sentences"]) == state.sentences
        node = position["node"]
        assert (None if node is None else view.graph.names[node]) == state.node
        for contribution in position["contributions"]:
            grad[contribution["target"]] = contribution["grad"]
        assert [float(text.replace(MINUS, "-")) for text in grad] == list(state.gradients.values())
    assert [row["node"] for row in view.payload["rows"]] == list(view.walk.order)
    assert view.payload["receives"] == "+="
    assert ReverseWalk(doubled(), accumulate=False).payload["receives"] == "="


@pytest.mark.skipif(renderer() is None, reason="without a Graphviz program there are no boxes")
def test_a_box_has_room_for_every_gradient_of_the_walk() -> None:
    x = Value(3.0, "x")
    y = x * 0.123456 + x * 0.876544
    view = ReverseWalk(Graph.of(y, {}))
    assert view.walk.gradients[0] == 1.0
    box = ET.fromstring(view.payload["svg"][0]).find(".//*[@data-node='0']/*[@class='rw-box']")
    assert box is not None
    assert float(box.get("width", "0")) > text_width("grad 0.876544")


def test_a_caption_is_the_product_on_its_own_edge() -> None:
    contributions = ReverseWalk(seven_nodes()).payload["positions"][1]["contributions"]
    assert [(c["edge"], c["caption"], c["grad"]) for c in contributions] == [
        ("6-0", f"{MINUS}2 {TIMES} 1 = {MINUS}2", f"{MINUS}2"),
        ("6-1", f"4 {TIMES} 1 = 4", "4"),
    ]


def test_a_page_without_a_kernel_gets_a_picture_and_a_text() -> None:
    view = ReverseWalk(seven_nodes())
    bundle, _metadata = view._repr_mimebundle_()
    assert set(bundle) == {
        "application/vnd.jupyter.widget-view+json",
        "image/svg+xml",
        "text/plain",
    }
    assert bundle["text/plain"] == repr(view)
    assert repr(view).splitlines()[1:3] == [
        "   1  L = d * f    -8     1  -2 to d, 4 to f",
        "   2  f            -2     4  -",
    ]
    assert f">{MINUS}4<" not in bundle["image/svg+xml"], "whoever looks can guess first"
    assert repr(view) == repr(ReverseWalk(seven_nodes()).step(3))


def test_the_still_picture_shows_the_start_of_the_walk() -> None:
    view = ReverseWalk(shared(), order=["y", "u", "v", "x"]).step(4)
    assert [node.grad for node in view.still().nodes] == [0.0, 0.0, 0.0, 1.0]


def test_nodes_that_share_a_name_all_have_their_gradient() -> None:
    view = ReverseWalk(same_name())
    names = [view.state.node, *(view.step().state.node for _ in range(view.last))]
    assert names == [None, "y", "a * b (n4)", "a * b * 2", "a * b (n2)", "b", "a"]
    assert view.state.gradients == {
        "a": 9.0,
        "b": 6.0,
        "a * b (n2)": 2.0,
        "a * b * 2": 1.0,
        "a * b (n4)": 1.0,
        "y": 1.0,
    }
