"""Gradient checks over many steps: verdicts, kinks, and which error rules at which step."""

import itertools
import math
import random
from collections.abc import Callable, Sequence

import pytest

from engine import Value, error_by_step, gradient_check, record, relative_error
from engine.gradcheck import Verdict, gradient_check_by_step
from engine.kinks import nearest_kink
from engine.measuring import StepError
from engine.step_sizes import FINE_STEPS, Cause, Guide, Shape, StepSizes, guides


def seven_nodes(a: Value, b: Value, c: Value, f: Value) -> Value:
    return (a * b + c) * f


def cube(x: Value) -> Value:
    return x * x * x


def half_lost(x: Value) -> Value:
    """x*x, of which one use of x gets no gradient."""
    return x * x.data


def absolute(x: Value) -> Value:
    return x.relu() + (-x).relu()


SEVEN = [2.0, -3.0, 10.0, -2.0]


class TestKinks:
    @pytest.mark.parametrize("reach", [1e-1, 1e-3, 1e-5, 1e-7])
    @pytest.mark.parametrize("at", [0.0, 1.0, -250.0])
    def test_a_kink_at_the_point_is_at_distance_zero(self, at: float, reach: float) -> None:
        assert nearest_kink(lambda x: max(0.0, x - at), at, reach) == 0.0

    @pytest.mark.parametrize("distance", [9e-2, 1e-2, 1.234e-3, -5e-4])
    def test_the_distance_of_a_kink_nearby_is_measured(self, distance: float) -> None:
        found = nearest_kink(lambda x: abs(x - 3.0 - distance), 3.0, 0.1)
        assert found == pytest.approx(abs(distance), rel=1e-3)

    def test_a_kink_out_of_reach_is_not_found(self) -> None:
        assert nearest_kink(lambda x: abs(x - 0.2), 0.0, 0.1) is None

    def test_of_two_kinks_the_nearer_counts_although_the_other_is_sharper(self) -> None:
        def line(x: float) -> float:
            return 9.0 * max(0.0, x - 0.07) + 0.5 * max(0.0, x - 0.001)

        assert nearest_kink(line, 0.0, 0.1) == pytest.approx(0.001, rel=1e-2)

    def test_a_kink_is_seen_on_a_strongly_bent_curve(self) -> None:
        found = nearest_kink(lambda x: 100.0 * x * x + 0.1 * max(0.0, x - 0.003), 0.0, 0.1)
        assert found == pytest.approx(0.003, rel=1e-2)

    @pytest.mark.parametrize(
        "smooth",
        [
            lambda x: 7.0,
            lambda x: 3.0 * x + 1.0,
            lambda x: x * x,
            lambda x: x**3 - x,
            lambda x: x**4,
            math.exp,
            lambda x: math.exp(100.0 * x),
            lambda x: math.tanh(50.0 * x),
            lambda x: math.sin(1000.0 * x),
            lambda x: math.tanh(x) * math.exp(x),
            lambda x: abs(x) ** 1.5,
            lambda x: 1e9 + x * x,
        ],
    )
    @pytest.mark.parametrize("at", [0.0, 0.02, 2.0])
    def test_a_smooth_function_has_no_kink(
        self, smooth: Callable[[float], float], at: float
    ) -> None:
        for exponent in range(1, 16):
            assert nearest_kink(smooth, at, 10.0**-exponent) is None, exponent

    def test_a_function_that_ends_within_reach_has_no_known_kink(self) -> None:
        assert nearest_kink(math.log, 0.05, 0.1) is None


