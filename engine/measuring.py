"""Measure derivatives by wiggling inputs: the calculation only runs forward.

A central difference trusts no local derivative and no step of the walk back, so it checks both.

>>> central_difference(lambda x: x * x, [3.0])
(6.000000000039306,)
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

from engine.all_or_nothing import gradients_kept
from engine.guards import Released
from engine.numbers import finite, label_text, positive
from engine.text import number_text, one_line, shown
from engine.value import Value

STEP = 1e-5
STEPS = tuple(10.0**-k for k in range(1, 16))

Inputs = Sequence[float] | Mapping[str, float]


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
    place = Place.of(function, at)
    positive(step, "the step")
    indices = range(len(place.numbers))
    for index in indices:
        place.require_movable(index, step)
    return tuple(place.central(index, step) for index in indices)


def measured_gradient(
    loss: Callable[[], Any], of: Any, place: Any = None, step: float = STEP
) -> float:
    """Measure how a loss changes with one number that a model holds, by a central difference.

    Args:
        loss: computes the loss again; it takes nothing, and gives a number, a Value or an Array.
        of: what is moved: a Parameter, or anything with an array of numbers in ``data``.
        place: which number of the array, such as 3 or ``(8, 2)``.
        step: the h of the central difference.

    Raises:
        TypeError, ValueError, OverflowError: as for ``central_difference``.

    >>> w = Value(3.0)
    >>> round(measured_gradient(lambda: w * w, w), 6)
    6.0
    """
    held = of.data

    def loss_at(number: float) -> float:
        moved = number
        if place is not None:
            moved = held.copy()
            moved[place] = number
        of.data = moved
        result = loss()
        return float(getattr(result, "data", result))

    try:
        return central_difference(loss_at, [held if place is None else held[place]], step)[0]
    finally:
        of.data = held


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
    place = Place.of(function, [at])
    finite(exact, "the exact derivative")
    steps = checked_steps(steps)
    here = finite(place.call(place.numbers), "the function's result")
    return tuple(
        StepError(
            step,
            abs(slope(place.moved(0, step) - here, step) - exact),
            abs(place.central(0, step) - exact),
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


class Place(NamedTuple):
    """A function, and the inputs at which it is looked at.

    Attributes:
        call: the function, of all its inputs in one list.
        names: of the inputs.
        numbers: the inputs.
    """

    call: Callable[[Sequence[object]], object]
    names: tuple[str, ...]
    numbers: list[float]

    @classmethod
    def of(cls, function: Callable[..., object], at: Inputs) -> "Place":
        """Check that the inputs are numbers, and that they fit the function.

        Raises:
            TypeError: the function cannot be called with them, or one is not a real number.

        >>> Place.of(lambda x, y: x * y, [2, 3]).names
        ('x', 'y')
        """
        if not callable(function):
            raise TypeError(
                f"a function is needed, got {shown(function)}: pass f itself, not f(x)."
            )
        called = gradients_kept()(function)  # the function may walk back itself
        if isinstance(at, Mapping):
            names = tuple(map(label_text, at))
            numbers = [finite(number, f"input {name}") for name, number in at.items()]
            _parameters(function, **at)
            return cls(lambda given: called(**dict(zip(names, given, strict=True))), names, numbers)
        if not isinstance(at, Sequence) or isinstance(at, str | bytes):
            raise TypeError(f"the inputs come as a list such as [3.0], got {shown(at)}.")
        names = _parameters(function, *at)
        names += tuple(f"input {i}" for i in range(len(names), len(at)))
        numbers = [finite(number, f"input {name}") for name, number in zip(names, at, strict=True)]
        return cls(lambda given: called(*given), names, numbers)

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
        return slope(self.moved(index, step) - self.moved(index, -step), 2 * step)

    def require_movable(self, index: int, step: float) -> None:
        """Refuse a step that is lost when it is added to an input."""
        number = self.numbers[index]
        if number + step == number - step:
            raise ValueError(
                f"a step of {number_text(step)} is too small to move {number_text(number)}: "
                "a float keeps about 16 digits. Try 1e-5."
            )


def _parameters(
    function: Callable[..., object], /, *inputs: object, **named: object
) -> tuple[str, ...]:
    """The names of the function's parameters that inputs in order fill, if they fit at all."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # some built-in functions do not say what they take
        return ()
    try:
        signature.bind(*inputs, **named)
    except TypeError as problem:
        takes = one_line(str(signature))
        raise TypeError(
            f"the inputs do not fit the function, which takes {takes}: {problem}."
        ) from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in signature.parameters.values() if p.kind in kinds)[: len(inputs)]


def slope(rise: float, run: float) -> float:
    """Divide rise by run, or say that no float can hold the slope.

    >>> slope(1.0, 0.5)
    2.0
    """
    found = rise / run if run > 0.0 else math.inf
    if not math.isfinite(found) or math.isinf(run):
        raise OverflowError(
            f"{number_text(rise)} over {number_text(run)} is no slope that a float can hold: "
            "the step is too large or too small. Try 1e-5."
        )
    return found


def checked_steps(steps: Sequence[float]) -> tuple[float, ...]:
    """Accept a list of steps above 0.

    >>> checked_steps([1e-5, 1])
    (1e-05, 1.0)
    """
    if not isinstance(steps, Iterable) or isinstance(steps, str | bytes):
        raise TypeError(f"the steps come as a list such as [1e-5], got {shown(steps)}.")
    return tuple(positive(step, "the step") for step in steps)
