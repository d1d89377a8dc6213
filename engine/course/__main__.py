"""The command line of the course: ``course``, or ``python -m engine.course``."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from engine.course.lab import DEFAULT_PORT
from engine.course.places import CourseError, find_places

LAST_PORT = 65535
# 128 and the number of SIGPIPE: how a shell tells that a program's reader went away.
CLOSED_PIPE = 141
# Likewise of SIGINT: a person pressed Ctrl+C.
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The commands and what they take.

    >>> parser().parse_args(["lab", "--no-browser"]).browser
    False
    """
    main_parser = argparse.ArgumentParser(
        prog="course", description="Reverse Walk: backpropagation, one node at a time."
    )
    commands = main_parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_lab(commands)
    _add_check(commands)
    _add_doctor(commands)
    _add_build(commands)
    _add_slides(commands)
    _add_badges(commands)
    _add_site(commands)
    _add_lite(commands)
    return main_parser


def port(word: str) -> int:
    """Read a port; a server takes a number past the last one, and no browser then finds it.

    Args:
        word: what a person typed after ``--port``.

    Raises:
        argparse.ArgumentTypeError: the word is no port.

    >>> port("8890")
    8890
    """
    if word.isdecimal() and int(word) <= LAST_PORT:
        return int(word)
    raise argparse.ArgumentTypeError(
        f"a port is a whole number from 0 to {LAST_PORT}, not {word}. Try {DEFAULT_PORT}."
    )


Commands = argparse._SubParsersAction  # argparse has no public name for it


def _add_lab(commands: Commands[argparse.ArgumentParser]) -> None:
    lab = commands.add_parser("lab", help="open JupyterLab at the first chapter (the default)")
    lab.set_defaults(command=_lab)
    _add_root(lab)
    lab.add_argument(
        "--port",
        type=port,
        default=DEFAULT_PORT,
        help="the port to try first (%(default)s); 0 takes any that is free",
    )
    lab.add_argument(
        "--no-browser", dest="browser", action="store_false", help="only print the address"
    )


def _add_check(commands: Commands[argparse.ArgumentParser]) -> None:
    check = commands.add_parser("check", help="show which exercises are done, and what is next")
    check.set_defaults(command=_check)
    _add_root(check)


def _add_doctor(commands: Commands[argparse.ArgumentParser]) -> None:
    doctor = commands.add_parser(
        "doctor", help="tell what is missing, and the command that mends it"
    )
    doctor.set_defaults(command=_doctor)
    _add_root(doctor)


def _add_build(commands: Commands[argparse.ArgumentParser]) -> None:
    build = commands.add_parser(
        "build", help="run chapters and solutions, and make the exercises from these"
    )
    build.set_defaults(command=_build)
    build.add_argument("names", nargs="*", metavar="NAME", help="a chapter, or only its number")
    build.add_argument(
        "--check", action="store_true", help="store nothing, and tell which chapters would change"
    )
    _add_root(build)


def _add_slides(commands: Commands[argparse.ArgumentParser]) -> None:
    slides = commands.add_parser("slides", help="make a talk of a chapter, to open in a browser")
    slides.set_defaults(command=_slides)
    chosen = slides.add_mutually_exclusive_group(required=True)
    chosen.add_argument(
        "names", nargs="*", default=[], metavar="NAME", help="a chapter, or only its number"
    )
    chosen.add_argument("--all", action="store_true", help="every chapter")
    _add_output(slides, "slides")
    _add_root(slides)


def _add_site(commands: Commands[argparse.ArgumentParser]) -> None:
    site = commands.add_parser("site", help="make static pages of the whole course")
    site.set_defaults(command=_site)
    _add_output(site, "site")
    site.add_argument(
        "--binder",
        metavar="LINK",
        help="what opens your copy of the repository on Binder: the address of a BinderHub, then "
        "/v2/gh/OWNER/REPOSITORY/BRANCH-OR-TAG",
    )
    _add_root(site)


def _add_lite(commands: Commands[argparse.ArgumentParser]) -> None:
    lite = commands.add_parser("lite", help="make a JupyterLab that runs in a browser alone")
    lite.set_defaults(command=_lite)
    _add_output(lite, "lite")
    _add_root(lite)


def _add_badges(commands: Commands[argparse.ArgumentParser]) -> None:
    badges = commands.add_parser("badges", help="print links that open each chapter on Binder")
    badges.set_defaults(command=_badges)
    badges.add_argument(
        "address", metavar="ADDRESS", help="of your repository on Binder, with a tag or a branch"
    )
    _add_root(badges)


def _add_output(command: argparse.ArgumentParser, folder: str) -> None:
    command.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help=f"where to write (work/{folder} of the course)",
    )


def _add_root(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--root", type=Path, metavar="FOLDER", help="the folder that holds notebooks/"
    )


def _lab(options: argparse.Namespace) -> int:
    from engine.course import lab

    return lab.run(find_places(options.root), options.port, options.browser)


def _check(options: argparse.Namespace) -> int:
    from engine.course import overview

    return overview.run(find_places(options.root))


def _doctor(options: argparse.Namespace) -> int:
    from engine.course import doctor

    return doctor.run(options.root)


def _build(options: argparse.Namespace) -> int:
    from engine.course import build

    return build.run(find_places(options.root), options.names, options.check)


def _slides(options: argparse.Namespace) -> int:
    from engine.course import slides

    return slides.run(find_places(options.root), options.names, options.output)


def _site(options: argparse.Namespace) -> int:
    from engine.course.site import command

    return command.run(find_places(options.root), options.output, options.binder)


def _lite(options: argparse.Namespace) -> int:
    from engine.course import lite

    return lite.run(find_places(options.root), options.output)


def _badges(options: argparse.Namespace) -> int:
    from engine.course import badges

    return badges.run(find_places(options.root), options.address)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after ``course``; those of the process when None.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _spell_what_cannot_be_written(sys.stdout)
    try:
        try:
            return _run(parser().parse_args(with_default(words)))
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    except BrokenPipeError:
        _read_no_more()
        return CLOSED_PIPE
    except KeyboardInterrupt:
        print(
            "\nStopped with Ctrl+C: no file is half written, so run it again when you like.",
            file=sys.stderr,
        )
        return INTERRUPTED


def _spell_what_cannot_be_written(stream: TextIO) -> None:
    r"""A terminal or a pipe may know few letters: a name of a folder then comes as ``K\xfcrs``."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")


def _run(options: argparse.Namespace) -> int:
    try:
        code: int = options.command(options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"{error}. Run `course doctor`: it names the command that mends it.", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise
    except OSError as error:
        print(_unusable(error), file=sys.stderr)
        return 1
    return code


def _read_no_more() -> None:
    """Python writes what it holds back at its end, and would complain that nobody reads it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _unusable(error: OSError) -> str:
    file = error.filename2 or error.filename or "a file"
    return (
        f"The course cannot use {file}: {error.strerror or error}. "
        "Check that it is in a folder of yours, that nothing else has its place, and that the "
        "disk is not full."
    )


def with_default(words: list[str]) -> list[str]:
    """Put the default command in front where a person named none.

    Args:
        words: the words after ``course``.

    >>> with_default(["--port", "9000"]), with_default(["doctor"]), with_default(["--help"])
    (['lab', '--port', '9000'], ['doctor'], ['--help'])
    """
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        return ["lab", *words]
    return words


if __name__ == "__main__":
    sys.exit(main())
