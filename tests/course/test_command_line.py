"""How ``course`` prints: to nobody, as in ``course check | head -1``, and where letters lack."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.course.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
CLOSED_PIPE = 141
ADDRESS = "https://binder.example/v2/gh/someone/walk/v1"


def run(words: list[str], unbuffered: str, *closed: str) -> subprocess.CompletedProcess[str]:
    """Run ``course`` with pipes that nobody reads from."""
    reading, writing = os.pipe()
    os.close(reading)
    streams = {
        name: writing if name in closed else subprocess.PIPE for name in ("stdout", "stderr")
    }
    command = [sys.executable, "-m", "engine.course", *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    try:
        return subprocess.run(command, env=environment, text=True, check=False, **streams)
    finally:
        os.close(writing)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no closed pipes of this kind")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["check"], ["badges", ADDRESS]])
def test_a_reader_who_has_seen_enough_is_not_told_of_a_full_disk(
    words: list[str], unbuffered: str
) -> None:
    done = run([*words, "--root", str(ROOT)], unbuffered, "stdout")
    assert (done.returncode, done.stderr) == (CLOSED_PIPE, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no closed pipes of this kind")
def test_help_that_nobody_reads_ends_without_a_word() -> None:
    done = run(["--help"], "", "stdout")
    assert (done.returncode, done.stderr) == (CLOSED_PIPE, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no closed pipes of this kind")
def test_an_error_that_nobody_reads_ends_as_well(tmp_path: Path) -> None:
    done = run(["check", "--root", str(tmp_path)], "", "stdout", "stderr")
    assert done.returncode == CLOSED_PIPE


def test_any_other_file_that_cannot_be_used_is_still_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    words = ["slides", "00", "--root", str(ROOT), "--output", str(tmp_path / "file" / "folder")]
    assert main(words) == 1
    assert f"cannot use {tmp_path / 'file'}" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_letter_that_cannot_be_written_is_spelled(encoding: str, tmp_path: Path) -> None:
    root = tmp_path / "漢字 für →"
    (root / "notebooks").mkdir(parents=True)
    shutil.copy(ROOT / "notebooks" / "00-start-here.ipynb", root / "notebooks")
    command = [sys.executable, "-m", "engine.course", "doctor", "--root", str(root)]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert str(root).encode(encoding, "backslashreplace") in done.stdout
