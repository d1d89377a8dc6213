"""Where many answers are right, the check takes each of them, and not the solution's alone."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest

from engine import record
from engine.course.checks import catalog, judging
from engine.course.checks.chapter_05 import EARLY, second_graph, too_early
from engine.course.checks.judging import State
from engine.course.checks.plain import describe, restore


def right_to_left(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in reversed(node.inputs):
                visit(operand)
            order.append(node)

    visit(output)
    return order


def all_users_first(output):
    """Take a node when all nodes that use it have been taken."""
    users, waiting, seen = {}, [output], {output}
    for node in waiting:
        for operand in set(node.inputs):
            users[operand] = users.get(operand, 0) + 1
            if operand not in seen:
                seen.add(operand)
                waiting.append(operand)
    order, ready = [], [output]
    while ready:
        node = ready.pop()
        order.append(node)
        for operand in set(node.inputs):
            users[operand] -= 1
            if not users[operand]:
                ready.append(operand)
    return tuple(reversed(order))


def walk_along_them(output):
    for node in all_users_first(output):
        node.grad = 0.0
    output.grad += 1.0
    for node in reversed(all_users_first(output)):
        for place, operand in enumerate(node.inputs):
            operand.grad = operand.grad + node.grad * node.local_derivatives[place]


def by_cosh(a):
    return record("another name", math.tanh(a.data), (a, 1 / math.cosh(a.data) ** 2))


def b_recorded_first(a, b):
    quotient = a.data * b.data**-1
    return record("over", quotient, (b, -quotient / b.data), (a, b.data**-1))


def early_exit(first, second):
    if first == second:
        return 0
    return abs(first - second) / max(first, -first, second, -second)


def empties_its_lists(inputs, weights, bias):
    total = bias
    while weights:
        total = total + weights.pop() * inputs.pop()
    return total.tanh()


def grows_its_lists(inputs, weights, bias):
    inputs.append(1.0)
    weights.append(bias)
    products = [x * w for x, w in zip(inputs, weights, strict=True)]
    return sum(products[1:], products[0]).tanh()


VALID_ORDERS = [
    list(order) for order in permutations("yvwuxk") if not too_early(second_graph(), order)
]


def nodes_path_by_path(y):
    def below(node):
        return {node}.union(*map(below, node.inputs))

    return len(below(y))


def rearranged(w, gradient, m, v, t):
    """As Kingma and Ba write it for speed."""
    m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
    rate = 0.1 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return w - rate * m / (math.sqrt(v) + 1e-8), m, v


ALSO_RIGHT: list[tuple[str, Any]] = [
    *(("05.2", order) for order in VALID_ORDERS),
    ("05.2", tuple(VALID_ORDERS[0])),
    ("05.2", "".join(VALID_ORDERS[0])),
    ("05.2", ", ".join(VALID_ORDERS[-1])),
    ("02.2", "qpstmy"),
    ("01.5", {"method": "Forward", "step": 0.01}),
    ("02.4", nodes_path_by_path),
    ("11.3", rearranged),
    ("05.4", right_to_left),
    ("05.4", all_users_first),
    ("06.3", walk_along_them),
    ("06.5", 0.09),
    ("07.2", by_cosh),
    ("07.3", b_recorded_first),
    ("08.1", early_exit),
    ("09.4", empties_its_lists),
    ("09.4", grows_its_lists),
    ("08.2", -1),
    ("08.2", -0.001),
    ("08.3", 1e-6),
    ("08.3", 1e-10),
    ("08.5", {"x": 0, "w": 0, "why": "both are zero"}),
    ("08.5", {"x": -0.5, "w": 1.5, "why": "both are zero"}),
]


@pytest.mark.parametrize(("name", "answer"), ALSO_RIGHT)
def test_another_right_answer_is_right(name: str, answer: Any) -> None:
    judgment = judging.judge(catalog.find(name), restore(describe(answer)))
    assert judgment.state is State.RIGHT, judgment.words


def test_there_are_several_valid_orders_and_the_early_one_is_none_of_them() -> None:
    assert len(VALID_ORDERS) > 1
    assert list(EARLY) not in VALID_ORDERS
