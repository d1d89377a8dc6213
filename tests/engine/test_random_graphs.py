"""Random graphs: every way to a gradient agrees, ours and other people's."""

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import autograd
import autograd.numpy as anp
import micrograd.engine
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_graphs import ALL, ALL_OF_MICROGRAD, CALCULATE, INFIX, Calculation, calculations

from engine import Graph, Parameter, Tape, Value, reverse_walk, topological_order
from engine.value import push_back

many = settings(max_examples=150)

OURS: dict[str, Callable[..., Any]] = {
    **CALCULATE,
    "exp": Value.exp,
    "log": Value.log,
    "relu": Value.relu,
    "tanh": Value.tanh,
}
AUTOGRAD: dict[str, Callable[..., Any]] = {
    **CALCULATE,
    "exp": anp.exp,
    "log": anp.log,
    "relu": lambda a: anp.maximum(a, 0.0),
    "tanh": anp.tanh,
}
MICROGRAD: dict[str, Callable[..., Any]] = {**CALCULATE, "relu": operator.methodcaller("relu")}

# Gradients that differ only in the order of additions agree to this part of the sum of sizes.
ROUNDING = 1e-12


def recorded(calculation: Calculation) -> list[Value]:
    """Run a calculation with Values: the leaves first, the output last."""
    leaves = [
        Parameter(data) if place % 2 else Value(data)
        for place, data in enumerate(calculation.leaves)
    ]
    return calculation.run(leaves, OURS)


def gradients(calculation: Calculation) -> list[float]:
    """Return the gradient of every number, by `backward()`."""
    numbers = recorded(calculation)
    numbers[-1].backward()
    return [number.grad for number in numbers]


def sizes(numbers: list[Value]) -> list[float]:
    """Return for every number the sum of the sizes of all contributions, without their signs."""
    size = dict.fromkeys(numbers, 0.0)
    size[numbers[-1]] = 1.0
    for node in reversed(topological_order(numbers[-1])):
        for target, slope in zip(node.inputs, node.local_derivatives, strict=True):
            size[target] += abs(slope) * size[node]
    return [size[number] for number in numbers]


def assert_agree(got: Sequence[float], expected: Sequence[float], numbers: list[Value]) -> None:
    """Compare gradients up to the rounding that another order of additions brings."""
    for ours, other, size in zip(got, expected, sizes(numbers)[: len(got)], strict=True):
        assert abs(ours - other) <= ROUNDING * max(1.0, size)


# -- the strategy itself ------------------------------------------------------------------------


def test_random_calculations_are_as_tangled_as_they_should_be() -> None:
    seen: Counter[str] = Counter()

    @many
    @given(calculations())
    def look(calculation: Calculation) -> None:
        seen["all"] += 1
        uses = calculation.uses()
        seen["shared"] += max(uses) >= 2
        seen["much shared"] += max(uses) >= 4
        seen["shared computed"] += max(uses[len(calculation.leaves) :]) >= 2
        seen["unused"] += 0 in uses[:-1]
        seen["long"] += len(calculation.instructions) >= 12
        for op, operands in calculation.instructions:
            places = [o for o in operands if isinstance(o, int)]
            seen[op] += 1
            seen["same operand twice"] += len(places) == 2 and places[0] == places[1]
            if op in INFIX:
                seen[f"{op} of {' and '.join(type(o).__name__ for o in operands)}"] += 1

    look()
    assert seen["all"] >= 150
    assert seen["unused"] == 0
    assert seen["shared"] > 0.8 * seen["all"]
    assert seen["shared computed"] > 0.5 * seen["all"]
    for rare in ("much shared", "long", "same operand twice"):
        assert seen[rare] > 0.1 * seen["all"], rare
    for op in ALL:
        assert seen[op] >= 20, op
    for op in INFIX:
        for kinds in ("int and int", "int and float", "float and int"):
            assert seen[f"{op} of {kinds}"] >= 10, (op, kinds)


# -- other people's engines, and measuring ------------------------------------------------------


def measured(calculation: Calculation, place: int) -> tuple[float, float]:
    """Measure one derivative with two steps; return it with how far the two are apart."""

    def output(moved: float) -> float:
        leaves = list(calculation.leaves)
        leaves[place] += moved
        result: float = calculation.run(leaves, CALCULATE)[-1]
        return result

    wide, narrow = ((output(h) - output(-h)) / (2 * h) for h in (2e-5, 1e-5))
    return narrow + (narrow - wide) / 3, abs(narrow - wide)


@many
@given(calculations())
def test_gradients_agree_with_central_differences(calculation: Calculation) -> None:
    engine = gradients(calculation)
    for place in range(len(calculation.leaves)):
        slope, doubt = measured(calculation, place)
        size = max(1.0, abs(slope))
        assume(doubt <= 1e-4 * size)
        assert abs(engine[place] - slope) <= 1e-6 * size + doubt


@many
@given(calculations())
def test_gradients_agree_with_autograd(calculation: Calculation) -> None:
    def output(leaves: Any) -> Any:
        return calculation.run([leaves[i] for i in range(len(calculation.leaves))], AUTOGRAD)[-1]

    expected = autograd.grad(output)(anp.array(calculation.leaves))
    engine = gradients(calculation)[: len(calculation.leaves)]
    assert_agree(engine, list(expected), recorded(calculation))


