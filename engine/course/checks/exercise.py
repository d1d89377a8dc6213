"""What an exercise is made of: an answer's shape, what is right, and each known kind of wrong.

There are two kinds of exercises. The answer to an :class:`AnswerExercise` is data: a number, a
word, a dictionary, a recorded calculation. The answer to a :class:`FunctionExercise` is a function
that the learner writes; it is run on several cases in a process of its own.

Both say "not tried yet" by themselves, and both look at the shape of an answer before its value.
Nothing that is right is typed in: it is computed by the engine or measured.

>>> from engine import central_difference
>>> def judge(answer):
...     right = central_difference(lambda x: x * x, [3.0])[0]
...     return among(answer, right, WrongNumber(9.0, "data", "That is x*x itself."))
>>> exercise = AnswerExercise(
...     name="00.1", title="Wiggle", right="It is steep.", hints=("Move it.",),
...     shape=number, judge=judge,
... )
>>> exercise.judge(9.0)
Finding(kind='data', words='That is x*x itself.')
>>> exercise.judge(6.0) is None
True
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.course.checks.mistakes import Suspect as Suspect
from engine.course.checks.mistakes import WrongNumber as WrongNumber
from engine.course.checks.mistakes import suspects, written, wrong_numbers
from engine.course.checks.packing import Packed
from engine.course.checks.plain import Array, Calculation, Other, in_words, same
from engine.text import number_text

ROUGH = 5e-3  # relative: so near that the learner has rounded, not misunderstood


class Finding(NamedTuple):
    """What kind of wrong an answer is.

    Attributes:
        kind: one or two words, for tests and for telling findings apart.
        words: for the learner, with the learner's own number and without the right one.
    """

    kind: str
    words: str


Shape = Callable[[Any], Finding | None]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What both kinds of exercises have.

    Attributes:
        name: chapter and number, such as ``"05.2"``.
        title: as its heading in the notebook says it.
        right: what to say besides "right": one sentence that looks back at the idea.
        hints: one to three, each helping more than the one before; none gives the answer.
        task: what learners read, for an exercise of which the notebook gets all its cells from
            here; ``""`` where the notebook of solutions has them.
        answer: with a ``task``, the source of the answer cell with nbgrader's marks in it; a
            function needs it only where more of it is given than its first lines.
    """

    name: str
    title: str
    right: str
    hints: tuple[str, ...]
    task: str = ""
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class AnswerExercise(Exercise):
    """An exercise whose answer is data.

    Attributes:
        shape: what is wrong with the shape or the type of an answer, None if nothing is.
        judge: what is wrong with an answer of the right shape, None if it is right. It gets
            floats for all numbers, and a :class:`plain.Calculation` for a ``Value``.
    """

    shape: Shape
    judge: Callable[[Any], Finding | None]


@dataclass(frozen=True)
class Case:
    """One set of inputs for a learner's function.

    Attributes:
        words: how to name it to the learner, such as ``"area at 3"``.
        arguments: makes the inputs anew for each run.
        too_long: what to say where a function that is right on the cases before does not come to
            an end on this one; ``""`` for a case that a slow function can run too. These come
            first.
    """

    words: str
    arguments: Callable[[], tuple[Any, ...]]
    too_long: str = ""


def given_back(_arguments: tuple[Any, ...], result: Any) -> Any:
    """What most functions are judged by: what they return."""
    return result


def as_they_are(_arguments: tuple[Any, ...]) -> None:
    """Make inputs ready for another call where no call changes them."""


