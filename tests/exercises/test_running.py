"""A learner's function runs in a world of its own, and nothing it does reaches this one."""

from __future__ import annotations

import enum
import functools
import json
import math
import operator
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

import engine
from engine import central_difference as imported
from engine.course.build import executed
from engine.course.checks import catalog, judging, packing, processes, running
from engine.course.checks.judging import Judgment, State
from engine.course.checks.plain import describe, restore

HELPER_STEP = 2
HUGE = [float(k) for k in range(2_000_000)]


def judged(answer: Any, name: str = "01.2") -> Judgment:
    return judging.judge(catalog.find(name), restore(json.loads(json.dumps(describe(answer)))))


def slope(f, x, h):
    return (f(x + h) - f(x - h)) / both_ways(h)


def both_ways(h):
    return HELPER_STEP * h


def test_a_function_brings_its_helpers_modules_and_numbers() -> None:
    assert judged(slope).state is State.RIGHT


def test_a_function_may_be_made_by_another_one() -> None:
    def maker(factor):
        def made(f, x, h, *, below=1):
            return (f(x + h) - f(x - below * h)) / (factor * h)

        return made

    assert judged(maker(2)).state is State.RIGHT


def test_a_function_may_use_a_module_of_python() -> None:
    assert judged(lambda f, x, h: math.fsum([f(x + h), -f(x - h)]) / (2 * h)).state is State.RIGHT


def by_tables(f, x, h):
    sides = np.array([[f(x + h)], [-f(x - h)]])
    print(sides, sides.max(axis=1), sides.mean(axis=0, keepdims=True))
    return float(sides.sum()) / (2 * h)


def test_a_function_may_use_what_numpy_loads_on_demand() -> None:
    assert judged(by_tables).state is State.RIGHT


class Wiggle:
    """A class of the notebook, with what classes in notebooks have."""

    ways = 2

    def __init__(self, f, x):
        self.f, self.x = f, x

    @staticmethod
    def over(change, width):
        return change / width

    @classmethod
    def of(cls, f, x):
        return cls(f, x)

    @property
    def here(self):
        return self.x

    def slope(self, h):
        return self.over(self.f(self.here + h) - self.f(self.here - h), self.ways * h)


class SlottedWiggle(Wiggle):
    __slots__ = ("kept",)

    def __init__(self, f, x):
        super().__init__(f, x)
        self.kept = SlottedWiggle

    def slope(self, h):
        assert type(self) is self.kept
        assert isinstance(self, Wiggle)
        return super().slope(h)


class Bound:
    other = SlottedWiggle

    def wiggle(self, f, x):
        return SlottedWiggle(f, x), self.other


def with_a_class(f, x, h):
    return Wiggle.of(f, x).slope(h)


def with_a_class_of_a_class(f, x, h):
    return SlottedWiggle.of(f, x).slope(h)


def with_one_class_on_two_ways(f, x, h):
    made, other = Bound().wiggle(f, x)
    return made.slope(h) if type(made) is other else 0.0


@pytest.mark.parametrize(
    "function", [with_a_class, with_a_class_of_a_class, with_one_class_on_two_ways]
)
def test_a_function_brings_the_classes_it_uses(function: Any) -> None:
    assert judged(function).state is State.RIGHT


def test_a_method_brings_what_it_uses_itself() -> None:
    assert {".slope", ".over"} <= {*packing.pack(with_a_class)["uses"]}


@functools.cache
def remembered_step(h):
    return HELPER_STEP * h


OPERATIONS = {"-": operator.sub, "/": operator.truediv, "both": [remembered_step, both_ways]}


def with_a_table_of_operations(f, x, h):
    below = OPERATIONS["both"][0](h)
    return OPERATIONS["/"](OPERATIONS["-"](f(x + h), f(x - h)), below)


@functools.cache
def remembered(f, x, h):
    return (f(x + h) - f(x - h)) / remembered_step(h)


