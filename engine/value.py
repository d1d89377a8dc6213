"""Numbers that record what made them.

Each operation makes one new :class:`Value`. It remembers what it was made from, and how fast
it changes when one of its inputs changes. The chain rule then needs one line of code
(``push_back``), whatever the calculation was. This is all of it; what a number refuses, and in
which words, stands in ``guards``.

>>> a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
>>> L = (a * b + c) * f
>>> L.backward()
>>> a.grad, b.grad, c.grad, f.grad
(6.0, -4.0, -2.0, 4.0)
"""

import math
from collections.abc import Sequence
from typing import Any

from engine import guards
from engine.all_or_nothing import all_or_nothing
from engine.constants import constant, reflected
from engine.numbers import finite
from engine.recording import leaf_tag, now


class Value(guards.Number):
    """One number in a recorded calculation.

    Args:
        data: a real, finite number. NumPy scalars are welcome.
        label: a name for drawings. Left empty, a drawing uses the variable's name.

    Attributes:
        data: the number itself, computed in the forward pass.
        grad: the derivative of the chosen output with respect to this number; 0 until a walk.
        op: the operation that made it (``"+"``, ``"tanh"``, ...), or ``""`` for a leaf.

    Raises:
        TypeError: ``data`` is not a real number, or ``label`` is not text.
        ValueError: ``data`` is infinite or NaN.

    >>> x = Value(3.0)
    >>> y = x * x + x
    >>> y.backward()
    >>> y.data, x.grad
    (12.0, 7.0)
    """

    __slots__ = ()

    def __init__(self, data: object, label: str = "") -> None:
        self.data = finite(data, type(self).__name__)
        self.grad = 0.0
        self.op = ""
        self._tag = leaf_tag(label)
        self._left = self._right = self._d_left = self._d_right = None

    @property
    def operands(self) -> "tuple[Value | float, ...]":
        """What the operation was applied to, in order: Values and plain numbers."""
        sides = (side for side in (self._left, self._right) if side is not None)
        return tuple(s if isinstance(s, Value) or s.label else s.data for s in sides)

    @property
    def inputs(self) -> "tuple[Value, ...]":
        """The Values it was made from, in order; ``x + x`` keeps both.

        >>> x = Value(3.0)
        >>> len((x + x).inputs), len((x * 2).inputs), len(x.inputs)
        (2, 1, 0)
        """
        return tuple(side for side in (self._left, self._right) if isinstance(side, Value))

    @property
    def local_derivatives(self) -> tuple[float, ...]:
        """How fast it changes with each of its inputs, at the values of the forward pass.

        >>> (Value(2.0) * Value(-3.0)).local_derivatives
        (-3.0, 2.0)
        """
        return tuple(d for d in (self._d_left, self._d_right) if d is not None)

    # -- ten operations: the number, and beside each operand the local derivative -----------------

    def __add__(self, other: object) -> "Value":
        """``a + b``: local derivatives 1 and 1."""
        try:
            if isinstance(other, Value):
                return recorded("+", self.data + other.data, self, 1.0, other, 1.0)
            number = constant(other, "+", self)
            return recorded("+", self.data + number.data, self, 1.0, number, None)
        except TypeError as error:
            raise guards.explanation(error, "add", self, other) from None

    @guards.explained
    def __sub__(self, other: object) -> "Value":
        """``a - b``: local derivatives 1 and -1."""
        if isinstance(other, Value):
            return recorded("-", self.data - other.data, self, 1.0, other, -1.0)
        number = constant(other, "-", self)
        return recorded("-", self.data - number.data, self, 1.0, number, None)

    def __mul__(self, other: object) -> "Value":
        """``a * b``: local derivatives b and a."""
        try:
            if isinstance(other, Value):
                return recorded("*", self.data * other.data, self, other.data, other, self.data)
            number = constant(other, "*", self)
            return recorded("*", self.data * number.data, self, number.data, number, None)
        except TypeError as error:
            raise guards.explanation(error, "mul", self, other) from None

    @guards.explained
    def __truediv__(self, other: object) -> "Value":
        """``a / b``: local derivatives 1/b and -a/b**2."""
        b = other if isinstance(other, Value) else constant(other, "/", self)
        y = self.data / b.data
        d_left = 1.0 / b.data if isinstance(self, Value) else 0.0
        d_right = -y / b.data if isinstance(b, Value) else None
        guards.require_range((self, b), y, d_left, d_right)
        return recorded("/", y, self, d_left, b, d_right)

    @guards.explained
    def __pow__(self, other: object) -> "Value":
        """``a ** b``: local derivatives b * a**(b-1) and, for a Value b, a**b * log(a).

        A negative base needs a whole constant exponent; a Value exponent needs a positive base.
        At a = 0 with 0 < b < 1 the curve is vertical. There the local derivative is taken to be
        0: a choice, so that a single zero does not turn every gradient into infinity.
        """
        b = other if isinstance(other, Value) else constant(other, "**", self)
        y = math.pow(self.data, b.data)
        level = b.data == 0.0 or (self.data == 0.0 and b.data < 1.0)
        by_base = isinstance(self, Value) and not level
        d_left = b.data * math.pow(self.data, b.data - 1.0) if by_base else 0.0
        d_right = y * math.log(self.data) if isinstance(b, Value) else None
        guards.require_range((self, b), y, d_left, d_right)
        return recorded("**", y, self, d_left, b, d_right)

    @guards.explained
    def __neg__(self) -> "Value":
        """``-a``: local derivative -1."""
        return recorded("neg", -self.data, self, -1.0)

    @guards.explained
    def exp(self) -> "Value":
        """The number e to this power: the local derivative is the result itself.

        Raises:
            OverflowError: the result is too large for a float (above about 709.78).

        >>> Value(0.0).exp().local_derivatives
        (1.0,)
        """
        y = math.exp(self.data)
        return recorded("exp", y, self, y)

    @guards.explained
    def log(self) -> "Value":
        """The natural logarithm: local derivative 1/a.

        Raises:
            ValueError: the number is zero or negative.

        >>> Value(4.0).log().local_derivatives
        (0.25,)
        """
        y, slope = math.log(self.data), 1.0 / self.data
        guards.require_range((self,), y, slope)
        return recorded("log", y, self, slope)

    @guards.explained
    def relu(self) -> "Value":
        """max(0, a): local derivative 1 if a > 0, else 0.

        At exactly 0 there is a kink and no derivative; 0 is a choice.

        >>> Value(-2.0).relu().data, Value(3.0).relu().local_derivatives
        (0.0, (1.0,))
        """
        y = 0.0 if self.data <= 0.0 else self.data
        return recorded("relu", y, self, 1.0 if y > 0.0 else 0.0)

    @guards.explained
    def tanh(self) -> "Value":
        """The hyperbolic tangent: local derivative 1 - result**2.

        Near 1 and -1 the subtraction loses digits; from about 19 on it gives exactly 0.

        >>> Value(0.0).tanh().local_derivatives, Value(1000.0).tanh().data
        ((1.0,), 1.0)
        """
        y = math.tanh(self.data)
        return recorded("tanh", y, self, 1.0 - y * y)

    __radd__ = reflected("+", __add__)
    __rsub__ = reflected("-", __sub__)
    __rmul__ = reflected("*", __mul__)
    __rtruediv__ = reflected("/", __truediv__)
    __rpow__ = reflected("**", __pow__)

    # -- the walk back ----------------------------------------------------------------------------

    def backward(self) -> None:
        """Compute the derivative of this number with respect to every number it was made from.

        Computed nodes start each walk at 0. Leaves keep what they had and get their
        contributions added: a second call doubles the gradient of every leaf, exactly. After an
        error, or an interrupt, every leaf holds the gradient it had before.

        Raises:
            ReleasedError: the tape that recorded this number has ended.
            TypeError: the data or the gradient of a node was replaced by something else.
            ValueError: a number on the way is infinite or NaN; the message names the first.
            OverflowError: a gradient, or its sum with what a leaf holds, is too large for a float.

        >>> x = Value(3.0)
        >>> y = x * 2
        >>> y.backward(); y.backward()
        >>> x.grad, y.grad
        (4.0, 1.0)
        """
        order = topological_order(self)
        leaves = [node for node in order if not node.op]
        walk_back(leaves, [node for node in order if node.op], self)


