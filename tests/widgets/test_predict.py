"""``Predict`` from Python alone: every mistake gets its own hint, and nothing is told too early."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Graph, Predict, ReleasedError, Tape, Value, reverse_walk
from engine.text import number_text
from engine.words.answers import NotANumber, typed_number
from engine.words.mistakes import (
    Mistake,
    Question,
    explanations,
    questions,
    wrong_answers,
)
from engine.words.naming import number
from engine.words.verdicts import judge

from .examples import distinctive, same_name, seven_nodes
from .typed import NO_NUMBERS, NUMBERS

MINUS = "\N{MINUS SIGN}"


def square_and_more() -> Value:
    """At 3: y.grad = 1, u.grad = 1, x.grad = 1 + 3 + 3 = 7."""
    x = Value(3.0, "x")
    u = x * x
    u.label = "u"
    y = u + x
    y.label = "y"
    return y


def shared_products() -> Value:
    """Every number here is different: x = 2, w = 5, s = x * w, y = s * s + x."""
    x, w = Value(2.0, "x"), Value(5.0, "w")
    s = x * w
    s.label = "s"
    t = s * 3
    t.label = "t"
    y = t * x
    y.label = "y"
    return y


def answer_of(view: Predict) -> str:
    """The right answer, from the engine's own walk and not from the view."""
    walk = reverse_walk(view.graph)
    return repr(questions(walk)[view.state.number - 1].answer)


def at(view: Predict, name: str) -> Predict:
    """Answer rightly up to the question about a node."""
    while view.question != f"What is {name}.grad?":
        assert view.answer(answer_of(view)).right
    return view


def from_the_page(view: Predict, **message: Any) -> None:
    """What arrives when the front end sends a message."""
    content = {"data": {"method": "custom", "content": message}}
    view._handle_msg({"content": content, "buffers": []})


def everything_sent(view: Predict) -> str:
    """All that leaves Python: the synchronized traits, the still picture, the text."""
    bundle = view._repr_mimebundle_()[0]
    state = {k: v for k, v in view.get_state().items() if k not in ("_esm", "_css")}
    return json.dumps([state, bundle], default=str, ensure_ascii=False)


# -- what is typed ------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_a_number_may_be_written_as_people_write_it(text: str, value: float) -> None:
    assert typed_number(text) == value


@pytest.mark.parametrize(("text", "told"), NO_NUMBERS)
def test_anything_else_gets_a_sentence_and_is_no_try(text: str, told: str) -> None:
    with pytest.raises(NotANumber, match=told):
        typed_number(text)
    view = Predict(square_and_more())
    verdict = view.answer(text)
    assert told in str(verdict)
    assert "does not count" in str(verdict)
    assert not verdict.right
    assert not verdict.counted
    assert view.state.tries == 0
    assert view.summary.outcomes == ()


@given(st.text())
def test_no_text_at_all_makes_the_parser_fail(text: str) -> None:
    verdict = Predict(Value(3.0, "x")).answer(text)
    assert verdict.sign in "✓✗?"
    assert "\n" not in verdict.heading


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_a_page_shows_is_understood(value: float) -> None:
    assert typed_number(number(value)) == pytest.approx(value, rel=1e-5)
    assert typed_number(repr(value)) == value


# -- the mistakes -------------------------------------------------------------------------------

