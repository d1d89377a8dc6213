"""Central differences and gradient checks: what they measure, and that they find planted bugs."""

import gc
import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from engine import (
    Parameter,
    Tape,
    Value,
    central_difference,
    error_by_step,
    gradient_check,
    relative_error,
)
from engine.gradcheck import gradient_check_by_step


def seven_nodes(a: Any, b: Any, c: Any, f: Any) -> Any:
    return (a * b + c) * f


def test_the_seven_nodes_measured() -> None:
    slopes = central_difference(seven_nodes, (2, -3, 10, -2))
    assert [round(slope, 6) for slope in slopes] == [6.0, -4.0, -2.0, 4.0]
    assert slopes[0] != 6.0
    assert slopes[0] == pytest.approx(6.00000000013, abs=5e-12)


def test_inputs_by_name_or_in_order() -> None:
    by_name = central_difference(seven_nodes, {"f": -2, "c": 10, "b": -3, "a": 2})
    assert by_name == central_difference(seven_nodes, [2, -3, 10, -2])[::-1]


def test_the_step_is_what_is_wiggled() -> None:
    moved = []

    def watched(x: float, y: float) -> float:
        moved.append((x, y))
        return x * y

    assert central_difference(watched, [3.0, 5.0], step=0.5) == (5.0, 3.0)
    assert moved == [(3.5, 5.0), (2.5, 5.0), (3.0, 5.5), (3.0, 4.5)]


def test_a_central_difference_is_exact_for_a_parabola_and_not_for_a_cube() -> None:
    assert central_difference(lambda x: x * x, [3.0], step=0.5) == (6.0,)
    assert central_difference(lambda x: x**3, [2.0], step=0.5) == (12.25,)


def test_functions_of_values_are_measured_by_their_data() -> None:
    assert central_difference(lambda x: Value(x) * 3, [2.0], step=0.5) == (3.0,)


def test_a_function_may_use_a_tape_of_its_own_while_it_is_measured() -> None:
    def on_a_tape(x: float) -> Any:
        with Tape():
            return Value(x) * 3

    assert central_difference(on_a_tape, [2.0], step=0.5) == (3.0,)


def test_inputs_and_results_may_be_numpy_numbers() -> None:
    slopes = central_difference(lambda x: np.float32(2) * x, [np.int64(3)], step=np.float64(0.5))
    assert slopes == (2.0,)
    assert gradient_check(lambda x: x * x, [np.float32(3)]).passed


def test_the_first_order_estimate_of_the_course() -> None:
    def y(x: float) -> float:
        return x * x + x

    assert y(3.01) - y(3) == pytest.approx(0.0701, abs=1e-12)
    (slope,) = central_difference(y, [3.0])
    assert slope * 0.01 == pytest.approx(0.07, abs=1e-9)


# -- gradient checks ----------------------------------------------------------------------------


def test_a_check_of_the_seven_nodes_passes_with_both_numbers_in_the_table() -> None:
    result = gradient_check(seven_nodes, [2, -3, 10, -2])
    assert result.passed
    assert result.failures == ()
    assert [checked.name for checked in result.inputs] == ["a", "b", "c", "f"]
    assert [checked.data for checked in result.inputs] == [2.0, -3.0, 10.0, -2.0]
    assert [checked.gradient for checked in result.inputs] == [6.0, -4.0, -2.0, 4.0]
    assert [checked.central_difference for checked in result.inputs] == list(
        central_difference(seven_nodes, [2, -3, 10, -2])
    )
    for checked in result.inputs:
        difference = abs(checked.gradient - checked.central_difference)
        assert checked.absolute_error == difference
        assert 0.0 < checked.relative_error < 1e-9
    lines = str(result).splitlines()
    assert lines[0].split() == ["input", "data", "gradient", "central", "difference", "relative",
                                "error"]  # fmt: skip
    assert [line.split()[:4] for line in lines[1:5]] == [
        ["a", "2", "6", "6"],
        ["b", "-3", "-4", "-4"],
        ["c", "10", "-2", "-2"],
        ["f", "-2", "4", "4"],
    ]
    assert lines[5] == "All agree within a relative error of 1e-06."


def forgets_one_use(x: Value) -> Value:
    y = x * x
    y._d_right = 0.0
    return y


def wrong_sign(x: Value) -> Value:
    y = x - 1
    y._d_left = -1.0
    return y


def slightly_off(x: Value) -> Value:
    y = x * 2
    y._d_left = 2.00001
    return y


@pytest.mark.parametrize(
    ("planted", "gradient", "measured"),
    [(forgets_one_use, "3", "6"), (wrong_sign, "-1", "1"), (slightly_off, "2.00001", "2")],
)
def test_a_planted_bug_is_found_and_told_with_both_numbers(
    planted: Any, gradient: str, measured: str
) -> None:
    result = gradient_check(planted, [3.0])
    assert not result.passed
    assert result.failures == result.inputs
    assert str(result).endswith(f"x: the engine says {gradient}, measured is {measured}.")


def test_only_the_input_that_is_wrong_is_a_failure() -> None:
    result = gradient_check(lambda p, q: forgets_one_use(p) + q * q, [3.0, 4.0])
    assert [checked.name for checked in result.failures] == ["p"]
    assert "q:" not in str(result)


def test_the_tolerance_decides() -> None:
    assert gradient_check(slightly_off, [3.0], tolerance=1e-4).passed
    assert not gradient_check(slightly_off, [3.0], tolerance=1e-6).passed


def test_a_gradient_that_is_not_a_number_never_passes() -> None:
    def planted(x: Value) -> Value:
        y = x * 2
        y._d_left = math.nan
        return y

    with pytest.raises(OverflowError, match=r"gradient left the range.*grad=nan"):
        gradient_check(planted, [3.0], tolerance=1e300)


