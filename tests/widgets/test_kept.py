"""What a page without Python keeps of a ``Predict``: the same verdicts, behind a curtain."""

import json
from base64 import b64decode
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Graph, Predict, Value, reverse_walk
from engine.walk import Walk
from engine.widgets import kept
from engine.words import mistakes
from engine.words.mistakes import Question, WrongAnswer, questions, wrong_answers
from engine.words.naming import number
from engine.words.verdicts import judge

from .examples import distinctive, seven_nodes, shared
from .test_predict import everything_sent, recordings, spellings


@pytest.fixture
def for_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kept.ENVIRONMENT_VARIABLE, "1")


def opened(view: Predict) -> Any:
    return json.loads(b64decode(view.payload["answers"]))


def looked_up(table: dict[str, Any], typed: float) -> dict[str, Any]:
    """The verdict that a table holds for a number, with the number filled in."""
    place = table["below"]
    for turning_point, at, above in table["turns"]:
        if typed < turning_point:
            break
        place = at if typed == turning_point else above
    text = json.dumps(table["verdicts"][place], ensure_ascii=False)
    filled: dict[str, Any] = json.loads(text.replace(kept.TYPED, number(typed)))
    return filled


def tempting(question: Question, wrong: Sequence[float]) -> Iterator[float]:
    """Numbers on both sides of every place where a verdict changes, and far from all of them."""
    for point in (question.answer, *wrong):
        for distance in (0.0, 0.5e-5, 2e-5, 4e-3, 6e-3, 0.09, 0.11):
            yield from (point * (1 + distance), point * (1 - distance))
        for digits in (1, 2, 3, 6):
            yield float(f"{point:.{digits}g}")
    yield from (0.0, 1e-12, -1e-12, 1e9, -1e9, 1e300, -1e300)


@given(recordings(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=60)
def test_the_table_holds_the_verdict_on_every_number(
    graph: Graph, single: bool, any_number: float
) -> None:
    walk = reverse_walk(graph)
    for question in questions(walk, single):
        table = kept.verdicts(walk, question)
        wrong = [found.number for found in wrong_answers(walk, question)]
        for typed in (*tempting(question, wrong), any_number):
            verdict = judge(walk, question, repr(typed), tries=0)
            told = looked_up(table, typed)
            assert told["words"] == kept.words(verdict), typed
            assert told["right"] == verdict.right
            assert told["counted"] == verdict.counted
            assert told["mistake"] == " or ".join(verdict.mistakes)


def test_what_can_go_wrong_is_worked_out_once_for_each_question(
    for_a_page: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out: list[Question] = []

    def counted(walk: Walk, question: Question) -> tuple[WrongAnswer, ...]:
        worked_out.append(question)
        return wrong_answers(walk, question)

    for module in (kept, mistakes):
        monkeypatch.setattr(module, "wrong_answers", counted)
    x = Value(0.3, "x")
    y = x * 1.7
    for factor in (0.4, -1.3, 0.9, 2.2, -0.6, 1.1, 3.1):
        y = y + x * factor
    asked = questions(reverse_walk(Graph.of(y)))
    assert len(asked[-1].contributions) == mistakes.MOST_LEFT_OUT_OF
    view = Predict(y)
    assert worked_out == list(asked)
    table = opened(view)["questions"][-1]
    made = {wrong.number for wrong in wrong_answers(reverse_walk(view.graph), asked[-1])}
    assert len(table["verdicts"]) <= 2 * len(made)
    assert len(table["turns"]) <= 6 * len(made)


def test_with_a_live_kernel_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(kept.ENVIRONMENT_VARIABLE, raising=False)
    assert "answers" not in Predict(seven_nodes()).payload


@pytest.mark.usefixtures("for_a_page")
@pytest.mark.parametrize("ask", ["gradients", "contributions"])
def test_what_is_kept_is_there_and_cannot_be_read_at_a_glance(ask: str) -> None:
    view = Predict(distinctive(), ask=ask)
    asked = opened(view)["questions"]
    sent = everything_sent(view)
    known = spellings(1.0) | spellings(-1.0)
    answers = questions(reverse_walk(view.graph), single=ask == "contributions")
    assert len(asked) == len(answers)
    for kept_question, question in zip(asked, answers, strict=True):
        assert looked_up(kept_question, question.answer)["right"]
        assert number(question.answer) in kept_question["shown"]["heading"]
        secret = (spellings(question.answer) | spellings(-question.answer)) - known
        assert not [text for text in secret if text in sent]
    assert "uses x twice" not in sent


@pytest.mark.usefixtures("for_a_page")
@pytest.mark.parametrize("ask", ["gradients", "contributions"])
def test_the_kept_pages_are_those_of_a_round_of_right_answers(ask: str) -> None:
    view = Predict(shared(), ask=ask)
    changing = {"turn", "verdict", "summary"}
    told = opened(view)
    for question in told["questions"]:
        page = {name: view.shown[name] for name in question["page"] if name not in changing}
        assert {name: question["page"][name] for name in page} == page
        view.answer("77.7")
        assert view.shown["contributions"] == question["arrowsAfterTry"]
        answer = questions(reverse_walk(view.graph), single=ask == "contributions")
        view.answer(repr(answer[view.state.number - 1].answer))
    assert view.state.finished
    assert told["end"]["nodes"] == view.shown["nodes"]
    assert told["end"]["heading"] == view.shown["heading"]


@pytest.mark.usefixtures("for_a_page")
def test_a_view_that_keeps_its_answers_begins_at_the_beginning() -> None:
    view = Predict(shared())
    assert (view.state.number, view.state.tries, view.summary.outcomes) == (1, 0, ())
    assert {row["cells"][-1] for row in view.shown["rows"]} == {""}
