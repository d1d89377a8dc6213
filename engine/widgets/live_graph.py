"""``LiveGraph(y)``: take hold of the numbers of a calculation, and see everything follow."""

from dataclasses import dataclass
from typing import Any, Self

import traitlets

from engine.graph import Graph, few_names
from engine.numbers import finite, positive
from engine.recompute import Moved, moved, recomputed, require_operations
from engine.text import shown
from engine.value import Value
from engine.walk import reverse_walk
from engine.widgets import front_end
from engine.widgets.live_drawing import live_payload, live_picture
from engine.widgets.live_words import LiveWords
from engine.widgets.reverse_walk import require_readable
from engine.widgets.view import SteppedView
from engine.words.walks import WalkWords

MODES = ("hold", "wiggle", "walk")


@dataclass(frozen=True)
class LiveState:
    """What a ``LiveGraph`` shows.

    Attributes:
        mode: ``"hold"``, ``"wiggle"`` or ``"walk"``.
        data: the number of every node, by its own name.
        gradients: its gradient; in a walk what has arrived so far.
        deltas: in a wiggle how far each node goes, from h below to h above; else empty.
        ratios: how many times as far as the number that is wiggled.
        arrows: how many times as far the second node goes as the first one, were that the only
            one that moves; by their names and the place among the inputs.
        heading: the line above the sentences.
        sentences: what is told.
    """

    mode: str
    data: dict[str, float]
    gradients: dict[str, float]
    deltas: dict[str, float]
    ratios: dict[str, float]
    arrows: dict[tuple[str, str, int], float]
    heading: str
    sentences: tuple[str, ...]


