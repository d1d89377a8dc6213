"""A finished plot, and the sheet it is drawn on: the palette, and no global state of matplotlib.

Figures are made without ``pyplot``, so no plot of ours changes one that a learner has in hand.
"""

import io
import warnings
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.drawing.palette import CARD, CARD_BORDER, INK, LIGHT, MUTED, PLOT_LINES
from engine.numbers import finite
from engine.value import Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

PIXELS_PER_INCH = 100
SHARPNESS = 2
WIDTH, HEIGHT = 6.4, 4.0
FONT_POINTS = 10.5
EDGE = 0.1

Bundle = tuple[dict[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Plot:
    """A picture and its text; a notebook shows the picture, anything else the text.

    Attributes:
        text: what the picture shows, in words and numbers.
        png: the picture.
        width: how wide it is shown, in pixels of the page.
        height: how high it is shown.

    >>> Plot("Nothing at all.", b"", 640, 400)
    Nothing at all.
    """

    text: str
    png: bytes = field(repr=False)
    width: int
    height: int

    @property
    def alt(self) -> str:
        """The text on one line, for a reader who does not see the picture."""
        return " ".join(self.text.split())

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        data = {"image/png": b64encode(self.png).decode("ascii"), "text/plain": self.text}
        return data, {"image/png": {"alt": self.alt, "width": self.width, "height": self.height}}


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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(
        figsize=(width, height),
        dpi=PIXELS_PER_INCH * SHARPNESS,
        facecolor=CARD,
        edgecolor=CARD_BORDER,
        linewidth=0.0,
        # On a dark page the edge of the card is seen: no word may stick to it.
        layout=ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE),
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    picture = io.BytesIO()
    with warnings.catch_warnings():
        # A learner's word may have letters that no font at hand has: a box is drawn instead.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        _prepare(axes)
        draw(axes)
        _finish(axes)
        figure.savefig(picture, format="png", metadata={"Software": None}, facecolor=CARD)
    return Plot(
        text, picture.getvalue(), round(width * PIXELS_PER_INCH), round(height * PIXELS_PER_INCH)
    )


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
