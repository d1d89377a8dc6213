"""What a learner hears after an answer: right, nearly right, or which mistake it was."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.walk import Contribution, Walk
from engine.words.answers import NotANumber, typed_number
from engine.words.mistakes import (
    Mistake,
    Question,
    WrongAnswer,
    explanations,
    is_rounded,
    is_rounded_too_far,
    is_same,
)
from engine.words.naming import TIMES, number, operand, title
from engine.words.naming import name as node_name

RIGHT, WRONG, UNREAD, SHOWN = "\u2713", "\u2717", "?", "\u2192"
ORDINALS = ("first", "second")
TRIES_BEFORE_SHOWING = 2
MOST_TERMS = 6
NOT_COUNTED = "This does not count as a try."
AFTER_TRIES = "Try again, or press \u201cShow me\u201d."


@dataclass(frozen=True)
class Verdict:
    """What is said about one answer.

    Attributes:
        sign: a check mark, a cross, a question mark for what is no number, or an arrow where the
            answer was shown.
        heading: the verdict in one line.
        sentences: the hints, if there are any.
        right: whether the question is answered.
        counted: whether it was a try.
        mistakes: what may have gone wrong; several where they give the same number here.
    """

    sign: str
    heading: str
    sentences: tuple[str, ...] = ()
    right: bool = False
    counted: bool = True
    mistakes: tuple[Mistake, ...] = ()

    def __str__(self) -> str:
        return "\n".join((f"{self.sign} {self.heading}", *self.sentences))


def question_text(walk: Walk, question: Question) -> str:
    """The question in words.

    >>> from engine import Graph, Value, reverse_walk
    >>> from engine.words.mistakes import questions
    >>> x = Value(3.0)
    >>> y = x * x
    >>> walk = reverse_walk(Graph.of(y))
    >>> question_text(walk, questions(walk)[1])
    'What is x.grad?'
    >>> question_text(walk, questions(walk, single=True)[0])
    'What does y contribute to x.grad as its first input?'
    """
    name = node_name(walk.graph, question.node)
    if not question.single:
        return f"What is {name}.grad?"
    (contribution,) = question.contributions
    source = walk.graph.nodes[contribution.source]
    twice = source.inputs.count(question.node) > 1
    which = f" as its {ORDINALS[contribution.slot]} input" if twice else ""
    return (
        f"What does {node_name(walk.graph, contribution.source)} contribute to {name}.grad{which}?"
    )


def judge(walk: Walk, question: Question, text: str, tries: int) -> Verdict:
    """Compare what was typed with the answer.

    Args:
        walk: the walk the question is about.
        question: what was asked.
        text: what was typed.
        tries: how many wrong answers came before.

    >>> from engine import Graph, Value, reverse_walk
    >>> from engine.words.mistakes import questions
    >>> x = Value(3.0)
    >>> u = x * x
    >>> y = u + x
    >>> walk = reverse_walk(Graph.of(y))
    >>> print(judge(walk, questions(walk)[2], "4", tries=0))
    ✗ Not 4.
    u = x * x uses x twice: each use gives a contribution of its own.
    >>> print(judge(walk, questions(walk)[2], "7", tries=1))
    ✓ Right: x.grad = 1 × 1 + 3 × 1 + 3 × 1 = 7.
    """
    try:
        typed = typed_number(text)
    except NotANumber as problem:
        return Verdict(UNREAD, str(problem), (NOT_COUNTED,), counted=False)
    verdict = judge_number(walk, question, typed, number(typed))
    if verdict.sign == WRONG and tries + 1 >= TRIES_BEFORE_SHOWING:
        return replace(verdict, sentences=(*verdict.sentences, AFTER_TRIES))
    return verdict


def judge_number(
    walk: Walk,
    question: Question,
    typed: float,
    written: str,
    made: Sequence[WrongAnswer] | None = None,
) -> Verdict:
    """Compare a number with the answer, however many tries there were.

    Args:
        walk: the walk the question is about.
        question: what was asked.
        typed: the number.
        written: what the verdict calls it.
        made: the ``wrong_answers`` to the question, worked out anew when None.
    """
    if is_same(typed, question.answer, question.scale):
        return Verdict(RIGHT, f"Right: {calculation(walk, question)}.", right=True)
    found = explanations(walk, question, typed, made)
    if not found and is_rounded(typed, question.answer):
        return Verdict(
            RIGHT,
            f"Right, but for the rounding: {calculation(walk, question)}.",
            (f"{written} is close enough.",),
            right=True,
        )
    if not found and is_rounded_too_far(typed, question.answer):
        return Verdict(
            UNREAD,
            f"Close: {written} is rounded too far.",
            (f"Give three digits or more. {NOT_COUNTED}",),
            counted=False,
            mistakes=(Mistake.ROUNDING,),
        )
    hints = maybe([wrong.hint for wrong in found]) or (_what_to_do(walk, question),)
    heading = f"Not {written}."
    if len(found) > 1:
        heading += f" {mistakes_that_give(len(found), written)}"
    mistakes = tuple(wrong.mistake for wrong in found) or (Mistake.OTHER,)
    return Verdict(WRONG, heading, hints, mistakes=mistakes)


def shown_answer(walk: Walk, question: Question) -> Verdict:
    """What is said where the answer is given away."""
    return Verdict(SHOWN, f"Shown: {calculation(walk, question)}.", counted=False)


def calculation(walk: Walk, question: Question) -> str:
    """How the answer comes about.

    >>> from engine import Graph, Value, reverse_walk
    >>> from engine.words.mistakes import questions
    >>> a = Value(2.0)
    >>> y = a * -3
    >>> walk = reverse_walk(Graph.of(y))
    >>> [calculation(walk, question) for question in questions(walk)]
    ['y.grad = 1, the seed gradient', 'a.grad = −3 × 1 = −3']
    """
    name, answer = node_name(walk.graph, question.node), number(question.answer)
    terms = question.contributions
    if not terms:
        return f"{name}.grad = {answer}, the seed gradient"
    if len(terms) > MOST_TERMS:
        return f"{name}.grad is the sum of {len(terms)} contributions, {answer}"
    first, *rest = terms
    products = [_factors(number(first.local_derivative), first)]
    products += [_factors(operand(c.local_derivative), c) for c in rest]
    total = f"{' + '.join(products)} = {answer}"
    if question.single:
        return f"{node_name(walk.graph, first.source)} contributes {total} to {name}.grad"
    return f"{name}.grad = {total}"


def _factors(local_derivative: str, contribution: Contribution) -> str:
    return f"{local_derivative} {TIMES} {operand(contribution.upstream)}"


def _what_to_do(walk: Walk, question: Question) -> str:
    name = node_name(walk.graph, question.node)
    output = node_name(walk.graph, walk.graph.output.index)
    if not question.contributions:
        return f"The walk starts at {name}: if {name} moves a little, how far does {name} move?"
    if question.single:
        (contribution,) = question.contributions
        source = node_name(walk.graph, contribution.source)
        return (
            f"Multiply the local derivative of {title(walk.graph, contribution.source)} for "
            f"{name} by the upstream gradient {source}.grad."
        )
    times = len(question.contributions)
    sources = dict.fromkeys(title(walk.graph, c.source) for c in question.contributions)
    uses = "once" if times == 1 else f"{times} times"
    return (
        f"On the way to {output}, {name} is used {uses}: in {' and in '.join(sources)}. Each use "
        f"contributes local derivative {TIMES} upstream gradient."
    )


def maybe(hints: Sequence[str]) -> tuple[str, ...]:
    """Hints of which one will be true.

    >>> maybe(["Add."]), maybe(["Add.", "Multiply."])
    (('Add.',), ('Maybe: Add.', 'Or: Multiply.'))
    """
    if len(hints) < 2:
        return tuple(hints)
    return (f"Maybe: {hints[0]}", *(f"Or: {hint}" for hint in hints[1:]))


def mistakes_that_give(count: int, written: str) -> str:
    """What is said where several mistakes lead to one number.

    >>> mistakes_that_give(2, "6")
    'Two mistakes give 6 here.'
    """
    many = {2: "Two", 3: "Three", 4: "Four"}.get(count, str(count))
    return f"{many} mistakes give {written} here."
