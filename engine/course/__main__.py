"""The command line of the course: ``course``, or ``python -m engine.course``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.course.places import CourseError, find_places


def parser() -> argparse.ArgumentParser:
    """The commands and what they take.

    >>> parser().parse_args(["lab", "--no-browser"]).browser
    False
    """
    main_parser = argparse.ArgumentParser(
        prog="course", description="Reverse Walk: backpropagation, one node at a time."
    )
    main_parser.set_defaults(command=None)
    commands = main_parser.add_subparsers(title="commands", metavar="")
    _add_lab(commands)
    return main_parser


def _add_lab(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    lab = commands.add_parser("lab", help="open JupyterLab at the first chapter (the default)")
    lab.set_defaults(command=_lab)
    _add_root(lab)
    lab.add_argument("--port", type=int, default=8888, help="the port to try first (8888)")
    lab.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )


def _add_root(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--root", type=Path, metavar="FOLDER", help="the folder that holds notebooks/"
    )


def _lab(options: argparse.Namespace) -> int:
    from engine.course import lab

    return lab.run(find_places(options.root), options.port, options.browser)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after ``course``; those of the process when None.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(words)
    if options.command is None:
        options = parser().parse_args(["lab", *words])
    try:
        code: int = options.command(options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