class TestVerdicts:
    def verdict(
        self, function: Callable[..., Value], at: Sequence[float], step: float = 1e-5
    ) -> str:
        return str(gradient_check(function, at, step).inputs[0].verdict)

    def test_right_gradients_agree(self) -> None:
        result = gradient_check(seven_nodes, SEVEN)
        assert {checked.verdict for checked in result.inputs} == {Verdict.AGREE}
        assert result.passed

    def test_a_wrong_gradient_differs(self) -> None:
        result = gradient_check(half_lost, [3.0])
        assert result.inputs[0].verdict is Verdict.DIFFER
        assert not result.passed
        assert "the engine says 3, measured is 6" in str(result)

    def test_two_zeros_say_nothing_and_pass(self) -> None:
        result = gradient_check(lambda x, y: (x - 10.0).relu() + y, [1.0, 2.0])
        assert [c.verdict for c in result.inputs] == [Verdict.NOTHING, Verdict.AGREE]
        assert result.passed
        assert "x: both are 0, which says nothing." in str(result)
        assert "The others agree within" in str(result)

    def test_a_flat_place_of_a_curve_passes_although_rounding_measures_a_little(self) -> None:
        result = gradient_check(lambda x: (x - 3.0) ** 2 * 1e3 + x**0 * 0.1, [3.0])
        assert result.inputs[0].verdict is Verdict.NOTHING
        assert result.passed

    def test_a_measured_number_that_is_not_0_is_not_called_0(self) -> None:
        result = gradient_check(lambda x, y: cube(x) + (y - 10.0).relu(), [0.0, 1.0], step=1e-3)
        assert [c.central_difference for c in result.inputs] == [pytest.approx(1e-6), 0.0]
        assert result.passed
        bend, closed = str(result).splitlines()[-2:]
        assert bend == (
            "x: the gradient is 0, and what was measured is only the bend of the curve or "
            "rounding, which says nothing. Check elsewhere."
        )
        assert closed == "y: both are 0, which says nothing. Check elsewhere."

    def test_a_cube_is_flat_at_zero(self) -> None:
        assert gradient_check(cube, [0.0]).inputs[0].relative_error == 1.0
        assert self.verdict(cube, [0.0]) == "says nothing"

    def test_a_lost_gradient_is_not_taken_for_a_flat_place(self) -> None:
        assert self.verdict(lambda x: Value(1.0) * x.data + x * 0.0, [3.0]) == "differ"

    @pytest.mark.parametrize("size", [1e-3, 1e-7, 1e-12, 1e-200])
    def test_a_gradient_of_0_is_wrong_however_small_the_slope(self, size: float) -> None:
        result = gradient_check(
            lambda w, v: record("lost", w.data * size, (w, 0.0)) + v * size, [3.0, 1.0]
        )
        assert [c.verdict for c in result.inputs] == [Verdict.DIFFER, Verdict.AGREE]
        assert "w: the engine says 0, measured is" in str(result)

    @pytest.mark.parametrize("size", [1e-5, 1e-7, 1e-12])
    def test_a_small_kink_is_told_from_a_small_wrong_gradient(self, size: float) -> None:
        assert self.verdict(lambda x: x.relu() * size, [0.0]) == "kink"

    @pytest.mark.parametrize("at", [0.1, 0.7, 3.3])
    @pytest.mark.parametrize("step", [1e-3, 1e-5, 1e-7])
    def test_rounding_where_large_numbers_cancel_is_not_taken_for_a_slope(
        self, at: float, step: float
    ) -> None:
        assert self.verdict(lambda x: x * 3 - x - x - x, [at], step) == "says nothing"

    def test_a_step_across_a_kink_is_told_from_a_wrong_gradient(self) -> None:
        assert self.verdict(lambda x: x.relu(), [0.0]) == "kink"
        assert self.verdict(lambda x: x.relu(), [1e-3], step=1e-2) == "kink"
        assert self.verdict(lambda x: x.relu(), [1e-3], step=1e-4) == "agree"
        assert "across a kink" in str(gradient_check(lambda x: x.relu(), [0.0]))

    @pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
    def test_a_function_that_gives_other_numbers_each_time_has_no_kink(self, size: float) -> None:
        noise, calls = random.Random(0), itertools.count()
        varying: dict[str, Callable[[Value], Value]] = {
            "noise": lambda x: x * x + noise.gauss(0, size),
            "counter": lambda x: x * x + size * next(calls),
            "dropout": lambda x: x * x * (2.0 * size * (noise.random() < 0.5)),
            "flat": lambda x: x * 0.0 + noise.gauss(0, size),
        }
        for name, function in varying.items():
            result = gradient_check(function, [3.0])
            assert result.inputs[0].verdict is Verdict.VARIES, name
            assert not result.passed
            assert "x: for the same inputs the function gives" in str(result)
            assert "random.Random(0) inside the function" in str(result)
            assert StepSizes.of(function, [3.0]).shape(0) is Shape.UNCLEAR

    def test_a_function_that_varies_in_its_last_digits_is_checked_all_the_same(self) -> None:
        noise = random.Random(0)

        def shaken(x: Value) -> Value:
            return x * x * (1.0 + noise.choice([0.0, 2.0**-52]))

        assert self.verdict(shaken, [3.0], step=1e-3) == "agree"
        assert self.verdict(lambda x: half_lost(x) + shaken(x) * 0.0, [3.0]) == "differ"
        assert self.verdict(lambda x: half_lost(x) * shaken(x), [3.0]) == "differ"
        assert self.verdict(lambda x: x.relu() + shaken(x), [0.0]) == "kink"

    def test_a_difference_that_rounding_explains_says_so(self) -> None:
        result = gradient_check(lambda x: x * x + 1e12, [3.0])
        assert result.inputs[0].verdict is Verdict.DIFFER
        assert str(result).endswith(
            "x: the engine says 6, measured is 0. Rounding alone explains this: f(x+h) and f(x-h) "
            "are almost equal, and their difference over 2h may be wrong by about 40. "
            "Try a larger step."
        )
        assert "Rounding" not in str(gradient_check(half_lost, [3.0]))

    def test_a_kink_between_equal_zeros_is_seen(self) -> None:
        assert self.verdict(absolute, [0.0]) == "kink"

    def test_a_branch_in_the_function_is_a_kink_too(self) -> None:
        assert self.verdict(lambda x: x * 3 if x.data > 0.0 else x * 1, [0.0]) == "kink"

    def test_forward_and_backward_differences_are_kept(self) -> None:
        measured = gradient_check(lambda x: x * x, [3.0], step=0.5).inputs[0].measured
        assert (measured.forward, measured.backward, measured.central) == (6.5, 5.5, 6.0)
        assert measured.rounding > 0.0

    def test_the_rounding_estimate_is_above_what_rounding_does(self) -> None:
        for result in gradient_check_by_step(seven_nodes, SEVEN):
            for checked in result.inputs:
                assert checked.absolute_error <= checked.measured.rounding

    @pytest.mark.parametrize(
        ("function", "at"), [(lambda x: x - 700.7, 700.7), (lambda x: (x - 4.0) ** 2, 4.0)]
    )
    def test_the_rounding_estimate_counts_that_the_moved_input_is_rounded_too(
        self, function: Callable[[Value], Value], at: float
    ) -> None:
        for result in gradient_check_by_step(function, [at]):
            (checked,) = result.inputs
            if checked.verdict is not Verdict.UNKNOWN:
                assert checked.absolute_error <= checked.measured.rounding


