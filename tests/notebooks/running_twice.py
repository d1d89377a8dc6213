"""Run the code cells of notebooks twice in a row, in IPython, and print which said what.

Run as a program, with the files of the notebooks: it is apart from the process that asks, since
there is one IPython for each process, and the engine looks at it.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

# The number of a cell is another one each time.
PLACE = re.compile(r"\b(Out|In ?)\[\d+\]")
# Takes seconds, and goes on from where it stopped: a cell with it is run once.
TRAINING = re.compile(r"\bin Training\(")


@dataclass(frozen=True)
class Twice:
    """What a cell said the first time and the second.

    Attributes:
        name: of the notebook's file, and the cell's id.
        first: every text it printed or showed.
        second: the same, when it was run again.
    """

    name: str
    first: str
    second: str


def run(file: Path, shell: Any) -> Iterator[Twice]:
    """Run a notebook's cells, each twice but for trainings, in the folder of its file.

    Args:
        file: the notebook's file.
        shell: an ``InteractiveShell``; what its names meant before is forgotten.
    """
    shell.reset()
    gc.collect()
    gc.freeze()  # the collector need not look at all libraries for every large graph
    os.chdir(file.parent)
    for cell in nbformat.read(file, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        first = _said(cell.source, shell)
        if not TRAINING.search(cell.source):
            yield Twice(f"{file.stem} {cell.id}", first, _said(cell.source, shell))


def _said(source: str, shell: Any) -> str:
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        result = shell.run_cell(source)
    result.raise_error()
    shown = [output.data.get("text/plain", "") for output in captured.outputs]
    return PLACE.sub(r"\1[ ]", "\n".join([captured.stdout, captured.stderr, *shown]))


def main(files: list[str]) -> None:
    """Run notebooks, and print what their cells said as JSON, one cell in each line."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    for file in files:
        for cell in run(Path(file), shell):
            print(json.dumps(vars(cell)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
