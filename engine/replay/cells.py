"""A recording as plain lists: a cell for each number, inputs before results."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field

from engine.constants import Literal, Maximum
from engine.graph import collector_paused
from engine.guards import require_recorded
from engine.own_operations import OwnName
from engine.recording import Tag
from engine.rules import FUNCTIONS, INFIX
from engine.text import number_of, shown
from engine.value import Parameter, Value, topological_order

CONSTANT = "constant"
MAXIMUM = "maximum"
CHOICE = "choice"
NONE = -1
IN_PROGRESS = -2
RECORDED = INFIX | FUNCTIONS
NO_TAG = Tag()

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
        self.require_sound()
        held = [node._left if side == 0 else node._right for node, side in self.edges]
        for pick, option in enumerate(self.options):
            if all(one is other for one, other in zip(held, option, strict=True)):
                return pick
        raise ValueError("none of the options holds the operands that were recorded.")

    def require_sound(self) -> None:
        """Refuse edges and options that do not fit each other.

        Raises:
            TypeError: an edge or an option is something else.
            ValueError: an option has more or fewer Values than there are edges.
            ReleasedError: the tape that recorded one of them has ended.
        """
        for edge in self.edges:
            if not (isinstance(edge, tuple) and len(edge) == 2 and edge[1] in (0, 1)):
                raise TypeError(f"an edge is a pair (node, 0 or 1), got {shown(edge)}.")
            require_recorded(edge[0])
        for pick, option in enumerate(self.options):
            if not isinstance(option, Sequence):
                raise TypeError(f"an option is a list of Values, got {shown(option)}.")
            if len(option) != len(self.edges):
                values = number_of(len(option), "Value")
                edges = number_of(len(self.edges), "edge")
                raise ValueError(f"option {pick} holds {values} for {edges}.")
            for value in option:
                require_recorded(value)


# For each node with a choice: its sides, and for each of them the choice and the options.
ByNode = Mapping[Value, Mapping[int, tuple[int, list[Value]]]]


def _by_node(choices: Sequence[Choice]) -> ByNode:
    found: dict[Value, dict[int, tuple[int, list[Value]]]] = defaultdict(dict)
    for number, choice in enumerate(choices):
        if not isinstance(choice, Choice):
            raise TypeError(f"a Choice is needed here, got {shown(choice)}.")
        choice.require_sound()
        for place, (node, side) in enumerate(choice.edges):
            if side in found[node]:
                raise ValueError(f"two choices want the same operand of {shown(node)}.")
            found[node][side] = number, [option[place] for option in choice.options]
    return dict(found)


def _needed(value: Value, chosen: ByNode) -> list[Value]:
    """Its inputs, from right to left, and all that may be chosen or compared for them."""
    require_recorded(value)
    needed: list[Value] = []
    sides = (value._d_right, value._right), (value._d_left, value._left)
    for local_derivative, operand in sides:
        if local_derivative is not None:
            needed.append(operand)
        elif type(operand) is Maximum:
            needed += operand.of
    for _, options in chosen.get(value, {}).values():
        needed += options
    return needed


@dataclass
class Cells:
    """Every number of a recording, and what it is computed from: lists and arrays by cell.

    Attributes:
        ops: the operation; ``""`` for a leaf, and three kinds of cells that are no nodes:
            ``CONSTANT``, ``MAXIMUM`` and ``CHOICE``.
        left: the cell of the left operand, or ``NONE``.
        right: likewise.
        data: the number that was recorded.
        tags: label and scope.
        names: for cells without a label, the variable's name.
        parameters: the cells that are a ``Parameter``.
        sources: for a maximum what it is the largest of; for a choice its options.
        picks: for each cell of a choice the number of its ``Choice``.
        output: the cell everything leads to.
    """

    ops: list[str] = field(default_factory=list)
    left: MutableSequence[int] = field(default_factory=lambda: array("i"))
    right: MutableSequence[int] = field(default_factory=lambda: array("i"))
    data: MutableSequence[float] = field(default_factory=lambda: array("d"))
    tags: list[Tag] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    parameters: list[int] = field(default_factory=list)
    sources: dict[int, tuple[int, ...]] = field(default_factory=dict)
    picks: dict[int, int] = field(default_factory=dict)
    output: int = NONE

    def __len__(self) -> int:
        return len(self.ops)

    def label(self, cell: int) -> str:
        """The label of a node or a literal, or the name of the variable."""
        return self.tags[cell].label or self.names.get(cell, "")

    def has_gradient(self, cell: int) -> bool:
        """Whether a gradient flows into it."""
        return cell != NONE and self.ops[cell] not in (CONSTANT, MAXIMUM)

    def add(self, op: str, data: float, tag: Tag, left: int = NONE, right: int = NONE) -> int:
        """Append a cell and return its place."""
        self.ops.append(op)
        self.data.append(data)
        self.tags.append(tag)
        self.left.append(left)
        self.right.append(right)
        return len(self.ops) - 1


def parameters_of(output: Value, choices: Sequence[Choice]) -> list[Parameter]:
    """Every parameter the output was made from, and then those of maxima and options."""
    chosen = _by_node(choices)
    found = topological_order(output)
    seen = set(found)
    for value in found:  # grows on the way
        for needed in _needed(value, chosen):
            if needed not in seen:
                seen.add(needed)
                found.append(needed)
    return [value for value in found if isinstance(value, Parameter)]


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
        ReleasedError: the tape that recorded it, or a number of a maximum, has ended.
        TypeError: a choice is something else, or the data of a node is no number.
        OverflowError: the data of a node is a whole number too large for a float.
        ValueError: an operation has no forward formula here, or a choice does not fit.
    """
    require_recorded(output)
    return _Reader(choices, names).read(output, first)


