"""What a learner reads: never an error of ours, whatever is handed over or was changed."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exercise_files import answers

from engine import Value
from engine.course import check, hint, progress
from engine.course.checks import asking, processes
from engine.course.checks.grading import require
from engine.course.places import Places


class Hostile:
    """Raises whatever is done with it."""

    def _raise(self, *_: object) -> Any:
        raise RuntimeError("from the learner's own object")

    __repr__ = __eq__ = __float__ = __iter__ = __len__ = __bool__ = _raise
    __hash__ = None

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class Leaving:
    """Wants to end Python when somebody looks at it."""

    def __repr__(self) -> str:
        raise SystemExit

    __str__ = __float__ = __repr__


class Sly(float):
    """A number that says it equals all others."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A learner's copy, and a notebook that runs in it."""
    places = Places(tmp_path / "a cöurse")
    places.chapters.mkdir(parents=True)
    (places.chapters / "01-wiggle.ipynb").write_text("{}")
    (places.work / "exercises").mkdir(parents=True)
    monkeypatch.chdir(places.work / "exercises")
    return places


def test_three_answers_read_differently() -> None:
    said = [check("01.1", answer) for answer in (..., -4, 4)]
    assert [verdict.state for verdict in said] == ["untouched", "right", "wrong"]
    assert len({verdict.heading for verdict in said}) == 3
    assert len({str(verdict) for verdict in said}) == 3
    assert 'hint("01.1")' in str(said[2])


ODD = {
    "hostile": Hostile(),
    "sly": Sly(1.0),
    "object": object(),
    "hostile in a list": [Hostile()],
    "hostile in a dictionary": {"a": Hostile()},
    "class": Value,
    "bytes": b"-4",
    "leaving": Leaving(),
    "leaving in a list": [Leaving()],
}


@pytest.mark.parametrize("answer", ODD.values(), ids=ODD.keys())
def test_any_answer_at_all_is_told_something(answer: Any) -> None:
    assert check("01.1", answer).state == "wrong"


def many_nodes() -> Value:
    value = Value(1.0)
    for _ in range(100_000):
        value = value + 1
    return value


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: "x" * 10**8, "is text"),
        (many_nodes, "more than 5000 nodes"),
        (lambda: 10**400, "401 digits"),
        (lambda: 10**5000, "5001 digits"),
        (lambda: list(range(10**7)), "10000000 members"),
        (lambda: [[[0] * 900] * 900] * 900, "(a list)"),
        (lambda: np.zeros((3000, 3000)), "9000000 members"),
        (lambda: np.zeros(2), "[0, 0] (a NumPy array)"),
    ],
)
def test_of_a_huge_answer_its_size_is_told_at_once(make: Any, words: str) -> None:
    answer = make()
    check("01.1", -4)
    began = time.monotonic()
    said = check("01.1", answer)
    assert said.state == "wrong"
    assert words in said.words
    assert time.monotonic() - began < 5


def test_a_list_that_holds_itself_is_told_something() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert check("01.1", endless).state == "wrong"


@pytest.mark.parametrize(
    "name",
    ["1.1", "99.9", "", "all", 1.1, None, ODD["hostile"], -4],
    ids=lambda name: type(name).__name__,
)
def test_a_name_that_no_exercise_has_is_told_which_there_are(name: Any) -> None:
    for said in (check(name, 1), hint(name)):
        assert said.state == "told"
        assert "01.1" in str(said)


def test_a_check_without_an_answer_asks_for_one() -> None:
    assert 'check("01.1", answer)' in str(check("01.1"))