class TestBySteps:
    def test_each_step_gives_what_a_single_check_gives(self) -> None:
        steps = (1e-2, 1e-5, 1e-9)
        several = gradient_check_by_step(cube, [2.0], steps)
        assert several == tuple(gradient_check(cube, [2.0], step) for step in steps)

    def test_an_unusable_step_says_why(self) -> None:
        outside, inside = gradient_check_by_step(lambda x: x.log(), [0.05], (1e-1, 1e-5))
        assert outside.inputs[0].verdict is Verdict.UNKNOWN
        assert math.isnan(outside.inputs[0].relative_error)
        assert "log(-0.05) does not exist" in outside.inputs[0].measured.problem
        assert not outside.passed
        assert "nothing can be measured" in str(outside)
        assert inside.passed

    def test_a_step_that_measures_no_number_says_why(self) -> None:
        huge, usual = gradient_check_by_step(lambda x: x * 1, [1.0], (1e308, 1e-5))
        assert huge.inputs[0].verdict is Verdict.UNKNOWN
        assert "the step is too large" in huge.inputs[0].measured.problem
        assert usual.passed

    def test_a_step_that_does_not_move_one_input_spares_the_others(self) -> None:
        (result,) = gradient_check_by_step(lambda x, y: x * y, [1e6, 1.0], (1e-13,))
        verdicts = [checked.verdict for checked in result.inputs]
        assert verdicts[0] is Verdict.UNKNOWN
        assert verdicts[1] is not Verdict.UNKNOWN
        assert "too small to move" in result.inputs[0].measured.problem

    def test_errors_of_the_function_itself_are_not_swallowed(self) -> None:
        with pytest.raises(TypeError, match="must give a Value"):
            gradient_check_by_step(lambda x: x.data, [1.0])
        with pytest.raises(ValueError, match="at least one input"):
            gradient_check_by_step(lambda: Value(1.0), [])
        with pytest.raises(ValueError, match="above 0"):
            gradient_check_by_step(cube, [1.0], [0.0])
        with pytest.raises(TypeError, match="as a list"):
            gradient_check_by_step(cube, [1.0], 1e-5)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="at least one step"):
            StepSizes.of(cube, [1.0], [])

    def test_the_steps_come_sorted_and_once(self) -> None:
        assert StepSizes.of(cube, [1.0], [1e-1, 1e-5, 1e-1]).steps == (1e-5, 1e-1)
        assert FINE_STEPS[0] == 1e-15
        assert FINE_STEPS[-1] == 1e-1

    def test_errors_are_those_of_error_by_step(self) -> None:
        steps = (1e-4, 1e-2)
        study = StepSizes.of(cube, [2.0], steps)
        plain = error_by_step(lambda x: x * x * x, 2.0, 12.0, steps)
        assert study.errors(0) == plain