@pytest.mark.parametrize("function", [with_a_table_of_operations, remembered])
def test_a_function_brings_tables_of_functions_and_those_that_remember(function: Any) -> None:
    assert judged(function).state is State.RIGHT


# In a program of its own, since a notebook is Python's main module too.
DATACLASSES = """
from dataclasses import dataclass, field
from engine.course import check

@dataclass
class Measured:
    f: object
    x: float = 0.0
    sides: list[float] = field(default_factory=list)

    def slope(self, h):
        self.sides += [self.f(self.x + h), self.f(self.x - h)]
        return (self.sides[0] - self.sides[1]) / (2 * h)

@dataclass(frozen=True, slots=True)
class Sides:
    up: float
    down: float

def changing(f, x, h):
    assert Measured(f, x) == Measured(f, x)
    assert repr(Measured(f, x)).startswith("Measured(f=")
    return Measured(f, x).slope(h)

def frozen(f, x, h):
    sides = Sides(f(x + h), down=f(x - h))
    return (sides.up - sides.down) / (2 * h)

print(check("01.2", changing).state, check("01.2", frozen).state)
"""


def test_a_function_brings_dataclasses(tmp_path: Path) -> None:
    program = [sys.executable, "-c", DATACLASSES]
    said = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout == "right right\n"


# As above: an Enum and a NamedTuple know by themselves which module they are made in.
CLASSES = """
import enum
import operator
from abc import ABC, abstractmethod
from collections import namedtuple
from typing import NamedTuple
from engine.course import check

class Side(enum.Enum):
    UP = "up"
    DOWN = "down"

    @property
    def sign(self):
        return 1 if self is Side.UP else -1

class Kind(enum.StrEnum):
    MINUS = enum.auto()
    OVER = enum.auto()

OPERATIONS = {Kind.MINUS: operator.sub, Kind.OVER: operator.truediv}

class Ends(NamedTuple):
    up: float
    down: float = 0.0
    width = 2

    def over(self, h):
        return (self.up - self.down) / (self.width * h)

Pair = namedtuple("Pair", "up down")
SIGNS = Pair(1, down=-1)

class Curve(ABC):
    @abstractmethod
    def slope(self, h): ...

class Drawn(Curve):
    def __init__(self, f, x):
        self.f, self.x = f, x

    def slope(self, h):
        return (self.f(self.x + h) - self.f(self.x - h)) / (2 * h)

class DrawnAgain(Drawn):
    pass

class Named(type):
    ways = 1

    def __call__(cls, *inputs):
        made = super().__call__(*inputs)
        made.kind = cls.__name__
        return made

class Told(metaclass=Named):
    def __init__(self, f):
        self.f = f

    def at(self, x):
        return self.f(x)

def by_sides(f, x, h):
    assert Side("up") is Side.UP and [*Side] == [Side.UP, Side.DOWN]
    return sum(side.sign * f(x + side.sign * h) for side in Side) / (2 * h)

def by_kinds(f, x, h):
    assert Kind.OVER == "over"
    return OPERATIONS[Kind.OVER](OPERATIONS[Kind.MINUS](f(x + h), f(x - h)), 2 * h)

def by_ends(f, x, h):
    assert Ends(1.0) == (1.0, 0.0)
    return Ends(f(x + h), down=f(x - h)).over(h)

def by_pair(f, x, h):
    return sum(sign * f(x + sign * h) for sign in SIGNS) / (2 * h) * SIGNS.up

def by_abstract(f, x, h):
    return Drawn(f, x).slope(h)

def by_abstract_twice(f, x, h):
    return DrawnAgain(f, x).slope(h)

def by_metaclass(f, x, h):
    told = Told(f)
    assert told.kind == "Told"
    return (told.at(x + h) - told.at(x - h)) / (2 * h) * Told.ways

tried = (by_sides, by_kinds, by_ends, by_pair, by_abstract, by_abstract_twice, by_metaclass)
for function in tried:
    said = check("01.2", function)
    print(said.state if said.state == "right" else f"{function.__name__}: {said.words}")
"""


