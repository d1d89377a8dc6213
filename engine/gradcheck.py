"""Measure derivatives by wiggling inputs, and compare them with the engine's.

A central difference only runs the calculation forward, so it checks every local derivative and
every step of the walk back without trusting any of them.

>>> central_difference(lambda x: x * x, [3.0])
(6.000000000039306,)
"""

import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from typing import NamedTuple

from engine.domain import finite, label_text, not_negative, positive
from engine.kinks import nearest_kink
from engine.text import number_text, one_line, shown, table_lines
from engine.value import Released, Value, gradients_kept, topological_order

STEP = 1e-5
TOLERANCE = 1e-6
SMALLEST_TOLD = 1e-8
CLOSER = 8
STEPS = tuple(10.0**-k for k in range(1, 16))

Inputs = Sequence[float] | Mapping[str, float]


class Verdict(StrEnum):
    """What a gradient and a central difference, side by side, say about the gradient."""

    AGREE = "agree"
    DIFFER = "differ"
    NOTHING = "says nothing"
    KINK = "kink"
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
        problem: why there are no numbers, or "".
    """

    forward: float
    backward: float
    central: float
    rounding: float
    flat: bool = False
    kink: float | None = None
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
            local derivatives. ``kink`` is a step
            that reaches across a kink, where the slope changes abruptly.
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
        nothing = [i for i in self.inputs if i.verdict is Verdict.NOTHING]
        lines = [self._failure(checked) for checked in self.failures]
        lines += [_says_nothing(checked) for checked in nothing]
        if self.passed and len(nothing) < len(self.inputs):
            agreeing = "All" if not nothing else "The others"
            tolerance = number_text(self.tolerance)
            lines.append(f"{agreeing} agree within a relative error of {tolerance}.")
        return "\n".join(lines)

    def _failure(self, checked: CheckedInput) -> str:
        if checked.verdict is Verdict.UNKNOWN:
            return f"{checked.name}: nothing can be measured. {checked.measured.problem}"
        numbers = (
            f"{checked.name}: the engine says {number_text(checked.gradient)}, "
            f"measured is {number_text(checked.central_difference)}"
        )
        if checked.verdict is Verdict.KINK:
            return f"{numbers} across a kink."
        return f"{numbers}."


def _says_nothing(checked: CheckedInput) -> str:
    if checked.central_difference == 0.0:
        why = "both are 0"
    else:
        why = "the gradient is 0, and what was measured is only the bend of the curve or rounding"
    return f"{checked.name}: {why}, which says nothing. Check elsewhere."


class StepError(NamedTuple):
    """How far two measured derivatives are from the exact one, for one step.

    Attributes:
        step: the h that was used.
        forward: error of (f(x+h) - f(x)) / h.
        central: error of (f(x+h) - f(x-h)) / (2h).
    """

    step: float
    forward: float
    central: float


def central_difference(
    function: Callable[..., float], at: Inputs, step: float = STEP
) -> tuple[float, ...]:
    """Measure the derivative of a function with respect to each of its inputs.

    (f(x+h) - f(x-h)) / (2h), one input at a time, the others held where they are. Its error
    shrinks with h squared until rounding takes over.

    Args:
        function: takes plain numbers, gives a plain number.
        at: the inputs, in order or by name.
        step: the h of the formula, above 0.

    Returns:
        One derivative for each input, in order.

    Raises:
        TypeError: an input or a result is not a real number.
        ValueError: the step is not above 0, or too small to move an input at all.
        OverflowError: a slope measured with this step does not fit in a float.

    >>> def L(a, b, c, f):
    ...     return (a * b + c) * f
    >>> [round(slope, 6) for slope in central_difference(L, (2, -3, 10, -2))]
    [6.0, -4.0, -2.0, 4.0]
    """
    place = _place(function, at)
    positive(step, "the step")
    _require_movable(place.numbers, step)
    return tuple(place.central(index, step) for index in range(len(place.numbers)))


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
    place = _place(function, at)
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
    place = _place(function, at)
    steps = _checked_steps(steps)
    _require_checkable(place.numbers, tolerance)
    check = _Check(place, tolerance)
    return tuple(check.at_step(step, forgiving=True) for step in steps)


def error_by_step(
    function: Callable[[float], float],
    at: float,
    exact: float,
    steps: Sequence[float] = STEPS,
) -> tuple[StepError, ...]:
    """Measure how the error of a measured derivative depends on the step.

    Large steps are wrong because the curve bends (truncation), tiny ones because two nearly
    equal numbers are subtracted (rounding). Between them lies the best step. A step too small
    to move ``at`` at all measures 0.

    Args:
        function: takes a plain number, gives a plain number.
        at: where to differentiate.
        exact: the derivative there, to compare with.
        steps: the h to try, each above 0.

    Raises:
        TypeError: ``at``, ``exact``, a step or a result is not a real number.
        ValueError: a step is not above 0.
        OverflowError: a slope measured with a step does not fit in a float.

    >>> errors = error_by_step(lambda x: x * x * x, at=2.0, exact=12.0, steps=(1e-1, 1e-2))
    >>> [f"{error.forward:.0e} {error.central:.0e}" for error in errors]
    ['6e-01 1e-02', '6e-02 1e-04']
    """
    place = _place(function, [at])
    finite(exact, "the exact derivative")
    steps = _checked_steps(steps)
    here = finite(place.call(place.numbers), "the function's result")
    return tuple(
        StepError(
            step,
            abs(_slope(place.moved(0, step) - here, step) - exact),
            abs(place.central(0, step) - exact),
        )
        for step in steps
    )


def error_text(error: float) -> str:
    """Write the size of an error so that every machine writes the same.

    Below 1e-8 the digits are those of rounding, which differ between processors and systems.

    >>> error_text(0.41), error_text(3e-12)
    ('4e-01', 'below 1e-8')
    """
    return "below 1e-8" if error < SMALLEST_TOLD else f"{error:.0e}"


def relative_error(first: float, second: float) -> float:
    """The distance of two numbers, divided by the larger of their sizes; 0 if both are 0.

    Raises:
        TypeError: one of them is not a real number.

    Source: the gradient checks of Stanford's CS231n course notes.

    >>> relative_error(6.0, 8.0), relative_error(0.0, 0.0)
    (0.25, 0.0)
    """
    for number in (first, second):
        if not isinstance(number, Real):
            kind = type(number).__name__
            raise TypeError(f"relative_error compares numbers, got {shown(number)} ({kind}).")
    larger = max(abs(first), abs(second))
    return abs(first - second) / larger if larger else 0.0


class _Place(NamedTuple):
    """A function, and the inputs at which it is looked at.

    Attributes:
        call: the function, of all its inputs in one list.
        names: of the inputs.
        numbers: the inputs.
    """

    call: Callable[[Sequence[object]], object]
    names: tuple[str, ...]
    numbers: list[float]

    def moved(self, index: int, by: float) -> float:
        """The function's result where one input is moved."""
        moved = [number + by if i == index else number for i, number in enumerate(self.numbers)]
        result = self.call(moved)
        if isinstance(result, Value | Released):
            result = result.data
        way = f"a step of {number_text(abs(by))} {'above' if by > 0.0 else 'below'}"
        from_where = number_text(self.numbers[index])
        return finite(result, f"the function's result, {way} the input {from_where},")

    def central(self, index: int, step: float) -> float:
        """The central difference of one input."""
        return _slope(self.moved(index, step) - self.moved(index, -step), 2 * step)


