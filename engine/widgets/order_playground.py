"""``OrderPlayground(y)``: choose the order of a reverse walk, and see what comes of it."""

from dataclasses import dataclass
from typing import Any, Self

import traitlets

from engine.graph import Graph
from engine.text import number_text, table_lines
from engine.value import Value
from engine.walk import Walk, reverse_walk
from engine.widgets import front_end
from engine.widgets.orders import (
    Pick,
    early,
    ending,
    how_many,
    missing,
    moment,
    pick_sentences,
    table,
    valid_orders,
    walk_from,
)
from engine.widgets.payload import drawings
from engine.widgets.reverse_walk import LARGEST_STEPPED
from engine.widgets.view import View
from engine.words.naming import graph_summary, label, number, product, title
from engine.words.naming import name as node_name
from engine.words.verdicts import RIGHT, WRONG

HEADING = "Which node is processed first?"
HOW_IT_WORKS = (
    "A node hands its gradient on once. Pick the nodes in an order in which each of them has all "
    "of its contributions by then."
)
HINT = (
    "Click a node or its button. With the keyboard: arrow keys move along the buttons, Enter "
    "picks, Backspace takes the last pick back."
)
NO_PYTHON = (
    "Python follows the order of a graph of this size, and does not reply. If it is not busy with "
    "another cell, run this cell again."
)
WALK_IT = "ReverseWalk(view.walk) steps through this order, where view is your name for this view."


@dataclass(frozen=True)
class PlaygroundState:
    """What an ``OrderPlayground`` shows now.

    Attributes:
        picks: names of the nodes processed so far, in their order. Nodes that share a name have
            their place in it as well, such as ``a * b (n2)``.
        early: those of them that came before all of their contributions.
        gradients: the gradient of every node, by name.
        heading: the line above the sentences.
        sentences: the answer to the last pick and, at the end, what the order came to.
        finished: whether every node is processed.
    """

    picks: tuple[str, ...]
    early: tuple[str, ...]
    gradients: dict[str, float]
    heading: str
    sentences: tuple[str, ...]
    finished: bool


