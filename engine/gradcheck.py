"""Measure derivatives by wiggling inputs, and compare them with the engine's.

A central difference only runs the calculation forward, so it checks every local derivative and
every step of the walk back without trusting any of them.

>>> central_difference(lambda x: x * x, [3.0])
(6.000000000039306,)
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

from engine.domain import finite, label_text
from engine.text import number_text, one_line, shown, table_lines
from engine.value import Released, Value, topological_order

STEP = 1e-5
TOLERANCE = 1e-6
STEPS = tuple(10.0**-k for k in range(1, 16))

Inputs = Sequence[float] | Mapping[str, float]


class CheckedInput(NamedTuple):
    """The engine's gradient of one input beside the measured one.

    Attributes:
        name: of the input.
        data: where it was measured.
        gradient: computed by ``backward()``.
        central_difference: measured.
        absolute_error: distance of the two.
        relative_error: that distance, divided by the larger of the two sizes; 0 if both are 0.
    """

    name: str
    data: float
    gradient: float
    central_difference: float
    absolute_error: float
    relative_error: float


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
        """Whether every relative error is within the tolerance."""
        return not self.failures

    @property
    def failures(self) -> tuple[CheckedInput, ...]:
        """The inputs whose two derivatives do not agree."""
        return tuple(i for i in self.inputs if not i.relative_error <= self.tolerance)

    def __str__(self) -> str:
        rows = [("input", "data", "gradient", "central difference", "relative error")]
        rows += [
            (
                one_line(checked.name),
                number_text(checked.data),
                number_text(checked.gradient),
                number_text(checked.central_difference),
                f"{checked.relative_error:.0e}",
            )
            for checked in self.inputs
        ]
        return "\n".join([*table_lines(rows), self._verdict()])

    def _verdict(self) -> str:
        if self.passed:
            return f"All agree within a relative error of {number_text(self.tolerance)}."
        return "\n".join(
            f"{i.name}: the engine says {number_text(i.gradient)}, "
            f"measured is {number_text(i.central_difference)}."
            for i in self.failures
        )


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

    >>> def L(a, b, c, f):
    ...     return (a * b + c) * f
    >>> [round(slope, 6) for slope in central_difference(L, (2, -3, 10, -2))]
    [6.0, -4.0, -2.0, 4.0]
    """
    call, _, numbers = _prepared(function, at)
    _require_step(step)
    _require_movable(numbers, step)
    return tuple(_central(call, numbers, index, step) for index in range(len(numbers)))


