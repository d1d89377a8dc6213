"""Where the course keeps its files, so that no other module puts a path together by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CHAPTERS = "notebooks"
EXERCISES = "exercises"
SOLUTIONS = "solutions"
COPIED_FOLDERS = (CHAPTERS, EXERCISES)
# A wheel carries the course inside the package; a checkout has it beside.
INSIDE = Path(__file__).parent / "content"
OWN_FOLDER = "reverse-walk"
CHECKPOINTS = ".ipynb_checkpoints"


class CourseError(Exception):
    """Something a person can mend: the message says what happened and what to try."""


@dataclass(frozen=True)
class Places:
    """The folders of one checkout, or of a copy that a class has got.

    Args:
        root: the folder that holds ``notebooks/``.
        copy: where in it the learner works; "" where all of it is the learner's, and a whole path
            where the course came in a wheel.
        elsewhere: a folder for Jupyter, where the copy cannot be written to.

    >>> Places(Path("reverse-walk")).work.as_posix()
    'reverse-walk/work'
    """

    root: Path
    copy: str = "work"
    elsewhere: Path | None = None

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
        return self.elsewhere or self.work / ".jupyter"


def is_course(folder: Path) -> bool:
    """Tell whether a folder holds the chapters of the course.

    Args:
        folder: the folder to look at.

    >>> is_course(Path("no such folder"))
    False
    """
    return any((folder / CHAPTERS).glob("*.ipynb"))


def find_places(given: Path | None = None) -> Places:
    """Find the course: in the given folder, beside this package, around here, or in the package.

    Args:
        given: a folder that a person named, or None. Where the course came in a wheel, it is the
            folder for the learner's copy.

    Raises:
        CourseError: no folder with chapters was found.

    >>> find_places(Path("nowhere"))
    Traceback (most recent call last):
        ...
    engine.course.places.CourseError: There is no notebooks/ folder with chapters in "nowhere"...
    """
    here = Path.cwd()
    beside = Path(__file__).resolve().parents[2]
    candidates = [given] if given is not None else [beside, here, *here.parents]
    found = next((folder.resolve() for folder in candidates if is_course(folder)), None)
    if is_course(INSIDE) and not (found and (found / "engine").is_dir()):
        return Places(INSIDE, str(found or (given or here / OWN_FOLDER).resolve()))
    if found is None:
        where = "beside this package or around this folder" if given is None else f'in "{given}"'
        raise CourseError(
            f"There is no notebooks/ folder with chapters {where}. The chapters are in the "
            "repository: clone the repository, go into its folder, and run `course` there. Or "
            "install the wheel, which has them in it."
        )
    return Places(found)
