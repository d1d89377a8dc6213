"""Numbers that a chapter's text names, and no cell of it prints."""

import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hygiene
import pytest

from engine import (
    Graph,
    SlopeView,
    Value,
    central_difference,
    error_by_step,
    gradient_check,
    reverse_walk,
    value,
)
from engine.course import puzzles
from engine.documents import first_names
from engine.gpt import GPT

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def chapter(number: str) -> hygiene.Chapter:
    (file,) = NOTEBOOKS.glob(f"{number}-*.ipynb")
    return hygiene.read(file)


def text(number: str) -> str:
    return "\n".join(cell.source for cell in chapter(number).markdown)


def test_the_names_of_chapter_00_are_invented_in_chapter_16() -> None:
    first = chapter("00").markdown[0].source
    shown = "\n".join(hygiene.shown_text(output) for _, output in hygiene.outputs(chapter("16")))
    names = ["jorana", "charia", "shisha"]
    assert [name for name in names if f"**{name}**" not in first or name not in shown] == []
    assert not {*names} & {*first_names()}
    assert "gqiqqcaxfd" in first
    assert "gqiqqcaxfd" in shown


@pytest.mark.parametrize("number", ["00", "03", "04", "05", "06"])
def test_a_stored_walk_stands_at_its_start(number: str) -> None:
    """On a code host, too, nobody reads the answer just below the question."""
    walks = 0
    for cell, output in hygiene.outputs(chapter(number)):
        svg = output.get("data", {}).get("image/svg+xml", "")
        if svg and re.search(r"ReverseWalk\(|TwoWalks\(|Playground\(", cell.source):
            walks += 1
            shown = re.findall(r'class="rw-grad"[^>]*>([^<]*)<', svg)
            assert sorted(shown) == [*["0"] * (len(shown) - 1), "1"], cell.id
    assert walks


def test_a_gpt_has_as_many_numbers_as_chapters_00_and_08_say() -> None:
    numbers = len(GPT().parameters())
    assert f"began with {numbers:,} random numbers" in text("00")
    assert 2 * numbers > 8000
    assert "more than eight thousand" in text("08")


def test_another_price_turns_the_signs_of_chapter_00_around() -> None:
    assert "Then `start` gets 6 and `per_km` gets 24" in text("00")
    start, per_km = Value(1.0), Value(2.0)
    miss = start + per_km * 4 - 6
    (miss * miss).backward()
    assert (miss.data, start.grad, per_km.grad) == (3.0, 6.0, 24.0)


def volume(side: float) -> float:
    return side * side * side


def test_the_secant_of_chapter_01_settles_on_the_slope() -> None:
    told = "With a smaller `h` the slope is 12.25, then 12.04, then 12.01. It settles on **12**"
    assert told in text("01")
    assert "the volume rises from 1 to 27: 26 for 2, or 13 for each 1" in text("01")
    assert [volume(1), volume(3), volume(3) - volume(1)] == [1, 27, 26]
    view = SlopeView(lambda side: side * side * side, at=2.0, h=1.0, interval=(0, 3.5))
    assert view.state.secant == 13.0
    slopes = []
    for h in (0.5, 0.2, 0.1):
        view.h = h
        slopes.append(round(view.state.secant, 6))
    assert slopes == [12.25, 12.04, 12.01]
    assert view.state.slope == 12.0
    view.at = 1.0
    assert view.state.slope == 3.0
    assert "At side 1 it is 3." in text("01")


def test_a_cube_of_chapter_01_grows_by_about_012() -> None:
    assert "by about 0.12 when the side grows by 0.01" in text("01")
    assert volume(2.01) - volume(2) == pytest.approx(0.12, rel=0.01)


def test_a_far_too_small_step_gives_what_chapter_01_says() -> None:
    assert "measures with h = 1e-12 and gets 12.0011" in text("01")
    told = "will agree to nine digits or more, a forward difference to about five"
    assert told in text("01")
    (tiny, usual) = error_by_step(volume, at=2.0, exact=12.0, steps=(1e-12, 1e-5))
    assert f"{(volume(2 + 1e-12) - volume(2)) / 1e-12:.4f}" == "12.0011"
    assert tiny.forward == pytest.approx(0.0011, rel=0.1)
    assert usual.central / 12 < 1e-9
    assert 1e-6 < usual.forward / 12 < 1e-5


