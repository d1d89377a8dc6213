"""The learner's copy of the notebooks: nothing of theirs is written over, and newer versions come.

A file that is, byte for byte, as the course gave it holds nothing of the learner's: a newer version
takes its place. Every other file stays, and the newer version is put beside it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeGuard

from engine.course import atomic
from engine.course.places import CHECKPOINTS, COPIED_FOLDERS, CourseError, Places

MEMORY_FILE = "copies.json"
Memory = dict[str, tuple[str, ...]]
HOW_TO_USE_A_NEWER = (
    "To use a newer one, rename yours and run `course` again: links lead to the file with the "
    "plain name."
)


@dataclass(frozen=True)
class Report:
    """What one refresh of the learner's copy did.

    Args:
        copied: paths in ``work/`` that were made.
        replaced: paths in ``work/`` that the learner had not changed, and that are newer now.
        waiting: such paths that were left as they are, because they may be open.
        newer: pairs of the learner's path and the path of the course's version put beside it.
        untouched: paths in ``work/`` that are, byte for byte, a version the course gave.
        notes: sentences for the learner.
    """

    copied: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    newer: tuple[tuple[str, str], ...] = ()
    untouched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Refresh:
    """One refresh under way."""

    places: Places
    remembered: Memory
    may_be_open: bool
    copied: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    newer: list[tuple[str, str]] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def file(self, name: str, content: bytes) -> None:
        mine = self.places.work / name
        if atomic.write_new(mine, content):
            self.copied.append(name)
        version = digest(content)
        given = self.remembered.get(name, ())
        held = _content(mine)
        if held not in (None, content) and _is_given(held, given) and not mine.is_symlink():
            if self.may_be_open:
                self.waiting.append(name)
                self.untouched.append(name)
                return
            if atomic.write_over(mine, held, content):
                self.replaced.append(name)
            held = _content(mine)
        if version not in given:
            if held not in (None, content):
                self._put_beside(name, content, newer_sentence if given else unknown_sentence)
            given = (*given, version)
        if _is_given(held, given):
            self.untouched.append(name)
        self.remembered[name] = given

    def _put_beside(self, name: str, content: bytes, told: Callable[[str, str], str]) -> None:
        for beside in newer_names(name):
            file = self.places.work / beside
            if atomic.write_new(file, content) or _content(file) == content:
                break
        self.newer.append((name, beside))
        self.untouched.append(beside)
        self.notes.append(told(name, beside))


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _is_given(held: bytes | None, given: tuple[str, ...]) -> TypeGuard[bytes]:
    """Whether a file's content is a version that the course gave, and so nobody's own."""
    return held is not None and digest(held) in given


def digest(content: bytes) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal.

    Args:
        content: every byte of the file.

    >>> digest(b"")[:8]
    'e3b0c442'
    """
    return sha256(content).hexdigest()


def newer_names(name: str) -> Iterator[str]:
    """The names to try for a newer version of a file, best first, without end.

    Args:
        name: the path of the learner's file.

    >>> names = newer_names("notebooks/06-walk.ipynb")
    >>> next(names), next(names)
    ('notebooks/06-walk.newer.ipynb', 'notebooks/06-walk.newer-2.ipynb')
    """
    path = Path(name)
    count = 1
    while True:
        number = "" if count == 1 else f"-{count}"
        yield path.with_name(f"{path.stem}.newer{number}{path.suffix}").as_posix()
        count += 1


def newer_sentence(name: str, beside: str) -> str:
    """Tell the learner where the newer version is.

    Args:
        name: the path of the learner's file.
        beside: the path of the newer version.

    >>> newer_sentence("notebooks/06.ipynb", "notebooks/06.newer.ipynb")[:42]
    'The course has a newer notebooks/06.ipynb:'
    """
    return (
        f"The course has a newer {name}: it is beside yours as {Path(beside).name}, "
        "and yours is as you left it."
    )


def unknown_sentence(name: str, beside: str) -> str:
    """Tell the learner where the course's version is, when theirs is of an unknown one.

    Args:
        name: the path of the learner's file.
        beside: the path of the course's version.

    >>> unknown_sentence("notebooks/06.ipynb", "notebooks/06.newer.ipynb")[:36]
    'Your notebooks/06.ipynb differs from'
    """
    return (
        f"Your {name} differs from the course's, and nothing tells which version it was made from: "
        f"the course's is beside yours as {Path(beside).name}, and yours is as you left it."
    )


