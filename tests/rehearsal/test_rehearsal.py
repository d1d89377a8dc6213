"""What a rehearsal judges by: answers of each kind, what an update may change, and the bars."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest

from engine.course import notebook_files
from engine.course.checks import catalog, judging
from engine.course.checks.judging import State
from engine.course.checks.plain import describe, restore
from tests.rehearsal import answers, image, memory, spying, table, visit
from tests.rehearsal.kept import lost_cells
from tests.rehearsal.memory import MB, Memory
from tests.rehearsal.repository import NEW_CELL, NEW_FILE, NEW_START, NEWS, Repository, git
from tests.rehearsal.room import CHAPTER
from tests.rehearsal.visit import Run, Visit

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = {file.name: notebook_files.read(file) for file in (ROOT / "solutions").glob("*.ipynb")}
EXERCISE = "exercises/02-record-a-calculation.ipynb"
CASES = [
    (file, exercise)
    for file, solution in sorted(SOLUTIONS.items())
    for exercise in answers.exercises_of(solution)
    if file[:2] in ("02", "04")
]

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="it reads Linux's tables")


def judged(file: str, exercise: str, source: str) -> State:
    """What the check says of an answer cell, in the notebook with the other cells solved."""
    given: dict[str, Any] = {}
    variables = {"check": given.__setitem__, "hint": lambda name: None, "__name__": "__main__"}
    for cell in SOLUTIONS[file].cells:
        if cell.cell_type != "code":
            continue
        name = answers.exercise_of(cell, "answer")
        text = source if name == exercise else answers.right(SOLUTIONS[file], name) if name else ""
        lines = (text or cell.source).partition("### BEGIN HIDDEN TESTS")[0]
        exec(lines.replace("import check, hint", "import hint"), variables)
    answer = restore(json.loads(json.dumps(describe(given[exercise]))))
    return judging.judge(catalog.find(exercise), answer).state


@pytest.mark.parametrize(("file", "exercise"), CASES)
def test_a_right_answer_is_right_and_a_mistake_is_wrong(file: str, exercise: str) -> None:
    assert judged(file, exercise, answers.right(SOLUTIONS[file], exercise)) == State.RIGHT
    mistakes = answers.wrong(SOLUTIONS[file], exercise)
    assert mistakes
    assert judged(file, exercise, mistakes[0]) == State.WRONG


def test_no_answer_shows_where_it_comes_from() -> None:
    for solution in SOLUTIONS.values():
        for exercise in answers.exercises_of(solution):
            for source in (answers.right(solution, exercise), *answers.wrong(solution, exercise)):
                assert "###" not in source


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A class's repository with one chapter and one exercise notebook."""
    folder = tmp_path / "instructor"
    for name in (CHAPTER, EXERCISE):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "served")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "remote", "add", "origin", str(tmp_path / "served"))
    made = Repository(folder, str(tmp_path / "served"))
    made.commit("Begin")
    return made


def answered(text: str) -> str:
    """An exercise notebook as a student saves it: answers, outputs, and a cell of their own."""
    notebook = nbformat.reads(text, as_version=4)
    for count, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
        cell.execution_count = count
        cell.outputs = [nbformat.v4.new_output("stream", text=f"mine {count}\n")]
        if answers.exercise_of(cell, "answer"):
            cell.source += "\nmine = 1"
    notebook.cells.append(nbformat.v4.new_code_cell("mine", id="own"))
    return notebook_files.text(notebook)


def test_the_update_and_a_students_work_come_together(repository: Repository) -> None:
    given = repository.text(EXERCISE)
    student = repository.folder.parent / "student"
    git(repository.folder.parent, "clone", "--quiet", repository.url, str(student))
    saved = answered(given)
    (student / EXERCISE).write_text(saved, "utf-8")
    git(student, "commit", "--all", "--quiet", "--message", "as nbgitpuller does")
    repository.update(CHAPTER, EXERCISE)
    git(student, "fetch", "--quiet")
    git(student, "merge", "-Xours", "origin/main")
    after = (student / EXERCISE).read_text("utf-8")
    assert lost_cells(given, saved, after) == []
    assert NEWS in after
    assert NEW_CELL in after
    assert NEW_START in after
    assert (student / CHAPTER).read_text("utf-8") == repository.text(CHAPTER)
    assert (student / NEW_FILE).exists()


