"""``Training``: it counts, it can be ended between two steps, and it leaves everything in order."""

import gc
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError

from engine.widgets import Training
from engine.widgets.training import PAUSE, time_left
from tests.kernels import run

VIEW = "application/vnd.jupyter.widget-view+json"


class Notebook:
    """A notebook's shell, as far as a training knows it, and what it was given to show."""

    kernel = object()

    def __init__(self) -> None:
        self.events = self
        self.hooks: list[Callable[..., None]] = []
        self.shown: list[tuple[str, dict[str, Any]]] = []
        self.bars: list[Any] = []

    def register(self, event: str, hook: Callable[..., None]) -> None:
        assert event == "post_run_cell"
        self.hooks.append(hook)

    def unregister(self, event: str, hook: Callable[..., None]) -> None:
        self.hooks.remove(hook)

    def end_cell(self) -> None:
        for hook in list(self.hooks):
            hook(None)

    @property
    def texts(self) -> list[tuple[str, str]]:
        return [(kind, data["text/plain"]) for kind, data in self.shown]

    @property
    def last_words(self) -> list[str]:
        """What each progress bar says at the end."""
        return [bar.progress["ended"] for bar in self.bars]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    fake = Notebook()
    before = signal.getsignal(signal.SIGINT)

    class Handle:
        def display(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("display", data))

        def update(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("update", data))

    import engine.widgets.training as module

    made = module._Bar.__init__

    def remember(bar: Any, **traits: Any) -> None:
        made(bar, **traits)
        fake.bars.append(bar)

    monkeypatch.setattr(module._Bar, "__init__", remember)
    monkeypatch.setattr("IPython.get_ipython", lambda: fake)
    monkeypatch.setattr("IPython.display.DisplayHandle", Handle)
    yield fake
    assert fake.hooks == []
    assert signal.getsignal(signal.SIGINT) is before


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def finish_in_a_thread(steps: Iterator[int]) -> None:
    next(steps)
    thread = threading.Thread(target=lambda: [*steps])
    thread.start()
    thread.join()


