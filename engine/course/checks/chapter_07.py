"""The exercises of chapter 07: operations, and what they owe.

>>> [exercise.name for exercise in EXERCISES]
['07.1', '07.2', '07.3', '07.4', '07.5']
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Shape,
    Suspect,
    WrongNumber,
    all_of,
    among,
    numbers,
    one_of,
)
from engine.course.checks.plain import Calculation, in_words
from engine.course.checks.stand_ins import Borrowed, PlainData
from engine.own_operations import record
from engine.text import number_text
from engine.value import Value

# 07.1: the numbers of the table.
A, B, C = 3.0, -2.0, 0.5
FINE, NO_RESULT, NO_DERIVATIVE = "fine", "no result", "no derivative"
# 07.5: how far to the left and to the right a derivative is measured.
NEAR = 1e-6


# 07.1


def local_derivatives() -> dict[str, float]:
    """The engine's answers to 07.1.

    >>> local_derivatives()["a / b for a"]
    -0.5
    """
    a, b, c = Value(A), Value(B), Value(C)
    for_a, for_b = (a / b).local_derivatives
    one_each = {
        "a ** 3": a**3,
        "b.exp()": b.exp(),
        "a.log()": a.log(),
        "b.relu()": b.relu(),
        "c.tanh()": c.tanh(),
    }
    found = {name: value.local_derivatives[0] for name, value in one_each.items()}
    return {"a / b for a": for_a, "a / b for b": for_b, **found}


def _slips() -> dict[str, tuple[WrongNumber, ...]]:
    """What known mistakes lead to, for each line of the table."""
    t = math.tanh(C)
    result = "That is the result of the operation. How fast does the result change?"
    return {
        "a / b for a": (
            WrongNumber(B, "as a product", "That would be right for a product."),
            WrongNumber(A / B, "result", result),
            WrongNumber(
                -A / B**2,
                "other input",
                "That is how fast the quotient changes with the other input.",
            ),
        ),
        "a / b for b": (
            WrongNumber(A / B, "result", result),
            WrongNumber(A, "as a product", "That would be right for a product."),
            WrongNumber(
                -1 / B**2, "factor forgotten", "Above the line stands more than that: where is a?"
            ),
            WrongNumber(
                1 / B, "other input", "That is how fast the quotient changes with the other input."
            ),
            WrongNumber(-A / B, "not squared", "Below the line, b has to be squared."),
        ),
        "a ** 3": (
            WrongNumber(A**3 * 3, "exponent kept", "The exponent comes down, and it is one less."),
            WrongNumber(A**2, "factor forgotten", "The exponent also comes down as a factor."),
            WrongNumber(3 * A, "exponent lost", "What became of the exponent above a?"),
        ),
        "b.exp()": (
            WrongNumber(
                B * math.exp(B - 1), "as a power", "Here the exponent moves, and not the base."
            ),
            WrongNumber(
                B * math.exp(B),
                "times the exponent",
                "exp is its own derivative: no factor.",
            ),
            WrongNumber(1 / B, "as log", "That would be right for the logarithm."),
            WrongNumber(B, "data", "That is b itself."),
        ),
        "a.log()": (
            WrongNumber(math.log(A), "result", result),
            WrongNumber(A, "upside down", "Upside down: the logarithm gets flatter as a grows."),
        ),
        "b.relu()": (
            WrongNumber(1.0, "open", "This ReLU is closed: look at the sign of b."),
            WrongNumber(B, "data", "That is b itself."),
        ),
        "c.tanh()": (
            WrongNumber(t, "result", result),
            WrongNumber(
                1 - t, "not squared", "The result has to be squared before it is taken off."
            ),
            WrongNumber(1 - C**2, "input squared", "Not the input is squared, but the result."),
            WrongNumber(t**2, "one minus", "That is what has to be taken away from one."),
        ),
    }


def _judge_table(answer: dict[str, float]) -> Finding | None:
    slips = _slips()
    return next(
        (
            found
            for name, right in local_derivatives().items()
            if (found := among(answer[name], right, *slips[name], tolerance=1e-5, name=name))
        ),
        None,
    )


# 07.2 to 07.4: operations recorded by hand.


def _recorded(arguments: tuple[Any, ...], result: Any) -> Any:
    """The data of a recorded operation, and its local derivative for each input by name."""
    if not isinstance(result, Value) or not all(isinstance(i, PlainData) for i in result.inputs):
        return result
    if result.op == "/" and [value.label for value in result.inputs] == ["b", "a"]:
        return {"shown": "b / a"}
    slopes = dict.fromkeys([f"for {value.label}" for value in result.inputs], 0.0)
    for value, slope in zip(result.inputs, result.local_derivatives, strict=True):
        slopes[f"for {value.label}"] += slope
    return {"data": result.data, **slopes}


def _record_of(*names: str) -> Shape:
    def shape(answer: Any) -> Finding | None:
        if isinstance(answer, float):
            return Finding(
                "no record",
                f"it gives the plain number {number_text(answer)}. Give back what record makes.",
            )
        if isinstance(answer, Calculation):
            return Finding(
                "other inputs",
                "its record leads to other Values than those it was given. Record these.",
            )
        if not isinstance(answer, dict):
            return Finding("type", f"it gives {in_words(answer)}. Give back what record makes.")
        if "shown" in answer:
            return Finding(
                "order",
                "its node shows b / a: with the name '/' the order of the pairs counts. Record a "
                "first.",
            )
        forgotten = [name for name in names if f"for {name}" not in answer]
        if forgotten:
            return Finding(
                "input forgotten",
                f"the record does not know {forgotten[0]}. Each input goes in with its local "
                "derivative.",
            )
        return None

    return shape


def _one(name: str, data: Callable[[float], float], slope: Callable[[float], float]) -> Any:
    """An operation of one input, from plain functions."""
    return lambda a: record(name, data(a.data), (a, slope(a.data)))


def _two(
    data: Callable[[float, float], float],
    for_a: Callable[[float, float], float],
    for_b: Callable[[float, float], float],
) -> Any:
    """An operation of two inputs, from plain functions."""

    def operation(a: Value, b: Value) -> Value:
        x, y = a.data, b.data
        return record("divide", data(x, y), (a, for_a(x, y)), (b, for_b(x, y)))

    return operation


def _borrowed(*_values: Value) -> Value:
    raise Borrowed


BORROWED = Suspect(
    _borrowed,
    "not plain",
    "It calculates with a Value itself. Calculate with plain numbers: a.data, and functions of "
    "math.",
)
# What record says where an input and its local derivative are no pair, and what that means here.
NO_PAIR = (
    "no pair",
    "An input and its local derivative belong together in a pair, with parentheses of its own: "
    "(a, local derivative).",
)
NO_VALUE = (
    "no Value",
    "The first of a pair is the input itself, such as a, not a.data: a gradient has to find it.",
)
PAIR_ERRORS = {
    "does not have": NO_PAIR,
    "needs one or two inputs": NO_PAIR,
    "needs pairs": NO_PAIR,
    "Build it from Values": NO_VALUE,
}


def _at(*numbers_: float) -> Case:
    names = "ab"[: len(numbers_)]
    pairs = list(zip(names, numbers_, strict=True))
    words = " and ".join(f"{name} = {number_text(data)}" for name, data in pairs)
    return Case(words, lambda: tuple(PlainData(data, name) for name, data in pairs))


def _tanh_slope(x: float) -> float:
    return 1 - math.tanh(x) ** 2


def _quotient(x: float, y: float) -> float:
    return x / y


def _bell(x: float) -> float:
    return math.exp(-x * x)


def _slip(function: Any, kind: str, words: str) -> Suspect:
    return Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")


TANH_SLIPS = (
    _slip(
        _one("tanh", math.tanh, lambda x: 1 - math.tanh(x)),
        "not squared",
        "in the local derivative, the result has to be squared.",
    ),
    _slip(
        _one("tanh", math.tanh, lambda x: 1 - x * x),
        "input squared",
        "the input is squared in the local derivative. It should be the result.",
    ),
    _slip(_one("tanh", math.tanh, math.tanh), "result", "the result stands in both places."),
    _slip(
        _one("tanh", math.tanh, lambda x: 1.0),
        "no local derivative",
        "the local derivative is the same for every input. tanh is flat far out.",
    ),
    _slip(
        _one("tanh", lambda x: x, _tanh_slope), "wrong data", "the data is the input, unchanged."
    ),
    _slip(
        _one("tanh", _tanh_slope, math.tanh),
        "exchanged",
        "result and local derivative have changed places.",
    ),
    BORROWED,
)
DIVIDE_SLIPS = (
    _slip(
        _two(_quotient, lambda x, y: 1 / y, lambda x, y: x / y**2),
        "sign",
        "when b rises, does the quotient rise or fall?",
    ),
    _slip(
        _two(_quotient, lambda x, y: -x / y**2, lambda x, y: 1 / y),
        "exchanged",
        "each input has got the local derivative of the other.",
    ),
    _slip(
        _two(_quotient, lambda x, y: y, lambda x, y: x),
        "as a product",
        "these are the local derivatives of a product.",
    ),
    _slip(
        _two(_quotient, lambda x, y: 1 / y, lambda x, y: -1 / y**2),
        "factor forgotten",
        "the local derivative for b lacks a factor. Does a play no part?",
    ),
    _slip(
        _two(_quotient, lambda x, y: 1 / y, lambda x, y: -x / y),
        "not squared",
        "in the local derivative for b, something below the line has to be squared.",
    ),
    _slip(
        _two(lambda x, y: y / x, lambda x, y: 1 / y, lambda x, y: -x / y**2),
        "upside down",
        "the data is b / a.",
    ),
    BORROWED,
)
BELL_SLIPS = (
    _slip(
        _one("bell", _bell, _bell),
        "chain forgotten",
        "the local derivative looks at the exponential only. What stands inside it moves too, and "
        "not as fast as a.",
    ),
    _slip(
        _one("bell", _bell, lambda x: 2 * x * _bell(x)),
        "sign",
        "to the right of the middle, does the bell rise or fall?",
    ),
    _slip(
        _one("bell", _bell, lambda x: -2 * x),
        "outside forgotten",
        "the local derivative is that of the inside alone. Multiply it by that of exp.",
    ),
    _slip(
        _one("bell", _bell, lambda x: -x * _bell(x)),
        "factor forgotten",
        "how fast does the square of a change?",
    ),
    _slip(
        _one("bell", _bell, lambda x: _bell(-2 * x)),
        "inside replaced",
        "the derivative of the inside stands inside exp. It is a factor in front of it.",
    ),
    _slip(
        _one("bell", lambda x: math.exp(x * x), lambda x: 2 * x * math.exp(x * x)),
        "wrong data",
        "that is exp of a squared, without the minus. In Python, (-a) ** 2 loses it.",
    ),
    BORROWED,
)


# 07.5

ATTEMPTS: dict[str, tuple[Callable[[Value], Value], float]] = {
    "5 / 0": (lambda x: 5 / x, 0.0),
    "log(0)": (lambda x: x.log(), 0.0),
    "(-8) ** 3": (lambda x: x**3, -8.0),
    "(-8) ** 0.5": (lambda x: x**0.5, -8.0),
    "0 ** 0.5": (lambda x: x**0.5, 0.0),
    "relu(0)": (lambda x: x.relu(), 0.0),
    "exp(800)": (lambda x: x.exp(), 800.0),
    "exp(-800)": (lambda x: x.exp(), -800.0),
}


def what_happens(operation: Callable[[Value], Value], at: float) -> str:
    """Try an operation at a number and on both sides of it.

    Args:
        operation: of one Value.
        at: the number.

    >>> what_happens(lambda x: x.relu(), 0.0), what_happens(lambda x: x.relu(), 2.0)
    ('no derivative', 'fine')
    """
    try:
        here = operation(Value(at)).data
    except (ArithmeticError, ValueError):
        return NO_RESULT
    try:
        left = (here - operation(Value(at - NEAR)).data) / NEAR
        right = (operation(Value(at + NEAR)).data - here) / NEAR
    except (ArithmeticError, ValueError):
        return NO_DERIVATIVE
    return FINE if math.isclose(left, right, rel_tol=1e-3, abs_tol=1e-3) else NO_DERIVATIVE


def _judge_attempts(answer: dict[str, str]) -> Finding | None:
    right = {name: what_happens(*attempt) for name, attempt in ATTEMPTS.items()}
    wrong = {(right[name], answer[name]) for name in ATTEMPTS if answer[name] != right[name]}
    if not wrong:
        return None
    count = sum(answer[name] == right[name] for name in ATTEMPTS)
    seen = f"{count} of {len(ATTEMPTS)} are right."
    if any(is_right == NO_RESULT for is_right, _ in wrong):
        return Finding(
            "not refused",
            f"{seen} There is one with no result at all that you call something else. Try them: "
            "the engine refuses such a number at once.",
        )
    if any(is_right == FINE for is_right, _ in wrong):
        return Finding(
            "too careful",
            f"{seen} One is fine, result and derivative, and you do not trust it. A result may be "
            "as small as it likes.",
        )
    return Finding(
        "no derivative",
        f"{seen} There is one with a result whose curve has a kink or stands upright just there.",
    )


EXERCISES = (
    AnswerExercise(
        name="07.1",
        title="Seven local derivatives",
        shape=numbers(*local_derivatives()),
        judge=_judge_table,
        right="Each of them can be measured, if you forget one.",
        hints=(
            "The table of the chapter has a formula for each of them.",
            "Mind which number stands for a and which for b. b is negative: what does the ReLU do?",
            "Let Python calculate: math has exp and tanh. For tanh, begin with its result.",
        ),
    ),
    FunctionExercise(
        name="07.2",
        title="Write tanh",
        cases=(_at(0.5), _at(-1.2), _at(2.0)),
        reference=_one("tanh", math.tanh, _tanh_slope),
        shape=_record_of("a"),
        observe=_recorded,
        suspects=TANH_SLIPS,
        errors=PAIR_ERRORS,
        mistakes="""
