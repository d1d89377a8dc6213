"""The exercises of chapter 16: replays, what they freeze, and what a loss says.

>>> [exercise.name for exercise in EXERCISES]
['16.1', '16.2', '16.3', '16.4', '16.5', '16.6']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.constants import Literal, Maximum
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    all_of,
    among,
    number,
    numbers,
    one_of,
    placed,
)
from engine.course.checks.plain import in_words, same
from engine.gpt import softmax
from engine.graph import Graph
from engine.replay import Replay
from engine.text import number_text
from engine.value import Value

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Recording = list[tuple[Any, ...]]

# 16.1: the nodes whose levels are asked for.
NODES = ("p", "q", "r", "s", "L")
FROZEN, AGAIN = "frozen", "computed again"
# 16.4: the inputs of the recording, and those of the replay.
RECORDED, REPLAYED = (5.0, 1.0), (1.0, 3.0)
DRAWS = (0.25, 0.75)


# 16.1


def leveled() -> Graph:
    """The graph of 16.1."""
    a, b = Value(2.0), Value(3.0)
    p = a * b
    r = b.relu()
    q = p + a
    s = q * r
    L = s + p  # noqa: N806 (the loss is called L)
    return Graph.of(L, {"a": a, "b": b, "p": p, "q": q, "r": r, "s": s, "L": L})


def levels(
    graph: Graph, of_inputs: Callable[[list[int]], int] = max, first: int = 0
) -> dict[str, float]:
    """The level of each node of 16.1.

    Args:
        graph: to look at.
        of_inputs: what is taken of the levels of the inputs.
        first: the level of a leaf.

    >>> levels(leveled())["p"]
    1.0
    """
    found: list[int] = []
    for node in graph.nodes:
        below = [found[index] for index in node.inputs]
        found.append(of_inputs(below) + 1 if below else first)
    return {name: float(found[graph.index(name)]) for name in NODES}


def _judge_levels(answer: dict[str, float]) -> Finding | None:
    graph = leveled()
    right = levels(graph)
    order = {name: float(graph.index(name)) for name in NODES}
    suspects = (
        (
            levels(graph, first=1),
            "counted from one",
            "The leaves stand on level 0: all your levels are one too high.",
        ),
        (
            {name: level - 1 for name, level in right.items()},
            "leaves forgotten",
            "The leaves have a level too: all your levels are one too low.",
        ),
        (
            levels(graph, of_inputs=min),
            "lowest input",
            "That is one above the lowest input. A node has to wait for all its inputs.",
        ),
        (order, "order", "That is the place in the recording. Several nodes can share a level."),
    )
    for table, kind, words in suspects:
        if same(answer, table):
            return Finding(kind, words)
    for name in NODES:
        node = graph.nodes[graph.index(name)]
        inputs = " and ".join(graph.names[index] for index in node.inputs)
        yours = number_text(answer[name])
        found = among(
            answer[name],
            right[name],
            WrongNumber(
                levels(graph, of_inputs=min)[name],
                "lowest input",
                f"{yours} is too low: it waits for {inputs}, for the last one of them too.",
            ),
            name=name,
        )
        if found:
            words = f"{name}: {yours} is not it. It waits for {inputs}."
            return found if found.kind == "lowest input" else Finding("other", words)
    return None


# 16.2


def _by_engine(recording: Recording, leaves: list[float]) -> list[float]:
    values = [Value(leaf) for leaf in leaves]
    for op, *places in recording:
        operands = [values[place] for place in places]
        if op == "relu":
            values.append(operands[0].relu())
        else:
            left, right = operands
            values.append(left * right if op == "*" else left + right)
    return [value.data for value in values]


def _list_of_numbers(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple):
        wrong = next((found for member in answer if (found := number(member))), None)
        return placed("in its list, ", wrong) if wrong else None
    if isinstance(answer, float):
        return Finding(
            "one number", f"it gives {in_words(answer)} alone, and should give all numbers."
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a list of numbers.")


CHAPTER: Recording = [
    ("*", 0, 0),
    ("*", 1, 1),
    ("+", 2, 1),
    ("+", 3, 0),
    ("relu", 4),
    ("relu", 5),
    ("+", 6, 7),
]
OTHER: Recording = [("+", 0, 2), ("*", 3, 1), ("relu", 4), ("*", 5, 3)]


def _recorded(words: str, recording: Recording, *leaves: float) -> Case:
    return Case(words, lambda: (list(recording), list(leaves)))


# 16.3

Back = Callable[[Floats, Floats, Places, Places, Places], Any]


def _level_by_engine(
    data: Floats, grad: Floats, left: Places, right: Places, made: Places
) -> Floats:
    """Each product of the level in single numbers, one after the other."""
    for i, j, k in zip(left, right, made, strict=True):
        a = Value(data[i])
        b = a if i == j else Value(data[j])
        (a * b * grad[k]).backward()
        grad[i] += a.grad
        if i != j:
            grad[j] += b.grad
    return grad


def _level(
    add: Callable[[Floats, Places, Floats], None],
    to_left: Callable[[Floats, Places, Places], Floats] = lambda data, left, right: data[right],
    upstream: bool = True,
    both: bool = True,
) -> Back:
    """A way back through a level of products in which a part may be wrong."""

    def back(data: Floats, grad: Floats, left: Places, right: Places, made: Places) -> Floats:
        arrived = grad[made].copy() if upstream else np.ones(len(made))
        add(grad, left, to_left(data, left, right) * arrived)
        if both:
            add(grad, right, to_left(data, right, left) * arrived)
        return grad

    return back


def _added_one_by_one(grad: Floats, places: Places, contributions: Floats) -> None:
    np.add.at(grad, places, contributions)


def _added_at_once(grad: Floats, places: Places, contributions: Floats) -> None:
    grad[places] += contributions


def _overwritten(grad: Floats, places: Places, contributions: Floats) -> None:
    grad[places] = contributions


def _contributions_alone(
    data: Floats, grad: Floats, left: Places, right: Places, made: Places
) -> Floats:
    given = np.zeros_like(grad)
    _added_one_by_one(given, left, data[right] * grad[made])
    _added_one_by_one(given, right, data[left] * grad[made])
    return given


LEVEL_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            _level(_added_at_once),
            "added once",
            "A place that occurs twice in left or in right gets one contribution only: NumPy reads "
            "once, adds once, and writes twice. np.add.at adds each of them.",
        ),
        (
            _level(_overwritten),
            "overwritten",
            "A contribution overwrites what was there. It has to be added.",
        ),
        (
            _level(_added_one_by_one, to_left=lambda data, left, right: data[left]),
            "own data",
            "Each factor gets its own data. The local derivative of a product is the other factor.",
        ),
        (
            _level(_added_one_by_one, upstream=False),
            "upstream forgotten",
            "The local derivatives are handed on alone. Multiply them by grad[made].",
        ),
        (
            _level(_added_one_by_one, to_left=lambda data, left, right: np.ones(len(left))),
            "as a sum",
            "The upstream gradient is handed on unchanged. That is an addition; these are "
            "products.",
        ),
        (
            _level(_added_one_by_one, both=False),
            "left only",
            "Only the left factors get something. A product has two.",
        ),
        (
            _contributions_alone,
            "old gradients lost",
            "Those are the contributions of this level alone. They are added to what grad holds "
            "already.",
        ),
    )
)


def _as_list(_arguments: tuple[Any, ...], result: Any) -> Any:
    return result.tolist() if isinstance(result, np.ndarray) else result


def _level_case(
    words: str,
    data: Sequence[float],
    grad: Sequence[float],
    left: Sequence[int],
    right: Sequence[int],
    made: Sequence[int],
) -> Case:
    return Case(
        words,
        lambda: (
            np.array(data),
            np.array(grad),
            *(np.array(places) for places in (left, right, made)),
        ),
    )


# 16.4: each recorded with some inputs, and replayed with others.


def _of_if(a: Value, b: Value, _draw: float) -> Value:
    return a * 2 if a.data > b.data else b * 3


def _of_loop(a: Value, b: Value, _draw: float) -> Value:
    result = a * 1
    for _ in range(int(b.data)):
        result = result * a + b
    return result


def _of_maximum(a: Value, b: Value, _draw: float) -> Value:
    return (a - Maximum([a, b])).exp() + b


def _of_max(a: Value, b: Value, _draw: float) -> Value:
    return (a - Literal(max(a.data, b.data))).exp() + b


PROGRAMS: dict[str, Callable[[Value, Value, float], Value]] = {
    "side of a ReLU": lambda a, b, _draw: (a - b).relu() + b,
    "local derivative of a product": lambda a, b, _draw: a * b,
    "branch of an if": _of_if,
    "turns of a loop": _of_loop,
    "Maximum(scores)": _of_maximum,
    "max of the data": _of_max,
    "number drawn by chance": lambda a, b, draw: a * draw + b,
}


def _with_gradients(output: Value, a: Value, b: Value) -> list[float]:
    output.backward()
    return [output.data, a.grad, b.grad]


def what_is_frozen() -> dict[str, str]:
    """The right answers to 16.4: each program replayed, and recorded afresh.

    >>> what_is_frozen()["branch of an if"]
    'frozen'
    """
    found = {}
    for name, program in PROGRAMS.items():
        a, b = map(Value, RECORDED)
        replay = Replay(program(a, b, DRAWS[0]), inputs=[a, b], compiled=False)
        replay.inputs.data[:] = REPLAYED
        replayed = [replay.forward()]
        replay.backward()
        replayed += [float(grad) for grad in replay.inputs.grad]
        a, b = map(Value, REPLAYED)
        afresh = _with_gradients(program(a, b, DRAWS[1]), a, b)
        found[name] = AGAIN if same(replayed, afresh) else FROZEN
    return found


FROZEN_WORDS = {
    "side of a ReLU": "A ReLU is an operation of its own. Does a replay know its input?",
    "local derivative of a product": "A local derivative is made of the numbers of this replay.",
    "branch of an if": "An if is decided by Python, and leaves no node.",
    "turns of a loop": "Python counts the turns. What stands in the recording of a loop?",
    "Maximum(scores)": "It is a literal that knows what it is the largest of.",
    "max of the data": "Python's max gives a plain number. Can a replay know where it came from?",
    "number drawn by chance": "A draw is a plain number when it meets a Value.",
}


def _judge_frozen(answer: dict[str, str]) -> Finding | None:
    right = what_is_frozen()
    wrong = [name for name in right if answer[name] != right[name]]
    if not wrong:
        return None
    seen = f"{len(right) - len(wrong)} of {len(right)} are right."
    kind = "trusted" if right[wrong[0]] == FROZEN else "too careful"
    return Finding(kind, f"{seen} {wrong[0]}: {FROZEN_WORDS[wrong[0]]}")


# 16.5


def _tempered(scores: list[float], temperature: float) -> list[float]:
    return [p.data for p in softmax([Value(score) / temperature for score in scores])]


def _powers(scores: list[float], temperature: float) -> list[float]:
    return [p ** (1 / temperature) for p in _tempered(scores, 1.0)]


def _at(words: str, scores: Sequence[float], temperature: float) -> Case:
    return Case(words, lambda: (list(scores), temperature))


# 16.6


def _typical(losses: list[float], count: int) -> float:
    return math.exp(-mean(losses[-count:]))


def _losses(words: str, losses: Sequence[float], count: int) -> Case:
    return Case(words, lambda: (list(losses), count))


def _falling() -> Iterator[float]:
    return (3.3 - 0.2 * step + 0.3 * (step % 2) for step in range(6))


EXERCISES = (
    AnswerExercise(
        name="16.1",
        title="Who waits for whom?",
        shape=numbers(*NODES),
        judge=_judge_levels,
        right="One above the highest input: that is when everything it needs is there.",
        hints=(
            "The leaves wait for nobody. Which nodes wait for leaves only?",
            "A node stands one level above the highest of its inputs.",
            "The output has a short way and a long way from p. The long one decides.",
        ),
    ),
    FunctionExercise(
        name="16.2",
        title="Replay a recording",
        cases=(
            _recorded("w = 3 and v = -2", CHAPTER, 3.0, -2.0),
            _recorded("w = 1 and v = 5", CHAPTER, 1.0, 5.0),
            _recorded("w = -0.5 and v = -2", CHAPTER, -0.5, -2.0),
            _recorded("three leaves", OTHER, 2.0, -1.5, 0.5),
        ),
        reference=_by_engine,
        shape=_list_of_numbers,
        solution='''
def my_replay(recording, leaves):
    """A list of all numbers: the leaves, then one for each line of the recording."""
    numbers = list(leaves)
    for op, *places in recording:
        operands = [numbers[place] for place in places]
        if op == "relu":
            numbers.append(max(operands[0], 0.0))
        elif op == "*":
            numbers.append(operands[0] * operands[1])
        else:
            numbers.append(operands[0] + operands[1])
    return numbers
''',
        mistakes="""