class TestShapes:
    @pytest.mark.parametrize("index", range(4))
    def test_the_seven_node_example_has_no_v(self, index: int) -> None:
        study = StepSizes.of(seven_nodes, SEVEN)
        assert study.shape(index) is Shape.ROUNDING_ONLY
        assert "central truncation" not in {g.name for g in guides(study.errors(index))}

    def test_a_quadratic_has_a_truncation_error_of_the_forward_difference_only(self) -> None:
        study = StepSizes.of(lambda x: x * x + x, [3.0])
        assert study.shape(0) is Shape.ROUNDING_ONLY
        assert [g.name for g in guides(study.errors(0))] == ["rounding", "forward truncation"]

    @pytest.mark.parametrize(
        ("function", "at"),
        [(cube, 2.0), (lambda x: x.tanh() * x.exp(), 0.5), (lambda x: x.exp(), 1.0)],
    )
    def test_a_third_derivative_makes_a_v(
        self, function: Callable[[Value], Value], at: float
    ) -> None:
        study = StepSizes.of(function, [at])
        assert study.shape(0) is Shape.V
        lines = {g.name: g.power for g in guides(study.errors(0))}
        assert lines == {"rounding": -1, "forward truncation": 1, "central truncation": 2}
        assert 1e-7 < study.best(0) < 1e-3  # type: ignore[operator]

    def test_a_wrong_gradient_is_wrong_by_the_same_at_every_step(self) -> None:
        study = StepSizes.of(half_lost, [3.0])
        assert study.shape(0) is Shape.FLAT
        assert study.best(0) is None
        assert guides(study.errors(0)) == ()

    def test_kinks_have_their_own_shape(self) -> None:
        assert StepSizes.of(lambda x: x.relu(), [0.0]).shape(0) is Shape.KINK
        assert StepSizes.of(lambda x: x.relu(), [1e-3]).shape(0) is Shape.KINK

    def test_only_steps_that_reach_the_kink_meet_it(self) -> None:
        study = StepSizes.of(lambda x: x.relu(), [2e-3])
        met = {s for s, c in zip(study.steps, study.checks(0), strict=True) if c.measured.kink}
        assert met == {s for s in study.steps if s > 2e-3}

    def test_few_small_steps_do_not_tell_the_shape(self) -> None:
        assert StepSizes.of(seven_nodes, SEVEN, [1e-6, 1e-5]).shape(0) is Shape.UNCLEAR


