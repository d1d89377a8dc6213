"""A graph too large to draw, as a few boxes: folded by scope, cut out around a node, or one path.

The gradients are always those of the walk over the whole graph, whatever part is shown.

>>> from engine.value import Parameter, scope
>>> weights = [Parameter(0.5, f"w[{i}]") for i in range(3)]
>>> total = weights[0] * 0
>>> for i in range(4):
...     with scope(f"sample{i}"):
...         total = total + weights[i % 3] * float(i)
>>> folding = Folding(Graph.of(total, names={}))
>>> folded = folding.view(Fold())
>>> [(box.path, box.count) for box in folded.boxes]
[('', 1), ('parameters', 3), ('sample*', 8)]
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush, nlargest
from typing import NamedTuple

from engine.graph import Graph, Node, collector_paused, few_names
from engine.text import shown

PARAMETERS = "parameters"
INPUTS = "inputs"
OWN = "."
UNLABELED = "unlabeled"
REPEATED = "*"
MOST_BOXES = 60
MOST_AT_EITHER_END = 12
MOST_AT_FIRST = 15
FEW_NODES = 8
MOST_NEIGHBORS = 40
MOST_LISTED = 8
SHORTEST_RUN = 3
MOST_MATCHES = 12
NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)
INDICES = re.compile(r"(\[\d+\])+$")
PLACE = re.compile(r"n(\d{1,15})")


@dataclass(frozen=True, slots=True)
class Fold:
    """What is open.

    Attributes:
        opened: paths of the boxes whose inside is shown.
        apart: paths of scopes that are shown alone, although others repeat them.
    """

    opened: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Box:
    """One node, or all nodes of a scope that is not open.

    Attributes:
        path: the scope, such as ``"token*/attention"``; ``""`` for a single node, and for nodes
            that follow one another on a path.
        members: the repeated scopes that are folded into this one box, else empty.
        rest: whether others that repeat them are shown alone.
        count: how many nodes it stands for.
        node: index of the node, if it stands for one.
        largest: index of the node in it with the largest absolute gradient.
        last: index of its last node.
        inside: how many edges run between its own nodes.
        frame: path of the open box around it, ``""`` for none.
        between: the local derivatives from its first node to its last, if it stands for the
            middle of a long path.
        halfway: index of the node halfway, if it stands for the middle of a long path.
    """

    path: str
    members: tuple[str, ...]
    rest: bool
    count: int
    node: int | None
    largest: int
    last: int
    inside: int
    frame: str
    between: tuple[float, ...] = ()
    halfway: int | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """Edges of the graph that are drawn as one.

    Attributes:
        start: place of the box with the inputs.
        end: place of the box with the nodes made from them.
        count: how many edges it stands for.
        local_derivative: of the end with respect to the start, if both are single nodes.
    """

    start: int
    end: int
    count: int
    local_derivative: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """An open box: a frame around what it holds.

    Attributes:
        path: the scope.
        members: the repeated scopes that are folded into it, else empty.
        rest: whether others that repeat them are shown alone.
        count: how many nodes it holds.
        outer: path of the frame around it, ``""`` for none.
    """

    path: str
    members: tuple[str, ...]
    rest: bool
    count: int
    outer: str


@dataclass(frozen=True, slots=True)
class FoldedGraph:
    """What is drawn at once.

    Attributes:
        boxes: in the order of their last nodes, so that the output's box comes last.
        arrows: at most one between two boxes in each direction; between two single nodes one
            for each input.
        frames: the open boxes, outer ones first.
    """

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    frames: tuple[Frame, ...] = ()


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


class _Unit(NamedTuple):
    """Nodes that are never told apart by folding.

    Attributes:
        segments: of the path to them.
        grouped: whether the last segment is a label; labels are not repeated scopes.
    """

    segments: tuple[str, ...]
    grouped: bool


class _Family(NamedTuple):
    """A name in a scope, which may stand for several that repeat one another.

    ``members`` and ``rest`` are as in a box.
    """

    members: tuple[str, ...] = ()
    rest: bool = False


class _Part(NamedTuple):
    """One part of a scope, with the units in it; ``members`` and ``rest`` are as in a box."""

    path: str
    members: tuple[str, ...]
    rest: bool
    units: list[int]


class _Shown(NamedTuple):
    """What a fold shows, each with the path of the frame around it.

    Attributes:
        closed: the parts that are one box each.
        alone: the units that are shown node by node.
        frames: the open parts, outer ones first.
    """

    closed: list[tuple[_Part, str]]
    alone: list[tuple[int, str]]
    frames: list[Frame]


class Folding:
    """The scopes of a graph, ready to be opened and closed.

    Args:
        graph: the graph; it is not changed.

    Attributes:
        graph: the graph.
        gradients: of the output with respect to every node, by index.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.gradients = gradients_of(graph)
        units: dict[_Unit, int] = {}
        with collector_paused():
            self._unit_of = [units.setdefault(_unit(node), len(units)) for node in graph.nodes]
        self._units = tuple(units)
        self._nodes: list[list[int]] = [[] for _ in units]
        for index, unit in enumerate(self._unit_of):
            self._nodes[unit].append(index)
        self._largest = [
            nlargest(MOST_LISTED, nodes, key=self.gradient_size) for nodes in self._nodes
        ]

    def gradient_size(self, node: int) -> float:
        """How large a node's gradient is, its sign left out; no number counts as infinite."""
        size = abs(self.gradients[node])
        return size if size == size else math.inf

    # -- opening and closing -----------------------------------------------------------------------

    def first(self) -> Fold:
        """What is open at first: the outermost boxes, the largest first, while few are drawn.

        >>> from engine.value import Value
        >>> Folding(Graph.of(Value(1.0) * 2, names={})).first()
        Fold(opened=frozenset(), apart=frozenset())
        """
        fold = Fold()
        refused: set[str] = set()
        small = len(self.graph) <= MOST_BOXES
        most = MOST_BOXES if small else MOST_AT_FIRST
        while True:
            closed = [part for part, _ in self._shown(fold).closed if part.path not in refused]
            inner = [part for part in closed if small or self._parts(fold, part.path)]
            if not inner:
                return fold
            part = min(inner, key=lambda part: (part.path.count("/"), -self._total(part.units)))
            opened = replace(fold, opened=fold.opened | {part.path})
            if self._count(opened) <= most:
                fold = opened
            else:
                refused.add(part.path)

    def open(self, fold: Fold, path: str) -> Fold:
        """Show what is inside a box.

        Args:
            fold: what is open now.
            path: of the box, or its end if only one box ends so. A scope that is folded with
                others that repeat it, such as ``"token0/attention"``, is taken out of them.

        Raises:
            KeyError: there is no such box.
            ValueError: too much would have to be drawn.
        """
        opened = self._opened(fold, self._full(fold, path))
        return self._drawable(fold, opened, path)

    def one_by_one(self, fold: Fold, path: str) -> Fold:
        """Show repeated scopes side by side, each as a box of its own.

        Raises:
            KeyError: there is no such box, or it does not stand for repeated scopes.
            ValueError: too much would have to be drawn.
        """
        path = self._full(fold, path)
        part = self._find(fold, path)
        if part is None or not part.members:
            raise KeyError(f"{shown(path)} is not one of several repeated scopes.")
        outer = path.rpartition("/")[0]
        alone = {_join(outer, member) for member in part.members}
        inside = {other for other in fold.opened if _is_within(other, path)}
        apart = Fold(fold.opened - inside, fold.apart | alone)
        return self._drawable(fold, apart, path)

    def close(self, fold: Fold, path: str) -> Fold:
        """Hide what is inside a box; a closed scope goes back to those that repeat it.

        Raises:
            KeyError: no such box is open.
        """
        path = self._full(fold, path)
        inside = {other for other in fold.opened if _is_within(other, path)}
        if inside:
            apart = {other for other in fold.apart if other != path and _is_within(other, path)}
            return Fold(fold.opened - inside, fold.apart - apart)
        if path in fold.apart:
            return replace(fold, apart=fold.apart - {path})
        opened = ", ".join(sorted(fold.opened)) or "nothing"
        raise KeyError(f"{shown(path)} is not open; open: {opened}.")

    def _drawable(self, before: Fold, after: Fold, path: str) -> Fold:
        count, now = self._count(after), self._count(before)
        if count <= MOST_BOXES:
            return after
        raise ValueError(
            f"opening {shown(path)} would draw {count:,} boxes; at most {MOST_BOXES} are drawn "
            f"at once, {now} of them now. {self._instead(before, path, count - now)}"
        )

    def _instead(self, fold: Fold, path: str, more: int) -> str:
        """What can be drawn where too much was asked for."""
        frames = [frame.path for frame in self._shown(fold).frames]
        part = self._find(fold, path)
        if part and part.members:
            member = _join(path.rpartition("/")[0], part.members[0])
            first = f"Open one of the repeated scopes, such as {shown(member)}, or look"
        elif more < MOST_BOXES and frames:
            first = f"Close another box first, such as {shown(frames[-1])}, or look"
        else:
            first = "Look"
        return (
            f"{first} at single nodes: search a label, or take the neighborhood or the strongest "
            "path of a node."
        )

    def _full(self, fold: Fold, path: str) -> str:
        if not isinstance(path, str):
            raise TypeError(f"a box has a path such as 'layer0/attention', got {shown(path)}.")
        path = "/".join(filter(None, path.split("/")))
        if self._find(fold, path) is not None:
            return path
        now = self._shown(fold)
        paths = [part.path for part, _ in now.closed] + [frame.path for frame in now.frames]
        ends = [other for other in paths if other.endswith(f"/{path}")]
        return ends[0] if len(ends) == 1 else path

    def _opened(self, fold: Fold, path: str) -> Fold:
        at = ""
        for segment in path.split("/"):
            parts = self._parts(fold, at)
            if _named(parts, _join(at, segment)) is None:
                family = next((part for part in parts if segment in part.members), None)
                if family is None:
                    names = [part.path.rpartition("/")[2] for part in parts]
                    where = f"in {shown(at)}" if at else "in this graph"
                    raise KeyError(
                        f"there is no scope {shown(segment)} {where}, "
                        f"only: {few_names(names) or 'nodes'}."
                    )
                fold = replace(fold, apart=fold.apart | {_join(at, segment)})
            at = _join(at, segment)
            fold = replace(fold, opened=fold.opened | {at})
        return fold

    # -- the scopes as a tree ----------------------------------------------------------------------

    def _find(self, fold: Fold, path: str) -> _Part | None:
        at, found = "", None
        for segment in path.split("/"):
            found = _named(self._parts(fold, at), _join(at, segment))
            if found is None:
                return None
            at = found.path
        return found

    def _parts(self, fold: Fold, path: str) -> list[_Part]:
        """The parts of a scope: inner scopes, then its own nodes if it has both."""
        units, depth = list(range(len(self._units))), 0
        if path:
            part = self._find(fold, path)
            if part is None:
                return []
            units, depth = part.units, path.count("/") + 1
        return self._split(fold, path, units, depth)

    def _split(self, fold: Fold, path: str, units: Iterable[int], depth: int) -> list[_Part]:
        named: dict[str, list[int]] = defaultdict(list)
        for unit in units:
            segments = self._units[unit].segments
            named[segments[depth] if len(segments) > depth else OWN].append(unit)
        if set(named) == {OWN} and (path or self._total(named[OWN]) <= MOST_BOXES):
            return []
        parts = []
        for name, family in self._families(fold, path, named, depth).items():
            inner = [unit for member in family.members or [name] for unit in named[member]]
            parts.append(_Part(_join(path, name), *family, inner))
        return parts

    def _families(
        self, fold: Fold, path: str, named: dict[str, list[int]], depth: int
    ) -> dict[str, _Family]:
        """The names in a scope; those that differ only by a trailing number become one.

        Two that count from 1, such as fc1 and fc2, are more likely to be different things.
        """
        stems: dict[str, list[str]] = defaultdict(list)
        for name, units in named.items():
            numbered = NUMBERED.fullmatch(name)
            scopes = any(not self._is_label(unit, depth) for unit in units)
            if numbered and scopes and numbered[1] + REPEATED not in named:
                stems[numbered[1]].append(name)
        found: dict[str, _Family] = {}
        for stem, names in stems.items():
            if len(names) > 2 or any(map(_counts_from_zero, names)):
                members = tuple(n for n in names if _join(path, n) not in fold.apart)
                if len(members) > 1:
                    found[stem + REPEATED] = _Family(members, len(members) < len(names))
        folded = {member for family in found.values() for member in family.members}
        return found | {name: _Family() for name in named if name not in folded}

    def _is_label(self, unit: int, depth: int) -> bool:
        segments, grouped = self._units[unit]
        return grouped and depth == len(segments) - 1

    # -- what is drawn -----------------------------------------------------------------------------

    def view(self, fold: Fold) -> FoldedGraph:
        """The boxes, arrows and frames to draw."""
        closed, alone, frames = self._shown(fold)
        boxes = [self._box(part, frame) for part, frame in closed]
        boxes += [self._single(node, frame) for unit, frame in alone for node in self._nodes[unit]]
        boxes.sort(key=lambda box: box.last)
        place_of_path = {box.path: place for place, box in enumerate(boxes) if box.path}
        place_of_node = {box.last: place for place, box in enumerate(boxes) if not box.path}
        place_of_unit = {
            unit: place_of_path[part.path] for part, _ in closed for unit in part.units
        }
        arrows, inside = self._arrows(place_of_unit, place_of_node)
        boxes = [replace(box, inside=inside[place]) for place, box in enumerate(boxes)]
        return FoldedGraph(tuple(boxes), tuple(arrows), tuple(frames))

    def _count(self, fold: Fold) -> int:
        now = self._shown(fold)
        return len(now.closed) + self._total(unit for unit, _ in now.alone)

    def _shown(self, fold: Fold) -> _Shown:
        closed: list[tuple[_Part, str]] = []
        alone: list[tuple[int, str]] = []
        frames: list[Frame] = []
        waiting = [(_Part("", (), False, list(range(len(self._units)))), 0)]
        while waiting:
            (path, _, _, units), depth = waiting.pop()
            parts = self._split(fold, path, units, depth)
            own = [unit for unit in units if len(self._units[unit].segments) <= depth]
            if not parts:
                alone += [(unit, path) for unit in own]
            for part in reversed(parts):
                is_own = part.path == _join(path, OWN)
                if self._total(part.units) <= (FEW_NODES if is_own else 1):
                    alone += [(unit, path) for unit in part.units]
                elif part.path in fold.opened:
                    total = self._total(part.units)
                    frames.append(Frame(part.path, part.members, part.rest, total, path))
                    waiting.append((part, depth + 1))
                else:
                    closed.append((part, path))
        frames.reverse()
        return _Shown(closed, alone, sorted(frames, key=lambda frame: frame.path.count("/")))

    def _total(self, units: Iterable[int]) -> int:
        return sum(len(self._nodes[unit]) for unit in units)

    def _box(self, part: _Part, frame: str) -> Box:
        return Box(
            path=part.path,
            members=part.members,
            rest=part.rest,
            count=self._total(part.units),
            node=None,
            largest=max((self._largest[unit][0] for unit in part.units), key=self.gradient_size),
            last=max(self._nodes[unit][-1] for unit in part.units),
            inside=0,
            frame=frame,
        )

    def _single(self, node: int, frame: str = "") -> Box:
        return Box("", (), False, 1, node, node, node, 0, frame)

    @cached_property
    def _links(self) -> Counter[tuple[int, int]]:
        """How many edges run from one unit to another."""
        unit_of = self._unit_of
        return Counter(
            (unit_of[index], unit)
            for node, unit in zip(self.graph.nodes, unit_of, strict=True)
            for index in node.inputs
        )

    def _arrows(
        self, place_of_unit: dict[int, int], place_of_node: dict[int, int]
    ) -> tuple[list[Arrow], Counter[int]]:
        counts: Counter[tuple[int, int]] = Counter()
        inside: Counter[int] = Counter()
        for (start, end), count in self._links.items():
            if start in place_of_unit and end in place_of_unit:
                counts[place_of_unit[start], place_of_unit[end]] += count
        between = self._edges_of_singles(place_of_unit, place_of_node, counts)
        for (start, end), count in list(counts.items()):
            if start == end:
                inside[start] += count
        arrows = [Arrow(*ends, count) for ends, count in sorted(counts.items()) if len({*ends}) > 1]
        return arrows + between, inside

    def _edges_of_singles(
        self,
        place_of_unit: dict[int, int],
        place_of_node: dict[int, int],
        counts: Counter[tuple[int, int]],
    ) -> list[Arrow]:
        """Arrows between single nodes; what connects them with boxes is added to ``counts``."""
        between = []
        for index, place in place_of_node.items():
            node = self.graph.nodes[index]
            for target, local_derivative in zip(node.inputs, node.local_derivatives, strict=True):
                if target in place_of_node:
                    between.append(Arrow(place_of_node[target], place, 1, local_derivative))
                else:
                    counts[place_of_unit[self._unit_of[target]], place] += 1
            for consumer in self.graph.consumers[index]:
                if consumer not in place_of_node:
                    counts[place, place_of_unit[self._unit_of[consumer]]] += 1
        return between

    # -- single nodes ------------------------------------------------------------------------------

    def largest_in(self, fold: Fold, path: str) -> tuple[int, ...]:
        """The nodes of a box with the largest gradients, the largest first.

        Raises:
            KeyError: there is no such box.
        """
        part = self._find(fold, path)
        if part is None:
            raise KeyError(f"there is no scope {shown(path)}.")
        nodes = [node for unit in part.units for node in self._largest[unit]]
        return tuple(nlargest(MOST_LISTED, nodes, key=self.gradient_size))

    def search(self, text: str, most: int = MOST_MATCHES) -> Matches:
        """Find nodes whose label contains a text, upper and lower case alike.

        Whole labels come before beginnings, and beginnings before other places; before them all
        comes the node with the place that is asked for, such as ``"n12"``.

        >>> from engine.value import Value
        >>> folding = Folding(Graph.of(Value(1.0, "ab") + Value(2.0, "b"), names={}))
        >>> folding.search("b").nodes
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
                found[0 if label == wanted else 1 if label.startswith(wanted) else 2].append(
                    node.index
                )
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
        return FoldedGraph(tuple(self._single(index) for index in places), tuple(arrows))

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
        boxes = [self._run_box(path.nodes[run.start : run.stop]) for run in runs]
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

    def _run_box(self, nodes: Sequence[int]) -> Box:
        if len(nodes) == 1:
            return self._single(nodes[0])
        return Box("", (), False, len(nodes), None, nodes[-1], nodes[-1], 0, "")

    def _middle(self, path: Path, places: range) -> Box:
        nodes = path.nodes[places.start : places.stop]
        between = path.local_derivatives[places.start : places.stop - 1]
        largest = max(nodes, key=self.gradient_size)
        halfway = nodes[len(nodes) // 2]
        return Box("", (), False, len(nodes), None, largest, nodes[-1], 0, "", between, halfway)

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


def gradients_of(graph: Graph) -> tuple[float, ...]:
    """The gradients of the whole reverse walk, without a record of its steps.

    >>> from engine.value import Value
    >>> x = Value(3.0)
    >>> gradients_of(Graph.of(x * x + x, names={}))
    (7.0, 1.0, 1.0)
    """
    gradients = [0.0] * len(graph)
    gradients[-1] = 1.0
    for node in reversed(graph.nodes):
        upstream = gradients[node.index]
        for target, local_derivative in zip(node.inputs, node.local_derivatives, strict=True):
            gradients[target] += local_derivative * upstream
    return tuple(gradients)


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


def box_order(folded: FoldedGraph) -> tuple[int, ...]:
    """The order in which a reverse walk meets the boxes, by place.

    A box comes after all boxes that were made from it. Folded boxes may lead to one another in a
    circle; then the one that ends last comes first.

    >>> boxes = tuple(Box(name, (), False, 1, None, 0, i, 0, "") for i, name in enumerate("abc"))
    >>> box_order(FoldedGraph(boxes, (Arrow(0, 1, 1), Arrow(1, 2, 1), Arrow(2, 1, 1))))
    (2, 1, 0)
    """
    reach = _reach(folded)
    left: list[int] = []
    behind: dict[int, list[int]] = defaultdict(list)
    for box, reached in enumerate(reach):
        ahead = [other for other in reached if box not in reach[other]]
        left.append(len(ahead))
        for other in ahead:
            behind[other].append(box)
    ready = [(-box.last, place) for place, box in enumerate(folded.boxes) if not left[place]]
    heapify(ready)
    order = []
    while ready:
        _, following = heappop(ready)
        order.append(following)
        for box in behind[following]:
            left[box] -= 1
            if not left[box]:
                heappush(ready, (-folded.boxes[box].last, box))
    return tuple(order)


def circles(folded: FoldedGraph) -> frozenset[int]:
    """The places of the boxes that lead to another box and back."""
    reach = _reach(folded)
    return frozenset(
        box for box in range(len(folded.boxes)) if any(box in reach[o] for o in reach[box] - {box})
    )


def _reach(folded: FoldedGraph) -> list[Set[int]]:
    onward: dict[int, set[int]] = defaultdict(set)
    for arrow in folded.arrows:
        onward[arrow.start].add(arrow.end)
    found: list[Set[int]] = []
    for box in range(len(folded.boxes)):
        reached: set[int] = set()
        waiting = [box]
        while waiting:
            new = onward[waiting.pop()] - reached
            reached |= new
            waiting += new
        found.append(reached)
    return found


def _unit(node: Node) -> _Unit:
    """Where folding puts a node: parameters by label, what has no scope and no op as inputs."""
    segments = _segments(node.scope)
    if node.kind == "computed" or (node.kind == "leaf" and segments):
        return _Unit(segments, grouped=False)
    top = PARAMETERS if node.kind == "parameter" else INPUTS
    label = INDICES.sub("", node.label).replace("/", "\N{DIVISION SLASH}")
    groups = tuple(filter(None, label.split("."))) or (UNLABELED,)
    return _Unit((top, *segments, *groups), grouped=True)


@lru_cache(maxsize=4096)
def _segments(scope: str) -> tuple[str, ...]:
    return tuple(segment for segment in scope.split("/") if segment not in ("", OWN))


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _is_within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(f"{outer}/")


def _named(parts: Sequence[_Part], path: str) -> _Part | None:
    return next((part for part in parts if part.path == path), None)


def _counts_from_zero(name: str) -> bool:
    number = NUMBERED.fullmatch(name)
    return number is not None and not number[2].strip("0")
