"""Numbers that record what made them.

Each operation makes one new :class:`Value`. It remembers what it was made from, and how fast
it changes when one of its inputs changes. The chain rule then needs one line of code
(``push_back``), whatever the calculation was.

>>> a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
>>> L = (a * b + c) * f
>>> L.data
-8.0
>>> L.backward()
>>> a.grad, b.grad, c.grad, f.grad
(6.0, -4.0, -2.0, 4.0)
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from operator import attrgetter
from typing import Any, NoReturn, Self, SupportsIndex

from engine.domain import (
    derivative_in_range,
    exponential,
    finite,
    label_text,
    logarithm,
    power,
    power_derivative,
    quotient,
)
from engine.text import number_text, shown

INFIX = frozenset({"+", "-", "*", "/", "**"})
FUNCTIONS = frozenset({"neg", "exp", "log", "relu", "tanh"})
LONGEST_HELD = 30


class ReleasedError(RuntimeError):
    """A node was used after the tape that recorded it had ended."""


class Tag:
    """What a node is called, which part of the model it belongs to, and which tape recorded it.

    All unlabeled nodes of one scope share one tag, so a node pays a single slot for three facts.
    """

    __slots__ = ("label", "recording", "scope")

    def __init__(self, label: str = "", scope: str = "", recording: object = None) -> None:
        self.label = label
        self.scope = scope
        self.recording = recording


class ForNumPy:
    """How NumPy meets a number: its operators give way to ours, and its functions are refused.

    NumPy asks the type, and calls what it finds. A masked array asks the object, and gives way
    where there is None.
    """

    def __get__(self, number: object, kind: type) -> Callable[..., Any] | None:
        return meet_numpy if number is None else None


class Number:
    """What a Value and a released node share: a number, its gradient and its name.

    Both have the same slots and this one base, so Python lets the one become the other.
    """

    # An operation has at most two operands. An operand that is a Value comes with its local
    # derivative; a plain number comes with None, since nothing flows into it.
    __slots__ = ("_d_left", "_d_right", "_left", "_right", "_tag", "data", "grad", "op")
    __array_ufunc__ = ForNumPy()

    data: float
    grad: float
    op: str
    _tag: Tag
    _left: Any  # Value, plain number or nothing: the local derivative beside it tells which
    _right: Any
    _d_left: float | None
    _d_right: float | None

    @property
    def label(self) -> str:
        """The name given to this number, or ``""``."""
        return self._tag.label

    @label.setter
    def label(self, label: str) -> None:
        self._tag = Tag(label_text(label), self._tag.scope, self._tag.recording)

    @property
    def scope(self) -> str:
        """The part of the model it was made in, such as ``"layer0/attention"``."""
        return self._tag.scope

    def __repr__(self) -> str:
        label = f", label={self.label!r}" if self.label else ""
        made_by = f", op={self.op!r}" if self.op else ""
        data, grad = _held_text(self.data), _held_text(self.grad)
        return f"{type(self).__name__}(data={data}, grad={grad}{made_by}{label})"

    def __format__(self, layout: str) -> str:
        if not layout:
            return str(self)
        raise TypeError(
            f"{layout!r} is a layout for a plain number, and {shown(self)} is more than that. "
            "Write .data behind it, as in f'{x.data:.3f}'."
        )

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Let a leaf be copied; a copied node would be on no tape, and what uses it not follow."""
        if self.op:
            raise TypeError(
                f"{shown(self)} was computed, and a copy of it would stand outside its record. "
                "Copy the leaves and repeat the calculation, or keep a Graph of it."
            )
        return super().__reduce_ex__(protocol)

    def __float__(self, *_: object) -> NoReturn:
        raise TypeError(
            f"a plain number would lose the record of how {shown(self)} was made. Use its methods "
            "(x.exp(), x.log(), x.tanh(), x.relu()), or x.data if the bare number is wanted."
        )

    __int__ = __trunc__ = __round__ = __float__

    def _not_recorded(self, *others: object) -> NoReturn:
        got = ", ".join(map(shown, (self, *others)))
        raise TypeError(
            f"abs, %, //, @ and divmod are not recorded, got {got}. "
            f"Write {RECORDED_WAYS}: abs(x) is "
            "x.relu() + (-x).relu(). Or use x.data if the bare number is wanted."
        )

    __abs__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = _not_recorded
    __matmul__ = __rmatmul__ = __divmod__ = __rdivmod__ = _not_recorded

    def _compare(self, other: object) -> NoReturn:
        raise TypeError(
            f"cannot order {shown(self)} and {shown(other)}: a Value carries data and a gradient. "
            "Compare the numbers themselves: a.data < b.data."
        )

    __lt__ = __le__ = __gt__ = __ge__ = _compare


