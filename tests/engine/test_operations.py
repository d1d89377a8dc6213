"""Every operation: its number, its local derivatives, what it was made from."""

import copy
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from each import each

from engine import Literal, Parameter, Value, scope

LN2, LN4 = math.log(2.0), math.log(4.0)

# op, function, a, b, a op b, local derivative for a, local derivative for b
TWO_OPERANDS = [
    ("+", operator.add, 2.0, 4.0, 6.0, 1.0, 1.0),
    ("-", operator.sub, 2.0, 4.0, -2.0, 1.0, -1.0),
    ("*", operator.mul, 2.0, 4.0, 8.0, 4.0, 2.0),
    ("*", operator.mul, -2.0, 0.0, -0.0, 0.0, -2.0),
    ("/", operator.truediv, 2.0, 4.0, 0.5, 0.25, -0.125),
    ("/", operator.truediv, 3.0, -2.0, -1.5, -0.5, -0.75),
    ("**", operator.pow, 2.0, 4.0, 16.0, 32.0, 16.0 * LN2),
    ("**", operator.pow, 4.0, -1.0, 0.25, -0.0625, 0.25 * LN4),
]

# op, function, a, result, local derivative
ONE_OPERAND = [
    ("neg", operator.neg, 3.0, -3.0, -1.0),
    ("exp", Value.exp, 0.0, 1.0, 1.0),
    ("exp", Value.exp, 1.0, math.e, math.e),
    ("log", Value.log, 4.0, LN4, 0.25),
    ("log", Value.log, 0.5, -LN2, 2.0),
    ("relu", Value.relu, 2.5, 2.5, 1.0),
    ("relu", Value.relu, -2.5, 0.0, 0.0),
    ("tanh", Value.tanh, 0.0, 0.0, 1.0),
    ("tanh", Value.tanh, 0.5, math.tanh(0.5), 1.0 - math.tanh(0.5) ** 2),
    ("tanh", Value.tanh, -2.0, math.tanh(-2.0), 1.0 - math.tanh(-2.0) ** 2),
]

KINDS_OF_NUMBER: list[Callable[[float], Any]] = [
    int,
    float,
    Fraction,
    np.float64,
    np.float32,
    np.float16,
    np.longdouble,
    np.int64,
    np.int8,
    np.array,
    np.ma.array,
    Literal,
]


@each(TWO_OPERANDS)
def test_two_values_make_one_node_with_both_local_derivatives(
    op: str, function: Any, a: float, b: float, data: float, d_a: float, d_b: float
) -> None:
    left, right = Value(a), Value(b)
    y = function(left, right)
    assert (type(y), y.op, y.data) == (Value, op, data)
    assert y.inputs == y.operands == (left, right)
    assert y.local_derivatives == (d_a, d_b)
    assert (y.grad, left.grad, right.grad) == (0.0, 0.0, 0.0)


@each([(kind, *line) for kind in KINDS_OF_NUMBER for line in TWO_OPERANDS])
def test_a_number_on_the_right_costs_no_node(
    kind: Any, op: str, function: Any, a: float, b: float, data: float, d_a: float, d_b: float
) -> None:
    left = Value(a)
    y = function(left, kind(b))
    assert (type(y), type(y.data), y.op, y.data) == (Value, float, op, data)
    assert y.inputs == (left,)
    assert y.local_derivatives == (d_a,)
    assert y.operands == (left, b)
    assert isinstance(y.operands[1], float)


@each([(kind, *line) for kind in KINDS_OF_NUMBER for line in TWO_OPERANDS])
def test_a_number_on_the_left_costs_no_node(
    kind: Any, op: str, function: Any, a: float, b: float, data: float, d_a: float, d_b: float
) -> None:
    right = Value(b)
    y = function(kind(a), right)
    assert (type(y), type(y.data), y.op, y.data) == (Value, float, op, data)
    assert y.inputs == (right,)
    assert y.local_derivatives == (d_b,)
    assert y.operands == (a, right)
    assert isinstance(y.operands[0], float)


@each(ONE_OPERAND)
def test_one_value_makes_one_node(
    op: str, function: Any, a: float, data: float, d_a: float
) -> None:
    x = Value(a)
    y = function(x)
    assert (type(y), y.op, y.data) == (Value, op, data)
    assert y.inputs == y.operands == (x,)
    assert y.local_derivatives == (d_a,)


def test_fractions_that_no_float_holds_are_rounded_once() -> None:
    assert (Value(1.0) * Fraction(1, 3)).data == 1.0 / 3.0
    assert (Value(1.0) * np.float32(0.1)).operands[1] == float(np.float32(0.1))