def test_a_step_that_moves_nothing_is_refused_as_chapter_01_says() -> None:
    assert "The engine's own `central_difference` refuses such a step." in text("01")
    with pytest.raises(ValueError, match="too small"):
        central_difference(lambda side: side * side, [3.0], step=1e-17)


def test_a_central_difference_of_a_square_has_no_truncation() -> None:
    """And that of a cube has, whose third derivative is not 0."""
    assert ((3 + 1.0) ** 2 - (3 - 1.0) ** 2) / 2 == 6.0
    assert (volume(2 + 1.0) - volume(2 - 1.0)) / 2 != 12.0


def test_the_nodes_of_a_question_in_chapter_02_are_four_or_three() -> None:
    p = Value(2.0)
    assert len(Graph.of((p + 1) * (p + 1))) == 4
    q = p + 1
    assert len(Graph.of(q * q)) == 3


def test_four_uses_are_four_contributions_in_chapter_04() -> None:
    x = Value(3.0)
    y = x + x + x + x
    walk = reverse_walk(Graph.of(y, {"x": x}))
    given = [one for step in walk.steps for one in step.contributions if one.target == 0]
    assert (walk.grad("x"), [one.amount for one in given]) == (4.0, [1.0] * 4)


def turns(levels: int) -> int:
    """How often the leaf below so many doublings has its turn without a visited set."""
    y = x = Value(1.0)
    for _ in range(levels):
        y = y + y
    graph = Graph.of(y, {"x": x})
    return sum(step.node == 0 for step in reverse_walk(graph, visit_once=False).steps)


def test_ten_levels_of_sharing_make_a_thousand_turns_in_chapter_05() -> None:
    assert "Ten levels make about a thousand turns, twenty about a million." in text("05")
    assert [turns(levels) for levels in (1, 2, 3)] == [2, 4, 8]
    assert turns(10) == pytest.approx(1000, rel=0.03)
    assert turns(10) ** 2 == pytest.approx(1_000_000, rel=0.05)  # levels multiply


def test_a_function_can_call_itself_about_a_thousand_times() -> None:
    assert "can do so about 1,000 times inside one another" in text("05")
    script = "import sys; print(sys.getrecursionlimit())"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).strip() == "1000"


def test_a_leaf_that_goes_too_early_still_ends_right_in_chapter_05() -> None:
    assert "its final gradient would still come out right here" in text("05")
    x = Value(3.0)
    u = x * x
    v = u * 2
    graph = Graph.of(u + v, {"x": x, "u": u, "v": v, "y": None})
    assert reverse_walk(graph, [3, 2, 0, 1]).grad("x") == reverse_walk(graph).grad("x") == 18.0


def test_more_use_changes_one_gradient_of_chapter_06() -> None:
    assert "Only `price.grad`. It is the local derivative `left`, and that is now -10." in text(
        "06"
    )

    def gradients(used: float) -> list[float]:
        leaves = [Value(data) for data in (6.0, 2.5, used, 0.5)]
        sun, power, needed, price = leaves
        ((sun * power + needed) * price).backward()
        return [leaf.grad for leaf in leaves]

    *before, price_before = gradients(-19.0)
    *after, price_after = gradients(-25.0)
    assert (before, price_before, price_after) == (after, -4.0, -10.0)


def test_the_tip_of_the_v_is_where_chapter_01_says() -> None:
    assert "near 1e-8 for forward, near 3e-6 for central" in text("01")
    steps = [10 ** (-k / 2) for k in range(2, 31)]
    errors = error_by_step(lambda side: side**3, at=2.0, exact=12.0, steps=steps)
    best = {
        kind: min(errors, key=lambda error, kind=kind: getattr(error, kind)).step
        for kind in ("forward", "central")
    }
    assert best["central"] == pytest.approx(3e-6, rel=0.1)
    assert 3e-9 < best["forward"] < 3e-8


def test_with_two_more_hours_of_sun_the_house_of_chapter_06_sells() -> None:
    assert "With two more hours of sun the house would sell" in text("06")
    sun, price = Value(8.0), Value(0.5)
    money = (sun * 2.5 + (-19.0)) * price
    money.backward()
    assert money.data > 0
    assert price.grad > 0