def _held_text(held: object) -> str:
    """Write data or a gradient: a learner may have put anything there, and has to see it."""
    if isinstance(held, Real):
        try:
            return number_text(float(held))
        except OverflowError:  # a whole number; its digits would push out the rest of the line
            text = shown(held)
            return text if len(text) <= LONGEST_HELD else f"{text[: LONGEST_HELD - 3]}..."
    return shown(held)


class Value(Number):
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
        self._tag = Tag(label_text(label), _tag.scope) if label != "" or _tag.scope else _LEAF_TAG
        self._left = self._right = self._d_left = self._d_right = None

    # -- what was recorded ---------------------------------------------------------------------

    @property
    def operands(self) -> "tuple[Value | float, ...]":
        """What the operation was applied to, in order: Values and plain numbers."""
        return tuple(operand for operand in (self._left, self._right) if operand is not None)

    @property
    def inputs(self) -> "tuple[Value, ...]":
        """The Values it was made from, in order; ``x + x`` keeps both.

        >>> x = Value(3.0)
        >>> len((x + x).inputs), len((x * 2).inputs), len(x.inputs)
        (2, 1, 0)
        """
        return tuple(operand for operand in self.operands if isinstance(operand, Value))

    @property
    def local_derivatives(self) -> tuple[float, ...]:
        """How fast it changes with each of its inputs, at the values of the forward pass.

        >>> (Value(2.0) * Value(-3.0)).local_derivatives
        (-3.0, 2.0)
        """
        return tuple(one for one in (self._d_left, self._d_right) if one is not None)

    # -- operations: the number, and beside it its local derivatives ------------------------------

    def __add__(self, other: object) -> "Value":
        """``a + b``: local derivatives 1 and 1."""
        if isinstance(other, Value):
            return _node("+", self.data + other.data, self, 1.0, other, 1.0)
        number = _operand(other, "+", self)
        return _node("+", self.data + float(number), self, 1.0, number, None)

    def __radd__(self, other: object) -> "Value":
        if type(other) is int and other == 0:  # sum() starts from 0
            return self
        number = _operand(other, "+", self)
        return _node("+", float(number) + self.data, number, None, self, 1.0)

    def __mul__(self, other: object) -> "Value":
        """``a * b``: local derivatives b and a."""
        if isinstance(other, Value):
            return _node("*", self.data * other.data, self, other.data, other, self.data)
        number = _operand(other, "*", self)
        return _node("*", self.data * float(number), self, float(number), number, None)

    def __rmul__(self, other: object) -> "Value":
        number = _operand(other, "*", self)
        return _node("*", float(number) * self.data, number, None, self, float(number))

    def __sub__(self, other: object) -> "Value":
        """``a - b``: local derivatives 1 and -1."""
        if isinstance(other, Value):
            return _node("-", self.data - other.data, self, 1.0, other, -1.0)
        number = _operand(other, "-", self)
        return _node("-", self.data - float(number), self, 1.0, number, None)

    def __rsub__(self, other: object) -> "Value":
        number = _operand(other, "-", self)
        return _node("-", float(number) - self.data, number, None, self, -1.0)

    def __truediv__(self, other: object) -> "Value":
        """``a / b``: local derivatives 1/b and -a/b**2."""
        if isinstance(other, Value):
            a, b = self.data, other.data
            data = quotient(a, b)
            d_left = derivative_in_range(1.0 / b, "/", a, b)
            d_right = derivative_in_range(-data / b, "/", a, b)
            return _node("/", data, self, d_left, other, d_right)
        number = _operand(other, "/", self)
        divisor = float(number)
        data = quotient(self.data, divisor)
        d_left = derivative_in_range(1.0 / divisor, "/", self.data, divisor)
        return _node("/", data, self, d_left, number, None)

    def __rtruediv__(self, other: object) -> "Value":
        number = _operand(other, "/", self)
        data = quotient(float(number), self.data)
        d_right = derivative_in_range(-data / self.data, "/", float(number), self.data)
        return _node("/", data, number, None, self, d_right)

    def __pow__(self, other: object) -> "Value":
        """``a ** c``: local derivative c * a**(c-1); for a Value exponent also a**c * log(a).

        A negative base needs a whole constant exponent; a Value exponent needs a positive base.
        At a = 0 with 0 < c < 1 the curve is vertical. There the local derivative is taken to be
        0: a choice, so that a single zero does not turn every gradient into infinity.
        """
        if isinstance(other, Value):
            data = power(self.data, other.data, exponent_varies=True)
            d_left = power_derivative(self.data, other.data)
            d_right = derivative_in_range(data * math.log(self.data), "**", self.data, other.data)
            return _node("**", data, self, d_left, other, d_right)
        number = _operand(other, "**", self)
        data = power(self.data, float(number))
        return _node("**", data, self, power_derivative(self.data, float(number)), number, None)

    def __rpow__(self, other: object) -> "Value":
        """``c ** a``: local derivative c**a * log(c), for a positive c."""
        number = _operand(other, "**", self)
        base = float(number)
        data = power(base, self.data, exponent_varies=True)
        d_right = derivative_in_range(data * math.log(base), "**", base, self.data)
        return _node("**", data, number, None, self, d_right)

    def __neg__(self) -> "Value":
        """``-a``: local derivative -1."""
        return _node("neg", -self.data, self, -1.0)

    def __pos__(self) -> "Value":
        return self

    def exp(self) -> "Value":
        """The number e to this power: the local derivative is the result itself.

        Raises:
            OverflowError: the result is too large for a float (above about 709.78).

        >>> Value(0.0).exp().local_derivatives
        (1.0,)
        """
        data = exponential(self.data)
        return _node("exp", data, self, data)

    def log(self) -> "Value":
        """The natural logarithm: local derivative 1/a.

        Raises:
            ValueError: the number is zero or negative.

        >>> Value(4.0).log().local_derivatives
        (0.25,)
        """
        data = logarithm(self.data)
        return _node("log", data, self, derivative_in_range(1.0 / self.data, "log", self.data))

    def relu(self) -> "Value":
        """max(0, a): local derivative 1 if a > 0, else 0.

        At exactly 0 there is a kink and no derivative; 0 is a choice.

        >>> Value(-2.0).relu().data, Value(3.0).relu().local_derivatives
        (0.0, (1.0,))
        """
        data = 0.0 if self.data <= 0.0 else self.data
        return _node("relu", data, self, 1.0 if data > 0.0 else 0.0)

    def tanh(self) -> "Value":
        """The hyperbolic tangent: local derivative 1 - result**2.

        Near 1 and -1 the subtraction loses digits: from about 19 on the result is 1, the local
        derivative exactly 0.

        >>> Value(0.0).tanh().local_derivatives, Value(1000.0).tanh().data
        ((1.0,), 1.0)
        """
        data = math.tanh(self.data)
        return _node("tanh", data, self, 1.0 - data * data)

    # -- the walk back -------------------------------------------------------------------------

    def backward(self) -> None:
        """Compute the derivative of this number with respect to every number it was made from.

        Computed nodes start each walk at 0. Leaves keep what they had and get their
        contributions added: a second call doubles the gradient of every leaf, exactly.

        Raises:
            ReleasedError: the tape that recorded this number has ended.
            TypeError: a gradient was replaced by something that is not a number.
            ValueError: a number on the way is infinite or NaN; the message names the first.
            OverflowError: a gradient, or the sum of the gradients of several walks, is too large
                for a float, or a whole number that was put into a node is; the message names the
                first.

        After an error, or an interrupt, every leaf holds the gradient it had before.

        >>> x = Value(3.0)
        >>> y = x * 2
        >>> y.backward(); y.backward()
        >>> x.grad, y.grad
        (4.0, 1.0)
        """
        order = topological_order(self)
        require_finite(self, order)
        walk_back(order, self, [node for node in order if not node.op])


