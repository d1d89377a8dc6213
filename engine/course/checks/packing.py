"""A learner's function, packed so that another process of the same Python can run it.

With its code go the other functions and classes of the notebook that it uses, the modules it
imports there, and plain data. What cannot be packed is named, so that a check can say so.

>>> def double(x):
...     return 2 * x
>>> unpack(pack(double))(3)
6
"""

from __future__ import annotations

import base64
import builtins
import collections
import dataclasses
import dis
import enum
import functools
import importlib
import inspect
import marshal
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    new_class,
)
from typing import Any

Packing = dict[str, Any]
Entity = tuple[Any, ...]
MISSING: Entity = ("missing",)
GLOBAL_INSTRUCTIONS = ("LOAD_GLOBAL", "LOAD_NAME")
IMPORTING_INSTRUCTIONS = ("IMPORT_NAME",)
TAKING_INSTRUCTIONS = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
CACHED = functools._lru_cache_wrapper
CONTAINERS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set}
# Python makes these anew for each class, or nothing that runs needs them.
NOT_PACKED = frozenset(
    {
        "__module__",
        "__annotations__",
        "__annotate__",
        "__annotate_func__",
        "__dataclass_fields__",
        "__dataclass_params__",
        "__abstractmethods__",
        "__orig_bases__",
        "_abc_impl",
    }
)
# With these an Enum makes members that are not made from their values alone.
MAKING_MEMBERS = ("__init__", "_new_member_")
# What the methods that a dataclass gets compare their inputs with.
OF_DATACLASSES = ("MISSING", "_HAS_DEFAULT_FACTORY")


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
    packer = _Packer(function.__globals__)
    entry = packer.function(function)
    told = {
        "entry": entry,
        "globals": packer.globals,
        "classes": packer.classes,
        "functions": packer.functions,
    }
    content = marshal.dumps(told)
    return {
        "name": function.__name__,
        "written": is_written(function.__code__),
        "uses": sorted(packer.uses),
        "missing": sorted(packer.missing),
        "lost": sorted(packer.lost),
        "content": base64.b64encode(content).decode(),
    }


