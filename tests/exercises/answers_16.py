"""Wrong answers to the exercises of chapter 16, each with the kind of wrong it must be told."""

import math
from typing import Any

import numpy as np

LEVELS = {"p": 1, "q": 2, "r": 1, "s": 3, "L": 4}
FROZEN = {
    "side of a ReLU": "computed again",
    "local derivative of a product": "computed again",
    "branch of an if": "frozen",
    "turns of a loop": "frozen",
    "Maximum(scores)": "computed again",
    "max of the data": "frozen",
    "number drawn by chance": "frozen",
}


def run(recording, leaves, relu=lambda x: max(x, 0.0), first=0):
    numbers = list(leaves)
    for op, *places in recording:
        operands = [numbers[place - first] for place in places]
        if op == "relu":
            numbers.append(relu(operands[0]))
        else:
            numbers.append(operands[0] * operands[1] if op == "*" else sum(operands))
    return numbers


def relu_forgotten(recording, leaves):
    return run(recording, leaves, relu=lambda x: x)


def relu_turned(recording, leaves):
    return run(recording, leaves, relu=abs)


def everything_multiplied(recording, leaves):
    numbers = list(leaves)
    for op, *places in recording:
        operands = [numbers[place] for place in places]
        numbers.append(max(operands[0], 0) if op == "relu" else math.prod(operands))
    return numbers


def computed_ones(recording, leaves):
    return run(recording, leaves)[len(leaves) :]


def counted_from_one(recording, leaves):
    return run(recording, leaves, first=1)


def nothing_appended(recording, leaves):
    return list(leaves)


def last_number(recording, leaves):
    return run(recording, leaves)[-1]


def relu_leaks(recording, leaves):
    return run(recording, leaves, relu=lambda x: x if x > 0 else 0.1 * x)


def as_text(recording, leaves):
    return [str(number) for number in run(recording, leaves)]


def in_words(recording, leaves):
    return str(run(recording, leaves))


def without_names(recording, leaves):
    return [leaves[place] for place in recording]


def plus_equals(data, grad, left, right, made):
    upstream = grad[made]
    grad[left] += data[right] * upstream
    grad[right] += data[left] * upstream
    return grad


def equals(data, grad, left, right, made):
    upstream = grad[made]
    grad[left] = data[right] * upstream
    grad[right] = data[left] * upstream
    return grad


def own_data(data, grad, left, right, made):
    upstream = grad[made]
    np.add.at(grad, left, data[left] * upstream)
    np.add.at(grad, right, data[right] * upstream)
    return grad


def no_upstream(data, grad, left, right, made):
    np.add.at(grad, left, data[right])
    np.add.at(grad, right, data[left])
    return grad


def as_additions(data, grad, left, right, made):
    upstream = grad[made]
    np.add.at(grad, left, upstream)
    np.add.at(grad, right, upstream)
    return grad


def left_alone(data, grad, left, right, made):
    np.add.at(grad, left, data[right] * grad[made])
    return grad


def contributions_alone(data, grad, left, right, made):
    given = np.zeros(len(grad))
    np.add.at(given, left, data[right] * grad[made])
    np.add.at(given, right, data[left] * grad[made])
    return given


def with_the_result(data, grad, left, right, made):
    np.add.at(grad, left, data[made] * grad[made])
    np.add.at(grad, right, data[made] * grad[made])
    return grad


def a_name(data, grad, left, right, made):
    return "grad"


def nothing_back(data, grad, left, right, made):
    np.add.at(grad, left, data[right] * grad[made])


def first_gradient(data, grad, left, right, made):
    return float(grad[0])


def plain_softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def times_temperature(scores, temperature):
    return plain_softmax([score * temperature for score in scores])


def temperature_forgotten(scores, temperature):
    return plain_softmax(scores)


def divided_afterward(scores, temperature):
    return [p / temperature for p in plain_softmax(scores)]


def not_divided(scores, temperature):
    return [p ** (1 / temperature) for p in plain_softmax(scores)]


def less_temperature(scores, temperature):
    return plain_softmax([score - temperature for score in scores])


def may_overflow(scores, temperature):
    powers = [math.exp(score / temperature) for score in scores]
    return [power / sum(powers) for power in powers]


def may_overflow_with_numpy(scores, temperature):
    powers = [np.exp(score / temperature) for score in scores]
    return [power / sum(powers) for power in powers]


def likeliest_alone(scores, temperature):
    return [float(score == max(scores)) for score in scores]