class Parameter(Value):
    """A trainable leaf. No tape holds it, so its gradient outlives every recording.

    >>> w = Parameter(0.5, label="w")
    >>> w
    Parameter(data=0.5, grad=0, label='w')
    """

    __slots__ = ()


class Released(Number):
    """A node whose tape has ended: data and gradient remain, its record is gone."""

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise ReleasedError(
            f"{shown(self)} was recorded on a tape that has ended, and its record was released. "
            "Calculate, draw and walk inside the 'with Tape()' block, or keep a Graph of it."
        )

    operands = inputs = local_derivatives = property(_refuse)
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __pos__ = _refuse
    __abs__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = _refuse
    __matmul__ = __rmatmul__ = __divmod__ = __rdivmod__ = _refuse
    exp = log = relu = tanh = backward = _refuse

    def __repr__(self) -> str:
        return "Released" + super().__repr__().removeprefix("Released")


# -- how a node is recorded ------------------------------------------------------------------------

_LEAF_TAG = Tag()  # of leaves with nothing to tell: one for all of them
_tag = _LEAF_TAG  # of the nodes made now: the scope that is open, the tape that records
_append: Callable[[Value], None] | None = None  # of that tape
_new = object.__new__


def _node(
    op: str,
    data: float,
    left: Value | float,
    d_left: float | None,
    right: Value | float | None = None,
    d_right: float | None = None,
) -> Value:
    """Make a node past ``__init__``: everything it gets has been checked, and time counts here."""
    node = _new(Value)
    node.data = data
    node.grad = 0.0
    node.op = op
    node._tag = _tag
    node._left = left
    node._right = right
    node._d_left = d_left
    node._d_right = d_right
    if _append is not None:
        _append(node)
    return node