class _Packer:
    """What one function takes along."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables
        self.globals: dict[str, Entity] = {}
        self.classes: dict[int, Entity] = {}
        self.functions: dict[int, Entity] = {}
        self._keys: dict[type, int] = {}
        self._numbers: dict[FunctionType, int] = {}
        self.uses: set[str] = set()
        self.missing: set[str] = set()
        self.lost: set[str] = set()

    def function(self, function: FunctionType) -> Entity:
        number = self._numbers.get(function)
        if number is None:
            number = self._numbers[function] = len(self._numbers)  # it may hold itself in a cell
            self.functions[number] = self._parts(function, number)
        return MISSING if self.functions.get(number) == MISSING else ("function", number)

    def _parts(self, function: FunctionType, number: int) -> Entity:
        """What a function is made of; where a helper's default is lost, so is the helper."""
        self.uses |= {f".{name}" for name in names_used(function.__code__, TAKING_INSTRUCTIONS)}
        self.uses |= {*names_used(function.__code__, IMPORTING_INSTRUCTIONS)}
        for name in names_used(function.__code__):
            if name in self._variables and name not in self.globals:
                self._take(name)
        cells = [self._cell(cell) for cell in function.__closure__ or ()]
        defaults = [self.entity(value) for value in function.__defaults__ or ()]
        keywords = {k: self.entity(v) for k, v in (function.__kwdefaults__ or {}).items()}
        inputs = function.__code__.co_varnames[: function.__code__.co_argcount]
        held = [*zip(reversed(inputs), reversed(defaults), strict=False), *keywords.items()]
        lost = {name for name, entity in held if entity == MISSING}
        if lost and number:
            return MISSING
        self.lost |= lost
        return (function.__name__, function.__code__, defaults, keywords, cells)

    def _take(self, name: str) -> None:
        self.globals[name] = MISSING  # a function may use itself: this ends the search
        self.globals[name] = self.entity(self._variables[name])
        if self.globals[name] == MISSING:
            del self.globals[name]
            self.missing.add(name)

    def _cell(self, cell: CellType) -> Entity:
        try:
            return self.entity(cell.cell_contents)
        except ValueError:  # the variable has no value yet
            return MISSING

    def entity(self, thing: Any) -> Entity:
        if isinstance(thing, ModuleType):
            self.uses.add(thing.__name__)
            return ("module", thing.__name__)
        for name in OF_DATACLASSES:
            if thing is getattr(dataclasses, name):
                return ("imported", "dataclasses", name)
        inner = without_cache(thing)
        if isinstance(inner, FunctionType) and inner.__globals__ is self._variables:
            function = self.function(inner)
            return function if inner is thing or function == MISSING else ("cached", function)
        if isinstance(thing, type) and thing.__module__ == self._variables.get("__name__"):
            return self._class(thing)
        if importable(thing):
            self.uses.add(f"{thing.__module__}.{thing.__qualname__}")
            return ("imported", thing.__module__, thing.__qualname__)
        if isinstance(thing, enum.Enum):
            return self._instance(thing, [thing.value])
        if isinstance(thing, tuple) and _is_named_tuple(type(thing)):
            return self._instance(thing, thing)
        try:
            marshal.dumps(thing)
        except ValueError:
            return self._container(thing)
        return ("data", thing)

    def _instance(self, thing: Any, inputs: Iterable[Any]) -> Entity:
        parts = [self.entity(type(thing)), *map(self.entity, inputs)]
        return MISSING if MISSING in parts else ("instance", parts)

    def _container(self, thing: Any) -> Entity:
        """What holds functions and classes, as a table of operations does."""
        if type(thing) is dict:
            keys, members = [*map(self.entity, thing)], [*map(self.entity, thing.values())]
            return MISSING if MISSING in keys + members else ("dict", keys, members)
        if type(thing) not in (list, tuple, set):
            return MISSING
        members = [*map(self.entity, thing)]
        return MISSING if MISSING in members else (type(thing).__name__, members)

    def _class(self, made: type) -> Entity:
        key = self._keys.get(made)
        if key is None:
            key = self._keys[made] = len(self._keys)  # its methods may use it: this ends the search
            self.classes[key] = self._content(made)
        return MISSING if self.classes.get(key) == MISSING else ("class", key)

    def _content(self, made: Any) -> Entity:
        """How a class is begun, and its members, or that something of it cannot be packed."""
        members = {
            name: self._member(_as_written(made, name, member))
            for name, member in vars(made).items()
            if name not in NOT_PACKED
            and not isinstance(member, GetSetDescriptorType | MemberDescriptorType)
            and self._is_written(made, name, member)
        }
        if _is_named_tuple(made):
            begun = {name: self.entity(value) for name, value in made._field_defaults.items()}
            head = ("namedtuple", made._fields)
        else:
            begun = self._begun(made)
            bases = [self.entity(base) for base in made.__bases__]
            head = ("bases", [self.entity(type(made)), *bases])
        if MISSING in [*head[1], *begun.values(), *members.values()]:
            return MISSING
        return (made.__name__, head, begun, members)

    def _begun(self, made: Any) -> dict[str, Entity]:
        """What Python has to know when it makes the class."""
        if not issubclass(made, enum.Enum):
            return {name: self.entity(made.__slots__) for name in vars(made) if name == "__slots__"}
        if any(self._is_own(vars(made).get(name)) for name in MAKING_MEMBERS):
            return {"": MISSING}
        return {name: self.entity(member.value) for name, member in made.__members__.items()}

    def _is_written(self, made: Any, name: str, member: Any) -> bool:
        """Whether a member stands in the class as a learner wrote it; Python adds many to some."""
        if issubclass(made, enum.Enum):
            return self._is_own(member) and name != "_generate_next_value_"
        if _is_named_tuple(made):
            return self._is_own(member) or name not in vars(_named_tuple("bare", made._fields))
        return name != "__slots__"

    def _is_own(self, member: Any) -> bool:
        """Whether a function of the notebook is in it."""
        inner = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        return isinstance(inner, FunctionType) and inner.__globals__ is self._variables

    def _member(self, member: Any) -> Entity:
        if isinstance(member, staticmethod | classmethod):
            function = self.entity(member.__func__)
            return MISSING if function == MISSING else (type(member).__name__, function)
        if isinstance(member, property):
            parts = [self.entity(part) for part in (member.fget, member.fset, member.fdel)]
            return MISSING if MISSING in parts else ("property", parts)
        return self.entity(member)


