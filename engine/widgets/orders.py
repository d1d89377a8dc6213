"""What it means to process a node now: what had arrived, what is missing, what comes out of it.

Everything here follows from a graph and the nodes picked so far. For small graphs all of it can
be listed beforehand (``table``), so that a page plays without Python.
"""

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from engine.graph import Graph
from engine.walk import Walk, reverse_walk
from engine.widgets.payload import step_contributions
from engine.words.naming import TIMES, number, title
from engine.words.naming import name as node_name
from engine.words.verdicts import RIGHT, WRONG
from engine.words.walks import WalkWords

MOST_STATES = 1_000
MOST_SETS_OF_A_SIZE = 20_000
MOST_NAMED = 3

Picks = tuple[int, ...]


@dataclass(frozen=True)
class Pick:
    """What is said about one pick.

    Attributes:
        node: name of the node.
        early: whether a contribution to it was still missing.
        missing: names of the nodes it was missing from.
        refused: whether it had been processed already; then nothing changed.
        sentences: the answer in words.
    """

    node: str
    early: bool
    missing: tuple[str, ...]
    refused: bool
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def valid_orders(graph: Graph) -> int | None:
    """Count the orders in which every node comes after all nodes that use it.

    All of them start at the output. They are counted exactly, over the sets of nodes that can
    have been processed, one size after the other.

    Args:
        graph: the graph to be walked back.

    Returns:
        The number, or None where there are too many sets.

    >>> from engine.value import Value
    >>> x = Value(3.0)
    >>> u = x * x
    >>> valid_orders(Graph.of(u + u * 2))
    1
    >>> a, b, c, f = (Value(float(n)) for n in range(4))
    >>> valid_orders(Graph.of((a * b + c) * f))
    48
    """
    needed = [sum({1 << c for c in consumers}) for consumers in graph.consumers]
    ways = {0: 1}
    for _ in graph.nodes:
        longer: dict[int, int] = {}
        for done, count in ways.items():
            for index, needs in enumerate(needed):
                if not done >> index & 1 and needs & ~done == 0:
                    larger = done | 1 << index
                    longer[larger] = longer.get(larger, 0) + count
        if len(longer) > MOST_SETS_OF_A_SIZE:
            return None
        ways = longer
    (count,) = ways.values()
    return count


def walk_from(graph: Graph, picks: Sequence[int]) -> Walk:
    """The walk that begins with these nodes; those not picked follow in any order."""
    rest = [node.index for node in graph.nodes if node.index not in set(picks)]
    return reverse_walk(graph, [*picks, *rest])


