"""``GradientCheck`` from Python: its state, its words, and what the front end is told."""

import json
import random
import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from traitlets import TraitError

from engine import GradientCheck, Value, gradient_check
from engine.drawing.palette import DARK, LIGHT
from engine.drawing.step_chart import StepChart, exponent_text, power_of_ten
from engine.measuring import StepError
from engine.widgets import front_end
from engine.widgets.gradient_check import LARGEST_CHECKED

SVG = "{http://www.w3.org/2000/svg}"
SEVEN = [2.0, -3.0, 10.0, -2.0]
NOISE = random.Random(0)
HOSTILE = ["<script>alert(1)</script>", "a&amp;b", 'q"u\\o|te{', "a\nb", "\x00", "שלום", "x" * 999]


def seven_nodes(a: Value, b: Value, c: Value, f: Value) -> Value:
    return (a * b + c) * f


def cube(x: Value) -> Value:
    return x * x * x


def half_lost(x: Value) -> Value:
    return x * x.data


def mixed(x: Value, y: Value, z: Value) -> Value:
    """Smooth in x, with a kink 0.001 below y, and closed to z."""
    return x.tanh() * x.exp() + (y - 0.001).relu() + (z - 1.0).relu()


MIXED = {"x": 0.5, "y": 0.002, "z": 0.5}


@pytest.fixture(scope="module")
def seven() -> GradientCheck:
    return GradientCheck(seven_nodes, SEVEN)


class TestState:
    def test_it_starts_at_the_usual_step(self, seven: GradientCheck) -> None:
        state = seven.state
        assert state.h == seven.h == 1e-5
        assert state.verdicts == dict.fromkeys("abcf", "agree")
        assert state.heading == "h = 1e−5: all 4 agree."
        assert state.input == "a"

    def test_the_result_is_that_of_a_single_check(self) -> None:
        check = GradientCheck(cube, [2.0])
        for h in (1e-1, 1e-5, 1e-13):
            check.h = h
            assert check.result == gradient_check(cube, [2.0], step=h)

    def test_any_step_can_be_the_first(self) -> None:
        check = GradientCheck(cube, [2.0], step=2.5e-4)
        assert check.h == 2.5e-4
        assert len(check.study.steps) == 30

    def test_an_unknown_step_is_refused_with_what_to_do(self) -> None:
        check = GradientCheck(cube, [2.0])
        with pytest.raises(ValueError, match=r"none of the 29 steps.*step="):
            check.h = 0.7
        assert check.h == 1e-5

    @pytest.mark.parametrize(("name", "value"), [("index", 29), ("index", -1), ("chosen", 4)])
    def test_what_does_not_exist_cannot_be_chosen(self, name: str, value: int) -> None:
        check = GradientCheck(seven_nodes, SEVEN)
        before = check.state
        with pytest.raises(TraitError, match=r"(positions|goes from) 0 to (28|3)"):
            setattr(check, name, value)
        assert check.state == before

    def test_it_opens_at_the_input_that_has_something_to_say(self) -> None:
        assert GradientCheck(mixed, MIXED).state.input == "z"

    def test_two_checks_are_independent(self) -> None:
        one, other = GradientCheck(cube, [2.0]), GradientCheck(cube, [2.0])
        one.h = 1e-1
        assert other.h == 1e-5

    def test_bad_input_is_refused_as_in_gradient_check(self) -> None:
        with pytest.raises(TypeError, match="must give a Value"):
            GradientCheck(lambda x: 3.0, [1.0])  # type: ignore[arg-type, return-value]
        with pytest.raises(ValueError, match="at least one input"):
            GradientCheck(lambda: Value(1.0), [])
        with pytest.raises(ValueError, match="above 0"):
            GradientCheck(cube, [1.0], step=-1e-5)
        with pytest.raises(ValueError, match=r"log\(.*\) does not exist"):
            GradientCheck(lambda x: x.log(), [0.05], step=0.1)

    def test_too_many_inputs_say_so_with_numbers(self) -> None:
        def total(*inputs: Value) -> Value:
            return sum(inputs[1:], inputs[0])

        with pytest.raises(ValueError, match=r"of 31 inputs.*limit is 30.*gradient_check\(f, at\)"):
            GradientCheck(total, [1.0] * (LARGEST_CHECKED + 1))
        assert len(GradientCheck(total, [1.0] * LARGEST_CHECKED).state.verdicts) == 30