@many
@given(calculations(ALL_OF_MICROGRAD, value_exponents=False))
def test_numbers_and_gradients_agree_with_micrograd(calculation: Calculation) -> None:
    theirs = calculation.run([micrograd.engine.Value(x) for x in calculation.leaves], MICROGRAD)
    theirs[-1].backward()
    ours = recorded(calculation)
    for our, their in zip(ours, theirs, strict=True):
        assert our.data == pytest.approx(their.data, rel=1e-12, abs=1e-14)
    ours[-1].backward()
    assert_agree([our.grad for our in ours], [their.grad for their in theirs], ours)


@many
@given(calculations())
def test_the_numbers_are_those_of_plain_python(calculation: Calculation) -> None:
    plain = calculation.run(calculation.leaves, CALCULATE)
    assert [number.data for number in recorded(calculation)] == plain


# -- one engine, several ways -------------------------------------------------------------------


@many
@given(calculations())
def test_a_reverse_walk_gives_the_gradients_of_backward_to_the_last_bit(
    calculation: Calculation,
) -> None:
    output = recorded(calculation)[-1]
    output.backward()
    graph = Graph.of(output, {})
    walk = reverse_walk(graph)
    assert list(walk.gradients) == [node.grad for node in graph.nodes]
    assert walk.gradients == walk.gradients_after(len(walk.steps))


@many
@given(calculations())
def test_a_tape_gives_the_gradients_of_backward(calculation: Calculation) -> None:
    by_sort = gradients(calculation)
    with Tape() as tape:
        numbers = recorded(calculation)
        tape.backward(numbers[-1])
        by_tape = [number.grad for number in numbers]
    if max(calculation.uses()) <= 2:  # a sum of two does not depend on their order
        assert by_tape == by_sort
    assert_agree(by_tape, by_sort, recorded(calculation))


@many
@given(calculations())
def test_the_creation_order_of_a_tape_is_a_topological_order(calculation: Calculation) -> None:
    with Tape() as tape:
        recorded(calculation)
        place = {node: i for i, node in enumerate(tape.nodes)}
        for node in tape.nodes:
            assert all(place[i] < place[node] for i in node.inputs if i.op)


@many
@given(calculations(), st.randoms(use_true_random=False))
def test_every_topological_order_gives_the_same_gradients(
    calculation: Calculation, random: Any
) -> None:
    numbers = recorded(calculation)
    numbers[-1].backward()
    graph = Graph.of(numbers[-1], {})
    waiting = [len(set(consumers)) for consumers in graph.consumers]
    ready, order = [graph.output.index], []
    while ready:
        index = ready.pop(random.randrange(len(ready)))
        order.append(index)
        for target in set(graph.nodes[index].inputs):
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    walk = reverse_walk(graph, order)
    in_graph_order = topological_order(numbers[-1])
    size = dict(zip(numbers, sizes(numbers), strict=True))
    for node, gradient in zip(in_graph_order, walk.gradients, strict=True):
        assert abs(gradient - node.grad) <= ROUNDING * max(1.0, size[node])


@many
@given(calculations())
def test_a_second_backward_doubles_every_leaf_exactly(calculation: Calculation) -> None:
    numbers = recorded(calculation)
    leaves = numbers[: len(calculation.leaves)]
    numbers[-1].backward()
    once = [number.grad for number in numbers]
    numbers[-1].backward()
    assert [leaf.grad for leaf in leaves] == [2 * grad for grad in once[: len(leaves)]]
    assert [number.grad for number in numbers[len(leaves) :]] == once[len(leaves) :]


@many
@given(calculations())
def test_walking_changes_no_number_and_no_record(calculation: Calculation) -> None:
    output = recorded(calculation)[-1]
    before = Graph.of(output, {})
    output.backward()
    after = Graph.of(output, {})
    assert after.with_gradients([0.0] * len(after)) == before


@many
@given(calculations())
def test_the_chain_rule_pushes_any_valid_list(calculation: Calculation) -> None:
    numbers = recorded(calculation)
    push_back(numbers, numbers[-1])
    assert_agree([number.grad for number in numbers], gradients(calculation), numbers)


# -- graphs as data -----------------------------------------------------------------------------


@many
@given(calculations(), st.lists(st.text(), max_size=18))
def test_json_brings_a_graph_back(calculation: Calculation, labels: list[str]) -> None:
    numbers = recorded(calculation)
    for number, label in zip(numbers, labels, strict=False):
        number.label = label
    numbers[-1].backward()
    graph = Graph.of(numbers[-1], {})
    again = Graph.from_json(graph.to_json())
    assert again == graph
    assert again.names == graph.names
    assert reverse_walk(again).gradients == reverse_walk(graph).gradients


@many
@given(calculations())
def test_an_expression_read_by_python_gives_the_number_of_its_node(
    calculation: Calculation,
) -> None:
    graph = Graph.of(recorded(calculation)[-1], {})
    names: dict[str, Any] = {f"n{node.index}": node.data for node in graph.nodes}
    names |= {op: CALCULATE[op] for op in ("exp", "log", "relu", "tanh")}
    for node, expression in zip(graph.nodes, graph.expressions, strict=True):
        if node.op:
            assert eval(expression, names) == pytest.approx(node.data, rel=1e-9, abs=1e-12)
