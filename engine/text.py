"""How the course writes numbers, alone and in tables.

>>> number_text(-8.0), number_text(0.0701), number_text(6.00000000013)
('-8', '0.0701', '6')
"""

import math
from collections.abc import Collection, Iterator, Sequence

SIGNIFICANT_DIGITS = 6
LARGEST_WHOLE = 1e9
LONGEST_LINE = 80
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
DIRECTION_MARKS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
SURROGATES = tuple(range(0xD800, 0xE000))  # halves of a character, which no file can hold
ESCAPES = {code: ascii(chr(code))[1:-1] for code in CONTROLS + DIRECTION_MARKS + SURROGATES}


def number_text(number: float) -> str:
    """Write a number the way a person would: short, and the same on every machine.

    Args:
        number: any float; infinities and NaN are written as ``inf``, ``-inf`` and ``nan``.

    Returns:
        Whole numbers below a billion without a decimal point, everything else with
        six significant digits at most. Zero has no sign.

    >>> [number_text(x) for x in (4.0, -0.0, 1 / 3, 1e-5, 2.5e12)]
    ['4', '0', '0.333333', '1e-05', '2.5e+12']
    """
    if (text := getattr(number, "text", None)) is not None:
        return str(text)  # a block of numbers is shown by its shape
    if math.isfinite(number) and number == int(number) and abs(number) < LARGEST_WHOLE:
        return str(int(number))
    return f"{float(number):.{SIGNIFICANT_DIGITS}g}"  # a Fraction has no such layout


def number_of(count: int, thing: str) -> str:
    """Write how many things there are: one of them has no ``s`` at its end.

    >>> number_of(1, "node"), number_of(2, "node")
    ('1 node', '2 nodes')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"


def one_line(text: str) -> str:
    r"""Keep text on its own line: what would break or reorder the line is shown as an escape.

    Returns:
        At most ``LONGEST_LINE`` characters; longer text ends in ``...``.

    >>> print(one_line("first" + chr(10) + "second"))
    first\nsecond
    """
    line = text[: LONGEST_LINE + 1].translate(ESCAPES)
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 3]}..."


def shown(thing: object) -> str:
    """Quote anything in an error: its ``repr``, on one line, or its type if that fails.

    >>> shown("x"), shown(list(range(1000)))[-12:]
    ("'x'", '9, 20, 21...')
    """
    try:
        text = repr(thing)
    except Exception:  # noqa: BLE001 (a learner's class may raise anything; a huge int does)
        text = f"an unprintable {type(thing).__name__}"
    return one_line(" ".join(text.split()))


def table_lines(
    rows: Sequence[tuple[str, ...]], left: Collection[int] = frozenset({0})
) -> Iterator[str]:
    """Align rows of text in columns.

    Args:
        rows: the cells, the heading first; every row has the same number of them.
        left: the columns aligned to the left; the others are aligned to the right.

    >>> list(table_lines([("node", "data"), ("a", "2")]))
    ['node  data', 'a        2']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