@dataclass(frozen=True, kw_only=True)
class FunctionExercise(Exercise):
    """An exercise whose answer is a function.

    Attributes:
        cases: the inputs it is run on.
        reference: what is right: the engine's own function, or a second computation.
        shape: what is wrong with the shape of one result.
        observe: what of a run is compared, from the inputs after the run and the result.
        solution: the function as a learner would write it; `course build` writes it into the
            solution's notebook, and the edits of ``mistakes`` change it.
        mistakes: known mistakes as text, the most telling first; see :mod:`.mistakes`.
        gives: how their words begin, behind the case and before what is compared.
        given: what solution and mistakes use from elsewhere, by name.
        suspects: the functions of those mistakes, and before them those that are no text.
        errors: kind and words by a part of the message of an error that a known mistake raises.
        forbidden: ``module.name`` of what a learner is to write without.
        tolerance: relative, for numbers.
        also: other functions that are right, where a form of the field gives other digits.
        accept: judges one observed result by its properties, where many are right; then the
            reference only has to be one of them.
        renew: makes the inputs of a call ready for another one, where a second call on the very
            same inputs can show what a function keeps in mind.
    """

    cases: tuple[Case, ...]
    reference: Callable[..., Any]
    shape: Shape
    observe: Callable[[tuple[Any, ...], Any], Any] = given_back
    solution: str = ""
    mistakes: str = ""
    gives: str = "it gives"
    given: Mapping[str, Any] = field(default_factory=dict)
    suspects: tuple[Suspect, ...] = ()
    errors: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    forbidden: Collection[str] = field(default=frozenset())
    tolerance: float = 1e-6
    also: tuple[Callable[..., Any], ...] = ()
    accept: Callable[[tuple[Any, ...], Any], Finding | None] | None = None
    renew: Callable[[tuple[Any, ...]], object] | None = None

    def __post_init__(self) -> None:
        listed = suspects(self.mistakes, self.solution, self.given, self.gives)
        object.__setattr__(self, "suspects", (*self.suspects, *listed))


# Shapes.


def placed(where: str, found: Finding) -> Finding:
    """A finding that says first where it was made.

    Args:
        where: in what is asked for.
        found: what is wrong there.

    >>> placed("x: ", Finding("type", "The answer is one number.")).words
    'x: the answer is one number.'
    """
    first, rest = found.words[:1], found.words[1:]
    begins_with_a_word = rest[:1].islower()
    return Finding(found.kind, f"{where}{first.lower() if begins_with_a_word else first}{rest}")


def one_letter_names(answer: Any) -> Any:
    """A list of names, also where the names of one letter each are written as one text.

    >>> one_letter_names("qps"), one_letter_names("q, p, s"), one_letter_names(["q"])
    (['q', 'p', 's'], ['q', 'p', 's'], ['q'])
    """
    if isinstance(answer, str):
        return [letter for letter in answer if letter not in ", "]
    return answer


def order_of_names(answer: Any) -> Finding | None:
    """Names of one letter each, in an order.

    >>> order_of_names(["q", "p"]) is None, order_of_names("qp") is None
    (True, True)
    >>> order_of_names(["q, p"]).words
    'Put each name in quotation marks of its own.'
    """
    if isinstance(answer, str) and answer:
        return None
    if not isinstance(answer, list | tuple):
        return Finding(
            "type",
            'The answer is a list of names such as ["q", "p"], and yours is '
            f"{in_words(answer)} ({_type_in_words(answer)}).",
        )
    other = next((name for name in answer if not isinstance(name, str)), None)
    if other is not None:
        return Finding("type", f"Write the names in quotation marks; {in_words(other)} is no text.")
    if any("," in name for name in answer):
        return Finding("marks", "Put each name in quotation marks of its own.")
    return None


def number(answer: Any) -> Finding | None:
    """One plain number.

    >>> number(6.0) is None, number("6").kind
    (True, 'text')
    """
    if isinstance(answer, float):
        return None
    if isinstance(answer, str):
        return Finding(
            "text", f"{in_words(answer)} is text: write the number without quotation marks."
        )
    if isinstance(answer, Calculation):
        return Finding(
            "value",
            f"This is {in_words(answer)}. Asked for is a plain number: take its .data or its "
            ".grad, whichever the question means.",
        )
    if isinstance(answer, Packed):
        return Finding(
            "function", f"This is {in_words(answer)} itself. Asked for is a number: call it."
        )
    return _wrong_type("one number", answer)


def numbers(*names: str) -> Shape:
    """A dictionary with a number for each name.

    Args:
        *names: its keys.

    >>> numbers("a", "b")({"a": 1.0}).words
    'The number for b is missing.'
    """

    def shape(answer: Any) -> Finding | None:
        if not isinstance(answer, dict):
            return _wrong_type(f"a dictionary with {_listed(names)}", answer)
        missing = [name for name in names if name not in answer]
        if missing:
            are = "number for {} is" if len(missing) == 1 else "numbers for {} are"
            return Finding("missing", f"The {are.format(_listed(missing))} missing.")
        extra = [key for key in answer if key not in names]
        if extra:
            return Finding("extra", f"Nobody asked for {_listed(map(in_words, extra))}.")
        for name in names:
            found = number(answer[name])
            if found:
                return placed(f"{name}: ", found)
        return None

    return shape