def test_x_plus_x_keeps_two_inputs() -> None:
    x = Value(3.0)
    y = x + x
    assert y.inputs == (x, x)
    assert y.local_derivatives == (1.0, 1.0)


def test_sum_makes_no_node_for_the_0_it_starts_from() -> None:
    x, y = Value(1.0), Value(2.0)
    total = sum([x, y])
    assert isinstance(total, Value)
    assert total.inputs == (x, y)
    assert sum([x]) is x
    assert 0 + x is x


def test_only_the_whole_number_0_on_the_left_is_taken_for_the_start_of_a_sum() -> None:
    x = Value(1.0)
    for zero in (0.0, np.int64(0), np.float64(0.0)):
        assert (zero + x).operands == (0.0, x)
    assert (x + 0).operands == (x, 0.0)
    assert (1 + x).operands == (1.0, x)


def test_a_plus_sign_in_front_changes_nothing() -> None:
    x = Value(3.0)
    assert +x is x


def test_in_place_operators_make_a_new_node() -> None:
    x = Value(3.0)
    y = x
    y += 2
    assert (x.data, y.data, y.inputs) == (3.0, 5.0, (x,))


@pytest.mark.parametrize(("number", "limit"), [(1000.0, 1.0), (-1000.0, -1.0)])
def test_tanh_of_a_huge_number_is_its_limit(number: float, limit: float) -> None:
    y = Value(number).tanh()
    assert (y.data, y.local_derivatives) == (limit, (0.0,))


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_relu_is_flat_at_0_by_choice(zero: float) -> None:
    y = Value(zero).relu()
    assert (y.data, math.copysign(1.0, y.data), y.local_derivatives) == (0.0, 1.0, (0.0,))


def test_relu_is_open_for_the_smallest_number_above_0() -> None:
    y = Value(5e-324).relu()
    assert (y.data, y.local_derivatives) == (5e-324, (1.0,))


@pytest.mark.parametrize(
    ("exponent", "data", "slope"),
    [(0.5, 0.0, 0.0), (1, 0.0, 1.0), (2, 0.0, 0.0), (0, 1.0, 0.0), (1.5, 0.0, 0.0)],
)
def test_powers_of_0(exponent: float, data: float, slope: float) -> None:
    y = Value(0.0) ** exponent
    assert (y.data, y.local_derivatives) == (data, (slope,))


@pytest.mark.parametrize(
    ("exponent", "data", "slope"),
    [(3, -8.0, 12.0), (2, 4.0, -4.0), (-1, -0.5, -0.25), (0, 1.0, 0.0), (1, -2.0, 1.0)],
)
def test_whole_powers_of_a_negative_number(exponent: int, data: float, slope: float) -> None:
    y = Value(-2.0) ** exponent
    assert (y.data, y.local_derivatives) == (data, (slope,))


def test_1_to_any_power_does_not_change_with_the_power() -> None:
    y = 1 ** Value(5.0)
    assert (y.data, y.local_derivatives) == (1.0, (0.0,))


def test_the_local_derivatives_are_those_of_the_forward_pass() -> None:
    a, b = Value(2.0), Value(5.0)
    y = a * b
    a.data = 100.0
    y.backward()
    assert (a.grad, b.grad) == (5.0, 2.0)


# -- leaves, constants, names -------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*KINDS_OF_NUMBER, bool.__int__])
def test_a_value_holds_any_real_number_as_a_float(kind: Any) -> None:
    x = Value(kind(1))
    assert (type(x.data), x.data, x.grad, x.op, x.label) == (float, 1.0, 0.0, "", "")
    assert x.inputs == x.operands == x.local_derivatives == ()


def test_the_largest_and_the_smallest_floats_are_numbers() -> None:
    assert Value(1.7976931348623157e308).data == 1.7976931348623157e308
    assert Value(5e-324).data == 5e-324


def test_a_literal_is_a_float_with_a_name_and_keeps_it_in_the_operation() -> None:
    shift = Literal(3, "max")
    x = Value(5.0)
    for y in (x - shift, shift - x, x * shift, shift + x, x / shift, shift**x):
        kept = next(operand for operand in y.operands if not isinstance(operand, Value))
        assert kept is shift
        assert y.inputs == (x,)
    assert (shift.data, type(shift.data), shift.label) == (3.0, float, "max")
    assert repr(shift) == "Literal(3, label='max')"
    assert Literal(2.0).label == ""


def test_arithmetic_of_literals_is_arithmetic_of_numbers() -> None:
    total = Literal(3.0, "a") + Literal(4.0, "b")
    assert (type(total), total) == (float, 7.0)


