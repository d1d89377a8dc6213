"""Wrong answers to the exercises of chapter 13, each with the kind of wrong it must be told."""

import math
from typing import Any

from engine import Value
from engine.gpt import softmax

GUESS = {
    "p_of_a": 0.6,
    "p_of_b": 0.25,
    "p_of_c": 0.15,
    "a.grad": 0.6,
    "b.grad": -0.75,
    "c.grad": 0.15,
}
KINDS = {
    "largest": "literal",
    "first": "literal",
    "total": "node",
    "scale": "node",
    "mean square": "node",
}


def with_nothing_taken_off(scores):
    powers = [score.exp() for score in scores]
    return [power / sum(powers) for power in powers]


def less(scores, number):
    powers = [(score - number).exp() for score in scores]
    return [power / sum(powers) for power in powers]


def smallest_taken_off(scores):
    return less(scores, min(score.data for score in scores))


def mean_taken_off(scores):
    return less(scores, sum(score.data for score in scores) / len(scores))


def total_as_a_number(scores):
    largest = max(score.data for score in scores)
    powers = [(score - largest).exp() for score in scores]
    total = sum(power.data for power in powers)
    return [power / total for power in powers]


def powers_alone(scores):
    largest = max(score.data for score in scores)
    return [(score - largest).exp() for score in scores]


def softmax_without_a_record(scores):
    largest = max(score.data for score in scores)
    powers = [math.exp(score.data - largest) for score in scores]
    return [Value(power / sum(powers)) for power in powers]


