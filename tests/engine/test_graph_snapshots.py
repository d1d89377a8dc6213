"""Graph: an immutable snapshot with names, expressions and a stable text."""

import dataclasses
import json
import math
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import engine.variables
from engine import Graph, Literal, Parameter, Tape, Value, scope
from engine.graph import Constant


def test_a_graph_holds_what_the_values_hold() -> None:
    w, x = Parameter(2.0, "w"), Value(-3.0)
    with scope("layer0"):
        y = w * x + Literal(1.5, "shift")
    y.backward()
    graph = Graph.of(y, {"x": x})
    first, second, product, last = graph.nodes
    assert (first.label, first.kind, first.data, first.grad) == ("w", "parameter", 2.0, -3.0)
    assert (second.label, second.kind, second.op, second.scope) == ("x", "leaf", "", "")
    assert (product.op, product.kind, product.scope) == ("*", "computed", "layer0")
    assert (product.operands, product.inputs) == ((0, 1), (0, 1))
    assert (product.local_derivatives, product.data, product.grad) == ((-3.0, 2.0), -6.0, 1.0)
    assert last.operands == (2, Constant(1.5, "shift"))
    assert (last.inputs, last.local_derivatives) == ((2,), (1.0,))
    assert [node.index for node in graph.nodes] == [0, 1, 2, 3]
    assert graph.output is last
    assert len(graph) == 4


def test_inputs_keep_repeats_and_order() -> None:
    x, z = Value(3.0), Value(4.0)
    assert Graph.of(x + x).output.inputs == (0, 0)
    u = z - x
    assert Graph.of(u * x).names[:2] == ("z", "x")


def test_a_graph_does_not_follow_what_happens_later() -> None:
    x = Value(3.0)
    y = x * x
    graph = Graph.of(y)
    y.backward()
    x.data, x.label = 100.0, "changed"
    assert [(node.data, node.grad) for node in graph.nodes] == [(3.0, 0.0), (9.0, 0.0)]
    assert graph.names == ("x", "y")
    assert Graph.of(y) != graph