class TestPlainPython:
    def test_it_counts_and_shows_nothing(self, capsys: pytest.CaptureFixture[str]) -> None:
        training = Training(4)
        assert list(training) == [0, 1, 2, 3]
        assert list(training) == [0, 1, 2, 3]
        assert (training.done, training.stopped, len(training)) == (4, False, 4)
        assert capsys.readouterr() == ("", "")

    def test_an_interrupt_is_an_interrupt(self) -> None:
        training = Training(10)

        def loop() -> None:
            for step in training:
                if step == 3:
                    interrupt()

        with pytest.raises(KeyboardInterrupt):
            loop()
        assert training.done == 3

    def test_a_script_prints_nothing_and_needs_no_notebook(self) -> None:
        code = "from engine.widgets import Training\nfor _ in Training(3): pass"
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")

    @pytest.mark.parametrize(
        ("steps", "kind", "words"),
        [
            (2.5, TypeError, "whole number of steps, got 2.5"),
            (True, TypeError, "whole number"),
            ("10", TypeError, "Training\\(1000\\)"),
            (-1, ValueError, "0 steps or more, got -1"),
        ],
    )
    def test_bad_steps_are_named(self, steps: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            Training(steps)

    def test_a_title_is_text_on_one_line(self) -> None:
        assert repr(Training(1, "<b>\n$x$")) == "<b> $x$ of 1 step."
        assert Training(1, "").title == "Training"
        with pytest.raises(TypeError, match="title is text"):
            Training(1, 5)  # type: ignore[arg-type]


class TestInANotebook:
    def test_a_whole_loop(self, notebook: Notebook) -> None:
        training = Training(1000)
        assert list(training) == list(range(1000))
        assert (training.done, training.stopped) == (1000, False)
        assert notebook.texts == [("display", "Training of 1000 steps.")]
        assert VIEW in notebook.shown[0][1]
        assert notebook.last_words == ["1000 of 1000 steps done."]

    def test_an_interrupt_ends_it_after_the_step(self, notebook: Notebook) -> None:
        learned = []
        training = Training(1000)
        for step in training:
            if step == 311:
                interrupt()
            learned.append(step)
        assert learned == list(range(312))
        assert (training.done, training.stopped) == (312, True)
        sentence = "Stopped after 312 of 1000 steps; what was learned is kept."
        assert notebook.texts[1:] == [("update", sentence)]
        assert notebook.last_words == [sentence]

    def test_an_interrupt_in_the_last_step_stopped_nothing(self, notebook: Notebook) -> None:
        training = Training(3)
        for step in training:
            if step == 2:
                interrupt()
        assert (training.done, training.stopped) == (3, False)
        assert notebook.last_words == ["3 of 3 steps done."]

    def test_a_second_interrupt_breaks_off_at_once(self, notebook: Notebook) -> None:
        training, learned = Training(1000), []

        def loop() -> None:
            for step in training:
                learned.append(step)
                interrupt()
                interrupt()
                learned.append(1000)

        with pytest.raises(KeyboardInterrupt):
            loop()
        assert (learned, training.done) == ([0], 0)

    def test_a_second_loop_starts_afresh(self, notebook: Notebook) -> None:
        training = Training(5)
        for _ in training:
            interrupt()
        assert (training.done, training.stopped) == (1, True)
        assert list(training) == [0, 1, 2, 3, 4]
        assert (training.done, training.stopped) == (5, False)
        assert [kind for kind, _ in notebook.texts] == ["display", "update", "display"]

    def test_no_step_at_all(self, notebook: Notebook) -> None:
        assert list(Training(0)) == []
        assert notebook.last_words == ["There was no step to do."]
        assert notebook.bars[0].progress["steps"] == 0

    def test_break_and_errors_put_everything_back(self, notebook: Notebook) -> None:
        before = signal.getsignal(signal.SIGINT)
        training = Training(5)
        for step in training:
            if step == 2:
                break
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(ZeroDivisionError):
            sum(1 / (1 - step) for step in training)
        assert signal.getsignal(signal.SIGINT) is before
        assert notebook.last_words == [
            "The loop ended after 2 of 5 steps.",
            "The loop ended after 1 of 5 steps.",
        ]
        assert [kind for kind, _ in notebook.texts] == ["display", "display"]

    def test_the_end_of_the_cell_ends_a_loop_that_was_left_open(self, notebook: Notebook) -> None:
        before = signal.getsignal(signal.SIGINT)
        steps = iter(Training(5))
        assert next(steps) == 0
        assert signal.getsignal(signal.SIGINT) is not before
        notebook.end_cell()
        assert signal.getsignal(signal.SIGINT) is before
        assert list(steps) == [1, 2, 3, 4]

    def test_loops_in_loops_are_ended_together(self, notebook: Notebook) -> None:
        outer, inner, seen = Training(4), Training(3), []
        for a in outer:
            for b in inner:
                seen.append((a, b))
                if (a, b) == (1, 1):
                    interrupt()
        assert seen == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
        assert (outer.done, outer.stopped, inner.done, inner.stopped) == (2, True, 2, True)

    def test_a_loop_begun_after_the_stop_does_no_step(self, notebook: Notebook) -> None:
        outer, first, second, seen = Training(5), Training(3), Training(1000), []
        for _ in outer:
            for _ in first:
                interrupt()
            for step in second:
                seen.append(step)
        assert seen == []
        assert (outer.done, first.done, second.done) == (1, 1, 0)
        assert (outer.stopped, first.stopped, second.stopped) == (True, True, True)
        assert list(Training(3)) == [0, 1, 2]

    def test_two_loops_side_by_side(self, notebook: Notebook) -> None:
        assert list(zip(Training(2), Training(5), strict=False)) == [(0, 0), (1, 1)]
        gc.collect()

    def test_a_handler_of_the_body_stays(self, notebook: Notebook) -> None:
        before = signal.getsignal(signal.SIGINT)

        def mine(*_: object) -> None: ...

        for _ in Training(2):
            signal.signal(signal.SIGINT, mine)
        assert signal.getsignal(signal.SIGINT) is mine
        signal.signal(signal.SIGINT, before)

    def test_another_thread_leaves_signals_alone(self, notebook: Notebook) -> None:
        seen: list[int] = []
        thread = threading.Thread(target=lambda: seen.extend(Training(3)))
        thread.start()
        thread.join()
        assert seen == [0, 1, 2]

    def test_a_loop_that_ends_in_another_thread_leaves_the_rest_to_the_end_of_the_cell(
        self, notebook: Notebook
    ) -> None:
        before = signal.getsignal(signal.SIGINT)
        finish_in_a_thread(begun := iter(Training(3)))
        assert list(begun) == []
        assert notebook.last_words == ["3 of 3 steps done."]
        notebook.end_cell()
        assert notebook.hooks == []
        assert signal.getsignal(signal.SIGINT) is before

    def test_after_such_a_loop_an_interrupt_is_an_interrupt(self, notebook: Notebook) -> None:
        finish_in_a_thread(iter(Training(3)))
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        notebook.end_cell()

    def test_after_such_a_loop_the_next_one_puts_everything_back(self, notebook: Notebook) -> None:
        before = signal.getsignal(signal.SIGINT)
        finish_in_a_thread(iter(Training(3)))
        for _ in Training(3):
            interrupt()
        assert signal.getsignal(signal.SIGINT) is before
        notebook.end_cell()

    def test_a_handler_that_python_does_not_know_stays(
        self, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class FromOutside:
            SIGINT = signal.SIGINT

            @staticmethod
            def getsignal(number: int) -> None:
                return None

        monkeypatch.setattr("engine.widgets.training.signal", FromOutside)
        training = Training(3)
        assert list(training) == [0, 1, 2]
        assert not notebook.bars[0].can_stop
        assert notebook.last_words == ["3 of 3 steps done."]

    def test_it_redraws_a_few_times_a_second(
        self, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [0.0]

        class Clock:
            @staticmethod
            def monotonic() -> float:
                return now[0]

        monkeypatch.setattr("engine.widgets.training.time", Clock)
        texts: list[str] = []
        for step in Training(1000):
            if step == 0:
                notebook.bars[0].observe(lambda change: texts.append(change["new"]["text"]))
            now[0] += 0.01
        assert len(texts) == pytest.approx(10.0 / (PAUSE + 0.01), abs=3)
        assert texts[0].endswith(" of 1000 steps")
        assert texts[10].endswith(" of 1000 steps, about 10 seconds left")

    @pytest.mark.parametrize("slow", [1, 2, 3])
    def test_slow_first_steps_do_not_make_the_rest_look_long(
        self, notebook: Notebook, monkeypatch: pytest.MonkeyPatch, slow: int
    ) -> None:
        now = [0.0]

        class Clock:
            @staticmethod
            def monotonic() -> float:
                return now[0]

        monkeypatch.setattr("engine.widgets.training.time", Clock)
        texts: list[str] = []
        for step in Training(1000):
            if step == 0:
                notebook.bars[0].observe(lambda change: texts.append(change["new"]["text"]))
            now[0] += 4.0 / slow if step < slow else 0.008
        told = [words for text in texts if (words := text.partition(", ")[2])]
        assert told[0] == "about 10 seconds left", "8 seconds are left, not 22 minutes"
        assert set(told) <= {"about 10 seconds left", "about 5 seconds left", "a few seconds left"}

    def test_a_slow_training_is_told_too(
        self, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [0.0]

        class Clock:
            @staticmethod
            def monotonic() -> float:
                return now[0]

        monkeypatch.setattr("engine.widgets.training.time", Clock)
        texts: list[str] = []
        for step in Training(100):
            if step == 0:
                notebook.bars[0].observe(lambda change: texts.append(change["new"]["text"]))
            now[0] += 6.0
        assert texts[1] == "2 of 100 steps, about 10 minutes left"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "a few seconds"),
        (5.0, "about 5 seconds"),
        (57.4, "about 60 seconds"),
        (58.0, "about 1 minute"),
        (3200.0, "about 53 minutes"),
        (3400.0, "about 1 hour"),
        (9000.0, "about 2 hours"),
    ],
)
def test_the_time_left_is_told_in_words(seconds: float, words: str) -> None:
    assert time_left(seconds) == words


HARD = """
for step in training:
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
"""


def test_a_real_kernel_goes_on_after_an_interrupt_and_stores_the_same_text_each_time() -> None:
    notebook = run(
        "import signal\nfrom engine.widgets import Training\nbefore = signal.getsignal(2)",
        "training = Training(10)\nfor step in training:\n    pass",
        "for step in training:\n    if step == 5:\n        signal.raise_signal(signal.SIGINT)",
        "print(training.done, training.stopped, signal.getsignal(2) == before)",
    )
    whole, stopped, told = (cell.outputs[0] for cell in notebook.cells[1:])
    assert whole.data["text/plain"] == "Training of 10 steps."
    assert stopped.data["text/plain"] == ("Stopped after 6 of 10 steps; what was learned is kept.")
    assert told.text == "6 True True\n"


def test_a_real_kernel_breaks_off_at_the_second_interrupt() -> None:
    with pytest.raises(CellExecutionError, match="KeyboardInterrupt"):
        run(f"import signal\nfrom engine.widgets import Training\ntraining = Training(9)\n{HARD}")