def _operand(other: object, op: str, value: Value) -> float:
    """Accept a plain number beside a Value; a finite float is by far the most frequent one."""
    if (type(other) is float and other - other == 0.0) or isinstance(other, Literal):
        return other
    if isinstance(other, Released):
        other._refuse()
    return finite(other, f"{op!r} with {number_text(value.data)}")


def record_with(append: Callable[[Value], None] | None, recording: object) -> None:
    """Hand every node made from now on to ``append``, or stop doing so with None."""
    global _append, _tag
    _append = append
    _tag = Tag("", _tag.scope, recording)


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Say which part of a model the nodes made inside belong to; scopes nest.

    Args:
        name: the part, such as ``"attention"``; a slash opens an inner part.

    >>> with scope("layer0"):
    ...     with scope("head2"):
    ...         x = Value(1.0) * 2
    >>> x.scope
    'layer0/head2'
    """
    global _tag
    outer = _tag
    path = f"{outer.scope}/{label_text(name)}" if outer.scope else label_text(name)
    _tag = Tag("", path, outer.recording)
    try:
        yield
    finally:
        _tag = Tag("", outer.scope, _tag.recording)


class OwnName(str):
    """The name of an operation of the learner's own, which may be that of one of the engine."""

    __slots__ = ()


def record(op: str, data: float, *inputs: tuple[Value, float]) -> Value:
    """Record an operation of your own: one node, like those of ``+`` and ``tanh``.

    A new operation owes two things: its result, and its local derivative for each input.
    Neither says how to compute it again, so a replay refuses it, whatever its name.

    Args:
        op: a name for the operation, as drawings show it.
        data: the result, computed from the inputs' data.
        *inputs: one or two pairs of an input and the local derivative with respect to it.

    Raises:
        TypeError: the name is not text, a number is not real, or an input is not a Value.
        ValueError: the name is empty, a number is not finite, there are not one or two inputs, or
            an operation of the engine has this name and another number of inputs.

    >>> x = Value(3.0)
    >>> square = record("square", x.data**2, (x, 2 * x.data))
    >>> square.backward()
    >>> square.data, x.grad
    (9.0, 6.0)
    """
    if not label_text(op):
        raise ValueError("an operation needs a name, such as 'sigmoid'.")
    if len(inputs) not in (1, 2):
        raise ValueError(f"{op!r} needs one or two inputs with a derivative, got {len(inputs)}.")
    if len(inputs) != (2 if op in INFIX else 1 if op in FUNCTIONS else len(inputs)):
        raise ValueError(
            f"{op!r} is an operation of the engine, and does not have {len(inputs)} inputs: "
            "give yours another name."
        )
    operands: list[Value | float] = []
    for pair in inputs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{op!r} needs pairs (input, local derivative), got {shown(pair)}.")
        operand, local_derivative = pair
        require_recorded(operand)
        operands += (operand, finite(local_derivative, f"a local derivative of {op!r}"))
    data = finite(data, f"the result of {op!r}")
    return _node(OwnName(op), data, *operands)  # type: ignore[arg-type]


