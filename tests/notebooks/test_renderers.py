"""The stored notebooks hold, strictly compared, with either Graphviz program."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_CI = os.environ.get("CI", "").lower() in ("1", "true")


def program(name: str) -> str:
    """The path of a renderer; a machine without it skips, except in CI."""
    beside_python = shutil.which(name, path=str(Path(sys.executable).parent))
    found = beside_python or shutil.which(name)
    if found is None:
        reason = f"this machine has no {name}, so the notebooks are not compared with it"
        if IN_CI:
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.mark.parametrize("name", ["dot", "graphviz-pure"])
def test_every_notebook_holds_with_either_renderer(name: str) -> None:
    result = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="),
            *("--nbval", "--nbval-current-env", "--nbval-cell-timeout=120"),
            *("--nbval-sanitize-with", "tests/nbval.cfg", "notebooks"),
        ],
        cwd=ROOT,
        env={**os.environ, "REVERSE_WALK_DOT": program(name)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout
