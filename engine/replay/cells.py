"""A recording as plain lists: a cell for each number, inputs before results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.graph import collector_paused
from engine.text import shown
from engine.value import (
    FUNCTIONS,
    INFIX,
    Literal,
    Maximum,
    Parameter,
    Value,
    require_recorded,
    topological_order,
)

CONSTANT = "constant"
MAXIMUM = "maximum"
CHOICE = "choice"
NONE = -1

Edge = tuple[Value, int]


@dataclass(frozen=True)
class Choice:
    """Operands that change together from replay to replay, such as the row of an embedding.

    Args:
        edges: each a computed node and which of its operands it is: 0 is left, 1 is right.
        options: what may stand there: for each pick one Value for each edge. The recorded
            operands are one of them.

    >>> rows = [[Value(1.0), Value(2.0)], [Value(3.0), Value(4.0)]]
    >>> total = rows[0][0] * rows[0][1]
    >>> Choice(edges=[(total, 0), (total, 1)], options=rows).recorded
    0
    """

    edges: Sequence[Edge]
    options: Sequence[Sequence[Value]]

    @property
    def recorded(self) -> int:
        """Which pick the recording shows."""
        for edge in self.edges:
            if not (isinstance(edge, tuple) and len(edge) == 2 and edge[1] in (0, 1)):
                raise TypeError(f"an edge is a pair (node, 0 or 1), got {shown(edge)}.")
            require_recorded(edge[0])
        held = [(node._left, node._right)[place] for node, place in self.edges]
        for pick, option in enumerate(self.options):
            if len(option) != len(held):
                raise ValueError(f"option {pick} holds {len(option)} Values for {len(held)} edges.")
            if all(one is other for one, other in zip(held, option, strict=True)):
                return pick
        raise ValueError("none of the options holds the operands that were recorded.")


@dataclass
class Cells:
    """Every number of a recording, and what it is computed from; lists by cell.

    Attributes:
        ops: the operation; ``""`` for a leaf, and three kinds of cells that are no nodes:
            ``CONSTANT``, ``MAXIMUM`` and ``CHOICE``.
        left: the cell of the left operand, or ``NONE``.
        right: likewise.
        data: the number that was recorded.
        labels: of the node or the literal.
        scopes: of the node.
        trainable: whether it is a ``Parameter``.
        sources: for a maximum what it is the largest of; for a choice its options.
        picks: for each cell of a choice the number of its ``Choice``.
        output: the cell everything leads to.
    """

    ops: list[str] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    data: list[float] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    trainable: list[bool] = field(default_factory=list)
    sources: dict[int, tuple[int, ...]] = field(default_factory=dict)
    picks: dict[int, int] = field(default_factory=dict)
    output: int = NONE

    def __len__(self) -> int:
        return len(self.ops)

    def add(
        self, op: str, data: float, left: int = NONE, right: int = NONE, label: str = ""
    ) -> int:
        """Append a cell and return its place."""
        self.ops.append(op)
        self.data.append(data)
        self.left.append(left)
        self.right.append(right)
        self.labels.append(label)
        self.scopes.append("")
        self.trainable.append(False)
        return len(self.ops) - 1

    def has_gradient(self, cell: int) -> bool:
        """Whether a gradient flows into it."""
        return cell != NONE and self.ops[cell] not in (CONSTANT, MAXIMUM)


def parameters_of(output: Value, choices: Sequence[Choice]) -> list[Parameter]:
    """Every parameter that the recording or one of the choices names."""
    values = topological_order(output)
    options = [value for choice in choices for option in choice.options for value in option]
    return [value for value in dict.fromkeys(values + options) if isinstance(value, Parameter)]


def read_cells(
    output: Value, first: Iterable[Value], choices: Sequence[Choice], names: Mapping[Value, str]
) -> Cells:
    """Read a recording, once; no Value is kept.

    Args:
        output: the number everything leads to.
        first: leaves that come first, in this order, used or not.
        choices: the operands that may change.
        names: for Values without a label.

    Raises:
        ReleasedError: the tape that recorded it has ended.
        ValueError: an operation has no forward formula here, or two choices share an edge.
    """
    require_recorded(output)
    return _Reader(choices, names).read(output, first)


class _Reader:
    def __init__(self, choices: Sequence[Choice], names: Mapping[Value, str]) -> None:
        self.names = names
        self.cells = Cells()
        self.places: dict[Value, int] = {}
        self.constants: dict[tuple[str, str], int] = {}
        self.maxima: dict[int, int] = {}
        self.options: dict[Edge, list[Value]] = {}
        self.choice_of: dict[Edge, int] = {}
        for number, choice in enumerate(choices):
            _ = choice.recorded
            for place, edge in enumerate(choice.edges):
                if edge in self.options:
                    raise ValueError(f"two choices want the same operand of {shown(edge[0])}.")
                self.options[edge] = [option[place] for option in choice.options]
                self.choice_of[edge] = number

    def read(self, output: Value, first: Iterable[Value]) -> Cells:
        with collector_paused():
            for leaf in first:
                self._add(leaf)
            for value in self._order(output):
                if value not in self.places:
                    self._add(value)
        self.cells.output = self.places[output]
        return self.cells

    def _order(self, output: Value) -> list[Value]:
        """Like ``topological_order``, through everything that may be chosen or compared too."""
        order: list[Value] = []
        visited: set[Value] = set()
        waiting: list[Value | None] = [output]
        while waiting:
            value = waiting.pop()
            if value is None:
                order.append(waiting.pop())  # type: ignore[arg-type]
            elif value not in visited:
                visited.add(value)
                if value.op:
                    waiting += (value, None)
                    waiting += self._needed(value, 1, value._right, value._d_right)
                    waiting += self._needed(value, 0, value._left, value._d_left)
                else:
                    order.append(value)
        return order

    def _needed(
        self, value: Value, place: int, operand: "Value | float", slope: float | None
    ) -> Iterable[Value]:
        if slope is not None:
            if self.options and (value, place) in self.options:
                return self.options[value, place]
            return (operand,)  # type: ignore[return-value]
        return operand.of if type(operand) is Maximum else ()

    def _add(self, value: Value) -> None:
        cells, op = self.cells, value.op
        left = right = NONE
        if op:
            if op not in INFIX and op not in FUNCTIONS:
                raise ValueError(
                    f"{shown(value)} cannot be replayed: {op!r} is an operation of your own, and "
                    "only its result was recorded, not how to compute it from other numbers."
                )
            left = self._operand(value, 0, value._left, value._d_left)
            if value._right is not None:
                right = self._operand(value, 1, value._right, value._d_right)
        tag = value._tag
        place = cells.add(op, value.data, left, right, tag.label or self.names.get(value, ""))
        cells.scopes[place] = tag.scope
        cells.trainable[place] = isinstance(value, Parameter)
        self.places[value] = place

    def _operand(
        self, value: Value, place: int, operand: "Value | float", slope: float | None
    ) -> int:
        if slope is None:
            return self._constant(operand)  # type: ignore[arg-type]
        edge = (value, place)
        if self.options and edge in self.options:
            cell = self.cells.add(CHOICE, operand.data)  # type: ignore[union-attr]
            self.cells.sources[cell] = tuple(self.places[v] for v in self.options[edge])
            self.cells.picks[cell] = self.choice_of[edge]
            return cell
        return self.places[operand]  # type: ignore[index]

    def _constant(self, number: float) -> int:
        label = number.label if isinstance(number, Literal) else ""
        if type(number) is Maximum:
            if id(number) not in self.maxima:
                cell = self.cells.add(MAXIMUM, float(number), label=label)
                self.cells.sources[cell] = tuple(self.places[value] for value in number.of)
                self.maxima[id(number)] = cell
            return self.maxima[id(number)]
        key = (float(number).hex(), label)
        if key not in self.constants:
            self.constants[key] = self.cells.add(CONSTANT, float(number), label=label)
        return self.constants[key]


def resolved(cells: Cells, picks: Sequence[int]) -> tuple[list[int], list[int]]:
    """The operands of every cell, with the chosen option in the place of each choice."""
    chosen = {cell: cells.sources[cell][picks[number]] for cell, number in cells.picks.items()}
    return _replaced(cells.left, chosen), _replaced(cells.right, chosen)


def _replaced(operands: list[int], chosen: Mapping[int, int]) -> list[int]:
    return [chosen.get(operand, operand) for operand in operands]
