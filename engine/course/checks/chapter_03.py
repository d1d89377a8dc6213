"""The exercises of chapter 03: contributions.

>>> mul_contributions(2.0, -3.0, -2.0)
[6.0, -4.0]
"""

from __future__ import annotations

from typing import Any

from engine.course.checks.calculations import judge_gradients
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    among,
    number,
    numbers,
    placed,
)
from engine.course.checks.plain import in_words
from engine.value import Value

X, Y = 7.0, -2.0  # 03.2
PLACES = ("first", "second")
P, Q, SHIFT, SCALE = 2.0, 5.0, 4.0, -3.0  # 03.4


# 03.1


def _judge_walk(answer: dict[str, float]) -> Finding | None:
    u, v, w, k = Value(4.0), Value(-0.5), Value(5.0), Value(-3.0)
    m = u * v
    s = m + w
    y = s * k
    return judge_gradients(y, {"u": u, "v": v, "w": w, "k": k, "m": m, "s": s, "y": y}, answer)


# 03.2


def _operations() -> dict[str, Value]:
    x, y = Value(X), Value(Y)
    return {"x + y": x + y, "x * y": x * y, "x * 5": x * 5}


def _slopes(answer: Any) -> Finding | None:
    operations = _operations()
    if not isinstance(answer, dict):
        return Finding("type", f"The answer is a dictionary, and yours is {in_words(answer)}.")
    for name, made in operations.items():
        if name not in answer:
            return Finding("missing", f"{name} is missing.")
        given, inputs = answer[name], len(made.inputs)
        if not isinstance(given, list | tuple):
            return Finding("type", f"{name}: give a list, with a number for each Value in it.")
        if len(given) != inputs:
            return Finding("length", f"{name}: {_how_many(len(given), inputs)}")
        wrong = next((found for member in given if (found := number(member))), None)
        if wrong:
            return placed(f"{name}: ", wrong)
    return None


def _how_many(given: int, inputs: int) -> str:
    if given > inputs:
        return f"you give {given} numbers. A plain number in an operation has no derivative."
    return f"you give {given} of {inputs} numbers: there is one for each Value."


def _judge_slopes(answer: dict[str, list[float]]) -> Finding | None:
    for name, made in _operations().items():
        for place, right in enumerate(made.local_derivatives):
            own = made.inputs[place].data
            others = [o.data for k, o in enumerate(made.inputs) if k != place]
            wrong = [
                WrongNumber(own, "own data", f"{in_words(own)} is the data of the input {OWN}")
            ]
            if made.op == "+":
                wrong = [
                    WrongNumber(other, "as product", "That would be right for a multiplication.")
                    for other in (*others, own)
                ]
                wrong.append(WrongNumber(0.5, "shared out", f"Nothing is shared out: {SHARE}"))
            wrong.append(WrongNumber(made.data, "result", "That is the result of the operation."))
            found = among(
                answer[name][place], right, *wrong, name=f"{name}, the {PLACES[place]} number"
            )
            if found:
                return found
    return None


OWN = "itself. How fast does the result move with it? That depends on the other one."
SHARE = "move one input by a little, and the sum moves by just as much."


# 03.3


def mul_contributions(x: float, y: float, upstream: float) -> list[float]:
    """What the engine hands on to the two inputs of a product."""
    a, b = Value(x), Value(y)
    (a * b * upstream).backward()
    return [a.grad, b.grad]


def _own_data(x: float, y: float, upstream: float) -> list[float]:
    return [x * upstream, y * upstream]


def _no_upstream(x: float, y: float, _: float) -> list[float]:
    return [y, x]


def _upstream_alone(_x: float, _y: float, upstream: float) -> list[float]:
    return [upstream, upstream]


def _with_result(x: float, y: float, upstream: float) -> list[float]:
    return [x * y * upstream, x * y * upstream]


def _shared_out(x: float, y: float, upstream: float) -> list[float]:
    return [y * upstream / 2, x * upstream / 2]


def _added(x: float, y: float, upstream: float) -> list[float]:
    return [y + upstream, x + upstream]


def _one_number(x: float, y: float, upstream: float) -> float:
    return y * upstream + x * upstream


def _pair(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple) and len(answer) == 2:
        wrong = next((found for member in answer if (found := number(member))), None)
        return placed("inside the pair: ", wrong) if wrong else None
    return Finding(
        "no pair",
        f"it gives {in_words(answer)}. Two inputs get a contribution each: return two numbers, "
        "with a comma between.",
    )


