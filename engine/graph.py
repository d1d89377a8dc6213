"""A graph is a snapshot of a recording: plain data that can be printed, compared and stored.

>>> from engine.value import Value
>>> a, b = Value(2.0), Value(-3.0)
>>> e = a * b
>>> print(Graph.of(e))
node       data  grad
a             2     0
b            -3     0
e = a * b    -6     0
"""

import gc
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

from engine.constants import Literal
from engine.rules import INFIX
from engine.text import number_text, one_line, shown, table_lines
from engine.value import Parameter, Value, topological_order
from engine.variables import caller_variables, named_values

LONGEST_NAME = 16
BETWEEN = INFIX | {"@"}  # written between its operands; "@" multiplies matrices
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "@": 2, "neg": 3, "**": 4}
ATOM = 5
BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
OPERATOR_OR_SPACE = re.compile(r"[-+*/\s]")


@dataclass(frozen=True, slots=True)
class Constant:
    """A plain number used by an operation, with its name if it has one."""

    data: float
    label: str = ""

    @property
    def text(self) -> str:
        """How an expression shows it.

        >>> Constant(2.0).text, Constant(3.0, "max").text
        ('2', 'max')
        """
        return self.label or number_text(self.data)


@dataclass(frozen=True, slots=True)
class Node:
    """One number of a graph.

    Attributes:
        index: its place in ``graph.nodes``, a topological order.
        label: the name it was given, or the variable's name, or ``""``.
        kind: ``"leaf"``, ``"parameter"`` or ``"computed"``.
        op: the operation that made it, ``""`` for a leaf.
        operands: what the operation was applied to, in order: indices and constants.
        inputs: indices of the nodes it was made from, in order, repeats kept.
        local_derivatives: one for each input, at the values of the forward pass.
        data: the number.
        grad: its gradient when the snapshot was taken.
        scope: the part of the model it belongs to.
    """

    index: int
    label: str
    kind: str
    op: str
    operands: tuple[int | Constant, ...]
    inputs: tuple[int, ...]
    local_derivatives: tuple[float, ...]
    data: float
    grad: float
    scope: str


