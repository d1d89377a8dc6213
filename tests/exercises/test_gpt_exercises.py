"""The checks of chapters 13 to 17 judge what their notebooks show, and take every right answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from exercise_files import of_chapter, read

from engine import Graph, Value, gradient_check
from engine.course.checks import (
    catalog,
    chapter_13,
    chapter_14,
    chapter_15,
    chapter_16,
    chapter_17,
    judging,
)
from engine.course.checks.judging import State
from engine.course.checks.plain import describe, restore
from engine.gpt import attend


def with_a_live_maximum(scores):
    largest = max(scores, key=lambda score: score.data)
    powers = [(score - largest).exp() for score in scores]
    return tuple(power / sum(powers) for power in powers)


def by_root_and_division(numbers):
    mean_square = sum(number**2 for number in numbers) / len(numbers)
    return [number / (mean_square + 0.00001) ** 0.5 for number in numbers]


def head_by_loops(query, keys, values):
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
    powers = [(score / len(query) ** 0.5).exp() for score in scores]
    weights = [power / sum(powers) for power in powers]
    mixture = [0] * len(values[0])
    for weight, value in zip(weights, values, strict=True):
        mixture = [so_far + weight * each for so_far, each in zip(mixture, value, strict=True)]
    return mixture


def with_growing_lists(queries, keys, values):
    mixtures, known_keys, known_values = [], [], []
    for query, key, value in zip(queries, keys, values, strict=True):
        known_keys.append(key)
        known_values.append(value)
        mixtures.append(attend(query, known_keys, known_values)[0])
    return mixtures


def paths_from_the_back(nodes):
    ways = dict.fromkeys(nodes, 0)
    ways[nodes[-1]] = 1
    for node in reversed(nodes):
        for given in node.inputs:
            ways[given] += ways[node]
    return ways[nodes[0]]


def replay_in_place(recording, leaves):
    for op, first, *second in recording:
        if op == "relu":
            leaves.append(leaves[first] if leaves[first] > 0 else 0)
        else:
            left, right = leaves[first], leaves[second[0]]
            leaves.append(left + right if op == "+" else left * right)
    return leaves


def product_by_product(data, grad, left, right, made):
    for i, j, k in zip(left, right, made, strict=True):
        grad[i] += data[j] * grad[k]
        grad[j] += data[i] * grad[k]
    print(grad)
    return [float(each) for each in grad]


def with_numpy(scores, temperature):
    divided = np.array(scores) / temperature
    powers = np.exp(divided - divided.max())
    return list(powers / powers.sum())


def linear_by_loops(x, weights, upstream):
    to_x, to_weights = np.zeros_like(x), np.zeros_like(weights)
    for position, result in np.ndindex(upstream.shape):
        to_x[position] += upstream[position, result] * weights[result]
        to_weights[result] += upstream[position, result] * x[position]
    print(to_x)
    return [to_x, to_weights]


def loss_row_by_row(logits, following):
    rows = []
    for row, target in zip(logits, following, strict=True):
        powers = [math.exp(each - max(row)) for each in row]
        hot = [float(token == target) for token in range(len(row))]
        probabilities = [power / sum(powers) for power in powers]
        pairs = zip(probabilities, hot, strict=True)
        rows.append([(p - one) / len(following) for p, one in pairs])
    return rows


def without_recursion(calculate, numbers):
    tape = []

    class Number:
        def __init__(self, data, edges=()):
            self.data, self.grad, self.edges = data, 0, edges
            tape.append(self)

        def __add__(self, other):
            return Number(self.data + other.data, [(self, 1), (other, 1)])

        def __mul__(self, other):
            return Number(self.data * other.data, [(self, other.data), (other, self.data)])

    leaves = [Number(number) for number in numbers]
    calculate(*leaves).grad = 1
    while tape:
        node = tape.pop()
        for given, slope in node.edges:
            given.grad += slope * node.grad
    return tuple(leaf.grad for leaf in leaves)


def checked(label: str) -> dict[str, Any]:
    gradient, measured = chapter_15.honest(label)
    return {"weight": label, "gradient": gradient, "measured": measured[0]}


ALSO_RIGHT: list[tuple[str, Any]] = [
    ("13.2", {"a": 0, "b": -math.log(8), "c": -math.log(8)}),
    ("13.2", {"a": 102.08, "b": 100, "c": 100}),
    ("13.3", with_a_live_maximum),
    ("13.4", by_root_and_division),
    ("14.2", head_by_loops),
    ("14.3", with_growing_lists),
    ("15.1", lambda layers, width, *rest: width * (rest[0] + 2 * rest[1] + 12 * layers * width)),
    ("15.4", checked("wte[14][2]")),
    ("15.4", checked("fc1[0][5]")),
    ("15.4", {"weight": "lm_head[14][3]", "gradient": 0.15982, "measured": 0.15981}),
    ("15.5", paths_from_the_back),
    ("16.2", replay_in_place),
    ("16.3", product_by_product),
    ("16.5", with_numpy),
    ("17.1", linear_by_loops),
    ("17.2", loss_row_by_row),
    ("17.4", without_recursion),
]


@pytest.mark.parametrize(("name", "answer"), ALSO_RIGHT)
def test_another_right_answer_is_right(name: str, answer: Any) -> None:
    judgment = judging.judge(catalog.find(name), restore(describe(answer)))
    assert judgment.state is State.RIGHT, judgment.words


A_CLASS_OF_ITS_OWN = """
class Number:
    def __init__(self, data, edges=()):
        self.data, self.grad, self.edges = data, 0.0, edges

    def __add__(self, other):
        return Number(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        return Number(self.data * other.data, ((self, other.data), (other, self.data)))


def behind(node, found):
    if node not in found:
        for given, _ in node.edges:
            behind(given, found)
        found.append(node)
    return found


def gradients(calculate, numbers):
    leaves = [Number(number) for number in numbers]
    output = calculate(*leaves)
    output.grad = 1.0
    for node in behind(output, [])[::-1]:
        for given, slope in node.edges:
            given.grad += slope * node.grad
    return [leaf.grad for leaf in leaves]
"""


def test_the_engine_from_memory_may_be_a_class_in_a_cell_of_its_own() -> None:
    notebook: dict[str, Any] = {"__name__": "__main__"}
    exec(A_CLASS_OF_ITS_OWN, notebook)
    described = restore(describe(notebook["gradients"]))
    judgment = judging.judge(catalog.find("17.4"), described)
    assert judgment.state is State.RIGHT, judgment.words


# What the notebooks show.


def text(number: str) -> str:
    return "\n".join(cell.source for cell in read(of_chapter("exercises", number)).cells)


def run(number: str, beginning: str) -> dict[str, Any]:
    """The variables after running the first cell that begins so."""
    cells = read(of_chapter("exercises", number)).cells
    source = next(cell.source for cell in cells if cell.source.startswith(beginning))
    variables: dict[str, Any] = {"Value": Value, "np": np, "math": math, "draw": str}
    exec(source, variables)
    return variables


def test_the_scores_of_13_1_and_the_gradient_of_13_2_are_those_that_are_judged() -> None:
    powers = [f"log {power:g}" for power in chapter_13.POWERS.values()]
    assert f"are {powers[0]}, {powers[1]} and {powers[2]}." in text("13")
    assert f"it is **{chapter_13.RIGHT_ONE}**" in text("13")
    assert f"`a.grad` is {chapter_13.WANTED:g}" in text("13")


def test_the_head_of_14_1_is_the_one_that_is_judged() -> None:
    shown = run("14", "query, key_0")
    assert shown["query"].data == chapter_14.QUERY
    assert (shown["key_0"].data, shown["key_1"].data) == chapter_14.KEYS
    assert (shown["value_0"].data, shown["value_1"].data) == chapter_14.VALUES


def test_the_program_of_14_5_is_the_one_that_is_judged() -> None:
    shown = run("14", "def last_mixture")["last_mixture"]
    numbers = list(chapter_14.MATRICES.values())
    mine = gradient_check(shown, numbers)
    ours = gradient_check(lambda wq, wk, wv: chapter_14.last_mixture(wq, wk, wv), numbers)
    assert [i.gradient for i in mine.inputs] == [i.gradient for i in ours.inputs]
    failed = {failure.name for failure in mine.failures}
    assert failed == set().union(*map(chapter_14.harmed, chapter_14.LINES))


def test_the_weights_of_15_3_and_the_names_are_those_that_are_judged() -> None:
    for label in chapter_15.ZEROS:
        assert f'"{label}"' in text("15")
    for reason in chapter_15.REASONS:
        assert f'"{reason}"' in text("15")
    assert set(chapter_15.reasons().values()) == set(chapter_15.REASONS)
    assert f"*{chapter_15.NAME}*" in text("15")
    assert f"*{chapter_15.COUNTED}*" in text("15")
    assert f"GPT(seed={chapter_15.SEED})" in text("15")


def test_the_graph_of_16_1_and_the_recording_of_16_2_are_those_that_are_judged() -> None:
    shown = run("16", "a, b = Value")
    names = {name: value for name, value in shown.items() if isinstance(value, Value)}
    assert str(Graph.of(shown["L"], names)) == str(chapter_16.leveled())
    assert run("16", "recording = [")["recording"] == chapter_16.CHAPTER


def test_each_program_of_16_4_is_explained_in_the_notebook() -> None:
    for name in chapter_16.PROGRAMS:
        assert f'- `"{name}"`' in text("16")
    assert set(chapter_16.what_is_frozen().values()) == {chapter_16.FROZEN, chapter_16.AGAIN}


def test_the_attention_of_17_3_is_the_one_that_is_judged() -> None:
    shown = run("17", "def attention")
    tables = [np.random.default_rng(seed).normal(size=(3, 3)) for seed in range(3)]
    mixtures, backward = shown["attention"](*tables)
    upstream = np.arange(9.0).reshape(3, 3)
    ours = chapter_17.attention(*tables, turned=chapter_17.PLANTED)
    np.testing.assert_allclose(mixtures, ours[0])
    for mine, other in zip(backward(upstream), ours[1](upstream), strict=True):
        np.testing.assert_allclose(mine, other)


@pytest.mark.parametrize("line", chapter_17.LINES)
def test_each_line_of_17_3_matters(line: str) -> None:
    assert chapter_17.wrong_tables(line)
