"""Which numbers an operation accepts, and what it says about the others.

>>> quotient(1.0, 0.0)
Traceback (most recent call last):
    ...
ZeroDivisionError: 1 / 0 does not exist: the number below the line is 0.
"""

import math
from numbers import Real
from operator import index

from engine.text import number_text, shown


def finite(data: object, where: str) -> float:
    """Turn a real, finite number of any kind into a float.

    Args:
        data: a Python or NumPy number, or a NumPy array without dimensions. True and False
            are refused: they would silently count as 1 and 0.
        where: what the number is for; errors begin with it.

    Raises:
        TypeError: not a real number.
        ValueError: infinite or NaN, or masked, which NumPy would count as 0.
        OverflowError: a whole number too large for a float.

    >>> finite(3, "Value")
    3.0
    """
    if type(data) is not float:
        boxed = getattr(data, "ndim", None) == 0 and hasattr(data, "item")
        if boxed and getattr(data, "mask", False):
            raise ValueError(f"{where} needs a number, got a masked one: it is missing.")
        number = data.item() if boxed else data  # type: ignore[attr-defined]
        if not isinstance(number, Real) or isinstance(number, bool):
            kind = type(number).__name__
            raise TypeError(f"{where} needs a real number, got {shown(number)} ({kind}).")
        try:
            data = float(number)
        except OverflowError:
            raise OverflowError(f"{where} got a number too large for a float.") from None
    if not math.isfinite(data):
        raise ValueError(f"{where} needs a finite number, got {data}.")
    return data


def positive(number: object, where: str) -> float:
    """Turn a number into a float as ``finite`` does, and refuse 0 and what is below.

    >>> positive(2, "the step")
    2.0
    """
    checked = finite(number, where)
    if checked <= 0.0:
        raise ValueError(f"{where} is above 0, got {number_text(checked)}.")
    return checked


def not_negative(number: object, where: str) -> float:
    """Turn a number into a float as ``finite`` does, and refuse what is below 0.

    >>> not_negative(0, "the noise")
    0.0
    """
    checked = finite(number, where)
    if checked < 0.0:
        raise ValueError(f"{where} is 0 or larger, got {number_text(checked)}.")
    return checked


def whole(number: object, where: str) -> int:
    """Accept a whole number of any kind, and no True or False.

    >>> whole(3, "the number of points")
    3
    """
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        kind = type(number).__name__
        raise TypeError(f"{where} is a whole number, got {shown(number)} ({kind}).")
    return index(number)


def label_text(label: object) -> str:
    """Accept text as a label, and nothing else.

    >>> label_text("x")
    'x'
    """
    if not isinstance(label, str):
        raise TypeError(f"a label is text, got {shown(label)} ({type(label).__name__}).")
    return label


def quotient(numerator: float, denominator: float) -> float:
    """Divide, or say which division was by zero or too large.

    >>> quotient(6.0, 3.0)
    2.0
    """
    if denominator == 0.0:
        raise ZeroDivisionError(
            f"{number_text(numerator)} / 0 does not exist: the number below the line is 0."
        )
    result = numerator / denominator
    if math.isinf(result) and math.isfinite(numerator):
        raise OverflowError(
            f"{number_text(numerator)} / {number_text(denominator)} is too large for a float."
        )
    return result


def exponential(exponent: float) -> float:
    """Raise e to a power, or say that the result does not fit in a float.

    >>> exponential(0.0)
    1.0
    """
    try:
        return math.exp(exponent)
    except OverflowError:
        raise OverflowError(
            f"exp({number_text(exponent)}) is too large for a float: exp overflows above 709.78. "
            "Subtract the largest number first, as softmax does."
        ) from None


def logarithm(number: float) -> float:
    """Take the natural logarithm, or say why it does not exist.

    >>> logarithm(1.0)
    0.0
    """
    if number <= 0.0:
        raise ValueError(f"log({number_text(number)}) does not exist: log needs a number above 0.")
    return math.log(number)


def power(base: float, exponent: float, exponent_varies: bool = False) -> float:
    """Raise to a power, and refuse what is not a finite real number.

    Args:
        base: the number below.
        exponent: the number above.
        exponent_varies: the exponent gets a gradient, so log(base) must exist.

    Raises:
        ValueError: the result would be complex, or log(base) would not exist.
        ZeroDivisionError: 0 to a negative power.
        OverflowError: the result does not fit in a float.

    >>> power(-2.0, 3.0)
    -8.0
    """
    if exponent_varies and base <= 0.0:
        raise ValueError(
            f"{_power_text(base, exponent)}: an exponent that is a Value needs a base above 0, "
            "since its local derivative contains log(base)."
        )
    if base == 0.0 and exponent < 0.0:
        raise ZeroDivisionError(f"{_power_text(base, exponent)} divides by 0.")
    if base < 0.0 and exponent != int(exponent):
        raise ValueError(
            f"{_power_text(base, exponent)} is not a real number: "
            "a negative base needs a whole exponent."
        )
    try:
        return float(base**exponent)
    except OverflowError:
        raise OverflowError(f"{_power_text(base, exponent)} is too large for a float.") from None


def power_derivative(base: float, exponent: float) -> float:
    """Differentiate base**exponent by its base: exponent * base**(exponent - 1).

    At base 0 with an exponent between 0 and 1 the local derivative is infinite; 0 is
    returned, by choice.

    >>> power_derivative(3.0, 2.0), power_derivative(0.0, 0.5)
    (6.0, 0.0)
    """
    if exponent == 0.0 or (base == 0.0 and exponent < 1.0):
        return 0.0
    try:
        derivative = float(exponent * base ** (exponent - 1.0))
    except OverflowError:
        derivative = math.inf
    return derivative_in_range(derivative, "**", base, exponent)


def derivative_in_range(derivative: float, op: str, *operands: float) -> float:
    """Return a local derivative, or say that finite operands gave one too large for a float.

    >>> derivative_in_range(0.25, "log", 4.0)
    0.25
    """
    if not math.isinf(derivative) or not all(map(math.isfinite, operands)):
        return derivative
    texts = [_wrapped(operand) for operand in operands]
    text = f" {op} ".join(texts) if len(texts) > 1 else f"{op}({number_text(operands[0])})"
    raise OverflowError(f"the local derivative of {text} is too large for a float.")


def _power_text(base: float, exponent: float) -> str:
    return f"{_wrapped(base)} ** {_wrapped(exponent)}"


def _wrapped(number: float) -> str:
    text = number_text(number)
    return f"({text})" if number < 0.0 else text
