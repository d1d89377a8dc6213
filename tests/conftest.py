"""What tests in several folders share, and how a run in several processes is divided.

With ``-n auto`` (pytest-xdist) a run has one process for each processor. Each has session fixtures
of its own, so what takes long is made by the process that needs it first, while the others wait.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbval.kernel
import pytest
from hypothesis import HealthCheck, settings

from tests.kernels import own_manager

# The same examples on every machine and in every run, however long a busy one takes for them.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# A person's own choice of a window for plots would have every kernel of a test open one.
os.environ.pop("MPLBACKEND", None)

# The kernels of two processes that start at once could be given the same free port.
nbval.kernel.KernelManager = own_manager

# Tests that run in the background ignore Ctrl+C, and what they start would do so, too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("notebooks", "exercises", "solutions")
PATIENCE = 1800.0
# Each process has a JupyterLab and a browser of its own: more of them would want more memory.
MOST_PROCESSES = 4
# These tests need nothing of each other, and come last: one by one they keep every process busy.
DIVIDED = "tests/browser/"
WHOLE = "tests/browser/test_lite_pages.py"  # its page takes long to make


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """How many processes ``-n auto`` means; half a core with hyperthreading is a processor, too."""
    allowed = getattr(os, "sched_getaffinity", None)
    count = len(allowed(0)) if allowed else os.cpu_count() or 1
    return min(count, MOST_PROCESSES)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files, in the order in which they are collected.

    The cells of a notebook need those before them, and what a module shares is made once.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            divided = nodeid.startswith(DIVIDED) and not nodeid.startswith(WHOLE)
            return nodeid if divided else nodeid.split("::", 1)[0]

    config.option.loadscopereorder = False
    return ByFile(config, log)


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of this test run, filled by whichever of its processes comes first.

    Args:
        factory: pytest's.
        name: of the folder.
        make: fills the folder.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, made, failed = (base / f"{name}{ending}" for ending in ("", ".made", ".failed"))
    try:
        folder.mkdir()
    except FileExistsError:
        _wait(made, failed)
        return folder
    try:
        make(folder)
    except BaseException:
        failed.touch()
        raise
    made.touch()
    return folder


def _wait(made: Path, failed: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not made.exists():
        if failed.exists() or time.monotonic() > deadline:
            pytest.fail(f"another process of this run could not make the folder {made.stem}")
        time.sleep(0.2)


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course in which every chapter has been run, and has its deck.

    They are run with ``dot``, where this machine has one: when the notebooks themselves are
    tested, they are run with the renderer that comes as a wheel.
    """
    return once(tmp_path_factory, "ran", _run_chapters)


def _run_chapters(course: Path) -> None:
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, course / folder, ignore=shutil.ignore_patterns(".*"))
    made = subprocess.run(
        [sys.executable, "-m", "engine.course", "slides", "--all", "--root", str(course)],
        cwd=ROOT,
        env=_with_dot(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr


def _with_dot() -> dict[str, str]:
    dot = shutil.which("dot")
    return {**os.environ, **({"REVERSE_WALK_DOT": dot} if dot else {})}


@pytest.fixture(scope="session")
def decks(ran: Path) -> Path:
    """The folder of all decks, made by the command in a process of its own, as a person would."""
    return ran / "work" / "slides"


@pytest.fixture(scope="session")
def site(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all pages; the chapters that ran for the decks do not run again."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-m", "engine.course", "site", "--root", str(ran)]
        command += ["--output", str(folder)]
        made = subprocess.run(
            command, cwd=ROOT, env=_with_dot(), capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr

    return once(tmp_path_factory, "site", make)
