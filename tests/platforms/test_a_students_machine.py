"""The course where a student may put it: odd folders, a dead proxy, no browser, only to read."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from engine.course import doctor, lab
from engine.course.places import Places

ROOT = Path(__file__).parents[2]
CHAPTER = "02-record-a-calculation.ipynb"
DEAD = "http://127.0.0.1:9"
PROXIES = [f"{kind}_proxy" for kind in ("http", "https", "all", "no")]
COURSE = [sys.executable, "-m", "engine.course"]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """A small course, in a folder whose name has all that a name may have."""
    made = Places(tmp_path / "Kurs für 漢字 & Co's (neu)")
    made.chapters.mkdir(parents=True)
    shutil.copyfile(ROOT / "notebooks" / CHAPTER, made.chapters / CHAPTER)
    return made


@pytest.fixture
def environment() -> dict[str, str]:
    """A machine with a proxy that is dead for every address, and with no browser."""
    kept = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
    kept = {n: v for n, v in kept.items() if n not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    dead = {name: DEAD for name in PROXIES if name != "no_proxy"}
    return kept | dead | {name.upper(): DEAD for name in dead}


@pytest.fixture
def started(places: Places, environment: dict[str, str]) -> Iterator[str]:
    """What ``course`` said up to the address."""
    command = [*COURSE, "--port", "0", "--root", str(places.root)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = ""
        while "token=" not in said and (line := process.stdout.readline()):
            said += line
        try:
            yield said
        finally:
            process.terminate()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always offer a browser")
def test_a_start_in_an_odd_folder_behind_a_dead_proxy_prints_the_address(
    started: str, places: Places, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No browser was found. Open this address in one:" in started
    for name, value in environment.items():
        if name.lower() in PROXIES:
            monkeypatch.setenv(name, value)
    server = lab.running_server(places)
    assert server is not None
    assert server.address(f"notebooks/{CHAPTER}") in started

    second = subprocess.run(
        [*COURSE, "--root", str(places.root)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "running on your copy already" in second.stdout
    assert server.address(f"notebooks/{CHAPTER}") in second.stdout


def test_a_chapter_runs_in_an_odd_folder_behind_a_dead_proxy(
    places: Places, environment: dict[str, str]
) -> None:
    command = [*COURSE, "build", "--check", "--root", str(places.root)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert re.findall(rf"^unchanged +{CHAPTER}$", done.stdout, re.M)


# --- a course that one may only read ---------------------------------------------------------


def as_a_student() -> list[str]:
    """What to put before a command, so that a folder without the right to write keeps it."""
    if sys.platform == "win32":
        pytest.skip("Windows has other rights than these")
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write everywhere, and there is no setpriv to take that away")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search,-fowner", "--no-new-privs"]


@pytest.fixture
def read_only(places: Places) -> Iterator[Places]:
    folders = [places.root, *(path for path in places.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield places
    for folder in folders:
        folder.chmod(stat.S_IRWXU)


def never_run(chapter: Path) -> None:
    """Put a chapter in the file's place that would tell that it was run: it fails."""
    cells = [nbformat.v4.new_code_cell("raise RuntimeError('the chapter was run')")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), chapter)


@pytest.mark.parametrize("words", [["lab", "--no-browser"], ["slides", "02"], ["site"]])
def test_a_course_that_one_may_only_read_says_so_and_stays(
    read_only: Places, words: list[str]
) -> None:
    never_run(read_only.chapters / CHAPTER)
    before = sorted(read_only.root.rglob("*"))
    command = [*as_a_student(), *COURSE, *words, "--root", str(read_only.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert str(read_only.work) in done.stderr
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert "the chapter was run" not in done.stderr
    assert sorted(read_only.root.rglob("*")) == before


CHECKED = "from engine.course import check; print(check('01.1', -4)); print(check())"


def test_in_a_class_copy_that_one_may_only_read_a_check_works_and_keeps_nothing(
    places: Places,
) -> None:
    places.exercises.mkdir()
    command = [*as_a_student(), sys.executable, "-c", CHECKED]
    for rights, kept in ((stat.S_IRUSR | stat.S_IXUSR, False), (stat.S_IRWXU, True)):
        places.root.chmod(rights)
        done = subprocess.run(
            command, cwd=places.exercises, capture_output=True, text=True, check=True
        )
        assert "01.1 · Right" in done.stdout
        assert "could not be written" not in done.stdout
        assert (" 1 of " in " ".join(done.stdout.split())) == kept
        assert (places.root / ".course").exists() == kept


def test_a_folder_that_is_there_and_only_to_read_is_told_before_a_chapter_runs(
    read_only: Places,
) -> None:
    never_run(read_only.chapters / CHAPTER)
    output = read_only.chapters
    words = ["slides", "02", "--root", str(read_only.root), "--output", str(output)]
    done = subprocess.run(
        [*as_a_student(), *COURSE, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"cannot use {output}: Permission denied" in done.stderr


def test_the_doctors_command_mends_a_folder_of_ones_own(read_only: Places) -> None:
    student = as_a_student()
    examine = [*student, *COURSE, "doctor", "--root", str(read_only.root)]
    told = subprocess.run(examine, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    (mend,) = re.findall(r"cannot be written: .* Run: (.+)", told.stdout)
    subprocess.run([*student, "sh", "-c", mend], check=True)
    again = subprocess.run(examine, capture_output=True, text=True, check=False)
    assert "your copy can be written" in again.stdout


def test_the_doctors_command_copies_a_course_of_somebody_else(
    read_only: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home of mine"
    home.mkdir()
    command = doctor._copy_command(read_only.root, home)
    mend, start = command.rsplit(" && ", 1)
    subprocess.run([*as_a_student(), "sh", "-c", mend], check=True)
    copy = Places(home / read_only.root.name)
    assert doctor.check_writable(copy.work).state == "ok"
    assert start.endswith(f'--root "{copy.root}"')


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owner of this kind")
def test_only_an_owner_is_told_to_change_the_rights(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    places.work.write_text("a file where the folder should be")
    assert doctor.check_writable(places.work).mend.startswith("chmod ")
    monkeypatch.setattr(os, "geteuid", lambda: places.root.stat().st_uid + 1)
    assert doctor.check_writable(places.work).mend.startswith("cp -R ")
