"""The exercises of chapter 01: measured derivatives.

>>> [exercise.name for exercise in EXERCISES]
['01.1', '01.2', '01.3', '01.4', '01.5']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    fields,
    number,
    number_by,
    one_of,
    placed,
)
from engine.measuring import central_difference, error_by_step
from engine.text import number_text

Function = Callable[[float], float]

# 01.4: the error that the chosen step has to stay below.
SMALL_ENOUGH = 1e-9
# 01.5: where the volume was measured, and with which step.
MEASURED_AT, MEASURED_WITH = 2.0, 0.01


def area(side: float) -> float:
    """Of a square."""
    return side * side


def volume(side: float) -> float:
    """Of a cube."""
    return side * side * side


def growth(x: float) -> float:
    """The function of 01.4."""
    return math.exp(x)


# 01.2


def _central(f: Function, x: float, h: float) -> float:
    return central_difference(f, [x], step=h)[0]


def _forward(f: Function, x: float, h: float) -> float:
    return (f(x + h) - f(x)) / h


# 01.3


def three_inputs(a: float, b: float, c: float) -> float:
    """A calculation in which each input has a derivative of its own."""
    return a * b + c * c * c


def two_inputs(a: float, b: float) -> float:
    """A calculation of two inputs."""
    return (a - b) * a


def _gradient(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    return list(central_difference(f, inputs, step=h))


def _several_numbers(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple):
        wrong = next((found for member in answer if (found := number(member))), None)
        return placed("inside the list: ", wrong) if wrong else None
    if isinstance(answer, float):
        return Finding(
            "one number",
            f"it gives one number, {number_text(answer)}. There is one derivative for each input: "
            "give a list.",
        )
    return Finding("type", "it should give a list of numbers.")


# 01.4


def _judge_step(answer: float) -> Finding | None:
    if answer <= 0:
        return Finding(
            "not positive", f"A step is larger than 0, and {number_text(answer)} is not."
        )
    if answer >= 1:
        return Finding("huge", f"{number_text(answer)} is no small move at all for x = 1.")
    (error,) = error_by_step(growth, at=1.0, exact=growth(1.0), steps=(answer,))
    if error.central < SMALL_ENOUGH:
        return None
    yours = f"With h = {number_text(answer)} the error is {error.central:.0e}"
    if 1.0 + answer == 1.0:
        return Finding("no move", f"1 + {number_text(answer)} is 1 again: nothing moves at all.")
    (smaller,) = error_by_step(growth, at=1.0, exact=growth(1.0), steps=(answer * 2,))
    if answer > 1e-5 and smaller.central > error.central:
        return Finding("too large", f"{yours}: the bend of the curve is in the way. {_LARGE}")
    return Finding("too small", f"{yours}: rounding has eaten the digits. {_SMALL}")


_LARGE = "Is the step too large or too small?"
_SMALL = "Is the step too small or too large?"


# 01.5


def reported() -> float:
    """What the person in 01.5 measured."""
    return _forward(volume, MEASURED_AT, MEASURED_WITH)


def _judge_report(answer: dict[str, Any]) -> Finding | None:
    method, step = answer["method"], answer["step"]
    if step <= 0:
        return Finding("not positive", f"A step is larger than 0, and {number_text(step)} is not.")
    measure = _forward if method == "forward" else _central
    found, wanted = measure(volume, MEASURED_AT, step), reported()
    told = f"A {method} difference with h = {number_text(step)} gives {found:.6f}"
    if round(math.log10(step), 9) % 1:
        yours = number_text(step)
        return Finding("not a power", f"{yours} is none of the steps to choose from.")
    if abs(found - wanted) < 1e-6:
        return None
    if method == "central":
        return Finding("method", f"{told}. Is this the error of a central difference?")
    if found > wanted:
        return Finding("step", f"{told}: too far from 12, so this step is too large.")
    return Finding("step", f"{told}: too near to 12, so this step is too small.")


EXERCISES = (
    AnswerExercise(
        name="01.1",
        title="A derivative from two readings",
        shape=number,
        judge=number_by(
            {"before": 2.0, "high": 5.0, "after": 2.01, "low": 4.96},
            """
= (low - high) / (after - before)
not divided | low - high
not divided | high - low
    {} is how far the charge moved. A derivative compares the two moves: divide by the move of the
    time.
upside down | (after - before) / (low - high)
    {} says how far the time moves for each unit of charge. Divide the other way around: the move
    of the result by the move of the input.
multiplied | (low - high) * (after - before)
    The two moves were multiplied. They have to be compared.
not moves | low / after
not moves | high / before
    {} divides a charge by a time. Compare the moves, not the numbers themselves.
data | low
    That is the charge itself, not how fast it moves.
""",
        ),
        right="The charge falls while the time rises, so the derivative is negative.",
        hints=(
            "Two things move. By how much does each of them?",
            "Divide the move of the result (the charge) by the move of the input (the time).",
            "The time moves by 2.01 - 2. The charge moves by 4.96 - 5: mind the sign.",
        ),
    ),
    FunctionExercise(
        name="01.2",
        title="Write a central difference",
        cases=(
            Case("area at 3 with h = 0.5", lambda: (area, 3.0, 0.5)),
            Case("volume at 2 with h = 0.1", lambda: (volume, 2.0, 0.1)),
            Case("volume at -1.5 with h = 0.25", lambda: (volume, -1.5, 0.25)),
            Case("math.exp at 0.5 with h = 1e-5", lambda: (math.exp, 0.5, 1e-5)),
        ),
        reference=_central,
        shape=number,
        solution="""