CASES: list[tuple[Callable[[], Value], str, str, set[Mistake]]] = [
    (square_and_more, "y", "12", {Mistake.DATA}),
    (square_and_more, "y", "0", {Mistake.START}),
    (square_and_more, "y", "-1", {Mistake.SIGN}),
    (square_and_more, "u", "9", {Mistake.DATA}),
    (square_and_more, "u", "0.5", {Mistake.SHARED_OUT}),
    (square_and_more, "u", "1/2", {Mistake.SHARED_OUT}),
    (square_and_more, "u", "3", {Mistake.AS_PRODUCT}),
    (square_and_more, "u", "12", {Mistake.UPSTREAM_DATA}),
    (square_and_more, "x", "4", {Mistake.ONE_USE}),
    (square_and_more, "x", "3", {Mistake.OVERWROTE, Mistake.DATA, Mistake.NO_LOCAL}),
    (square_and_more, "x", "0", {Mistake.START}),
    (square_and_more, "x", "6", {Mistake.LEFT_OUT}),
    (square_and_more, "x", "\u22127", {Mistake.SIGN}),
    (seven_nodes, "L", "-8", {Mistake.DATA}),
    (seven_nodes, "f", "-2", {Mistake.DATA, Mistake.OWN_DATA}),
    (seven_nodes, "f", "1", {Mistake.NO_LOCAL}),
    (seven_nodes, "f", "-32", {Mistake.UPSTREAM_DATA}),
    (seven_nodes, "c", "1", {Mistake.NO_UPSTREAM}),
    (seven_nodes, "c", "2", {Mistake.SIGN}),
    (seven_nodes, "c", "-1", {Mistake.SHARED_OUT}),
    (seven_nodes, "c", "12", {Mistake.AS_PRODUCT}),
    (seven_nodes, "b", "6", {Mistake.OWN_DATA}),
    (seven_nodes, "b", "2", {Mistake.NO_UPSTREAM}),
    (seven_nodes, "b", "-2", {Mistake.NO_LOCAL}),
    (seven_nodes, "a", "8", {Mistake.OTHER_GRADIENT}),
    (seven_nodes, "a", "-3", {Mistake.NO_UPSTREAM}),
    (seven_nodes, "a", "5", {Mistake.OTHER}),
    # x = 2 is used by y (contribution 30 * 1) and by s (contribution 5 * 6): 30 + 30 = 60.
    (shared_products, "t", "30", {Mistake.DATA, Mistake.OWN_DATA}),
    (shared_products, "x", "30", {Mistake.OVERWROTE}),
    (shared_products, "x", "900", {Mistake.MULTIPLIED}),
    (shared_products, "x", "35", {Mistake.NO_UPSTREAM}),
    (shared_products, "x", "7", {Mistake.NO_LOCAL}),
    (shared_products, "x", "14", {Mistake.OWN_DATA}),
]


@pytest.mark.parametrize(("make", "node", "typed", "mistakes"), CASES)
def test_a_wrong_answer_is_known_by_its_mistake(
    make: Callable[[], Value], node: str, typed: str, mistakes: set[Mistake]
) -> None:
    view = at(Predict(make()), node)
    verdict = view.answer(typed)
    assert set(verdict.mistakes) == mistakes
    assert not verdict.right
    assert verdict.counted
    assert view.question == f"What is {node}.grad?"
    assert view.state.tries == 1


def test_two_mistakes_with_one_number_get_both_hints() -> None:
    verdict = at(Predict(seven_nodes()), "f").answer("-2")
    assert verdict.heading == f"Not {MINUS}2. Two mistakes give {MINUS}2 here."
    assert "data of f. " in verdict.sentences[0]
    assert "the data of the other input, d" in verdict.sentences[1]


def test_overwriting_is_what_a_walk_without_adding_gives() -> None:
    y = shared_products()
    wrong = reverse_walk(Graph.of(y, {}), accumulate=False).grad("x")
    assert Mistake.OVERWROTE in at(Predict(y), "x").answer(repr(wrong)).mistakes


@pytest.mark.parametrize(
    ("make", "typed", "mistake"),
    [
        (lambda x: x**3, 4.0, Mistake.NO_EXPONENT),
        (lambda x: x**3, 24.0, Mistake.SAME_POWER),
        (lambda x: x / 4, 4.0, Mistake.RECIPROCAL),
        (lambda x: 8 / x, -4.0, Mistake.SQUARE),
        (lambda x: x.log(), 2.0, Mistake.RECIPROCAL),
        (lambda x: x.exp(), 2.0, Mistake.OWN_DATA),
        (lambda x: -x, 1.0, Mistake.SIGN),
        (lambda x: x.tanh(), 0.9640275800758169, Mistake.UPSTREAM_DATA),
    ],
)
def test_each_rule_has_its_own_slips(
    make: Callable[[Value], Value], typed: float, mistake: Mistake
) -> None:
    x = Value(2.0, "x")
    view = at(Predict(make(x)), "x")
    if mistake is Mistake.UPSTREAM_DATA:
        typed *= 1 - typed**2
    assert mistake in view.answer(typed).mistakes


