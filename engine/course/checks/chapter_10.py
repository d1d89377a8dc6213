"""The exercises of chapter 10: steps, loops, and what goes wrong in them.

>>> [exercise.name for exercise in EXERCISES]
['10.1', '10.2', '10.3', '10.4', '10.5', '10.6']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    all_of,
    among,
    numbers,
    one_of,
)
from engine.course.checks.plain import Calculation, in_words
from engine.course.checks.stand_ins import Borrowed
from engine.text import number_text
from engine.value import Parameter, Value

Loss = Callable[[Value], Value]

# 10.1: where the step begins, and its learning rate.
STEP_START, STEP_RATE = 1.0, 0.01
# 10.2: the same for the loop that does not clear, which prints as many lines.
LOOP_START, LOOP_RATE, LOOP_STEPS = 0.0, 0.1, 3
# 10.5: where every descent begins, and the learning rates to judge.
RATES_START, RATES_STEPS = 0.0, 30
RATES = ("0.01", "0.1", "0.2", "0.24", "0.26", "0.5")
ONE_SIDE, BOTH_SIDES, DIVERGES = "one side", "both sides", "diverges"
# 10.6: the lines of the loop.
FORWARD, CLEAR, WALK, MOVE = LINES = ("forward", "clear", "walk", "move")


def step_loss(w: Value) -> Value:
    """The loss of 10.1."""
    return (w * 4 - 2) ** 2


def loop_loss(w: Value) -> Value:
    """The loss of 10.2."""
    return (w - 4) ** 2


def rates_loss(w: Value) -> Value:
    """The loss of 10.5."""
    return (w * 2 - 6) ** 2


def chapter_loss(w: Value) -> Value:
    """The loss of the chapter."""
    return (w * 3 - 6) ** 2


def slope(loss_of: Loss, at: float) -> float:
    """The gradient of a loss of one parameter.

    Args:
        loss_of: makes the loss.
        at: the parameter's number.

    >>> slope(chapter_loss, 0.0)
    -36.0
    """
    w = Parameter(at)
    loss_of(w).backward()
    return w.grad


def descent(
    loss_of: Loss,
    start: float,
    rate: float,
    steps: int,
    *,
    kept: float = 0.0,
    direction: float = -1.0,
) -> list[tuple[float, float]]:
    """Descend, and tell the place and the gradient before each step, and the place at the end.

    Args:
        loss_of: makes the loss.
        start: where to begin.
        rate: the learning rate.
        steps: how many.
        kept: how much of the old gradient stays: 1 if nobody clears.
        direction: -1 is down.

    >>> [round(w, 4) for w, _ in descent(chapter_loss, 0.0, 0.02, 2)]
    [0.0, 0.72, 1.1808]
    """
    places, w, gradient = [], start, 0.0
    for _ in range(int(steps)):
        gradient = kept * gradient + slope(loss_of, w)
        places.append((w, gradient))
        w += direction * rate * gradient
    return [*places, (w, gradient)]


# 10.1


def one_step() -> dict[str, float]:
    """The engine's answers to 10.1."""
    gradient = slope(step_loss, STEP_START)
    after = STEP_START - STEP_RATE * gradient
    return {"gradient": gradient, "w": after, "loss": step_loss(Value(after)).data}


def _slip(number_: float, kind: str, words: str) -> WrongNumber:
    """A known mistake; two braces in its words stand for the number it leads to."""
    return WrongNumber(number_, kind, words.format(number_text(number_)))


