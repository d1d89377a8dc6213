"""The exercise notebooks are what their solutions say, and nothing of a solution is in them."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from exercise_files import NAMES, ROOT, SOLUTIONS, of_chapter, read, solution_lines
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions, LockCells

from engine.course import build, exercise_notebooks, notebook_files
from engine.course.checks import catalog
from engine.course.checks.chapter_04 import BROKEN, REPLACEMENTS
from engine.course.places import CourseError, Places

CODE_MARKS = {"schema_version": 3, "task": False, "cell_type": "code"}


def by_name(file: Path) -> str:
    return file.stem


def sources(notebook: NotebookNode) -> list[tuple[str, str, dict[str, object]]]:
    return [(cell.id, cell.source, dict(cell.metadata)) for cell in notebook.cells]


def made(file: Path) -> NotebookNode:
    return exercise_notebooks.exercise(read(file), file.name)


@pytest.mark.parametrize("file", SOLUTIONS, ids=by_name)
def test_an_exercise_notebook_is_what_its_solution_says(file: Path) -> None:
    assert sources(read(ROOT / "exercises" / file.name)) == sources(made(file))


def test_the_two_folders_and_the_checks_have_the_same_chapters() -> None:
    solutions = {file.name for file in SOLUTIONS}
    assert solutions == {file.name for file in (ROOT / "exercises").glob("*.ipynb")}
    assert solutions <= {file.name for file in (ROOT / "notebooks").glob("*.ipynb")}
    assert {name[:2] for name in solutions} == set(catalog.chapters())


@pytest.mark.parametrize("file", SOLUTIONS, ids=by_name)
def test_it_is_made_as_nbgrader_makes_it(file: Path) -> None:
    theirs, resources = copy.deepcopy(read(file)), {}
    for preprocessor in (
        LockCells(),
        ClearSolutions(
            code_stub={"python": exercise_notebooks.STUB}, text_stub=exercise_notebooks.TEXT_STUB
        ),
        ClearHiddenTests(),
    ):
        theirs, resources = preprocessor.preprocess(theirs, resources)
    assert sources(theirs) == sources(made(file))


@pytest.mark.parametrize("file", SOLUTIONS, ids=by_name)
def test_no_line_of_a_solution_is_in_the_exercise(file: Path) -> None:
    exercise = read(ROOT / "exercises" / file.name)
    # The forms with gaps show most lines of the function that the others ask for.
    cells = (cell for cell in exercise.cells if "line by line" not in cell.source)
    shown = {line.strip() for cell in cells for line in cell.source.split("\n")}
    hidden = [line for cell in read(file).cells for line in solution_lines(cell.source)]
    assert hidden
    # `x = Value(3.0)` and a step of a loop that is shown are parts of tasks, not of solutions.
    assert [line for line in hidden if line in shown and not re.fullmatch(GIVEN, line)] == []
    text = "\n".join(cell.source for cell in exercise.cells)
    assert "SOLUTION" not in text
    assert "HIDDEN" not in text
    assert "require(" not in text


GIVEN = r"\w+ = Value\([\d.-]+\)|optimizer\.step\(\)"


@pytest.mark.parametrize("name", NAMES)
def test_an_exercise_has_its_heading_its_marks_and_its_check(name: str) -> None:
    cells = read(of_chapter("solutions", name[:2])).cells
    title = catalog.find(name).title
    headings = [cell.source.partition("\n")[0] for cell in cells if cell.cell_type == "markdown"]
    assert headings.count(f"## {name} · {title}") == 1
    start = headings.index(f"## {name} · {title}")
    assert [h for h in headings if h.startswith("## ")].index(headings[start]) == int(name[3:]) - 1
    answer, check = (
        next(c for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == f"{kind}-{mark}")
        for kind, mark in (("answer", name.replace(".", "-")), ("check", name.replace(".", "-")))
    )
    assert cells.index(answer) < cells.index(check)
    assert CODE_MARKS.items() <= answer.metadata.nbgrader.items()
    assert answer.metadata.nbgrader.solution
    assert not answer.metadata.nbgrader.grade
    assert CODE_MARKS.items() <= check.metadata.nbgrader.items()
    assert check.metadata.nbgrader.grade
    assert check.metadata.nbgrader.locked
    assert check.metadata.nbgrader.points > 0
    assert check.source.startswith(f'check("{name}", ')
    assert f'require("{name}", ' in check.source


@pytest.mark.parametrize("name", NAMES)
def test_an_exercise_links_to_the_section_that_helps(name: str) -> None:
    cells = read(of_chapter("exercises", name[:2])).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    start = next(k for k, text in enumerate(texts) if text.startswith(f"## {name} "))
    after = (k for k, text in enumerate(texts) if k > start and text.startswith("## "))
    task = "\n".join(texts[start : next(after, len(texts))])
    assert re.search(r"\]\(\.\./notebooks/[\w-]+\.ipynb#[^)]+\)", task), task


@pytest.mark.parametrize("file", SOLUTIONS, ids=by_name)
def test_chapter_and_exercises_link_to_each_other(file: Path) -> None:
    def targets(folder: str) -> set[str]:
        text = "\n".join(cell.source for cell in read(ROOT / folder / file.name).cells)
        return {unquote(target) for target in re.findall(r"\]\(([^)#]+)", text)}

    assert f"../notebooks/{file.name}" in targets("exercises")
    assert f"../exercises/{file.name}" in targets("notebooks")


def test_the_bug_in_the_notebook_is_the_one_that_is_judged() -> None:
    text = "\n".join(cell.source for cell in read(of_chapter("exercises", "04")).cells)
    assert BROKEN in text
    for number, line in enumerate(BROKEN.splitlines(), start=1):
        assert f"{number}  {line}" in text
    for letter, line in REPLACEMENTS.items():
        assert f"{letter}:  {line}" in text


# Making them.


def cell(source: str, **marks: object) -> NotebookNode:
    made = nbformat.v4.new_code_cell(source, id="one")
    if marks:
        made.metadata["nbgrader"] = marks
    return made


def notebook(*cells: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_notebook(cells=list(cells))


@pytest.mark.parametrize(
    "bad",
    [
        cell("### BEGIN SOLUTION\n1", solution=True),
        cell("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", solution=True),
        cell("### BEGIN SOLUTION\n1\n### END SOLUTION"),
        cell("### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS"),
    ],
)
def test_marks_that_do_not_fit_are_told(bad: NotebookNode) -> None:
    with pytest.raises(CourseError, match=r"01\.ipynb, cell one: "):
        exercise_notebooks.exercise(notebook(bad), "01.ipynb")


def test_a_solution_without_a_region_is_taken_out_whole() -> None:
    words = nbformat.v4.new_markdown_cell("Because of the bend.", id="two")
    words.metadata["nbgrader"] = {"solution": True}
    first, second = exercise_notebooks.exercise(
        notebook(cell("answer = 6", solution=True), words), "01.ipynb"
    ).cells
    assert first.source == exercise_notebooks.STUB
    assert second.source == exercise_notebooks.TEXT_STUB


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A course of one chapter with one exercise."""
    places = Places(tmp_path / "a cöurse")
    places.chapters.mkdir(parents=True)
    places.solutions.mkdir()
    nbformat.write(notebook(nbformat.v4.new_code_cell("1")), places.chapters / "01-walk.ipynb")
    source = "answer = ...\n### BEGIN SOLUTION\nanswer = 6\n### END SOLUTION\nprint(answer)"
    solution = notebook(cell(source, solution=True))
    nbformat.write(solution, places.solutions / "01-walk.ipynb")
    return places