def test_an_update_taken_instead_of_a_students_work_is_noticed(repository: Repository) -> None:
    given = repository.text(EXERCISE)
    saved = answered(given)
    repository.update(CHAPTER, EXERCISE)
    lost = lost_cells(given, saved, repository.text(EXERCISE))
    assert "source of own" in lost
    assert "source of exercises-02-05" in lost
    assert "outputs of exercises-02-05" in lost
    assert lost_cells(given, saved, saved) == []
    assert lost_cells(given, given, repository.text(EXERCISE)) == []


@pytest.mark.parametrize("end", [60, -10])
def test_a_damaged_notebook_is_noticed(end: int) -> None:
    text = (ROOT / EXERCISE).read_text("utf-8")
    (lost,) = lost_cells(text, text, text[:end])
    assert lost.startswith("the notebook itself: ")


def refuse() -> None:
    raise PermissionError


def test_an_attempt_is_read_refused_or_finds_nothing() -> None:
    assert spying.tried(lambda: ["a file"]) == spying.READ
    assert spying.tried(list) == spying.NOTHING
    assert spying.tried(refuse) == spying.REFUSED


@pytest.fixture
def marker() -> str:
    """A word that no other process of this machine has in its command line."""
    return f"a marker of {uuid.uuid4()}"


@linux_only
def test_the_attempts_read_what_can_be_read(tmp_path: Path, marker: str) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(marker)
    here = str(tmp_path)
    came = spying.attempts(here, str(file), file.owner(), marker, [here], [here])
    at_hand = {what for what, how in came.items() if how == spying.READ}
    assert at_hand == came.keys() - {"find their answers in command lines"}


@contextmanager
def waiting_process(word: str) -> Iterator[int]:
    """A process with a word in its command line; /proc holds the line once the process talks."""
    code = "print(flush=True); import sys; sys.stdin.read()"
    command = [sys.executable, "-c", code, word]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield process.pid


@linux_only
def test_a_marker_in_a_command_line_is_found(marker: str) -> None:
    with waiting_process(marker):
        assert spying.commands(marker)
    assert not spying.commands(marker)


@linux_only
def test_memory_is_that_of_the_process() -> None:
    here = memory.Process(os.getpid()).memory
    assert 0 < here.pss <= here.rss <= here.peak
    more = bytearray(100 * MB)
    grown = memory.Process(os.getpid()).memory
    del more
    assert grown.pss - here.pss > 90 * MB


@linux_only
def test_processes_are_told_apart_by_their_command_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with waiting_process("a word of mine") as number:
        here = [memory.Process(number), memory.Process(os.getpid())]
        monkeypatch.setattr(memory, "processes", lambda: iter(here))
        found = memory.of_user(os.getuid(), ["a word of mine"])
        nobody = memory.of_user(os.getuid() + 1, ["a word of mine"])
    assert 0 < found["a word of mine"].pss < found["other"].pss
    assert nobody["other"] == Memory()


@pytest.mark.parametrize(
    ("name", "bar"),
    [("00-start.ipynb", 300), ("12-x.ipynb", 300), ("13-x.ipynb", 500), ("glossary.ipynb", 300)],
)
def test_each_chapter_has_its_bar(name: str, bar: int) -> None:
    assert Run(name, 1.0, Memory(peak=bar * MB - 1)).is_under
    assert not Run(name, 1.0, Memory(peak=bar * MB)).is_under


def test_a_missed_bar_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    small = Run("00.ipynb", 1.0, Memory(1, 1, 1))
    large = Run("01.ipynb", 1.0, Memory(1, 1, 301 * MB))
    quick, slow = Visit(1.0, 1.0, 2.0), Visit(1.0, 1.0, 20.0)
    assert visit.verdict([small], [quick]) == 0
    assert visit.verdict([small, large], [quick]) == 1
    assert visit.verdict([small], [slow]) == 1
    assert "01.ipynb" in capsys.readouterr().out


@linux_only
def test_a_python_for_everybody_lies_in_folders_that_everybody_may_enter() -> None:
    found = image.python_for_everybody()
    if found is None:
        pytest.skip(f"no {image.RUNTIME} that every user may run is on the PATH")
    asked = [found, "-c", "import sys; print('python-%d.%d' % sys.version_info[:2])"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert said.strip() == image.RUNTIME


def test_a_table_is_aligned() -> None:
    lines = table.table(("a", "bb"), [("ccc", 1), ("d", 22)]).splitlines()
    assert [line.rfind(" ") for line in lines] == [4, 4, 4, 4]
