"""The learner's copy: made, brought up to date, and nothing of theirs written over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.course import atomic, copies
from engine.course.places import CourseError, Places, find_places

NAME = "notebooks/06 wälk.ipynb"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "a cöurse")
    made.chapters.mkdir(parents=True)
    (made.root / NAME).write_text("first version")
    return made


def mine(places: Places) -> Path:
    return places.work / NAME


def files(places: Places) -> dict[str, str]:
    """Everything in the learner's copy but the course's memory."""
    return {
        path.relative_to(places.work).as_posix(): path.read_text()
        for path in places.work.rglob("*")
        if path.is_file() and places.memory not in path.parents
    }


def test_the_first_time_everything_is_copied(places: Places) -> None:
    (places.chapters / "images").mkdir()
    (places.chapters / "images" / "a.svg").write_text("<svg/>")
    report = copies.refresh(places)
    assert files(places) == {NAME: "first version", "notebooks/images/a.svg": "<svg/>"}
    assert set(report.copied) == set(files(places)) == set(report.untouched)
    assert report.notes == ()


def test_checkpoints_and_hidden_files_are_not_copied(places: Places) -> None:
    for name in (".ipynb_checkpoints/06-checkpoint.ipynb", ".DS_Store"):
        (places.chapters / name).parent.mkdir(exist_ok=True)
        (places.chapters / name).write_text("no")
    copies.refresh(places)
    assert set(files(places)) == {NAME}


def test_exercises_are_copied_once_there_are_some(places: Places) -> None:
    exercises = places.root / "exercises"
    exercises.mkdir()
    (exercises / "README.md").write_text("soon")
    assert copies.refresh(places).copied == (NAME,)
    (exercises / "01.ipynb").write_text("an exercise")
    assert copies.refresh(places).copied == ("exercises/01.ipynb", "exercises/README.md")


def test_an_exercise_with_answers_stays_and_a_newer_one_is_named(places: Places) -> None:
    exercise = places.exercises / "01.ipynb"
    exercise.parent.mkdir()
    exercise.write_text('{"cells": "first"}')
    copies.refresh(places)
    learners = places.work / "exercises" / "01.ipynb"
    learners.write_text('{"cells": "my answers"}')
    exercise.write_text('{"cells": "second"}')
    report = copies.refresh(places)
    assert learners.read_text() == '{"cells": "my answers"}'
    assert learners.with_name("01.newer.ipynb").read_text() == '{"cells": "second"}'
    assert report.newer == (("exercises/01.ipynb", "exercises/01.newer.ipynb"),)
    assert "exercises/01.ipynb" in report.notes[0]


def test_a_second_time_nothing_happens(places: Places) -> None:
    copies.refresh(places)
    memory = (places.memory / copies.MEMORY_FILE).stat().st_mtime_ns
    report = copies.refresh(places)
    assert (report.copied, report.newer, report.notes) == ((), (), ())
    assert (places.memory / copies.MEMORY_FILE).stat().st_mtime_ns == memory


def test_the_learners_changes_stay(places: Places) -> None:
    copies.refresh(places)
    mine(places).write_text("my answers")
    report = copies.refresh(places)
    assert files(places) == {NAME: "my answers"}
    assert report.untouched == ()


def test_beside_a_changed_copy_a_newer_version_is_put(places: Places) -> None:
    copies.refresh(places)
    mine(places).write_text("my answers")
    (places.root / NAME).write_text("second version")
    report = copies.refresh(places)
    beside = "notebooks/06 wälk.newer.ipynb"
    assert files(places) == {NAME: "my answers", beside: "second version"}
    assert report.newer == ((NAME, beside),)
    assert (report.replaced, report.untouched) == ((), (beside,))
    where, how = report.notes
    assert "06 wälk.newer.ipynb" in where
    assert how == copies.HOW_TO_USE_A_NEWER


def test_how_to_use_a_newer_version_is_said_once_and_works(places: Places) -> None:
    (places.chapters / "07.ipynb").write_text("first version")
    copies.refresh(places)
    for name in (NAME, "notebooks/07.ipynb"):
        (places.work / name).write_text("my answers")
        (places.root / name).write_text("second version")
    notes = copies.refresh(places).notes
    assert (len(notes), notes[-1]) == (3, copies.HOW_TO_USE_A_NEWER)
    mine(places).rename(mine(places).with_name("mine.ipynb"))
    copies.refresh(places)
    assert mine(places).read_text() == "second version"
    assert files(places)["notebooks/mine.ipynb"] == "my answers"


def test_a_newer_version_takes_the_place_of_an_unchanged_copy(places: Places) -> None:
    copies.refresh(places)
    for version in ("second version", "third version"):
        (places.root / NAME).write_text(version)
        report = copies.refresh(places)
        assert (report.replaced, report.newer, report.copied) == ((NAME,), (), ())
        assert report.untouched == (NAME,)
        assert files(places) == {NAME: version}
        assert copies.refresh(places).replaced == ()


def test_one_byte_more_is_the_learners(places: Places) -> None:
    copies.refresh(places)
    mine(places).write_text("first version\n")
    (places.root / NAME).write_text("second version")
    assert copies.refresh(places).replaced == ()
    assert mine(places).read_text() == "first version\n"


@pytest.mark.parametrize("memory", ["missing", "damaged", "of other files"])
def test_a_copy_of_which_nothing_is_remembered_is_the_learners(places: Places, memory: str) -> None:
    copies.refresh(places)
    file = places.memory / copies.MEMORY_FILE
    if memory == "missing":
        file.unlink()
    elif memory == "damaged":
        file.write_text("{")
    else:
        copies.write_memory(file, {"notebooks/07.ipynb": (copies.digest(b"first version"),)})
    put: dict[str, str] = {}
    for beside, version in (("newer", "second version"), ("newer-2", "third version")):
        (places.root / NAME).write_text(version)
        put[f"notebooks/06 wälk.{beside}.ipynb"] = version
        for new in (1, 0):
            report = copies.refresh(places)
            assert (report.replaced, len(report.newer)) == ((), new)
            assert NAME not in report.untouched
            assert files(places) == {NAME: "first version", **put}


def test_of_a_copy_of_which_nothing_is_remembered_no_age_is_claimed(places: Places) -> None:
    mine(places).parent.mkdir(parents=True)
    mine(places).write_text("a newer version than that of this course")
    report = copies.refresh(places)
    beside = "notebooks/06 wälk.newer.ipynb"
    assert report.newer == ((NAME, beside),)
    assert report.notes == (copies.unknown_sentence(NAME, beside), copies.HOW_TO_USE_A_NEWER)
    assert "newer" not in report.notes[0].replace(Path(beside).name, "")
    mine(places).rename(mine(places).with_name("mine.ipynb"))
    copies.refresh(places)
    assert mine(places).read_text() == "first version"


def test_copies_of_unknown_origin_that_are_the_courses_get_nothing_beside_them(
    places: Places,
) -> None:
    mine(places).parent.mkdir(parents=True)
    mine(places).write_text("first version")
    report = copies.refresh(places)
    assert (report.newer, report.notes, report.untouched) == ((), (), (NAME,))
    (places.root / NAME).write_text("second version")
    assert copies.refresh(places).replaced == (NAME,)
    assert files(places) == {NAME: "second version"}


def test_a_file_of_the_learners_own_with_the_name_of_a_new_one_stays(places: Places) -> None:
    copies.refresh(places)
    own = "notebooks/07.ipynb"
    (places.work / own).write_text("my own notebook")
    (places.root / own).write_text("a new chapter")
    assert copies.refresh(places).newer == ((own, "notebooks/07.newer.ipynb"),)
    assert files(places)[own] == "my own notebook"


def test_a_link_of_the_learners_stays_one_and_what_it_leads_to_stays(
    places: Places, tmp_path: Path
) -> None:
    copies.refresh(places)
    elsewhere = mine(places).rename(tmp_path / "elsewhere.ipynb")
    mine(places).symlink_to(elsewhere)
    (places.root / NAME).write_text("second version")
    report = copies.refresh(places)
    assert (report.replaced, len(report.newer)) == ((), 1)
    assert mine(places).readlink() == elsewhere
    assert elsewhere.read_text() == "first version"


def test_another_name_of_an_unchanged_copy_keeps_the_old_version(
    places: Places, tmp_path: Path
) -> None:
    copies.refresh(places)
    kept = tmp_path / "kept.ipynb"
    kept.hardlink_to(mine(places))
    (places.root / NAME).write_text("second version")
    copies.refresh(places)
    assert (kept.read_text(), mine(places).read_text()) == ("first version", "second version")


def test_what_may_be_open_is_replaced_the_next_time(places: Places) -> None:
    copies.refresh(places)
    (places.root / NAME).write_text("second version")
    report = copies.refresh(places, may_be_open=True)
    assert (report.waiting, report.replaced, report.newer) == ((NAME,), (), ())
    assert report.untouched == (NAME,)
    assert files(places) == {NAME: "first version"}
    report = copies.refresh(places)
    assert (report.waiting, report.replaced) == ((), (NAME,))
    assert files(places) == {NAME: "second version"}


def test_what_was_changed_while_it_was_open_is_the_learners(places: Places) -> None:
    copies.refresh(places)
    (places.root / NAME).write_text("second version")
    copies.refresh(places, may_be_open=True)
    mine(places).write_text("my answers")
    assert len(copies.refresh(places).newer) == 1
    assert mine(places).read_text() == "my answers"


def test_what_is_saved_while_the_newer_version_is_written_is_the_learners(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies.refresh(places)
    (places.root / NAME).write_text("second version")
    written = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        written(descriptor)
        mine(places).write_text("my answers")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "fsync", save_meanwhile)
        report = copies.refresh(places)
    beside = "notebooks/06 wälk.newer.ipynb"
    assert files(places) == {NAME: "my answers", beside: "second version"}
    assert (report.replaced, report.newer) == ((), ((NAME, beside),))
    assert NAME not in report.untouched


def test_each_newer_version_is_offered_once_and_none_is_written_over(places: Places) -> None:
    copies.refresh(places)
    mine(places).write_text("my answers")
    for version in ("second version", "third version"):
        (places.root / NAME).write_text(version)
        assert len(copies.refresh(places).newer) == 1
        assert copies.refresh(places).newer == ()
    assert files(places) == {
        NAME: "my answers",
        "notebooks/06 wälk.newer.ipynb": "second version",
        "notebooks/06 wälk.newer-2.ipynb": "third version",
    }


def test_a_version_that_was_given_before_is_not_given_again(places: Places) -> None:
    copies.refresh(places)
    mine(places).write_text("my answers")
    for version in ("second version", "first version", "second version"):
        (places.root / NAME).write_text(version)
        report = copies.refresh(places)
    assert (report.newer, report.notes) == ((), ())
    beside = "notebooks/06 wälk.newer.ipynb"
    assert files(places) == {NAME: "my answers", beside: "second version"}


def test_an_unchanged_copy_follows_the_course_back_to_an_older_version(places: Places) -> None:
    for version in ("second version", "first version", "second version", "first version"):
        (places.root / NAME).write_text(version)
        copies.refresh(places)
        assert files(places) == {NAME: version}


def mortal_steps(monkeypatch: pytest.MonkeyPatch, killed_at: int, killed_after: bool) -> list[Path]:
    """End this process, as it were, before or after a step that puts a file in place.

    Returns:
        Each file that such a step was for, from now on.
    """
    steps: list[Path] = []

    def mortal(step: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
        def run(one: Path, two: Path) -> None:
            steps.append(two)
            if len(steps) != killed_at or killed_after:
                step(one, two)
            if len(steps) == killed_at:
                raise KeyboardInterrupt

        return run

    for name in ("replace", "hardlink_to"):
        monkeypatch.setattr(Path, name, mortal(getattr(Path, name)))
    return steps


@pytest.mark.parametrize("killed_at", range(1, 7))
@pytest.mark.parametrize("killed_after", [False, True])
def test_after_a_killed_refresh_a_newer_version_is_given_and_only_once(
    places: Places, monkeypatch: pytest.MonkeyPatch, killed_at: int, killed_after: bool
) -> None:
    (places.chapters / "07.ipynb").write_text("first version")
    steps = mortal_steps(monkeypatch, killed_at, killed_after)
    for version in ("first version", *["second version"] * 3):
        for source in places.chapters.iterdir():
            source.write_text(version)
        with contextlib.suppress(KeyboardInterrupt):
            copies.refresh(places)
    assert len(steps) >= killed_at
    names = (NAME, "notebooks/07.ipynb")
    assert files(places) == dict.fromkeys(names, "second version")


@pytest.mark.parametrize("killed_at", range(1, 5))
@pytest.mark.parametrize("killed_after", [False, True])
def test_a_killed_refresh_loses_nothing_of_the_learners(
    places: Places, monkeypatch: pytest.MonkeyPatch, killed_at: int, killed_after: bool
) -> None:
    (places.chapters / "07.ipynb").write_text("first version")
    copies.refresh(places)
    mine(places).write_text("my answers")
    steps = mortal_steps(monkeypatch, killed_at, killed_after)
    for version in ["second version"] * 3:
        for source in places.chapters.iterdir():
            source.write_text(version)
        with contextlib.suppress(KeyboardInterrupt):
            copies.refresh(places)
    assert len(steps) >= min(killed_at, 3)
    assert files(places) == {
        NAME: "my answers",
        "notebooks/06 wälk.newer.ipynb": "second version",
        "notebooks/07.ipynb": "second version",
    }


def test_a_learner_who_took_the_newer_version_is_left_alone(places: Places) -> None:
    copies.refresh(places)
    (places.root / NAME).write_text("second version")
    mine(places).write_text("second version")
    assert copies.refresh(places).newer == ()
    assert set(files(places)) == {NAME}


def test_a_deleted_copy_is_made_anew(places: Places) -> None:
    copies.refresh(places)
    (places.root / NAME).write_text("second version")
    mine(places).unlink()
    assert copies.refresh(places).copied == (NAME,)
    assert files(places) == {NAME: "second version"}


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"versions": 3}',
        '{"versions": {"a": 1}}',
        '{"versions": {"a": [1]}}',
        "\xff",
    ],
)
def test_a_damaged_memory_is_set_aside_with_a_word(places: Places, damage: str) -> None:
    copies.refresh(places)
    mine(places).write_text("my answers")
    memory = places.memory / copies.MEMORY_FILE
    memory.write_bytes(damage.encode("latin-1"))
    report = copies.refresh(places)
    aside = places.memory / "copies.damaged-1.json"
    assert aside.read_bytes() == damage.encode("latin-1")
    beside = "notebooks/06 wälk.newer.ipynb"
    assert files(places) == {NAME: "my answers", beside: "first version"}
    said, *others = report.notes
    assert aside.name in said
    assert others == [copies.unknown_sentence(NAME, beside), copies.HOW_TO_USE_A_NEWER]
    assert copies.refresh(places).notes == ()
    (places.root / NAME).write_text("second version")
    assert len(copies.refresh(places).newer) == 1


def test_two_damaged_memories_are_both_kept(places: Places) -> None:
    for damage in ("one", "two"):
        copies.refresh(places)
        (places.memory / copies.MEMORY_FILE).write_text(damage)
    copies.refresh(places)
    kept = [places.memory / f"copies.damaged-{count}.json" for count in (1, 2)]
    assert [file.read_text() for file in kept] == ["one", "two"]


def test_a_crash_while_writing_keeps_the_old_memory(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies.refresh(places)
    memory = places.memory / copies.MEMORY_FILE
    before = memory.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("power cut")))
    with pytest.raises(OSError, match="power cut"):
        copies.write_memory(memory, {})
    assert memory.read_bytes() == before
    assert [path.name for path in places.memory.iterdir()] == [copies.MEMORY_FILE]


@pytest.mark.parametrize("folder", ["notebooks", ".course/progress", "slides"])
def test_what_a_killed_copy_left_is_removed_once_it_is_old(
    places: Places, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    target = places.work / folder / "a file"
    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        atomic.write_new(target, b"content")
    (left,) = set(target.parent.iterdir()) - {target}
    theirs = target.with_name(".theirs.part")
    theirs.touch()
    os.utime(theirs, (0, 0))
    copies.refresh(places)
    assert left.exists()
    os.utime(left, (0, 0))
    copies.refresh(places)
    assert not left.exists()
    assert theirs.exists()


def test_a_link_to_nowhere_is_not_written_through(places: Places, tmp_path: Path) -> None:
    mine(places).parent.mkdir(parents=True)
    mine(places).symlink_to(tmp_path / "elsewhere")
    copies.refresh(places)
    assert not (tmp_path / "elsewhere").exists()


def test_without_hard_links_a_file_is_still_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    file = tmp_path / "note"
    assert atomic.write_new(file, b"mine")
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    assert not atomic.write_new(file, b"yours")
    assert file.read_bytes() == b"mine"


def test_without_hard_links_a_writing_that_fails_leaves_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    beside_and_in_place = iter([False, True])

    def fill_the_disk(_: int) -> None:
        if next(beside_and_in_place):
            raise OSError("the disk is full")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    monkeypatch.setattr(os, "fsync", fill_the_disk)
    with pytest.raises(OSError, match="the disk is full"):
        atomic.write_new(tmp_path / "note", b"a note")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_gone_is_not_written_over(tmp_path: Path) -> None:
    assert not atomic.write_over(tmp_path / "note", b"old", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_copy_should_be_is_told_and_stays(places: Places) -> None:
    places.work.write_text("a file")
    with pytest.raises(CourseError, match="cannot write your copy"):
        copies.refresh(places)
    assert places.work.read_text() == "a file"


def test_a_given_folder_without_chapters_is_told(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="clone the repository"):
        find_places(tmp_path)


def test_the_checkout_around_the_present_folder_is_found(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(places.chapters)
    monkeypatch.setattr("engine.course.places.__file__", "/nowhere/at/all/places.py")
    assert find_places() == Places(places.root.resolve())
