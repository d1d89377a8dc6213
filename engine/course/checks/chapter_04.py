"""The exercises of chapter 04: numbers that are used more than once.

>>> gradients_after_walks()
{'third': 16.0, 'cleared': 4.0}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.course.checks.calculations import judge_gradients, leaves, walked
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    among,
    calculation,
    fields,
    number,
    numbers,
    one_of,
    placed,
)
from engine.course.checks.plain import Calculation, in_words, same
from engine.graph import Graph
from engine.text import number_text
from engine.value import Value, topological_order
from engine.walk import reverse_walk

LEAF, GRADIENT = 3.0, 8.0  # 04.3


# 04.1


def _judge_shared(answer: dict[str, float]) -> Finding | None:
    x, w = Value(3.0), Value(5.0)
    u = x * w
    v = u + x
    y = v * x
    return judge_gradients(y, {"x": x, "w": w, "u": u, "v": v, "y": y}, answer)


# 04.2


def gradients_after_walks() -> dict[str, float]:
    """What the engine says at the two moments that 04.2 asks about."""
    x = Value(3.0)
    y, z = x * x, x * 4
    for output in (y, z, y):
        output.backward()
    third = x.grad
    x.grad = 0.0
    z.backward()
    return {"third": third, "cleared": x.grad}


def _judge_walks(answer: dict[str, float]) -> Finding | None:
    right = gradients_after_walks()
    x = Value(3.0)
    y = x * x
    y.backward()
    of_y, of_z = x.grad, right["cleared"]
    found = among(
        answer["third"],
        right["third"],
        WrongNumber(
            of_y, "overwrote", "That is the last walk alone. What did the first two leave?"
        ),
        WrongNumber(of_y + of_z, "each once", "y walked twice, and each walk adds."),
        WrongNumber(3 * of_y, "output", "The second walk began at z, not at y."),
        WrongNumber(2 * of_y, "output", "The walk from z adds to x.grad as well."),
        name="third",
    )
    return found or among(
        answer["cleared"],
        right["cleared"],
        WrongNumber(
            right["third"] + of_z, "not cleared", "x.grad was set back to 0 before this walk."
        ),
        WrongNumber(right["third"], "not cleared", "x.grad was set back to 0 before this walk."),
        WrongNumber(0.0, "no walk", "After the clearing, one more walk was made."),
        WrongNumber(of_y, "output", "The last walk begins at z."),
        name="cleared",
    )


# 04.3


def _judge_found(answer: Calculation) -> Finding | None:
    graph = answer.graph
    constants = [o for node in graph.nodes for o in node.operands if not isinstance(o, int)]
    if constants:
        return Finding(
            "literal", f"The plain number {constants[0].text} takes part. Use x and nothing else."
        )
    if len(leaves(graph)) > 1:
        return Finding("leaves", f"Yours has {len(leaves(graph))} leaves. Use one x for all.")
    if leaves(graph)[0].data != LEAF:
        return Finding(
            "leaf", f"x is {number_text(LEAF)}; yours is {in_words(graph.nodes[0].data)}."
        )
    operations = {node.op for node in graph.nodes} - {"", "+", "*"}
    if operations:
        return Finding("operation", f"Use + and * alone; yours has {sorted(operations)[0]}.")
    walk = walked(graph)
    if walk is None:
        return Finding("no walk", "This calculation cannot be walked back.")
    yours = walk.gradients[0]
    if same(yours, GRADIENT):
        return None
    kind = "too small" if yours < GRADIENT else "too large"
    return Finding(kind, f"The gradient of x in yours is {number_text(yours)}.")


# 04.4

Gradients = dict[str, float]
Contributions = list[tuple[str, float]]


def _accumulated(gradients: Gradients, contributions: Contributions) -> Gradients:
    total = {name: [amount] for name, amount in gradients.items()}
    for name, amount in contributions:
        total.setdefault(name, []).append(amount)
    return {name: sum(amounts) for name, amounts in total.items()}


def _overwritten(gradients: Gradients, contributions: Contributions) -> Gradients:
    return {**gradients, **dict(contributions)}


def _last_alone(_: Gradients, contributions: Contributions) -> Gradients:
    return dict(contributions)


def _return_in_the_loop(gradients: Gradients, contributions: Contributions) -> Gradients | None:
    return _accumulated(gradients, contributions[:1]) if contributions else None


def _first_alone(gradients: Gradients, contributions: Contributions) -> Gradients:
    return _accumulated(gradients, contributions[:1])


def _first_kept(gradients: Gradients, contributions: Contributions) -> Gradients:
    return {**dict(reversed(contributions)), **gradients}


def _from_nothing(_: Gradients, contributions: Contributions) -> Gradients:
    return _accumulated({}, contributions)


def _known_alone(gradients: Gradients, contributions: Contributions) -> Gradients:
    return _accumulated(gradients, [(n, amount) for n, amount in contributions if n in gradients])


def _multiplied(gradients: Gradients, contributions: Contributions) -> Gradients:
    total = dict(gradients)
    for name, amount in contributions:
        total[name] = total[name] * amount if name in total else amount
    return total


def _fails_on_new(gradients: Gradients, contributions: Contributions) -> Gradients:
    total = dict(gradients)
    for name, amount in contributions:
        total[name] += amount
    return total


def _one_for_each_name(gradients: Gradients, contributions: Contributions) -> Gradients:
    return _accumulated(gradients, list(dict.fromkeys(contributions)))


def _named_numbers(answer: Any) -> Finding | None:
    if not isinstance(answer, dict):
        return Finding("type", f"it gives {in_words(answer)}, and a dictionary is asked for.")
    for name, amount in answer.items():
        wrong = number(amount)
        if wrong:
            return placed(f"at {in_words(name)}: ", wrong)
    return None


ACCUMULATE_SUSPECTS = (
    Suspect(
        _overwritten,
        "overwrote",
        "For {case} it gives {got}: the last contribution is all that is left. Add with +=; = "
        "overwrites.",
    ),
    Suspect(
        _last_alone,
        "overwrote",
        "For {case} it gives {got}: one of the two contributions for x is lost. A dictionary keeps "
        "one number for each name.",
    ),
    *(
        Suspect(
            function,
            "first alone",
            "For {case} it gives {got}: one of the two contributions for x is lost. Does a return "
            "stand inside the loop?",
        )
        for function in (_return_in_the_loop, _first_alone)
    ),
    Suspect(
        _first_kept,
        "first kept",
        "For {case} it gives {got}: a name that is there already gets nothing more.",
    ),
    Suspect(
        _from_nothing,
        "forgot",
        "For {case} it gives {got}: what was in gradients before is lost.",
    ),
    Suspect(
        _known_alone,
        "new names",
        "For {case} it gives {got}: a name that is not there yet needs a start from 0.",
    ),
    Suspect(
        _fails_on_new,
        "new names",
        "For {case} it stops with {got}: a name that is not there yet needs a start from 0.",
    ),
    Suspect(
        _multiplied,
        "multiplied",
        "For {case} it gives {got}. Along a path one multiplies; here paths come together.",
    ),
    Suspect(
        _one_for_each_name,
        "as a set",
        "For {case} it gives {got}: two equal contributions are two contributions.",
    ),
)


# 04.5

BROKEN = """\
def walk_back(y):
    order = topological_order(y)
    grads = dict.fromkeys(order, 0.0)
    grads[y] = 1.0
    for node in reversed(order):
        pairs = dict(zip(node.inputs, node.local_derivatives, strict=True))
        for place, slope in pairs.items():
            grads[place] += slope * grads[node]
    return grads