def test_a_check_leaves_the_gradients_of_everything_else_alone() -> None:
    w, k = Parameter(2.0), Value(5.0)
    shared = w * k
    shared.backward()
    before = (w.grad, k.grad, shared.grad)
    assert gradient_check(lambda x: x * w + shared * x, [3.0]).passed
    assert (w.grad, k.grad, shared.grad) == before == (5.0, 2.0, 1.0)


def test_a_function_may_walk_back_itself() -> None:
    def walks(x: Value) -> Value:
        y = x * x
        y.backward()
        return y

    assert gradient_check(walks, [3.0]).passed


def by_itself(y: Value) -> None:
    y.backward()


def by_a_check_inside(y: Value) -> None:
    y.backward()
    gradient_check(lambda x: y * x, [2.0])
    y.backward()


@pytest.mark.parametrize("walk", [by_itself, by_a_check_inside])
def test_other_leaves_keep_their_gradients_where_the_function_walks_back_itself(
    walk: Callable[[Value], None],
) -> None:
    w, k = Parameter(2.0), Value(5.0)
    (w * k).backward()

    def walks(x: Value) -> Value:
        y = w * x * w * k
        walk(y)
        return y

    assert gradient_check(walks, [3.0]).passed
    assert all(result.passed for result in gradient_check_by_step(walks, [3.0], steps=(1e-4, 1e-5)))
    assert central_difference(walks, [3.0]) == pytest.approx([20.0])
    assert (w.grad, k.grad) == (5.0, 2.0)


@pytest.mark.parametrize("by_tape", [False, True])
def test_graphs_of_walks_inside_the_function_are_let_go(by_tape: bool) -> None:
    w = Parameter(0.5)
    alive = []

    def trains(x: Value) -> Value:
        for _ in range(3):
            with Tape() if by_tape else nullcontext():
                sum(((w * k).tanh() for k in range(50)), x * 0.0).backward()
            gc.collect()
            alive.append(sum(type(thing) is Value for thing in gc.get_objects()))
        return w * x

    assert gradient_check(trains, [3.0]).passed
    assert alive[0] == alive[1] == alive[2]


def test_other_leaves_keep_their_gradients_where_the_function_walks_a_tape_or_fails() -> None:
    w = Parameter(2.0)
    w.grad = 7.0

    def walks(x: Value) -> Value:
        with Tape() as tape:
            tape.backward(w * x * x)
        if x.data > 3.0:
            raise ValueError("too large")
        return x * x * w

    with pytest.raises(ValueError, match="too large"):
        gradient_check(walks, [3.0])
    assert w.grad == 7.0


def test_a_gradient_keeps_what_the_function_writes_into_it_by_hand() -> None:
    w = Parameter(2.0)

    def writes(x: Value) -> Value:
        w.grad = 4.0
        x.grad = 4.0
        y = w * x
        y.backward()
        return y

    assert gradient_check(writes, [3.0]).passed
    assert w.grad == 4.0


def test_an_input_that_is_not_used_or_returned_at_once() -> None:
    unused = gradient_check(lambda x, y: x * x, [3.0, 4.0]).inputs[1]
    assert (unused.gradient, unused.central_difference, unused.relative_error) == (0.0, 0.0, 0.0)
    assert gradient_check(lambda x: x, [3.0]).inputs[0].gradient == 1.0


def test_inputs_without_names_are_numbered() -> None:
    result = gradient_check(lambda *xs: xs[0] * xs[1], [3.0, 4.0])
    assert [checked.name for checked in result.inputs] == ["input 0", "input 1"]


def test_built_in_functions_can_be_measured() -> None:
    slopes = central_difference(math.hypot, [3.0, 4.0])
    assert slopes == pytest.approx((0.6, 0.8), rel=1e-9)


# -- the error against the step -----------------------------------------------------------------


def test_the_error_against_the_step_has_a_valley() -> None:
    errors = error_by_step(lambda x: x**3, at=2.0, exact=12.0)
    assert [error.step for error in errors] == [10.0**-k for k in range(1, 16)]
    central = [error.central for error in errors]
    best = central.index(min(central))
    assert 2 <= best <= 9
    assert central[0] > 1e4 * central[best]
    assert central[-1] > 1e4 * central[best]
    assert errors[1].central < errors[1].forward / 100


def test_truncation_shrinks_with_the_step_and_with_its_square() -> None:
    large, small = error_by_step(math.exp, at=0.0, exact=1.0, steps=(1e-1, 1e-2))
    assert large.forward / small.forward == pytest.approx(10, rel=0.05)
    assert large.central / small.central == pytest.approx(100, rel=0.01)


def test_the_seven_nodes_show_no_truncation_error() -> None:
    errors = error_by_step(lambda a: seven_nodes(a, -3, 10, -2), at=2.0, exact=6.0)
    assert errors[0].central < 1e-13
    assert errors[-1].central > 1e-3


def test_a_step_too_small_to_move_the_input_measures_0() -> None:
    (error,) = error_by_step(lambda x: x * x, at=100.0, exact=200.0, steps=[1e-15])
    assert (error.forward, error.central) == (200.0, 200.0)


def test_relative_error() -> None:
    assert relative_error(6.0, 8.0) == relative_error(8.0, 6.0) == 0.25
    assert relative_error(-1.0, 1.0) == 2.0
    assert relative_error(0.0, 0.0) == 0.0
    assert relative_error(0.0, 1e-30) == 1.0
    assert relative_error(np.float32(1), 2) == 0.5
