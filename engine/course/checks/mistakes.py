r"""Known mistakes written as text: an edit of the solution, a function, or the number it leads to.

Each mistake begins at the left edge with its kind, a bar, and what somebody does who makes it. The
words for the learner stand below, indented. Mistakes with the same words follow each other.

For a function, ``old -> new`` edits the solution, in which ``old`` stands once; ``old ->> new``
changes every place of several. Further edits follow behind further bars, also on lines that begin
with one. In an edit, ``\n`` stands for the end of a line. ``= expression`` is a
function of its own, in which ``solution`` is the right one:

    forward | f(x - h)) / (2 * h) -> f(x)) / h
        one of the two steps stays at x.
    sign | = lambda f, x, h: -solution(f, x, h)
        which of the two results comes first?

The words go on from "For this case it gives that", or as the exercise begins them; words that name
``{case}`` or ``{got}`` themselves, or begin with ``~``, are told as they stand.

For a number, the mistake is an expression, and ``{}`` in the words is the number it leads to:

    data | x.data
        {} is the data of x.

>>> SOLUTION = "def double(x):\n    return x + x"
>>> (mistake,) = suspects("squared | x + x -> x * x\n    that is a square.", SOLUTION, {})
>>> mistake.function(3.0), mistake.words
(9.0, 'For {case} it gives {got}: that is a square.')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from engine.text import number_text

ENTRY = re.compile(r"(?P<kind>[^|\n]+?) \| (?P<what>.+)")
EDIT = re.compile(r"(?P<old>.*\S) (?P<arrow>->>?)(?: (?P<new>.*))?")
CONTINUED = re.compile(r"\n\| ")
INDENT = "    "


class Written(NamedTuple):
    """A mistake as it is written down.

    Attributes:
        kind: of the mistake.
        what: an edit, a function or a number, as text.
        words: for the learner.
    """

    kind: str
    what: str
    words: str


class WrongNumber(NamedTuple):
    """The number that one known mistake leads to.

    Attributes:
        number: what comes out.
        kind: of the mistake.
        words: for the learner who gave it.
    """

    number: float
    kind: str
    words: str


class Suspect(NamedTuple):
    """The function that somebody writes who makes one known mistake.

    Attributes:
        function: does on every case what the mistaken function would do, errors included.
        kind: of the mistake.
        words: for the learner. ``{case}`` and ``{got}`` stand for the first case that tells it
            from the right function, and for what the learner's function gave there.
    """

    function: Callable[..., Any]
    kind: str
    words: str


def written(text: str) -> Iterator[Written]:
    r"""The mistakes of a text.

    Args:
        text: as this module describes it.

    Raises:
        ValueError: a line is no mistake, or a mistake has no words.

    >>> [mistake.kind for mistake in written("a | 1\nb | 2\n    both are wrong.")]
    ['a', 'b']
    """
    heads: list[re.Match[str]] = []
    words: list[str] = []
    for line in [*CONTINUED.sub(" | ", text).strip("\n").split("\n"), ""]:
        if line.startswith(INDENT):
            words.append(line.strip())
            continue
        if words:
            yield from (Written(head["kind"], head["what"], " ".join(words)) for head in heads)
            heads, words = [], []
        head = ENTRY.fullmatch(line)
        if head:
            heads.append(head)
        elif line:
            raise ValueError(f"{line!r} is no mistake: write its kind, a bar, and what is done.")
    if heads:
        raise ValueError(f"{heads[0]['kind']!r} has no words below it.")


def suspects(
    text: str, solution: str, given: Mapping[str, Any], gives: str = "it gives"
) -> tuple[Suspect, ...]:
    """The functions of those who make the mistakes of a text.

    Args:
        text: as this module describes it.
        solution: the right function, as the learner would write it.
        given: what solution and mistakes use from elsewhere, by name.
        gives: how the words begin, behind the case.

    Raises:
        ValueError: an edit does not fit the solution.
    """
    return tuple(
        Suspect(_function(each.what, solution, given), each.kind, _whole(each.words, gives))
        for each in written(text)
    )


def _whole(words: str, gives: str) -> str:
    if "{" in words:
        return words
    if words.startswith("~"):
        return words[1:].strip()
    return f"For {{case}} {gives} {{got}}{': ' if words[0].islower() else '. '}{words}"


def _function(what: str, solution: str, given: Mapping[str, Any]) -> Callable[..., Any]:
    if not what.startswith("= "):
        return made(edited(solution, what), given)

    @cache
    def own() -> Callable[..., Any]:
        right = {"solution": made(solution, given)} if solution else {}
        function: Callable[..., Any] = eval(what[2:], {**given, **right})
        return function

    return lambda *inputs: own()(*inputs)


def edited(solution: str, edits: str) -> str:
    """The solution with a mistake in it.

    Args:
        solution: a function, as text.
        edits: ``old -> new``, several of them with bars between.

    Raises:
        ValueError: the old text does not stand there as often as it should.

    >>> edited("return a + b", "a + b -> a - b")
    'return a - b'
    """
    for edit in edits.split(" | "):
        parts = EDIT.fullmatch(edit)
        if parts is None:
            raise ValueError(f"{edit!r} is no edit: write old -> new.")
        old, new = (_lines(parts[name] or "") for name in ("old", "new"))
        times, several = solution.count(old), parts["arrow"] == "->>"
        if times < 1 + several or (times > 1 and not several):
            raise ValueError(f"{old!r} stands {times} times in the solution.")
        solution = solution.replace(old, new)
    return solution


def _lines(text: str) -> str:
    return text.replace("\\n", "\n")


def made(source: str, given: Mapping[str, Any]) -> Callable[..., Any]:
    """The function that a text defines; it is compiled when it is called first.

    Args:
        source: begins with its ``def``, or with what stands before it.
        given: what it uses from elsewhere, by name.
    """

    @cache
    def function() -> Callable[..., Any]:
        variables = {**given}
        exec(compile(source, "solution", "exec"), variables)
        return last_function(source, variables)

    return lambda *inputs: function()(*inputs)


def last_function(source: str, variables: Mapping[str, Any]) -> Callable[..., Any]:
    """What the last ``def`` at the left edge of a source made."""
    function: Callable[..., Any] = variables[re.findall(r"^def (\w+)", source, re.M)[-1]]
    return function


def wrong_numbers(text: str, given: Mapping[str, Any]) -> tuple[WrongNumber, ...]:
    r"""The numbers that the mistakes of a text lead to.

    Args:
        text: as this module describes it.
        given: what the expressions use, by name.

    >>> wrong_numbers("data | x\n    {} is the data.", {"x": 3.0})
    (WrongNumber(number=3.0, kind='data', words='3 is the data.'),)
    """
    return tuple(_wrong_number(each, given) for each in written(text))


def _wrong_number(each: Written, given: Mapping[str, Any]) -> WrongNumber:
    number = float(eval(each.what, {**given}))
    return WrongNumber(number, each.kind, each.words.replace("{}", number_text(number)))
