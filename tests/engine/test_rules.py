"""The one table of operations says what the engine computes, for every operation."""

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine import Value
from engine.rules import FUNCTIONS, INFIX, RULES, compiled

SINGLE_NUMBERS = compiled({**vars(math), "maximum": max})
ENGINE: dict[str, Callable[..., Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "neg": operator.neg,
    **{name: getattr(Value, name) for name in ("exp", "log", "relu", "tanh")},
}
NUMBERS = st.floats(0.01, 100.0) | st.floats(-100.0, -0.01)


def test_the_table_holds_the_ten_operations() -> None:
    assert set(RULES) == set(ENGINE) == INFIX | FUNCTIONS
    assert len(RULES) == 10


@pytest.mark.parametrize("op", RULES)
@given(a=NUMBERS, b=NUMBERS)
@example(a=2.0, b=-3.0)
def test_an_operation_computes_what_its_formulas_say(op: str, a: float, b: float) -> None:
    numbers = (a, b)[: len(RULES[op].operands)]
    inputs = [Value(number) for number in numbers]
    try:
        node = ENGINE[op](*inputs)
    except (ValueError, ArithmeticError):
        assume(False)
    rule = SINGLE_NUMBERS[op]
    found: list[Any] = [rule.result(*numbers)]
    found += [float(slope(*numbers, found[0])) for slope in rule.local_derivatives]
    assert (node.op, len(node.inputs)) == (op, len(numbers))
    assert [node.data, *node.local_derivatives] == pytest.approx(found, rel=1e-15)
