"""The table of ``course check``: what is done, what was tried, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.course import progress
from engine.course.checks import catalog
from engine.course.places import EXERCISES, Places
from engine.course.progress import Progress
from engine.text import table_lines

COLUMNS = ("chapter", "done", "tried", "open")


class Row(NamedTuple):
    """One chapter of the table.

    Attributes:
        chapter: the number and the title's words, as its file says them.
        done: the exercises with a right answer.
        tried: those with wrong answers only.
        open: those that nobody has tried.
    """

    chapter: str
    done: tuple[str, ...]
    tried: tuple[str, ...]
    open: tuple[str, ...]


def row(chapter: str, names: Sequence[str], known: Progress) -> Row:
    """Sort a chapter's exercises.

    Args:
        chapter: how to call it.
        names: of its exercises.
        known: the learner's progress.

    >>> row("01", ["01.1", "01.2"], Progress({"01.2": progress.Entry(3, done=False)}))
    Row(chapter='01', done=(), tried=('01.2',), open=('01.1',))
    """
    done = tuple(n for n in names if n in known.entries and known.entries[n].done)
    tried = tuple(n for n in names if n in known.entries and n not in done)
    return Row(chapter, done, tried, tuple(n for n in names if n not in known.entries))


def rows(places: Places, known: Progress) -> list[Row]:
    """One row for each chapter with exercises.

    Args:
        places: the folders of the checkout.
        known: the learner's progress.
    """
    return [
        row(_called(places, number), [e.name for e in catalog.of_chapter(number)], known)
        for number in catalog.chapters()
    ]


def _called(places: Places, number: str) -> str:
    file = exercise_file(places, number)
    return f"{number} {file.stem.partition('-')[2].replace('-', ' ')}" if file else number


def exercise_file(places: Places, number: str) -> Path | None:
    """The exercise notebook of a chapter, None when there is none.

    Args:
        places: the folders of the checkout.
        number: of the chapter.
    """
    return next(iter(sorted(places.exercises.glob(f"{number}-*.ipynb"))), None)


def following(table: Sequence[Row]) -> str:
    """The exercise to do next: the first that is not done, "" when all are.

    Args:
        table: one row for each chapter.

    >>> following([Row("01", ("01.1",), ("01.3",), ("01.2",))])
    '01.2'
    """
    return next((min((*row.tried, *row.open)) for row in table if row.tried or row.open), "")


def next_step(places: Places, table: Sequence[Row]) -> str:
    """What to do next, in a sentence.

    Args:
        places: the folders of the checkout.
        table: one row for each chapter.
    """
    name = following(table)
    if not name:
        return "All exercises are done."
    file = exercise_file(places, name[:2])
    folder = places.work if Path(places.copy).is_absolute() else Path(places.copy)
    where = f" It is in {(folder / EXERCISES / file.name).as_posix()}." if file else ""
    tried = any(name in row.tried for row in table)
    helping = f' You have tried it: hint("{name}") helps.' if tried else ""
    return f"Next: {name}, {catalog.find(name).title}.{where}{helping}"


def run(places: Places) -> int:
    """The command ``course check``.

    Args:
        places: the folders of the checkout.

    Returns:
        0.
    """
    if not places.work.exists():
        places = progress.places_around(places.chapters) or places
    known = progress.read(places)
    table = rows(places, known)
    total = sum(len(row.done) + len(row.tried) + len(row.open) for row in table)
    done = sum(len(row.done) for row in table)
    cells = [COLUMNS, *((r.chapter, *map(_listed, (r.done, r.tried, r.open))) for r in table)]
    for line in table_lines(cells, left=range(len(COLUMNS))):
        print(line)
    print(f"{done} of {total} exercises are done.")
    print(next_step(places, table))
    for note in known.notes:
        print(note)
    return 0


def _listed(names: Sequence[str]) -> str:
    return " ".join(names) or "-"