class Parameter(Value):
    """A trainable leaf. No tape holds it, so its gradient outlives every recording."""

    __slots__ = ()


def walk_back(leaves: Sequence[Value], nodes: Sequence[Value], output: Value) -> None:
    """Compute every gradient, and add those of the leaves to what the leaves hold."""
    guards.require_finite(leaves, nodes, lambda: topological_order(output))
    with all_or_nothing(leaves, nodes, output):
        push_back(nodes, output)


def push_back(nodes: Sequence[Value], output: Value) -> None:
    """The chain rule: hand every gradient on to the inputs, from the output to the leaves.

    The nodes come with inputs before results; the output's gradient is the seed gradient 1.
    """
    output.grad = 1.0
    for node in reversed(nodes):
        upstream = node.grad
        if (local_derivative := node._d_left) is not None:
            node._left.grad += local_derivative * upstream
        if (local_derivative := node._d_right) is not None:
            node._right.grad += local_derivative * upstream


def topological_order(output: Value) -> list[Value]:
    """List everything the output was made from, every input before the node that uses it.

    Depth first, left operand first, without recursion: a chain of a million nodes is fine.

    Args:
        output: the last node of the list.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is not a Value.

    >>> a, b = Value(1.0, "a"), Value(2.0, "b")
    >>> [node.label or node.op for node in topological_order(a * b + a)]
    ['a', 'b', '*', '+']
    """
    guards.require_recorded(output)
    order: list[Value] = []
    visited = {output}
    path: list[Value] = []  # the nodes above that wait for their inputs
    node = output
    while True:
        if node._d_left is not None and (below := node._left) not in visited:
            visited.add(below)
            if below.op:
                path.append(node)
                node = below
                continue
            order.append(below)
        if node._d_right is not None and (below := node._right) not in visited:
            visited.add(below)
            if below.op:
                path.append(node)
                node = below
                continue
            order.append(below)
        order.append(node)
        if not path:
            return order
        node = path.pop()


# -- how a node is recorded ------------------------------------------------------------------------

Slope = float | None  # a local derivative; None beside a plain number, into which nothing flows
_new = object.__new__


def recorded(
    op: str, data: float, left: Any, d_left: Slope, right: Any = None, d_right: Slope = None
) -> Value:
    """Make a node past ``__init__``: everything it gets has been checked, and time counts here."""
    node = _new(Value)
    node.data = data
    node.grad = 0.0
    node.op = op
    node._tag = now.tag
    node._left = left
    node._right = right
    node._d_left = d_left
    node._d_right = d_right
    if now.append is not None:
        now.append(node)
    return node
