"""Nodes that do not need each other, computed together: one operation on arrays.

All numbers of a replay lie in one array, all gradients and contributions in another. A group
knows by their places which numbers it reads and where its own stand. Forward, it gathers its
operands and writes its results. Backward, it finds the gradients of its results added up, and
writes its contributions: local derivative times upstream gradient.

The arrays may have a second axis, for a batch: one column for each document.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.replay.rules import CALCULATIONS
from engine.rules import RULES

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Group:
    """What all groups have in common.

    Attributes:
        cells: what it computes.
        start: where its results, and their gradients, begin; they stand side by side.
        stop: where they end.
        contributions: how many contributions it writes.
    """

    cells: Places
    start: int
    stop: int
    contributions = 0

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """Take hold of the arrays.

        Args:
            data: all numbers.
            grad: all gradients, and after them all contributions.
            first: where the contributions of this group begin.
        """
        self.data, self.grad, self.first = data, grad, first
        self.results, self.upstream = data[self.start : self.stop], grad[self.start : self.stop]

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Say where in ``grad`` the contributions to its operands stand.

        Yields:
            The slots of operands, and for each of them a place. Where the local derivative is 1
            the upstream gradient is itself the contribution, and need not be written again.
        """
        return iter(())

    def forward(self) -> None:
        """Compute the results from the operands."""
        raise NotImplementedError

    def backward(self) -> None:
        """Compute the contributions from the upstream gradients."""

    def add_inner_sums(self) -> None:
        """Compute the nodes that no other group needs, for a reader."""


class Single(Group):
    """Nodes of one operation with one or two operands."""

    def __init__(
        self, op: str, left: Places, right: Places, left_flows: bool, right_flows: bool
    ) -> None:
        self._compute, by_side = CALCULATIONS[op]
        formulas = RULES[op].local_derivatives
        self._sides = [left, right][: len(formulas)]
        # The local derivative 1 is left out: there is nothing to multiply.
        rules = [None if f == "1" else rule for f, rule in zip(formulas, by_side, strict=True)]
        flows = (left_flows, right_flows)
        sides = zip(self._sides, rules, flows, strict=False)
        self._flowing = [(side, rule) for side, rule, flowing in sides if flowing]
        self._rules = [rule for _, rule in self._flowing if rule]
        self.contributions = len(self._rules) * len(left)
        self._local_derivatives: list[Floats] = []

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """Make room for the operands."""
        super().connect(data, grad, first)
        self._operands = [np.empty((len(side), *data.shape[1:])) for side in self._sides]
        places = range(first, first + self.contributions, len(self.cells))
        self._written = [grad[place : place + len(self.cells)] for place in places]

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Yield each side: with its contributions, or the upstream gradients."""
        place = self.first
        for side, rule in self._flowing:
            if rule:
                yield side, np.arange(place, place + len(side))
                place += len(side)
            else:
                yield side, np.arange(self.start, self.stop)

    def forward(self) -> None:
        """Gather, and compute the results and the local derivatives, as a recording does."""
        for side, operand in zip(self._sides, self._operands, strict=True):
            self.data.take(side, axis=0, out=operand, mode="clip")
        self.results[:] = self._compute(*self._operands)
        self._local_derivatives = [rule(*self._operands, self.results) for rule in self._rules]

    def backward(self) -> None:
        """Multiply."""
        for local_derivative, written in zip(self._local_derivatives, self._written, strict=True):
            np.multiply(self.upstream, local_derivative, out=written)


class Dot(Group):
    """Sums of products, each number used in it but once: a column of the tables for each sum."""

    def __init__(self, left: Places, right: Places, products: slice, sums: slice) -> None:
        self._left, self._right = left, right
        self._products_at, self._sums_at = products, sums
        self.contributions = 2 * left.size

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """Make room for the factors, and see products and contributions as tables too."""
        super().connect(data, grad, first)
        shape = length, *width = *self._left.shape, *data.shape[1:]
        self._left_data, self._right_data = np.empty(shape), np.empty(shape)
        self._products = data[self._products_at].reshape(shape)
        self._inner_sums = data[self._sums_at].reshape(length - 1, *width)
        self._to_left, self._to_right = grad[first : first + self.contributions].reshape(2, *shape)

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Yield the factors."""
        places = np.arange(self.first, self.first + self.contributions)
        yield from zip((self._left, self._right), places.reshape(2, *self._left.shape), strict=True)

    def forward(self) -> None:
        """Multiply pair by pair, and add."""
        self.data.take(self._left, axis=0, out=self._left_data, mode="clip")
        self.data.take(self._right, axis=0, out=self._right_data, mode="clip")
        np.multiply(self._left_data, self._right_data, out=self._products)
        add_rows(self._products, self.results)

    def backward(self) -> None:
        """Multiply; every product has the gradient of its sum."""
        np.multiply(self.upstream, self._right_data, out=self._to_left)
        np.multiply(self.upstream, self._left_data, out=self._to_right)

    def add_inner_sums(self) -> None:
        """Add once more, and keep every sum on the way."""
        self._inner_sums[:] = np.add.accumulate(self._products, axis=0)[1:]


