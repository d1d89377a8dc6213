"""A learner's function, packed so that another process of the same Python can run it.

cloudpickle takes along the function's code, the other functions and classes of the notebook that
it uses, the modules it imports there, and data. What cannot go is left out and named, so that a
check can say so; a recorded number is left out on purpose: a function works with what it is given.

>>> def double(x):
...     return 2 * x
>>> unpack(pack(double))(3)
6
"""

from __future__ import annotations

import base64
import contextlib
import dis
import enum
import functools
import io
import pickle
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import cloudpickle

from engine.value import Value

Packing = dict[str, Any]
GLOBAL_INSTRUCTIONS = ("LOAD_GLOBAL", "LOAD_NAME")
IMPORTING_INSTRUCTIONS = ("IMPORT_NAME",)
TAKING_INSTRUCTIONS = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
CACHED = functools._lru_cache_wrapper
MOST_BYTES = 10_000_000  # of one thing that a function takes along
# With these an Enum makes members that are not made from their values alone.
MAKING_MEMBERS = ("__init__", "_new_member_")


@dataclass(frozen=True)
class Packed:
    """A packed function.

    Attributes:
        name: of the function.
        written: whether its body says anything: a docstring alone, ``pass``, ``...`` or
            ``raise NotImplementedError`` is a body that nobody has written yet.
        uses: what it uses from elsewhere, as ``module.name``, and as ``.name`` what it takes from
            a module or another thing inside.
        missing: names in the notebook that it uses and that could not be packed.
        lost: inputs whose default value could not be packed.
        content: everything else, as text.
    """

    name: str
    written: bool
    uses: list[str]
    missing: list[str]
    lost: list[str]
    content: str


def _docstring_alone() -> None:
    """Nothing."""


def _raises() -> None:
    """Nothing."""
    raise NotImplementedError()


def _raises_class() -> None:
    """Nothing."""
    raise NotImplementedError


def _passes() -> None:
    """Nothing."""
    pass  # noqa: PIE790 (the body that a learner may have left)


def _without_docstring() -> None:
    pass


def _instructions(code: CodeType) -> list[tuple[str, Any]]:
    """What the code does; where it keeps its constants differs from Python to Python."""
    return [(step.opname, step.argval) for step in dis.get_instructions(code)]


_STUBS = [
    _instructions(stub.__code__)
    for stub in (_docstring_alone, _raises, _raises_class, _passes, _without_docstring)
]


def without_cache(thing: Any) -> Any:
    """The function below ``functools.cache``, and everything else as it is.

    Args:
        thing: anything.

    >>> without_cache(functools.cache(dis.dis)) is dis.dis
    True
    """
    return thing.__wrapped__ if isinstance(thing, CACHED) else thing


def is_written(code: CodeType) -> bool:
    """Whether a function does anything.

    Args:
        code: of the function.

    >>> def empty(x):
    ...     "Say what it does."
    ...     ...
    >>> is_written(empty.__code__), is_written((lambda x: x).__code__)
    (False, True)
    """
    return _instructions(code) not in _STUBS


def pack(function: FunctionType) -> Packing:
    """Pack a function.

    Args:
        function: written with ``def`` or ``lambda``.

    Returns:
        The fields of :class:`Packed`.
    """
    found = _Found(function)
    with _taken_from(function.__module__):
        defaults, keywords = function.__defaults__ or (), function.__kwdefaults__ or {}
        inputs = function.__code__.co_varnames[: function.__code__.co_argcount]
        held = [*zip(reversed(inputs), reversed(defaults), strict=False), *keywords.items()]
        lost = sorted({name for name, value in held if not found.goes(value)})
        content = b"" if lost else found.pickled(function)
    return {
        "name": function.__name__,
        "written": is_written(function.__code__),
        "uses": sorted(found.uses),
        "missing": sorted(found.missing),
        "lost": lost,
        "content": base64.b64encode(content).decode(),
    }


@contextlib.contextmanager
def _taken_from(name: str) -> Iterator[None]:
    """What stands in the function's own module goes along, and is not imported there."""
    module = sys.modules.get(name)
    if module is None or name == "__main__":
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


