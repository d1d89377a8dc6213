"""The error of a measured derivative against its step, as an SVG that a view can restyle.

Like the drawing of a graph it carries its looks as attributes and has no ids. The view marks the
step that is chosen: every point carries its place in ``data-place``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree import ElementTree as ET

from engine.drawing.boxes import Point
from engine.drawing.free_place import SIDES, Area, TextPlace, dots, free_place
from engine.drawing.palette import ARROW, CARD, INK, LIGHT, MUTED
from engine.measuring import StepError
from engine.step_sizes import Guide, guides
from engine.words.naming import MINUS

WIDTH, HEIGHT = 600.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 66.0, 14.0, 46.0, 54.0
FONT = "system-ui, Segoe UI, DejaVu Sans, sans-serif"
TICKS_ABOUT = 6
LOWEST_EXPONENT = -20
MARK = 4.0
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
REACHES_KINK = "reaches the kink \N{RIGHTWARDS ARROW}"
NOTHING_TO_SEE = "every error is exactly 0"
SERIES = (("forward", "other"), ("central", "active"))
GUIDE_LABELS = {
    "rounding": "rounding ∝ 1/h",
    "forward truncation": "truncation ∝ h",
    "central truncation": "truncation ∝ h²",
}


def power_of_ten(exponent: int) -> str:
    """Write a power of ten, as at the tick of an axis.

    >>> power_of_ten(-5)
    '10⁻⁵'
    """
    return f"10{str(exponent).translate(SUPERSCRIPTS)}"


class Rule(NamedTuple):
    """A straight line that the curves are seen against, and what is written beside it."""

    name: str
    ends: tuple[Point, Point]
    color: str
    dashes: str
    text: str
    sides: Sequence[str] = SIDES


class Decades(NamedTuple):
    """A logarithmic axis: exponents of ten, and where they lie on the page."""

    low: int
    high: int
    start: float
    end: float

    def at(self, number: float) -> float:
        """The place of a number above 0."""
        share = (math.log10(number) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> range:
        """Evenly spaced exponents, about six of them."""
        every = max(1, math.ceil((self.high - self.low) / TICKS_ABOUT))
        first = math.ceil(self.low / every) * every
        return range(first, self.high + 1, every)


@dataclass(frozen=True)
class StepChart:
    """A log-log plot of errors against steps.

    Attributes:
        errors: what to plot, the smallest step first.
        places: which of all steps each error belongs to.
        steps: all steps, the smallest first; the axis reaches from the first to the last.
        alt: what the plot shows, in words.
        agreement: the largest error that passes, or None.
        kink: the distance of a kink, or None.

    >>> errors = (StepError(1e-3, 1e-3, 1e-6), StepError(1e-2, 1e-2, 1e-4))
    >>> chart = StepChart(errors, (0, 1), (1e-3, 1e-2), "Two steps")
    >>> [round(chart.x(step)) for step in chart.steps]
    [66, 586]
    """

    errors: tuple[StepError, ...]
    places: tuple[int, ...]
    steps: tuple[float, ...]
    alt: str
    agreement: float | None = None
    kink: float | None = None

    @property
    def across(self) -> Decades:
        """The axis of the steps."""
        low = math.floor(math.log10(self.steps[0]) + 1e-9)
        high = math.ceil(math.log10(self.steps[-1]) - 1e-9)
        return Decades(low, max(high, low + 1), LEFT, WIDTH - RIGHT)

    @property
    def upward(self) -> Decades:
        """The axis of the errors, with a row for errors of exactly 0 below."""
        seen = [e for error in self.errors for e in (error.forward, error.central) if e > 0.0]
        seen += [self.agreement] if self.agreement else []
        exponents = [math.log10(error) for error in seen] or [-1.0]
        low = max(math.floor(min(exponents)), LOWEST_EXPONENT)
        high = max(math.ceil(max(exponents)), low + 1)
        return Decades(low - 1, high, HEIGHT - BOTTOM, TOP)

    def x(self, step: float) -> float:
        """How far right a step is."""
        return self.across.at(step)

    def y(self, error: float) -> float:
        """How far down an error is; one of exactly 0, or too small, is on the lowest line."""
        lowest = 10.0**self.upward.low
        return self.upward.at(max(error, lowest))

    def svg(self, place: int) -> str:
        """Draw the chart with one of the steps marked.

        Args:
            place: of the step, counted from the smallest.
        """
        root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
                "width": f"{WIDTH:.0f}",
                "height": f"{HEIGHT:.0f}",
                "role": "img",
                "class": "rw-chart",
                "font-family": FONT,
                "font-size": "14",
                "aria-label": self.alt,
            },
        )
        ET.SubElement(root, "title").text = self.alt
        size = {"width": f"{WIDTH:.0f}", "height": f"{HEIGHT:.0f}"}
        ET.SubElement(root, "rect", {"class": "rw-sheet", **size, "fill": CARD})
        self._draw_axes(root)
        self._draw_marker(root, place)
        self._draw_rules(root)
        for name, color in SERIES:
            self._draw_series(root, name, LIGHT[color], place)
        self._draw_legend(root)
        if not any(error.central or error.forward for error in self.errors):
            middle = (LEFT + WIDTH - RIGHT) / 2
            _halo_text(root, NOTHING_TO_SEE, TextPlace(middle, HEIGHT / 2, "middle"), "rw-guide")
        return ET.tostring(root, encoding="unicode")

    def _draw_axes(self, root: ET.Element) -> None:
        left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
        for exponent in self.across.ticks():
            x = self.across.at(10.0**exponent)
            _line(root, "rw-grid", (x, top), (x, bottom), LIGHT["control"])
            _text(root, power_of_ten(exponent), x, bottom + 20, MUTED, "middle")
        for exponent in self.upward.ticks():
            if exponent == self.upward.low:
                continue
            y = self.upward.at(10.0**exponent)
            _line(root, "rw-grid", (left, y), (right, y), LIGHT["control"])
            _text(root, power_of_ten(exponent), left - 8, y + 5, MUTED, "end")
        _text(root, "0", left - 8, bottom + 5, MUTED, "end")
        for start in ((left, top), (right, bottom)):
            _line(root, "rw-axis", start, (left, bottom), ARROW)
        _text(root, "step h", (left + right) / 2, HEIGHT - 10, INK, "middle")
        label = _text(root, "error of the derivative", 0, 0, INK, "middle")
        label.set("transform", f"translate(16 {(top + bottom) / 2:.1f}) rotate(-90)")

    def _draw_marker(self, root: ET.Element, place: int) -> None:
        x = self.x(self.steps[place])
        group = ET.SubElement(root, "g", {"class": "rw-now", "transform": f"translate({x:.1f} 0)"})
        rect = {
            "x": "-5",
            "y": f"{TOP}",
            "width": "10",
            "height": f"{HEIGHT - BOTTOM - TOP}",
            "fill": LIGHT["current"],
            "fill-opacity": "0.35",
        }
        ET.SubElement(group, "rect", rect)
        _line(group, "rw-now-line", (0, TOP), (0, HEIGHT - BOTTOM), INK)
        text = _text(group, "h", 0, TOP - 5, INK, "middle")
        text.set("font-weight", "bold")

    def _draw_rules(self, root: ET.Element) -> None:
        rules = [*self._levels(), *self._guides()]
        for rule in rules:
            _line(root, f"rw-{rule.name}", *rule.ends, rule.color, rule.dashes)
        lines = [*(rule.ends for rule in rules), *(self._series(name) for name, _ in SERIES)]
        taken = [dot for line in lines for dot in dots(line)]
        sheet = Area(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
        for rule in rules:
            place = free_place(rule.text, rule.ends, sheet, taken, rule.sides)
            _halo_text(root, rule.text, place, f"rw-{rule.name}")
            taken += dots(place.area(rule.text).corners())

    def _levels(self) -> Iterator[Rule]:
        """The largest error that passes, and the smallest step that reaches a kink."""
        left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
        if self.agreement:
            y, color = self.y(self.agreement), LIGHT["done-border"]
            yield Rule("level", ((left, y), (right, y)), color, "2 4", "agree below", ["end"])
        if self.kink and self.across.low < math.log10(self.kink) < self.across.high:
            x, color = self.x(self.kink), LIGHT["wrong"]
            yield Rule("bend", ((x, bottom), (x, top)), color, "8 4", REACHES_KINK, ["end"])

    def _guides(self) -> Iterator[Rule]:
        """The straight lines that the errors follow."""
        for line in guides(self.errors):
            ends = self._visible(line)
            if ends is None:
                continue
            first, last = ((self.x(step), self.upward.at(line.at(step))) for step in ends)
            yield Rule("guide", (first, last), MUTED, "6 4", GUIDE_LABELS[line.name])

    def _visible(self, line: Guide) -> tuple[float, float] | None:
        """The steps between which a line runs inside the plot."""

        def step_of(error: float) -> float:
            return float((error / line.factor) ** (1 / line.power))

        bottom, top = (step_of(10.0**e) for e in (self.upward.low, self.upward.high))
        low = max(self.steps[0], min(bottom, top))
        high = min(self.steps[-1], max(bottom, top))
        return (low, high) if low < high else None

    def _series(self, name: str) -> list[Point]:
        return [(self.x(e.step), self.y(getattr(e, name))) for e in self.errors]

    def _draw_series(self, root: ET.Element, name: str, color: str, place: int) -> None:
        points = self._series(name)
        group = ET.SubElement(root, "g", {"class": f"rw-series rw-{name}-series"})
        ET.SubElement(
            group,
            "polyline",
            {
                "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in points),
                "fill": "none",
                "stroke": color,
                "stroke-width": "2",
            },
        )
        for (x, y), where in zip(points, self.places, strict=True):
            mark = _mark(group, name, x, y, color)
            mark.set("data-place", str(where))
            if where == place:
                mark.set("data-now", "")
                mark.set("stroke", INK)

    def _draw_legend(self, root: ET.Element) -> None:
        x = LEFT
        for name, color in reversed(SERIES):
            group = ET.SubElement(root, "g", {"class": f"rw-series rw-{name}-series"})
            _mark(group, name, x + 6, 14, LIGHT[color])
            _text(group, f"{name} difference", x + 18, 19, INK, "start")
            x += 190


def exponent_text(number: float, digits: int = 0) -> str:
    """Write a small number with its power of ten, as one types it but for the minus.

    >>> exponent_text(1e-5), exponent_text(3.21e-12, 1)
    ('1e−5', '3.2e−12')
    """
    mantissa, exponent = f"{number:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def _line(
    parent: ET.Element,
    name: str,
    start: Sequence[float],
    end: Sequence[float],
    color: str,
    dashes: str = "",
) -> None:
    attributes = {
        "class": name,
        "x1": f"{start[0]:.1f}",
        "y1": f"{start[1]:.1f}",
        "x2": f"{end[0]:.1f}",
        "y2": f"{end[1]:.1f}",
        "stroke": color,
        "stroke-width": "1.5",
    }
    ET.SubElement(
        parent, "line", {**attributes, "stroke-dasharray": dashes} if dashes else attributes
    )


def _text(parent: ET.Element, text: str, x: float, y: float, color: str, anchor: str) -> ET.Element:
    element = ET.SubElement(
        parent, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": color, "text-anchor": anchor}
    )
    element.text = text
    return element


def _halo_text(parent: ET.Element, text: str, place: TextPlace, name: str) -> None:
    """Write over lines: a broad outline in the color of the sheet keeps the text readable."""
    element = _text(parent, text, place.x, place.y, INK, place.anchor)
    element.set("class", f"rw-halo {name}-text")
    element.set("stroke", CARD)
    element.set("stroke-width", "4")
    element.set("paint-order", "stroke")


def _mark(group: ET.Element, name: str, x: float, y: float, color: str) -> ET.Element:
    if name == "central":
        tag, place = "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{MARK}"}
    else:
        side = f"{2 * MARK}"
        corner = {"x": f"{x - MARK:.1f}", "y": f"{y - MARK:.1f}"}
        tag, place = "rect", {**corner, "width": side, "height": side}
    looks = {"class": "rw-point", "fill": color, "stroke": color, "stroke-width": "2"}
    return ET.SubElement(group, tag, {**place, **looks})
