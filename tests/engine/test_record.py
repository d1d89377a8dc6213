"""An operation of the learner's own is a node like all others."""

import math

import pytest

from engine import Graph, Tape, Value, gradient_check, record


def sigmoid(x: Value) -> Value:
    result = 1 / (1 + math.exp(-x.data))
    return record("sigmoid", result, (x, result * (1 - result)))


def hypotenuse(a: Value, b: Value) -> Value:
    result = math.hypot(a.data, b.data)
    return record("hypot", result, (a, a.data / result), (b, b.data / result))


def test_its_gradient_flows_through_other_operations() -> None:
    assert gradient_check(lambda x: (sigmoid(x * 2) + x) * x, [0.7]).passed
    assert gradient_check(lambda a, b: hypotenuse(a, b) * a, [3, 4]).passed


def test_a_wrong_local_derivative_is_found() -> None:
    check = gradient_check(lambda x: record("square", x.data**2, (x, x.data)), [3])
    assert [(i.gradient, round(i.central_difference, 6)) for i in check.failures] == [(3, 6)]


def test_it_is_one_node_with_its_own_name_and_inputs() -> None:
    a, b = Value(3), Value(4)
    c = hypotenuse(a, b)
    graph = Graph.of(c)
    assert (c.op, c.inputs, c.local_derivatives) == ("hypot", (a, b), (0.6, 0.8))
    assert graph.expressions[-1] == "hypot(a, b)"


def test_one_number_may_be_both_inputs() -> None:
    x = Value(3)
    y = record("twice", 2 * x.data, (x, 1.0), (x, 1.0))
    y.backward()
    assert x.grad == 2


def test_a_tape_records_it() -> None:
    x = Value(0.5)
    with Tape() as tape:
        y = sigmoid(x)
        tape.backward(y)
        assert tape.nodes == (y,)
    assert x.grad == pytest.approx(y.data * (1 - y.data))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("", 1.0, (Value(1), 1.0)), ValueError, "needs a name"),
        ((3, 1.0, (Value(1), 1.0)), TypeError, "label is text, got 3"),
        (("f", 1.0), ValueError, "'f' needs one or two inputs with a derivative, got 0"),
        (("f", 1.0, *[(Value(1), 1.0)] * 3), ValueError, "got 3"),
        (("f", 1.0, Value(1)), TypeError, r"pairs \(input, local derivative\), got Value"),
        (("f", 1.0, (2.0, 1.0)), TypeError, r"a Value is needed here, got 2.0"),
        (("f", Value(1), (Value(1), 1.0)), TypeError, "the result of 'f' needs a real number"),
        (("f", 1.0, (Value(1), "1")), TypeError, "a local derivative of 'f' needs a real number"),
        (("f", math.nan, (Value(1), 1.0)), ValueError, "the result of 'f' needs a finite number"),
        (("f", 1.0, (Value(1), math.inf)), ValueError, "local derivative of 'f' needs a finite"),
    ],
)
def test_what_it_lacks_is_named(arguments: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        record(*arguments)
