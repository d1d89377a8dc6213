"""The numbers of a replay as a graph that can be read node by node, and the first that fails."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.graph import Constant, Graph, Node
from engine.replay.cells import CHOICE, CONSTANT, MAXIMUM, NONE, Cells, resolved
from engine.replay.rules import CALCULATIONS
from engine.rules import compiled
from engine.text import number_text
from engine.value import Value

Floats = NDArray[np.float64]

# The engine's own, which say in words why one cannot be computed.
OPERATIONS = {
    op: calculation.result
    for op, calculation in compiled(
        {
            "exp": Value.exp,
            "log": Value.log,
            "tanh": Value.tanh,
            "maximum": lambda value, _: value.relu(),
        }
    ).items()
}


def graph_of(cells: Cells, picks: Sequence[int], data: Floats, gradients: Floats) -> Graph:
    """Make the graph that ``Graph.of`` would make of a recording with these numbers.

    Args:
        cells: what was recorded.
        picks: the chosen options.
        data: a number for every cell.
        gradients: likewise.

    >>> from engine.replay.cells import read_cells
    >>> x = Value(3.0, "x")
    >>> cells = read_cells(x * x, [x], (), {})
    >>> graph = graph_of(cells, [], np.array([3.0, 9.0]), np.array([6.0, 1.0]))
    >>> graph.output.data, graph.nodes[0].grad, graph.output.local_derivatives
    (9.0, 6.0, (3.0, 3.0))
    """
    left, right = resolved(cells, picks)
    order = _order(cells, left, right)
    place = {cell: index for index, cell in enumerate(order)}
    local_derivatives = _local_derivatives(cells, order, left, right, data)
    numbers, upstream = data.tolist(), gradients.tolist()

    def operand(cell: int) -> int | Constant:
        return place[cell] if cell in place else Constant(numbers[cell], cells.label(cell))

    parameters = set(cells.parameters)
    nodes = []
    for index, cell in enumerate(order):
        operands = tuple([operand(side[cell]) for side in (left, right) if side[cell] != NONE])
        inputs = tuple([one for one in operands if isinstance(one, int)])
        kind = "computed" if operands else "parameter" if cell in parameters else "leaf"
        nodes.append(
            Node(
                index,
                cells.label(cell),
                kind,
                cells.ops[cell],
                operands,
                inputs,
                local_derivatives.get(cell, ()),
                numbers[cell],
                upstream[cell],
                cells.tags[cell].scope,
            )
        )
    return Graph(tuple(nodes))


def _order(cells: Cells, left: list[int], right: list[int]) -> list[int]:
    """What the output was made from, in the order of ``topological_order``."""
    order: list[int] = []
    visited = {NONE}
    waiting = [cells.output]
    while waiting:
        cell = waiting.pop()
        if cell == NONE:
            order.append(waiting.pop())
        elif cell not in visited:
            visited.add(cell)
            waiting += (cell, NONE)
            sides = (right[cell], left[cell])
            waiting += [c for c in sides if c not in visited and cells.has_gradient(c)]
    return order


def _local_derivatives(
    cells: Cells, order: list[int], left: list[int], right: list[int], data: Floats
) -> dict[int, tuple[float, ...]]:
    alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for cell in order:
        if cells.ops[cell]:
            sides = left[cell], right[cell]
            alike[cells.ops[cell], *map(cells.has_gradient, sides)].append(cell)
    found: dict[int, tuple[float, ...]] = {}
    for (op, *flows), members in alike.items():
        rules = CALCULATIONS[op].local_derivatives
        operands = [data[[side[cell] for cell in members]] for side in (left, right)[: len(rules)]]
        by_side = [
            rule(*operands, data[members]) for rule, flow in zip(rules, flows, strict=False) if flow
        ]
        columns = [np.broadcast_to(one, len(members)).astype(float).tolist() for one in by_side]
        found |= zip(members, zip(*columns, strict=True), strict=True)
    return found


def first_error(cells: Cells, picks: Sequence[int], leaves: Floats) -> Exception | None:
    """Calculate once more with the engine's own operations, up to the first that refuses.

    Args:
        cells: what was recorded.
        picks: the chosen options.
        leaves: the numbers of the first cells.

    Returns:
        The error, with the place of the node in it; None if there is none.
    """
    left, right = resolved(cells, picks)
    data = list(cells.data)
    data[: len(leaves)] = leaves.tolist()
    for cell, op in enumerate(cells.ops):
        if op == MAXIMUM:
            data[cell] = max(data[source] for source in cells.sources[cell])
        elif op == "" and not math.isfinite(data[cell]):
            return ValueError(f"{cells.label(cell) or 'a leaf'} holds {number_text(data[cell])}.")
        elif op not in ("", CONSTANT, CHOICE):
            try:
                data[cell] = _calculated(cells, cell, left, right, data)
            except (ValueError, ArithmeticError) as error:
                return type(error)(f"{error} It happened in a replay, at {_title(cells, cell)}.")
    return None


def _calculated(
    cells: Cells, cell: int, left: list[int], right: list[int], data: list[float]
) -> float:
    operands = [
        Value(data[side]) if cells.has_gradient(side) else data[side]
        for side in (left[cell], right[cell])
        if side != NONE
    ]
    result: Value = OPERATIONS[cells.ops[cell]](*operands)
    if not math.isfinite(result.data):
        numbers = [number_text(data[s]) for s in (left[cell], right[cell]) if s != NONE]
        texts = f" {cells.ops[cell]} ".join(numbers)
        raise OverflowError(f"{texts} is too large for a float.")
    return result.data


def _title(cells: Cells, cell: int) -> str:
    label = cells.label(cell)
    name = repr(label) if label else "a node without a label"
    made = f", made by {cells.ops[cell]!r}" if cells.ops[cell] else ""
    where = f" in the scope {cells.tags[cell].scope!r}" if cells.tags[cell].scope else ""
    return f"{name}{made}{where}"
