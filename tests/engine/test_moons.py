"""Two half moons: where the points are, and that they come again."""

import math

import pytest

from engine.moons import two_moons


def test_without_noise_every_point_is_on_its_half_circle() -> None:
    points, labels = two_moons(100, noise=0.0, seed=3)
    for (x, y), label in zip(points, labels, strict=True):
        x, y = (x, y) if label == -1 else (1.0 - x, 0.5 - y)
        assert math.hypot(x, y) == pytest.approx(1.0)
        assert y >= 0.0


def test_half_of_the_points_are_in_each_moon() -> None:
    _, labels = two_moons(50)
    assert (labels.count(-1), labels.count(1)) == (25, 25)
    assert two_moons(3)[1] == [-1, 1, -1]


def test_the_same_seed_gives_the_same_points() -> None:
    assert two_moons(20, seed=5) == two_moons(20, seed=5)
    assert two_moons(20, seed=5) != two_moons(20, seed=6)


def test_the_moons_reach_into_each_other() -> None:
    points, labels = two_moons(100, noise=0.0)
    upper = [y for (x, y), label in zip(points, labels, strict=True) if label == -1]
    lower = [y for (x, y), label in zip(points, labels, strict=True) if label == 1]
    assert max(lower) > min(upper)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1,), "at least 2 points, got 1"),
        ((4, -0.1), "0 or larger, got -0.1"),
        ((4, math.nan), "the noise needs a finite number, got nan"),
        ((4, math.inf), "the noise needs a finite number, got inf"),
    ],
)
def test_what_makes_no_moons_is_refused(arguments, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        two_moons(*arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((2.5,), "number of points is a whole number, got 2.5"),
        (("4",), "number of points is a whole number, got '4'"),
        ((4, "much"), "the noise needs a real number, got 'much'"),
    ],
)
def test_what_is_no_number_is_refused_by_name(arguments, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        two_moons(*arguments)
