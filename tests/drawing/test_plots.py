"""The plots: what they say, that they are pictures, and that they leave matplotlib alone."""

import base64
import math
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from nbconvert import HTMLExporter

from engine import Parameter, Value, error_by_step
from engine.drawing.palette import CARD, INK, PLOT_AREAS, PLOT_DARK, PLOT_LINES
from engine.drawing.plots import (
    LossCurve,
    Plot,
    attention_map,
    decision_boundary,
    error_against_step,
    gradient_histogram,
    loss_curve,
)
from engine.drawing.plots.attention import number_color
from engine.drawing.plots.loss import WHILE_IT_RUNS
from engine.measuring import StepError
from tests.kernels import run

CUBE = error_by_step(lambda x: x * x * x, 2.0, 12.0)
SQUARE = error_by_step(lambda x: x * x, 2.0, 4.0)
CORNERS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]


def pixels(plot: Plot) -> Any:
    """The picture as rows of red, green, blue, on a light page, drawn twice as large."""
    return rendered(plot.svg, plot.width, plot.height)


@cache
def rendered(svg: str, width: int, height: int) -> Any:
    from matplotlib.image import imread

    with tempfile.TemporaryDirectory() as folder:
        (page := Path(folder) / "plot.html").write_text(
            f"<style>body {{ margin: 0 }} svg {{ display: block; width: {width}px; "
            f"height: {height}px }}</style>{svg}",
            "utf-8",
        )
        shot = Path(folder) / "plot.png"
        command = [shutil.which("chromium") or "chromium", "--headless", "--no-sandbox"]
        command += ["--force-device-scale-factor=2", f"--window-size={width},{height}"]
        subprocess.run(
            [*command, "--hide-scrollbars", f"--screenshot={shot}", page.as_uri()],
            check=True,
            capture_output=True,
        )
        return imread(shot)[: 2 * height, : 2 * width, :3]


def empty_edges(plot: Plot) -> tuple[int, int, int, int]:
    """How many rows or columns of pixels are bare, at the left, right, top and bottom."""
    from matplotlib.colors import to_rgb

    drawn = (abs(pixels(plot) - to_rgb(CARD)) > 0.01).any(axis=2)
    columns, rows = drawn.any(axis=0), drawn.any(axis=1)
    return (
        int(columns.argmax()),
        int(columns[::-1].argmax()),
        int(rows.argmax()),
        int(rows[::-1].argmax()),
    )


def uses(plot: Plot, color: str) -> bool:
    """Whether something is drawn in a color, which a dark page changes if it must."""
    drawn = plot.svg.split("</style>", 1)[1]
    return (f"var(--c{color[1:]})" if color in PLOT_DARK else color) in drawn


def least_text(plot: Plot) -> float:
    """The smallest text, as a part of the width of the picture."""
    width = float(plot.svg.split('viewBox="0 0 ', 1)[1].split()[0])
    return min(map(float, re.findall(r"font-size: ([0-9.]+)px", plot.svg))) / width


PLOTS: dict[str, Callable[[], Plot]] = {
    "errors": lambda: error_against_step(CUBE),
    "errors of several": lambda: error_against_step({"x*x": SQUARE, "x*x*x": CUBE}),
    "loss": lambda: loss_curve([3.0, 2.0, 1.0]).plot(),
    "long loss": lambda: loss_curve([1.0 + 1.0 / (k + 1) for k in range(200)]).plot(),
    "boundary": lambda: decision_boundary(
        lambda x, y: x - 0.5, CORNERS, [0, 0, 1, 1], resolution=5
    ),
    "attention": lambda: attention_map([[1.0], [0.25, 0.75]], ["B", "a"]),
    "histogram": lambda: gradient_histogram([0.1, -0.2, 0.0]),
}


@cache
def made(name: str) -> Plot:
    return PLOTS[name]()


@pytest.fixture(params=PLOTS)
def plot(request: pytest.FixtureRequest) -> Plot:
    return made(request.param)


