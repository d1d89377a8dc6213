"""``ProductRule(x, y)``: what a product gains when both of its factors grow, as areas."""

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import traitlets

from engine.drawing.palette import CARD, INK, PLOT_AREAS, PLOT_LINES
from engine.numbers import not_negative, positive
from engine.text import number_text
from engine.widgets import front_end
from engine.widgets.slope_view import add
from engine.widgets.view import View
from engine.words.naming import TIMES

WIDTH, HEIGHT, CORNER = 560.0, 380.0, (64.0, 344.0)
LONGEST = 1.25  # what the drawing has room for, as a multiple of both sides with their steps
WORDS = {
    "gain": f"x {TIMES} y gains {{gain}}: strip dx {TIMES} y = {{right}}, "
    f"strip x {TIMES} dy = {{top}}, corner {{corner}}.",
    "share": "The two strips are {share} % of it. For each 1 of dx the right strip gives y = {y}; "
    "for each 1 of dy the top strip gives x = {x}.",
    "square": "That is {ratio} for each 1 of dx; the strips alone give x + x = {rate}.",
    "sides": "x and y, the sides",
    "steps": "dx and dy, how far the sides grow",
    "spoken": "x = {x}, y = {y}",
    "spokenSteps": "dx = {dx}, dy = {dy}",
    "half": "Half the steps",
    "tenth": "A tenth",
    "reset": "Start values",
    "summary": "A rectangle of sides x and y, with the strips it gains",
    "hint": "Drag the orange point to change the sides and the ring to change the steps; arrow "
    "keys do the same. Page Down makes the steps smaller, Page Up larger.",
}


@dataclass(frozen=True)
class ProductState:
    """What a ``ProductRule`` shows.

    Attributes:
        gain: (x + dx) (y + dy) - x y.
        right: the strip dx y.
        top: the strip x dy.
        corner: dx dy.
    """

    gain: float
    right: float
    top: float
    corner: float


class ProductRule(View):
    """A rectangle x by y that grows: two strips, and a corner that matters less and less.

    With equal sides it is a square, and stays one: both sides are then the same number, used
    twice, and so are both steps.

    Args:
        x: the side to the right, above 0.
        y: the side upward, above 0.
        dx: how far x grows, 0 or more.
        dy: how far y grows; in a square it is dx.

    Attributes:
        x, y, dx, dy: as above, to be read and set.

    Raises:
        TypeError, ValueError: a side is not a number above 0, or a step is below 0.
        traitlets.TraitError: the same, for what is set later.

    >>> ProductRule(3, 3, dx=0.01).state.gain / 0.01
    6.009999999999849
    """

    _esm = front_end.script("eval", "product_rule")

    x = traitlets.Float(3.0).tag(sync=True)
    y = traitlets.Float(2.0).tag(sync=True)
    dx = traitlets.Float(1.0).tag(sync=True)
    dy = traitlets.Float(0.8).tag(sync=True)

    def __init__(
        self, x: float = 3, y: float = 2, dx: float = 1, dy: float = 0.8, presenter: bool = False
    ) -> None:
        x, y = positive(x, "x"), positive(y, "y")
        dx, dy = not_negative(dx, "dx"), not_negative(dy, "dy")
        self._is_square = x == y
        dy = dx if self._is_square else dy
        wide, high = LONGEST * (x + dx), LONGEST * (y + dy)
        self._scale = min((WIDTH - CORNER[0] - 20) / wide, (CORNER[1] - 20) / high)
        super().__init__(view="product", x=x, y=y, dx=dx, dy=dy, presenter=presenter)
        self.payload = {
            "svg": self.picture(),
            "scale": self._scale,
            "corner": list(CORNER),
            "square": self._is_square,
            "start": {"x": self.x, "y": self.y, "dx": self.dx, "dy": self.dy},
            "words": WORDS,
        }

    @property
    def state(self) -> ProductState:
        """What is shown now."""
        gain = (self.x + self.dx) * (self.y + self.dy) - self.x * self.y
        return ProductState(gain, self.dx * self.y, self.x * self.dy, self.dx * self.dy)

    def __repr__(self) -> str:
        state = self.state
        x, y, dx, dy = map(number_text, (self.x, self.y, self.dx, self.dy))
        gain, right, top, corner = map(
            number_text, (state.gain, state.right, state.top, state.corner)
        )
        return (
            f"x * y = {number_text(self.x * self.y)} gains {gain} when x = {x} grows by {dx} and "
            f"y = {y} by {dy}: dx * y = {right}, x * dy = {top}, corner dx * dy = {corner}"
        )

    def picture(self) -> str:
        """The rectangle with its strips as SVG."""
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
        (left, bottom), scale = CORNER, self._scale
        areas = {
            "base": (0.0, 0.0, self.x, self.y, "#dddddd"),
            "right": (self.x, 0.0, self.dx, self.y, PLOT_AREAS["sky"]),
            "top": (0.0, self.y, self.x, self.dy, PLOT_AREAS["orange"]),
            "corner": (self.x, self.y, self.dx, self.dy, PLOT_LINES["purple"]),
        }
        for name, (x, y, wide, high, color) in areas.items():
            where = {"x": left + x * scale, "y": bottom - (y + high) * scale}
            size = {"width": wide * scale, "height": high * scale}
            add(root, "rect", f"rw-area rw-{name}", **where, **size, fill=color, stroke=INK)
            middle = {"x": left + (x + wide / 2) * scale, "y": bottom - (y + high / 2) * scale + 5}
            look = {"text_anchor": "middle", "fill": "#111111", "font_weight": "bold"}
            label = {"base": "x y", "right": "dx y", "top": "x dy", "corner": ""}[name]
            roomy = wide * scale > 40 and high * scale > 16
            add(root, "text", f"rw-{name}-text", **middle, **look).text = label if roomy else ""
        for name, x, y in (("at", self.x, self.y), ("end", self.x + self.dx, self.y + self.dy)):
            where = {"cx": left + x * scale, "cy": bottom - y * scale}
            add(root, "circle", f"rw-point rw-{name}", **where, r=9, fill=CARD, stroke=INK)
        for name, text, x, y in (
            ("x", f"x = {number_text(self.x)}", left + self.x * scale / 2, bottom + 20),
            ("y", f"y = {number_text(self.y)}", left - 32, bottom - self.y * scale / 2),
        ):
            look = {"text_anchor": "middle", "fill": INK}
            add(root, "text", f"rw-side-{name}", x=x, y=y, **look).text = text
        return ET.tostring(root, encoding="unicode")

    @traitlets.validate("x", "y", "dx", "dy")
    def _usable(self, proposal: dict[str, Any]) -> float:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            return positive(value, name) if name in ("x", "y") else not_negative(value, name)
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("x", "y", "dx", "dy")
    def _stay_square(self, change: dict[str, Any]) -> None:
        if self._is_square:
            twin = {"x": "y", "y": "x", "dx": "dy", "dy": "dx"}[change["name"]]
            if getattr(self, twin) != change["new"]:
                setattr(self, twin, change["new"])
