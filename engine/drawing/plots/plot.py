"""A finished plot, and the sheet it is drawn on: the palette, and no global state of matplotlib.

Figures are made without ``pyplot``, so no plot of ours changes one that a learner has in hand.
"""

import html
import io
import re
import warnings
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.drawing.palette import (
    CARD,
    INK,
    LIGHT,
    MUTED,
    PLOT_DARK,
    PLOT_LINES,
    plot_style,
)
from engine.drawing.step_chart import FONT
from engine.numbers import finite
from engine.value import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

PIXELS_PER_INCH = 100
# Shown as wide as it says, a plot has texts of 16 pixels; on a telephone they keep 11.
LEAST_SCALE = 0.66
WIDTH, HEIGHT = 5.0, 3.4
FONT_POINTS = 12.0
EDGE = 0.1
AS_WRITTEN: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "plot",
    "text.color": INK,
    "font.size": FONT_POINTS,
}
NOTHING_MORE = dict.fromkeys(("Date", "Creator", "Format", "Type"))
COLOR = re.compile("|".join(PLOT_DARK))
FONTS = re.compile(r"'DejaVu Sans'[^;\"]*")

Bundle = tuple[dict[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Plot:
    """A picture and its text; a notebook shows the picture, anything else the text.

    Attributes:
        text: what the picture shows, in words and numbers.
        svg: the picture, as an image of its own whose colors follow the page around it.
        width: how wide it is shown, in pixels of the page.
        height: how high it is shown.

    >>> Plot("Nothing at all.", "", 500, 340)
    Nothing at all.
    """

    text: str
    svg: str = field(repr=False)
    width: int
    height: int

    @property
    def alt(self) -> str:
        """The text on one line, for a reader who does not see the picture."""
        return " ".join(self.text.split())

    @property
    def src(self) -> str:
        """The picture as an address."""
        return f"data:image/svg+xml;base64,{b64encode(self.svg.encode()).decode('ascii')}"

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        image = (
            f'<img src="{self.src}" alt="{html.escape(self.alt)}" '
            f'width="{self.width}" height="{self.height}" '
            f'style="min-width: {LEAST_SCALE * self.width:.0f}px">'
        )
        return {"text/html": image, "text/plain": self.text}, {}


def plot(
    draw: "Callable[[Axes], None]", text: str, width: float = WIDTH, height: float = HEIGHT
) -> Plot:
    """Make a plot of one pair of axes.

    Args:
        draw: draws into the axes, which carry the palette already.
        text: what the picture will show, in words and numbers.
        width: of the picture, in inches of 100 pixels.
        height: of the picture.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(
        figsize=(width, height),
        dpi=72,  # a point of the page is a unit of the SVG
        facecolor=CARD,
        linewidth=0.0,
        # Where the edge of the card is seen no word may stick to it.
        layout=ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE),
    )
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    picture = io.StringIO()
    with warnings.catch_warnings(), rc_context(AS_WRITTEN):
        # A learner's word may have letters that no font at hand has: a box is drawn instead.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        _prepare(axes)
        draw(axes)
        _finish(axes)
        figure.savefig(picture, format="svg", metadata=NOTHING_MORE, facecolor=CARD)
    pixels = (round(side * PIXELS_PER_INCH) for side in (width, height))
    return Plot(text, _themed(picture.getvalue()), *pixels)


def _themed(drawn: str) -> str:
    """The SVG of matplotlib in colors that follow the page, in the fonts of the page."""
    svg = COLOR.sub(lambda found: f"var(--c{found[0][1:]})", drawn[drawn.index("<svg") :])
    return FONTS.sub(FONT, svg).replace(">", f">{plot_style()}", 1)


def plain(number: object, where: str) -> float:
    """Read a finite number, or the data of a Value.

    >>> plain(Value(2.0), "the loss"), plain(3, "the loss")
    (2.0, 3.0)
    """
    return finite(number.data if isinstance(number, Value) else number, where)


def legend_above(axes: "Axes", columns: int) -> "Legend":
    """Put the legend above the axes, where it hides nothing."""
    return axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False)


def _prepare(axes: "Axes") -> None:
    axes.set_facecolor(CARD)
    axes.set_prop_cycle(color=PLOT_LINES.values())
    axes.grid(True, which="major", color=LIGHT["control"], linewidth=0.8, linestyle="-")
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_color(MUTED)
        spine.set_linewidth(0.8)
        spine.set_visible(side in ("left", "bottom"))


def _finish(axes: "Axes") -> None:
    """Give every text our color and size, and let no text be read as a formula."""
    axes.tick_params(which="both", color=MUTED, labelcolor=INK, labelsize=FONT_POINTS)
    axes.xaxis.label.set(color=INK, size=FONT_POINTS + 0.5)
    axes.yaxis.label.set(color=INK, size=FONT_POINTS + 0.5)
    legend = axes.get_legend()
    for text in [*axes.texts, *(legend.get_texts() if legend else ())]:
        text.set_parse_math(False)
    if legend:
        for text in legend.get_texts():
            text.set(color=INK, size=FONT_POINTS)