def my_central_difference(f, x, h):
    \"\"\"Measure the derivative of f at x, with a step to both sides.\"\"\"
    return (f(x + h) - f(x - h)) / (2 * h)
""",
        mistakes="""
forward | f(x - h)) / (2 * h) -> f(x)) / h
    That is a forward difference: one of the two steps stays at x. For {case} it gives {got}.
backward | f(x + h) - -> f(x) - | (2 * h) -> h
    That is a step to the lower side only. A central difference steps to both sides. For {case} it
    gives {got}.
twice | (2 * h) -> h
    For {case} it gives {got}, just twice what it should be: how far is it from x - h to x + h?
not divided | / (2 * h) ->
    For {case} it gives {got}. That is how far the result moved; it still has to be divided by how
    far the input moved.
parentheses | (2 * h) -> 2 * h
    For {case} it gives {got}. Python reads `/ 2 * h` as: divide by 2, then multiply by h. Put
    2 * h in parentheses.
parentheses | (f(x + h) - f(x - h)) -> f(x + h) - f(x - h)
    For {case} it gives {got}. Only the second result is divided here. Put the difference in
    parentheses.
sign | x + h -> x -- h | x - h -> x + h | x -- h -> x - h
    For {case} it gives {got}: the sign is wrong. Which of the two results comes first?
own step | = lambda f, x, h: solution(f, x, 1e-5)
    For {case} it gives {got}, as with a tiny step: it takes a step of its own. Use the h that is
    given.
other function | f(x + h) - f(x - h) -> area(x + h) - area(x - h)
    It measures area, whatever function it is given. Write f in its place.
""",
        given=globals(),
        forbidden={"engine.measuring.central_difference", "engine.measuring.error_by_step"},
        right="It measures any function of one number, and trusts nobody.",
        hints=(
            "Calculate f twice: a step above x, and a step below x.",
            "From x - h to x + h it is two steps, so the difference is divided by 2 * h.",
            "The body is one line. It returns a fraction: above the line the two results, one "
            "subtracted from the other; below the line 2 * h, in parentheses.",
        ),
    ),
    FunctionExercise(
        name="01.3",
        title="Many inputs",
        cases=(
            Case("a * b + c**3 at (2, -3, 1.5)", lambda: (three_inputs, [2.0, -3.0, 1.5], 0.1)),
            Case("(a - b) * a at (4, 1)", lambda: (two_inputs, [4.0, 1.0], 0.1)),
            Case("area at (3,)", lambda: (area, [3.0], 0.1)),
        ),
        reference=_gradient,
        shape=_several_numbers,
        solution="""
def my_gradient(f, inputs, h):
    \"\"\"Measure the derivative of f with respect to each of its inputs.\"\"\"
    slopes = []
    for k in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[k] += h
        down[k] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return slopes
""",
        mistakes="""
all at once | up[k] += h -> up = [x + h for x in up] | down[k] -= h -> down = [x - h for x in down]
    all inputs moved together. Move one, and leave the others where they are.
not put back | up, down = list(inputs), list(inputs) -> up = inputs
| down[k] -= h -> at = f(*up); up[k] -= 2 * h
| f(*up) - f(*down) -> at - f(*up)
not put back | up, down = list(inputs), list(inputs) -> up, at = inputs, f(*inputs)
| down[k] -= h -> | f(*down)) / (2 * h) -> at) / h
    an input that was moved has to go back to its place before the next one moves.
forward | down[k] -= h -> | (2 * h) -> h
    these are forward differences. Step to both sides.
same list | up, down = list(inputs), -> up = down =
    up and down are the same list. `a = inputs` makes a second name, and `list(inputs)` makes a
    copy.
own step | = lambda f, inputs, h: solution(f, inputs, 1e-5)
    For {case} it gives {got}, as with a tiny step: it takes a step of its own. Use the h that is
    given.
first alone | = lambda f, inputs, h: solution(f, inputs, h)[:1]
    Each input has a derivative: does a return stand inside the loop?
added up | = lambda f, inputs, h: sum(solution(f, inputs, h))
    the derivatives are added up. Keep them apart, in a list.
""",
        given=globals(),
        forbidden={"engine.measuring.central_difference"},
        right="One number for each input, and two calculations for each number.",
        hints=(
            "Go through the inputs one by one, with their places: for k in range(len(inputs)).",
            "Make two copies of the list, list(inputs). Move place k of one up, and of the other "
            "down.",
            "f(*up) calculates with a whole list. Append (f(*up) - f(*down)) / (2 * h) to a list "
            "of results, and return that list after the loop.",
        ),
    ),
    AnswerExercise(
        name="01.4",
        title="Choose a step",
        shape=number,
        judge=_judge_step,
        right="It lies at the tip of the V: neither truncation nor rounding has the upper hand.",
        hints=(
            "Try a few: 1e-2, 1e-6, 1e-12. What happens to the error?",
            "Two things fight each other: the bend of the curve, and the digits that are kept.",
            "Look at the tip of the V for the central difference in the chapter.",
        ),
    ),
    AnswerExercise(
        name="01.5",
        title="Explain a wrong measurement",
        shape=fields(method=one_of("forward", "central"), step=number),
        judge=_judge_report,
        right="Nothing was wrong with the formula: the number tells how it was measured.",
        hints=(
            "Measure it yourself: with both methods, and with the steps 0.1, 0.01 and 0.001.",
            "The error is 0.0601. For which method does the error shrink only as fast as the step?",
            'Compare with the table of errors under "Step to both sides" in the chapter.',
        ),
    ),
)
