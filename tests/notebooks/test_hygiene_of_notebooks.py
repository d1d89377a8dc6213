"""Every notebook of the course holds to the rules."""

from pathlib import Path

import hygiene
import pytest
from hygiene import EVERY_CHAPTER, EVERY_NOTEBOOK, Chapter, Rule

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
NOTEBOOKS = [
    file
    for folder in ("notebooks", "exercises", "solutions")
    for file in sorted((ROOT / folder).glob("*.ipynb"))
]


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def test_there_are_chapters() -> None:
    assert CHAPTERS


@pytest.mark.parametrize("rule", EVERY_NOTEBOOK, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("file", NOTEBOOKS, ids=relative)
def test_a_notebook_holds_to_a_rule(file: Path, rule: Rule) -> None:
    assert rule(hygiene.read(file)) == []


@pytest.mark.parametrize("rule", EVERY_CHAPTER, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("file", CHAPTERS, ids=relative)
def test_a_chapter_holds_to_a_rule(file: Path, rule: Rule) -> None:
    assert rule(hygiene.read(file)) == []


def test_the_ways_on_and_back_agree() -> None:
    chapters: list[Chapter] = [hygiene.read(file) for file in CHAPTERS]
    assert hygiene.ways_are_mutual(chapters) == []
