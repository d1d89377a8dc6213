"""Run a learner's function on its cases, in a process of its own that a time limit can end.

The process is a fresh Python: it knows nothing of what was changed in the notebook, nothing the
function does there reaches the notebook, and an endless loop ends with it.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple, TextIO

from engine.course.checks import packing
from engine.course.checks.exercise import FunctionExercise, given_back
from engine.course.checks.packing import Packed
from engine.course.checks.plain import describe, restore, shortened
from engine.text import ESCAPES

START_SECONDS = 60
RUN_SECONDS = 10
LONG_CASE_SECONDS = 4
SECONDS_MORE = 2
MOST_BYTES = 1024**3
LONGEST_MESSAGE = 400
ROOT = Path(__file__).parents[3]
# The package is looked for where this file is, and not where the notebook is.
PROGRAM = "import sys; sys.path.insert(0, {root!r}); from {module} import main; sys.exit(main())"


@dataclass(frozen=True)
class Outcome:
    """What one case came to.

    Attributes:
        result: what was observed, restored; None where there is an error.
        error: the type of what was raised, ``"endless"`` for the time limit, ``"crashed"`` for a
            process that ended by itself, ``"signature"`` where the inputs do not fit, or ``""``.
        message: of the error.
        line: of the function where the error was raised, its first line being 1; 0 if unknown.
    """

    result: Any = None
    error: str = ""
    message: str = ""
    line: int = 0


class Runs(NamedTuple):
    """What all calls of a function came to.

    Attributes:
        first: one outcome for each case, up to the first that did not come to an end. The
            function is made anew for each.
        again: the same cases in turn, over and over, in calls of one and the same function. Of
            use only where all of ``first`` came to an end.
    """

    first: list[Outcome]
    again: list[Outcome]


def command(module: str) -> list[str]:
    """The command that runs a module's ``main`` in a fresh Python.

    Args:
        module: its name.
    """
    return [sys.executable, "-I", "-c", PROGRAM.format(root=str(ROOT), module=module)]


def run(exercise: FunctionExercise, packed: Packed) -> Runs:
    """Run a function on every case of its exercise, and then call it again.

    Args:
        exercise: whose cases to run.
        packed: the learner's function. All cases together have ``RUN_SECONDS``, and so have the
            calls after them.
    """
    request = {"exercise": exercise.name, "name": packed.name, "content": packed.content}
    with subprocess.Popen(
        command(__name__),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        # Each thread of NumPy's linear algebra would take 40 MB of the memory that is allowed.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    ) as process:
        lines, ended = _conversation(process, json.dumps(request), exercise)
    cases, calls = len(exercise.cases), _calls(exercise)
    outcomes = [_outcome(line) for line in lines[:calls]]
    if len(outcomes) < calls:
        outcomes.append(Outcome(error="crashed" if ended else "endless"))
    return Runs(outcomes[:cases], outcomes[cases:])


def _calls(exercise: FunctionExercise) -> int:
    """How many outcomes there are if nothing goes wrong."""
    return len(exercise.cases) * (2 + _can_look_again(exercise) + (exercise.renew is not None))


def _can_look_again(exercise: FunctionExercise) -> bool:
    """Whether looking at a result changes nothing: some observers walk back, and that adds."""
    return exercise.observe is given_back or exercise.renew is not None


def _conversation(
    process: subprocess.Popen[str], request: str, exercise: FunctionExercise
) -> tuple[list[str], bool]:
    """The lines the process said, and whether it came to an end by itself.

    The clock starts when the process is ready, since a busy machine may need long for that, and
    it starts again when each case has been run. A case that tells a walk along every path from
    others takes either no time or for ever.
    """
    from queue import Empty, Queue
    from threading import Thread

    assert process.stdin is not None
    cases, quick = len(exercise.cases), sum(not case.too_long for case in exercise.cases)
    said: Queue[str | None] = Queue()
    Thread(target=_listen, args=(process.stdout, said), daemon=True).start()
    lines: list[str] = []
    try:
        with contextlib.suppress(OSError):
            process.stdin.write(request)
            process.stdin.close()
        if said.get(timeout=START_SECONDS) is None:
            return lines, True
        deadline = monotonic() + RUN_SECONDS
        while (line := said.get(timeout=max(0.0, deadline - monotonic()))) is not None:
            lines.append(line)
            if quick <= len(lines) < cases:
                deadline = monotonic() + min(LONG_CASE_SECONDS, RUN_SECONDS)
            if len(lines) == cases:
                deadline = monotonic() + RUN_SECONDS
    except Empty:
        return lines, False
    finally:
        _end(process)
    return lines, True


def _listen(stream: TextIO | None, said: Any) -> None:
    assert stream is not None
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            said.put(line)
    said.put(None)


def _end(process: subprocess.Popen[str]) -> None:
    """End the process, and what it may have started."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _outcome(line: str) -> Outcome:
    try:
        told = json.loads(line)
        return Outcome(restore(told["result"]), told["error"], told["message"], told["line"])
    except (ValueError, KeyError, TypeError):
        return Outcome(error="crashed")