relu open | max(operands[0], 0.0) -> operands[0]
    A ReLU hands a negative number on as it is. It has to decide anew each time.
relu as size | max(operands[0], 0.0) -> abs(operands[0])
    A ReLU makes a negative number positive. It should make it 0.
all multiplied | operands[0] + -> operands[0] *
    Additions are multiplied too.
leaves left out | = lambda recording, leaves: solution(recording, leaves)[len(leaves) :]
    The leaves are missing: the list begins with them, so that the places fit.
places from one | numbers[place] -> numbers[place - 1]
    The places are counted from 0.
leaves alone | = lambda recording, leaves: list(leaves)
    Those are the leaves alone. Each line of the recording makes one number more.
""",
        given=globals(),
        right="A recording is data: a few lines of Python run it with any numbers.",
        hints=(
            "Begin with numbers = list(leaves). Each line of the recording appends one number.",
            "for op, *places in recording: gives you the name and the places of its operands.",
            "numbers[place] is an operand. A ReLU has one: max(..., 0.0). The others have two.",
        ),
    ),
    FunctionExercise(
        name="16.3",
        title="One level back, with NumPy",
        cases=(
            _level_case(
                "three products of three leaves",
                (2.0, 3.0, -1.5, 6.0, -3.0, -4.5),
                (0.5, 0.0, 0.0, 1.0, 2.0, -1.0),
                (0, 0, 1),
                (1, 2, 2),
                (3, 4, 5),
            ),
            _level_case(
                "a number times itself",
                (3.0, 4.0, 9.0, 12.0),
                (0.0, 0.25, 2.0, 0.5),
                (0, 0),
                (0, 1),
                (2, 3),
            ),
        ),
        reference=_level_by_engine,
        shape=_list_of_numbers,
        observe=_as_list,
        suspects=LEVEL_SUSPECTS,
        right="Many nodes in one call, and every contribution is added.",
        hints=(
            "data[right] collects the right factors of all products, and grad[made] their upstream "
            "gradients.",
            "A product hands to its left factor the right one times the upstream gradient, and the "
            "other way around.",
            "np.add.at(grad, left, contributions) adds each contribution, also when a place occurs "
            "twice. Then the same for right.",
        ),
    ),
    AnswerExercise(
        name="16.4",
        title="Frozen, or computed again?",
        shape=all_of(PROGRAMS, one_of(FROZEN, AGAIN)),
        judge=_judge_frozen,
        right="Operations are in the recording, and what Python decides is not.",
        hints=(
            "Ask of each: is there a node for it, or did Python use it while the nodes were made?",
            "An if, a loop and a plain number are Python's. What has been recorded from them?",
            "Try it: record with some numbers, replay with others, and compare with recording "
            "afresh.",
        ),
    ),
    FunctionExercise(
        name="16.5",
        title="Turn the temperature",
        cases=(
            _at("the temperature 0.5", (math.log(5), math.log(3), math.log(2)), 0.5),
            _at("the temperature 2", (0.7, -1.3, 2.4), 2.0),
            _at("the temperature 0.01", (9.0, 8.99, -3.0), 0.01),
        ),
        reference=_tempered,
        shape=_list_of_numbers,
        solution='''
def at_temperature(scores, temperature):
    """A list with the probability of each score."""
    divided = [score / temperature for score in scores]
    powers = [math.exp(score - max(divided)) for score in divided]
    total = math.fsum(powers)
    return [power / total for power in powers]
''',
        mistakes="""
