"""Wrong answers to the exercises of chapter 17, each with the kind of wrong it must be told."""

from typing import Any

import numpy as np

from engine import Value, central_difference


def transpose_too_many(x, weights, upstream):
    return upstream @ weights.T, upstream.T @ x


def weights_turned(x, weights, upstream):
    return upstream @ weights, x.T @ upstream


def transpose_missing(x, weights, upstream):
    return upstream @ weights, upstream @ x


def exchanged(x, weights, upstream):
    return upstream.T @ x, upstream @ weights


def no_upstream(x, weights, upstream):
    ones = np.ones(upstream.shape)
    return ones @ weights, ones.T @ x


def mean_over_positions(x, weights, upstream):
    return upstream @ weights, upstream.T @ x / len(x)


def forward_again(x, weights, upstream):
    return x @ weights.T, upstream.T @ x


def to_x_alone(x, weights, upstream):
    return upstream @ weights


def shapes_alone(x, weights, upstream):
    return x.shape


def number_by_number(x, weights, upstream):
    return upstream * weights, upstream * x


def twice_as_large(x, weights, upstream):
    return 2 * upstream @ weights, 2 * upstream.T @ x


def softmax(logits, axis=1):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def taken_off(table, following):
    table[np.arange(len(following)), following] -= 1
    return table


def no_mean(logits, following):
    return taken_off(softmax(logits), following)


def no_one_hot(logits, following):
    return softmax(logits) / len(following)


def probabilities_alone(logits, following):
    return softmax(logits)


def signs_turned(logits, following):
    return -taken_off(softmax(logits), following) / len(following)


def by_columns(logits, following):
    return taken_off(softmax(logits, axis=0), following) / len(following)


def by_the_whole_table(logits, following):
    return taken_off(softmax(logits, axis=None), following) / len(following)


def off_every_row(logits, following):
    table = softmax(logits)
    table[:, following] -= 1
    return table / len(following)


def overflows(logits, following):
    powers = np.exp(logits)
    table = powers / powers.sum(axis=1, keepdims=True)
    return taken_off(table, following) / len(following)


def the_loss(logits, following):
    return -np.log(softmax(logits)[np.arange(len(following)), following]).mean()


def targets_alone(logits, following):
    return taken_off(softmax(logits), following)[np.arange(len(following)), following]


def divided_by_tokens(logits, following):
    return taken_off(softmax(logits), following) / logits.shape[1]


def planted(line, table):
    return {"line": line, "table": table}