def one_of(*words: str) -> Shape:
    """One of a few words.

    Args:
        *words: to choose from.

    >>> one_of("yes", "no")("maybe").words
    "'maybe' is none of the words to choose from: 'yes' and 'no'."
    """

    def shape(answer: Any) -> Finding | None:
        if answer in words and isinstance(answer, str):
            return None
        choice = _listed(repr(word) for word in words)
        if isinstance(answer, str):
            return Finding(
                "choice", f"{in_words(answer)} is none of the words to choose from: {choice}."
            )
        return _wrong_type(f"one of the words {choice}", answer)

    vars(shape)["words"] = words
    return shape


def tidied(shape: Shape, answer: Any) -> Any:
    """An answer in which a word to choose is written as the exercise writes it.

    Args:
        shape: of the answer.
        answer: of a learner.

    >>> tidied(all_of("ab", one_of("up", "down")), {"a": "Up", "b": " down"})
    {'a': 'up', 'b': 'down'}
    """
    if isinstance(answer, str):
        words = vars(shape).get("words", ())
        return next((w for w in words if w.casefold() == answer.strip().casefold()), answer)
    parts = vars(shape).get("parts", {})
    if isinstance(answer, dict) and parts:
        return {k: tidied(parts[k], part) if k in parts else part for k, part in answer.items()}
    return answer


def fields(**shapes: Shape) -> Shape:
    """A dictionary with a shape of its own for each name.

    Args:
        **shapes: by name.

    >>> fields(step=number, kind=one_of("up", "down"))({"step": 1.0, "kind": 2.0}).words
    "kind: the answer is one of the words 'up' and 'down', and yours is 2 (a number)."
    """

    def shape(answer: Any) -> Finding | None:
        if not isinstance(answer, dict):
            return _wrong_type(f"a dictionary with {_listed(shapes)}", answer)
        for name, inner in shapes.items():
            if name not in answer:
                return Finding("missing", f"{name} is missing.")
            found = inner(answer[name])
            if found:
                return placed(f"{name}: ", found)
        return None

    vars(shape)["parts"] = shapes
    return shape


def all_of(names: Iterable[str], inner: Shape) -> Shape:
    """A dictionary with one shape for all names.

    Args:
        names: its keys.
        inner: the shape of each.

    >>> all_of("ab", one_of("up", "down"))({"a": "up"}).words
    'b is missing.'
    """
    return fields(**dict.fromkeys(names, inner))


def gradients_by_name(observed: dict[str, Any]) -> Finding | None:
    """What a learner's walk left in each node, by its name: a number, whatever it is.

    >>> gradients_by_name({"x": 6.0}) is None, gradients_by_name({"x": "6"}).kind
    (True, 'text')
    """
    for name, gradient in observed.items():
        found = number(gradient)
        if found:
            return placed(f"the gradient of {name}: ", found)
    return None


def calculation(answer: Any) -> Finding | None:
    """A recorded number, a ``Value``.

    >>> calculation(6.0).kind
    'no record'
    """
    if isinstance(answer, Calculation):
        return None
    if isinstance(answer, float):
        return Finding(
            "no record",
            f"{in_words(answer)} is a plain number, and a plain number forgets what made it. "
            "Calculate with Values.",
        )
    return _wrong_type("a Value", answer)


def _wrong_type(wanted: str, answer: Any) -> Finding:
    yours = f"{in_words(answer)} ({_type_in_words(answer)})"
    return Finding("type", f"The answer is {wanted}, and yours is {yours}.")


def _type_in_words(answer: Any) -> str:
    if isinstance(answer, Other | Array):
        return answer.type
    names = {
        float: "a number",
        str: "text",
        bool: "true or false",
        dict: "a dictionary",
        list: "a list",
        tuple: "a tuple",
        type(None): "nothing",
        type(...): "not filled in",
        Calculation: "a Value",
        Packed: "a function",
    }
    return names[type(answer)]


def _listed(words: Any) -> str:
    every = list(words)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


# Judging numbers.