def largest_alone(scores, temperature):
    return max(plain_softmax([score / temperature for score in scores]))


def mean(losses):
    return sum(losses) / len(losses)


def the_mean_itself(losses, count):
    return mean(losses[-count:])


def the_first(losses, count):
    return math.exp(-mean(losses[:count]))


def everything(losses, count):
    return math.exp(-mean(losses))


def by_count(losses, count):
    return math.exp(-sum(losses[-count:]) / count)


def sign_forgotten(losses, count):
    return math.exp(mean(losses[-count:]))


def mean_of_probabilities(losses, count):
    return mean([math.exp(-loss) for loss in losses[-count:]])


def without_the_last(losses, count):
    return math.exp(-mean(losses[:-1][-count:]))


def one_over_it(losses, count):
    return 1 / mean(losses[-count:])


def a_list_of_them(losses, count):
    return [math.exp(-loss) for loss in losses[-count:]]


def all_other_letters(losses, count):
    last = losses[-count:]
    return 1 - math.exp(-sum(last) / len(last))


def all_in_a_row(losses, count):
    return math.exp(-sum(losses[-count:]))


WRONG: dict[str, list[tuple[Any, str]]] = {
    "16.1": [
        ({"p": 2, "q": 3, "r": 2, "s": 4, "L": 5}, "counted from one"),
        ({"p": 0, "q": 1, "r": 0, "s": 2, "L": 3}, "leaves forgotten"),
        ({"p": 1, "q": 1, "r": 1, "s": 2, "L": 2}, "lowest input"),
        ({**LEVELS, "L": 2}, "lowest input"),
        ({**LEVELS, "q": 1}, "lowest input"),
        ({"p": 2, "q": 3, "r": 4, "s": 5, "L": 6}, "order"),
        ({**LEVELS, "L": 7}, "other"),
        ({**LEVELS, "s": -3}, "other"),
        ({**LEVELS, "s": ...}, "unfinished"),
        ({**LEVELS, "s": "3"}, "text"),
    ],
    "16.2": [
        (relu_forgotten, "relu open"),
        (relu_turned, "relu as size"),
        (everything_multiplied, "all multiplied"),
        (computed_ones, "leaves left out"),
        (counted_from_one, "places from one"),
        (nothing_appended, "leaves alone"),
        (last_number, "one number"),
        (relu_leaks, "other"),
        (as_text, "text"),
        (in_words, "type"),
        (without_names, "raised"),
    ],
    "16.3": [
        (plus_equals, "added once"),
        (equals, "overwritten"),
        (own_data, "own data"),
        (no_upstream, "upstream forgotten"),
        (as_additions, "as a sum"),
        (left_alone, "left only"),
        (contributions_alone, "old gradients lost"),
        (with_the_result, "other"),
        (a_name, "type"),
        (nothing_back, "returns nothing"),
        (first_gradient, "one number"),
    ],
    "16.4": [
        ({**FROZEN, "branch of an if": "computed again"}, "trusted"),
        ({**FROZEN, "turns of a loop": "computed again"}, "trusted"),
        ({**FROZEN, "max of the data": "computed again"}, "trusted"),
        ({**FROZEN, "number drawn by chance": "computed again"}, "trusted"),
        ({**FROZEN, "side of a ReLU": "frozen"}, "too careful"),
        ({**FROZEN, "Maximum(scores)": "frozen"}, "too careful"),
        ({**FROZEN, "local derivative of a product": "frozen"}, "too careful"),
        ({**FROZEN, "side of a ReLU": "warm"}, "choice"),
        ({**FROZEN, "side of a ReLU": ...}, "unfinished"),
    ],
    "16.5": [
        (times_temperature, "upside down"),
        (temperature_forgotten, "no temperature"),
        (divided_afterward, "divided afterward"),
        (not_divided, "not divided"),
        (less_temperature, "no temperature"),
        (may_overflow, "not stable"),
        (may_overflow_with_numpy, "not stable"),
        (likeliest_alone, "other"),
        (largest_alone, "one number"),
        (lambda scores: scores, "signature"),
    ],
    "16.6": [
        (all_other_letters, "the other way"),
        (all_in_a_row, "product"),
        (the_mean_itself, "loss"),
        (the_first, "first ones"),
        (everything, "all of them"),
        (by_count, "divided by count"),
        (sign_forgotten, "sign"),
        (mean_of_probabilities, "mean of probabilities"),
        (without_the_last, "last one missing"),
        (one_over_it, "other"),
        (a_list_of_them, "type"),
        (0.1, "no function"),
    ],
}
