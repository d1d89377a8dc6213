"""Replays level by level: what does not need each other is one NumPy call.

All nodes of one level and one operation are a group. A sum of many numbers, which was recorded
as a chain of additions, is one step: its products and sums are still single numbers, added in
the order of the record. Backward, each group first adds up what was handed to its nodes, then
writes its contributions. Both lie in one array, so a list of places says what arrives where.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.replay.cells import Cells
from engine.replay.groups import Chosen, add_rows
from engine.replay.plan import Plan

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

FEW = 1000


class Levels:
    """The cells of a recording in groups, ready to be computed with NumPy.

    Args:
        cells: the recording.
        leaves: how many cells at the start are read from outside in each replay.
        documents: for a batch, how many documents are computed at once: each array then has a
            column for each of them.
        shared: in a batch, how many of the first leaves are the same for all documents.
    """

    def __init__(
        self, cells: Cells, leaves: int, documents: int | None = None, shared: int = 0
    ) -> None:
        plan = Plan(cells, shared)
        self._leaves = leaves
        self._groups = plan.groups
        self._choices = [group for group in plan.groups if isinstance(group, Chosen)]
        self._slot, self._gradient_slot = plan.slot, plan.gradient_slot
        self._output = plan.slot[cells.output]
        batch = () if documents is None else (documents,)
        self._data = np.zeros((plan.size, *batch))
        self._data.T[..., plan.slot[plan.fixed]] = [cells.data[cell] for cell in plan.fixed]
        # The gradient of every slot, the contributions of every group, and the seed gradient.
        self._seed = seed = plan.size + sum(group.contributions for group in plan.groups)
        self._grad = np.zeros((seed + 1, *batch))
        first = plan.size
        for group in plan.groups:
            group.connect(self._data, self._grad, first)
            first += group.contributions
        arriving = Arriving(plan, seed)
        self._back = [
            (arriving.adder(group.start, group.stop, self._grad), group.backward)
            for group in reversed(plan.groups)
        ]
        self._add_to_leaves = (arriving.adder if documents is None else arriving.summer)(
            0, plan.first_computed, self._grad
        )

    def bind(self, picks: Sequence[int] | Places) -> None:
        """Put the chosen options in the place of every choice: a row for each in a batch."""
        for group in self._choices:
            group.bind(picks)

    def forward(self, leaves: Floats) -> Floats:
        """Compute every number anew and return the output, or all outputs of a batch."""
        self._data[: self._leaves] = leaves
        for group in self._groups:
            group.forward()
        outputs: Floats = self._data[self._output]
        return outputs

    def backward(self, seed: Floats | float = 1.0) -> Floats:
        """Compute every gradient anew and return those of the leaves.

        In a batch the first column then has the sum over all documents, and the others are 0.
        """
        self._grad[self._seed] = seed
        for add_up, write_contributions in self._back:
            add_up()
            write_contributions()
        self._add_to_leaves()
        return self._grad[: self._leaves]

    def data(self) -> Floats:
        """Every number, by cell; the sums inside of a longer sum are added up for this."""
        for group in self._groups:
            group.add_inner_sums()
        return self._data[self._slot]

    def gradients(self) -> Floats:
        """Every gradient, by cell: all parts of a sum have the gradient of the sum."""
        return self._grad[self._gradient_slot]


class Arriving:
    """For every slot the places of what arrives there, in the order of the walk back.

    A long sum hands on all at once, at the turn of its last addition.

    Args:
        plan: the groups, already connected.
        seed: the place of the seed gradient.
    """

    def __init__(self, plan: Plan, seed: int) -> None:
        slots = [np.array([plan.slot[plan.output]])]
        places = [np.array([seed])]
        cells = [np.array([len(plan.slot)])]
        for group in plan.groups:
            for operands, handed_on in group.handed_on():
                slots.append(operands.ravel())
                places.append(np.broadcast_to(handed_on, operands.shape).ravel())
                cells.append(np.resize(group.cells, operands.size))
        to, at, made_from = (np.concatenate(parts) for parts in (slots, places, cells))
        stopped = plan.without_gradient()
        kept = np.flatnonzero(~stopped[to])
        order = kept[np.lexsort((at[kept], -made_from[kept], to[kept]))]
        self._slots, self._places = to[order], at[order]
        self._nothing = plan.zero

    def adder(self, start: int, stop: int, grad: Floats) -> Callable[[], object]:
        """Make the function that adds up what arrives at these slots, and writes it there."""
        slots, places = self._between(start, stop)
        counts = np.bincount(slots, minlength=stop - start)
        most = int(counts.max())
        if most == 0:
            return lambda: None
        if most * len(counts) > 2 * len(places) + FEW:  # a table would be almost empty
            return partial(_scatter, grad, slots, places, grad[start:stop])
        table = np.full((most, len(counts)), self._nothing, dtype=np.intp)
        row = np.arange(len(slots)) - np.repeat(np.cumsum(counts) - counts, counts)
        table[row, slots] = places
        if most == 1:
            return partial(grad.take, table[0], axis=0, out=grad[start:stop], mode="clip")
        gathered = np.empty((*table.shape, *grad.shape[1:]))
        return partial(_gather, grad, table, gathered, grad[start:stop])

    def summer(self, start: int, stop: int, grad: Floats) -> Callable[[], object]:
        """For a batch: likewise, with the sum over all documents in the first column."""
        return partial(_sum_up, grad, *self._between(start, stop), grad[start:stop, 0])

    def _between(self, start: int, stop: int) -> tuple[Places, Places]:
        first, last = np.searchsorted(self._slots, (start, stop))
        return self._slots[first:last] - start, self._places[first:last]


def _gather(grad: Floats, table: Places, gathered: Floats, result: Floats) -> None:
    grad.take(table, axis=0, out=gathered, mode="clip")
    add_rows(gathered, result)


def _scatter(grad: Floats, slots: Places, places: Places, result: Floats) -> None:
    for document in range(result[0].size):
        column = grad.reshape(len(grad), -1)[:, document]
        result.reshape(len(result), -1)[:, document] = np.bincount(
            slots, column.take(places), len(result)
        )


def _sum_up(grad: Floats, slots: Places, places: Places, result: Floats) -> None:
    result[:] = np.bincount(slots, grad.take(places, axis=0).sum(axis=1), len(result))
