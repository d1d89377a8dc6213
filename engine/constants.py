"""Constants with a name, and the one that a replay can find again: the largest of some numbers."""

import math
from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar

from engine.guards import (
    NOT_RECORDED,
    RECORDED,
    Number,
    Released,
    held_text,
    refuse_released,
    refusing,
    require_recorded,
)
from engine.numbers import finite, label_text
from engine.text import number_text, shown

N = TypeVar("N", bound=Number)


class Literal(float):
    """A constant with a name: it costs no node and gets no gradient.

    Args:
        data: the number.
        label: how drawings and expressions show it.

    Raises:
        TypeError: ``data`` is not a real number, or a ``Maximum``; or ``label`` is not text.
        ValueError: ``data`` is infinite or NaN.

    >>> from engine.value import Value
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
            _refuse_arithmetic(data)
        return cls._of(finite(data, "Literal"), label_text(label))

    @classmethod
    def _of(cls, number: float, label: str = "") -> Self:
        literal = super().__new__(cls, number)
        literal.label = label
        return literal

    @property
    def data(self) -> float:
        """The plain number."""
        return float(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({number_text(self.data)}, label={self.label!r})"


def constant(other: object, op: str, value: Number) -> Literal:
    """A plain number beside a Value: it costs no node and gets no gradient.

    Args:
        other: a number of any kind.
        op: the operation it takes part in.
        value: the other operand.

    Raises:
        ReleasedError: ``other`` is a node whose tape has ended.
        TypeError: it is no real number.
        ValueError: it is infinite or NaN.
    """
    if isinstance(other, Literal):
        return other
    if type(other) is not float or not math.isfinite(other):
        if isinstance(other, Released):
            refuse_released(other)
        other = finite(other, f"{op!r} with {held_text(value.data)}")
    return Literal._of(other)


def reflected(op: str, operation: Callable[[Any, object], N]) -> Callable[[Any, object], N]:
    """An operation with a plain number on its left, such as ``2 - x``."""

    def reflecting(value: Any, other: object) -> N:
        if op == "+" and type(other) is int and other == 0:  # sum() starts from 0
            return value  # type: ignore[no-any-return]
        node: Any = operation(constant(other, op, value), value)
        node._d_left = None  # nothing flows into a plain number
        return node  # type: ignore[no-any-return]

    return reflecting


def _refuse_arithmetic(maximum: object, *others: object) -> Any:
    if any(isinstance(other, Number) for other in others):
        return NotImplemented  # the Value does the operation
    raise TypeError(
        f"this arithmetic would make a plain number of {shown(maximum)}, and a replay could not "
        "find the maximum again. Put it straight into an operation with a Value, as in "
        "score - maximum. Or use maximum.data if the bare number is wanted."
    )


@refusing(_refuse_arithmetic, *RECORDED, *NOT_RECORDED, "neg", "pos", "abs", "round")
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

    >>> from engine.value import Value
    >>> scores = [Value(1.0), Value(3.0)]
    >>> shifted = scores[0] - Maximum(scores)
    >>> shifted.data, shifted.inputs == (scores[0],)
    (-2.0, True)
    """

    __slots__ = ("of",)
    of: tuple[Any, ...]

    def __new__(cls, of: Iterable[Any], label: str = "max") -> Self:
        """Keep the largest number, its label, and where it came from."""
        numbers = tuple(of)
        for number in numbers:
            require_recorded(number)
        if not numbers:
            raise ValueError("a maximum needs at least one Value, got none.")
        return cls._kept(max(number.data for number in numbers), label, numbers)

    @classmethod
    def _kept(cls, data: float, label: str, of: tuple[Any, ...]) -> Self:
        maximum = super().__new__(cls, data, label)
        maximum.of = of
        return maximum

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it be copied with the number it has; what it is the largest of may have moved."""
        return self._kept, (self.data, self.label, self.of)

    __array_ufunc__ = None
