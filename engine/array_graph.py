"""The graph behind an Array, with shapes in its boxes, for the drawings and views of numbers.

>>> from engine.walk import reverse_walk
>>> x, w = Array([[1.0, 5.0], [2.0, 6.0]], "x"), Array([[3.0, 4.0]], "w")
>>> graph = graph_of((x @ w.T).sum())
>>> print(reverse_walk(graph).gradients[graph.index("w")].text)
(1, 2)
"""

from typing import Any, Self

import numpy as np

from engine.arrays import Array, Floats, creation_order, summed_to
from engine.graph import Constant, Graph, Node
from engine.text import number_text
from engine.variables import caller_variables


class Block(float):
    """An array in the place of a number: shown by its shape, and as large as its largest size.

    Attributes:
        numbers: the array.
        text: its shape, or the number where it is only one.

    >>> Block(np.ones((2, 3))).text, Block(np.array(2.5)).text
    ('(2, 3)', '2.5')
    """

    numbers: Floats
    text: str

    def __new__(cls, numbers: Any) -> Self:
        """Keep the array beside its largest size."""
        block = super().__new__(cls, np.abs(numbers).max() if np.size(numbers) else 0.0)
        block.numbers = np.asarray(numbers, dtype=float)
        block.text = str(block.numbers.shape) if block.numbers.ndim else number_text(float(numbers))
        return block

    def __add__(self, other: float) -> "Block":
        return Block(self.numbers + getattr(other, "numbers", other))

    __radd__ = __add__


class LocalRule(float):
    """A rule in the place of a local derivative: times an upstream gradient, it is applied.

    Attributes:
        text: the operation's name in brackets.
    """

    node: Array
    side: int
    text: str

    def __new__(cls, node: Array, side: int) -> Self:
        """Keep the node, and which of its inputs this is the rule for."""
        rule = super().__new__(cls, 1.0)
        rule.node, rule.side, rule.text = node, side, f"[{node.op}]"
        return rule

    def __mul__(self, upstream: float) -> Block:
        numbers = np.broadcast_to(getattr(upstream, "numbers", upstream), self.node.shape)
        operand, rule = self.node.sides[self.side]
        return Block(summed_to(rule(numbers), operand.shape))


def graph_of(output: Array, names: dict[str, Any] | None = None) -> Graph:
    """Take a snapshot of the recording behind an Array; ``draw`` and the views take it.

    Args:
        output: the last Array of the calculation.
        names: variables that may name Arrays without a label, by default those of the caller.

    >>> x = Array([[1.0, 2.0]])
    >>> y = x * 2
    >>> print(graph_of(y))
    node         data    grad
    x          (1, 2)  (1, 2)
    y = x * 2  (1, 2)  (1, 2)
    """
    variables = caller_variables() if names is None else names
    found = {id(thing): name for name, thing in variables.items() if isinstance(thing, Array)}
    order = creation_order(output)
    place = {node: index for index, node in enumerate(order)}
    return Graph(tuple(_node(node, place, node.label or found.get(id(node), "")) for node in order))


def _node(node: Array, place: dict[Array, int], label: str) -> Node:
    rules = [LocalRule(node, side) for side, (o, _) in enumerate(node.sides) if o in node.inputs]
    return Node(
        index=place[node],
        label=label,
        kind="computed" if node.op else "leaf",
        op=node.op,
        operands=tuple(place[o] if isinstance(o, Array) else _constant(o) for o, _ in node.sides),
        inputs=tuple(place[given] for given in node.inputs),
        local_derivatives=tuple(rules),
        data=Block(node.data),
        grad=Block(np.broadcast_to(node.grad, node.shape)),
        scope=node.scope,
    )


def _constant(operand: Any) -> Constant:
    if np.size(operand) == 1:
        return Constant(float(np.ravel(operand)[0]))
    return Constant(0.0, f"constant{np.shape(operand)}")
