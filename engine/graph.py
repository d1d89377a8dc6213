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
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from numbers import Integral
from pathlib import Path
from types import CodeType
from typing import Any

from engine.domain import label_text
from engine.text import number_text, one_line, shown, table_lines
from engine.value import INFIX, Literal, Parameter, Value, topological_order

PACKAGE_FOLDER = str(Path(__file__).parent) + os.sep
LONGEST_NAME = 16
NOT_NAMES = frozenset({"In", "Out"})
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}
ATOM = 5
BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
OPERATOR_OR_SPACE = re.compile(r"[-+*/\s]")
MOST_MEMBERS = 100_000


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
            TypeError: ``output`` is not a Value, or ``names`` is not a dictionary of names.

        >>> x = Value(3.0)
        >>> u = x * x
        >>> [node.label for node in Graph.of(u + x).nodes]
        ['x', 'u', '']
        """
        order = topological_order(output)
        if names is not None:
            _require_names(names)
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
            f"{problem} among the {len(self)} nodes of this graph: {few_names(self.names)}."
        )

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for index, name in enumerate(self.names):
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
            return f"({operand.text})" if loose and node.op in INFIX else operand.text
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


def few_names(names: Sequence[str]) -> str:
    """List names in an error, the first dozen at most.

    >>> few_names(["a", "b"])
    'a, b'
    """
    return ", ".join(map(one_line, names[:12])) + (", ..." if len(names) > 12 else "")


def caller_variables() -> dict[str, object]:
    """The variables where the engine was called from: the first frame outside of it.

    In a comprehension or a lambda these are also the variables of the function around it.

    >>> here = 5
    >>> caller_variables()["here"]
    5
    """
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame = frame.f_back
    variables = dict(frame.f_locals)
    while frame.f_back and _is_inside(frame.f_code, frame.f_back.f_code):
        frame = frame.f_back
        variables = {**frame.f_locals, **variables}
    variables = {**frame.f_globals, **variables}
    # Python and its tools keep things of their own there, under names that nobody could write.
    return {name: value for name, value in variables.items() if str(name).isidentifier()}


def _is_inside(code: CodeType, around: CodeType) -> bool:
    """Whether code is a comprehension or a lambda written in the code around it."""
    return code.co_name.startswith("<") and code in around.co_consts


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


def _require_names(names: object) -> None:
    if not isinstance(names, Mapping):
        raise TypeError(f"names is a dictionary such as {{'x': x}}, got {shown(names)}.")
    for name in names:
        label_text(name)


def named_values(variables: Mapping[str, object]) -> Iterator[tuple[Value, str]]:
    """Every Value that is bound to a variable, or is a member of a container that is.

    Args:
        variables: by name.

    >>> x = Value(3.0)
    >>> [name for _, name in named_values({"row": [x]})]
    ['row[0]']
    """
    public: dict[str, Any] = {
        name: thing
        for name, thing in variables.items()
        if not name.startswith("_") and name not in NOT_NAMES
    }
    for name, container in reversed(public.items()):
        for key, member in _members(container):
            if _is_a(member, Value):
                yield member, f"{name}[{_key_text(key)}]"
            elif not _is_a(member, dict):
                for i, inner in _members(member):
                    if _is_a(inner, Value):
                        yield inner, f"{name}[{_key_text(key)}][{i}]"
    for name, value in reversed(public.items()):
        if _is_a(value, Value):
            yield value, name


def _members(container: Any) -> list[tuple[Any, Any]]:
    """The first members of a list, tuple or dictionary, without running code of a subclass."""
    if _is_a(container, list):
        return list(enumerate(islice(list.__iter__(container), MOST_MEMBERS)))
    if _is_a(container, tuple):
        return list(enumerate(islice(tuple.__iter__(container), MOST_MEMBERS)))
    if _is_a(container, dict):
        return list(islice(dict.items(container), MOST_MEMBERS))
    return []


def _is_a(thing: Any, kind: type) -> bool:
    # isinstance would also ask the object itself, and a stand-in for another may fail at that.
    return issubclass(type(thing), kind)


def _key_text(key: object) -> str:
    try:
        return repr(key)
    except Exception:  # noqa: BLE001 (a class of the caller may raise anything)
        return f"<{type(key).__name__}>"


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
    # By position: for 60,000 nodes keywords would cost a third more.
    return Node(
        index,
        label,
        kind,
        value.op,
        operands,
        inputs,
        local_derivatives,
        value.data,
        value.grad,
        value.scope,
    )


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
    if op in INFIX:
        return f" {op} ".join(operands)
    return f"-{operands[0]}" if op == "neg" else f"{op}({', '.join(operands)})"
