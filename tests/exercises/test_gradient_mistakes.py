"""Of the mistakes that lead to a wrong gradient, the likely one is named first."""

from __future__ import annotations

from engine import Graph, Value, reverse_walk
from engine.course.checks.calculations import judge_gradients
from engine.words import mistakes, verdicts
from engine.words.mistakes import Mistake


def three_ways() -> tuple[Value, dict[str, Value]]:
    """Here x gets 18 from y, 3 from v and 15 from u."""
    x, w = Value(3.0), Value(5.0)
    u = x * w
    v = u + x
    y = v * x
    return y, {"x": x, "w": w, "u": u, "v": v, "y": y}


def two_ways() -> tuple[Value, dict[str, Value]]:
    """Here r gets 2 from t and -1 from y: without the first, the sign alone seems wrong."""
    r, s = Value(2.0), Value(-3.0)
    t = s + r
    y = t * r
    return y, {"r": r, "s": s, "t": t, "y": y}


def told(made: tuple[Value, dict[str, Value]], **answers: float) -> str:
    found = judge_gradients(*made, answers)
    assert found is not None
    return found.words


def test_one_missing_contribution_comes_before_what_is_far_fetched() -> None:
    assert told(three_ways(), x=33.0) == (
        "x: Something is missing: look again at what x gets from v."
    )


def test_where_the_number_does_not_tell_which_is_missing_none_is_named() -> None:
    words = told(three_ways(), x=18.0)
    assert "from y, from v and from u. Which of them" in words
    assert "look again" not in words


def test_a_missing_contribution_and_a_wrong_sign_are_both_named() -> None:
    words = told(two_ways(), r=-1.0)
    assert words.startswith("r: Two mistakes give -1 here. Maybe: ")
    assert 0 < words.index("what r gets from t") < words.index("Or: ") < words.index("the sign")


def test_the_view_names_them_in_the_same_order() -> None:
    output, names = two_ways()
    walk = reverse_walk(Graph.of(output, names))
    question = next(q for q in mistakes.questions(walk) if walk.graph.names[q.node] == "r")
    verdict = verdicts.judge(walk, question, "-1", tries=0)
    assert verdict.mistakes == (Mistake.LEFT_OUT, Mistake.SIGN)


def test_what_a_known_mistake_says_already_is_not_said_twice() -> None:
    words = told(three_ways(), x=15.0)
    assert "last contribution" in words
    assert "missing" not in words
