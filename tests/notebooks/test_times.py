"""The minutes that chapters and README print are those that their text takes, not a hope."""

import re
from pathlib import Path

import pytest
from reading_time import STEP, chapter_minutes, exercise_minutes

from engine.course import build, notebook_files
from engine.course.places import Places

ROOT = Path(__file__).resolve().parents[2]
PLACES = Places(ROOT)
CHAPTERS = build.chapter_files(PLACES)
README = (ROOT / "README.md").read_text("utf-8")
LINE = re.compile(r"^\| (\d\d) \|.*\| (\d+) \| ?(\d*) ?\|$", re.MULTILINE)
TOTAL = re.compile(r"about (\d+) hours, and (\d+) more for the exercises")


def exercises_of(file: Path) -> int:
    solutions = PLACES.solutions / file.name
    return exercise_minutes(notebook_files.read(solutions)) if solutions.exists() else 0


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_chapter_prints_the_minutes_that_it_takes(file: Path) -> None:
    chapter = notebook_files.read(file)
    text = "\n".join(cell.source for cell in chapter.cells)
    (printed,) = re.findall(r"\*\*You need\*\* (\d+) minutes", text)
    assert abs(int(printed) - chapter_minutes(chapter)) <= STEP


def test_the_readme_has_the_minutes_of_every_chapter_and_their_sum() -> None:
    lines = {number: (int(read), int(done or 0)) for number, read, done in LINE.findall(README)}
    assert [*lines] == [file.name[:2] for file in CHAPTERS]
    for file in CHAPTERS:
        read, done = lines[file.name[:2]]
        assert abs(read - chapter_minutes(notebook_files.read(file))) <= STEP, file.name
        assert abs(done - exercises_of(file)) <= STEP, file.name
    (total,) = TOTAL.findall(README)
    sums = [sum(minutes) / 60 for minutes in zip(*lines.values(), strict=True)]
    assert all(abs(int(told) - hours) < 1 for told, hours in zip(total, sums, strict=True))
