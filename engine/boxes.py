"""The boxes that a large graph is drawn as, and the order in which a reverse walk meets them.

>>> boxes = tuple(Box(name, last=i) for i, name in enumerate("abc"))
>>> box_order(FoldedGraph(boxes, (Arrow(0, 1, 1), Arrow(0, 2, 1))))
(2, 1, 0)
"""

from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush


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

    path: str = ""
    members: tuple[str, ...] = ()
    rest: bool = False
    count: int = 1
    node: int | None = None
    largest: int = 0
    last: int = 0
    inside: int = 0
    frame: str = ""
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


def box_order(folded: FoldedGraph) -> tuple[int, ...]:
    """The order in which a reverse walk meets the boxes, by place.

    A box comes after all boxes that were made from it. Folded boxes may lead to one another in a
    circle; then the one that ends last comes first.

    >>> boxes = tuple(Box(name, last=i) for i, name in enumerate("abc"))
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
