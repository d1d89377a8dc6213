"""What all views share: the front end, the palette, and what is shown where no widget can be."""

from numbers import Integral
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from engine.drawing.layout import layout
from engine.drawing.palette import css_variables
from engine.drawing.renderer import placed_or_why
from engine.drawing.svg import svg
from engine.graph import Graph
from engine.text import shown

HERE = Path(__file__).parent


def stepped(index: int, count: int, last: int) -> int:
    """The position some steps away, from 0 to the last.

    Raises:
        TypeError: ``count`` is not a whole number.

    >>> stepped(3, -1, 5), stepped(3, 10, 5)
    (2, 5)
    """
    if not isinstance(count, Integral):
        raise TypeError(
            f"a view steps by a whole number of steps, got {shown(count)} "
            f"({type(count).__name__}). Try step(2), or step(-1) to go back."
        )
    return min(max(index + int(count), 0), last)


class View(anywidget.AnyWidget):
    """A view in a notebook; it is also a picture and a text, for a page without a kernel.

    A view gives its own ``view`` (which part of the front end shows it), ``__repr__`` (its text
    equivalent) and, if it has a drawing, ``still``.

    Attributes:
        presenter: whether it is shown for a projector: large type, strong contrast, the sentence
            first. To be read and set; the key P in the view changes it as well.
    """

    _esm = HERE / "views.js"
    _css = css_variables() + (HERE / "views.css").read_text(encoding="utf-8")

    view = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Dict().tag(sync=True)
    presenter = traitlets.Bool(False).tag(sync=True)

    def still(self) -> Graph | None:
        """The graph to draw where the view cannot be live, or None."""
        return None

    def picture(self) -> str | None:
        """The SVG to show where the view cannot be live, or None."""
        graph = self.still()
        if graph is None:
            return None
        placed, _ = placed_or_why(lambda: layout(graph))
        return None if placed is None else svg(graph, placed)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
        live, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        picture = self.picture()
        still = {} if picture is None else {"image/svg+xml": picture}
        return {**live, **still, "text/plain": repr(self)}, metadata
