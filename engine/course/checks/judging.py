"""Judge an answer: not tried, right, or which kind of wrong.

Judging happens in a fresh process too (:func:`answer`), so that it is the course's own engine that
says what is right, whatever a notebook has changed in the one it imported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from itertools import compress
from pathlib import Path
from typing import Any

from engine.course import progress
from engine.course.checks import catalog, running
from engine.course.checks.exercise import (
    ROUGH,
    AnswerExercise,
    Case,
    Exercise,
    Finding,
    FunctionExercise,
    placed,
    tidied,
)
from engine.course.checks.mistakes import Suspect
from engine.course.checks.packing import Packed
from engine.course.checks.plain import CALLABLE, Other, in_words, restore, same
from engine.course.checks.running import Outcome

# What a result is called that stands for the gradient of a leaf.
GRADIENT = re.compile("grad(?:ient of)? (.+)")
GIVES = re.compile(r"(?:gives|the gradients are) \{got\}")
CUT = "..."
OF_THE_COURSE = "engine.course."
# These say by their type alone what happened.
NAMED_ERRORS = ("Borrowed", "Repeated")
# Where Python's own numbers stop with one of these, NumPy goes on with nan or inf.
UNBOUNDED = ("OverflowError", "ZeroDivisionError")


class State(StrEnum):
    """What an answer came to."""

    UNTOUCHED = "untouched"
    RIGHT = "right"
    WRONG = "wrong"
    FAILED = "failed"  # the check could not be made; the answer may be right or wrong


@dataclass(frozen=True)
class Judgment:
    """What is said about an answer.

    Attributes:
        name: of the exercise.
        state: what the answer came to.
        kind: of wrong, ``""`` otherwise.
        words: for the learner.
        note: about the learner's progress, mostly empty.
    """

    name: str
    state: State
    kind: str = ""
    words: str = ""
    note: str = ""


def judge(exercise: Exercise, answer: Any) -> Judgment:
    """Judge a restored answer.

    Args:
        exercise: what was asked.
        answer: made by :func:`plain.restore`.
    """
    if is_untouched(answer):
        return Judgment(exercise.name, State.UNTOUCHED, words=_how_to_start(exercise))
    if isinstance(exercise, AnswerExercise):
        found = _judged_answer(exercise, answer)
    else:
        assert isinstance(exercise, FunctionExercise)
        found = _judged_function(exercise, answer)
    if found is None:
        return Judgment(exercise.name, State.RIGHT, words=exercise.right)
    return Judgment(exercise.name, State.WRONG, found.kind, found.words)


def _judged_answer(exercise: AnswerExercise, answer: Any) -> Finding | None:
    answer = tidied(exercise.shape, answer)
    found = _unfinished(answer) or exercise.shape(answer)
    if found:
        return found
    try:
        return exercise.judge(answer)
    except (ArithmeticError, ValueError):
        # Every other number is judged: these are too large to calculate with, or no numbers.
        return Finding("no result", f"Nothing can be calculated with {in_words(answer)}.")


def is_untouched(answer: Any) -> bool:
    """Whether nobody has worked on an answer yet.

    Args:
        answer: made by :func:`plain.restore`.

    >>> is_untouched({"a": ..., "b": ...}), is_untouched({"a": 6.0, "b": ...})
    (True, False)
    >>> is_untouched("...")
    True
    """
    if isinstance(answer, Packed):
        return not answer.written
    if isinstance(answer, dict) and answer:
        return all(map(is_untouched, answer.values()))
    if isinstance(answer, list | tuple) and answer:
        return all(map(is_untouched, answer))
    return answer is ... or answer is None or answer == "..."


def _how_to_start(exercise: Exercise) -> str:
    if isinstance(exercise, FunctionExercise):
        return "Write the body of the function, and run both cells."
    return "Put your answer in place of the three dots, behind the =, and run both cells."


def _unfinished(answer: Any) -> Finding | None:
    if isinstance(answer, dict):
        still = ", ".join(str(key) for key, value in answer.items() if is_untouched(value))
        if still:
            return Finding("unfinished", f"Still open: {still}.")
    if isinstance(answer, list | tuple) and any(map(is_untouched, answer)):
        return Finding("unfinished", f"There are still dots in {in_words(answer)}.")
    return None


# A function.


def _judged_function(exercise: FunctionExercise, answer: Any) -> Finding | None:
    if not isinstance(answer, Packed):
        return _no_function(answer)
    used = (full for full in exercise.forbidden if {full, _last(full)} & {*answer.uses})
    name = next(used, "").rpartition(".")[2]
    if name:
        return Finding("forbidden", f"It uses {name}: write it without.")
    if any(f"{used}.".startswith(OF_THE_COURSE) for used in answer.uses):
        return Finding("forbidden", "It asks the course itself: write it without.")
    if answer.lost:
        return Finding(
            "default",
            f"Its input {answer.lost[0]} has a default value that the check cannot take along. "
            "Python makes a default once, and all calls share it: make a list or a set inside.",
        )
    outcomes, again = running.run(exercise, answer)
    right = _right(exercise, outcomes)
    verdicts = [
        _judged_case(exercise, case, got, wanted)
        for case, got, wanted in zip(exercise.cases, outcomes, right, strict=False)
    ]
    if not any(verdicts):
        return _kept_in_mind(exercise, outcomes, again, right)
    suspect = _suspect(exercise, outcomes, right)
    if suspect is not None:
        return suspect
    if all(outcome.result is None and not outcome.error for outcome in outcomes):
        return Finding("returns nothing", "It gives nothing back: is there a return at its end?")
    number, found = next((k, v) for k, v in enumerate(verdicts) if v is not None)
    return _explained(answer, outcomes[number], found)


def _right(exercise: FunctionExercise, outcomes: list[Outcome]) -> list[Outcome]:
    """What is right: of several forms the learner's, if it is one of them."""
    forms = (running.attempt(form, exercise) for form in exercise.also)
    fitting = (form for form in forms if all_alike(outcomes, form, exercise))
    return next(fitting, None) or running.attempt(exercise.reference, exercise)