MUL_SUSPECTS = (
    Suspect(
        _own_data,
        "own data",
        "For {case} it gives {got}: each input gets its own data. How fast the product moves with "
        "x depends on y.",
    ),
    Suspect(
        _no_upstream,
        "no upstream",
        "For {case} it gives {got}: these are the local derivatives alone. The upstream gradient "
        "is missing.",
    ),
    Suspect(
        _upstream_alone,
        "no local",
        "For {case} it gives {got}: the upstream gradient, passed on unchanged. That is what an "
        "addition does.",
    ),
    Suspect(
        _with_result,
        "result",
        "For {case} it gives {got}. The result x * y plays no part in what is handed on.",
    ),
    Suspect(
        _shared_out,
        "shared out",
        "For {case} it gives {got}, half of it for each. A gradient is not shared out like a cake.",
    ),
    Suspect(
        _added,
        "added",
        "For {case} it gives {got}: local derivative and upstream gradient are multiplied, not "
        "added.",
    ),
    Suspect(
        _one_number,
        "no pair",
        "For {case} it gives {got}: the two contributions go to two inputs. Keep them apart.",
    ),
)


# 03.4


def _judge_outputs(answer: dict[str, float]) -> Finding | None:
    right = {}
    for output in ("p", "e", "d", "L"):
        p, q = Value(P), Value(Q)
        e = p * q
        d = e + SHIFT
        named = {"p": p, "e": e, "d": d, "L": d * SCALE}
        named[output].backward()
        right[output] = p.grad
    for output, wanted in right.items():
        wrong = [
            WrongNumber(
                right[other],
                "other output",
                f"{in_words(right[other])} says how fast {other} moves with p. Here the output is "
                f"{output}.",
            )
            for other in right
            if other != output
        ]
        if output == "p":
            words = "How far does p move, if p moves by a little?"
            wrong = [WrongNumber(number_, "itself", words) for number_ in {*right.values(), 0.0, P}]
        wrong.append(
            WrongNumber(P, "own data", f"{in_words(P)} is the data of p itself. Ask for q's.")
        )
        wrong.append(
            WrongNumber(SCALE, "no local", "The local derivative of e = p * q is missing.")
        )
        found = among(answer[output], wanted, *wrong, name=output)
        if found:
            return found
    return None


EXERCISES = (
    AnswerExercise(
        name="03.1",
        title="Walk back by hand",
        shape=numbers("s", "k", "m", "w", "u", "v"),
        judge=_judge_walk,
        right="Six products, each of a local derivative and an upstream gradient.",
        hints=(
            "Begin at y, with the seed gradient. y is made from s and k: what do these two get?",
            "An addition passes on what it gets. A multiplication gives each input the data of the "
            "other one, times the upstream gradient.",
            "Write down m.grad first. Then u gets the data of v times m.grad, and v the data of u "
            "times m.grad.",
        ),
    ),
    AnswerExercise(
        name="03.2",
        title="Local derivatives",
        shape=_slopes,
        judge=_judge_slopes,
        right="Each belongs to one operation, and needs nothing of the rest of a calculation.",
        hints=(
            "Move x by 0.001 and calculate the operation again. How many times as far did it move?",
            "For a sum it does not matter how large the numbers are. For a product, the other "
            "factor decides.",
            "x * 5 is a product too, and the other factor is a plain number.",
        ),
    ),
    FunctionExercise(
        name="03.3",
        title="The rule of multiplication",
        cases=(
            Case("x = 2, y = -3, upstream = -2", lambda: (2.0, -3.0, -2.0)),
            Case("x = 4, y = 0.5, upstream = 7", lambda: (4.0, 0.5, 7.0)),
            Case("x = 0, y = 5, upstream = 1.5", lambda: (0.0, 5.0, 1.5)),
        ),
        reference=mul_contributions,
        shape=_pair,
        suspects=MUL_SUSPECTS,
        forbidden={"engine.value.Value"},
        right="These two lines are all that an engine needs for its multiplication.",
        hints=(
            "contribution = local derivative × upstream gradient, once for each input.",
            "The local derivative of x * y with respect to x is y.",
            "Return two products with a comma between; both have upstream as a factor.",
        ),
    ),
    AnswerExercise(
        name="03.4",
        title="With respect to which output?",
        shape=numbers("p", "e", "d", "L"),
        judge=_judge_outputs,
        right="One number, four outputs, four questions, and the first answer is always 1.",
        hints=(
            "Each time, the walk starts at another number, and that number gets the 1.",
            "Adding a plain number does not change how fast something moves.",
            "For e it is the rule of multiplication. From d to L there is one factor more.",
        ),
    ),
)
