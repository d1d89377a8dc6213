"""Wrong answers to the exercises of chapter 12, each with the kind of wrong it must be told."""

from typing import Any

from engine import reverse_walk

PLACES = {
    **dict.fromkeys(("w", "x", "start"), "leaf"),
    **dict.fromkeys(("epsilon", "100"), "no node"),
    **dict.fromkeys(("product", "root", "unused"), "on the tape"),
}
LEAKS = {**dict.fromkeys("ABCDEF", "no leak"), "A": "leak", "C": "leak"}


def hand_on(node):
    for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
        operand.grad += slope * node.grad


def from_the_front(nodes, output):
    output.grad = 1.0
    for node in nodes:
        hand_on(node)


def no_seed(nodes, output):
    for node in reversed(nodes):
        hand_on(node)


def data_for_seed(nodes, output):
    output.grad = output.data
    for node in reversed(nodes):
        hand_on(node)


def last_node_seeded(nodes, output):
    nodes[-1].grad = 1.0
    for node in reversed(nodes):
        hand_on(node)


def every_node_seeded(nodes, output):
    for node in nodes:
        node.grad = 1.0
    for node in reversed(nodes):
        hand_on(node)


def equals_for_plus_equals(nodes, output):
    output.grad = 1.0
    for node in reversed(nodes):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad = slope * node.grad


def local_derivative_alone(nodes, output):
    output.grad = 1.0
    for node in reversed(nodes):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope


def upstream_alone(nodes, output):
    output.grad = 1.0
    for node in reversed(nodes):
        for operand in node.inputs:
            operand.grad += node.grad


def output_alone(nodes, output):
    output.grad = 1.0
    hand_on(output)


def inputs_as_a_dictionary(nodes, output):
    output.grad = 1.0
    for node in reversed(nodes):
        slopes = dict(zip(node.inputs, node.local_derivatives, strict=True))
        for operand in slopes:
            operand.grad += slopes[operand] * node.grad


def by_the_engine(nodes, output):
    output.backward()


def by_the_engines_walk(nodes, output):
    reverse_walk(output)


def recursive(nodes, output):
    def visit(node):
        hand_on(node)
        for operand in node.inputs:
            visit(operand)

    output.grad = 1.0
    visit(output)


def with_a_stack(nodes, output):
    output.grad, stack = 1.0, [output]
    while stack:
        node = stack.pop()
        hand_on(node)
        stack += node.inputs


def with_a_queue(nodes, output):
    output.grad, queue = 1.0, [output]
    while queue:
        node = queue.pop(0)
        hand_on(node)
        queue += node.inputs


def half_a_seed(nodes, output):
    output.grad = 0.5
    for node in reversed(nodes):
        hand_on(node)


def text_for_a_gradient(nodes, output):
    output.grad = "1"


def past_the_end(nodes, output):
    output.grad = 1.0
    for k in range(len(nodes)):
        hand_on(nodes[len(nodes) - k])


def always_true(nodes):
    return True


def always_false(nodes):
    return len(nodes) == 0


def leaves_refused(nodes):
    seen = set()
    for node in nodes:
        if any(operand not in seen for operand in node.inputs):
            return False
        seen.add(node)
    return True


def turned_around(nodes):
    seen = set()
    for node in nodes:
        if any(operand in nodes and operand not in seen for operand in node.inputs):
            return True
        seen.add(node)
    return False


def users_first(nodes):
    seen = set()
    for node in reversed(nodes):
        if any(operand in nodes and operand not in seen for operand in node.inputs):
            return False
        seen.add(node)
    return True


def first_round_decides(nodes):
    seen = set()
    return all(
        operand not in nodes or operand in seen for node in nodes[:1] for operand in node.inputs
    )


def first_input_alone(nodes):
    seen = set()
    for node in nodes:
        if node.inputs[0] in nodes and node.inputs[0] not in seen:
            return False
        seen.add(node)
    return True