def _kept_in_mind(
    exercise: FunctionExercise, first: list[Outcome], again: list[Outcome], right: list[Outcome]
) -> Finding | None:
    """What a function that was right on every case does when it is called again and again."""
    for number, got in enumerate(again):
        place = number % len(right)
        case = exercise.cases[place]
        if _judged_case(exercise, case, got, right[place]) is not None:
            return Finding(
                "left over",
                f"Called once, it is right. When it is called again, {_came_to(got)} for "
                f"{case.words}, in place of {in_words(first[place].result)}. It keeps something "
                "of an earlier call: make its lists, sets and dictionaries inside, anew in each "
                "call.",
            )
    return None


def _last(full: str) -> str:
    """A name as it is used when it is taken from a module inside the function."""
    return f".{full.rpartition('.')[2]}"


def _no_function(answer: Any) -> Finding:
    if isinstance(answer, Other) and answer.text == CALLABLE:
        return Finding(
            "no function",
            f"The answer is a function, and yours is {CALLABLE} (its type is {answer.type}). Write "
            "a function with def that calls it.",
        )
    what = f"{answer.type} " if isinstance(answer, Other) else ""
    return Finding(
        "no function",
        f"The answer is a function, and yours is {what}{in_words(answer)}. Give its name, without "
        "parentheses behind it.",
    )


def _judged_case(
    exercise: FunctionExercise, case: Case, got: Outcome, wanted: Outcome
) -> Finding | None:
    if got.error:
        known = (told for part, told in exercise.errors.items() if part in got.message)
        return Finding(*told) if (told := next(known, None)) else _stopped(case, got)
    if got.result is None and wanted.result is not None:
        return Finding("returns nothing", f"It gives nothing back for {case.words}.")
    wrong_shape = exercise.shape(got.result)
    if wrong_shape:
        return placed(f"For {case.words}, ", wrong_shape)
    if exercise.accept is not None:
        return exercise.accept(case.arguments(), got.result)
    if same(got.result, wanted.result, exercise.tolerance):
        return None
    if isinstance(got.result, dict) and isinstance(wanted.result, dict):
        return _other_entry(exercise, case, got.result, wanted.result)
    yours = in_words(got.result)
    if same(got.result, wanted.result, ROUGH):
        return _inexact(case, f"it gives {yours}")
    return Finding("other", f"For {case.words} it gives {yours}, which is not right.")


