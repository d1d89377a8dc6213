"""What both pictures of a descent need: the height of the loss, and places on the page."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.drawing.plots.plot import plain
from engine.value import Value

if TYPE_CHECKING:
    from matplotlib.transforms import Transform

# A point is in the picture up to this many times the height between the start and the bottom.
HIGHEST = 4.0

Point = tuple[float, float]
Range = tuple[float, float]


@dataclass(frozen=True)
class Height:
    """The loss as a plain function; infinite where there is none, or none that a float holds.

    Attributes:
        loss: takes a Value for each parameter.

    >>> height = Height(lambda w: w.log())
    >>> height(1.0), height(-1.0), height.told(-1.0)
    (0.0, inf, 'undefined')
    """

    loss: Callable[..., object]

    def __call__(self, *place: float) -> float:
        """The loss at a place."""
        found = self._found(place)
        return math.inf if isinstance(found, str) else found

    def told(self, *place: float) -> str:
        """The loss in words."""
        found = self._found(place)
        return found if isinstance(found, str) else f"{found:.3g}"

    def _found(self, place: tuple[float, ...]) -> float | str:
        try:
            loss = self.loss(*map(Value, place))
        except OverflowError:
            return "too large for a float"
        except (ArithmeticError, ValueError):
            return "undefined"
        return plain(loss, "the loss")


def steps_text(count: int) -> str:
    """A number of steps in words.

    >>> steps_text(1), steps_text(2)
    ('1 step', '2 steps')
    """
    return "1 step" if count == 1 else f"{count} steps"


def is_in(window: Range, place: float) -> bool:
    """Whether a place is in the range that is shown.

    >>> is_in((0.0, 1.0), 1.5)
    False
    """
    return window[0] <= place <= window[1]


def outside_words(outside: list[int]) -> str:
    """Which steps the picture does not show.

    >>> outside_words([3]), outside_words([3, 4, 5])
    ('Step 3 is outside the picture.', 'Steps 3 to 5 are outside the picture.')
    """
    if len(outside) == 1:
        return f"Step {outside[0]} is outside the picture."
    if outside == list(range(outside[0], outside[-1] + 1)):
        return f"Steps {outside[0]} to {outside[-1]} are outside the picture."
    return f"{len(outside)} places are outside the picture, the first is that of step {outside[0]}."


def on_page(transform: "Transform", point: Point) -> Point:
    """Where a transform of matplotlib puts a point."""
    x, y = transform.transform(point)
    return float(x), float(y)
