"""What a number refuses, and in which words: nothing here runs while all goes well.

A number that records is no plain number. What would lose the record is refused, and the message
says what to write instead.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from numbers import Real
from typing import Any, NoReturn, Self, SupportsIndex, TypeVar

from engine.numbers import finite, label_text
from engine.recording import Tag
from engine.text import number_text, shown

Operation = TypeVar("Operation", bound=Callable[..., Any])

LONGEST_HELD = 30
# Operators by their names, without the underscores around them.
RECORDED = tuple(f"{r}{op}" for op in ("add", "sub", "mul", "truediv", "pow") for r in ("", "r"))
NOT_RECORDED = tuple(
    f"{r}{op}" for op in ("mod", "floordiv", "matmul", "divmod") for r in ("", "r")
)
RECORDED_WAYS = "it with + - * / ** or the methods exp, log, relu and tanh"


class ReleasedError(RuntimeError):
    """A node was used after the tape that recorded it had ended."""


def refusing(refuse: Callable[..., Any], *operators: str, methods: Iterable[str] = ()) -> Any:
    """Give a class one refusal for many operators.

    Args:
        refuse: raises the error; gets the operands.
        *operators: their names, without the underscores.
        methods: names of other methods to refuse.
    """

    def given(kind: Any) -> Any:
        for name in (*(f"__{operator}__" for operator in operators), *methods):
            setattr(kind, name, refuse)
        return kind

    return given


def _no_plain_number(number: object, *_: object) -> NoReturn:
    raise TypeError(
        f"a plain number would lose the record of how {shown(number)} was made. Use its methods "
        "(x.exp(), x.log(), x.tanh(), x.relu()), or x.data if the bare number is wanted."
    )


def _not_recorded(*operands: object) -> NoReturn:
    raise TypeError(
        f"abs, %, //, @ and divmod are not recorded, got {', '.join(map(shown, operands))}. "
        f"Write {RECORDED_WAYS}: abs(x) is "
        "x.relu() + (-x).relu(). Or use x.data if the bare number is wanted."
    )


def _no_order(one: object, other: object) -> NoReturn:
    raise TypeError(
        f"cannot order {shown(one)} and {shown(other)}: a Value carries data and a gradient. "
        "Compare the numbers themselves: a.data < b.data."
    )


class ForNumPy:
    """How NumPy meets a number: its operators give way to ours, and its functions are refused.

    NumPy asks the type, and calls what it finds. A masked array asks the object, and gives way
    where there is None.
    """

    def __get__(self, number: object, kind: type) -> Callable[..., Any] | None:
        return meet_numpy if number is None else None


@refusing(_no_plain_number, "float", "int", "trunc", "round")
@refusing(_not_recorded, *NOT_RECORDED, "abs")
@refusing(_no_order, "lt", "le", "gt", "ge")
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
        data, grad = held_text(self.data), held_text(self.grad)
        return f"{type(self).__name__}(data={data}, grad={grad}{made_by}{label})"

    def __pos__(self) -> Self:
        return self

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


def held_text(held: object) -> str:
    """Write data or a gradient: a learner may have put anything there, and has to see it."""
    if isinstance(held, Real):
        try:
            return number_text(float(held))
        except OverflowError:  # a whole number; its digits would push out the rest of the line
            text = shown(held)
            return text if len(text) <= LONGEST_HELD else f"{text[: LONGEST_HELD - 3]}..."
    return shown(held)


def named(leaf: Any) -> str:
    """What an error calls a leaf."""
    return f"the leaf {leaf.label!r}" if leaf.label else "a leaf"


# -- nodes whose tape has ended --------------------------------------------------------------------


def refuse_released(number: object, *_: object) -> NoReturn:
    """Say of a node that its tape has ended, and what to do."""
    raise ReleasedError(
        f"{shown(number)} was recorded on a tape that has ended, and its record was released. "
        "Calculate, draw and walk inside the 'with Tape()' block, or keep a Graph of it."
    )


@refusing(refuse_released, *RECORDED, *NOT_RECORDED, "neg", "pos", "abs")
@refusing(refuse_released, methods=("exp", "log", "relu", "tanh", "backward"))
class Released(Number):
    """A node whose tape has ended: data and gradient remain, its record is gone."""

    __slots__ = ()
    operands = inputs = local_derivatives = property(refuse_released)

    def __repr__(self) -> str:
        return "Released" + super().__repr__().removeprefix("Released")


def require_recorded(output: object) -> None:
    """Refuse an output that is no Value, or whose record is gone.

    Raises:
        ReleasedError: its tape has ended.
        TypeError: it is something else.
    """
    if isinstance(output, Released):
        refuse_released(output)
    if not isinstance(output, Number):
        raise TypeError(
            f"a Value is needed here, got {shown(output)} ({type(output).__name__}). "
            "Build it from Values: Value(2.0) * 3."
        )


# -- operations without a result -------------------------------------------------------------------


def explained(operation: Operation) -> Operation:
    """Where an operation has no result that a float can hold, say why in its own numbers."""

    @wraps(operation)
    def explaining(*operands: Any) -> Any:
        try:
            return operation(*operands)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise explanation(error, operation.__name__.strip("_"), *operands) from None

    return explaining  # type: ignore[return-value]


def explanation(error: Exception, operation: str, left: Any, right: Any = None) -> Exception:
    """Why an operation has no result: an error in its own numbers, or the one there was.

    Args:
        error: what happened.
        operation: the method that failed, without underscores.
        left: its first operand, a Value or a constant.
        right: its second one, if it has two.

    Returns:
        A TypeError where the data of an operand was replaced by something that is no number, a
        ValueError where log or a power does not exist, a ZeroDivisionError where something is
        divided by 0, an OverflowError where the result or a local derivative is too large.
    """
    try:
        for operand in (left, right):
            if isinstance(operand, Number):
                require_number(operand, "an operation")
    except TypeError as replaced:
        return replaced
    try:
        a = _as_float(left)
        b = math.nan if right is None else _as_float(right)
    except (TypeError, ValueError, OverflowError):
        return error  # no number at all: that has been said
    if operation == "exp":
        return OverflowError(
            f"exp({number_text(a)}) is too large for a float: exp overflows above 709.78. "
            "Subtract the largest number first, as softmax does."
        )
    if operation == "log" and a <= 0.0:
        return ValueError(f"log({number_text(a)}) does not exist: log needs a number above 0.")
    if operation == "truediv" and b == 0.0:
        return ZeroDivisionError(
            f"{number_text(a)} / 0 does not exist: the number below the line is 0."
        )
    if operation == "truediv" and math.isinf(a / b):
        return OverflowError(f"{number_text(a)} / {number_text(b)} is too large for a float.")
    if operation == "pow" and (found := _no_power(a, b, isinstance(right, Number))):
        return found
    if operation in ("log", "truediv", "pow"):
        signs = {"truediv": "/", "pow": "**"}
        text = f"log({number_text(a)})" if right is None else _infix(a, signs[operation], b)
        return OverflowError(f"the local derivative of {text} is too large for a float.")
    return error


def _no_power(base: float, exponent: float, exponent_varies: bool) -> Exception | None:
    text = _infix(base, "**", exponent)
    if exponent_varies and base <= 0.0:
        return ValueError(
            f"{text}: an exponent that is a Value needs a base above 0, "
            "since its local derivative contains log(base)."
        )
    if base == 0.0 and exponent < 0.0:
        return ZeroDivisionError(f"{text} divides by 0.")
    if base < 0.0 and exponent != int(exponent):
        return ValueError(f"{text} is not a real number: a negative base needs a whole exponent.")
    try:
        math.pow(base, exponent)
    except OverflowError:
        return OverflowError(f"{text} is too large for a float.")
    return None


def require_range(operands: Iterable[Any], *numbers: float | None) -> None:
    """Refuse a result or a local derivative that left the floats, if the operands are finite.

    Args:
        operands: with their data.
        *numbers: what was computed; None where nothing flows.

    Raises:
        OverflowError: without words; ``explanation`` finds them.
    """
    fits = all(number is None or math.isfinite(number) for number in numbers)
    if not fits and all(math.isfinite(operand.data) for operand in operands):
        raise OverflowError


def _as_float(operand: Any) -> float:
    return float(operand.data) if isinstance(operand, Number) else finite(operand, "an operation")


def _infix(a: float, sign: str, b: float) -> str:
    texts = (f"({number_text(one)})" if one < 0.0 else number_text(one) for one in (a, b))
    return f" {sign} ".join(texts)


# -- numbers that were replaced --------------------------------------------------------------------


def require_number(node: Any, where: str) -> None:
    """Refuse a node whose data somebody replaced by something that is no number of 64 bits.

    Args:
        node: a Value or a released node.
        where: what needs the number; the error begins with it.

    Raises:
        TypeError: the data is text, a list, a 32-bit number of NumPy or the like.
    """
    if not isinstance(node.data, Real):
        raise TypeError(
            f"{where} needs numbers, but found {shown(node)}: its data, or that of an "
            "input, was replaced by something else. Give it a number again and repeat the "
            "calculation."
        )
    if hasattr(node.data, "dtype") and not isinstance(node.data, float):
        kind = type(node.data).__name__
        raise TypeError(
            f"{where} needs numbers of 64 bits, but found {shown(node)}: its data, or that of an "
            f"input, was replaced by a {kind}. Replace it by float(...) of that number, and "
            "repeat the calculation."
        )


def require_finite(
    leaves: Sequence[Any], nodes: Sequence[Any], order: Callable[[], Sequence[Any]]
) -> None:
    """Refuse to differentiate through infinity or NaN, and name the node where it began.

    Args:
        leaves: the numbers that the output was made from, and perhaps others.
        nodes: computed from them.
        order: gives what the output was made from, inputs before results, the output last.

    Raises:
        TypeError: the data of a node was replaced by something that is not a number.
        ValueError: a number on the way is infinite or NaN.
        OverflowError: a number on the way was replaced by one too large for a float.
    """
    data = [leaf.data for leaf in leaves]
    if {float}.issuperset(map(type, data)):
        total = sum(data) + sum([node.data for node in nodes])
        if type(total) is float and math.isfinite(total):
            return
    involved = order()
    for node in involved:
        require_number(node, "backward()")
    for node in involved:
        try:
            if not math.isfinite(node.data):
                raise ValueError(
                    f"backward() needs finite numbers, but {_came(node, involved[-1])}."
                )
        except OverflowError:
            raise OverflowError(
                f"backward() needs numbers that a float can hold, but {_came(node, involved[-1])}."
            ) from None


def _came(node: Any, output: Any) -> str:
    """Where a number comes from, and where it leads to."""
    operands = [held_text(o.data if isinstance(o, Number) else float(o)) for o in node.operands]
    applied = f"{node.op!r} applied to {', '.join(operands)} gave"
    return (
        f"{applied if node.op else f'{named(node)} holds'} {held_text(node.data)}, "
        f"on the way to the output {held_text(output.data)}"
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


def meet_numpy(
    number: Number, function: Any, method: str, *operands: object, **options: object
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
        refuse_released(number)
    got = ", ".join(map(shown, operands))
    raise TypeError(
        f"NumPy's {name} is not recorded, got {got}. Write {INSTEAD.get(name, RECORDED_WAYS)}. "
        "Or use x.data if the bare number is wanted."
    )
