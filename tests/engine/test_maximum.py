"""A maximum stands beside Values only: a plain number of it could not be found again."""

import copy
import math
import operator
import pickle
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from each import each

from engine import Literal, Maximum, Parameter, Value
from engine.replay import Replay

OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
BINARY = (*OPERATIONS, operator.floordiv, operator.mod, divmod)


def largest() -> Maximum:
    return Maximum([Parameter(1.0), Parameter(3.0)])


@each(product(BINARY, [2.0, 2, True, Literal(2.0, "two"), np.float64(2.0), largest()]))
def test_arithmetic_with_a_plain_number_is_refused(
    operation: Callable[[object, object], object], other: object
) -> None:
    for operands in ((largest(), other), (other, largest())):
        with pytest.raises(TypeError, match="straight into an operation with a Value"):
            operation(*operands)


@pytest.mark.parametrize("operation", [operator.neg, operator.pos, abs, round, Literal])
def test_what_makes_another_number_of_it_is_refused(
    operation: Callable[[object], object],
) -> None:
    with pytest.raises(TypeError, match=r"Maximum\(3, label='max'\)"):
        operation(largest())


@each(OPERATIONS)
def test_with_a_value_it_is_a_constant_like_all_others(
    operation: Callable[[object, object], Value],
) -> None:
    x, maximum = Value(2.5), largest()
    for mine, plain in (
        (operation(x, maximum), operation(x, 3.0)),
        (operation(maximum, x), operation(3.0, x)),
    ):
        assert (mine.data, mine.local_derivatives) == (plain.data, plain.local_derivatives)
        assert type(mine.data) is float
        assert maximum in [o for o in mine.operands if isinstance(o, Maximum)]


def test_its_bare_number_may_be_asked_for() -> None:
    assert largest().data * 2 == float(largest()) + 3.0 == 6.0


def test_the_error_of_an_operation_beside_it_shows_its_number() -> None:
    zero = Maximum([Value(0.0)])
    with pytest.raises(ZeroDivisionError, match="2 / 0 does not exist"):
        Value(2.0) / zero
    x = Value(1e308)
    x.data = math.inf
    with pytest.raises(ValueError, match="a leaf holds inf"):
        (x + largest()).backward()


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))]
)
def test_a_copy_keeps_number_label_and_what_it_is_the_largest_of(
    copied: Callable[[Maximum], Maximum],
) -> None:
    numbers = [Parameter(1.0), Parameter(3.0)]
    maximum = Maximum(numbers, "top")
    numbers[1].data = 7.0
    mine = copied(maximum)
    assert (type(mine), mine.data, mine.label) == (Maximum, 3.0, "top")
    assert [number.data for number in mine.of] == [1.0, 7.0]


def test_a_copied_calculation_finds_its_own_maximum_again() -> None:
    numbers, maximum = copy.deepcopy(([Parameter(1.0), Parameter(3.0)], largest()))
    x = Parameter(5.0)
    replay = Replay(
        x - Maximum([*numbers, *maximum.of]), inputs=[x, *numbers, *maximum.of], compiled=False
    )
    replay.inputs.data[4] = 9.0
    assert replay.forward() == -4.0