def require_recorded(output: object) -> None:
    """Refuse an output that is no Value, or whose record is gone."""
    if isinstance(output, Released):
        output._refuse()
    if not isinstance(output, Value):
        raise TypeError(
            f"a Value is needed here, got {shown(output)} ({type(output).__name__}). "
            "Build it from Values: Value(2.0) * 3."
        )


# -- constants with a name -------------------------------------------------------------------------


class Literal(float):
    """A constant with a name: it costs no node and gets no gradient.

    Args:
        data: the number.
        label: how drawings and expressions show it.

    >>> x = Value(5.0, label="x")
    >>> shifted = x - Literal(3.0, "max")
    >>> shifted.data, shifted.inputs == (x,), shifted.operands[1].label
    (2.0, True, 'max')
    """

    __slots__ = ("label",)
    label: str

    def __new__(cls, data: object, label: str = "") -> Self:
        """Keep ``data`` as a float and ``label`` beside it."""
        if isinstance(data, Maximum):
            data._refuse()
        literal = super().__new__(cls, finite(data, "Literal"))
        literal.label = label_text(label)
        return literal

    @property
    def data(self) -> float:
        """The plain number."""
        return float(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({number_text(self.data)}, label={self.label!r})"


class Maximum(Literal):
    """The largest of some numbers, as a constant: no gradient flows into it.

    It remembers which numbers those were, so that a replay with other data can find it again.
    So it stands beside a Value, as in ``score - maximum``; arithmetic with plain numbers would
    lose what it is the largest of, and is refused.

    Args:
        of: the Values, at least one.
        label: how drawings and expressions show it.

    Raises:
        ValueError: there is no number.

    >>> scores = [Value(1.0), Value(3.0)]
    >>> shifted = scores[0] - Maximum(scores)
    >>> shifted.data, shifted.inputs == (scores[0],)
    (-2.0, True)
    """

    __slots__ = ("of",)
    of: tuple[Value, ...]

    def __new__(cls, of: Iterable[Value], label: str = "max") -> Self:
        """Keep the largest number, its label, and where it came from."""
        numbers = tuple(of)
        for number in numbers:
            require_recorded(number)
        if not numbers:
            raise ValueError("a maximum needs at least one Value, got none.")
        return cls._kept(max(number.data for number in numbers), label, numbers)

    @classmethod
    def _kept(cls, data: float, label: str, of: tuple[Value, ...]) -> Self:
        maximum = super().__new__(cls, data, label)
        maximum.of = of
        return maximum

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it be copied with the number it has; what it is the largest of may have moved."""
        return self._kept, (self.data, self.label, self.of)

    def _refuse(self, *others: object) -> Any:
        if any(isinstance(other, Number) for other in others):
            return NotImplemented  # the Value does the operation
        raise TypeError(
            f"this arithmetic would make a plain number of {shown(self)}, and a replay could not "
            "find the maximum again. Put it straight into an operation with a Value, as in "
            "score - maximum. Or use maximum.data if the bare number is wanted."
        )

    __array_ufunc__ = None
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __divmod__ = __rdivmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = _refuse
    __abs__ = __round__ = _refuse


# -- the walk back ---------------------------------------------------------------------------------


def push_back(order: Sequence[Value], output: Value) -> None:
    """The chain rule: hand every gradient on to the inputs, from the output to the leaves.

    Args:
        order: nodes with inputs before results. Computed nodes must hold gradient 0; a leaf adds
            to what it holds.
        output: the number to differentiate; its gradient becomes the seed gradient 1.
    """
    output.grad = 1.0
    for node in reversed(order):
        upstream = node.grad
        if (local_derivative := node._d_left) is not None:
            node._left.grad += local_derivative * upstream
        if (local_derivative := node._d_right) is not None:
            node._right.grad += local_derivative * upstream


_kept: dict[Value, float] | None = None  # gradients of leaves before their first walk in a block


@contextmanager
def gradients_kept() -> Iterator[None]:
    """Put back at the end the gradient that every leaf held before a walk inside reached it.

    What was written into a gradient by hand before that walk stays. Computed nodes are not kept:
    they would hold the graphs of all walks until the end.

    >>> w = Parameter(2.0)
    >>> with gradients_kept():
    ...     (w * 3).backward()
    ...     w.grad
    3.0
    >>> w.grad
    0.0
    """
    global _kept
    outer, _kept = _kept, {}
    try:
        yield
    finally:
        kept, _kept = _kept, outer
        for leaf, gradient in kept.items():
            leaf.grad = gradient


def walk_back(order: Sequence[Value], output: Value, leaves: Iterable[Value]) -> None:
    """Compute every gradient, and add those of the leaves to what the leaves hold.

    What a leaf holds is taken off first and added as one number at the end. So a second walk
    gives exactly twice the first: adding contribution by contribution would round differently.

    Args:
        order: everything the output was made from, inputs before results.
        output: the number to differentiate.
        leaves: those of ``order``.

    Raises:
        TypeError: the gradient of a leaf was replaced by something that is not a number.
        OverflowError: a gradient, or its sum with what the leaf holds, is too large for a float.
    """
    leaves = list(leaves)
    held = [leaf.grad for leaf in leaves]
    if _kept is not None:
        for leaf, gradient in zip(leaves, held, strict=True):
            _kept.setdefault(leaf, gradient)
    before = _as_floats(leaves, held)
    try:
        for node in order:
            node.grad = 0.0
        push_back(order, output)
        if any(before):
            sums = _sums(order, output, leaves, before)
            for leaf, total in zip(leaves, sums, strict=True):
                leaf.grad = total
        else:
            _require_range(order, output, leaves)
    except BaseException:
        for leaf, gradient in zip(leaves, held, strict=True):
            leaf.grad = gradient
        raise


def _as_floats(leaves: Sequence[Value], gradients: list[float]) -> list[float]:
    if {float}.issuperset(map(type, gradients)):
        return gradients
    return [_as_float(leaf, grad) for leaf, grad in zip(leaves, gradients, strict=True)]


def _as_float(leaf: Value, gradient: object) -> float:
    if not isinstance(gradient, Real):
        raise TypeError(
            f"backward() needs every gradient to be a number, but found {shown(leaf)}. "
            "Set it to 0.0."
        )
    try:
        return float(gradient)
    except OverflowError:
        raise OverflowError(
            f"backward() adds to the gradient that a leaf holds, and that of {shown(leaf)} is too "
            "large for a float. Set it to 0.0."
        ) from None


def _sums(
    order: Sequence[Value], output: Value, leaves: Sequence[Value], before: Sequence[float]
) -> list[float]:
    """The gradients of this walk and those of before, added up; none may leave the floats."""
    sums = [leaf.grad + held for leaf, held in zip(leaves, before, strict=True)]
    if not math.isfinite(sum(sums)):
        _require_range(order, output, leaves)
        for leaf, held, total in zip(leaves, before, sums, strict=True):
            if math.isinf(total) and math.isfinite(held):
                raise OverflowError(
                    f"gradients add up, and the sum for {_named(leaf)} is too large for a float: "
                    f"it held {number_text(held)} and gets {number_text(leaf.grad)} more. "
                    "The leaves keep the gradients they had. Set the gradients to 0 before the "
                    "walk, or scale the numbers."
                )
    return sums


def _named(leaf: Value) -> str:
    return f"the leaf {leaf.label!r}" if leaf.label else "a leaf"


def _require_range(order: Sequence[Value], output: Value, leaves: Sequence[Value]) -> None:
    # Whatever leaves the floats on the way arrives at a leaf.
    if math.isfinite(sum(map(attrgetter("grad"), leaves))):
        return
    for node in reversed(order):
        if not math.isfinite(node.grad):
            raise OverflowError(
                f"a gradient left the range of floats: {shown(node)}, on the way back from "
                f"{shown(output)}. The leaves keep the gradients they had. "
                "Scale the numbers so that the factors on this path are smaller."
            )


def topological_order(output: Value) -> list[Value]:
    """List everything the output was made from, every input before the node that uses it.

    Depth first, left operand first, without recursion: a chain of a million nodes is fine.

    Args:
        output: the last node of the list.

    Raises:
        ReleasedError: the record of ``output`` is gone.
        TypeError: ``output`` is not a Value.

    >>> a, b = Value(1.0, "a"), Value(2.0, "b")
    >>> [node.label or node.op for node in topological_order(a * b + a)]
    ['a', 'b', '*', '+']
    """
    require_recorded(output)
    order: list[Value] = []
    visited: set[Value] = set()
    waiting: list[Value | None] = [output]
    while waiting:
        node = waiting.pop()
        if node is None:  # the inputs of the node below this mark are in the list
            order.append(waiting.pop())  # type: ignore[arg-type]
            continue
        if node in visited:
            continue
        visited.add(node)
        if not node.op:
            order.append(node)
            continue
        waiting.append(node)
        waiting.append(None)
        if node._d_right is not None and node._right not in visited:
            waiting.append(node._right)
        if node._d_left is not None and node._left not in visited:
            waiting.append(node._left)
    return order


def _refuse_replaced_data(nodes: Sequence[Value]) -> None:
    for node in nodes:
        if not isinstance(node.data, Real):
            raise TypeError(
                f"backward() needs numbers, but found {shown(node)}: its data, or that of an "
                "input, was replaced by something else. Give it a number again and repeat the "
                "calculation."
            )


def require_finite(output: Value, nodes: Sequence[Value]) -> None:
    """Refuse to differentiate through infinity or NaN, and name the node where it began.

    Args:
        output: the number to differentiate.
        nodes: what it was made from, and perhaps others.

    Raises:
        TypeError: the data of a node was replaced by something that is not a number.
        ValueError: a number on the way is infinite or NaN.
        OverflowError: a number on the way was replaced by one too large for a float.
    """
    try:
        if all(map(math.isfinite, map(attrgetter("data"), nodes))):
            return
    except (TypeError, OverflowError):
        _refuse_replaced_data(nodes)
    for node in topological_order(output):
        try:
            if not math.isfinite(node.data):
                raise ValueError(f"backward() needs finite numbers, but {_came(node, output)}.")
        except OverflowError:
            raise OverflowError(
                f"backward() needs numbers that a float can hold, but {_came(node, output)}."
            ) from None


def _came(node: Value, output: Value) -> str:
    """Where a number comes from, and where it leads to."""
    operands = [_held_text(o.data if isinstance(o, Value) else float(o)) for o in node.operands]
    applied = f"{node.op!r} applied to {', '.join(operands)} gave"
    return (
        f"{applied if node.op else f'{_named(node)} holds'} {_held_text(node.data)}, "
        f"on the way to the output {_held_text(output.data)}"
    )


# -- what NumPy is told ----------------------------------------------------------------------------

REFLECTED = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "power": "__rpow__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "divmod": "__rdivmod__",
    "matmul": "__rmatmul__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
}
INSTEAD = {
    "exp": "x.exp()",
    "log": "x.log()",
    "tanh": "x.tanh()",
    "maximum": "x.relu() for the larger of x and 0",
    "absolute": "x.relu() + (-x).relu()",
    "negative": "-x",
    "sqrt": "x ** 0.5",
    "square": "x ** 2",
    "reciprocal": "1 / x",
    "add": "x + y",
    "subtract": "x - y",
    "multiply": "x * y",
    "divide": "x / y",
    "power": "x ** y",
}
RECORDED_WAYS = "it with + - * / ** or the methods exp, log, relu and tanh"


def meet_numpy(
    number: "Number", function: Any, method: str, *operands: object, **options: object
) -> object:
    """Do what an operator of NumPy asks for, as in ``np.float64(2.0) * x``.

    Args:
        number: the one that NumPy met.
        function: NumPy's, such as ``np.multiply``.
        method: how it was called.
        *operands: everything it was given.
        **options: such as where to put the result.

    Raises:
        TypeError: it is no operator of ours, or not used as one.
    """
    name = function.__name__
    if method == "__call__" and not options and len(operands) == 2 and operands[1] is number:
        if name in ("equal", "not_equal"):
            return (operands[0] is number) == (name == "equal")
        if name in REFLECTED and not isinstance(operands[0], Number):
            return getattr(number, REFLECTED[name])(operands[0])
    if isinstance(number, Released):
        number._refuse()
    got = ", ".join(map(shown, operands))
    raise TypeError(
        f"NumPy's {name} is not recorded, got {got}. Write {INSTEAD.get(name, RECORDED_WAYS)}. "
        "Or use x.data if the bare number is wanted."
    )
