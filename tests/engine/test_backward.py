"""backward(): the numbers of the course, repeated calls, orders, and a million nodes."""

import math
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engine.value
from engine import Graph, Parameter, Tape, Value, reverse_walk, topological_order


def seven_nodes() -> dict[str, Value]:
    """Record L = (a*b + c) * f with every node labeled."""
    a, b, c, f = Value(2, "a"), Value(-3, "b"), Value(10, "c"), Value(-2, "f")
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    L = d * f  # noqa: N806
    L.label = "L"
    return {node.label: node for node in (a, b, c, f, e, d, L)}


def in_order(nodes: list[Value]) -> bool:
    """Tell whether every input stands before each node that uses it."""
    place = {node: i for i, node in enumerate(nodes)}
    return len(place) == len(nodes) and all(
        place[i] < place[node] for node in nodes for i in node.inputs
    )


def test_the_seven_nodes_have_the_data_and_gradients_of_the_course() -> None:
    nodes = seven_nodes()
    assert {name: node.data for name, node in nodes.items()} == {
        "a": 2, "b": -3, "c": 10, "f": -2, "e": -6, "d": 4, "L": -8,
    }  # fmt: skip
    assert {node.grad for node in nodes.values()} == {0.0}
    before = {name: node.data for name, node in nodes.items()}
    nodes["L"].backward()
    assert {name: node.grad for name, node in nodes.items()} == {
        "L": 1, "d": -2, "f": 4, "e": -2, "c": -2, "a": 6, "b": -4,
    }  # fmt: skip
    assert {name: node.data for name, node in nodes.items()} == before


def test_x_plus_x() -> None:
    x = Value(3.0)
    y = x + x
    y.backward()
    assert (y.data, x.grad) == (6.0, 2.0)


def test_x_squared_plus_x() -> None:
    x = Value(3.0)
    u = x * x
    y = u + x
    y.backward()
    assert (u.data, y.data, u.grad, x.grad) == (9.0, 12.0, 1.0, 7.0)


def test_a_node_used_by_a_later_one_and_by_the_output() -> None:
    x = Value(3.0)
    u = x * x
    v = u * 2
    y = u + v
    y.backward()
    assert (u.data, v.data, y.data) == (9.0, 18.0, 27.0)
    assert (v.grad, u.grad, x.grad) == (1.0, 3.0, 18.0)


def test_a_second_call_doubles_the_leaves_exactly_and_restarts_computed_nodes() -> None:
    nodes = seven_nodes()
    for times in (1, 2, 3):
        nodes["L"].backward()
        leaves = {name: nodes[name].grad for name in "abcf"}
        computed = {name: nodes[name].grad for name in "edL"}
        assert leaves == {"a": 6 * times, "b": -4 * times, "c": -2 * times, "f": 4 * times}
        assert computed == {"e": -2, "d": -2, "L": 1}


def test_a_second_call_doubles_numbers_that_are_not_round() -> None:
    x = Parameter(0.1)
    y = ((x * 0.7).tanh() * x + x.exp()) * 1.1
    y.backward()
    once = x.grad
    y.backward()
    assert x.grad == 2 * once


def test_a_gradient_that_was_there_before_is_added_to() -> None:
    x = Value(3.0)
    x.grad = 100.0
    (x * 2).backward()
    assert x.grad == 102.0


def test_two_outputs_that_share_a_node_add_up_at_the_leaf() -> None:
    x = Value(3.0)
    u = x * x
    first, second = u * 2, u * 3
    first.backward()
    assert (u.grad, x.grad) == (2.0, 12.0)
    second.backward()
    assert (u.grad, x.grad) == (3.0, 12.0 + 18.0)


def test_an_output_above_another_one_starts_it_again() -> None:
    x = Value(3.0)
    inner = x * 2
    outer = inner * 5
    inner.backward()
    outer.backward()
    assert (inner.grad, x.grad) == (5.0, 2.0 + 10.0)


