"""``LearningRates`` from Python: its descents, its words, and what the front end is told."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from traitlets import TraitError

from engine import LearningRates, Value
from engine.drawing.plots import Plot
from engine.widgets.rates import descent
from engine.widgets.rates_words import Descent, Outcome
from engine.words.naming import number

VIEW = "application/vnd.jupyter.widget-view+json"
RATES = [0.01, 0.3, 0.9, 0.98, 1.0, 1.1]
OUTCOMES = [
    Outcome.STILL_FAR,
    Outcome.ARRIVES,
    Outcome.OVERSHOOTS,
    Outcome.BACK_AND_FORTH,
    Outcome.NOWHERE,
    Outcome.DIVERGES,
]


def parabola(w: Value) -> Value:
    return (w - 3.0) ** 2


@pytest.fixture(scope="module")
def rates() -> LearningRates:
    return LearningRates(parabola, start=5.0, rates=reversed(RATES), steps=20)


@pytest.fixture(autouse=True)
def at_the_smallest(request: pytest.FixtureRequest) -> None:
    if "rates" in request.fixturenames:
        request.getfixturevalue("rates").index = 0


class TestDescents:
    def test_a_parabola_multiplies_the_distance_each_step(self, rates: LearningRates) -> None:
        for one in rates.descents:
            for step, place in enumerate(one.places):
                assert place == pytest.approx(3.0 + 2.0 * (1.0 - 2.0 * one.rate) ** step)
            assert one.losses == tuple(pytest.approx((p - 3.0) ** 2) for p in one.places)
            assert one.steps == 20

    def test_it_stops_where_a_step_cannot_be_made(self) -> None:
        too_far = descent(lambda w: w**4, 1.0, 10.0, 50)
        assert 0 < too_far.steps < 50
        assert "too large" in too_far.broke
        assert too_far.outcome(0.0) is Outcome.DIVERGES
        outside = descent(lambda w: w.log(), 0.5, 1.0, 50)
        assert outside.broke.startswith("log(-1.5) does not exist")
        assert outside.outcome(-1.0) is Outcome.ENDS_EARLY

    def test_a_start_without_a_loss_is_an_error_of_the_start(self) -> None:
        with pytest.raises(ValueError, match="log"):
            LearningRates(lambda w: w.log(), start=-1.0, rates=[0.1])


class TestWords:
    @pytest.mark.parametrize(("rate", "outcome"), list(zip(RATES, OUTCOMES, strict=True)))
    def test_each_outcome_is_told(
        self, rates: LearningRates, rate: float, outcome: Outcome
    ) -> None:
        rates.rate = rate
        state = rates.state
        assert (state.rate, state.outcome) == (rate, str(outcome))
        assert state.heading.startswith(f"Learning rate {rate:g}: ")
        assert len(state.sentences) == 2
        assert state.sentences[0].startswith("20 steps from w = 5 to ")

    def test_a_jump_over_the_lowest_place_goes_back_and_forth(self, rates: LearningRates) -> None:
        rates.rate = 0.98
        assert rates.state.outcome == "jumps back and forth, not there yet"
        assert rates.state.heading.endswith("it jumps back and forth, and is not there yet.")
        rates.rate = 1.0
        assert rates.state.outcome == "jumps back and forth, gets nowhere"
        assert rates.state.heading.endswith("it jumps back and forth, and gets nowhere.")

    def test_the_numbers_of_a_divergence(self, rates: LearningRates) -> None:
        rates.rate = 1.1
        assert rates.state.sentences == (
            "20 steps from w = 5 to 79.7; the loss goes from 4 to 5880.",
            "The loss does not fall, it grows: the last are 2840, 4080, 5880.",
        )

    def test_the_other_numbers(self, rates: LearningRates) -> None:
        second = []
        for rate in RATES[:5]:
            rates.rate = rate
            second.append(rates.state.sentences[1])
        above = "At the start the loss is 4 above the lowest."
        assert second == [
            f"{above} At the end 45 % of it is left.",
            f"{above} From step 3 on at most 1 % of it is left.",
            f"It changes its direction 19 times. {above} From step 11 on at most 1 % of it is "
            "left.",
            *[
                "It changes its direction 19 times: each step goes past the lowest place, to the "
                "other side."
            ]
            * 2,
        ]

    def test_a_broken_descent_says_why(self) -> None:
        told = LearningRates(lambda w: w**4, start=1.0, rates=[10.0], steps=30)
        last = told.state.sentences[1]
        assert "cannot be made: " in last
        assert "too large" in last

    def test_a_descent_that_leaves_the_curve_does_not_grow(self) -> None:
        minus = number(-1.0)[0]
        told = LearningRates(lambda w: w.log(), 2.0, [1.0, 5.0], 5)
        assert told.state.heading == (
            "Learning rate 1: it ends early, since a step cannot be made."
        )
        assert told.state.sentences == (
            f"2 steps from w = 2 to 0.833; the loss goes from 0.693 to {minus}0.182.",
            "Step 3 cannot be made: log(-0.366667) does not exist: log needs a number above 0.",
        )

    @pytest.mark.parametrize(
        "loss", [lambda w: -w * w, lambda w: +w, lambda w: -w.log(), lambda w: (-w).exp()]
    )
    def test_a_loss_that_falls_without_end_has_no_lowest_place(self, loss: Any) -> None:
        told = LearningRates(loss, 0.3, [0.1, 0.3, 1.1], 10)
        for rate in (0.1, 0.3, 1.1):
            told.rate = rate
            state = told.state
            assert state.outcome == "falls on"
            assert state.heading.endswith("the loss falls on, and no lowest place is in sight.")
            last = ", ".join(number(float(f"{height:.3g}")) for height in state.losses[-3:])
            assert state.sentences[1] == (
                f"The loss still falls at the end: the last are {last}. If there is a lowest "
                "place, it is outside the picture."
            )

    def test_small_steps_alone_do_not_see_the_lowest_place(self) -> None:
        assert LearningRates(parabola, 5.0, [0.01], 5).state.outcome == "falls on"
        assert LearningRates(parabola, 5.0, [0.01, 0.5], 5).state.outcome == "still far"

    def test_a_valley_that_was_reached_does_not_fall_on(self) -> None:
        told = LearningRates(lambda w: w**3 - 3 * w, 2.0, [0.1, 0.6], 8)
        assert told.descents[1].losses[-1] < -100.0
        assert told.state.outcome != "falls on"

    def test_a_curve_with_a_gap_has_its_pictures(self) -> None:
        told = LearningRates(lambda p: -p.log(), 0.3, steps=10)
        assert "undefined" not in told.plot.text
        assert told.plot.svg

    def test_a_flat_start_stands_still(self) -> None:
        told = LearningRates(parabola, start=3.0, rates=[0.1, 2.0])
        assert told.state.outcome == "stands still"
        assert "gradient is 0" in told.state.sentences[1]

    def test_several_valleys_do_not_confuse_it(self) -> None:
        told = LearningRates(lambda w: (w * w - 1.0) ** 2, start=2.0, rates=[0.01, 0.05, 0.2])
        assert {d.steps for d in told.descents} <= set(range(21))
        assert told.state.heading

    def test_the_text_has_every_rate(self, rates: LearningRates) -> None:
        lines = str(rates).splitlines()
        assert lines[0] == "Learning rates on one curve, 20 steps from w = 5."
        assert [line.split()[0] for line in lines[2:]] == [f"{rate:g}" for rate in RATES]
        for line, outcome in zip(lines[2:], OUTCOMES, strict=True):
            assert line.endswith(str(outcome))

    @pytest.mark.parametrize("name", ["$x$", "<b>", "a\nb", "\x00", "x" * 200])
    def test_a_name_is_text(self, name: str) -> None:
        told = LearningRates(parabola, 5.0, [0.1], 3, name=name)
        assert len(str(told).splitlines()) == 3
        assert "\x00" not in str(told)

    def test_turns_are_counted_without_rounding_noise(self) -> None:
        places = (4.0, 2.0, 1.0, 1.0 + 1e-12, 1.0 - 1e-12)
        assert Descent(0.1, places, tuple(p * p for p in places)).turns == 0


class TestState:
    def test_it_starts_with_the_smallest_or_with_the_one_named(self) -> None:
        assert LearningRates(parabola, 5.0, [0.3, 0.1], 2).rate == 0.1
        assert LearningRates(parabola, 5.0, [0.3, 0.1], 2, rate=0.3).index == 1

    def test_what_does_not_exist_cannot_be_chosen(self, rates: LearningRates) -> None:
        with pytest.raises(ValueError, match=r"0.2 is none of the rates.*0.01, 0.3"):
            rates.rate = 0.2
        with pytest.raises(TraitError, match="have the positions 0 to 5, got 6"):
            rates.index = 6
        assert rates.index == 0

    @pytest.mark.parametrize(
        ("options", "kind", "words"),
        [
            ({"rates": []}, ValueError, "from 1 to 20 learning rates, got 0"),
            ({"rates": [0.1, 0.0]}, ValueError, "above 0, got 0"),
            ({"rates": [0.1, 0.1]}, ValueError, "twice"),
            ({"rates": ["0.1"]}, TypeError, "a learning rate"),
            ({"start": None}, TypeError, "the start"),
            ({"steps": 0}, ValueError, "from 1 to 200"),
            ({"steps": 2.5}, ValueError, "from 1 to 200"),
            ({"loss": lambda w: w.data}, TypeError, "the loss gives a Value"),
        ],
    )
    def test_bad_input_is_named(
        self, options: dict[str, Any], kind: type[Exception], words: str
    ) -> None:
        with pytest.raises(kind, match=words):
            LearningRates(**{"loss": parabola, "start": 5.0, "rates": [0.1], **options})


class TestWhatIsShown:
    def test_the_payload_is_plain_data_with_a_picture_and_words_for_each(
        self, rates: LearningRates
    ) -> None:
        payload = json.loads(json.dumps(rates.payload))
        assert [p["rate"] for p in payload["places"]] == [f"{rate:g}" for rate in RATES]
        for place, shown in enumerate(payload["places"]):
            rates.index = place
            assert shown["heading"] == rates.state.heading
            assert tuple(shown["sentences"]) == rates.state.sentences
            assert shown["alt"] == rates.plot.alt
            kind, _, picture = shown["picture"].partition(",")
            assert kind == "data:image/svg+xml;base64"
            assert base64.b64decode(picture).decode() == rates.plot.svg
        assert "outside the picture" in payload["places"][-1]["alt"]
        assert len({shown["picture"] for shown in payload["places"]}) == len(RATES)

    def test_all_pictures_show_the_same_part_of_the_curve(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        windows = []

        def spied(loss: Any, places: Any, name: str, window: tuple[float, float]) -> Plot:
            windows.append(window)
            return Plot("", "", 1, 1)

        monkeypatch.setattr("engine.widgets.rates.descent_on_curve", spied)
        LearningRates(parabola, 5.0, RATES, 20)
        assert len(windows) == len(RATES)
        ((low, high),) = set(windows)
        assert -2.0 < low < 1.0
        assert 5.0 < high < 8.0

    def test_a_page_without_python_gets_picture_and_text(self, rates: LearningRates) -> None:
        rates.rate = 0.9
        data, _ = rates._repr_mimebundle_()
        assert set(data) == {VIEW, "text/html", "text/plain"}
        assert data["text/plain"] == repr(rates)
        assert data["text/html"] == rates.plot._repr_mimebundle_()[0]["text/html"]
        assert f'alt="{rates.plot.alt}"' in data["text/html"]

    def test_presenter_mode_can_be_asked_for(self) -> None:
        make: Callable[..., LearningRates] = LearningRates
        assert make(parabola, 5.0, [0.1], 2, presenter=True).presenter