def test_a_function_brings_enums_named_tuples_and_classes_of_other_kinds(tmp_path: Path) -> None:
    program = [sys.executable, "-c", CLASSES]
    said = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["right"] * 7


def that_holds_itself():
    def slope(f, x, h, turns=1):
        return slope(f, x, h, turns - 1) if turns else (f(x + h) - f(x - h)) / (2 * h)

    return slope


def test_a_function_that_holds_itself_is_taken_along() -> None:
    inner = that_holds_itself()
    assert judged(lambda f, x, h: inner(f, x, h)).state is State.RIGHT


STEPS = np.array([1.0, -1.0])
WIGGLE = Wiggle(math.exp, 0.0)


def with_an_array(f, x, h):
    return float(sum(side * f(x + side * h) for side in STEPS)) / (2 * h)


def with_what_a_class_made(f, x, h):
    WIGGLE.f, WIGGLE.x = f, x
    return WIGGLE.slope(h)


def with_an_attribute(f, x, h):
    return (f(x + h) - f(x - h)) / (with_an_attribute.ways * h)


with_an_attribute.ways = 2


@pytest.mark.parametrize("function", [with_an_array, with_what_a_class_made, with_an_attribute])
def test_a_function_brings_data_of_every_kind(function: Any) -> None:
    assert judged(function).state is State.RIGHT


def with_a_number_around_it():
    width = engine.Value(2.0)

    def made(f, x, h):
        return (f(x + h) - f(x - h)) / (width.data * h)

    return made


class NotPlain:
    started = engine.Value(2.0)

    def slope(self, f, x, h):
        return (f(x + h) - f(x - h)) / (self.started.data * h)


class UsesItsBase(NotPlain):
    def again(self):
        return UsesItsBase()


def half(change, of=engine.Value(2.0)):  # noqa: B008
    return change / of.data


class MadeOfTwo(enum.Enum):
    """Its members are made by what is written in the class."""

    STEP = (1, 2)

    def __init__(self, down, up):
        self.width = up * down


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda f, x, h: half(f(x + h) - f(x - h)) / h, "half"),
        (lambda f, x, h: (f(x + h) - f(x - h)) / (MadeOfTwo.STEP.width * h), "MadeOfTwo"),
        (lambda f, x, h: NotPlain().slope(f, x, h), "NotPlain"),
        (with_a_number_around_it(), "width"),
        (lambda f, x, h: len(HUGE) * f(x), "HUGE"),
        (lambda f, x, h: UsesItsBase().again().slope(f, x, h), "UsesItsBase"),
    ],
)
def test_a_helper_that_cannot_be_taken_along_is_named(function: Any, name: str) -> None:
    judgment = judged(function)
    assert judgment.kind == "outside"
    assert name in judgment.words


def test_a_module_that_only_the_notebook_finds_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_helpers.py").write_text("def half(x):\n    return x / 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import my_helpers

    judgment = judged(lambda f, x, h: my_helpers.half(f(x + h) - f(x - h)) / h)
    assert judgment.kind == "raised"
    assert "ModuleNotFoundError: No module named 'my_helpers'" in judgment.words


def test_what_a_check_does_not_have_is_named() -> None:
    global something
    something = engine.Value(2.0)
    judgment = judged(lambda f, x, h: (f(x + h) - f(x - h)) / (something.data * h))
    assert judgment.kind == "outside"
    assert "something" in judgment.words


