"""What an instructor's hidden tests use: full marks for a right answer, none for any other.

nbgrader gives a check cell its points when the cell raises no error, so here, and only here, a
wrong answer is an error.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PACKAGE = "engine.course.checks"


def require(name: str, answer: Any) -> None:
    """Say that an answer is right, or raise.

    It is printed and not shown as a result, which nbgrader would take for a part of the points.

    Args:
        name: of the exercise.
        answer: the learner's.

    Raises:
        AssertionError: the answer is not right; the message is what a learner reads.
    """
    with _loaded_anew() as asking:
        verdict = asking.check(name, answer)
    if verdict.state != "right":
        raise AssertionError(str(verdict))
    print(verdict)


@contextmanager
def _loaded_anew() -> Iterator[Any]:
    """The checks as they stand in their files, whatever a notebook did to those it imported."""
    names = [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]
    loaded = {name: sys.modules.pop(name) for name in names}
    course = sys.modules["engine.course"]
    try:
        yield importlib.import_module(f"{PACKAGE}.asking")
    finally:
        importlib.import_module(f"{PACKAGE}.processes").end()
        sys.modules.update(loaded)
        course.checks = loaded[PACKAGE]  # type: ignore[attr-defined]