def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The warm process would go on with what it was started with."""
    processes.end()
    monkeypatch.setattr(processes.sys, "executable", "no such program")


def one_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    processes.end()
    monkeypatch.setattr(processes, "PROGRAM", "1 / 0")


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "fresh"])
@pytest.mark.parametrize("change", [no_processes, one_that_fails])
def test_a_check_that_cannot_be_made_says_that_it_is_not_the_answers_fault(
    change: Any, warm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "FORKS", warm and processes.FORKS)
    change(monkeypatch)
    said = check("01.1", -4)
    assert said.state == "failed"
    assert "nothing about your answer" in " ".join(str(said).split())


def test_a_check_that_is_interrupted_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(processes.Channel, "receive", interrupted)
    assert check("01.1", -4).heading == "Stopped"
    monkeypatch.undo()
    assert check("01.1", -4).state == "right"


def test_hints_come_one_by_one_and_end() -> None:
    asking._shown.clear()
    said = [str(hint("01.2")) for _ in range(4)]
    assert said[0].startswith("01.2 · Hint. 1 of 3: ")
    assert all(new.startswith(old.rpartition("\n")[0]) for old, new in pairwise(said[:3]))
    assert "3 of 3" in said[2]
    assert said[3] == said[2]
    assert "next hint" not in said[2]


def test_the_page_gets_the_same_words_and_no_tags_of_the_learners() -> None:
    said = check("01.1", "<b>-4</b>")
    assert "&lt;b&gt;" in said._repr_html_()
    assert "<b>" not in said._repr_html_()


# Progress.


def test_tries_are_remembered_in_the_learners_copy(copy: Places) -> None:
    check("01.1", ...)
    assert progress.read(copy).entries == {}
    check("01.1", 4)
    check("01.1", -4)
    check("01.1", 4)
    check("01.4", 0.1)
    assert progress.read(copy).entries == {
        "01.1": progress.Entry(3, done=True),
        "01.4": progress.Entry(1, done=False),
    }
    assert " 1 of " in " ".join(str(check()).split())
    assert "Next: 01.2." in str(check())


def test_outside_of_a_copy_nothing_is_remembered(
    copy: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy.chapters)
    check("01.1", -4)
    assert progress.read(copy).entries == {}
    assert "your own copy" in str(check())


def test_tries_are_remembered_in_the_copy_of_a_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    klass = Places(tmp_path / "walk", copy="")
    for folder in (klass.chapters, klass.exercises):
        folder.mkdir(parents=True)
    (klass.chapters / "01-wiggle.ipynb").write_text("{}")
    monkeypatch.chdir(klass.exercises)
    assert str(check("01.1", -4)).count("written") == 0
    assert progress.read(klass).entries == {"01.1": progress.Entry(1, done=True)}
    assert "1 of " in " ".join(str(check()).split())


def test_a_damaged_memory_is_told_and_set_aside(copy: Places) -> None:
    file = progress.file_of(copy, "01.1")
    file.parent.mkdir(parents=True)
    file.write_text('{"tries": 1, "do')
    assert "01.1.damaged-1.json" in " ".join(str(check("01.1", -4)).split())
    assert file.with_name("01.1.damaged-1.json").read_text() == '{"tries": 1, "do'
    assert progress.read(copy).entries == {"01.1": progress.Entry(1, done=True)}


# Those who try to pass without an answer.

CHANGES = {
    "the engine's measuring": (
        "import engine.measuring as g\ng.central_difference = lambda *a, **k: (1.0,)"
    ),
    "the engine's product": (
        "from engine import Value; Value.__mul__ = lambda a, b: a\n"
        "import engine.value as v; v._node = None"
    ),
    "what is the same": (
        "import engine.course.checks.plain as p, engine.course.checks.exercise as e\n"
        "p.same = e.same = lambda *a: True"
    ),
    "the exercises": (
        "import engine.course.checks.catalog as c, dataclasses\n"
        "old = c.find\n"
        "c.find = lambda n: dataclasses.replace(old(n), cases=())"
    ),
    "the judge": (
        "import engine.course.checks.judging as j\nj.judge = lambda *a: j.Judgment('01.2', 'right')"
    ),
}
ATTEMPT = """
from engine.course import check
{change}
def slope(f, x, h):
    return 1.0
print(check("01.2", slope).state)
"""
GRADED = """
{change}
from engine.course.checks.grading import require
try:
    require("01.1", 4)
except AssertionError as error:
    print("no points:", str(error).partition(".")[0])
"""
CHANGED_CHECKS = {
    "the word itself": "import engine.course; engine.course.check = lambda *a: None",
    "its module": (
        "import engine.course.checks.asking as a\n"
        "a.check = lambda *_: a.Verdict('01.1', 'right', 'Right', '')"
    ),
    "what it is told": (
        "import engine.course.checks.asking as a\n"
        "a._asked = lambda *_: {'state': 'right', 'words': '', 'kind': '', 'note': ''}"
    ),
    "which judge it asks": (
        "import engine.course.checks.processes as p\n"
        "told = {'state': 'right', 'words': '', 'kind': '', 'note': ''}\n"
        "p.ask = lambda *_: told\n"
        "p._Warm.ask = lambda *_: told\n"
        "p._warm = p._Warm()"
    ),
}


def said_by(code: str, folder: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_engine_does_not_make_a_wrong_answer_right(change: str, tmp_path: Path) -> None:
    assert said_by(ATTEMPT.format(change=change), tmp_path) == "wrong"


@pytest.mark.parametrize("change", CHANGED_CHECKS.values(), ids=CHANGED_CHECKS.keys())
def test_a_changed_check_gives_no_points(change: str, tmp_path: Path) -> None:
    said = said_by(GRADED.format(change=change), tmp_path)
    assert said.splitlines()[-1].startswith("no points: 01")


def test_a_file_beside_the_notebook_does_not_stand_in_for_the_engine(tmp_path: Path) -> None:
    for name in ("engine.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('mine')")
    code = "from engine.course import check; print(check('01.1', 4).state)"
    assert said_by(f"import sys; sys.path.pop(0); {code}", tmp_path) == "wrong"


def test_points_are_given_for_a_right_answer(capsys: pytest.CaptureFixture[str]) -> None:
    require("01.1", answers("solutions", "01")["01.1"])
    assert "Right" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="Not tried yet"):
        require("01.1", ...)
