"""The ways of a descent: what is in the picture, what is not, and what the words say."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest
from test_plots import HOSTILE, uses

from engine import Parameter, Value
from engine.drawing.palette import INK, PLOT_LINES
from engine.drawing.plots import Plot, descent_on_curve, descent_paths
from engine.optim import SGD, Adam

NARROW = [(-4.0, 1.0), (-3.28, -0.8), (-2.69, 0.64)]


def parabola(w: Value) -> Value:
    return (w - 3.0) ** 2


def valley(x: Value, y: Value) -> Value:
    return 0.5 * x * x + 5.0 * y * y


def descent(rate: float, steps: int = 12, start: float = 5.0) -> list[float]:
    w = Parameter(start)
    optimizer = SGD([w], rate)
    places = [w.data]
    for _ in range(steps):
        optimizer.zero_grad()
        parabola(w).backward()
        optimizer.step()
        places.append(w.data)
    return places


def steep(x: Value, y: Value) -> Value:
    return 0.02 * x * x + y * y


def way(
    make: Any, steps: int = 20, loss: Any = valley, start: tuple[float, float] = (-4.0, 1.0)
) -> list[tuple[float, float]]:
    x, y = map(Parameter, start)
    optimizer = make([x, y])
    points = [(x.data, y.data)]
    for _ in range(steps):
        optimizer.zero_grad()
        loss(x, y).backward()
        optimizer.step()
        points.append((x.data, y.data))
    return points


def assert_a_picture(drawn: Plot) -> None:
    data, _ = drawn._repr_mimebundle_()
    assert data["text/plain"] == drawn.text
    (image,) = ElementTree.fromstring(f"<p>{data['text/html'].replace('>', '/>')}</p>")
    assert image.attrib["alt"] == " ".join(drawn.text.split())
    ElementTree.fromstring(drawn.svg)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The words that are written beside a point while a picture is drawn."""
    from matplotlib.axes import Axes

    words = []

    def annotate(axes: Axes, *args: Any, **options: Any) -> Any:
        words.append(write(axes, *args, **options))
        return words[-1]

    write = Axes.annotate
    monkeypatch.setattr(Axes, "annotate", annotate)
    return words


