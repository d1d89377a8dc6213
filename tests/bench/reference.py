"""The engine's rival: local derivatives stored in tuples, and a recursive topological sort.

It is the plain way to write such an engine: with slots, without any other trick, and without a
function inside a function, which would leave its graphs to the garbage collector. It has the
operations that the benchmarks use.
"""

from __future__ import annotations

import math


class Value:
    """One number, the numbers it was made from, and the local derivative for each of them."""

    __slots__ = ("data", "grad", "inputs", "local_derivatives")

    def __init__(
        self,
        data: float,
        inputs: tuple[Value, ...] = (),
        local_derivatives: tuple[float, ...] = (),
    ) -> None:
        self.data = data
        self.grad = 0.0
        self.inputs = inputs
        self.local_derivatives = local_derivatives

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __sub__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (1.0, -1.0))

    def __truediv__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, (self, other), (1.0 / b, -a / (b * b)))

    def __pow__(self, exponent: float) -> Value:
        slope = exponent * self.data ** (exponent - 1.0)
        return Value(self.data**exponent, (self,), (slope,))

    def __neg__(self) -> Value:
        return Value(-self.data, (self,), (-1.0,))

    def exp(self) -> Value:
        """The number e to this power."""
        data = math.exp(self.data)
        return Value(data, (self,), (data,))

    def log(self) -> Value:
        """The natural logarithm."""
        return Value(math.log(self.data), (self,), (1.0 / self.data,))

    def relu(self) -> Value:
        """max(0, a)."""
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0.0 else 0.0,))

    def backward(self) -> None:
        """Sort by recursion, then apply the chain rule from the back."""
        order: list[Value] = []
        self._sort(order, set())
        self.grad = 1.0
        for node in reversed(order):
            for one, local_derivative in zip(node.inputs, node.local_derivatives, strict=True):
                one.grad += local_derivative * node.grad

    def _sort(self, order: list[Value], visited: set[Value]) -> None:
        if self not in visited:
            visited.add(self)
            for one in self.inputs:
                one._sort(order, visited)
            order.append(self)
