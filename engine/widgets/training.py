"""``for step in Training(1000)``: how far a training is, and a stop that keeps what was learned."""

import contextlib
import math
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from engine.text import shown
from engine.words.naming import label

HERE = Path(__file__).parent
PAUSE = 0.3
# The first steps may be far slower than the others: what runs for the first time is prepared.
SECONDS_BEFORE_A_GUESS, STEPS_BEFORE_A_GUESS = 2.0, 10
SECONDS_OF_SLOW_STEPS = 10.0
RECENT = 50
WITHOUT_SIGNALS = "emscripten"  # Python in the browser


class Training:
    """Count the steps of a training loop, and let a person end it between two of them.

    In a notebook it shows a progress bar with the time that is left, and a button that ends the
    loop after the current step. JupyterLab's own interrupt (the square, or I pressed twice) does
    the same. Of loops inside one another all end, from the innermost outward, and one that begins
    before the outermost has ended does no step. A second interrupt breaks off at once. What was
    learned is kept, and the cell ends without an error. In plain Python it counts, and nothing
    else.

    Each loop over it begins afresh. The button is there where the page can interrupt the kernel,
    as in JupyterLab; elsewhere a line says to use the notebook's own interrupt.

    Args:
        steps: how many steps there are, a whole number.
        title: what is trained, for the words around it.

    Attributes:
        steps: how many steps there are.
        title: what is trained.
        done: how many steps of the latest loop were finished.
        stopped: whether a person ended the latest loop.

    Raises:
        TypeError: ``steps`` is no whole number, or ``title`` no text.
        ValueError: there are fewer than 0 steps.

    >>> from engine import Parameter
    >>> from engine.optim import SGD
    >>> w = Parameter(3.0)
    >>> optimizer = SGD([w], rate=0.1)
    >>> training = Training(100)
    >>> for step in training:
    ...     optimizer.zero_grad()
    ...     (w * w).backward()
    ...     optimizer.step()
    >>> training
    Training of 100 steps: 100 done.
    >>> round(w.data, 9)
    1e-09
    """

    def __init__(self, steps: int, title: str = "Training") -> None:
        if isinstance(steps, bool) or not hasattr(steps, "__index__"):
            raise TypeError(
                f"a training has a whole number of steps, got {shown(steps)} "
                f"({type(steps).__name__}). Try Training(1000)."
            )
        if steps < 0:
            raise ValueError(f"a training has 0 steps or more, got {int(steps)}.")
        if not isinstance(title, str):
            raise TypeError(f"the title is text, got {shown(title)} ({type(title).__name__}).")
        self.steps = int(steps)
        self.title = label(title) or "Training"
        self.done = 0
        self.stopped = False

    def __len__(self) -> int:
        return self.steps

    def __iter__(self) -> Iterator[int]:
        self.done, self.stopped = 0, False
        shell = _notebook()
        return iter(_plain_loop(self)) if shell is None else _shown_loop(self, shell)

    def __repr__(self) -> str:
        return f"{self.text}: {self.done} done." if self.done else f"{self.text}."

    @property
    def text(self) -> str:
        """The words that stand for the progress bar, the same before and after."""
        return f"{self.title} of {counted(self.steps)}"


def counted(steps: int) -> str:
    """Write a number of steps.

    >>> counted(1), counted(1000)
    ('1 step', '1000 steps')
    """
    return "1 step" if steps == 1 else f"{steps} steps"


def time_left(seconds: float) -> str:
    """Write about how long something will take, in words that do not change all the time.

    >>> [time_left(s) for s in (0.4, 7.0, 44.0, 100.0, 4000.0)]
    ['a few seconds', 'about 10 seconds', 'about 45 seconds', 'about 2 minutes', 'about 1 hour']
    """
    if seconds < 5.0:
        return "a few seconds"
    if seconds < 57.5:
        return f"about {5 * math.ceil(seconds / 5)} seconds"
    unit, name = (60.0, "minute") if seconds < 55 * 60 else (3600.0, "hour")
    number = max(1, round(seconds / unit))
    return f"about {number} {name}{'s' if number > 1 else ''}"


def _plain_loop(training: Training) -> Iterator[int]:
    for step in range(training.steps):
        yield step
        training.done = step + 1


def _shown_loop(training: Training, shell: Any) -> Iterator[int]:
    run = _Run(training, shell)
    try:
        for step in range(training.steps):
            if run.asked:
                break
            yield step
            training.done = step + 1
            run.stepped()
    finally:
        run.end()


def _notebook() -> Any:
    """The shell of the notebook around, or None."""
    from IPython import get_ipython

    shell = get_ipython()
    return None if getattr(shell, "kernel", None) is None else shell


