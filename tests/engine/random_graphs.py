"""Random calculations, as data that any engine can run.

A calculation is a list of leaves and a list of instructions. Each instruction applies one
operation to earlier numbers or to constants. While one is drawn, its numbers are computed, so
that no operation comes near a kink, the edge of its domain, or a size that cannot be measured.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Operand = int | float  # the place of an earlier number, or a constant
CALCULATE: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "neg": operator.neg,
    "exp": math.exp,
    "log": math.log,
    "relu": lambda a: max(a, 0.0),
    "tanh": math.tanh,
}
ALL = tuple(CALCULATE)
ALL_OF_MICROGRAD = ("+", "-", "*", "/", "**", "neg", "relu")
INFIX = frozenset({"+", "-", "*", "/", "**"})
LARGEST = 4.0
CONSTANTS = (-2.0, -0.5, 0.5, 1.5, 2.0, 3.0)
EXPONENTS = (-1.0, 0.5, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Calculation:
    """Leaves, and instructions that each add one number; the last number is the output."""

    leaves: tuple[float, ...]
    instructions: tuple[tuple[str, tuple[Operand, ...]], ...]

    def run(self, leaves: Sequence[Any], operations: dict[str, Callable[..., Any]]) -> list[Any]:
        """Compute every number from these leaves, with the operations of some engine."""
        numbers = list(leaves)
        for op, operands in self.instructions:
            taken = [numbers[o] if isinstance(o, int) else o for o in operands]
            numbers.append(operations[op](*taken))
        return numbers

    def uses(self) -> list[int]:
        """Count how often each number is used."""
        places = [o for _, operands in self.instructions for o in operands if isinstance(o, int)]
        return [places.count(i) for i in range(len(self.leaves) + len(self.instructions))]


def is_safe(op: str, operands: Sequence[float], exponent_varies: bool) -> bool:
    """Tell whether an operation stays away from kinks, edges and sizes."""
    a, b = operands[0], operands[-1]
    if op == "/":
        return abs(b) > 0.4 and abs(a / b) <= LARGEST
    if op == "**":
        if abs(b) > LARGEST or not (a > 0.3 or (abs(a) > 0.3 and b == int(b))):
            return False
        return (a > 0.0 or not exponent_varies) and abs(a**b) <= LARGEST
    if op == "log":
        return a > 0.3
    if op == "exp":
        return a <= math.log(LARGEST)
    if op == "relu":
        return abs(a) > 0.05
    return abs(CALCULATE[op](*operands)) <= LARGEST


def shrunk(place: int) -> tuple[str, tuple[Operand, ...]]:
    """Return an instruction that is safe for any number: half of it."""
    return "*", (place, 0.5)


@st.composite
def calculations(
    draw: st.DrawFn,
    operations: Sequence[str] = ALL,
    *,
    value_exponents: bool = True,
    longest: int = 14,
) -> Calculation:
    """Draw a calculation; its numbers are used again and again."""
    size = st.floats(0.35, 2.5).map(lambda number: round(number, 3))
    signed = st.tuples(size, st.sampled_from((1.0, -1.0))).map(math.prod)
    leaves = draw(st.lists(signed, min_size=1, max_size=4))
    numbers, instructions = list(leaves), []
    for _ in range(draw(st.integers(5, longest))):
        newest = len(numbers) - 1
        place = st.one_of(st.integers(0, newest), st.integers(max(0, newest - 3), newest))
        op = draw(st.sampled_from(operations))
        operands: tuple[Operand, ...] = (draw(place),)
        if op in INFIX:
            constants = st.sampled_from(EXPONENTS if op == "**" else CONSTANTS)
            kinds = ["value", "left", "right"]
            if op == "**" and not value_exponents:
                kinds = ["right"]
            kind = draw(st.sampled_from(kinds))
            if kind == "value":
                operands = (operands[0], draw(place))
            elif kind == "right":
                operands = (operands[0], draw(constants))
            else:
                operands = (draw(constants), operands[0])
        data = [numbers[o] if isinstance(o, int) else o for o in operands]
        exponent_varies = isinstance(operands[-1], int)
        if is_safe(op, data, exponent_varies):
            instructions.append((op, operands))
        else:
            instructions.append(shrunk(next(o for o in operands if isinstance(o, int))))
        numbers.append(Calculation(tuple(leaves), tuple(instructions[-1:])).run(
            numbers, CALCULATE
        )[-1])  # fmt: skip
    return joined(Calculation(tuple(leaves), tuple(instructions)))


def joined(calculation: Calculation) -> Calculation:
    """Add up the numbers that nothing uses, so that every number leads to the output."""
    instructions = list(calculation.instructions)
    ends = [place for place, uses in enumerate(calculation.uses()) if uses == 0]
    last = ends[0]
    for end in ends[1:]:
        instructions.append(("+", (last, end)))
        last = len(calculation.leaves) + len(instructions) - 1
    return Calculation(calculation.leaves, tuple(instructions))
