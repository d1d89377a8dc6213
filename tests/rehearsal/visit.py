"""A visit to Binder: the memory of each chapter's kernel, and the way to the first drawing."""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from engine.course.lab import Server
from tests.browser.lab import HEIGHT, WIDTH
from tests.rehearsal import image, memory
from tests.rehearsal.browser import browser, first_drawing
from tests.rehearsal.image import Image
from tests.rehearsal.memory import MB, Memory
from tests.rehearsal.serving import serving
from tests.rehearsal.table import table

FIRST_CHAPTER = "notebooks/00-start-here.ipynb"
CELL_SECONDS = 300
VISITS = 3
DRAWING_BAR = 10.0
SMALL_BAR, LARGE_BAR = 300, 500
FIRST_LARGE = "13"
IN_THE_PAGE = "--LabApp.expose_app_in_browser=True"


@dataclass(frozen=True)
class Run:
    """What one notebook took.

    Attributes:
        name: the file's.
        seconds: from the start of the kernel to the end of the last cell.
        memory: of the kernel's process after that cell.
    """

    name: str
    seconds: float
    memory: Memory

    @property
    def bar(self) -> int:
        """The most MB that the kernel may hold."""
        number = self.name[:2]
        return LARGE_BAR if number.isdigit() and number >= FIRST_LARGE else SMALL_BAR

    @property
    def is_under(self) -> bool:
        """Whether the kernel stayed under the bar all the time."""
        return self.memory.peak < self.bar * MB


@dataclass(frozen=True)
class Visit:
    """How long one visitor waited, in seconds.

    Attributes:
        started: from the start of JupyterLab to its first answer.
        stored: from opening the address to the notebook with its stored pictures.
        drawn: from opening the address to the first drawing that was computed anew.
    """

    started: float
    stored: float
    drawn: float


def rehearse(environment: Path | None) -> int:
    """Print the memory of every notebook's kernel and the time to the first drawing.

    Args:
        environment: where to build the image, and find it the next time; None for neither.

    Returns:
        The exit code: 1 when a bar was missed.
    """
    with TemporaryDirectory(prefix="rehearsal-") as folder:
        made = image.build(environment or Path(folder) / "image")
        files = sorted((made.tree / "notebooks").glob("*.ipynb"))
        runs = []
        for file in files:
            runs.append(run(made, file))
            print(f"{file.name}: {runs[-1].seconds:.0f} s", flush=True)
        _print_runs(runs)
        visits = [visit(made, Path(folder) / f"visit-{number}") for number in range(VISITS)]
    return verdict(runs, visits)


def run(made: Image, file: Path) -> Run:
    """Run a notebook in a kernel of the image.

    Args:
        made: the image.
        file: the notebook.
    """
    notebook = nbformat.read(file, as_version=4)
    python = str(made.programs / "python")
    argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager = AsyncKernelManager()
    manager._kernel_spec = KernelSpec(argv=argv, display_name="", language="python")
    client = NotebookClient(notebook, km=manager, timeout=CELL_SECONDS)
    start = time.monotonic()
    with client.setup_kernel(cwd=str(file.parent), env=made.environ):
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
        seconds = time.monotonic() - start
        kernel = memory.Process(manager.provisioner.pid)
        return Run(file.name, seconds, kernel.memory)


def visit(made: Image, folder: Path) -> Visit:
    """Open the first chapter as a visitor does, in a browser that knows nothing yet.

    Args:
        made: the image.
        folder: for this visit; it is made.
    """
    folder.mkdir()
    forget(made.tree.parent)
    before = time.monotonic()
    with serving(made, folder, IN_THE_PAGE) as lab, browser() as chromium:
        started = time.monotonic() - before
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        start = time.time()
        # Where a link with a labpath leads.
        page.goto(f"{lab.url}lab/tree/{FIRST_CHAPTER}?token={lab.token}")
        seen = first_drawing(page, Server(lab.url, lab.token), FIRST_CHAPTER, start, save=False)
    return Visit(started, seen.stored, seen.drawn)


def forget(folder: Path) -> None:
    """Put files out of the machine's memory, so that they are read from the disk again.

    Args:
        folder: whose files.
    """
    for path in _files(folder):
        with contextlib.suppress(OSError), path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _print_runs(runs: Sequence[Run]) -> None:
    head = ("kernel after all cells, in MB", "seconds", "PSS", "RSS", "largest RSS", "bar", "")
    rows = [
        (
            run.name,
            f"{run.seconds:.1f}",
            *(f"{n / MB:.0f}" for n in (run.memory.pss, run.memory.rss, run.memory.peak)),
            run.bar,
            "" if run.is_under else "MISSED",
        )
        for run in runs
    ]
    print(f"{table(head, rows)}\n", flush=True)


def verdict(runs: Sequence[Run], visits: Sequence[Visit]) -> int:
    """Print what visitors waited, and say whether every bar was kept.

    Args:
        runs: of every notebook.
        visits: one after the other.

    Returns:
        The exit code.
    """
    head = ("visit, in seconds", "JupyterLab answers", "notebook is shown", "first drawing")
    rows = [
        (number, *(f"{n:.1f}" for n in (visit.started, visit.stored, visit.drawn)))
        for number, visit in enumerate(visits, start=1)
    ]
    print(f"{table(head, rows)}\n")
    drawn = statistics.median(visit.drawn for visit in visits)
    print(f"First drawing, median: {drawn:.1f} s; the bar is {DRAWING_BAR:.0f} s.")
    missed = [run.name for run in runs if not run.is_under]
    if missed:
        print(f"More memory than the bar: {', '.join(missed)}.")
    return 1 if missed or drawn >= DRAWING_BAR else 0
