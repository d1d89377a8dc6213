"""Where a model draws the line between two classes of points in a plane."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.drawing.palette import CARD, INK, PLOT_AREAS, PLOT_LINES
from engine.drawing.plots.plot import Plot, legend_above, plain, plot
from engine.text import number_text, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESOLUTION = 40
MARGIN = 0.15
WIDTH, LOWEST, HIGHEST = 5.0, 2.3, 5.4
# Inches of the picture that the plane does not get: beside it, and above and below it.
BESIDE, ABOVE_AND_BELOW = 1.0, 1.25
COLORS = (PLOT_LINES["blue"], PLOT_LINES["vermilion"])
TINTS = (PLOT_AREAS["sky"], PLOT_AREAS["orange"])
MARKERS = ("o", "s")
HATCHES = ("", "///")
NAMES = ("circles", "squares")

Point = tuple[float, float]


def decision_boundary(
    predict: Callable[[float, float], object],
    points: Sequence[Sequence[float]],
    labels: Sequence[float],
    *,
    threshold: float = 0.0,
    resolution: int = RESOLUTION,
) -> Plot:
    """Plot which side of a model's boundary every place of the plane is on.

    Args:
        predict: the model's score for a point, as a number or a Value; above the threshold it
            says the second class.
        points: two coordinates each.
        labels: the class of each point: two different numbers, the smaller is the first class.
        threshold: the score at the boundary: 0 for a margin, 0.5 for a probability.
        resolution: how many columns and rows of places are tried; the model runs that often
            squared.

    Raises:
        TypeError: a coordinate, a label or a score is not a real number.
        ValueError: there is no point, a point has not two coordinates, the number of labels is
            another, or they are not of two classes.

    >>> decision_boundary(lambda x, y: x - 1.0, [(0, 0), (2, 1)], [-1, 1], resolution=8)
    Decision boundary of 2 points, x from 0 to 2, y from 0 to 1.
    Class -1 (circles): 1 of 1 on its side. Class 1 (squares): 1 of 1 on its side.
    Class 1 takes 50 % of the plane shown.
    """
    places = [_point(point) for point in points]
    classes = _classes(places, labels)
    if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution < 2:
        raise ValueError(f"the resolution is a whole number above 1, got {shown(resolution)}.")

    def says_second(x: float, y: float) -> float:
        return plain(predict(x, y), "the model's score") - threshold

    right = [
        (says_second(*place) > 0.0) == bool(c) for place, c in zip(places, classes, strict=True)
    ]
    columns, rows = (_ticks([p[axis] for p in places], resolution) for axis in (0, 1))
    scores = [[says_second(x, y) for x in columns] for y in rows]
    share = sum(s > 0.0 for row in scores for s in row) / resolution**2
    names = [number_text(n) for n in sorted({plain(label, "a label") for label in labels})]
    text = "\n".join(
        [
            _heading(places),
            " ".join(_side(names[c], NAMES[c], classes, right, c) for c in (0, 1)),
            f"Class {names[1]} takes {100 * share:.0f} % of the plane shown.",
        ]
    )

    def draw(axes: "Axes") -> None:
        axes.grid(False)
        _draw_sides(axes, columns, rows, scores)
        for c in (0, 1):
            _draw_points(axes, places, classes, right, c, names[c])
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        # At the bottom, so that the plane stays where it is when the legend becomes shorter.
        axes.set_aspect("equal", anchor="S")
        legend_above(axes, columns=2)

    return plot(draw, text, width=WIDTH, height=_height(columns, rows))


def _height(columns: Sequence[float], rows: Sequence[float]) -> float:
    """How high a picture must be for a plane that is as wide as the picture."""
    steepness = (rows[-1] - rows[0]) / (columns[-1] - columns[0])
    return min(max((WIDTH - BESIDE) * steepness + ABOVE_AND_BELOW, LOWEST), HIGHEST)


def _point(point: Sequence[float]) -> Point:
    numbers = tuple(plain(number, "a coordinate") for number in point)
    if len(numbers) != 2:
        raise ValueError(f"a point of the plane has two coordinates, got {shown(point)}.")
    return numbers


def _classes(places: list[Point], labels: Sequence[float]) -> list[int]:
    if not places:
        raise ValueError("there is nothing to plot: give at least one point of each class.")
    if len(labels) != len(places):
        raise ValueError(f"{len(places)} points need as many labels, got {len(labels)}.")
    numbers = [plain(label, "a label") for label in labels]
    kinds = sorted(set(numbers))
    if len(kinds) != 2:
        few = ", ".join(map(number_text, kinds[:6]))
        raise ValueError(f"a boundary parts two classes, got {len(kinds)}: {few}.")
    return [kinds.index(number) for number in numbers]


def _ticks(numbers: list[float], count: int) -> list[float]:
    low, high = min(numbers), max(numbers)
    margin = MARGIN * ((high - low) or 1.0)
    step = (high - low + 2 * margin) / (count - 1)
    return [low - margin + k * step for k in range(count)]


def _heading(places: list[Point]) -> str:
    (left, right), (low, high) = (
        (f"{min(numbers):.3g}", f"{max(numbers):.3g}") for numbers in zip(*places, strict=True)
    )
    return (
        f"Decision boundary of {len(places)} points, x from {left} to {right}, "
        f"y from {low} to {high}."
    )


def _side(name: str, sign: str, classes: list[int], right: list[bool], which: int) -> str:
    mine = [fits for fits, c in zip(right, classes, strict=True) if c == which]
    return f"Class {name} ({sign}): {sum(mine)} of {len(mine)} on its side."


def _draw_sides(
    axes: "Axes", columns: list[float], rows: list[float], scores: list[list[float]]
) -> None:
    largest = max(abs(score) for row in scores for score in row) or 1.0
    sides = axes.contourf(
        columns,
        rows,
        scores,
        levels=[-2 * largest, 0.0, 2 * largest],
        colors=TINTS,
        alpha=0.35,
        hatches=HATCHES,
    )
    sides.set(edgecolor=INK, linewidth=0.0)
    if any(s > 0.0 for row in scores for s in row) and any(s < 0.0 for row in scores for s in row):
        axes.contour(columns, rows, scores, levels=[0.0], colors=INK, linewidths=2.0)


def _draw_points(
    axes: "Axes",
    places: list[Point],
    classes: list[int],
    right: list[bool],
    which: int,
    name: str,
) -> None:
    mine = [place for place, c in zip(places, classes, strict=True) if c == which]
    axes.scatter(
        [x for x, _ in mine],
        [y for _, y in mine],
        color=COLORS[which],
        marker=MARKERS[which],
        edgecolors=CARD,
        linewidths=0.8,
        s=44,
        label=f"class {name}",
        zorder=3,
    )
    wrong = [
        place
        for place, c, fits in zip(places, classes, right, strict=True)
        if c == which and not fits
    ]
    if wrong:
        axes.scatter(
            [x for x, _ in wrong],
            [y for _, y in wrong],
            facecolors="none",
            edgecolors=INK,
            linewidths=1.6,
            s=130,
            label=f"class {name}, wrong side",
            marker=MARKERS[which],
            zorder=4,
        )
