"""The glossary, gathered from the word lists at the end of the chapters.

Each chapter explains its own words; the glossary puts them in one alphabet, so the two cannot
differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import notebook_files

FILE_NAME = "glossary.ipynb"
HEADING = "## Words of this chapter"
ROW = re.compile(r"^\| (?P<word>[^|]+?) \| (?P<meaning>[^|]+?) \|$", re.MULTILINE)
HEAD = "word"
INTRODUCTION = """# Glossary

Every word the course explains, with the chapters that use it. The same list stands at the end
of each chapter, for its own words."""


class Word(NamedTuple):
    """One line of a chapter's list of words.

    Attributes:
        word: as the chapter writes it, with its code marks.
        meaning: in one sentence.
        chapter: the file that explains it.
        number: of that chapter, such as ``"06"``.
    """

    word: str
    meaning: str
    chapter: str
    number: str


def words_of(file: Path) -> list[Word]:
    """The words a chapter explains, in its own order.

    Args:
        file: the chapter's notebook.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is no notebook.
    """
    lists = (c.source for c in notebook_files.read(file).cells if c.source.startswith(HEADING))
    return [
        Word(row["word"], row["meaning"], file.name, file.name.partition("-")[0])
        for text in lists
        for row in ROW.finditer(text)
        if row["word"] not in (HEAD, "---")
    ]


def table(words: Iterable[Word]) -> str:
    """All words in one alphabet; a word of several chapters has one line.

    Args:
        words: of all chapters, first chapter first.

    >>> print(table([Word("leaf", "a node that nothing made", "02-x.ipynb", "02")]))
    | word | meaning | chapters |
    |---|---|---|
    | leaf | a node that nothing made | [02](02-x.ipynb) |
    """
    found: dict[str, list[Word]] = {}
    for word in words:
        found.setdefault(word.word, []).append(word)
    lines = ["| word | meaning | chapters |", "|---|---|---|"]
    for name in sorted(found, key=lambda word: word.strip("`").casefold()):
        links = ", ".join(f"[{word.number}]({word.chapter})" for word in found[name])
        lines.append(f"| {name} | {found[name][0].meaning} | {links} |")
    return "\n".join(lines)


def glossary(chapters: Iterable[Path]) -> NotebookNode:
    """Make the glossary's notebook.

    Args:
        chapters: the chapters' notebooks, first chapter first.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is no notebook.
    """
    words = [word for file in chapters for word in words_of(file)]
    notebook: NotebookNode = nbformat.v4.new_notebook()
    for name, text in (("introduction", INTRODUCTION), ("words", table(words))):
        cell = nbformat.v4.new_markdown_cell(text, id=f"glossary-{name}")
        cell.metadata["slideshow"] = {"slide_type": "skip"}
        notebook.cells.append(cell)
    return notebook
