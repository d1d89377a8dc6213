"""A tape holds the computed nodes in the order they were made.

An input exists before the node that uses it, so that order is a topological order already:
walking the tape from the back needs no sort.

>>> from engine.value import Parameter
>>> w = Parameter(3.0)
>>> with Tape() as tape:
...     loss = w * w + w
...     tape.backward(loss)
>>> loss.data, w.grad, len(tape)
(12.0, 7.0, 0)
"""

import gc
from types import TracebackType

from engine.guards import Released, require_recorded
from engine.recording import record_with
from engine.text import number_of, shown
from engine.value import Value, walk_back


class Tape:
    """Records every operation inside its ``with`` block, and forgets it when the block ends.

    While it records, Python's garbage collector is paused: the nodes form no cycles, so there is
    nothing to collect, and looking for it costs more than the recording. Afterwards the
    collector is put back as it was. Intermediate nodes are released one by one; leaves and
    parameters stay, with their gradients.

    A tape takes every node made while it records, also those of another thread, or made while a
    generator waits inside the block: calculate in one thread, and end the block before you yield.

    Raises:
        RuntimeError: another tape is recording, or this tape has been used before.

    >>> x = Value(3.0)
    >>> with Tape() as tape:
    ...     y = x + x
    ...     tape.backward(y)
    >>> x.grad
    2.0
    """

    _recording: "Tape | None" = None

    def __init__(self) -> None:
        self._nodes: list[Value] = []
        self._mark = object()
        self._used = False
        self._collector_was_on = False

    @property
    def nodes(self) -> tuple[Value, ...]:
        """The computed nodes so far, in creation order."""
        return tuple(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        state = "recording" if Tape._recording is self else "ended" if self._used else "new"
        return f"Tape({number_of(len(self), 'node')}, {state})"

    def __enter__(self) -> "Tape":
        if self._used:
            raise RuntimeError("this tape has been used: make a new Tape() for each recording.")
        if Tape._recording is not None:
            raise RuntimeError(
                f"{Tape._recording!r} is still recording: end it before another tape begins, "
                "since a gradient cannot pass from one tape to the other."
            )
        self._used = True
        self._collector_was_on = gc.isenabled()
        try:
            gc.disable()
            Tape._recording = self
            record_with(self._nodes.append, self._mark)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        exception: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            # From the back: an interrupt then leaves no node whose inputs are released before it.
            for node in reversed(self._nodes):
                node.__class__ = Released  # type: ignore[assignment]  # same slots
                node._left = node._right = None
        finally:
            self._stop()

    def _stop(self) -> None:
        if self._collector_was_on:
            gc.enable()
        Tape._recording = None
        record_with(None, None)
        self._nodes.clear()

    def backward(self, output: Value) -> None:
        """Walk the tape from the back, from ``output`` to the first node.

        The same gradients as ``output.backward()``, without sorting.

        Args:
            output: a node of this tape.

        Raises:
            ReleasedError: the tape has ended.
            ValueError: ``output`` is not on this tape or not finite, or a node on this tape was
                made from a computed node that is not.
        """
        require_recorded(output)
        if output._tag.recording is not self._mark:
            raise ValueError(f"{shown(output)} was not recorded on this tape.")
        end = self._nodes.index(output) + 1 if self._nodes[-1] is not output else len(self._nodes)
        for node in self._nodes[end:]:
            node.grad = 0.0
        walk_back(self._leaves(), self._nodes[:end], output)

    def _leaves(self) -> list[Value]:
        leaves: dict[Value, None] = {}
        ours: object = None
        # Each side by itself: a loop over the two would take twice as long.
        for node in self._nodes:
            if node._d_left is not None:
                operand = node._left
                if not operand.op:
                    leaves[operand] = None
                elif operand._tag is not ours:
                    ours = self._checked(operand, node)
            if node._d_right is not None:
                operand = node._right
                if not operand.op:
                    leaves[operand] = None
                elif operand._tag is not ours:
                    ours = self._checked(operand, node)
        return list(leaves)

    def _checked(self, operand: Value, node: Value) -> object:
        """The tag of a computed operand, which many share, once it is known to be of this tape."""
        if operand._tag.recording is not self._mark:
            raise ValueError(
                f"{shown(node)} on this tape was made from {shown(operand)}, which was computed "
                "before the tape began, so its gradient could not be passed on. Compute it inside "
                "the block, or use output.backward()."
            )
        return operand._tag
