"""Two half moons: points of two classes that no straight line parts."""

import math
from random import Random

from engine.numbers import not_negative, whole

Point = tuple[float, float]


def two_moons(count: int, noise: float = 0.1, seed: int = 0) -> tuple[list[Point], list[int]]:
    """Scatter points around two half circles that reach into each other.

    Args:
        count: how many points, by turns in the upper and in the lower moon.
        noise: the standard deviation of each coordinate around the half circle of radius 1.
        seed: of the random numbers; the same seed gives the same points.

    Returns:
        The points, and the class of each: -1 for the upper moon, 1 for the lower one.

    Raises:
        TypeError: ``count`` is no whole number, or the noise no real number.
        ValueError: fewer than two points, or a noise that is negative, infinite or NaN.

    >>> points, labels = two_moons(4, noise=0.0)
    >>> labels
    [-1, 1, -1, 1]
    >>> all(math.isclose(x * x + y * y, 1.0) for x, y in points[::2])
    True
    """
    if whole(count, "the number of points") < 2:
        raise ValueError(f"two moons need at least 2 points, got {count}.")
    noise = not_negative(noise, "the noise")
    chance = Random(seed)
    points, labels = [], []
    for place in range(count):
        angle = chance.uniform(0.0, math.pi)
        x, y = math.cos(angle), math.sin(angle)
        if place % 2:
            x, y = 1.0 - x, 0.5 - y
        points.append((x + chance.gauss(0.0, noise), y + chance.gauss(0.0, noise)))
        labels.append(1 if place % 2 else -1)
    return points, labels
