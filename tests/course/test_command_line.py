"""How ``course`` prints: to nobody, as in ``course check | head -1``, and where letters lack."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from engine.course.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
CLOSED_PIPE = 141
INTERRUPTED = 130
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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl+C in another way")
@pytest.mark.parametrize("words", [["build"], ["build", "--check"], ["slides", "--all"]])
def test_ctrl_c_ends_the_whole_command_with_one_sentence(words: list[str], tmp_path: Path) -> None:
    chapters = tmp_path / "notebooks"
    chapters.mkdir()
    wait = "import pathlib, time\npathlib.Path('began').touch()\ntime.sleep(600)"
    for name in ("01-waits.ipynb", "02-waits.ipynb"):
        nbformat.write(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(wait)]), chapters / name
        )
    before = {file.name: file.read_bytes() for file in chapters.glob("*.ipynb")}
    command = [sys.executable, "-m", "engine.course", *words, "--root", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        try:
            began = chapters / "began"
            while not began.exists() and running.poll() is None:
                time.sleep(0.05)
            os.killpg(running.pid, signal.SIGINT)  # a terminal sends it to every process
            said = running.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            raise
    assert running.returncode == INTERRUPTED
    assert said == (
        "",
        "\nStopped with Ctrl+C: no file is half written, so run it again when you like.\n",
    )
    assert {file.name: file.read_bytes() for file in chapters.glob("*.ipynb")} == before
