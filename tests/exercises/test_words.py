"""What a learner reads about a wrong answer, where the words and not only the kind matter."""

from __future__ import annotations

import functools
import json
import math
import re
from typing import Any

import pytest
from exercise_files import NAMES, answers

from engine import Value
from engine.course import check, hint
from engine.course.checks import catalog, judging
from engine.course.checks.exercise import AnswerExercise, FunctionExercise
from engine.course.checks.judging import State
from engine.course.checks.mistakes import Suspect
from engine.course.checks.plain import describe, restore


def words(name: str, answer: Any) -> str:
    exercise = catalog.find(name)
    return judging.judge(exercise, restore(json.loads(json.dumps(describe(answer))))).words


def said(verdict: object) -> str:
    return " ".join(str(verdict).split())


SUSPECTS: list[tuple[FunctionExercise, Suspect]] = [
    (exercise, suspect)
    for exercise in map(catalog.find, NAMES)
    if isinstance(exercise, FunctionExercise)
    for suspect in exercise.suspects
]


@pytest.mark.parametrize(
    ("exercise", "suspect"), SUSPECTS, ids=[f"{e.name}-{s.kind}" for e, s in SUSPECTS]
)
def test_no_function_gives_an_error(exercise: FunctionExercise, suspect: Suspect) -> None:
    """It stops with one, in whichever words a mistake is told."""
    outcomes = [
        judging.Outcome(error="OddError") if not case.too_long else judging.Outcome(0.0)
        for case in exercise.cases
    ]
    right = judging.running.attempt(exercise.reference, exercise)
    told = judging._accused(exercise, suspect, outcomes, right).words
    assert not re.search(r"(gives|gradients are) OddError", told), told


def test_what_the_engine_advises_is_not_cut() -> None:
    assert "a.data < b.data" in words("10.4", lambda score, label: max(0, score))
    assert "a.data < b.data" in words("13.3", lambda scores: [max(scores)])


def test_a_long_dictionary_is_told_by_what_is_wrong_in_it() -> None:
    told = words("09.4", lambda x, w, b: (x[0] * w[0] + x[1] * w[1] + b).tanh())
    assert "grad x3 is 0, as if x3 were not used." in told
    assert "..." not in told


def test_a_wrong_type_is_told_in_one_sentence() -> None:
    told = words("01.2", lambda f, x, h: [f(x)])
    assert told.startswith("For area at 3 with h = 0.5, the answer is one number, and yours is [9]")


def test_a_number_close_to_another_is_shown_with_all_its_digits() -> None:
    assert "0.50000001" in words("09.6", {"parameter": "v1", "number": 0.50000001})


def test_a_function_with_too_many_inputs_is_told_where_the_other_one_goes() -> None:
    assert "inside yours" in words("05.4", lambda node, order, visited: order)


something = Value(3.0)


def test_a_name_from_the_notebook_is_not_to_be_made_an_input() -> None:
    told = words("06.4", lambda u: (u + something) * -2)
    assert "write that number" in told
    assert "make it an input" not in told


@pytest.mark.parametrize("answer", [["q", "..."], ["q", ...]])
def test_dots_in_quotation_marks_are_dots(answer: list[Any]) -> None:
    assert "still dots" in words("02.2", answer)


def test_an_answer_in_two_parts_is_told_to_be_one() -> None:
    assert "one answer; here are 2" in said(check("01.5", "forward", 0.1))


def test_a_hint_speaks_of_hints() -> None:
    for verdict in (hint(01.5), hint()):
        assert said(verdict).endswith('in quotation marks: hint("01.1").')


@pytest.mark.parametrize("name", ["01,5", "1.5", " 01.5", "01.05"])
def test_a_name_that_is_nearly_one_is_asked_back(name: str) -> None:
    assert said(hint(name)).endswith('Did you mean "01.5"?')


def test_a_name_that_is_none_is_not_answered_with_all_names() -> None:
    assert len(re.findall(r"\d\d\.\d", said(hint("exercise")))) == len(("first", "last"))


def raises_something_else(query, keys, values):
    return int("a")


def test_an_error_of_another_kind_is_no_known_mistake() -> None:
    assert "reads from itself" not in words("14.3", raises_something_else)
    assert "stopped" in words("16.5", lambda scores, temperature: math.exp(1000.0))


NUMBERS = [
    name
    for name in NAMES
    if isinstance(catalog.find(name), AnswerExercise)
    and not isinstance(answers("solutions", name[:2])[name], Value)
]


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, 1e300])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_is_none_is_wrong_and_stops_no_check(name: str, odd: float) -> None:
    right = answers("solutions", name[:2])[name]
    given = right if isinstance(right, dict) else {"": right}
    for key in (key for key, value in given.items() if isinstance(value, int | float)):
        changed = {**given, key: odd}
        answer = restore(describe(changed if isinstance(right, dict) else odd))
        assert judging.judge(catalog.find(name), answer).state is State.WRONG


def gives_a_generator(inputs, sizes):
    return (size for size in sizes)


@pytest.mark.parametrize(
    ("name", "answer"),
    [("09.3", gives_a_generator), ("11.2", lambda gradients, beta: map(abs, gradients))],
)
def test_what_is_no_list_yet_is_told_how_to_become_one(name: str, answer: Any) -> None:
    told = words(name, answer)
    assert "list(...)" in told
    assert "0x" not in told


class Callable:
    def __call__(self, f, x, h):
        return 0.0


@pytest.mark.parametrize(
    "answer", [Callable(), functools.partial(max, 1), max, [].append, Callable().__call__]
)
def test_what_can_be_called_and_is_no_function_is_told_so(answer: Any) -> None:
    told = words("01.2", answer)
    assert "with def" in told
    assert "parentheses" not in told
    assert "0x" not in told


def test_an_input_by_name_alone_is_told_so() -> None:
    def measures(f, x, *, h):
        return 0.0

    assert "takes h by name only" in words("01.2", measures)


def turns_the_tape_around(nodes, output):
    nodes.reverse()


def test_a_tuple_that_is_to_be_changed_is_told_so() -> None:
    assert "list(...) makes a list of it" in words("12.3", turns_the_tape_around)
