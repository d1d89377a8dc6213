"""The class's git repository, served on this machine, and the update that comes while they work."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course import notebook_files
from engine.course.places import COPIED_FOLDERS, EXERCISES
from tests.rehearsal.answers import exercise_of

NAME = "walk"
BRANCH = "main"
# What the instructor writes; a student who has changed nothing there must find it.
NEWS = "The instructor has added this sentence."
NEW_CELL = "The instructor has added this cell."
NEW_START = "# The instructor has added this comment."
NEW_FILE = f"{EXERCISES}/more.ipynb"
LOCALHOST = "127.0.0.1"
PATIENCE = 20


@dataclass(frozen=True)
class Repository:
    """A git repository, and the address at which students find it.

    Attributes:
        folder: the instructor's work tree.
        url: for nbgitpuller.
    """

    folder: Path
    url: str

    def update(self, chapter: str, exercise: str) -> None:
        """Change a chapter and an exercise notebook, and add a file.

        Args:
            chapter: the file of the chapter, below the folder.
            exercise: that of the exercise notebook.
        """
        _change(self.folder / chapter, _more_to_read)
        _change(self.folder / exercise, _more_to_do)
        cells = [nbformat.v4.new_markdown_cell(NEW_CELL, id="more-01")]
        more = nbformat.v4.new_notebook(cells=cells)
        notebook_files.write(more, self.folder / NEW_FILE)
        self.commit("Add to a chapter and to the exercises")

    def commit(self, why: str) -> None:
        """Commit everything, and let students see it."""
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", why)
        git(self.folder, "push", "--quiet", "origin", BRANCH)

    def text(self, name: str) -> str:
        """What a file of the class's repository holds now."""
        return (self.folder / name).read_text("utf-8")

    def names(self) -> list[str]:
        """Every file of the class's repository."""
        return git(self.folder, "ls-files", "-z").split("\0")[:-1]


# Git as it is for a person who has set nothing up.
NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str) -> str:
    """What git says to a command, given in a folder."""
    name = ("-c", "user.name=Instructor", "-c", "user.email=instructor@localhost")
    done = subprocess.run(
        ["git", *name, *words],
        cwd=folder,
        env={**os.environ, **NO_SETTINGS},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _change(file: Path, change: Callable[[NotebookNode], None]) -> None:
    notebook = notebook_files.read(file)
    change(notebook)
    notebook_files.write(notebook, file)


def _more_to_read(notebook: NotebookNode) -> None:
    first = next(cell for cell in notebook.cells if cell.cell_type == "markdown")
    first.source += f"\n\n{NEWS}"
    middle = len(notebook.cells) // 2
    notebook.cells.insert(middle, nbformat.v4.new_markdown_cell(NEW_CELL, id="news-01"))


def _more_to_do(notebook: NotebookNode) -> None:
    """Change a task, a starter that students have answered, and what stands beside answers."""
    answers = [at for at, cell in enumerate(notebook.cells) if exercise_of(cell, "answer")]
    first, second = answers[:2]
    notebook.cells[first].source = f"{NEW_START}\n{notebook.cells[first].source}"
    task = max(at for at in range(second) if notebook.cells[at].cell_type == "markdown")
    notebook.cells[task].source += f"\n\n{NEWS}"
    notebook.cells.insert(second + 1, nbformat.v4.new_markdown_cell(NEW_CELL, id="news-01"))


@contextlib.contextmanager
def served(tree: Path, base: Path) -> Iterator[Repository]:
    """Make the class's repository from a checkout, and serve it to this machine alone.

    Args:
        tree: the checkout.
        base: a folder for the repository.
    """
    folder, public = base / "instructor", base / "served"
    for name in COPIED_FOLDERS:
        shutil.copytree(tree / name, folder / name)
    public.mkdir()
    git(public, "init", "--quiet", "--bare", f"--initial-branch={BRANCH}", NAME)
    git(folder, "init", "--quiet", f"--initial-branch={BRANCH}")
    git(folder, "remote", "add", "origin", str(public / NAME))
    port = free_port()
    repository = Repository(folder, f"git://{LOCALHOST}:{port}/{NAME}")
    repository.commit("Chapters and exercises")
    command = ["git", "daemon", f"--listen={LOCALHOST}", f"--port={port}", "--export-all"]
    command += [f"--base-path={public}", "--max-connections=0", str(public)]
    with (base / "git.log").open("w") as log, subprocess.Popen(command, stderr=log) as daemon:
        try:
            wait_for_port(port)
            yield repository
        finally:
            daemon.terminate()


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as asked:
        asked.bind((LOCALHOST, 0))
        return int(asked.getsockname()[1])


def wait_for_port(port: int) -> None:
    """Wait until somebody listens at a port."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection((LOCALHOST, port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