class TestOnACurve:
    def test_words(self) -> None:
        drawn = descent_on_curve(parabola, [5, Value(4.0), 3.5], name="w")
        assert str(drawn) == (
            "Descent on a curve, w from 5 to 3.5 in 2 steps: the loss goes from 4 to 0.25."
        )
        assert_a_picture(drawn)
        assert uses(drawn, PLOT_LINES["vermilion"])

    def test_a_single_place_and_a_standstill(self) -> None:
        assert str(descent_on_curve(parabola, [3.0], name="w")) == "A curve, w = 3: the loss is 0."
        still = descent_on_curve(parabola, [3.0, 3.0, 3.0])
        assert "in 2 steps: the loss goes from 0 to 0." in str(still)

    @pytest.mark.parametrize("rate", [0.01, 0.3, 0.9, 1.0])
    def test_a_descent_that_stays_is_in_the_picture(self, rate: float) -> None:
        assert "outside" not in str(descent_on_curve(parabola, descent(rate)))

    def test_a_descent_that_runs_away_says_from_where(self) -> None:
        drawn = descent_on_curve(parabola, descent(1.1))
        assert str(drawn).splitlines()[1] == "Steps 4 to 12 are outside the picture."
        assert_a_picture(drawn)

    def test_the_very_first_step_may_be_far_too_long(self) -> None:
        places = [3.1, 30.0, -500.0, 1e150]
        assert "outside" in str(descent_on_curve(parabola, places))

    def test_places_beyond_any_float_loss_are_outside(self) -> None:
        drawn = descent_on_curve(parabola, [5.0, 1.0, 1e200], name="w")
        assert "from 4 to too large for a float." in str(drawn)
        assert "Step 2 is outside the picture." in str(drawn)

    @pytest.mark.parametrize(
        ("loss", "place"), [(Value.log, -0.38), (lambda w: 1 / w, 0.0), (lambda w: w**0.5, -1.0)]
    )
    def test_where_no_loss_exists_the_curve_has_a_gap(self, loss: Any, place: float) -> None:
        drawn = descent_on_curve(loss, [1.0, 2.0, place], name="w", window=(-1.5, 2.5))
        assert str(drawn).endswith("to undefined.")
        assert_a_picture(drawn)
        assert_a_picture(descent_on_curve(loss, [1.0, 2.0, place]))
        assert str(descent_on_curve(loss, [place])).endswith(": the loss is undefined.")

    def test_the_window_can_be_given(self) -> None:
        drawn = descent_on_curve(parabola, [5.0, 4.0, 3.0, 4.5], window=(2.0, 4.2))
        assert "2 places are outside the picture, the first is that of step 0." in str(drawn)
        with pytest.raises(ValueError, match="smaller to a larger"):
            descent_on_curve(parabola, [1.0], window=(2.0, 2.0))

    def test_a_step_keeps_its_number_after_one_outside(self, written: list[Any]) -> None:
        descent_on_curve(parabola, [5.0, 9.0, 2.0], window=(1.0, 6.0))
        assert [(text.get_text(), text.xy[0]) for text in written] == [("0", 5.0), ("2", 2.0)]

    def test_a_loss_may_be_a_plain_number(self) -> None:
        assert "from 25 to 16." in str(descent_on_curve(lambda w: w.data**2, [5.0, 4.0]))

    @pytest.mark.parametrize("word", HOSTILE)
    def test_a_name_is_text(self, word: str) -> None:
        drawn = descent_on_curve(parabola, [5.0, 4.0], name=word)
        assert len(str(drawn).splitlines()) == 1
        assert "\x00" not in str(drawn)

    @pytest.mark.parametrize(
        ("path", "kind", "words"),
        [
            ([], ValueError, "at least the place of the start"),
            ([1.0, None], TypeError, "a place of the path"),
            ([1.0, math.nan], ValueError, "a place of the path"),
        ],
    )
    def test_bad_places_are_named(self, path: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            descent_on_curve(parabola, path)

    def test_a_loss_that_is_no_number_is_named(self) -> None:
        with pytest.raises(TypeError, match="the loss"):
            descent_on_curve(lambda w: None, [1.0])


class TestOverContours:
    def test_words(self) -> None:
        drawn = descent_paths(valley, {"slow": NARROW, "fast": [(-4, 1), (0, 0)]}, goal=(0, 0))
        assert str(drawn).splitlines() == [
            "Descent over the contours of a loss, x from -4 to 0, y from -0.8 to 1.",
            "slow: 2 steps, from (-4, 1) to (-2.69, 0.64), the loss goes from 13 to 5.67.",
            "fast: 1 step, from (-4, 1) to (0, 0), the loss goes from 13 to 0.",
            "The goal is (0, 0), with the loss 0.",
        ]
        assert_a_picture(drawn)

    def test_the_lowest_place_is_found_in_the_picture(self) -> None:
        drawn = descent_paths(
            lambda x, y: (x - 1.25) ** 2 + (y + 0.5) ** 2, {"a": [(0, 0), (3, -2)]}
        )
        assert "The lowest place in the picture is (1.25, -0.5), with the loss 0." in str(drawn)

    def test_each_way_has_its_hue(self) -> None:
        ways = {
            "gradient descent": way(lambda p: SGD(p, 0.15)),
            "Adam": way(lambda p: Adam(p, 0.3)),
        }
        two = descent_paths(valley, ways)
        for hue in ("blue", "vermilion"):
            assert uses(two, PLOT_LINES[hue])
        assert not uses(two, PLOT_LINES["green"])
        assert uses(two, INK)

    def test_no_name_is_written_on_a_zigzag(self, written: list[Any]) -> None:
        descent_paths(steep, {"gradient descent": way(lambda p: SGD(p, 0.9), 40, steep, (-8, 1.5))})
        (name,) = (text for text in written if text.get_text() == "gradient descent")
        (line,) = name.axes.lines
        path = line.get_path().transformed(name.axes.transData)
        assert not path.intersects_bbox(name.get_window_extent(), filled=False)

    def test_a_way_that_runs_away_says_so(self) -> None:
        ways = {"too long": way(lambda p: SGD(p, 0.21)), "Adam": way(lambda p: Adam(p, 0.3))}
        drawn = descent_paths(valley, ways)
        lines = str(drawn).splitlines()
        assert lines[1].endswith("Steps 15 to 20 are outside the picture.")
        assert "outside" not in lines[2]

    @pytest.mark.parametrize(
        "points", [[(1.0, 1.0)], [(1.0, 1.0), (1.0, 1.0)], [(0.0, 0.0), (1.0, 0.0)]]
    )
    def test_a_way_may_be_a_point_or_a_line(self, points: Any) -> None:
        assert_a_picture(descent_paths(valley, {"a": points}))

    def test_a_flat_loss_has_no_contours(self) -> None:
        assert_a_picture(descent_paths(lambda x, y: 2.0, {"a": NARROW}))

    def test_where_no_loss_exists_there_are_no_contours(self) -> None:
        drawn = descent_paths(lambda x, y: x.log() + y * y, {"a": [(2, 1), (0.5, 0.5), (-1, 0)]})
        assert "the loss goes from 1.69 to undefined." in str(drawn)
        assert_a_picture(drawn)

    def test_names_are_text(self) -> None:
        for word in HOSTILE:
            drawn = descent_paths(valley, {word: NARROW}, names=(word, word))
            assert len(str(drawn).splitlines()) == 3

    @pytest.mark.parametrize(
        ("paths", "kind", "words"),
        [
            ({}, ValueError, "from 1 to 4 ways"),
            (dict.fromkeys("abcde", NARROW), ValueError, "from 1 to 4 ways"),
            (NARROW, ValueError, "ways by name"),
            ({"a": []}, ValueError, "the way of a has no point"),
            ({"a": [(1.0, 2.0, 3.0)]}, ValueError, "two coordinates"),
            ({"a": [5.0]}, ValueError, "two coordinates"),
            ({"a": [(1.0, None)]}, TypeError, "a coordinate"),
        ],
    )
    def test_bad_ways_are_named(self, paths: Any, kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            descent_paths(valley, paths)


def test_the_same_picture_twice_is_the_same_to_the_last_byte() -> None:
    ways = {"a": NARROW, "b": [(-4.0, 1.0), (0.0, 0.0)]}
    assert descent_paths(valley, ways) == descent_paths(valley, ways)
    assert descent_on_curve(parabola, [5.0, 4.0]) == descent_on_curve(parabola, [5.0, 4.0])