def plain_softmax(scores):
    largest = max(score.data for score in scores)
    powers = [math.exp(score.data - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def by_the_largest(scores):
    largest = max(score.data for score in scores)
    powers = [(score / largest).exp() for score in scores]
    return [power / sum(powers) for power in powers]


def first_probability(scores):
    return less(scores, max(score.data for score in scores))[0]


def second_largest_taken_off(scores):
    return less(scores, sorted(score.data for score in scores)[-2])


def loss_instead(scores):
    return [-p.log() for p in less(scores, max(score.data for score in scores))]


def the_engines_softmax(scores):
    return softmax(scores)


def mean_square_of(numbers):
    return sum(number * number for number in numbers) / len(numbers)


def not_squared(numbers):
    mean = sum(numbers) / len(numbers)
    return [number * (mean + 1e-5) ** -0.5 for number in numbers]


def divided_by_the_root_of_the_mean(numbers):
    mean = sum(numbers) / len(numbers)
    return [number / (mean + 1e-5) ** 0.5 for number in numbers]


def divided_by_the_mean(numbers):
    mean = sum(numbers) / len(numbers)
    return [number / (mean + 1e-5) for number in numbers]


def no_epsilon(numbers):
    return [number * mean_square_of(numbers) ** -0.5 for number in numbers]


def epsilon_outside(numbers):
    return [number / (mean_square_of(numbers) ** 0.5 + 1e-5) for number in numbers]


def no_mean(numbers):
    total = sum(number * number for number in numbers)
    return [number * (total + 1e-5) ** -0.5 for number in numbers]


def no_root(numbers):
    return [number / (mean_square_of(numbers) + 1e-5) for number in numbers]


def times_the_root(numbers):
    return [number * (mean_square_of(numbers) + 1e-5) ** 0.5 for number in numbers]


def scale_as_a_number(numbers):
    scale = (mean_square_of(numbers).data + 1e-5) ** -0.5
    return [number * scale for number in numbers]


def each_alone(numbers):
    return [number * (number * number + 1e-5) ** -0.5 for number in numbers]


def centered(numbers):
    mean = sum(numbers) / len(numbers)
    moved = [number - mean for number in numbers]
    return [number * (mean_square_of(moved) + 1e-5) ** -0.5 for number in moved]


def scale_alone(numbers):
    return (mean_square_of(numbers) + 1e-5) ** -0.5


def plain_numbers(numbers):
    return [number.data for number in numbers]


def another_epsilon(numbers):
    return [number * (mean_square_of(numbers) + 0.01) ** -0.5 for number in numbers]


def half_of_it(numbers):
    scale = (mean_square_of(numbers) + 1e-5) ** -0.5
    return [numbers[0] * scale]


def scores(a, b, c):
    return {"a": a, "b": b, "c": c}


def square_of_the_mean(values):
    mean = sum(values[1:], values[0]) / len(values)
    scale = (mean * mean + 1e-5) ** -0.5
    return [value * scale for value in values]


def first_taken_off(scores):
    powers = [(score - scores[0].data).exp() for score in scores]
    return [power / sum(powers) for power in powers]


def each_in_turn(scores):
    return [1 / sum((t - s).exp() for t in scores) for s in scores]


WRONG: dict[str, list[tuple[Any, str]]] = {
    "13.1": [
        ({**GUESS, "p_of_a": 12}, "not divided"),
        ({**GUESS, "p_of_a": math.log(12) / math.log(180)}, "scores divided"),
        ({**GUESS, "p_of_b": 5 / 15}, "own power forgotten"),
        ({**GUESS, "p_of_b": 5 / 12}, "divided by the largest"),
        ({**GUESS, "p_of_c": 3 / 17}, "own power forgotten"),
        ({**GUESS, "b.grad": 0.25}, "one-hot forgotten"),
        ({**GUESS, "b.grad": -1}, "one path"),
        ({**GUESS, "b.grad": -4}, "of the probability"),
        ({**GUESS, "b.grad": 0.75}, "sign"),
        ({**GUESS, "a.grad": 0}, "no path"),
        ({**GUESS, "a.grad": -0.4}, "taken for the right one"),
        ({**GUESS, "c.grad": -0.15}, "sign"),
        ({**GUESS, "c.grad": 0.5}, "other"),
        ({**GUESS, "c.grad": ...}, "unfinished"),
        ({**GUESS, "c.grad": "0.15"}, "text"),
    ],
    "13.2": [
        (scores(1, 1, 1), "all equal"),
        (scores(2, 1, 0), "others differ"),
        (scores(1, 0, 0), "too unsure"),
        (scores(0, 2, 2), "wrong way"),
        (scores(0.8, 0.1, 0.1), "too unsure"),
        (scores(10, 0, 0), "too sure"),
        (scores(-2000, 0, 0), "no number"),
        (scores(1, 2, ...), "unfinished"),
        (scores(1, 2, "3"), "text"),
        ([1, 0, 0], "type"),
    ],
    "13.3": [
        (with_nothing_taken_off, "not stable"),
        (smallest_taken_off, "smallest taken off"),
        (mean_taken_off, "mean taken off"),
        (total_as_a_number, "total is a constant"),
        (powers_alone, "not divided"),
        (softmax_without_a_record, "record lost"),
        (plain_softmax, "no record"),
        (by_the_largest, "divided by the largest"),
        (first_probability, "one number"),
        (second_largest_taken_off, "raised"),
        (loss_instead, "other"),
        (the_engines_softmax, "forbidden"),
        (lambda scores: str(scores), "type"),
        (lambda scores: scores, "other"),
        (first_taken_off, "first taken off"),
        (each_in_turn, "smallest taken off"),
    ],
    "13.4": [
        (square_of_the_mean, "square of the mean"),
        (not_squared, "not squared"),
        (divided_by_the_root_of_the_mean, "not squared"),
        (divided_by_the_mean, "not squared"),
        (no_epsilon, "no epsilon"),
        (epsilon_outside, "epsilon outside"),
        (no_mean, "sum of squares"),
        (no_root, "no root"),
        (times_the_root, "multiplied"),
        (scale_as_a_number, "scale is a constant"),
        (each_alone, "each by itself"),
        (centered, "mean taken off"),
        (scale_alone, "one number"),
        (plain_numbers, "no record"),
        (another_epsilon, "other"),
        (half_of_it, "other"),
    ],
    "13.5": [
        ({**KINDS, "total": "literal"}, "total"),
        ({**KINDS, "scale": "literal"}, "scale"),
        ({**KINDS, "mean square": "literal"}, "mean square"),
        ({**KINDS, "largest": "node"}, "largest"),
        ({**KINDS, "first": "node"}, "first"),
        (dict.fromkeys(KINDS, "literal"), "total"),
        (dict.fromkeys(KINDS, "node"), "largest"),
        ({**KINDS, "first": "constant"}, "choice"),
        ({**KINDS, "first": ...}, "unfinished"),
        ("literal", "type"),
    ],
}
