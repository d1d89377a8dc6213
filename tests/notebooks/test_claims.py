"""Numbers that a chapter's text names, and no cell of it prints."""

from pathlib import Path

import hygiene
import pytest

from engine import Graph, Value, error_by_step, value
from engine.documents import first_names

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
