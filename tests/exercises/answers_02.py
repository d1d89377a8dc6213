"""Wrong answers to the exercises of chapter 02, each with the kind of wrong it must be told."""

from typing import Any

from engine import Value


def without_a_visited_set(y):
    count = 1
    for node in y.inputs:
        count += without_a_visited_set(node)
    return count


def without_a_visited_set_each_input_once(y):
    return 1 + sum(without_a_visited_set_each_input_once(node) for node in set(y.inputs))


def remembers_data(y):
    waiting, seen = [y], set()
    while waiting:
        node = waiting.pop()
        if node.data not in seen:
            seen.add(node.data)
            waiting.extend(node.inputs)
    return len(seen)


def remembers_data_of_each_branch(y):
    return len({node.data for node in all_nodes(y)})


def all_nodes(y):
    waiting, seen = [y], set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(node.inputs)
    return seen


def output_forgotten(y):
    return len(all_nodes(y)) - 1


def leaves_alone(y):
    return sum(1 for node in all_nodes(y) if not node.inputs)


def computed_alone(y):
    return sum(1 for node in all_nodes(y) if node.inputs)


def direct_inputs(y):
    return len(y.inputs) + 1


def direct_inputs_as_a_set(y):
    return len({y, *y.inputs})


def arrows(y):
    return sum(len(node.inputs) for node in all_nodes(y))


def gives_the_set(y):
    return all_nodes(y)


def never_takes_out(y):
    waiting = [y]
    for node in waiting:
        waiting.extend([*node.inputs, node])
    return len(waiting)


def calls_itself_for_ever(y):
    return 1 + calls_itself_for_ever(y)


def _x() -> Value:
    return Value(3.0)


def _built(function: Any) -> Value:
    return function(Value(3.0))


def leaves_path_by_path(y):
    return sum(map(leaves_path_by_path, y.inputs)) if y.inputs else 1


WRONG: dict[str, list[tuple[Any, str]]] = {
    "02.1": [
        ({"nodes": 7, "arrows": 7}, "literal"),
        ({"nodes": 4, "arrows": 7}, "computed"),
        ({"nodes": 2, "arrows": 7}, "leaves"),
        ({"nodes": 8, "arrows": 7}, "uses"),
        ({"nodes": 6, "arrows": 8}, "literal"),
        ({"nodes": 6, "arrows": 6}, "different inputs"),
        ({"nodes": 6, "arrows": 20}, "other"),
        ({"nodes": 6, "arrows": ...}, "unfinished"),
        ({"nodes": "six", "arrows": 7}, "text"),
    ],
    "02.2": [
        (["p", "q", "s", "t", "m", "y"], "start"),
        (["q", "s", "p", "t", "m", "y"], "too early"),
        (["q", "p", "s", "m", "t", "y"], "too early"),
        (["y", "m", "t", "s", "p", "q"], "too early"),
        (["q", "p", "s", "t", "m"], "missing"),
        (["q", "p", "s", "s", "t", "m", "y"], "twice"),
        (["q", "p", "s", "t", "m", "2", "y"], "unknown"),
        ("qpstm", "missing"),
        (["q, p, s, t, m, y"], "marks"),
        (["q", "..."], "unfinished"),
        ([Value(3.0), Value(-2.0)], "type"),
        ([1, 2, 3], "type"),
    ],
    "02.3": [
        (12, "no record"),
        (_x() * 4, "nodes"),
        (_built(lambda x: x * x + Value(3.0)), "nodes"),
        (Value(3.0) + Value(9.0), "leaves"),
        (_built(lambda x: x * 2 + x), "arrows"),
        (_built(lambda x: x * x * x), "result"),
        (Value(6.0) + Value(6.0), "leaves"),
        ((lambda x: (x + x) + (x + x))(Value(3.0)), "nodes"),
        ((lambda x: x * x - x)(Value(4.0)), "leaf"),
        ("x * x + x", "type"),
    ],
    "02.4": [
        (without_a_visited_set, "no visited set"),
        (without_a_visited_set_each_input_once, "no visited set"),
        (remembers_data_of_each_branch, "by data"),
        (remembers_data, "by data"),
        (output_forgotten, "output left out"),
        (leaves_alone, "leaves"),
        (computed_alone, "computed"),
        (direct_inputs, "direct inputs"),
        (direct_inputs_as_a_set, "direct inputs"),
        (arrows, "arrows"),
        (gives_the_set, "type"),
        (calls_itself_for_ever, "recursion"),
        (3, "no function"),
        (leaves_path_by_path, "leaves"),
    ],
    "02.5": [
        ({"1": "A", "2": "A", "3": "B"}, "by data"),
        ({"1": "C", "2": "A", "3": "B"}, "always y"),
        ({"1": "B", "2": "B", "3": "B"}, "stops"),
        ({"1": "B", "2": "C", "3": "B"}, "stops"),
        ({"1": "B", "2": "A", "3": "A"}, "empty list"),
        ({"1": "B", "2": "A", "3": "C"}, "one too many"),
        ({"1": "B"}, "missing"),
        ({"1": "B", "2": "Z", "3": "B"}, "choice"),
    ],
}