class TestEveryPlot:
    def test_is_a_picture_with_its_words(self, plot: Plot) -> None:
        data, metadata = plot._repr_mimebundle_()
        (image,) = ElementTree.fromstring(f"<p>{data['text/html'].replace('>', '/>')}</p>")
        kind, picture = image.attrib["src"].split(",")
        assert kind == "data:image/svg+xml;base64"
        assert base64.b64decode(picture).decode() == plot.svg
        assert data["text/plain"] == str(plot) == plot.text
        assert metadata == {}
        assert image.attrib["alt"] == " ".join(plot.text.split())
        shape = ElementTree.fromstring(plot.svg).attrib["viewBox"].split()
        ratio = float(shape[2]) / float(shape[3])
        assert int(image.attrib["width"]) / int(image.attrib["height"]) == pytest.approx(
            ratio, 0.01
        )

    def test_every_color_that_a_dark_page_needs_is_a_variable(self, plot: Plot) -> None:
        drawn = plot.svg.split("</style>", 1)[1]
        assert not [color for color in PLOT_DARK if color in drawn]
        found = set(re.findall(r"var\(--c(\w+)\)", drawn))
        assert {CARD[1:], INK[1:]} <= found <= {color[1:] for color in PLOT_DARK}
        # What nobody colored is black, and black words cannot be read on a dark card.
        assert not re.findall(r"<text (?![^>]*fill: )", drawn) or "attention" in plot.text.lower()

    def test_texts_can_be_read_on_a_telephone_and_from_the_back_row(self, plot: Plot) -> None:
        assert least_text(plot) * plot.width >= 16
        least = plot._repr_mimebundle_()[0]["text/html"].split("min-width: ")[1].split("px")[0]
        assert least_text(plot) * float(least) >= 10.99
        assert float(least) <= 360

    def test_lies_on_an_opaque_card(self, plot: Plot) -> None:
        from matplotlib.colors import to_rgb

        corners = pixels(plot)[[0, 0, -1, -1], [0, -1, 0, -1], :3]
        assert (abs(corners - to_rgb(CARD)) < 0.01).all()

    def test_nothing_sticks_to_the_edge_of_the_card(self, plot: Plot) -> None:
        assert min(empty_edges(plot)) >= 12

    def test_cannot_be_changed(self, plot: Plot) -> None:
        with pytest.raises(AttributeError):
            plot.text = "other"  # type: ignore[misc]


@pytest.mark.parametrize("name", PLOTS)
def test_the_same_plot_twice_is_the_same_to_the_last_byte(name: str) -> None:
    assert PLOTS[name]() == made(name)


