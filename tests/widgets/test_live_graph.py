"""``LiveGraph`` from Python: the numbers, the modes, what is refused, and what is told."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
import traitlets

from engine import Graph, LiveGraph, Value, record, reverse_walk
from engine.drawing.renderer import ENVIRONMENT_VARIABLE, renderer

from .examples import same_name, seven_nodes, shared


def logarithm() -> Value:
    a = Value(0.5, "a")
    y = a.log() * Value(3.0, "b")
    y.label = "y"
    return y


def test_data_and_gradients_follow_a_number() -> None:
    view = LiveGraph(seven_nodes())
    view.numbers = {"b": 4.0}
    again = reverse_walk(view.graph)
    assert view.numbers == {"a": 2.0, "b": 4.0, "c": 10.0, "f": -2.0}
    assert view.state.data["L"] == (2.0 * 4.0 + 10.0) * -2.0
    assert view.state.gradients == dict(zip(view.graph.own_names, again.gradients, strict=True))
    assert view.state.gradients["a"] == -8.0
    assert view.reset().state.gradients["a"] == 6.0


@pytest.mark.parametrize(
    ("make", "numbers", "told"),
    [
        (seven_nodes, {"e": 1.0}, "'e' is no leaf of this graph; its leaves are a, b, c, f."),
        (seven_nodes, {"a": "2"}, "a needs a real number, got '2'"),
        (seven_nodes, {"a": float("nan")}, "a needs a finite number"),
        (seven_nodes, {"a": 1e308, "b": 1e308}, "e = a * b is too large for a float."),
        (logarithm, {"a": 0.0}, "log(0) does not exist: log needs a number above 0."),
    ],
)
def test_what_cannot_be_computed_is_refused_and_leaves_all_as_it_was(
    make: Callable[[], Value], numbers: dict[str, object], told: str
) -> None:
    view = LiveGraph(make())
    before = view.state
    with pytest.raises(traitlets.TraitError) as refused:
        view.numbers = numbers
    assert told in str(refused.value)
    assert view.state == before


@pytest.mark.parametrize(
    ("trait", "value"),
    [("mode", "drag"), ("wiggle", "q"), ("h", 0.0), ("h", float("inf")), ("index", 8)],
)
def test_a_trait_takes_only_what_there_is(trait: str, value: object) -> None:
    view = LiveGraph(seven_nodes())
    with pytest.raises(traitlets.TraitError):
        setattr(view, trait, value)
    assert (view.mode, view.wiggle, view.h, view.index) == ("hold", "a", 0.1, 0)


def test_what_a_wiggle_measures_meets_the_gradient_as_h_shrinks() -> None:
    x = Value(1.0, "x")
    view = LiveGraph(x.exp() * x, mode="wiggle")
    gaps = []
    for view.h in (1.0, 0.1, 0.01):
        state = view.state
        gaps.append(abs(state.ratios[view.graph.own_names[-1]] - state.gradients["x"]))
    assert gaps[0] > 50 * gaps[1] > 2500 * gaps[2]


def test_the_parts_of_a_shared_number_add_up() -> None:
    view = LiveGraph(shared(), mode="wiggle", wiggle="x")
    assert view.state.sentences[:3] == (
        "By the arrow to u (left) alone, y moves 9 times as far.",
        "By the arrow to u (right) alone, y moves 9 times as far.",
        "The parts add up: 9 + 9 = 18.",
    )
    assert view.state.arrows["u", "v", 0] == pytest.approx(2.0)
    assert "the same but for rounding" in repr(view)


def test_a_wiggle_that_leaves_a_domain_says_so() -> None:
    view = LiveGraph(logarithm(), mode="wiggle", h=1.0)
    assert view.state.ratios == {}
    assert "log(-0.5) does not exist" in view.state.heading
    assert "Make h smaller" in repr(view)


def test_a_walk_goes_over_the_present_numbers() -> None:
    view = LiveGraph(seven_nodes(), mode="walk")
    view.numbers = {"f": 3.0}
    assert view.step(7).index == 7
    assert view.state.gradients["a"] == -9.0
    view.index = 1
    assert view.state.gradients["a"] == 0.0
    assert view.state.heading == "Step 1 of 7: L = d * f"


def test_a_shared_name_is_told_apart() -> None:
    view = LiveGraph(same_name(), mode="wiggle", wiggle="a * b (n2)")
    assert view.state.ratios["y"] == pytest.approx(2.0)


def test_an_operation_of_ones_own_and_a_long_graph_are_refused() -> None:
    x = Value(2.0, "x")
    with pytest.raises(ValueError, match="'tanh' is an operation of your own"):
        LiveGraph(record("tanh", 0.5, (x, 1.0)))
    with pytest.raises(ValueError, match="61 steps"):
        LiveGraph(sum((x * 1.0 for _ in range(30)), x))


def test_the_text_is_a_table_of_the_present_numbers() -> None:
    view = LiveGraph(seven_nodes(), mode="wiggle")
    lines = repr(view).splitlines()
    assert lines[0].split() == ["node", "data", "grad", "moves", "times", "as", "far"]
    assert lines[-2].split() == ["L", "=", "d", "*", "f", "-8", "1", "1.2", "6"]


@pytest.mark.skipif(renderer() is None, reason="no Graphviz program")
@pytest.mark.parametrize("mode", ["hold", "wiggle", "walk"])
def test_a_still_picture_shows_the_present_numbers(mode: str) -> None:
    view = LiveGraph(seven_nodes(), mode=mode, index=7)
    view.numbers = {"a": 7.0}
    picture = ET.fromstring(view.picture() or "")
    texts = ["".join(part.itertext()) for part in picture.iter() if part.tag.endswith("text")]
    assert "7" in texts
    assert ("measured" in texts) == (mode == "wiggle")


def test_without_a_renderer_it_says_how_to_get_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "")
    view = LiveGraph(seven_nodes(), mode="wiggle")
    assert view.picture() is None
    assert "graphviz-pure" in view.payload["notice"]


def test_labels_stay_text() -> None:
    hostile = Value(2.0, "<b>&{name}")
    view = LiveGraph(hostile * 2, mode="wiggle")
    assert "<b>&{name} moves 0.2 in all" in view.state.heading
    assert "<b>" not in view.payload["svg"]


def test_a_graph_can_be_given() -> None:
    assert LiveGraph(Graph.of(seven_nodes())).state.data["L"] == -8.0
