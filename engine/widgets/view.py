"""What all views share: the front end, the palette, and what is shown where no widget can be."""

from numbers import Integral
from typing import Any, Self

import anywidget
import traitlets

from engine.drawing.picture import page_picture
from engine.graph import Graph
from engine.text import shown
from engine.widgets import front_end


class View(anywidget.AnyWidget):
    """A view in a notebook; it is also a picture and a text, for a page without a kernel.

    A view gives its own ``_esm`` (``front_end.script`` of its file), ``view`` (which part of the
    front end shows it), ``__repr__`` (its text equivalent) and, if it has a drawing, ``still``.

    Attributes:
        presenter: whether it is shown for a projector: large type, strong contrast, the sentence
            first. To be read and set; the key P in the view changes it as well.
    """

    _css = front_end.style()

    view = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Dict().tag(sync=True)
    presenter = traitlets.Bool(False).tag(sync=True)

    def still(self) -> Graph | None:
        """The graph to draw where the view cannot be live, or None."""
        return None

    def picture(self) -> str | None:
        """The SVG to show where the view cannot be live, or None."""
        graph = self.still()
        return None if graph is None else page_picture(graph)[0]

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
        live, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        picture = self.picture()
        still = {} if picture is None else {"image/svg+xml": picture}
        return {**live, **still, "text/plain": repr(self)}, metadata


class SteppedView(View):
    """A view with positions to step through.

    A view gives its own ``last``, and may name what it steps through in ``positions``.

    Attributes:
        index: the position, from 0 to ``last``, to be read and set.
    """

    index = traitlets.Int(0).tag(sync=True)
    positions = "this walk has the positions"

    @property
    def last(self) -> int:
        """The last position."""
        raise NotImplementedError

    def step(self, count: int = 1) -> Self:
        """Go forward by some steps, or backward by a negative number; stop at the ends.

        Args:
            count: the number of steps.

        Returns:
            This view, so that a cell can end with it.

        Raises:
            TypeError: ``count`` is not a whole number.
        """
        if not isinstance(count, Integral):
            raise TypeError(
                f"a view steps by a whole number of steps, got {shown(count)} "
                f"({type(count).__name__}). Try step(2), or step(-1) to go back."
            )
        self.index = min(max(self.index + int(count), 0), self.last)
        return self

    @traitlets.validate("index")
    def _known_position(self, proposal: dict[str, Any]) -> int:
        index: int = proposal["value"]
        if not 0 <= index <= self.last:
            raise traitlets.TraitError(f"{self.positions} 0 to {self.last}, got {index}.")
        return index
