"""A function that keeps something in mind is not right, however well its first call goes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from exercise_files import NAMES, answers

from engine.course.checks import catalog, judging, running
from engine.course.checks.exercise import FunctionExercise
from engine.course.checks.judging import Judgment, State
from engine.course.checks.plain import describe, restore


def judged(name: str, answer: Any) -> Judgment:
    return judging.judge(catalog.find(name), restore(json.loads(json.dumps(describe(answer)))))


FUNCTIONS = [name for name in NAMES if isinstance(catalog.find(name), FunctionExercise)]


REMEMBERING = """
def remembering(*inputs, called=[]):
    called.append(1)
    return solution(*inputs) if len(called) == 1 else "something else"
"""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_is_right_only_once_is_not_right(name: str) -> None:
    solution = answers("solutions", name[:2])[name]
    variables = solution.__globals__
    variables["solution"] = solution
    exec(REMEMBERING, variables)
    judgment = judged(name, variables["remembering"])
    assert (judgment.state, judgment.kind) == (State.WRONG, "left over"), judgment.words
    assert "earlier call" in judgment.words


def counts_with_a_default(y, seen=set()):  # noqa: B006 (the mistake)
    if y in seen:
        return 0
    seen.add(y)
    return 1 + sum(counts_with_a_default(node, seen) for node in y.inputs)


seen = set()
order = []


def counts_with_a_global(y):
    if y in seen:
        return 0
    seen.add(y)
    return 1 + sum(counts_with_a_global(node) for node in y.inputs)


def visit(node):
    if node not in seen:
        seen.add(node)
        for operand in node.inputs:
            visit(operand)
        order.append(node)


def orders_with_a_global(output):
    visit(output)
    return order


def walks_with_a_global(output):
    visit(output)
    output.grad = 1.0
    for node in reversed(order):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def walks_what_a_default_has_not_seen(output, known=set()):  # noqa: B006 (the mistake)
    nodes = []

    def visit(node):
        if node not in known:
            known.add(node)
            for operand in node.inputs:
                visit(operand)
            nodes.append(node)

    visit(output)
    output.grad = 1.0
    for node in reversed(nodes):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("02.4", counts_with_a_default),
        ("02.4", counts_with_a_global),
        ("05.4", orders_with_a_global),
        ("06.3", walks_with_a_global),
        ("06.3", walks_what_a_default_has_not_seen),
    ],
)
def test_a_list_or_a_set_that_is_never_emptied_is_told(name: str, function: Any) -> None:
    judgment = judged(name, function)
    assert (judgment.state, judgment.kind) == (State.WRONG, "left over"), judgment.words


def gradients_path_by_path(output):
    output.grad = 0.0

    def hand_on(node, upstream):
        node.grad += upstream
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            hand_on(operand, slope * upstream)

    hand_on(output, 1.0)


def order_path_by_path(output):
    nodes = []
    for operand in output.inputs:
        nodes += [node for node in order_path_by_path(operand) if node not in nodes]
    return [*nodes, output]


def paths_one_by_one(nodes):
    def ways(node):
        return 1 if node is nodes[0] else sum(map(ways, node.inputs))

    return ways(nodes[-1])


class PathByPath:
    """A Number whose walk goes along every path."""

    def __init__(self, data, uses=()):
        self.data, self.uses, self.grad = data, uses, 0.0

    def __add__(self, other):
        return PathByPath(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        return PathByPath(self.data * other.data, ((self, other.data), (other, self.data)))

    def backward(self, upstream=1.0):
        self.grad += upstream
        for node, slope in self.uses:
            node.backward(slope * upstream)


def engine_path_by_path(calculation, data):
    leaves = [PathByPath(each) for each in data]
    calculation(*leaves).backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("05.4", order_path_by_path),
        ("06.3", gradients_path_by_path),
        ("15.5", paths_one_by_one),
        ("17.4", engine_path_by_path),
    ],
)
def test_a_walk_along_every_path_is_told_so(
    name: str, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RUN_SECONDS", 1)
    judgment = judged(name, function)
    assert (judgment.state, judgment.kind) == (State.WRONG, "too long"), judgment.words
    assert "loop" not in judgment.words
    assert "right" in judgment.words


def never_ends_when_it_is_called_again(f, x, h, calls=[]):  # noqa: B006 (the mistake)
    calls.append(1)
    while len(calls) > 1:
        pass
    return (f(x + h) - f(x - h)) / (2 * h)


def test_a_later_call_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "RUN_SECONDS", 1)
    judgment = judged("01.2", never_ends_when_it_is_called_again)
    assert judgment.kind == "left over"
    assert "does not come to an end" in judgment.words
