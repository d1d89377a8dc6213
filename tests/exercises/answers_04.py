"""Wrong answers to the exercises of chapter 04, each with the kind of wrong it must be told."""

from typing import Any

from engine import Value


def shared(**changed: Any) -> dict[str, Any]:
    return {"v": 3, "u": 3, "w": 9, "x": 36, **changed}


def overwrites(gradients, contributions):
    for name, amount in contributions:
        gradients[name] = amount
    return gradients


def keeps_the_first(gradients, contributions):
    for name, amount in contributions:
        if name not in gradients:
            gradients[name] = amount
    return gradients


def begins_anew(gradients, contributions):
    gradients = {}
    for name, amount in contributions:
        gradients[name] = gradients.get(name, 0.0) + amount
    return gradients


def passes_over_new_names(gradients, contributions):
    for name, amount in contributions:
        if name in gradients:
            gradients[name] += amount
    return gradients


def stops_at_new_names(gradients, contributions):
    for name, amount in contributions:
        gradients[name] += amount
    return gradients


def multiplies(gradients, contributions):
    for name, amount in contributions:
        gradients[name] = gradients.get(name, 1.0) * amount
    return gradients


def takes_a_set(gradients, contributions):
    for name, amount in sorted(set(contributions)):
        gradients[name] = gradients.get(name, 0.0) + amount
    return gradients


def returns_nothing(gradients, contributions):
    for name, amount in contributions:
        gradients[name] = gradients.get(name, 0.0) + amount


def returns_inside_the_loop(gradients, contributions):
    for name, amount in contributions:
        gradients[name] = gradients.get(name, 0.0) + amount
        return gradients
    return gradients


def returns_inside_the_loop_alone(gradients, contributions):
    for name, amount in contributions:
        gradients[name] = gradients.get(name, 0.0) + amount
        return gradients
    return None


def returns_the_list(gradients, contributions):
    return contributions


def never_ends(gradients, contributions):
    while contributions is not None:
        gradients["x"] = gradients.get("x", 0.0) + 1.0
    return gradients


def _from(x: Value, function: Any) -> Value:
    return function(x)


WRONG: dict[str, list[tuple[Any, str]]] = {
    "04.1": [
        (shared(x=18), "left out"),
        (shared(x=33), "left out"),
        (shared(x=15), "overwrote"),
        (shared(x=810), "multiplied"),
        (shared(x=-36), "sign"),
        (shared(w=3), "no upstream"),
        (shared(w=15), "own data"),
        (shared(v=18), "data"),
        (shared(u=1), "no upstream"),
        (shared(x=100), "other"),
    ],
    "04.2": [
        ({"third": 6, "cleared": 4}, "overwrote"),
        ({"third": 10, "cleared": 4}, "each once"),
        ({"third": 12, "cleared": 4}, "output"),
        ({"third": 16, "cleared": 20}, "not cleared"),
        ({"third": 16, "cleared": 0}, "no walk"),
        ({"third": 16, "cleared": 6}, "output"),
        ({"third": 100, "cleared": 4}, "other"),
    ],
    "04.3": [
        (_from(Value(3.0), lambda x: x * x + x), "too small"),
        (_from(Value(3.0), lambda x: x * x * x), "too large"),
        (_from(Value(3.0), lambda x: x * 8), "literal"),
        (_from(Value(3.0), lambda x: x * x + Value(2.0)), "leaves"),
        (_from(Value(4.0), lambda x: x * x), "leaf"),
        (_from(Value(3.0), lambda x: x.exp()), "operation"),
        (8, "no record"),
    ],
    "04.4": [
        (overwrites, "overwrote"),
        (keeps_the_first, "first kept"),
        (begins_anew, "forgot"),
        (passes_over_new_names, "new names"),
        (stops_at_new_names, "new names"),
        (multiplies, "multiplied"),
        (takes_a_set, "as a set"),
        (returns_nothing, "returns nothing"),
        (lambda gradients, contributions: dict(contributions), "overwrote"),
        (returns_inside_the_loop, "first alone"),
        (returns_inside_the_loop_alone, "first alone"),
        (returns_the_list, "type"),
        (never_ends, "endless"),
    ],
    "04.5": [
        ({"line": 8, "replacement": "D"}, "still wrong"),
        ({"line": 4, "replacement": "A"}, "still wrong"),
        ({"line": 8, "replacement": "C"}, "still wrong"),
        ({"line": 6, "replacement": "B"}, "unreadable"),
        ({"line": 2, "replacement": "A"}, "stops"),
        ({"line": 70, "replacement": "A"}, "no line"),
        ({"line": 7, "replacement": "E"}, "choice"),
    ],
}
