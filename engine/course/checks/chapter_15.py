"""The exercises of chapter 15: a whole GPT, counted, explained and checked.

>>> [exercise.name for exercise in EXERCISES]
['15.1', '15.2', '15.3', '15.4', '15.5']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    all_of,
    among,
    as_they_are,
    fields,
    number,
    numbers,
    one_of,
)
from engine.course.checks.plain import in_words, same
from engine.course.checks.stand_ins import StandIn, everything_behind, stand_ins
from engine.gpt import GPT, Shape, encode
from engine.graph import Graph
from engine.measuring import central_difference
from engine.text import number_text
from engine.value import Value

# 15.2: the name whose operations are counted.
COUNTED = "nora"
OPERATIONS = ("log", "**", "relu", "exp")
# 15.3 and 15.4: the model and the name.
SEED, NAME = 1, "otto"
# 15.3: weights with gradient 0, and the name that is read.
ZEROS = {
    "wte[4][0]": NAME,
    "wpe[9][0]": NAME,
    "fc1[30][0]": NAME,
    "fc2[0][30]": NAME,
    "wq[0][0]": "",
}
ABSENT, CLOSED, TIMES_ZERO, ONE_SCORE = REASONS = (
    "not in the graph",
    "closed ReLU behind it",
    "multiplied by zero",
    "only one score",
)
NEAR = 1e-3
# A difference to both sides with any sensible step is nearer than this, and one to a side is not.
MEASURED_NEAR = 1e-4
STEPS = (1e-5, 1e-6)
TINY = 1e-15


# 15.1


def _count(layers: int, width: int, context: int, vocabulary: int) -> int:
    shape = Shape(layers, width, 1, context, vocabulary)
    return sum(rows * columns for rows, columns in shape.matrices.values())


def _made(*shape: int, tables: int = 2, positions: int = 1, squares: int = 12) -> int:
    """The count by formula, in which a part may be forgotten."""
    layers, width, context, vocabulary = shape
    return (tables * vocabulary + positions * context) * width + layers * squares * width * width


COUNT_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            lambda layers, *rest: _count(1, *rest),
            "one layer",
            "Each layer has matrices of its own.",
        ),
        (
            lambda layers, *rest: layers * _count(1, *rest),
            "tables in each layer",
            "The tables of tokens and positions, and lm_head, are there once, whatever the number "
            "of layers.",
        ),
        (
            lambda *shape: _made(*shape, tables=1),
            "lm_head forgotten",
            "There is one more table as large as wte: the one that makes the scores.",
        ),
        (
            lambda *shape: _made(*shape, positions=0),
            "wpe forgotten",
            "Each position has a row too.",
        ),
        (
            lambda *shape: _made(*shape, squares=4),
            "MLP forgotten",
            "A layer has attention and an MLP.",
        ),
        (
            lambda *shape: _made(*shape, squares=8),
            "half a layer",
            "That is only a part of what a layer holds. Attention has wq, wk, wv and wo, and the "
            "MLP has fc1 and fc2.",
        ),
        (
            lambda *shape: _made(*shape, squares=6),
            "MLP too narrow",
            "Between fc1 and fc2 there are four times as many numbers as the width.",
        ),
        (
            lambda *shape: _made(*shape, squares=11),
            "wo forgotten",
            "Attention has four matrices: one of them mixes the results of the heads.",
        ),
    )
)


def _shape(layers: int, width: int, context: int, vocabulary: int) -> Case:
    many = "layer" if layers == 1 else "layers"
    words = f"{layers} {many}, width {width}, context {context}, vocabulary {vocabulary}"
    return Case(words, lambda: (layers, width, context, vocabulary))


# 15.2


@cache
def counted() -> dict[str, float]:
    """How many nodes of some operations the graph of a name has.

    >>> counted()["log"] == len(encode(COUNTED)) - 1
    True
    """
    loss = GPT(seed=SEED).read(encode(COUNTED)).loss
    found = Counter(node.op for node in Graph.of(loss).nodes)
    return {name: float(found[name]) for name in OPERATIONS}


def _count_slips(name: str) -> Iterable[WrongNumber]:
    """What known mistakes lead to for one operation."""
    shape, positions, right = Shape(), len(COUNTED) + 1, counted()[name]
    each = right / positions
    if name != "exp":
        yield WrongNumber(
            each * len(COUNTED),
            "letters",
            "That is so for each letter. But BOS is read too: how many guesses are there?",
        )
        yield WrongNumber(
            each * (positions + 1),
            "last token",
            "The closing BOS is only guessed, and not read any more.",
        )
        yield WrongNumber(each, "one position", "That is one position alone.")
    if name == "log":
        yield WrongNumber(
            float(shape.vocabulary * positions),
            "every token",
            "Only the probability of the right token goes into the logarithm.",
        )
    if name == "**":
        yield WrongNumber(
            2.0 * positions,
            "norm forgotten",
            "Look at the table of the chapter: how often is a norm taken on the way of a letter?",
        )
    if name == "relu":
        yield WrongNumber(
            float(shape.width * positions),
            "width",
            "The ReLUs stand between fc1 and fc2, and there it is wider.",
        )
    if name == "exp":
        final = float(shape.vocabulary * positions)
        reads = positions * (positions + 1) / 2
        yield WrongNumber(
            final, "attention forgotten", "Those are the ones of the loss. Who else uses softmax?"
        )
        yield WrongNumber(
            shape.heads * reads,
            "loss forgotten",
            "Those are the ones of attention. The scores of the tokens go through softmax too.",
        )
        yield WrongNumber(
            final + reads, "one head", "That is right for one head. Each head has its own scores."
        )
        yield WrongNumber(
            final + shape.heads * positions**2,
            "not causal",
            "A position does not read from later ones: it has fewer scores.",
        )
        yield WrongNumber(
            final + shape.heads * positions,
            "one score",
            "A later position has more than one score in each head.",
        )


def _judge_counts(answer: dict[str, float]) -> Finding | None:
    for name, right in counted().items():
        found = among(answer[name], right, *_count_slips(name), name=name)
        if found:
            words = f"{name}: {number_text(answer[name])} is not it."
            return Finding("other", words) if found.kind == "rounded" else found
    return None


# 15.3


def why_zero(label: str, name: str) -> str:
    """Why a weight has gradient 0, found in the graph.

    Args:
        label: of the weight.
        name: that is read.

    >>> why_zero("wte[25][0]", "ada")
    'not in the graph'
    """
    graph = Graph.of(GPT(seed=SEED).read(encode(name)).loss)
    place = next((node.index for node in graph.nodes if node.label == label), None)
    if place is None:
        return ABSENT
    moved, stopped = {place}, False
    for node in graph.nodes:
        pairs = zip(node.inputs, node.local_derivatives, strict=True)
        slopes = [slope for source, slope in pairs if source in moved]
        if any(slopes):
            moved.add(node.index)
        elif slopes and node.op == "relu":
            stopped = True
    if graph.output.index in moved:
        return ONE_SCORE
    return CLOSED if stopped else TIMES_ZERO


WHY_WORDS = {
    ABSENT: "Is this row used at all when the name is read?",
    CLOSED: "It is used, and its products are not all 0. What stops the walk on the way back to "
    "it?",
    TIMES_ZERO: "It stands behind a ReLU that is always closed. Which number is its partner in "
    "each product?",
    ONE_SCORE: "With this name there is one position, which reads from itself alone.",
}


@cache
def reasons() -> dict[str, str]:
    """The right answers to 15.3."""
    return {label: why_zero(label, name) for label, name in ZEROS.items()}


def _judge_reasons(answer: dict[str, str]) -> Finding | None:
    right = reasons()
    wrong = [label for label in right if answer[label] != right[label]]
    if not wrong:
        return None
    seen = f"{len(right) - len(wrong)} of {len(right)} are right."
    return Finding(right[wrong[0]], f"{seen} {wrong[0]}: {WHY_WORDS[right[wrong[0]]]}")


# 15.4


def label(answer: Any) -> Finding | None:
    """The label of a weight of the model.

    Args:
        answer: of a learner.

    >>> label("wq[0][0]") is None, label("wq").kind
    (True, 'no weight')
    """
    if not isinstance(answer, str):
        return Finding(
            "type",
            f"write the weight as text, such as its label, and not {in_words(answer)}.",
        )
    if answer not in {weight.label for weight in GPT(seed=SEED).parameters()}:
        return Finding(
            "no weight",
            f"{in_words(answer)} is no weight of this model. Its label has the name of a matrix, a "
            "row and a column, as in wq[8][2].",
        )
    return None


def honest(name: str) -> tuple[float, list[float]]:
    """The gradient of a weight, and what central differences measure with two steps.

    Args:
        name: its label.
    """
    gpt, tokens = GPT(seed=SEED), encode(NAME)
    weight = next(weight for weight in gpt.parameters() if weight.label == name)
    gpt.read(tokens).loss.backward()

    def loss(data: float) -> float:
        weight.data = data
        return gpt.read(tokens).loss.data

    held = weight.data
    return weight.grad, [central_difference(loss, [held], step)[0] for step in STEPS]


def _judge_check(answer: dict[str, Any]) -> Finding | None:
    name, gradient, measured = answer["weight"], answer["gradient"], answer["measured"]
    right, slopes = honest(name)
    if abs(right) < TINY:
        return Finding(
            "zero",
            f"{name} has gradient zero here. An engine whose gradients are all twice too large "
            "would pass this check as well: choose a weight that can tell the difference.",
        )
    yours = f"the gradient of {name} is not {number_text(gradient)}"
    if not same(gradient, right, NEAR):
        if same(gradient, 2 * right, NEAR):
            return Finding(
                "added up",
                f"{number_text(gradient)} is twice the gradient: backward() was called twice, and "
                "nobody has set the gradients to 0 before.",
            )
        return among(
            gradient,
            right,
            WrongNumber(0.0, "no walk", f"{yours}. Was backward() called?"),
            tolerance=NEAR,
            name="gradient",
        )
    if measured == gradient and float(f"{gradient:.8g}") != gradient:
        return Finding(
            "copied",
            "Both numbers are the same to the last digit. A measurement is never so exact: measure "
            "with the forward pass alone.",
        )
    if any(same(measured, slope, MEASURED_NEAR) for slope in slopes):
        return None
    slope = slopes[-1]
    return among(
        measured,
        slope,
        WrongNumber(
            2 * slope,
            "one step",
            "That is twice too large. From the lower to the upper number there are two steps.",
        ),
        WrongNumber(
            slope / 2,
            "divided too often",
            "That is half of it. The distance is divided by two steps, and not by more.",
        ),
        WrongNumber(0.0, "not moved", "Nothing has moved. Was the model read again each time?"),
        tolerance=MEASURED_NEAR,
        name="measured",
    )


# 15.5

Paths = Callable[[list[StandIn]], Any]


def _paths(nodes: Sequence[StandIn], together: Callable[[list[float]], float] = sum) -> float:
    """How many paths lead from the first node to the last one."""
    found = {nodes[0]: 1.0}
    for node in nodes[1:]:
        found[node] = together([found[operand] for operand in node.inputs])
    return found[nodes[-1]]


def _without_repeats(nodes: Sequence[StandIn]) -> float:
    found = {nodes[0]: 1.0}
    for node in nodes[1:]:
        found[node] = sum(found[operand] for operand in set(node.inputs))
    return found[nodes[-1]]


def _every_leaf(nodes: Sequence[StandIn]) -> float:
    found: dict[StandIn, float] = {}
    for node in nodes:
        found[node] = sum(found[operand] for operand in node.inputs) if node.inputs else 1.0
    return found[nodes[-1]]


def _longest(nodes: Sequence[StandIn]) -> float:
    found = {nodes[0]: 1.0}
    for node in nodes[1:]:
        found[node] = 1 + max((found[operand] for operand in node.inputs), default=0)
    return found[nodes[-1]]


def _uses(nodes: Sequence[StandIn]) -> float:
    return float(sum(node.inputs.count(nodes[0]) for node in nodes))


def _gradient(nodes: Sequence[StandIn]) -> float:
    found = {nodes[-1]: 1.0}
    for node in reversed(nodes):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            found[operand] = found.get(operand, 0.0) + slope * found.get(node, 0.0)
    return found.get(nodes[0], 0.0)


PATH_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            _without_repeats,
            "repeats lost",
            "A node that is used twice by one operation has two edges there, and so two ways on.",
        ),
        (
            _every_leaf,
            "every leaf",
            "It counts the paths from all leaves. Only those from the first node are asked for.",
        ),
        (
            lambda nodes: float(len(nodes)),
            "nodes",
            "That is the number of nodes.",
        ),
        (
            lambda nodes: float(sum(len(node.inputs) for node in nodes)),
            "edges",
            "That is the number of edges.",
        ),
        (
            _longest,
            "longest path",
            "That is how many nodes the longest path has. How many paths are there?",
        ),
        (
            _uses,
            "uses",
            "That is how often the first node is used. Each of these ways may split again later.",
        ),
        (
            _gradient,
            "gradient",
            "That is the gradient: each path counts by its local derivatives. Here each path "
            "counts one.",
        ),
        (
            lambda nodes: _paths(nodes, math.prod),
            "multiplied",
            "Paths that come in by several inputs are added. Multiplying is what happens along a "
            "path.",
        ),
    )
)


def _square() -> Value:
    x = Value(3.0, "x")
    return x * x


def _split() -> Value:
    x = Value(3.0, "x")
    u = x * x
    return u + u * 2


def _two_leaves() -> Value:
    x, k = Value(2.0, "x"), Value(-1.5, "k")
    u = x * k
    return (u - x) * (k * k) * u


def _doubled(times: int) -> Value:
    x = Value(1.0, "x")
    for _ in range(times):
        x = x + x
    return x


def _case(words: str, output: Callable[[], Value], too_long: str = "") -> Case:
    def nodes() -> tuple[Any, ...]:
        made = everything_behind(stand_ins(Graph.of(output(), {}))[-1])
        return (
            [next(node for node in made if node.label == "x")]
            + [node for node in made if node.label != "x"],
        )

    return Case(words, nodes, too_long)


EXERCISES = (
    FunctionExercise(
        name="15.1",
        title="Count the weights of another GPT",
        cases=(
            _shape(1, 16, 16, 27),
            _shape(2, 8, 10, 5),
            _shape(3, 32, 64, 100),
            _shape(4, 12, 6, 30),
        ),
        reference=_count,
        shape=number,
        suspects=COUNT_SUSPECTS,
        forbidden={"engine.gpt.GPT", "engine.gpt.Shape"},
        mistakes="""
