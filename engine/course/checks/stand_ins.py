"""Nodes that look like Values, for functions that learners write to do the engine's work.

They have what such a function needs, and nothing that would do the work for it.

>>> from engine.value import Value
>>> x = Value(3.0, "x")
>>> [str(node) for node in stand_ins(Graph.of(x * x, {}))]
['x', 'x * x']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from engine.graph import Graph
from engine.value import Value

# What a learner who writes the walk is to do without.
WALKS = frozenset(
    {
        "engine.value.topological_order",
        "engine.value.push_back",
        "engine.value.walk_back",
        "engine.walk.reverse_walk",
        "engine.measuring.central_difference",
    }
)


def forty_doublings() -> Graph:
    """A graph of few nodes and a million million paths.

    >>> len(forty_doublings())
    41
    """
    x = Value(1.0, "x0")
    for k in range(1, 41):
        x = x + x
        x.label = f"x{k}"
    return Graph.of(x, {})


class Borrowed(Exception):  # noqa: N818 (what happened, as a learner's check names it)
    """The engine was asked to do what the learner is to write."""


@dataclass(eq=False)
class StandIn:
    """A node of a recorded calculation, with what a Value has of it.

    Attributes:
        label: its name.
        data: the number.
        inputs: the nodes it was made from, in order, repeats kept.
        local_derivatives: one for each input.
        grad: 0 until somebody walks.
        op: the operation that made it, ``""`` for a leaf.
    """

    label: str
    data: float
    inputs: tuple[StandIn, ...]
    local_derivatives: tuple[float, ...]
    grad: float = 0.0
    op: str = ""

    def __str__(self) -> str:
        return self.label

    __repr__ = __str__

    def backward(self) -> NoReturn:
        """Refuse to walk.

        Raises:
            Borrowed: always.
        """
        raise Borrowed("the walk is what is to be written here.")


class PlainData(Value):
    """A Value for whoever writes an operation: its data can be used, its operations cannot.

    >>> PlainData(2.0, "a").data
    2.0
    """

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise Borrowed("calculate with the plain numbers, such as a.data.")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __pos__ = _refuse
    exp = log = relu = tanh = __float__ = _refuse


def stand_ins(graph: Graph) -> list[StandIn]:
    """Make a stand-in for each node of a graph.

    Args:
        graph: what to copy; its nodes have different names.

    Returns:
        The stand-ins, inputs before results; the last is the output.
    """
    made: list[StandIn] = []
    for node in graph.nodes:
        inputs = tuple(made[index] for index in node.inputs)
        name = graph.names[node.index]
        made.append(StandIn(name, node.data, inputs, node.local_derivatives, op=node.op))
    return made


def clear_gradients(arguments: tuple[StandIn | list[StandIn], ...]) -> None:
    """Set every gradient back to 0, so that a walk can begin again.

    Args:
        arguments: of a function that walks: an output, a list of nodes, or both.

    >>> x = StandIn("x", 3.0, (), (), grad=6.0)
    >>> clear_gradients((x,))
    >>> x.grad
    0.0
    """
    for argument in arguments:
        for output in [argument] if isinstance(argument, StandIn) else argument:
            for node in everything_behind(output):
                node.grad = 0.0


def everything_behind(output: StandIn) -> list[StandIn]:
    """The output and all it was made from, inputs before results.

    Args:
        output: the last of the list.

    >>> from engine.value import Value
    >>> a, b = Value(2.0, "a"), Value(-3.0, "b")
    >>> everything_behind(stand_ins(Graph.of(a * b, {}))[-1])
    [a, b, a * b]
    """
    order: dict[StandIn, None] = {}

    def visit(node: StandIn) -> None:
        if node not in order:
            for operand in node.inputs:
                visit(operand)
            order[node] = None

    visit(output)
    return list(order)


def walk_back(output: StandIn) -> None:
    """Fill in the gradients of the output and of all it was made from.

    Args:
        output: where the walk begins.

    >>> from engine.value import Value
    >>> x = Value(3.0, "x")
    >>> output = stand_ins(Graph.of(x * x, {}))[-1]
    >>> walk_back(output)
    >>> gradients((output,), None)
    {'x': 6.0, 'x * x': 1.0}
    """
    output.grad = 1.0
    for node in reversed(everything_behind(output)):
        for operand, local in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += local * node.grad


def gradients(arguments: tuple[Any, ...], _result: Any) -> dict[str, Any]:
    """What a learner's walk left in each node: how a function that walks is observed.

    Args:
        arguments: of that function; the first is the output or a list of nodes.
    """
    first = arguments[0]
    nodes = everything_behind(first) if isinstance(first, StandIn) else first
    found = dict.fromkeys(n for node in nodes for n in (*node.inputs, node))
    return {node.label: node.grad for node in found}
