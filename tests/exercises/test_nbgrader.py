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

import pytest
from exercise_files import ROOT, SOLUTIONS, read

from engine.course import kernels

ASSIGNMENT = "reverse-walk"


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
    course.hand_in("untouched", ROOT / "exercises")
    released = course.root / "release" / ASSIGNMENT
    course.hand_in("untouched as nbgrader hands out", released, which="0[1-4]*")
    course.said = course.nbgrader("autograde", ASSIGNMENT)
    return course


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
    assert course.marks() == {
        "solver": (points, points),
        "untouched": (0, points),
        "untouched as nbgrader hands out": (0, points),
    }


def test_no_verdict_is_taken_for_a_part_of_the_points(course: Course) -> None:
    assert "partial credit" not in course.said