def test_matplotlib_is_loaded_when_a_plot_is_made_and_pyplot_never() -> None:
    code = """
import sys
import engine.drawing, engine.drawing.plots as plots
curve = plots.loss_curve([1.0])
curve.add(0.5)
print("matplotlib" in sys.modules)
curve.plot()
print("matplotlib" in sys.modules, "matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


def test_global_settings_stay_as_they_are_and_do_not_matter() -> None:
    import matplotlib
    from matplotlib import style

    before = dict(matplotlib.rcParams)
    PLOTS["boundary"]()
    assert dict(matplotlib.rcParams) == before
    with style.context("dark_background"):
        dark = {name: make() for name, make in PLOTS.items()}
    for name in PLOTS:
        assert dark[name].svg == made(name).svg, name


def test_the_hues_keep_apart_from_the_card() -> None:
    def luminance(color: str) -> float:
        parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for name, color in PLOT_LINES.items():
        contrast = (luminance(CARD) + 0.05) / (luminance(color) + 0.05)
        assert contrast >= 3.0, (name, contrast)


HOSTILE = [
    "$x_1$",
    r"$\frac$",
    "$",
    "<script>alert(1)</script>",
    "a\nb",
    "\x00",
    "क",
    "😀",
    "x" * 500,
    "",
]


class TestHostileWords:
    def test_tokens_are_drawn_as_text(self) -> None:
        weights = [[1.0 / (k + 1)] * (k + 1) for k in range(len(HOSTILE))]
        drawn = attention_map(weights, HOSTILE)
        assert len(drawn.text.splitlines()) == len(HOSTILE) + 1
        assert "\x00" not in drawn.text

    def test_names_and_titles_are_drawn_as_text(self) -> None:
        for word in HOSTILE[:7]:
            assert loss_curve([1.0, 0.5], title=word).plot().svg
        assert error_against_step({"_hidden": CUBE, "": CUBE, r"$\frac$": CUBE, "\x00": CUBE}).svg


class TestErrors:
    def test_words_tell_a_v_from_none(self) -> None:
        assert str(error_against_step(CUBE)).splitlines()[1:] == [
            "central difference: error 0.01 at h = 0.1, falling like h squared at first.",
            "forward difference: error 0.6 at h = 0.1, falling like h at first.",
        ]
        several = str(error_against_step({"x*x": SQUARE, "x*x*x": CUBE}))
        assert "x*x: no truncation error is to be seen" in several
        assert "x*x*x: error 0.01 at h = 0.1" in several

    def test_two_differences_have_two_hues(self) -> None:
        drawn = error_against_step(CUBE)
        assert uses(drawn, PLOT_LINES["blue"])
        assert uses(drawn, PLOT_LINES["purple"])
        assert not uses(drawn, PLOT_LINES["green"])

    def test_errors_of_exactly_zero_do_not_stop_it(self) -> None:
        assert error_against_step([StepError(h, 0.0, 0.0) for h in (1e-3, 1e-2)]).svg

    @pytest.mark.parametrize(
        ("errors", "kind", "words"),
        [
            ([], ValueError, "at least two steps"),
            (CUBE[:1], ValueError, "at least two steps"),
            ([0.1, 0.2], TypeError, "error_by_step"),
            (5, TypeError, "error_by_step"),
            ({}, ValueError, "1 to 4 functions"),
            (dict.fromkeys("abcde", CUBE), ValueError, "1 to 4 functions, got 5"),
        ],
    )
    def test_bad_input_is_named(self, errors: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            error_against_step(errors)


class FakeShell:
    """A notebook's shell, as far as a live picture knows it."""

    kernel = object()

    def __init__(self) -> None:
        self.hooks: list[Callable[..., None]] = []
        self.events = self
        self.shown: list[tuple[str, dict[str, Any]]] = []

    def register(self, event: str, hook: Callable[..., None]) -> None:
        assert event == "post_run_cell"
        self.hooks.append(hook)

    def unregister(self, event: str, hook: Callable[..., None]) -> None:
        self.hooks.remove(hook)

    def end_cell(self) -> None:
        for hook in list(self.hooks):
            hook(None)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeShell]:
    import IPython
    import IPython.display

    fake = FakeShell()

    class Handle:
        def display(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("display", data))

        def update(self, data: dict[str, Any], **_: object) -> None:
            fake.shown.append(("update", data))

    monkeypatch.setattr(IPython, "get_ipython", lambda: fake)
    monkeypatch.setattr(IPython.display, "DisplayHandle", Handle)
    return fake


