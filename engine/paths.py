"""Single nodes of a large graph: found, with what is around them, or on the way to the output.

>>> from engine.value import Value
>>> x = Value(3.0, "x")
>>> nodes = SingleNodes(Graph.of(x * 2 + x * 5, names={}))
>>> nodes.strongest_path(0).local_derivatives, nodes.neighborhood(0, hops=1).nodes
((5.0, 1.0), (0, 1, 2))
"""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from engine.boxes import Arrow, Box, FoldedGraph
from engine.graph import Graph, collector_paused
from engine.text import shown
from engine.walk import gradients_of

MOST_BOXES = 60
MOST_AT_EITHER_END = 12
MOST_NEIGHBORS = 40
MOST_MATCHES = 12
SHORTEST_RUN = 3
PLACE = re.compile(r"n(\d{1,15})")


class Path(NamedTuple):
    """A way from a node to the output.

    Attributes:
        nodes: indices, the output last.
        local_derivatives: of each node but the first with respect to the one before it.
        product: of the local derivatives: the part of the gradient that came this way. It is 0
            or infinite where it is too small or too large for a float.
        ways: how many paths lead from the node to the output, this one included.
    """

    nodes: tuple[int, ...]
    local_derivatives: tuple[float, ...]
    product: float
    ways: float


class Neighborhood(NamedTuple):
    """The nodes within some hops of a node.

    Attributes:
        node: the node in the middle.
        hops: how many edges away a node may be, in either direction.
        nodes: indices of the nodes that are kept, in topological order.
        left_out: how many more there are.
    """

    node: int
    hops: int
    nodes: tuple[int, ...]
    left_out: int


class Matches(NamedTuple):
    """What a search found.

    Attributes:
        nodes: indices of the first nodes found, the best matches first.
        total: how many there are.
        by_place: whether the first of them was found by its place, and not by its label.
    """

    nodes: tuple[int, ...]
    total: int
    by_place: bool = False