def source_files(places: Places) -> list[str]:
    """The files the learner gets, as paths below the root, in order.

    A folder is copied once it holds a notebook; with it come the pictures and data beside it.

    Args:
        places: the folders of the checkout.
    """
    names = []
    for folder in COPIED_FOLDERS:
        base = places.root / folder
        if any(base.glob("*.ipynb")):
            files = [path for path in base.rglob("*") if path.is_file() and _is_course_file(path)]
            names += sorted(path.relative_to(places.root).as_posix() for path in files)
    return names


def _is_course_file(path: Path) -> bool:
    return CHECKPOINTS not in path.parts and not path.name.startswith(".")


def refresh(places: Places, may_be_open: bool = False) -> Report:
    """Make what is missing of the learner's copy, and bring newer versions.

    A newer version takes the place of a file that is as the course gave it. A file that is not, or
    that is a link, stays as it is, and the newer version is put beside it. Which versions were
    given is remembered in ``work/.course/``, so that none is given twice; a memory that cannot be
    read is set aside, not emptied. A file of which nothing is remembered is the learner's, older or
    newer: where it differs from the course's, the course's is put beside it, once.

    Args:
        places: the folders of the checkout.
        may_be_open: whether somebody may have the files open, with changes that are not saved yet.
            Then no file is replaced, and the newer version waits for the next time.

    Raises:
        CourseError: ``work/`` cannot be written to.
    """
    try:
        return _refreshed(places, may_be_open)
    except OSError as error:
        raise CourseError(
            f"The course cannot write your copy in {places.work}: {error.strerror or error}. "
            "Check that this folder is yours and that the disk is not full, then run `course` "
            "again. Where you may only read the course, copy its whole folder to a place of yours, "
            "and run `course --root FOLDER` with the name of the copy."
        ) from error


def _refreshed(places: Places, may_be_open: bool) -> Report:
    memory_file = places.memory / MEMORY_FILE
    remembered, notes = read_memory(memory_file)
    sources = {name: (places.root / name).read_bytes() for name in source_files(places)}
    first = {
        name: (digest(content),)
        for name, content in sources.items()
        if not os.path.lexists(places.work / name)
    }
    known = remembered | first
    if first:
        # Were the copying cut short, no newer version would replace a copy of unknown origin.
        write_memory(memory_file, known)
    work = _Refresh(places, dict(known), may_be_open, notes=list(notes))
    for name, content in sources.items():
        work.file(name, content)
    for folder in (places.work, places.chapters, places.exercises, places.solutions):
        atomic.remove_unfinished(folder)
    if work.remembered != known:
        write_memory(memory_file, work.remembered)
    if work.newer:
        work.notes.append(HOW_TO_USE_A_NEWER)
    return Report(
        copied=tuple(work.copied),
        replaced=tuple(work.replaced),
        waiting=tuple(work.waiting),
        newer=tuple(work.newer),
        untouched=tuple(work.untouched),
        notes=tuple(work.notes),
    )


def read_memory(file: Path) -> tuple[Memory, tuple[str, ...]]:
    """Read which versions of each file the course gave.

    Args:
        file: the memory file; it may be missing.

    Returns:
        The digests by path, oldest first, and sentences for the learner.
    """
    if not file.exists():
        return {}, ()
    try:
        return _parse(file.read_text(encoding="utf-8")), ()
    except (ValueError, RecursionError):
        aside = atomic.set_aside(file)
        note = (
            f"The course's memory {file.name} was damaged; it is set aside as {aside.name}. "
            "Your notebooks are as you left them. Beside those that differ from the course's, the "
            "course's are put once more."
        )
        return {}, (note,)


def write_memory(file: Path, memory: Memory) -> None:
    """Remember which versions of each file the course gave.

    Args:
        file: the memory file.
        memory: the digests by path, oldest first.
    """
    text = json.dumps({"versions": memory}, indent=1, sort_keys=True, ensure_ascii=False)
    atomic.write(file, f"{text}\n".encode())


def _parse(text: str) -> Memory:
    data = json.loads(text)
    versions = data.get("versions") if isinstance(data, dict) else None
    if not isinstance(versions, dict) or not all(map(_is_digests, versions.values())):
        raise ValueError("not a memory of copies")
    return {name: tuple(given) for name, given in versions.items()}


def _is_digests(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(version, str) for version in given)