def test_the_heart_has_as_many_lines_as_chapter_06_says() -> None:
    assert "in one file of about 320 lines, `engine/value.py`" in text("06")
    assert 300 <= len(Path(value.__file__).read_text("utf-8").splitlines()) <= 330


def test_tanh_out_of_other_operations_is_what_chapter_07_says() -> None:
    assert "there are five nodes instead of one" in text("07")

    def long(a: Value) -> Value:
        power = (a * 2).exp()
        return (power - 1) / (power + 1)

    a, b = Value(0.8), Value(0.8)
    one, many = a.tanh(), long(b)
    one.backward()
    many.backward()
    assert (many.data, b.grad) == pytest.approx((one.data, a.grad))
    assert len(Graph.of(many)) - 1 == 5
    assert Value(1000.0).tanh().data == 1.0
    with pytest.raises(OverflowError, match=r"exp\(2000\)"):
        long(Value(1000.0))


def test_other_bases_have_the_shares_that_chapter_07_says() -> None:
    assert "the slope of `2**a` is 0.69 times its height, that of `3**a` is 1.1 times" in text("07")
    for base, share in ((2.0, 0.69), (3.0, 1.1)):
        for at in (-1.0, 0.5, 2.0):
            slope = central_difference(lambda a, base=base: base**a, [at])[0]
            assert slope / base**at == pytest.approx(share, abs=0.005)
    for at in (-1.0, 0.5, 2.0):
        state = SlopeView(lambda a: a.exp(), at=at, h=0.1).state
        assert state.slope == state.y


def test_tanh_has_the_slopes_that_chapter_07_says() -> None:
    assert "at 0.5 the height is 0.462, and 1 - 0.462² is the slope 0.786" in text("07")
    state = SlopeView(lambda a: a.tanh(), at=0.5, h=0.1).state
    assert (round(state.y, 3), round(state.slope, 3)) == (0.462, 0.786)
    assert round(1 - 0.462**2, 2) == round(state.slope, 2)
    assert "At 20 tanh is so near to 1 that the computer stores 1." in text("07")
    far = Value(20.0).tanh()
    assert (far.data, far.local_derivatives) == (1.0, (0.0,))


def test_log_has_the_slopes_that_chapter_07_says() -> None:
    assert "1, then 1/2, then 1/4: the slope is `1/a`." in text("07")
    slopes = [SlopeView(lambda a: a.log(), at=at, h=0.1).state.slope for at in (1.0, 2.0, 4.0)]
    assert slopes == [1, 1 / 2, 1 / 4]


def test_exp_overflows_where_chapter_07_says() -> None:
    assert "math.exp overflows when a is below -709.78" in "\n".join(
        cell.source for cell in chapter("07").code
    )
    assert math.isfinite(math.exp(709.78))
    with pytest.raises(OverflowError):
        math.exp(709.79)


def test_the_points_of_chapter_08_show_the_planted_mistakes() -> None:
    assert "two different numbers, such as 0.7 and -1.3" in text("08")
    wrong: list[tuple[Callable[..., Value], list[float]]] = [
        (puzzles.hyperbolic, [-40.0]),
        (puzzles.logarithm, [2.4]),
        (puzzles.times, [0.7, -1.3]),
        (puzzles.over, [0.7, -1.3]),
    ]
    assert not any(gradient_check(operation, point).passed for operation, point in wrong)
    assert gradient_check(puzzles.hyperbolic, [0.0]).passed
    assert gradient_check(puzzles.hyperbolic, [40.0]).passed
    right: list[tuple[Callable[..., Value], float]] = [
        (puzzles.square, 2.4),
        (puzzles.exponential, -1.3),
    ]
    assert all(gradient_check(operation, [point]).passed for operation, point in right)


@pytest.mark.parametrize(
    ("size", "step", "sentence"),
    [
        (1000.0, 1e-8, "is uncertain by about 1e-8"),
        (1.0, 1e-11, "the uncertainty is only about 1e-11"),
    ],
)
def test_a_central_difference_is_as_uncertain_as_chapter_08_says(
    size: float, step: float, sentence: str
) -> None:
    assert sentence in text("08")
    points = [k / 97 for k in range(1, 97)]
    found = [central_difference(lambda x: size + x, [point])[0] for point in points]
    assert step / 10 < max(abs(slope - 1.0) for slope in found) < step * 10