width of 64 typed in | = lambda *shape: _made(*shape, squares=4) + shape[0] * shape[1] * 2 * 64
    64 is right for the width of 16 alone. The middle of the MLP is four times as wide as the model.
""",
        given=globals(),
        right="Three tables once, and six matrices for each layer.",
        hints=(
            "The chapter prints rows and columns of every matrix. Which of these sizes is the "
            "width, the context, the vocabulary?",
            "Three tables are there once: wte, wpe and lm_head. The other six belong to a layer.",
            "In a layer there are four matrices of width times width, and two that are four times "
            "as large.",
        ),
    ),
    AnswerExercise(
        name="15.2",
        title="How many of each?",
        shape=numbers(*OPERATIONS),
        judge=_judge_counts,
        right="Each operation has its place, and you know how often the name passes it.",
        hints=(
            "How many tokens are read, and how many guesses are made?",
            "One logarithm for each guess; one power for each norm; as many ReLUs as fc1 has rows.",
            "exp: one for each token in each guess, and one for each score in each head. The first "
            "position has one score, the second one has two.",
        ),
    ),
    AnswerExercise(
        name="15.3",
        title="Why is it zero?",
        shape=all_of(ZEROS, one_of(*REASONS)),
        judge=_judge_reasons,
        right="Four different reasons, and one and the same number.",
        hints=(
            "Which rows of wte and wpe does the name use? Is the letter e in it?",
            "fc1 stands before the ReLU, and fc2 behind it. For which of them does the product "
            "itself stay 0?",
            "For the last one look at the questions of chapter 14: what does softmax make of a "
            "single score?",
        ),
    ),
    AnswerExercise(
        name="15.4",
        title="An honest check",
        shape=fields(weight=label, gradient=number, measured=number),
        judge=_judge_check,
        right="Two ways that know nothing of each other, and one number.",
        hints=(
            "First find a weight whose gradient is not 0. lm_head has many.",
            "Set weight.data a little higher, read the name again, take the loss; then a little "
            "lower. Put the old number back.",
            "The chapter has the function measured(weight): copy it into a cell of your own.",
        ),
    ),
    FunctionExercise(
        name="15.5",
        title="Count the paths",
        cases=(
            _case("x * x", _square),
            _case("u = x * x; y = u + u * 2", _split),
            _case("a graph with two leaves", _two_leaves),
            _case("six doublings", lambda: _doubled(6)),
            _case(
                "sixty doublings",
                lambda: _doubled(60),
                "The counts are right, but it walks the paths one by one. Let each node keep its "
                "count.",
            ),
        ),
        reference=_paths,
        shape=number,
        renew=as_they_are,
        suspects=PATH_SUSPECTS,
        right="Nobody walks them one by one: each node collects, and hands on once.",
        hints=(
            "How many paths lead from the first node to itself? One, the empty one.",
            "A node is reached through its inputs. So its number of paths is the sum of those of "
            "its inputs, repeats included.",
            "Keep the numbers in a dictionary, and go through the list once, from the front. "
            "Another leaf has no inputs, and so no path.",
        ),
    ),
)