# In the process of its own.


def main() -> int:
    """Read the request, run the cases, and write one line for each."""
    request = json.loads(sys.stdin.read())
    with _private_output() as output:
        from engine.course.checks.catalog import find

        exercise = find(request["exercise"])
        assert isinstance(exercise, FunctionExercise)
        function = packing.unpack(request)
        _limit()
        print("ready", file=output, flush=True)
        for told in _cases(exercise, lambda: packing.unpack(request)):
            print(json.dumps(told), file=output, flush=True)
        for told in _more_calls(exercise, function):
            print(json.dumps(told), file=output, flush=True)
    return 0


@contextlib.contextmanager
def _private_output() -> Iterator[TextIO]:
    """What the function prints goes nowhere; only the outcomes go back."""
    private = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    with private:
        yield private


def _limit() -> None:
    """A list that grows without end is to end this process, and not the machine.

    The limit of time is for the case that nobody is left who could end it.
    """
    if sys.platform != "win32":
        import resource

        seconds = int(process_time()) + 2 * RUN_SECONDS + SECONDS_MORE
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _cases(exercise: FunctionExercise, made: Callable[[], Any]) -> Iterator[dict[str, Any]]:
    """Every case, with a function that remembers nothing of the case before."""
    for case in exercise.cases:
        function, arguments = made(), case.arguments()
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError:
            yield _told(error="signature", message=_signature(function, len(arguments)))
            continue
        yield _call(exercise, function, arguments)[0]


def _signature(function: Any, wanted: int) -> str:
    """How many inputs it has, how many it gets, and the first that it takes by name only."""
    inputs = inspect.signature(function).parameters.values()
    by_name = [i.name for i in inputs if i.kind is i.KEYWORD_ONLY and i.default is i.empty]
    return f"{len(inputs)}:{wanted}:{next(iter(by_name), '')}"


def _more_calls(exercise: FunctionExercise, function: Any) -> Iterator[dict[str, Any]]:
    """Every case again with one function, what is left of each, and the same inputs once more."""
    kept = []
    for case in exercise.cases:
        arguments = case.arguments()
        told, result = _call(exercise, function, arguments)
        kept.append((arguments, result))
        yield told
    if _can_look_again(exercise):
        for arguments, result in kept:
            yield _call(exercise, lambda *_, left=result: left, arguments)[0]
    if exercise.renew is not None:
        for arguments, _ in kept:
            exercise.renew(arguments)
            yield _call(exercise, function, arguments)[0]


def _call(
    exercise: FunctionExercise, function: Any, arguments: tuple[Any, ...]
) -> tuple[dict[str, Any], Any]:
    try:
        result = function(*map(_lists_of_its_own, arguments))
        return _told(result=describe(exercise.observe(arguments, result))), result
    except BaseException as error:  # noqa: BLE001 (a learner's function may raise anything)
        return _failed(error, function), None


def _lists_of_its_own(argument: Any) -> Any:
    """The same members in new lists: a function may empty those, and an observer still sees all."""
    if type(argument) is list:
        return [_lists_of_its_own(member) for member in argument]
    return argument


def _told(result: Any = None, error: str = "", message: str = "", line: int = 0) -> dict[str, Any]:
    return {
        "result": result if result is not None else describe(None),
        "error": error,
        "message": message,
        "line": line,
    }


def _failed(error: BaseException, function: Any) -> dict[str, Any]:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is function.__code__:
            line = trace.tb_lineno - function.__code__.co_firstlineno + 1
        trace = trace.tb_next
    return _told(error=type(error).__name__, message=_message(error), line=line)


def _message(error: BaseException) -> str:
    try:
        return shortened(" ".join(str(error).split()).translate(ESCAPES), LONGEST_MESSAGE)
    except Exception:  # noqa: BLE001 (also its own words may fail)
        return ""


def attempt(function: Any, exercise: FunctionExercise) -> list[Outcome]:
    """Run a function of the course's own on every case, here.

    Args:
        function: the reference or a suspect.
        exercise: whose cases to run.
    """
    outcomes = []
    for told in _cases(exercise, lambda: function):
        result = restore(told["result"])
        outcomes.append(Outcome(result, told["error"], told["message"], told["line"]))
    return outcomes
