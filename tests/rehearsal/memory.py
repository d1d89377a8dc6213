"""How much memory processes hold, with what they share counted once for each that shares it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROCESSES = Path("/proc")
KIB = 1024
MB = 1_000_000


@dataclass(frozen=True)
class Memory:
    """Memory in bytes.

    Attributes:
        pss: the proportional set size: a page that n processes share counts as its nth part.
        rss: the resident set size: a shared page counts in full.
        peak: the largest resident set size so far.
    """

    pss: int = 0
    rss: int = 0
    peak: int = 0

    def __add__(self, other: Memory) -> Memory:
        return Memory(self.pss + other.pss, self.rss + other.rss, self.peak + other.peak)


@dataclass(frozen=True)
class Process:
    """A process of the machine."""

    number: int

    @property
    def owner(self) -> int:
        """The number of the user it runs as."""
        return (PROCESSES / str(self.number)).stat().st_uid

    @property
    def command(self) -> str:
        """Its command line."""
        raw = (PROCESSES / str(self.number) / "cmdline").read_bytes()
        return raw.replace(b"\0", b" ").decode("utf-8", "replace").strip()

    @property
    def memory(self) -> Memory:
        """What it holds now."""
        folder = PROCESSES / str(self.number)
        now = (folder / "smaps_rollup").read_text("ascii")
        status = (folder / "status").read_text("utf-8", "replace")
        return Memory(kib(now, "Pss"), kib(now, "Rss"), kib(status, "VmHWM"))


def kib(text: str, name: str) -> int:
    """Read a size, in bytes, from one of the system's tables.

    Args:
        text: lines such as ``Pss:  120 kB``.
        name: of the line.

    >>> kib("Rss:   8 kB", "Rss")
    8192
    """
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * KIB if found else 0


def processes() -> Iterator[Process]:
    """Every process of the machine."""
    for folder in PROCESSES.iterdir():
        if folder.name.isdigit():
            yield Process(int(folder.name))


def of_user(owner: int, words: Iterable[str]) -> dict[str, Memory]:
    """The memory of a user's processes, by the first of some words in their command lines.

    Args:
        owner: the number of the user.
        words: to look for; a process with none of them counts as ``"other"``.
    """
    sums = {word: Memory() for word in [*words, "other"]}
    for process in processes():
        # A process may end while it is looked at.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if process.owner == owner:
                command = process.command
                kind = next((word for word in sums if word in command), "other")
                sums[kind] += process.memory
    return sums
