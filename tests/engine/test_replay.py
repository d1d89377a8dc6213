"""A replay computes what recording afresh would: the same nodes, numbers and gradients."""

import copy
import gc
import itertools
import math
import operator
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_graphs import Calculation, calculations
from test_random_graphs import OURS

from engine import (
    Graph,
    GraphExplorer,
    Maximum,
    Node,
    Parameter,
    ReleasedError,
    Tape,
    Value,
    record,
    reverse_walk,
    scope,
)
from engine.gpt import GPT, Shape, softmax
from engine.guards import Released
from engine.optim import SGD, Adam
from engine.replay import Choice, ParameterVector, Replay, compiled

# The way to compute a replay is the same for all examples of a test.
many = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
Vector = list[Value]


WAYS = ("numpy", "loops", "numba")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compute replays by levels, by the loops as they stand, and by the compiled loops."""
    if request.param == "numba":
        pytest.importorskip("numba", reason="numba, the extra `fast`, is not installed")
    if request.param == "loops":
        plain = compiled.forward_loop, compiled.backward_loop
        monkeypatch.setattr(compiled, "loops", lambda: plain)
    return str(request.param)


def unnamed(way: str, output: Value, *more: Any, **options: Any) -> Replay:
    """Make a replay in which no variable of a test names a node."""
    return Replay(output, *more, names={}, compiled=way != "numpy", **options)


def require_same(replayed: Graph, recorded: Graph, exact: bool = False) -> None:
    """Compare two graphs: everything equal but the last digits of numbers."""
    assert len(replayed) == len(recorded)
    for mine, theirs in zip(replayed.nodes, recorded.nodes, strict=True):
        assert structure(mine) == structure(theirs)
        assert numbers(mine) == pytest.approx(numbers(theirs), rel=1e-12, abs=1e-12)
        if exact:
            assert mine.data == theirs.data


def structure(node: Node) -> tuple[object, ...]:
    operands = [o if isinstance(o, int) else (o.label, type(o.data)) for o in node.operands]
    return node.index, node.label, node.kind, node.op, operands, node.inputs, node.scope


def numbers(node: Node) -> list[float]:
    constants = [o.data for o in node.operands if not isinstance(o, int)]
    return [node.data, node.grad, *node.local_derivatives, *constants]


# -- any recording ---------------------------------------------------------------------------------


def run(calculation: Calculation, leaves: Sequence[Value]) -> Value:
    output: Value = calculation.run(leaves, OURS)[-1]
    return output


def leaves_of(calculation: Calculation, factor: float) -> list[Value]:
    kinds: tuple[Callable[[float], Value], ...] = (Value, Parameter)
    return [kinds[place % 2](data * factor) for place, data in enumerate(calculation.leaves)]


@many
@given(calculations(), st.sampled_from([1.0, 0.999, 1.002]))
def test_a_replay_equals_a_new_recording(way: str, calculation: Calculation, factor: float) -> None:
    recorded = leaves_of(calculation, 1.0)
    inputs = [leaf for leaf in recorded if not isinstance(leaf, Parameter)]
    replay = unnamed(
        way, run(calculation, recorded), ParameterVector(recorded[1::2]), inputs=inputs
    )
    replay.parameters.data *= factor
    replay.inputs.data *= factor

    leaves = leaves_of(calculation, factor)
    output = run(calculation, leaves)
    output.backward()
    assert replay.forward() == pytest.approx(output.data, rel=1e-12)
    replay.backward()
    require_same(replay.graph(), Graph.of(output, names={}))
    found = [*replay.inputs.grad, *replay.parameters.grad]
    expected = [leaf.grad for leaf in leaves[0::2] + leaves[1::2]]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_what_the_basic_operations_give_is_the_same_to_the_last_bit(way: str, seed: int) -> None:
    chance = random.Random(seed)
    parameters = [Parameter(chance.uniform(0.5, 2.0)) for _ in range(4)]
    values: list[Value] = [*parameters]
    operations = (operator.add, operator.sub, operator.mul, operator.truediv)
    for _ in range(40):
        a, b = chance.choices(parameters + values[-8:], k=2)
        made = chance.choice(operations)(a, b if b.data else 0.3).relu()
        values.append(made if made.data < 1e6 else -a)
    output = sum(values[1:], values[0])
    output.backward()
    replay = unnamed(way, output)
    replay.forward()
    replay.backward()
    require_same(replay.graph(), Graph.of(output, names={}), exact=True)


def test_long_sums_are_added_in_the_order_of_the_record_to_the_last_bit(way: str) -> None:
    draw = random.Random(3).gauss
    weights = [[Parameter(draw(0, 1)) for _ in range(67)] for _ in range(5)]
    inputs = [Value(draw(0, 1)) for _ in range(67)]

    def dots() -> Vector:
        return [sum(w * x for w, x in zip(row, inputs, strict=True)) for row in weights]

    loss = sum(dots()[:4]) * dots()[4]  # type: ignore[operator]
    replay = unnamed(way, loss, inputs=inputs)
    replay.parameters.data *= 1.1
    for row in weights:
        for weight in row:
            weight.data *= 1.1
    replay.forward()
    replay.backward()
    afresh = sum(dots()[:4]) * dots()[4]  # type: ignore[operator]
    afresh.backward()
    require_same(replay.graph(), Graph.of(afresh, names={}), exact=True)


def test_0_and_minus_0_stay_two_constants(way: str) -> None:
    x = Parameter(3.0)
    replay = unnamed(way, x * 0.0 - x * -0.0)
    replay.forward()
    graph = replay.graph()
    constants = [o.data for node in graph.nodes for o in node.operands if not isinstance(o, int)]
    assert [math.copysign(1.0, constant) for constant in constants] == [1.0, -1.0]
    assert [math.copysign(1.0, node.data) for node in graph.nodes[1:3]] == [1.0, -1.0]


@pytest.mark.parametrize("count", [3, 50])
def test_what_arrives_is_added_in_the_order_of_the_walk_back_to_the_last_bit(
    way: str, count: int
) -> None:
    x, y = Parameter(1.5), Parameter(2.0)
    z = x * y
    output = x - y
    for place in range(count):
        for number in (x, y, z):
            output = output - number * 10.0 ** (16 - 3 * (place % 7))
    replay = unnamed(way, output)
    output.backward()
    replay.forward()
    replay.backward()
    require_same_gradients(replay.graph(), [x.grad, y.grad, z.grad])
    assert replay.parameters.grad.tolist() == [x.grad, y.grad]


def require_same_gradients(graph: Graph, gradients: list[float]) -> None:
    assert [node.grad for node in graph.nodes if node.data in (1.5, 2.0, 3.0)] == gradients


def test_an_inner_sum_that_is_used_twice_keeps_its_own_gradient(way: str) -> None:
    a, b, c, d = (Parameter(float(n)) for n in (1, 2, 3, 4))
    inner = a + b + c
    output = (inner + d) * inner
    output.backward()
    replay = unnamed(way, output)
    replay.forward()
    replay.backward()
    require_same(replay.graph(), Graph.of(output, names={}))


def test_a_parameter_that_is_used_very_often_beside_others_that_are_not(way: str) -> None:
    often = Parameter(0.5)
    others = [Parameter(float(n)) for n in range(3000)]
    output = sum((other + often) * often for other in others) * 0.001  # type: ignore[operator]
    replay = unnamed(way, output, ParameterVector([often, *others]))
    output.backward()
    replay.forward()
    replay.backward()
    expected = [parameter.grad for parameter in (often, *others)]
    assert replay.parameters.grad.tolist() == pytest.approx(expected, rel=1e-12)


def test_a_leaf_alone_is_a_recording_too(way: str) -> None:
    x = Parameter(3.0, "x")
    replay = unnamed(way, x)
    replay.parameters.data[0] = 4.0
    assert replay.forward() == 4.0
    replay.backward()
    assert replay.parameters.grad.tolist() == [1.0]
    assert [node.data for node in replay.graph().nodes] == [4.0]


def test_gradients_are_added_to_what_the_vector_holds_as_in_any_walk(way: str) -> None:
    x, y = Parameter(3.0), Value(5.0)
    replay = unnamed(way, x * 2 + y * 3, inputs=[y])
    replay.forward()
    replay.backward()
    replay.backward()
    assert replay.parameters.grad.tolist() == [4.0]
    assert replay.inputs.grad.tolist() == [6.0]
    assert replay.graph().nodes[0].grad == 2.0


# -- what the numbers decide -----------------------------------------------------------------------


def test_the_side_of_a_relu_is_decided_again(way: str) -> None:
    x = Parameter(2.0)
    replay = unnamed(way, x.relu() * 3)
    for data, output, gradient in ((-1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (5.0, 15.0, 3.0)):
        replay.parameters.data[0] = data
        replay.parameters.grad = 0.0
        assert replay.forward() == output
        replay.backward()
        assert replay.parameters.grad.tolist() == [gradient]


def test_a_maximum_is_looked_for_again_and_other_literals_are_not(way: str) -> None:
    scores = [Parameter(1.0), Parameter(2.0), Parameter(-1.0)]
    replay = unnamed(way, softmax(scores)[0].log())
    replay.parameters.data[:] = [800.0, -5.0, 801.0]  # with the old maximum exp would overflow
    assert replay.forward() == pytest.approx(-math.log(1 + math.e), rel=1e-12)
    labels = {
        o.label: o.data for n in replay.graph().nodes for o in n.operands if not isinstance(o, int)
    }
    assert labels == {"max": 801.0}
    fixed = unnamed(way, scores[0] - Maximum(scores).data)
    fixed.parameters.data[0] = 5.0
    assert fixed.forward() == 3.0


def test_an_exponent_of_a_half_at_0_has_the_local_derivative_of_the_engine(way: str) -> None:
    x, y = Parameter(4.0), Parameter(9.0)
    replay = unnamed(way, x**0.5 + y**0.5)
    replay.parameters.data[0] = 0.0
    replay.forward()
    replay.backward()
    assert replay.parameters.grad.tolist() == [0.0, pytest.approx(1 / 6)]


def test_to_the_power_of_0_all_is_flat_however_small_the_base(way: str) -> None:
    x, y = Parameter(4.0), Parameter(2.0)
    replay = unnamed(way, x**0 + y**0 + x * 3)
    for base in (1e-310, 0.0, -1e-310):
        replay.parameters.data[0] = base
        replay.parameters.grad = 0.0
        replay.forward()
        replay.backward()
        assert replay.parameters.grad.tolist() == [3.0, 0.0]
        (power, *_) = [node for node in replay.graph().nodes if node.op == "**"]
        assert power.local_derivatives == (0.0,)


def test_to_the_power_of_1_the_slope_at_0_is_1(way: str) -> None:
    x = Parameter(0.0)
    replay = unnamed(way, x**1)
    replay.forward()
    replay.backward()
    assert replay.parameters.grad.tolist() == [1.0]


# -- choices ---------------------------------------------------------------------------------------


class Reader:
    """A table of embeddings, a layer, and the loss of the second word after the first."""

    def __init__(self) -> None:
        draw = random.Random(5).gauss
        self.table, self.layer = (
            [[Parameter(draw(0, 1), f"{name}[{i}][{j}]") for j in range(3)] for i in range(4)]
            for name in ("table", "layer")
        )

    def parameters(self) -> list[Parameter]:
        return [p for rows in (self.table, self.layer) for row in rows for p in row]

    def read(self, words: Sequence[int]) -> tuple[Value, list[Choice]]:
        losses, choices = [], []
        for place, (word, target) in enumerate(pairwise(words)):
            with scope(f"place{place}"):
                hidden = [row * (place + 1.0) for row in self.table[word]]
                shares = softmax([sum(map(Value.__mul__, row, hidden)) for row in self.layer])
                log = shares[target].log()
            losses.append(-log)
            choices.append(Choice([(h, 0) for h in hidden], self.table))
            choices.append(Choice([(log, 0)], [[share] for share in shares]))
        return sum(losses) / len(losses), choices  # type: ignore[operator, return-value]


def picks(words: Sequence[int]) -> list[int]:
    return [word for pair in pairwise(words) for word in pair]


@pytest.mark.parametrize("words", [(0, 1, 2), (3, 3, 0), (2, 2, 2), (1, 0, 3)])
def test_another_document_of_the_same_length_needs_no_new_recording(
    way: str, words: tuple[int, ...]
) -> None:
    reader = Reader()
    vector = ParameterVector(reader.parameters())
    loss, choices = reader.read((0, 1, 2))
    replay = unnamed(way, loss, vector, choices)
    replay.bind(picks((3, 2, 1)))
    replay.forward()
    replay.backward()
    replay.bind(picks(words))
    vector.grad = 0.0
    afresh, _ = reader.read(words)
    afresh.backward()
    assert replay.forward() == pytest.approx(afresh.data, rel=1e-14)
    replay.backward()
    require_same(replay.graph(), Graph.of(afresh, names={}))
    expected = [parameter.grad for parameter in reader.parameters()]
    assert vector.grad.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_choice_shows_what_was_recorded_until_it_is_bound(way: str) -> None:
    reader = Reader()
    loss, choices = reader.read((2, 0, 3))
    replay = unnamed(way, loss, ParameterVector(reader.parameters()), choices)
    assert replay.forward() == pytest.approx(loss.data, rel=1e-14)
    assert [choice.recorded for choice in choices] == [2, 0, 0, 3]


def test_picks_and_options_that_do_not_fit_are_refused(way: str) -> None:
    reader = Reader()
    loss, choices = reader.read((2, 0))
    replay = unnamed(way, loss, ParameterVector(reader.parameters()), choices)
    with pytest.raises(ValueError, match="2 picks are needed, got 1"):
        replay.bind([0])
    with pytest.raises(ValueError, match=r"a pick is a number from 0 to 3, got -1"):
        replay.bind([0, -1])
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        replay.bind([0, 1.0])  # type: ignore[list-item]
    (edge, *_), options = choices[0].edges, choices[0].options
    with pytest.raises(ValueError, match=r"option 0 holds 3 Values for 1 edge\."):
        unnamed(way, loss, None, [Choice([edge], options)])
    with pytest.raises(ValueError, match="none of the options holds"):
        unnamed(way, loss, None, [Choice([edge], [[reader.layer[0][0]]])])
    with pytest.raises(ValueError, match="two choices want the same operand"):
        unnamed(way, loss, None, [choices[0], choices[0]])
    with pytest.raises(TypeError, match="an edge is a pair"):
        unnamed(way, loss, None, [Choice([(edge[0], 2)], options)])


def test_a_choice_outside_of_the_recording_or_in_a_circle_is_refused(way: str) -> None:
    x, y = Parameter(1.0), Parameter(2.0)
    doubled, other = x * 2, y * 3
    with pytest.raises(ValueError, match="has a choice, but the output does not need it"):
        unnamed(way, doubled, None, [Choice([(other, 0)], [[y]])])
    with pytest.raises(ValueError, match="is computed from the node where it may stand"):
        unnamed(way, doubled.exp(), None, [Choice([(doubled, 0)], [[x], [doubled + 1]])])


# -- vectors and optimizers ------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", [lambda p: SGD(p, rate=0.1), lambda p: Adam(p, rate=0.01)])
def test_an_optimizer_moves_a_vector_like_single_parameters(
    way: str,
    optimizer: Callable[[Sequence[object]], SGD | Adam],
) -> None:
    mine, theirs = Reader(), Reader()
    vector = ParameterVector(mine.parameters())
    loss, choices = mine.read((0, 1, 2))
    replay = unnamed(way, loss, vector, choices)
    moving, single = optimizer([vector]), optimizer(theirs.parameters())
    for words in ((0, 1, 2), (3, 1, 0), (2, 2, 3), (0, 3, 3)):
        replay.bind(picks(words))
        moving.zero_grad()
        replay.forward()
        replay.backward()
        moving.step()
        single.zero_grad()
        theirs.read(words)[0].backward()
        single.step()
    vector.write_back()
    for one, other in zip(mine.parameters(), theirs.parameters(), strict=True):
        assert one.data == pytest.approx(other.data, rel=1e-10, abs=1e-12)
        assert one.grad == pytest.approx(other.grad, rel=1e-10, abs=1e-12)


def test_a_leaf_is_a_parameter_or_an_input_and_not_both(way: str) -> None:
    w, b = Parameter(3.0, "w"), Parameter(1.0, "b")
    with pytest.raises(ValueError, match=r"label='w'\) is both a parameter and an input"):
        unnamed(way, w * w + b, ParameterVector([w, b]), inputs=[w])
    replay = unnamed(way, w * w + b, inputs=[w])
    assert replay.parameters.leaves == (b,)
    replay.inputs.data[0] = 5.0
    replay.parameters.data[0] = 2.0
    assert replay.forward() == 27.0
    replay.backward()
    assert [*replay.inputs.grad, *replay.parameters.grad] == [10.0, 1.0]


def test_the_vector_made_by_default_holds_all_that_may_be_compared_or_chosen(way: str) -> None:
    x, w, a, b, c = (Parameter(float(n), name) for n, name in enumerate("xwabc", 1))
    replay = unnamed(way, x - Maximum([w * 2, w]))
    assert replay.parameters.leaves == (x, w)
    replay.parameters.data[1] = 5.0
    assert replay.forward() == -9.0
    doubled, other = a * 2, b * 2 - Maximum([c])
    output = doubled.exp()
    choice = Choice([(output, 0)], [[doubled], [other]])
    replay = unnamed(way, output, choices=[choice])
    assert set(replay.parameters.leaves) == {a, b, c}
    replay.bind([1])
    assert replay.forward() == pytest.approx(math.exp(2 * b.data - c.data))


def test_recordings_of_several_lengths_share_a_vector(way: str) -> None:
    reader = Reader()
    vector = ParameterVector(reader.parameters())
    short = unnamed(way, reader.read((0, 1))[0], vector)
    long = unnamed(way, reader.read((0, 1, 2, 3))[0], vector)
    total = short.forward() + long.forward()
    short.backward()
    long.backward()
    afresh = reader.read((0, 1))[0] + reader.read((0, 1, 2, 3))[0]
    afresh.backward()
    assert total == pytest.approx(afresh.data, rel=1e-12)
    expected = [parameter.grad for parameter in reader.parameters()]
    assert vector.grad.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_vector_reads_and_writes_its_leaves_only_when_asked() -> None:
    weights = [Parameter(1.0), Parameter(2.0)]
    weights[0].grad = 5.0
    vector = ParameterVector(weights)
    assert vector.grad.tolist() == [5.0, 0.0]
    weights[1].data = 7.0
    assert vector.data.tolist() == [1.0, 2.0]
    vector.read()
    assert vector.data.tolist() == [1.0, 7.0]
    vector.data = [3.0, 4.0]
    vector.grad = 0.0
    assert weights[0].data == 1.0
    vector.write_back()
    assert [(w.data, w.grad) for w in weights] == [(3.0, 0.0), (4.0, 0.0)]
    assert type(weights[0].data) is float


def test_a_vector_of_one_number_says_so() -> None:
    assert repr(ParameterVector([Parameter(1.0)])) == "ParameterVector(1 number)"


def test_a_vector_refuses_what_is_no_leaf_and_numbers_that_do_not_fit() -> None:
    x = Parameter(1.0)
    with pytest.raises(ValueError, match="was computed"):
        ParameterVector([x * 2])
    with pytest.raises(ValueError, match="twice"):
        ParameterVector([x, x])
    with pytest.raises(TypeError, match="a Value is needed here, got 1"):
        ParameterVector([1.0])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a list of leaves is needed here, got 3"):
        ParameterVector(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a list of leaves is needed here, got Parameter"):
        ParameterVector(x)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ([1.0], ValueError, r"holds 2 numbers, not 1 number\."),
        (np.ones(3), ValueError, r"holds 2 numbers in one row, got the shape \(3,\)"),
        ([[1.0], [2.0]], ValueError, r"holds 2 numbers in one row, got the shape \(2, 1\)"),
        ([[1.0], [2.0, 3.0]], TypeError, r"real numbers, got \[\[1.0\], \[2.0, 3.0\]\]"),
        (None, TypeError, "real numbers, got None"),
        ([1.0, None], TypeError, r"real numbers, got \[1.0, None\]"),
        ([1.0, "2"], TypeError, "real numbers"),
        ([1.0, 2j], TypeError, "real numbers"),
        ([True, False], TypeError, "real numbers"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), ValueError, "some are masked"),
        (np.ma.masked, ValueError, "some are masked"),
        ([1.0, Value(2.0)], TypeError, "real numbers"),
    ],
)
def test_a_vector_refuses_what_are_not_its_numbers(
    numbers: Any, error: type[Exception], message: str
) -> None:
    vector = ParameterVector([Parameter(1.0), Parameter(2.0)])
    for name in ("data", "grad"):
        with pytest.raises(error, match=message):
            setattr(vector, name, numbers)
    assert vector.data.tolist() == [1.0, 2.0]
    assert vector.grad.tolist() == [0.0, 0.0]


# -- bad input: nothing is left half-done ----------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "bad", "error", "message"),
    [
        (lambda x: x.log(), 0.0, ValueError, r"log\(0\) does not exist"),
        (lambda x: x.log(), -1.0, ValueError, r"log\(-1\) does not exist"),
        (lambda x: 1 / x, 0.0, ZeroDivisionError, r"1 / 0 does not exist"),
        (lambda x: x.exp(), 1000.0, OverflowError, r"exp\(1000\) is too large"),
        (lambda x: x**-0.5, 0.0, ZeroDivisionError, r"0 \*\* \(-0.5\) divides by 0"),
        (lambda x: x**0.5, -4.0, ValueError, r"\(-4\) \*\* 0.5 is not a real number"),
        (lambda x: x**x, -2.0, ValueError, "needs a base above 0"),
        (lambda x: 2**x, 5000.0, OverflowError, "too large"),
        (lambda x: x * 1e300, 1e300, OverflowError, r"1e\+300 \* 1e\+300 is too large"),
        (lambda x: x * 2, math.inf, ValueError, "x holds inf"),
        (lambda x: (x * 2).tanh(), math.nan, ValueError, "x holds nan"),
        (lambda x: (x * 2).relu(), -math.inf, ValueError, "x holds -inf"),
    ],
)
def test_what_the_engine_refuses_a_replay_refuses_in_the_same_words(
    way: str, output: Callable[[Value], Value], bad: float, error: type[Exception], message: str
) -> None:
    x, w = Parameter(1.5, "x"), Parameter(1.0, "w")
    with scope("part"):
        result = output(x)
    result.label = "r"
    replay = unnamed(way, result + w)
    replay.forward()
    replay.backward()
    kept = replay.parameters.grad.tolist()
    replay.parameters.data[0] = bad
    with pytest.raises(error, match=message):
        replay.forward()
    for read in (replay.backward, replay.graph):
        with pytest.raises(RuntimeError, match="the last forward pass failed"):
            read()
    assert replay.parameters.grad.tolist() == kept
    replay.parameters.data[0] = 1.5
    replay.forward()
    replay.backward()
    assert replay.parameters.grad.tolist() == [2 * gradient for gradient in kept]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda x, y: {"parameters": [x]}, r"a ParameterVector is needed here, got \[Parameter"),
        (lambda x, y: {"inputs": x}, "a list of leaves is needed here, got Parameter"),
        (lambda x, y: {"choices": [(y, 0)]}, r"a Choice is needed here, got \(Value"),
        (lambda x, y: {"choices": [Choice([(y, 0)], [[x], [1.0]])]}, "a Value is needed.* got 1.0"),
        (lambda x, y: {"choices": [Choice([(y, 0)], [x])]}, "an option is a list of Values, got P"),
        (lambda x, y: {"choices": [Choice([(2.0, 0)], [[x]])]}, "a Value is needed here, got 2.0"),
    ],
)
def test_an_argument_of_another_kind_is_named(
    way: str, arguments: Callable[[Value, Value], dict[str, Any]], message: str
) -> None:
    x = Parameter(3.0)
    y = x * 2
    with pytest.raises(TypeError, match=message):
        unnamed(way, y, **arguments(x, y))


EXTREME = (0.0, 1.0, -1.0, 0.5, 3.0, 1e-310, -1e-310, 1e-200, 1e-160, 1e155, 1e300, -1e300)


@pytest.mark.parametrize(
    "calculation",
    [
        lambda x, y: x.log() + y,
        lambda x, y: x / y,
        lambda x, y: x / 1e-200 + y,
        lambda x, y: 2.0 / x + y,
        lambda x, y: x**y,
        lambda x, y: x**-0.5 + y,
        lambda x, y: x**0.5 + y,
        lambda x, y: 1e300**x + y,
    ],
)
def test_a_replay_refuses_what_recording_refuses_local_derivatives_included(
    way: str, calculation: Callable[[Value, Value], Value]
) -> None:
    x, y = Parameter(0.4, "x"), Parameter(1.5, "y")
    replay = unnamed(way, calculation(x, y), ParameterVector([x, y]))
    for numbers in itertools.product(EXTREME, repeat=2):
        replay.parameters.data = numbers
        try:
            recorded = calculation(*map(Value, numbers))
        except (ArithmeticError, ValueError) as refused:
            told = f"^{re.escape(str(refused))} It happened in a replay"
            with pytest.raises(type(refused), match=told):
                replay.forward()
            with pytest.raises(RuntimeError, match="the last forward pass failed"):
                replay.backward()
        else:
            assert replay.forward() == pytest.approx(recorded.data, rel=1e-12)
            slopes = [node.local_derivatives for node in replay.graph().nodes]
            assert all(map(math.isfinite, itertools.chain.from_iterable(slopes)))


@pytest.mark.parametrize("x", [18.99379200924721, -18.5, 9.7, 0.3])
def test_a_saturated_tanh_keeps_the_local_derivative_of_the_engine(way: str, x: float) -> None:
    w = Parameter(x)
    y = w.tanh()
    replay = unnamed(way, y)
    y.backward()
    assert replay.forward() == y.data
    replay.backward()
    assert replay.parameters.grad.tolist() == [w.grad]


def test_a_gradient_that_leaves_the_floats_is_refused_before_a_closed_relu(way: str) -> None:
    for start, opened in ((Parameter(-1.0), Value.relu), (Parameter(0.0), lambda x: x**0.5)):
        z = opened(start) * 1e200 * 1e200
        with pytest.raises(OverflowError):
            z.backward()
        replay = unnamed(way, z)
        assert replay.forward() == 0.0
        with pytest.raises(OverflowError, match="a gradient left the range"):
            replay.backward()
        assert replay.parameters.grad.tolist() == [0.0]


def test_gradients_that_add_up_to_more_than_a_float_holds_stay_as_they_were(way: str) -> None:
    x, w = Value(1.0), Parameter(2.0)
    replay = unnamed(way, x * 1e308 + w, inputs=[x])
    replay.forward()
    replay.backward()
    with pytest.raises(OverflowError, match=r"sum of .* too large for a float.*Set .* to 0"):
        replay.backward()
    assert (replay.inputs.grad.tolist(), replay.parameters.grad.tolist()) == ([1e308], [1.0])
    replay.inputs.grad = 0.0
    replay.backward()
    assert (replay.inputs.grad.tolist(), replay.parameters.grad.tolist()) == ([1e308], [2.0])


@pytest.mark.parametrize("held", [math.inf, math.nan])
def test_a_gradient_that_was_no_finite_number_before_stays_so(way: str, held: float) -> None:
    x, w = Value(1.0), Parameter(2.0)
    replay = unnamed(way, x * w, inputs=[x])
    replay.inputs.grad = held
    replay.forward()
    replay.backward()
    assert replay.inputs.grad.tolist() == pytest.approx([held], nan_ok=True)
    assert replay.parameters.grad.tolist() == [1.0]


@pytest.mark.parametrize("held", [None, "a", 10**400], ids=["None", "text", "too large"])
def test_a_leaf_that_holds_no_number_is_named(way: str, held: Any) -> None:
    w, x = Parameter(2.0), Value(3.0, "x")
    y = w * x
    x.data = held
    with pytest.raises((TypeError, OverflowError), match=r"label='x'\) cannot be replayed"):
        unnamed(way, y)


@pytest.mark.parametrize("held", [None, "a", 10**400], ids=["None", "text", "too large"])
@pytest.mark.parametrize("name", ["data", "grad"])
def test_a_leaf_of_a_vector_that_holds_no_number_is_named(name: str, held: Any) -> None:
    w, x = Parameter(2.0, "w"), Value(3.0, "x")
    y = w * x
    setattr(w, name, held)
    what = {"data": "number", "grad": "gradient"}[name]
    with pytest.raises((TypeError, OverflowError), match=f"the {what} of .*label='w'"):
        Replay(y)
    with pytest.raises((TypeError, OverflowError), match=f"the {what} of .*label='w'"):
        Replay(y, parameters=ParameterVector([]), inputs=[w])


def test_an_interrupt_leaves_all_gradients_as_they_were_or_adds_all(way: str) -> None:
    x, w = Value(2.0), Parameter(3.0)
    replay = unnamed(way, x * w, inputs=[x])
    found = set()
    for line in range(1, 100):
        replay.parameters.grad = replay.inputs.grad = 0.0
        replay.forward()
        if interrupted(replay.backward, line):
            found.add((*replay.parameters.grad, *replay.inputs.grad))
        else:
            break
    assert (0.0, 0.0) in found
    assert found <= {(0.0, 0.0), (2.0, 3.0)}


def test_an_interrupted_bind_is_done_before_the_next_walk_back(way: str) -> None:
    rows = [Parameter(1.0), Parameter(2.0)]
    doubled = rows[0] * 2
    choice = Choice([(doubled, 0)], [[row] for row in rows])
    replay = unnamed(way, doubled, ParameterVector(rows), [choice])
    for action, line in [(a, line) for a in ("bind", "forward") for line in range(1, 200)]:
        replay.bind([0])
        assert replay.forward() == 2.0
        if action == "forward":
            replay.bind([1])
        done = not interrupted(
            partial(replay.bind, [1]) if action == "bind" else replay.forward, line
        )
        if replay._state == "forward":
            assert [node.data for node in replay.graph().nodes] in ([1.0, 2.0], [2.0, 4.0])
        if action == "forward" or done:
            assert replay.forward() == 4.0


def interrupted(action: Callable[[], object], line: int) -> bool:
    """Interrupt an action before this line of the replay, counted as they are executed."""
    left = line

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal left
        if "replay" not in frame.f_code.co_filename.replace("test_replay", ""):
            return None
        left -= event == "line"
        if event == "line" and left == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_the_error_names_the_node(way: str) -> None:
    x = Parameter(1.5, "x")
    with scope("loss"):
        y = x.log()
    y.label = "surprise"
    replay = unnamed(way, y * 2)
    replay.parameters.data[0] = 0.0
    with pytest.raises(ValueError, match=r"'surprise', made by 'log' in the scope 'loss'"):
        replay.forward()


def test_a_gradient_that_leaves_the_floats_changes_nothing(way: str) -> None:
    x = Parameter(1e-200)
    replay = unnamed(way, x * 1e200 * 1e200)
    replay.forward()
    replay.parameters.grad = 3.0
    with pytest.raises(OverflowError, match="a gradient left the range of floats"):
        replay.backward()
    assert replay.parameters.grad.tolist() == [3.0]
    assert [node.grad for node in replay.graph().nodes] == [0.0, 0.0, 0.0]


def test_a_walk_back_needs_a_forward_pass(way: str) -> None:
    x = Parameter(1.0)
    choice_free = unnamed(way, x * 2)
    for read in (choice_free.backward, choice_free.graph):
        with pytest.raises(RuntimeError, match=r"call forward\(\) first"):
            read()
    choice_free.forward()
    assert [node.grad for node in choice_free.graph().nodes] == [0.0, 0.0]
    choice_free.bind([])
    for read in (choice_free.backward, choice_free.graph):
        with pytest.raises(RuntimeError, match=r"call forward\(\) first"):
            read()


@pytest.mark.parametrize("name", ["square", "relu", "tanh", "maximum", "choice", "constant"])
def test_an_operation_of_a_learner_cannot_be_replayed_whatever_its_name(
    way: str, name: str
) -> None:
    x = Parameter(-2.0)
    with pytest.raises(ValueError, match=f"'{name}' is an operation of your own"):
        unnamed(way, record(name, -0.2, (x, 0.1)) + x)


def test_a_parameter_outside_of_the_vector_is_named(way: str) -> None:
    w, b = Parameter(1.0, "w"), Parameter(2.0, "b")
    with pytest.raises(ValueError, match="uses the parameter b, which is not in the vector"):
        unnamed(way, w + b, ParameterVector([w]))
    with pytest.raises(ValueError, match="uses the parameter w, which is not in the vector"):
        unnamed(way, w + 1, ParameterVector([]))


# -- after the tape --------------------------------------------------------------------------------


def test_what_a_maximum_or_an_option_was_made_from_may_be_released_too(way: str) -> None:
    x, w = Parameter(3.0), Parameter(1.0)
    with Tape():
        released = x * 2
        maximum = Maximum([released])
    doubled = x * 2
    for vector in (None, ParameterVector([x, w])):
        with pytest.raises(ReleasedError):
            unnamed(way, x - maximum, vector)
        with pytest.raises(ReleasedError):
            unnamed(way, doubled, vector, [Choice([(doubled, 0)], [[x], [released]])])
    with pytest.raises(ReleasedError):
        _ = Choice([(released, 0)], [[x]]).recorded


def test_a_replay_outlives_the_tape(way: str) -> None:
    w = Parameter(3.0, "w")
    with Tape():
        output = w * w + w
        replay = unnamed(way, output)
        graph = Graph.of(output, names={})
    replay.forward()
    require_same(replay.graph(), graph)
    with pytest.raises(ReleasedError):
        unnamed(way, output)


@pytest.mark.parametrize("on_a_tape", [True, False])
def test_a_replay_keeps_no_node_alive(way: str, on_a_tape: bool) -> None:
    def made() -> Replay:
        reader = Reader()
        with Tape() if on_a_tape else nullcontext():
            loss, choices = reader.read((0, 1, 2))
            return unnamed(way, loss, ParameterVector(reader.parameters()), choices)

    def computed_nodes() -> int:
        gc.collect()
        return sum(type(o) in {Value, Released} and o.op != "" for o in gc.get_objects())

    before = computed_nodes()
    replay = made()
    replay.forward()
    assert computed_nodes() == before


def test_the_graph_of_a_replay_is_a_graph_for_every_view(way: str) -> None:
    reader = Reader()
    loss, choices = reader.read((0, 1, 2))
    replay = unnamed(way, loss, ParameterVector(reader.parameters()), choices)
    replay.bind(picks((3, 3, 1)))
    replay.forward()
    replay.backward()
    graph = replay.graph()
    walk = reverse_walk(graph)
    assert walk.gradients == pytest.approx(
        [node.grad for node in graph.nodes], rel=1e-12, abs=1e-15
    )
    assert "place*" in str(GraphExplorer(graph))


def test_the_gpt_learns_from_other_documents_of_the_same_length(way: str) -> None:
    gpt = GPT(Shape(width=8, heads=2, context=6), seed=2)
    vector = ParameterVector(gpt.parameters())
    with Tape():
        reading = gpt.read([26, 3, 4, 5, 26])
        replay = unnamed(
            way,
            reading.loss,
            vector,
            [Choice([(a, 0) for a in row], gpt.weights["wte"]) for row in reading.embedded]
            + [
                Choice([(log, 0)], [[p] for p in probabilities])
                for log, probabilities in zip(reading.logs, reading.probabilities, strict=True)
            ],
        )
    tokens = [26, 25, 7, 25, 26]
    replay.bind([*tokens[:-1], *tokens[1:]])
    loss = gpt.read(tokens).loss
    loss.backward()
    assert replay.forward() == pytest.approx(loss.data, rel=1e-13)
    replay.backward()
    require_same(replay.graph(), Graph.of(loss, names={}))
    expected = np.array([parameter.grad for parameter in gpt.parameters()])
    assert np.abs(vector.grad - expected).max() < 1e-12


def test_variables_name_nodes_as_in_a_snapshot() -> None:
    weights = [Parameter(2.0), Parameter(3.0)]
    product = weights[0] * weights[1]
    replay = Replay(product)
    replay.forward()
    assert [node.label for node in replay.graph().nodes] == ["weights[0]", "weights[1]", "product"]


@pytest.mark.parametrize("installed", [True, False])
def test_numba_computes_a_replay_where_it_is_installed_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    monkeypatch.setattr("engine.replay.is_available", lambda: installed)
    made: list[str] = []
    for name in ("Levels", "Compiled"):
        monkeypatch.setattr(f"engine.replay.{name}", stand_in(name, made))
    x = Parameter(1.0)
    for choice in (None, False, True):
        _ = Replay(x * 2, compiled=choice)._engine  # made when it is first needed
    assert made == ["Compiled" if installed else "Levels", "Levels", "Compiled"]


def test_compiled_loops_without_numba_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    compiled.loops.cache_clear()
    replay = Replay(Parameter(1.0) * 2, compiled=True)
    with pytest.raises(ModuleNotFoundError, match="extra `fast`, or leave out compiled=True"):
        replay.forward()


def stand_in(name: str, made: list[str]) -> Callable[..., compiled.Compiled]:
    def make(*arguments: Any) -> compiled.Compiled:
        made.append(name)
        return compiled.Compiled(*arguments)

    return make


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda replay: copy.deepcopy({"mine": [replay]}),
        lambda replay: pickle.dumps([replay], protocol=2),
    ],
)
def test_a_copy_that_would_compute_with_other_numbers_is_refused(
    way: str, duplicate: Callable[[Replay], object]
) -> None:
    w = Parameter(2.0, "w")
    replay = unnamed(way, w * w + 1.0)
    replay.forward()
    with pytest.raises(TypeError, match=r"a Replay .* other numbers.*parameters\.data\.copy\(\)"):
        duplicate(replay)
    replay.parameters.data[0] = 7.0
    assert replay.forward() == 50.0


def test_a_vector_may_be_copied_with_its_leaves() -> None:
    vector = ParameterVector([Parameter(2.0, "w")])
    other = copy.deepcopy(vector)
    other.data[0] = 7.0
    other.write_back()
    assert (vector.leaves[0].data, other.leaves[0].data) == (2.0, 7.0)


def test_importing_the_engine_does_not_load_replay_or_numpy() -> None:
    code = "import sys, engine; print({'numpy', 'numba', 'engine.replay'} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "set()"


def test_numba_is_loaded_by_the_first_compiled_replay_only() -> None:
    code = (
        "import sys; from engine import Parameter; from engine.replay import Replay\n"
        "replay = Replay(Parameter(2.0) * 3, compiled=False)\n"
        "print(replay.forward(), 'numba' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "6.0 False"


def test_names_that_are_no_dictionary_are_refused() -> None:
    w = Parameter(3.0)
    with pytest.raises(TypeError, match=r"names is a dictionary such as .*, got \['w'\]"):
        Replay(w * w, names=["w"])  # type: ignore[arg-type]
