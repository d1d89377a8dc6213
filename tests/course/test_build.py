"""The build: what is stored is the same each time, and a failing chapter is not stored."""

from __future__ import annotations

import contextlib
import json
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from engine.course import build, glossary, notebook_files
from engine.course.__main__ import main
from engine.course.places import CourseError, Places

CODE = [
    "import os\nprint(os.path.basename(os.getcwd()))",
    "print('to one stream')\nprint('and the same')",
    "import ipywidgets\nipywidgets.IntSlider(3)",
    "1 / 0",
    "class Drawing(str):\n    def _repr_svg_(self):\n        return self",
    "Drawing('<svg><text>a</text></svg>')",
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A course of one chapter, built once for the tests that only read it."""
    places = Places(tmp_path_factory.mktemp("a cöurse"))
    places.chapters.mkdir()
    write(places, CODE)
    assert build.run(places, [], check=False) == 0
    return places


def write(places: Places, code: list[str], name: str = "06-walk.ipynb") -> Path:
    cells = [nbformat.v4.new_code_cell(source) for source in code]
    for cell in cells:
        if "1 / 0" in cell.source and "tag" not in cell.source:
            cell.metadata["tags"] = ["raises-exception"]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"title": "kept"})
    nbformat.write(notebook, places.chapters / name)
    return places.chapters / name


def chapter(places: Places) -> Path:
    return places.chapters / "06-walk.ipynb"


def stored(places: Places) -> nbformat.NotebookNode:
    return nbformat.read(chapter(places), as_version=4)


def test_the_outputs_are_those_of_a_fresh_kernel_in_the_chapters_folder(built: Places) -> None:
    cells = stored(built).cells
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4, 5, 6]
    assert cells[0].outputs[0].text == "notebooks\n"
    assert [output.text for output in cells[1].outputs] == ["to one stream\nand the same\n"]


def test_of_a_widget_its_text_is_stored(built: Places) -> None:
    (output,) = stored(built).cells[2].outputs
    assert output.data == {"text/plain": "IntSlider(value=3)"}
    assert "widgets" not in stored(built).metadata


def test_of_a_traceback_the_last_line_is_stored(built: Places) -> None:
    (output,) = stored(built).cells[3].outputs
    assert output.traceback == ["ZeroDivisionError: division by zero"]


def test_the_metadata_is_the_same_on_every_machine(built: Places) -> None:
    metadata = stored(built).metadata
    assert metadata.kernelspec == build.KERNELSPEC
    assert metadata.language_info == build.LANGUAGE
    assert metadata.title == "kept"
    assert chapter(built).read_text().endswith("}\n")
    assert not [cell for cell in stored(built).cells if "execution" in cell.metadata]


def test_building_twice_changes_no_byte(built: Places, capsys: pytest.CaptureFixture[str]) -> None:
    before = chapter(built).read_bytes()
    assert build.run(built, ["06"], check=False) == 0
    assert chapter(built).read_bytes() == before
    assert "unchanged" in capsys.readouterr().out


def test_a_check_finds_a_stale_output_but_no_moved_coordinate(
    built: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = Places(tmp_path)
    copy.chapters.mkdir()
    moved = chapter(built).read_text().replace('"<svg><text>', '"<svg><text x=\\"7\\">')
    chapter(copy).write_text(moved)
    assert 'x=\\"7' in moved
    assert build.run(copy, ["06"], check=True) == 0
    stale = moved.replace('x=\\"7\\">a', 'x=\\"7\\">b')
    chapter(copy).write_text(stale)
    assert build.run(copy, ["06"], check=True) == 1
    assert "would change 06-walk.ipynb" in capsys.readouterr().out
    assert chapter(copy).read_text() == stale


def test_a_failing_chapter_is_told_and_not_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    bad = write(places, ["1", "2 / 0"], "01-bad.ipynb")
    good = write(places, ["1"], "02-good.ipynb")
    before = bad.read_bytes()
    assert build.run(places, [], check=False) == 1
    said = capsys.readouterr()
    assert "01-bad.ipynb failed" in said.err
    assert "ZeroDivisionError: division by zero" in said.err
    assert "\x1b" not in said.err
    assert bad.read_bytes() == before
    assert nbformat.read(good, as_version=4).cells[0].execution_count == 1


@pytest.fixture
def no_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without Graphviz."""
    monkeypatch.delenv("REVERSE_WALK_DOT", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))


