"""``SlopeView``, ``ProductRule``, ``SortSteps`` and ``TwoWalks``, as Python sees them."""

import math

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    Graph,
    ProductRule,
    SlopeView,
    SortSteps,
    TwoWalks,
    Value,
    record,
    reverse_walk,
    topological_order,
)

from .examples import seven_nodes


def shared_and_doubled() -> Value:
    x = Value(3.0, "x")
    u = x * x
    u.label = "u"
    v = u * 2
    v.label = "v"
    return u + v


# --- the curve -------------------------------------------------------------------------------


def test_the_secant_turns_into_the_tangent_as_h_shrinks() -> None:
    view = SlopeView(lambda x: x**3, at=2.0, h=1.0)
    gaps = []
    for h in (1.0, 0.1, 0.01):
        view.h = h
        assert view.state.secant == pytest.approx(((2 + h) ** 3 - (2 - h) ** 3) / (2 * h))
        gaps.append(view.state.secant - view.state.slope)
    assert gaps == pytest.approx([1.0, 0.01, 0.0001], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "at", "slope"),
    [("exp", 1.0, math.e), ("log", 2.0, 0.5), ("relu", -1.0, 0.0), ("tanh", 0.0, 1.0)],
)
def test_a_curve_of_each_function_has_its_slope(name: str, at: float, slope: float) -> None:
    view = SlopeView(lambda x: getattr(x, name)(), at=at, h=0.25)
    assert view.state.slope == pytest.approx(slope)
    assert "<svg" in view.picture()


def test_a_point_where_the_curve_does_not_exist_is_refused_and_the_last_one_stays() -> None:
    view = SlopeView(lambda x: x.log(), at=2.0, h=0.5, interval=(0.1, 4))
    with pytest.raises(traitlets.TraitError, match="log"):
        view.at = -1.0
    assert (view.at, view.state.slope) == (2.0, 0.5)


def test_what_cannot_be_a_curve_is_said() -> None:
    with pytest.raises(ValueError, match="does not depend on x"):
        SlopeView(lambda x: Value(2.0))
    with pytest.raises(ValueError, match="smaller to a larger"):
        SlopeView(lambda x: x, interval=(1, -1))
    with pytest.raises(ValueError, match="cube"):
        SlopeView(lambda x: record("cube", x.data**3, (x, 3 * x.data**2)))


# --- areas -----------------------------------------------------------------------------------


def test_two_strips_and_a_corner_are_what_a_product_gains() -> None:
    view = ProductRule(3.0, 2.0, dx=1.0, dy=0.8)
    state = view.state
    assert (state.right, state.top) == (2.0, pytest.approx(2.4))
    assert state.corner == pytest.approx(0.8)
    assert state.gain == pytest.approx(state.right + state.top + state.corner)


def test_the_square_of_three_gains_six_and_a_little_for_each_one() -> None:
    view = ProductRule(3.0, 3.0, dx=0.01, dy=0.01)
    assert view.state.gain / 0.01 == pytest.approx(6.01)
    view.x = 4.0
    assert view.y == 4.0, "a square stays one"


@pytest.mark.parametrize("sides", [(0.0, 2.0), (3.0, -1.0)])
def test_a_side_that_is_not_above_0_is_refused(sides: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        ProductRule(*sides)


# --- the sort --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [seven_nodes, shared_and_doubled])
def test_the_sort_ends_with_the_order_of_the_engine(make: object) -> None:
    output = make()  # type: ignore[operator]
    view = SortSteps(output)
    graph = view.graph
    labels = [graph.names[place] for place in view.step(view.last).state.list]
    assert len(labels) == len(graph) == len(topological_order(output))
    assert list(view.state.list) == list(range(len(graph)))


def test_each_node_enters_the_list_after_its_inputs_and_once() -> None:
    view = SortSteps(shared_and_doubled())
    for index in range(view.last + 1):
        view.index = index
        state = view.state
        assert len(set(state.list)) == len(state.list)
        assert set(state.list) <= set(state.visited)
        for node in state.list:
            assert set(view.graph.nodes[node].inputs) <= set(state.list)


def test_a_shared_node_is_passed_over_the_second_time() -> None:
    told = repr(SortSteps(shared_and_doubled()))
    assert "u was visited before: pass over it" in told
    assert "x was visited before: pass over it" in told


# --- two walks -------------------------------------------------------------------------------


def test_two_walks_mark_what_differs() -> None:
    graph = Graph.of(shared_and_doubled(), {})
    view = TwoWalks(graph, reverse_walk(graph, accumulate=False), titles=("+=", "="))
    assert view.state.differs == ()
    end = view.step(view.last).state
    assert (end.left["x"], end.right["x"]) == (18.0, 6.0)
    assert set(end.differs) == {"u", "x"}
    assert "x.grad: 18 and 6" in repr(view)


@settings(max_examples=20)
@given(st.integers(0, 7))
def test_the_same_walk_twice_never_differs(index: int) -> None:
    output = seven_nodes()
    view = TwoWalks(output, output, index=index)
    assert view.state.differs == ()
    assert view.state.left == view.state.right


def test_what_cannot_be_walked_is_refused() -> None:
    with pytest.raises(TypeError):
        TwoWalks(seven_nodes(), "a walk")  # type: ignore[arg-type]
