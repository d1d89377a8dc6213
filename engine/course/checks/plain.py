"""A learner's answer as plain data, so that it can be judged in another process.

Numbers, text, lists, tuples, dictionaries and recorded calculations go there and come back;
functions go there packed. Everything else goes as its type and what it looks like.

>>> restore(describe({"a": 6, "b": [-4.0, "text"]}))
{'a': 6.0, 'b': [-4.0, 'text']}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass
from itertools import islice
from numbers import Integral, Real
from types import FunctionType
from typing import Any, TypeGuard

from engine.course.checks import packing
from engine.graph import Graph
from engine.text import number_text, shown
from engine.value import Value

DEEPEST = 6
MOST_MEMBERS = 1000
MOST_THINGS = 20_000
MOST_LETTERS = 10_000
MOST_NODES = 5_000
ARRAYS = {"ndarray": "a NumPy array"}
CALLABLE = "something to call that was not written with def"
ADDRESS = re.compile(" at 0x[0-9A-Fa-f]+")
Description = dict[str, Any]


@dataclass(frozen=True)
class Other:
    """Something the checks do not work with.

    Attributes:
        type: the name of its type.
        text: what it looks like, on one line.
    """

    type: str
    text: str


@dataclass(frozen=True)
class Calculation:
    """A recorded number, as the graph behind it.

    Attributes:
        graph: everything it was made from.
    """

    graph: Graph


class Array(list[Any]):
    """What was an array: a list that is not called one.

    Attributes:
        type: what it is called.
    """

    type: str


def describe(thing: object) -> Description:
    """Write a thing as data that JSON can hold.

    Args:
        thing: anything at all; nothing it does can stop this, and of what is huge only its size
            is told.

    >>> describe(6), describe(...)
    ({'is': 'number', 'number': 6.0}, {'is': 'dots'})
    """
    return _Describer().describe(thing)


class _Describer:
    """Describes one thing and what is inside, as long as it is not too much."""

    def __init__(self) -> None:
        self._left = MOST_THINGS

    def describe(self, thing: object, depth: int = 0) -> Description:
        self._left -= 1
        try:
            return self._described(thing, depth)
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 (a learner's object may raise anything at all)
            return _other(thing, "something unreadable")

    def _described(self, thing: object, depth: int) -> Description:
        if thing is None or thing is ...:
            return {"is": "nothing" if thing is None else "dots"}
        if isinstance(thing, bool):
            return {"is": "truth", "truth": thing}
        if isinstance(thing, Real):
            return _number(thing)
        if isinstance(thing, str):
            return {"is": "text", "text": str(thing)[:MOST_LETTERS]}
        if isinstance(thing, Value):
            return _calculation(thing)
        if hasattr(thing, "ndim") and hasattr(thing, "tolist"):
            return self._array(thing, depth)
        function = packing.without_cache(thing)
        if isinstance(function, FunctionType):
            return {"is": "function", "packed": packing.pack(function)}
        if isinstance(thing, list | tuple | Mapping):
            if len(thing) >= min(MOST_MEMBERS, self._left):
                return _other(thing, f"one of {len(thing)} members")
            if depth < DEEPEST:
                return self._members(thing, depth + 1)
        return _other(thing, _looks(thing))

    def _array(self, thing: Any, depth: int) -> Description:
        """A table, a number or a truth, as NumPy makes them."""
        if math.prod(thing.shape) >= min(MOST_MEMBERS, self._left):
            return _other(thing, f"one of {math.prod(thing.shape)} members")
        described = self._described(thing.tolist(), depth)
        if described["is"] != "list":
            return described
        kind = type(thing).__name__
        return {**described, "is": "array", "type": ARRAYS.get(kind, kind)}

    def _members(
        self, thing: list[Any] | tuple[Any, ...] | Mapping[Any, Any], depth: int
    ) -> Description:
        inside = islice(iter(thing), MOST_MEMBERS)
        if isinstance(thing, Mapping):
            pairs = [
                [self.describe(key, depth), self.describe(thing[key], depth)] for key in inside
            ]
            return {"is": "dictionary", "pairs": pairs}
        kind = "list" if isinstance(thing, list) else "tuple"
        return {"is": kind, "members": [self.describe(member, depth) for member in inside]}


def _other(thing: object, text: str) -> Description:
    return {"is": "other", "type": type(thing).__name__, "text": text}


def _number(thing: Real) -> Description:
    try:
        return {"is": "number", "number": float(thing)}
    except OverflowError:
        size = shown(thing)
        if isinstance(thing, Integral):
            size = f"a whole number of {int(math.log10(abs(int(thing)))) + 1} digits"
        return {"is": "other", "type": "too large to calculate with", "text": size}


def _calculation(thing: Value) -> Description:
    found, waiting = {thing}, [thing]
    while waiting and len(found) <= MOST_NODES:
        inputs = waiting.pop().inputs
        waiting += [node for node in inputs if node not in found]
        found.update(inputs)
    if len(found) > MOST_NODES:
        return _other(thing, f"one made from more than {MOST_NODES} nodes")
    return {"is": "calculation", "graph": Graph.of(thing).to_json()}


def _looks(thing: object) -> str:
    """What something looks like, without its place in the memory."""
    if isinstance(thing, Iterator):
        return f"a {type(thing).__name__}, of which list(...) makes a list"
    if callable(thing) and not isinstance(thing, type):
        return CALLABLE
    if isinstance(thing, Sized) and len(thing) >= MOST_MEMBERS:
        return f"one of {len(thing)} members"
    return ADDRESS.sub("", shown(thing))


def restore(description: Description) -> Any:
    """Make from a description what the checks work with.

    Args:
        description: made by :func:`describe`.

    Returns:
        None, ``...``, a bool, a float, a str, a list, an :class:`Array`, a tuple, a dict, a
        :class:`Calculation`, a :class:`packing.Packed` or an :class:`Other`.

    >>> restore(describe(object)).type
    'type'
    """
    match description["is"]:
        case "nothing":
            return None
        case "dots":
            return ...
        case "list":
            return [restore(member) for member in description["members"]]
        case "array":
            array = Array(restore(member) for member in description["members"])
            array.type = description["type"]
            return array
        case "tuple":
            return tuple(restore(member) for member in description["members"])
        case "dictionary":
            pairs = ((restore(key), restore(value)) for key, value in description["pairs"])
            return {key if isinstance(key, str | float) else in_words(key): v for key, v in pairs}
        case "calculation":
            return Calculation(Graph.from_json(description["graph"]))
        case "function":
            return packing.Packed(**description["packed"])
        case "other":
            return Other(description["type"], description["text"])
    return description[description["is"]]


def in_words(answer: object) -> str:
    """How to show a restored answer to the person who gave it.

    Args:
        answer: made by :func:`restore`.

    >>> in_words([6.0, "x", {"a": ...}])
    "[6, 'x', {'a': ...}]"
    """
    if answer is ...:
        return "..."
    if _is_number(answer):
        return number_text(answer)
    if isinstance(answer, list | tuple):
        inside = ", ".join(map(in_words, answer))
        if isinstance(answer, list):
            return shortened(f"[{inside}]")
        return shortened(f"({inside},)" if len(answer) == 1 else f"({inside})")
    if isinstance(answer, dict):
        pairs = (f"{in_words(key)}: {in_words(value)}" for key, value in answer.items())
        return shortened("{" + ", ".join(pairs) + "}")
    if isinstance(answer, Calculation):
        output = answer.graph.output
        return f"a Value with data {number_text(output.data)}"
    if isinstance(answer, packing.Packed):
        return f"the function {answer.name}"
    return answer.text if isinstance(answer, Other) else shown(answer)


def shortened(text: str, most: int = 120) -> str:
    """Cut a long text.

    Args:
        text: the text.
        most: the most characters to keep.

    >>> shortened("a long text", 6)
    'a l...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _is_number(thing: object) -> TypeGuard[float]:
    return isinstance(thing, int | float) and not isinstance(thing, bool)


def same(first: object, second: object, tolerance: float = 1e-6) -> bool:
    """Whether two restored things are the same, numbers within a relative tolerance.

    A list and a tuple of the same members are the same.

    Args:
        first: one of them.
        second: the other.
        tolerance: relative for numbers; between 0 and a number it is absolute.

    >>> same([6.0, "x"], (6.0000000001, "x")), same({"a": 1.0}, {"b": 1.0})
    (True, False)
    """
    if _is_number(first) and _is_number(second):
        first, second = float(first), float(second)
        if math.isnan(first) or math.isnan(second):
            return math.isnan(first) and math.isnan(second)
        return math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(
            same(one, other, tolerance) for one, other in zip(first, second, strict=True)
        )
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            same(first[key], second[key], tolerance) for key in first
        )
    return type(first) is type(second) and first == second
