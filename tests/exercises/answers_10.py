"""Wrong answers to the exercises of chapter 10, each with the kind of wrong it must be told."""

from typing import Any

from engine import Parameter, Value

STEP = {"gradient": 16, "w": 0.84, "loss": 1.36**2}
PRINTED = {"step 0": -8, "step 1": -14.4, "step 2": -17.92}
RATES = {
    **dict.fromkeys(("0.01", "0.1"), "one side"),
    **dict.fromkeys(("0.2", "0.24"), "both sides"),
    **dict.fromkeys(("0.26", "0.5"), "diverges"),
}


def not_cleared(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        loss_of(w).backward()
        w.data -= rate * w.grad
        path.append(w.data)
    return path


def uphill(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data += rate * w.grad
        path.append(w.data)
    return path


def without_a_rate(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data -= w.grad
        path.append(w.data)
    return path


def without_the_start(loss_of, start, rate, steps):
    w, path = Parameter(start), []
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data -= rate * w.grad
        path.append(w.data)
    return path


def without_the_end(loss_of, start, rate, steps):
    w, path = Parameter(start), []
    for _ in range(steps):
        path.append(w.data)
        w.grad = 0.0
        loss_of(w).backward()
        w.data -= rate * w.grad
    return path


def cleared_too_early(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        loss_of(w).backward()
        w.grad = 0.0
        w.data -= rate * w.grad
        path.append(w.data)
    return path


def moves_first(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        loss = loss_of(w)
        w.data -= rate * w.grad
        w.grad = 0.0
        loss.backward()
        path.append(w.data)
    return path


def loss_made_once(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    loss = loss_of(w)
    for _ in range(steps):
        w.grad = 0.0
        loss.backward()
        w.data -= rate * w.grad
        path.append(w.data)
    return path


def loss_made_once_and_not_cleared(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    loss = loss_of(w)
    for _ in range(steps):
        loss.backward()
        w.data -= rate * w.grad
        path.append(w.data)
    return path


def losses_in_the_list(loss_of, start, rate, steps):
    w, path = Parameter(start), []
    for _ in range(steps):
        loss = loss_of(w)
        w.grad = 0.0
        loss.backward()
        w.data -= rate * w.grad
        path.append(loss.data)
    return path


def losses_behind_the_start(loss_of, start, rate, steps):
    return [start, *losses_in_the_list(loss_of, start, rate, steps)]


def losses_of_all_places(loss_of, start, rate, steps):
    return losses_in_the_list(loss_of, start, rate, steps + 1)


def moved_to_the_step(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data = rate * w.grad
        path.append(w.data)
    return path


def minus_behind_the_equals_sign(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data = -rate * w.grad
        path.append(w.data)
    return path


def parameters_in_the_list(loss_of, start, rate, steps):
    w = Parameter(start)
    path = [w]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data -= rate * w.grad
        path.append(w)
    return path


def last_place_alone(loss_of, start, rate, steps):
    return not_cleared(loss_of, start, rate, steps)[-1]


def half_steps(loss_of, start, rate, steps):
    w, path = Parameter(start), [start]
    for _ in range(steps):
        w.grad = 0.0
        loss_of(w).backward()
        w.data -= rate * w.grad / 2
        path.append(w.data)
    return path


def walks_from_a_number(loss_of, start, rate, steps):
    w = Parameter(start)
    loss_of(w).data.backward()
    return [start]


def places_by_step(loss_of, start, rate, steps):
    return dict(enumerate(not_cleared(loss_of, start, rate, steps)))


def never_ends(loss_of, start, rate, steps):
    step = 0
    while step < steps:
        rate = rate / 2
    return [start]


def label_forgotten(score, label):
    return (1 - score).relu()


def plus_for_minus(score, label):
    return (1 + score * label).relu()


def not_stopped(score, label):
    return 1 - score * label


def no_margin(score, label):
    return (-score * label).relu()


def relu_inside(score, label):
    return 1 - (score * label).relu()


def label_outside(score, label):
    return label * (1 - score).relu()


def squared(score, label):
    return (1 - score * label).relu() ** 2


def made_anew(score, label):
    return Value(max(0.0, 1 - score.data * label))


def plain_maximum(score, label):
    return max(0.0, 1 - score.data * label)


def maximum_of_values(score, label):
    return max(0.0, 1 - score * label)


def distance_squared(score, label):
    return (score - label) ** 2


def printed_only(score, label):
    print((1 - score * label).relu())


def two_at_once(score, label):
    return score, (1 - score * label).relu()


def w_made_anew(loss_of, start, rate, steps):
    w = Parameter(start)
    places = [w.data]
    for _ in range(steps):
        loss_of(w).backward()
        w = w - rate * w.grad
        places.append(w.data)
    return places


WRONG: dict[str, list[tuple[Any, str]]] = {
    "10.1": [
        ({**STEP, "gradient": 4}, "chain forgotten"),
        ({**STEP, "gradient": 8}, "square forgotten"),
        ({**STEP, "gradient": -16}, "sign"),
        ({**STEP, "w": 1.16}, "uphill"),
        ({**STEP, "w": -15}, "rate forgotten"),
        ({**STEP, "w": 0.16}, "step alone"),
        ({**STEP, "w": -0.16}, "step alone"),
        ({**STEP, "w": 1}, "not moved"),
        ({**STEP, "loss": 4}, "before"),
        ({**STEP, "loss": 1.44}, "predicted"),
        ({**STEP, "loss": 1.36}, "not squared"),
        ({**STEP, "loss": 1.85}, "rounded"),
        ({**STEP, "loss": 7}, "other"),
        ({**STEP, "loss": ...}, "unfinished"),
        ({"loss": 7}, "missing"),
    ],
    "10.2": [
        ({"step 0": -8, "step 1": -6.4, "step 2": -5.12}, "cleared"),
        ({**PRINTED, "step 2": -3.52}, "slope alone"),
        ({**PRINTED, "step 2": -19.52}, "other places"),
        ({**PRINTED, "step 0": 8}, "sign"),
        ({**PRINTED, "step 0": 0}, "data"),
        ({**PRINTED, "step 2": 2.24}, "data"),
        ({**PRINTED, "step 1": -14}, "other"),
        ({**PRINTED, "step 1": "-14.4"}, "text"),
        ({**PRINTED, "step 2": ...}, "unfinished"),
        ([-8, -14.4, -17.92], "type"),
    ],
    "10.3": [
        (not_cleared, "not cleared"),
        (uphill, "uphill"),
        (without_a_rate, "rate forgotten"),
        (without_the_start, "start missing"),
        (without_the_end, "end missing"),
        (cleared_too_early, "not moved"),
        (moves_first, "moved too early"),
        (loss_made_once, "one gradient"),
        (loss_made_once_and_not_cleared, "one gradient, not cleared"),
        (losses_in_the_list, "losses"),
        (losses_behind_the_start, "losses"),
        (losses_of_all_places, "losses"),
        (moved_to_the_step, "step alone"),
        (minus_behind_the_equals_sign, "step alone"),
        (parameters_in_the_list, "objects"),
        (last_place_alone, "one number"),
        (half_steps, "other"),
        (walks_from_a_number, "raised"),
        (places_by_step, "type"),
        (never_ends, "endless"),
        (lambda loss_of: [0.0], "signature"),
        (w_made_anew, "w made anew"),
    ],
    "10.4": [
        (label_forgotten, "label forgotten"),
        (plus_for_minus, "sign"),
        (not_stopped, "no relu"),
        (no_margin, "no margin"),
        (relu_inside, "relu inside"),
        (label_outside, "label outside"),
        (squared, "squared"),
        (made_anew, "record lost"),
        (plain_maximum, "no record"),
        (maximum_of_values, "raised"),
        (distance_squared, "other"),
        (printed_only, "returns nothing"),
        (two_at_once, "type"),
    ],
    "10.5": [
        ({**RATES, "0.26": "both sides"}, "not seen"),
        (dict.fromkeys(RATES, "one side"), "not seen"),
        ({**RATES, "0.24": "diverges"}, "called diverging"),
        ({**RATES, "0.2": "diverges", "0.1": "both sides"}, "called diverging"),
        ({**RATES, "0.2": "one side"}, "sides"),
        ({**RATES, "0.1": "both sides"}, "sides"),
        ({**RATES, "0.1": "good"}, "choice"),
        ({**RATES, "0.1": ...}, "unfinished"),
        (0.25, "type"),
    ],
    "10.6": [
        (["walk", "clear", "move", "forward"], "no loss yet"),
        (["clear", "walk", "move", "forward"], "no loss yet"),
        (["forward", "walk", "clear", "move"], "cleared too early"),
        (["move", "forward", "walk", "clear"], "cleared too early"),
        (["move", "clear", "forward", "walk"], "old gradient"),
        (["forward", "move", "clear", "walk"], "old gradient"),
        (["forward", "clear", "walk", "step"], "unknown"),
        (["forward", "clear", "walk", "walk"], "repeated"),
        (["forward", "walk", "move"], "missing"),
        (["forward", "clear", "walk", ...], "unfinished"),
        ("forward", "type"),
    ],
}
