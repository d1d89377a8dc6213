"""Ask another process: a warm one that answers each request in a fork, or else a fresh Python.

The warm process has imported the course, and is kept for the next request. What is asked is one
line, and so is every answer. No process knows what was changed in the one that asks.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any

import cloudpickle

# macOS has a fork, too, but its own libraries do not work in one.
FORKS = sys.platform == "linux"
WARM = "warm"
ROOT = Path(__file__).parents[3]
# A person's own packages lie where an isolated Python does not look.
PACKAGES = Path(cloudpickle.__file__).parents[1]
# The package is looked for where this file is, and not where the notebook is.
PROGRAM = (
    "import sys; sys.path.insert(0, {root!r}); sys.path.append({packages!r}); "
    "from engine.course.checks.serving import main; sys.exit(main({work!r}))"
)
BLOCK = 1 << 16
LONGEST_LINE = 1 << 26
LOOK_AGAIN = 0.2  # seconds between two looks at whether the other side still lives
LAST_SECONDS = 5  # for a process that has been told to end
# What a process said until a moment: a line, or None when it has come to its end.
Heard = Callable[[float], str | None]


class Channel:
    """Lines from another process and to it.

    Args:
        incoming: the descriptor they come from.
        outgoing: the descriptor they go to.
        lives: says whether more can come; a child of the other side may hold the pipe open.
    """

    def __init__(
        self, incoming: int, outgoing: int, lives: Callable[[], bool] = lambda: True
    ) -> None:
        self._incoming, self._outgoing, self._lives = incoming, outgoing, lives
        self._read = bytearray()
        self._looked = 0

    def send(self, message: object) -> None:
        """Write a message as one line.

        Args:
            message: what JSON can hold.

        Raises:
            OSError: nobody reads any more.
        """
        left = memoryview(json.dumps(message).encode() + b"\n")
        while left:
            left = left[os.write(self._outgoing, left) :]

    def receive(self, deadline: float = math.inf) -> Any:
        """Wait for a message.

        Args:
            deadline: by the clock ``monotonic``.

        Returns:
            The message, None when no more will come.

        Raises:
            TimeoutError: it did not come in time.
        """
        line = self.line(deadline)
        return None if line is None else json.loads(line)

    def line(self, deadline: float) -> str | None:
        """Wait for a line that may be no message.

        Args:
            deadline: by the clock ``monotonic``.

        Returns:
            The line, None when no more will come.

        Raises:
            TimeoutError: it did not come in time.
        """
        while (end := self._read.find(b"\n", self._looked)) < 0:
            self._looked = len(self._read)
            if self._looked > LONGEST_LINE or not self._waited(deadline):
                return None
            some = os.read(self._incoming, BLOCK)
            if not some:
                return None
            self._read += some
        line = self._read[:end].decode(errors="replace")
        del self._read[: end + 1]
        self._looked = 0
        return line

    def _waited(self, deadline: float) -> bool:
        """Whether something can be read, and does not when the other side has ended."""
        if not FORKS:
            return True
        import select

        poll = select.poll()
        poll.register(self._incoming, select.POLLIN)
        while True:
            left = deadline - monotonic()
            lives = self._lives()
            if poll.poll(1000 * min(max(left, 0.0), LOOK_AGAIN) if lives else 0):
                return True
            if not lives:
                return False
            if left <= 0.0:
                raise TimeoutError


class _Warm:
    """The warm process that answers this one."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._process = _start(WARM)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._channel = Channel(self._process.stdout.fileno(), self._process.stdin.fileno())

    def ask(self, message: object, deadline: float) -> Any:
        self._channel.send(message)
        told = self._channel.receive(deadline)
        if told is None:
            raise EOFError
        return told["said"]

    def end(self) -> None:
        """Let it end what it has started, and then itself."""
        process = self._process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(LAST_SECONDS)
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()


_lock = Lock()
_warm: _Warm | None = None
_channel: Channel | None = None


def ask(work: str, request: dict[str, Any], seconds: float, follow: Callable[[Heard], Any]) -> Any:
    """Let another process do something.

    Args:
        work: the module of the checks that does it.
        request: what JSON can hold.
        seconds: how long to wait for the answer of a warm process.
        follow: listens to a fresh process until it has heard enough, and gives the answer.

    Returns:
        The answer, None when none came.
    """
    message = {"work": work, **request}
    if _channel is not None:
        _channel.send({"ask": message})
        return _channel.receive()["said"]
    if not FORKS:
        return _fresh(work, message, follow)
    with _lock:
        for _ in range(2):  # it may have ended since it was last asked
            try:
                return _warm_process().ask(message, monotonic() + seconds)
            except TimeoutError:
                end()
                break
            except (EOFError, OSError):
                end()
            except BaseException:
                end()
                raise
    return None


def _warm_process() -> _Warm:
    global _warm
    if _warm is None or _warm.owner != os.getpid():
        _warm = _Warm()
    return _warm


@atexit.register
def end() -> None:
    """End the warm process of this one, and what it has started."""
    global _warm
    if _warm is not None and _warm.owner == os.getpid():
        _warm.end()
    _warm = None


def answer_through(channel: Channel) -> None:
    """From now on, what this process asks goes to the one that it was forked from.

    Args:
        channel: between the two.
    """
    global _channel
    _channel = channel


# A fresh Python.


def _start(work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-c",
            PROGRAM.format(root=str(ROOT), packages=str(PACKAGES), work=work),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
        # Each thread of NumPy's linear algebra would take 40 MB of the memory that is allowed.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


def _fresh(work: str, message: dict[str, Any], follow: Callable[[Heard], Any]) -> Any:
    from queue import Empty, Queue

    said: Queue[str | None] = Queue()

    def heard(deadline: float) -> str | None:
        try:
            return said.get(timeout=max(0.0, deadline - monotonic()))
        except Empty:
            raise TimeoutError from None

    with _start(work) as process:
        assert process.stdin is not None
        Thread(target=_listen, args=(process.stdout, said.put), daemon=True).start()
        try:
            with contextlib.suppress(OSError):
                process.stdin.write(json.dumps(message).encode() + b"\n")
                process.stdin.close()
            return follow(heard)
        finally:
            _end(process)


def _listen(stream: Any, put: Callable[[str | None], None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            put(line.decode(errors="replace"))
    put(None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process, and what it may have started."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
