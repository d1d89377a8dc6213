"""Wrong answers to the exercises of chapter 05, each with the kind of wrong it must be told."""

from typing import Any

from engine import Value
from engine import topological_order as engines_own

RIGHT = {"A": "valid", "B": "too early", "C": "valid", "D": "too early", "E": "too early"}


def appended_before_the_loop(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            order.append(node)
            for operand in node.inputs:
                visit(operand)

    visit(output)
    return order


def no_visited_set(output):
    order = []

    def visit(node):
        for operand in node.inputs:
            visit(operand)
        order.append(node)

    visit(output)
    return order


def forgetful_visited_set(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    return order


def first_input_only(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            if node.inputs:
                visit(node.inputs[0])
            order.append(node)

    visit(output)
    return order


def last_input_only(output):
    order = [output]
    while order[-1].inputs:
        order.append(order[-1].inputs[-1])
    return order[::-1]


def output_first(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.insert(0, node)

    visit(output)
    return order


def level_by_level(output):
    order = [output]
    for node in order:
        for operand in node.inputs:
            if operand not in order:
                order.append(operand)
    return order[::-1]


def levels_from_the_right(output):
    order = [output]
    for node in order:
        for operand in reversed(node.inputs):
            if operand not in order:
                order.append(operand)
    return order[::-1]


def one_step_only(output):
    order = []
    for operand in output.inputs:
        if operand not in order:
            order.append(operand)
    order.append(output)
    return order


def leaves_skipped(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited and node.inputs:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    return order


def output_left_out(output):
    order, visited = [], {output}

    def visit(node):
        for operand in node.inputs:
            if operand not in visited:
                visited.add(operand)
                visit(operand)
                order.append(operand)

    visit(output)
    return order


def as_a_set(output):
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)

    visit(output)
    return visited


def numbers_instead(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.append(node.data)

    visit(output)
    return order


def nothing_returned(output):
    order = []

    def visit(node):
        for operand in node.inputs:
            visit(operand)
        order.append(node)

    visit(output)


def shared_between_calls(output, order=[]):  # noqa: B006 (the mistake)
    visited = set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    return order


def tried_before(output, order=[], visited=set()):  # noqa: B006 (the mistake)
    if output not in visited:
        visited.add(output)
        for operand in output.inputs:
            tried_before(operand)
        order.append(output)
    return order


tried_before(Value(2.0) * 3)


def never_ending(output):
    while output.inputs:
        pass
    return [output]


def by_the_engine(output):
    return engines_own(output)


def walked_by_the_engine(output):
    output.backward()
    return [output]


WRONG: dict[str, list[tuple[Any, str]]] = {
    "05.1": [
        ({**RIGHT, "D": "valid"}, "called valid"),
        (dict.fromkeys(RIGHT, "valid"), "called valid"),
        ({**RIGHT, "C": "too early"}, "called too early"),
        ({**RIGHT, "A": "too early", "C": "too early"}, "called too early"),
        ({**RIGHT, "A": "too early", "B": "valid"}, "both ways"),
        ({**RIGHT, "A": "yes"}, "choice"),
        ({**RIGHT, "A": True}, "type"),
        ({**RIGHT, "A": ...}, "unfinished"),
        (["valid"], "type"),
    ],
    "05.2": [
        (["y", "v", "u", "w", "x", "k"], "too early"),
        (["y", "w", "u", "v", "x", "k"], "too early"),
        (["v", "w", "y", "u", "x", "k"], "too early"),
        (["y", "v", "x", "w", "u", "k"], "too early"),
        (["x", "k", "u", "v", "w", "y"], "turned around"),
        (["y", "v", "w", "u", "x"], "missing"),
        (["y", "v", "w", "u", "u", "x", "k"], "repeated"),
        (["y", "v", "w", "z", "x", "k"], "unknown"),
        ("ywvux", "missing"),
        (6, "type"),
        (["y, w, v, u, x, k"], "marks"),
        ([1, 2, 3, 4, 5, 6], "type"),
        (["y", ..., "w", "u", "x", "k"], "unfinished"),
    ],
    "05.3": [
        ({"u": 5, "x": 12}, "right walk"),
        ({"u": 3, "x": 10}, "when processed"),
        ({"u": 2, "x": 10}, "last one alone"),
        ({"u": 7, "x": 10}, "data"),
        ({"u": 5, "x": 7}, "one part"),
        ({"u": 5, "x": 3}, "one part"),
        ({"u": 5, "x": 21}, "multiplied"),
        ({"u": 5, "x": 2}, "data"),
        ({"u": 5, "x": -10}, "sign"),
        ({"u": 5}, "missing"),
        ({"u": 5, "x": "10"}, "text"),
        (10, "type"),
    ],
    "05.4": [
        (appended_before_the_loop, "append first"),
        (no_visited_set, "no visited set"),
        (forgetful_visited_set, "no visited set"),
        (first_input_only, "first input only"),
        (last_input_only, "missing"),
        (output_first, "turned around"),
        (level_by_level, "level by level"),
        (levels_from_the_right, "before its inputs"),
        (one_step_only, "one step only"),
        (leaves_skipped, "missing"),
        (output_left_out, "output missing"),
        (as_a_set, "type"),
        (numbers_instead, "no nodes"),
        (nothing_returned, "returns nothing"),
        (shared_between_calls, "left over"),
        (tried_before, "default"),
        (never_ending, "endless"),
        (by_the_engine, "forbidden"),
        (walked_by_the_engine, "borrowed"),
        (lambda output: [*output.inputs, *output.inputs, output], "repeated"),
        (lambda output, order, visited: order, "signature"),
        ([1, 2], "no function"),
    ],
    "05.5": [
        (120, "any order"),
        (24, "only y first"),
        (4, "level by level"),
        (2, "one side first"),
        (1, "one alone"),
        (5, "other"),
        (2.5, "no count"),
        (0, "no count"),
        ("6", "text"),
    ],
    "05.6": [
        ({"1": "A", "2": "B", "3": "A"}, "append first"),
        ({"1": "C", "2": "B", "3": "A"}, "always the output"),
        ({"1": "B", "2": "A", "3": "A"}, "one step only"),
        ({"1": "B", "2": "C", "3": "A"}, "not visited"),
        ({"1": "B", "2": "B", "3": "B"}, "turned around"),
        ({"1": "B", "2": "B", "3": "C"}, "never appended"),
        ({"1": "B"}, "missing"),
        ({"1": "B", "2": "Z", "3": "B"}, "choice"),
    ],
}