@pytest.fixture(params=["warm", "fresh"])
def process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both kinds of processes; where there is no fork, both are fresh."""
    monkeypatch.setattr(processes, "FORKS", request.param == "warm" and processes.FORKS)
    return request.param


in_a_fork = pytest.mark.skipif(not processes.FORKS, reason="no fork here")


def endless(f, x, h):
    while True:
        pass


def endless_inside_c(f, x, h):
    return sum(iter(int, 1))


def endless_and_deaf(f, x, h):
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            time.sleep(60)
        except BaseException:  # noqa: BLE001
            continue


def endless_child(f, x, h):
    subprocess.run([sys.executable, "-c", "while True: pass"], check=False)


@pytest.mark.parametrize("function", [endless, endless_inside_c, endless_and_deaf, endless_child])
def test_an_endless_function_is_stopped(
    function: Any, process: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RUN_SECONDS", 1)
    began = time.monotonic()
    judgment = judged(function)
    assert (judgment.state, judgment.kind) == (State.WRONG, "endless")
    assert "1 seconds" in judgment.words
    assert time.monotonic() - began < 30


def leaves_a_thread(f, x, h):
    threading.Thread(target=endless, args=(f, x, h)).start()
    return (f(x + h) - f(x - h)) / (2 * h)


def leaves_twenty_threads(f, x, h):
    for _ in range(20):
        threading.Thread(target=endless, args=(f, x, h)).start()
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("function", [leaves_a_thread, leaves_twenty_threads])
def test_threads_that_go_on_keep_nobody_waiting(function: Any) -> None:
    assert judged(function).state is State.RIGHT


# What was started goes on in sessions of its own, below parents that have ended.


def hides_and_ends(f, x, h):
    time.sleep(0.3)
    return (f(x + h) - f(x - h)) / (2 * h)


def hides_and_crashes(f, x, h):
    time.sleep(0.3)
    os._exit(0)


@in_a_fork
@pytest.mark.parametrize(
    ("function", "kind"),
    [(hides_and_ends, ""), (hides_and_crashes, "crashed"), (endless, "endless")],
)
def test_nothing_that_a_function_started_is_alive_afterwards(
    function: Any, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RUN_SECONDS", 2)
    monkeypatch.chdir(tmp_path)
    began = time.monotonic()
    judgment = judged(hiding(function))
    assert judgment.kind == kind, judgment.words
    assert time.monotonic() - began < 10
    pids = [int(line) for line in (tmp_path / "hidden").read_text().split()]
    assert len(pids) >= 3
    assert not [pid for pid in pids if is_alive(pid)]


def hiding(function):
    def started(f, x, h):
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.setsid()
                    with open("hidden", "a") as file:  # noqa: PTH123
                        file.write(f"{os.getpid()}\n")
                    time.sleep(600)
                os._exit(0)
        return function(f, x, h)

    return started


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def comes_back_twice(f, x, h):
    os.fork()
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_that_comes_back_from_the_function_is_no_second_answer() -> None:
    assert judged(comes_back_twice).state is State.RIGHT


# The warm process.


def keeps_something_in_mind(f, x, h):
    import builtins

    import engine.text

    found = getattr(builtins, "kept", getattr(engine.text, "kept", 0))
    builtins.kept = engine.text.kept = found + 1
    return (f(x + h) - f(x - h)) / (2 * h) if found < 20 else found


def test_one_answer_leaves_nothing_for_the_next() -> None:
    assert [judged(keeps_something_in_mind).state for _ in range(3)] == [State.RIGHT] * 3


@in_a_fork
def test_a_warm_process_answers_many_and_another_one_stands_in_for_a_dead_one() -> None:
    assert judged(slope).state is State.RIGHT
    first = processes._warm._process.pid
    assert judged(slope).state is State.RIGHT
    assert processes._warm._process.pid == first
    os.kill(first, signal.SIGKILL)
    assert judged(slope).state is State.RIGHT
    assert processes._warm._process.pid != first


@in_a_fork
def test_a_warm_process_is_quick() -> None:
    """The first answer has waited for the imports; a loaded machine may need ten times as long."""
    assert judged(slope).state is State.RIGHT
    took = []
    for _ in range(9):
        began = time.monotonic()
        judged(slope)
        took.append(time.monotonic() - began)
    assert statistics.median(took) < 1.5


NOBODY_LEFT = """
import os, sys, threading, time
from engine.course.checks import check, processes

def endless(f, x, h):
    with open("running", "w") as file:
        file.write(str(os.getpid()))
    while True:
        time.sleep(1)

