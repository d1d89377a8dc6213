"""Every check: right for the solution, "not tried yet" untouched, and each mistake its own word."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from exercise_files import NAMES, answers, of_chapter, read, wrong_answers

from engine.course.checks import catalog, judging, running
from engine.course.checks.exercise import FunctionExercise
from engine.course.checks.judging import Judgment, State
from engine.course.checks.plain import describe, restore
from engine.text import number_text

LEAST_WRONG = 3
MOST_HINTS = 3
ITS_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def judged(name: str, answer: Any) -> Judgment:
    """Judge as the fresh process does: from text alone."""
    return judging.judge(catalog.find(name), restore(json.loads(json.dumps(describe(answer)))))


def numbers_in(answer: Any) -> set[str]:
    if isinstance(answer, dict):
        return set().union(*map(numbers_in, [*answer, *answer.values()]))
    if isinstance(answer, list | tuple):
        return set().union(*map(numbers_in, answer))
    if isinstance(answer, str):
        return set(ITS_NUMBERS.findall(answer))
    return {number_text(answer)} if isinstance(answer, int | float) else set()


@cache
def told(name: str, number: int) -> Judgment:
    """What is said of one of the wrong answers; who never ends is not waited for."""
    answer, kind = wrong_answers(name)[number]
    with pytest.MonkeyPatch.context() as patch:
        if kind == "endless":
            patch.setattr(running, "RUN_SECONDS", 2)
        return judged(name, answer)


CASES = [
    pytest.param(name, number, id=f"{name}-{number}-{kind}")
    for name in NAMES
    for number, (_, kind) in enumerate(wrong_answers(name))
]


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_is_right(name: str) -> None:
    judgment = judged(name, answers("solutions", name[:2])[name])
    assert (judgment.state, judgment.kind) == (State.RIGHT, ""), judgment.words
    assert judgment.words


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_exercise_is_not_tried_yet(name: str) -> None:
    assert judged(name, answers("exercises", name[:2])[name]).state is State.UNTOUCHED


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_wrong_answer_is_told_its_kind(name: str, number: int) -> None:
    kind = wrong_answers(name)[number][1]
    judgment = told(name, number)
    assert (judgment.state, judgment.kind) == (State.WRONG, kind), judgment.words
    assert judgment.words
    assert "Traceback" not in judgment.words


@pytest.mark.parametrize("name", NAMES)
def test_there_are_enough_kinds_of_wrong(name: str) -> None:
    assert len({kind for _, kind in wrong_answers(name)}) >= LEAST_WRONG


@pytest.mark.parametrize(("name", "number"), CASES)
def test_what_is_said_of_a_wrong_number_does_not_give_the_right_one(name: str, number: int) -> None:
    answer = answers("solutions", name[:2])[name]
    right = numbers_in(list(answer.values()) if isinstance(answer, dict) else answer)
    said = set(ITS_NUMBERS.findall(told(name, number).words))
    assert not (right & said) - numbers_in(wrong_answers(name)[number][0])


@pytest.mark.parametrize("name", NAMES)
def test_each_suspect_of_a_function_is_caught(name: str) -> None:
    """A listed mistake that gives the right results would accuse a right answer."""
    exercise = catalog.find(name)
    if not isinstance(exercise, FunctionExercise):
        return
    found = {kind for _, kind in wrong_answers(name)}
    assert {suspect.kind for suspect in exercise.suspects} <= found


@pytest.mark.parametrize("name", NAMES)
def test_hints_come_in_up_to_three_stages(name: str) -> None:
    hints = catalog.find(name).hints
    assert 1 <= len(hints) <= MOST_HINTS
    assert len(set(hints)) == len(hints)


@pytest.mark.parametrize("name", NAMES)
def test_no_hint_gives_a_number_of_the_answer(name: str) -> None:
    answer = answers("solutions", name[:2])[name]
    right = numbers_in(list(answer.values()) if isinstance(answer, dict) else answer)
    cells = read(of_chapter("exercises", name[:2])).cells
    given = numbers_in("\n".join(cell.source for cell in cells))
    assert not (numbers_in(" ".join(catalog.find(name).hints)) & right) - given
