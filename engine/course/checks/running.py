"""Run a learner's function on its cases, in a process of its own that a time limit can end.

The process knows nothing of what was changed in the notebook, nothing the function does there
reaches the notebook, and an endless loop ends with it.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from time import monotonic, process_time
from typing import Any, NamedTuple

from engine.course.checks import packing, processes
from engine.course.checks.exercise import FunctionExercise, given_back
from engine.course.checks.packing import Packed
from engine.course.checks.plain import describe, restore, shortened
from engine.course.checks.processes import Heard
from engine.text import ESCAPES

START_SECONDS = 60
RUN_SECONDS = 10
LONG_CASE_SECONDS = 4
SECONDS_MORE = 2
MOST_BYTES = 1024**3
MOST_ADDRESSES = 4 * MOST_BYTES  # what is asked for and never used, as by each thread
SWITCH_SECONDS = 1e-4  # busy threads of a function keep it waiting no longer than that
LONGEST_MESSAGE = 400


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


def run(exercise: FunctionExercise, packed: Packed) -> Runs:
    """Run a function on every case of its exercise, and then call it again.

    Args:
        exercise: whose cases to run.
        packed: the learner's function. All cases together have ``RUN_SECONDS``, and so have the
            calls after them.
    """
    cases, calls = len(exercise.cases), _calls(exercise)
    request = {
        "exercise": exercise.name,
        "name": packed.name,
        "content": packed.content,
        "folder": os.getcwd(),  # noqa: PTH109
        "cases": cases,
        "quick": sum(not case.too_long for case in exercise.cases),
        "calls": calls,
        "seconds": RUN_SECONDS,
    }
    longest = START_SECONDS + 2 * RUN_SECONDS + cases * LONG_CASE_SECONDS
    told = processes.ask("running", request, longest, lambda heard: follow(request, heard))
    lines, ended = told or ([], True)
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


def follow(request: dict[str, Any], heard: Heard) -> tuple[list[str], bool]:
    """Listen to the process that runs a function.

    The clock starts when the process is ready, since a busy machine may need long for that, and
    it starts again when each case has been run. A case that tells a walk along every path from
    others takes either no time or for ever.

    Args:
        request: what it was asked.
        heard: what it says.

    Returns:
        One line for each call, and whether it came to the end of them, or of itself.
    """
    lines: list[str] = []
    cases, seconds = request["cases"], request["seconds"]
    try:
        if heard(monotonic() + START_SECONDS) is None:
            return lines, True
        deadline = monotonic() + seconds
        while len(lines) < request["calls"] and (line := heard(deadline)) is not None:
            lines.append(line)
            if request["quick"] <= len(lines) < cases:
                deadline = monotonic() + min(LONG_CASE_SECONDS, seconds)
            if len(lines) == cases:
                deadline = monotonic() + seconds
    except TimeoutError:
        return lines, False
    return lines, True


def _outcome(line: str) -> Outcome:
    try:
        told = json.loads(line)
        return Outcome(restore(told["result"]), told["error"], told["message"], told["line"])
    except (ValueError, KeyError, TypeError):
        return Outcome(error="crashed")


# In the process of its own.


def answer(request: dict[str, Any], say: Callable[[object], None]) -> None:
    """Run the cases, and say one outcome for each.

    Args:
        request: made by :func:`run`.
        say: tells the process that listens.
    """
    from engine.course.checks.catalog import find

    exercise = find(request["exercise"])
    assert isinstance(exercise, FunctionExercise)
    # A function can look at whoever calls it: the right answers are not there.
    exercise = replace(exercise, reference=_no_reference, suspects=(), accept=None)
    with contextlib.suppress(OSError):
        os.chdir(request["folder"])
    _limit(request["seconds"])
    sys.setswitchinterval(SWITCH_SECONDS)
    say("ready")
    try:
        function = packing.unpack(request)
    except Exception as error:  # noqa: BLE001 (what it takes along may raise anything)
        say(_told(error=type(error).__name__, message=_message(error)))
        return
    cases = _cases(exercise, lambda: packing.unpack(request))
    for told in chain(cases, _more_calls(exercise, function)):
        say(told)
        _end_threads()


def _end_threads() -> None:
    """End what a call has left busy: the next one is not to wait for it."""
    import ctypes

    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.ident is not None:
            raised = ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), raised)


def _no_reference(*_: object) -> None:
    """Stands where the right function was."""


def _limit(run_seconds: int) -> None:
    """A list that grows without end is to end this process, and not the machine.

    The limit of time is for the case that nobody is left who could end it.
    """
    if sys.platform != "win32":
        import resource

        seconds = int(process_time()) + 2 * run_seconds + SECONDS_MORE
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))


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
