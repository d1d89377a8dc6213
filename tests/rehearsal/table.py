"""Print a table in plain text."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as aligned columns.

    Args:
        head: the names of the columns.
        rows: a cell for each column.

    >>> print(table(("chapter", "MB"), [("00", 9), ("01", 123)]))
    chapter  MB
    -------  ---
    00       9
    01       123
    """
    lines = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)
