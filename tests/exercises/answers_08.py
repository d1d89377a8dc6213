"""Wrong answers to the exercises of chapter 08, each with the kind of wrong it must be told."""

from typing import Any

from engine import relative_error

REASON = "both are zero"


def distance_alone(first, second):
    return abs(first - second)


def zero_by_zero(first, second):
    return abs(first - second) / max(abs(first), abs(second))


def with_a_sign(first, second):
    larger = max(abs(first), abs(second))
    return (first - second) / larger if larger else 0.0


def with_a_sign_and_zero_by_zero(first, second):
    return (first - second) / max(abs(first), abs(second))


def larger_number(first, second):
    return abs(first - second) / max(first, second)


def larger_number_guarded(first, second):
    return abs(first - second) / max(first, second) if max(first, second) else 0.0


def by_the_first(first, second):
    return abs(first - second) / abs(first)


def by_the_first_guarded(first, second):
    return abs(first - second) / abs(first) if first else 0.0


def by_the_second(first, second):
    return abs(first - second) / abs(second)


def by_the_smaller(first, second):
    return abs(first - second) / min(abs(first), abs(second))


def by_the_sum(first, second):
    total = abs(first) + abs(second)
    return abs(first - second) / total if total else 0.0


def with_a_tiny_number(first, second):
    return abs(first - second) / (max(abs(first), abs(second)) + 1e-8)


def by_the_middle(first, second):
    middle = (abs(first) + abs(second)) / 2
    return abs(first - second) / middle if middle else 0.0


def upside_down(first, second):
    return max(abs(first), abs(second)) / abs(first - second)


def printed(first, second):
    larger = max(abs(first), abs(second))
    print(abs(first - second) / larger if larger else 0.0)


def by_the_engine(first, second):
    return relative_error(first, second)


def at(x, w, why=REASON):
    return {"x": x, "w": w, "why": why}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "08.1": [
        (distance_alone, "not divided"),
        (zero_by_zero, "zero by zero"),
        (with_a_sign, "sign"),
        (with_a_sign_and_zero_by_zero, "sign"),
        (larger_number, "size of a negative"),
        (larger_number_guarded, "size of a negative"),
        (by_the_first, "the first alone"),
        (by_the_first_guarded, "the first alone"),
        (by_the_second, "the second alone"),
        (by_the_smaller, "the smaller"),
        (by_the_sum, "the sum"),
        (with_a_tiny_number, "a number added"),
        (by_the_middle, "other"),
        (upside_down, "other"),
        (printed, "returns nothing"),
        (by_the_engine, "forbidden"),
        (lambda first: first, "signature"),
        (lambda first, second: str(first), "text"),
        (0.25, "no function"),
        (lambda p, q: round(abs(p - q) / max(abs(p), abs(q), 1e-300), 6), "rounded"),
        (lambda p, q: abs(p - q) / p if p else 0.0, "the first alone"),
    ],
    "08.2": [
        (0.7, "passes"),
        (1, "passes"),
        (0, "kink"),
        (-1e-6, "kink"),
        (1e-6, "kink"),
        (float("inf"), "no number"),
        ("-1", "text"),
        ([-1.3], "type"),
    ],
    "08.3": [
        (1e-5, "too large"),
        (1e-3, "too large"),
        (0.5, "too large"),
        (1e-14, "too small"),
        (1e-16, "too small"),
        (1e-25, "no move"),
        (0, "not positive"),
        (-1e-8, "not positive"),
        ("1e-8", "text"),
    ],
    "08.4": [
        ({"operation": "larger", "input": "a"}, "kink"),
        ({"operation": "larger", "input": "b"}, "kink"),
        ({"operation": "middle", "input": "a"}, "innocent"),
        ({"operation": "hypotenuse", "input": "b"}, "innocent"),
        ({"operation": "volume", "input": "a"}, "other input"),
        ({"operation": "volumes", "input": "a"}, "choice"),
        ({"operation": "volume", "input": ...}, "unfinished"),
        ({"operation": "volume"}, "missing"),
        ("volume", "type"),
    ],
    "08.5": [
        (at(2.4, 0.7), "can fail"),
        (at(-3.0, -2.0), "can fail"),
        (at(2.0, 0.5), "kink"),
        (at(-4.0, -0.25), "kink"),
        (at(0.3, 0.3, "the inputs are equal"), "reason"),
        (at(0.0, 5.0, "the point is on a kink"), "reason"),
        (at(0.5, 0.5, "because"), "choice"),
        (at(float("nan"), 1.0), "no number"),
        (at("0", 1.0), "text"),
        (at(0.5, ...), "unfinished"),
        (0, "type"),
    ],
}


def causes(**others: str) -> dict[str, str]:
    right = {"Ada": "walked twice", "Bo": "overwritten", "Cem": "step too small"}
    return {**right, "Dina": "too early", "Eli": "nothing", **others}


def mixed(**others: float) -> dict[str, float]:
    return {"q": -6, "p": -6, "b": -18, "a": 6, **others}


def slope_of_the_whole(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


def bend_divided_once(f, x, h):
    return (f(x + h) - 2 * f(x) + f(x - h)) / h


def bend_of_one_middle(f, x, h):
    return (f(x + h) - f(x) + f(x - h)) / (h * h)


WRONG |= {
    "08.6": [
        (mixed(q=-3), "one use"),
        (mixed(q=9), "square"),
        (mixed(p=1), "local alone"),
        (mixed(b=12), "own data"),
        (mixed(b=3), "no upstream"),
        (mixed(a=-6), "overwritten"),
        (mixed(a=12), "one way"),
        (mixed(a=-72), "multiplied"),
        (mixed(a=...), "unfinished"),
        (6, "type"),
    ],
    "08.7": [
        (causes(Ada="overwritten"), "cause"),
        (causes(Dina="nothing"), "cause"),
        (causes(Eli="rounding"), "choice"),
        (causes(Bo=...), "unfinished"),
        (0, "type"),
    ],
    "08.8": [
        (slope_of_the_whole, "slope of the whole"),
        (bend_divided_once, "divided once"),
        (bend_of_one_middle, "one middle"),
        (lambda f, x, h: [f(x)], "type"),
    ],
}