"""
REPLACEMENTS = {
    "A": "grads[y] = 2.0",
    "B": "for place, slope in zip(node.inputs, node.local_derivatives, strict=True):",
    "C": "grads[place] = slope * grads[node]",
    "D": "grads[place] += 2 * slope * grads[node]",
}


def repaired(line: int, replacement: str) -> Callable[[Value], dict[Value, float]]:
    """The function of 04.5 with one line replaced.

    Args:
        line: its number, from 1.
        replacement: one of the letters.

    Raises:
        SyntaxError: Python cannot read it that way.
    """
    lines = BROKEN.splitlines()
    old = lines[line - 1]
    lines[line - 1] = old[: len(old) - len(old.lstrip())] + REPLACEMENTS[replacement]
    variables: dict[str, Any] = {"topological_order": topological_order}
    exec(compile("\n".join(lines), "walk_back", "exec"), variables)
    function: Callable[[Value], dict[Value, float]] = variables["walk_back"]
    return function


def _tried_on(function: Callable[[Value], dict[Value, float]]) -> Finding | None:
    x, b, c = Value(3.0), Value(-3.0), Value(10.0)
    for name, output, leaf in (
        ("x + x", x + x, x),
        ("x * b + c", x * b + c, b),
        ("x * x * x + x", x * x * x + x, x),
    ):
        graph = Graph.of(output, {"leaf": leaf})
        right = reverse_walk(graph).grad("leaf")
        got = function(output)[leaf]
        if not same(got, right):
            which = "x" if leaf is x else "b"
            return Finding(
                "still wrong",
                f"With this line, the gradient of {which} in {name} is {number_text(got)}, and "
                "that is wrong.",
            )
    return None


def _judge_repair(answer: dict[str, Any]) -> Finding | None:
    line, replacement = answer["line"], answer["replacement"]
    count = len(BROKEN.splitlines())
    if line not in range(1, count + 1):
        return Finding("no line", f"The lines have the numbers 1 to {count}.")
    try:
        return _tried_on(repaired(int(line), replacement))
    except SyntaxError:
        return Finding("unreadable", "Python cannot read the function with this line replaced.")
    except Exception as error:  # noqa: BLE001 (a line in the wrong place may raise anything)
        return Finding(
            "stops", f"With this line, the function stops with {type(error).__name__}: {error}."
        )


EXERCISES = (
    AnswerExercise(
        name="04.1",
        title="Three ways back to x",
        shape=numbers("v", "u", "w", "x"),
        judge=_judge_shared,
        right="Each way back to x gave a product, and the products were added.",
        hints=(
            "x is used three times: in u, in v and in y. Each use gives a contribution.",
            "Do v first, then u, then w. For x, write down three contributions before you add.",
            "From y, x gets the data of v. From v, x gets what an addition passes on. From u, x "
            "gets the data of w times u.grad.",
        ),
    ),
    AnswerExercise(
        name="04.2",
        title="Walk after walk",
        shape=numbers("third", "cleared"),
        judge=_judge_walks,
        right="Leaves keep adding until somebody clears them.",
        hints=(
            "What does x get from a walk from y? And from a walk from z?",
            "No walk clears what was there: it adds.",
            "Add up three contributions of whole walks: y, z, y.",
        ),
    ),
    AnswerExercise(
        name="04.3",
        title="A graph for a gradient",
        shape=calculation,
        judge=_judge_found,
        right="There are several ways to get there; all have the same sum of contributions.",
        hints=(
            "x + x has the gradient 2. Which gradient does x * x have at 3?",
            "When you add x once more, the gradient grows by 1.",
            "Make one product of two x, and add x to it as often as needed.",
        ),
    ),
    FunctionExercise(
        name="04.4",
        title="Write the +=",
        cases=(
            Case(
                "an empty dictionary and the contributions 1 and 1 for x",
                lambda: ({}, [("x", 1.0), ("x", 1.0)]),
            ),
            Case(
                "a dictionary with 2 for x and the contributions 3 for x, 9 for w, 5 for x",
                lambda: ({"x": 2.0}, [("x", 3.0), ("w", 9.0), ("x", 5.0)]),
            ),
            Case("a dictionary with 2 for a and no contributions", lambda: ({"a": 2.0}, [])),
        ),
        reference=_accumulated,
        shape=_named_numbers,
        suspects=ACCUMULATE_SUSPECTS,
        right="This is the += of the engine, with names in place of objects.",
        hints=(
            "Go through the contributions: for name, amount in contributions.",
            "gradients.get(name, 0.0) is what is there already, or 0.0.",
            "For each pair, set gradients[name] to what is there already plus the amount. At the "
            "end, return gradients.",
        ),
    ),
    AnswerExercise(
        name="04.5",
        title="Find the planted bug",
        shape=fields(line=number, replacement=one_of(*REPLACEMENTS)),
        judge=_judge_repair,
        right="A dictionary keeps one entry for each input, so it lost the second use of x.",
        hints=(
            "Follow the function on paper for x + x. What is in pairs?",
            "A dictionary has each key only once. Which line suffers from it?",
            "The loop should see every use. Which replacement begins a loop?",
        ),
    ),
)