def test_only_the_numbers_behind_the_output_get_a_gradient() -> None:
    x, other = Value(3.0), Value(4.0)
    y, unused = x * 2, x * other
    y.backward()
    assert (x.grad, other.grad, unused.grad) == (2.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", [Value, Parameter])
def test_a_leaf_as_output_gets_the_seed_gradient_and_keeps_adding(kind: type[Value]) -> None:
    x = kind(-8.0)
    x.backward()
    assert x.grad == 1.0
    x.backward()
    assert x.grad == 2.0


# -- topological order --------------------------------------------------------------------------


def test_the_order_of_the_seven_nodes_is_always_the_same() -> None:
    order = topological_order(seven_nodes()["L"])
    assert [node.label for node in order] == ["a", "b", "e", "c", "d", "f", "L"]


def test_every_input_stands_before_the_node_that_uses_it_in_a_tangled_graph() -> None:
    for seed in range(20):
        choose = random.Random(seed).choice
        nodes = [Value(0.5), Value(0.25)]
        for _ in range(200):
            nodes.append(choose(nodes) + choose(nodes) * 0.5)
        output = nodes[-1]
        order = topological_order(output)
        assert in_order(order)
        assert order[-1] is output
        reached, waiting = {output}, [output]
        while waiting:
            fresh = set(waiting.pop().inputs) - reached
            reached |= fresh
            waiting += fresh
        assert set(order) == reached


def test_a_node_that_is_an_input_of_a_deeper_one_is_listed_once_and_early_enough() -> None:
    x = Value(3.0)
    u = x * x
    for output in (u + u * 2, u * 2 + u, (u + u) * u, (x + u) * x):
        assert in_order(topological_order(output))


def test_a_leaf_alone_is_its_own_order() -> None:
    x = Value(1.0)
    assert topological_order(x) == [x]


def test_several_orders_of_the_seven_nodes_are_valid_and_give_the_same_gradients() -> None:
    nodes = seven_nodes()
    graph = Graph.of(nodes["L"], {})
    orders = ["Lfdceba", "Ldfecba", "Ldecfba", "Ldebacf", "Lfdeabc"]
    for order in orders:
        walk = reverse_walk(graph, list(order))
        assert {name: walk.grad(name) for name in "abcfed"} == {
            "a": 6, "b": -4, "c": -2, "f": 4, "e": -2, "d": -2,
        }  # fmt: skip


# -- all or nothing, with and without a tape ---------------------------------------------------


def walk_by_sort(tape: Tape, output: Value) -> None:
    output.backward()


@pytest.fixture(params=[walk_by_sort, Tape.backward], ids=["sort", "tape"])
def walk_from(request: pytest.FixtureRequest) -> Callable[[Tape, Value], None]:
    return request.param  # type: ignore[no-any-return]


def test_an_interrupt_leaves_every_leaf_the_gradient_it_had(
    walk_from: Callable[[Tape, Value], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = Value(3.0), Parameter(2.0)
    push_back = engine.value.push_back

    def interrupted(order: list[Value], output: Value) -> None:
        push_back(order, output)
        raise KeyboardInterrupt

    with Tape() as tape:
        y = x * w
        w.grad = 5.0
        monkeypatch.setattr(engine.value, "push_back", interrupted)
        with pytest.raises(KeyboardInterrupt):
            walk_from(tape, y)
        assert (x.grad, w.grad) == (0.0, 5.0)
        monkeypatch.undo()
        walk_from(tape, y)
        assert (x.grad, w.grad) == (2.0, 8.0)


def test_a_replaced_gradient_is_found_before_any_other_changes(
    walk_from: Callable[[Tape, Value], None],
) -> None:
    p, q = Parameter(2.0), Parameter(3.0)
    q.grad = "a"  # type: ignore[assignment]
    with Tape() as tape:
        y = p * q + p
        for _ in range(2):
            with pytest.raises(TypeError, match="grad='a'"):
                walk_from(tape, y)
            assert (p.grad, q.grad) == (0.0, "a")
        q.grad = 0.0
        walk_from(tape, y)
    assert (p.grad, q.grad) == (4.0, 2.0)


def test_what_a_leaf_holds_does_not_change_how_a_walk_rounds(
    walk_from: Callable[[Tape, Value], None],
) -> None:
    def gradient(held: float) -> float:
        w = Parameter(0.3)
        w.grad = held
        with Tape() as tape:
            walk_from(tape, w * 0.1 + w * 0.2 + w * 0.7)
        return w.grad

    once = gradient(0.0)
    for held in (once, 0.1, -7.3):
        assert gradient(held) == held + once


@pytest.mark.parametrize("named", ["leaf", "computed node"])
def test_a_gradient_that_leaves_the_floats_is_named_and_none_is_changed(
    walk_from: Callable[[Tape, Value], None], named: str
) -> None:
    x = Value(1e-300, "x")
    x.grad = 5.0
    with Tape() as tape:
        u = x * (1e200 if named == "leaf" else 1.0)
        u.label = "u"
        y = u * 1e200 if named == "leaf" else u * 1e200 * 1e200
        words = r"grad=inf, label='x'" if named == "leaf" else r"grad=inf, op='\*', label='u'"
        with pytest.raises(OverflowError, match=rf"gradient left the range.*{words}"):
            walk_from(tape, y)
    assert x.grad == 5.0


def test_gradients_whose_sum_would_overflow_are_finite_all_the_same(
    walk_from: Callable[[Tape, Value], None],
) -> None:
    x, z = Value(1e-300), Value(1e-300)
    with Tape() as tape:
        walk_from(tape, x * 1e308 + z * 1e308)
    assert (x.grad, z.grad) == (1e308, 1e308)


@pytest.mark.parametrize("kind", [float, np.float64])
def test_gradients_that_add_up_to_more_than_a_float_holds_stay_as_they_were(
    walk_from: Callable[[Tape, Value], None], kind: Callable[[float], float]
) -> None:
    x, w = Value(1.0, "x"), Parameter(2.0)
    with Tape() as tape:
        y = x * 1e308 + w
        walk_from(tape, y)
        x.grad = kind(x.grad)
        told = r"'x'.* 1e\+308 .* 1e\+308 .*Set the gradients to 0"
        with pytest.raises(OverflowError, match=told):
            walk_from(tape, y)
        assert (x.grad, type(x.grad), w.grad) == (1e308, kind, 1.0)
        x.grad = -1e308
        walk_from(tape, y)
    assert (x.grad, w.grad) == (0.0, 2.0)


def test_a_gradient_that_was_infinite_before_stays_so(
    walk_from: Callable[[Tape, Value], None],
) -> None:
    x, w = Value(1.0), Parameter(2.0)
    x.grad = math.inf
    with Tape() as tape:
        walk_from(tape, x * w)
    assert (x.grad, w.grad) == (math.inf, 1.0)


def test_a_gradient_too_large_for_a_float_is_named_and_nothing_changes(
    walk_from: Callable[[Tape, Value], None],
) -> None:
    x, w = Value(3.0), Parameter(2.0, "w")
    w.grad = 10**400
    with Tape() as tape:
        y = x * w
        with pytest.raises(OverflowError, match=r"label='w'.* is too large .*Set it to 0\.0"):
            walk_from(tape, y)
    assert (x.grad, w.grad) == (0.0, 10**400)


@pytest.mark.parametrize("also", [None, "b"])
def test_data_too_large_for_a_float_is_named_and_nothing_changes(
    walk_from: Callable[[Tape, Value], None], also: str | None
) -> None:
    x, w = Value(3.0, "x"), Parameter(2.0)
    with Tape() as tape:
        y = x * w
        x.data = 10**400
        if also:
            w.data = also  # type: ignore[assignment]
        kind, told = (TypeError, "data='b'") if also else (OverflowError, "leaf 'x' holds 1000")
        with pytest.raises(kind, match=rf"backward\(\) needs numbers.*{told}"):
            walk_from(tape, y)
    assert (x.grad, w.grad) == (0.0, 0.0)


def test_data_too_large_for_a_float_beside_the_output_does_not_matter() -> None:
    x, other = Value(3.0), Value(1.0)
    with Tape() as tape:
        other * 2.0
        other.data = 10**400
        tape.backward(x * x)
    assert x.grad == 6.0


@pytest.mark.parametrize("data", ["a", None, Value(3.0)], ids=repr)
def test_replaced_data_is_named_and_nothing_changes(
    walk_from: Callable[[Tape, Value], None], data: object
) -> None:
    x = Value(3.0, "x")
    x.grad = 5.0
    with Tape() as tape:
        y = x * 2
        x.data = data  # type: ignore[assignment]
        recorded = tape.nodes
        with pytest.raises(TypeError, match=r"backward\(\) needs numbers.*label='x'.*again"):
            walk_from(tape, y)
        assert (tape.nodes, x.grad) == (recorded, 5.0)
        if data is not None:
            with pytest.raises(TypeError, match=r"backward\(\) needs numbers.*Give it a number"):
                walk_from(tape, x + x)


def operations_on(x: Value) -> dict[str, Callable[[], object]]:
    """Return every operation that reads the data of ``x``, by its name."""
    two = Value(2.0)
    return {
        "+": lambda: x + two,
        "2 +": lambda: 2 + x,
        "-": lambda: two - x,
        "*": lambda: x * 3,
        "/": lambda: two / x,
        "**": lambda: x**two,
        "2 **": lambda: 2**x,
        "neg": lambda: -x,
        **{name: getattr(x, name) for name in ("exp", "log", "relu", "tanh")},
    }


@pytest.mark.parametrize("name", operations_on(Value(1.0)))
def test_an_operation_names_the_number_whose_data_was_replaced_by_text(name: str) -> None:
    x = Value(3.0, "x")
    x.data = "two"  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"an operation needs numbers.*data='two'.*Give it"):
        operations_on(x)[name]()


def test_an_operation_names_a_whole_number_that_no_float_can_hold() -> None:
    x = Value(3.0, "x")
    x.data = 10**400
    with pytest.raises(OverflowError, match="large"):
        x.tanh()


@pytest.mark.parametrize("narrow", [np.float32, np.float16])
def test_a_number_with_fewer_bits_is_refused_where_it_would_cost_digits(
    walk_from: Callable[[Tape, Value], None], narrow: Callable[[float], Any]
) -> None:
    x, w = Value(3.0, "x"), Parameter(2.0)
    x.data = narrow(0.1)
    with Tape() as tape:
        y = x * w
        with pytest.raises(TypeError, match=rf"64 bits.*by a {narrow.__name__}"):
            walk_from(tape, y)
    assert w.grad == 0.0


# -- size ---------------------------------------------------------------------------------------

MILLION = """
import gc, sys
from contextlib import nullcontext
from engine import Tape, Value, topological_order

LENGTH = 1_000_000
sys.setrecursionlimit(200)
with_tape = sys.argv[1] == "tape"
gc.collect()  # the first drafts of dataclasses with slots
x = Value(1.0)
with Tape() if with_tape else nullcontext() as tape:
    y = x
    for i in range(LENGTH):
        y = x + y if i % 2 else y + x
    tape.backward(y) if with_tape else y.backward()
    print(y.data, x.grad)
del y, tape
print(sum(type(thing).__name__ in {"Value", "Released"} for thing in gc.get_objects()))
print(gc.collect())
"""


@pytest.mark.parametrize("how", ["tape", "no tape"])
def test_a_chain_of_a_million_nodes_is_recorded_walked_and_dropped(how: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", MILLION, how], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["1000001.0", "1000001.0", "1", "0"]