@dataclass(frozen=True)
class Graph:
    """Everything one output was made from, inputs before results; the output is last.

    Attributes:
        nodes: the nodes in a topological order, at least one.

    Raises:
        ValueError: there is no node.
    """

    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        """Refuse a graph without an output."""
        if not self.nodes:
            raise ValueError("a graph has at least one node, its output: Graph.of(y) makes one.")

    @classmethod
    def of(cls, output: Value, names: Mapping[str, object] | None = None) -> "Graph":
        """Take a snapshot of the recording behind ``output``.

        Args:
            output: the last number of the calculation.
            names: variables that may name nodes without a label, by default the variables of
                the caller. A list, tuple or dictionary of Values names its members.

        Raises:
            ReleasedError: the tape that recorded ``output`` has ended.
            TypeError: ``output`` is not a Value, ``names`` is not a dictionary of names, or the
                data or the gradient of a node was replaced by something that is no number.
            OverflowError: a whole number in a node is too large for a float.

        >>> x = Value(3.0)
        >>> u = x * x
        >>> [node.label for node in Graph.of(u + x).nodes]
        ['x', 'u', '']
        """
        order = topological_order(output)
        found = dict(named_values(caller_variables() if names is None else names))
        place = {value: index for index, value in enumerate(order)}
        with collector_paused():
            return cls(
                tuple(
                    [
                        _node(index, value, value.label or found.get(value, ""), place)
                        for index, value in enumerate(order)
                    ]
                )
            )

    @property
    def output(self) -> Node:
        """The node everything else leads to."""
        return self.nodes[-1]

    def __len__(self) -> int:
        return len(self.nodes)

    def with_gradients(self, gradients: Sequence[float]) -> "Graph":
        """The same graph with other gradients in its nodes, such as those of a walk.

        Args:
            gradients: one for each node, by index.

        Raises:
            ValueError: there are more or fewer gradients than nodes.

        >>> x = Value(3.0)
        >>> Graph.of(x * 2).with_gradients([2.0, 1.0]).output.grad
        1.0
        """
        if len(gradients) != len(self):
            raise ValueError(
                f"one gradient for each of the {len(self)} nodes is needed, got {len(gradients)}."
            )
        pairs = zip(self.nodes, gradients, strict=True)
        return Graph(tuple(replace(node, grad=grad) for node, grad in pairs))

    def index(self, node: int | str) -> int:
        """Find a node by its name, or check that an index is one of this graph's.

        Where nodes share a name, each is found by its own one; see ``own_names``.

        Raises:
            KeyError: no node has this name or index, or two nodes share the name.

        >>> x = Value(3.0)
        >>> Graph.of(x * 2).index("x")
        0
        """
        if isinstance(node, str):
            found = self._places.get(node, [])
            if len(found) == 1:
                return found[0]
            problem = f"{len(found)} nodes are named {shown(node)}"
        elif isinstance(node, Integral) and not isinstance(node, bool):
            if 0 <= node < len(self.nodes):
                return int(node)
            problem = f"there is no node {shown(node)}"
        else:
            problem = f"{shown(node)} is neither the name nor the index of a node"
        raise KeyError(
            f"{problem} among the {len(self)} nodes of this graph: {few_names(self.own_names)}."
        )

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for index, names in enumerate(zip(self.names, self.own_names, strict=True)):
            for name in set(names):
                places.setdefault(name, []).append(index)
        return places

    @cached_property
    def consumers(self) -> tuple[tuple[int, ...], ...]:
        """For each node the nodes that use it, a node that uses it twice listed twice.

        >>> x = Value(3.0)
        >>> Graph.of(x + x).consumers
        ((1, 1), ())
        """
        with collector_paused():
            found: list[list[int]] = [[] for _ in self.nodes]
            for node in self.nodes:
                for index in node.inputs:
                    found[index].append(node.index)
            return tuple(map(tuple, found))

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """For each computed node the operation with its operands' names, ``""`` for leaves.

        >>> a = Value(2.0)
        >>> Graph.of((a + 1) * a).expressions
        ('', 'a + 1', '(a + 1) * a')
        """
        return tuple(text for text, _ in self._texts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for every node: its label, a short expression, or its place such as ``n12``.

        >>> a = Value(2.0)
        >>> Graph.of(a * a + 1).names
        ('a', 'a * a', 'a * a + 1')
        """
        return tuple(name for _, name in self._texts)

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """For every node a name that no other has: a shared name gets the node's place as well.

        >>> a, b = Value(2.0), Value(3.0)
        >>> Graph.of((a * b) * 2 + (a * b)).own_names
        ('a', 'b', 'a * b (n2)', 'a * b * 2', 'a * b (n4)', 'n5')
        """
        times = Counter(self.names)
        return tuple(
            [
                name if times[name] == 1 else _apart(name, index, times)
                for index, name in enumerate(self.names)
            ]
        )

    @cached_property
    def _texts(self) -> tuple[tuple[str, str], ...]:
        texts: list[tuple[str, str]] = []
        with collector_paused():
            for node in self.nodes:
                operands = [self._operand(node, side, texts) for side in range(len(node.operands))]
                expression = _expression(node.op, operands)
                short = expression if len(expression) <= LONGEST_NAME else ""
                texts.append((expression, node.label or short or f"n{node.index}"))
        return tuple(texts)

    def _operand(self, node: Node, side: int, texts: list[tuple[str, str]]) -> str:
        operand = node.operands[side]
        if isinstance(operand, Constant):
            loose = _is_loose(operand.label) if operand.label else operand.data < 0.0
            return f"({operand.text})" if loose and node.op in BETWEEN else operand.text
        expression, name = texts[operand]
        if node.op not in PRECEDENCE:
            return name
        if name != expression:
            return f"({name})" if _is_loose(name) else name
        inner = PRECEDENCE.get(self.nodes[operand].op, ATOM)
        outer = PRECEDENCE[node.op]
        loose = inner < outer or (inner == outer and (side == 1 or node.op == "**"))
        return f"({name})" if loose else name

    def title(self, index: int) -> str:
        """The name of a node and how it was made.

        >>> a = Value(2.0)
        >>> y = a * 3
        >>> Graph.of(y).title(0), Graph.of(y).title(1)
        ('a', 'y = a * 3')
        """
        name, expression = self.names[index], self.expressions[index]
        return f"{name} = {expression}" if expression and expression != name else name

    def __str__(self) -> str:
        rows = [("node", "data", "grad")]
        rows += [
            (one_line(self.title(node.index)), number_text(node.data), number_text(node.grad))
            for node in self.nodes
        ]
        return "\n".join(table_lines(rows))

    def to_json(self) -> str:
        """The graph as text that :meth:`from_json` reads back, equal in every number."""
        return json.dumps([asdict(node) for node in self.nodes])

    @classmethod
    def from_json(cls, text: str) -> "Graph":
        """Read a graph written by :meth:`to_json`.

        Raises:
            ValueError: the text is something else.

        >>> x = Value(3.0)
        >>> graph = Graph.of(x * 2)
        >>> Graph.from_json(graph.to_json()) == graph
        True
        """
        try:
            nodes = tuple(_node_from(record) for record in json.loads(text))
            whole = bool(nodes) and all(map(_is_sound, nodes, range(len(nodes))))
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
            whole = False
        if not whole:
            raise ValueError(f"this is not a graph as to_json() writes it: {shown(text)}.")
        return cls(nodes)


def _apart(name: str, index: int, taken: Mapping[str, int]) -> str:
    """The name with the node's place behind it, once more where a label looks like that already."""
    while name in taken:
        name = f"{name} (n{index})"
    return name


def few_names(names: Sequence[str]) -> str:
    """List names in an error, the first dozen at most.

    >>> few_names(["a", "b"])
    'a, b'
    """
    return ", ".join(map(one_line, names[:12])) + (", ..." if len(names) > 12 else "")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking through thousands of new objects without a cycle.

    >>> with collector_paused():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _node(index: int, value: Value, label: str, place: dict[Value, int]) -> Node:
    operands: tuple[int | Constant, ...] = ()
    inputs: tuple[int, ...] = ()
    local_derivatives: tuple[float, ...] = ()
    kind = "parameter" if isinstance(value, Parameter) else "leaf"
    if value.op:
        kind = "computed"
        local_derivatives = value.local_derivatives
        operands = tuple(
            [place[o] if isinstance(o, Value) else _constant(o) for o in value.operands]
        )
        inputs = tuple([operand for operand in operands if isinstance(operand, int)])
    data, grad = value.data, value.grad
    if type(data) is not float or type(grad) is not float:
        data, grad = _plain(data, value), _plain(grad, value)
    # By position: for tens of thousands of nodes keywords would cost a third more.
    return Node(
        index,
        label,
        kind,
        value.op,
        operands,
        inputs,
        local_derivatives,
        data,
        grad,
        value.scope,
    )


def _plain(held: Any, value: Value) -> float:
    """What a node holds as a plain number: a learner may have put anything there."""
    try:
        math.isfinite(held)  # refuses text, which float() would read
        return float(held)
    except OverflowError:
        raise OverflowError(f"{shown(value)} holds a whole number too large for a float.") from None
    except TypeError:
        raise TypeError(
            f"a graph needs numbers, but found {shown(value)}: its data or its gradient was "
            "replaced by something else. Give it a number again, and the gradient 0.0."
        ) from None


def _constant(number: float) -> Constant:
    return Constant(float(number), number.label if isinstance(number, Literal) else "")


def _node_from(record: dict[str, Any]) -> Node:
    operands = tuple(o if isinstance(o, int) else Constant(**o) for o in record["operands"])
    lists = {name: tuple(record[name]) for name in ("inputs", "local_derivatives")}
    return Node(**{**record, **lists, "operands": operands})


def _is_sound(node: Node, place: int) -> bool:
    constants = [o for o in node.operands if isinstance(o, Constant)]
    texts = (node.label, node.op, node.scope, *(c.label for c in constants))
    numbers = (node.data, node.grad, *node.local_derivatives, *(c.data for c in constants))
    return (
        all(isinstance(text, str) for text in texts)
        and all(type(number) in (float, int) for number in numbers)
        and all(type(index) is int for index in (node.index, *node.inputs))
        and node.index == place
        and node.kind in (("computed",) if node.op else ("leaf", "parameter"))
        and bool(node.op) == bool(node.inputs)
        and all(0 <= index < place for index in node.inputs)
        and node.inputs == tuple(o for o in node.operands if isinstance(o, int))
        and len(node.local_derivatives) == len(node.inputs)
    )


def _is_loose(label: str) -> bool:
    """Whether a label needs parentheses beside an operator, as ``a + b`` does."""
    return bool(OPERATOR_OR_SPACE.search(BRACKETED.sub("", label)))


def _expression(op: str, operands: list[str]) -> str:
    if not op:
        return ""
    if op in BETWEEN:
        return f" {op} ".join(operands)
    return f"-{operands[0]}" if op == "neg" else f"{op}({', '.join(operands)})"