def _recorded(output: object) -> Value:
    if isinstance(output, Released):
        output.backward()
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

    def __init__(self, place: _Place, tolerance: float) -> None:
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
            _require_movable(self._place.numbers[index : index + 1], step)
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
        measured = self._differences(index, step)
        if self._gradients[index] == 0.0:
            forward, backward, central = self._flat(index, step, measured)
            measured = measured._replace(flat=central)
            agree = forward and backward and central
        else:
            agree = relative_error(self._gradients[index], measured.central) <= self._tolerance
        if agree:  # so well that no kink can matter
            return measured
        number = self._place.numbers[index]
        kink = nearest_kink(lambda x: self._place.moved(index, x - number), number, step)
        return measured._replace(kink=kink)

    def _differences(self, index: int, step: float) -> Measured:
        above, below = (self._place.moved(index, by) for by in (step, -step))
        forward, backward = _slope(above - self._here, step), _slope(self._here - below, step)
        steepest = max(abs(forward), abs(backward))
        size = abs(above) + abs(below) + abs(self._place.numbers[index]) * steepest
        return Measured(
            forward=forward,
            backward=backward,
            central=_slope(above - below, 2 * step),
            rounding=sys.float_info.epsilon * size / step,
        )

    def _flat(self, index: int, step: float, measured: Measured) -> Iterator[bool]:
        """Whether the slopes forward, backward and central may stand for 0."""
        closer = self._differences(index, step / CLOSER)
        for slope, there in zip(measured[:3], closer[:3], strict=True):
            yield self._is_flat(slope, there, measured.rounding)

    def _is_flat(self, slope: float, closer: float, rounding: float) -> bool:
        """Whether a measured slope may stand for 0.

        With a smaller step rounding grows and the bend of a curve disappears; a slope stays.
        """
        if abs(slope) <= 4 * rounding:
            return True
        stays = slope / 2 <= closer <= slope * 2 or slope / 2 >= closer >= slope * 2
        return abs(slope) <= 4 * self._tolerance and not stays

    def _verdict(self, measured: Measured, error_size: float) -> Verdict:
        if measured.problem:
            return Verdict.UNKNOWN
        if measured.kink is not None:
            return Verdict.KINK
        if measured.flat:
            return Verdict.NOTHING
        return Verdict.AGREE if error_size <= self._tolerance else Verdict.DIFFER