def gradient_check(
    function: Callable[..., Value],
    at: Inputs,
    step: float = STEP,
    tolerance: float = TOLERANCE,
) -> GradientCheckResult:
    """Compare ``backward()`` with a central difference for each input of a function.

    Values that the function uses besides its inputs, such as parameters, keep their gradients.

    Args:
        function: takes Values, gives a Value.
        at: the inputs, in order or by name, as plain numbers.
        step: the h of the central difference.
        tolerance: the largest relative error that passes.

    Raises:
        TypeError: the function does not give a Value, or an input is not a real number.
        ValueError: there is no input, the tolerance is below 0, or the step is not above 0 or
            too small to move an input at all.

    >>> print(gradient_check(lambda x: x * x + x, [3.0]))
    input  data  gradient  central difference  relative error
    x         3         7                   7           2e-13
    All agree within a relative error of 1e-06.
    """
    call, names, numbers = _prepared(function, at)
    _require_step(step)
    _require_movable(numbers, step)
    if not finite(tolerance, "the tolerance") >= 0.0:
        raise ValueError(f"the tolerance is 0 or more, got {number_text(tolerance)}.")
    if not numbers:
        raise ValueError("nothing to check: give at least one input, such as [3.0].")
    leaves = [Value(number) for number in numbers]
    gradients = _gradients(call(leaves), leaves)

    def forward(inputs: Sequence[object]) -> Value:
        result: Value = call([Value(number) for number in inputs])
        return result

    measured = [_central(forward, numbers, index, step) for index in range(len(numbers))]
    return GradientCheckResult(
        tuple(_compared(*line) for line in zip(names, numbers, gradients, measured, strict=True)),
        step,
        tolerance,
    )


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

    >>> errors = error_by_step(lambda x: x * x * x, at=2.0, exact=12.0, steps=(1e-1, 1e-2))
    >>> [f"{error.forward:.0e} {error.central:.0e}" for error in errors]
    ['6e-01 1e-02', '6e-02 1e-04']
    """
    call, _, numbers = _prepared(function, [at])
    finite(exact, "the exact derivative")
    if not isinstance(steps, Iterable) or isinstance(steps, str):
        raise TypeError(f"the steps come as a list such as [1e-5], got {shown(steps)}.")
    steps = tuple(steps)
    for step in steps:
        _require_step(step)
    here = finite(call(numbers), "the function's result")
    return tuple(
        StepError(
            step,
            abs((_moved(call, numbers, 0, step) - here) / step - exact),
            abs(_central(call, numbers, 0, step) - exact),
        )
        for step in steps
    )


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


def _gradients(output: object, leaves: Sequence[Value]) -> list[float]:
    if isinstance(output, Released):
        output.backward()
    if not isinstance(output, Value):
        raise TypeError(
            f"the function must give a Value, got {shown(output)} ({type(output).__name__}): "
            "calculate with the inputs themselves, not with their data."
        )
    order = topological_order(output)
    before = [node.grad for node in order]
    output.backward()
    gradients = [leaf.grad for leaf in leaves]
    for node, grad in zip(order, before, strict=True):
        node.grad = grad
    return gradients


def _compared(name: str, data: float, gradient: float, measured: float) -> CheckedInput:
    return CheckedInput(
        name=name,
        data=data,
        gradient=gradient,
        central_difference=measured,
        absolute_error=abs(gradient - measured),
        relative_error=relative_error(gradient, measured),
    )


def _prepared(
    function: Callable[..., Any], at: Inputs
) -> tuple[Callable[[Sequence[object]], Any], tuple[str, ...], list[float]]:
    if not callable(function):
        raise TypeError(f"a function is needed, got {shown(function)}: pass f itself, not f(x).")
    if isinstance(at, Mapping):
        names = tuple(map(label_text, at))
        numbers = [finite(number, f"input {name}") for name, number in at.items()]
        return lambda inputs: function(**dict(zip(names, inputs, strict=True))), names, numbers
    if not isinstance(at, Sequence) or isinstance(at, str):
        raise TypeError(f"the inputs come as a list such as [3.0], got {shown(at)}.")
    names = _argument_names(function, len(at))
    numbers = [finite(number, f"input {name}") for name, number in zip(names, at, strict=True)]
    return lambda inputs: function(*inputs), names, numbers


def _argument_names(function: Callable[..., Any], count: int) -> tuple[str, ...]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # some built-in functions do not say what they take
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return tuple(named[i] if i < len(named) else f"input {i}" for i in range(count))


def _central(
    call: Callable[[Sequence[object]], Any], numbers: list[float], index: int, step: float
) -> float:
    rise = _moved(call, numbers, index, step) - _moved(call, numbers, index, -step)
    return rise / (2 * step)


def _moved(
    call: Callable[[Sequence[object]], Any], numbers: list[float], index: int, by: float
) -> float:
    moved = [number + by if i == index else number for i, number in enumerate(numbers)]
    result = call(moved)
    if isinstance(result, Value | Released):
        result = result.data
    return finite(result, "the function's result")


def _require_step(step: float) -> None:
    if not finite(step, "the step") > 0.0:
        raise ValueError(f"the step must be above 0, got {number_text(step)}.")


def _require_movable(numbers: Sequence[float], step: float) -> None:
    for number in numbers:
        if number + step == number - step:
            raise ValueError(
                f"a step of {number_text(step)} is too small to move {number_text(number)}: "
                "a float keeps about 16 digits. Try 1e-5."
            )
