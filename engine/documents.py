"""Something to learn from: first names, which come with an installed package.

The names are those of the lists that the package ``names`` 0.3.0 carries (MIT license): the first
names in the census of 1990, counted by the U.S. Census Bureau. Nothing is downloaded, and no code
of that package runs.

>>> names = first_names()
>>> len(names), names[:3]
(5163, ['aaron', 'abbey', 'abbie'])
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from engine.gpt import LETTERS

PACKAGE = "names"
FILES = ("names/dist.female.first", "names/dist.male.first")
LONGEST = 15


def first_names(longest: int = LONGEST) -> list[str]:
    """First names in small letters, each of them once, in the order of the alphabet.

    Args:
        longest: names of more letters are left out. A name of 15 letters and the token before it
            fill the 16 positions that the tiny GPT can read.

    Raises:
        ModuleNotFoundError: the package with the lists is not installed.

    >>> max(map(len, first_names(longest=4)))
    4
    """
    lines = [line for file in FILES for line in _list(file).splitlines() if line.strip()]
    names = {line.split()[0].lower() for line in lines}
    return sorted(name for name in names if len(name) <= longest and set(name) <= set(LETTERS))


def _list(file: str) -> str:
    """One list of the package: a name in each line, and after it three numbers."""
    try:
        path = Path(str(distribution(PACKAGE).locate_file(file)))
        return path.read_text("ascii")
    except (PackageNotFoundError, FileNotFoundError):
        raise ModuleNotFoundError(
            f"the lists of first names are missing: they come with the package {PACKAGE!r}. "
            f"Run this in a cell: %pip install {PACKAGE}==0.3.0"
        ) from None
