"""The loss curve, which a notebook redraws in place while the training runs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.drawing.palette import PLOT_LINES
from engine.drawing.plots.plot import Bundle, Plot, legend_above, plain, plot
from engine.drawing.plots.redrawn import Live

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEAN_OVER = 20
FEW = 40
WHILE_IT_RUNS = "A loss curve, drawn while the training runs; print(curve) tells it in words."


def loss_curve(losses: Iterable[object] = (), title: str = "loss") -> "LossCurve":
    """Start a loss curve, to be filled while the training runs.

    Args:
        losses: those there are already, as numbers or Values.
        title: what the vertical axis is called.

    >>> curve = loss_curve()
    >>> for loss in (4.0, 2.0, 1.0):
    ...     curve.add(loss)
    >>> curve
    Loss curve of 3 steps: from 4 to 1, the lowest is 1 at step 3.
    """
    return LossCurve(losses, title)


class LossCurve:
    """Losses, step by step, and their picture.

    In a notebook the picture appears with the first loss that is added, in the output of that
    cell, and is redrawn there: not more often than twice a second, nor for more than a tenth of
    the time, and once more when the cell ends.

    Args:
        losses: those there are already, as numbers or Values.
        title: what the vertical axis is called.
    """

    def __init__(self, losses: Iterable[object] = (), title: str = "loss") -> None:
        self._losses = [plain(loss, "the loss") for loss in losses]
        self._title = title
        self._live = Live(self.plot, WHILE_IT_RUNS)

    @property
    def losses(self) -> tuple[float, ...]:
        """The losses so far."""
        return tuple(self._losses)

    def add(self, loss: object) -> None:
        """Add the loss of one more step, and redraw if it is time.

        Args:
            loss: a number, or a Value, whose data is taken.

        Raises:
            TypeError: not a real number.
            ValueError: infinite or NaN: the training has come apart; try a smaller step.
        """
        self._losses.append(plain(loss, "the loss"))
        self._live.changed()

    def plot(self) -> Plot:
        """The curve so far as a picture.

        Raises:
            ValueError: there is no loss yet.
        """
        if not self._losses:
            raise ValueError("there is no loss to draw yet: add one with curve.add(loss).")
        return plot(self._draw, repr(self))

    def _draw(self, axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        count = len(self._losses)
        steps = range(1, count + 1)
        few = count <= FEW
        axes.plot(
            steps,
            self._losses,
            color=PLOT_LINES["blue"],
            linewidth=1.8 if few else 0.8,
            alpha=1.0 if few else 0.55,
            marker="o" if few else "",
            markersize=4.5,
            label="each step",
        )
        if not few:
            axes.plot(
                steps,
                _running_means(self._losses),
                color=PLOT_LINES["vermilion"],
                linewidth=2.4,
                label=f"mean of the last {MEAN_OVER}",
            )
        # With few steps too: a plot that is redrawn must not move its axes.
        legend_above(axes, columns=2)
        if few:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("step")
        axes.set_ylabel(self._title, parse_math=False)
        axes.set_xlim(0, count + 1)
        if min(self._losses) >= 0.0:
            axes.set_ylim(bottom=0.0)

    def __repr__(self) -> str:
        if not self._losses:
            return "Loss curve without a loss so far."
        first, last, lowest = self._losses[0], self._losses[-1], min(self._losses)
        count = len(self._losses)
        if count == 1:
            return f"Loss curve of 1 step: {first:.3g}."
        return (
            f"Loss curve of {count} steps: from {first:.3g} to {last:.3g}, "
            f"the lowest is {lowest:.3g} at step {self._losses.index(lowest) + 1}."
        )

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        if not self._losses:
            return {"text/plain": repr(self)}, {}
        return self.plot()._repr_mimebundle_()


def _running_means(numbers: list[float]) -> list[float]:
    means = []
    total = 0.0
    for place, number in enumerate(numbers):
        total += number
        if place >= MEAN_OVER:
            total -= numbers[place - MEAN_OVER]
        means.append(total / min(place + 1, MEAN_OVER))
    return means
