"""The one place that knows which Graphviz program places the nodes, and runs it.

The wheel ``graphviz-pure`` brings a program of that name into the environment; a system ``dot``
does as well. Either reads DOT and writes positions; neither ever sees a learner's label. In a
browser no program runs, and the page brings a Graphviz of its own.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from engine.text import shown

ENVIRONMENT_VARIABLE = "REVERSE_WALK_DOT"
PROGRAMS = ("graphviz-pure", "dot")
SECONDS = 30
HOW_TO_GET_PICTURES = (
    "There is no picture, because no Graphviz program was found. "
    "Get one with: python -m pip install graphviz-pure"
)

T = TypeVar("T")


class RenderingError(RuntimeError):
    """The Graphviz program was found but did not place the nodes."""


def renderer() -> str | None:
    """Find the program that places nodes.

    The environment variable ``REVERSE_WALK_DOT`` names it; set but empty, there is none.
    Otherwise the environment's own programs come before those on the path.

    Returns:
        A path, or None: then views show their table and say how to get pictures.

    Raises:
        RenderingError: the variable names a program that is not there.

    >>> isinstance(renderer(), str | None)
    True
    """
    chosen = os.environ.get(ENVIRONMENT_VARIABLE)
    if chosen is not None:
        return _named(chosen) if chosen else None
    places = (sysconfig.get_path("scripts"), None)
    found = (shutil.which(name, path=place) for name in PROGRAMS for place in places)
    return next(filter(None, found), None)


def _named(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise RenderingError(
            f"the environment variable {ENVIRONMENT_VARIABLE} names {shown(program)}, "
            "and there is no such program: correct the variable, or unset it."
        )
    return path


def positions(source: str) -> str | None:
    """Place the nodes of a DOT source.

    Args:
        source: a graph in the DOT language.

    Returns:
        Graphviz's plain output format: one line for each node and edge, in inches. None where
        there is no program.

    Raises:
        RenderingError: the program is missing, failed, or took longer than half a minute.

    >>> (positions("digraph { a -> b }") or "graph").split()[0]
    'graph'
    """
    if sys.platform == "emscripten":
        from engine.drawing import page_renderer

        return page_renderer.positions(source)
    program = renderer()
    return None if program is None else _run(program, source)


def placed_or_why(place: Callable[[], T | None]) -> tuple[T | None, str]:
    """Place a drawing, or say why there is none: a view is of use without its picture.

    Args:
        place: gives the geometry, or None where no Graphviz program is at hand.

    Returns:
        The geometry and "", or None and the sentence to show in the drawing's place.

    >>> placed_or_why(lambda: 5)
    (5, '')
    """
    try:
        placed = place()
    except RenderingError as error:
        return None, f"There is no picture: {' '.join(str(error).split()).removesuffix('.')}."
    return placed, HOW_TO_GET_PICTURES if placed is None else ""


@lru_cache(maxsize=64)
def _run(program: str, source: str) -> str:
    problem = f"{program} could not place the nodes"
    try:
        done = subprocess.run(
            [program, "-Tplain"],
            input=source,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise RenderingError(
            f"{program} took longer than {SECONDS} s to place the nodes."
        ) from None
    except OSError as error:
        raise RenderingError(f"{problem}: {error}") from None
    if done.returncode:
        said = done.stderr.strip() or f"it ended with exit code {done.returncode}"
        raise RenderingError(f"{problem}: {said}")
    if not (done.stdout.startswith("graph ") and done.stdout.rstrip().endswith("stop")):
        raise RenderingError(
            f"{problem}: it wrote {shown(done.stdout.strip())} instead of positions."
        )
    return done.stdout
