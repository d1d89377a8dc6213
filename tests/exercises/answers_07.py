"""Wrong answers to the exercises of chapter 07, each with the kind of wrong it must be told."""

import math
from typing import Any

from engine import Value, record

SLOPES = {
    "a / b for a": 1 / -2,
    "a / b for b": -3 / 4,
    "a ** 3": 27,
    "b.exp()": math.exp(-2),
    "a.log()": 1 / 3,
    "b.relu()": 0,
    "c.tanh()": 1 - math.tanh(0.5) ** 2,
}
HAPPENS = {
    "5 / 0": "no result",
    "log(0)": "no result",
    "(-8) ** 3": "fine",
    "(-8) ** 0.5": "no result",
    "0 ** 0.5": "no derivative",
    "relu(0)": "no derivative",
    "exp(800)": "no result",
    "exp(-800)": "fine",
}


def one_minus_t(a):
    t = math.tanh(a.data)
    return record("tanh", t, (a, 1 - t))


def input_squared(a):
    return record("tanh", math.tanh(a.data), (a, 1 - a.data**2))


def result_twice(a):
    t = math.tanh(a.data)
    return record("tanh", t, (a, t))


def slope_one(a):
    return record("tanh", math.tanh(a.data), (a, 1))


def data_unchanged(a):
    t = math.tanh(a.data)
    return record("tanh", a.data, (a, 1 - t**2))


def slope_first(a):
    t = math.tanh(a.data)
    return record("tanh", 1 - t**2, (a, t))


def the_engines_tanh(a):
    return a.tanh()


def tanh_of_a_value(a):
    t = math.tanh(a)
    return record("tanh", t, (a, 1 - t**2))


def made_anew(a):
    x = Value(a.data)
    t = math.tanh(x.data)
    return record("tanh", t, (x, 1 - t**2))


def number_alone(a):
    return math.tanh(a.data)


def two_numbers(a):
    t = math.tanh(a.data)
    return t, 1 - t**2


def no_pair(a):
    t = math.tanh(a.data)
    return record("tanh", t, 1 - t**2)


def sine_instead(a):
    return record("tanh", math.sin(a.data), (a, math.cos(a.data)))


def sign_forgotten(a, b):
    return record("/", a.data / b.data, (a, 1 / b.data), (b, a.data / b.data**2))


def slopes_exchanged(a, b):
    return record("/", a.data / b.data, (a, -a.data / b.data**2), (b, 1 / b.data))


def slopes_of_a_product(a, b):
    return record("/", a.data / b.data, (a, b.data), (b, a.data))


def a_forgotten(a, b):
    return record("/", a.data / b.data, (a, 1 / b.data), (b, -1 / b.data**2))


def square_forgotten(a, b):
    return record("/", a.data / b.data, (a, 1 / b.data), (b, -a.data / b.data))


def divided_upside_down(a, b):
    return record("/", b.data / a.data, (a, 1 / b.data), (b, -a.data / b.data**2))


def one_input_recorded(a, b):
    return record("divide", a.data / b.data, (a, 1 / b.data))


def one_input_twice(a, b):
    return record("/", a.data / b.data, (a, 1 / b.data), (a, -a.data / b.data**2))


def by_the_engine(a, b):
    return a / b


def sign_on_both(a, b):
    return record("/", a.data / b.data, (a, -1 / b.data), (b, -a.data / b.data**2))


def chain_forgotten(a):
    result = math.exp(-(a.data**2))
    return record("bell", result, (a, result))


def rising_bell(a):
    result = math.exp(-(a.data**2))
    return record("bell", result, (a, 2 * a.data * result))


def inside_alone(a):
    return record("bell", math.exp(-(a.data**2)), (a, -2 * a.data))


def two_forgotten(a):
    result = math.exp(-(a.data**2))
    return record("bell", result, (a, -a.data * result))


def slope_inside(a):
    return record("bell", math.exp(-(a.data**2)), (a, math.exp(-((2 * a.data) ** 2))))


def minus_lost(a):
    result = math.exp((-a.data) ** 2)
    return record("bell", result, (a, 2 * a.data * result))


def built_from_others(a):
    return (-(a * a)).exp()


def measured_bell(a):
    def bell(x):
        return math.exp(-x * x)

    slope = (bell(a.data + 1e-5) - bell(a.data - 1e-5)) / 2e-5
    return record("bell", bell(a.data), (a, slope))


