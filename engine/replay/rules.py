"""The table of operations for whole arrays of numbers."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.rules import compiled

Floats = NDArray[np.float64]


def tanh(numbers: Floats) -> Floats:
    """The hyperbolic tangent, to the last bit that of the engine.

    NumPy's own may differ from it there, and close to 1 that bit is all that is left of the local
    derivative 1 - y * y.

    >>> float(tanh(np.array([18.99379200924721]))[0]) == math.tanh(18.99379200924721)
    True
    """
    return np.array([math.tanh(number) for number in numbers.ravel()]).reshape(numbers.shape)


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


NAMES: dict[str, Any] = {"exp": np.exp, "log": np.log, "maximum": np.maximum, "tanh": tanh}
CALCULATIONS = compiled(NAMES)
CALCULATIONS["**"] = CALCULATIONS["**"]._replace(
    local_derivatives=(power_derivative, *CALCULATIONS["**"].local_derivatives[1:])
)
