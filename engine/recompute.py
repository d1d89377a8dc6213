"""A graph computed again: with other numbers in it, or with one of its numbers moved.

>>> from engine.value import Value
>>> x = Value(3.0)
>>> graph = Graph.of(x * x)
>>> recomputed(graph, {0: 5.0}).output.data
25.0
>>> moved(graph, 0, 0.5).ratios
(1.0, 6.0)
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.graph import Graph
from engine.text import number_text, shown
from engine.value import Value

OPERATIONS: dict[str, Callable[..., Value]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "neg": operator.neg,
    "exp": Value.exp,
    "log": Value.log,
    "relu": Value.relu,
    "tanh": Value.tanh,
}


@dataclass(frozen=True)
class Moved:
    """What happens to every node when one number goes a step down and a step up.

    Attributes:
        node: index of the number that is moved.
        low: the data of every node with this number a step lower.
        high: with it a step higher.
        ratios: for each node how many times as far it goes as the number that is moved.
        along: for each arrow ``(source, slot)`` whose input moves, how many times as far the
            source goes as this input, were it the only one that moves.
        parts: for each arrow that leaves the number, how many times as far the output goes, were
            this use of it the only one that moves. The parts add up to the output's ratio, the
            better the smaller the step.
    """

    node: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    ratios: tuple[float, ...]
    along: Mapping[tuple[int, int], float]
    parts: Mapping[tuple[int, int], float]

    @property
    def deltas(self) -> tuple[float, ...]:
        """How far each node goes from low to high."""
        return tuple(high - low for low, high in zip(self.low, self.high, strict=True))


def require_operations(graph: Graph) -> None:
    """Refuse a graph with an operation of which only the result was recorded.

    Raises:
        ValueError: there is one; the message names it.

    >>> require_operations(Graph.of(Value(2.0) * 3))
    """
    for node in graph.nodes:
        if node.op and (type(node.op) is not str or node.op not in OPERATIONS):
            raise ValueError(
                f"{shown(graph.title(node.index))} cannot be computed with other numbers: "
                f"{str(node.op)!r} is an operation of your own, and only its result was recorded, "
                "not how to compute it."
            )


def recomputed(graph: Graph, numbers: Mapping[int, float]) -> Graph:
    """Compute a graph again with other numbers in its leaves; gradients are 0 until a walk.

    Args:
        graph: what to compute; it stays as it is.
        numbers: the new number of a leaf, by index. The other leaves keep theirs.

    Raises:
        ValueError, ZeroDivisionError, OverflowError: an operation refuses its operands, as when
            recording, or a result is too large for a float.

    >>> a, b = Value(2.0), Value(-3.0)
    >>> recomputed(Graph.of(a * b), {1: 4.0}).output.local_derivatives
    (4.0, 2.0)
    """
    values = _values(graph, numbers)
    return Graph(
        tuple(
            replace(node, data=v.data, local_derivatives=v.local_derivatives, grad=0.0)
            for node, v in zip(graph.nodes, values, strict=True)
        )
    )


def moved(graph: Graph, index: int, step: float) -> Moved:
    """Move one number, of a leaf or not, a step down and a step up; every other one follows.

    Args:
        graph: where to measure.
        index: of the number to move.
        step: how far, above 0.

    Raises:
        ValueError, ZeroDivisionError, OverflowError: an operation refuses its operands there.

    >>> x = Value(3.0)
    >>> moved(Graph.of(x * x + x), 0, 0.5).ratios[-1]
    7.0
    """
    base = [node.data for node in graph.nodes]
    ends = [base[index] + by for by in (-step, step)]
    run = ends[1] - ends[0]
    if run == 0.0:
        raise ValueError(
            f"a step of {number_text(step)} is too small to move {number_text(base[index])}."
        )
    low, high = ([v.data for v in _values(graph, {index: end})] for end in ends)
    along, parts = {}, {}
    for source, slot, side, target in _arrows(graph):
        gap = high[target] - low[target]
        if source == index or gap == 0.0:
            continue
        down, up = (_values(graph, {}, (source, side, data[target])) for data in (low, high))
        along[source, slot] = (up[source].data - down[source].data) / gap
        if target == index:
            parts[source, slot] = (up[-1].data - down[-1].data) / run
    ratios = tuple((up - down) / run for down, up in zip(low, high, strict=True))
    return Moved(index, tuple(low), tuple(high), ratios, along, parts)


def _arrows(graph: Graph) -> Iterator[tuple[int, int, int, int]]:
    """Source, slot, side and target of every arrow."""
    for node in graph.nodes:
        sides = [side for side, operand in enumerate(node.operands) if isinstance(operand, int)]
        for slot, (side, target) in enumerate(zip(sides, node.inputs, strict=True)):
            yield node.index, slot, side, target


def _values(
    graph: Graph,
    numbers: Mapping[int, float],
    swap: tuple[int, int, float] | None = None,
) -> list[Value]:
    """Every node computed; ``swap`` gives one operand of one node, ``(node, side)``, a number."""
    values: list[Value] = []
    for node in graph.nodes:
        if node.index in numbers or not node.op:
            values.append(Value(numbers.get(node.index, node.data)))
            continue
        operands = [values[o] if isinstance(o, int) else o.data for o in node.operands]
        if swap and swap[0] == node.index:
            operands[swap[1]] = Value(swap[2])
        values.append(OPERATIONS[node.op](*operands))
        if not math.isfinite(values[-1].data):
            raise OverflowError(f"{graph.title(node.index)} is too large for a float.")
    return values