def test_a_mistake_that_changes_nothing_is_called_unseen() -> None:
    *_, about_x = Predict(square_and_more()).distinguishes()
    assert about_x.question == "x"
    assert {Mistake.NO_UPSTREAM, Mistake.OWN_DATA} <= set(about_x.unseen)
    same = (Mistake.DATA, Mistake.OVERWROTE, Mistake.NO_LOCAL)
    assert same in about_x.groups
    *_, about_a = Predict(seven_nodes()).distinguishes()
    assert not about_a.unseen
    assert Mistake.OVERWROTE not in {m for group in about_a.groups for m in group}


@st.composite
def recordings(draw: st.DrawFn) -> Graph:
    """Random graphs of at most a dozen nodes, with shared nodes."""
    data = st.sampled_from((0.0, 1.0, -1.0, 2.0, 3.5, -0.75, 1 / 3))
    values = [Value(draw(data), name) for name in "abc"]
    for _ in range(draw(st.integers(1, 8))):
        one = values[draw(st.integers(0, len(values) - 1))]
        other = values[draw(st.integers(0, len(values) - 1))]
        values.append(draw(st.sampled_from((one + other, one * other, one - other, one.tanh()))))
    return Graph.of(values[-1], {})


@given(recordings(), st.booleans())
@settings(max_examples=60)
def test_every_mistake_is_caught_wherever_it_gives_a_number_of_its_own(
    graph: Graph, single: bool
) -> None:
    walk = reverse_walk(graph)
    for question in questions(walk, single):
        assert judge(walk, question, number(question.answer), tries=0).right
        assert judge(walk, question, repr(question.answer), tries=0).right
        for wrong in wrong_answers(walk, question):
            verdict = judge(walk, question, repr(wrong.number), tries=0)
            apart = max(abs(question.answer) * 1e-4, 1e-6)
            if abs(wrong.number - question.answer) > apart:
                assert not verdict.right
                assert wrong.mistake in verdict.mistakes or not wrong.plain


@given(recordings(), st.floats(-1e6, 1e6))
@settings(max_examples=60)
def test_no_number_gets_two_hints_of_one_kind(graph: Graph, typed: float) -> None:
    walk = reverse_walk(graph)
    for question in questions(walk):
        found = [wrong.mistake for wrong in explanations(walk, question, typed)]
        assert len(found) == len(set(found))


# -- nearly right -------------------------------------------------------------------------------


def third() -> Value:
    x = Value(2.0, "x")
    y = x / 3
    y.label = "y"
    return y


@pytest.mark.parametrize("typed", ["1/3", "0,333333", "0.33333333", "1 / 3"])
def test_enough_digits_are_right(typed: str) -> None:
    verdict = at(Predict(third()), "x").answer(typed)
    assert verdict.right
    assert verdict.heading.startswith("Right: ")


@pytest.mark.parametrize("typed", ["0.333", "0.3333", "0.334"])
def test_a_rounded_answer_is_right_and_gently_told_so(typed: str) -> None:
    verdict = at(Predict(third()), "x").answer(typed)
    assert verdict.right
    assert "rounding" in verdict.heading
    assert "0.333333" in verdict.heading


@pytest.mark.parametrize("typed", ["0.3", "0.33"])
def test_an_answer_that_is_rounded_too_far_is_no_try(typed: str) -> None:
    view = at(Predict(third()), "x")
    verdict = view.answer(typed)
    assert not verdict.right
    assert not verdict.counted
    assert verdict.mistakes == (Mistake.ROUNDING,)
    assert "0.333" not in str(verdict)
    assert view.answer("1/3").right
    assert view.summary.mistakes == {"rounded too far": 1}