@pytest.mark.parametrize("field", ["data", "grad", "label", "inputs"])
def test_nothing_in_a_graph_can_be_changed(field: str) -> None:
    graph = Graph.of(Value(3.0, "x") * 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(graph.nodes[0], field, 1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.nodes = ()  # type: ignore[misc]


def test_taking_a_snapshot_changes_nothing() -> None:
    x = Value(3.0)
    y = x * 2
    y.backward()
    Graph.of(y)
    assert (x.label, y.label, x.grad, y.grad, y.inputs) == ("", "", 2.0, 1.0, (x,))


def test_other_gradients_make_another_graph() -> None:
    x = Value(3.0)
    graph = Graph.of(x * 2)
    walked = graph.with_gradients((2.0, 1.0))
    assert [node.grad for node in walked.nodes] == [2.0, 1.0]
    assert [node.grad for node in graph.nodes] == [0.0, 0.0]
    assert walked.names == graph.names


def test_a_gradient_for_every_node_is_needed() -> None:
    graph = Graph.of(Value(3.0) * 2)
    with pytest.raises(ValueError, match="each of the 2 nodes is needed, got 1"):
        graph.with_gradients([1.0])


def test_a_graph_has_an_output() -> None:
    with pytest.raises(ValueError, match="at least one node"):
        Graph(())


def test_who_uses_a_node() -> None:
    x = Value(3.0)
    u = x * x
    v = u * 2
    assert Graph.of(u + v).consumers == ((1, 1), (2, 3), (3,), ())


# -- names --------------------------------------------------------------------------------------


def test_variables_name_their_values() -> None:
    a, b = Value(2.0), Value(-3.0)
    e = a * b
    assert Graph.of(e + 1).names == ("a", "b", "e", "e + 1")


def test_the_variables_are_those_of_the_caller_not_of_somebody_further_out() -> None:
    def inside(x: Value) -> Graph:
        y = x * 2
        return Graph.of(y)

    outer = Value(3.0)
    assert inside(outer).names == ("x", "y")
    assert Graph.of(outer * 2).names == ("outer", "outer * 2")


hidden = Value(1.0)


def test_a_local_variable_hides_a_global_one() -> None:
    hidden = Value(3.0)
    assert Graph.of(hidden * 2).names[0] == "hidden"


def test_comprehensions_and_lambdas_see_the_variables_around_them() -> None:
    a = Value(2.0)
    b = a * 3
    graphs = [
        *[Graph.of(b) for _ in range(1)],
        *{Graph.of(b) for _ in range(1)},
        *{key: Graph.of(b) for key in range(1)}.values(),
        *(Graph.of(b) for _ in range(1)),
        *[Graph.of(b) for _ in range(1) for _ in [Graph.of(b) for _ in range(1)]],
        (lambda: Graph.of(b))(),
    ]
    assert [graph.names for graph in graphs] == [("a", "b")] * 6


def test_a_variable_of_a_comprehension_hides_one_around_it() -> None:
    x = Value(2.0)
    (inner,) = (Graph.of(x * 2).names[0] for x in [Value(3.0)])
    assert (inner, Graph.of(x * 2).names[0]) == ("x", "x")


def test_a_lambda_called_from_elsewhere_does_not_see_the_variables_there() -> None:
    def called(take: Callable[[], Graph], elsewhere: object) -> Graph:
        return take()

    inputs = [Value(2.0)]
    product = inputs[0] * 3
    assert called(lambda: Graph.of(product), product.inputs[0]).names == ("n0", "product")


class Untouchable(list[Value]):
    def __iter__(self) -> Iterator[Value]:
        raise RuntimeError("not to be looked through")


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("not to be printed")


class StandIn:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("nothing to stand in for")


def test_variables_that_fail_when_looked_at_do_no_harm() -> None:
    x = Value(3.0)
    names = {
        "table": {Unprintable(): x, "other": [StandIn()]},
        "stand_in": StandIn(),
        "rows": [Untouchable([x])],
        "xs": Untouchable([x]),
    }
    assert Graph.of(x * 2, {**names, "x": x}).names[0] == "x"
    assert Graph.of(x * 2, names).names[0] == "table[<Unprintable>]"


def test_members_of_subclasses_of_containers_are_named() -> None:
    x, y, z = Value(1.0), Value(2.0), Value(3.0)
    names = {"xs": Untouchable([x]), "table": OrderedDict(bias=y), "rows": [Untouchable([z])]}
    assert {*Graph.of(x + y + z, names).names} >= {"xs[0]", "table['bias']", "rows[0][0]"}


def test_of_an_endless_list_the_first_members_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.variables, "MOST_MEMBERS", 2)
    xs = [Value(1.0), Value(2.0), Value(3.0)]
    assert Graph.of(xs[1] + xs[2], {"xs": xs}).names[:2] == ("xs[1]", "n1")


def test_a_label_is_stronger_than_a_variable() -> None:
    a = Value(2.0, "weight")
    assert Graph.of(a * 3).names == ("weight", "weight * 3")


def test_the_first_of_two_variables_names_the_value() -> None:
    first = Value(2.0)
    second = first
    assert Graph.of(second * 3, {"first": first, "second": second}).names[0] == "first"


def test_a_variable_is_stronger_than_a_place_in_a_list() -> None:
    xs = [Value(1.0), Value(2.0)]
    y = xs[0] + xs[1]
    assert Graph.of(y, {"z": xs[0], "xs": xs}).names == ("z", "xs[1]", "z + xs[1]")


def test_members_of_lists_tuples_and_dictionaries_are_named() -> None:
    xs, pair, table = [Value(1.0)], (Value(2.0),), {"bias": Value(3.0)}
    rows = [[Value(4.0), Value(5.0)]]
    total = xs[0] + pair[0] + table["bias"] + rows[0][1]
    names = Graph.of(total).names
    assert [name for name in names if "[" in name and "+" not in name] == [
        "xs[0]",
        "pair[0]",
        "table['bias']",
        "rows[0][1]",
    ]


def test_private_variables_and_the_notebooks_own_name_nothing() -> None:
    x = Value(3.0)
    names = {"_": x, "_hidden": x, "In": [x], "Out": {4: x}}
    assert Graph.of(x * 2, names).names == ("n0", "n0 * 2")


def test_without_names_nodes_are_called_by_their_place() -> None:
    x, y = Value(3.0), Value(4.0)
    assert Graph.of(x * y + 1, {}).names == ("n0", "n1", "n0 * n1", "n0 * n1 + 1")


def test_a_long_expression_is_called_by_its_place_and_still_shown_in_the_title() -> None:
    first_number, second_number = Value(3.0), Value(4.0)
    graph = Graph.of(first_number * second_number + 1)
    assert graph.names[2:] == ("n2", "n2 + 1")
    assert graph.title(2) == "n2 = first_number * second_number"
    assert graph.title(3) == "n2 + 1"
    assert graph.title(0) == "first_number"


def test_nodes_that_share_a_name_have_a_name_of_their_own_and_are_found_by_it() -> None:
    a, b = Value(2.0), Value(-3.0)
    graph = Graph.of((a * b) * 2 + (a * b))
    assert graph.names.count("a * b") == 2
    assert graph.own_names == ("a", "b", "a * b (n2)", "a * b * 2", "a * b (n4)", "n5")
    assert [graph.index(name) for name in graph.own_names] == list(range(6))
    with pytest.raises(KeyError, match=r"2 nodes are named 'a \* b'.*: a, b, a \* b \(n2\)"):
        graph.index("a * b")


def test_a_label_that_looks_like_the_place_of_another_node_stays_unique() -> None:
    first, second, other = Value(1.0, "a"), Value(2.0, "a"), Value(3.0, "a (n1)")
    graph = Graph.of((first + second + other).tanh())
    assert graph.own_names[:2] == ("a (n0)", "a (n1) (n1)")
    assert graph.own_names.count("a (n1)") == 1
    assert len(set(graph.own_names)) == len(graph)


def test_nodes_are_found_by_name_and_by_every_kind_of_whole_number() -> None:
    a, b = Value(2.0), Value(-3.0)
    e = a * b
    graph = Graph.of(e)
    assert [graph.index(name) for name in ("a", "b", "e")] == [0, 1, 2]
    found = graph.index(np.int64(2))
    assert (found, type(found)) == (2, int)


EXPRESSIONS = {
    "a + b": lambda a, b: a + b,
    "a - (b - a)": lambda a, b: a - (b - a),
    "a - b - a": lambda a, b: (a - b) - a,
    "a - (b + a)": lambda a, b: a - (b + a),
    "(a + b) * a": lambda a, b: (a + b) * a,
    "a * b + a": lambda a, b: a * b + a,
    "a / (b * a)": lambda a, b: a / (b * a),
    "a / b / a": lambda a, b: (a / b) / a,
    "(a * b) ** 2": lambda a, b: (a * b) ** 2,
    "(a ** 2) ** 3": lambda a, b: (a**2) ** 3,
    "a ** (b ** 2)": lambda a, b: a ** (b**2),
    "(-a) ** 2": lambda a, b: (-a) ** 2,
    "-a ** 2": lambda a, b: -(a**2),
    "-(a + b)": lambda a, b: -(a + b),
    "-(a * b)": lambda a, b: -(a * b),
    "-a * b": lambda a, b: (-a) * b,
    "a ** (-2)": lambda a, b: a ** (-2),
    "(-2) * a": lambda a, b: -2 * a,
    "2 ** a": lambda a, b: 2**a,
    "max - a": lambda a, b: Literal(-3.0, "max") - a,
    "exp(a + b)": lambda a, b: (a + b).exp(),
    "log(a) ** 2": lambda a, b: a.log() ** 2,
    "relu(-a)": lambda a, b: (-a).relu(),
    "tanh(a) * b": lambda a, b: a.tanh() * b,
}


@pytest.mark.parametrize(("text", "calculate"), EXPRESSIONS.items(), ids=EXPRESSIONS.keys())
def test_expressions_have_the_parentheses_they_need_and_no_others(
    text: str, calculate: object
) -> None:
    a, b = Value(2.0), Value(3.0)
    graph = Graph.of(calculate(a, b), {"a": a, "b": b})  # type: ignore[operator]
    assert graph.expressions[-1] == text


@pytest.mark.parametrize("label", ["a + b", "a-b", "-a", "a/b", "a b", "f(a) * g(b)", "a[0]-b[0]"])
def test_a_label_with_an_operator_gets_parentheses_beside_one(label: str) -> None:
    x, y = Value(3.0, label), Value(2.0, "y")
    assert Graph.of(x * 2).expressions[-1] == f"({label}) * 2"
    assert Graph.of(-x).expressions[-1] == f"-({label})"
    assert Graph.of(x.exp()).expressions[-1] == f"exp({label})"
    assert Graph.of(y * Literal(2.0, label)).expressions[-1] == f"y * ({label})"


@pytest.mark.parametrize("label", ["a", "w[0]", "t['a b']", "m[0][-1]", "x₁", "p.q", "f(a + b)"])
def test_other_labels_get_no_parentheses(label: str) -> None:
    assert Graph.of(Value(3.0, label) * 2).expressions[-1] == f"{label} * 2"


# -- text ---------------------------------------------------------------------------------------


def test_a_printed_graph_is_a_table() -> None:
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    L = d * f  # noqa: N806
    L.backward()
    assert str(Graph.of(L)).splitlines() == [
        "node       data  grad",
        "a             2     6",
        "b            -3    -4",
        "e = a * b    -6    -2",
        "c            10    -2",
        "d = e + c     4    -2",
        "f            -2     4",
        "L = d * f    -8     1",
    ]


def test_json_reads_back_equal_in_every_bit() -> None:
    w = Parameter(0.1, "w")
    y = (w * 1e-300 - Literal(1 / 3, "third")).exp() / 7
    y.backward()
    graph = Graph.of(y)
    again = Graph.from_json(graph.to_json())
    assert again == graph
    assert again.names == graph.names
    assert [node.data.hex() for node in again.nodes] == [node.data.hex() for node in graph.nodes]


def broken(place: int, key: str, value: object) -> str:
    """A graph of x * 2 with one entry of one node replaced."""
    records = json.loads(Graph.of(Value(3.0, "x") * 2).to_json())
    records[place][key] = value
    return json.dumps(records)


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        (0, "data", "abc"),
        (0, "data", None),
        (0, "data", True),
        (0, "grad", "x"),
        (0, "label", 5),
        (0, "kind", "foo"),
        (0, "kind", "computed"),
        (0, "scope", None),
        (0, "index", False),
        (0, "op", "+"),
        (1, "op", 3),
        (1, "op", ""),
        (1, "kind", "leaf"),
        (1, "local_derivatives", ["a"]),
        (1, "inputs", [False]),
        (1, "operands", [0, {"data": "2", "label": ""}]),
        (1, "operands", [0, {"data": 2.0, "label": None}]),
    ],
)
def test_json_that_is_no_graph_is_refused(place: int, key: str, value: object) -> None:
    with pytest.raises(ValueError, match="this is not a graph"):
        Graph.from_json(broken(place, key, value))


def test_json_with_other_numbers_is_a_graph() -> None:
    assert Graph.from_json(broken(0, "data", 4)).nodes[0].data == 4
    assert Graph.from_json(broken(1, "grad", math.inf)).output.grad == math.inf


def test_a_long_graph_needs_no_recursion() -> None:
    limit = sys.getrecursionlimit()
    x = Value(1.0)
    y = x
    for _ in range(3 * limit):
        y = y * 1.0
    graph = Graph.of(y)
    assert len(graph) == 3 * limit + 1
    assert len(str(graph).splitlines()) == len(graph) + 1
    assert Graph.from_json(graph.to_json()) == graph


def test_a_graph_can_be_taken_while_a_tape_records() -> None:
    x = Value(3.0)
    with Tape() as tape:
        y = x * x
        graph = Graph.of(y)
        assert len(tape) == 1
    assert graph.output.data == 9.0
