"""Every check: right for the solution, "not tried yet" untouched, and each mistake its own word."""

from __future__ import annotations

import re
from typing import Any

import golden
import pytest
from exercise_files import NAMES, answers, of_chapter, read, wrong_answers

from engine.course.checks import catalog
from engine.course.checks.exercise import FunctionExercise
from engine.course.checks.judging import State
from engine.text import number_text

LEAST_WRONG = 3
MOST_HINTS = 3
ITS_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def numbers_in(answer: Any) -> set[str]:
    if isinstance(answer, dict):
        return set().union(*map(numbers_in, [*answer, *answer.values()]))
    if isinstance(answer, list | tuple):
        return set().union(*map(numbers_in, answer))
    if isinstance(answer, str):
        return set(ITS_NUMBERS.findall(answer))
    return {number_text(answer)} if isinstance(answer, int | float) else set()


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_is_right(name: str) -> None:
    judgment = golden.judged_as_ever(name, answers("solutions", name[:2])[name])
    assert (judgment.state, judgment.kind) == (State.RIGHT, ""), judgment.words
    assert judgment.words


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_exercise_is_not_tried_yet(name: str) -> None:
    untouched = answers("exercises", name[:2])[name]
    assert golden.judged_as_ever(name, untouched).state is State.UNTOUCHED


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_answer_is_told_its_kind_and_not_the_right_one(
    name: str, subtests: pytest.Subtests
) -> None:
    written = [entry for entry in golden.written_down() if entry["exercise"] == name]
    assert len(written) == len(wrong_answers(name))
    right = numbers_in(values_of(answers("solutions", name[:2])[name]))
    for (answer, kind), expected in zip(wrong_answers(name), written, strict=True):
        with subtests.test(expected["answer"], kind=kind):
            judgment = golden.judged(name, answer, kind)
            assert (judgment.state, judgment.kind) == (State.WRONG, kind), judgment.words
            assert golden.OF_A_SET.sub("{...} (set)", judgment.words) == expected["words"]
            assert expected["kind"] == kind
            assert "Traceback" not in judgment.words
            if kind in ("type", "text", "value"):
                assert not re.search(r": .*: [A-Z][a-z]", judgment.words)
            said = set(ITS_NUMBERS.findall(judgment.words))
            assert not (right & said) - numbers_in(answer)


def values_of(answer: Any) -> Any:
    return list(answer.values()) if isinstance(answer, dict) else answer


@pytest.mark.parametrize("name", NAMES)
def test_there_are_enough_kinds_of_wrong(name: str) -> None:
    assert len({kind for _, kind in wrong_answers(name)}) >= LEAST_WRONG


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
    right = numbers_in(values_of(answers("solutions", name[:2])[name]))
    cells = read(of_chapter("exercises", name[:2])).cells
    given = numbers_in("\n".join(cell.source for cell in cells))
    assert not (numbers_in(" ".join(catalog.find(name).hints)) & right) - given
