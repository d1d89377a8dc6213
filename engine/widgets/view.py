"""What all views share: the front end, the palette, and what is shown where no widget can be."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from engine.drawing.layout import layout
from engine.drawing.palette import css_variables
from engine.drawing.renderer import placed_or_why
from engine.drawing.svg import svg
from engine.graph import Graph

HERE = Path(__file__).parent


class View(anywidget.AnyWidget):
    """A view in a notebook; it is also a picture and a text, for a page without a kernel.

    A view gives its own ``view`` (which part of the front end shows it), ``__repr__`` (its text
    equivalent) and, if it has a drawing, ``still``.
    """

    _esm = HERE / "views.js"
    _css = css_variables() + (HERE / "views.css").read_text(encoding="utf-8")

    view = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Dict().tag(sync=True)

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
