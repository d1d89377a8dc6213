"""The style of the tree: lint, format and strict types, under the one test command."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--no-cache", "."],
        ["ruff", "format", "--no-cache", "--check", "."],
        ["mypy", "--cache-dir", "{cache}"],
    ],
    ids=["lint", "format", "types"],
)
def test_the_tree_is_clean(command: list[str], tmp_path: Path) -> None:
    filled = [word.format(cache=tmp_path) for word in command]
    result = subprocess.run(
        [sys.executable, "-m", *filled], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
