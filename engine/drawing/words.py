"""What a drawing and a view say about a graph and a walk, in words.

All text a learner reads is made here, from plain data, so that it can be tested without a browser.
"""

import math
import unicodedata

from engine.graph import PRECEDENCE, Graph
from engine.text import number_text, table_lines
from engine.walk import Contribution, Step, Walk, reverse_walk

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
    shown = "".join(map(_visible, text))
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


class WalkWords:
    r"""What a view says at each position of a walk; position 0 is before the first step.

    Args:
        walk: the walk to tell.

    >>> from engine.value import Value
    >>> from engine.walk import reverse_walk
    >>> x = Value(3.0)
    >>> y = x * 2
    >>> print(*WalkWords(reverse_walk(Graph.of(y))).sentences(1), sep="\n")
    y.grad = 1 is complete, and is the upstream gradient here.
    To x: local derivative 2 × upstream gradient 1 = contribution 2. x.grad = 0 + 2 = 2.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._graph = walk.graph
        self._names = [name(walk.graph, index) for index in range(len(walk.graph))]
        self._right = reverse_walk(walk.graph).gradients
        self._spoiled: set[int] = set()
        for step in walk.steps:
            if self._missing(step.number, step.node) or self._what_went_wrong(step):
                self._spoiled.add(step.number)

    def heading(self, position: int) -> str:
        """Where the walk is."""
        total = len(self._walk.steps)
        if position == 0:
            return f"Start, before step 1 of {total}: the seed gradient"
        node = self._walk.steps[position - 1].node
        return f"Step {position} of {total}: {title(self._graph, node)}"

    def sentences(self, position: int) -> tuple[str, ...]:
        """What happens there, with the numbers."""
        if position == 0:
            return self._seed()
        step = self._walk.steps[position - 1]
        contributions = (self._contribution(position, c) for c in step.contributions)
        return (self._state(position, step), *contributions)

    def text(self) -> str:
        """The whole walk as a table: one line for each step."""
        graph, walk = self._graph, self._walk
        rows = [("step", "node", "data", "grad", "hands on")]
        rows += [
            (
                str(step.number),
                title(graph, step.node),
                number_text(graph.nodes[step.node].data),
                number_text(step.upstream),
                ", ".join(
                    f"{number_text(c.amount)} to {self._names[c.target]}"
                    for c in step.contributions
                )
                or "-",
            )
            for step in walk.steps
        ]
        return "\n".join(table_lines(rows, left={1, 4}))

    def _seed(self) -> tuple[str, ...]:
        output = self._graph.output
        name = self._names[output.index]
        first = f"{name}.grad = 1: if {name} moves a little, {name} moves just as much."
        if output.data == 1.0:
            return (first,)
        return (first, f"That {name} has the value {number(output.data)} does not matter here.")

    def _state(self, position: int, step: Step) -> str:
        name = self._names[step.node]
        gradient = f"{name}.grad = {number(step.upstream)}"
        if step.node in self._walk.order[: position - 1]:
            again = "now it counts once more" if step.contributions else "a leaf hands nothing on"
            return f"{gradient}, but {name} was processed before: {again}."
        if missing := self._missing(position, step.node):
            have = "has" if len(missing) == 1 else "have"
            late = " and ".join(missing)
            return f"{gradient} is not complete: {late} {have} not been processed yet."
        if wrong := self._what_went_wrong(step):
            return f"{gradient} is not right: {wrong}."
        if not step.contributions:
            return f"{gradient} is complete. {name} is a leaf: there is nothing to hand on."
        return f"{gradient} is complete, and is the upstream gradient here."

    def _missing(self, position: int, node: int) -> list[str]:
        done = set(self._walk.order[:position])
        late = sorted({c for c in self._graph.consumers[node] if c not in done})
        return [self._names[consumer] for consumer in late]

    def _what_went_wrong(self, step: Step) -> str:
        """Why a gradient that got all its contributions is not right, or ``""``."""
        right = self._right[step.node]
        if math.isclose(step.upstream, right, rel_tol=1e-9, abs_tol=1e-12):
            return ""
        done = self._walk.steps[: step.number - 1]
        sources = [s for s in done for c in s.contributions if c.target == step.node]
        if len(sources) > 1 and not self._walk.accumulate:
            return "a contribution that had arrived was overwritten"
        wrong = sorted({s.node for s in sources if s.number in self._spoiled})
        names = " and ".join(f"{self._names[source]}.grad" for source in wrong)
        was = "was" if len(wrong) == 1 else "were"
        return f"{names} {was} not right when handed on" if wrong else ""

    def _is_too_late(self, position: int, node: int) -> bool:
        order = self._walk.order
        return (
            bool(self._graph.nodes[node].inputs)
            and node in order[: position - 1]
            and node not in order[position:]
        )

    def _contribution(self, position: int, contribution: Contribution) -> str:
        name = self._names[contribution.target]
        multiplied = (
            f"To {name}: local derivative {number(contribution.local_derivative)} {TIMES} "
            f"upstream gradient {operand(contribution.upstream)} "
            f"= contribution {number(contribution.amount)}."
        )
        before, after = contribution.before, contribution.after
        if self._walk.accumulate:
            change = f"{number(before)} + {operand(contribution.amount)} = {number(after)}"
        elif before == 0.0:
            change = number(after)
        else:
            change = f"{number(after)}; the {number(before)} it held is overwritten"
        late = self._is_too_late(position, contribution.target)
        too_late = f" Too late: {name} was processed before and hands nothing on again."
        return f"{multiplied} {name}.grad = {change}.{too_late if late else ''}"
