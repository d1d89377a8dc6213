"""What an instructor's hidden tests use: full marks for a right answer, none for any other.

nbgrader gives a check cell its points when the cell raises no error, so here, and only here, a
wrong answer is an error.
"""

from __future__ import annotations

import runpy
from typing import Any


def require(name: str, answer: Any) -> None:
    """Raise unless an answer is right.

    The check is loaded anew for it: what a notebook has changed in the one it imported does not
    count.

    Args:
        name: of the exercise.
        answer: the learner's.

    Raises:
        AssertionError: the answer is not right; the message is what a learner reads.
    """
    fresh = runpy.run_module("engine.course.checks.asking")
    verdict = fresh["check"](name, answer)
    if not verdict.right:
        raise AssertionError(str(verdict))
