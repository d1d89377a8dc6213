"""Where the words on arrows stand: beside their own arrow, and on as little else as can be."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from engine.drawing.boxes import Box, Curve, Point, along

BESIDE_ARROW = 5.0
CELL = 32.0
OWN_ARROW, PARTNER, OTHER_ARROW = 400.0, 45.0, 30.0
WITH_PARTNER = 100.0
BETWEEN_SAMPLES = 6.0
SHARES = (0.5, *(0.5 + side * step / 20 for step in range(1, 8) for side in (-1, 1)))
SLOPE_SHARE = 0.1

Size = tuple[float, float]


def beside(curve: Curve, share: float, size: Size) -> Iterator[Box]:
    """Where a text of a size may stand next to a curve: on one side of it, and on the other.

    >>> flat = (0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (30.0, 0.0)
    >>> [box.y for box in beside(flat, 0.5, (10.0, 20.0))]
    [-25.0, 5.0]
    """
    (width, height), (x, y) = size, along(curve, share)
    before, after = (
        along(curve, min(max(share + side * SLOPE_SHARE, 0.0), 1.0)) for side in (-1, 1)
    )
    across, down = abs(after[0] - before[0]), abs(after[1] - before[1])
    if down * width <= across * height:
        up = height / 2 + BESIDE_ARROW + width / 2 * down / (across or 1.0)
        shifts: tuple[Point, Point] = (0.0, -up), (0.0, up)
    else:
        aside = width / 2 + BESIDE_ARROW + height / 2 * across / (down or 1.0)
        shifts = (-aside, 0.0), (aside, 0.0)
    for right, lower in shifts:
        yield Box(x + right - width / 2, y + lower - height / 2, width, height)


def clear_places(
    choices: Sequence[Sequence[Box]],
    curves: Sequence[Curve],
    partners: Sequence[Collection[int]],
    boxes: Sequence[Box] = (),
    worse: float = 2.0,
) -> list[Box]:
    """Choose for each caption where it covers least, and again when the others have chosen.

    Args:
        choices: for each caption the places it may have, the best first.
        curves: for each caption its arrow.
        partners: for each caption the others that are shown at the same time.
        boxes: what else had better not be covered.
        worse: how much worse each place is than the one before it.
    """
    cells = _cells(curves)
    chosen: dict[int, Box] = {}

    def cost(own: int, rank: int, place: Box) -> float:
        total = worse * rank + sum(shared(place, box) for box in boxes)
        for index in _curves_under(cells, place):
            is_partner = index in partners[own]
            total += OWN_ARROW if index == own else PARTNER if is_partner else OTHER_ARROW
        others = (chosen[other] for other in partners[own] if other != own and other in chosen)
        return total + sum(WITH_PARTNER * shared(place, other) for other in others)

    for index in [*range(len(choices))] * 4:
        ranked = enumerate(choices[index])
        chosen[index] = min(ranked, key=lambda one: cost(index, *one))[1]
    return [chosen[index] for index in range(len(choices))]


def shared(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return max(across, 0.0) * max(down, 0.0)


def _cells(curves: Sequence[Curve]) -> dict[tuple[int, int], list[tuple[Point, int]]]:
    """Points along all curves, by the part of the page they lie in."""
    cells = defaultdict(list)
    for index, curve in enumerate(curves):
        count = max(2, math.ceil(math.dist(curve[0], curve[-1]) / BETWEEN_SAMPLES))
        for k in range(count + 1):
            x, y = along(curve, k / count)
            cells[int(x // CELL), int(y // CELL)].append(((x, y), index))
    return cells


def _curves_under(
    cells: dict[tuple[int, int], list[tuple[Point, int]]], place: Box
) -> Iterable[int]:
    right, bottom = place.x + place.width, place.y + place.height
    for column in range(int(place.x // CELL), int(right // CELL) + 1):
        for row in range(int(place.y // CELL), int(bottom // CELL) + 1):
            for (x, y), index in cells.get((column, row), ()):
                if place.x < x < right and place.y < y < bottom:
                    yield index
