"""The instructor's side of nbgrader: hand out, collect and grade, as a user without privileges."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.rehearsal.image import Image
from tests.rehearsal.users import User

COURSE = "reverse-walk"
# The folder that students hand in is the assignment.
ASSIGNMENT = "exercises"

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "{course}"
c.Exchange.root = "{exchange}"
"""

READ_GRADES = """
import json
from nbgrader.api import Gradebook

with Gradebook("sqlite:///gradebook.db") as book:
    grades = [
        (submission.student.id, grade.name, grade.auto_score)
        for submission in book.assignment_submissions({assignment!r})
        for notebook in submission.notebooks
        for grade in notebook.grades
    ]
print(json.dumps(grades))
"""

# A student, the name of a check, and the points for it.
Grades = dict[tuple[str, str], float]


@dataclass(frozen=True)
class Grading:
    """The instructor and their folder.

    Attributes:
        instructor: the user.
        image: the environment they work in.
        settings: the folder of Jupyter's configuration.
        exchange: the folder through which nbgrader hands out and collects.
    """

    instructor: User
    image: Image
    settings: Path
    exchange: Path

    @property
    def folder(self) -> Path:
        """The instructor's course folder."""
        return self.instructor.home / "class"

    def prepare(self) -> None:
        """Write nbgrader's configuration, and make the exchange."""
        self.settings.mkdir()
        self.exchange.mkdir()
        # Everybody writes here; nbgrader gives each folder in it the right of its kind.
        self.exchange.chmod(0o777)
        (self.settings / "nbgrader_config.py").write_text(
            CONFIG.format(course=COURSE, exchange=self.exchange), "utf-8"
        )

    def release(self, solutions: Sequence[Path]) -> None:
        """Make the assignment of solutions, and hand it out.

        Args:
            solutions: notebooks, as they are in the repository.
        """
        source = self.folder / "source" / ASSIGNMENT
        source.mkdir(parents=True)
        for file in solutions:
            shutil.copy(file, source)
        for path in (self.folder, *self.folder.rglob("*")):
            shutil.chown(path, self.instructor.number, self.instructor.number)
        self._nbgrader("generate_assignment", ASSIGNMENT)
        self._nbgrader("release_assignment", ASSIGNMENT)

    def collect(self) -> None:
        """Collect what was handed in."""
        self._nbgrader("collect", ASSIGNMENT)

    def grade(self) -> Grades:
        """Grade what was collected."""
        self._nbgrader("autograde", ASSIGNMENT)
        program = READ_GRADES.format(assignment=ASSIGNMENT)
        rows = json.loads(self._run("python", "-c", program))
        return {(student, check): points for student, check, points in rows}

    def _nbgrader(self, *words: str) -> str:
        return self._run("nbgrader", *words)

    def _run(self, program: str, *words: str) -> str:
        environ = {"PATH": self.image.environ["PATH"], "JUPYTER_CONFIG_PATH": str(self.settings)}
        environ["LANG"] = "C.UTF-8"
        command = [str(self.image.programs / program), *words]
        done = self.instructor.run(*command, folder=self.folder, environ=environ)
        if done.returncode != 0:
            raise subprocess.SubprocessError(f"{command}:\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout
