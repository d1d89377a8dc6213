"""Every exercise by its name; a chapter's module is loaded when one of its exercises is asked for.

A chapter's exercises stand in ``chapter_NN.py`` beside this file, in the tuple ``EXERCISES``.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from engine.course.checks.exercise import Exercise

MODULES = "chapter_*.py"


def chapters() -> tuple[str, ...]:
    """The numbers of the chapters that have exercises.

    >>> "01" in chapters()
    True
    """
    return tuple(sorted(file.stem[-2:] for file in Path(__file__).parent.glob(MODULES)))


def of_chapter(number: str) -> tuple[Exercise, ...]:
    """A chapter's exercises, in order.

    Args:
        number: of the chapter, such as ``"05"``.

    Raises:
        KeyError: the chapter has no exercises.
    """
    if number not in chapters():
        raise KeyError(number)
    module = importlib.import_module(f"engine.course.checks.chapter_{number}")
    exercises: tuple[Exercise, ...] = module.EXERCISES
    return exercises


def names() -> tuple[str, ...]:
    """The names of all exercises, in order."""
    return tuple(exercise.name for number in chapters() for exercise in of_chapter(number))


def find(name: str) -> Exercise:
    """The exercise of this name.

    Args:
        name: chapter and number.

    Raises:
        KeyError: there is none.

    >>> find("01.1").name
    '01.1'
    """
    for exercise in of_chapter(name.partition(".")[0]):
        if exercise.name == name:
            return exercise
    raise KeyError(name)
