"""Which numbers of a recording are computed together, and where each is kept."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.replay.cells import CHOICE, CONSTANT, MAXIMUM, NONE, Cells
from engine.replay.groups import Chosen, Dot, Group, Largest, Product, Single, Sum

Places = NDArray[np.intp]
Key = tuple[Any, ...]
Column = tuple[int, ...]

SUM, DOT = "sum", "dot"
SHORT = 8


class Unit(NamedTuple):
    """One result, with all that is computed only for its sake.

    Attributes:
        key: units with the same key and level are computed together.
        left: the cells it is computed from.
        right: for a single operation the right operand, for a sum of products the right factors.
        products: of a sum of products, in order.
        inner: the sums on the way to a longer sum, in order.
    """

    key: Key
    left: Sequence[int]
    right: Sequence[int] = ()
    products: Sequence[int] = ()
    inner: Sequence[int] = ()


class Plan:
    """The groups in which a recording is computed, and a slot for every cell.

    Args:
        cells: the recording.
        shared: for a batch, how many of the first cells are the same for all documents. Sums of
            products with them become matrix products, and are no longer kept number by number.

    Attributes:
        slot: for each cell the place of its number: leaves and constants first, in their order.
        gradient_slot: for each cell the place of its gradient: all parts of a sum share one.
        groups: in the order in which they are computed.
        fixed: the cells that are not computed: leaves and constants.
        zero: the slot of the zero that fills up short sums: behind the fixed cells.
        first_computed: the slot behind that, where the computed numbers begin.
        size: how many slots there are.
        output: the cell everything leads to.
    """

    def __init__(self, cells: Cells, shared: int = 0) -> None:
        self._cells, self._shared = cells, shared
        self._flows = [op not in (CONSTANT, MAXIMUM) for op in cells.ops]
        self.output = cells.output
        self.slot = np.full(len(cells), NONE, dtype=np.intp)
        self.fixed = [cell for cell, op in enumerate(cells.ops) if op in ("", CONSTANT)]
        self.slot[self.fixed] = np.arange(len(self.fixed))
        self.zero = len(self.fixed)
        self.first_computed = self.size = self.zero + 1
        units = self._units()
        self.groups: list[Group] = []
        for key, members in self._levels(units):
            if key[1] == DOT:
                members = self._matrix_products(members, units)
            if members:
                self.groups.append(self._group(key, members, [units[cell] for cell in members]))
        final = np.arange(len(cells))
        for cell, unit in units.items():
            final[[*unit.products, *unit.inner]] = cell
        self.gradient_slot = self.slot[final]

    def without_gradient(self) -> NDArray[np.bool_]:
        """By slot: whether it is a constant, a maximum or the zero that fills up a sum."""
        stopped = np.zeros(self.size, dtype=bool)
        stopped[self.zero] = True
        stopped[self.slot[~np.array(self._flows)]] = True
        return stopped

    # -- units -----------------------------------------------------------------------------------

    def _units(self) -> dict[int, Unit]:
        """Make the unit of each result, by its cell."""
        cells, units = self._cells, self._sums()
        hidden = {c for unit in units.values() for c in (*unit.products, *unit.inner)}
        for cell, op in enumerate(cells.ops):
            if op in ("", CONSTANT) or cell in units or cell in hidden:
                continue
            if op in (MAXIMUM, CHOICE):
                sources = cells.sources[cell]
                length = len(sources) if op == CHOICE else _similar(len(sources))
                units[cell] = Unit((op, length), sources)
            else:
                left, right = cells.left[cell], cells.right[cell]
                key = op, self._flows[left], right != NONE and self._flows[right]
                units[cell] = Unit(key, (left,), (right,))
        return units

    def _sums(self) -> dict[int, Unit]:
        """Find the chains a + b + c + ..., whose inner sums nobody else needs."""
        cells = self._cells
        units: dict[int, Unit] = {}
        uses = self._uses()
        once = (uses == 1).tolist()
        products = self._products_used_once(uses)
        chains: dict[int, list[int]] = {}
        for cell, op in enumerate(cells.ops):
            if op == "+":
                before = cells.left[cell]
                chain = chains.pop(before) if once[before] and before in chains else [before]
                chain.append(cells.right[cell])
                chains[cell] = chain
        for cell, chain in chains.items():
            length, inner = _similar(len(chain)), self._inner(cell, chain)
            if all(products[operand] for operand in chain):
                left = [cells.left[product] for product in chain]
                right = [cells.right[product] for product in chain]
                units[cell] = Unit((DOT, length), left, right, chain, inner)
            elif len(chain) > 2:
                units[cell] = Unit((SUM, length), chain, inner=inner)
        return units

    def _inner(self, cell: int, chain: Sequence[int]) -> list[int]:
        inner = []
        for _ in chain[2:]:
            cell = self._cells.left[cell]
            inner.append(cell)
        return inner[::-1]

    def _uses(self) -> Places:
        cells = self._cells
        sources = [source for sources in cells.sources.values() for source in sources]
        operands = np.concatenate((cells.left, cells.right, sources, [cells.output])).astype(int)
        return np.bincount(operands + 1, minlength=len(cells) + 1)[1:]  # NONE is -1

    def _products_used_once(self, uses: Places) -> list[bool]:
        cells = self._cells
        flows = np.array([*self._flows, False])  # the last is that of NONE
        found = (uses == 1) & flows[cells.left] & flows[cells.right]
        return [once and op == "*" for once, op in zip(found.tolist(), cells.ops, strict=True)]

    # -- levels ----------------------------------------------------------------------------------

    def _levels(self, units: dict[int, Unit]) -> Iterable[tuple[Key, list[int]]]:
        """Put units as late as their results allow: what is alike then meets on one level.

        Counted from the output: a number stands above everything that is computed from it.
        """
        height = [0] * (len(self._cells) + 1)  # the last is that of NONE
        groups: dict[Key, list[int]] = defaultdict(list)
        for cell in sorted(units, reverse=True):
            unit, above = units[cell], height[cell] + 1
            for operand in (*unit.left, *unit.right):
                if height[operand] < above:
                    height[operand] = above
            groups[-height[cell], *unit.key].append(cell)
        return sorted(groups.items())

    # -- groups ----------------------------------------------------------------------------------

    def _group(self, key: Key, members: list[int], units: list[Unit]) -> Group:
        _, kind, *more = key
        repeat = kind in (MAXIMUM, CHOICE)
        left = self._table([unit.left for unit in units], repeat)
        right = self._table([unit.right for unit in units]) if units[0].right else left
        # Neighbors read from neighbors, which is kinder to the processor's cache.
        order = np.lexsort((right[0], left[0]))
        left, right = left[:, order], right[:, order]
        units, chosen = [units[i] for i in order], np.array(members)[order]
        start = self._keep(chosen, len(chosen))
        group: Group
        if kind == DOT:
            products = self._keep_table([unit.products for unit in units], len(left))
            sums = self._keep_table([unit.inner for unit in units], len(left) - 1)
            group = Dot(left, right, products, sums)
        elif kind == SUM:
            group = Sum(left, self._keep_table([unit.inner for unit in units], len(left) - 1))
        elif kind == MAXIMUM:
            group = Largest(left)
        elif kind == CHOICE:
            group = Chosen(left, np.array([self._cells.picks[cell] for cell in chosen]))
        else:
            group = Single(kind, left[0], right[0], *more)
        group.cells, group.start, group.stop = chosen, start, start + len(chosen)
        return group

    def _matrix_products(self, members: list[int], units: dict[int, Unit]) -> list[int]:
        """Make groups of the sums that are all pairs of rows and columns; return the others."""
        pairs: dict[Column, dict[Column, int]] = defaultdict(dict)
        for cell in members:
            row, column = sorted((tuple(units[cell].left), tuple(units[cell].right)), key=max)
            if max(row) < self._shared:
                pairs[column].setdefault(row, cell)
        alike: dict[tuple[Column, ...], list[Column]] = defaultdict(list)
        for column, by_row in pairs.items():
            alike[tuple(sorted(by_row))].append(column)
        for rows, columns in alike.items():
            cells = np.array([[pairs[column][row] for column in columns] for row in rows]).ravel()
            start = self._keep(cells, len(cells))
            group = Product(self.slot[np.array(rows)], self.slot[np.array(columns)].T)
            group.cells, group.start, group.stop = cells, start, start + len(cells)
            self.groups.append(group)
        done = {cell for by_row in pairs.values() for cell in by_row.values()}
        return [cell for cell in members if cell not in done]

    def _table(self, columns: Sequence[Sequence[int]], repeat: bool = False) -> Places:
        """The slots of the operands; short columns end in zeros, or repeat their first number."""
        length = max(map(len, columns))
        table = np.full((len(columns), length), self.zero, dtype=np.intp)
        for row, column in zip(table, columns, strict=True):
            row[: len(column)] = self.slot[list(column)]
            if repeat:
                row[len(column) :] = row[0]
        return np.ascontiguousarray(table.T)

    def _keep(self, cells: Places, size: int) -> int:
        start = self.size
        self.slot[cells] = np.arange(start, start + len(cells))
        self.size += size
        return start

    def _keep_table(self, columns: Sequence[Sequence[int]], length: int) -> slice:
        """Give every cell of a table a slot, and return where the table is kept."""
        start, width = self.size, len(columns)
        self.size += length * width
        for place, column in enumerate(columns, start):
            self.slot[list(column)] = np.arange(place, place + len(column) * width, width)
        return slice(start, self.size)


def _similar(length: int) -> int:
    """Sums of about the same length are computed together, the shorter ones filled up."""
    return max(SHORT, 1 << (length - 1).bit_length())
