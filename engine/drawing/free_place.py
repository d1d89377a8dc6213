"""Where a text fits beside a straight line, away from what is drawn already."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from engine.drawing.boxes import Point

# A sans-serif text of 14 points, with some room for that of 16 on a projector.
LETTER = 8.0
ABOVE, BELOW = 15.0, 5.0
ASIDE = 10.0
BETWEEN_DOTS = 5.0
WANTED_SHARE = 0.3
SHARES = tuple(k / 20 for k in range(1, 20))
SIDES = ("start", "end")


class Area(NamedTuple):
    """A rectangle; y grows downward."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, point: Point) -> bool:
        """Whether a point lies in it.

        >>> Area(0.0, 0.0, 10.0, 5.0).holds((3.0, 6.0))
        False
        """
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom

    def corners(self) -> tuple[Point, ...]:
        """Its corners, one after the other around it, and the first one again."""
        left, top, right, bottom = self
        return (left, top), (right, top), (right, bottom), (left, bottom), (left, top)


class TextPlace(NamedTuple):
    """Where a text is written: at a point of its baseline, its "start" or its "end"."""

    x: float
    y: float
    anchor: str

    def area(self, text: str) -> Area:
        """About the room that a text takes here.

        >>> TextPlace(100.0, 50.0, "end").area("ab")
        Area(left=84.0, top=35.0, right=100.0, bottom=55.0)
        """
        width = LETTER * len(text)
        left = self.x - width if self.anchor == "end" else self.x
        return Area(left, self.y - ABOVE, left + width, self.y + BELOW)


def dots(corners: Iterable[Point]) -> Iterator[Point]:
    """Points close together along a chain of straight lines.

    >>> list(dots([(0.0, 0.0), (10.0, 0.0)]))
    [(0.0, 0.0), (5.0, 0.0), (10.0, 0.0)]
    """
    for start, end in pairwise(corners):
        pieces = max(1, math.ceil(math.dist(start, end) / BETWEEN_DOTS))
        for k in range(pieces + 1):
            yield _between(start, end, k / pieces)


def free_place(
    text: str,
    line: tuple[Point, Point],
    page: Area,
    taken: Sequence[Point],
    sides: Sequence[str] = SIDES,
) -> TextPlace:
    """Find where beside a line a text covers least of what is drawn.

    Args:
        text: what will be written.
        line: the ends of the line; the text goes to one side of it.
        page: where the text has to be.
        taken: points of what is drawn, as of ``dots``, the line among it.
        sides: what of the text may be near the line; its "start" is to the right of the line.

    >>> line = (0.0, 100.0), (400.0, 0.0)
    >>> place = free_place("up", line, Area(0.0, 0.0, 400.0, 100.0), [*dots(line)])
    >>> any(place.area("up").holds(point) for point in dots(line))
    False
    """

    def cost(place: TextPlace) -> tuple[int, int]:
        area = place.area(text)
        outside = sum(not page.holds(corner) for corner in area.corners())
        return outside, sum(map(area.holds, taken))

    shares = sorted(SHARES, key=lambda share: abs(share - WANTED_SHARE))
    return min((_beside(line, *how) for how in product(shares, sides)), key=cost)


def _beside(line: tuple[Point, Point], share: float, anchor: str) -> TextPlace:
    (x, y), rises = _between(*line, share), line[1][1] < line[0][1]
    right = anchor == "start"
    # A line that rises leaves room below on its right and above on its left.
    down = ABOVE if rises == right else -BELOW
    return TextPlace(x + (ASIDE if right else -ASIDE), y + down, anchor)


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