class TestLossCurve:
    def test_words(self) -> None:
        curve = loss_curve()
        assert str(curve) == "Loss curve without a loss so far."
        curve.add(Value(3.0))
        assert str(curve) == "Loss curve of 1 step: 3."
        curve.add(0.123456)
        curve.add(1)
        assert str(curve) == "Loss curve of 3 steps: from 3 to 1, the lowest is 0.123 at step 2."
        assert curve.losses == (3.0, 0.123456, 1.0)

    def test_an_empty_curve_is_text_and_cannot_be_drawn(self) -> None:
        assert LossCurve()._repr_mimebundle_() == (
            {"text/plain": "Loss curve without a loss so far."},
            {},
        )
        with pytest.raises(ValueError, match=r"curve.add\(loss\)"):
            LossCurve().plot()

    @pytest.mark.parametrize("loss", [math.nan, math.inf])
    def test_a_training_that_came_apart_says_so(self, loss: float) -> None:
        curve = loss_curve([1.0])
        with pytest.raises(ValueError, match="the loss needs a finite number"):
            curve.add(loss)
        assert curve.losses == (1.0,)

    def test_a_long_curve_also_shows_the_running_mean(self) -> None:
        assert uses(loss_curve([float(k % 2) for k in range(100)]).plot(), "#d55e00")
        assert not uses(loss_curve([1.0, 2.0]).plot(), "#d55e00")

    def test_without_a_notebook_nothing_is_drawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        curve = loss_curve()
        monkeypatch.setattr(curve, "plot", None)
        for loss in (3.0, 2.0):
            curve.add(loss)

    def test_it_appears_once_and_ends_up_to_date(self, shell: FakeShell) -> None:
        curve = loss_curve()
        for k in range(50):
            curve.add(1.0 / (k + 1))
        shell.end_cell()
        kinds = [kind for kind, _ in shell.shown]
        assert kinds[0] == "display"
        assert set(kinds[1:]) == {"update"}
        final = curve.plot()._repr_mimebundle_()[0]["text/html"]
        assert shell.shown[-1][1]["text/html"] == final
        assert shell.hooks == []

    def test_it_does_not_flood_the_page(
        self, shell: FakeShell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [0.0]

        class Clock:
            @staticmethod
            def monotonic() -> float:
                return now[0]

        monkeypatch.setattr("engine.drawing.plots.redrawn.time", Clock)
        curve = loss_curve()
        for _ in range(300):
            now[0] += 0.01
            curve.add(1.0)
        assert len(shell.shown) == 6  # at 0.01 s, and then every half second of three seconds

    def test_its_plain_text_is_the_same_from_first_to_last(self, shell: FakeShell) -> None:
        curve = loss_curve()
        curve.add(2.0)
        curve.add(1.0)
        shell.end_cell()
        assert {data["text/plain"] for _, data in shell.shown} == {WHILE_IT_RUNS}

    def test_a_later_cell_redraws_where_the_curve_is(self, shell: FakeShell) -> None:
        curve = loss_curve()
        curve.add(2.0)
        shell.end_cell()
        before = len(shell.shown)
        curve.add(1.0)
        shell.end_cell()
        assert [kind for kind, _ in shell.shown[before:]] == ["update"]

    def test_a_real_notebook_keeps_one_picture_the_last(self) -> None:
        notebook = run(
            "from engine.drawing.plots import loss_curve\n"
            "curve = loss_curve()\n"
            "for k in range(30):\n"
            "    curve.add(1 / (k + 1))"
        )
        (output,) = notebook.cells[0].outputs
        assert output.data["text/plain"] == WHILE_IT_RUNS
        alt = output.data["text/html"].split('alt="')[1].split('"')[0]
        assert alt.startswith("Loss curve of 30 steps: from 1 to 0.0333")

        page, _ = HTMLExporter(template_name="classic").from_notebook_node(notebook)
        assert f'alt="{alt}"' in page


class TestBoundary:
    def test_words_count_the_sides(self) -> None:
        drawn = decision_boundary(lambda x, y: Value(x - 0.5), CORNERS, [0, 1, 1, 1], resolution=11)
        assert str(drawn).splitlines() == [
            "Decision boundary of 4 points, x from 0 to 1, y from 0 to 1.",
            "Class 0 (circles): 1 of 1 on its side. Class 1 (squares): 2 of 3 on its side.",
            "Class 1 takes 45 % of the plane shown.",
        ]

    def test_a_probability_has_its_threshold(self) -> None:
        drawn = decision_boundary(
            lambda x, y: 0.4, CORNERS, [-1, -1, 1, 1], threshold=0.5, resolution=3
        )
        assert "Class 1 takes 0 % of the plane shown." in str(drawn)

    def test_each_side_has_its_tint(self) -> None:
        from matplotlib.colors import to_rgb

        def tinted(plot: Plot, color: str) -> int:
            mixed = [0.35 * c + 0.65 for c in to_rgb(color)]
            return int((abs(pixels(plot) - mixed).max(axis=2) < 0.01).sum())

        half = decision_boundary(lambda x, y: x - 0.5, CORNERS, [0, 0, 1, 1], resolution=5)
        none = decision_boundary(lambda x, y: -1.0, CORNERS, [0, 0, 1, 1], resolution=5)
        assert tinted(half, PLOT_AREAS["sky"]) > 1000
        assert tinted(half, PLOT_AREAS["orange"]) > 1000
        assert tinted(none, PLOT_AREAS["orange"]) < 1000

    @pytest.mark.parametrize("height", [0.25, 0.5, 0.75])
    def test_a_flat_plane_makes_a_low_picture(self, height: float) -> None:
        flat = [(x, height * y) for x, y in CORNERS]
        drawn = decision_boundary(lambda x, y: x - 0.5, flat, [0, 1, 0, 1], resolution=5)
        assert max(empty_edges(drawn)) <= 60

    def test_the_plane_stays_where_it_is_when_nothing_is_on_the_wrong_side(self) -> None:
        def last_drawn_row(labels: list[int]) -> int:
            flat = [(x, y / 2) for x, y in CORNERS]
            drawn = decision_boundary(lambda x, y: x - 0.5, flat, labels, resolution=5)
            return len(pixels(drawn)) - empty_edges(drawn)[3]

        assert last_drawn_row([0, 0, 1, 1]) == last_drawn_row([0, 1, 0, 1])

    @pytest.mark.parametrize(
        ("points", "labels", "words"),
        [
            ([], [], "at least one point"),
            (CORNERS, [0, 1], "4 points need as many labels, got 2"),
            (CORNERS, [1, 1, 1, 1], "two classes, got 1"),
            (CORNERS, [1, 2, 3, 3], "two classes, got 3"),
            ([(1.0, 2.0, 3.0)], [1], "two coordinates"),
        ],
    )
    def test_bad_input_is_named(self, points: Any, labels: Any, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            decision_boundary(lambda x, y: x, points, labels)

    @pytest.mark.parametrize("resolution", [1, True, 2.5])
    def test_the_resolution_is_a_whole_number(self, resolution: Any) -> None:
        with pytest.raises(ValueError, match="resolution"):
            decision_boundary(lambda x, y: x, CORNERS, [0, 0, 1, 1], resolution=resolution)

    def test_a_score_that_is_no_number_is_named(self) -> None:
        with pytest.raises(TypeError, match="the model's score"):
            decision_boundary(lambda x, y: None, CORNERS, [0, 0, 1, 1])


class TestAttention:
    def test_words_tell_the_strongest_first(self) -> None:
        rows = [[1.0], [0.3, 0.7], [Value(0.1), Value(0.5), Value(0.4)]]
        assert str(attention_map(rows, ["B", "e", "m"])).splitlines()[1:] == [
            "1 B: 1.00 from B",
            "2 e: 0.70 from e, 0.30 from B",
            "3 m: 0.50 from e, 0.40 from m, 0.10 from B",
        ]

    def test_a_full_weight_is_blue_and_a_short_row_is_not(self) -> None:
        def blue(weight: float) -> str:
            drawn = attention_map([[weight]], ["B"]).svg.split("</style>", 1)[1]
            return drawn.split(f"var(--c{PLOT_LINES['blue'][1:]})", 1)[1].split('"')[0]

        assert "opacity" not in blue(1.0)
        assert "opacity: 0.5" in blue(0.5)

    def test_every_number_is_read_on_its_cell(self) -> None:
        from matplotlib.colors import to_rgb

        def brightness(color: Any) -> float:
            parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05

        def on_dark(color: str) -> str:
            return PLOT_DARK.get(color, color)

        for weight in (k / 100 for k in range(101)):
            for look in (str, on_dark):
                card, blue = (to_rgb(look(c)) for c in (CARD, PLOT_LINES["blue"]))
                mixed = [weight * b + (1 - weight) * c for b, c in zip(blue, card, strict=True)]
                cell, number = brightness(mixed), brightness(to_rgb(look(number_color(weight))))
                assert max(cell, number) / min(cell, number) >= 4.3

    @pytest.mark.parametrize("tokens", [["BOS", *"nora"], ["a1", "d", "a2"], list("abcdefghijklm")])
    def test_there_is_no_empty_strip_beside_a_map(self, tokens: list[str]) -> None:
        count = len(tokens)
        drawn = attention_map([[1 / count] * count] * count, tokens)
        assert max(empty_edges(drawn)) <= 60

    def test_a_large_map_has_a_scale_instead_of_numbers(self) -> None:
        large = attention_map([[0.0] * 16] * 16, list("abcdefghijklmnop"))
        assert uses(large, PLOT_LINES["blue"])

    @pytest.mark.parametrize(
        ("rows", "tokens", "words"),
        [
            ([], [], "1 to 40 tokens, got 0"),
            ([[1.0]] * 41, ["t"] * 41, "1 to 40 tokens, got 41"),
            ([[1.0]], ["a", "b"], "2 tokens need as many rows of weights, got 1"),
            ([[]], ["a"], "row 1 needs 1 to 1 weights, got 0"),
            ([[0.5, 0.5]], ["a"], "row 1 needs 1 to 1 weights, got 2"),
            ([[2.5]], ["a"], "between 0 and 1, got 2.5.*softmax"),
            ([[-0.5]], ["a"], "between 0 and 1, got -0.5"),
        ],
    )
    def test_bad_input_is_named(self, rows: Any, tokens: Any, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            attention_map(rows, tokens)


class TestHistogram:
    def test_words_count_signs_and_sizes(self) -> None:
        drawn = gradient_histogram([1e-6, -1e-3, 0.5, 0.25, 0.0, -0.0])
        assert str(drawn).splitlines() == [
            "Histogram of 6 gradients: 3 positive, 1 negative, 2 exactly 0.",
            "Sizes from 1e-06 to 0.5; half of those that are not 0 are below 0.126.",
        ]

    def test_values_give_their_gradients(self) -> None:
        weight, unused = Parameter(3.0), Parameter(4.0)
        (weight * 5).backward()
        assert str(gradient_histogram([weight, unused])).startswith(
            "Histogram of 2 gradients: 1 positive, 0 negative, 1 exactly 0.\nSizes from 5 to 5"
        )

    def test_zeros_alone_are_drawn(self) -> None:
        drawn = gradient_histogram([0.0, 0.0])
        assert str(drawn) == "Histogram of 2 gradients: 0 positive, 0 negative, 2 exactly 0."
        assert drawn.svg

    def test_every_gradient_is_in_a_bar(self) -> None:
        from engine.drawing.plots import histogram

        class Axes:
            def __init__(self) -> None:
                self.total = 0

            def bar(self, _: object, heights: list[int], **__: object) -> None:
                self.total += sum(heights)

            def __getattr__(self, _: str) -> Any:
                return Stand()

        class Stand:
            def __call__(self, *_: object, **__: object) -> "Stand":
                return self

            def __getattr__(self, _: str) -> "Stand":
                return self

        generator = random.Random(7)
        numbers = [generator.gauss(0, 1) * 10 ** generator.uniform(-30, 3) for _ in range(500)]
        numbers += [1.0, 10.0, 0.1, -1.0, 0.0, 5e-324]
        axes = Axes()
        sizes = sorted(abs(n) for n in numbers if n)
        histogram._draw(axes, numbers, sizes)  # type: ignore[arg-type]
        assert axes.total == len(numbers)

    @pytest.mark.parametrize(
        ("gradients", "kind", "words"),
        [
            ([], ValueError, "no gradient to plot"),
            ([math.nan], ValueError, "a gradient needs a finite number"),
            (["1"], TypeError, "a gradient needs a real number"),
        ],
    )
    def test_bad_input_is_named(self, gradients: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            gradient_histogram(gradients)
