"""What gradient checks with many steps say together: which error rules at which step.

>>> study = StepSizes.of(lambda x: x * x * x, [2.0])
>>> study.shape(0), StepSizes.of(lambda x: x * x, [2.0]).shape(0)
(<Shape.V: 'V'>, <Shape.ROUNDING_ONLY: 'rounding only'>)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.gradcheck import (
    TOLERANCE,
    CheckedInput,
    GradientCheckResult,
    Verdict,
    gradient_check_by_step,
)
from engine.measuring import Inputs, StepError
from engine.value import Value

# Two to a decade, from where the curve's bend rules to where rounding does.
FINE_STEPS = tuple(float(f"{digit}e-{k}") for k in range(15, 0, -1) for digit in (1, 3))[:-1]
LARGEST_FREE_OF_BEND = 1e-2


class Cause(StrEnum):
    """Why a gradient and a central difference differ at one step."""

    ROUNDING = "rounding"
    TRUNCATION = "truncation"
    GRADIENT = "gradient"


class Shape(StrEnum):
    """How the error of a central difference depends on the step, seen in a log-log plot."""

    V = "V"
    ROUNDING_ONLY = "rounding only"
    FLAT = "flat"
    KINK = "kink"
    UNCLEAR = "unclear"


class Guide(NamedTuple):
    """A straight line of a log-log plot: ``factor * step**power``.

    Attributes:
        name: ``"rounding"``, ``"forward truncation"`` or ``"central truncation"``.
        power: -1, 1 or 2.
        factor: the error where the step is 1.
    """

    name: str
    power: int
    factor: float

    def at(self, step: float) -> float:
        """The height of the line.

        >>> Guide("central truncation", 2, 3.0).at(0.1)
        0.030000000000000006
        """
        return float(self.factor * step**self.power)


@dataclass(frozen=True)
class StepSizes:
    """Gradient checks of one function at one place, the smallest step first.

    Attributes:
        results: one check for each step.
    """

    results: tuple[GradientCheckResult, ...]

    @classmethod
    def of(
        cls,
        function: Callable[..., Value],
        at: Inputs,
        steps: Sequence[float] = FINE_STEPS,
        tolerance: float = TOLERANCE,
    ) -> "StepSizes":
        """Check a function with each of several steps.

        Args:
            function: takes Values, gives a Value.
            at: the inputs, in order or by name, as plain numbers.
            steps: the h to try, each above 0, in any order.
            tolerance: the largest relative error that passes.

        Raises:
            TypeError: as of ``gradient_check``.
            ValueError: as of ``gradient_check``; or there is no step.
        """
        results = gradient_check_by_step(function, at, steps, tolerance)
        if not results:
            raise ValueError("give at least one step, such as [1e-5].")
        by_step = {result.step: result for result in results}
        return cls(tuple(by_step[step] for step in sorted(by_step)))

    @property
    def steps(self) -> tuple[float, ...]:
        """The steps, the smallest first."""
        return tuple(result.step for result in self.results)

    def checks(self, index: int) -> tuple[CheckedInput, ...]:
        """What each step says about one input."""
        return tuple(result.inputs[index] for result in self.results)

    def errors(self, index: int) -> tuple[StepError, ...]:
        """The errors of both differences for one input, where they can be measured.

        >>> study = StepSizes.of(lambda x: x * x, [2.0], steps=[0.5])
        >>> study.errors(0)
        (StepError(step=0.5, forward=0.5, central=0.0),)
        """
        return tuple(
            StepError(step, abs(c.measured.forward - c.gradient), c.absolute_error)
            for step, c in zip(self.steps, self.checks(index), strict=True)
            if c.verdict is not Verdict.UNKNOWN
        )

    def best(self, index: int) -> float | None:
        """The step at which an input agrees best, or None if it agrees at none.

        >>> StepSizes.of(lambda x: x * x * x, [2.0], steps=[1e-1, 1e-5, 1e-15]).best(0)
        1e-05
        """
        agreeing = [
            (c.absolute_error, step)
            for step, c in zip(self.steps, self.checks(index), strict=True)
            if c.verdict is Verdict.AGREE
        ]
        return min(agreeing)[1] if agreeing else None

    def cause(self, place: int, index: int) -> Cause:
        """Why an input differs at one step, judged by what the other steps say.

        Args:
            place: of the step, counted from the smallest.
            index: of the input.

        Returns:
            ``ROUNDING`` or ``TRUNCATION`` where another step agrees, or where these errors may
            hide that the gradient is right; ``GRADIENT`` where neither can be.

        >>> study = StepSizes.of(lambda x: x * x * x, [2.0], steps=[1e-15, 1e-5, 1e-1])
        >>> [str(study.cause(place, 0)) for place in (0, 2)]
        ['rounding', 'truncation']
        """
        best = self.best(index)
        if best is not None:
            return Cause.ROUNDING if self.steps[place] < best else Cause.TRUNCATION
        sharp = [c for c in self.checks(index) if c.verdict is Verdict.DIFFER and _is_sharp(c)]
        if not sharp:
            return Cause.ROUNDING
        errors = [c.absolute_error for c in sharp]
        still_falling = len(errors) > 1 and errors[0] < errors[1] / 2
        return Cause.TRUNCATION if still_falling else Cause.GRADIENT

    def shape(self, index: int) -> Shape:
        """How the error of one input's central difference depends on the step.

        Where the third derivative is 0 there is no truncation error: only rounding is left, and
        there is no V.
        """
        checks = self.checks(index)
        if any(c.verdict is Verdict.VARIES for c in checks):
            return Shape.UNCLEAR
        if any(c.verdict is Verdict.KINK for c in checks):
            return Shape.KINK
        known = [c for c in checks if c.verdict is not Verdict.UNKNOWN]
        if all(c.absolute_error <= c.measured.rounding for c in known):
            large = [s for s, c in zip(self.steps, checks, strict=True) if c in known]
            enough = bool(large) and large[-1] >= LARGEST_FREE_OF_BEND
            return Shape.ROUNDING_ONLY if enough else Shape.UNCLEAR
        differing = [p for p, c in enumerate(checks) if c.verdict is Verdict.DIFFER]
        if self.best(index) is None and any(
            self.cause(place, index) is Cause.GRADIENT for place in differing
        ):
            return Shape.FLAT
        return Shape.V


def guides(errors: Sequence[StepError]) -> tuple[Guide, ...]:
    """Find the straight lines that the errors follow in a log-log plot.

    Rounding grows like 1/h toward small steps; the truncation error of a forward difference
    grows like h toward large ones, that of a central difference like h squared.

    Args:
        errors: of at least two steps.

    Returns:
        The lines that are there: no truncation line where that error is not to be seen, and no
        rounding line where the errors do not fall as tiny steps grow.

    >>> from engine.measuring import error_by_step
    >>> [line.name for line in guides(error_by_step(lambda x: x * x, 2.0, 4.0))]
    ['rounding', 'forward truncation']
    """
    ordered = sorted(e for e in errors if math.isfinite(e.central) and math.isfinite(e.forward))
    if len(ordered) < 2:
        return ()
    rounding = _rounding_guide(ordered)
    found = [rounding] if rounding.factor > 0.0 else []
    largest, before = ordered[-1], ordered[-2]
    for name, power, first, second in (
        ("forward truncation", 1, largest.forward, before.forward),
        ("central truncation", 2, largest.central, before.central),
    ):
        above_rounding = first > 10 * rounding.at(largest.step)
        expected = (largest.step / before.step) ** power
        if above_rounding and second > 0.0 and 0.5 < first / second / expected < 2.0:
            found.append(Guide(name, power, second / before.step**power))
    return tuple(found)


def _rounding_guide(ordered: Sequence[StepError]) -> Guide:
    """The line above the errors of the smallest steps, if these fall as the step grows."""
    third = max(1, len(ordered) // 3)
    smallest, following = ordered[:third], ordered[third : 2 * third]
    height = max(max(e.forward, e.central) for e in smallest)
    falls = min((e.central for e in following), default=height) < height / 10
    factor = max(max(e.forward, e.central) * e.step for e in smallest) if falls else 0.0
    return Guide("rounding", -1, factor)


def _is_sharp(checked: CheckedInput) -> bool:
    size = max(abs(checked.gradient), abs(checked.central_difference))
    return checked.measured.rounding <= TOLERANCE * size