upside down | score / temperature -> score * temperature
    Cold and hot are exchanged: the scores are divided by the temperature.
no temperature | score / temperature -> score
    The temperature plays no part. (Added to each score, or taken off, it cancels.)
divided afterward | score / temperature -> score | / total -> / total / temperature
    The probabilities are divided, and do not add up to 1 any more. Divide the scores, before
    softmax.
not divided | = _powers
    These numbers do not add up to 1: divide by their total.
not stable | score - max(divided) -> score
    Divided by a small temperature, a score gets large. Take the largest one off.
""",
        given=globals(),
        forbidden={"engine.gpt.softmax"},
        right="The model stays as it is, and the choice gets bolder or more careful.",
        hints=(
            "First divide each score by the temperature. Everything else is softmax.",
            "Softmax of plain numbers: math.exp of each, divided by the total.",
            "A score divided by a small temperature is large: take the largest off before exp.",
        ),
    ),
    FunctionExercise(
        name="16.6",
        title="What does the loss say?",
        cases=(
            _losses("the last 2 of 6 losses", [*_falling()], 2),
            _losses("the last 3 of 4 losses", (3.25, 2.75, 2.5, 2.125), 3),
            _losses("the last 100 of 3 losses", (3.5, 3.0, 2.5), 100),
        ),
        reference=_typical,
        shape=number,
        solution='''
def typical_probability(losses, count):
    """The probability whose loss is the mean of the last losses."""
    last = losses[-count:]
    return math.exp(-sum(last) / len(last))
''',
        mistakes="""