def _is_named_tuple(made: Any) -> bool:
    return made.__bases__ == (tuple,) and hasattr(made, "_field_defaults")


def _named_tuple(name: str, fields: Iterable[str], defaults: Iterable[Any] = ()) -> Any:
    make: Any = collections.namedtuple
    return make(name, fields, defaults=defaults)


def _as_written(made: type, name: str, member: Any) -> Any:
    """A dataclass shows itself by a function of its own inside one of Python's."""
    if name == "__repr__" and dataclasses.is_dataclass(made):
        return inspect.unwrap(member)
    return member


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


def importable(thing: Any) -> bool:
    """Whether another process finds the same thing by importing its module.

    Args:
        thing: a function or a class.

    >>> importable(dis.dis), importable(lambda: 0)
    (True, False)
    """
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return False
    return find(module, name) is thing


def find(module: str, name: str) -> Any:
    """What a module holds under a name, None when there is no such thing.

    Args:
        module: its name.
        name: may have dots.

    >>> find("math", "pi"), find("no_such_module", "x")
    (3.141592653589793, None)
    """
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (AttributeError, ImportError):
        return None
    return found


def unpack(packing: Packing) -> FunctionType:
    """Make the function again. What it was packed from is trusted as little as the function.

    Args:
        packing: made by :func:`pack`.

    Raises:
        ImportError: a module that it uses is not here.
    """
    unpacker = _Unpacker(marshal.loads(base64.b64decode(packing["content"])))
    return unpacker.function()


class _Unpacker:
    """Makes what one function took along."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        # An extension module that imports on demand looks for the builtins in these variables.
        self._variables: dict[str, Any] = {"__name__": "notebook", "__builtins__": builtins}
        self._classes: dict[int, type] = {}
        self._functions: dict[int, FunctionType] = {}

    def function(self) -> FunctionType:
        for name, entity in self._content["globals"].items():
            self._variables[name] = self._made(entity)
        function: FunctionType = self._made(self._content["entry"])
        return function

    def _made(self, entity: Entity) -> Any:
        match entity:
            case ("module", name):
                return importlib.import_module(name)
            case ("imported", module, name):
                return find(module, name)
            case ("data", thing):
                return thing
            case ("cached", function):
                return functools.cache(self._made(function))
            case ("dict", keys, members):
                return dict(zip(map(self._made, keys), map(self._made, members), strict=True))
            case ("list" | "tuple" | "set", members):
                return CONTAINERS[entity[0]](map(self._made, members))
            case ("class", key):
                return self._class(key)
            case ("staticmethod", function):
                return staticmethod(self._made(function))
            case ("classmethod", function):
                return classmethod(self._made(function))
            case ("property", parts):
                return property(*map(self._made, parts))
            case ("instance", parts):
                made, *inputs = map(self._made, parts)
                return made(*inputs)
            case ("function", number):
                return self._function(number)
        return None

    def _function(self, number: int) -> Any:
        if number in self._functions:
            return self._functions[number]
        parts = self._content["functions"][number]
        if parts == MISSING:
            return None
        name, code, defaults, keywords, cells = parts
        closure = tuple(CellType() for _ in cells)
        values = tuple(map(self._made, defaults))
        function = FunctionType(code, self._variables, name, values or None, closure or None)
        function.__kwdefaults__ = {k: self._made(v) for k, v in keywords.items()} or None
        self._functions[number] = function  # before its cells: they may hold it
        for cell, entity in zip(closure, cells, strict=True):
            cell.cell_contents = self._made(entity)
        return function

    def _class(self, key: int) -> Any:
        if key in self._classes:
            return self._classes[key]
        content = self._content["classes"][key]
        if content == MISSING:
            return None
        name, head, begun, members = content
        made = self._bare_class(name, head, {k: self._made(v) for k, v in begun.items()})
        self._classes[key] = made  # before its members: a method may hold its own class
        for member, entity in members.items():
            setattr(made, member, self._made(entity))
        return made

    def _bare_class(self, name: str, head: Entity, begun: dict[str, Any]) -> Any:
        if head[0] == "namedtuple":
            return _named_tuple(name, head[1], begun.values())
        metaclass, *bases = map(self._made, head[1])

        def body(namespace: dict[str, Any]) -> None:
            for key, value in begun.items():
                namespace[key] = value

        return new_class(name, tuple(bases), {"metaclass": metaclass}, body)
