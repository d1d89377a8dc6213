"""The error of a measured derivative against its step, for one function or several."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.drawing.palette import CARD, INK, MUTED, PLOT_LINES
from engine.drawing.plots.plot import FONT_POINTS, Plot, legend_above, plot
from engine.drawing.step_chart import GUIDE_LABELS, power_of_ten
from engine.measuring import StepError
from engine.step_sizes import Guide, guides
from engine.text import number_text, shown
from engine.words.naming import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The two differences look as in the view of a gradient check.
COLORS_OF_TWO = (PLOT_LINES["blue"], PLOT_LINES["purple"])
MARKERS = ("o", "s", "^", "D")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MOST_CURVES = len(MARKERS)
TICKS_ABOUT = 7
LOWEST = 1e-17


class _Curve(NamedTuple):
    """The errors of one difference.

    Attributes:
        points: pairs of a step and the error there, the smallest step first.
        truncation: like what the error grows at large steps, ``""`` where that is not to be seen.
    """

    points: list[tuple[float, float]]
    truncation: str


class _Errors(NamedTuple):
    """What is plotted: curves by name, the straight lines they follow, a color for each curve."""

    curves: dict[str, _Curve]
    lines: tuple[Guide, ...]
    colors: tuple[str, ...]


def error_against_step(
    errors: Sequence[StepError] | Mapping[str, Sequence[StepError]],
) -> Plot:
    """Plot errors against steps, both on logarithmic axes, with the lines they follow.

    Toward large steps truncation rules: a forward difference is wrong like h, a central one like
    h squared. Toward tiny steps rounding rules, like 1/h. Together they make a V. An error of
    exactly 0 has no place on a logarithmic axis and is left out.

    Args:
        errors: what ``error_by_step`` measured, with two steps or more: of one function, then
            both differences are shown; or of up to four functions by name, then the central
            differences of all.

    Raises:
        TypeError: ``errors`` is something else.
        ValueError: there are fewer than two steps, or more than four functions.

    >>> from engine.measuring import error_by_step
    >>> error_against_step(error_by_step(lambda x: x * x, at=2.0, exact=4.0))
    Error of the derivative against the step h, from h = 1e-15 to h = 0.1.
    central difference: no truncation error is to be seen, only rounding.
    forward difference: error 0.1 at h = 0.1, falling like h at first.
    """
    read = _of_several(errors) if isinstance(errors, Mapping) else _of_one(errors)
    steps = sorted(step for curve in read.curves.values() for step, _ in curve.points)
    heading = (
        f"Error of the derivative against the step h, from h = {number_text(steps[0])} "
        f"to h = {number_text(steps[-1])}."
    )
    sentences = [_sentence(name, curve) for name, curve in read.curves.items()]
    return plot(lambda axes: _draw(axes, read), "\n".join([heading, *sentences]))


def _of_one(errors: Sequence[StepError]) -> _Errors:
    """Both differences of one function."""
    checked = _checked(errors)
    lines = guides(checked)
    seen = {line.name for line in lines}
    curves = {
        "central difference": _Curve(
            [(e.step, e.central) for e in checked],
            "h squared" if "central truncation" in seen else "",
        ),
        "forward difference": _Curve(
            [(e.step, e.forward) for e in checked], "h" if "forward truncation" in seen else ""
        ),
    }
    return _Errors(curves, lines, COLORS_OF_TWO)


def _of_several(errors: Mapping[str, Sequence[StepError]]) -> _Errors:
    """The central differences of several functions."""
    if not 1 <= len(errors) <= MOST_CURVES:
        raise ValueError(f"one plot shows 1 to {MOST_CURVES} functions, got {len(errors)}.")
    curves: dict[str, _Curve] = {}
    lines: dict[str, Guide] = {}
    for name, several in errors.items():
        checked = _checked(several)
        seen = {line.name: line for line in guides(checked) if "forward" not in line.name}
        lines |= seen
        curves[label(str(name))] = _Curve(
            [(e.step, e.central) for e in checked],
            "h squared" if "central truncation" in seen else "",
        )
    return _Errors(curves, tuple(lines.values()), tuple(PLOT_LINES.values()))


def _checked(errors: object) -> list[StepError]:
    if not isinstance(errors, Sequence) or not all(isinstance(e, StepError) for e in errors):
        raise TypeError(
            f"error_against_step plots what error_by_step returns, got {shown(errors)}."
        )
    if len(errors) < 2:
        raise ValueError(f"a curve needs at least two steps, got {len(errors)}.")
    return sorted(errors)


def _sentence(name: str, curve: _Curve) -> str:
    step, error = curve.points[-1]
    if not curve.truncation:
        return f"{name}: no truncation error is to be seen, only rounding."
    return (
        f"{name}: error {error:.1g} at h = {number_text(step)}, falling like {curve.truncation} "
        "at first."
    )


def _draw(axes: "Axes", errors: _Errors) -> None:
    curves = [curve.points for curve in errors.curves.values()]
    axes.set_xscale("log")
    axes.set_yscale("log")
    for points, color, marker, dash in zip(curves, errors.colors, MARKERS, DASHES, strict=False):
        above = [(step, error) for step, error in points if error > 0.0]
        axes.plot(
            *zip(*above, strict=True) if above else ([], []),
            color=color,
            marker=marker,
            linestyle=dash,
            markersize=5.5,
            linewidth=1.6,
            label="curve",
        )
    steps = [step for points in curves for step, _ in points]
    seen = [max(error, LOWEST) for points in curves for _, error in points if error > 0.0]
    heights = seen or [1e-1, 1.0]
    axes.set_xlim(min(steps) / 3, max(steps) * 3)
    axes.set_ylim(min(heights) / 10, max(heights) * 3)
    _draw_guides(axes, errors.lines)
    _label_axes(axes)
    legend = legend_above(axes, columns=min(2, len(curves)))
    # A name set later may begin with an underscore, which in a label would hide the curve.
    for text, name in zip(legend.get_texts(), errors.curves, strict=True):
        text.set_text(name)


def _label_axes(axes: "Axes") -> None:
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        exponents = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        chosen = exponents[:: max(1, math.ceil(len(exponents) / TICKS_ABOUT))]
        axis.set_ticks([10.0**e for e in chosen], [power_of_ten(e) for e in chosen])
        axis.set_ticks([], minor=True)
    axes.set_xlabel("step h")
    axes.set_ylabel("error of the derivative")


def _draw_guides(axes: "Axes", lines: tuple[Guide, ...]) -> None:
    from matplotlib.patheffects import withStroke

    left, right = axes.get_xlim()
    for line in lines:
        axes.plot(
            [left, right],
            [line.at(left), line.at(right)],
            color=MUTED,
            linestyle=(0, (6, 4)),
            linewidth=1.0,
            scalex=False,
            scaley=False,
        )
        place = _inside(axes, line)
        if place is not None:
            shift, anchor = ((8, 4), "left") if line.power < 0 else ((-8, 4), "right")
            if line.power == 2:
                shift, anchor = (10, -8), "left"
            axes.annotate(
                GUIDE_LABELS[line.name],
                place,
                xytext=shift,
                textcoords="offset points",
                ha=anchor,
                color=INK,
                size=FONT_POINTS,
                path_effects=[withStroke(linewidth=4, foreground=CARD)],
            )


def _inside(axes: "Axes", line: Guide) -> tuple[float, float] | None:
    """A point of the line, one third up the plot's height, if it is inside."""
    low, high = map(math.log10, axes.get_ylim())
    share = 0.6 if line.power < 0 else 0.2
    error = 10.0 ** (low + share * (high - low))
    step = float((error / line.factor) ** (1 / line.power))
    left, right = axes.get_xlim()
    return (step, error) if left < step < right else None
