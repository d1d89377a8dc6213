"""``GraphExplorer(y)``: find one's way in a graph of any size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import traitlets

from engine.boxes import Box, FoldedGraph, box_order, circles
from engine.drawing.folded import (
    FoldedLayout,
    arrow_text,
    arrows_into,
    box_title,
    chain_layout,
    folded_layout,
    folded_summary,
    folded_svg,
    scope_title,
    size_text,
)
from engine.drawing.renderer import HOW_TO_GET_PICTURES, placed_or_why
from engine.folding import Fold, Folding
from engine.graph import Graph
from engine.numbers import whole
from engine.paths import Neighborhood, Path
from engine.text import number_text, table_lines
from engine.value import Value
from engine.widgets import front_end
from engine.widgets.explorer_words import (
    HINT,
    NO_PYTHON,
    box_sentences,
    drawing_story,
    drawing_text,
    neighborhood_story,
    nodes_text,
    path_story,
    walk_heading,
    walk_sentences,
)
from engine.widgets.view import SteppedView
from engine.words.naming import label, number, title

MOST_HOPS = 6
HOPS = 2
COLUMNS = ("node", "scope", "data", "grad")


@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that a search found.

    Attributes:
        index: its place in the graph.
        name: what it is called in the whole graph, and no other node: its label, or how it was
            made such as ``a * b``, or its place such as ``n12``.
        scope: the part of the model it belongs to.
        data: its number.
        grad: its gradient, of the walk over the whole graph.
    """

    index: int
    name: str
    scope: str
    data: float
    grad: float


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        text: what was searched for.
        nodes: the first nodes found.
        total: how many there are.
        by_place: whether the first of them was found by its place, and not by its label.
    """

    text: str
    nodes: tuple[FoundNode, ...]
    total: int
    by_place: bool = False

    @property
    def sentence(self) -> str:
        """How many were found, and what to do if there are too many."""
        wanted = f"\N{LEFT DOUBLE QUOTATION MARK}{label(self.text)}\N{RIGHT DOUBLE QUOTATION MARK}"
        if not self.total:
            return f"No label contains {wanted}."
        labeled = self.total - self.by_place
        found = f"{nodes_text(labeled)} with {wanted} in the label"
        if self.by_place:
            place = f"1 node called {wanted} by its place"
            found = f"{place} and {found}" if labeled else place
        if self.total == len(self.nodes):
            return f"{found}."
        return f"{found}; the first {len(self.nodes)} are listed. Type more of the label."

    def __repr__(self) -> str:
        cells = [
            (label(n.name), label(n.scope) or "-", number_text(n.data), number_text(n.grad))
            for n in self.nodes
        ]
        table = table_lines([COLUMNS, *cells], left={0, 1}) if cells else ()
        return "\n".join([self.sentence, *table])


@dataclass(frozen=True)
class ExplorerState:
    """What a ``GraphExplorer`` shows.

    Attributes:
        boxes: the headings of the boxes that are drawn, inputs first.
        opened: paths of the open boxes.
        story: what is said about the drawing, its heading first.
        index: the position of the walk over the boxes; 0 is before the first step.
        box: heading of the box the walk is at, or None at position 0.
        sentences: what happens there.
    """

    boxes: tuple[str, ...]
    opened: tuple[str, ...]
    story: tuple[str, ...]
    index: int
    box: str | None
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class _Scene:
    """What one drawing shows: the boxes of a fold, or a neighborhood, or a path."""

    fold: Fold
    around: Neighborhood | None = None
    path: Path | None = None


class GraphExplorer(SteppedView):
    """Open a graph of any size box by box, find single nodes, and see how their gradients come.

    Nodes are folded by scope, parameters by label; scopes that differ only by a trailing number
    are one box together. The gradients are those of the reverse walk over the whole graph.

    Args:
        output: the last number of the calculation, or a Graph kept from it.
        presenter: begin in presenter mode, with large type for a projector.

    Attributes:
        index: the position of the walk over the boxes that are drawn, to be read and set.
        graph: the graph, with the gradients of the whole walk.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        traitlets.TraitError: ``index`` is set to a position that does not exist.

    >>> from engine.recording import scope
    >>> from engine.value import Parameter
    >>> w = [Parameter(0.1 * i, f"w[{i}]") for i in range(20)]
    >>> y = Value(0.0)
    >>> for i in range(100):
    ...     with scope(f"sample{i}"):
    ...         y = y + w[i % 20] * float(i)
    >>> view = GraphExplorer(y)
    >>> view.state.boxes
    ('n0', 'w', 'each of 100 samples')
    >>> view.open("sample7").state.story[0]
    '221 nodes in 5 boxes'
    >>> view.strongest_path("w[3]").state.story[1]
    'The product of its 18 local derivatives is 83. The whole gradient is w[3].grad = 215.'
    """

    _esm = front_end.script("graph_explorer")

    index = traitlets.Int(0)
    shown = traitlets.Dict().tag(sync=True)
    # The number of a drawing, and the position in it. A step that the page made can arrive after
    # the wish for another drawing that it made later; then it is not a step in the new one.
    stepped = traitlets.List(traitlets.Int(), [0, 0]).tag(sync=True)

    def __init__(self, output: Value | Graph, presenter: bool = False) -> None:
        graph = output if isinstance(output, Graph) else Graph.of(output)
        self._folding = Folding(graph)
        self._scene = _Scene(self._folding.first())
        self._before: list[_Scene] = []
        self._number = 0
        self._found: Found | None = None
        self._draw()
        payload = {
            "summary": f"Graph explorer. {folded_summary(self._folding, self._folded)}.",
            "noPython": NO_PYTHON,
            "hint": HINT,
            "columns": COLUMNS,
            "hops": [HOPS, MOST_HOPS],
        }
        super().__init__(view="explorer", payload=payload, shown=self._page(), presenter=presenter)
        self.on_msg(self._hear)

    @property
    def graph(self) -> Graph:
        """The graph that is explored, with the gradients of the whole walk."""
        return self._folding.graph.with_gradients(self._folding.gradients)

    @property
    def path(self) -> Path | None:
        """The path that is shown, if one is."""
        return self._scene.path

    @property
    def last(self) -> int:
        """The last position of the walk: the number of boxes."""
        return len(self._folded.boxes)

    @property
    def state(self) -> ExplorerState:
        """What is shown now."""
        position = self._positions[self.index]
        place = position["box"]
        return ExplorerState(
            boxes=tuple(box_title(self._folding, box) for box in self._folded.boxes),
            opened=tuple(frame.path for frame in self._folded.frames),
            story=self._story,
            index=self.index,
            box=None if place is None else box_title(self._folding, self._folded.boxes[place]),
            sentences=tuple(position["sentences"]),
        )

    # -- what can be done ------------------------------------------------------------------------

    def open(self, path: str | None = None) -> Self:
        """Show what is inside a box.

        Args:
            path: of the box, such as ``"token*/attention"``, or its end if only one box ends so.
                ``"token0/attention"`` takes one of the repeated scopes out of the others.
                Without a path the view itself is opened, as any widget does when it is made.

        Raises:
            KeyError: there is no such box.
            ValueError: more would have to be drawn than can be read.
        """
        if path is None:
            super().open()
            return self
        return self._go(_Scene(self._folding.open(self._scene.fold, path)))

    def one_by_one(self, path: str) -> Self:
        """Show repeated scopes side by side, each as a box of its own.

        Args:
            path: of the box that stands for all of them, such as ``"token*"``.

        Raises:
            KeyError: there is no such box.
            ValueError: more would have to be drawn than can be read.
        """
        return self._go(_Scene(self._folding.one_by_one(self._scene.fold, path)))

    def close(self, path: str | None = None) -> Self:
        """Hide what is inside a box; a closed scope goes back to those that repeat it.

        Args:
            path: of the open box. Without one the view itself is closed, as any widget.

        Raises:
            KeyError: no such box is open.
        """
        if path is None:
            super().close()
            return self
        return self._go(_Scene(self._folding.close(self._scene.fold, path)))

    def neighborhood(self, node: int | str, hops: int = HOPS) -> Self:
        """Show the nodes within some hops of a node.

        Args:
            node: its name or index.
            hops: how many edges away a node may be, in either direction.

        Raises:
            KeyError: no node, or more than one, has this name.
            TypeError: ``hops`` is no whole number.
            ValueError: ``hops`` is not from 1 to 6.
        """
        hops = whole(hops, "hops")
        if not 1 <= hops <= MOST_HOPS:
            raise ValueError(f"hops is a whole number from 1 to {MOST_HOPS}, got {hops}.")
        around = self._folding.nodes.neighborhood(self._folding.graph.index(node), hops)
        return self._go(replace(self._scene, around=around, path=None))

    def strongest_path(self, node: int | str) -> Self:
        """Show the path to the output along which the product of local derivatives is largest.

        Args:
            node: name or index of the node to start from.

        Raises:
            KeyError: no node, or more than one, has this name.
        """
        path = self._folding.nodes.strongest_path(self._folding.graph.index(node))
        return self._go(replace(self._scene, around=None, path=path))

    def search(self, text: str) -> Found:
        """Find nodes whose label contains a text.

        Args:
            text: a part of the label; upper and lower case are the same. A place such as ``"n12"``
                finds the node that has it as well.

        Returns:
            The first matches, which the view lists as well.
        """
        matches = self._folding.nodes.search(text)
        graph, gradients = self._folding.graph, self._folding.gradients
        self._found = Found(
            text,
            tuple(
                FoundNode(
                    i, graph.own_names[i], graph.nodes[i].scope, graph.nodes[i].data, gradients[i]
                )
                for i in matches.nodes
            ),
            matches.total,
            matches.by_place,
        )
        self.shown = {**self.shown, "notice": "", "found": self._found_page()}
        return self._found

    def back(self) -> Self:
        """Go back to the drawing before."""
        if self._before:
            self._show(self._before.pop())
        return self

    def boxes(self) -> Self:
        """Go from single nodes to the boxes they were opened from."""
        return self._go(_Scene(self._scene.fold))

    def __repr__(self) -> str:
        return drawing_text(self._folding, self._folded, self._story)

    def picture(self) -> str | None:
        """The drawing, for where the view cannot be live."""
        drawn: list[str] = self.shown["svg"]
        return drawn[0] if drawn else None

    # -- from one drawing to the next --------------------------------------------------------------

    def _go(self, scene: _Scene) -> Self:
        if scene != self._scene:
            self._before.append(self._scene)
        self._show(scene)
        return self

    def _show(self, scene: _Scene) -> None:
        self._scene = scene
        self._number += 1
        self._draw()
        with self.hold_sync():
            self.index = 0
            self.stepped = [self._number, 0]
            self.shown = self._page()

    @traitlets.observe("index")
    def _tell_the_page(self, _: object) -> None:
        self.stepped = [self._number, self.index]

    @traitlets.observe("stepped")
    def _follow_the_page(self, _: object) -> None:
        number, index = self.stepped
        if number == self._number:
            self.index = index
        else:
            self._tell_the_page(None)

    def _draw(self) -> None:
        folding, scene = self._folding, self._scene
        if scene.path is not None:
            self._folded = folding.nodes.chain(scene.path)
            self._story = path_story(folding, scene.path)
        elif scene.around is not None:
            self._folded = folding.nodes.cut_out(scene.around.nodes)
            self._story = neighborhood_story(folding, scene.around)
        else:
            self._folded = folding.view(scene.fold)
            self._story = drawing_story(folding, self._folded)
        self._positions = _positions(folding, self._folded)

    def _hear(self, _: object, message: dict[str, Any], __: object) -> None:
        actions: dict[object, Callable[[], object]] = {
            "open": lambda: self.open(message["path"]),
            "close": lambda: self.close(message["path"]),
            "each": lambda: self.one_by_one(message["path"]),
            "around": lambda: self.neighborhood(message["node"], message.get("hops", HOPS)),
            "path": lambda: self.strongest_path(message["node"]),
            "search": lambda: self.search(message["text"]),
            "boxes": self.boxes,
            "back": self.back,
        }
        try:
            actions[message["do"]]()
        except (KeyError, TypeError, ValueError) as refused:
            self.shown = {**self.shown, "notice": str(refused.args[0])}

    # -- what the front end is told ----------------------------------------------------------------

    def _page(self) -> dict[str, Any]:
        folding, folded = self._folding, self._folded
        placed, why_none = placed_or_why(self._layouts)
        drawn = [folded_svg(folding, folded, one) for one in placed or () if one is not None]
        return {
            "svg": drawn,
            "noPicture": "" if drawn else why_none or HOW_TO_GET_PICTURES,
            "summary": f"Graph explorer. {folded_summary(folding, folded)}.",
            "notice": "",
            "story": list(self._story),
            "number": self._number,
            "hops": None if self._scene.around is None else self._scene.around.hops,
            "single": self._scene.path is not None or self._scene.around is not None,
            "canGoBack": bool(self._before),
            "boxes": [self._box(place, box) for place, box in enumerate(folded.boxes)],
            "frames": _frames(folded),
            "positions": self._positions,
            "found": self._found_page(),
        }

    def _layouts(self) -> list[FoldedLayout | None]:
        place = folded_layout if self._scene.path is None else chain_layout
        return [place(self._folding, self._folded, down) for down in (False, True)]

    def _box(self, place: int, box: Box) -> dict[str, Any]:
        folding = self._folding
        nodes: Sequence[int] = () if box.node is None else (box.node,)
        if box.path:
            nodes = folding.largest_in(self._scene.fold, box.path)
        return {
            "title": box_title(folding, box),
            "path": box.path,
            "node": box.node,
            "alone": box.path in self._scene.fold.apart,
            "members": [f"{box.path.rpartition('/')[0]}/{m}".lstrip("/") for m in box.members],
            "label": _spoken(folding, box),
            "grad": size_text(folding, box),
            "sentences": list(box_sentences(folding, self._folded, place)),
            "rows": [self._row(node) for node in nodes],
        }

    def _row(self, node: int) -> dict[str, Any]:
        graph = self._folding.graph
        return {
            "node": node,
            "cells": [
                title(graph, node),
                label(graph.nodes[node].scope) or "\N{EN DASH}",
                number(graph.nodes[node].data),
                number(self._folding.gradients[node]),
            ],
        }

    def _found_page(self) -> dict[str, Any] | None:
        if self._found is None or not self._found.text.strip():
            return None
        rows = [self._row(node.index) for node in self._found.nodes]
        return {"sentence": self._found.sentence, "rows": rows}


def _frames(folded: FoldedGraph) -> list[dict[str, str]]:
    """Each open box, with the boxes around it in its name: two can have one title."""
    titles = {f.path: scope_title(f.path, f.members, f.rest) for f in folded.frames}
    return [
        {
            "path": path,
            "title": titles[path],
            "name": " / ".join(titles[p] for p in titles if f"{path}/".startswith(f"{p}/")),
        }
        for path in titles
    ]


def _spoken(folding: Folding, box: Box) -> str:
    """A box for who does not see it: its heading, and what its lines say."""
    heading, size = box_title(folding, box), size_text(folding, box)
    if box.node is not None:
        scope = folding.graph.nodes[box.node].scope
        return f"{heading}, gradient {size}" + (f", in {label(scope)}" if scope else "")
    largest = f"largest gradient {size} without its sign" if box.path else "additions"
    if box.between:
        largest = f"product of their local derivatives {size}"
    return f"{heading}, {nodes_text(box.count)}, {largest}"


def _positions(folding: Folding, folded: FoldedGraph) -> list[dict[str, Any]]:
    order, circular, into = box_order(folded), circles(folded), arrows_into(folded)
    start = walk_heading(folding, folded, order, 0)
    positions: list[dict[str, Any]] = [
        {"heading": start, "sentences": [], "box": None, "contributions": []}
    ]
    for index, place in enumerate(order, start=1):
        positions.append(
            {
                "heading": walk_heading(folding, folded, order, index),
                "sentences": list(walk_sentences(folding, folded, place, place in circular)),
                "box": place,
                "contributions": [
                    {
                        "target": arrow.start,
                        "edge": f"{place}-{slot}",
                        "caption": arrow_text(arrow),
                    }
                    for slot, arrow in enumerate(into[place])
                ],
            }
        )
    return positions
