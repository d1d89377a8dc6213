"""How nodes, numbers and products are named, in a drawing, in a sentence and in a table."""

import unicodedata
from functools import lru_cache

from engine.graph import PRECEDENCE, Graph
from engine.text import number_text, table_lines
from engine.walk import Contribution

LONGEST_LABEL = 28
MINUS = "\N{MINUS SIGN}"
TIMES = "\N{MULTIPLICATION SIGN}"
JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def number(value: float) -> str:
    """Write a number with a typographic minus.

    >>> number(-8.0)
    '−8'
    """
    return number_text(value).replace("-", MINUS)


def operand(value: float) -> str:
    """Write a number inside a calculation: a negative one in parentheses.

    >>> operand(-2.0), operand(4.0)
    ('(−2)', '4')
    """
    return f"({number(value)})" if value < 0.0 else number(value)


def label(text: str) -> str:
    """Make any text safe to show on one line: visible, short, and unable to turn its neighbors.

    Spaces alone are shown in quotes. What joins or parts letters, as Persian and emoji need, stays.

    >>> label("x" * 100)
    'xxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    return _label(text[: LONGEST_LABEL + 1])


@lru_cache(maxsize=4096)
def _label(start: str) -> str:
    shown = "".join(map(_visible, start))
    if shown and not shown.strip(f" {JOINERS}"):
        shown = f"'{shown}'"
    if len(shown) > LONGEST_LABEL:
        shown = shown[: LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"
    if any(unicodedata.bidirectional(c) in {"R", "AL", "AN"} for c in shown):
        shown = f"{ISOLATE}{shown}{END_ISOLATE}"
    return shown


def _visible(character: str) -> str:
    if character.isspace():
        return " "
    shown = character.isprintable() or character in JOINERS
    return character if shown else "\N{REPLACEMENT CHARACTER}"


def title(graph: Graph, index: int) -> str:
    """The heading of a node's box: its name and how it was made.

    >>> from engine.value import Value
    >>> a, b = Value(2.0), Value(3.0)
    >>> e = a * b
    >>> title(Graph.of(e), 2)
    'e = a * b'
    """
    return label(graph.title(index))


def name(graph: Graph, index: int) -> str:
    """A node's name inside a sentence; an expression such as ``a * 3`` in parentheses.

    >>> from engine.value import Value
    >>> a = Value(2.0)
    >>> graph = Graph.of(a * 3)
    >>> f"{name(graph, 0)}.grad and {name(graph, 1)}.grad"
    'a.grad and (a * 3).grad'
    """
    text = label(graph.names[index])
    node = graph.nodes[index]
    is_expression = not node.label and graph.names[index] == graph.expressions[index]
    return f"({text})" if is_expression and node.op in PRECEDENCE else text


def product(contribution: Contribution) -> str:
    """A contribution as the product it is, for the arrow it travels along.

    >>> product(Contribution(2, 0, 0, -3.0, -2.0, 6.0, 0.0, 6.0))
    '−3 × (−2) = 6'
    """
    return (
        f"{number(contribution.local_derivative)} {TIMES} {operand(contribution.upstream)} "
        f"= {number(contribution.amount)}"
    )


def graph_text(graph: Graph) -> str:
    """A drawing in words: every node with its data and gradient, inputs first.

    >>> from engine.value import Value
    >>> a = Value(2.0)
    >>> print(graph_text(Graph.of(a * 3)))
    node   data  grad
    a         2     0
    a * 3     6     0
    """
    rows = [("node", "data", "grad")]
    rows += [
        (title(graph, node.index), number_text(node.data), number_text(node.grad))
        for node in graph.nodes
    ]
    return "\n".join(table_lines(rows))


def graph_summary(graph: Graph) -> str:
    """One sentence that names a drawing, for a reader who does not see it."""
    leaves = sum(node.kind != "computed" for node in graph.nodes)
    counts = (
        "1 node, a leaf" if leaves == len(graph) else f"{len(graph)} nodes, {leaves} of them leaves"
    )
    return f"Graph of {title(graph, graph.output.index)}: {counts}"
