"""Where the course keeps its files, so that no other module puts a path together by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CHAPTERS = "notebooks"
EXERCISES = "exercises"
SOLUTIONS = "solutions"
COPIED_FOLDERS = (CHAPTERS, EXERCISES)
CHECKPOINTS = ".ipynb_checkpoints"


class CourseError(Exception):
    """Something a person can mend: the message says what happened and what to try."""


@dataclass(frozen=True)
class Places:
    """The folders of one checkout, or of a copy that a class has got.

    Args:
        root: the folder that holds ``notebooks/``.
        copy: where in it the learner works; "" where all of it is the learner's.

    >>> Places(Path("reverse-walk")).work.as_posix()
    'reverse-walk/work'
    """

    root: Path
    copy: str = "work"

    @property
    def chapters(self) -> Path:
        """The course's own chapters."""
        return self.root / CHAPTERS

    @property
    def exercises(self) -> Path:
        """The exercise notebooks, made from the solutions."""
        return self.root / EXERCISES

    @property
    def solutions(self) -> Path:
        """The one source of exercises and solutions."""
        return self.root / SOLUTIONS

    @property
    def work(self) -> Path:
        """The learner's copy; git ignores it."""
        return self.root / self.copy

    @property
    def memory(self) -> Path:
        """What the course remembers about the learner's copy."""
        return self.work / ".course"

    @property
    def jupyter(self) -> Path:
        """Jupyter's settings, data and logs, apart from the person's own."""
        return self.work / ".jupyter"


def is_course(folder: Path) -> bool:
    """Tell whether a folder holds the chapters of the course.

    Args:
        folder: the folder to look at.

    >>> is_course(Path("no such folder"))
    False
    """
    return any((folder / CHAPTERS).glob("*.ipynb"))


def find_places(given: Path | None = None) -> Places:
    """Find the checkout: the given folder, the one of this package, or one around here.

    Args:
        given: a folder that a person named, or None.

    Raises:
        CourseError: no folder with chapters was found.

    >>> try:
    ...     find_places(Path("nowhere"))
    ... except CourseError as error:
    ...     print(str(error).partition(". ")[0])
    There is no notebooks/ folder with chapters in "nowhere"
    """
    if given is not None:
        candidates = [given]
    else:
        here = Path.cwd()
        candidates = [Path(__file__).resolve().parents[2], here, *here.parents]
    for folder in candidates:
        if is_course(folder):
            return Places(folder.resolve())
    raise CourseError(_not_found(given))


def _not_found(given: Path | None) -> str:
    where = f'in "{given}"' if given is not None else "beside this package or around this folder"
    return (
        f"There is no notebooks/ folder with chapters {where}. "
        "The chapters are in the repository, not in the installed package: clone the repository, "
        "go into its folder, and run `course` there."
    )
