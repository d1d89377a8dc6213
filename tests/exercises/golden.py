"""What is told of every wrong answer, written down: nobody changes a verdict without seeing it.

`python tests/exercises/golden.py` writes the file anew, and its difference shows what changed.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from exercise_files import NAMES, wrong_answers

from engine.course.checks import catalog, judging, packing, running
from engine.course.checks.exercise import FunctionExercise
from engine.course.checks.judging import Judgment
from engine.course.checks.packing import Packed
from engine.course.checks.plain import describe, restore

FILE = Path(__file__).with_suffix(".json")
# What these do to a process is shown to a process of its own.
NOT_HERE = frozenset({"endless", "crashed", "memory", "left over"})

OF_A_SET = re.compile(r"\{Value.* \(set\)")  # in another order each time

Entry = dict[str, str]


def judged_as_ever(name: str, answer: Any) -> Judgment:
    """Judge as the fresh process does: from text alone, and a function in another process."""
    return judging.judge(catalog.find(name), restore(json.loads(json.dumps(describe(answer)))))


def judged(name: str, answer: Any, kind: str) -> Judgment:
    """Judge an answer known to be of this kind; if it is harmless, it runs here."""
    if kind in NOT_HERE:
        with mock.patch.object(running, "RUN_SECONDS", 2):
            return judged_as_ever(name, answer)
    with mock.patch.object(running, "run", _run_here):
        return judged_as_ever(name, answer)


def _run_here(exercise: FunctionExercise, packed: Packed) -> running.Runs:
    """All cases; who walks along every path is ended in the last as if in another process."""
    request = {"exercise": exercise.name, "name": packed.name, "content": packed.content}
    outcomes: list[running.Outcome] = []
    for case in exercise.cases:
        with _time_limit(1 if case.too_long else 20), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function = packing.unpack(request)
            outcomes += running.attempt(function, replace(exercise, cases=(case,)))
        if outcomes[-1].error == TimeoutError.__name__:
            assert case.too_long, "an answer that is to be judged here has no end"
            outcomes[-1] = running.Outcome(error="endless")
    return running.Runs(outcomes, [])


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _late(*_: object) -> None:
    raise TimeoutError


def entries(name: str) -> list[Entry]:
    """What is told of each wrong answer to one exercise."""
    return [_entry(name, answer, kind) for answer, kind in wrong_answers(name)]


def _entry(name: str, answer: Any, kind: str) -> Entry:
    found = judged(name, answer, kind)
    called = getattr(answer, "__name__", None) or " ".join(ascii(answer).split())[:100]
    called = called.partition(" at 0x")[0]
    words = OF_A_SET.sub("{...} (set)", found.words)
    return {"exercise": name, "answer": called, "kind": found.kind, "words": words}


def written_down() -> list[Entry]:
    """The stored entries of all exercises."""
    stored: list[Entry] = json.loads(FILE.read_text(encoding="utf-8"))
    return stored


if __name__ == "__main__":
    every = [entry for name in NAMES for entry in entries(name)]
    text = json.dumps(every, indent=1, ensure_ascii=False)
    FILE.write_text(f"{text}\n", encoding="utf-8")
