"""Put files into a folder, and replace and remove only what an earlier run has put there."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from engine.course import atomic
from engine.course.places import CourseError

# Names every file that a command wrote, each with the hash of what it wrote there.
NAME = "course-files.txt"
HEAD = "Written by `{}`, which replaces and removes these files only while they are unchanged."
LINE = re.compile(r"(?P<hash>[0-9a-f]{64})  (?P<name>.+)")
TOLD = 5

# What we wrote, or were about to write, under each name.
Hashes = dict[str, set[str]]


def put(files: Mapping[str, bytes], folder: Path, command: str) -> None:
    """Write files into a folder; of those of an earlier run nothing is left.

    A run that is interrupted can be repeated: the list of files is written before them. A file
    that is as no run has written it is somebody's own. None such is written over or removed.

    Args:
        files: the content of each file by its path in the folder.
        folder: where to.
        command: whose files they are, as it is typed.

    Raises:
        CourseError: there are files of somebody's own where these should go, or one came meanwhile.
        OSError: the folder cannot be written to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     put({"a.txt": b"one", "b.txt": b"two"}, Path(folder), "course site")
    ...     put({"a.txt": b"three"}, Path(folder), "course site")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.txt', 'course-files.txt']
    """
    before = known(folder, command)
    _require_no_others(files, before, folder, command)
    atomic.remove_unfinished(folder)
    _replace(before, files, {}, folder, command)


def add(files: Mapping[str, bytes], folder: Path, command: str) -> None:
    """Write files into a folder, over older ones of the same names; all others stay.

    As with ``put``, no file is written over that is as no run has written it.

    Args:
        files: the content of each file by its path in the folder.
        folder: where to; it may hold anything else.
        command: whose files they are, as it is typed.

    Raises:
        CourseError: there are files of somebody's own where these should go, or one came meanwhile.
        OSError: the folder cannot be written to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     add({"a.txt": b"one"}, Path(folder), "course slides")
    ...     add({"b.txt": b"two"}, Path(folder), "course slides")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['a.txt', 'b.txt', 'course-files.txt']
    """
    before = listed(folder, command) or {}
    _require_no_others(files, before, folder, command)
    _replace(before, files, before, folder, command)


def _replace(
    before: Hashes, files: Mapping[str, bytes], kept: Hashes, folder: Path, command: str
) -> None:
    """Have the files there, and those that are kept; of the others before them nothing is left."""
    new = {**kept, **{name: {_hash(content)} for name, content in files.items()}}
    both = {name: before.get(name, set()) | new.get(name, set()) for name in {*before, *new}}
    _write(both, folder, command)
    for name in before.keys() - new.keys():
        if _is_known(folder / name, before[name]):
            (folder / name).unlink()
    for name, content in files.items():
        if not _written(folder / name, both[name], content):
            raise CourseError(
                f"{folder / name} was changed while `{command}` wrote its files, so it stays as it "
                "is. Move it, or name another folder after --output, and run the command again."
            )
    _write(new, folder, command)


def _written(path: Path, hashes: set[str], content: bytes) -> bool:
    """Write a file over nothing, or over what we have written there."""
    if not os.path.lexists(path):
        return atomic.write_new(path, content)
    held = path.read_bytes()
    return _hash(held) in hashes and atomic.write_over(path, held, content)


def known(folder: Path, command: str) -> Hashes:
    """What a command has written into a folder; nothing when the folder is new or empty.

    Args:
        folder: where the files go; call this before the long work that makes them.
        command: whose files they are, as it is typed.

    Raises:
        CourseError: the folder holds something else.

    >>> known(Path("no such folder"), "course site")
    {}
    """
    before = listed(folder, command)
    if before is not None:
        return before
    if not folder.exists() or (folder.is_dir() and all(map(_is_unfinished, folder.iterdir()))):
        return {}
    raise _others(folder, command)


def listed(folder: Path, command: str) -> Hashes | None:
    """What the list in a folder says that a command has written there; None without a list.

    Args:
        folder: where the files go.
        command: whose files they are, as it is typed.

    Raises:
        CourseError: the list is another command's, or something else.
    """
    file = folder / NAME
    if not file.is_file():
        return None
    first, *lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    if first != HEAD.format(command):
        raise _others(folder, command)
    return _hashes(lines)


def _others(folder: Path, command: str) -> CourseError:
    return CourseError(
        f"{folder} holds other files than those of `{command}`. They stay as they are: name an "
        "empty folder, or a new one, after --output."
    )


def _hashes(lines: list[str]) -> Hashes:
    found: Hashes = {}
    for line in filter(None, map(LINE.fullmatch, lines)):
        name = PurePosixPath(line["name"])
        if not name.is_absolute() and ".." not in name.parts:
            found.setdefault(name.as_posix(), set()).add(line["hash"])
    return found


def _is_unfinished(path: Path) -> bool:
    """A run that was killed while it wrote its first file leaves nothing else."""
    return (
        path.name.startswith(atomic.UNFINISHED_PREFIX) and path.suffix == atomic.UNFINISHED_SUFFIX
    )


def _require_no_others(files: Iterable[str], before: Hashes, folder: Path, command: str) -> None:
    others = {
        other.relative_to(folder).as_posix()
        for name in files
        if (other := _in_the_way(folder, name, before.get(name, set())))
    }
    if others:
        more = f" and {len(others) - TOLD} more" if len(others) > TOLD else ""
        raise CourseError(
            f"`{command}` did not write these files in {folder}, or they have changed since: "
            f"{', '.join(sorted(others)[:TOLD])}{more}. They stay as they are, and nothing was "
            "written. Move them, or name another folder after --output."
        )


def _in_the_way(folder: Path, name: str, hashes: set[str]) -> Path | None:
    """What is where a file should go, or where one of the folders above it should."""
    path = folder / name
    for above in path.relative_to(folder).parents[:-1]:
        if os.path.lexists(folder / above) and not (folder / above).is_dir():
            return folder / above
    return path if os.path.lexists(path) and not _is_known(path, hashes) else None


def _is_known(path: Path, hashes: set[str]) -> bool:
    return path.is_file() and _hash(path.read_bytes()) in hashes


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(hashes: Hashes, folder: Path, command: str) -> None:
    lines = [f"{one}  {name}" for name in sorted(hashes) for one in sorted(hashes[name])]
    atomic.write(folder / NAME, "\n".join([HEAD.format(command), *lines, ""]).encode())
