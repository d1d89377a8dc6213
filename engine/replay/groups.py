"""Nodes that do not need each other, as one operation on arrays."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.replay.rules import FORWARD, LOCAL_DERIVATIVES

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Group:
    """Cells of one operation that are computed together."""

    cells: Places
    start: int
    stop: int
    contributions = 0

    def place(self, data: Floats, flow: Floats, first: int) -> None:
        """Learn where numbers, gradients and its own contributions are kept."""
        self.data, self.flow, self.first = data, flow, first
        self.result, self.gradient = data[self.start : self.stop], flow[self.start : self.stop]

    def uses(self) -> Iterator[tuple[Places, Places]]:
        """For its operands: their slots, and where in the flow it leaves what flows to them."""
        return iter(())

    def forward(self) -> None:
        raise NotImplementedError

    def backward(self) -> None:
        """Write the contributions; a sum needs none, it hands its own gradient on."""

    def add_inner_sums(self) -> None:
        """Write the numbers that nobody else needed."""

    def own_gradients(self) -> Places:
        return np.arange(self.start, self.stop)


class Dot(Group):
    """Sums of products: one column for each."""

    def __init__(self, left: Places, right: Places, products: slice, sums: slice) -> None:
        self.left, self.right = left, right
        self._products, self._sums = products, sums
        self.contributions = 2 * left.size

    def place(self, data: Floats, flow: Floats, first: int) -> None:
        super().place(data, flow, first)
        shape = self.left.shape
        self.left_data, self.right_data = np.empty(shape), np.empty(shape)
        self.products = data[self._products].reshape(shape)
        self.sums = data[self._sums].reshape(shape[0] - 1, shape[1])
        middle = first + self.left.size
        self.to_left = flow[first:middle].reshape(shape)
        self.to_right = flow[middle : first + self.contributions].reshape(shape)

    def uses(self) -> Iterator[tuple[Places, Places]]:
        places = np.arange(self.first, self.first + self.contributions)
        yield self.left, places[: self.left.size].reshape(self.left.shape)
        yield self.right, places[self.left.size :].reshape(self.left.shape)

    def forward(self) -> None:
        self.data.take(self.left, out=self.left_data, mode="clip")
        self.data.take(self.right, out=self.right_data, mode="clip")
        np.multiply(self.left_data, self.right_data, out=self.products)
        _add_up(self.products, self.result)

    def backward(self) -> None:
        np.multiply(self.gradient, self.right_data, out=self.to_left)
        np.multiply(self.gradient, self.left_data, out=self.to_right)

    def add_inner_sums(self) -> None:
        self.sums[:] = np.add.accumulate(self.products, axis=0)[1:]


class Sum(Group):
    """Sums of three and more numbers: one column for each."""

    def __init__(self, operands: Places, sums: slice) -> None:
        self.operands, self._sums = operands, sums

    def place(self, data: Floats, flow: Floats, first: int) -> None:
        super().place(data, flow, first)
        self.gathered = np.empty(self.operands.shape)
        self.sums = data[self._sums].reshape(len(self.operands) - 1, -1)

    def uses(self) -> Iterator[tuple[Places, Places]]:
        yield self.operands, self.own_gradients()

    def forward(self) -> None:
        self.data.take(self.operands, out=self.gathered, mode="clip")
        _add_up(self.gathered, self.result)

    def add_inner_sums(self) -> None:
        self.sums[:] = np.add.accumulate(self.gathered, axis=0)[1:]


class Largest(Group):
    """Maxima, into which no gradient flows."""

    def __init__(self, operands: Places) -> None:
        self.operands = operands

    def forward(self) -> None:
        np.maximum.reduce(self.data.take(self.operands), axis=0, out=self.result)


class Chosen(Group):
    """Operands that may be chosen anew: only the chosen option gets the gradient."""

    def __init__(self, options: Places, numbers: Places) -> None:
        self.options, self.numbers = options, numbers
        self.contributions = options.size

    def place(self, data: Floats, flow: Floats, first: int) -> None:
        super().place(data, flow, first)
        self.to_options = flow[first : first + self.contributions]
        self.bind([0] * (int(self.numbers.max()) + 1))

    def uses(self) -> Iterator[tuple[Places, Places]]:
        places = np.arange(self.first, self.first + self.contributions)
        yield self.options, places.reshape(self.options.shape)

    def bind(self, picks: Sequence[int]) -> None:
        self.chosen = np.asarray(picks)[self.numbers], np.arange(self.options.shape[1])
        self.source = self.options[self.chosen]

    def forward(self) -> None:
        self.data.take(self.source, out=self.result, mode="clip")

    def backward(self) -> None:
        self.to_options.fill(0.0)
        self.to_options.reshape(self.options.shape)[self.chosen] = self.gradient


class Single(Group):
    """One operation on one or two numbers, many times side by side."""

    def __init__(
        self, op: str, left: Places, right: Places, left_flows: bool, right_flows: bool
    ) -> None:
        self.op, self.left, self.right = op, left, right
        self.flows = left_flows, right_flows
        self.local = LOCAL_DERIVATIVES[op]
        self.writes = [
            flow and local is not None for flow, local in zip(self.flows, self.local, strict=False)
        ]
        self.contributions = sum(self.writes) * len(left)

    def place(self, data: Floats, flow: Floats, first: int) -> None:
        super().place(data, flow, first)
        self.left_data, self.right_data = np.empty(len(self.left)), np.empty(len(self.left))

    def uses(self) -> Iterator[tuple[Places, Places]]:
        place = self.first
        for slots, flows, writes in zip(
            (self.left, self.right), self.flows, self.writes, strict=False
        ):
            if writes:
                yield slots, np.arange(place, place + len(slots))
                place += len(slots)
            elif flows:
                yield slots, self.own_gradients()

    def forward(self) -> None:
        self.data.take(self.left, out=self.left_data, mode="clip")
        if len(self.local) == 1:
            FORWARD[self.op](self.left_data, out=self.result)
            return
        self.data.take(self.right, out=self.right_data, mode="clip")
        FORWARD[self.op](self.left_data, self.right_data, out=self.result)
        if self.op == "**" and self.flows[1]:
            np.log(self.left_data)  # refuses a base that is not above 0

    def backward(self) -> None:
        place, size = self.first, len(self.left)
        for local, writes in zip(self.local, self.writes, strict=False):
            if local is not None and writes:
                slope = local(self.left_data, self.right_data, self.result)
                np.multiply(self.gradient, slope, out=self.flow[place : place + size])
                place += size


def _add_up(table: Floats, result: Floats) -> None:
    """Add the rows of a table, one after the other."""
    if table.shape[1] == 1:
        result[:] = np.add.accumulate(table, axis=0)[-1]  # reduce would add in another order
    else:
        np.add.reduce(table, axis=0, out=result)
