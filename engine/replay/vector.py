"""Many leaves as one: an array of numbers, and an array of gradients."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.text import shown
from engine.value import Value, require_recorded

Floats = NDArray[np.float64]


class ParameterVector:
    """Many leaves as one: their numbers in one array, their gradients in another.

    An optimizer moves it like a single parameter: ``SGD([vector], rate=0.1)``.

    Args:
        leaves: the parameters, in the order of the arrays.

    Raises:
        TypeError: something is not a Value.
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
        self.leaves = tuple(leaves)
        for leaf in self.leaves:
            require_recorded(leaf)
            if leaf.op:
                raise ValueError(f"{shown(leaf)} was computed: a vector holds leaves only.")
        if len(set(self.leaves)) < len(self.leaves):
            raise ValueError("a leaf stands twice in the vector.")
        self.read()

    def read(self) -> None:
        """Take numbers and gradients from the leaves."""
        self.data = [leaf.data for leaf in self.leaves]
        self.grad = [leaf.grad for leaf in self.leaves]

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
        filled = np.array(numbers, dtype=np.float64)
        if filled.shape not in ((), (len(self),)):
            raise ValueError(f"the vector holds {len(self)} numbers, not {filled.size} numbers.")
        return filled if filled.ndim else np.full(len(self), filled)

    def __len__(self) -> int:
        return len(self.leaves)

    def __repr__(self) -> str:
        return f"ParameterVector({len(self)} numbers)"
