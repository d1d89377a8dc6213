"""The exercises of chapters 09 to 12 judge what they show, and take each right answer."""

from __future__ import annotations

import contextlib
import gc
import io
import math
import re
import textwrap
from itertools import permutations
from typing import Any

import pytest
from exercise_files import of_chapter, read

from engine import Literal, Parameter, Tape, Value
from engine.course.checks import (
    catalog,
    chapter_09,
    chapter_10,
    chapter_11,
    chapter_12,
    judging,
)
from engine.course.checks.judging import State
from engine.course.checks.plain import describe, restore
from engine.optim import SGD

ENGINE = {"Literal": Literal, "Parameter": Parameter, "Tape": Tape, "Value": Value}


def task(name: str) -> str:
    """Everything that stands below the heading of an exercise."""
    cells = [cell.source for cell in read(of_chapter("exercises", name[:2])).cells]
    start = next(k for k, source in enumerate(cells) if source.startswith(f"## {name} "))
    end = next(k for k, source in enumerate(cells) if source.startswith(f'check("{name}"'))
    return "\n".join(cells[start:end])


def shown_program(name: str) -> str:
    return task(name).split("```")[1].strip("\n")


def run(source: str) -> tuple[dict[str, Any], str]:
    variables: dict[str, Any] = {**ENGINE, "draw": lambda output: output.backward()}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(source, variables)
    return variables, said.getvalue()


def code_below(name: str) -> dict[str, Any]:
    cells = read(of_chapter("exercises", name[:2])).cells
    start = next(k for k, c in enumerate(cells) if c.source.startswith(f"## {name} "))
    return run(cells[start + 1].source)[0]


def test_the_neuron_that_is_drawn_is_the_one_that_is_judged() -> None:
    variables = code_below("09.1")
    for name, gradient in chapter_09.neuron_gradients().items():
        assert variables[name].grad == gradient


def test_the_layer_that_is_drawn_is_the_one_that_is_judged() -> None:
    variables = code_below("09.2")
    for name, gradient in chapter_09.layer_gradients().items():
        assert variables[name].grad == gradient


def test_the_twins_that_are_shown_are_those_that_are_judged() -> None:
    answer = code_below("09.6")["answer"]
    for changed, data in (("c", 0.5), ("w1", 0.2), ("v2", -1.0), ("b2", 0.7)):
        gradients, _ = chapter_09.twins(changed, data)
        assert answer(**{changed: data}) == {name: gradients[name] for name in answer()}


@pytest.mark.parametrize(
    ("name", "loss_of"), [("10.1", chapter_10.step_loss), ("10.5", chapter_10.rates_loss)]
)
def test_the_loss_in_the_text_is_the_one_that_is_judged(name: str, loss_of: Any) -> None:
    formula = re.search(r"loss is `([^`]+)`", task(name))
    assert formula is not None
    for w in (Value(-1.5), Value(4.0)):
        assert eval(formula[1], {"w": w}).data == loss_of(w).data


def test_the_loop_in_the_text_prints_what_is_judged() -> None:
    printed = [float(line.split(": ")[1]) for line in run(shown_program("10.2"))[1].splitlines()]
    assert printed == pytest.approx([g for _, g in chapter_10._uncleared()[: len(printed)]])
    assert len(printed) == chapter_10.LOOP_STEPS


def test_the_four_lines_in_the_text_are_those_that_are_judged() -> None:
    pairs = (line.split(":", 1) for line in shown_program("10.6").splitlines())
    lines = {name: source.strip() for name, source in pairs}
    assert tuple(sorted(lines)) == tuple(sorted(chapter_10.LINES))
    for order in permutations(lines):
        variables: dict[str, Any] = {"w": Parameter(0.0)}
        try:
            wanted = chapter_10.places_in_order(order)
        except LookupError:
            with pytest.raises(NameError):
                exec("\n".join(lines[name] for name in order), variables)
            continue
        places = [0.0]
        for _ in wanted[1:]:
            exec("\n".join(lines[name] for name in order), variables)
            places.append(variables["w"].data)
        assert places == wanted


def test_the_gradients_in_the_text_are_those_that_are_judged() -> None:
    first, second, third = chapter_11.GRADIENTS
    assert f"{first:g}, then {second:g}, then {third:g}" in task("11.1")
    assert f"beta1 is {chapter_11.BETA1}" in task("11.1")
    assert f"multiplies the loss by {chapter_11.LARGER:g}" in task("11.4")


def test_the_bug_in_the_notebook_is_the_one_that_is_judged() -> None:
    assert chapter_11.BROKEN in task("11.5")
    for number, line in enumerate(chapter_11.BROKEN.splitlines(), start=1):
        assert f"{number:2}  {line}" in task("11.5")
    broken = chapter_11.made(chapter_11.BROKEN)
    assert chapter_11.trained(broken, 1) == pytest.approx(chapter_11.trained(None, 1))
    assert chapter_11.trained(broken, 2) != pytest.approx(chapter_11.trained(None, 2))


def test_the_tape_in_the_text_has_as_many_nodes_as_are_judged() -> None:
    assert int(run(shown_program("12.1"))[1]) == chapter_12.nodes_on_tape()


