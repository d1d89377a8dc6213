"""Which variables name which Values, where the engine was called from.

>>> from engine.value import Value
>>> x = Value(3.0)
>>> dict(named_values(caller_variables()))[x]
'x'
"""

import os
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import CodeType
from typing import Any

from engine.numbers import label_text
from engine.text import shown
from engine.value import Value

PACKAGE_FOLDER = str(Path(__file__).parent) + os.sep
NOT_NAMES = frozenset({"In", "Out"})
MOST_MEMBERS = 100_000


def caller_variables() -> dict[str, object]:
    """The variables where the engine was called from: the first frame outside of it.

    In a comprehension or a lambda these are also the variables of the function around it.

    >>> here = 5
    >>> caller_variables()["here"]
    5
    """
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame = frame.f_back
    variables = dict(frame.f_locals)
    while frame.f_back and _is_inside(frame.f_code, frame.f_back.f_code):
        frame = frame.f_back
        variables = {**frame.f_locals, **variables}
    variables = {**frame.f_globals, **variables}
    # Python and its tools keep things of their own there, under names that nobody could write.
    return {name: value for name, value in variables.items() if str(name).isidentifier()}


def _is_inside(code: CodeType, around: CodeType) -> bool:
    """Whether code is a comprehension or a lambda written in the code around it."""
    return code.co_name.startswith("<") and code in around.co_consts


def named_values(variables: Mapping[str, object]) -> Iterator[tuple[Value, str]]:
    """Every Value that is bound to a variable, or is a member of a container that is.

    Args:
        variables: by name.

    Raises:
        TypeError: ``variables`` is no dictionary of names.

    >>> x = Value(3.0)
    >>> [name for _, name in named_values({"row": [x]})]
    ['row[0]']
    """
    _require_names(variables)
    public: dict[str, Any] = {
        name: thing
        for name, thing in variables.items()
        if not name.startswith("_") and name not in NOT_NAMES
    }
    for name, container in reversed(public.items()):
        for key, member in _members(container):
            if _is_a(member, Value):
                yield member, f"{name}[{_key_text(key)}]"
            elif not _is_a(member, dict):
                for i, inner in _members(member):
                    if _is_a(inner, Value):
                        yield inner, f"{name}[{_key_text(key)}][{i}]"
    for name, value in reversed(public.items()):
        if _is_a(value, Value):
            yield value, name


def _require_names(names: object) -> None:
    if not isinstance(names, Mapping):
        raise TypeError(f"names is a dictionary such as {{'x': x}}, got {shown(names)}.")
    for name in names:
        label_text(name)


def _members(container: Any) -> list[tuple[Any, Any]]:
    """The first members of a list, tuple or dictionary, without running code of a subclass."""
    if _is_a(container, list):
        return list(enumerate(islice(list.__iter__(container), MOST_MEMBERS)))
    if _is_a(container, tuple):
        return list(enumerate(islice(tuple.__iter__(container), MOST_MEMBERS)))
    if _is_a(container, dict):
        return list(islice(dict.items(container), MOST_MEMBERS))
    return []


def _is_a(thing: Any, kind: type) -> bool:
    # isinstance would also ask the object itself, and a stand-in for another may fail at that.
    return issubclass(type(thing), kind)


def _key_text(key: object) -> str:
    try:
        return repr(key)
    except Exception:  # noqa: BLE001 (a class of the caller may raise anything)
        return f"<{type(key).__name__}>"
