"""Kernels of the tests that no other program is in the way of."""

from __future__ import annotations

import atexit
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

from engine.course import kernels

# pytest's own folders have names that are too long for a socket.
_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
_number = count()


def own_manager(**words: Any) -> KernelManager:
    """A kernel manager as nbval makes one, but for where its kernel listens."""
    connection = kernels.connection(Path(_folder.name, f"{next(_number)}.json"))
    return KernelManager(**connection, **words)


def run(*cells: str) -> NotebookNode:
    """A notebook of these code cells, run in a kernel of its own."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, km=kernels.manager(Path(folder)), timeout=120)
        client.execute(cleanup_kc=True)
    return notebook
