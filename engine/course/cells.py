r"""Which names of a notebook still stand for something old, since the cell that makes them failed.

A cell that stops with an error leaves what an earlier run of it made. Who then runs a check would
read about an answer that is no longer in the cell.

>>> list(names_made("slope = -4\ndef area(side):\n    inner = 1\ntotal += 1\nprint(slope == 1)"))
['slope', 'area', 'total']
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

MAKES = re.compile(
    r"^(?:(?:def|class)\s+(\w+)|(\w+)\s*(?:[^\w\s=(<>!]{0,3}=(?!=)|:))", re.MULTILINE
)


def names_made(source: str) -> Iterator[str]:
    """The names that a cell makes at its left margin; Python may be unable to read it.

    Args:
        source: of the cell.
    """
    for found in MAKES.finditer(source):
        yield found[1] or found[2]


class Cells:
    """Watches the cells of a notebook.

    Args:
        variables: of the notebook.
    """

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables
        self._running = ""
        self._before: dict[str, int] = {}
        self._old: set[str] = set()

    def starts(self, info: Any) -> None:
        """Note what there is before a cell runs.

        Args:
            info: of IPython, about the cell.
        """
        self._running = info.raw_cell
        self._before = {
            name: id(self._variables[name])
            for name in names_made(self._running)
            if name in self._variables
        }

    def ended(self, result: Any) -> None:
        """Note what a cell that failed did not make.

        Args:
            result: of IPython, about the cell.
        """
        for name in names_made(result.info.raw_cell):
            same = name in self._before and id(self._variables.get(name)) == self._before[name]
            if same and not result.success:
                self._old.add(name)
            else:
                self._old.discard(name)

    def old(self) -> list[str]:
        """The names in the running cell that stand for something old."""
        return sorted(self._old & {*re.findall(r"\w+", self._running)})


def _watched() -> Cells | None:
    """The cells of the notebook that this runs in, None where it runs in none."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        return None
    cells = Cells(shell.user_ns)
    shell.events.register("pre_run_cell", cells.starts)
    shell.events.register("post_run_cell", cells.ended)
    return cells


_cells = _watched()


def old_names() -> list[str]:
    """The names in the running cell whose own cell stopped with an error before it made them."""
    return _cells.old() if _cells is not None else []
