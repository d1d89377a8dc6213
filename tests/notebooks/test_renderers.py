"""The stored notebooks hold with either Graphviz program."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from engine.course import build, offline
from engine.course.places import Places
from engine.drawing.renderer import renderer

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = build.chapter_files(Places(ROOT))
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")


def without_views(notebook: NotebookNode) -> NotebookNode:
    """As it would be stored."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(offline.LIVE, None)
    return notebook


def test_the_notebooks_are_run_with_the_program_of_the_wheel() -> None:
    """The run that compares every notebook, cell by cell, is made with it."""
    found = renderer()
    assert found is not None
    assert Path(found).stem == "graphviz-pure"


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_chapter_says_the_same_when_dot_places_its_nodes(file: Path, ran: Path) -> None:
    if shutil.which("dot") is None:
        reason = "this machine has no dot, so the chapters are not compared with it"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    kept = json.loads((Places(ran).work / offline.KEPT / f"{file.stem}.json").read_text("utf-8"))
    now = without_views(nbformat.from_dict(kept["notebook"]))
    assert build.facts(now) == build.facts(build.read_with_ids(file))
