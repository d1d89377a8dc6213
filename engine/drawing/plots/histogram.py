"""How large the gradients of many parameters are."""

import math
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Any

from engine.drawing.palette import CARD, INK, PLOT_AREAS, PLOT_LINES
from engine.drawing.plots.plot import Plot, legend_above, plot
from engine.drawing.step_chart import power_of_ten
from engine.numbers import finite
from engine.value import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS_PER_DECADE = 2
MOST_DECADES = 20
TICKS_ABOUT = 8


def gradient_histogram(gradients: Iterable[object]) -> Plot:
    """Plot how many gradients there are of each size, on a logarithmic axis.

    Gradients of exactly 0 have a bar of their own on the left.

    Args:
        gradients: numbers, or Values such as the parameters of a model, whose ``grad`` is taken.

    Raises:
        TypeError: a gradient is not a real number.
        ValueError: there is none, or one is infinite or NaN.

    >>> gradient_histogram([0.5, -0.25, 0.0, 0.001])
    Histogram of 4 gradients: 2 positive, 1 negative, 1 exactly 0.
    Sizes from 0.001 to 0.5; half of those that are not 0 are below 0.25.
    """
    numbers = [finite(g.grad if isinstance(g, Value) else g, "a gradient") for g in gradients]
    if not numbers:
        raise ValueError("there is no gradient to plot.")
    sizes = sorted(abs(number) for number in numbers if number)
    return plot(lambda axes: _draw(axes, numbers, sizes), _text(numbers, sizes))


def _text(numbers: list[float], sizes: list[float]) -> str:
    positive = sum(number > 0.0 for number in numbers)
    negative = sum(number < 0.0 for number in numbers)
    heading = (
        f"Histogram of {len(numbers)} gradients: {positive} positive, {negative} negative, "
        f"{len(numbers) - len(sizes)} exactly 0."
    )
    if not sizes:
        return heading
    return (
        f"{heading}\nSizes from {sizes[0]:.3g} to {sizes[-1]:.3g}; half of those that are not 0 "
        f"are below {median(sizes):.3g}."
    )


def _draw(axes: "Axes", numbers: list[float], sizes: list[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    low, high = _decades(sizes)
    count = (high - low) * BARS_PER_DECADE
    up, down = [0] * count, [0] * count
    for number in numbers:
        if number:
            place = int((math.log10(abs(number)) - low) * BARS_PER_DECADE)
            (up if number > 0.0 else down)[max(place, 0)] += 1
    places = [low + (k + 0.5) / BARS_PER_DECADE for k in range(count)]
    width = 1.0 / BARS_PER_DECADE
    looks: dict[str, Any] = {"width": width, "edgecolor": CARD, "linewidth": 0.8}
    axes.bar(places, up, color=PLOT_LINES["blue"], label="positive", **looks)
    axes.bar(
        places, down, bottom=up, color=PLOT_AREAS["orange"], hatch="///", label="negative", **looks
    )
    at_zero = low - 1.0
    zeros = len(numbers) - len(sizes)
    axes.bar([at_zero], [zeros], width=width, color=INK, label="exactly 0")
    shown = range(low, high + 1)[:: max(1, math.ceil((high - low + 1) / TICKS_ABOUT))]
    axes.set_xticks([at_zero, *shown], ["0", *map(power_of_ten, shown)])
    axes.set_xlim(at_zero - 0.5, high + 0.25)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(False, axis="x")
    axes.set_xlabel("size of the gradient")
    axes.set_ylabel("number of gradients")
    legend_above(axes, columns=3)


def _decades(sizes: list[float]) -> tuple[int, int]:
    """The powers of ten from the smallest to the largest size; far smaller ones share a bar."""
    if not sizes:
        return -1, 0
    high = math.floor(math.log10(sizes[-1])) + 1
    low = math.floor(math.log10(sizes[0]))
    return max(low, high - MOST_DECADES), high
