"""The checks of chapters 05 to 08 judge what their notebooks show."""

from __future__ import annotations

from typing import Any

import pytest
from exercise_files import of_chapter, read

from engine import Graph, Value
from engine.course.checks import chapter_05, chapter_06, chapter_08

GRAPHS = {
    "05.1": chapter_05.first_graph,
    "05.2": chapter_05.second_graph,
    "05.5": chapter_05.counted_graph,
    "06.1": chapter_06.seven_nodes,
    "06.2": chapter_06.shared_graph,
}


def text(number: str) -> str:
    return "\n".join(cell.source for cell in read(of_chapter("exercises", number)).cells)


def recorded(name: str) -> Graph:
    """The graph that the cell below an exercise's heading draws."""
    cells = read(of_chapter("exercises", name[:2])).cells
    start = next(k for k, cell in enumerate(cells) if cell.source.startswith(f"## {name} "))
    source = cells[start + 1].source
    variables: dict[str, Any] = {"Value": Value, "draw": lambda output: output}
    exec(source, variables)
    output = variables[source.rsplit("draw(", 1)[1].rstrip(")\n")]
    names = {k: v for k, v in variables.items() if isinstance(v, Value)}
    return Graph.of(output, names)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_graph_that_is_drawn_is_the_one_that_is_judged(name: str) -> None:
    assert str(recorded(name)) == str(GRAPHS[name]())


def test_the_orders_to_choose_from_are_those_that_are_judged() -> None:
    for letter, order in chapter_05.ORDERS.items():
        assert f"- {letter}: `{' '.join(order)}`" in text("05")
    assert f"`{', '.join(chapter_05.EARLY)}`" in text("05")


def test_the_numbers_to_hold_and_to_move_are_those_that_are_judged() -> None:
    held = f"`x` is {chapter_06.HELD_X:g} and `w` is {chapter_06.HELD_W:g}"
    assert held in text("06")
    assert f"`a` rises by {chapter_06.MOVES['a']:g}" in text("06")
    assert f"`f` *falls* by {-chapter_06.MOVES['f']:g}" in text("06")


def test_the_functions_to_check_are_those_that_are_judged() -> None:
    variables: dict[str, Any] = {}
    for cell in read(of_chapter("exercises", "08")).cells:
        if cell.source.startswith(("def steep", "def neuron")):
            exec(cell.source.partition("\n\n\n")[0], variables)
    assert f"[{chapter_08.STEEP_AT}]" in text("08")
    for number in (0.0005, -0.3):
        mine = variables["steep"](Value(number))
        assert mine.data == chapter_08.steep(Value(number)).data
        both = variables["neuron"](Value(number), Value(-4.0))
        assert both.data == chapter_08.neuron(Value(number), Value(-4.0)).data
    for reason in chapter_08.REASONS:
        assert f'`"{reason}"`' in text("08")
