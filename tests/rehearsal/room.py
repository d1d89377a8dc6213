"""The people of a rehearsal and what is known of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from engine.course.places import CHAPTERS, EXERCISES, SOLUTIONS
from tests.rehearsal.grading import Grading
from tests.rehearsal.repository import BRANCH, Repository
from tests.rehearsal.student import Kernel, Student
from tests.rehearsal.users import User

FOLDER = "walk"
CHAPTER = f"{CHAPTERS}/00-start-here.ipynb"


@dataclass(frozen=True)
class Plan:
    """What one rehearsal is.

    Attributes:
        students: how many.
        browsers: how many of them come in a real browser.
        chapters: the numbers of the exercise notebooks they do.
        seed: decides who answers what.
    """

    students: int
    browsers: int
    chapters: tuple[str, ...]
    seed: int


@dataclass
class Wait:
    """How long one student waited, in seconds from "start my server"."""

    server: float = 0.0
    pulled: float = 0.0
    drawn: float = 0.0
    ran: float = 0.0


@dataclass
class Person:
    """A student with a user of their own, and what they did.

    Attributes:
        user: of the machine.
        student: at the hub.
        number: counted from 0.
        waits: how long they waited.
        answered: for each exercise, right, wrong or untouched.
        written: what they saved, by path.
        kernels: what is open.
    """

    user: User
    student: Student
    number: int
    waits: Wait = field(default_factory=Wait)
    answered: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, Kernel] = field(default_factory=dict)

    @property
    def marker(self) -> str:
        """A word that stands in everything this student writes."""
        return f"written by {self.user.name}, {id(self):x}"

    def file(self, name: str) -> Path:
        """A file of this student's copy."""
        return self.user.home / FOLDER / name


@dataclass
class Class:
    """Everything of one rehearsal."""

    plan: Plan
    people: list[Person]
    repository: Repository
    grading: Grading
    tree: Path
    problems: list[str] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    memory: list[tuple[str, ...]] = field(default_factory=list)
    came: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    given: dict[str, str] = field(default_factory=dict)

    def expect(self, true: bool, otherwise: str) -> None:
        """Note a problem when something is not so."""
        if not true:
            self.problems.append(otherwise)
            print(f"WRONG: {otherwise}", flush=True)

    def note(self, what: str, value: str) -> None:
        """Keep a fact for the report."""
        self.facts.append((what, value))
        print(f"{what}: {value}", flush=True)

    @property
    def exercise_files(self) -> list[str]:
        """The exercise notebooks they do, as paths below a student's copy."""
        return [f"{EXERCISES}/{file.name}" for file in self.solution_files]

    @property
    def notebooks(self) -> list[str]:
        """Every notebook that students change."""
        return [CHAPTER, *self.exercise_files]

    @property
    def solution_files(self) -> list[Path]:
        """The solutions of these."""
        files = sorted((self.tree / SOLUTIONS).glob("*.ipynb"))
        return [file for file in files if file.name[:2] in self.plan.chapters]

    @property
    def link(self) -> str:
        """What the instructor gives to the class."""
        query = {
            "repo": self.repository.url,
            "branch": BRANCH,
            "targetpath": FOLDER,
            "urlpath": f"lab/tree/{FOLDER}/{CHAPTER}",
        }
        return f"{self.people[0].student.hub}hub/user-redirect/git-pull?{urlencode(query)}"