def test_the_numbers_in_the_text_are_where_they_are_judged_to_be() -> None:
    variables, _ = run(shown_program("12.2") + "\n    recorded = tape.nodes")
    for name, place in chapter_12.places().items():
        if name in variables:
            thing = variables[name]
            assert (thing in variables["recorded"]) == (place == "on the tape")
            assert hasattr(thing, "grad") == (place != "no node")


def alive() -> int:
    return sum(type(thing) is Value and thing.op != "" for thing in gc.get_objects())


def left_after(body: str, documents: int) -> int:
    """How many nodes stay alive when a program has read so many documents."""
    before = alive()
    w = Parameter(0.5)
    variables: dict[str, Any] = {**ENGINE, "kept": [], "total": 0, "best": None}
    variables["read"] = lambda document: (w * document).tanh() ** 2
    for document in range(documents):
        variables["document"] = document
        exec(body, variables)
    return alive() - before


def test_the_programs_in_the_text_leak_as_they_are_judged_to() -> None:
    blocks = shown_program("12.5").split("\n\n")
    assert [block[0] for block in blocks] == list(chapter_12.KEEPERS)
    for letter, body in ((block[0], textwrap.dedent(f"    {block[4:]}")) for block in blocks):
        leaks = left_after(body, 5) > left_after(body, 2)
        assert leaks == chapter_12.leaks(chapter_12.KEEPERS[letter]), letter


# Each right answer, and not the solution's alone.


def by_a_formula(inputs, sizes):
    widths = [inputs, *sizes]
    return sum(map(math.prod, zip(widths, sizes, strict=False))) + sum(sizes)


def bias_first(inputs, weights, bias):
    total = bias
    for k in range(len(inputs)):
        total = total + inputs[k] * weights[k]
    return total.tanh()


def as_a_tuple(inputs, rows, biases):
    return tuple(bias_first(inputs, rows[k], biases[k]) for k in range(len(biases)))


def by_the_optimizer(loss_of, start, rate, steps):
    w = Parameter(start)
    optimizer, path = SGD([w], rate), []
    while len(path) < steps:
        path.append(w.data)
        loss_of(w).backward()
        optimizer.step()
        optimizer.zero_grad()
    return [*path, w.data]


def a_new_parameter_each_time(loss_of, start, rate, steps):
    if steps == 0:
        return [start]
    w = Parameter(start)
    loss_of(w).backward()
    return [start, *a_new_parameter_each_time(loss_of, start - rate * w.grad, rate, steps - 1)]


def by_cases(score, label):
    return (1 - score).relu() if label > 0 else (score + 1).relu()


def sums_of_powers(gradients, beta):
    means = []
    for t in range(1, len(gradients) + 1):
        weights = [beta ** (t - 1 - k) for k in range(t)]
        total = sum(w * g for w, g in zip(weights, gradients, strict=False))
        means.append(total / sum(weights))
    return tuple(means)


def with_math(w, gradient, m, v, t):
    m += (1 - 0.9) * (gradient - m)
    v += (1 - 0.999) * (gradient * gradient - v)
    size = math.sqrt(v / (1 - math.pow(0.999, t)))
    return [w - 0.1 * (m / (1 - math.pow(0.9, t))) / (size + 1e-8), m, v]


def by_index(nodes, output):
    for node in nodes:
        node.grad = 0.0
    output.grad = 1
    for k in range(nodes.index(output), -1, -1):
        for place, operand in enumerate(nodes[k].inputs):
            operand.grad = operand.grad + nodes[k].local_derivatives[place] * nodes[k].grad


def by_places(nodes):
    return all(
        nodes.index(operand) < k
        for k, node in enumerate(nodes)
        for operand in node.inputs
        if operand in nodes
    )


ALSO_RIGHT: list[tuple[str, Any]] = [
    ("09.3", by_a_formula),
    ("09.4", bias_first),
    ("09.5", as_a_tuple),
    *(("09.6", {"parameter": name, "number": -0.3}) for name in ("w1", "b1", "w2", "v1", "v2")),
    ("09.6", {"parameter": "v1", "number": 0}),
    ("10.3", by_the_optimizer),
    ("10.3", a_new_parameter_each_time),
    ("10.4", by_cases),
    ("10.6", ("clear", "forward", "walk", "move")),
    ("10.6", ["forward", "walk", "move", "clear"]),
    ("11.2", sums_of_powers),
    ("11.3", with_math),
    ("11.5", {"line": 6, "after": 3}),
    ("12.3", by_index),
    ("12.4", by_places),
]


@pytest.mark.parametrize(("name", "answer"), ALSO_RIGHT)
def test_another_right_answer_is_right(name: str, answer: Any) -> None:
    judgment = judging.judge(catalog.find(name), restore(describe(answer)))
    assert judgment.state is State.RIGHT, judgment.words


def test_three_orders_of_the_loop_are_right_and_two_numbers_repair_the_bug() -> None:
    exercise = catalog.find("10.6")
    right = [
        order
        for order in permutations(chapter_10.LINES)
        if judging.judge(exercise, list(order)).state is State.RIGHT
    ]
    assert len(right) == 3
    bug, count = catalog.find("11.5"), len(chapter_11.BROKEN.splitlines())
    lines = [float(number) for number in range(1, count + 1)]
    repairs = [
        (line, after)
        for line in lines
        for after in lines
        if judging.judge(bug, {"line": line, "after": after}).state is State.RIGHT
    ]
    assert repairs == [(6.0, 3.0), (6.0, 4.0)]
