"""The way of a descent over the curve of a loss of one parameter."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.drawing.palette import CARD, INK, MUTED, PLOT_LINES
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
from engine.drawing.plots.plot import FONT_POINTS, Plot, plain, plot
from engine.text import number_text, shown
from engine.value import Value
from engine.words.naming import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLES = 300
MARGIN = 0.12
NUMBER_ROOM = 14.0


def descent_on_curve(
    loss: Callable[[Value], object],
    path: Sequence[object],
    name: str = "parameter",
    window: Range | None = None,
) -> Plot:
    """Plot the curve of a loss of one parameter, and the places that a descent came to.

    The places are numbered, 0 is the start. Where the descent runs away the picture shows its
    beginning, and both picture and text say which steps are outside.

    Args:
        loss: takes the parameter as a Value, gives a Value or a number. Where it raises an
            ArithmeticError or a ValueError, as log does below 0, the curve has a gap.
        path: the places in their order, the start first, as numbers or Values.
        name: what the parameter is called.
        window: the range of the parameter that is shown; chosen from the path when None.

    Raises:
        TypeError: a place or a loss is not a real number.
        ValueError: there is no place, one is infinite or NaN, or the window is none.

    >>> descent_on_curve(lambda w: (w - 3) ** 2, [4.0, 2.5, 3.25], name="w")
    Descent on a curve, w from 4 to 3.25 in 2 steps: the loss goes from 1 to 0.0625.
    """
    places = [plain(place, "a place of the path") for place in path]
    if not places:
        raise ValueError("there is no way to plot: give at least the place of the start.")
    height = Height(loss)
    name = label(name)
    inside = _readable(window) if window else _window(height, places)
    outside = [step for step, place in enumerate(places) if not is_in(inside, place)]
    text = _curve_text(height, places, outside, name)

    def draw(axes: "Axes") -> None:
        _draw_curve(axes, height, places, inside)
        if outside:
            _note(axes, outside_words(outside))
        axes.set_xlabel(name, parse_math=False)
        axes.set_ylabel("loss")

    return plot(draw, text)


def _readable(window: Range) -> Range:
    low, high = (plain(end, "an end of the window") for end in window)
    if not low < high:
        raise ValueError(f"a window goes from a smaller to a larger number, got {shown(window)}.")
    return low, high


def window_of(loss: Callable[[Value], object], paths: Sequence[Sequence[float]]) -> Range:
    """One range of the parameter for several descents, each as far as it does not run away.

    Args:
        loss: as for ``descent_on_curve``.
        paths: the places of each descent.

    >>> low, high = window_of(lambda w: w * w, [[1.0, 0.5, 0.25], [1.0, -9.0, 81.0]])
    >>> round(low, 2), round(high, 2)
    (0.16, 1.09)
    """
    height = Height(loss)
    return _widened([place for path in paths for place in _near(height, list(path))])


def _window(height: Height, places: list[float]) -> Range:
    """All places, or the first of them where a descent runs away upward."""
    near = _near(height, places)
    return _widened(near if len(near) > 1 else places[:2])


def _near(height: Height, places: list[float]) -> list[float]:
    losses = [height(place) for place in places]
    bottom = min([*_samples(height, min(places[:2]), max(places[:2])), *losses])
    limit = bottom + HIGHEST * max(losses[0] - bottom, 0.0)
    runs_away = (step for step, loss in enumerate(losses) if loss > limit)
    return places[: next(runs_away, len(places))]


def _widened(places: list[float]) -> Range:
    low, high = min(places), max(places)
    margin = MARGIN * ((high - low) or abs(low) or 1.0)
    return low - margin, high + margin


def _samples(height: Height, low: float, high: float) -> list[float]:
    return [height(low + (high - low) * k / 50) for k in range(51)]


def _curve_text(height: Height, places: list[float], outside: list[int], name: str) -> str:
    first, last = places[0], places[-1]
    steps = len(places) - 1
    if steps == 0:
        return f"A curve, {name} = {number_text(first)}: the loss is {height.told(first)}."
    text = (
        f"Descent on a curve, {name} from {number_text(first)} to {number_text(last)} in "
        f"{steps_text(steps)}: the loss goes from {height.told(first)} "
        f"to {height.told(last)}."
    )
    return f"{text}\n{outside_words(outside)}" if outside else text


def _note(axes: "Axes", words: str) -> None:
    axes.set_title(words, size=FONT_POINTS, color=INK, loc="left", parse_math=False)


def _draw_curve(axes: "Axes", height: Height, places: list[float], window: Range) -> None:
    low, high = window
    xs = [low + (high - low) * k / SAMPLES for k in range(SAMPLES + 1)]
    ys = [height(x) for x in xs]
    axes.plot(xs, [y if math.isfinite(y) else math.nan for y in ys], color=MUTED, linewidth=2.0)
    seen = [y for y in ys if math.isfinite(y)] or [0.0, 1.0]
    room = (max(seen) - min(seen)) or 1.0
    axes.set_xlim(low, high)
    axes.set_ylim(min(seen) - 0.12 * room, max(seen) + 0.08 * room)
    heights = [height(place) for place in places]
    top = max(seen) + room
    points = [(x, min(y, top)) for x, y in zip(places, heights, strict=True)]
    # Far away points would make numbers that the drawing cannot hold.
    points = [(min(max(x, 2 * low - high), 2 * high - low), y) for x, y in points]
    axes.plot(
        *zip(*points, strict=True),
        color=PLOT_LINES["vermilion"],
        marker="o",
        markersize=6.5,
        # Steps that overlap stay apart.
        markeredgecolor=CARD,
        markeredgewidth=0.9,
        linewidth=1.2,
        linestyle=(0, (4, 2)),
        zorder=3,
    )
    seen_points = [
        (step, point)
        for step, (point, place) in enumerate(zip(points, places, strict=True))
        if is_in(window, place)
    ]
    _write_steps(axes, seen_points)


def _write_steps(axes: "Axes", points: list[tuple[int, Point]]) -> None:
    """Write the numbers of the steps at their points, as far as there is room."""
    from matplotlib.patheffects import withStroke

    taken: list[Point] = []
    for step, point in points:
        where = on_page(axes.transData, point)
        if any(math.dist(where, other) < NUMBER_ROOM for other in taken):
            continue
        taken.append(where)
        axes.annotate(
            str(step),
            point,
            xytext=(0, -8),
            textcoords="offset points",
            ha="center",
            va="top",
            color=INK,
            size=FONT_POINTS,
            path_effects=[withStroke(linewidth=3, foreground=CARD)],
            zorder=4,
        )