def _place(function: Callable[..., object], at: Inputs) -> _Place:
    if not callable(function):
        raise TypeError(f"a function is needed, got {shown(function)}: pass f itself, not f(x).")
    called = gradients_kept()(function)  # the function may walk back itself
    if isinstance(at, Mapping):
        names = tuple(map(label_text, at))
        numbers = [finite(number, f"input {name}") for name, number in at.items()]
        _require_fitting(function, **at)
        return _Place(
            lambda inputs: called(**dict(zip(names, inputs, strict=True))), names, numbers
        )
    if not isinstance(at, Sequence) or isinstance(at, str | bytes):
        raise TypeError(f"the inputs come as a list such as [3.0], got {shown(at)}.")
    names = _argument_names(function, len(at))
    numbers = [finite(number, f"input {name}") for name, number in zip(names, at, strict=True)]
    _require_fitting(function, *at)
    return _Place(lambda inputs: called(*inputs), names, numbers)


def _require_fitting(function: Callable[..., object], /, *inputs: float, **named: float) -> None:
    try:
        signature = inspect.signature(function)
    except ValueError:  # some built-in functions do not say what they take
        return
    try:
        signature.bind(*inputs, **named)
    except TypeError as problem:
        takes = one_line(str(signature))
        raise TypeError(
            f"the inputs do not fit the function, which takes {takes}: {problem}."
        ) from None


def _argument_names(function: Callable[..., object], count: int) -> tuple[str, ...]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # some built-in functions do not say what they take
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return tuple(named[i] if i < len(named) else f"input {i}" for i in range(count))


def _slope(rise: float, run: float) -> float:
    slope = rise / run if run > 0.0 else math.inf
    if not math.isfinite(slope) or math.isinf(run):
        raise OverflowError(
            f"{number_text(rise)} over {number_text(run)} is no slope that a float can hold: "
            "the step is too large or too small. Try 1e-5."
        )
    return slope


def _checked_steps(steps: Sequence[float]) -> tuple[float, ...]:
    if not isinstance(steps, Iterable) or isinstance(steps, str | bytes):
        raise TypeError(f"the steps come as a list such as [1e-5], got {shown(steps)}.")
    steps = tuple(steps)
    for step in steps:
        positive(step, "the step")
    return steps


def _require_checkable(numbers: Sequence[float], tolerance: float) -> None:
    not_negative(tolerance, "the tolerance")
    if not numbers:
        raise ValueError("nothing to check: give at least one input, such as [3.0].")


def _require_movable(numbers: Sequence[float], step: float) -> None:
    for number in numbers:
        if number + step == number - step:
            raise ValueError(
                f"a step of {number_text(step)} is too small to move {number_text(number)}: "
                "a float keeps about 16 digits. Try 1e-5."
            )
