"""Read and write notebook files, with types."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import atomic

# In the metadata of a notebook that the course makes.
SEAL = "course"


def read(file: Path) -> NotebookNode:
    """Read a notebook in the present format.

    Args:
        file: the notebook's file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is no notebook.
    """
    notebook: NotebookNode = nbformat.read(file, as_version=4)
    return notebook


def text(notebook: NotebookNode) -> str:
    """The one text of a notebook: nbformat's own layout, and a newline at its end.

    Args:
        notebook: a valid notebook.
    """
    written: str = nbformat.writes(notebook)
    return written if written.endswith("\n") else f"{written}\n"


def sealed(notebook: NotebookNode) -> NotebookNode:
    """A notebook that tells whether somebody has changed what its cells say since it was made.

    Args:
        notebook: a valid notebook; it is changed in place.

    >>> one = sealed(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]))
    >>> is_as_made(one)
    True
    >>> one.cells[0].source = "2"
    >>> is_as_made(one)
    False
    """
    notebook.metadata[SEAL] = {"sources": _hash_of_sources(notebook)}
    return notebook


def is_as_made(notebook: NotebookNode) -> bool:
    """Whether the cells of a notebook say what they said when it was sealed.

    Args:
        notebook: a valid notebook.
    """
    seal = notebook.metadata.get(SEAL)
    return isinstance(seal, dict) and seal.get("sources") == _hash_of_sources(notebook)


def _hash_of_sources(notebook: NotebookNode) -> str:
    return sha256(json.dumps(sources(notebook)).encode()).hexdigest()


def sources(notebook: NotebookNode) -> list[tuple[str, str]]:
    """What the cells of a notebook say, each with its kind.

    Args:
        notebook: a valid notebook.
    """
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def write(notebook: NotebookNode, file: Path) -> None:
    """Write a notebook in one step.

    Args:
        notebook: a valid notebook.
        file: where to; an older file is replaced.
    """
    atomic.write(file, text(notebook).encode())
