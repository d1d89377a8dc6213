"""What tests in several folders share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all decks, made by the command in a process of its own, as a person would."""
    folder = tmp_path_factory.mktemp("decks")
    command = [sys.executable, "-m", "engine.course", "slides", "--all", "--output", str(folder)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder
