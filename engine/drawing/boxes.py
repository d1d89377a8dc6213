"""Boxes and curves: the plain geometry that every drawing is made of."""

import math
from dataclasses import dataclass

Point = tuple[float, float]
Curve = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """Where something is drawn.

    Attributes:
        x: left edge, in points as all lengths here.
        y: top edge; y grows downward.
        width: from left to right.
        height: from top to bottom.
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> Point:
        """Its center."""
        return self.x + self.width / 2, self.y + self.height / 2

    def moved(self, right: float, down: float) -> "Box":
        """The same box elsewhere."""
        return Box(self.x + right, self.y + down, self.width, self.height)


def moved(curve: Curve, right: float, down: float) -> Curve:
    """The same curve elsewhere."""
    return tuple((x + right, y + down) for x, y in curve)


def along(curve: Curve, share: float) -> Point:
    """The point at a share of the way along a curve.

    >>> along(((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)), 0.5)
    (1.5, 0.0)
    """
    pieces = (len(curve) - 1) // 3
    piece = min(int(share * pieces), pieces - 1)
    t = share * pieces - piece
    corners = curve[3 * piece : 3 * piece + 4]
    weights = [math.comb(3, k) * (1 - t) ** (3 - k) * t**k for k in range(4)]
    return (
        sum(w * p[0] for w, p in zip(weights, corners, strict=True)),
        sum(w * p[1] for w, p in zip(weights, corners, strict=True)),
    )