check("01.1", 4)
print(processes._warm._process.pid, flush=True)
check("01.2", endless)
"""


@in_a_fork
@pytest.mark.parametrize("busy", [True, False], ids=["busy", "idle"])
def test_a_warm_process_does_not_outlive_its_kernel(busy: bool, tmp_path: Path) -> None:
    program = (
        NOBODY_LEFT if busy else NOBODY_LEFT.replace('check("01.2", endless)', "time.sleep(600)")
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as kernel:
        pids = [int(kernel.stdout.readline())]
        running_now = tmp_path / "running"
        while busy and not (running_now.exists() and running_now.read_text()):
            time.sleep(0.05)
        if busy:
            pids.append(int(running_now.read_text()))
        kernel.kill()
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, pids))


def ends_the_process(f, x, h):
    os._exit(0)


def crashes_python(f, x, h):
    os.kill(os.getpid(), signal.SIGSEGV)


def exits(f, x, h):
    sys.exit("right")


def eats_memory(f, x, h):
    return len(bytearray(3 * 1024**3 // 2))


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (ends_the_process, "crashed"),
        (crashes_python, "crashed"),
        (exits, "raised"),
        (eats_memory, "memory"),
    ],
)
def test_a_function_that_breaks_its_process_is_told_so(
    function: Any, kind: str, process: str
) -> None:
    judgment = judged(function)
    assert (judgment.state, judgment.kind) == (State.WRONG, kind), judgment.words


def test_an_error_is_told_with_the_line_of_the_function() -> None:
    def divides(f, x, h):
        up = f(x + h)
        return up / 0

    assert "in its line 3 with ZeroDivisionError: float division" in judged(divides).words


def test_an_error_that_cannot_be_shown_is_told_by_its_name() -> None:
    def raises(f, x, h):
        class OddError(Exception):
            def __str__(self):
                raise RuntimeError

        raise OddError

    assert "OddError" in judged(raises).words


def test_what_a_function_prints_disturbs_nobody(
    capfd: pytest.CaptureFixture[str], process: str
) -> None:
    def talks(f, x, h):
        print("noise\n" * 100_000)
        sys.stderr.write("noise")
        return (f(x + h) - f(x - h)) / (2 * h)

    assert judged(talks).state is State.RIGHT
    assert capfd.readouterr() == ("", "")


# Those who try to pass without an answer.


def answers_for_the_runner(f, x, h):
    line = json.dumps(
        {"result": {"is": "number", "number": 6.0}, "error": "", "message": "", "line": 0}
    )
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, f"{line}\n".encode() * 4)
        except OSError:
            continue
    os._exit(0)


def talks_nonsense_to_the_judge(f, x, h):
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b'{"state": "right"}\n' * 9)
        except OSError:
            continue
    os._exit(0)


def changes_the_engine(f, x, h):
    import engine.measuring as measuring
    from engine.course.checks import chapter_01, exercise, plain

    measuring.central_difference = lambda *_, **__: (1.0,)
    chapter_01._central = lambda *_: 1.0
    plain.same = exercise.same = lambda *_: True
    return 1.0


def asks_the_runner(f, x, h):
    """The right answers, and what computes them, are not where the function runs."""
    frame = sys._getframe(1)
    while frame:
        for held in frame.f_locals.values():
            if isinstance(held, float) and held not in (x, h):
                return held
            if (found := getattr(held, "reference", None)) and (given := found(f, x, h)):
                return given
        frame = frame.f_back
    return 1.0


def gives_something_that_equals_all(f, x, h):
    class Everything(float):
        def __eq__(self, other):
            return True

        def __sub__(self, other):
            return 0.0

        __hash__ = None

    return Everything(1.0)


@pytest.mark.parametrize(
    "function",
    [
        answers_for_the_runner,
        talks_nonsense_to_the_judge,
        changes_the_engine,
        asks_the_runner,
        gives_something_that_equals_all,
    ],
)
def test_a_function_cannot_pass_by_cheating_its_runner(function: Any, process: str) -> None:
    assert judged(function).state is State.WRONG


def engines_own(f, x, h):
    return engine.central_difference(f, [x], step=h)[0]


def engines_own_imported_inside(f, x, h):
    from engine import central_difference as mine

    return mine(f, [x], step=h)[0]


def engines_own_in_a_helper(f, x, h):
    return engines_own(f, x, h)


class EnginesOwn:
    def slope(self, f, x, h):
        return engine.central_difference(f, [x], step=h)[0]


def engines_own_in_a_class(f, x, h):
    return EnginesOwn().slope(f, x, h)


def engines_own_as_a_default(f, x, h, mine=engine.central_difference):
    return mine(f, [x], step=h)[0]


@pytest.mark.parametrize(
    "function",
    [
        engines_own,
        engines_own_imported_inside,
        engines_own_in_a_helper,
        engines_own_in_a_class,
        engines_own_as_a_default,
        lambda f, x, h: imported(f, [x], step=h)[0],
    ],
)
def test_a_function_does_not_pass_by_calling_the_engines_own(function: Any) -> None:
    judgment = judged(function)
    assert judgment.kind == "forbidden"
    assert "central_difference" in judgment.words


def asks_the_course(f, x, h):
    from engine.course.checks import catalog as course

    return course.find("01.2").reference(f, x, h)


def asks_the_course_for_all(f, x, h):
    import engine.course.checks.catalog

    return engine.course.checks.catalog.find("01.2").reference(f, x, h)


@pytest.mark.parametrize(
    "function",
    [asks_the_course, asks_the_course_for_all, lambda f, x, h: catalog.find("01.2").reference()],
)
def test_a_function_does_not_pass_by_asking_the_course(function: Any) -> None:
    judgment = judged(function)
    assert judgment.kind == "forbidden"
    assert "the course itself" in judgment.words


def test_a_helper_may_have_the_name_of_the_engines_own() -> None:
    global central_difference

    def central_difference(f, x, h):
        return (f(x + h) - f(x - h)) / (2 * h)

    assert judged(lambda f, x, h: central_difference(f, x, h)).state is State.RIGHT


# In a real notebook.


def test_a_kernel_lives_on_after_an_endless_function() -> None:
    cells = [
        "from engine.course import check",
        "def endless(f, x, h):\n    while True:\n        pass",
        "check('01.2', endless)",
        "print('alive')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    executed(Path(__file__).parent / "in-memory.ipynb", notebook=notebook)
    assert "was stopped" in notebook.cells[2].outputs[0].data["text/plain"]
    assert notebook.cells[3].outputs[0].text == "alive\n"


def test_a_process_that_everybody_has_left_ends_by_itself() -> None:
    request = {"exercise": "01.2", "folder": ".", "seconds": 1, **packing.pack(endless)}
    program = (
        "from engine.course.checks import running, serving\n"
        "running.SECONDS_MORE = 1\n"
        "serving.main('running')"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=f"{json.dumps(request)}\n", text=True, check=False)
    assert done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)


# What nobody has written yet.


def with_a_docstring(x):
    """Say what it does."""


def with_dots(x): ...


def with_pass(x):
    """Say what it does."""
    pass  # noqa: PIE790


def as_nbgrader_leaves_it(x):
    """Say what it does."""
    # YOUR CODE HERE
    raise NotImplementedError()


@pytest.mark.parametrize(
    "function", [with_a_docstring, with_dots, with_pass, as_nbgrader_leaves_it, lambda x: None]
)
def test_a_body_that_says_nothing_is_not_tried_yet(function: Any) -> None:
    assert not packing.is_written(function.__code__)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 0,
        lambda x: "text",
        lambda x: x,
        lambda x: (),
        lambda x: False,
        slope,
        exits,
        lambda x: print(),
    ],
)
def test_a_body_that_says_something_is_tried(function: Any) -> None:
    assert packing.is_written(function.__code__)
