"""Replays node by node, in the order of the record, as machine code that numba makes.

These loops are the engine once more: forward through the nodes, and back. In Python they would
be slow; numba compiles them when the first replay runs, which takes a second or two, once.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.replay.cells import CHOICE, CONSTANT, MAXIMUM, Cells

Floats = NDArray[np.float64]
Places = NDArray[np.int32]

OPERATIONS = ("", "+", "-", "*", "/", "**", "neg", "exp", "log", "relu", "tanh", MAXIMUM, CHOICE)
LEAF, ADD, SUB, MUL, DIV, POW, NEG, EXP, LOG, RELU, TANH, LARGEST, CHOSEN = range(len(OPERATIONS))


def is_available() -> bool:
    """Whether numba is installed; this does not load it."""
    return find_spec("numba") is not None


class Compiled:
    """The cells of a recording, ready to be computed one after the other.

    Args:
        cells: the recording.
        leaves: how many cells at the start are read from outside in each replay.
    """

    def __init__(self, cells: Cells, leaves: int) -> None:
        count = len(cells)
        codes = {op: code for code, op in enumerate(OPERATIONS)} | {CONSTANT: LEAF}
        self._output, self._leaves = cells.output, leaves
        self._ops = np.array([codes[op] for op in cells.ops], dtype=np.int8)
        self._left = np.array(cells.left, dtype=np.int32)
        self._right = np.array(cells.right, dtype=np.int32)
        self._flows = np.array([cells.has_gradient(cell) for cell in range(count)])
        self._data, self._grad = np.array(cells.data), np.zeros(count)
        self._choices = [(cell, cells.sources[cell], pick) for cell, pick in cells.picks.items()]
        maxima = [cell for cell, op in enumerate(cells.ops) if op == MAXIMUM]
        # A maximum has its operands in a list of their own: from `left` on, up to `right`.
        self._compared = np.array([s for c in maxima for s in cells.sources[c]], dtype=np.int32)
        ends = np.cumsum([len(cells.sources[cell]) for cell in maxima], dtype=np.int32)
        self._right[maxima] = ends
        self._left[maxima] = np.concatenate(([0], ends[:-1])) if maxima else []

    def bind(self, picks: Sequence[int]) -> None:
        """Put the chosen options in the place of every choice."""
        for cell, options, number in self._choices:
            self._left[cell] = options[picks[number]]

    def forward(self, leaves: Floats) -> float:
        """Compute every number anew and return the output."""
        compute, _ = loops()
        self._data[: self._leaves] = leaves
        if not compute(self._ops, self._left, self._right, self._flows, self._compared, self._data):
            raise FloatingPointError
        return float(self._data[self._output])

    def backward(self) -> Floats:
        """Compute every gradient anew and return those of the leaves."""
        _, hand_on = loops()
        self._grad.fill(0.0)
        self._grad[self._output] = 1.0
        if not hand_on(self._ops, self._left, self._right, self._flows, self._data, self._grad):
            raise FloatingPointError
        return self._grad[: self._leaves]

    def data(self) -> Floats:
        """Every number, by cell."""
        return self._data

    def gradients(self) -> Floats:
        """Every gradient, by cell."""
        return self._grad


@cache
def loops() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Compile both loops, once in the life of a kernel.

    Raises:
        ModuleNotFoundError: numba is not installed.
    """
    try:
        numba = import_module("numba")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "a compiled replay needs numba, which is not installed here: install it with the "
            "extra `fast`, or leave out compiled=True, and NumPy computes the same."
        ) from None
    compiled = numba.njit(error_model="numpy")  # as in NumPy, 1 / 0 is infinite
    return compiled(forward_loop), compiled(backward_loop)


def forward_loop(
    ops: NDArray[np.int8],
    left: Places,
    right: Places,
    flows: NDArray[np.bool_],
    compared: Places,
    data: Floats,
) -> bool:
    """Compute every number from its operands, and tell whether all are finite.

    So must be the local derivatives: those of the other operations are numbers of the record.
    """
    for i in range(len(ops)):
        op = ops[i]
        if op == LEAF:
            continue
        a = data[left[i]]
        if op == MUL:
            y = a * data[right[i]]
        elif op == ADD:
            y = a + data[right[i]]
        elif op == SUB:
            y = a - data[right[i]]
        elif op == DIV:
            b = data[right[i]]
            y = a / b
            if flows[left[i]] and not math.isfinite(1.0 / b):
                return False
            if flows[right[i]] and not math.isfinite(y / b):
                return False
        elif op == POW:
            b = data[right[i]]
            y = a**b
            sloped = flows[left[i]] and b != 0.0 and (a != 0.0 or b >= 1.0)
            if sloped and not math.isfinite(b * a ** (b - 1.0)):
                return False
            if flows[right[i]] and not (a > 0.0 and math.isfinite(y * math.log(a))):
                return False
        elif op == NEG:
            y = -a
        elif op == EXP:
            y = np.exp(a)
        elif op == LOG:
            y = math.log(a) if a > 0.0 and math.isfinite(1.0 / a) else math.nan
        elif op == RELU:
            y = 0.0 if a <= 0.0 else a
        elif op == TANH:
            y = math.tanh(a)
        elif op == LARGEST:
            y = data[compared[left[i]]]
            for k in range(left[i] + 1, right[i]):
                y = max(y, data[compared[k]])
        else:
            y = a
        if not math.isfinite(y):
            return False
        data[i] = y
    return True


def backward_loop(
    ops: NDArray[np.int8],
    left: Places,
    right: Places,
    flows: NDArray[np.bool_],
    data: Floats,
    grad: Floats,
) -> bool:
    """Hand every gradient on: local derivative times upstream gradient, added up.

    And tell whether all are finite, also where a closed ReLU lets none of them through.
    """
    for i in range(len(ops) - 1, -1, -1):
        op, upstream = ops[i], grad[i]
        if op in (LEAF, LARGEST):
            continue
        if not math.isfinite(upstream):
            return False
        l, r, y = left[i], right[i], data[i]  # noqa: E741 (the left operand)
        if op == MUL:
            grad[l] += data[r] * upstream
            grad[r] += data[l] * upstream
        elif op == ADD:
            grad[l] += upstream
            grad[r] += upstream
        elif op == SUB:
            grad[l] += upstream
            grad[r] -= upstream
        elif op == DIV:
            grad[l] += 1.0 / data[r] * upstream
            grad[r] += -y / data[r] * upstream
        elif op == POW:
            # 0 ** 0.5 is vertical, by choice flat; to the power of 0 all is flat.
            if data[r] != 0.0 and (data[l] != 0.0 or data[r] >= 1.0):
                grad[l] += data[r] * data[l] ** (data[r] - 1.0) * upstream
            if flows[r]:
                grad[r] += y * math.log(data[l]) * upstream
        elif op == NEG:
            grad[l] -= upstream
        elif op == EXP:
            grad[l] += y * upstream
        elif op == LOG:
            grad[l] += 1.0 / data[l] * upstream
        elif op == RELU:
            if y > 0.0:
                grad[l] += upstream
        elif op == TANH:
            grad[l] += (1.0 - y * y) * upstream
        else:
            grad[l] += upstream
    return True