def last_input_alone(nodes):
    seen = set()
    for node in nodes:
        if node.inputs[-1] in nodes and node.inputs[-1] not in seen:
            return False
        seen.add(node)
    return True


def neighbors_alone(nodes):
    return all(nodes[k + 1] not in nodes[k].inputs for k in range(len(nodes) - 1))


def how_many(nodes):
    return len(nodes)


def growing_data(nodes):
    return [node.data for node in nodes] == sorted(node.data for node in nodes)


def nothing_given_back(nodes):
    list(nodes)


def seed_in_the_loop(nodes, output):
    for node in reversed(nodes):
        node.grad = 1.0
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad


WRONG: dict[str, list[tuple[Any, str]]] = {
    "12.1": [
        (8, "unused forgotten"),
        (7, "sum as one"),
        (6, "sum as one, unused forgotten"),
        (10, "start of the sum"),
        (11, "leaves"),
        (13, "plain numbers"),
        (15, "everything"),
        (5, "names"),
        (4, "other"),
        (-9, "sign"),
        ("9", "text"),
        ([9], "type"),
    ],
    "12.2": [
        ({**PLACES, "w": "on the tape"}, "leaf"),
        ({**PLACES, "x": "no node"}, "leaf"),
        ({**PLACES, "start": "on the tape"}, "made inside"),
        ({**PLACES, "epsilon": "leaf"}, "plain number"),
        ({**PLACES, "100": "leaf", "unused": "no node"}, "plain number"),
        ({**PLACES, "unused": "no node"}, "unused"),
        ({**PLACES, "root": "leaf"}, "result"),
        ({**PLACES, "root": "tape"}, "choice"),
        ({**PLACES, "root": ...}, "unfinished"),
        ({"w": "leaf"}, "missing"),
    ],
    "12.3": [
        (seed_in_the_loop, "seed at each turn"),
        (from_the_front, "output alone"),
        (no_seed, "no seed"),
        (data_for_seed, "seed is data"),
        (last_node_seeded, "last node"),
        (every_node_seeded, "every node seeded"),
        (equals_for_plus_equals, "overwritten"),
        (local_derivative_alone, "upstream forgotten"),
        (upstream_alone, "local derivative forgotten"),
        (output_alone, "output alone"),
        (inputs_as_a_dictionary, "one slot only"),
        (by_the_engine, "borrowed"),
        (by_the_engines_walk, "forbidden"),
        (recursive, "no order"),
        (with_a_stack, "no order"),
        (with_a_queue, "no order"),
        (half_a_seed, "other"),
        (text_for_a_gradient, "text"),
        (past_the_end, "raised"),
        (always_true, "signature"),
    ],
    "12.4": [
        (always_true, "always true"),
        (always_false, "always false"),
        (leaves_refused, "always false"),
        (turned_around, "turned around"),
        (users_first, "users first"),
        (first_round_decides, "first node alone"),
        (first_input_alone, "first input alone"),
        (last_input_alone, "last input alone"),
        (neighbors_alone, "neighbors alone"),
        (how_many, "type"),
        (growing_data, "other"),
        (nothing_given_back, "returns nothing"),
        (no_seed, "signature"),
    ],
    "12.5": [
        ({**LEAKS, "A": "no leak"}, "list missed"),
        ({**LEAKS, "C": "no leak"}, "total missed"),
        ({**LEAKS, "B": "leak"}, "number blamed"),
        ({**LEAKS, "D": "leak"}, "number blamed"),
        ({**LEAKS, "E": "leak"}, "tape blamed"),
        ({**LEAKS, "F": "leak"}, "best blamed"),
        (dict.fromkeys(LEAKS, "leak"), "number blamed"),
        (dict.fromkeys(LEAKS, "no leak"), "list missed"),
        ({**LEAKS, "F": "maybe"}, "choice"),
        ({**LEAKS, "F": ...}, "unfinished"),
        ("A", "type"),
    ],
}