@pytest.fixture
def unbuilt(tmp_path: Path) -> Places:
    """A course whose chapter shows when it is run."""
    places = Places(tmp_path / "course")
    places.chapters.mkdir(parents=True)
    write(places, ["open('it-ran', 'x').close()"])
    return places


@pytest.mark.parametrize("words", [[], ["--check"], ["06"]])
@pytest.mark.usefixtures("no_program")
def test_without_graphviz_no_chapter_is_run(
    unbuilt: Places, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = chapter(unbuilt).read_bytes()
    assert main(["build", *words, "--root", str(unbuilt.root)]) == 1
    said = capsys.readouterr()
    assert "lose their pictures, so none was run: no Graphviz program was found. Run: " in said.err
    assert said.err.endswith(" -m pip install graphviz-pure\n")
    assert said.out == ""
    assert [file.name for file in unbuilt.chapters.iterdir()] == ["06-walk.ipynb"]
    assert chapter(unbuilt).read_bytes() == before


@pytest.mark.usefixtures("no_program")
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", r"is set to no Graphviz program\. Run: unset REVERSE_WALK_DOT && .+ -m pip install"),
        ("no-such-program", r"names 'no-such-program'.* unset it"),
    ],
)
def test_a_variable_that_stands_for_no_program_is_told(
    unbuilt: Places, value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERSE_WALK_DOT", value)
    with pytest.raises(CourseError, match=told):
        build.run(unbuilt, [], check=False)
    assert [file.name for file in unbuilt.chapters.iterdir()] == ["06-walk.ipynb"]


def test_a_chapter_edited_while_it_runs_is_not_written_over(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    file = write(places, ["import pathlib", "n = pathlib.Path('06-walk.ipynb').write_text('mine')"])
    with pytest.raises(CourseError, match="changed while it was built"):
        build.build(file)
    assert file.read_text() == "mine"


@contextlib.contextmanager
def saved_while_another_file_is_written(file: Path, content: str) -> Iterator[None]:
    """Somebody saves a file when all bytes that are to take its place are on the disk."""
    written = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        written(descriptor)
        file.write_text(content)

    with pytest.MonkeyPatch.context() as meanwhile:
        meanwhile.setattr(os, "fsync", save_meanwhile)
        yield


def test_a_chapter_saved_while_it_is_stored_is_not_written_over(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    file = write(places, ["print('a')"])
    with (
        saved_while_another_file_is_written(file, "mine"),
        pytest.raises(CourseError, match="changed while it was built"),
    ):
        build.build(file)
    assert file.read_text() == "mine"


def test_a_chapter_that_is_gone_when_it_is_to_be_stored_is_told(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    file = write(places, ["import pathlib", "pathlib.Path('06-walk.ipynb').unlink()"])
    with pytest.raises(CourseError, match="changed while it was built"):
        build.build(file)
    assert not file.exists()


@pytest.fixture
def with_a_solution(tmp_path: Path) -> Places:
    """A course with one solution, and no exercise of it yet."""
    places = Places(tmp_path)
    places.chapters.mkdir()
    places.solutions.mkdir()
    cell = nbformat.v4.new_code_cell("print('a task')")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), places.solutions / "06-walk.ipynb")
    return places


def test_an_exercise_saved_while_it_is_stored_is_not_written_over(with_a_solution: Places) -> None:
    solution = with_a_solution.solutions / "06-walk.ipynb"
    file = with_a_solution.exercises / "06-walk.ipynb"
    for _ in ("where there was nothing", "over an older one"):
        with (
            saved_while_another_file_is_written(file, "mine"),
            pytest.raises(CourseError, match="changed while it was built"),
        ):
            build.build_exercise(solution, with_a_solution, check=False)
        assert file.read_text() == "mine"
        file.unlink()
        assert build.build_exercise(solution, with_a_solution, check=False)
        solution.write_text(solution.read_text().replace("a task", "a new task"))


def test_an_exercise_saved_when_it_was_found_to_be_nobodys_is_not_written_over(
    with_a_solution: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = with_a_solution.solutions / "06-walk.ipynb"
    file = with_a_solution.exercises / "06-walk.ipynb"
    build.build_exercise(solution, with_a_solution, check=False)
    solution.write_text(solution.read_text().replace("a task", "a new task"))
    typed = file.read_text().replace("a task", "my answer")
    judge = notebook_files.is_as_made

    def judged_and_then_typed(notebook: nbformat.NotebookNode) -> bool:
        verdict = judge(notebook)
        file.write_text(typed)
        return verdict

    monkeypatch.setattr(notebook_files, "is_as_made", judged_and_then_typed)
    with pytest.raises(CourseError, match="changed while it was built"):
        build.build_exercise(solution, with_a_solution, check=False)
    assert file.read_text() == typed


def test_a_glossary_saved_while_it_is_stored_is_not_written_over(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.chapters.mkdir()
    file = places.chapters / glossary.FILE_NAME
    for word in ("node", "walk"):
        words = f"{glossary.HEADING}\n\n| word | meaning |\n|---|---|\n| {word} | a thing |"
        cell = nbformat.v4.new_markdown_cell(words)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), places.chapters / f"0-{word}.ipynb")
        with (
            saved_while_another_file_is_written(file, "mine"),
            pytest.raises(CourseError, match="changed while it was built"),
        ):
            build.build_made(glossary.FILE_NAME, places, check=False)
        assert file.read_text() == "mine"
        file.unlink()
        assert build.build_made(glossary.FILE_NAME, places, check=False)


def test_cells_without_an_id_get_the_same_one_each_time(tmp_path: Path) -> None:
    file = tmp_path / "old.ipynb"
    cell = {"cell_type": "markdown", "metadata": {}, "source": "old"}
    data = {"cells": [cell, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    file.write_text(json.dumps(data))
    assert [cell.id for cell in build.read_with_ids(file).cells] == ["cell-00", "cell-01"]


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"cells": 3}', '{"cells": [{}]}'])
def test_a_file_that_is_no_notebook_is_told(tmp_path: Path, content: str) -> None:
    file = tmp_path / "no.ipynb"
    file.write_text(content)
    with pytest.raises(CourseError, match=r"no\.ipynb is not a valid notebook"):
        build.read_with_ids(file)


@pytest.mark.parametrize("name", ["06", "6", "06-walk", "06-walk.ipynb", "notebooks/06-walk.ipynb"])
def test_a_chapter_has_several_names(built: Places, name: str) -> None:
    assert build.chapter_files(built, [name]) == [chapter(built)]


def test_an_unknown_chapter_is_told_with_the_known_ones(built: Places) -> None:
    with pytest.raises(CourseError, match=r'"walk"\. There are: 06-walk\.'):
        build.chapter_files(built, ["walk"])
    for number in ("7", "99", "006", "0"):
        with pytest.raises(CourseError, match=rf"no chapter {number}\. There are: 06\."):
            build.chapter_files(built, [number])


def test_a_ratio_of_speeds_does_not_change_what_a_chapter_says() -> None:
    def said(words: str) -> dict[str, object]:
        output = nbformat.v4.new_output("display_data", {"text/markdown": words})
        cell = nbformat.v4.new_code_cell("measure()", id="measure", outputs=[output])
        return build.facts(nbformat.v4.new_notebook(cells=[cell]))

    assert said("It was **1.4 times** as fast.") == said("It was **12 times** as fast.")
    assert said("It was **1.4 times** as fast.") != said("It was **1.4 times** as slow.")
