"""Many leaves as one: an array of numbers, and an array of gradients."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.guards import require_recorded
from engine.text import number_of, shown
from engine.value import Value

Floats = NDArray[np.float64]


class ParameterVector:
    """Many leaves as one: their numbers in one array, their gradients in another.

    An optimizer moves it like a single parameter: ``SGD([vector], rate=0.1)``.

    Args:
        leaves: parameters, or other leaves such as inputs, in the order of the arrays.

    Raises:
        TypeError: something is not a Value, or there is no list of them.
        ValueError: a number was computed, or stands there twice.

    >>> from engine.value import Parameter
    >>> weights = [Parameter(1.0), Parameter(2.0)]
    >>> vector = ParameterVector(weights)
    >>> vector.data *= 10.0
    >>> vector.write_back()
    >>> weights[1].data
    20.0
    """

    def __init__(self, leaves: Iterable[Value]) -> None:
        if not isinstance(leaves, Iterable):
            raise TypeError(f"a list of leaves is needed here, got {shown(leaves)}.")
        self.leaves = tuple(leaves)
        for leaf in self.leaves:
            require_recorded(leaf)
            if leaf.op:
                raise ValueError(f"{shown(leaf)} was computed: a vector holds leaves only.")
        if len(set(self.leaves)) < len(self.leaves):
            raise ValueError("a leaf stands twice in the vector.")
        self.read()

    def read(self) -> None:
        """Take numbers and gradients from the leaves.

        Raises:
            TypeError: a leaf holds something that is no real number.
            OverflowError: a leaf holds a whole number too large for a float.
        """
        try:
            self.data = [leaf.data for leaf in self.leaves]
            self.grad = [leaf.grad for leaf in self.leaves]
        except (TypeError, OverflowError):
            for leaf in self.leaves:
                _require_numbers(leaf)
            raise

    def write_back(self) -> None:
        """Put numbers and gradients into the leaves, where drawings and models look."""
        numbers, gradients = self.data.tolist(), self.grad.tolist()
        for leaf, number, gradient in zip(self.leaves, numbers, gradients, strict=True):
            leaf.data, leaf.grad = number, gradient

    @property
    def data(self) -> Floats:
        """The numbers."""
        return self._data

    @data.setter
    def data(self, numbers: ArrayLike) -> None:
        self._data = self._filled(numbers)

    @property
    def grad(self) -> Floats:
        """The gradients; a single number stands for all, as in ``vector.grad = 0.0``."""
        return self._grad

    @grad.setter
    def grad(self, numbers: ArrayLike) -> None:
        self._grad = self._filled(numbers)

    def _filled(self, numbers: ArrayLike) -> Floats:
        if isinstance(numbers, Sequence) and len(numbers) != len(self):
            holds, got = number_of(len(self), "number"), number_of(len(numbers), "number")
            raise ValueError(f"the vector holds {holds}, not {got}.")
        if np.ma.is_masked(numbers):
            raise ValueError(f"the vector needs numbers, and some are masked: {shown(numbers)}.")
        try:
            given = np.array(numbers)
        except ValueError:  # lists of several lengths
            given = np.array(None)
        if given.dtype.kind not in "fiu":
            raise TypeError(f"the vector needs real numbers, got {shown(numbers)}.")
        if given.shape not in ((), (len(self),)):
            holds = number_of(len(self), "number")
            raise ValueError(f"the vector holds {holds} in one row, got the shape {given.shape}.")
        filled = given.astype(np.float64, copy=False)
        return filled if filled.ndim else np.full(len(self), filled)

    def __len__(self) -> int:
        return len(self.leaves)

    def __repr__(self) -> str:
        return f"ParameterVector({number_of(len(self), 'number')})"


def _require_numbers(leaf: Value) -> None:
    for name, held in (("number", leaf.data), ("gradient", leaf.grad)):
        try:
            math.isfinite(held)  # refuses text, which float() would read
        except (TypeError, OverflowError) as problem:
            raise type(problem)(
                f"the {name} of {shown(leaf)} is no number that a float can hold. Give it one "
                "again."
            ) from None
