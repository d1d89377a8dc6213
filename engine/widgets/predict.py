"""``Predict(y)``: type each gradient before it is shown, and hear which mistake a wrong one is."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Self

import traitlets

from engine.graph import Graph
from engine.text import number_text, shown, table_lines
from engine.value import Value
from engine.walk import Walk, reverse_walk
from engine.widgets import front_end, kept
from engine.widgets.payload import drawings
from engine.widgets.reverse_walk import LARGEST_STEPPED
from engine.widgets.view import View
from engine.words.mistakes import Distinction, Question, distinctions, questions
from engine.words.naming import graph_summary, number, product, title
from engine.words.naming import name as node_name
from engine.words.verdicts import (
    RIGHT,
    SHOWN,
    TRIES_BEFORE_SHOWING,
    UNREAD,
    WRONG,
    Verdict,
    judge,
    question_text,
    shown_answer,
)

ASKS = ("gradients", "contributions")
UNKNOWN = "?"
HINT = (
    "Type a number and press Enter: 6, \N{MINUS SIGN}0.5, 0,5, 1/3 and 2e\N{MINUS SIGN}3 are "
    "understood."
)
NO_PYTHON = (
    "Python checks the answers, and does not reply. If it is not busy with another cell, run this "
    "cell again."
)
# A page without Python fills in the same sentences.
SUMMARY = {
    "first": "{count} of {total} right at the first try{shown}.",
    "shown": ", {count} shown",
    "none": "No mistake was made.",
    "some": "What went wrong on the way:",
    "made": "\N{BULLET} {mistake}: {times}",
    "1": "once",
    "2": "twice",
    "times": "{count} times",
}
NOTHING_LEFT = "Every question is answered. Start again for another round."


@dataclass(frozen=True)
class Outcome:
    """How one question went.

    Attributes:
        question: its words.
        tries: how many answers it took, 0 if there was none.
        shown: whether the answer was given away.
        mistakes: what was recognized in each wrong answer.
    """

    question: str
    tries: int
    shown: bool
    mistakes: tuple[str, ...]

    @property
    def at_first_try(self) -> bool:
        """Whether the first answer was right."""
        return self.tries == 1 and not self.shown


@dataclass(frozen=True)
class Summary:
    """How a round went so far.

    Attributes:
        outcomes: one for each question that is done.
        total: the number of questions.
    """

    outcomes: tuple[Outcome, ...]
    total: int

    @property
    def first_try(self) -> int:
        """How many were right at the first try."""
        return sum(outcome.at_first_try for outcome in self.outcomes)

    @property
    def shown(self) -> int:
        """How many were given away."""
        return sum(outcome.shown for outcome in self.outcomes)

    @property
    def mistakes(self) -> dict[str, int]:
        """How often each kind of mistake was made, the most frequent first."""
        made = Counter(mistake for outcome in self.outcomes for mistake in outcome.mistakes)
        return dict(made.most_common())

    @property
    def sentences(self) -> tuple[str, ...]:
        """The summary in words."""
        words = SUMMARY
        given_away = words["shown"].format(count=self.shown) if self.shown else ""
        first = words["first"].format(count=self.first_try, total=self.total, shown=given_away)
        if not self.mistakes:
            return first, words["none"]
        said = [first, words["some"]]
        for mistake, count in self.mistakes.items():
            times = words.get(str(count), words["times"]).format(count=count)
            said.append(words["made"].format(mistake=mistake, times=times))
        return tuple(said)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@dataclass(frozen=True)
class PredictState:
    """What a ``Predict`` shows now.

    Attributes:
        question: what is asked, "" when every question is answered.
        number: the number of this question, from 1.
        total: how many there are.
        tries: how many wrong answers there were to this question.
        gradients: what is known of each node, by name; None where nothing is. Nodes that share a
            name have their place in it as well, such as ``a * b (n2)``.
        verdict: what was said to the last answer, None before the first.
    """

    question: str
    number: int
    total: int
    tries: int
    gradients: dict[str, float | None]
    verdict: Verdict | None

    @property
    def finished(self) -> bool:
        """Whether every question is answered."""
        return not self.question


class Predict(View):
    """Be asked for each gradient of a reverse walk before it is shown.

    What has not been answered is in Python alone: neither in the page nor in a synchronized trait.
    (A page that was made for reading without Python is the exception: ``engine.widgets.kept``.)
    A wrong answer gets the hint for the mistake it comes from, and after two tries the answer can
    be shown.

    Args:
        output: the last number of the calculation, or a Graph kept from it.
        ask: ``"gradients"`` for the gradient of each node after all contributions, or
            ``"contributions"`` for each contribution on its own.
        presenter: begin in presenter mode, with large type for a projector.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        ValueError: ``ask`` is something else, there is nothing to ask, or too much, or a gradient
            is not a finite number.

    >>> x = Value(3.0)
    >>> u = x * x
    >>> y = u + x
    >>> view = Predict(y)
    >>> view.question
    'What is y.grad?'
    >>> print(view.answer("12"))
    ✗ Not 12.
    That is the data of y. Its gradient says how far y moves if y moves a little.
    >>> [view.answer(text).right for text in ("1", "1", "7")]
    [True, True, True]
    >>> print(view.summary)
    2 of 3 right at the first try.
    What went wrong on the way:
    • gave the data for the gradient: once
    """

    _esm = front_end.script("predict")

    shown = traitlets.Dict().tag(sync=True)

    def __init__(
        self, output: Value | Graph, ask: str = "gradients", presenter: bool = False
    ) -> None:
        if ask not in ASKS:
            raise ValueError(f"ask is {ASKS[0]!r} or {ASKS[1]!r}, got {shown(ask)}.")
        graph = output if isinstance(output, Graph) else Graph.of(output)
        self._walk = _readable_walk(graph)
        self._questions = questions(self._walk, single=ask == "contributions")
        if not self._questions:
            raise ValueError(
                f"{node_name(graph, 0)} was not made from anything, so there is no contribution "
                "to ask for. Choose the result of a calculation."
            )
        self._turn = 0
        self._begin()
        answers = {"answers": kept.curtained(self._round())} if kept.is_wanted() else {}
        super().__init__(
            view="predict",
            payload={**self._payload(), **answers},
            shown=self._page(),
            presenter=presenter,
        )
        self.on_msg(self._hear)

    @property
    def graph(self) -> Graph:
        """The graph that is asked about; its gradients are all 0."""
        return self._walk.graph

    @property
    def question(self) -> str:
        """The words of the current question, "" when every question is answered."""
        question = self._question
        return question_text(self._walk, question) if question else ""

    @property
    def state(self) -> PredictState:
        """What is shown now."""
        return PredictState(
            question=self.question,
            number=min(len(self._outcomes) + 1, len(self._questions)),
            total=len(self._questions),
            tries=len(self._wrong),
            gradients=dict(zip(self.graph.own_names, self._known(), strict=True)),
            verdict=self._verdict,
        )

    @property
    def summary(self) -> Summary:
        """How it went so far."""
        return Summary(tuple(self._outcomes), len(self._questions))

    def answer(self, text: str | float) -> Verdict:
        """Answer the current question.

        Args:
            text: what would be typed; a plain number is taken as well.

        Returns:
            The verdict. A right answer brings the next question.
        """
        question = self._question
        if question is None:
            return self._say(Verdict(UNREAD, NOTHING_LEFT, counted=False))
        verdict = judge(self._walk, question, str(text), len(self._wrong))
        if verdict.mistakes:
            self._made.append(" or ".join(verdict.mistakes))
        if verdict.right:
            self._finish_question(given_away=False)
        elif verdict.counted:
            self._wrong.append(verdict)
        return self._say(verdict)

    def show_me(self) -> Verdict:
        """Give the answer away, after two tries.

        Returns:
            The answer and how it comes about; or, before that, what to do first.
        """
        question = self._question
        if question is None:
            return self._say(Verdict(UNREAD, NOTHING_LEFT, counted=False))
        if not self._may_show:
            return self._say(
                Verdict(UNREAD, "The answer can be shown after two tries.", counted=False)
            )
        self._finish_question(given_away=True)
        return self._say(shown_answer(self._walk, question))

    def start_again(self) -> Self:
        """Forget every answer and ask from the beginning.

        Returns:
            This view, so that a cell can end with it.
        """
        self._begin()
        self._refresh()
        return self

    def distinguishes(self) -> tuple[Distinction, ...]:
        """For each question, which mistakes it can tell apart, for choosing good examples.

        Mistakes in one group give the same number, and their hints are given together; those that
        are ``unseen`` give the right number.

        >>> x = Value(3.0)
        >>> *_, about_x = Predict(x * x).distinguishes()
        >>> [str(mistake) for mistake in about_x.unseen]
        ['forgot the upstream gradient', "used its own data instead of the other input's"]
        """
        return distinctions(self._walk, self._questions)

    def picture(self) -> str | None:
        """The drawing with the gradients that are known now."""
        drawn = self._drawings([_text(gradient) for gradient in self._known()])["svg"]
        return drawn[0] if drawn else None

    def __repr__(self) -> str:
        rows = [("node", "data", "grad")]
        rows += [
            (title(self.graph, node.index), _plain(node.data), _plain(gradient))
            for node, gradient in zip(self.graph.nodes, self._known(), strict=True)
        ]
        return "\n".join((self._heading(), *table_lines(rows)))

    # What has been answered.

    def _begin(self) -> None:
        self._outcomes: list[Outcome] = []
        self._verdict: Verdict | None = None
        self._begin_question()

    def _begin_question(self) -> None:
        self._wrong: list[Verdict] = []
        self._made: list[str] = []

    @property
    def _question(self) -> Question | None:
        done = len(self._outcomes)
        return self._questions[done] if done < len(self._questions) else None

    @property
    def _may_show(self) -> bool:
        return self._question is not None and len(self._wrong) >= TRIES_BEFORE_SHOWING

    def _finish_question(self, given_away: bool) -> None:
        tries = len(self._wrong) + (not given_away)
        self._outcomes.append(Outcome(self.question, tries, given_away, tuple(self._made)))
        self._begin_question()

    def _known(self) -> list[float | None]:
        known: list[float | None] = [None] * len(self.graph)
        for question in self._questions[: len(self._outcomes)]:
            if question.single:
                known[question.node] = question.contributions[0].after
            else:
                known[question.node] = question.answer
        if self._questions[0].single:
            known[self.graph.output.index] = 1.0
        return known

    # What the front end is told.

    def _say(self, verdict: Verdict) -> Verdict:
        self._verdict = verdict
        self._refresh()
        return verdict

    def _refresh(self) -> None:
        self._turn += 1
        self.shown = self._page()

    def _hear(self, _: object, message: dict[str, Any], __: object) -> None:
        if message.get("turn") != self._turn:
            return  # it was sent before the last answer had been judged
        if message.get("kind") == "answer":
            self.answer(str(message.get("text", "")))
        elif message.get("kind") == "show":
            self.show_me()
        elif message.get("kind") == "again":
            self.start_again()

    def _payload(self) -> dict[str, Any]:
        return {
            "summary": f"Predict. {graph_summary(self.graph)}.",
            **self._drawings([UNKNOWN] * len(self.graph)),
            "hint": HINT,
            "caption": "The order of the walk",
            "columns": ["", "node", "data", "grad", "tries"],
            "noPython": NO_PYTHON,
        }

    def _round(self) -> dict[str, Any]:
        """All that this view would tell in a round of right answers, and what it would judge."""
        asked = []
        for question in self._questions:
            page = self._page()
            self._wrong.append(Verdict(WRONG, ""))
            arrows = self._contributions()
            self._finish_question(given_away=False)
            asked.append(
                {
                    "page": page,
                    "arrowsAfterTry": arrows,
                    "row": self._walk.order.index(question.node),
                    "shown": kept.words(shown_answer(self._walk, question)),
                    **kept.verdicts(self._walk, question),
                }
            )
        end = self._page()
        self._begin()
        return {
            "questions": asked,
            "end": end,
            "summary": SUMMARY,
            "shownSign": SHOWN,
            **kept.ways_to_judge(),
        }

    def _drawings(self, gradients: list[str]) -> dict[str, Any]:
        # One width for all boxes, so that none of them tells how long its own gradient is.
        walk = self._walk
        single = self._questions[0].single
        made = [c for step in walk.steps for c in step.contributions] if single else []
        widths = (*walk.gradients, *(c.after for c in made))
        return drawings(self.graph, widths, [UNKNOWN, *map(product, made)], gradients)

    def _page(self) -> dict[str, Any]:
        verdict, finished = self._verdict, self._question is None
        return {
            "turn": self._turn,
            "asked": len(self._outcomes),
            "heading": self._heading(),
            "question": self.question,
            "place": f"{len(self._outcomes)} / {len(self._questions)}",
            "verdict": verdict and kept.words(verdict),
            "mayShow": self._may_show,
            "finished": finished,
            "summary": list(self.summary.sentences) if finished else [],
            "nodes": self._nodes(),
            "contributions": self._contributions(),
            "rows": self._rows(),
        }

    def _heading(self) -> str:
        question, total = self._question, len(self._questions)
        if question is None:
            return f"All {total} questions are answered" if total > 1 else "Answered"
        return f"Question {len(self._outcomes) + 1} of {total}: {self.question}"

    def _nodes(self) -> list[dict[str, Any]]:
        known = self._known()
        states = [self._node_state(index) for index in range(len(self.graph))]
        receiving = self._question.node if self._question and self._question.single else None
        return [
            {
                "state": state,
                "grad": _text(gradient),
                "receives": index == receiving,
                "sign": "+=" if index == receiving else _SIGNS[state],
            }
            for index, (state, gradient) in enumerate(zip(states, known, strict=True))
        ]

    def _node_state(self, index: int) -> str:
        question = self._question
        if question is None:
            return "done"
        order = self._walk.order
        now = question.contributions[0].source if question.single else question.node
        if index == now:
            return "current"
        return "done" if order.index(index) < order.index(now) else "waiting"

    def _contributions(self) -> list[dict[str, Any]]:
        question = self._question
        if question is None or not (question.single or self._wrong):
            return []
        shown = [_arrow(c.source, c.slot, UNKNOWN) for c in question.contributions]
        if question.single:
            source = question.contributions[0].source
            done = self._questions[: len(self._outcomes)]
            answered = [q.contributions[0] for q in done if q.contributions[0].source == source]
            shown += [_arrow(c.source, c.slot, product(c)) for c in answered]
        return shown

    def _rows(self) -> list[dict[str, Any]]:
        known = self._known()
        return [
            {
                "state": self._node_state(node),
                "cells": [
                    self._sign(node),
                    title(self.graph, node),
                    number(self.graph.nodes[node].data),
                    _text(known[node]),
                    self._tries(node),
                ],
            }
            for node in self._walk.order
        ]

    def _sign(self, node: int) -> str:
        state = self._node_state(node)
        return SHOWN if state == "done" and "shown" in self._tries(node) else _SIGNS[state]

    def _tries(self, node: int) -> str:
        """How the questions about a node went, one after the other."""
        done = zip(self._questions, self._outcomes, strict=False)
        return ", ".join(
            "shown" if outcome.shown else str(outcome.tries)
            for question, outcome in done
            if question.node == node
        )


_SIGNS = {"done": RIGHT, "current": "now", "waiting": ""}


def _arrow(source: int, slot: int, caption: str) -> dict[str, Any]:
    return {"edge": f"{source}-{slot}", "caption": caption}


def _text(gradient: float | None) -> str:
    return UNKNOWN if gradient is None else number(gradient)


def _plain(value: float | None) -> str:
    return UNKNOWN if value is None else number_text(value)


def _readable_walk(graph: Graph) -> Walk:
    if len(graph) > LARGEST_STEPPED:
        raise ValueError(
            f"{len(graph)} nodes are too many to be asked for one by one (the limit is "
            f"{LARGEST_STEPPED}). Choose an earlier node of the calculation; GraphExplorer(y) "
            "shows all of it."
        )
    return reverse_walk(graph.with_gradients([0.0] * len(graph)))