def said(function: Callable[..., Value], at: list[float], h: float) -> str:
    check = GradientCheck(function, at)
    check.h = h
    return " ".join([check.state.heading, *check.state.sentences])


class TestWords:
    @pytest.mark.parametrize(
        ("function", "at", "h", "words"),
        [
            (cube, 2.0, 1e-5, "x agrees. x: gradient 12, central difference 12"),
            (cube, 2.0, 1e-1, "x: gradient 12, central difference 12.01, relative error 8.3e−4"),
            (cube, 2.0, 1e-1, "The step is too large: the curve bends"),
            (cube, 2.0, 1e-13, "The step is too small: f(x+h) and f(x−h) are almost equal"),
            (cube, 2.0, 1e-13, "With another step they agree."),
            (half_lost, 3.0, 1e-5, "relative error 0.5; they differ. They agree at no step"),
            (half_lost, 3.0, 1e-13, "They agree at no step"),
            (lambda x: x.relu(), 0.0, 1e-5, "a kink right here: measured to the left the slope"),
            (lambda x: x.relu(), 0.0, 1e-5, "the slope is 0, to the right 1."),
            (lambda x: x.relu(), 0.0, 1e-5, "The gradient 0 is a choice"),
            (lambda x: x.relu(), 1e-3, 1e-1, "straddles a kink that is 0.001 away"),
            (lambda x: x.relu(), 1e-3, 1e-4, "they agree."),
            (lambda x: (x - 9.0).relu(), 1.0, 1e-5, "the gradient is 0, and 0 is measured."),
            (lambda x: (x - 9.0).relu(), 1.0, 1e-5, "This says nothing"),
            (cube, 0.0, 1e-5, "almost 0 is measured"),
            (lambda x: x.log(), 0.05, 1e-1, "x has no number."),
            (lambda x: x + NOISE.gauss(0, 1), 3.0, 1e-5, "x varies. x: for the same inputs the"),
            (lambda x: x.log(), 0.05, 1e-1, "log(-0.05) does not exist"),
        ],
    )
    def test_each_verdict_says_why(
        self, function: Callable[..., Value], at: float, h: float, words: str
    ) -> None:
        assert words in said(function, [at], h)

    def test_the_heading_counts_verdicts(self) -> None:
        check = GradientCheck(mixed, MIXED)
        assert check.state.heading == "h = 1e−5: of 3 inputs 2 agree, 1 says nothing."
        check.h = 1e-1
        assert check.state.heading == (
            "h = 1e−1: of 3 inputs 1 differs, 1 says nothing, 1 meets a kink."
        )

    def test_the_note_tells_a_v_from_none(self, seven: GradientCheck) -> None:
        for told in seven.payload["inputs"]:
            assert told["note"].startswith("There is no V: where the third deriv")
        bent = GradientCheck(cube, [2.0]).payload["inputs"][0]["note"]
        assert "like a V: truncation at large steps, rounding at small ones" in bent
        wrong = GradientCheck(half_lost, [3.0]).payload["inputs"][0]["note"]
        assert "same at every step" in wrong


class TestText:
    def test_the_seven_node_example(self, seven: GradientCheck) -> None:
        assert repr(seven).splitlines() == [
            "Gradient check with step h = 1e-05: all 4 agree.",
            "input  data  gradient  central difference  relative error  verdict",
            "a         2         6                   6      below 1e-8  agree",
            "b        -3        -4                  -4      below 1e-8  agree",
            "c        10        -2                  -2      below 1e-8  agree",
            "f        -2         4                   4      below 1e-8  agree",
            "a, b, c, f: There is no V: where the third derivative is 0, a central "
            "difference has no truncation error. Only rounding is left, and a large step is best.",
        ]

    def test_rounding_noise_is_not_in_the_text(self) -> None:
        """Sums in another order round differently, as other machines do."""

        def reordered(a: Value, b: Value, c: Value, f: Value) -> Value:
            return f * c + a * f * b

        for h in (1e-3, 1e-5, 1e-7):
            texts = []
            for function in (seven_nodes, reordered):
                check = GradientCheck(function, SEVEN)
                check.h = h
                texts.append(repr(check))
            assert texts[0] == texts[1]

    def test_a_clear_error_is_written_as_a_number(self) -> None:
        assert re.search(r"x +3 +3 +6 +0\.5  differ", repr(GradientCheck(half_lost, [3.0])))

    def test_only_plain_signs(self) -> None:
        check = GradientCheck(mixed, MIXED)
        for h in (1e-1, 1e-5, 1e-14):
            check.h = h
            assert repr(check).isascii()


