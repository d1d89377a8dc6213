"""A graph too large to draw, folded by scope into a few boxes that can be opened and closed.

>>> from engine.recording import scope
>>> from engine.value import Parameter
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

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nlargest
from typing import NamedTuple

from engine.boxes import Arrow, Box, FoldedGraph, Frame
from engine.graph import Graph, Node, collector_paused, few_names
from engine.paths import MOST_BOXES, SingleNodes, single_box
from engine.text import shown

PARAMETERS = "parameters"
INPUTS = "inputs"
OWN = "."
UNLABELED = "unlabeled"
REPEATED = "*"
MOST_AT_FIRST = 15
FEW_NODES = 8
MOST_LISTED = 8
NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)
INDICES = re.compile(r"(\[\d+\])+$")


@dataclass(frozen=True, slots=True)
class Fold:
    """What is open.

    Attributes:
        opened: paths of the boxes whose inside is shown.
        apart: paths of scopes that are shown alone, although others repeat them.
    """

    opened: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


class _Unit(NamedTuple):
    """Nodes that are never told apart by folding.

    Attributes:
        segments: of the path to them.
        scopes: how many of these are scopes; a label behind them is never a repeated scope.
    """

    segments: tuple[str, ...]
    scopes: int


class _Part(NamedTuple):
    """One part of a scope, with the units in it; ``members`` and ``rest`` are as in a box."""

    path: str
    members: tuple[str, ...]
    rest: bool
    units: list[int]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def depth(self) -> int:
        """How many segments lead to it."""
        return self.path.count("/") + 1 if self.path else 0

    def beside(self, name: str) -> str:
        """The path of this name in the scope around this part."""
        return _join(self.path.rpartition("/")[0], name)


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
        nodes: its single nodes, with a way to find and to follow them.
        gradients: of the output with respect to every node, by index.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes = SingleNodes(graph)
        self.gradients = self.nodes.gradients
        self.gradient_size = self.nodes.gradient_size
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
            inner = [part for part in closed if small or self._split(fold, part)]
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
        alone = set(map(part.beside, part.members))
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
            member = shown(part.beside(part.members[0]))
            first = f"Open one of the repeated scopes, such as {member}, or look"
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
        part = self._whole
        for segment in path.split("/"):
            parts = self._split(fold, part)
            found = next((other for other in parts if other.name == segment), None)
            family = next((other for other in parts if segment in other.members), None)
            if found is None and family is None:
                where = f"in {shown(part.path)}" if part.path else "in this graph"
                raise KeyError(
                    f"there is no scope {shown(segment)} {where}, "
                    f"only: {few_names([other.name for other in parts]) or 'nodes'}."
                )
            at = _join(part.path, segment)
            if found is None:
                fold = replace(fold, apart=fold.apart | {at})
            fold = replace(fold, opened=fold.opened | {at})
            part = found or self._find(fold, at) or part
        return fold

    # -- the scopes as a tree ----------------------------------------------------------------------

    @property
    def _whole(self) -> _Part:
        return _Part("", (), False, list(range(len(self._units))))

    def _find(self, fold: Fold, path: str) -> _Part | None:
        part: _Part | None = self._whole
        for segment in path.split("/"):
            parts = self._split(fold, part) if part else []
            part = next((other for other in parts if other.name == segment), None)
        return part

    def _split(self, fold: Fold, part: _Part) -> list[_Part]:
        """The parts of a scope: inner scopes, then its own nodes if it has both."""
        depth = part.depth
        named: dict[str, list[int]] = defaultdict(list)
        for unit in part.units:
            segments = self._units[unit].segments
            named[segments[depth] if len(segments) > depth else OWN].append(unit)
        if set(named) == {OWN} and (part.path or self._total(named[OWN]) <= MOST_BOXES):
            return []
        return self._families(fold, part, named)

    def _families(self, fold: Fold, part: _Part, named: dict[str, list[int]]) -> list[_Part]:
        """The names in a scope; those that differ only by a trailing number become one.

        Two that count from 1, such as fc1 and fc2, are more likely to be different things.
        """
        stems: dict[str, list[str]] = defaultdict(list)
        for name, units in named.items():
            numbered = NUMBERED.fullmatch(name)
            scopes = any(self._units[unit].scopes > part.depth for unit in units)
            if numbered and scopes and numbered[1] + REPEATED not in named:
                stems[numbered[1]].append(name)
        found: list[_Part] = []
        folded: set[str] = set()
        for stem, names in stems.items():
            if len(names) > 2 or any(map(_counts_from_zero, names)):
                members = tuple(n for n in names if _join(part.path, n) not in fold.apart)
                if len(members) > 1:
                    path, rest = _join(part.path, stem + REPEATED), len(members) < len(names)
                    units = [unit for member in members for unit in named[member]]
                    found.append(_Part(path, members, rest, units))
                    folded.update(members)
        alone = [name for name in named if name not in folded]
        return found + [_Part(_join(part.path, name), (), False, named[name]) for name in alone]

    # -- what is drawn -----------------------------------------------------------------------------

    def view(self, fold: Fold) -> FoldedGraph:
        """The boxes, arrows and frames to draw."""
        closed, alone, frames = self._shown(fold)
        boxes = [self._box(part, frame) for part, frame in closed]
        boxes += [single_box(node, frame) for unit, frame in alone for node in self._nodes[unit]]
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
        waiting = [self._whole]
        while waiting:
            part = waiting.pop()
            parts = self._split(fold, part)
            if not parts:
                own = (u for u in part.units if len(self._units[u].segments) <= part.depth)
                alone += [(unit, part.path) for unit in own]
            for inner in reversed(parts):
                total = self._total(inner.units)
                if total <= (FEW_NODES if inner.name == OWN else 1):
                    alone += [(unit, part.path) for unit in inner.units]
                elif inner.path in fold.opened:
                    frames.append(Frame(*inner[:3], count=total, outer=part.path))
                    waiting.append(inner)
                else:
                    closed.append((inner, part.path))
        frames.reverse()
        return _Shown(closed, alone, sorted(frames, key=lambda frame: frame.path.count("/")))

    def _total(self, units: Iterable[int]) -> int:
        return sum(len(self._nodes[unit]) for unit in units)

    def _box(self, part: _Part, frame: str) -> Box:
        return Box(
            *part[:3],
            count=self._total(part.units),
            largest=max((self._largest[unit][0] for unit in part.units), key=self.gradient_size),
            last=max(self._nodes[unit][-1] for unit in part.units),
            frame=frame,
        )

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
        """The arrows, and how many edges run inside the box at each place."""
        singles: list[Arrow] = []
        counts: Counter[tuple[int, int]] = Counter()
        for (start, end), count in self._links.items():
            if start in place_of_unit and end in place_of_unit:
                counts[place_of_unit[start], place_of_unit[end]] += count
        for index, place in place_of_node.items():
            node = self.graph.nodes[index]
            for target, local_derivative in zip(node.inputs, node.local_derivatives, strict=True):
                if target in place_of_node:
                    singles.append(Arrow(place_of_node[target], place, 1, local_derivative))
                else:
                    counts[place_of_unit[self._unit_of[target]], place] += 1
            for consumer in self.graph.consumers[index]:
                if consumer not in place_of_node:
                    counts[place, place_of_unit[self._unit_of[consumer]]] += 1
        arrows = [Arrow(*ends, count) for ends, count in sorted(counts.items()) if len({*ends}) > 1]
        inside = Counter({s: count for (s, end), count in counts.items() if s == end})
        return arrows + singles, inside

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


def _unit(node: Node) -> _Unit:
    """Where folding puts a node: parameters by label, what has no scope and no op as inputs."""
    segments = _segments(node.scope)
    if node.kind == "computed" or (node.kind == "leaf" and segments):
        return _Unit(segments, len(segments))
    top = PARAMETERS if node.kind == "parameter" else INPUTS
    label = INDICES.sub("", node.label).replace("/", "\N{DIVISION SLASH}")
    groups = tuple(filter(None, label.split("."))) or (UNLABELED,)
    return _Unit((top, *segments, *groups), len(segments) + len(groups))


@lru_cache(maxsize=4096)
def _segments(scope: str) -> tuple[str, ...]:
    return tuple(segment for segment in scope.split("/") if segment not in ("", OWN))


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _is_within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(f"{outer}/")


def _counts_from_zero(name: str) -> bool:
    number = NUMBERED.fullmatch(name)
    return number is not None and not number[2].strip("0")