times its gradient | = _one("tanh", math.tanh, lambda x: 0.0)
    the local derivative is 0. A gradient has not arrived yet when the operation is recorded.
""",
        given=globals(),
        right="One node that knows its result and its slope: the walk needs no more.",
        hints=(
            "record takes a name, the result, and a pair of the input and its local derivative.",
            "The result is math.tanh(a.data). Keep it under a name: you need it twice.",
            "The pair is (a, local derivative), with the formula from the last line of the table.",
        ),
    ),
    FunctionExercise(
        name="07.3",
        title="Write a division",
        cases=(_at(3.0, -2.0), _at(-1.5, 0.8), _at(6.0, 2.5)),
        reference=_two(_quotient, lambda x, y: 1 / y, lambda x, y: -x / y**2),
        shape=_record_of("a", "b"),
        observe=_recorded,
        suspects=DIVIDE_SLIPS,
        errors=PAIR_ERRORS,
        right="Two inputs, two local derivatives, and one of them has a minus sign.",
        hints=(
            "record takes one pair for each input: record(name, result, (a, ...), (b, ...)).",
            "If a rises by a little, the quotient rises by that, divided by b.",
            "For b use the table: there is a minus sign, a above the line, and b squared below it.",
        ),
    ),
    FunctionExercise(
        name="07.4",
        title="A bell, with a chain inside",
        cases=(_at(0.7), _at(-1.2), _at(0.3)),
        reference=_one("bell", _bell, lambda x: -2 * x * _bell(x)),
        shape=_record_of("a"),
        observe=_recorded,
        suspects=BELL_SLIPS,
        errors=PAIR_ERRORS,
        tolerance=1e-12,
        right="Even inside one node it is the chain rule: inner slope times outer slope.",
        hints=(
            "Two things happen: a becomes the negative of its square, and exp is taken of that.",
            "The chain: how fast the inside changes with a, times how fast exp changes.",
            "exp is its own derivative. Minus a squared changes -2 * a times as fast as a.",
        ),
    ),
    AnswerExercise(
        name="07.5",
        title="Where operations fail",
        shape=all_of(ATTEMPTS, one_of(FINE, NO_RESULT, NO_DERIVATIVE)),
        judge=_judge_attempts,
        right="No result: refused at once. No derivative: the engine writes a zero, by choice.",
        hints=(
            "Guess first; then try each of them with a Value.",
            "No result: division by zero, log of zero, roots of negative numbers, overflow.",
            "Two have a result and no derivative. The chapter has a section about just these two.",
        ),
    ),
)