def test_contributions_that_cancel_leave_a_zero_that_can_be_typed() -> None:
    x = Value(1.0, "x")
    y = x * 0.1 + x * 0.2 - x * 0.3
    walk = reverse_walk(Graph.of(y, {}))
    assert 0.0 < abs(walk.grad("x")) < 1e-15
    assert judge(walk, questions(walk)[-1], "0", tries=0).right
    assert not judge(walk, questions(walk)[-1], "1e-6", tries=0).right


# -- what is told when --------------------------------------------------------------------------


def spellings(value: float) -> set[str]:
    return {number(value), number_text(value), repr(value)}


@pytest.mark.parametrize("ask", ["gradients", "contributions"])
def test_nothing_that_was_not_answered_leaves_python(ask: str) -> None:
    y = distinctive()
    y.backward()  # the recording holds all gradients already
    view = Predict(y, ask=ask)
    assert not any(node.grad for node in view.graph.nodes)
    asked = questions(reverse_walk(view.graph), single=ask == "contributions")
    known = spellings(1.0) | spellings(-1.0)  # the seed gradient
    compared = 0
    for place, question in enumerate(asked):
        view.answer("77.7")
        view.answer("99")
        sent = everything_sent(view)
        for unanswered in asked[place:]:
            secret = (spellings(unanswered.answer) | spellings(-unanswered.answer)) - known
            compared += bool(secret)
            assert not [text for text in secret if text in sent]
        assert view.answer(repr(question.answer)).right
        assert number(question.answer) in everything_sent(view)
        known |= spellings(question.answer) | spellings(-question.answer)
    assert compared > 5


def test_the_drawing_is_filled_as_the_answers_come() -> None:
    view = Predict(square_and_more())
    assert [node["grad"] for node in view.shown["nodes"]] == ["?", "?", "?"]
    assert view.state.gradients == {"x": None, "u": None, "y": None}
    view.answer("1")
    assert [node["grad"] for node in view.shown["nodes"]] == ["?", "?", "1"]
    assert [node["state"] for node in view.shown["nodes"]] == ["waiting", "current", "done"]
    assert view.state.gradients == {"x": None, "u": None, "y": 1.0}
    assert repr(view).splitlines()[0] == "Question 2 of 3: What is u.grad?"
    assert repr(view).splitlines()[-1].split() == ["y", "=", "u", "+", "x", "12", "1"]
    assert "?" in repr(view).splitlines()[-2]


def test_the_arrows_show_after_a_wrong_try_where_contributions_come_from() -> None:
    view = at(Predict(square_and_more()), "x")
    assert view.shown["contributions"] == []
    view.answer("abc")
    assert view.shown["contributions"] == []
    view.answer("4")
    assert {arrow["edge"] for arrow in view.shown["contributions"]} == {"2-1", "1-0", "1-1"}
    assert {arrow["caption"] for arrow in view.shown["contributions"]} == {"?"}


def test_the_answer_is_shown_after_two_tries_and_not_before() -> None:
    view = Predict(square_and_more())
    for typed in ("5", "abc", "6"):
        assert not view.shown["mayShow"]
        assert "after two tries" in str(view.show_me())
        assert view.question == "What is y.grad?"
        view.answer(typed)
    assert view.shown["mayShow"]
    assert "Show me" in view.shown["verdict"]["sentences"][-1]
    assert view.show_me().heading == "Shown: y.grad = 1, the seed gradient."
    assert view.question == "What is u.grad?"
    assert not view.shown["mayShow"]
    assert view.summary.shown == 1
    assert view.summary.first_try == 0