def _judge_step(answer: dict[str, float]) -> Finding | None:
    right = one_step()
    gradient, before = right["gradient"], step_loss(Value(STEP_START)).data
    inner = math.sqrt(before)
    slips = {
        "gradient": (
            _slip(
                2 * inner,
                "chain forgotten",
                "{} is how fast the square changes with what stands inside. And the inside with w?",
            ),
            _slip(gradient / 2, "square forgotten", "The square changes twice as fast as that."),
            _slip(before, "loss", "{} is the loss itself."),
        ),
        "w": (
            _slip(
                STEP_START + STEP_RATE * gradient,
                "uphill",
                "{} is a step to where the loss grows. Go against the gradient.",
            ),
            _slip(
                STEP_START - gradient,
                "rate forgotten",
                "{} is far too far away: the step lacks a factor.",
            ),
            _slip(
                STEP_RATE * gradient,
                "step alone",
                "{} is how far w moves. Asked for is where it is afterward.",
            ),
            _slip(
                -STEP_RATE * gradient,
                "step alone",
                "{} is how far w moves. Asked for is where it is afterward.",
            ),
            _slip(STEP_START, "not moved", "{} is where w was before."),
        ),
        "loss": (
            _slip(before, "before", "{} is the loss before the step."),
            _slip(
                before - STEP_RATE * gradient**2,
                "predicted",
                "{} is what the gradient predicts. The slope changes on the way: calculate the "
                "loss again.",
            ),
            _slip(
                right["w"] * 4 - 2,
                "not squared",
                "{} is how far the answer is off. The loss is its square.",
            ),
        ),
    }
    return next(
        (
            found
            for name, number_ in right.items()
            if (found := among(answer[name], number_, *slips[name], name=name))
        ),
        None,
    )


# 10.2


def _uncleared() -> list[tuple[float, float]]:
    return descent(loop_loss, LOOP_START, LOOP_RATE, LOOP_STEPS, kept=1.0)


PRINTED = tuple(f"step {k}" for k in range(LOOP_STEPS))


def _judge_uncleared(answer: dict[str, float]) -> Finding | None:
    cleared = descent(loop_loss, LOOP_START, LOOP_RATE, LOOP_STEPS)
    for k, (place, held) in enumerate(_uncleared()[:LOOP_STEPS]):
        clean = [gradient for _, gradient in cleared[: k + 1]]
        found = among(
            answer[PRINTED[k]],
            held,
            _slip(
                clean[-1],
                "cleared",
                "{} is what a loop prints that clears. Here the leaf still holds what arrived in "
                "the steps before.",
            ),
            _slip(
                slope(loop_loss, place),
                "slope alone",
                "{} is the slope where w is now. What did the leaf hold before the walk?",
            ),
            _slip(
                sum(clean),
                "other places",
                "The gradients add up, but these are the gradients of a loop that clears. Here w "
                "goes to other places.",
            ),
            _slip(place, "data", "{} is w, not its gradient."),
            name=PRINTED[k],
        )
        if found:
            return found
    return None


# 10.3


def flat_loss(w: Value) -> Value:
    """A loss that is lowest at -1.5."""
    return w * w + w * 3


