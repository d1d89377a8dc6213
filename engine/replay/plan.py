"""Which numbers of a recording are computed together, and where each is kept."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.replay.cells import CHOICE, CONSTANT, MAXIMUM, NONE, Cells
from engine.replay.groups import Chosen, Dot, Group, Largest, Single, Sum

Places = NDArray[np.intp]

SUM, DOT = "sum", "dot"
SHORT = 8


class Plan:
    """Which cells are computed together, and where each number is kept."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        count = len(cells)
        self.final = np.arange(count)
        self.operands: dict[int, list[int]] = {}
        self.dots: set[int] = set()
        self.inner: set[int] = set()
        self._find_sums()
        self.slot = np.full(count, NONE, dtype=np.intp)
        self._next = 0
        for cell in range(count):
            if cells.ops[cell] in ("", CONSTANT):
                self.slot[cell] = self._next
                self._next += 1
        self.zero = self._next
        self._next += 1
        self.first_computed = self._next
        self.groups = [self._group(key, members) for key, members in self._by_level()]
        self.size = self._next

    def _uses(self) -> list[int]:
        cells = self.cells
        uses = [0] * (len(cells) + 1)  # the last counts for NONE
        for operands in (cells.left, cells.right, *cells.sources.values()):
            for cell in operands:
                uses[cell] += 1
        uses[cells.output] += 1
        return uses

    def _find_sums(self) -> None:
        """Find chains a + b + c + ..., whose inner sums nobody else needs."""
        ops, left, right = self.cells.ops, self.cells.left, self.cells.right
        uses = self._uses()
        sums: dict[int, list[int]] = {}
        for cell, op in enumerate(ops):
            if op == "+":
                before = (
                    sums.pop(left[cell])
                    if uses[left[cell]] == 1 and left[cell] in sums
                    else [left[cell]]
                )
                before.append(right[cell])
                sums[cell] = before
        for cell, operands in sums.items():
            dot = all(self._is_product(operand, uses) for operand in operands)
            if not dot and len(operands) < 3:
                continue
            self.operands[cell] = operands
            inner = cell
            for _ in operands[2:]:
                inner = left[inner]
                self._hide(inner, cell)
            if dot:
                self.dots.add(cell)
                for operand in operands:
                    self._hide(operand, cell)

    def _hide(self, cell: int, final: int) -> None:
        self.inner.add(cell)
        self.final[cell] = final

    def _is_product(self, cell: int, uses: Sequence[int]) -> bool:
        cells = self.cells
        return (
            cells.ops[cell] == "*"
            and uses[cell] == 1
            and cells.has_gradient(cells.left[cell])
            and cells.has_gradient(cells.right[cell])
        )

    def _by_level(self) -> list[tuple[tuple[Any, ...], list[int]]]:
        cells = self.cells
        level = [0] * (len(cells) + 1)
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for cell, op in enumerate(cells.ops):
            if op in ("", CONSTANT) or cell in self.inner:
                continue
            needed: Sequence[int]
            if cell in self.dots:
                products = self.operands[cell]
                needed = [cells.left[p] for p in products] + [cells.right[p] for p in products]
                key: tuple[Any, ...] = (DOT, _bucket(len(products)))
            elif cell in self.operands:
                needed = self.operands[cell]
                key = (SUM, _bucket(len(needed)))
            elif cell in cells.sources:
                needed = cells.sources[cell]
                key = (op, len(needed) if op == CHOICE else _bucket(len(needed)))
            else:
                needed = (cells.left[cell], cells.right[cell])
                key = (op, *map(cells.has_gradient, needed))
            level[cell] = 1 + max(level[operand] for operand in needed)
            groups[level[cell], *key].append(cell)
        return sorted(groups.items())

    def _group(self, key: tuple[Any, ...], members: list[int]) -> Group:
        _, kind, *more = key
        cells, slot = self.cells, self.slot
        if kind == DOT:
            left = self._table([[cells.left[p] for p in self.operands[c]] for c in members])
            right = self._table([[cells.right[p] for p in self.operands[c]] for c in members])
            order = np.lexsort((right[0], left[0]))
        elif kind == SUM:
            left = right = self._table([self.operands[c] for c in members])
            order = np.lexsort((left[0],))
        elif kind in (MAXIMUM, CHOICE):
            left = right = self._table([cells.sources[c] for c in members], repeat=True)
            order = np.lexsort((left[0],))
        else:
            chosen = np.array(members)
            sides = np.array(cells.left), np.array(cells.right)
            left, right = (slot[side[chosen]][None, :] for side in sides)
            order = np.lexsort((right[0], left[0]))
        members = [members[i] for i in order]
        left, right = left[:, order], right[:, order]
        start = self._next
        self._next += len(members)
        slot[members] = np.arange(start, self._next)
        group: Group
        if kind in (DOT, SUM):
            inner = [self._inner_sums(cell) for cell in members]
            sums = self._kept(inner, (len(left) - 1, len(members)))
            if kind == DOT:
                products = self._kept([self.operands[cell] for cell in members], left.shape)
                group = Dot(left, right, products, sums)
            else:
                group = Sum(left, sums)
        elif kind == MAXIMUM:
            group = Largest(left)
        elif kind == CHOICE:
            group = Chosen(left, np.array([cells.picks[cell] for cell in members]))
        else:
            group = Single(kind, left[0], right[0], *more)
        group.cells, group.start, group.stop = np.array(members), start, start + len(members)
        return group

    def _table(self, rows: Sequence[Sequence[int]], repeat: bool = False) -> Places:
        """One column for each row, filled up with zeros, or with its own last number."""
        length = max(map(len, rows))
        table = np.full((length, len(rows)), self.zero, dtype=np.intp)
        for column, row in enumerate(rows):
            table[: len(row), column] = self.slot[list(row)]
            if repeat:
                table[len(row) :, column] = table[len(row) - 1, column]
        return table

    def _kept(self, table: list[list[int]], shape: tuple[int, ...]) -> slice:
        """Give every cell of a table a slot, column by column, and return where the table is."""
        first = self._next
        self._next += shape[0] * shape[1]
        for column, cells in enumerate(table):
            place = first + column
            self.slot[cells] = range(place, place + len(cells) * shape[1], shape[1])
        return slice(first, self._next)

    def _inner_sums(self, cell: int) -> list[int]:
        """The cells of the sums on the way to a sum, the first ones first."""
        inner = []
        for _ in self.operands[cell][2:]:
            cell = self.cells.left[cell]
            inner.append(cell)
        return inner[::-1]

    def without_gradient(self) -> NDArray[np.bool_]:
        """By slot: whether it is a constant, a maximum or the zero that fills up a sum."""
        stopped = np.zeros(self.size, dtype=bool)
        stopped[self.zero] = True
        stopped[[s for c, s in enumerate(self.slot) if not self.cells.has_gradient(c)]] = True
        return stopped


def _bucket(length: int) -> int:
    """Sums of about the same length are computed together, the shorter ones filled up."""
    return max(SHORT, 1 << (length - 1).bit_length())