loss | math.exp(-sum(last) / len(last)) -> sum(last) / len(last)
    That is the mean loss itself. Which probability has such a loss?
first ones | losses[-count:] -> losses[:count]
    Those are the first losses. Asked for are the last ones.
all of them | losses[-count:] -> losses
    All losses are in it, also the early ones, when the model knew nothing.
divided by count | len(last) -> count
    It divides by count, but there are fewer losses than that.
sign | -sum(last) -> sum(last)
    A probability is not larger than 1. The loss is the negative of the logarithm.
the other way | return math -> return 1 - math
    That is the probability that the model gave to all other letters together.
product | / len(last) ->
    That is the probability of all of them in a row, a product. Take the mean of the losses.
mean of probabilities | math.exp(-sum(last) / len(last)) -> mean(math.exp(-x) for x in last)
    That is the mean of the probabilities. First take the mean of the losses.
last one missing | losses[-count:] -> losses[:-1][-count:]
    The very last loss is missing.
""",
        given=globals(),
        right="A mean loss is the logarithm of a typical probability, with the sign turned.",
        hints=(
            "losses[-count:] are the last ones, or all of them if there are fewer.",
            "Their mean is their sum, divided by how many there are.",
            "The loss is -log(probability). So the probability is exp(-loss).",
        ),
    ),
)