def _path(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    return [place for place, _ in descent(loss_of, start, rate, steps)]


def _first_gradient_only(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    gradient = slope(loss_of, start)
    return [start - rate * gradient * k for k in range(int(steps) + 1)]


def _first_gradient_again(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    """The walk goes back from one loss, and adds its gradient in each step."""
    gradient = slope(loss_of, start)
    return [start - rate * gradient * k * (k + 1) / 2 for k in range(int(steps) + 1)]


def _losses(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    return [loss_of(Value(place)).data for place in _path(loss_of, start, rate, steps)]


def _placed_at_its_step(direction: float) -> Callable[[Loss, float, float, int], list[float]]:
    def places(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
        path = [start]
        for _ in range(int(steps)):
            path.append(direction * rate * slope(loss_of, path[-1]))
        return path

    return places


def _moved_before_the_walk(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    places, gradient = [start], 0.0
    for _ in range(int(steps)):
        before = places[-1]
        places.append(before - rate * gradient)
        gradient = slope(loss_of, before)
    return places


LOOP_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (
            lambda loss_of, start, rate, steps: [
                w for w, _ in descent(loss_of, start, rate, steps, kept=1.0)
            ],
            "not cleared",
            "from the second step on it goes too far. What does the leaf still hold?",
        ),
        (
            lambda loss_of, start, rate, steps: [
                w for w, _ in descent(loss_of, start, rate, steps, direction=1.0)
            ],
            "uphill",
            "it goes to where the loss grows.",
        ),
        (
            lambda loss_of, start, _rate, steps: _path(loss_of, start, 1.0, steps),
            "rate forgotten",
            "the learning rate has no part in it.",
        ),
        (
            lambda *inputs: _path(*inputs)[1:],
            "start missing",
            "the list does not begin with the start.",
        ),
        (
            lambda *inputs: _path(*inputs)[:-1],
            "end missing",
            "the place after the last step is not in the list.",
        ),
        (
            lambda loss_of, start, _rate, steps: [start] * (int(steps) + 1),
            "not moved",
            "it never moves. Is w.data changed, and is the gradient still there when it is?",
        ),
        (
            _moved_before_the_walk,
            "moved too early",
            "it moves before it walks back, so each step uses an old gradient.",
        ),
        (
            _first_gradient_only,
            "one gradient",
            "all steps are equally long: the gradient of the start is used again and again. Make "
            "the loss anew in each step.",
        ),
        (
            _first_gradient_again,
            "one gradient, not cleared",
            "the gradient of the start is added again in each step. Make the loss anew, and clear "
            "w.grad, in each step.",
        ),
        *(
            (losses, "losses", "there are losses in the list. Keep the places: w.data.")
            for losses in (
                _losses,
                lambda *inputs: _losses(*inputs)[:-1],
                lambda loss_of, start, rate, steps: [
                    start,
                    *_losses(loss_of, start, rate, steps)[:-1],
                ],
            )
        ),
        *(
            (
                _placed_at_its_step(direction),
                "step alone",
                "w.data becomes the step itself. The step is taken off the w.data of before: -=.",
            )
            for direction in (1.0, -1.0)
        ),
    )
)


def _list_of_places(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple):
        if any(isinstance(member, Calculation) for member in answer):
            return Finding(
                "objects",
                "its list holds Values. It is the same parameter each time, and all its entries "
                "change with it. Keep the plain number w.data.",
            )
        if all(isinstance(member, float) for member in answer):
            return None
    if isinstance(answer, float):
        return Finding(
            "one number", f"it gives {number_text(answer)}. Asked for is the list of all places."
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a list of numbers.")


def _of_a_leaf(loss_of: Loss) -> Loss:
    """A loss that refuses a parameter which drags everything before it along."""

    def loss(w: Value) -> Value:
        if isinstance(w, Value) and w.op:
            raise Borrowed("w was calculated from the w of before.")
        return loss_of(w)

    return loss


def new_w_each_time(loss_of: Loss, start: float, rate: float, steps: int) -> list[float]:
    """Descent that makes a node of each step."""
    w: Value = Parameter(start)
    places = [w.data]
    for _ in range(int(steps)):
        loss_of(w).backward()
        w = w - rate * w.grad
        places.append(w.data)
    return places


def _descent_case(words: str, loss_of: Loss, start: float, rate: float, steps: int) -> Case:
    return Case(words, lambda: (_of_a_leaf(loss_of), start, rate, steps))


# 10.4


def _observed_loss(arguments: tuple[Any, ...], result: Any) -> Any:
    if not isinstance(result, Value):
        return result
    score = arguments[0]
    score.grad = 0.0
    result.backward()
    return {"loss": result.data, "gradient of the score": score.grad}


def _loss_shape(answer: Any) -> Finding | None:
    if isinstance(answer, dict) and "loss" in answer:
        return None
    if isinstance(answer, float):
        return Finding(
            "no record",
            f"it gives the plain number {number_text(answer)}. Calculate with the Value, and take "
            "its relu().",
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a Value.")


def _hinge(score: Value, label: float) -> Value:
    return (1 - score * label).relu()


HINGE_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (
            lambda score, label: (1 - score).relu(),
            "label forgotten",
            "the label has no part in it. A point of class -1 wants a low score.",
        ),
        (
            lambda score, label: (score * label + 1).relu(),
            "sign",
            "the loss is large for good scores. Something has the wrong sign.",
        ),
        (
            lambda score, label: 1 - score * label,
            "no relu",
            "nothing stops the loss at 0: a good score would be paid for getting better still.",
        ),
        (
            lambda score, label: (-(score * label)).relu(),
            "no margin",
            "it is content with any score on the right side. It should be at least 1 from 0.",
        ),
        (
            lambda score, label: 1 - (score * label).relu(),
            "relu inside",
            "relu is taken of label times score alone. Take it of what is missing.",
        ),
        (
            lambda score, label: (1 - score).relu() * label,
            "label outside",
            "the label multiplies the loss. It belongs to the score.",
        ),
        (
            lambda score, label: _hinge(score, label) ** 2,
            "squared",
            "what is missing is squared. The hinge loss takes it as it is.",
        ),
        (
            lambda score, label: Value(_hinge(score, label).data),
            "record lost",
            "the loss is right, and no gradient reaches the score. The record was lost on the way, "
            "with .data.",
        ),
    )
)


def _scored(score: float, label: float) -> Case:
    words = f"the score {number_text(score)} and the label {number_text(label)}"
    return Case(words, lambda: (Value(score, "score"), label))


# 10.5


def behavior(rate: float) -> str:
    """What a descent over the loss of 10.5 does with a learning rate.

    Args:
        rate: the learning rate.

    >>> behavior(0.01), behavior(10.0)
    ('one side', 'diverges')
    """
    distances = [
        slope(rates_loss, w)  # has the sign of the distance, and grows with it
        for w in _path(rates_loss, RATES_START, rate, RATES_STEPS)
    ]
    if abs(distances[-1]) > abs(distances[0]):
        return DIVERGES
    return ONE_SIDE if all(d * distances[0] >= 0 for d in distances) else BOTH_SIDES


def _judge_rates(answer: dict[str, str]) -> Finding | None:
    right = {rate: behavior(float(rate)) for rate in RATES}
    wrong = [(right[rate], answer[rate]) for rate in RATES if answer[rate] != right[rate]]
    if not wrong:
        return None
    seen = f"{len(RATES) - len(wrong)} of {len(RATES)} are right."
    missed = sum(is_right == DIVERGES for is_right, _ in wrong)
    if missed:
        return Finding(
            "not seen",
            f"{seen} With {'one' if missed == 1 else 'some'} of them every step ends further away "
            "than it began, and you do not say so.",
        )
    if any(said == DIVERGES for _, said in wrong):
        return Finding(
            "called diverging",
            f"{seen} You say of one that it diverges, and it comes closer in every step. A step "
            "past the goal may still be a step toward it.",
        )
    return Finding(
        "sides",
        f"{seen} Look at the first step: does it end before the goal, or past it?",
    )


# 10.6


def _the_four(answer: Any) -> Finding | None:
    if not isinstance(answer, list | tuple) or not all(isinstance(word, str) for word in answer):
        return Finding("type", 'The answer is a list of words such as ["clear", "move"].')
    unknown = [word for word in answer if word not in LINES]
    if unknown:
        return Finding("unknown", f"There is no line {unknown[0]!r}.")
    repeated = [word for word, times in Counter(answer).items() if times > 1]
    if repeated:
        return Finding("repeated", f"{repeated[0]!r} stands there twice.")
    missing = [word for word in LINES if word not in answer]
    if missing:
        return Finding("missing", f"{missing[0]!r} is missing.")
    return None


def places_in_order(order: Sequence[str], steps: int = 5) -> list[float]:
    """Where a loop gets to that has its four lines in some order.

    Args:
        order: of the lines.
        steps: how often the loop runs.

    Raises:
        LookupError: there is no loss to walk back from.

    >>> places_in_order((FORWARD, WALK, CLEAR, MOVE), steps=2)
    [0.0, 0.0, 0.0]
    """
    w, losses = Parameter(0.0), []
    places = [w.data]
    for _ in range(steps):
        for line in order:
            if line == FORWARD:
                losses.append(chapter_loss(w))
            elif line == CLEAR:
                w.grad = 0.0
            elif line == WALK:
                losses[-1].backward()
            else:
                w.data -= 0.02 * w.grad
        places.append(w.data)
    return places


def _judge_lines(order: Sequence[str]) -> Finding | None:
    try:
        places = places_in_order(order)
    except LookupError:
        return Finding(
            "no loss yet",
            "In the first round, the walk has nothing to walk back from: the loss is made later.",
        )
    if places == places_in_order((FORWARD, CLEAR, WALK, MOVE)):
        return None
    if len(set(places)) == 1:
        return Finding(
            "cleared too early",
            "This loop never moves: whenever it comes to the move, the gradient has just been "
            "cleared.",
        )
    return Finding(
        "old gradient",
        "In the first round it moves with the gradient 0, and later always with that of the round "
        "before. The move needs the gradient of its own round.",
    )


EXERCISES = (
    AnswerExercise(
        name="10.1",
        title="One step",
        shape=numbers(*one_step()),
        judge=_judge_step,
        right="A small step against the gradient, and the loss has more than halved.",
        hints=(
            "The gradient first: how fast does the square change, and how fast what is inside it?",
            "The new w is the old w minus the learning rate times the gradient.",
            "For the loss, put the new w into the formula once more.",
        ),
    ),
    AnswerExercise(
        name="10.2",
        title="What does it print?",
        shape=numbers(*PRINTED),
        judge=_judge_uncleared,
        right="The leaf collects what nobody clears, and each step goes further than it should.",
        hints=(
            "The gradient of this loss is 2 * (w - 4). The first line is like that of any loop.",
            "In the second round the new slope is added to what the leaf holds already.",
            "Make a table with the columns w, slope and w.grad. Move w by w.grad, not by the "
            "slope.",
        ),
    ),
    FunctionExercise(
        name="10.3",
        title="Write the loop",
        cases=(
            _descent_case("the loss of the chapter", chapter_loss, 0.0, 0.02, 4),
            _descent_case("a loss that is lowest at -1.5", flat_loss, 1.0, 0.1, 3),
            _descent_case("a single step", flat_loss, -4.0, 0.3, 1),
        ),
        reference=_path,
        shape=_list_of_places,
        suspects=LOOP_SUSPECTS,
        mistakes="""
w made anew | = new_w_each_time
    ~It makes a new w from the old one in each step. The new one remembers how it was made, and all
    steps before stay alive with it. Move the number of the one parameter: w.data -= ...
""",
        given=globals(),
        right="Forward, clear, walk, move. The GPT at the end of the course learns like this.",
        hints=(
            "Begin with w = Parameter(start) and a list that holds the start.",
            "In the loop: loss = loss_of(w), then clear, walk, move, as in the chapter.",
            "At the end of each round append w.data to the list: the number, not w itself.",
        ),
    ),
    FunctionExercise(
        name="10.4",
        title="Write the hinge loss",
        cases=(
            _scored(0.4, -1.0),
            _scored(0.4, 1.0),
            _scored(2.5, 1.0),
            _scored(-3.0, -1.0),
            _scored(3.0, -1.0),
        ),
        reference=_hinge,
        shape=_loss_shape,
        observe=_observed_loss,
        suspects=HINGE_SUSPECTS,
        right="It asks for nothing where the score is good, and pulls where it is not.",
        hints=(
            "What should label times score be at least? And how much of that is missing?",
            "A Value has the method relu(), which turns negative numbers into 0.",
            "Put parentheses around what is missing, and write .relu() behind them.",
        ),
    ),
    AnswerExercise(
        name="10.5",
        title="Which rate diverges?",
        shape=all_of(RATES, one_of(ONE_SIDE, BOTH_SIDES, DIVERGES)),
        judge=_judge_rates,
        right="Past the goal is not yet lost; further away than before is.",
        hints=(
            "Do a step on paper: the goal is w = 3, and the gradient at 0 is -24.",
            "After one step: still before the goal, past it but closer, or past it and further "
            "away?",
            "Or take your loop of the exercise before, and look at the list it gives back.",
        ),
    ),
    AnswerExercise(
        name="10.6",
        title="Put the lines in order",
        shape=_the_four,
        judge=_judge_lines,
        right="Loss before walk, walk before move, and nobody clears between these two.",
        hints=(
            "What does the walk need? What does the move need?",
            "A gradient is made in the walk and used in the move. Who must not stand between them?",
            "There is more than one right order. Begin with the loss.",
        ),
    ),
)
