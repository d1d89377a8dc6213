"""How long a chapter and its exercises take, computed from what is in them.

The rates were set so that they fit careful readings of chapters 00 to 08, each sentence read aloud
and each cell run: the nine chapters come out within a quarter of the minutes they took. Nobody has
timed the exercises: their rates are an estimate.
"""

from __future__ import annotations

import re

from nbformat.notebooknode import NotebookNode

from engine.course.slides import slide_type

WORDS_A_MINUTE = 60
LINES_A_MINUTE = 5
MINUTES_A_VIEW = 2
MINUTES_AN_ANSWER = 4
MINUTES_A_FUNCTION = 8
STEP = 5
VIEW = re.compile(
    r"^(?:\w+ = )?(?:ReverseWalk|Predict|OrderPlayground|GradientCheck|GraphExplorer|LiveGraph"
    r"|SlopeView|ProductRule|TwoWalks|SortSteps|LearningRates|Training)\(",
    re.MULTILINE,
)
WORD = re.compile(r"\w[\w'-]*")
TARGET = re.compile(r"\]\([^)]*\)")
LIST_AT_THE_END = re.compile("## (?:Exercises|Words of this chapter)")
HIDDEN = re.compile(r"### BEGIN.*?### END[^\n]*", re.DOTALL)


def is_read(cell: NotebookNode) -> bool:
    """Whether a cell belongs to the way through a chapter: notes and lists at its end do not."""
    return slide_type(cell) != "notes" and not LIST_AT_THE_END.match(cell.source)


def reading(cells: list[NotebookNode]) -> float:
    """Minutes to read the text aloud, to read and run the code, and to play with the views."""
    words = sum(
        len(WORD.findall(TARGET.sub("]", cell.source)))
        for cell in cells
        if cell.cell_type == "markdown"
    )
    code = [HIDDEN.sub("", cell.source) for cell in cells if cell.cell_type == "code"]
    lines = sum(bool(line.strip()) for source in code for line in source.splitlines())
    views = sum(len(VIEW.findall(source)) for source in code)
    return words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + views * MINUTES_A_VIEW


def chapter_minutes(chapter: NotebookNode) -> int:
    """Minutes for a chapter without its exercises, in steps of five."""
    return rounded(reading([*filter(is_read, chapter.cells)]))


def exercise_minutes(solutions: NotebookNode) -> int:
    """Minutes for the exercises of a chapter, in steps of five."""
    answers = [c for c in solutions.cells if c.metadata.get("nbgrader", {}).get("solution")]
    given = [c for c in solutions.cells if not c.metadata.get("nbgrader")]
    functions = sum("def " in HIDDEN.sub("", cell.source) for cell in answers)
    doing = MINUTES_A_FUNCTION * functions + MINUTES_AN_ANSWER * (len(answers) - functions)
    return rounded(reading(given) + doing)


def rounded(minutes: float) -> int:
    return STEP * round(minutes / STEP)
