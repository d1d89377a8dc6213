"""What a student can try in order to read what another one wrote; it runs in a student's kernel."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

READ, REFUSED, NOTHING = "read", "refused", "nothing"


def tried(attempt: Callable[[], Any]) -> str:
    """Tell what came of an attempt: read, refused, or nothing was there."""
    try:
        return READ if attempt() else NOTHING
    except PermissionError:
        return REFUSED


def attempts(
    home: str, notebook: str, user: str, marker: str, places: list[str], temporary: list[str]
) -> dict[str, str]:
    """Try to read a user's files, by every way a user of the same machine has.

    Args:
        home: of the user.
        notebook: a file of theirs.
        user: the name.
        marker: a word that stands in their answers.
        places: folders that users share.
        temporary: folders for temporary files.
    """
    return {
        "list their home": tried(lambda: list(Path(home).iterdir())),
        "open their notebook": tried(lambda: Path(notebook).read_text("utf-8")),
        "write into their notebook": tried(lambda: Path(notebook).open("a").close() or True),
        "list the exchange": tried(lambda: [list(Path(p).iterdir()) for p in places]),
        "find their answers in shared folders": tried(lambda: found(marker, places)),
        "find their answers in temporary files": tried(lambda: left(marker, user, temporary)),
        "find their answers in command lines": tried(lambda: commands(marker)),
        "read the variables of their processes": tried(lambda: variables(user)),
    }


def found(marker: str, places: list[str]) -> list[str]:
    """The readable files that hold the marker."""
    words = ["grep", "--recursive", "--files-with-matches", "--no-messages", marker, *places]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.split("\n")[
        :-1
    ]


def left(marker: str, user: str, places: list[str]) -> list[str]:
    """The user's own files in some folders, where they hold the marker."""
    search = ["find", *places, "-user", user, "-type", "f", "-exec"]
    search += ["grep", "--files-with-matches", "--no-messages", marker, "{}", "+"]
    return subprocess.run(search, capture_output=True, text=True, check=False).stdout.split("\n")[
        :-1
    ]


def commands(marker: str) -> list[str]:
    """The command lines that hold the marker; not ours, which was given it."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes()
            if marker.encode() in line:
                lines.append(str(line))
    return lines


def variables(user: str) -> list[bytes]:
    """The environment of the user's processes, which holds the token of their server."""
    read, refusals = [], 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, KeyError):
            if folder.owner() == user:
                try:
                    read.append((folder / "environ").read_bytes())
                except PermissionError:
                    refusals += 1
    if refusals and not read:
        raise PermissionError
    return read


if __name__ == "__main__":
    print(json.dumps(attempts(**json.loads(sys.stdin.read()))))
