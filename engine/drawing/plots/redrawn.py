"""Pictures that a notebook redraws in place while a loop runs."""

import contextlib
import time
from collections.abc import Callable
from typing import Any, Protocol

from engine.drawing.plots.plot import Bundle
from engine.numbers import finite
from engine.text import shown

SHORTEST_PAUSE = 0.5
SHARE_OF_TIME = 0.1
WHILE_IT_RUNS = "A picture, redrawn while the cell runs; print(picture) tells it in words."


class Picture(Protocol):
    """Anything that a notebook can show: a plot, or a thing of one's own."""

    def _repr_mimebundle_(self) -> Bundle: ...


def live(
    make: Callable[[], Picture], text: str = WHILE_IT_RUNS, share: float = SHARE_OF_TIME
) -> "Live":
    """Start a picture that follows a loop; say ``changed()`` whenever there is something new.

    Args:
        make: draws the picture of this moment.
        text: the words beside the picture in a stored notebook. They are the same from first to
            last, so that two runs of the notebook can be compared.
        share: how much of the time drawing may take, from above 0 to 1; the loop has the rest.

    Raises:
        TypeError: ``make`` is no function, or ``share`` no number. When it is drawn: what ``make``
            gives is no picture.
        ValueError: ``share`` is something else.

    >>> from engine.drawing.plots import decision_boundary
    >>> border = 0.0
    >>> picture = live(lambda: decision_boundary(
    ...     lambda x, y: x - border, [(0, 0), (2, 1)], [-1, 1], resolution=8))
    >>> for border in (0.5, 1.0):
    ...     picture.changed()
    >>> print(picture)
    Decision boundary of 2 points, x from 0 to 2, y from 0 to 1.
    Class -1 (circles): 1 of 1 on its side. Class 1 (squares): 1 of 1 on its side.
    Class 1 takes 50 % of the plane shown.
    """
    return Live(make, text, share)


class Live:
    """A picture in a cell's output that follows what it shows, without flooding the page.

    It appears with the first ``changed()``, below what the cell has shown by then, and is redrawn
    there: not more often than twice a second, nor for more than its share of the time, and once
    more when the cell ends. Outside a notebook nothing is drawn before it is asked for.

    Args:
        make: draws the picture of this moment.
        text: the words beside the picture, the same from first to last.
        share: how much of the time drawing may take.
    """

    def __init__(
        self, make: Callable[[], Picture], text: str = WHILE_IT_RUNS, share: float = SHARE_OF_TIME
    ) -> None:
        if not callable(make):
            raise TypeError(
                "a live picture needs a function that draws it, as in "
                f"live(lambda: decision_boundary(score, points, labels)), got {shown(make)}."
            )
        if not 0.0 < finite(share, "the share of the time") <= 1.0:
            raise ValueError(
                f"drawing takes a share of the time above 0 and at most 1, got {share!r}."
            )
        self._make = make
        self._text = text
        self._share = share
        self._shell: Any = None
        self._handle: Any = None
        self._waiting = False
        self._next = 0.0

    def changed(self) -> None:
        """Redraw if it is time; the end of the cell shows the last state in any case."""
        if self._handle is None and not self._begin():
            return
        if not self._waiting:
            self._waiting = True
            self._shell.events.register("post_run_cell", self._end_of_cell)
        if time.monotonic() >= self._next:
            self._show()

    def __repr__(self) -> str:
        return repr(self._make())

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        picture = self._make()
        if not hasattr(picture, "_repr_mimebundle_"):
            raise TypeError(
                f"a live picture needs a function that gives a plot, got {shown(picture)}."
            )
        return picture._repr_mimebundle_()

    def _begin(self) -> bool:
        """Find a notebook to draw in."""
        from IPython import get_ipython
        from IPython.display import DisplayHandle

        self._shell = get_ipython()
        if getattr(self._shell, "kernel", None) is None:
            return False
        began = time.monotonic()
        data, metadata = self._bundle()
        self._handle = DisplayHandle()  # type: ignore[no-untyped-call]
        self._handle.display(data, metadata=metadata, raw=True)
        self._rest(began)
        return True

    def _bundle(self) -> Bundle:
        data, metadata = self._repr_mimebundle_()
        return {**data, "text/plain": self._text}, metadata

    def _show(self) -> None:
        began = time.monotonic()
        data, metadata = self._bundle()
        self._handle.update(data, metadata=metadata, raw=True)
        self._rest(began)

    def _rest(self, began: float) -> None:
        ended = time.monotonic()
        pause = (ended - began) * (1.0 - self._share) / self._share
        self._next = ended + max(SHORTEST_PAUSE, pause)

    def _end_of_cell(self, result: Any = None) -> None:
        self._shell.events.unregister("post_run_cell", self._end_of_cell)
        self._waiting = False
        failed = getattr(result, "error_in_exec", None) is not None
        # What made the cell fail may keep the last picture from being drawn; one error is enough.
        with contextlib.suppress(Exception) if failed else contextlib.nullcontext():
            self._show()