WRONG: dict[str, list[tuple[Any, str]]] = {
    "07.1": [
        ({**SLOPES, "a / b for a": 0.5}, "sign"),
        ({**SLOPES, "a / b for a": -2}, "as a product"),
        ({**SLOPES, "a / b for a": -1.5}, "result"),
        ({**SLOPES, "a / b for a": -0.75}, "other input"),
        ({**SLOPES, "a / b for b": 0.75}, "sign"),
        ({**SLOPES, "a / b for b": 3}, "as a product"),
        ({**SLOPES, "a / b for b": -1.5}, "result"),
        ({**SLOPES, "a / b for b": -0.25}, "factor forgotten"),
        ({**SLOPES, "a / b for b": -0.5}, "other input"),
        ({**SLOPES, "a / b for b": 1.5}, "not squared"),
        ({**SLOPES, "a ** 3": 81}, "exponent kept"),
        ({**SLOPES, "a ** 3": 9}, "factor forgotten"),
        ({**SLOPES, "a ** 3": 3 * 3.0}, "factor forgotten"),
        ({**SLOPES, "b.exp()": -2 * math.exp(-3)}, "as a power"),
        ({**SLOPES, "b.exp()": -0.5}, "as log"),
        ({**SLOPES, "b.exp()": -2}, "data"),
        ({**SLOPES, "b.exp()": 0.135}, "rounded"),
        ({**SLOPES, "a.log()": math.log(3)}, "result"),
        ({**SLOPES, "a.log()": 3}, "upside down"),
        ({**SLOPES, "b.relu()": 1}, "open"),
        ({**SLOPES, "b.relu()": -2}, "data"),
        ({**SLOPES, "c.tanh()": math.tanh(0.5)}, "result"),
        ({**SLOPES, "c.tanh()": 1 - math.tanh(0.5)}, "not squared"),
        ({**SLOPES, "c.tanh()": 0.75}, "input squared"),
        ({**SLOPES, "c.tanh()": math.tanh(0.5) ** 2}, "one minus"),
        ({**SLOPES, "c.tanh()": 5}, "other"),
        ({**SLOPES, "c.tanh()": ...}, "unfinished"),
        ({"a ** 3": 27}, "missing"),
        ({**SLOPES, "b.exp()": -2 * math.exp(-2)}, "times the exponent"),
    ],
    "07.2": [
        (one_minus_t, "not squared"),
        (input_squared, "input squared"),
        (result_twice, "result"),
        (slope_one, "no local derivative"),
        (data_unchanged, "wrong data"),
        (slope_first, "exchanged"),
        (the_engines_tanh, "not plain"),
        (tanh_of_a_value, "not plain"),
        (made_anew, "other inputs"),
        (number_alone, "no record"),
        (two_numbers, "type"),
        (no_pair, "no pair"),
        (sine_instead, "other"),
        (lambda a: a, "input forgotten"),
        (lambda: record("tanh", 1.0), "signature"),
        (lambda a: record("tanh", math.tanh(a.data), a, 1 - math.tanh(a.data) ** 2), "no pair"),
        (lambda a: record("t", math.tanh(a.data), (a.data, 1.0)), "no Value"),
        (lambda a: record("t", math.tanh(a.data), (a, a.grad)), "times its gradient"),
    ],
    "07.3": [
        (sign_forgotten, "sign"),
        (slopes_exchanged, "exchanged"),
        (slopes_of_a_product, "as a product"),
        (a_forgotten, "factor forgotten"),
        (square_forgotten, "not squared"),
        (divided_upside_down, "upside down"),
        (one_input_recorded, "input forgotten"),
        (one_input_twice, "input forgotten"),
        (by_the_engine, "not plain"),
        (sign_on_both, "other"),
        (one_minus_t, "signature"),
        (lambda a, b: record("/", a.data / b.data, a, 1 / b.data, b, 1.0), "no pair"),
        (
            lambda a, b: record("/", a.data / b.data, (b, -a.data / b.data**2), (a, 1 / b.data)),
            "order",
        ),
    ],
    "07.4": [
        (chain_forgotten, "chain forgotten"),
        (rising_bell, "sign"),
        (inside_alone, "outside forgotten"),
        (two_forgotten, "factor forgotten"),
        (slope_inside, "inside replaced"),
        (minus_lost, "wrong data"),
        (built_from_others, "not plain"),
        (one_minus_t, "other"),
        (number_alone, "no record"),
        (measured_bell, "rounded"),
    ],
    "07.5": [
        ({**HAPPENS, "log(0)": "fine"}, "not refused"),
        ({**HAPPENS, "exp(800)": "fine"}, "not refused"),
        ({**HAPPENS, "5 / 0": "no derivative"}, "not refused"),
        (dict.fromkeys(HAPPENS, "fine"), "not refused"),
        ({**HAPPENS, "exp(-800)": "no result"}, "too careful"),
        ({**HAPPENS, "(-8) ** 3": "no result"}, "too careful"),
        ({**HAPPENS, "relu(0)": "fine"}, "no derivative"),
        ({**HAPPENS, "0 ** 0.5": "no result"}, "no derivative"),
        ({**HAPPENS, "5 / 0": "ok"}, "choice"),
        ({**HAPPENS, "5 / 0": ...}, "unfinished"),
        ("fine", "type"),
    ],
}