def order_of(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for given in node.inputs:
                visit(given)
            order.append(node)

    visit(output)
    return order


def engine_with(walk_back, slopes=lambda a, b: (b, a)):
    """An engine of a learner's, with a walk and local derivatives of a product to choose."""

    def gradients(calculate, numbers):
        class Number:
            def __init__(self, data, inputs=(), local_derivatives=()):
                self.data, self.grad = data, 0.0
                self.inputs, self.local_derivatives = inputs, local_derivatives

            def __add__(self, other):
                return Number(self.data + other.data, (self, other), (1.0, 1.0))

            def __mul__(self, other):
                local = slopes(self.data, other.data)
                return Number(self.data * other.data, (self, other), local)

        leaves = [Number(number) for number in numbers]
        walk_back(calculate(*leaves))
        return [leaf.grad for leaf in leaves]

    return gradients


def pairs_of(node):
    return zip(node.inputs, node.local_derivatives, strict=True)


def hand_on(node):
    for given, slope in pairs_of(node):
        given.grad += slope * node.grad


def right_walk(output):
    output.grad = 1.0
    for node in reversed(order_of(output)):
        hand_on(node)


def without_seed(output):
    for node in reversed(order_of(output)):
        hand_on(node)


def with_data_as_seed(output):
    output.grad = output.data
    for node in reversed(order_of(output)):
        hand_on(node)


def from_the_front(output):
    output.grad = 1.0
    for node in order_of(output):
        hand_on(node)


def local_derivatives_alone(output):
    output.grad = 1.0
    for node in reversed(order_of(output)):
        for given, slope in pairs_of(node):
            given.grad += slope


def overwriting(output):
    output.grad = 1.0
    for node in reversed(order_of(output)):
        for given, slope in pairs_of(node):
            given.grad = slope * node.grad


def one_edge_for_each_input(output):
    output.grad = 1.0
    for node in reversed(order_of(output)):
        for given, slope in dict(pairs_of(node)).items():
            given.grad += slope * node.grad


def going_on_at_once(output):
    output.grad = 1.0

    def visit(node):
        hand_on(node)
        for given in node.inputs:
            visit(given)

    visit(output)


def in_the_order_of_visits(output):
    output.grad, found = 1.0, []

    def visit(node):
        if node not in found:
            found.append(node)
            for given in node.inputs:
                visit(given)

    visit(output)
    for node in found:
        hand_on(node)


def with_a_stack(output):
    output.grad, stack = 1.0, [output]
    while stack:
        node = stack.pop()
        hand_on(node)
        stack.extend(node.inputs)


def with_a_queue(output):
    output.grad, queue = 1.0, [output]
    while queue:
        node = queue.pop(0)
        hand_on(node)
        queue.extend(node.inputs)


def breadth_first(output):
    output.grad, found = 1.0, [output]
    for node in found:
        hand_on(node)
        found += [given for given in dict.fromkeys(node.inputs) if given not in found]


def with_a_stack_each_once(output):
    output.grad, stack, found = 1.0, [output], {output}
    while stack:
        node = stack.pop()
        hand_on(node)
        for given in node.inputs:
            if given not in found:
                found.add(given)
                stack.append(given)


def half_of_everything(output):
    right_walk(output)
    for node in order_of(output):
        node.grad /= 2


def measured(calculate, numbers):
    found, h = [], 1e-5
    for k in range(len(numbers)):
        up, down = list(numbers), list(numbers)
        up[k] += h
        down[k] -= h
        found.append((calculate(*up) - calculate(*down)) / (2 * h))
    return found


def measured_by_the_engine(calculate, numbers):
    return central_difference(calculate, numbers)


def by_the_engine(calculate, numbers):
    leaves = [Value(number) for number in numbers]
    calculate(*leaves).backward()
    return [leaf.grad for leaf in leaves]


def no_addition(calculate, numbers):
    class Half:
        def __init__(self, data):
            self.data = data

        def __mul__(self, other):
            return Half(self.data * other.data)

    return calculate(*[Half(number) for number in numbers])


def first_gradient_alone(calculate, numbers):
    return engine_with(right_walk)(calculate, numbers)[0]


def nothing_back(calculate, numbers):
    engine_with(right_walk)(calculate, numbers)


class OnlyForward:
    """A number of one's own that hides a plain one, for whoever measures."""

    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return OnlyForward(self.data + other.data)

    def __mul__(self, other):
        return OnlyForward(self.data * other.data)


def measured_with_numbers(calculate, numbers):
    slopes = []
    for k in range(len(numbers)):
        up, down = list(numbers), list(numbers)
        up[k] += 1e-4
        down[k] -= 1e-4
        higher, lower = (calculate(*map(OnlyForward, side)).data for side in (up, down))
        slopes.append((higher - lower) / 2e-4)
    return slopes


class Dual:
    def __init__(self, data, slope):
        self.data, self.slope = data, slope

    def __add__(self, other):
        return Dual(self.data + other.data, self.slope + other.slope)

    def __mul__(self, other):
        return Dual(self.data * other.data, self.data * other.slope + self.slope * other.data)


def forward_one_by_one(calculation, data):
    """Forward mode: right on paper, and no walk back."""
    places = range(len(data))
    return [
        calculation(*(Dual(each, float(k == place)) for k, each in enumerate(data))).slope
        for place in places
    ]


WRONG: dict[str, list[tuple[Any, str]]] = {
    "17.1": [
        (transpose_too_many, "transpose too many"),
        (weights_turned, "weights turned"),
        (transpose_missing, "transpose missing"),
        (exchanged, "exchanged"),
        (no_upstream, "upstream forgotten"),
        (mean_over_positions, "mean"),
        (forward_again, "forward"),
        (to_x_alone, "one table"),
        (shapes_alone, "type"),
        (number_by_number, "other"),
        (twice_as_large, "other"),
        (lambda x, weights: (x, weights), "signature"),
    ],
    "17.2": [
        (no_mean, "no mean"),
        (no_one_hot, "one-hot forgotten"),
        (probabilities_alone, "probabilities"),
        (signs_turned, "sign"),
        (by_columns, "columns"),
        (by_the_whole_table, "total of all"),
        (off_every_row, "every row"),
        (overflows, "not stable"),
        (the_loss, "one number"),
        (targets_alone, "type"),
        (divided_by_tokens, "other"),
    ],
    "17.3": [
        (planted("A", "values"), "innocent line"),
        (planted("B", "values"), "innocent line"),
        (planted("C", "queries"), "innocent line"),
        (planted("C", "keys"), "other line"),
        (planted("A", "keys"), "other line"),
        (planted("D", "queries"), "other table"),
        (planted("D", "values"), "other table"),
        (planted("E", "keys"), "choice"),
        (planted("D", ...), "unfinished"),
        ("D", "type"),
    ],
    "17.4": [
        (engine_with(without_seed), "no seed"),
        (engine_with(with_data_as_seed), "seed is data"),
        (engine_with(from_the_front), "from the front"),
        (engine_with(local_derivatives_alone), "upstream forgotten"),
        (engine_with(right_walk, slopes=lambda a, b: (a, b)), "own data"),
        (engine_with(overwriting), "overwritten"),
        (engine_with(one_edge_for_each_input), "one edge"),
        (engine_with(going_on_at_once), "no order"),
        (engine_with(in_the_order_of_visits), "too early"),
        (engine_with(with_a_stack), "no order"),
        (engine_with(with_a_queue), "no order"),
        (engine_with(breadth_first), "too early"),
        (engine_with(with_a_stack_each_once), "too early"),
        (engine_with(half_of_everything), "other"),
        (measured, "plain numbers"),
        (measured_with_numbers, "no walk back"),
        (measured_by_the_engine, "forbidden"),
        (by_the_engine, "forbidden"),
        (no_addition, "raised"),
        (first_gradient_alone, "type"),
        (nothing_back, "returns nothing"),
        (lambda numbers: numbers, "signature"),
        (forward_one_by_one, "no walk back"),
    ],
}