def test_the_summary_tells_first_tries_and_mistakes() -> None:
    view = Predict(square_and_more())
    for typed in ("12", "1", "1", "3", "4", "7"):
        view.answer(typed)
    assert view.state.finished
    assert view.question == ""
    assert view.summary.first_try == 1
    assert view.summary.mistakes == {
        "gave the data for the gradient": 1,
        "gave the data for the gradient or overwrote instead of added or forgot the local "
        "derivative": 1,
        "counted one use of two": 1,
    }
    assert view.shown["summary"][0] == "1 of 3 right at the first try."
    assert [row["cells"][-1] for row in view.shown["rows"]] == ["2", "1", "3"]


def test_a_round_without_a_mistake_says_so() -> None:
    view = Predict(square_and_more())
    for typed in "117":
        view.answer(typed)
    assert str(view.summary) == "3 of 3 right at the first try.\nNo mistake was made."


def test_after_the_end_an_answer_changes_nothing() -> None:
    view = Predict(Value(3.0, "x"))
    assert view.answer(1).right
    assert "Start again" in str(view.answer("5"))
    assert "Start again" in str(view.show_me())
    assert view.summary.mistakes == {}


def test_start_again_forgets_everything() -> None:
    view = Predict(square_and_more())
    fresh = {key: value for key, value in view.shown.items() if key != "turn"}
    for typed in ("12", "11", "1", "1"):
        view.answer(typed)
    assert view.start_again() is view
    assert {key: value for key, value in view.shown.items() if key != "turn"} == fresh
    assert view.summary.outcomes == ()
    assert view.state.verdict is None


# -- the page and Python are one ----------------------------------------------------------------


def test_what_is_typed_in_the_page_is_the_same_as_an_answer() -> None:
    page, script = Predict(square_and_more()), Predict(square_and_more())
    for typed in ("12", "0", "1", "1", "4"):
        from_the_page(page, kind="answer", text=typed, turn=page.shown["turn"])
        script.answer(typed)
        assert page.shown == script.shown
        assert page.state == script.state
    from_the_page(page, kind="answer", text="3", turn=page.shown["turn"])
    from_the_page(page, kind="show", turn=page.shown["turn"])
    assert page.state.finished
    from_the_page(page, kind="again", turn=page.shown["turn"])
    assert page.state.number == 1


def test_a_message_from_before_the_last_verdict_is_not_heard() -> None:
    view = Predict(square_and_more())
    turn = view.shown["turn"]
    from_the_page(view, kind="answer", text="1", turn=turn)
    from_the_page(view, kind="answer", text="1", turn=turn)
    assert view.question == "What is u.grad?"
    assert view.state.number == 2


@pytest.mark.parametrize("message", [{}, {"kind": "answer"}, {"kind": "walk"}, {"turn": "0"}])
def test_a_message_that_makes_no_sense_answers_nothing(message: dict[str, Any]) -> None:
    view = Predict(square_and_more())
    from_the_page(view, **{"turn": 0, **message})
    assert view.state.number == 1
    assert view.state.tries == 0


# -- contributions ------------------------------------------------------------------------------


def test_each_contribution_can_be_asked_for_instead() -> None:
    view = Predict(square_and_more(), ask="contributions")
    asked = []
    for typed in "1133":
        asked.append(view.question)
        assert view.answer(typed).right
    assert asked == [
        "What does y contribute to u.grad?",
        "What does y contribute to x.grad?",
        "What does u contribute to x.grad as its first input?",
        "What does u contribute to x.grad as its second input?",
    ]
    assert view.state.gradients == {"x": 7.0, "u": 1.0, "y": 1.0}


def test_a_gradient_grows_with_each_contribution() -> None:
    view = Predict(square_and_more(), ask="contributions")
    seen = []
    for typed in "1133":
        view.answer(typed)
        seen.append(view.state.gradients["x"])
    assert seen == [None, 1.0, 4.0, 7.0]


@pytest.mark.parametrize(
    ("typed", "mistake"),
    [("4", Mistake.TOTAL), ("6", Mistake.BOTH_USES), ("-3", Mistake.SIGN), ("1", Mistake.NO_LOCAL)],
)
def test_a_contribution_has_mistakes_of_its_own(typed: str, mistake: Mistake) -> None:
    view = Predict(square_and_more(), ask="contributions")
    view.answer("1")
    view.answer("1")
    assert mistake in view.answer(typed).mistakes


