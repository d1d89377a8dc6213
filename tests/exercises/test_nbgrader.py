"""An instructor hands the solutions to nbgrader as they are: for real, in a temporary course."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from exercise_files import NAMES, ROOT, SOLUTIONS, of_chapter, read
from nbformat.notebooknode import NotebookNode

from engine.course import handed_in, kernels

ASSIGNMENT = "reverse-walk"
CONFIG = "nbgrader_config.py"
FEW = "01*"
CARELESS = {
    "answer-01-1": "there more than once",
    "check-01-2": "there more than once",
    "check-01-3": "not there",
}


class Course:
    """A folder in which nbgrader works, apart from the person's own Jupyter."""

    def __init__(self, root: Path, kernel: Path) -> None:
        self.root = root
        self._environment = {
            **os.environ,
            # nbgrader calls a program of its own environment by its bare name.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(root / "home"),
            "IPYTHONDIR": str(root / "home" / "ipython"),
            "JUPYTER_CONFIG_DIR": str(root / "home" / "config"),
            "JUPYTER_DATA_DIR": str(root / "home" / "data"),
            "JUPYTER_RUNTIME_DIR": str(root / "home" / "runtime"),
        }
        (root / "home" / "config").mkdir(parents=True)
        connection = kernels.connection(kernel / "kernel.json")
        config = root / "home" / "config" / "jupyter_config.json"
        config.write_text(json.dumps({"KernelManager": connection}), "utf-8")

    def nbgrader(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *words],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        return said

    def hand_out(self) -> None:
        shutil.copy(ROOT / "solutions" / CONFIG, self.root)
        self._copy(ROOT / "solutions", self.root / "source" / ASSIGNMENT)
        self.nbgrader("generate_assignment", ASSIGNMENT)

    def hand_in(self, student: str, folder: Path, which: str = "*") -> None:
        self._copy(folder, self.root / "submitted" / student / ASSIGNMENT, which)

    def marks(self) -> dict[str, tuple[float, float]]:
        """For each student, the points and the most points."""
        self.nbgrader("export", "--to", "marks.csv")
        with (self.root / "marks.csv").open() as file:
            rows = list(csv.DictReader(file))
        return {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in rows}

    @staticmethod
    def _copy(source: Path, target: Path, which: str = "*") -> None:
        target.mkdir(parents=True)
        for file in source.glob(f"{which}.ipynb"):
            shutil.copy(file, target)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    with tempfile.TemporaryDirectory() as kernel:
        yield graded(Course(tmp_path_factory.mktemp("class"), Path(kernel)))


def graded(course: Course) -> Course:
    course.hand_out()
    course.hand_in("solver", ROOT / "solutions")
    course.hand_in("untouched", ROOT / "exercises", which=FEW)
    released = course.root / "release" / ASSIGNMENT
    course.hand_in("untouched as nbgrader hands out", released, which=FEW)
    course.hand_in("careless", ROOT / "solutions", which=FEW)
    (file,) = (course.root / "submitted" / "careless" / ASSIGNMENT).glob("*.ipynb")
    nbformat.write(carelessly(read(file)), file)
    course.said = course.nbgrader("autograde", ASSIGNMENT)
    return course


def carelessly(notebook: NotebookNode) -> NotebookNode:
    """The first answer cell is split, the second check is copied, and the third deleted."""
    cells = {handed_in.grade_id(cell): cell for cell in notebook.cells}
    split, copied, gone = (cells[name] for name in CARELESS)
    place = notebook.cells.index(split)
    lines = split.source.split("\n")
    rest = NotebookNode({**split, "id": "rest", "source": "\n".join(lines[1:])})
    split.source = lines[0]
    notebook.cells.insert(place + 1, rest)
    notebook.cells.insert(0, NotebookNode({**copied, "id": "copy"}))
    notebook.cells.remove(gone)
    return notebook


def test_git_ignores_the_folder_of_the_class_in_the_guide() -> None:
    """With the solutions in it, it must not be published by accident."""
    text = (ROOT / "solutions" / "README.md").read_text("utf-8")
    (folder,) = re.findall(r"mkdir -p (\w+)/source/", text)
    assert f"/{folder}/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_what_it_hands_out_has_no_solution(course: Course) -> None:
    files = sorted((course.root / "release" / ASSIGNMENT).glob("*.ipynb"))
    assert [file.name for file in files] == [file.name for file in SOLUTIONS]
    for file in files:
        text = "\n".join(cell.source for cell in read(file).cells)
        assert "SOLUTION" not in text
        assert "HIDDEN" not in text


def test_the_solution_gets_full_marks_and_the_untouched_none(course: Course) -> None:
    points = sum(
        cell.metadata.nbgrader.points
        for file in SOLUTIONS
        for cell in read(file).cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    )
    assert points > 0
    few = sum(name.startswith("01") for name in NAMES)
    assert course.marks() == {
        "solver": (points, points),
        "untouched": (0, points),
        "untouched as nbgrader hands out": (0, points),
        "careless": (few, points),
    }


def test_a_split_a_copied_and_a_deleted_cell_are_named_and_what_was_handed_in_is_kept(
    course: Course,
) -> None:
    for name, what in CARELESS.items():
        said = f"careless, {of_chapter('solutions', '01').name}: the cell {name} was {what}"
        assert said in course.said
    folder = course.root / "submitted" / "careless" / ASSIGNMENT
    (kept,) = folder.glob(f"*{handed_in.KEPT}")
    assert kept.read_text("utf-8").count('"answer-01-1"') == 2


def test_validate_passes_what_is_right_and_fails_all_else_in_the_verdicts_words(
    course: Course,
) -> None:
    folder = course.root / "validated"
    folder.mkdir()
    nbformat.write(read(of_chapter("solutions", "01")), folder / "right.ipynb")
    said = course.nbgrader("validate", "validated/right.ipynb")
    assert "Success! Your notebook passes all the tests." in said
    tried = read(of_chapter("exercises", "01"))
    (answer,) = [cell for cell in tried.cells if handed_in.grade_id(cell) == "answer-01-1"]
    answer.source = "derivative = 4"
    nbformat.write(tried, folder / "tried.ipynb")
    said = " ".join(course.nbgrader("validate", "validated/tried.ipynb").split())
    few = sum(name.startswith("01") for name in NAMES)
    assert f"FAILED ON {few} CELL(S)" in said
    assert "01.1 · Not yet. 4 has the right size and the wrong sign." in said
    assert "01.2 · Not tried yet." in said


def test_no_verdict_is_taken_for_a_part_of_the_points(course: Course) -> None:
    assert "partial credit" not in course.said
