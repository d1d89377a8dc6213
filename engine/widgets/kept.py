"""What a page without Python needs to judge the answers of a ``Predict``: a curtain, not a lock.

In a notebook the answers stay in Python. A page or a slide that is read without a kernel has to
bring them along. They are worked out here by the code that judges in a notebook, and are encoded,
so that neither the page nor a look at its source shows them. Whoever wants to decode them can, and
learns nothing by it.
"""

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from engine.walk import Walk
from engine.words.answers import reading
from engine.words.mistakes import (
    NOISE,
    ROUNDED,
    ROUNDED_TOO_FAR,
    SAME,
    Question,
    WrongAnswer,
    wrong_answers,
)
from engine.words.verdicts import (
    AFTER_TRIES,
    NOT_COUNTED,
    RIGHT,
    SHOWN,
    TRIES_BEFORE_SHOWING,
    UNREAD,
    WRONG,
    Verdict,
    judge_number,
)

# Set in a kernel that runs a chapter for a page; nowhere else do answers leave Python early.
ENVIRONMENT_VARIABLE = "REVERSE_WALK_KEEP_ANSWERS"
# Stands for the typed number in a kept verdict. No label holds it: it is not printable.
TYPED = "\ue000"
KINDS = {RIGHT: "right", UNREAD: "unread", SHOWN: "shown", WRONG: "wrong"}


def is_wanted() -> bool:
    """Whether this kernel runs for a page that will be read without Python."""
    return bool(os.environ.get(ENVIRONMENT_VARIABLE))


def curtained(data: object) -> str:
    """Data as text that nobody reads at a glance."""
    return b64encode(json.dumps(data, separators=(",", ":")).encode()).decode()


def words(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the front end shows it."""
    return {
        "kind": KINDS[verdict.sign],
        "heading": f"{verdict.sign} {verdict.heading}",
        "sentences": list(verdict.sentences),
    }


def ways_to_judge() -> dict[str, Any]:
    """What all questions have in common."""
    return {
        "typed": TYPED,
        "triesBeforeShowing": TRIES_BEFORE_SHOWING,
        "afterTries": AFTER_TRIES,
        "unread": words(Verdict(UNREAD, TYPED, (NOT_COUNTED,))),
        "reading": reading(),
    }


def verdicts(walk: Walk, question: Question) -> dict[str, Any]:
    """The verdict on every number there is, as a table: it changes only at some of them.

    Args:
        walk: the walk the question is about.
        question: what is asked.

    Returns:
        The different ``verdicts``, and where each is given: the first one ``below`` all turning
        points, and for each of ``turns`` ``[number, verdict at it, verdict above it]``.

    >>> from engine import Graph, Value, reverse_walk
    >>> from engine.words.mistakes import questions
    >>> x = Value(3.0)
    >>> walk = reverse_walk(Graph.of(x + 1))
    >>> table = verdicts(walk, questions(walk)[0])
    >>> [verdict["mistake"] for verdict in table["verdicts"] if not verdict["right"]][:2]
    ['something else', 'got the sign wrong']
    """
    told: dict[Verdict, int] = {}
    made = wrong_answers(walk, question)

    def place(number: float) -> int:
        return told.setdefault(judge_number(walk, question, number, TYPED, made), len(told))

    points = sorted(set(filter(isfinite, _turning_points(question, made))))
    beyond = 2.0 * max(map(abs, points)) + 1.0
    below = before = place(-beyond)
    turns = []
    for number, following in zip(points, [*points[1:], beyond], strict=True):
        at, above = place(number), place(number / 2 + following / 2)
        if not before == at == above:
            turns.append([number, at, above])
        before = above
    return {"below": below, "turns": turns, "verdicts": list(map(_kept, told))}


def _turning_points(question: Question, made: Iterable[WrongAnswer]) -> Iterator[float]:
    """Every number at which a verdict can change, and some at which it does not."""
    answer = question.answer
    rounded = [float(f"{answer:.{digits}g}") for digits in (1, 2)]
    wrong = {wrong.number for wrong in made}
    reached = [
        (answer, SAME * abs(answer) + NOISE * question.scale),
        (answer, ROUNDED_TOO_FAR * abs(answer)),
    ]
    for number in (answer, *rounded, *wrong):
        reached += [(number, tolerance * abs(number)) for tolerance in (0.0, SAME, ROUNDED)]
    for number, distance in reached:
        yield from (number - distance, number + distance)


def _kept(verdict: Verdict) -> dict[str, Any]:
    return {
        "words": words(verdict),
        "right": verdict.right,
        "counted": verdict.counted,
        "mistake": " or ".join(verdict.mistakes),
    }
