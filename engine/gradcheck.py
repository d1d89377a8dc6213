"""Check the gradients of ``backward()`` against measured ones, input by input.

>>> print(gradient_check(lambda x: x * x + x, [3.0]))
input  data  gradient  central difference  relative error
x         3         7                   7      below 1e-8
All agree within a relative error of 1e-06.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from engine.guards import Released, refuse_released
from engine.kinks import nearest_kink
from engine.measuring import (
    STEP,
    STEPS,
    Inputs,
    Place,
    checked_steps,
    relative_error,
    slope,
)
from engine.numbers import not_negative, positive
from engine.text import number_text, one_line, shown, table_lines
from engine.value import Value, topological_order

TOLERANCE = 1e-6
SMALLEST_TOLD = 1e-8
CLOSER = 8
REPEATS = 8
NOISE = 8.0


class Verdict(StrEnum):
    """What a gradient and a central difference, side by side, say about the gradient."""

    AGREE = "agree"
    DIFFER = "differ"
    NOTHING = "says nothing"
    KINK = "kink"
    VARIES = "varies"
    UNKNOWN = "no number"


class Measured(NamedTuple):
    """What one step up and one step down measure.

    Attributes:
        forward: (f(x+h) - f(x)) / h.
        backward: (f(x) - f(x-h)) / h.
        central: (f(x+h) - f(x-h)) / (2h).
        rounding: an upper estimate of what rounding alone may add to the central difference,
            if the function's result is good to its last digit.
        flat: whether the gradient is 0 and the central difference is nothing but rounding or
            the bend of the curve.
        kink: distance of the nearest kink within one step, 0.0 at x itself. Looked for only
            where the numbers do not agree anyway; None if there is none.
        answers: the smallest and the largest number the function gave at x itself, where these
            differ enough to explain why the derivatives do not agree; else empty.
        problem: why there are no numbers, or "".
    """

    forward: float
    backward: float
    central: float
    rounding: float
    flat: bool = False
    kink: float | None = None
    answers: tuple[float, ...] = ()
    problem: str = ""


class CheckedInput(NamedTuple):
    """The engine's gradient of one input beside the measured one.

    Attributes:
        name: of the input.
        data: where it was measured.
        gradient: computed by ``backward()``.
        central_difference: measured.
        absolute_error: distance of the two.
        relative_error: that distance, divided by the larger of the two sizes; 0 if both are 0.
        verdict: what the comparison says. ``says nothing`` is a gradient of exactly 0 that was
            also measured as 0, up to rounding and the bend of the curve: so would be most wrong
            local derivatives. ``kink`` is a step that reaches across a kink, where the slope
            changes abruptly. ``varies`` is a function that gives other numbers each time.
        measured: the measured numbers.
    """

    name: str
    data: float
    gradient: float
    central_difference: float
    absolute_error: float
    relative_error: float
    verdict: Verdict
    measured: Measured


@dataclass(frozen=True)
class GradientCheckResult:
    """A gradient check, input by input; printed, it is a table.

    Attributes:
        inputs: one line for each input.
        step: the h of the central difference.
        tolerance: the largest relative error that passes.
    """

    inputs: tuple[CheckedInput, ...]
    step: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether every input agrees or says nothing, as a gradient of 0 at a flat place does."""
        return not self.failures

    @property
    def failures(self) -> tuple[CheckedInput, ...]:
        """The inputs whose two derivatives do not agree."""
        fine = (Verdict.AGREE, Verdict.NOTHING)
        return tuple(i for i in self.inputs if i.verdict not in fine)

    def __str__(self) -> str:
        rows = [("input", "data", "gradient", "central difference", "relative error")]
        rows += [
            (
                one_line(checked.name),
                number_text(checked.data),
                number_text(checked.gradient),
                number_text(checked.central_difference),
                error_text(checked.relative_error),
            )
            for checked in self.inputs
        ]
        return "\n".join([*table_lines(rows), self._verdict()])

    def _verdict(self) -> str:
        told = [c for c in self.inputs if c.verdict is not Verdict.AGREE]
        told.sort(key=lambda checked: checked.verdict is Verdict.NOTHING)
        lines = [f"{checked.name}: {_failure(checked)}" for checked in told]
        if self.passed and len(told) < len(self.inputs):
            agreeing = "The others" if told else "All"
            tolerance = number_text(self.tolerance)
            lines.append(f"{agreeing} agree within a relative error of {tolerance}.")
        return "\n".join(lines)


