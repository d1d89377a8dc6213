"""Real users of this machine, made for a rehearsal and removed after it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.rehearsal import memory

# A name of nobody's, and a comment by which a later run knows what an interrupted one left.
PREFIX = "walk-class-"
COMMENT = "rehearsal of a class"
PATIENCE = 20


@dataclass(frozen=True)
class User:
    """A user whose home only they can enter."""

    name: str
    number: int
    home: Path

    def run(
        self, *command: str, folder: Path, environ: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this user.

        Args:
            command: the program and its arguments.
            folder: where.
            environ: every variable but ``HOME`` and ``USER``.
        """
        return subprocess.run(
            command,
            cwd=folder,
            env={**environ, "HOME": str(self.home), "USER": self.name},
            user=self.number,
            group=self.number,
            extra_groups=[],
            umask=0o022,
            capture_output=True,
            text=True,
            check=False,
        )


@contextlib.contextmanager
def users(names: Sequence[str], homes: Path) -> Iterator[list[User]]:
    """Make users, and remove them with everything they run, also after an error.

    Args:
        names: what follows the prefix.
        homes: the folder of their homes.
    """
    remove_all()
    try:
        yield [_make(PREFIX + name, homes) for name in names]
    finally:
        remove_all()


def refusal() -> str:
    """Why no users can be made here; empty where they can."""
    if sys.platform != "linux":
        return "it needs Linux, where each student gets a user of their own"
    if os.geteuid() != 0:
        return "run it as root: each student gets a user of the machine, removed afterwards"
    return ""


def _make(name: str, homes: Path) -> User:
    home = homes / name
    command = ["useradd", "--create-home", "--home-dir", str(home), "--key", "HOME_MODE=0700"]
    command += ["--comment", COMMENT, "--user-group", "--shell", "/bin/bash", name]
    subprocess.run(command, check=True, capture_output=True)
    return User(name, home.stat().st_uid, home)


def ours() -> dict[str, int]:
    """The numbers of the rehearsal's users that are there, by name."""
    import pwd

    found = [entry for entry in pwd.getpwall() if entry.pw_name.startswith(PREFIX)]
    return {entry.pw_name: entry.pw_uid for entry in found if entry.pw_gecos == COMMENT}


def remove_all() -> None:
    """End what the rehearsal's users run, and remove them; their homes stay."""
    left = ours()
    _end_processes(set(left.values()))
    for name in left:
        subprocess.run(["userdel", name], check=True, capture_output=True)


def _end_processes(numbers: set[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while running := [process for process in memory.processes() if _runs_as(process, numbers)]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"these processes do not end: {running}")
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.number, signal.SIGKILL)
        time.sleep(0.1)


def _runs_as(process: memory.Process, numbers: set[int]) -> bool:
    try:
        # The last of a process is an entry without a command line; it cannot be ended again.
        return process.owner in numbers and bool(process.command)
    except (FileNotFoundError, ProcessLookupError):
        return False
