"""Replays level by level: nodes that do not need each other are one NumPy call.

A node stands one level above the highest of its operands. All nodes of one level and one
operation are computed together: their operands are gathered into arrays, and the results are
written side by side. A sum of many numbers, which was recorded as a chain of additions, is one
step: its products and its operands are still single numbers, added in the order of the record.

Gradients flow back in the opposite order. Each group first adds up what arrives at its nodes,
then writes its contributions; both lie in one array, so that gathering is all it takes.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.replay.cells import CONSTANT, Cells
from engine.replay.groups import Chosen, Group
from engine.replay.plan import Plan

Floats = NDArray[np.float64]

FEW = 1000


class Levels:
    """The cells of a recording in groups, ready to be computed with NumPy.

    Args:
        cells: the recording.
        leaves: how many cells at the start are read from outside in each replay.
    """

    def __init__(self, cells: Cells, leaves: int) -> None:
        plan = Plan(cells)
        self._leaves = leaves
        self._slot, self._gradient_slot = plan.slot, plan.gradient_slot
        self._output = int(plan.slot[cells.output])
        self._groups = plan.groups
        self._choices = [group for group in plan.groups if isinstance(group, Chosen)]
        self._data = np.zeros(plan.size)
        fixed = [cell for cell, op in enumerate(cells.ops) if op in ("", CONSTANT)]
        self._data[plan.slot[fixed]] = [cells.data[cell] for cell in fixed]
        # Gradients by slot, then the contributions of every group, then the seed gradient.
        seed = plan.size + sum(group.contributions for group in plan.groups)
        self._flow = np.zeros(seed + 1)
        self._flow[seed] = 1.0
        arriving = _Arriving(plan, seed)
        place = plan.size
        for group in plan.groups:
            group.place(self._data, self._flow, place)
            arriving.add(group)
            place += group.contributions
        arriving.sort()
        self._inflows = [
            arriving.inflow(group.start, group.stop, self._flow) for group in plan.groups
        ]
        self._leaf_inflow = arriving.inflow(0, plan.leaves, self._flow)
        self._backward = list(zip(self._inflows, self._groups, strict=True))[::-1]

    def bind(self, picks: Sequence[int]) -> None:
        """Put the chosen options in the place of every choice."""
        for group in self._choices:
            group.bind(picks)

    def forward(self, leaves: Floats) -> float:
        """Compute every number anew and return the output."""
        self._data[: self._leaves] = leaves
        for group in self._groups:
            group.forward()
        return float(self._data[self._output])

    def backward(self) -> Floats:
        """Compute every gradient anew and return those of the leaves."""
        for inflow, group in self._backward:
            inflow()
            group.backward()
        self._leaf_inflow()
        return self._flow[: self._leaves]

    def data(self) -> Floats:
        """Every number, by cell; the sums inside of a longer sum are added up for this."""
        for group in self._groups:
            group.add_inner_sums()
        return self._data[self._slot]

    def gradients(self) -> Floats:
        """Every gradient, by cell: all parts of a sum have the gradient of the sum."""
        return self._flow[self._gradient_slot]


class _Arriving:
    """Which places of the flow arrive at which slot, in the order of the walk back."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self._stopped = plan.without_gradient()
        output = plan.slot[plan.output]
        self._slots = [np.array([output])]
        self._places = [np.array([seed])]
        self._cells = [np.array([len(plan.slot)])]

    def add(self, group: Group) -> None:
        for slots, places in group.uses():
            self._slots.append(slots.ravel())
            self._places.append(np.broadcast_to(places, slots.shape).ravel())
            self._cells.append(np.broadcast_to(group.cells, slots.shape).ravel())

    def sort(self) -> None:
        slots, places = np.concatenate(self._slots), np.concatenate(self._places)
        cells = np.concatenate(self._cells)
        kept = np.flatnonzero(~self._stopped[slots])
        order = kept[np.lexsort((places[kept], -cells[kept], slots[kept]))]
        self._sorted_slots, self._sorted_places = slots[order], places[order]

    def inflow(self, start: int, stop: int, flow: Floats) -> Callable[[], object]:
        """Make the function that adds up what arrives at some slots."""
        first, last = np.searchsorted(self._sorted_slots, (start, stop))
        slots = self._sorted_slots[first:last] - start
        places = self._sorted_places[first:last]
        counts = np.bincount(slots, minlength=stop - start)
        gradients, most = flow[start:stop], int(counts.max())
        if most == 0:
            return lambda: None
        if most * len(counts) > 2 * len(places) + FEW:

            def scattered() -> None:
                gradients[:] = np.bincount(slots, flow.take(places), len(gradients))

            return scattered
        nothing = int(np.flatnonzero(self._stopped)[0])
        table = np.full((most, len(counts)), nothing, dtype=np.intp)
        row = np.arange(len(slots)) - np.repeat(np.cumsum(counts) - counts, counts)
        table[row, slots] = places
        if most == 1:
            return partial(flow.take, table[0], out=gradients, mode="clip")
        gathered = np.empty(table.shape)

        def added() -> None:
            flow.take(table, out=gathered, mode="clip")
            np.add.reduce(gathered, axis=0, out=gradients)

        return added
