"""``SlopeView(f)``: a point on a curve, its secant, and the tangent that the secant turns into."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import traitlets

from engine.drawing.palette import ARROW, CARD, INK, PLOT_LINES
from engine.graph import Graph
from engine.guards import require_recorded
from engine.numbers import finite, positive
from engine.recompute import recomputed, require_operations
from engine.text import number_text, shown
from engine.value import Value, topological_order
from engine.walk import reverse_walk
from engine.widgets import front_end
from engine.widgets.live_drawing import plain_nodes
from engine.widgets.live_words import gap, page_words
from engine.widgets.reverse_walk import require_readable
from engine.widgets.view import View
from engine.words.naming import number

WIDTH, HEIGHT = 560.0, 360.0
SAMPLES = 200
ROOM = 0.08  # of the range of a curve, free above and below it
WORDS = {
    "secant": "Secant through x \N{MINUS SIGN} h and x + h: {rise} / {run} = {secant}",
    "tangent": "At x = {x} the curve has height {y} and slope {slope}. The difference is {gap}.",
    "magnified": "Magnified {times} times. The nearer one looks, the straighter is a smooth curve.",
    "refused": "{why} x stays {x}, h stays {h}.",
    "point": "x, the point on the curve",
    "spoken": "x = {x}, height {y}, slope {slope}",
    "h": "h, smaller to the right",
    "summary": "A curve with a point to drag, its secant and its tangent",
    "lens": "The curve around the point, magnified",
    "hint": "Drag the point. Left and right move it, Shift further; Page Down makes h smaller, "
    "Page Up larger. Solid: the secant; dashed: the tangent.",
}


@dataclass(frozen=True)
class SlopeState:
    """What a ``SlopeView`` shows.

    Attributes:
        x: where the point is.
        y: the height of the curve there.
        slope: the gradient of y with respect to x: the slope of the tangent.
        secant: (f(x+h) - f(x-h)) / (2h): the slope of the secant.
    """

    x: float
    y: float
    slope: float
    secant: float


class SlopeView(View):
    """A curve with a point to drag, its secant turning into its tangent, and a microscope.

    Args:
        f: a function of one Value; it is called once, and its graph is what the page computes
            with. A branch of Python in it stays the one that was taken.
        at: where the point begins.
        h: the secant goes through x - h and x + h.
        interval: what is shown of the x axis.

    Attributes:
        at, h: as above, to be read and set.

    Raises:
        TypeError: ``f`` does not return a Value, or a number is none.
        ValueError: the result does not depend on x, or has an operation of one's own.
        traitlets.TraitError: the curve does not exist at x, x - h or x + h.

    >>> view = SlopeView(lambda x: x * x, at=3.0, h=0.5)
    >>> view.state.slope, view.state.secant
    (6.0, 6.0)
    """

    _esm = front_end.script("eval", "slope_view")

    at = traitlets.Float().tag(sync=True)
    h = traitlets.Float().tag(sync=True)

    def __init__(
        self,
        f: Callable[[Value], Value],
        at: float = 1.0,
        h: float = 0.5,
        interval: tuple[float, float] = (-3, 3),
        presenter: bool = False,
    ) -> None:
        left, right = (finite(end, "the interval") for end in interval)
        if left >= right:
            raise ValueError(f"an interval goes from a smaller to a larger number, got {interval}.")
        x = Value(finite(at, "at"), "x")
        y = f(x)
        require_recorded(y)
        order = topological_order(y)
        if x not in order:
            raise ValueError(f"the result does not depend on x: f gave {shown(y)}.")
        self._x, self._graph = order.index(x), Graph.of(y, {})
        require_operations(self._graph)
        require_readable(len(self._graph))
        self._ends = (left, right)
        self._points = list(self._curve())
        heights = [y for _, y in self._points] or [0.0]
        margin = ROOM * (max(heights) - min(heights)) or 1.0
        self._range = (min(heights) - margin, max(heights) + margin)
        payload = {
            "nodes": plain_nodes(self._graph),
            "x": self._x,
            "ends": [left, right],
            "range": list(self._range),
            "words": page_words() | WORDS,
        }
        super().__init__(view="slope", payload=payload, at=at, h=h, presenter=presenter)
        self.payload = {**payload, "svg": self.picture()}

    @property
    def state(self) -> SlopeState:
        """What is shown now."""
        graph = recomputed(self._graph, {self._x: self.at})
        slope = reverse_walk(graph).gradients[self._x]
        rise = self._height(self.at + self.h) - self._height(self.at - self.h)
        run = (self.at + self.h) - (self.at - self.h)
        return SlopeState(self.at, graph.output.data, slope, rise / run)

    def __repr__(self) -> str:
        state = self.state
        return (
            f"at x = {number_text(state.x)}: height {number_text(state.y)}, slope "
            f"{number_text(state.slope)}; secant with h = {number_text(self.h)}: "
            f"{number_text(state.secant)}, difference {gap(state.secant, state.slope)}"
        )

    def picture(self) -> str:
        """The curve with its secant and its tangent as SVG."""
        state, (left, right) = self.state, self._ends
        root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
                "width": f"{WIDTH:.0f}",
                "height": f"{HEIGHT:.0f}",
                "role": "img",
                "aria-label": repr(self),
                "font-size": "14",
            },
        )
        add(root, "rect", "rw-sheet", width=WIDTH, height=HEIGHT, fill=CARD)
        self._draw_axes(root)
        points = " ".join(f"{self._across(x):.1f},{self._down(y):.1f}" for x, y in self._points)
        add(root, "polyline", "rw-curve", points=points, fill="none", stroke=INK)
        for name, slope, y, color, dash in (
            ("rw-tangent", state.slope, state.y, PLOT_LINES["vermilion"], "7 5"),
            ("rw-secant", state.secant, self._chord(), PLOT_LINES["blue"], ""),
        ):
            ends: dict[str, object] = {}
            for place, x in (("1", left), ("2", right)):
                height = y + slope * (x - state.x)
                ends |= {f"x{place}": self._across(x), f"y{place}": self._down(height)}
            add(root, "line", name, **ends, stroke=color, stroke_width=2, stroke_dasharray=dash)
        for name, x in (("low", self.at - self.h), ("high", self.at + self.h), ("at", self.at)):
            where = {"cx": self._across(x), "cy": self._down(self._height(x))}
            add(root, "circle", f"rw-point rw-{name}", **where, r=7, fill=CARD, stroke=INK)
        return ET.tostring(root, encoding="unicode")

    def _draw_axes(self, root: ET.Element) -> None:
        (left, right), (low, high) = self._ends, self._range
        zero = min(max(self._down(0.0), 0.0), HEIGHT)
        add(root, "line", "rw-axis", x1=0, x2=WIDTH, y1=zero, y2=zero, stroke=ARROW)
        for whole in range(int(left) - 1, int(right) + 2) if right - left <= 20 else ():
            if left < whole < right:
                x, y = self._across(whole), min(max(zero + 16, 16), HEIGHT - 5)
                add(root, "line", "rw-axis", x1=x, x2=x, y1=zero - 4, y2=zero + 4, stroke=ARROW)
                look = {"text_anchor": "middle", "fill": INK}
                add(root, "text", "", x=x, y=y, **look).text = number(whole)
        if left < 0.0 < right:
            x = self._across(0.0)
            add(root, "line", "rw-axis", x1=x, x2=x, y1=0, y2=HEIGHT, stroke=ARROW)
        for height in (low + (high - low) * ROOM / (1 + 2 * ROOM), high - (high - low) * 0.06):
            text = number(float(f"{height:.2g}"))
            look = {"fill": INK}
            add(root, "text", "", x=4, y=self._down(float(f"{height:.2g}")) + 5, **look).text = text

    def _across(self, x: float) -> float:
        left, right = self._ends
        return WIDTH * (x - left) / (right - left)

    def _down(self, y: float) -> float:
        low, high = self._range
        return HEIGHT * (high - y) / (high - low)

    def _height(self, x: float) -> float:
        height: float = recomputed(self._graph, {self._x: x}).output.data
        return height

    def _chord(self) -> float:
        return (self._height(self.at - self.h) + self._height(self.at + self.h)) / 2

    def _curve(self) -> Iterator[tuple[float, float]]:
        left, right = self._ends
        for k in range(SAMPLES + 1):
            x = left + (right - left) * k / SAMPLES
            try:
                yield x, self._height(x)
            except (ArithmeticError, ValueError):  # the curve has no point there
                continue

    @traitlets.validate("at", "h")
    def _exists(self, proposal: dict[str, Any]) -> float:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            checked = positive(value, "h") if name == "h" else finite(value, "at")
            at, h = (self.at, checked) if name == "h" else (checked, self.h)
            for x in (at, at - h, at + h):
                self._height(x)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from None
        return checked


def add(parent: ET.Element, tag: str, name: str, **attributes: object) -> ET.Element:
    """Draw one part; lengths get one decimal, and what is "" is left out."""
    written = {
        key.replace("_", "-"): f"{value:.1f}" if isinstance(value, float) else str(value)
        for key, value in attributes.items()
        if value != ""
    }
    return ET.SubElement(parent, tag, {**({"class": name} if name else {}), **written})