class _Found:
    """What was found behind one function.

    Attributes:
        uses: as in :class:`Packed`.
        missing: as in :class:`Packed`.
    """

    def __init__(self, function: FunctionType) -> None:
        self.uses: set[str] = set()
        self.missing: set[str] = set()
        # A function may use itself: while it is looked at, it goes.
        self._goes: dict[int, bool] = {id(function): True}

    def goes(self, thing: Any) -> bool:
        """Whether a thing can be taken along."""
        if id(thing) not in self._goes:
            self._goes[id(thing)] = True
            try:
                self._goes[id(thing)] = len(self.pickled(thing)) <= MOST_BYTES
            except Exception:  # noqa: BLE001 (what a learner's object raises is its own affair)
                self._goes[id(thing)] = False
        return self._goes[id(thing)]

    def kept(self, things: dict[str, Any]) -> dict[str, Any]:
        """The things that can be taken along; the others are noted."""
        kept = {name: thing for name, thing in things.items() if self.goes(thing)}
        self.missing |= things.keys() - kept.keys()
        return kept

    def pickled(self, thing: Any) -> bytes:
        file = io.BytesIO()
        _Pickler(file, self).dump(thing)
        return file.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # it has no types
    """Leaves out of each function what cannot go, and notes what is used."""

    def __init__(self, file: io.BytesIO, found: _Found) -> None:
        super().__init__(file)
        self._found = found

    def reducer_override(self, thing: Any) -> Any:
        """How to take a thing along: called by pickle for all that is no plain data."""
        if isinstance(thing, Value):
            raise pickle.PicklingError("a recorded number")
        if isinstance(thing, CACHED):
            return _cached, (thing.__wrapped__, thing.cache_parameters())
        reduced = super().reducer_override(thing)
        if isinstance(thing, FunctionType) and reduced is not NotImplemented:
            return self._without_what_stays(thing, reduced)
        if isinstance(thing, enum.EnumMeta) and _makes_members(thing):
            raise pickle.PicklingError("members that are not made from their values alone")
        self._note(thing)
        return reduced

    def _without_what_stays(self, function: FunctionType, reduced: Any) -> Any:
        found, code = self._found, function.__code__
        found.uses |= {f".{name}" for name in names_used(code, TAKING_INSTRUCTIONS)}
        found.uses |= {*names_used(code, IMPORTING_INSTRUCTIONS)}
        make, inputs, (attributes, parts), *others = reduced
        parts["__annotations__"] = {}
        parts["__globals__"] = found.kept(parts["__globals__"])
        pairs = zip(code.co_freevars, function.__closure__ or (), strict=True)
        held = {name: cell.cell_contents for name, cell in pairs if not _is_empty(cell)}
        stays = held.keys() - found.kept(held).keys()
        if stays:
            pairs = zip(code.co_freevars, function.__closure__ or (), strict=True)
            parts["__closure__"] = tuple(CellType() if n in stays else cell for n, cell in pairs)
        return make, inputs, (found.kept(attributes), parts), *others

    def _note(self, thing: Any) -> None:
        if isinstance(thing, ModuleType):
            self._found.uses.add(thing.__name__)
        elif thing is not _cached and isinstance(module := getattr(thing, "__module__", None), str):
            self._found.uses.add(f"{module}.{getattr(thing, '__qualname__', '')}")


def _makes_members(made: enum.EnumMeta) -> bool:
    """Whether an Enum that is not Python's own says how."""
    members = [vars(made).get(name) for name in MAKING_MEMBERS]
    return made.__module__ != "enum" and any(
        getattr(member, "__module__", "") == made.__module__ for member in members
    )


def _is_empty(cell: CellType) -> bool:
    try:
        return cell.cell_contents is cell
    except ValueError:  # the variable has no value yet
        return True


def _cached(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


def names_used(
    code: CodeType, instructions: Collection[str] = GLOBAL_INSTRUCTIONS
) -> Iterator[str]:
    """The global names a function reads, also inside its inner functions.

    Args:
        code: of the function.
        instructions: those whose names are wanted, by default those that read global names.

    >>> list(names_used((lambda x: max(x, key=lambda y: abs(y))).__code__))
    ['max', 'abs']
    """
    for instruction in dis.get_instructions(code):
        if instruction.opname in instructions:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_used(constant, instructions)


def unpack(packing: Packing) -> Any:
    """Make the function again. What it was packed from is trusted as little as the function.

    Args:
        packing: made by :func:`pack`.

    Raises:
        ImportError: a module that it uses is not here.
    """
    return cloudpickle.loads(base64.b64decode(packing["content"]))
