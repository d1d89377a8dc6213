"""The exercises of chapter 08: checks that can fail, and checks that cannot.

>>> [exercise.name for exercise in EXERCISES]
['08.1', '08.2', '08.3', '08.4', '08.5', '08.6', '08.7', '08.8']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.course import puzzles
from engine.course.checks import mixed_test
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    fields,
    number,
    one_of,
)
from engine.gradcheck import (
    GradientCheckResult,
    Verdict,
    gradient_check,
    gradient_check_by_step,
)
from engine.measuring import relative_error
from engine.text import number_text
from engine.value import Value

# 08.3: where the steep function is checked.
STEEP_AT = 0.0005
# 08.4: points at which different formulas give different numbers.
UGLY_POINTS = ((0.7, -1.3), (-1.3, 2.4))
# 08.5: the reasons to choose from; the first one is right.
REASONS = (
    "both are zero",
    "the point is on a kink",
    "the step is too small",
    "the inputs are equal",
)
NO_NUMBER = Finding(
    "no number", "Nothing can be calculated there. Try a point that is less extreme."
)


def steep(x: Value) -> Value:
    """The function of 08.3."""
    return (x * 1000).tanh()


def neuron(x: Value, w: Value) -> Value:
    """The function of 08.5."""
    return (x * w - 1).relu()


# 08.1

Size = Callable[[float, float], float]


def _distance(first: float, second: float) -> float:
    return abs(first - second)


def _over(size: Size, guarded: bool, signed: bool = False) -> Callable[[float, float], float]:
    """A relative error that divides by some size, with or without a look at zero."""

    def error(first: float, second: float) -> float:
        distance = first - second if signed else abs(first - second)
        return 0.0 if guarded and size(first, second) == 0.0 else distance / size(first, second)

    return error


def _larger(first: float, second: float) -> float:
    return max(abs(first), abs(second))


def _with_a_tiny_number(first: float, second: float) -> float:
    return abs(first - second) / (_larger(first, second) + 1e-8)


def _twice(size: Size, kind: str, words: str, signed: bool = False) -> tuple[Suspect, ...]:
    return tuple(
        Suspect(_over(size, guarded, signed), kind, f"For {{case}} it gives {{got}}: {words}")
        for guarded in (True, False)
    )


ERROR_SUSPECTS = (
    Suspect(
        _distance,
        "not divided",
        "For {case} it gives {got}. That is the distance; compare it with the size of the numbers.",
    ),
    Suspect(
        _over(_larger, guarded=False),
        "zero by zero",
        "For {case} it stops with {got}. Two zeros agree perfectly: look for them before dividing.",
    ),
    *_twice(_larger, "sign", "an error has a size, and no sign.", signed=True),
    *_twice(max, "size of a negative", "the size of a negative number is its distance from zero."),
    *_twice(
        lambda first, second: abs(first),
        "the first alone",
        "it divides by the first number, whichever is larger. Exchange the two, and the error "
        "should stay as it is.",
    ),
    *_twice(
        lambda first, second: first,
        "the first alone",
        "it divides by the first number, whichever is larger, and its sign counts too.",
    ),
    *_twice(
        lambda first, second: abs(second),
        "the second alone",
        "it divides by the second number, whichever is larger. Exchange the two, and the error "
        "should stay as it is.",
    ),
    *_twice(
        lambda first, second: min(abs(first), abs(second)),
        "the smaller",
        "it divides by the smaller size. The larger one is meant.",
    ),
    *_twice(
        lambda first, second: abs(first) + abs(second),
        "the sum",
        "it divides by the sum of the sizes. The larger one alone is meant.",
    ),
    Suspect(
        _with_a_tiny_number,
        "a number added",
        "For {case} it gives {got}: a small number below the line makes the error of tiny numbers "
        "too small.",
    ),
)


def _pair(first: float, second: float) -> Case:
    return Case(f"{number_text(first)} and {number_text(second)}", lambda: (first, second))


# 08.2


def _checked(function: Any, at: tuple[float, ...], **options: float) -> GradientCheckResult | None:
    try:
        return gradient_check(function, at, **options)
    except (ArithmeticError, ValueError):
        return None


def _judge_point(answer: float) -> Finding | None:
    result = _checked(puzzles.leaky, (answer,))
    if result is None:
        return NO_NUMBER
    verdict = result.inputs[0].verdict
    if verdict is Verdict.DIFFER:
        return None
    yours = number_text(answer)
    if verdict is Verdict.KINK:
        return Finding(
            "kink",
            f"At {yours} the check fails, but the two steps straddle the kink: it would fail for a "
            "right operation too. Go farther away.",
        )
    return Finding(
        "passes", f"At {yours} the check passes. The operation has two sides: which is left?"
    )


# 08.3


def _judge_step(answer: float) -> Finding | None:
    if answer <= 0:
        return Finding(
            "not positive", f"A step is larger than zero, and {number_text(answer)} is not."
        )
    result = _checked(steep, (STEEP_AT,), step=answer)
    if result is None:
        words = (
            f"A step of {number_text(answer)} does not move the input, or moves it out of reach."
        )
        return Finding("no move", words)
    if result.passed:
        return None
    tries = gradient_check_by_step(steep, (STEEP_AT,))
    best = min(tries, key=lambda one: (one.failures != (), one.inputs[0].relative_error)).step
    error = result.inputs[0].relative_error
    yours = f"With h = {number_text(answer)} the relative error is {error:.3g}"
    if answer > best:
        return Finding("too large", f"{yours}: within this step the curve bends too much.")
    return Finding("too small", f"{yours}: rounding has eaten the digits.")


# 08.4


def wrong_inputs() -> set[tuple[str, str]]:
    """Which inputs of which operations fail a check at ugly points.

    >>> len(wrong_inputs())
    1
    """
    return {
        (operation.__name__, checked.name)
        for operation in puzzles.EXERCISE
        for point in UGLY_POINTS
        for checked in gradient_check(operation, point).failures
    }


def _judge_planted(answer: dict[str, str]) -> Finding | None:
    wrong = wrong_inputs()
    name = answer["operation"]
    if (name, answer["input"]) in wrong:
        return None
    if name in {operation for operation, _ in wrong}:
        return Finding(
            "other input",
            f"{name} is wrong, but its local derivative for {answer['input']} agrees everywhere.",
        )
    operation = next(one for one in puzzles.EXERCISE if one.__name__ == name)
    if gradient_check(operation, (1.0, 1.0)).passed:
        return Finding("innocent", f"{name} passes wherever it is checked. It is right.")
    return Finding(
        "kink",
        f"{name} fails where its inputs are equal, since it has a kink just there. Check it at two "
        "different numbers.",
    )


# 08.5


def _judge_useless_check(answer: dict[str, Any]) -> Finding | None:
    x, w = answer["x"], answer["w"]
    result = _checked(neuron, (x, w))
    if result is None:
        return NO_NUMBER
    verdicts = {checked.verdict for checked in result.inputs}
    at = f"At x = {number_text(x)} and w = {number_text(w)}"
    if Verdict.KINK in verdicts:
        return Finding("kink", f"{at} a step straddles the kink: this check fails.")
    if verdicts != {Verdict.NOTHING}:
        return Finding(
            "can fail",
            f"{at} the ReLU is open, and the check compares real numbers: a wrong rule would be "
            "found out.",
        )
    if answer["why"] != REASONS[0]:
        return Finding(
            "reason",
            "At this point the check cannot fail. But look at its table once more: that is not the "
            "reason.",
        )
    return None


EXERCISES = (
    FunctionExercise(
        name="08.1",
        title="Write the relative error",
        cases=(
            _pair(6.0, 8.0),
            _pair(5.0, 4.0),
            _pair(1000.001, 1000.0),
            _pair(3.00001, 3.0),
            _pair(-5.0, -4.0),
            _pair(-3.0, 2.0),
            _pair(0.0, 3.0),
            _pair(2e-9, 1e-9),
            _pair(0.0, 0.0),
        ),
        reference=relative_error,
        shape=number,
        suspects=ERROR_SUSPECTS,
        forbidden={"engine.measuring.relative_error"},
        right="It judges large and tiny numbers alike, and two zeros too.",
        hints=(
            "Above the line: the distance of the two. abs() takes a sign away.",
            "Below the line: the larger of the two sizes, max(abs(first), abs(second)).",
            "Both may be zero. Then nothing can be divided, and the error is zero: an if before "
            "the division.",
        ),
    ),
    AnswerExercise(
        name="08.2",
        title="Choose a point that shows it",
        shape=number,
        judge=_judge_point,
        right="A check has to visit every branch of an operation.",
        hints=(
            "Run gradient_check(leaky, [...]) at several points.",
            "The operation does two different things. What decides which?",
            "Positive numbers are treated well. Go to the other side, well away from the kink.",
        ),
    ),
    AnswerExercise(
        name="08.3",
        title="Choose a step for a steep curve",
        shape=number,
        judge=_judge_step,
        right="A step has to be small compared with the distance over which the curve bends.",
        hints=(
            "Is the usual step too large or too small here? Try both directions.",
            "tanh bends over a distance of about one. This one gets a number that is a thousand "
            "times as large.",
            "What the usual step is for tanh, a step a thousand times smaller is here.",
        ),
    ),
    AnswerExercise(
        name="08.4",
        title="Find the planted mistake",
        shape=fields(
            operation=one_of(*(operation.__name__ for operation in puzzles.EXERCISE)),
            input=one_of("a", "b"),
        ),
        judge=_judge_planted,
        right="At equal inputs the innocent one failed, and the guilty one passed.",
        hints=(
            "The inputs of the check above are equal, and both are one. How good a point is that?",
            "Take two different, ugly numbers, and print the whole table of each check.",
            "A check that fails at equal inputs only has met a kink. Which one fails elsewhere?",
        ),
    ),
    AnswerExercise(
        name="08.5",
        title="A check that cannot fail",
        shape=fields(x=number, w=number, why=one_of(*REASONS)),
        judge=_judge_useless_check,
        right="Zero times anything is zero: no wrong local derivative can be seen there.",
        hints=(
            "When does a ReLU hand nothing on?",
            "Choose x and w so that the number inside the ReLU is well below zero.",
            "Print the check at your point: what stands in the column of the gradient, and what in "
            "the column of the central difference?",
        ),
    ),
    *mixed_test.EXERCISES,
)