def missing(graph: Graph, picks: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """What had not arrived at the last pick: pairs of a node and which of its inputs this is."""
    *before, index = picks
    late = sorted(set(graph.consumers[index]) - set(before), reverse=True)
    return tuple(
        (consumer, slot)
        for consumer in late
        for slot, target in enumerate(graph.nodes[consumer].inputs)
        if target == index
    )


def early(graph: Graph, picks: Sequence[int]) -> list[int]:
    """The picks that came before all of their contributions."""
    return [picks[k] for k in range(len(picks)) if missing(graph, picks[: k + 1])]


def pick_sentences(graph: Graph, picks: Sequence[int]) -> tuple[str, ...]:
    """The answer to the last pick, and what it hands on.

    >>> from engine.value import Value
    >>> x = Value(3.0)
    >>> u = x * x
    >>> v = u * 2
    >>> y = u + v
    >>> print(pick_sentences(Graph.of(y), [3, 1])[0])
    ✗ Too early: u.grad = 1 is not complete. Missing from v: local derivative 2 × v.grad.
    """
    return _pick_sentences(walk_from(graph, picks), picks)


def _pick_sentences(walk: Walk, picks: Sequence[int]) -> tuple[str, ...]:
    graph = walk.graph
    step = walk.steps[len(picks) - 1]
    name = node_name(graph, step.node)
    gradient = f"{name}.grad = {number(step.upstream)}"
    if late := _missing_words(graph, picks):
        answer = f"{WRONG} Too early: {gradient} is not complete. Missing {late}."
    elif step.node == graph.output.index:
        answer = f"{RIGHT} The seed gradient is there: {gradient}."
    else:
        answer = f"{RIGHT} All contributions had arrived: {gradient}."
    handed_on = WalkWords(walk).sentences(len(picks))[1:]
    return (answer, *(handed_on or (f"{name} is a leaf: there is nothing to hand on.",)))


def _missing_words(graph: Graph, picks: Sequence[int]) -> str:
    times = Counter(
        f"from {node_name(graph, consumer)}: local derivative "
        f"{number(graph.nodes[consumer].local_derivatives[slot])} {TIMES} "
        f"{node_name(graph, consumer)}.grad"
        for consumer, slot in missing(graph, picks)
    )
    return ", and ".join(f"{words}, twice" if n > 1 else words for words, n in times.items())


def moment(graph: Graph, picks: Sequence[int]) -> dict[str, Any]:
    """The last pick as the front end shows it."""
    return _moment(walk_from(graph, picks), picks)


def _moment(walk: Walk, picks: Sequence[int]) -> dict[str, Any]:
    graph, step = walk.graph, walk.steps[len(picks) - 1]
    return {
        "node": step.node,
        "early": bool(missing(graph, picks)),
        "heading": f"Pick {len(picks)} of {len(graph)}: {title(graph, step.node)}",
        "sentences": list(_pick_sentences(walk, picks)),
        "upstream": number(step.upstream),
        "contributions": step_contributions(step),
    }


def ending(graph: Graph, picks: Sequence[int], orders: int | None) -> dict[str, Any]:
    """What a complete order comes to: sentences, and one row for each node.

    Args:
        graph: the graph.
        picks: all of its nodes.
        orders: how many valid orders there are, if that is known.
    """
    yours, true = reverse_walk(graph, picks), reverse_walk(graph)
    rows = []
    for node in sorted(picks, key=true.order.index):
        same = _same(yours.gradients[node], true.gradients[node])
        rows.append(
            {
                "state": "done" if same else "wrong",
                "cells": [
                    RIGHT if same else WRONG,
                    title(graph, node),
                    number(yours.gradients[node]),
                    number(true.gradients[node]),
                ],
            }
        )
    return {"sentences": list(_ending_sentences(yours, true, orders)), "rows": rows}


def _ending_sentences(yours: Walk, true: Walk, orders: int | None) -> Iterable[str]:
    """What came of an order; equal numbers are told in equal words, however they came about."""
    graph, names = yours.graph, [node_name(yours.graph, k) for k in range(len(yours.graph))]
    too_early = sorted(early(graph, yours.order), reverse=True)
    if not too_early:
        yield f"{RIGHT} Every gradient is right. {_one_of(orders)}"
        return
    wrong = [
        f"{names[node]}.grad = {number(yours.gradients[node])} (true: {number(gradient)})"
        for node, gradient in enumerate(true.gradients)
        if not _same(yours.gradients[node], gradient)
    ]
    came_early = f"{_few([names[node] for node in too_early])} came too early"
    if not wrong:
        yield (
            f"{WRONG} Not a valid order: {came_early}. The gradients are right all the same, "
            "because what was missing there was not needed further on."
        )
    else:
        steps = sorted(yours.steps, key=lambda step: step.node, reverse=True)
        handed_on = [
            f"{names[step.node]} handed on {number(step.upstream)} instead of "
            f"{number(true.gradients[step.node])}"
            for step in steps
            if step.contributions and not _same(step.upstream, true.gradients[step.node])
        ]
        yield f"{WRONG} In your order {_few(wrong)}."
        yield f"{came_early}. {_few(handed_on)}." if handed_on else f"{came_early}."
    if orders is not None:
        yield how_many(orders)


def _one_of(orders: int | None) -> str:
    if orders is None:
        return "This is a valid order."
    return (
        "This is the only valid order."
        if orders == 1
        else f"This is one of {orders:,} valid orders."
    )


def how_many(orders: int) -> str:
    """The number of valid orders in words.

    >>> how_many(1), how_many(5040)
    ('This graph has 1 valid order.', 'This graph has 5,040 valid orders.')
    """
    return f"This graph has {orders:,} valid order{'' if orders == 1 else 's'}."


def table(graph: Graph, orders: int | None) -> dict[str, Any] | None:
    """Everything that any order can lead to, for a page that plays without Python.

    Orders that lead to the same numbers share a state, so a graph with 4 nodes and 24 orders has
    about 40 states, and one with 7 nodes and 5,040 orders a few hundred.

    Args:
        graph: the graph.
        orders: how many valid orders there are, if that is known.

    Returns:
        ``moments``, ``states`` (for each state, by node: the moment that a pick brings and the
        next state) and ``endings`` (by state). None where the states are too many.
    """
    if 2 ** len(graph) > MOST_STATES:  # every set of nodes is at least one state
        return None
    moments: dict[str, int] = {}
    first: Picks = ()
    numbers = {_state(walk_from(graph, first), first): 0}
    states: list[dict[str, list[int]]] = []
    endings = {}
    waiting = [first]
    for picks in waiting:
        if len(picks) == len(graph):
            endings[str(len(states))] = ending(graph, picks, orders)
        moves = {}
        for node in graph.nodes:
            if node.index in picks:
                continue
            longer = (*picks, node.index)
            walk = walk_from(graph, longer)
            said = json.dumps(_moment(walk, longer))
            state = _state(walk, longer)
            if state not in numbers:
                numbers[state] = len(numbers)
                waiting.append(longer)
            moves[str(node.index)] = [moments.setdefault(said, len(moments)), numbers[state]]
        states.append(moves)
        if len(numbers) > MOST_STATES:
            return None
    return {"moments": list(map(json.loads, moments)), "states": states, "endings": endings}


def _state(walk: Walk, picks: Picks) -> Hashable:
    """All that the picks so far mean for what comes later."""
    upstream = sorted((step.node, step.upstream) for step in walk.steps[: len(picks)])
    too_early = frozenset(early(walk.graph, picks))
    return tuple(upstream), walk.gradients_after(len(picks)), too_early


def _same(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _few(words: Sequence[str]) -> str:
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