def test_the_build_stores_solution_and_exercise_with_their_own_outputs(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build.run(places, ["01"], check=True) == 1
    assert not places.exercises.exists()
    assert build.run(places, ["01"], check=False) == 0
    assert "stored       exercises/01-walk.ipynb" in capsys.readouterr().out
    said = [
        read(folder / "01-walk.ipynb").cells[0].outputs[0].text
        for folder in (places.solutions, places.exercises)
    ]
    assert said == ["6\n", "Ellipsis\n"]
    assert build.run(places, ["01"], check=True) == 0


def test_the_build_does_not_write_over_what_a_person_typed_into_an_exercise(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    build.run(places, ["01"], check=False)
    file = places.exercises / "01-walk.ipynb"
    typed = read(file)
    typed.cells[0].source = "answer = 6"
    typed.cells[0].outputs, typed.cells[0].execution_count = [], None
    nbformat.write(typed, file)
    before = file.read_bytes()
    assert build.run(places, ["01"], check=True) == 1
    assert file.read_bytes() == before
    capsys.readouterr()
    assert build.run(places, ["01"], check=False) == 1
    assert f"{file} holds words that `course build` did not write" in capsys.readouterr().err
    assert file.read_bytes() == before
    file.rename(places.root / "mine.ipynb")
    assert build.run(places, ["01"], check=False) == 0
    assert "Your code here" in read(file).cells[0].source


@pytest.mark.parametrize("content", ["", "mine", "[]"])
def test_the_build_does_not_write_over_what_is_no_notebook(places: Places, content: str) -> None:
    places.exercises.mkdir()
    file = places.exercises / "01-walk.ipynb"
    file.write_text(content)
    assert build.run(places, ["01"], check=False) == 1
    assert file.read_text() == content


def test_the_build_replaces_what_it_made_of_an_older_solution(places: Places) -> None:
    build.run(places, ["01"], check=False)
    solution = places.solutions / "01-walk.ipynb"
    solution.write_text(solution.read_text().replace("print(answer)", "print('new', answer)"))
    file = places.exercises / "01-walk.ipynb"
    run_again = read(file)  # somebody who only looks and saves types nothing
    run_again.cells[0].outputs, run_again.metadata["mine"] = [], "kept by JupyterLab"
    nbformat.write(run_again, file)
    assert build.run(places, ["01"], check=False) == 0
    assert read(file).cells[0].outputs[0].text == "new Ellipsis\n"


def test_an_exercise_that_a_person_saves_while_it_is_built_is_not_written_over(
    places: Places,
) -> None:
    build.run(places, ["01"], check=False)
    file = places.exercises / "01-walk.ipynb"
    solution = read(places.solutions / "01-walk.ipynb")
    solution.cells[0].source += (
        "\nimport pathlib\nfile = pathlib.Path('01-walk.ipynb')"
        "\nn = file.write_text(file.read_text().replace('Your code here', 'answer = 6'))"
    )
    nbformat.write(solution, places.solutions / "01-walk.ipynb")
    with pytest.raises(CourseError, match="changed while it was built"):
        build.build_exercise(places.solutions / "01-walk.ipynb", places, check=False)
    assert "answer = 6" in read(file).cells[0].source


@pytest.mark.parametrize("file", SOLUTIONS, ids=by_name)
def test_a_stored_exercise_tells_that_nobody_has_written_into_it(file: Path) -> None:
    assert notebook_files.is_as_made(read(ROOT / "exercises" / file.name)), "run: course build"


def test_the_build_tells_of_a_solution_with_bad_marks(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    file = places.solutions / "01-walk.ipynb"
    file.write_text(file.read_text().replace("### END SOLUTION", "# the end"))
    assert build.run(places, ["01"], check=False) == 1
    assert "has no 'END SOLUTION'" in capsys.readouterr().err
    assert not (places.exercises / "01-walk.ipynb").exists()