class TestPayload:
    def test_everything_for_every_step_is_there_as_text(self, seven: GradientCheck) -> None:
        payload = json.loads(json.dumps(seven.payload))
        assert len(payload["places"]) == len(seven.study.steps) == 29
        for place in payload["places"]:
            assert len(place["rows"]) == 4
            assert all(isinstance(text, str) for row in place["rows"] for text in row.values())
        for told in payload["inputs"]:
            assert len(told["sentences"]) == 29
            assert isinstance(told["data"], str)

    def test_rows_have_a_mark_and_a_word_for_each_verdict(self) -> None:
        rows = GradientCheck(mixed, MIXED).payload["places"]
        found = {(row["state"], row["mark"], row["verdict"]) for p in rows for row in p["rows"]}
        assert found == {
            ("agree", "✓", "agree"),
            ("differ", "×", "differ"),
            ("nothing", "∅", "says nothing"),
            ("kink", "∧", "kink"),
        }

    def test_a_measured_number_shows_how_rounding_spoils_it(self, seven: GradientCheck) -> None:
        central = {p["step"]: p["rows"][0]["central"] for p in seven.payload["places"]}
        assert central["1e−5"] == "6"
        assert central["1e−13"] != "6"
        assert central["1e−13"].startswith(("5.9", "6.0"))

    def test_hostile_names_are_inert(self) -> None:
        def total(**inputs: Value) -> Value:
            return sum(list(inputs.values())[1:], next(iter(inputs.values())))

        check = GradientCheck(total, dict.fromkeys(HOSTILE, 1.0))
        for told, name in zip(check.payload["inputs"], HOSTILE, strict=True):
            root = ET.fromstring(told["svg"])
            assert "script" not in {part.tag.removeprefix(SVG) for part in root.iter()}
            assert len(told["name"]) <= 30
            assert "\n" not in told["name"]
            assert "\x00" not in told["name"]
            assert told["name"].startswith(name[0]) or not (
                name[0].isascii() and name.isprintable()
            )
        lines = repr(check).splitlines()
        assert len(lines) == 2 + len(HOSTILE) + 1

    def test_the_bundle_has_a_widget_a_picture_and_words(self, seven: GradientCheck) -> None:
        data, _ = seven._repr_mimebundle_()
        assert data["text/plain"] == repr(seven)
        assert "application/vnd.jupyter.widget-view+json" in data
        assert ET.fromstring(data["image/svg+xml"]).get("class") == "rw-chart"


