"""Which numbers are accepted, and what is said about the others.

>>> finite(float("nan"), "Value")
Traceback (most recent call last):
    ...
ValueError: Value needs a finite number, got nan.
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
