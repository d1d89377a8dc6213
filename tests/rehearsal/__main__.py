"""Rehearse: `python -m tests.rehearsal class`, or `binder`; exit code 1 when something is wrong."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    """The two rehearsals and what they take."""
    made = argparse.ArgumentParser(prog="python -m tests.rehearsal", description=__doc__)
    rehearsals = made.add_subparsers(dest="rehearsal", required=True)
    room = rehearsals.add_parser("class", help="students at once at a JupyterHub on this machine")
    room.add_argument("--students", type=int, default=20)
    room.add_argument("--browsers", type=int, default=1, help="so many come in a real browser")
    room.add_argument("--chapters", default="02,04", help="whose exercises they do")
    room.add_argument("--seed", type=int, default=1, help="decides who answers what")
    binder = rehearsals.add_parser("binder", help="memory of each chapter, and the first drawing")
    for command in (room, binder):
        command.add_argument(
            "--environment",
            type=Path,
            metavar="FOLDER",
            help="build the image here, and use it again the next time",
        )
    return made


def _end(_signal: int, _frame: object) -> None:
    """An end from outside removes what was made, as an error does, and a second one waits."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> int:
    """Run one of them."""
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, _end)
    if options.rehearsal == "class":
        from tests.rehearsal import classroom, room

        chapters = tuple(options.chapters.split(","))
        plan = room.Plan(options.students, options.browsers, chapters, options.seed)
        return classroom.rehearse(plan, options.environment)
    from tests.rehearsal import visit

    return visit.rehearse(options.environment)


if __name__ == "__main__":
    sys.exit(main())