def among(
    answer: float, right: float, *wrong: WrongNumber, tolerance: float = 1e-6, name: str = ""
) -> Finding | None:
    """Judge one number by the right one and by what known mistakes lead to.

    A wrong sign and a number rounded too far are recognized without being listed.

    Args:
        answer: the learner's number.
        right: the right one, computed.
        *wrong: what known mistakes lead to, the most telling first.
        tolerance: relative.
        name: what the number is for, where an answer has several.

    >>> among(-6.0, 6.0).kind, among(6.01, 6.0).kind, among(7.0, 6.0).words
    ('sign', 'rounded', '7 is not it.')
    """
    if same(answer, right, tolerance):
        return None
    before = f"{name}: " if name else ""
    yours = number_text(answer)
    told = [w for w in wrong if not same(w.number, right, tolerance)]
    made = {w.words: w for w in reversed(told) if same(answer, w.number, tolerance)}
    if made:
        first, *others = reversed(made.values())
        if first.kind in {other.kind for other in others} or not others:
            return Finding(first.kind, before + first.words)
        words = (f"Two mistakes give {yours} here. Maybe:", first.words, "Or:", others[0].words)
        return Finding(first.kind, before + " ".join(words))
    if same(answer, -right, tolerance):
        return Finding("sign", f"{before}{yours} has the right size and the wrong sign.")
    if abs(answer - right) <= ROUGH * abs(right):
        return Finding("rounded", f"{before}{yours} is close, but not close enough: more digits.")
    return Finding("other", f"{before}{yours} is not it.")


# Numbers whose mistakes are written as text.

Given = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
RIGHT = "= "


def number_by(
    given: Given, text: str, name: str = "", tolerance: float = 1e-6
) -> Callable[[float], Finding | None]:
    r"""Judge one number by expressions: of the right one, and of what mistakes lead to.

    Args:
        given: what the expressions use, by name, or what makes it.
        text: its first line is ``= expression``, the right number; mistakes follow, as
            :mod:`.mistakes` describes them.
        name: what the number is for, where an answer has several.
        tolerance: relative.

    >>> judge = number_by(lambda: {"x": 3.0}, "= 2 * x\ndata | x\n    {} is the data.")
    >>> judge(3.0).words, judge(6.0)
    ('3 is the data.', None)
    """
    right, _, mistakes = text.strip("\n").partition("\n")

    def judge(answer: float) -> Finding | None:
        variables = {**(given() if callable(given) else given), "name": name}
        wrong = wrong_numbers(mistakes, variables) if mistakes else ()
        number_ = eval(right.removeprefix(RIGHT), variables)
        return among(answer, number_, *wrong, name=name, tolerance=tolerance)

    return judge


def numbers_by(given: Given, **texts: str) -> Callable[[dict[str, float]], Finding | None]:
    """Judge a dictionary of numbers, each by its expressions, the first first.

    Args:
        given: what the expressions use, by name, or what makes it; ``name`` is that of the number.
        **texts: for each number, as in :func:`number_by`.
    """
    judges = {name: number_by(given, text, name) for name, text in texts.items()}

    def judge(answer: dict[str, float]) -> Finding | None:
        found = (judge(answer[name]) for name, judge in judges.items())
        return next(filter(None, found), None)

    return judge


def choices_by(
    right: Callable[[], Mapping[str, Any]], text: str
) -> Callable[[dict[str, Any]], Finding | None]:
    r"""Judge a dictionary of words to choose from, of which several may be wrong.

    Args:
        right: makes the right dictionary.
        text: mistakes, the most telling first, with the names that tell each: ``kind | a, b``.

    >>> judge = choices_by(lambda: {"a": "up", "b": "down"}, "mixed up | a, b\n    Look again.")
    >>> judge({"a": "down", "b": "down"}).words
    '1 of 2 are right. Look again.'
    """

    def judge(answer: dict[str, Any]) -> Finding | None:
        wanted = right()
        wrong = {name for name in wanted if answer[name] != wanted[name]}
        seen = f"{len(wanted) - len(wrong)} of {len(wanted)} are right."
        found = (slip for slip in written(text) if wrong & {*slip.what.split(", ")})
        return next((Finding(slip.kind, f"{seen} {slip.words}") for slip in found), None)

    return judge
