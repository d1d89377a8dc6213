"""A cell that is run again says the same again; a beginner does that often."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import running_twice
from running_twice import Twice

CHAPTERS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9]*.ipynb"))


def twice(files: list[Path], folder: Path) -> list[Twice]:
    done = subprocess.run(
        [sys.executable, running_twice.__file__, *map(str, files)],
        env={**os.environ, "IPYTHONDIR": str(folder), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Twice(**json.loads(line)) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Twice]:
    """All chapters in one process: to start one takes longer than most chapters."""
    return twice(CHAPTERS, tmp_path_factory.mktemp("ipython"))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda file: file.stem)
def test_a_cell_says_the_same_when_it_is_run_again(chapter: Path, said: list[Twice]) -> None:
    cells = [cell for cell in said if cell.name.startswith(f"{chapter.stem} ")]
    assert any(cell.first.strip() for cell in cells)
    assert [cell for cell in cells if cell.first != cell.second] == []


def test_a_cell_that_goes_on_from_its_last_run_is_seen(tmp_path: Path) -> None:
    sources = ["count = 0", "count += 1\nprint(count)", "count = 5\ncount"]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    file = tmp_path / "counts.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), file)
    found = twice([file], tmp_path / "ipython")
    assert [cell.first == cell.second for cell in found] == [True, False, True]
    assert found[1].first.split() == ["1"]
    assert "5" in found[2].first
