"""Operations written by hand, some of them wrong on purpose: chapter 08 asks which.

Of the first six, four are wrong; the others belong to the exercises. A checker finds them without
reading this file.

>>> from engine import gradient_check
>>> gradient_check(hyperbolic, [0.0]).passed, gradient_check(hyperbolic, [0.7]).passed
(True, False)
"""

import math
from collections.abc import Callable

from engine.own_operations import record
from engine.value import Value


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


def model(x: Value, w: Value, b: Value) -> Value:
    """A neuron whose last input is taken as a plain number: no gradient reaches it."""
    return (x * w + b.data).tanh()


def leaky(a: Value) -> Value:
    """A ReLU that lets a tenth of a negative number through."""
    return record("leaky", a.data if a.data > 0.0 else a.data / 10, (a, 1.0))


def hypotenuse(a: Value, b: Value) -> Value:
    """The longest side of a triangle with a right angle."""
    result = math.hypot(a.data, b.data)
    return record("hypotenuse", result, (a, a.data / result), (b, b.data / result))


def larger(a: Value, b: Value) -> Value:
    """The larger of two numbers."""
    first = a.data > b.data
    return record("larger", max(a.data, b.data), (a, float(first)), (b, float(not first)))


def volume(a: Value, b: Value) -> Value:
    """The volume of a beam of length a, b wide and b high."""
    return record("volume", a.data * b.data * b.data, (a, b.data * b.data), (b, 2 * b.data))


def middle(a: Value, b: Value) -> Value:
    """The number halfway between two others."""
    return record("middle", (a.data + b.data) / 2, (a, 0.5), (b, 0.5))


EXERCISE: tuple[Callable[[Value, Value], Value], ...] = (hypotenuse, larger, volume, middle)
