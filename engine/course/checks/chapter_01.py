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
    Suspect,
    WrongNumber,
    among,
    fields,
    number,
    one_of,
    placed,
)
from engine.measuring import central_difference, error_by_step
from engine.text import number_text

Function = Callable[[float], float]

# 01.1: a lamp's battery, watched at two moments: (hours, charge in watt-hours).
READINGS = ((2.0, 5.0), (2.01, 4.96))
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


# 01.1


def _judge_two_readings(answer: float) -> Finding | None:
    (before, high), (after, low) = READINGS
    moved, rose = after - before, low - high
    return among(
        answer,
        rose / moved,
        WrongNumber(
            rose,
            "not divided",
            f"{number_text(rose)} is how far the charge moved. A derivative compares the two "
            "moves: divide by the move of the time.",
        ),
        WrongNumber(
            moved / rose,
            "upside down",
            f"{number_text(moved / rose)} says how far the time moves for each unit of charge. "
            "Divide the other way around: the move of the result by the move of the input.",
        ),
        WrongNumber(
            rose * moved, "multiplied", "The two moves were multiplied. They have to be compared."
        ),
        WrongNumber(
            low / after,
            "not moves",
            f"{number_text(low / after)} divides a charge by a time. Compare the moves, not the "
            "numbers themselves.",
        ),
        WrongNumber(
            high / before,
            "not moves",
            f"{number_text(high / before)} divides a charge by a time. Compare the moves, not the "
            "numbers themselves.",
        ),
        WrongNumber(low, "data", "That is the charge itself, not how fast it moves."),
    )


# 01.2


def _central(f: Function, x: float, h: float) -> float:
    return central_difference(f, [x], step=h)[0]


def _forward(f: Function, x: float, h: float) -> float:
    return (f(x + h) - f(x)) / h


def _backward(f: Function, x: float, h: float) -> float:
    return (f(x) - f(x - h)) / h


def _divided_by_h(f: Function, x: float, h: float) -> float:
    return (f(x + h) - f(x - h)) / h


def _not_divided(f: Function, x: float, h: float) -> float:
    return f(x + h) - f(x - h)


def _divided_then_multiplied(f: Function, x: float, h: float) -> float:
    return (f(x + h) - f(x - h)) / 2 * h


def _second_alone_divided(f: Function, x: float, h: float) -> float:
    return f(x + h) - f(x - h) / (2 * h)


TINY = 1e-5


def _own_step(f: Function, x: float, _h: float) -> float:
    return _central(f, x, TINY)


def _other_way_around(f: Function, x: float, h: float) -> float:
    return (f(x - h) - f(x + h)) / (2 * h)


CENTRAL_SUSPECTS = (
    Suspect(
        _forward,
        "forward",
        "That is a forward difference: one of the two steps stays at x. For {case} it gives {got}.",
    ),
    Suspect(
        _backward,
        "backward",
        "That is a step to the lower side only. A central difference steps to both sides. For "
        "{case} it gives {got}.",
    ),
    Suspect(
        _divided_by_h,
        "twice",
        "For {case} it gives {got}, just twice what it should be: how far is it from x - h to "
        "x + h?",
    ),
    Suspect(
        _not_divided,
        "not divided",
        "For {case} it gives {got}. That is how far the result moved; it still has to be divided "
        "by how far the input moved.",
    ),
    Suspect(
        _divided_then_multiplied,
        "parentheses",
        "For {case} it gives {got}. Python reads `/ 2 * h` as: divide by 2, then multiply by h. "
        "Put 2 * h in parentheses.",
    ),
    Suspect(
        _second_alone_divided,
        "parentheses",
        "For {case} it gives {got}. Only the second result is divided here. Put the difference in "
        "parentheses.",
    ),
    Suspect(
        _other_way_around,
        "sign",
        "For {case} it gives {got}: the sign is wrong. Which of the two results comes first?",
    ),
    Suspect(
        _own_step,
        "own step",
        "For {case} it gives {got}, as with a tiny step: it takes a step of its own. Use the h "
        "that is given.",
    ),
)


# 01.3


def three_inputs(a: float, b: float, c: float) -> float:
    """A calculation in which each input has a derivative of its own."""
    return a * b + c * c * c


def two_inputs(a: float, b: float) -> float:
    """A calculation of two inputs."""
    return (a - b) * a


def _gradient(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    return list(central_difference(f, inputs, step=h))


def _all_at_once(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    up, down = [x + h for x in inputs], [x - h for x in inputs]
    return [(f(*up) - f(*down)) / (2 * h) for _ in inputs]


def _not_put_back(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    moved, slopes = list(inputs), []
    for k in range(len(moved)):
        moved[k] += h
        up = f(*moved)
        moved[k] -= 2 * h
        slopes.append((up - f(*moved)) / (2 * h))
    return slopes


def _forward_each(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    slopes = []
    for k in range(len(inputs)):
        up = [x + h if place == k else x for place, x in enumerate(inputs)]
        slopes.append((f(*up) - f(*inputs)) / h)
    return slopes


def _forward_not_put_back(
    f: Callable[..., float], inputs: Sequence[float], h: float
) -> list[float]:
    moved, slopes = list(inputs), []
    for k in range(len(moved)):
        before = f(*moved)
        moved[k] += h
        slopes.append((f(*moved) - before) / h)
    return slopes


def _same_list(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    moved = list(inputs)
    return [(f(*moved) - f(*moved)) / (2 * h) for _ in inputs]


def _own_steps(f: Callable[..., float], inputs: Sequence[float], _h: float) -> list[float]:
    return _gradient(f, inputs, TINY)


def _first_alone(f: Callable[..., float], inputs: Sequence[float], h: float) -> list[float]:
    return _gradient(f, inputs, h)[:1]


def _sum_of_all(f: Callable[..., float], inputs: Sequence[float], h: float) -> float:
    return math.fsum(_gradient(f, inputs, h))


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
        judge=_judge_two_readings,
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
        suspects=CENTRAL_SUSPECTS,
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
        suspects=(
            Suspect(
                _all_at_once,
                "all at once",
                "For {case} it gives {got}: all inputs moved together. Move one, and leave the "
                "others where they are.",
            ),
            Suspect(
                _not_put_back,
                "not put back",
                "For {case} it gives {got}: an input that was moved has to go back to its place "
                "before the next one moves.",
            ),
            Suspect(
                _forward_not_put_back,
                "not put back",
                "For {case} it gives {got}: an input that was moved has to go back to its place "
                "before the next one moves.",
            ),
            Suspect(
                _forward_each,
                "forward",
                "For {case} it gives {got}: these are forward differences. Step to both sides.",
            ),
            Suspect(
                _same_list,
                "same list",
                "For {case} it gives {got}: up and down are the same list. `a = inputs` makes a "
                "second name, and `list(inputs)` makes a copy.",
            ),
            Suspect(
                _own_steps,
                "own step",
                "For {case} it gives {got}, as with a tiny step: it takes a step of its own. Use "
                "the h that is given.",
            ),
            Suspect(
                _first_alone,
                "first alone",
                "For {case} it gives {got}. Each input has a derivative: does a return stand "
                "inside the loop?",
            ),
            Suspect(
                _sum_of_all,
                "added up",
                "For {case} it gives {got}: the derivatives are added up. Keep them apart, in a "
                "list.",
            ),
        ),
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