def test_the_arrow_that_is_asked_about_is_marked_and_answered_ones_are_filled() -> None:
    view = Predict(square_and_more(), ask="contributions")
    captions = {arrow["edge"]: arrow["caption"] for arrow in view.shown["contributions"]}
    assert captions == {"2-0": "?"}
    view.answer("1")
    captions = {arrow["edge"]: arrow["caption"] for arrow in view.shown["contributions"]}
    assert captions == {"2-0": "1 \N{MULTIPLICATION SIGN} 1 = 1", "2-1": "?"}


# -- what cannot be asked -----------------------------------------------------------------------


def test_too_many_nodes_are_refused_with_their_number() -> None:
    y = Value(1.0)
    for _ in range(60):
        y = y * 1.01
    with pytest.raises(ValueError, match=r"61 nodes .* limit is 60.*earlier node.*GraphExplorer"):
        Predict(y)


def test_a_gradient_that_is_no_number_is_refused_with_its_name() -> None:
    x = Value(1e200, "x")
    graph = Graph.of((x * 1e100) * 1e-300, {})
    far = Graph(tuple(replace(n, local_derivatives=(1e300,) * len(n.inputs)) for n in graph.nodes))
    with pytest.raises(OverflowError, match=r"gradient left the range.*on to 'x'"):
        Predict(far)


def test_other_input_is_refused() -> None:
    with pytest.raises(TypeError):
        Predict(3.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'gradients' or 'contributions', got 'all'"):
        Predict(square_and_more(), ask="all")
    with pytest.raises(ValueError, match="no contribution"):
        Predict(Value(3.0, "x"), ask="contributions")
    with Tape():
        x = Value(1.0)
        y = x * x
    with pytest.raises(ReleasedError):
        Predict(y)


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", '"]; & < ]]>', "\0\n", "x" * 500])
def test_labels_are_only_text(label: str) -> None:
    x = Value(3.0, label)
    y = x * x
    y.label = label
    view = Predict(y)
    view.answer("9")
    view.answer("1")
    view.answer("3")
    drawing = view._repr_mimebundle_()[0]["image/svg+xml"]
    tags = {element.tag.split("}")[1] for element in ET.fromstring(drawing).iter()}
    assert tags == {"svg", "title", "g", "path", "polygon", "rect", "text"}
    assert all(len(sentence) < 300 for sentence in view.shown["verdict"]["sentences"])
    assert repr(view).replace("\n", "").isprintable()


def test_without_a_renderer_there_is_a_table_and_how_to_get_a_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REVERSE_WALK_DOT", "")
    view = Predict(square_and_more())
    assert "graphviz-pure" in view.payload["notice"]
    assert "image/svg+xml" not in view._repr_mimebundle_()[0]
    assert view.answer("1").right


def test_what_the_page_gets_is_plain_data() -> None:
    view = Predict(seven_nodes())
    view.answer("3")
    assert json.loads(json.dumps(view.payload)) == view.payload
    assert json.loads(json.dumps(view.shown)) == view.shown


def test_a_question_knows_the_size_of_its_terms() -> None:
    walk = reverse_walk(Graph.of(square_and_more(), {}))
    output, *_, last = questions(walk)
    assert isinstance(output, Question)
    assert output.scale == 1.0
    assert last.scale == 3.0


def test_what_is_known_of_nodes_that_share_a_name_is_kept_apart() -> None:
    view = Predict(same_name())
    assert list(view.state.gradients) == ["a", "b", "a * b (n2)", "a * b * 2", "a * b (n4)", "y"]
    while not view.state.finished:
        view.answer(answer_of(view))
    assert list(view.state.gradients.values()) == [9.0, 6.0, 2.0, 1.0, 1.0, 1.0]
