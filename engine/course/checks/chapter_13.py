"""The exercises of chapter 13: softmax, its loss, and RMSNorm.

>>> [exercise.name for exercise in EXERCISES]
['13.1', '13.2', '13.3', '13.4', '13.5']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.constants import Literal
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    all_of,
    among,
    number,
    numbers,
    one_of,
)
from engine.course.checks.plain import Calculation, in_words
from engine.gpt import rmsnorm, softmax
from engine.text import number_text
from engine.value import Value

# 13.1: the powers of the three scores, and which of them is the right one.
POWERS = {"a": 12.0, "b": 5.0, "c": 3.0}
RIGHT_ONE = "b"
# 13.2: the gradient that the right one is to have.
WANTED = -0.2
EPSILON = 1e-5
LITERAL, NODE = "literal", "node"


# 13.1


def guess() -> dict[str, float]:
    """The engine's answers to 13.1: probabilities, and gradients of the scores.

    >>> found = guess()
    >>> abs(found["a.grad"] + found["b.grad"] + found["c.grad"]) < 1e-12
    True
    """
    scores = {name: Value(math.log(power)) for name, power in POWERS.items()}
    probabilities = dict(zip(POWERS, softmax(list(scores.values())), strict=True))
    (-probabilities[RIGHT_ONE].log()).backward()
    found = {f"p_of_{name}": p.data for name, p in probabilities.items()}
    return found | {f"{name}.grad": score.grad for name, score in scores.items()}


def _guess_slips(name: str) -> Iterable[WrongNumber]:
    """What known mistakes lead to for one number of 13.1."""
    right = guess()
    if name.startswith("p_of_"):
        letter = name[-1]
        scores = {key: math.log(power) for key, power in POWERS.items()}
        yield WrongNumber(
            POWERS[letter], "not divided", "That is its power. Divide it by the total of all three."
        )
        yield WrongNumber(
            scores[letter] / sum(scores.values()),
            "scores divided",
            "That divides the scores themselves. First take exp of each.",
        )
        yield WrongNumber(
            POWERS[letter] / (sum(POWERS.values()) - POWERS[letter]),
            "own power forgotten",
            "That divides by the powers of the others. The total holds all three.",
        )
        yield WrongNumber(
            POWERS[letter] / max(POWERS.values()),
            "divided by the largest",
            "That divides by the largest power. Probabilities add up to one: divide by the total.",
        )
        return
    letter = name[0]
    probability = right[f"p_of_{letter}"]
    if letter == RIGHT_ONE:
        yield WrongNumber(
            probability,
            "one-hot forgotten",
            "That is its probability. This one was the right one: something has to be taken off.",
        )
        yield WrongNumber(
            -1.0,
            "one path",
            "That is the path through its own power alone. The score is in the total too.",
        )
        yield WrongNumber(
            -1 / probability,
            "of the probability",
            "That is the gradient of the probability. Asked for is that of the score.",
        )
        yield WrongNumber(
            1 - probability,
            "sign",
            "The size is right. Should this score rise or fall to make the loss smaller?",
        )
        return
    yield WrongNumber(
        0.0,
        "no path",
        "The score of a wrong one is in the total, and so it moves the loss.",
    )
    yield WrongNumber(
        probability - 1,
        "taken for the right one",
        "That would be so if this one were the right one.",
    )
    yield WrongNumber(
        -probability,
        "sign",
        "The size is right. Should this score rise or fall to make the loss smaller?",
    )


def _judge_guess(answer: dict[str, float]) -> Finding | None:
    for name, right in guess().items():
        found = among(answer[name], right, *_guess_slips(name), tolerance=1e-5, name=name)
        if found:
            return found
    return None


# 13.2


def _judge_scores(answer: dict[str, float]) -> Finding | None:
    scores = [Value(answer[name]) for name in POWERS]
    try:
        (-softmax(scores)[0].log()).backward()
    except (ArithmeticError, ValueError):
        return Finding("no number", "There is no loss for these scores. Take less extreme ones.")
    first, *others = (score.grad for score in scores)
    yours = f"With these scores, a.grad is {number_text(first)}"
    if answer == dict.fromkeys(answer, answer["a"]):
        return Finding("all equal", f"{yours}: three equal scores make three equal probabilities.")
    if not math.isclose(*others, rel_tol=1e-4):
        listed = " and ".join(map(number_text, others))
        return Finding("others differ", f"b.grad and c.grad are {listed}: they should be equal.")
    if math.isclose(first, WANTED, rel_tol=1e-2):
        return None
    if answer["a"] < answer["b"]:
        return Finding(
            "wrong way", f"{yours}: the right one has the smallest score. How sure should it be?"
        )
    if first < WANTED:
        return Finding("too unsure", f"{yours}: the guess is not sure enough.")
    return Finding("too sure", f"{yours}: the guess is too sure, hardly anything is left to learn.")


# 13.3 and 13.4: lists of Values made from lists of Values.


def _seen(arguments: tuple[Any, ...], result: Any) -> Any:
    """The data of each result, and the gradient of each input.

    Each result counts differently, so that no mistake can cancel out.
    """
    if not isinstance(result, list | tuple) or not all(isinstance(r, Value) for r in result):
        return result
    (leaves,) = arguments
    seen: dict[str, Any] = {"results": [each.data for each in result]}
    if result:
        weighed = [each * place for place, each in enumerate(result, start=2)]
        sum(weighed[1:], weighed[0]).backward()
    return seen | {f"gradient of {leaf.label}": leaf.grad for leaf in leaves}


def _list_of_values(answer: Any) -> Finding | None:
    if isinstance(answer, dict) and "results" in answer:
        return None
    if isinstance(answer, Calculation):
        return Finding("one number", f"it gives {in_words(answer)}, and should give a list.")
    if isinstance(answer, list | tuple) and any(isinstance(member, float) for member in answer):
        return Finding(
            "no record",
            "there are plain numbers in its list, so no gradient can flow. Calculate with the "
            "Values.",
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a list of Values.")


def _leaves(*data: float) -> Case:
    words = f"the numbers {', '.join(map(number_text, data))}"
    return Case(words, lambda: ([Value(each, f"x{k}") for k, each in enumerate(data)],))


def _total(values: Sequence[Value]) -> Value:
    return sum(values[1:], values[0])


def _divided(powers: Sequence[Value]) -> list[Value]:
    total = _total(powers)
    return [power / total for power in powers]


def _without(off: Callable[[Sequence[Value]], float]) -> Callable[[Sequence[Value]], list[Value]]:
    """A softmax that takes some number off the scores, as a constant."""

    def function(scores: Sequence[Value]) -> list[Value]:
        constant = off(scores)
        return _divided([(score - constant).exp() for score in scores])

    return function


def _largest(scores: Sequence[Value]) -> float:
    return max(score.data for score in scores)


def _powers(scores: Sequence[Value]) -> list[Value]:
    largest = _largest(scores)
    return [(score - largest).exp() for score in scores]


def _scaled(scores: Sequence[Value]) -> list[Value]:
    largest = _largest(scores)
    return _divided([(score / largest).exp() for score in scores])


SOFTMAX_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            lambda scores: _divided([score.exp() for score in scores]),
            "not stable",
            "Large powers do not fit, and tiny ones become a zero total. Take the largest score "
            "off first.",
        ),
        (
            _without(lambda scores: scores[0].data),
            "first taken off",
            "You take off the first score, and a later one may be far larger.",
        ),
        (
            _without(lambda scores: min(score.data for score in scores)),
            "smallest taken off",
            "You take off the smallest score, or each one in turn: then the largest is still far "
            "too large for exp. Take the largest off all of them.",
        ),
        (
            _without(lambda scores: sum(score.data for score in scores) / len(scores)),
            "mean taken off",
            "You take off the mean, and the largest score may be far above it.",
        ),
        (
            lambda scores: [power / _total(_powers(scores)).data for power in _powers(scores)],
            "total is a constant",
            "The results are right and the gradients are not: the total is used as a plain number, "
            "and the path through it is cut.",
        ),
        (_powers, "not divided", "These are the powers. They do not add up to one yet."),
        (
            lambda scores: [Value(each.data) for each in softmax(scores)],
            "record lost",
            "The results are right, and no gradient reaches the scores: the record was lost on the "
            "way, with .data.",
        ),
        (
            _scaled,
            "divided by the largest",
            "You divide by the largest score. That is a temperature; take the score off instead.",
        ),
    )
)


# 13.4


def _normed(
    mean: Callable[[Sequence[Value]], Value],
    scale: Callable[[Value], Value],
) -> Callable[[Sequence[Value]], list[Value]]:
    """A norm from a mean of the numbers and from what is made of that mean."""

    def function(values: Sequence[Value]) -> list[Value]:
        factor = scale(mean(values))
        return [each * factor for each in values]

    return function


def _mean_square(values: Sequence[Value]) -> Value:
    return _total([each * each for each in values]) / len(values)


def _root_below(mean_square: Value) -> Value:
    return (mean_square + EPSILON) ** -0.5


def _mean(values: Sequence[Value]) -> Value:
    return _total(values) / len(values)


def _centered(values: Sequence[Value]) -> list[Value]:
    mean = _mean(values)
    return rmsnorm([each - mean for each in values])


def _square_of_the_mean(values: Sequence[Value]) -> Value:
    mean = _mean(values)
    return mean * mean


RMSNORM_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            _normed(_square_of_the_mean, _root_below),
            "square of the mean",
            "That is with the square of the mean. First square each number, then take the mean.",
        ),
        *(
            (
                _normed(_mean, scale),
                "not squared",
                "It divides by a mean of the numbers themselves. First square each number, then "
                "take the mean.",
            )
            for scale in (
                _root_below,
                lambda mean: 1 / (mean + EPSILON) ** 0.5,
                lambda mean: (mean + EPSILON) ** -1,
            )
        ),
        (
            _normed(_mean_square, lambda mean: mean**-0.5),
            "no epsilon",
            "Something small has to be added inside the root, so that nothing is divided by zero.",
        ),
        (
            _normed(_mean_square, lambda mean: 1 / (mean**0.5 + EPSILON)),
            "epsilon outside",
            "Epsilon is added to the root. It belongs inside, to the mean square.",
        ),
        (
            _normed(lambda values: _mean_square(values) * len(values), _root_below),
            "sum of squares",
            "It divides by the root of the sum of the squares. Take their mean.",
        ),
        (
            _normed(_mean_square, lambda mean: (mean + EPSILON) ** -1),
            "no root",
            "It divides by the mean square itself. The root of it has the size of the numbers.",
        ),
        (
            _normed(_mean_square, lambda mean: (mean + EPSILON) ** 0.5),
            "multiplied",
            "It multiplies by the root. The numbers have to be divided by it.",
        ),
        (
            lambda values: [each * _root_below(_mean_square(values)).data for each in values],
            "scale is a constant",
            "The results are right and the gradients are not: the scale is used as a plain number, "
            "but each number of the list moves it.",
        ),
        (
            lambda values: [each * _root_below(each * each) for each in values],
            "each by itself",
            "Each number is divided by its own size. All of them share one scale.",
        ),
        (
            _centered,
            "mean taken off",
            "It takes the mean off first. That is another norm; this one only divides.",
        ),
    )
)


# 13.5: numbers that are computed from the inputs, and whether a gradient passes through them.

CONSTANTS = ("largest", "first", "total", "scale", "mean square")
SCORES = (0.7, -1.3, 2.4)


def _gradient_through(name: str) -> float:
    """The gradient of a number of 13.5, when it is a node of its own with the right data."""
    leaves = [Value(score) for score in SCORES]
    powers = [score.exp() for score in leaves]
    mean_square = _mean_square(leaves).data
    held = Value(
        {
            "largest": max(SCORES),
            "first": SCORES[0],
            "total": _total(powers).data,
            "scale": (mean_square + EPSILON) ** -0.5,
            "mean square": mean_square,
        }[name]
    )
    if name in ("largest", "first"):
        output = -_divided([(score - held).exp() for score in leaves])[0].log()
    elif name == "total":
        output = -(powers[0] / held).log()
    else:
        scale = held if name == "scale" else (held + Literal(EPSILON, "epsilon")) ** -0.5
        output = leaves[0] * scale
    output.backward()
    return held.grad


def literals() -> dict[str, str]:
    """The right answers to 13.5, measured by the gradient that each number would hand on.

    >>> literals()["largest"]
    'literal'
    """
    return {name: LITERAL if abs(_gradient_through(name)) < 1e-9 else NODE for name in CONSTANTS}


LITERAL_SLIPS = {
    "total": "The total is as far from a constant as it can be: it holds every score. The chapter "
    "shows what is missing when its path is cut.",
    "scale": "All numbers of the list are in the scale. Move one, and all results move.",
    "mean square": "The scale is made of it. What would become of the path through the scale?",
    "largest": "Take any number off all scores, and the probabilities stay. So its gradient is "
    "zero, whatever it is.",
    "first": "It need not be the largest: any number that is taken off all scores cancels.",
}


def _judge_literals(answer: dict[str, str]) -> Finding | None:
    right = literals()
    wrong = [name for name in LITERAL_SLIPS if answer[name] != right[name]]
    if not wrong:
        return None
    seen = f"{len(right) - len(wrong)} of {len(right)} are right."
    return Finding(wrong[0], f"{seen} {wrong[0]}: {LITERAL_SLIPS[wrong[0]]}")


EXERCISES = (
    AnswerExercise(
        name="13.1",
        title="Probabilities and pushes",
        shape=numbers(*guess()),
        judge=_judge_guess,
        right="Probabilities minus one-hot, and together the pushes are zero.",
        hints=(
            "exp undoes log: the powers are the numbers inside the logarithms.",
            "Each probability is a power, divided by the total of the powers.",
            "The gradients: probabilities minus one-hot. Which one was the right one?",
        ),
    ),
    AnswerExercise(
        name="13.2",
        title="Scores for a wanted gradient",
        shape=all_of(POWERS, number),
        judge=_judge_scores,
        right="A gradient tells how sure the guess was, and the scores decide it.",
        hints=(
            "Which probability has the right one, if its gradient is its probability minus 1?",
            "The other two share the rest evenly, so their scores are equal. Write down all three "
            "probabilities.",
            "Softmax takes exp of the scores. So the logarithms of the probabilities are scores "
            "that fit: math.log helps.",
        ),
    ),
    FunctionExercise(
        name="13.3",
        title="Write a softmax that cannot overflow",
        cases=(
            _leaves(0.7, -1.3, 2.4),
            _leaves(1000.0, 999.0),
            _leaves(-1000.0, -1001.5, -1000.5),
            _leaves(800.0, 0.0),
            _leaves(0.0, 1000.0),
            _leaves(1000.0, -1000.0, -1000.0, 900.0),
        ),
        reference=softmax,
        shape=_list_of_values,
        observe=_seen,
        suspects=SOFTMAX_SUSPECTS,
        forbidden={"engine.gpt.softmax"},
        right="Whatever the size of the scores: the largest power is one, and nothing overflows.",
        hints=(
            "Four lines: the largest score, the powers, their total, the quotients.",
            "Maximum(scores) is the largest score as a literal. Take it off each score before exp.",
            "The total is a Value too: add the powers with sum(...), and divide without .data.",
        ),
    ),
    FunctionExercise(
        name="13.4",
        title="Write RMSNorm",
        cases=(
            _leaves(1.0, 7.0),
            _leaves(0.5, -1.5, 2.0),
            _leaves(0.003, -0.002),
            _leaves(0.0, 0.0),
        ),
        reference=rmsnorm,
        shape=_list_of_values,
        observe=_seen,
        suspects=RMSNORM_SUSPECTS,
        forbidden={"engine.gpt.rmsnorm"},
        right="One shared scale, and every number of the list has two ways to every result.",
        hints=(
            "Read the name from its end: square, then mean, then root. Then divide.",
            "The mean square is the sum of each number times itself, divided by len(...).",
            "Add 1e-5 to the mean square, and ** -0.5 is one over the root. Multiply each number "
            "by that.",
        ),
    ),
    AnswerExercise(
        name="13.5",
        title="Literal or node?",
        shape=all_of(CONSTANTS, one_of(LITERAL, NODE)),
        judge=_judge_literals,
        right="A literal where the gradient is zero for every input, and nowhere else.",
        hints=(
            "For each of them ask: if this number alone were a little larger, would the result "
            "change?",
            "What is taken off all scores alike cancels. What divides only the results does not.",
            "Try it: make the number a Value of its own, walk back, and look at its gradient.",
        ),
    ),
)
