"""What the nodes made now are called, and who keeps them: the open scope, the tape that records."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR
from types import FrameType
from typing import Any

from engine.numbers import label_text


class Tag:
    """What a node is called, which part of the model it belongs to, and which tape recorded it.

    All unlabeled nodes of one scope share one tag, so a node pays a single slot for three facts.
    """

    __slots__ = ("label", "recording", "scope")

    def __init__(self, label: str = "", scope: str = "", recording: object = None) -> None:
        self.label = label
        self.scope = scope
        self.recording = recording


NO_TAG = Tag()  # of leaves with nothing to tell: one for all of them


class Opened:
    """A scope that was opened: its path, the one opened before, the generator that opened it."""

    __slots__ = ("before", "generator", "has_ended", "path")

    def __init__(self, path: str, before: "Opened | None", generator: FrameType | None) -> None:
        self.path = path
        self.before = before
        self.generator = generator
        self.has_ended = False

    def is_running(self) -> bool:
        """Whether nodes made now are inside; a generator that waits is not."""
        return not self.has_ended and (not self.generator or self.generator.f_back is not None)


_opened: ContextVar[Opened | None] = ContextVar("opened", default=None)


class Now:
    """What every node is made with: a tag, and where a tape keeps it."""

    __slots__ = ("append", "recording", "tag")
    tag: Tag

    def __init__(self) -> None:
        self.tag = NO_TAG
        self.append: Callable[[Any], None] | None = None
        self.recording: object = None


class NowInTurns(Now):
    """The same where threads, tasks or generators take turns: each has its own open scope.

    Looking that up takes time for every node, so ``now`` becomes this only when it is needed.
    """

    __slots__ = ()

    @property
    def tag(self) -> Tag:
        """A tag with the path of the innermost scope that is open where this is asked."""
        return Tag("", _running_path(), self.recording)

    @tag.setter
    def tag(self, tag: Tag) -> None:
        """Nothing to keep: the tag follows from what is open."""


now = Now()


def _running_path() -> str:
    opened = _opened.get()
    while opened and not opened.is_running():
        opened = opened.before
    return opened.path if opened else ""


def leaf_tag(label: str) -> Tag:
    """The tag of a leaf: it has a label or a scope, or shares one tag with all that have neither.

    Args:
        label: the name of the leaf, or ``""``.
    """
    scope = now.tag.scope
    return Tag(label_text(label), scope) if label != "" or scope else NO_TAG


def record_with(append: Callable[[Any], None] | None, recording: object) -> None:
    """Hand every node made from now on to ``append``, or stop doing so with None.

    Args:
        append: what keeps a node.
        recording: what the nodes are marked with.
    """
    now.append = append
    now.recording = recording
    now.tag = Tag("", now.tag.scope, recording)


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Say which part of a model the nodes made inside belong to; scopes nest.

    Each thread has its own open scopes, and so has each generator while it runs.

    Args:
        name: the part, such as ``"attention"``; a slash opens an inner part.

    Raises:
        TypeError: ``name`` is not text.

    >>> from engine.value import Value
    >>> with scope("layer0"):
    ...     with scope("head2"):
    ...         x = Value(1.0) * 2
    >>> x.scope
    'layer0/head2'
    """
    generator = _generator_outside()
    if generator or now.tag.scope != _running_path():
        now.__class__ = NowInTurns
    outer = now.tag.scope
    path = f"{outer}/{label_text(name)}" if outer else label_text(name)
    opened = Opened(path, _opened.get(), generator)
    _opened.set(opened)
    now.tag = Tag("", path, now.recording)
    try:
        yield
    finally:
        opened.has_ended, opened.generator = True, None
        while (last := _opened.get()) and last.has_ended:
            _opened.set(last.before)
        now.tag = Tag("", outer, now.recording)


def _generator_outside() -> FrameType | None:
    """The generator in which the scope is opened; not one that is itself a ``with`` block."""
    frame = sys._getframe(3)  # past this function, the scope and the context manager around it
    if frame.f_code.co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        caller = frame.f_back
        if caller is not None and caller.f_globals is not vars(contextlib):
            return frame
    return None
