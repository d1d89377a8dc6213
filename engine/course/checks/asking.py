"""The two words a learner needs: ``check`` an answer, and ask for a ``hint``."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Any

from engine.course import cells, progress
from engine.course.checks import catalog, processes
from engine.course.checks.plain import describe
from engine.course.checks.running import RUN_SECONDS, START_SECONDS
from engine.course.checks.verdict import Verdict

HEADINGS = {
    "untouched": "Not tried yet",
    "right": "Right",
    "wrong": "Not yet",
    "failed": "Not checked",
}
# Two processes start one after the other, and the second may use up its time twice.
LONGEST = 2 * (START_SECONDS + RUN_SECONDS)
NOT_GIVEN = object()
BY_NBGRADER = "NBGRADER_EXECUTION"
_shown: Counter[str] = Counter()


def check(name: Any = NOT_GIVEN, answer: Any = NOT_GIVEN, *more: Any) -> Verdict:
    """Check an answer to an exercise; without inputs, show how far you are.

    Args:
        name: of the exercise, such as ``"05.2"``.
        answer: a number, a dictionary, a ``Value`` or a function, as the exercise says.
        *more: what else was given; one answer is asked for.

    Returns:
        Not tried yet, right, or which kind of wrong. It never raises an error in a notebook.

    Raises:
        AssertionError: nbgrader validates or grades, and the answer is not right: it takes every
            test that ends without an error for passed.

    >>> check("01.1", ...)
    01.1 · Not tried yet. Put your answer in place of the three dots, behind the =,
    and run both cells.
    """
    if name is NOT_GIVEN:
        return progress_line()
    verdict = _checked(name, answer, more)
    if not verdict.right and BY_NBGRADER in os.environ:
        raise AssertionError(str(verdict))
    return verdict


def _checked(name: Any, answer: Any, more: tuple[Any, ...]) -> Verdict:
    problem = _no_exercise(name, 'check("01.1", answer)')
    if problem:
        return Verdict("", "told", "", problem)
    if more:
        words = (
            f"Give one answer; here are {1 + len(more)}. Run the check cell as it stands: it "
            "puts the parts of an answer together."
        )
        return Verdict(name, "told", "Nothing to check", words)
    if answer is NOT_GIVEN:
        words = f'Give your answer too: check("{name}", answer).'
        return Verdict(name, "told", "Nothing to check", words)
    try:
        return _verdict(name, _asked(name, answer))
    except KeyboardInterrupt:
        return Verdict(name, "failed", "Stopped", "Run the cell again to check your answer.")


def hint(name: Any = NOT_GIVEN, *_more: Any) -> Verdict:
    """Get a hint for an exercise. Ask again for one that helps more; there are up to three.

    Args:
        name: of the exercise, such as ``"05.2"``.

    >>> print(str(hint("01.1")).partition(".")[0])
    01
    """
    problem = _no_exercise(name, 'hint("01.1")')
    if problem:
        return Verdict("", "told", "", problem)
    hints = catalog.find(name).hints
    _shown[name] = min(_shown[name] + 1, len(hints))
    seen = hints[: _shown[name]]
    lines = [f"{k} of {len(hints)}: {text}" for k, text in enumerate(seen, start=1)]
    if len(seen) < len(hints):
        lines.append("Run this again for the next hint.")
    return Verdict(name, "told", "Hint", "\n".join(lines))


def progress_line() -> Verdict:
    """How many exercises are done, and which is next."""
    places = progress.places_around(Path.cwd())
    if places is None:
        words = (
            "Progress is kept for notebooks in your own copy: in the folder work, or in the "
            "notebooks and exercises that a class has got, in a folder that can be written to."
        )
        return Verdict("", "told", "", words)
    found = progress.read(places)
    names = catalog.names()
    done = [name for name in names if name in found.entries and found.entries[name].done]
    bar = "".join("●" if name in done else "○" for name in names)
    following = next((name for name in names if name not in done), None)
    words = f"{bar} {len(done)} of {len(names)} exercises done."
    words += f" Next: {following}." if following else " That is all of them."
    return Verdict("", "told", "", "\n".join([words, *found.notes]))


def _no_exercise(name: Any, example: str) -> str:
    if not isinstance(name, str):
        return f"Begin with the name of the exercise, in quotation marks: {example}."
    try:
        catalog.find(name)
    except KeyError:
        return _unknown(name)
    return ""


def _unknown(name: str) -> str:
    known = catalog.names()
    chapter, *number = re.findall("[0-9]+", name) or [""]
    meant = ".".join([chapter.zfill(2), *(str(int(part)) for part in number)])
    if meant in known:
        return f'There is no exercise "{name}". Did you mean "{meant}"?'
    near = [other for other in known if other.startswith(f"{chapter.zfill(2)}.")]
    if near:
        return f'There is no exercise "{name}". There are {", ".join(near)}.'
    return (
        f'There is no exercise "{name}". Their names are the number of the chapter, a point, and '
        f"the number of the exercise: {known[0]} to {known[-1]}."
    )


def _asked(name: str, answer: Any) -> dict[str, str] | None:
    """What a fresh process says about the answer, None when it says nothing."""
    try:
        request = {"exercise": name, "answer": describe(answer), "folder": str(Path.cwd())}
        judgment: dict[str, str] | None = processes.ask("judging", request, LONGEST, _first_line)
    except (OSError, ValueError):
        return None
    return judgment


def _first_line(heard: processes.Heard) -> Any:
    line = heard(monotonic() + LONGEST)
    return None if line is None else json.loads(line)


def _verdict(name: str, judgment: dict[str, str] | None) -> Verdict:
    if judgment is None:
        words = (
            "The check itself did not work; that says nothing about your answer. Run the cell "
            "again, and if it stays so, run `course doctor` in a terminal."
        )
        return Verdict(name, "failed", HEADINGS["failed"], words)
    words = judgment["words"]
    if judgment["state"] == "wrong":
        words += f'\nMore help: hint("{name}").'
    if old := " and ".join(cells.old_names()):
        words += (
            f"\nThe last run of the cell with {old} stopped with an error, so this is about your "
            "earlier answer."
        )
    if judgment["note"]:
        words += f"\n{judgment['note']}"
    return Verdict(name, judgment["state"], HEADINGS[judgment["state"]], words, judgment["kind"])
