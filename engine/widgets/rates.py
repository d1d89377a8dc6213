"""``LearningRates(loss, start, rates, steps)``: one descent, with steps too short to too long."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.drawing.plots.descent import descent_on_curve, window_of
from engine.drawing.plots.plot import Plot
from engine.numbers import finite, positive
from engine.optim import SGD
from engine.text import number_text, shown
from engine.value import Parameter, Value
from engine.widgets import front_end
from engine.widgets import rates_words as words
from engine.widgets.rates_words import Descent
from engine.widgets.view import SteppedView
from engine.words.naming import label, number

RATES = (0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 1.0, 1.1)
MOST_RATES = 20
MOST_STEPS = 200
HINT = (
    "Click here, then: left and right arrow keys or a clicker change the learning rate, Home and "
    "End go to the smallest and the largest."
)


@dataclass(frozen=True)
class RateState:
    """What a ``LearningRates`` shows.

    Attributes:
        rate: the learning rate.
        outcome: what became of the descent, as ``"arrives"`` or ``"diverges"``.
        places: where the parameter was, the start first.
        losses: the loss at each place.
        heading: the line above the sentences.
        sentences: what happened, with its numbers.
    """

    rate: float
    outcome: str
    places: tuple[float, ...]
    losses: tuple[float, ...]
    heading: str
    sentences: tuple[str, ...]


class LearningRates(SteppedView):
    """See what a learning rate does to a descent on the curve of a loss.

    All descents are computed at once, by ``Value`` and ``SGD``, so that the slider needs no
    kernel. Left and right, or a clicker, change the rate.

    Args:
        loss: takes the parameter, gives the loss as a Value.
        start: where each descent begins.
        rates: the learning rates, positive numbers; the slider goes from the smallest up.
        steps: how many steps each descent makes.
        rate: the learning rate that is shown first; the smallest when None.
        name: what the parameter is called.
        presenter: begin in presenter mode, with large type for a projector.

    Attributes:
        index: which rate is shown, counted from the smallest, to be read and set.
        rate: the learning rate that is shown, to be read and set.
        descents: the places and losses of each.

    Raises:
        TypeError: the loss does not give a Value, or a number is not real.
        ValueError: a rate is not positive or stands there twice, or there are none or too many.
        traitlets.TraitError: ``index`` is set to what does not exist.

    >>> rates = LearningRates(lambda w: (w - 3) ** 2, start=5.0, rates=[0.1, 0.9, 1.1], steps=20)
    >>> rates
    Learning rates on one curve, 20 steps from w = 5.
    rate  steps  last w  last loss  what happens
    0.1      20    3.02   0.000532  arrives
    0.9      20    3.02   0.000532  overshoots, but arrives
    1.1      20    79.7   5.88e+03  diverges
    >>> rates.rate = 1.1
    >>> rates.state.heading
    'Learning rate 1.1: too large, it diverges.'
    >>> rates.state.sentences[1]
    'The loss does not fall, it grows: the last are 2840, 4080, 5880.'
    """

    _esm = front_end.script("rates")

    positions = "the rates of this view have the positions"

    descents: tuple[Descent, ...]

    def __init__(
        self,
        loss: Callable[[Value], Value],
        start: float,
        rates: Iterable[float] = RATES,
        steps: int = 20,
        rate: float | None = None,
        name: str = "w",
        presenter: bool = False,
    ) -> None:
        ordered = _ordered(rates)
        start = finite(start, "the start")
        _require_steps(steps)
        descents = [descent(loss, start, r, steps) for r in ordered]
        self._name = label(name)
        self._steps = steps
        window = window_of(loss, [d.places for d in descents])
        self._lowest, at_the_edge = _lowest(loss, window, descents)
        self.descents = tuple(replace(d, at_the_edge=at_the_edge) for d in descents)
        self._plots = [descent_on_curve(loss, d.places, name, window) for d in self.descents]
        super().__init__(
            view="rates",
            payload=self._payload(),
            index=0 if rate is None else self._place_of(rate),
            presenter=presenter,
        )

    @property
    def rate(self) -> float:
        """The learning rate that is shown; it can be set to any of ``rates``."""
        return self.descents[self.index].rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self.index = self._place_of(rate)

    @property
    def state(self) -> RateState:
        """What is shown now."""
        descent = self.descents[self.index]
        return RateState(
            rate=descent.rate,
            outcome=str(descent.outcome(self._lowest)),
            places=descent.places,
            losses=descent.losses,
            heading=words.heading(descent, self._lowest),
            sentences=words.sentences(descent, self._lowest, self._name),
        )

    @property
    def plot(self) -> Plot:
        """The picture that is shown now."""
        return self._plots[self.index]

    def _place_of(self, rate: float) -> int:
        rates = [descent.rate for descent in self.descents]
        if rate not in rates:
            known = ", ".join(map(number_text, rates))
            raise ValueError(f"{shown(rate)} is none of the rates of this view: {known}.")
        return rates.index(rate)

    @property
    def last(self) -> int:
        """The last position: the largest rate."""
        return len(self.descents) - 1

    def _payload(self) -> dict[str, Any]:
        return {
            "summary": f"Learning rates for a descent of {self._name}",
            "slider": "Learning rate",
            "hint": HINT,
            "places": [
                {
                    "rate": number(descent.rate),
                    "heading": words.heading(descent, self._lowest),
                    "sentences": list(words.sentences(descent, self._lowest, self._name)),
                    "picture": drawn.src,
                    "alt": drawn.alt,
                    "width": drawn.width,
                    "height": drawn.height,
                }
                for descent, drawn in zip(self.descents, self._plots, strict=True)
            ],
        }

    def __repr__(self) -> str:
        start = number_text(self.descents[0].places[0])
        return (
            f"Learning rates on one curve, {self._steps} steps from {self._name} = {start}.\n"
            f"{words.table(self.descents, self._lowest, self._name)}"
        )

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_(**options)
        still, _ = self.plot._repr_mimebundle_()
        return {**bundle, "text/html": still["text/html"]}, metadata


def descent(loss: Callable[[Value], Value], start: float, rate: float, steps: int) -> Descent:
    """Descend from a start, and stop early where a step cannot be made.

    Args:
        loss: takes the parameter, gives the loss as a Value.
        start: where to begin.
        rate: the learning rate.
        steps: how many steps to make.

    >>> descent(lambda w: w * w, 1.0, 0.25, 2).places
    (1.0, 0.5, 0.25)
    """
    parameter = Parameter(start)
    optimizer = SGD([parameter], rate)
    places, losses = [start], [_walked(loss, parameter)]
    for _ in range(steps):
        try:
            optimizer.step()
            reached = _walked(loss, parameter)
        except (ArithmeticError, ValueError) as error:
            return Descent(rate, tuple(places), tuple(losses), str(error))
        places.append(parameter.data)
        losses.append(reached)
    return Descent(rate, tuple(places), tuple(losses))


def _walked(loss: Callable[[Value], Value], parameter: Parameter) -> float:
    """The loss at this place, with the gradient in the parameter."""
    parameter.grad = 0.0
    result = loss(parameter)
    if not isinstance(result, Value):
        raise TypeError(f"the loss gives a Value, made from the parameter; got {shown(result)}.")
    result.backward()
    return result.data


def _lowest(
    loss: Callable[[Value], Value], window: tuple[float, float], descents: Iterable[Descent]
) -> tuple[float, bool]:
    """The lowest loss, and whether it is at the edge of where one looked."""
    low, high = window
    found = [place for one in descents for place in zip(one.places, one.losses, strict=True)]
    for k in range(101):
        place = low + (high - low) * k / 100
        try:
            found.append((place, loss(Value(place)).data))
        except (ArithmeticError, ValueError):
            continue  # no loss exists at this place
    edges = min(found)[0], max(found)[0]
    lowest = min(height for _, height in found)
    return lowest, all(place in edges for place, height in found if height == lowest)


def _ordered(rates: Iterable[float]) -> list[float]:
    numbers = sorted(positive(rate, "a learning rate") for rate in rates)
    if not 1 <= len(numbers) <= MOST_RATES:
        raise ValueError(f"give from 1 to {MOST_RATES} learning rates, got {len(numbers)}.")
    if len(set(numbers)) < len(numbers):
        raise ValueError("a learning rate stands in the list twice.")
    return numbers


def _require_steps(steps: int) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise ValueError(
            f"the number of steps is a whole number from 1 to {MOST_STEPS}, got {shown(steps)}."
        )
