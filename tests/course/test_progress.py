"""The learner's progress survives crashes, and is never silently lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.course import __main__, overview, progress
from engine.course.places import Places
from engine.course.progress import Entry
from tests.rehearsal.repository import git

KILLS = 30
WRITER = """
import sys
from pathlib import Path
from engine.course import progress
from engine.course.places import Places
while True:
    note = progress.remember(Places(Path(sys.argv[1])), "01.1", done=True)
    print(note or "written", flush=True)
"""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "a cöurse")
    made.chapters.mkdir(parents=True)
    (made.chapters / "01-wiggle.ipynb").write_text("{}")
    return made


def test_a_kill_at_any_moment_loses_nothing(places: Places) -> None:
    before = 0
    for kill in range(KILLS):
        command = [sys.executable, "-c", WRITER, str(places.root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            said = [writer.stdout.readline() for _ in range(kill % 7 + 1)]
            writer.kill()
        assert set(said) == {"written\n"}
        found = progress.read(places)
        assert found.notes == ()
        assert found.entries["01.1"].done
        assert found.entries["01.1"].tries >= before + len(said)
        before = found.entries["01.1"].tries


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"tries": 2}',
        b'{"tries": "2", "done": true}',
        b'{"tries": -1, "done": true}',
        b'{"tries": 1, "done": "yes"}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_damaged_file_is_set_aside_with_a_word(places: Places, content: bytes) -> None:
    progress.remember(places, "01.2", done=True)
    file = progress.file_of(places, "01.1")
    file.write_bytes(content)
    found = progress.read(places)
    assert found.entries == {"01.2": Entry(1, done=True)}
    assert "01.1.damaged-1.json" in found.notes[0]
    assert file.with_name("01.1.damaged-1.json").read_bytes() == content
    assert progress.read(places).notes == ()


def test_what_was_set_aside_is_not_written_over(places: Places) -> None:
    file = progress.file_of(places, "01.1")
    file.parent.mkdir(parents=True)
    for content in (b"first", b"second"):
        file.write_bytes(content)
        progress.read(places)
    assert file.with_name("01.1.damaged-1.json").read_bytes() == b"first"
    assert file.with_name("01.1.damaged-2.json").read_bytes() == b"second"


def test_a_place_that_cannot_be_written_is_told(places: Places) -> None:
    places.memory.parent.mkdir()
    places.memory.write_text("a file where the folder should be")
    assert "could not be written" in progress.remember(places, "01.1", done=True)
    assert places.memory.read_text() == "a file where the folder should be"


def test_a_folder_in_the_place_of_a_file_is_told(places: Places) -> None:
    progress.file_of(places, "01.1").mkdir(parents=True)
    assert "01.1.json cannot be read" in progress.read(places).notes[0]
    assert "could not be written" in progress.remember(places, "01.1", done=True)


def test_only_a_copy_of_the_course_is_a_copy(places: Places, tmp_path: Path) -> None:
    (places.work / "exercises").mkdir(parents=True)
    assert progress.places_around(places.work / "exercises") == places
    assert progress.places_around(places.work) == places
    assert progress.places_around(places.chapters) is None
    other = tmp_path / "work" / "notes"
    other.mkdir(parents=True)
    assert progress.places_around(other) is None


# The copy of a class: the two folders side by side, in any folder.


@pytest.fixture
def klass(places: Places) -> Places:
    """What a student of a class has got."""
    places.exercises.mkdir()
    (places.exercises / "01-wiggle-a-number.ipynb").write_text("{}")
    return Places(places.root, copy="")


def files_of(klass: Places) -> set[str]:
    files = (path for path in klass.root.rglob("*") if path.is_file())
    return {file.relative_to(klass.root).as_posix() for file in files}


@pytest.mark.parametrize("inside", ["notebooks", "exercises", "exercises/deeper"])
def test_a_class_keeps_its_marks_beside_the_folders(klass: Places, inside: str) -> None:
    before = files_of(klass)
    (klass.root / inside).mkdir(exist_ok=True)
    found = progress.places_around(klass.root / inside)
    assert found == klass
    assert progress.remember(found, "01.1", done=True) == ""
    assert progress.read(found).entries == {"01.1": Entry(1, done=True)}
    assert files_of(klass) - before == {".course/.gitignore", ".course/progress/01.1.json"}
    assert progress.places_around(klass.root) is None


def test_git_sees_no_marks_and_keeps_a_file_that_is_there(klass: Places) -> None:
    progress.remember(klass, "01.1", done=True)
    git(klass.root, "init", "--quiet")
    seen = git(klass.root, "status", "--porcelain", "--untracked-files=all")
    assert "notebooks/" in seen
    assert ".course" not in seen
    (klass.memory / ".gitignore").write_text("mine")
    progress.remember(klass, "01.1", done=True)
    assert (klass.memory / ".gitignore").read_text() == "mine"


@pytest.mark.parametrize("folder", ["engine", "solutions"])
def test_the_courses_own_notebooks_leave_no_trace(klass: Places, folder: str) -> None:
    (klass.root / folder).mkdir()
    assert progress.places_around(klass.exercises) is None


def test_exercises_without_chapters_are_no_copy(klass: Places) -> None:
    (klass.chapters / "01-wiggle.ipynb").unlink()
    assert progress.places_around(klass.exercises) is None


def test_marks_never_leave_the_copy(klass: Places, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    try:
        klass.memory.symlink_to(elsewhere, target_is_directory=True)
    except OSError:
        pytest.skip("this machine lets nobody make a link")
    assert progress.places_around(klass.exercises) is None


def test_a_file_with_the_memorys_name_is_told_and_stays(klass: Places) -> None:
    klass.memory.write_text("mine")
    found = progress.places_around(klass.exercises)
    assert found is not None
    assert "could not be written" in progress.remember(found, "01.1", done=True)
    assert klass.memory.read_text() == "mine"


def test_the_table_of_a_class_tells_of_its_own_marks(
    klass: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.remember(klass, "01.1", done=True)
    assert __main__.main(["check", "--root", str(klass.root)]) == 0
    said = capsys.readouterr().out
    assert "\n1 of " in said
    assert " It is in exercises/01-wiggle-a-number.ipynb." in said


# The table.


def test_the_table_tells_done_tried_open_and_what_is_next(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    places.exercises.mkdir()
    (places.exercises / "01-wiggle-a-number.ipynb").write_text("{}")
    progress.remember(places, "01.1", done=True)
    progress.remember(places, "01.2", done=False)
    assert __main__.main(["check", "--root", str(places.root)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == ["chapter", "done", "tried", "open"]
    assert " ".join(said[1].split()) == "01 wiggle a number 01.1 01.2 01.3 01.4 01.5"
    assert any(line.startswith("1 of ") for line in said)
    assert "Next: 01.2, Write a central difference." in said[-1]
    assert "work/exercises/01-wiggle-a-number.ipynb" in said[-1]
    assert 'hint("01.2")' in said[-1]


def test_the_table_tells_when_all_is_done(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in overview.catalog.names():
        progress.remember(places, name, done=True)
    assert overview.run(places) == 0
    assert "All exercises are done." in capsys.readouterr().out


def test_the_table_tells_of_a_damaged_memory(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.remember(places, "01.1", done=True)
    progress.file_of(places, "01.1").write_bytes(b"")
    assert overview.run(places) == 0
    assert "01.1.damaged-1.json" in capsys.readouterr().out