class TestChart:
    def points(self, svg: str, series: str) -> list[ET.Element]:
        (group,) = [
            part
            for part in ET.fromstring(svg).iter(f"{SVG}g")
            if part.get("class") == f"rw-series rw-{series}-series" and len(part) > 2
        ]
        return [part for part in group if part.get("data-place")]

    def test_every_step_has_its_point_in_both_series(self, seven: GradientCheck) -> None:
        svg = seven.payload["inputs"][0]["svg"]
        for series in ("central", "forward"):
            places = [int(p.get("data-place", "")) for p in self.points(svg, series)]
            assert places == list(range(29))

    def test_steps_without_a_number_have_no_point(self) -> None:
        check = GradientCheck(lambda x: x.log(), [0.05])
        places = {
            p.get("data-place") for p in self.points(check.payload["inputs"][0]["svg"], "central")
        }
        assert places == {str(k) for k in range(28)}

    def test_points_lie_where_their_numbers_are(self) -> None:
        errors = (StepError(1e-4, 1e-2, 1e-4), StepError(1e-3, 1e-1, 1e-2))
        chart = StepChart(errors, (0, 1), (1e-4, 1e-3), "")
        first, second = self.points(chart.svg(0), "central")
        assert float(first.get("cx", "")) == pytest.approx(chart.across.start)
        assert float(second.get("cx", "")) == pytest.approx(chart.across.end)
        decade = (chart.upward.start - chart.upward.end) / (chart.upward.high - chart.upward.low)
        climb = float(first.get("cy", "")) - float(second.get("cy", ""))
        assert climb == pytest.approx(2 * decade, abs=0.2)

    def test_the_chosen_step_is_marked(self, seven: GradientCheck) -> None:
        chart = ET.fromstring(seven._repr_mimebundle_()[0]["image/svg+xml"])
        now = [p.get("data-place") for p in chart.iter() if p.get("data-now") is not None]
        assert now == [str(seven.index)] * 2
        (marker,) = [p for p in chart.iter() if p.get("class") == "rw-now"]
        x = seven.payload["places"][seven.index]["x"]
        assert marker.get("transform") == f"translate({x} 0)"

    def test_the_slopes_are_labeled_and_only_those_that_are_there(self) -> None:
        def labels(check: GradientCheck) -> set[str]:
            root = ET.fromstring(check.payload["inputs"][0]["svg"])
            return {t.text or "" for t in root.iter(f"{SVG}text") if "∝" in (t.text or "")}

        slopes = {"rounding ∝ 1/h", "truncation ∝ h", "truncation ∝ h²"}
        assert labels(GradientCheck(cube, [2.0])) == slopes
        assert labels(GradientCheck(seven_nodes, SEVEN)) == {"rounding ∝ 1/h"}
        assert labels(GradientCheck(half_lost, [3.0])) == set()

    @pytest.mark.parametrize(
        ("function", "at"),
        [
            (cube, [2.0]),
            (seven_nodes, SEVEN),
            (lambda x, w: (x * w + 1).tanh() * x, [0.5, -1.2]),
            (lambda x: x.relu(), [1e-3]),
            (lambda x: x.log(), [0.05]),
        ],
    )
    def test_no_text_of_a_line_lies_on_a_line_or_on_a_point(
        self, function: Callable[..., Value], at: list[float]
    ) -> None:
        for one_input in GradientCheck(function, at).payload["inputs"]:
            svg = one_input["svg"]
            root = ET.fromstring(svg)
            drawn = [
                (float(point.get("cx", 0)), float(point.get("cy", 0)))
                for point in self.points(svg, "central")
            ]
            for line in root.iter(f"{SVG}line"):
                if line.get("class") in {"rw-guide", "rw-level", "rw-bend"}:
                    x1, y1, x2, y2 = (float(line.get(name, 0)) for name in ("x1", "y1", "x2", "y2"))
                    drawn += [
                        (x1 + k / 200 * (x2 - x1), y1 + k / 200 * (y2 - y1)) for k in range(201)
                    ]
            texts = [t for t in root.iter(f"{SVG}text") if "rw-halo" in (t.get("class") or "")]
            assert texts
            for text in texts:
                x, y = float(text.get("x", 0)), float(text.get("y", 0))
                width = 6.5 * len(text.text or "")
                left = x - width if text.get("text-anchor") == "end" else x
                covered = [p for p in drawn if left < p[0] < left + width and y - 10 < p[1] < y + 3]
                assert not covered, (text.text, covered)

    def test_zeros_alone_are_said_to_be_zero(self) -> None:
        check = GradientCheck(lambda x: (x - 9.0).relu(), [1.0])
        assert "every error is exactly 0" in check.payload["inputs"][0]["svg"]

    @pytest.mark.parametrize("function", [cube, half_lost, lambda x: x.relu()])
    def test_nothing_is_drawn_outside_of_the_picture(self, function: Callable[..., Value]) -> None:
        for at in (2.0, 1e-3, 1e6):
            root = ET.fromstring(GradientCheck(function, [at]).payload["inputs"][0]["svg"])
            for part in root.iter():
                for name in ("x1", "x2", "cx"):
                    assert -10.0 <= float(part.get(name, "0")) <= 600.0
                for name in ("y1", "y2", "cy"):
                    assert -10.0 <= float(part.get(name, "0")) <= 380.0

    def test_it_is_an_image_with_words_and_without_ids(self, seven: GradientCheck) -> None:
        root = ET.fromstring(seven.payload["inputs"][0]["svg"])
        assert root.get("role") == "img"
        assert "Error against step for a" in (root.get("aria-label") or "")
        assert "There is no V" in (root.get("aria-label") or "")
        assert not [part for part in root.iter() if part.get("id")]

    def test_texts_of_axes(self) -> None:
        assert power_of_ten(-15) == "10⁻¹⁵"
        assert exponent_text(3e-5) == "3e−5"


def test_the_style_sheet_uses_only_colors_of_the_palette() -> None:
    style = front_end.style()
    own = {"width", "lines"}
    used = set(re.findall(r"var\(--rw-([a-z-]+)\)", style)) - own
    assert used <= set(LIGHT)
    assert set(LIGHT) == set(DARK)
