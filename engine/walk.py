"""The reverse walk over a graph, one step for each node, as data.

The engine only fills gradients in. A walk also keeps how each of them came about: which node
was processed when, and what it contributed to which input.

>>> from engine.value import Value
>>> x = Value(3.0)
>>> u = x * x
>>> y = u + x
>>> walk = reverse_walk(Graph.of(y))
>>> walk.grad("x"), [walk.graph.names[step.node] for step in walk.steps]
(7.0, ['y', 'u', 'x'])
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import NamedTuple

from engine.graph import Graph, Node, few_names
from engine.text import number_of, number_text, shown

LONGEST_REPEATED_WALK = 10_000


class Contribution(NamedTuple):
    """What one node added to the gradient of one of its inputs.

    Attributes:
        source: index of the node that was processed.
        target: index of the input that received it.
        slot: which input of the source it was: 0 or 1.
        local_derivative: of the source with respect to this input.
        upstream: gradient of the source when it was processed.
        amount: local derivative times upstream gradient.
        before: gradient of the target before.
        after: gradient of the target after.
    """

    source: int
    target: int
    slot: int
    local_derivative: float
    upstream: float
    amount: float
    before: float
    after: float


class Step(NamedTuple):
    """One node is processed: it hands its gradient on to its inputs.

    Attributes:
        number: 1 for the first node processed.
        node: index of the node.
        upstream: the gradient it had at that moment.
        contributions: one for each input, in order.
    """

    number: int
    node: int
    upstream: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class Walk:
    """A whole reverse walk.

    Attributes:
        graph: the graph that was walked.
        steps: the nodes in the order they were processed.
        gradients: gradient of every node at the end, by index.
        accumulate: whether contributions were added (``+=``) or overwrote (``=``).
    """

    graph: Graph
    steps: tuple[Step, ...]
    gradients: tuple[float, ...]
    accumulate: bool = True

    def grad(self, name: str) -> float:
        """The final gradient of the node with this name.

        Raises:
            KeyError: no node, or more than one, has this name.

        >>> from engine.value import Value
        >>> x = Value(3.0)
        >>> reverse_walk(Graph.of(x + x)).grad("x")
        2.0
        """
        return self.gradients[self.graph.index(name)]

    @property
    def order(self) -> tuple[int, ...]:
        """The nodes in the order they were processed."""
        return tuple(step.node for step in self.steps)

    @cached_property
    def arrivals(self) -> tuple[tuple[Contribution, ...], ...]:
        """For each node the contributions it received, in the order they came."""
        found: list[list[Contribution]] = [[] for _ in self.graph.nodes]
        for step in self.steps:
            for contribution in step.contributions:
                found[contribution.target].append(contribution)
        return tuple(map(tuple, found))

    def gradients_after(self, number: int) -> tuple[float, ...]:
        """The gradient of every node after step ``number``; 0 is the seed gradient alone.

        Raises:
            ValueError: the walk has no step of this number.

        >>> from engine.value import Value
        >>> x = Value(3.0)
        >>> reverse_walk(Graph.of(x + x)).gradients_after(0)
        (0.0, 1.0)
        """
        if not isinstance(number, Integral) or number not in range(len(self.steps) + 1):
            steps = number_of(len(self.steps), "step")
            raise ValueError(f"a walk of {steps} has no step {shown(number)}.")
        gradients = _seeded(self.graph)
        for step in self.steps[:number]:
            for contribution in step.contributions:
                gradients[contribution.target] = contribution.after
        return tuple(gradients)


def reverse_walk(
    graph: Graph,
    order: Sequence[int] | Sequence[str] | None = None,
    *,
    accumulate: bool = True,
    visit_once: bool = True,
) -> Walk:
    """Walk a graph from its output back to its leaves.

    The options reproduce what goes wrong without each part of the method, so that it can be seen.

    Args:
        graph: the graph to walk; it is not changed.
        order: the nodes to process, first to last, as indices or names; by default the
            topological order from the back. Any order is walked, also one that is too early.
        accumulate: add contributions (``+=``). False overwrites instead (``=``).
        visit_once: process each node once. False lists a node again for each path that leads
            to it, as a sort without a set of visited nodes does.

    Raises:
        ValueError: ``order`` does not name every node exactly once, or comes with
            ``visit_once=False``, or the walk without a visited set grows too long.
        KeyError: ``order`` has a name that no node has, or that two nodes share.
        OverflowError: a gradient is too large for a float; the message names the first.

    >>> from engine.value import Value
    >>> x = Value(3.0)
    >>> u = x * x
    >>> v = u * 2
    >>> y = u + v
    >>> graph = Graph.of(y)
    >>> reverse_walk(graph).grad("x")
    18.0
    >>> reverse_walk(graph, ["y", "u", "v", "x"]).grad("x")
    6.0
    >>> reverse_walk(graph, visit_once=False).grad("x")
    36.0
    >>> reverse_walk(Graph.of(x + x), accumulate=False).grad("x")
    1.0
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"reverse_walk needs a Graph, got {shown(graph)}: Graph.of(y) makes one.")
    if not visit_once:
        if order is not None:
            raise ValueError("visit_once=False makes its own order: leave order out.")
        indices = _order_without_visited_set(graph)
    else:
        indices = _checked_order(graph, order)
    gradients = _seeded(graph)
    steps = []
    for number, index in enumerate(indices, start=1):
        node, upstream = graph.nodes[index], gradients[index]
        pushed = _push_back(node, gradients, accumulate)
        contributions = tuple(Contribution(index, *arrived) for arrived in pushed)
        steps.append(Step(number, index, upstream, contributions))
    _require_gradients_in_range(graph, steps)
    return Walk(graph, tuple(steps), tuple(gradients), accumulate)


