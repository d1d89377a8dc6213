"""Mend what students hand in, before nbgrader reads it.

A cell that was split or copied is there twice under one name, and at that nbgrader stops for
everybody; a check that was deleted gives no points. nbgrader calls :func:`mend` for each student,
where its configuration says so, as ``solutions/nbgrader_config.py`` does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from engine.course import atomic, notebook_files

# A class has its folders beside each other: submitted/STUDENT/ASSIGNMENT and source/ASSIGNMENT.
UP_TO_THE_CLASS = 3
SOURCE = "source"
KEPT = ".as-handed-in"


def mend(notebooks: Sequence[str], **_others: object) -> None:
    """Mend a student's notebooks, and say what was done.

    What was handed in stays beside it, with ``.as-handed-in`` behind its name.

    Args:
        notebooks: the files.
        **_others: what else nbgrader tells; for a whole class it tells no student's name.
    """
    for file in map(Path, notebooks):
        assignment, student = (file.absolute().parents[k].name for k in (0, 1))
        source = file.absolute().parents[UP_TO_THE_CLASS] / SOURCE / assignment / file.name
        for line in mend_file(file, source):
            print(f"{student}, {file.name}: {line}", flush=True)


def mend_file(file: Path, source: Path) -> list[str]:
    """Mend one notebook.

    Args:
        file: as it was handed in.
        source: the instructor's notebook of the same name; it need not be there.

    Returns:
        A sentence for each thing that was mended.
    """
    try:
        notebook = notebook_files.read(file)
        asked = notebook_files.read(source).cells if source.exists() else []
    except (OSError, ValueError):
        return []  # nbgrader names a notebook that cannot be read, and goes on with the next
    done = [*_without_copies(notebook), *_with_checks(notebook, asked)]
    if done:
        kept = file.with_name(f"{file.name}{KEPT}")
        if not kept.exists():
            shutil.copy2(file, kept)
        atomic.write(file, notebook_files.text(notebook).encode())
    return done


def grade_id(cell: NotebookNode) -> str:
    """What nbgrader calls a cell, ``""`` for all others.

    Args:
        cell: of a notebook.
    """
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _without_copies(notebook: NotebookNode) -> Iterator[str]:
    """Of cells with one name the last one keeps it: all that belongs to it has been run there."""
    seen: set[str] = set()
    for cell in reversed(notebook.cells):
        name = grade_id(cell)
        if name in seen:
            del cell.metadata["nbgrader"]
            yield f"the cell {name} was there more than once; now one of them has that name."
        elif name:
            seen.add(name)


def _with_checks(notebook: NotebookNode, asked: Sequence[NotebookNode]) -> Iterator[str]:
    """A check that is not there is put behind what comes before it in the instructor's notebook."""
    names = [name for cell in asked if (name := grade_id(cell))]
    for cell in asked:
        name = grade_id(cell)
        here = {grade_id(other): place for place, other in enumerate(notebook.cells)}
        if not name or name in here or not cell.metadata["nbgrader"].get("grade"):
            continue
        before = [here[other] for other in names[: names.index(name)] if other in here]
        notebook.cells.insert(max(before, default=-1) + 1, cell)
        yield f"the cell {name} was not there; it was put back."
