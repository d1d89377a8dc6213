"""The other process: warm, with a fork for each request, or fresh, for one request alone.

A fork has nothing of the one before it. Whatever a learner's function starts comes to the warm
process in the end, in whichever session it hides, and is ended with the answer.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from engine.course.checks import processes
from engine.course.checks.processes import WARM, Channel

IDLE_SECONDS = 900  # the next check starts another one
ENDING_SECONDS = 2
# What a process can ask Linux for (prctl): the children of its children that have lost their
# parent, and to end with its own parent.
ADOPT, END_WITH_PARENT = 36, 1
OUT = 3  # through which a fork answers


def main(work: str) -> int:
    """Answer what is asked through the standard input.

    Args:
        work: a module of the checks, for one request, or ``"warm"``.
    """
    channel = _private_channel()
    if work == WARM:
        _Server(channel).serve()
    else:
        _module(work).answer(channel.receive(), channel.send)
    return 0


def _private_channel() -> Channel:
    """What a function prints goes nowhere; only the answers go back."""
    incoming, outgoing = os.dup(0), os.dup(1)
    _silence()
    return Channel(incoming, outgoing, _lives_on(os.getppid()))


def _lives_on(parent: int) -> Callable[[], bool]:
    return lambda: os.getppid() == parent


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)


def _module(name: str) -> Any:
    return importlib.import_module(f"engine.course.checks.{name}")


class _Server:
    """Forks, listens, and ends what is left."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._asker_lives = _lives_on(os.getppid())

    def serve(self) -> None:
        """Answer one request after the other, until nobody asks any more."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        _ask_linux(ADOPT, 1)
        for name in ("judging", "running"):
            _module(name)
        gc.freeze()
        try:
            while (request := self._channel.receive(monotonic() + IDLE_SECONDS)) is not None:
                self._channel.send({"said": self._answered(request)})
        except TimeoutError:
            return
        finally:
            _end_all()

    def _answered(self, request: dict[str, Any]) -> Any:
        _module("catalog").find(request["exercise"])  # it is imported for all later forks, too
        try:
            return self._ran(request) if request["work"] == "running" else self._judged(request)
        finally:
            _end_all()

    def _judged(self, request: dict[str, Any]) -> Any:
        """What a fork of its own says, which may ask for runs of a function."""
        mine, its = socket.socketpair()
        with mine, its, _forked(lambda: self._judge(request, its.fileno())) as pid:
            its.close()
            channel = Channel(mine.fileno(), mine.fileno(), self._still_asked)
            while (message := channel.receive()) is not None:
                if "ask" not in message:
                    return message["said"]
                channel.send({"said": self._ran(message["ask"])})
                _end_all(but=pid)
        return None

    def _judge(self, request: dict[str, Any], out: int) -> None:
        _leave(out)
        channel = Channel(OUT, OUT)
        processes.answer_through(channel)
        _module("judging").answer(request, lambda judgment: channel.send({"said": judgment}))

    def _ran(self, request: dict[str, Any]) -> Any:
        """What the cases of a function came to."""
        incoming, its = os.pipe()
        with _forked(lambda: self._run(request, its)) as pid:
            os.close(its)
            channel = Channel(incoming, -1, lambda: self._still_asked() and _runs(pid))
            try:
                return _module("running").follow(request, channel.line)
            finally:
                os.close(incoming)

    def _run(self, request: dict[str, Any], out: int) -> None:
        _leave(out)
        myself, channel = os.getpid(), Channel(-1, OUT)

        def say(outcome: object) -> None:
            if os.getpid() != myself:
                os._exit(0)  # a fork that the function made has come back from it
            channel.send(outcome)

        _module("running").answer(request, say)

    def _still_asked(self) -> bool:
        if not self._asker_lives():
            sys.exit()
        return True


@contextlib.contextmanager
def _forked(work: Callable[[], None]) -> Iterator[int]:
    """A fork that does some work and is ended in the end, with what stayed in its session."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    try:
        yield pid
    finally:
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _leave(out: int) -> None:
    """Make a fork a process of its own, with one descriptor to answer through."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _ask_linux(END_WITH_PARENT, signal.SIGKILL)
    os.setsid()
    os.dup2(out, OUT, inheritable=False)
    os.closerange(OUT + 1, os.sysconf("SC_OPEN_MAX"))


def _ask_linux(what: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def _runs(pid: int) -> bool:
    """Whether a child has not ended; it stays to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _end_all(but: int = 0) -> None:
    """End every child. What a child had started is then a child of this process."""
    spared = {but}
    deadline = monotonic() + ENDING_SECONDS
    while (pids := _children() - spared) and monotonic() < deadline:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except PermissionError:  # it became another person's, as sudo does
                spared.add(pid)


def _children() -> set[int]:
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    return {int(pid) for pid in listed.read_text().split()} if listed.exists() else set()