class OrderPlayground(View):
    """Pick the nodes of a graph in any order, and hear at each what had not arrived yet.

    Args:
        output: the last number of the calculation, or a Graph kept from it.
        presenter: begin in presenter mode, with large type for a projector.

    Attributes:
        picks: the nodes processed so far, by index, to be read and set.
        valid_orders: how many orders are valid, or None for graphs too large to count them.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        ValueError: the graph has too many nodes.
        traitlets.TraitError: ``picks`` is set to something that is no beginning of an order.

    >>> x = Value(3.0)
    >>> u = x * x
    >>> v = u * 2
    >>> y = u + v
    >>> playground = OrderPlayground(y)
    >>> print(playground.pick("y").sentences[0])
    ✓ The seed gradient is there: y.grad = 1.
    >>> print(playground.pick("u").sentences[0])
    ✗ Too early: u.grad = 1 is not complete. Missing from v: local derivative 2 × v.grad.
    >>> for name in "vx":
    ...     pick = playground.pick(name)
    >>> playground.walk.grad("x")
    6.0
    """

    _esm = front_end.script("order_playground")

    picks = traitlets.List(traitlets.Int()).tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)

    graph: Graph
    valid_orders: int | None

    def __init__(self, output: Value | Graph, presenter: bool = False) -> None:
        self.graph = output if isinstance(output, Graph) else Graph.of(output)
        if len(self.graph) > LARGEST_STEPPED:
            raise ValueError(
                f"an order of {len(self.graph)} nodes is too long to be picked by hand (the limit "
                f"is {LARGEST_STEPPED}). Choose an earlier node of the calculation; "
                "GraphExplorer(y) shows all of it."
            )
        self.valid_orders = valid_orders(self.graph)
        payload = self._payload()
        self._plays_alone = payload["table"] is not None
        super().__init__(
            view="playground", payload=payload, shown=self._page([]), presenter=presenter
        )
        self.observe(self._answer, "picks")

    @property
    def walk(self) -> Walk:
        """The walk in the order that was picked.

        Raises:
            ValueError: some nodes are not picked yet.
        """
        if waiting := [n.index for n in self.graph.nodes if n.index not in self.picks]:
            names = ", ".join(node_name(self.graph, index) for index in waiting)
            raise ValueError(f"a walk processes every node. Not picked yet: {names}.")
        return reverse_walk(self.graph, self.picks)

    @property
    def state(self) -> PlaygroundState:
        """What is shown now."""
        names, picks = self.graph.own_names, list(self.picks)
        gradients = walk_from(self.graph, picks).gradients_after(len(picks))
        return PlaygroundState(
            picks=tuple(names[index] for index in picks),
            early=tuple(names[index] for index in early(self.graph, picks)),
            gradients=dict(zip(names, gradients, strict=True)),
            heading=moment(self.graph, picks)["heading"] if picks else HEADING,
            sentences=self._sentences(picks),
            finished=self._is_complete(picks),
        )

    def pick(self, node: str | int) -> Pick:
        """Process a node next.

        Args:
            node: its name, as ``state`` gives it, or its index.

        Returns:
            What is said about it. A node that was processed before is refused.

        Raises:
            KeyError: no node, or more than one, has this name.
        """
        index = self.graph.index(node)
        name = self.graph.own_names[index]
        if index in self.picks:
            return Pick(name, False, (), True, (_refusal(self.graph, index),))
        self.picks = [*self.picks, index]
        late = dict.fromkeys(source for source, _ in missing(self.graph, self.picks))
        return Pick(
            node=name,
            early=bool(late),
            missing=tuple(self.graph.own_names[source] for source in late),
            refused=False,
            sentences=pick_sentences(self.graph, self.picks),
        )

    def undo(self) -> Self:
        """Take the last pick back.

        Returns:
            This view, so that a cell can end with it.
        """
        self.picks = self.picks[:-1]
        return self

    def start_again(self) -> Self:
        """Take every pick back.

        Returns:
            This view, so that a cell can end with it.
        """
        self.picks = []
        return self

    @traitlets.validate("picks")
    def _beginning_of_an_order(self, proposal: dict[str, Any]) -> list[int]:
        picks: list[int] = proposal["value"]
        if len(set(picks)) < len(picks) or not set(picks) <= set(range(len(self.graph))):
            raise traitlets.TraitError(
                f"picks are indices of different nodes, from 0 to {len(self.graph) - 1}, "
                f"got {picks}."
            )
        return picks

    def _answer(self, change: dict[str, Any]) -> None:
        self.shown = self._page(change["new"])

    def still(self) -> Graph:
        """The graph with the gradients of now."""
        walk = walk_from(self.graph, self.picks)
        return self.graph.with_gradients(walk.gradients_after(len(self.picks)))

    def __repr__(self) -> str:
        picks = list(self.picks)
        walk = walk_from(self.graph, picks)
        now, too_early = walk.gradients_after(len(picks)), early(self.graph, picks)
        rows = [("pick", "node", "grad then", "grad now", "arrived")]
        rows += [
            (
                str(step.number),
                title(self.graph, step.node),
                number_text(step.upstream),
                number_text(now[step.node]),
                "not all" if step.node in too_early else "all",
            )
            for step in walk.steps[: len(picks)]
        ]
        told = self._sentences(picks) if not picks else self._end(picks)
        return "\n".join((*(table_lines(rows, left={1, 4}) if picks else (HEADING,)), *told))

    # What the front end is told.

    def _is_complete(self, picks: list[int]) -> bool:
        return len(picks) == len(self.graph)

    def _sentences(self, picks: list[int]) -> tuple[str, ...]:
        if not picks:
            return (HOW_IT_WORKS, *self._count())
        return (*pick_sentences(self.graph, picks), *self._end(picks))

    def _end(self, picks: list[int]) -> tuple[str, ...]:
        if not self._is_complete(picks):
            return ()
        return tuple(ending(self.graph, picks, self.valid_orders)["sentences"])

    def _count(self) -> tuple[str, ...]:
        return () if self.valid_orders is None else (how_many(self.valid_orders),)

    def _page(self, picks: list[int]) -> dict[str, Any]:
        """What the front end shows, unless it has a table to find it in."""
        if self._plays_alone:
            return {}
        graph = self.graph
        return {
            "picks": picks,
            "moments": [moment(graph, picks[: k + 1]) for k in range(len(picks))],
            "ending": ending(graph, picks, self.valid_orders) if self._is_complete(picks) else None,
        }

    def _payload(self) -> dict[str, Any]:
        graph = self.graph
        start = walk_from(graph, ()).gradients_after(0)
        return {
            "summary": f"Order playground. {graph_summary(graph)}.",
            **self._drawings(),
            "heading": HEADING,
            "sentences": [HOW_IT_WORKS, *self._count()],
            "hint": HINT,
            "noPython": NO_PYTHON,
            "walkIt": WALK_IT,
            "output": graph.output.index,
            "gradients": [number(gradient) for gradient in start],
            "signs": {"fine": RIGHT, "early": WRONG},
            "nodes": [
                {
                    "name": label(graph.names[node.index]),
                    "title": title(graph, node.index),
                    "refusal": _refusal(graph, node.index),
                }
                for node in graph.nodes
            ],
            "order": {
                "caption": "Your order",
                "columns": ["", "node", "pick", "grad then", "grad now"],
            },
            "result": {
                "caption": "What your order came to",
                "columns": ["", "node", "gradient in your order", "true gradient"],
            },
            "table": table(graph, self.valid_orders),
        }

    def _drawings(self) -> dict[str, Any]:
        graph = self.graph.with_gradients(walk_from(self.graph, ()).gradients_after(0))
        true = reverse_walk(graph)
        walks = (true, *(_with_first(true, index) for index in true.order))
        made = [c for walk in walks for step in walk.steps for c in step.contributions]
        return drawings(graph, [c.after for c in made], map(product, made))


def _with_first(walk: Walk, index: int) -> Walk:
    """The same order but for one node, which comes too early: its numbers need room as well."""
    rest = [other for other in walk.order if other != index]
    return reverse_walk(walk.graph, [index, *rest])


def _refusal(graph: Graph, index: int) -> str:
    return (
        f"{node_name(graph, index)} was processed already, and each node is processed once. "
        "Undo takes the last pick back."
    )
