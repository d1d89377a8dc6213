"""What a learner has tried and done, kept in their copy: one small file for each exercise.

Each file is written in one step, so a crash at any moment leaves the old one or the new one; and
two notebooks that are open at once never write over each other's exercises.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     note = remember(Places(Path(folder)), "01.1", done=False)
...     note = remember(Places(Path(folder)), "01.1", done=True)
...     read(Places(Path(folder))).entries
{'01.1': Entry(tries=2, done=True)}
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engine.course import atomic
from engine.course.places import CHAPTERS, EXERCISES, SOLUTIONS, Places, is_course

FOLDER = "progress"
# A class gets the chapters and the exercises alone; these stay with those who teach it.
OF_A_CHECKOUT = ("engine", SOLUTIONS)


@dataclass(frozen=True)
class Entry:
    """What is remembered of one exercise.

    Attributes:
        tries: how often it was checked with an answer.
        done: whether one of the answers was right.
    """

    tries: int = 0
    done: bool = False


@dataclass(frozen=True)
class Progress:
    """What is remembered of all exercises.

    Attributes:
        entries: by the exercise's name; an exercise that nobody has tried is not in it.
        notes: sentences for the learner.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def places_around(folder: Path) -> Places | None:
    """The places of the learner's copy that a folder belongs to, None when it belongs to none.

    It is in ``work/`` of a checkout, or it is the two folders that a class has got, side by side.
    The course's own notebooks are run by its tests, which must leave no trace.

    Args:
        folder: a notebook's folder.
    """
    here = folder.resolve()
    for outer in (here, *here.parents):
        places = Places(outer.parent)
        if outer == places.work and is_course(places.root):
            return places
    found = (Places(inner.parent, copy="") for inner in (here, *here.parents) if _is_copied(inner))
    return next(filter(_can_remember, found), None)


def _is_copied(folder: Path) -> bool:
    """Whether a folder is one of the two that a class has got."""
    root = folder.parent
    others = any(os.path.lexists(root / name) for name in OF_A_CHECKOUT)
    both = is_course(root) and (root / EXERCISES).is_dir()
    return folder.name in (CHAPTERS, EXERCISES) and both and not others


def _can_remember(places: Places) -> bool:
    """Whether files can be made in a copy, and go nowhere else."""
    folder = places.memory / FOLDER
    return os.access(places.root, os.W_OK) and folder.resolve() == folder


def file_of(places: Places, name: str) -> Path:
    """Where an exercise is remembered.

    Args:
        places: the folders of the checkout.
        name: of the exercise.
    """
    return places.memory / FOLDER / f"{name}.json"


def remember(places: Places, name: str, done: bool) -> str:
    """Count a try of an exercise. What was done once stays done.

    Args:
        places: the folders of the checkout.
        name: of the exercise.
        done: whether the answer was right.

    Returns:
        A sentence for the learner where something was wrong, else "".
    """
    file = file_of(places, name)
    try:
        before, note = _entry(file)
        after = Entry(before.tries + 1, before.done or done)
        atomic.write(file, f"{json.dumps(asdict(after))}\n".encode())
        # A class's copy is a git repository, and nobody is to commit their marks to it.
        atomic.write_new(places.memory / ".gitignore", b"*\n")
    except OSError as error:
        why = error.strerror or error
        return f"Your progress could not be written to {file.name} in your copy: {why}."
    return note


def read(places: Places) -> Progress:
    """Read what is remembered. A damaged file is set aside, and its exercise counts as open.

    Args:
        places: the folders of the checkout.
    """
    entries, notes = {}, []
    for file in sorted((places.memory / FOLDER).glob("[0-9]*.json")):
        if atomic.is_aside(file):
            continue
        try:
            entry, note = _entry(file)
        except OSError as error:
            entry, note = Entry(), f"{file.name} cannot be read: {error.strerror or error}."
        if note:
            notes.append(note)
        if entry.tries:
            entries[file.stem] = entry
    return Progress(entries, tuple(notes))


def _entry(file: Path) -> tuple[Entry, str]:
    try:
        entry = _parsed(file.read_bytes())
    except FileNotFoundError:
        return Entry(), ""
    if entry is not None:
        return entry, ""
    aside = atomic.set_aside(file)
    note = (
        f"What was remembered of exercise {file.stem} was damaged; it is set aside as "
        f"{aside.name}. Check that exercise once more, and it counts again."
    )
    return Entry(), note


def _parsed(content: bytes) -> Entry | None:
    try:
        data = json.loads(content)
        tries, done = data["tries"], data["done"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    sound = type(tries) is int and tries >= 0 and type(done) is bool
    return Entry(tries, done) if sound else None
