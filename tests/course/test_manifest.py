"""A folder of ours: what a command replaces there, what it spares, and what an interrupt leaves."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from engine.course import atomic, manifest
from engine.course.places import CourseError

Put = Callable[[Mapping[str, bytes], Path, str], None]

SITE, LITE, SLIDES = "course site", "course lite", "course slides"
OLD = {"index.html": b"one", "old/a.html": b"a"}
NEW = {"index.html": b"two", "new/b.html": b"b"}


def held(folder: Path) -> dict[str, bytes]:
    """All files but the list of them."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != manifest.NAME]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_new_files_take_the_place_of_the_old_ones_and_of_nothing_else(tmp_path: Path) -> None:
    manifest.put(OLD, tmp_path, SITE)
    (tmp_path / "note.txt").write_text("mine")
    manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path) == {**NEW, "note.txt": b"mine"}


def test_a_file_that_was_changed_since_is_not_written_over(tmp_path: Path) -> None:
    manifest.put(OLD, tmp_path, SITE)
    (tmp_path / "index.html").write_text("mine")
    before = held(tmp_path)
    with pytest.raises(CourseError, match=r"index\.html"):
        manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path) == before


def test_a_file_that_was_changed_since_is_not_removed(tmp_path: Path) -> None:
    manifest.put(OLD, tmp_path, SITE)
    (tmp_path / "old" / "a.html").write_text("mine")
    for _ in range(2):
        manifest.put(NEW, tmp_path, SITE)
        assert held(tmp_path) == {**NEW, "old/a.html": b"mine"}


@pytest.mark.parametrize("theirs", ["new", "new/b.html", "new/b.html/c"])
def test_what_is_in_the_way_stays_and_nothing_is_written(tmp_path: Path, theirs: str) -> None:
    manifest.put(OLD, tmp_path, SITE)
    atomic.write(tmp_path / theirs, b"mine")
    with pytest.raises(CourseError, match=f": {theirs.removesuffix('/c')}\\. They stay"):
        manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path) == {**OLD, theirs: b"mine"}


@pytest.mark.parametrize("name", ["index.html", "new/b.html"])
def test_what_is_saved_while_files_are_written_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    manifest.put(OLD, tmp_path, SITE)
    written = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        written(descriptor)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"mine")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "fsync", save_meanwhile)
        with pytest.raises(CourseError, match="was changed while"):
            manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path)[name] == b"mine"
    (tmp_path / name).unlink()
    manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path) == NEW


def test_of_many_files_in_the_way_some_are_named(tmp_path: Path) -> None:
    names = [f"{number}.html" for number in range(9)]
    manifest.put(OLD, tmp_path, SITE)
    for name in names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(CourseError, match=r"0\.html, .* and 4 more\."):
        manifest.put(dict.fromkeys(names, b""), tmp_path, SITE)


def test_each_command_has_folders_of_its_own(tmp_path: Path) -> None:
    manifest.put(OLD, tmp_path, SITE)
    with pytest.raises(CourseError, match=LITE):
        manifest.put(NEW, tmp_path, LITE)
    assert held(tmp_path) == OLD


def test_a_list_names_nothing_outside_its_folder_and_may_hold_empty_lines(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.txt"
    folder = tmp_path / "out"
    manifest.put({"theirs.txt": b"mine"}, folder, SITE)
    theirs.write_bytes(b"mine")
    listed = folder / manifest.NAME
    head, line = listed.read_text("utf-8").splitlines()
    shown = line.removesuffix("theirs.txt")
    listed.write_text(f"{head}\n\n{shown}../theirs.txt\n{shown}{theirs}\n{line}\n\n", "utf-8")
    manifest.put(NEW, folder, SITE)
    assert theirs.exists()
    assert held(folder) == NEW


def test_what_is_added_leaves_all_else_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    manifest.add(OLD, tmp_path, SLIDES)
    manifest.add(NEW, tmp_path, SLIDES)
    manifest.add({"old/a.html": b"b"}, tmp_path, SLIDES)
    assert held(tmp_path) == {**NEW, "note.txt": b"mine", "old/a.html": b"b"}


@pytest.mark.parametrize("name", ["note.txt", "index.html", manifest.NAME])
def test_what_others_wrote_is_not_written_over_by_what_is_added(tmp_path: Path, name: str) -> None:
    manifest.add(OLD, tmp_path, SLIDES)
    (tmp_path / name).write_text("mine")
    before = held(tmp_path)
    with pytest.raises(CourseError, match="They stay as they are"):
        manifest.add({**NEW, "note.txt": b"ours"}, tmp_path, SLIDES)
    assert held(tmp_path) == before
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("put", [manifest.put, manifest.add])
@pytest.mark.parametrize("old", [{}, OLD], ids=["the first", "another"])
def test_a_run_that_was_interrupted_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: dict[str, bytes], put: Put
) -> None:
    stays = old if put is manifest.add else {}
    writers = {name: getattr(atomic, name) for name in ("write", "write_new", "write_over")}
    for count in itertools.count():
        folder = tmp_path / str(count)
        if old:
            put(old, folder, SITE)
        left = iter(range(count))

        def interrupted(name: str, *given: object, left: Iterator[int] = left) -> object:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return writers[name](*given)

        with monkeypatch.context() as patched:
            for name in writers:
                patched.setattr(atomic, name, partial(interrupted, name))
            try:
                put(NEW, folder, SITE)
            except KeyboardInterrupt:
                pass
            else:
                break
        put({**NEW, "index.html": b"three"}, folder, SITE)
        assert held(folder) == {**stays, **NEW, "index.html": b"three"}
    assert count == len(NEW) + 2


def test_a_run_that_was_killed_at_its_first_file_can_be_repeated(tmp_path: Path) -> None:
    left = tmp_path / f"{atomic.UNFINISHED_PREFIX}ab12{atomic.UNFINISHED_SUFFIX}"
    left.write_bytes(b"half")
    manifest.put(NEW, tmp_path, SITE)
    assert held(tmp_path) == {**NEW, left.name: b"half"}