class _Bar(anywidget.AnyWidget):
    """What the front end shows; its words are in ``progress``.

    Its button asks the notebook's server to interrupt the kernel. A message to Python would not
    do: the kernel hands it over when the cell has ended, with or without subshells.
    """

    _esm = (HERE / "training.js").read_text("utf-8")
    _css = (HERE / "training.css").read_text("utf-8")

    key = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    can_stop = traitlets.Bool().tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)


class _Run:
    """One loop over a training, as a notebook shows it.

    Attributes:
        asked: whether a person asked it to end.
    """

    def __init__(self, training: Training, shell: Any) -> None:
        from IPython.display import DisplayHandle

        self.asked = False
        self._training = training
        self._ended = False
        self._began = self._last = time.monotonic()
        self._next = self._began + PAUSE
        self._took: deque[float] = deque(maxlen=RECENT)
        self._bar = _Bar(
            key=uuid4().hex,
            title=training.title,
            progress=self._progress(""),
            can_stop=sys.platform != WITHOUT_SIGNALS and _interrupts.can_be_heard,
        )
        self._events = shell.events
        self._events.register("post_run_cell", self.end)
        _interrupts.add(self)
        self._handle = DisplayHandle()  # type: ignore[no-untyped-call]
        self._display(training.text + ".", self._handle.display)

    def stepped(self) -> None:
        """Take the time of a step, and show how far it is if it is time."""
        now = time.monotonic()
        self._took.append(now - self._last)
        self._last = now
        if now >= self._next:
            self._bar.progress = self._progress("")
            self._next = time.monotonic() + PAUSE

    def end(self, *_: object) -> None:
        """Tell how it ended, once, and put everything back."""
        if _interrupts.remove(self):
            with contextlib.suppress(ValueError):
                self._events.unregister("post_run_cell", self.end)
        if self._ended:
            return
        self._ended = True
        training = self._training
        training.stopped = self.asked and training.done < training.steps
        sentence = self._sentence()
        self._bar.progress = self._progress(sentence)
        if training.stopped:
            self._display(sentence, self._handle.update)

    def _sentence(self) -> str:
        training = self._training
        done, of = training.done, counted(training.steps)
        if training.stopped:
            return f"Stopped after {done} of {of}; what was learned is kept."
        if done < training.steps:
            return f"The loop ended after {done} of {of}."
        return f"{done} of {of} done." if training.steps else "There was no step to do."

    def _progress(self, ended: str) -> dict[str, Any]:
        done, steps = self._training.done, self._training.steps
        text = f"{done} of {counted(steps)}"
        passed = self._last - self._began
        enough = SECONDS_BEFORE_A_GUESS if done >= STEPS_BEFORE_A_GUESS else SECONDS_OF_SLOW_STEPS
        if done and passed >= enough:
            text += f", {time_left(median(self._took) * (steps - done))} left"
        return {"done": done, "steps": steps, "text": text, "ended": ended, "asked": self.asked}

    def _display(self, text: str, show: Any) -> None:
        data, metadata = self._bar._repr_mimebundle_() or ({}, {})
        show({**data, "text/plain": text}, metadata=metadata, raw=True)


class _Interrupts:
    """While a training runs an interrupt asks all that run to end; the next one breaks off."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._heard_one = False
        self._before: Any = None

    @property
    def can_be_heard(self) -> bool:
        """Whether Python knows who hears interrupts now: only that can be put back."""
        return signal.getsignal(signal.SIGINT) is not None

    def add(self, run: _Run) -> None:
        if not _in_main_thread() or not self.can_be_heard:
            return
        if not self._runs:
            self._heard_one = False
            before = signal.signal(signal.SIGINT, self._heard)
            # A loop that ended in another thread may have left our own.
            self._before = self._before if before == self._heard else before
        run.asked = self._heard_one
        self._runs.append(run)

    def remove(self, run: _Run) -> bool:
        """Forget a run; False when the main thread must put the handler back later."""
        if run in self._runs:
            self._runs.remove(run)
        if self._runs or not self._is_ours():
            return True
        if not _in_main_thread():
            return False
        self._put_back()
        return True

    def _is_ours(self) -> bool:
        return signal.getsignal(signal.SIGINT) == self._heard

    def _put_back(self) -> None:
        # A loop that lets its body set a handler of its own must not take it away again.
        if self._is_ours():
            signal.signal(signal.SIGINT, self._before)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if not self._runs:
            self._put_back()
            signal.raise_signal(number)
            return
        if self._heard_one:
            self._put_back()
            if callable(self._before):
                self._before(number, frame)
            raise KeyboardInterrupt
        self._heard_one = True
        for run in self._runs:
            run.asked = True


def _in_main_thread() -> bool:
    """Whether this thread hears signals, and may say who does."""
    return threading.current_thread() is threading.main_thread()


_interrupts = _Interrupts()
