"""The glossary holds every word of the chapters, and no word is only in the glossary."""

import re
import shutil
from pathlib import Path

import pytest

from engine.course import build, glossary, notebook_files
from engine.course.places import CourseError, Places

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = build.chapter_files(Places(ROOT))
# The field's names for what the course teaches: a chapter that uses one has it explained.
TERMS = (
    "accuracy",
    "backpropagation",
    "backward pass",
    "central difference",
    "chain rule",
    "contribution",
    "edge",
    "forward pass",
    "gradient",
    "graph",
    "hop",
    "kink",
    "leaf",
    "local derivative",
    "node",
    "relative error",
    "reverse walk",
    "seed gradient",
    "third derivative",
    "topological order",
    "upstream gradient",
    "visited set",
)


def prose_of(file: Path) -> str:
    """A chapter's text and code, without its list of words."""
    cells = notebook_files.read(file).cells
    return "\n".join(c.source for c in cells if not c.source.startswith(glossary.HEADING))


def uses(text: str, word: str) -> bool:
    """Whether a text uses a word, in the singular or in the plural."""
    forms = {word, f"{word}s", f"{word}es", word.removesuffix("f") + "ves"}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE) for form in forms)


def test_the_stored_glossary_is_the_one_the_chapters_make() -> None:
    assert not build.build_made(glossary.FILE_NAME, Places(ROOT), check=True), "run: course build"


def test_the_build_does_not_write_over_what_a_person_typed_into_the_glossary(
    tmp_path: Path,
) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    shutil.copy(CHAPTERS[1], places.chapters)
    assert build.build_made(glossary.FILE_NAME, places, check=False)
    file = places.chapters / glossary.FILE_NAME
    shutil.copy(CHAPTERS[2], places.chapters)
    assert build.build_made(glossary.FILE_NAME, places, check=False)
    typed = notebook_files.read(file)
    typed.cells[-1].source += "\nMy own note."
    notebook_files.write(typed, file)
    before = file.read_bytes()
    assert build.build_made(glossary.FILE_NAME, places, check=True)
    with pytest.raises(CourseError, match="holds words that `course build` did not write"):
        build.build_made(glossary.FILE_NAME, places, check=False)
    assert file.read_bytes() == before


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_every_explained_word_is_used_in_its_chapter(file: Path) -> None:
    text = prose_of(file)
    words = [re.split(r", | \(", w.word.replace("`", ""))[0] for w in glossary.words_of(file)]
    assert [word for word in words if not uses(text, word)] == []


def test_every_term_of_the_field_is_explained() -> None:
    text = "\n".join(map(prose_of, CHAPTERS))
    explained = " | ".join(w.word for file in CHAPTERS for w in glossary.words_of(file))
    assert [t for t in TERMS if uses(text, t) and not uses(explained, t)] == []


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_every_list_of_words_leads_to_the_glossary(file: Path) -> None:
    lists = [
        c.source for c in notebook_files.read(file).cells if c.source.startswith(glossary.HEADING)
    ]
    assert all(f"({glossary.FILE_NAME})" in text for text in lists)


def test_words_come_in_one_alphabet_with_all_their_chapters(tmp_path: Path) -> None:
    def chapter(name: str, rows: str) -> Path:
        import nbformat

        text = f"{glossary.HEADING}\n\n| word | meaning |\n|---|---|\n{rows}"
        cells = [
            nbformat.v4.new_markdown_cell("| no | list |"),
            nbformat.v4.new_markdown_cell(text),
        ]
        file = tmp_path / name
        notebook_files.write(nbformat.v4.new_notebook(cells=cells), file)
        return file

    files = [
        chapter("01-a.ipynb", "| walk | one |\n| `add` | two |\n"),
        chapter("02-b.ipynb", "| walk | three |\n| Kink | four |\n"),
    ]
    lines = glossary.glossary(files).cells[1].source.splitlines()[2:]
    assert lines == [
        "| `add` | two | [01](01-a.ipynb) |",
        "| Kink | four | [02](02-b.ipynb) |",
        "| walk | one | [01](01-a.ipynb), [02](02-b.ipynb) |",
    ]