def _inexact(case: Case, what: str) -> Finding:
    return Finding(
        "rounded",
        f"For {case.words} {what}: close, and not close enough. Is something rounded, or measured "
        "where it can be calculated?",
    )


def _wrong_entries(
    exercise: FunctionExercise, got: dict[Any, Any], wanted: dict[Any, Any]
) -> dict[Any, Any]:
    return {
        name: entry
        for name, entry in got.items()
        if name not in wanted or not same(entry, wanted[name], exercise.tolerance)
    }


def _other_entry(
    exercise: FunctionExercise, case: Case, got: dict[Any, Any], wanted: dict[Any, Any]
) -> Finding:
    """The first wrong entry of a dictionary, and before all others a gradient that is 0."""
    if got.keys() != wanted.keys():
        return Finding("other", f"For {case.words} it gives {in_words(got)}, which is not right.")
    wrong = _wrong_entries(exercise, got, wanted)
    for name in wrong:
        leaf = GRADIENT.fullmatch(name)
        if leaf and wrong[name] == 0.0:
            return Finding(
                "other", f"For {case.words}, {name} is 0, as if {leaf[1]} were not used."
            )
    name, entry = next(iter(wrong.items()))
    if same(got, wanted, ROUGH):
        return _inexact(case, f"{name} is {in_words(entry)}")
    return Finding("other", f"For {case.words}, {name} is {in_words(entry)}, which is not right.")


def _came_to(got: Outcome) -> str:
    if got.error == "endless":
        return "it does not come to an end"
    return f"it stops with {got.error}" if got.error else f"it gives {in_words(got.result)}"


def _stopped(case: Case, got: Outcome) -> Finding:
    if got.error == "signature":
        has, wanted, by_name = got.message.split(":")
        if by_name:
            return Finding(
                "signature",
                f"It takes {by_name} by name only: leave out the * in its first line.",
            )
        words = f"It takes {has} inputs, and gets {wanted}: {case.words}."
        if int(has) > int(wanted):
            words += (
                " A function that needs more can stand inside yours: start it there with what else "
                "it needs, such as an empty list and an empty set."
            )
        return Finding("signature", words)
    if got.error == "endless" and case.too_long:
        return Finding("too long", f"{case.too_long} It was stopped at {case.words}.")
    if got.error == "endless":
        return Finding(
            "endless",
            f"It had not come to an end after {running.RUN_SECONDS} seconds, for {case.words}, "
            "and was stopped. Is there a loop that never ends?",
        )
    if got.error == "crashed":
        return Finding("crashed", f"It ended its Python process, for {case.words}.")
    if got.error == "MemoryError":
        return Finding(
            "memory", f"It used up the memory, for {case.words}. Is there a list that only grows?"
        )
    if got.error == "RecursionError":
        return Finding(
            "recursion",
            f"It called itself too often, for {case.words}. Is there an end to the calls?",
        )
    line = f" in its line {got.line}" if got.line > 0 else ""
    said = got.message.removesuffix(".")
    if "'tuple' object has no attribute" in said:
        said += "; a tuple cannot be changed, and list(...) makes a list of it"
    return Finding("raised", f"It stopped{line} with {got.error}: {said} ({case.words}).")


def _explained(answer: Packed, got: Outcome, found: Finding) -> Finding:
    """A name that is known in the notebook and unknown to the check needs another sentence."""
    unknown = got.message if got.error == "NameError" else ""
    name = next((name for name in answer.missing if repr(name) in unknown), "")
    if not name:
        return found
    return Finding(
        "outside",
        f"It uses {name} from your notebook, which the check does not have. A function works with "
        "what it is given: where it is a number, write that number, and make all else inside.",
    )


