"""Operations of one's own: what a new operation owes."""

from typing import Any

from engine.guards import require_recorded
from engine.numbers import finite, label_text
from engine.rules import FUNCTIONS, INFIX
from engine.text import shown
from engine.value import Value, recorded


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
    sides: list[Any] = []
    for pair in inputs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{op!r} needs pairs (input, local derivative), got {shown(pair)}.")
        operand, local_derivative = pair
        require_recorded(operand)
        sides += (operand, finite(local_derivative, f"a local derivative of {op!r}"))
    data = finite(data, f"the result of {op!r}")
    return recorded(OwnName(op), data, *sides)