class _Reader:
    def __init__(self, choices: Sequence[Choice], names: Mapping[Value, str]) -> None:
        self.cells = Cells()
        self.names = names
        self.places: dict[Value, int] = {}
        self.constants: dict[tuple[str, str], int] = {}
        self.maxima: dict[int, int] = {}
        self.in_a_circle = False
        self.chosen = _by_node(choices)

    def read(self, output: Value, first: Iterable[Value]) -> Cells:
        with collector_paused():
            for leaf in first:
                self._add(leaf)
            self._add_all(output)
        cells = self.cells
        if IN_PROGRESS in cells.left or IN_PROGRESS in cells.right or self.in_a_circle:
            raise ValueError("an option of a choice is computed from the node where it may stand.")
        for node in self.chosen:
            if node not in self.places:
                raise ValueError(f"{shown(node)} has a choice, but the output does not need it.")
        cells.output = self.places[output]
        return cells

    def _add_all(self, output: Value) -> None:
        """Like ``topological_order``, through everything that may be chosen or compared too."""
        places = self.places
        waiting: list[Value | None] = [output]
        while waiting:
            value = waiting.pop()
            if value is None:  # what the Value below this mark needs has been added
                self._add(waiting.pop())  # type: ignore[arg-type]
            elif value in places:
                continue
            elif not value.op:
                self._add(value)
            else:
                places[value] = IN_PROGRESS
                waiting += (value, None, *_needed(value, self.chosen))

    def _add(self, value: Value) -> None:
        places, left, right = self.places, NONE, NONE
        if value.op:
            if type(value.op) is OwnName or value.op not in RECORDED:
                raise ValueError(
                    f"{shown(value)} cannot be replayed: {value.op!r} is an operation of your "
                    "own, and only its result was recorded, not how to compute it."
                )
            left, right = value._left, value._right
            left = self._constant(left) if value._d_left is None else places[left]
            right = self._constant(right) if value._d_right is None else places[right]
            if value in self.chosen:
                left, right = self._choices(value, left, right)
        try:
            place = places[value] = self.cells.add(value.op, value.data, value._tag, left, right)
        except (TypeError, OverflowError) as problem:
            raise type(problem)(
                f"{shown(value)} cannot be replayed: its data is no number that a float can hold."
            ) from None
        if self.names and value in self.names:
            self.cells.names[place] = self.names[value]
        if isinstance(value, Parameter):
            self.cells.parameters.append(place)

    def _choices(self, value: Value, *sides: int) -> list[int]:
        cells, found = self.cells, list(sides)
        for side, (number, options) in self.chosen[value].items():
            found[side] = cells.add(CHOICE, cells.data[sides[side]], NO_TAG)
            cells.sources[found[side]] = sources = tuple(self.places[o] for o in options)
            self.in_a_circle |= IN_PROGRESS in sources
            cells.picks[found[side]] = number
        return found

    def _constant(self, number: float | None) -> int:
        if number is None:
            return NONE
        label = number.label if isinstance(number, Literal) else ""
        if type(number) is Maximum:
            if id(number) not in self.maxima:
                cell = self.cells.add(MAXIMUM, float(number), Tag(label))
                self.cells.sources[cell] = tuple(self.places[value] for value in number.of)
                self.maxima[id(number)] = cell
            return self.maxima[id(number)]
        key = float(number).hex(), label  # 0 and -0 are equal, but not the same
        if key not in self.constants:
            self.constants[key] = self.cells.add(CONSTANT, float(number), Tag(label))
        return self.constants[key]


def resolved(cells: Cells, picks: Sequence[int]) -> tuple[list[int], list[int]]:
    """The operands of every cell, with the chosen option in the place of each choice.

    Args:
        cells: what was recorded.
        picks: the chosen option of each ``Choice``.

    Returns:
        The cells of the left operands and of the right ones, ``NONE`` where there is none.

    >>> rows = [Value(1.0), Value(2.0)]
    >>> doubled = rows[0] * 2
    >>> cells = read_cells(doubled, (), [Choice([(doubled, 0)], [[row] for row in rows])], {})
    >>> (left, _), (other, _) = resolved(cells, [0]), resolved(cells, [1])
    >>> cells.data[left[cells.output]], cells.data[other[cells.output]]
    (1.0, 2.0)
    """
    chosen = {cell: cells.sources[cell][picks[number]] for cell, number in cells.picks.items()}
    return _replaced(cells.left, chosen), _replaced(cells.right, chosen)


def _replaced(operands: Iterable[int], chosen: Mapping[int, int]) -> list[int]:
    return [chosen.get(operand, operand) for operand in operands]