class Product(Group):
    """Sums of products of a batch that are all pairs of rows and columns: a matrix product.

    A row holds numbers that are the same for all documents, such as the weights of a neuron, a
    column holds numbers of the documents. What arrives at a row is added up over columns and
    documents, and written into the first document alone.
    """

    def __init__(self, rows: Places, columns: Places) -> None:
        self._rows, self._columns = rows, columns
        self.contributions = rows.size + columns.size

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """See results and gradients as matrices: each column stands there for each document."""
        super().connect(data, grad, first)
        self._results = self.results.reshape(len(self._rows), -1)
        self._upstream = self.upstream.reshape(len(self._rows), -1)
        middle = first + self._rows.size
        self._to_rows = grad[first:middle, 0].reshape(self._rows.shape)
        to_columns = grad[middle : first + self.contributions]
        self._to_columns = to_columns.reshape(len(self._columns), -1)

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Yield rows and columns."""
        places = np.arange(self.first, self.first + self.contributions)
        for table, at in ((self._rows, places), (self._columns, places[self._rows.size :])):
            yield table, at[: table.size].reshape(table.shape)

    def forward(self) -> None:
        """Multiply the matrices."""
        self._row_data = self.data[self._rows, 0]
        self._column_data = self.data.take(self._columns, axis=0).reshape(len(self._columns), -1)
        np.matmul(self._row_data, self._column_data, out=self._results)
        if not np.isfinite(self._results).all():
            raise FloatingPointError

    def backward(self) -> None:
        """Multiply each with the upstream gradients."""
        self._to_rows[:] = self._upstream @ self._column_data.T
        np.matmul(self._row_data.T, self._upstream, out=self._to_columns)


class Sum(Group):
    """Sums of three and more numbers: a column of the table for each sum."""

    def __init__(self, operands: Places, sums: slice) -> None:
        self._operands, self._sums_at = operands, sums

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """Make room for the operands."""
        super().connect(data, grad, first)
        length, *width = *self._operands.shape, *data.shape[1:]
        self._gathered = np.empty((length, *width))
        self._inner_sums = data[self._sums_at].reshape(length - 1, *width)

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Yield all operands, with the gradient of their sum."""
        yield self._operands, np.arange(self.start, self.stop)

    def forward(self) -> None:
        """Gather and add."""
        self.data.take(self._operands, axis=0, out=self._gathered, mode="clip")
        add_rows(self._gathered, self.results)

    def add_inner_sums(self) -> None:
        """Add once more, and keep every sum on the way."""
        self._inner_sums[:] = np.add.accumulate(self._gathered, axis=0)[1:]


class Largest(Group):
    """Maxima, each of a column of the table; no gradient flows into them."""

    def __init__(self, operands: Places) -> None:
        self._operands = operands

    def forward(self) -> None:
        """Gather and compare."""
        np.maximum.reduce(self.data.take(self._operands, axis=0), axis=0, out=self.results)


class Chosen(Group):
    """Operands that may be bound anew, each to an option in its column of the table.

    Every option gets a contribution, 0 where it was not chosen: so what flows where stays the
    same whatever is chosen.
    """

    def __init__(self, options: Places, choices: Places) -> None:
        self._options, self._choices = options, choices
        self.contributions = options.size

    def connect(self, data: Floats, grad: Floats, first: int) -> None:
        """See the contributions as a table."""
        super().connect(data, grad, first)
        shape = *self._options.shape, *data.shape[1:]
        self._to_options = grad[first : first + self.contributions].reshape(shape)

    def handed_on(self) -> Iterator[tuple[Places, Places]]:
        """Yield all options."""
        places = np.arange(self.first, self.first + self.contributions)
        yield self._options, places.reshape(self._options.shape)

    def bind(self, picks: Sequence[int] | Places) -> None:
        """Look up what is chosen: one pick, or a row of a batch, for each ``Choice``."""
        chosen = np.asarray(picks)[self._choices]
        column, *document = np.ogrid[tuple(map(slice, chosen.shape))]
        self._chosen = (chosen, column, *document)
        self._sources = (self._options[chosen, column], *document)

    def forward(self) -> None:
        """Copy the chosen numbers."""
        self.results[:] = self.data[self._sources]

    def backward(self) -> None:
        """Hand the gradients to the chosen options."""
        self._to_options.fill(0.0)
        self._to_options[self._chosen] = self.upstream


def add_rows(table: Floats, result: Floats) -> None:
    """Add the rows one after the other, as they were recorded: the same bits.

    >>> total = np.zeros(1)
    >>> add_rows(np.array([[1.0], [2.0], [4.0]]), total)
    >>> total
    array([7.])
    """
    if table.shape[1] == 1:
        result[:] = np.add.accumulate(table, axis=0)[-1]  # here reduce would add in pairs
    else:
        np.add.reduce(table, axis=0, out=result)
