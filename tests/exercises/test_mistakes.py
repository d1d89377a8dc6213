"""Every mistake that stands as text can be made, is wrong, and is told apart from the others."""

from __future__ import annotations

import pytest
from exercise_files import NAMES, SOLUTIONS, read

from engine.course import exercise_cells
from engine.course.checks import catalog, judging, mistakes, running
from engine.course.checks.exercise import FunctionExercise

FUNCTIONS = [name for name in NAMES if isinstance(catalog.find(name), FunctionExercise)]
SOLUTION = "def total(a, b):\n    return a + b + a"


def function(name: str) -> FunctionExercise:
    exercise = catalog.find(name)
    assert isinstance(exercise, FunctionExercise)
    return exercise


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_mistake_differs_from_the_solution_and_from_the_other_kinds(
    name: str, subtests: pytest.Subtests
) -> None:
    exercise = function(name)
    right = running.attempt(exercise.reference, exercise)
    told: dict[str, list[list[running.Outcome]]] = {}
    for suspect in exercise.suspects:
        with subtests.test(suspect.kind):
            outcomes = running.attempt(suspect.function, judging.quick(exercise))
            assert not any(outcome.error in ("SyntaxError", "NameError") for outcome in outcomes)
            assert not judging.all_alike(outcomes, right, exercise)
            for kind, others in told.items():
                if kind != suspect.kind:
                    assert not any(judging.all_alike(outcomes, o, exercise) for o in others), kind
            told.setdefault(suspect.kind, []).append(outcomes)


@pytest.mark.parametrize("file", SOLUTIONS, ids=lambda file: file.stem)
def test_the_solutions_have_what_stands_with_the_checks(file) -> None:
    stored = read(file)
    made = exercise_cells.written_into(read(file), catalog.of_chapter(file.name[:2]))
    assert [(c.id, c.source, c.metadata) for c in made.cells] == [
        (c.id, c.source, c.metadata) for c in stored.cells
    ]


@pytest.mark.parametrize(
    "edit", ["c -> d", "a -> c", "+ b ->> c", "a + b", "b -> c | b -> d", "a + b | -> c"]
)
def test_an_edit_that_does_not_fit_is_named(edit: str) -> None:
    with pytest.raises(ValueError, match=r"times in the solution|is no edit"):
        mistakes.edited(SOLUTION, edit)


def test_edits_follow_each_other_and_may_change_every_place() -> None:
    edits = "+ a -> + b | b ->> c | :\\n -> :  # edited\\n"
    assert mistakes.edited(SOLUTION, edits) == "def total(a, c):  # edited\n    return a + c + c"


@pytest.mark.parametrize("text", ["kind", "kind | a -> b", "kind | 1\n  too little indented"])
def test_a_text_that_is_no_list_of_mistakes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no mistake|has no words"):
        list(mistakes.written(text))