def _failure(checked: CheckedInput) -> str:
    measured, verdict = checked.measured, checked.verdict
    numbers = (
        f"the engine says {number_text(checked.gradient)}, "
        f"measured is {number_text(checked.central_difference)}"
    )
    if verdict is Verdict.UNKNOWN:
        return f"nothing can be measured. {measured.problem}"
    if verdict is Verdict.NOTHING:
        why = "the gradient is 0, and what was measured is only the bend of the curve or rounding"
        if checked.central_difference == 0.0:
            why = "both are 0"
        return f"{why}, which says nothing. Check elsewhere."
    if verdict is Verdict.VARIES:
        return f"{varying_text(measured)} {VARYING_REMEDY}"
    if verdict is Verdict.KINK:
        return f"{numbers} across a kink."
    if checked.absolute_error <= measured.rounding:
        size = number_text(float(f"{measured.rounding:.1g}"))
        return (
            f"{numbers}. Rounding alone explains this: f(x+h) and f(x-h) are almost equal, and "
            f"their difference over 2h may be wrong by about {size}. Try a larger step."
        )
    return f"{numbers}."


VARYING_REMEDY = (
    "So nothing can be measured: a random number, dropout or a counter in it changes more than the "
    "step does. Begin each call in the same state, as with random.Random(0) inside the function."
)


def varying_text(measured: Measured) -> str:
    """Say that a function gave two numbers at one place.

    >>> varying_text(Measured(0.0, 0.0, 0.0, 0.0, answers=(1.0, 3.0)))
    'for the same inputs the function gives 1 at one call and 3 at another.'
    """
    one, other = map(number_text, measured.answers)
    if one == other:
        return f"for the same inputs the function gives different numbers, all of them near {one}."
    return f"for the same inputs the function gives {one} at one call and {other} at another."


