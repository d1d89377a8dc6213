"""The page of rules says what the engine computes."""

from pathlib import Path

import pytest

from engine.course import build, rules_page
from engine.course.places import Places
from engine.rules import FUNCTIONS, INFIX
from engine.value import Value

PLACES = Places(Path(__file__).resolve().parents[2])
POINTS = ((2.0, -4.0), (0.7, 1.3), (0.3, -0.9))


@pytest.mark.parametrize("operation", rules_page.OPERATIONS, ids=lambda one: one.written)
def test_each_formula_is_what_the_engine_records(operation: rules_page.Operation) -> None:
    for a, b in POINTS:
        node = operation.apply(Value(a), Value(b))
        names = {"a": a, "b": b, "c": rules_page.C, "y": node.data}
        assert node.local_derivatives == pytest.approx(
            [eval(f, names) for f in operation.derivatives]
        )
        recorded = eval(operation.written, {"a": Value(a), "b": Value(b), "c": rules_page.C})
        assert (recorded.op, recorded.data) == (node.op, node.data)


def test_every_operation_of_the_engine_is_there() -> None:
    named = {one.apply(Value(0.7), Value(1.3)).op for one in rules_page.OPERATIONS}
    assert named == INFIX | FUNCTIONS


def test_the_three_mistakes_give_the_numbers_of_the_course() -> None:
    rows = rules_page.mistakes().splitlines()
    assert [row.split("|")[2].strip() for row in rows if row.startswith("| ")][1:] == [
        "18",
        "6",
        "6",
        "36",
    ]


def test_every_word_is_explained_by_a_chapter() -> None:
    text = rules_page.words(build.chapter_files(PLACES))
    assert [word for word in rules_page.WORDS if f"| {word} |" not in text] == []


def test_the_stored_page_is_the_one_the_engine_makes() -> None:
    assert not build.build_made(rules_page.FILE_NAME, PLACES, check=True), "run: course build"
