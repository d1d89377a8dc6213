"""What each operation computes, and its local derivatives, for whole arrays of numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def relu(a: Floats, out: Floats) -> None:
    np.maximum(a, 0.0, out=out)


def power_slope(a: Floats, b: Floats, _: Floats) -> Floats:
    vertical = (a == 0.0) & (b < 1.0)
    return np.where(vertical, 0.0, b * np.where(vertical, 1.0, a) ** (b - 1.0))


FORWARD: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "relu": relu,
    "tanh": np.tanh,
}
# From the operands a and b and the result y; None is 1: the gradient itself is the contribution.
LOCAL_DERIVATIVES: dict[str, tuple[Callable[[Floats, Floats, Floats], Any] | None, ...]] = {
    "+": (None, None),
    "-": (None, lambda a, b, y: -1.0),
    "*": (lambda a, b, y: b, lambda a, b, y: a),
    "/": (lambda a, b, y: 1.0 / b, lambda a, b, y: -y / b),
    "**": (power_slope, lambda a, b, y: y * np.log(a)),
    "neg": (lambda a, b, y: -1.0,),
    "exp": (lambda a, b, y: y,),
    "log": (lambda a, b, y: 1.0 / a,),
    "relu": (lambda a, b, y: y > 0.0,),
    "tanh": (lambda a, b, y: 1.0 - y * y,),
}