def gradients_of(graph: Graph) -> tuple[float, ...]:
    """The gradients of the whole reverse walk, without its steps; no range is checked.

    >>> from engine.value import Value
    >>> x = Value(3.0)
    >>> gradients_of(Graph.of(x * x + x, names={}))
    (7.0, 1.0, 1.0)
    """
    gradients = _seeded(graph)
    for node in reversed(graph.nodes):
        _push_back(node, gradients)
    return tuple(gradients)


def _seeded(graph: Graph) -> list[float]:
    gradients = [0.0] * len(graph)
    gradients[graph.output.index] = 1.0
    return gradients


def _push_back(
    node: Node, gradients: list[float], accumulate: bool = True
) -> list[tuple[int, int, float, float, float, float, float]]:
    """Hand a node's gradient on to its inputs: the fields of each contribution but the source."""
    upstream, pushed = gradients[node.index], []
    for slot, target in enumerate(node.inputs):
        local_derivative, before = node.local_derivatives[slot], gradients[target]
        amount = local_derivative * upstream
        gradients[target] = after = before + amount if accumulate else amount
        pushed.append((target, slot, local_derivative, upstream, amount, before, after))
    return pushed


def _require_gradients_in_range(graph: Graph, steps: Iterable[Step]) -> None:
    for step in steps:
        for given in step.contributions:
            if not math.isfinite(given.after):
                raise OverflowError(
                    f"a gradient left the range of floats in step {step.number}: "
                    f"{shown(graph.names[given.source])} handed "
                    f"{number_text(given.local_derivative)} * {number_text(given.upstream)} on to "
                    f"{shown(graph.names[given.target])}. "
                    "Scale the numbers so that the factors on this path are smaller."
                )


def _checked_order(graph: Graph, order: Sequence[int] | Sequence[str] | None) -> list[int]:
    if order is None:
        return [node.index for node in reversed(graph.nodes)]
    if isinstance(order, str | bytes | Set) or not isinstance(order, Iterable):
        raise TypeError(f"order is a list of nodes, first to last, got {shown(order)}.")
    indices = [graph.index(node) for node in order]
    times = Counter(indices)
    missing = [name for index, name in enumerate(graph.names) if index not in times]
    repeated = [name for index, name in enumerate(graph.names) if times[index] > 1]
    if missing or repeated:
        problems = [f"missing: {few_names(missing)}"] if missing else []
        problems += [f"more than once: {few_names(repeated)}"] if repeated else []
        raise ValueError(
            f"an order names each of the {len(graph)} nodes exactly once; {'; '.join(problems)}."
        )
    return indices


def _order_without_visited_set(graph: Graph) -> list[int]:
    order: list[int] = []
    waiting: list[tuple[int, bool]] = [(graph.output.index, False)]
    while waiting:
        index, inputs_listed = waiting.pop()
        if inputs_listed:
            order.append(index)
        else:
            waiting.append((index, True))
            waiting += [(target, False) for target in reversed(graph.nodes[index].inputs)]
        if len(order) > LONGEST_REPEATED_WALK:
            raise ValueError(
                f"without a visited set this walk of {len(graph)} nodes has more than "
                f"{LONGEST_REPEATED_WALK:,} steps: one for each path. Try a smaller graph."
            )
    return order[::-1]
