"""Wrong answers to the exercises of chapter 01, each with the kind of wrong it must be told."""

import math
from typing import Any


def forward(f, x, h):
    return (f(x + h) - f(x)) / h


def backward(f, x, h):
    return (f(x) - f(x - h)) / h


def by_h_alone(f, x, h):
    return (f(x + h) - f(x - h)) / h


def no_division(f, x, h):
    return f(x + h) - f(x - h)


def no_parentheses_below(f, x, h):
    return (f(x + h) - f(x - h)) / 2 * h


def no_parentheses_above(f, x, h):
    return f(x + h) - f(x - h) / (2 * h)


def subtracted_the_other_way(f, x, h):
    return (f(x - h) - f(x + h)) / (2 * h)


def printed(f, x, h):
    print((f(x + h) - f(x - h)) / (2 * h))


def all_moved(f, inputs, h):
    up = [x + h for x in inputs]
    down = [x - h for x in inputs]
    return [(f(*up) - f(*down)) / (2 * h)] * len(inputs)


def left_where_it_went(f, inputs, h):
    slopes = []
    for k in range(len(inputs)):
        inputs[k] += h
        up = f(*inputs)
        inputs[k] -= 2 * h
        slopes.append((up - f(*inputs)) / (2 * h))
    return slopes


def one_list_under_two_names(f, inputs, h):
    slopes = []
    for k in range(len(inputs)):
        up = down = list(inputs)
        up[k] += h
        down[k] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
    return slopes


def forward_each(f, inputs, h):
    slopes = []
    for k in range(len(inputs)):
        up = list(inputs)
        up[k] += h
        slopes.append((f(*up) - f(*inputs)) / h)
    return slopes


def returned_inside_the_loop(f, inputs, h):
    slopes = []
    for k in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[k] += h
        down[k] -= h
        slopes.append((f(*up) - f(*down)) / (2 * h))
        return slopes
    return slopes


def added_up(f, inputs, h):
    total = 0.0
    for k in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[k] += h
        down[k] -= h
        total += (f(*up) - f(*down)) / (2 * h)
    return total


def star_forgotten(f, inputs, h):
    return [(f(inputs) - f(inputs)) / (2 * h) for _ in inputs]


def takes_a_step_of_its_own(f, inputs, h):
    slopes = []
    for k in range(len(inputs)):
        up, down = list(inputs), list(inputs)
        up[k] += 1e-5
        down[k] -= 1e-5
        slopes.append((f(*up) - f(*down)) / 2e-5)
    return slopes


def area(side):
    return side * side


WRONG: dict[str, list[tuple[Any, str]]] = {
    "01.1": [
        (4, "sign"),
        (-0.04, "not divided"),
        (-0.25, "upside down"),
        (-0.0004, "multiplied"),
        (2.5, "not moves"),
        (4.96, "data"),
        (17, "other"),
        ("-4", "text"),
        ([-4], "type"),
        (True, "type"),
        (0.04, "not divided"),
    ],
    "01.2": [
        (forward, "forward"),
        (backward, "backward"),
        (by_h_alone, "twice"),
        (no_division, "not divided"),
        (no_parentheses_below, "parentheses"),
        (no_parentheses_above, "parentheses"),
        (subtracted_the_other_way, "sign"),
        (lambda f, x, h: (f(x + 1e-6) - f(x - 1e-6)) / 2e-6, "own step"),
        (printed, "returns nothing"),
        (6.0, "no function"),
        (lambda f, x: f(x), "signature"),
        (lambda f, x, h: (f(x + h) - f(x - h)) / (0 * h), "raised"),
        (lambda f, x, h: [f(x + h), f(x - h)], "type"),
        (lambda f, x, h: 1.0, "other"),
        (lambda f, x, h: (area(x + h) - area(x - h)) / (2 * h), "other function"),
    ],
    "01.3": [
        (all_moved, "all at once"),
        (left_where_it_went, "not put back"),
        (one_list_under_two_names, "same list"),
        (takes_a_step_of_its_own, "own step"),
        (lambda f, inputs, h: [[f(*inputs)]], "type"),
        (forward_each, "forward"),
        (returned_inside_the_loop, "first alone"),
        (added_up, "added up"),
        (star_forgotten, "raised"),
    ],
    "01.4": [
        (0.01, "too large"),
        (0.5, "too large"),
        (1e-12, "too small"),
        (1e-8, "too small"),
        (1e-17, "no move"),
        (-1e-5, "not positive"),
        (3, "huge"),
        ("1e-5", "text"),
    ],
    "01.5": [
        ({"method": "central", "step": 0.01}, "method"),
        ({"method": "central", "step": 0.1}, "method"),
        ({"method": "forward", "step": 0.1}, "step"),
        ({"method": "forward", "step": 0.001}, "step"),
        ({"method": "forward", "step": 0.0601}, "not a power"),
        ({"method": "central", "step": math.sqrt(0.0601)}, "not a power"),
        ({"method": "sideways", "step": 0.01}, "choice"),
        ({"method": "forward", "step": ...}, "unfinished"),
        ({"method": "forward", "step": -0.01}, "not positive"),
    ],
}
