"""Arrays that record what made them: the engine of single numbers, with a block in each node.

One thing differs from :mod:`engine.value`: where a Value keeps a local derivative for each input,
an Array keeps a *rule*, a function from the upstream gradient to the contribution (other texts say
vector-Jacobian product). Rules compose: softmax, attention and a whole GPT need none of their own.

>>> w = Array([[3.0, 4.0]])
>>> x = Array([[1.0, 5.0], [2.0, 6.0]])
>>> y = x @ w.T * [[2.0], [-1.0]]
>>> y.sum().backward()
>>> w.grad
array([[0., 4.]])

Arrays broadcast as in NumPy: along an axis of length 1 the same number is used again and again.
"""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.recording import now
from engine.text import shown

Floats = NDArray[np.float64]
Side = tuple[Any, Callable[[Floats], Floats]]  # an operand, and its rule
quiet = np.errstate(all="ignore")  # what leaves the range of floats is refused by name instead
_created = count()


class Array:
    """A block of numbers in a recorded calculation.

    Args:
        data: a number, or rows of equal length, nested as deep as there are axes.
        label: a name for drawings.
        op: the operation that made it, and its sides (each operand with its rule): none in a leaf.

    Attributes:
        data: the numbers, in double precision. The rules of a recording read them, so they cannot
            be changed in place: give a leaf new ones, as in ``w.data = w.data - step``.
        grad: the derivative of the chosen output with respect to each of them; 0 until a walk.

    Raises:
        TypeError: the data are no real numbers.
        ValueError: a number, a result or a gradient is infinite or NaN, or shapes do not fit.
    """

    __slots__ = ("_data", "created", "grad", "label", "op", "scope", "sides")
    __array_ufunc__ = None  # an array of NumPy on the left leaves the operation to the Array

    def __init__(self, data: ArrayLike, label: str = "", op: str = "", *sides: Side) -> None:
        self._data = np.asarray(data) if op else constant(data)
        self.grad: Any = np.zeros(self.shape)
        self.op, self.label, self.scope = op, label, now.tag.scope
        self.sides, self.created = sides, next(_created)

    @property
    def inputs(self) -> "tuple[Array, ...]":
        """The Arrays it was made from, in order; constants are left out."""
        return tuple(operand for operand, _ in self.sides if isinstance(operand, Array))

    @property
    def data(self) -> Floats:
        """The numbers, not to be changed in place."""
        return self._data

    @data.setter
    def data(self, numbers: ArrayLike) -> None:
        self._data = constant(numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers there are along each axis."""
        return self._data.shape

    # -- the operations: the numbers, and for each operand the rule -------------------------------

    @quiet
    def __add__(self, other: Any) -> "Array":
        """``a + b`` hands the upstream gradient on to both."""
        return _node("+", self.data + _data(other), (self, lambda up: up), (other, lambda up: up))

    @quiet
    def __mul__(self, other: Any) -> "Array":
        """``a * b``: upstream * b, and upstream * a."""
        a, b = self.data, _data(other)
        return _node("*", a * b, (self, lambda up: up * b), (other, lambda up: up * a))

    @quiet
    def __matmul__(self, other: Any) -> "Array":
        """``a @ b``, rows times columns: upstream @ b transposed, and a transposed @ upstream."""
        a, b = self.data, _data(other)
        if min(a.ndim, b.ndim) < 2:
            raise ValueError(f"'@' needs rows and columns, got {a.shape} and {b.shape}: reshape.")
        return _node("@", a @ b, (self, lambda up: up @ b.mT), (other, lambda up: a.mT @ up))

    @quiet
    def __pow__(self, power: float) -> "Array":
        """``a ** c`` for a constant number c: upstream * c * a**(c - 1)."""
        a, c = self.data, float(power)
        return _node("**", a**c, (self, lambda up: up * c * a ** (c - 1)), (c, lambda up: up))

    @quiet
    def exp(self) -> "Array":
        """The number e to these powers: upstream * the result."""
        y = np.exp(self.data)
        return _node("exp", y, (self, lambda up: up * y))

    @quiet
    def log(self) -> "Array":
        """The natural logarithm: upstream / a."""
        a = self.data
        return _node("log", np.log(a), (self, lambda up: up / a))

    def relu(self) -> "Array":
        """max(0, a): upstream where a > 0, else 0; at 0 itself the 0 is a choice."""
        is_open = self.data > 0.0
        return _node("relu", self.data * is_open, (self, lambda up: up * is_open))

    def maximum(self, other: Any) -> "Array":
        """The larger of a and b gets the upstream gradient; of two equal ones each gets half."""
        a, b = self.data, _data(other)
        to_a = (a > b) + 0.5 * (a == b)
        sides = (self, lambda up: up * to_a), (other, lambda up: up * (1.0 - to_a))
        return _node("maximum", np.maximum(a, b), *sides)

    def sum(self, axis: int | None = None, keepdims: bool = False) -> "Array":
        """Add up along one axis, or all numbers: each gets the upstream gradient of its sum."""
        shape, axes = self.shape, () if axis is None or keepdims else axis
        total = self.data.sum(axis=axis, keepdims=keepdims)
        return _node(
            "sum", total, (self, lambda up: np.broadcast_to(np.expand_dims(up, axes), shape))
        )

    def reshape(self, *shape: int) -> "Array":
        """The same numbers in other rows: the upstream gradient, in the rows of before."""
        a = self.data
        return _node("reshape", a.reshape(shape), (self, lambda up: up.reshape(a.shape)))

    def transpose(self, *axes: int) -> "Array":
        """The axes in another order, by default from the back: upstream, put back in order."""
        order = axes or tuple(range(self.data.ndim))[::-1]
        back = np.argsort(order)
        return _node("transpose", self.data.transpose(order), (self, lambda up: up.transpose(back)))

    def __getitem__(self, key: Any) -> "Array":
        """Pick as NumPy does: upstream, added where it was picked from, twice if picked twice."""
        a = self.data

        def rule(up: Floats) -> Floats:
            contribution = np.zeros(a.shape)
            np.add.at(contribution, key, up)
            return contribution

        return _node("pick", a[key], (self, rule))

    # -- composed of them -------------------------------------------------------------------------

    __radd__, __rmul__ = __add__, __mul__

    @property
    def T(self) -> "Array":  # noqa: N802 (as NumPy and PyTorch call it)
        """The transpose: rows become columns."""
        return self.transpose()

    def __neg__(self) -> "Array":
        return self * -1.0

    def __sub__(self, other: Any) -> "Array":
        return self + (-other if isinstance(other, Array) else -constant(other))

    @quiet
    def __truediv__(self, other: Any) -> "Array":
        return self * (other if isinstance(other, Array) else constant(other)) ** -1.0

    def __rsub__(self, other: Any) -> "Array":
        return -self + constant(other)

    def __rtruediv__(self, other: Any) -> "Array":
        return self**-1.0 * constant(other)

    def __rmatmul__(self, other: Any) -> "Array":
        return Array(other) @ self

    def __repr__(self) -> str:
        return f"Array({shown(self.data.tolist())}, shape={self.shape})"

    @quiet
    def backward(self) -> None:
        """Compute the derivative of this one number with respect to all that it was made from.

        Computed nodes start each walk at 0, leaves add to what they hold; an error changes none.
        """
        if self.data.size != 1:
            raise ValueError(f"backward() begins at one number, not at {self.shape}: sum() first.")
        order = creation_order(self)
        gradients: dict[Array, Any] = {node: np.zeros(node.shape) for node in order}
        gradients[self] = np.ones(self.shape)
        for node in reversed(order):  # the chain rule
            for operand, rule in node.sides:
                if isinstance(operand, Array):
                    gradients[operand] += summed_to(rule(gradients[node]), operand.shape)
        for node in order:
            _frozen(gradients[node], "the gradient of", node)
        for node in order:
            node.grad = gradients[node] + (0.0 if node.op else node.grad)


def creation_order(output: Array) -> list[Array]:
    """All that an output was made from, as it was made: a topological order (chapter 12)."""
    found, waiting = {output}, [output]
    while waiting:
        new = set(waiting.pop().inputs) - found
        found |= new
        waiting += new
    return sorted(found, key=lambda node: node.created)


def summed_to(contribution: Floats, shape: Sequence[int]) -> Floats:
    """Undo broadcasting: add up along each axis along which numbers were used again."""
    added = contribution.sum(axis=tuple(range(contribution.ndim - len(shape))))
    again = tuple(i for i, n in enumerate(shape) if n < added.shape[i])
    return np.asarray(added.sum(axis=again, keepdims=True)) if again else np.asarray(added)


def constant(numbers: ArrayLike) -> Floats:
    """A block of plain numbers, safe from changes: it is no node, and gets no gradient."""
    given = np.array(numbers)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"an array needs real numbers, got {shown(numbers)}.")
    return _frozen(given.astype(np.float64), "an array")


def _data(other: Any) -> Floats:
    return other.data if isinstance(other, Array) else constant(other)


def _node(op: str, data: Any, *sides: Side) -> Array:
    return Array(_frozen(np.asarray(data), f"the result of {op!r}"), "", op, *sides)


def _frozen(numbers: Floats, *what: Any) -> Floats:
    if not np.isfinite(numbers).all():
        name = " ".join([what[0], *map(shown, what[1:])])
        raise ValueError(f"{name} of shape {numbers.shape} holds a number that is infinite or NaN.")
    numbers.flags.writeable = False
    return numbers