def test_a_parameter_is_a_leaf_and_what_is_made_of_it_is_not_a_parameter() -> None:
    w = Parameter(np.float32(0.5), "w")
    y = w * 2
    assert isinstance(w, Value)
    assert (w.data, w.op, w.label) == (0.5, "", "w")
    assert (type(y), y.inputs) == (Value, (w,))


def test_a_label_can_be_given_changed_and_taken_away() -> None:
    x = Value(3.0, "x")
    y = x * 2
    assert (x.label, y.label) == ("x", "")
    y.label = "y"
    z = x * 3
    assert (x.label, y.label, z.label) == ("x", "y", "")
    y.label = ""
    assert y.label == ""


def test_scopes_nest_and_end() -> None:
    with scope("layer0"):
        outer = Value(1.0) * 2
        with scope("attention/head2"):
            leaf, named, inner = Value(1.0), Value(1.0, "x"), Value(1.0) * 2
            inner.label = "y"
        after = Value(1.0) * 2
    outside = Value(1.0) * 2
    assert (leaf.scope, named.scope, inner.scope) == ("layer0/attention/head2",) * 3
    assert (named.label, inner.label) == ("x", "y")
    assert (outer.scope, after.scope, outside.scope, Value(1.0).scope) == ("layer0",) * 2 + (
        "",
    ) * 2


def test_a_scope_ends_with_an_error_too() -> None:
    with pytest.raises(KeyError), scope("layer0"):
        raise KeyError
    assert (Value(1.0) * 2).scope == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Value(3), "Value(data=3, grad=0)"),
        (Value(-0.5, "x"), "Value(data=-0.5, grad=0, label='x')"),
        (Value(3) * 2, "Value(data=6, grad=0, op='*')"),
        (Value(1 / 3).tanh(), "Value(data=0.321513, grad=0, op='tanh')"),
        (Parameter(2, "w"), "Parameter(data=2, grad=0, label='w')"),
    ],
    ids=repr,
)
def test_the_repr_shows_what_there_is(value: Value, text: str) -> None:
    assert repr(value) == text


def test_a_gradient_that_is_no_number_can_still_be_seen() -> None:
    x = Value(3.0)
    x.grad = None  # type: ignore[assignment]
    assert repr(x) == "Value(data=3, grad=None)"


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (10**400, "1" + 26 * "0" + "..."),
        (-(10**5000), "an unprintable int"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(10**400), "Fraction(1" + 17 * "0" + "..."),
        (Decimal("0.5"), "Decimal('0.5')"),
        (np.float32(0.5), "0.5"),
        (1j, "1j"),
        ("a", "'a'"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_the_repr_shows_whatever_a_learner_put_there(held: Any, text: str) -> None:
    x = Value(3.0, "x")
    x.data = held
    assert repr(x) == f"Value(data={text}, grad=0, label='x')"
    x.data, x.grad = 3.0, held
    assert repr(x) == f"Value(data=3, grad={text}, label='x')"


def test_a_fraction_that_a_learner_put_there_can_be_calculated_with() -> None:
    x = Value(3.0)
    x.data = Fraction(1, 3)  # type: ignore[assignment]
    assert [(x * 2).data, (2 * x).data, (x + 2).data] == pytest.approx([2 / 3, 2 / 3, 7 / 3])
    with pytest.raises(ZeroDivisionError, match=r"0\.333333 / 0 does not exist"):
        x / 0


@pytest.mark.parametrize("value", [Value(3, "x"), Parameter(2, "w"), Value(3) * 2], ids=repr)
def test_without_a_layout_text_shows_the_repr(value: Value) -> None:
    assert f"{value}" == f"{value!s}" == repr(value)


@pytest.mark.parametrize("number", [0, 0.0, -0.0, 5])
def test_a_number_minus_a_value_falls_as_fast_as_the_value_rises(number: float) -> None:
    x = Value(3.0)
    y = number - x
    y.backward()
    assert (y.op, y.data, y.local_derivatives, x.grad) == ("-", number - 3.0, (-1.0,), -1.0)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_a_copy_of_a_leaf_is_a_leaf_of_its_own(duplicate: Callable[[Value], Value]) -> None:
    w = Parameter(3.0, "w")
    w.grad = 5.0
    other = duplicate(w)
    assert (type(other), other.data, other.grad, other.label) == (Parameter, 3.0, 5.0, "w")
    (other * w).backward()
    assert (w.grad, other.grad) == (8.0, 8.0)


@pytest.mark.parametrize("x", [-2.5, 0.0, 3.0])
def test_the_way_to_write_abs_that_its_error_names_is_right(x: float) -> None:
    value = Value(x)
    y = value.relu() + (-value).relu()
    y.backward()
    assert (y.data, value.grad) == (abs(x), math.copysign(1.0, x) if x else 0.0)
