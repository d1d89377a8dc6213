"""The one table of the ten operations: what each computes, and its local derivatives.

The formulas are text, so that a page can show them, and so that they can be compiled for single
numbers, for arrays, or for whatever else calculates with the names in them.

>>> RULES["*"].result, RULES["*"].local_derivatives
('a * b', ('b', 'a'))
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """One operation as formulas.

    Attributes:
        result: in the operands ``a`` and ``b``.
        local_derivatives: one for each operand, in ``a``, ``b`` and the result ``y``.
    """

    result: str
    local_derivatives: tuple[str, ...]

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of its operands."""
        return ("a", "b")[: len(self.local_derivatives)]


RULES = {
    "+": Rule("a + b", ("1", "1")),
    "-": Rule("a - b", ("1", "-1")),
    "*": Rule("a * b", ("b", "a")),
    "/": Rule("a / b", ("1 / b", "-y / b")),
    "**": Rule("a ** b", ("b * a ** (b - 1)", "y * log(a)")),
    "neg": Rule("-a", ("-1",)),
    "exp": Rule("exp(a)", ("y",)),
    "log": Rule("log(a)", ("1 / a",)),
    "relu": Rule("maximum(a, 0)", ("a > 0",)),
    "tanh": Rule("tanh(a)", ("1 - y * y",)),
}
INFIX = frozenset(op for op, rule in RULES.items() if len(rule.operands) == 2)
FUNCTIONS = frozenset(RULES) - INFIX


class Calculation(NamedTuple):
    """One operation that can be called.

    Attributes:
        result: a function of the operands.
        local_derivatives: for each operand, a function of the operands and the result.
    """

    result: Callable[..., Any]
    local_derivatives: tuple[Callable[..., Any], ...]


def compiled(names: Mapping[str, Any]) -> dict[str, Calculation]:
    """Make functions of the formulas.

    At the base 0 of a power below 1 the formula has no value; whoever needs the engine's choice
    there, which is 0, has to make it.

    Args:
        names: what ``exp``, ``log``, ``tanh`` and ``maximum`` mean, such as those of ``math``.

    >>> import math
    >>> divide = compiled({**vars(math), "maximum": max})["/"]
    >>> divide.result(6.0, 3.0), divide.local_derivatives[1](6.0, 3.0, 2.0)
    (2.0, -0.6666666666666666)
    """
    return {
        op: Calculation(
            _function(rule.operands, rule.result, names),
            tuple(_function((*rule.operands, "y"), d, names) for d in rule.local_derivatives),
        )
        for op, rule in RULES.items()
    }


def _function(names: tuple[str, ...], formula: str, known: Mapping[str, Any]) -> Callable[..., Any]:
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}: {formula}", dict(known))
    return function
