"""reverse_walk: every step and contribution, and each mistake with its own wrong number."""

import pytest

import engine.walk
from engine import Contribution, Graph, Value, Walk, reverse_walk


def x_plus_x() -> Graph:
    x = Value(3.0)
    return Graph.of(x + x, {"x": x})


def u_plus_v() -> Graph:
    """Record u = x*x; v = u*2; y = u + v at x = 3."""
    x = Value(3.0)
    u = x * x
    v = u * 2
    y = u + v
    return Graph.of(y)


def seven_nodes() -> Graph:
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    L = d * f  # noqa: N806
    return Graph.of(L)


def named(walk: Walk) -> dict[str, float]:
    return dict(zip(walk.graph.names, walk.gradients, strict=True))


# -- right --------------------------------------------------------------------------------------


def test_the_seven_node_walk_step_by_step() -> None:
    walk = reverse_walk(seven_nodes())
    names = walk.graph.names
    told = [
        (
            step.number,
            names[step.node],
            step.upstream,
            [(names[c.target], c.local_derivative, c.amount) for c in step.contributions],
        )
        for step in walk.steps
    ]
    assert told == [
        (1, "L", 1, [("d", -2, -2), ("f", 4, 4)]),
        (2, "f", 4, []),
        (3, "d", -2, [("e", 1, -2), ("c", 1, -2)]),
        (4, "c", -2, []),
        (5, "e", -2, [("a", -3, 6), ("b", 2, -4)]),
        (6, "b", -4, []),
        (7, "a", 6, []),
    ]
    assert named(walk) == {"L": 1, "d": -2, "f": 4, "e": -2, "c": -2, "a": 6, "b": -4}


def test_a_contribution_tells_where_it_came_from_and_what_it_was_added_to() -> None:
    walk = reverse_walk(x_plus_x())
    assert walk.steps[0].contributions == (
        Contribution(1, 0, 0, 1.0, 1.0, 1.0, before=0.0, after=1.0),
        Contribution(1, 0, 1, 1.0, 1.0, 1.0, before=1.0, after=2.0),
    )
    assert walk.arrivals == (walk.steps[0].contributions, ())


def test_contributions_of_different_nodes_arrive_in_the_order_of_the_walk() -> None:
    walk = reverse_walk(u_plus_v())
    x, u = walk.graph.index("x"), walk.graph.index("u")
    assert [(walk.graph.names[c.source], c.amount) for c in walk.arrivals[u]] == [
        ("y", 1.0),
        ("v", 2.0),
    ]
    assert [(c.slot, c.before, c.amount, c.after) for c in walk.arrivals[x]] == [
        (0, 0.0, 9.0, 9.0),
        (1, 9.0, 9.0, 18.0),
    ]


def test_gradients_after_each_step() -> None:
    walk = reverse_walk(seven_nodes())
    names = walk.graph.names
    told = [
        {name: g for name, g in zip(names, walk.gradients_after(n), strict=True) if g}
        for n in range(8)
    ]
    assert told[0] == {"L": 1}
    assert told[1] == told[2] == {"L": 1, "d": -2, "f": 4}
    assert told[3] == told[4] == {"L": 1, "d": -2, "f": 4, "e": -2, "c": -2}
    assert told[5] == told[7] == named(walk)
    assert walk.gradients_after(7) == walk.gradients


@pytest.mark.parametrize("number", [1.0, "1", None, -1, 8])
def test_gradients_after_a_step_that_does_not_exist(number: object) -> None:
    with pytest.raises(ValueError, match="a walk of 7 steps has no step"):
        reverse_walk(seven_nodes()).gradients_after(number)  # type: ignore[arg-type]


def test_a_walk_of_one_step_is_named_so() -> None:
    with pytest.raises(ValueError, match="a walk of 1 step has no step 2"):
        reverse_walk(Graph.of(Value(3.0))).gradients_after(2)


def test_a_walk_starts_at_0_whatever_gradients_the_graph_shows() -> None:
    x = Value(3.0)
    y = x * x
    y.backward()
    y.backward()
    graph = Graph.of(y)
    assert (graph.nodes[0].grad, reverse_walk(graph).grad("x")) == (12.0, 6.0)
    assert graph.nodes[0].grad == 12.0


def test_a_walk_of_a_leaf_is_the_seed_gradient() -> None:
    x = Value(3.0)
    walk = reverse_walk(Graph.of(x))
    assert (walk.gradients, len(walk.steps), walk.order) == ((1.0,), 1, (0,))


def test_an_order_may_be_given_by_names_or_places_and_is_kept() -> None:
    graph = seven_nodes()
    by_name = reverse_walk(graph, ["L", "d", "f", "e", "c", "a", "b"])
    places = [graph.index(name) for name in ("L", "d", "f", "e", "c", "a", "b")]
    assert by_name == reverse_walk(graph, places)
    assert by_name.order == tuple(places)
    assert by_name.gradients == reverse_walk(graph).gradients


