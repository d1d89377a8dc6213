"""A box without a label takes the name of the variable, with no word from the learner."""

import pytest

from engine import Parameter, Value, draw, scope
from engine.drawing import Picture
from engine.words import naming

at_module_level = Value(2.0)
_hidden = Value(3.0)


def titles(picture: Picture) -> list[str]:
    """The first column of the table that stands for a drawing, without its heading."""
    rows = repr(picture).splitlines()[1:]
    return [row.split("  ")[0].strip() for row in rows]


def test_variables_of_a_function_and_of_its_module() -> None:
    local = Value(4.0)
    y = at_module_level * local
    assert titles(draw(y)) == ["at_module_level", "local", "y = at_module_level * local"]


def test_a_label_wins_over_a_variable() -> None:
    x = Value(4.0, "weight")
    assert titles(draw(x + 1)) == ["weight", "weight + 1"]


def test_names_that_begin_with_an_underscore_are_no_names() -> None:
    _private = Value(4.0)
    assert titles(draw(_private * _hidden)) == ["n0", "n1", "n0 * n1"]


def test_members_of_lists_tuples_and_dictionaries() -> None:
    w = [Value(1.0), Value(2.0)]
    pair = (Value(3.0),)
    table = {"bias": Value(4.0), "rows": [Value(5.0)]}
    total = w[0] + w[1] + pair[0] + table["bias"] + table["rows"][0]  # type: ignore[operator]
    leaves = [name for name in titles(draw(total)) if "+" not in name]
    assert leaves[:4] == ["w[0]", "w[1]", "pair[0]", "table['bias']"]
    assert "table['rows'][0]" in titles(draw(total))


def test_a_variable_wins_over_its_place_in_a_list() -> None:
    first = Value(1.0)
    everything = [first, Value(2.0)]
    assert titles(draw(everything[0] * everything[1]))[:2] == ["first", "everything[1]"]


def test_parameters_and_scopes_are_drawn_like_any_other() -> None:
    with scope("layer0"):
        w = Parameter(0.5)
        y = w * 2
    assert titles(draw(y)) == ["w", "y = w * 2"]


def test_a_variable_bound_again_names_its_new_number() -> None:
    x = Value(1.0)
    for _ in range(2):
        x = x + 1
    assert titles(draw(x)) == ["n0", "n0 + 1", "x = n0 + 1 + 1"]


def test_of_a_very_long_label_only_the_start_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    monkeypatch.setattr(naming, "_visible", lambda character: seen.append(character) or character)
    assert naming.label("yz" * 500_000) == f"{'yz' * 13}y…"
    assert len(seen) <= naming.LONGEST_LABEL + 1