class LiveGraph(SteppedView):
    """A graph whose leaves can be dragged, stepped and typed; every other number follows at once.

    Take hold of a leaf, wiggle one number and see how far every other one goes, or walk back over
    the present numbers. All of it is computed in the page: it needs no kernel.

    Args:
        output: the last number of the calculation, or a Graph kept from it.
        mode: what to begin with: ``"hold"``, ``"wiggle"`` or ``"walk"``.
        wiggle: own name of the number to wiggle; by default the first leaf.
        h: how far it goes down and up.
        index: the position of the walk, 0 to the number of nodes.
        presenter: begin in presenter mode, with large type for a projector.

    Attributes:
        numbers: the number of every leaf, by its own name, to be read and set. Those that are
            not named keep theirs: ``view.numbers = {"a": 3.0}``.
        mode, wiggle, h, index: as above, to be read and set.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        ValueError: the graph has more than 60 nodes, or an operation made with ``record()``.
        traitlets.TraitError: something is set that cannot be; what was shown before stays.

    >>> x = Value(3.0)
    >>> view = LiveGraph(x * x + x)
    >>> view.numbers = {"x": 5.0}
    >>> view.state.gradients["x"]
    11.0
    """

    _esm = front_end.script("eval", "live_graph")

    numbers = traitlets.Dict().tag(sync=True)
    mode = traitlets.Unicode("hold").tag(sync=True)
    wiggle = traitlets.Unicode().tag(sync=True)
    h = traitlets.Float(0.1).tag(sync=True)

    def __init__(
        self,
        output: Value | Graph,
        *,
        mode: str = "hold",
        wiggle: str | None = None,
        h: float = 0.1,
        index: int = 0,
        presenter: bool = False,
    ) -> None:
        graph = output if isinstance(output, Graph) else Graph.of(output)
        require_readable(len(graph))
        require_operations(graph)
        self._start = graph
        self._leaves = {graph.own_names[n.index]: n.index for n in graph.nodes if not n.op}
        super().__init__(
            view="live",
            payload=live_payload(graph),
            numbers={},
            mode=mode,
            wiggle=next(iter(self._leaves)) if wiggle is None else wiggle,
            h=h,
            index=index,
            presenter=presenter,
        )

    @property
    def graph(self) -> Graph:
        """The graph at the present numbers, with its gradients."""
        return _at(self._start, self._numbers)

    @property
    def last(self) -> int:
        """The last position of the walk: the number of nodes."""
        return len(self._start)

    @property
    def state(self) -> LiveState:
        """What is shown now."""
        graph, names = self.graph, self._start.own_names
        (moved, why), words = self._moved(graph), LiveWords(graph)
        walk = reverse_walk(graph)
        if self.mode == "walk":
            told = WalkWords(walk)
            lines = (told.heading(self.index), *told.sentences(self.index))
            gradients = walk.gradients_after(self.index)
        else:
            lines = words.wiggled(moved) if moved else ((why,) if why else words.held())
            gradients = walk.gradients
        arrows = moved.along.items() if moved else ()
        return LiveState(
            mode=self.mode,
            data=dict(zip(names, (node.data for node in graph.nodes), strict=True)),
            gradients=dict(zip(names, gradients, strict=True)),
            deltas=dict(zip(names, moved.deltas, strict=True)) if moved else {},
            ratios=dict(zip(names, moved.ratios, strict=True)) if moved else {},
            arrows={
                (names[graph.nodes[source].inputs[slot]], names[source], slot): ratio
                for (source, slot), ratio in arrows
            },
            heading=lines[0],
            sentences=tuple(lines[1:]),
        )

    def reset(self) -> Self:
        """Go back to the numbers of the recording.

        Returns:
            This view, so that a cell can end with it.
        """
        self.numbers = {name: self._start.nodes[i].data for name, i in self._leaves.items()}
        return self

    def __repr__(self) -> str:
        graph = self.graph
        return LiveWords(graph).text(*self._moved(graph))

    def still(self) -> Graph:
        """The graph at the present numbers; in a walk with the gradients of its position."""
        if self.mode != "walk":
            return self.graph
        return self.graph.with_gradients(reverse_walk(self.graph).gradients_after(self.index))

    def picture(self) -> str | None:
        """The SVG to show where the view cannot be live, or None."""
        moved, _ = self._moved(self.graph)
        return live_picture(self.graph, moved) if moved else super().picture()

    def _moved(self, graph: Graph) -> tuple[Moved | None, str]:
        """What the wiggle does, or why the number cannot move so far."""
        if self.mode != "wiggle":
            return None, ""
        index = graph.index(self.wiggle)
        try:
            return moved(graph, index, self.h), ""
        except (ArithmeticError, ValueError) as error:
            return None, LiveWords(graph).stuck(index, self.h, str(error))

    @property
    def _numbers(self) -> dict[int, float]:
        return {self._leaves[name]: number for name, number in self.numbers.items()}

    @traitlets.validate("numbers")
    def _computable(self, proposal: dict[str, Any]) -> dict[str, float]:
        asked = proposal["value"]
        if unknown := [name for name in asked if name not in self._leaves]:
            raise traitlets.TraitError(
                f"{shown(unknown[0])} is no leaf of this graph; its leaves are "
                f"{few_names(list(self._leaves))}."
            )
        kept = {name: self._start.nodes[index].data for name, index in self._leaves.items()}
        kept |= self.numbers
        try:
            kept |= {name: finite(number, name) for name, number in asked.items()}
            _at(self._start, {self._leaves[name]: number for name, number in kept.items()})
        except (ArithmeticError, TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from error
        return kept

    @traitlets.validate("mode")
    def _known_mode(self, proposal: dict[str, Any]) -> str:
        mode: str = proposal["value"]
        if mode not in MODES:
            raise traitlets.TraitError(f'mode is "hold", "wiggle" or "walk", got {shown(mode)}.')
        return mode

    @traitlets.validate("wiggle")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        try:
            return self._start.own_names[self._start.index(proposal["value"])]
        except KeyError as error:
            raise traitlets.TraitError(str(error.args[0])) from None

    @traitlets.validate("h")
    def _usable_step(self, proposal: dict[str, Any]) -> float:
        try:
            return positive(proposal["value"], "h")
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from None


def _at(graph: Graph, numbers: dict[int, float]) -> Graph:
    computed = recomputed(graph, numbers)
    return computed.with_gradients(reverse_walk(computed).gradients)
