"""The error of a measured derivative against its step, for one function or several."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.drawing.palette import CARD, INK, MUTED, PLOT_LINES
from engine.drawing.plots.plot import Plot, legend_above, plot
from engine.drawing.step_chart import GUIDE_LABELS, power_of_ten
from engine.drawing.words import label
from engine.gradcheck import StepError
from engine.step_sizes import Guide, guides
from engine.text import number_text, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The two differences look as in the view of a gradient check.
COLORS_OF_TWO = (PLOT_LINES["blue"], PLOT_LINES["purple"])
MARKERS = ("o", "s", "^", "D")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
MOST_CURVES = len(MARKERS)
TICKS_ABOUT = 7
LOWEST = 1e-17

Curves = dict[str, list[tuple[float, float]]]


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

    >>> from engine.gradcheck import error_by_step
    >>> error_against_step(error_by_step(lambda x: x * x, at=2.0, exact=4.0))
    Error of the derivative against the step h, from h = 1e-15 to h = 0.1.
    central difference: no truncation error is to be seen, only rounding.
    forward difference: error 0.1 at h = 0.1, falling like h at first.
    """
    curves, lines, found = _read(errors)
    steps = sorted(step for points in curves.values() for step, _ in points)
    heading = (
        f"Error of the derivative against the step h, from h = {number_text(steps[0])} "
        f"to h = {number_text(steps[-1])}."
    )
    sentences = [_sentence(name, points, found[name]) for name, points in curves.items()]
    return plot(lambda axes: _draw(axes, curves, lines), "\n".join([heading, *sentences]))


def _read(
    errors: Sequence[StepError] | Mapping[str, Sequence[StepError]],
) -> tuple[Curves, tuple[Guide, ...], dict[str, bool]]:
    """Return the curves, the straight lines, and which curves show truncation."""
    if not isinstance(errors, Mapping):
        single = _checked(errors)
        lines = guides(single)
        names = {line.name for line in lines}
        return (
            {
                "central difference": [(e.step, e.central) for e in single],
                "forward difference": [(e.step, e.forward) for e in single],
            },
            lines,
            {
                "central difference": "central truncation" in names,
                "forward difference": "forward truncation" in names,
            },
        )
    if not 1 <= len(errors) <= MOST_CURVES:
        raise ValueError(f"one plot shows 1 to {MOST_CURVES} functions, got {len(errors)}.")
    checked = {label(str(name)): _checked(several) for name, several in errors.items()}
    each = {name: guides(several) for name, several in checked.items()}
    lines = tuple(
        {
            g.name: g for several in each.values() for g in several if "forward" not in g.name
        }.values()
    )
    return (
        {name: [(e.step, e.central) for e in several] for name, several in checked.items()},
        lines,
        {name: any(g.name == "central truncation" for g in each[name]) for name in checked},
    )


def _checked(errors: object) -> list[StepError]:
    if not isinstance(errors, Sequence) or not all(isinstance(e, StepError) for e in errors):
        raise TypeError(
            f"error_against_step plots what error_by_step returns, got {shown(errors)}."
        )
    if len(errors) < 2:
        raise ValueError(f"a curve needs at least two steps, got {len(errors)}.")
    return sorted(errors)


def _sentence(name: str, points: list[tuple[float, float]], bends: bool) -> str:
    step, error = points[-1]
    if not bends:
        return f"{name}: no truncation error is to be seen, only rounding."
    falls = "h" if name == "forward difference" else "h squared"
    return f"{name}: error {error:.1g} at h = {number_text(step)}, falling like {falls} at first."


def _draw(axes: "Axes", curves: Curves, lines: tuple[Guide, ...]) -> None:
    seen = [(step, e) for points in curves.values() for step, e in points if e > 0.0]
    axes.set_xscale("log")
    axes.set_yscale("log")
    colors = COLORS_OF_TWO if "forward difference" in curves else tuple(PLOT_LINES.values())
    for points, color, marker, dash in zip(curves.values(), colors, MARKERS, DASHES, strict=False):
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
    steps = [step for points in curves.values() for step, _ in points]
    heights = [max(error, LOWEST) for _, error in seen] or [1e-1, 1.0]
    axes.set_xlim(min(steps) / 3, max(steps) * 3)
    axes.set_ylim(min(heights) / 10, max(heights) * 3)
    _draw_guides(axes, lines)
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        exponents = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        chosen = exponents[:: max(1, math.ceil(len(exponents) / TICKS_ABOUT))]
        axis.set_ticks([10.0**e for e in chosen], [power_of_ten(e) for e in chosen])
        axis.set_ticks([], minor=True)
    axes.set_xlabel("step h")
    axes.set_ylabel("error of the derivative")
    legend = legend_above(axes, columns=min(2, len(curves)))
    # A name set later may begin with an underscore, which in a label would hide the curve.
    for text, name in zip(legend.get_texts(), curves, strict=True):
        text.set_text(name)


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
                size=10,
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