def _suspect(
    exercise: FunctionExercise, outcomes: list[Outcome], right: list[Outcome]
) -> Finding | None:
    """The known mistake that leads to the same on every case that a slow function can run."""
    which = [not case.too_long for case in exercise.cases]
    mine, wanted = [*compress(outcomes, which)], [*compress(right, which)]
    for suspect in exercise.suspects:
        theirs = running.attempt(suspect.function, quick(exercise))
        if all_alike(mine, theirs, exercise):
            return _accused(exercise, suspect, mine, wanted)
    return None


def quick(exercise: FunctionExercise) -> FunctionExercise:
    """An exercise with the cases alone that a slow function can run.

    Args:
        exercise: with all its cases.
    """
    # A copy by `replace` would list the mistakes of the text a second time.
    cases = tuple(case for case in exercise.cases if not case.too_long)
    return replace(exercise, cases=cases, mistakes="")


def all_alike(mine: list[Outcome], theirs: list[Outcome], exercise: FunctionExercise) -> bool:
    """Whether two functions came to the same on every case, and not only both to an error.

    Args:
        mine: of one function.
        theirs: of the other; those of the cases in front are compared.
        exercise: whose cases they were.
    """
    return (
        len(mine) <= len(theirs)
        and all(_alike(one, other, exercise) for one, other in zip(mine, theirs, strict=False))
        and _telling(mine, theirs)
    )


def _telling(mine: list[Outcome], theirs: list[Outcome]) -> bool:
    """Whether more is alike than that both stop: a result, or what the error says."""
    return any(
        not one.error or one.message == other.message or one.error in NAMED_ERRORS
        for one, other in zip(mine, theirs, strict=False)
    )


def _alike(one: Outcome, other: Outcome, exercise: FunctionExercise) -> bool:
    if other.error in UNBOUNDED and not one.error:
        return _not_finite(one.result)
    if one.error or other.error:
        return one.error == other.error
    return same(one.result, other.result, exercise.tolerance)


def _not_finite(result: Any) -> bool:
    """Whether a number in a result is none that can be worked with."""
    if isinstance(result, list | tuple):
        return any(map(_not_finite, result))
    return isinstance(result, float) and not math.isfinite(result)


def _accused(
    exercise: FunctionExercise, suspect: Suspect, outcomes: list[Outcome], right: list[Outcome]
) -> Finding:
    pairs = enumerate(zip(outcomes, right, strict=True))
    telling = next((k for k, (one, other) in pairs if not _alike(one, other, exercise)), 0)
    template, got = suspect.words, in_words(outcomes[telling].result)
    if outcomes[telling].error:
        template, got = GIVES.sub("stops with {got}", template), outcomes[telling].error
    elif got.endswith(CUT):
        got = in_words(_told_entries(exercise, outcomes[telling].result, right[telling].result))
    return Finding(suspect.kind, template.format(case=exercise.cases[telling].words, got=got))


def _told_entries(exercise: FunctionExercise, got: Any, wanted: Any) -> Any:
    """Of a dictionary that is too long to show, the first wrong entry."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        return dict([*_wrong_entries(exercise, got, wanted).items()][:1])
    return got


# In a process of its own.


def answer(request: dict[str, Any], say: Callable[[object], None]) -> None:
    """Judge, remember, and say the judgment.

    Args:
        request: the name of the exercise, the described answer, and the folder of the notebook.
        say: tells the process that asks.
    """
    exercise = catalog.find(request["exercise"])
    judgment = judge(exercise, restore(request["answer"]))
    note = remembered(judgment, Path(request["folder"]))
    say({**asdict(judgment), "note": note})


def remembered(judgment: Judgment, folder: Path) -> str:
    """Remember a try in the learner's copy, where the notebook is one of it.

    Args:
        judgment: what the try came to.
        folder: the notebook's.

    Returns:
        A sentence for the learner where something was wrong with what is remembered, else "".
    """
    places = progress.places_around(folder)
    if places is None or judgment.state not in (State.RIGHT, State.WRONG):
        return ""
    return progress.remember(places, judgment.name, done=judgment.state is State.RIGHT)