def test_a_long_graph_is_walked_with_any_order_in_little_time() -> None:
    x = Value(1.0)
    y = x
    for _ in range(20_000):
        y = y + x
    graph = Graph.of(y, {"x": x})
    order = list(range(len(graph)))[::-1]
    assert reverse_walk(graph, order).grad("x") == 20_001.0
    assert reverse_walk(graph, [graph.names[i] for i in order]).grad("x") == 20_001.0


# -- wrong --------------------------------------------------------------------------------------


def test_overwriting_loses_one_of_two_uses() -> None:
    assert reverse_walk(x_plus_x()).grad("x") == 2.0
    wrong = reverse_walk(x_plus_x(), accumulate=False)
    assert wrong.grad("x") == 1.0
    assert wrong.steps[0].contributions[1] == (1, 0, 1, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert wrong.gradients_after(1) == (1.0, 1.0)


def test_x_squared_plus_x_is_7_and_less_when_overwritten() -> None:
    x = Value(3.0)
    u = x * x
    graph = Graph.of(u + x)
    assert (reverse_walk(graph).grad("u"), reverse_walk(graph).grad("x")) == (1.0, 7.0)
    assert reverse_walk(graph, accumulate=False).grad("x") == 3.0


def test_a_node_processed_too_early_hands_on_too_little() -> None:
    graph = u_plus_v()
    assert named(reverse_walk(graph)) == {"x": 18, "u": 3, "v": 1, "y": 1}
    assert named(reverse_walk(graph, ["y", "v", "u", "x"])) == {"x": 18, "u": 3, "v": 1, "y": 1}
    early = reverse_walk(graph, ["y", "u", "v", "x"])
    assert early.grad("x") == 6.0
    assert early.grad("u") == 3.0
    assert [step.upstream for step in early.steps] == [1.0, 1.0, 1.0, 6.0]


def test_processing_the_output_last_leaves_every_leaf_at_0() -> None:
    assert reverse_walk(u_plus_v(), ["x", "u", "v", "y"]).grad("x") == 0.0


def test_without_a_visited_set_a_shared_node_hands_on_again_what_it_held() -> None:
    graph = u_plus_v()
    wrong = reverse_walk(graph, visit_once=False)
    assert wrong.grad("x") == 36.0
    names = [graph.names[i] for i in wrong.order]
    assert names == ["y", "v", "u", "x", "x", "u", "x", "x"]
    assert [step.number for step in wrong.steps] == list(range(1, 9))


def test_the_limit_without_a_visited_set_is_the_longest_walk_that_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine.walk, "LONGEST_REPEATED_WALK", 8)
    assert len(reverse_walk(u_plus_v(), visit_once=False).steps) == 8
    monkeypatch.setattr(engine.walk, "LONGEST_REPEATED_WALK", 7)
    with pytest.raises(ValueError, match="more than 7 steps"):
        reverse_walk(u_plus_v(), visit_once=False)


def test_visited_set_and_accumulation_are_different_things() -> None:
    graph = u_plus_v()
    both_wrong = reverse_walk(graph, visit_once=False, accumulate=False)
    assert both_wrong.grad("x") != 36.0
    assert reverse_walk(graph, accumulate=False).grad("x") == 6.0


def test_a_walk_without_a_visited_set_is_right_where_nothing_is_shared() -> None:
    assert named(reverse_walk(seven_nodes(), visit_once=False)) == named(
        reverse_walk(seven_nodes())
    )


def test_walks_are_data() -> None:
    walk = reverse_walk(x_plus_x())
    assert walk == reverse_walk(x_plus_x())
    with pytest.raises(AttributeError):
        walk.gradients = ()  # type: ignore[misc]


@pytest.mark.parametrize("options", [{}, {"accumulate": False}, {"visit_once": False}], ids=str)
def test_a_gradient_that_leaves_the_floats_is_named(options: dict[str, bool]) -> None:
    x = Value(1e-300, "x")
    graph = Graph.of(x * 1e200 * 1e200, {})
    words = r"range of floats in step 2: .*1e\+200 \* 1e\+200 on to 'x'"
    with pytest.raises(OverflowError, match=words):
        reverse_walk(graph, **options)  # type: ignore[arg-type]


def test_a_sum_of_gradients_that_leaves_the_floats_is_named() -> None:
    x = Value(1e-300, "x")
    graph = Graph.of(x * 1e308 + x * 1e308, {})
    with pytest.raises(OverflowError, match=r"in step 3: .*1e\+308 \* 1 on to 'x'"):
        reverse_walk(graph)
    assert reverse_walk(graph, accumulate=False).grad("x") == 1e308