class SingleNodes:
    """The nodes of a graph that is too large to draw as a whole.

    Args:
        graph: the graph; it is not changed.

    Attributes:
        graph: the graph.
        gradients: of the output with respect to every node, by index, whatever part is shown.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.gradients = gradients_of(graph)

    def gradient_size(self, node: int) -> float:
        """How large a node's gradient is, its sign left out; no number counts as infinite."""
        size = abs(self.gradients[node])
        return size if size == size else math.inf

    def search(self, text: str, most: int = MOST_MATCHES) -> Matches:
        """Find nodes whose label contains a text, upper and lower case alike.

        Whole labels come before beginnings, and beginnings before other places; before them all
        comes the node with the place that is asked for, such as ``"n12"``.

        >>> from engine.value import Value
        >>> SingleNodes(Graph.of(Value(1.0, "ab") + Value(2.0, "b"), names={})).search("b").nodes
        (1, 0)
        """
        if not isinstance(text, str):
            raise TypeError(f"a search needs text, got {shown(text)}.")
        wanted = text.strip().casefold()
        if not wanted:
            return Matches((), 0)
        found: list[list[int]] = [[], [], []]
        for node in self.graph.nodes:
            label = node.label.casefold()
            if wanted in label:
                rank = 0 if label == wanted else 1 if label.startswith(wanted) else 2
                found[rank].append(node.index)
        nodes = [node for group in found for node in group]
        place = PLACE.fullmatch(wanted)
        if not place or int(place[1]) >= len(self.graph):
            return Matches(tuple(nodes[:most]), len(nodes))
        first = int(place[1])
        nodes, by_place = list(dict.fromkeys([first, *nodes])), first not in nodes
        return Matches(tuple(nodes[:most]), len(nodes), by_place)

    def neighborhood(self, node: int, hops: int, most: int = MOST_NEIGHBORS) -> Neighborhood:
        """The nodes that edges connect with a node, near ones and large gradients first.

        Args:
            node: index of the node.
            hops: how many edges away a node may be, in either direction.
            most: how many nodes to keep.
        """
        kept, reached, border = [node], {node}, [node]
        for _ in range(hops):
            ring = {
                other
                for index in border
                for other in (*self.graph.nodes[index].inputs, *self.graph.consumers[index])
            } - reached
            border = sorted(ring, key=lambda index: (-self.gradient_size(index), index))
            kept += border[: max(most - len(kept), 0)]
            reached |= ring
        return Neighborhood(node, hops, tuple(sorted(kept)), len(reached) - len(kept))

    def cut_out(self, nodes: Collection[int]) -> FoldedGraph:
        """Some nodes, each as a box, and the edges between them."""
        places = {index: place for place, index in enumerate(sorted(nodes))}
        arrows = [
            Arrow(places[target], place, 1, local_derivative)
            for index, place in places.items()
            for target, local_derivative in zip(
                self.graph.nodes[index].inputs,
                self.graph.nodes[index].local_derivatives,
                strict=True,
            )
            if target in places
        ]
        return FoldedGraph(tuple(map(single_box, places)), tuple(arrows))

    def strongest_path(self, node: int) -> Path:
        """The path to the output along which the product of local derivatives is largest.

        Its sign does not count. Where every path is interrupted by a local derivative of 0, one of
        them is given, with the product 0.

        Args:
            node: index of the node to start from.
        """
        nodes, derivatives = [node], []
        while nodes[-1] != self.graph.output.index:
            consumer, derivative = self._way_on[nodes[-1]]
            nodes.append(consumer)
            derivatives.append(derivative)
        return Path(tuple(nodes), tuple(derivatives), product_of(derivatives), self._ways[node])

    def chain(self, path: Path) -> FoldedGraph:
        """A path as boxes, one for each node; long runs of additions are one box together.

        Of a path that would have more than ``MOST_BOXES`` boxes the first and the last ones are
        kept, and all nodes between them are one box.
        """
        runs = self._runs(path)
        boxes = [_run_box(path.nodes[run.start : run.stop]) for run in runs]
        if len(runs) > MOST_BOXES:
            middle = slice(MOST_AT_EITHER_END, -MOST_AT_EITHER_END)
            between = range(runs[middle][0].start, runs[middle][-1].stop)
            runs[middle], boxes[middle] = [between], [self._middle(path, between)]
        onward = (path.local_derivatives[run.stop - 1] for run in runs[:-1])
        arrows = [Arrow(start, start + 1, 1, d) for start, d in enumerate(onward)]
        return FoldedGraph(tuple(boxes), tuple(arrows))

    def _runs(self, path: Path) -> list[range]:
        """Which places on a path are one box together."""
        steps = zip(path.nodes[1:], path.local_derivatives, strict=True)
        only_adds = [False, *(d == 1.0 and self.graph.nodes[n].op == "+" for n, d in steps)]
        runs: list[range] = []
        while not runs or runs[-1].stop < len(path.nodes):
            place = end = runs[-1].stop if runs else 0
            while end < len(path.nodes) - 1 and only_adds[end]:
                end += 1
            runs.append(range(place, end if end - place >= SHORTEST_RUN else place + 1))
        return runs

    def _middle(self, path: Path, places: range) -> Box:
        nodes = path.nodes[places.start : places.stop]
        between = path.local_derivatives[places.start : places.stop - 1]
        return Box(
            count=len(nodes),
            largest=max(nodes, key=self.gradient_size),
            last=nodes[-1],
            between=between,
            halfway=nodes[len(nodes) // 2],
        )

    @cached_property
    def _way_on(self) -> list[tuple[int, float]]:
        """For each node the next one on its strongest path, and the local derivative to it.

        Products of thousands of small numbers would vanish, so their logarithms are added.
        """
        way_on = [(-1, 0.0)] * len(self.graph)
        strength = [-math.inf] * len(self.graph)
        strength[-1] = 0.0
        with collector_paused():
            for node in reversed(self.graph.nodes):
                for target, derivative in zip(node.inputs, node.local_derivatives, strict=True):
                    here = strength[node.index] + _log_of_size(derivative)
                    if here > strength[target] or way_on[target][0] < 0:
                        way_on[target] = (node.index, derivative)
                        strength[target] = here
        return way_on

    @cached_property
    def _ways(self) -> list[float]:
        ways = [0.0] * len(self.graph)
        ways[-1] = 1.0
        for node in reversed(self.graph.nodes):
            for target in node.inputs:
                ways[target] += ways[node.index]
        return ways


def single_box(node: int, frame: str = "") -> Box:
    """A box that stands for one node.

    >>> single_box(3).node
    3
    """
    return Box(node=node, largest=node, last=node, frame=frame)


def _run_box(nodes: Sequence[int]) -> Box:
    if len(nodes) == 1:
        return single_box(nodes[0])
    return Box(count=len(nodes), largest=nodes[-1], last=nodes[-1])


def product_of(factors: Iterable[float]) -> float:
    """Multiply, and let no step on the way be too small or too large for a float.

    Returns:
        The product; 0 or an infinity where the product itself does not fit in a float.

    >>> product_of([1e-300, 1e-300, 1e300, 1e300]), math.prod([1e-300, 1e-300, 1e300, 1e300])
    (1.0, 0.0)
    """
    product, twos = 1.0, 0
    for factor in factors:
        fraction, power = math.frexp(factor)
        product, more = math.frexp(product * fraction)
        twos += power + more
    try:
        return math.ldexp(product, twos)
    except OverflowError:
        return math.copysign(math.inf, product)


def _log_of_size(number: float) -> float:
    return math.log(abs(number)) if number else -math.inf
