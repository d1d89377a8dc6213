"""Pictures that follow a loop: where they appear, how often they are drawn, what stays stored."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.drawing.plots import Live, live
from engine.drawing.plots.redrawn import WHILE_IT_RUNS
from tests.kernels import run


class Shell:
    """A notebook's shell, as far as a live picture knows it."""

    kernel = object()

    def __init__(self) -> None:
        self.hooks: list[Callable[..., None]] = []
        self.events = self
        self.shown: list[tuple[str, str]] = []

    def register(self, event: str, hook: Callable[..., None]) -> None:
        assert event == "post_run_cell"
        self.hooks.append(hook)

    def unregister(self, event: str, hook: Callable[..., None]) -> None:
        self.hooks.remove(hook)

    def end_cell(self, error: Exception | None = None) -> None:
        class Result:
            error_in_exec = error

        for hook in list(self.hooks):
            hook(Result())


class Count:
    """A picture of how often it was made, which takes a while of the clock's time."""

    def __init__(self, clock: list[float], takes: float = 0.0) -> None:
        self.clock, self.takes, self.made = clock, takes, 0

    def __call__(self) -> "Count":
        self.made += 1
        self.clock[0] += self.takes
        return self

    def __repr__(self) -> str:
        return f"number {self.made}"

    def _repr_mimebundle_(self) -> tuple[dict[str, str], dict[str, Any]]:
        return {"text/html": str(self.made), "text/plain": repr(self)}, {}


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    fake = Shell()

    class Handle:
        def display(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("display", data["text/html"]))
            assert data["text/plain"] == WHILE_IT_RUNS

        def update(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("update", data["text/html"]))
            assert data["text/plain"] == WHILE_IT_RUNS

    monkeypatch.setattr("IPython.get_ipython", lambda: fake)
    monkeypatch.setattr("IPython.display.DisplayHandle", Handle)
    return fake


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now[0]

    monkeypatch.setattr("engine.drawing.plots.redrawn.time", Clock)
    return now


def test_it_appears_once_and_ends_up_to_date(shell: Shell, clock: list[float]) -> None:
    count = Count(clock)
    picture = live(count)
    assert shell.shown == []
    for _ in range(10):
        picture.changed()
    assert shell.shown == [("display", "1")]
    shell.end_cell()
    assert shell.shown[1:] == [("update", "2")]
    assert shell.hooks == []


def test_a_quick_picture_is_redrawn_twice_a_second(shell: Shell, clock: list[float]) -> None:
    picture = live(Count(clock))
    for _ in range(400):
        picture.changed()
        clock[0] += 0.01
    assert len(shell.shown) == 8


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_a_slow_picture_takes_its_share_of_the_time(
    shell: Shell, clock: list[float], share: float
) -> None:
    count = Count(clock, takes=1.0)
    picture = live(count, share=share)
    began = clock[0]
    while clock[0] < began + 200.0:
        picture.changed()
        clock[0] += 0.01
    # The shortest pause of half a second holds for a share of 1 as well.
    assert count.made == pytest.approx(200.0 / max(1.0 / share, 1.5), rel=0.06)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan")])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="share of the time"):
        live(Count([0.0]), share=share)


@pytest.mark.parametrize(
    ("make", "share", "words"),
    [
        (3, 0.1, "needs a function that draws it, .* got 3"),
        (Count([0.0]), "all", "the share of the time needs a real number, got 'all'"),
    ],
)
def test_what_cannot_be_redrawn_is_refused_at_once(make: Any, share: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        live(make, share=share)


def test_a_function_that_gives_no_picture_is_named(shell: Shell, clock: list[float]) -> None:
    with pytest.raises(TypeError, match="a function that gives a plot, got None"):
        live(lambda: None).changed()  # type: ignore[arg-type, return-value]


def test_two_pictures_keep_their_order_and_each_is_updated_where_it_is(
    shell: Shell, clock: list[float]
) -> None:
    one, two = live(Count(clock)), live(Count(clock))
    for _ in range(3):
        one.changed()
        two.changed()
    assert [kind for kind, _ in shell.shown] == ["display", "display"]
    shell.end_cell()
    assert [kind for kind, _ in shell.shown[2:]] == ["update", "update"]


def test_a_later_cell_redraws_where_the_picture_is(shell: Shell, clock: list[float]) -> None:
    picture = live(Count(clock))
    picture.changed()
    shell.end_cell()
    picture.changed()
    shell.end_cell()
    assert [kind for kind, _ in shell.shown] == ["display", "update", "update"]


def test_a_cell_that_failed_gets_no_second_error(shell: Shell, clock: list[float]) -> None:
    broken = False

    def make() -> Count:
        if broken:
            raise ValueError("no number")
        return Count(clock)

    picture = live(make)
    picture.changed()
    broken = True
    shell.end_cell(error=ValueError("no number"))
    picture.changed()
    with pytest.raises(ValueError, match="no number"):
        shell.end_cell()


def test_outside_a_notebook_nothing_is_drawn_before_it_is_asked_for(clock: list[float]) -> None:
    count = Count(clock)
    picture = live(count)
    picture.changed()
    assert count.made == 0
    assert repr(picture) == "number 1"
    assert isinstance(picture, Live)
    assert picture._repr_mimebundle_()[0]["text/html"] == "2"


def test_a_real_notebook_keeps_the_last_of_each_in_order() -> None:
    notebook = run(
        "from engine.drawing.plots import decision_boundary, live, loss_curve\n"
        "border = 0.0\n"
        "curve = loss_curve()\n"
        "picture = live(lambda: decision_boundary(\n"
        "    lambda x, y: x - border, [(0, 0), (1, 1)], [0, 1], resolution=5))\n"
        "for k in range(20):\n"
        "    border = k / 20\n"
        "    curve.add(1 / (k + 1))\n"
        "    picture.changed()"
    )
    first, second = notebook.cells[0].outputs
    assert 'alt="Loss curve of 20 steps' in first.data["text/html"]
    assert second.data["text/plain"] == WHILE_IT_RUNS
    assert 'Class 1 takes 20 % of the plane shown." width' in second.data["text/html"]
