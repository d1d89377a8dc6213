"""Wrong answers to the exercises of chapter 03, each with the kind of wrong it must be told."""

from typing import Any


def walk(**changed: Any) -> dict[str, Any]:
    return {"s": -3, "k": 3, "m": -3, "w": -3, "u": 1.5, "v": -12, **changed}


def slopes(add: Any = (1, 1), mul: Any = (-2, 7), scale: Any = (5,)) -> dict[str, Any]:
    return {"x + y": add, "x * y": mul, "x * 5": scale}


def outputs(**changed: Any) -> dict[str, Any]:
    return {"p": 1, "e": 5, "d": 5, "L": -15, **changed}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "03.1": [
        (walk(u=-12, v=1.5), "own data"),
        (walk(u=-0.5), "no upstream"),
        (walk(m=1), "no upstream"),
        (walk(m=-1.5), "shared out"),
        (walk(s=3), "data"),
        (walk(v=12), "sign"),
        (walk(v=-3), "no local"),
        (walk(u=4), "data"),
        (walk(w=77), "other"),
        (walk(u="1.5"), "text"),
        (walk(u=...), "unfinished"),
        ({"s": -3}, "missing"),
    ],
    "03.2": [
        (slopes(mul=(7, -2)), "own data"),
        (slopes(add=(-2, 7)), "as product"),
        (slopes(add=(0.5, 0.5)), "shared out"),
        (slopes(mul=(-14, 7)), "result"),
        (slopes(scale=(5, 7)), "length"),
        (slopes(scale=(7,)), "own data"),
        (slopes(add=(1,)), "length"),
        (slopes(scale=5), "type"),
        (slopes(mul=(2, 7)), "sign"),
        (slopes(mul=("y", "x")), "text"),
    ],
    "03.3": [
        (lambda x, y, upstream: (x * upstream, y * upstream), "own data"),
        (lambda x, y, upstream: (y, x), "no upstream"),
        (lambda x, y, upstream: (upstream, upstream), "no local"),
        (lambda x, y, upstream: (x * y * upstream, x * y * upstream), "result"),
        (lambda x, y, upstream: (y * upstream / 2, x * upstream / 2), "shared out"),
        (lambda x, y, upstream: (y + upstream, x + upstream), "added"),
        (lambda x, y, upstream: y * upstream + x * upstream, "no pair"),
        (lambda x, y, upstream: (y * upstream,), "no pair"),
        (lambda x, y, upstream: (str(y), str(x)), "text"),
        (lambda x, y: (y, x), "signature"),
        (lambda x, y, upstream: print(y * upstream, x * upstream), "returns nothing"),
    ],
    "03.4": [
        (outputs(e=-15, d=-15), "other output"),
        (outputs(L=5), "other output"),
        (outputs(p=-15), "itself"),
        (outputs(p=0), "itself"),
        (outputs(e=2), "own data"),
        (outputs(L=-3), "no local"),
        (outputs(L=15), "sign"),
        (outputs(d=9), "other"),
    ],
}
