"""What each operation computes, and its local derivatives, for whole arrays of numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rule = Callable[..., Any]


def power_derivative(a: Floats, b: Floats, _: Floats) -> Floats:
    """Differentiate a**b by a; 0 where the curve is vertical, as the engine chooses.

    >>> power_derivative(np.array([0.0, 4.0]), np.array([0.5, 0.5]), np.array([0.0, 2.0]))
    array([0.  , 0.25])

    At exponent 0 the curve is flat, however small the base.

    >>> power_derivative(np.array([1e-310]), np.array([0.0]), np.array([1.0]))
    array([0.])
    """
    level = (b == 0.0) | ((a == 0.0) & (b < 1.0))
    derivatives: Floats = np.where(level, 0.0, b * np.where(level, 1.0, a) ** (b - 1.0))
    return derivatives


# Of one or two operands.
OPERATIONS: dict[str, Rule] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "relu": lambda a, out: np.maximum(a, 0.0, out=out),
    "tanh": np.tanh,
}
# Of the operands and the result, one for each operand. None stands for 1: nothing to multiply.
LOCAL_DERIVATIVES: dict[str, tuple[Rule | None, ...]] = {
    "+": (None, None),
    "-": (None, lambda a, b, y: -1.0),
    "*": (lambda a, b, y: b, lambda a, b, y: a),
    "/": (lambda a, b, y: 1.0 / b, lambda a, b, y: -y / b),
    "**": (power_derivative, lambda a, b, y: y * np.log(a)),
    "neg": (lambda a, y: -1.0,),
    "exp": (lambda a, y: y,),
    "log": (lambda a, y: 1.0 / a,),
    "relu": (lambda a, y: y > 0.0,),
    "tanh": (lambda a, y: 1.0 - y * y,),
}
