"""What a descent did with one learning rate, in words and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from engine.text import number_text, table_lines
from engine.words.naming import number

ARRIVED = 0.01
SAME = 0.05
SMALLEST_MOVE = 1e-6
STILL_FALLING = 0.001
LAST_FEW = 3


class Outcome(StrEnum):
    """How a descent with one learning rate ended."""

    STILL_FAR = "still far"
    ARRIVES = "arrives"
    OVERSHOOTS = "overshoots, but arrives"
    BACK_AND_FORTH = "jumps back and forth, not there yet"
    NOWHERE = "jumps back and forth, gets nowhere"
    DIVERGES = "diverges"
    STANDS_STILL = "stands still"
    FALLS_ON = "falls on"
    ENDS_EARLY = "ends early"


HEADINGS = {
    Outcome.STILL_FAR: "small steps, still far from the lowest place.",
    Outcome.ARRIVES: "it arrives.",
    Outcome.OVERSHOOTS: "it jumps over the lowest place, and arrives all the same.",
    Outcome.BACK_AND_FORTH: "it jumps back and forth, and is not there yet.",
    Outcome.NOWHERE: "it jumps back and forth, and gets nowhere.",
    Outcome.DIVERGES: "too large, it diverges.",
    Outcome.STANDS_STILL: "it stands still.",
    Outcome.FALLS_ON: "the loss falls on, and no lowest place is in sight.",
    Outcome.ENDS_EARLY: "it ends early, since a step cannot be made.",
}


@dataclass(frozen=True)
class Descent:
    """One descent, as plain numbers.

    Attributes:
        rate: the learning rate.
        places: where the parameter was, the start first.
        losses: the loss at each place.
        broke: why it ended early, empty when it did not.
        at_the_edge: whether the lowest loss that was found is at the edge of where one looked,
            so that there may be lower ones outside.
    """

    rate: float
    places: tuple[float, ...]
    losses: tuple[float, ...]
    broke: str = ""
    at_the_edge: bool = False

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.places) - 1

    @property
    def turns(self) -> int:
        """How often it changed its direction."""
        width = max(self.places) - min(self.places)
        moves = [to - start for start, to in pairwise(self.places)]
        real = [move for move in moves if abs(move) > SMALLEST_MOVE * width]
        return sum((one > 0.0) != (two > 0.0) for one, two in pairwise(real))

    @property
    def falling(self) -> bool:
        """Whether its last step still made a part of the fall that counts."""
        last_falls = self.losses[-2:][0] - self.losses[-1]
        return last_falls > max(0.0, STILL_FALLING * (self.losses[0] - self.losses[-1]))

    def arrival(self, lowest: float) -> int | None:
        """The first step from which the loss stays near the lowest; None if it does not."""
        limit = lowest + ARRIVED * (self.losses[0] - lowest)
        far = [step for step, loss in enumerate(self.losses) if loss > limit]
        if self.broke or (far and far[-1] == self.steps):
            return None
        return far[-1] + 1 if far else 0

    def outcome(self, lowest: float) -> Outcome:
        """What became of it.

        Args:
            lowest: the lowest loss there is.

        >>> Descent(0.1, (1.0, -0.5, 0.01), (1.0, 0.25, 0.0001)).outcome(0.0)
        <Outcome.OVERSHOOTS: 'overshoots, but arrives'>
        """
        height, left = self.losses[0] - lowest, self.losses[-1] - lowest
        if left > (1.0 + SAME) * height:
            return Outcome.DIVERGES
        if self.broke:
            return Outcome.ENDS_EARLY
        if len(set(self.places)) == 1:
            return Outcome.STANDS_STILL
        if self.at_the_edge and self.falling:
            return Outcome.FALLS_ON
        if self.arrival(lowest) is not None:
            return Outcome.OVERSHOOTS if self.turns else Outcome.ARRIVES
        if not self.turns:
            return Outcome.STILL_FAR
        return Outcome.NOWHERE if left > (1.0 - SAME) * height else Outcome.BACK_AND_FORTH


def heading(descent: Descent, lowest: float) -> str:
    """The line above the sentences.

    >>> heading(Descent(0.1, (1.0, 0.5), (1.0, 0.25)), 0.0)
    'Learning rate 0.1: small steps, still far from the lowest place.'
    """
    return f"Learning rate {number(descent.rate)}: {HEADINGS[descent.outcome(lowest)]}"


def sentences(descent: Descent, lowest: float, name: str) -> tuple[str, str]:
    """What happened, with its numbers.

    Args:
        descent: what to tell.
        lowest: the lowest loss there is.
        name: what the parameter is called.
    """
    places, losses = descent.places, descent.losses
    goes = (
        f"{_count(descent.steps, 'step')} from {name} = {_short(places[0])} "
        f"to {_short(places[-1])}; the loss goes from {_short(losses[0])} to {_short(losses[-1])}."
    )
    outcome = descent.outcome(lowest)
    if outcome is Outcome.DIVERGES:
        return goes, f"The loss does not fall, it grows: {_last(descent)}.{_broken(descent)}"
    if outcome is Outcome.ENDS_EARLY:
        return goes, _broken(descent).strip()
    if outcome is Outcome.FALLS_ON:
        return goes, (
            f"The loss still falls at the end: {_last(descent)}. If there is a lowest place, it "
            "is outside the picture."
        )
    if outcome is Outcome.STANDS_STILL:
        return goes, "The gradient is 0 at the start, so every step has the length 0."
    turns = f"It changes its direction {_count(descent.turns, 'time')}"
    if outcome in (Outcome.BACK_AND_FORTH, Outcome.NOWHERE):
        return goes, f"{turns}: each step goes past the lowest place, to the other side."
    if outcome is Outcome.STILL_FAR:
        share = (losses[-1] - lowest) / (losses[0] - lowest)
        above = _short(losses[0] - lowest)
        return goes, (
            f"At the start the loss is {above} above the lowest. At the end {100 * share:.0f} % "
            "of it is left."
        )
    arrival = f"From step {descent.arrival(lowest)} on at most {100 * ARRIVED:.0f} % of it is left."
    height = f"At the start the loss is {_short(losses[0] - lowest)} above the lowest. {arrival}"
    return goes, f"{turns}. {height}" if outcome is Outcome.OVERSHOOTS else height


def _last(descent: Descent) -> str:
    return f"the last are {', '.join(map(_short, descent.losses[-LAST_FEW:]))}"


def _broken(descent: Descent) -> str:
    return f" Step {descent.steps + 1} cannot be made: {descent.broke}" if descent.broke else ""


def table(descents: Sequence[Descent], lowest: float, name: str) -> str:
    """All rates at a glance.

    >>> print(table([Descent(0.1, (1.0, 0.5), (1.0, 0.25))], 0.0, "w"))
    rate  steps  last w  last loss  what happens
    0.1       1     0.5       0.25  still far
    """
    rows: list[tuple[str, ...]] = [("rate", "steps", f"last {name}", "last loss", "what happens")]
    rows += [
        (
            number_text(descent.rate),
            str(descent.steps),
            f"{descent.places[-1]:.3g}",
            f"{descent.losses[-1]:.3g}",
            str(descent.outcome(lowest)),
        )
        for descent in descents
    ]
    return "\n".join(table_lines(rows, left={0, 4}))


def _short(value: float) -> str:
    return number(float(f"{value:.3g}"))


def _count(many: int, what: str) -> str:
    return f"{many} {what}" if many == 1 else f"{many} {what}s"