def gradient_check(
    function: Callable[..., Value],
    at: Inputs,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> GradientCheckResult:
    """Compare ``backward()`` with a central difference for each input of a function.

    Values that the function uses besides its inputs keep their gradients. Leaves among them, such
    as parameters, do so also where the function itself walks back. Only what it writes into a
    gradient by hand, as in ``w.grad = 0.0``, is not put back.

    Args:
        function: takes Values, gives a Value.
        at: the inputs, in order or by name, as plain numbers.
        step: the h of the central difference.
        tolerance: the largest relative error that passes.

    Raises:
        TypeError: the function does not give a Value, or an input is not a real number.
        ValueError: there is no input, the tolerance is below 0, or the step is not above 0 or
            too small to move an input at all.
        OverflowError: a slope measured with this step does not fit in a float.

    >>> print(gradient_check(lambda x: x * x + x, [3.0]))
    input  data  gradient  central difference  relative error
    x         3         7                   7      below 1e-8
    All agree within a relative error of 1e-06.
    """
    place = Place.of(function, at)
    positive(step, "the step")
    _require_checkable(place.numbers, tolerance)
    return _Check(place, tolerance).at_step(step)


def gradient_check_by_step(
    function: Callable[..., Value],
    at: Inputs,
    steps: Sequence[float] = STEPS,
    tolerance: float = TOLERANCE,
) -> tuple[GradientCheckResult, ...]:
    """Make the same gradient check with each of several steps.

    A step that cannot be used, because it does not move an input or leaves the place where the
    function exists, gives the verdict ``no number`` and says why.

    Args:
        function: takes Values, gives a Value.
        at: the inputs, in order or by name, as plain numbers.
        steps: the h to try, each above 0.
        tolerance: the largest relative error that passes.

    Returns:
        One result for each step, in the order of ``steps``.

    Raises:
        TypeError: the function does not give a Value, or an input or a step is not a real number.
        ValueError: there is no input, the tolerance is below 0, or a step is not above 0.

    >>> results = gradient_check_by_step(lambda x: x * x * x, [2.0], steps=(1e-1, 1e-5, 1e-15))
    >>> [str(result.inputs[0].verdict) for result in results]
    ['differ', 'agree', 'differ']
    """
    place = Place.of(function, at)
    steps = checked_steps(steps)
    _require_checkable(place.numbers, tolerance)
    check = _Check(place, tolerance)
    return tuple(check.at_step(step, forgiving=True) for step in steps)


def error_text(error: float) -> str:
    """Write the size of an error so that every machine writes the same.

    Below 1e-8 the digits are those of rounding, which differ between processors and systems.

    >>> error_text(0.41), error_text(3e-12)
    ('4e-01', 'below 1e-8')
    """
    return "below 1e-8" if error < SMALLEST_TOLD else f"{error:.0e}"


def _recorded(output: object) -> Value:
    if isinstance(output, Released):
        refuse_released(output)
    if not isinstance(output, Value):
        raise TypeError(
            f"the function must give a Value, got {shown(output)} ({type(output).__name__}): "
            "calculate with the inputs themselves, not with their data."
        )
    return output


def _gradients(output: Value, leaves: Sequence[Value]) -> list[float]:
    """The gradients of one walk; what the function uses besides its inputs keeps its own."""
    for leaf in leaves:  # the function may have written into it
        leaf.grad = 0.0
    order = topological_order(output)
    before = [node.grad for node in order]
    output.backward()
    gradients = [leaf.grad for leaf in leaves]
    for node, gradient in zip(order, before, strict=True):
        node.grad = gradient
    return gradients


class _Check:
    """One function at one place: its gradients once, measured with as many steps as wanted."""

    def __init__(self, place: Place, tolerance: float) -> None:
        leaves = [Value(number) for number in place.numbers]
        output = _recorded(place.call(leaves))
        self._gradients = _gradients(output, leaves)
        self._here = output.data
        self._place = place._replace(
            call=lambda inputs: place.call([Value(number) for number in inputs])
        )
        self._tolerance = tolerance

    def at_step(self, step: float, forgiving: bool = False) -> GradientCheckResult:
        checked = tuple(self._checked(i, step, forgiving) for i in range(len(self._place.numbers)))
        return GradientCheckResult(checked, step, self._tolerance)

    def _checked(self, index: int, step: float, forgiving: bool) -> CheckedInput:
        try:
            self._place.require_movable(index, step)
            measured = self._measured(index, step)
        except (ArithmeticError, ValueError) as error:
            if not forgiving:
                raise
            measured = Measured(math.nan, math.nan, math.nan, math.nan, problem=str(error))
        gradient = self._gradients[index]
        known = not measured.problem
        error_size = relative_error(gradient, measured.central) if known else math.nan
        return CheckedInput(
            name=self._place.names[index],
            data=self._place.numbers[index],
            gradient=gradient,
            central_difference=measured.central,
            absolute_error=abs(gradient - measured.central),
            relative_error=error_size,
            verdict=self._verdict(measured, error_size),
            measured=measured,
        )

    def _measured(self, index: int, step: float) -> Measured:
        measured, gradient = self._differences(index, step), self._gradients[index]
        if gradient == 0.0:
            forward, backward, central = self._flat(index, step, measured)
            measured = measured._replace(flat=central)
            agree = forward and backward and central
        else:
            agree = relative_error(gradient, measured.central) <= self._tolerance
            if agree:  # so well that neither a kink nor noise can matter
                return measured
        slopes = (measured.forward, measured.backward) if measured.flat else (measured.central,)
        off = max(abs(one - gradient) for one in slopes)
        smallest, largest = self._answers
        noise = (largest - smallest) / step
        if noise > measured.rounding and NOISE * noise >= off:
            return measured._replace(answers=self._answers)
        if agree:
            return measured
        number = self._place.numbers[index]
        kink = nearest_kink(lambda x: self._place.moved(index, x - number), number, step)
        return measured._replace(kink=kink)

    @cached_property
    def _answers(self) -> tuple[float, float]:
        """The smallest and the largest of several results at one place."""
        results = [self._here, *(self._place.moved(0, 0.0) for _ in range(REPEATS))]
        return min(results), max(results)

    def _differences(self, index: int, step: float) -> Measured:
        above, below = (self._place.moved(index, by) for by in (step, -step))
        forward, backward = slope(above - self._here, step), slope(self._here - below, step)
        steepest = max(abs(forward), abs(backward))
        size = abs(above) + abs(below) + abs(self._place.numbers[index]) * steepest
        return Measured(
            forward=forward,
            backward=backward,
            central=slope(above - below, 2 * step),
            rounding=sys.float_info.epsilon * size / step,
        )

    def _flat(self, index: int, step: float, measured: Measured) -> Iterator[bool]:
        """Whether the slopes forward, backward and central may stand for 0."""
        closer = self._differences(index, step / CLOSER)
        for found, there in zip(measured[:3], closer[:3], strict=True):
            yield self._is_flat(found, there, measured.rounding)

    def _is_flat(self, found: float, closer: float, rounding: float) -> bool:
        """Whether a measured slope may stand for 0.

        With a smaller step rounding grows and the bend of a curve disappears; a slope stays.
        """
        if abs(found) <= 4 * rounding:
            return True
        stays = found / 2 <= closer <= found * 2 or found / 2 >= closer >= found * 2
        return abs(found) <= 4 * self._tolerance and not stays

    def _verdict(self, measured: Measured, error_size: float) -> Verdict:
        if measured.problem:
            return Verdict.UNKNOWN
        if measured.answers:
            return Verdict.VARIES
        if measured.kink is not None:
            return Verdict.KINK
        if measured.flat:
            return Verdict.NOTHING
        return Verdict.AGREE if error_size <= self._tolerance else Verdict.DIFFER


def _require_checkable(numbers: Sequence[float], tolerance: float) -> None:
    not_negative(tolerance, "the tolerance")
    if not numbers:
        raise ValueError("nothing to check: give at least one input, such as [3.0].")