class TestCauses:
    def cause(self, function: Callable[[Value], Value], at: float, step: float) -> Cause:
        study = StepSizes.of(function, [at])
        place = study.steps.index(step)
        assert study.checks(0)[place].verdict is Verdict.DIFFER
        return study.cause(place, 0)

    def test_too_small_is_rounding_and_too_large_is_truncation(self) -> None:
        assert self.cause(cube, 2.0, 1e-13) is Cause.ROUNDING
        assert self.cause(cube, 2.0, 1e-1) is Cause.TRUNCATION

    def test_a_wrong_gradient_is_blamed_at_every_step(self) -> None:
        for step in (1e-1, 1e-5, 1e-14):
            assert self.cause(half_lost, 3.0, step) is Cause.GRADIENT

    def test_a_right_gradient_drowned_in_rounding_is_not_blamed(self) -> None:
        assert self.cause(lambda x: x + 1e12, 1.0, 1e-5) is Cause.ROUNDING

    def test_a_right_gradient_of_a_curve_too_steep_for_every_step_is_not_blamed(self) -> None:
        study = StepSizes.of(lambda x: (x * 1e3).tanh(), [1e-4], [1e-3, 3e-4, 1e-4])
        assert study.best(0) is None
        assert study.cause(0, 0) is Cause.TRUNCATION


class TestGuides:
    def test_the_lines_go_through_errors_that_follow_them(self) -> None:
        steps = [10.0**-k for k in range(1, 16)]
        made = [StepError(h, 3 * h + 2e-16 / h, 5 * h * h + 1e-16 / h) for h in steps]
        rounding, forward, central = guides(made)
        assert rounding == Guide("rounding", -1, pytest.approx(2e-16, rel=0.1))
        assert forward == Guide("forward truncation", 1, pytest.approx(3.0, rel=0.1))
        assert central == Guide("central truncation", 2, pytest.approx(5.0, rel=0.1))
        assert central.at(0.1) == pytest.approx(0.05)

    def test_without_errors_there_are_no_lines(self) -> None:
        assert guides([]) == ()
        assert guides([StepError(1e-5, 1.0, 1.0)]) == ()
        assert guides([StepError(h, 0.0, 0.0) for h in (1e-5, 1e-4, 1e-3)]) == ()

    def test_rounding_that_happens_to_climb_is_not_taken_for_truncation(self) -> None:
        made = [StepError(10.0**-k, 10.0 ** (k - 16), 10.0 ** (k - 16)) for k in range(3, 16)]
        lucky = [StepError(1e-2, 5e-16, 5e-17), StepError(1e-1, 5e-15, 5e-15)]
        assert [line.name for line in guides([*made, *lucky])] == ["rounding"]

    def test_unmeasured_errors_are_passed_over(self) -> None:
        errors = error_by_step(lambda x: x**3, 2.0, 12.0)
        spoiled = [*errors, StepError(0.5, math.nan, math.nan)]
        assert guides(spoiled) == guides(errors)


def test_relative_error_is_symmetric() -> None:
    assert relative_error(3.0, 6.0) == relative_error(6.0, 3.0) == 0.5
