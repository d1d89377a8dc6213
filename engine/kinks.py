"""Find where the slope of a function of one number changes abruptly, by calculating it only.

Where a function is smooth, its slopes left and right of a point become equal as one looks closer.
At a kink they do not, however close one looks.

>>> round(nearest_kink(lambda x: max(0.0, x), at=0.01, reach=0.1), 4)
0.01
>>> nearest_kink(lambda x: x * x, at=0.01, reach=0.1) is None
True
"""

import math
import sys
from collections.abc import Callable

EPSILON = sys.float_info.epsilon
HALVINGS = 24
LOOK_BACK = 3
# Over three halvings the change of slope of a smooth function shrinks to 1/8, and that of a slope
# without a kink but with infinite curvature, as of abs(x)**1.5, to 0.35; that of a kink stays
# between 1/2 and 2 of what it was, depending on where the points fall around it.
STILL_THERE = 0.42
ABOVE_ROUNDING = 16.0


def nearest_kink(line: Callable[[float], float], at: float, reach: float) -> float | None:
    """Measure the distance from a point to a kink or a jump near it.

    The function is calculated at five points; then again and again in the half around the
    largest change of slope, until rounding hides it.

    Args:
        line: a function of one number.
        at: the point.
        reach: how far from it to look, above 0, on either side.

    Returns:
        The distance, 0.0 where the kink is at the point itself. None where there is no kink
        within reach, or none that rounding lets one see, or where the function does not exist
        everywhere in between. Of several kinks the nearest one that a closer look finds.

    >>> nearest_kink(abs, at=0.0, reach=1e-5)
    0.0
    """
    found = None
    while reach > 0.0:
        place = _kink(line, at, reach)
        if place is None or place == 0.0:
            return found if place is None else place
        found, reach = place, place / 2
    return found


def _kink(line: Callable[[float], float], at: float, reach: float) -> float | None:
    points = [at + reach * share for share in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    try:
        values = [line(point) for point in points]
        changes = []
        for _ in range(HALVINGS):
            middle, change, rounding = _largest_change(points, values)
            if not change > ABOVE_ROUNDING * rounding:
                break
            changes.append(change)
            kept = slice(middle - 1, middle + 2)
            points = _with_middles(points[kept])
            left, center, right = values[kept]
            values = [left, line(points[1]), center, line(points[3]), right]
    except (ArithmeticError, ValueError):
        return None
    if len(changes) <= LOOK_BACK or changes[-1] < STILL_THERE * changes[-1 - LOOK_BACK]:
        return None
    distance = abs(points[2] - at)
    return 0.0 if distance <= 2 * (points[4] - points[0]) else distance


def _largest_change(points: list[float], values: list[float]) -> tuple[int, float, float]:
    """Return where the slope changes most, by how much, and what rounding alone may do."""
    width = (points[4] - points[0]) / 4
    slopes = [(values[k + 1] - values[k]) / width for k in range(4)]
    middle = max((1, 2, 3), key=lambda k: abs(slopes[k] - slopes[k - 1]))
    size = max(map(abs, values)) + max(map(abs, points)) * max(map(abs, slopes))
    rounding = 4 * EPSILON * size / width if width > 0.0 else math.inf
    return middle, abs(slopes[middle] - slopes[middle - 1]), rounding


def _with_middles(points: list[float]) -> list[float]:
    left, center, right = points
    return [left, (left + center) / 2, center, (center + right) / 2, right]
