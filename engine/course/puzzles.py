"""Six operations written by hand, four of them wrong on purpose: chapter 08 asks which.

A checker finds them without reading this file.

>>> from engine import gradient_check
>>> gradient_check(hyperbolic, [0.0]).passed, gradient_check(hyperbolic, [0.7]).passed
(True, False)
"""

import math
from collections.abc import Callable

from engine.value import Value, record


def square(a: Value) -> Value:
    """The number times itself."""
    return record("square", a.data * a.data, (a, 2 * a.data))


def exponential(a: Value) -> Value:
    """The number e to this power."""
    result = math.exp(a.data)
    return record("exponential", result, (a, result))


def hyperbolic(a: Value) -> Value:
    """The hyperbolic tangent."""
    result = math.tanh(a.data)
    return record("hyperbolic", result, (a, 1 - result))


def logarithm(a: Value) -> Value:
    """The natural logarithm."""
    return record("logarithm", math.log(a.data), (a, a.data))


def times(a: Value, b: Value) -> Value:
    """The product of two numbers."""
    return record("times", a.data * b.data, (a, a.data), (b, b.data))


def over(a: Value, b: Value) -> Value:
    """The quotient of two numbers."""
    return record("over", a.data / b.data, (a, 1 / b.data), (b, a.data / b.data**2))


ONE_INPUT: tuple[Callable[[Value], Value], ...] = (square, exponential, hyperbolic, logarithm)
TWO_INPUTS: tuple[Callable[[Value, Value], Value], ...] = (times, over)
