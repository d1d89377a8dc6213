"""Read and write notebook files, with types."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import atomic


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


def write(notebook: NotebookNode, file: Path) -> None:
    """Write a notebook in one step.

    Args:
        notebook: a valid notebook.
        file: where to; an older file is replaced.
    """
    atomic.write(file, text(notebook).encode())
