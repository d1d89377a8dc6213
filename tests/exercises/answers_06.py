"""Wrong answers to the exercises of chapter 06, each with the kind of wrong it must be told."""

from typing import Any

from engine import reverse_walk, topological_order

GRADIENTS = {"L": 1, "d": 0.5, "f": -5, "e": 0.5, "c": 0.5, "a": -1, "b": 2}
TABLE = {"u": [0, -2, -2], "w": [-3, -3, -9], "x": [0, -2, 2]}


def found_order(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    return order


def equals_for_plus_equals(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad = slope * node.grad


def no_seed(output):
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def seed_is_data(output):
    output.grad = output.data
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def not_reversed(output):
    output.grad = 1.0
    for node in found_order(output):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def in_waiting_order(output):
    output.grad = 1.0
    waiting = [output]
    for node in waiting:
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad
            if operand not in waiting:
                waiting.append(operand)


def depth_first_at_once(output):
    output.grad = 1.0
    order = []

    def visit(node):
        if node not in order:
            order.append(node)
            for operand in node.inputs:
                visit(operand)

    visit(output)
    for node in order:
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def no_visited_set(output):
    order = []

    def visit(node):
        for operand in node.inputs:
            visit(operand)
        order.append(node)

    visit(output)
    output.grad = 1.0
    for node in reversed(order):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def calling_itself(output):
    output.grad = output.grad or 1.0

    def hand_on(node):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad
            hand_on(operand)

    hand_on(output)


def local_derivative_only(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope


def upstream_only(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand in node.inputs:
            operand.grad += node.grad


def sum_for_product(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope + node.grad


def data_for_gradient(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.data


def dictionary_of_inputs(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        for operand, slope in dict(zip(node.inputs, node.local_derivatives, strict=True)).items():
            operand.grad += slope * node.grad


def first_step_only(output):
    output.grad = 1.0
    for operand, slope in zip(output.inputs, output.local_derivatives, strict=True):
        operand.grad += slope * output.grad


def first_input_only(output):
    output.grad = 1.0
    for node in reversed(found_order(output)):
        if node.inputs:
            node.inputs[0].grad += node.local_derivatives[0] * node.grad


def seed_is_added_to_all(output):
    for node in reversed(found_order(output)):
        node.grad += 1.0
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def gradient_is_text(output):
    for node in found_order(output):
        node.grad = "1"


def by_the_engines_order(output):
    output.grad = 1.0
    for node in reversed(topological_order(output)):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


def by_the_engines_walk(output):
    return reverse_walk(output)


def calls_backward(output):
    output.backward()


def misspelled(output):
    output.grad = 1.0
    for operand in output.input:
        operand.grad += 1.0


def without_end(output):
    waiting = [output]
    while waiting:
        waiting.append(waiting.pop())


def nested(**columns):
    return {**TABLE, **columns}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "06.1": [
        ({**GRADIENTS, "L": -2.5}, "seed is data"),
        ({**GRADIENTS, "L": 0}, "no seed"),
        ({**GRADIENTS, "d": -5}, "own data"),
        ({**GRADIENTS, "f": 0.5}, "own data"),
        ({**GRADIENTS, "d": 1}, "local derivative forgotten"),
        ({**GRADIENTS, "c": 1}, "upstream forgotten"),
        ({**GRADIENTS, "e": 0.25}, "shared out"),
        ({**GRADIENTS, "c": 3}, "data"),
        ({**GRADIENTS, "a": -2}, "upstream forgotten"),
        ({**GRADIENTS, "a": 2}, "own data"),
        ({**GRADIENTS, "a": 0.5}, "local derivative forgotten"),
        ({**GRADIENTS, "a": -1.5}, "added"),
        ({**GRADIENTS, "b": -2}, "data"),
        ({**GRADIENTS, "e": -0.5}, "sign"),
        ({**GRADIENTS, "b": 4}, "upstream forgotten"),
        ({**GRADIENTS, "b": 17}, "other"),
        ({**GRADIENTS, "b": ...}, "unfinished"),
        ({**GRADIENTS, "b": "2"}, "text"),
        ({"L": 1}, "missing"),
        ({**GRADIENTS, "z": 1}, "extra"),
        (list(GRADIENTS.values()), "type"),
        (
            {"L": 1, "d": -2, "f": 4, "e": -2, "c": -2, "a": 6, "b": -4},
            "the chapter's",
        ),
        ({**GRADIENTS, "c": -4}, "as a product"),
        ({**GRADIENTS, "c": 1.5}, "added"),
    ],
    "06.2": [
        ({"u": [0, -2, 0], "w": [-3, 0, -6], "x": [0, -2, 4]}, "arrivals"),
        (nested(w=[-3, -3, -6], x=[0, -2, 4]), "overwritten"),
        ({"u": [-2] * 3, "w": [-9] * 3, "x": [2] * 3}, "final"),
        ({"u": [0, 0, -2], "w": [0, -3, -3], "x": [0, 0, -2]}, "before the step"),
        (nested(w=[3, -3, -9]), "sign"),
        (nested(x=[0, -2, 6]), "other"),
        (nested(x=[0, -2]), "length"),
        (nested(x=2), "length"),
        (nested(x=[0, ..., 2]), "unfinished"),
        (nested(x=[0, "-2", 2]), "text"),
        ({"u": [0, -2, -2]}, "type"),
        (TABLE["x"], "type"),
    ],
    "06.3": [
        (equals_for_plus_equals, "overwritten"),
        (no_seed, "no seed"),
        (seed_is_data, "seed is data"),
        (not_reversed, "output alone"),
        (in_waiting_order, "too early"),
        (depth_first_at_once, "too early"),
        (no_visited_set, "no visited set"),
        (calling_itself, "no order"),
        (local_derivative_only, "upstream forgotten"),
        (upstream_only, "local derivative forgotten"),
        (sum_for_product, "added"),
        (data_for_gradient, "data"),
        (dictionary_of_inputs, "one slot only"),
        (first_step_only, "output alone"),
        (first_input_only, "other"),
        (seed_is_added_to_all, "other"),
        (gradient_is_text, "text"),
        (by_the_engines_order, "forbidden"),
        (by_the_engines_walk, "forbidden"),
        (calls_backward, "borrowed"),
        (misspelled, "raised"),
        (without_end, "endless"),
        (lambda output, order: order, "signature"),
        ("backward", "no function"),
    ],
    "06.4": [
        (lambda u: (3 * -2 + 3) * -2, "starts too early"),
        (lambda u: u + 3, "stops too early"),
        (lambda u: u * -2, "a step left out"),
        (lambda u: u + 3 * -2, "parentheses"),
        (lambda u: -2, "derivative"),
        (lambda u: -(u + 3) * -2, "other"),
        (lambda u: [u], "type"),
        (lambda: 6, "signature"),
        (6, "no function"),
    ],
    "06.5": [
        (-0.11, "direction"),
        (-0.01, "one alone"),
        (0.1, "one alone"),
        (-6, "moves forgotten"),
        (0.0904, "calculated again"),
        (-2.41, "where, not how far"),
        (-0.09, "sign"),
        (1, "other"),
        ("0.09", "text"),
    ],
    "06.6": [
        ({"1": "A", "2": "B", "3": "C"}, "no seed"),
        ({"1": "B", "2": "B", "3": "C"}, "seed is data"),
        ({"1": "C", "2": "A", "3": "C"}, "from the front"),
        ({"1": "C", "2": "C", "3": "C"}, "output alone"),
        ({"1": "C", "2": "B", "3": "A"}, "overwritten"),
        ({"1": "C", "2": "B", "3": "B"}, "upstream forgotten"),
        ({"1": "C"}, "missing"),
    ],
}
