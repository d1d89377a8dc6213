"""The ways of descents over the contours of a loss of two parameters."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from engine.drawing.palette import ARROW, CARD, INK, PLOT_LINES
from engine.drawing.plots.heights import (
    HIGHEST,
    Height,
    Point,
    Range,
    is_in,
    on_page,
    outside_words,
    steps_text,
)
from engine.drawing.plots.plot import FONT_POINTS, Plot, legend_above, plain, plot
from engine.text import number_text, shown
from engine.value import Value
from engine.words.naming import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESOLUTION = 80
REFINEMENTS = 12
MARGIN = 0.12
CONTOURS = 14
MOST_PATHS = 4
MOST_MARKS = 45
NAME_HEIGHT, LETTER_WIDTH, NAME_OFF = 14.0, 8.2, 5.0  # in points
SPOTS, DOTS_APART, MOST_DOTS = 120, 3.6, 200
COLORS = tuple(PLOT_LINES.values())
MARKERS = ("o", "s", "^", "D")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))


def descent_paths(
    loss: Callable[[Value, Value], object],
    paths: Mapping[str, Sequence[Sequence[object]]],
    names: tuple[str, str] = ("x", "y"),
    goal: Sequence[float] | None = None,
) -> Plot:
    """Plot the ways of several descents over the contours of a loss of two parameters.

    Each way has its own color, dash and marks, and its name stands beside it. The contours are
    closer to one another near the bottom: each is a fixed part lower than the one around it.

    Args:
        loss: takes the parameters as two Values, gives a Value or a number; as for
            ``descent_on_curve``.
        paths: from one to four ways by name; each a list of points, the start first.
        names: what the two parameters are called.
        goal: the lowest place; looked for in the picture when None.

    Raises:
        TypeError: a coordinate or a loss is not a real number.
        ValueError: there is no way, or more than four; one has no point; or a point has not two
            coordinates.

    >>> def valley(x, y):
    ...     return x * x + 10 * y * y
    >>> descent_paths(valley, {"gradient descent": [(2, 1), (1.6, -0.8)]}, goal=(0, 0))
    Descent over the contours of a loss, x from 1.6 to 2, y from -0.8 to 1.
    gradient descent: 1 step, from (2, 1) to (1.6, -0.8), the loss goes from 14 to 8.96.
    The goal is (0, 0), with the loss 0.
    """
    ways = _ways(paths)
    height = Height(loss)
    middle = None if goal is None else _point(goal)
    view = _view(height, ways, middle)
    bottom = middle or _lowest(height, view)
    texts = [_heading(ways, names)]
    texts += [_way_text(way, height, view) for way in ways]
    place = f"({number_text(bottom[0])}, {number_text(bottom[1])})"
    which = "The goal is" if goal is not None else "The lowest place in the picture is"
    texts.append(f"{which} {place}, with the loss {height.told(*bottom)}.")

    def draw(axes: "Axes") -> None:
        _draw_contours(axes, height, view, bottom)
        for way, color, marker, dash in zip(ways, COLORS, MARKERS, DASHES, strict=False):
            _draw_way(axes, way, color, marker, dash)
        _draw_ends(axes, ways, bottom)
        axes.set_xlim(*view[0])
        axes.set_ylim(*view[1])
        axes.set_xlabel(label(names[0]), parse_math=False)
        axes.set_ylabel(label(names[1]), parse_math=False)
        legend = legend_above(axes, columns=2)
        for text, way in zip(legend.get_texts(), ways, strict=False):
            text.set_parse_math(False)
            text.set_text(way.name)
        _name_beside(axes, ways, [*(way.points[0] for way in ways), bottom])
        _note_outside(axes, ways, view)

    return plot(draw, "\n".join(texts), height=4.2)


@dataclass(frozen=True)
class _Way:
    name: str
    points: tuple[Point, ...]


def _ways(paths: Mapping[str, Sequence[Sequence[object]]]) -> list[_Way]:
    if not isinstance(paths, Mapping) or not 1 <= len(paths) <= MOST_PATHS:
        raise ValueError(
            f"give from 1 to {MOST_PATHS} ways by name, as in "
            f'{{"gradient descent": [(0, 1), (1, 1)]}}, got {shown(paths)}.'
        )
    ways = [_Way(label(str(name)), tuple(map(_point, way))) for name, way in paths.items()]
    for way in ways:
        if not way.points:
            raise ValueError(f"the way of {way.name} has no point: give at least its start.")
    return ways


def _point(point: Sequence[object]) -> Point:
    if not isinstance(point, Sequence) or len(point) != 2:
        raise ValueError(f"a point has two coordinates, got {shown(point)}.")
    x, y = (plain(part, "a coordinate") for part in point)
    return x, y


def _view(height: Height, ways: list[_Way], goal: Point | None) -> tuple[Range, Range]:
    """What is shown: the ways, as far as they do not run away upward, and the goal."""
    starts = [way.points[0] for way in ways]
    limit = HIGHEST * max(height(*start) for start in starts)
    near = [p for way in ways for p in way.points if height(*p) <= limit] + starts
    near += [goal] if goal else []
    ranges = []
    for axis in (0, 1):
        low, high = min(p[axis] for p in near), max(p[axis] for p in near)
        ranges.append((low, high))
    widest = max(high - low for low, high in ranges) or 1.0
    # A way straight along one axis still needs a plane around it.
    padded = [
        (low - pad, high + pad)
        for low, high in ranges
        for pad in [max(MARGIN * (high - low), 0.2 * widest - 0.5 * (high - low), MARGIN / 10)]
    ]
    return padded[0], padded[1]


def _lowest(height: Height, view: tuple[Range, Range]) -> Point:
    """The lowest place of a plane, found on finer and finer grids."""
    (left, right), (low, high) = view
    best = ((left + right) / 2, (low + high) / 2)
    reach = ((right - left) / 2, (high - low) / 2)
    for _ in range(REFINEMENTS):
        grid = [
            (best[0] + reach[0] * i / 5, best[1] + reach[1] * k / 5)
            for i in range(-5, 6)
            for k in range(-5, 6)
        ]
        best = min(grid, key=lambda place: height(*place))
        reach = (reach[0] * 0.4, reach[1] * 0.4)
    return _rounded(best[0], right - left), _rounded(best[1], high - low)


def _rounded(coordinate: float, width: float) -> float:
    """A number as exact as the search was, without digits that say nothing."""
    digits = 3 - math.floor(math.log10(width)) if width else 3
    return round(coordinate, digits) + 0.0


def _heading(ways: list[_Way], names: tuple[str, str]) -> str:
    parts = []
    for axis, name in enumerate(names):
        numbers = [point[axis] for way in ways for point in way.points]
        parts.append(f"{label(name)} from {min(numbers):.3g} to {max(numbers):.3g}")
    return f"Descent over the contours of a loss, {', '.join(parts)}."


def _way_text(way: _Way, height: Height, view: tuple[Range, Range]) -> str:
    first, last = way.points[0], way.points[-1]
    outside = _outside(way, view)
    text = (
        f"{way.name}: {steps_text(len(way.points) - 1)}, from {_place(first)} to {_place(last)}, "
        f"the loss goes from {height.told(*first)} to {height.told(*last)}."
    )
    return f"{text} {outside_words(outside)}" if outside else text


def _outside(way: _Way, view: tuple[Range, Range]) -> list[int]:
    points = enumerate(way.points)
    return [step for step, (x, y) in points if not (is_in(view[0], x) and is_in(view[1], y))]


def _note_outside(axes: "Axes", ways: list[_Way], view: tuple[Range, Range]) -> None:
    told = {way.name: outside_words(steps) for way in ways if (steps := _outside(way, view))}
    if not told:
        return
    lines = [f"{name}: {words[0].lower()}{words[1:]}" for name, words in told.items()]
    axes.text(
        0.01,
        0.01,
        "\n".join(lines),
        transform=axes.transAxes,
        color=INK,
        size=FONT_POINTS,
        va="bottom",
        parse_math=False,
        bbox={"facecolor": CARD, "edgecolor": "none", "pad": 2.0},
        zorder=7,
    )


def _place(point: Point) -> str:
    return f"({point[0]:.3g}, {point[1]:.3g})"


def _draw_contours(axes: "Axes", height: Height, view: tuple[Range, Range], bottom: Point) -> None:
    axes.grid(False)
    (left, right), (low, high) = view
    xs = [left + (right - left) * k / RESOLUTION for k in range(RESOLUTION + 1)]
    ys = [low + (high - low) * k / RESOLUTION for k in range(RESOLUTION + 1)]
    heights = [[height(x, y) for x in xs] for y in ys]
    floor = min(height(*bottom), min(map(min, heights)))
    top = max((h for row in heights for h in row if math.isfinite(h)), default=floor)
    if top <= floor:
        return
    levels = [floor + (top - floor) * (k / CONTOURS) ** 3 for k in range(1, CONTOURS)]
    finite = [[min(h, 2 * top - floor) for h in row] for row in heights]
    axes.contour(xs, ys, finite, levels=levels, colors=ARROW, linewidths=0.8)


def _draw_way(axes: "Axes", way: _Way, color: str, marker: str, dash: Any) -> None:
    axes.plot(
        *zip(*way.points, strict=True),
        color=color,
        linestyle=dash,
        linewidth=1.8,
        marker=marker,
        markersize=4.5,
        markevery=max(1, math.ceil(len(way.points) / MOST_MARKS)),
        markeredgecolor=CARD,
        markeredgewidth=0.5,
        label="way",
        zorder=3,
    )


def _draw_ends(axes: "Axes", ways: list[_Way], bottom: Point) -> None:
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=3, foreground=CARD)]
    starts = dict.fromkeys(way.points[0] for way in ways)
    ends = [(start, "o", "start") for start in starts] + [(bottom, "*", "lowest")]
    for (x, y), marker, words in ends:
        axes.scatter(
            [x],
            [y],
            marker=marker,
            s=150,
            facecolors="none",
            edgecolors=INK,
            linewidths=1.8,
            zorder=5,
        )
        axes.annotate(
            words,
            (x, y),
            xytext=(0, 10),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=INK,
            size=FONT_POINTS,
            path_effects=halo,
            zorder=6,
        )


def _name_beside(axes: "Axes", ways: list[_Way], ends: list[Point]) -> None:
    """Write the name of each way beside it, where it hides the least."""
    from matplotlib.patheffects import withStroke

    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles where the axes are
    drawn = [_dots(axes, way) for way in ways]
    hidden = [dot for dots in drawn for dot in dots]
    hidden += [dot for end in ends for dot in _around(on_page(axes.transData, end))]
    for way, dots, color in zip(ways, drawn, COLORS, strict=False):
        others = [dot for theirs in drawn if theirs is not dots for dot in theirs]
        width = LETTER_WIDTH * len(way.name)
        spots = [
            (_crowd(hidden, corner, width), -_distance(place, others), corner)
            for place in dots[:: math.ceil(len(dots) / SPOTS)]
            for corner in _corners(place, width)
            if _fits(axes, corner, width)
        ]
        if not spots:
            continue
        _, _, (x, y) = min(spots)
        hidden += [(x + LETTER_WIDTH * k, y + NAME_HEIGHT / 2) for k in range(len(way.name))] * 3
        axes.annotate(
            way.name,
            on_page(axes.transData.inverted(), (x, y)),
            ha="left",
            va="bottom",
            color=color,
            weight="bold",
            size=FONT_POINTS,
            path_effects=[withStroke(linewidth=3, foreground=CARD)],
            zorder=6,
            parse_math=False,
        )


def _dots(axes: "Axes", way: _Way) -> list[Point]:
    """Where the line of a way is on the page: dots so near that no name fits between two."""
    places = [on_page(axes.transData, point) for point in way.points]
    if len(places) == 1:
        return places
    dots = []
    for start, end in pairwise(places):
        # A way that runs away is longer than the page: its dots may be farther apart.
        parts = min(max(1, math.ceil(math.dist(start, end) / DOTS_APART)), MOST_DOTS)
        (x, y), (to_x, to_y) = start, end
        dots += [(x + (to_x - x) * k / parts, y + (to_y - y) * k / parts) for k in range(parts)]
    return dots


def _around(end: Point) -> list[Point]:
    """Where the mark and the word of a start or a goal are on the page."""
    x, y = end
    return [(x + right, y + up) for right in range(-20, 21, 4) for up in range(-8, 25, 4)]


def _corners(place: Point, width: float) -> list[Point]:
    """The lower left corners of a name to the right and left, above and below a place."""
    x, y = place
    return [
        (left, low)
        for left in (x + NAME_OFF, x - NAME_OFF - width)
        for low in (y + NAME_OFF / 2, y - NAME_OFF / 2 - NAME_HEIGHT)
    ]


def _crowd(dots: list[Point], corner: Point, width: float) -> int:
    """How many dots a name would hide."""
    left, low = corner
    return sum(left <= x <= left + width and low <= y <= low + NAME_HEIGHT for x, y in dots)


def _distance(place: Point, others: list[Point]) -> float:
    return min((math.dist(place, other) for other in others), default=0.0)


def _fits(axes: "Axes", corner: Point, width: float) -> bool:
    (left, low), box = corner, axes.bbox
    across = box.x0 <= left and left + width <= box.x1
    return bool(across and box.y0 <= low and low + NAME_HEIGHT <= box.y1)
