"""What pages the site has, where they are, and in which order they are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import relpath

from nbformat.notebooknode import NotebookNode

INDEX = "index.html"
NAME = "Reverse Walk"
FIRST_HEADING = re.compile(r"#\s+(.+?) *$", re.MULTILINE)
NUMBER = re.compile(r"\d\d(?=-)")
MARKS = re.compile(r"[*`]")


@dataclass(frozen=True)
class Page:
    """A notebook that becomes a page.

    Args:
        path: its path in the checkout, such as ``notebooks/06-the-seven-node-walk.ipynb``.
        notebook: its cells; those of a chapter are executed and hold their views.
    """

    path: str
    notebook: NotebookNode

    @property
    def address(self) -> str:
        """Where the page is, from the site's top.

        >>> Page("notebooks/06-walk.ipynb", NotebookNode()).address
        'notebooks/06-walk.html'
        """
        return address_of(self.path)

    @property
    def title(self) -> str:
        """The notebook's first heading; its name when it has none."""
        found = (FIRST_HEADING.match(cell.source) for cell in self.notebook.cells)
        heading = next((match[1] for match in found if match), PurePosixPath(self.path).stem)
        return MARKS.sub("", heading)

    @property
    def number(self) -> str:
        """The number of the chapter that it is or belongs to, empty when there is none."""
        found = NUMBER.match(PurePosixPath(self.path).name)
        return found[0] if found else ""


@dataclass(frozen=True)
class Site:
    """All pages, in the order they are read.

    Args:
        chapters: the chapters.
        exercises: the exercises of the chapters that have some.
        glossary: the words of all chapters, or None.
    """

    chapters: Sequence[Page]
    exercises: Sequence[Page]
    glossary: Page | None

    @property
    def pages(self) -> list[Page]:
        """Every page that is made of a notebook."""
        return [*self.chapters, *self.exercises, *([self.glossary] if self.glossary else [])]

    def exercises_of(self, chapter: Page) -> Page | None:
        """The exercises that belong to a chapter."""
        mine = (page for page in self.exercises if page.number == chapter.number)
        return next(mine, None)

    def ways(self, page: Page) -> tuple[Page | None, Page | None]:
        """The pages before and after one; None stands for the index, and for the end.

        Between an exercise's chapter and the next one lies the exercise.

        Args:
            page: where a reader is.
        """
        line: list[Page] = [*self.chapters, *([self.glossary] if self.glossary else [])]
        if page in self.exercises:
            numbers = [other.number for other in line]
            if page.number not in numbers:
                return None, None
            place = numbers.index(page.number)
            return line[place], line[place + 1] if place + 1 < len(line) else None
        place = line.index(page)
        before = line[place - 1] if place else None
        return before, line[place + 1] if place + 1 < len(line) else None


def address_of(path: str) -> str:
    """The address of a notebook's page.

    Args:
        path: of the notebook, in the checkout.

    >>> address_of("exercises/01-wiggle-a-number.ipynb")
    'exercises/01-wiggle-a-number.html'
    """
    return PurePosixPath(path).with_suffix(".html").as_posix()


def way(start: str, end: str) -> str:
    """A relative link from one address of the site to another.

    Args:
        start: the address of the page that has the link.
        end: the address to reach; it may end with an anchor.

    >>> way("notebooks/01-a.html", "exercises/01-a.html")
    '../exercises/01-a.html'
    >>> way("index.html", "notebooks/01-a.html#A")
    'notebooks/01-a.html#A'
    """
    path, mark, anchor = end.partition("#")
    return relpath(path, PurePosixPath(start).parent.as_posix()) + mark + anchor
