"""What pages the site has, where they are, and in which order they are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import PurePosixPath
from posixpath import relpath
from typing import Any
from urllib.parse import quote

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.notebooknode import NotebookNode

INDEX = "index.html"
NAME = "Reverse Walk"
FIRST_HEADING = re.compile(r"#\s+(.+?) *$", re.MULTILINE)
NUMBER = re.compile(r"\d\d(?=-)")
TAG = re.compile(r"<[^>]+>")


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
        """The words of the notebook's first heading; its name when it has none."""
        found = (FIRST_HEADING.match(cell.source) for cell in self.notebook.cells)
        headings = (words_of_heading(match[0]) for match in found if match)
        return next(headings, PurePosixPath(self.path).stem)

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
        beside: pages that belong to no chapter, such as the warm-up.
    """

    chapters: Sequence[Page]
    exercises: Sequence[Page]
    glossary: Page | None
    beside: Sequence[Page] = ()

    @property
    def pages(self) -> list[Page]:
        """Every page that is made of a notebook."""
        return [*self.chapters, *self.exercises, *self.after_the_chapters]

    @property
    def after_the_chapters(self) -> list[Page]:
        """What a list of pages names below the chapters."""
        return [*self.beside, *([self.glossary] if self.glossary else [])]

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
        if page in self.beside:
            return None, None
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
    """A relative link from one page of the site to another, ready for HTML.

    Args:
        start: the address of the page that has the link.
        end: the address to reach.

    >>> way("notebooks/01-a.html", "exercises/01-a.html")
    '../exercises/01-a.html'
    >>> way("index.html", "notebooks/01-why#1.html")
    'notebooks/01-why%231.html'
    """
    return quote(relpath(end, PurePosixPath(start).parent.as_posix()))


def words_of_html(html: str) -> str:
    """Some HTML as it is read.

    Args:
        html: text with tags.

    >>> words_of_html("<em>a</em> &lt; b")
    'a < b'
    """
    return unescape(TAG.sub("", html))


class _Inside(IPythonRenderer):
    """Writes a heading without a tag of its own."""

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        return text


@cache
def words_of_heading(source: str) -> str:
    """A heading as it is read.

    Args:
        source: its markdown.

    >>> words_of_heading("# Why *it* is `x*x`")
    'Why it is x*x'
    """
    return words_of_html(MarkdownWithMath(renderer=_Inside(escape=False)).render(source))
