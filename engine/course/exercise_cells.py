r"""Write the cells of exercises that stand with their checks into the notebook of solutions.

A notebook in ``solutions/`` is the source of what learners read and run, save for two things that a
check needs too, and that therefore stand with the check: a function's solution, which its known
mistakes are edits of, and an exercise that has a ``task`` there, of which the notebook gets all
cells. So each cell has one source, and what an instructor adds for a new exercise is one entry.

>>> answer_source("def half(x):\n    return x / 2").splitlines()[1:3]
['    ### BEGIN SOLUTION', '    return x / 2']
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course.checks.exercise import AnswerExercise, Exercise, FunctionExercise

HEAD = re.compile(r'(?s)(def .*?:\n(?:    """.*?"""\n)?)(.*)')
MARKS = {"schema_version": 3, "task": False, "cell_type": "code"}
BACK = "[Back to the chapter"


def written_into(notebook: NotebookNode, exercises: Iterable[Exercise]) -> NotebookNode:
    """Write what stands with the checks into a notebook of solutions.

    Args:
        notebook: a solution; it is changed.
        exercises: of its chapter.

    Returns:
        The notebook.
    """
    for exercise in exercises:
        if exercise.task:
            _write_whole(notebook, exercise)
        elif isinstance(exercise, FunctionExercise) and exercise.solution:
            for cell in _cells_of(notebook, f"answer-{_id(exercise)}"):
                cell.source = answer_source(exercise.solution)
    return notebook


def answer_source(solution: str) -> str:
    """A function with the marks between which learners get a place for their own lines.

    Args:
        solution: the function, as its check has it.
    """
    match = HEAD.fullmatch(solution.strip("\n"))
    if match is None:
        raise ValueError(f"a solution begins with its def: {solution!r}")
    head, body = match.groups()
    return f"{head}    ### BEGIN SOLUTION\n{body.rstrip()}\n    ### END SOLUTION"


def _id(exercise: Exercise) -> str:
    return exercise.name.replace(".", "-")


def _cells_of(notebook: NotebookNode, grade_id: str) -> list[NotebookNode]:
    marks = "nbgrader"
    return [c for c in notebook.cells if c.metadata.get(marks, {}).get("grade_id") == grade_id]


def _write_whole(notebook: NotebookNode, exercise: Exercise) -> None:
    """Put the cells of an exercise behind those of the one before it, in place of earlier ones."""
    mine = f"exercises-{_id(exercise)}-"
    cells = [cell for cell in notebook.cells if not cell.id.startswith(mine)]
    checks = [k for k, cell in enumerate(cells) if _is_check_before(cell, exercise)]
    place = checks[-1] + 1 if checks else next(k for k, c in enumerate(cells) if BACK in c.source)
    cells[place:place] = _cells(exercise, mine)
    notebook.cells = cells


def _is_check_before(cell: NotebookNode, exercise: Exercise) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    chapter, number = exercise.name.split(".")
    kind, of_chapter, place = [*str(marks.get("grade_id", "")).split("-"), "", "", ""][:3]
    return kind == "check" and of_chapter == chapter and int(place) < int(number)


def _cells(exercise: Exercise, mine: str) -> list[NotebookNode]:
    text = f"## {exercise.name} · {exercise.title}\n\n{exercise.task.strip()}"
    answer, name = _answer(exercise)
    call = f'"{exercise.name}", {name}'
    check = (
        f"check({call})\n### BEGIN HIDDEN TESTS\n"
        f"from engine.course.checks.grading import require\n\nrequire({call})\n"
        "### END HIDDEN TESTS"
    )
    return [
        nbformat.v4.new_markdown_cell(text, id=f"{mine}task"),
        _marked(answer, f"{mine}answer", f"answer-{_id(exercise)}", grade=False),
        _marked(check, f"{mine}check", f"check-{_id(exercise)}", grade=True),
    ]


def _answer(exercise: Exercise) -> tuple[str, str]:
    """The source of the answer cell, and the name that the check is handed."""
    if isinstance(exercise, FunctionExercise):
        source = exercise.answer or answer_source(exercise.solution)
        return source.strip("\n"), re.findall(r"^def (\w+)", source, re.M)[-1]
    assert isinstance(exercise, AnswerExercise)
    return exercise.answer.strip("\n"), exercise.answer.strip().partition(" ")[0]


def _marked(source: str, id_: str, grade_id: str, *, grade: bool) -> NotebookNode:
    cell: NotebookNode = nbformat.v4.new_code_cell(source, id=id_)
    cell.metadata["nbgrader"] = {
        **MARKS,
        "grade_id": grade_id,
        "solution": not grade,
        "grade": grade,
        "locked": grade,
        **({"points": 1} if grade else {}),
    }
    return cell
