"""The exercises of chapter 09: neurons, layers, and twins.

>>> [exercise.name for exercise in EXERCISES]
['09.1', '09.2', '09.3', '09.4', '09.5', '09.6']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    fields,
    number,
    numbers,
    one_of,
)
from engine.course.checks.plain import Calculation, in_words
from engine.nn import MLP
from engine.text import number_text
from engine.value import Value

# 09.1: the neuron whose gradients are asked for.
NEURON = {"x1": 1.5, "x2": -2.0, "w1": 0.5, "w2": 0.25, "b": 0.25}
# 09.2: the two neurons of a layer, and their inputs.
LAYER = {"x1": 2.0, "x2": 0.0, "u1": 0.5, "u2": 1.0, "c": 0.5, "v1": -1.0, "v2": 3.0, "d": 0.5}
ZERO, NOT_ZERO = "zero", "not zero"
# 09.6: every parameter of the twins begins with this number, and this is their input.
TWIN_START, TWIN_INPUT = 0.5, 0.5
TWIN_PARAMETERS = ("w1", "b1", "w2", "b2", "v1", "v2", "c")
# So flat is a tanh that nothing gets through any more.
FLAT = 1e-6


# 09.1


def neuron_gradients() -> dict[str, float]:
    """The engine's answers to 09.1, the gradient of the sum among them.

    >>> found = neuron_gradients()
    >>> found["b"] == found["total"], found["w1"] == 1.5 * found["b"]
    (True, True)
    """
    leaves = {name: Value(data) for name, data in NEURON.items()}
    total = leaves["w1"] * leaves["x1"] + leaves["w2"] * leaves["x2"] + leaves["b"]
    total.tanh().backward()
    return {"total": total.grad, **{name: leaf.grad for name, leaf in leaves.items()}}


PARTNERS = {"w1": "x1", "w2": "x2", "x1": "w1", "x2": "w2"}


def _slip(number_: float, kind: str, words: str) -> WrongNumber:
    """A known mistake; two braces in its words stand for the number it leads to."""
    return WrongNumber(number_, kind, words.format(number_text(number_)))


def _total() -> float:
    return sum(NEURON[f"w{k}"] * NEURON[f"x{k}"] for k in (1, 2)) + NEURON["b"]


def _gradient_slips(name: str) -> Iterable[WrongNumber]:
    """What known mistakes lead to for one gradient of the neuron."""
    bent, slope = math.tanh(_total()), neuron_gradients()["total"]
    factor = NEURON[PARTNERS[name]] if name in PARTNERS else 1.0
    if name in PARTNERS:
        words = "{} uses its own number. At a product it is the other one that counts."
        yield _slip(NEURON[name] * slope, "own data", words)
        words = "{} is the gradient of the sum. At the product one more factor comes in."
        yield _slip(slope, "product forgotten", words)
    yield _slip(
        factor,
        "tanh forgotten",
        "{} is right for a neuron that does not bend its sum. What does tanh hand on?",
    )
    yield _slip(
        factor * bent,
        "result",
        "{} comes from the result of tanh. How fast does the result change?",
    )
    yield _slip(
        factor * (1 - bent), "not squared", "In the local derivative of tanh, something is squared."
    )
    yield _slip(
        factor * (1 - _total() ** 2),
        "input squared",
        "In the local derivative of tanh, not the sum is squared, but the result.",
    )
    if name in NEURON:
        yield _slip(NEURON[name], "data", "{} is the number itself, not its gradient.")


def _judge_neuron(answer: dict[str, float]) -> Finding | None:
    return next(
        (
            found
            for name, right in neuron_gradients().items()
            if (found := among(answer[name], right, *_gradient_slips(name), name=name))
        ),
        None,
    )


# 09.2


def layer_gradients() -> dict[str, float]:
    """The gradients that 09.2 asks about.

    >>> layer_gradients()["x2"]
    1.0
    """
    leaves = {name: Value(data) for name, data in LAYER.items()}
    x1, x2, u1, u2, c, v1, v2, d = leaves.values()
    first = (u1 * x1 + u2 * x2 + c).relu()
    second = (v1 * x1 + v2 * x2 + d).relu()
    (first + second).backward()
    return {name: leaf.grad for name, leaf in leaves.items()}


LAYER_SLIPS = (
    (
        ("v1", "v2", "d"),
        "closed",
        "The second neuron's sum is negative, so its ReLU is closed. What comes through it?",
    ),
    (
        ("u2",),
        "unused",
        "The gradient of a weight has its input as a factor. Which input does u2 have?",
    ),
    (
        ("x2",),
        "own zero",
        "x2 is 0 itself, but that is its data. The gradient of an input has its weight as a "
        "factor.",
    ),
    (
        ("u1", "c", "x1"),
        "too many zeros",
        "The first neuron is open, and lets something through.",
    ),
)


def _judge_zeros(answer: dict[str, str]) -> Finding | None:
    right = {name: ZERO if grad == 0.0 else NOT_ZERO for name, grad in layer_gradients().items()}
    wrong = [name for name in right if answer[name] != right[name]]
    for names, kind, words in LAYER_SLIPS:
        if set(names) & set(wrong):
            seen = f"{len(right) - len(wrong)} of {len(right)} are right."
            return Finding(kind, f"{seen} {words}")
    return None


# 09.3


def _of_layers(inputs: int, sizes: Sequence[int]) -> list[tuple[int, int]]:
    """How many inputs and how many neurons each layer has."""
    return [*zip([inputs, *sizes], sizes, strict=False)]


def _count(inputs: int, sizes: Sequence[int]) -> int:
    return len(MLP(inputs, sizes).parameters())


def _weights_alone(inputs: int, sizes: Sequence[int]) -> int:
    return sum(width * size for width, size in _of_layers(inputs, sizes))


COUNT_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (_weights_alone, "no bias", "Each neuron has one more number besides its weights."),
        (
            lambda inputs, sizes: _weights_alone(inputs, sizes) + len(sizes),
            "a bias for each layer",
            "A bias belongs to one neuron, and not to a layer.",
        ),
        (
            lambda inputs, sizes: _count(inputs, sizes) + inputs,
            "a bias for each input",
            "The inputs are no neurons: they have no bias.",
        ),
        (
            lambda inputs, sizes: sum(sizes),
            "neurons",
            "That is the number of neurons. How many numbers does each of them have?",
        ),
        (
            lambda inputs, sizes: sum((inputs + 1) * size for size in sizes),
            "all read the inputs",
            "Only the first layer reads the inputs. What does the next one read?",
        ),
        (
            lambda inputs, sizes: (inputs + 1) * sizes[0],
            "first layer only",
            "That is the first layer alone.",
        ),
        (
            lambda inputs, sizes: _count(inputs, sizes[:-1]) if sizes[1:] else 0,
            "last layer forgotten",
            "The last layer has parameters too.",
        ),
    )
)


def _model(inputs: int, *sizes: int) -> Case:
    names = ", ".join(map(str, sizes))
    return Case(f"{inputs} inputs and the sizes {names}", lambda: (inputs, list(sizes)))


# 09.4 and 09.5: what a learner records, seen from its leaves.


def _leaves(name: str, data: Iterable[float]) -> list[Value]:
    return [Value(each, f"{name}{k}") for k, each in enumerate(data, start=1)]


def _flat(argument: Any) -> list[Value]:
    if isinstance(argument, Value):
        return [argument]
    return [leaf for member in argument for leaf in _flat(member)]


def _walked(arguments: tuple[Any, ...], output: Value) -> dict[str, float]:
    for leaf in _flat(arguments):
        leaf.grad = 0.0
    output.backward()
    return {f"grad {leaf.label}": leaf.grad for leaf in _flat(arguments)}


def _seen_neuron(arguments: tuple[Any, ...], result: Any) -> Any:
    if not isinstance(result, Value):
        return result
    return {"answer": result.data, **_walked(arguments, result)}


def _neuron_shape(answer: Any) -> Finding | None:
    if isinstance(answer, dict) and "answer" in answer:
        return None
    if isinstance(answer, float):
        return Finding(
            "no record",
            f"it gives the plain number {number_text(answer)}. Calculate with the Values, without "
            ".data.",
        )
    if isinstance(answer, list | tuple):
        return Finding("list", f"it gives {in_words(answer)}. A neuron gives back one number.")
    return Finding("type", f"it gives {in_words(answer)}, and should give a Value.")


def _products(inputs: Sequence[Value], weights: Sequence[Value]) -> list[Value]:
    return [weight * x for weight, x in zip(weights, inputs, strict=False)]


def _added(values: Sequence[Value]) -> Value:
    return sum(values[1:], values[0])


def _neuron(inputs: Sequence[Value], weights: Sequence[Value], bias: Value) -> Value:
    return (_added(_products(inputs, weights)) + bias).tanh()


NEURON_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (
            lambda inputs, weights, bias: _added(_products(inputs, weights)).tanh(),
            "no bias",
            "the bias has no part in it.",
        ),
        (
            lambda inputs, weights, bias: _added(_products(inputs, weights)) + bias,
            "not bent",
            "the sum is not bent. Take tanh of it.",
        ),
        (
            lambda inputs, weights, bias: _added(_products(inputs, weights)).tanh() + bias,
            "bias too late",
            "the bias is added after tanh. It belongs to the sum.",
        ),
        (
            lambda inputs, weights, bias: _added(
                [p + bias for p in _products(inputs, weights)]
            ).tanh(),
            "a bias for each product",
            "the bias is added to each product. A neuron adds it once.",
        ),
        (
            lambda inputs, weights, bias: (
                _added([p.tanh() for p in _products(inputs, weights)]) + bias
            ),
            "each product bent",
            "tanh is taken of each product. First add, then bend.",
        ),
        (
            lambda inputs, weights, bias: (_products(inputs, weights)[0] + bias).tanh(),
            "first product only",
            "only the first product is there. Go through all inputs.",
        ),
        (
            lambda inputs, weights, bias: (_added(weights) * _added(inputs) + bias).tanh(),
            "sums multiplied",
            "it multiplies the sum of the weights by the sum of the inputs. Each weight belongs "
            "to one input.",
        ),
        (
            lambda inputs, weights, bias: Value(_neuron(inputs, weights, bias).data),
            "record lost",
            "the answer is right, and no gradient reaches the leaves. The record was lost on the "
            "way, with .data.",
        ),
    )
)


def _neuron_case(words: str, inputs: Iterable[float], weights: Iterable[float], b: float) -> Case:
    return Case(words, lambda: (_leaves("x", inputs), _leaves("w", weights), Value(b, "b")))


# 09.5


def _seen_layer(arguments: tuple[Any, ...], result: Any) -> Any:
    if not isinstance(result, list | tuple) or not all(isinstance(r, Value) for r in result):
        return result
    # Each answer counts differently, so that exchanged answers have other gradients.
    weighed = [answer * place for place, answer in enumerate(result, start=1)]
    gradients = _walked(arguments, _added(weighed) if weighed else Value(0.0))
    return {"answers": [answer.data for answer in result], **gradients}


def _layer_shape(answer: Any) -> Finding | None:
    if isinstance(answer, dict) and "answers" in answer:
        return None
    if isinstance(answer, Calculation):
        return Finding(
            "one number",
            f"it gives {in_words(answer)}. A layer gives back a list, with one answer for each "
            "neuron.",
        )
    if isinstance(answer, list | tuple) and any(isinstance(member, float) for member in answer):
        return Finding(
            "no record", "there are plain numbers in its list. Calculate with the Values."
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a list of Values.")


def _layer(inputs: Any, rows: Any, biases: Any) -> list[Value]:
    return [_neuron(inputs, row, bias) for row, bias in zip(rows, biases, strict=False)]


def _in_a_row(inputs: Any, rows: Any, biases: Any) -> list[Value]:
    read, answers = list(inputs), []
    for row, bias in zip(rows, biases, strict=True):
        answers.append(_neuron(read, row, bias))
        read = [answers[-1], *read[1:]]
    return answers


LAYER_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (
            lambda inputs, rows, biases: _layer(inputs, [rows[0]] * len(rows), biases),
            "same weights",
            "all neurons have the weights of the first one.",
        ),
        (
            lambda inputs, rows, biases: _layer(inputs, rows, [biases[0]] * len(rows)),
            "same bias",
            "all neurons have the bias of the first one.",
        ),
        (
            lambda inputs, rows, biases: _layer(inputs, [*zip(*rows, strict=True)], biases),
            "columns",
            "the weights are taken by columns. One row belongs to one neuron.",
        ),
        (
            lambda inputs, rows, biases: [_neuron(inputs, rows[0], biases[0])],
            "first neuron only",
            "there is only one answer. Is there a return inside the loop?",
        ),
        (
            _in_a_row,
            "in a row",
            "a neuron reads the answer of the one before. In a layer all read the same inputs.",
        ),
        (
            lambda inputs, rows, biases: [
                _added(_products(inputs, row)) + bias
                for row, bias in zip(rows, biases, strict=True)
            ],
            "not bent",
            "the sums are not bent. Take tanh of each.",
        ),
    )
)


def _layer_case(words: str, inputs: list[float], rows: list[list[float]], b: list[float]) -> Case:
    return Case(
        words,
        lambda: (
            _leaves("x", inputs),
            [_leaves(f"w{k}", row) for k, row in enumerate(rows, start=1)],
            _leaves("b", b),
        ),
    )


# 09.6


def twins(changed: str, data: float) -> tuple[dict[str, float], list[float]]:
    """The gradients of the twins' parameters, and the slopes of both tanh.

    Args:
        changed: the parameter that does not begin like the others.
        data: the number it begins with.

    >>> gradients, _ = twins("c", 0.1)
    >>> gradients["w1"] == gradients["w2"], gradients["b1"] == gradients["b2"]
    (True, True)
    """
    p = {name: Value(data if name == changed else TWIN_START) for name in TWIN_PARAMETERS}
    answers = [(p[f"w{k}"] * TWIN_INPUT + p[f"b{k}"]).tanh() for k in (1, 2)]
    (p["v1"] * answers[0] + p["v2"] * answers[1] + p["c"]).backward()
    slopes = [answer.local_derivatives[0] for answer in answers]
    return {name: leaf.grad for name, leaf in p.items()}, slopes


def _seem_equal(gradients: dict[str, float]) -> bool:
    return math.isclose(gradients["w1"], gradients["w2"], rel_tol=1e-6)


def _judge_twins(answer: dict[str, Any]) -> Finding | None:
    name, data = answer["parameter"], answer["number"]
    if not math.isfinite(data) or abs(data) > 1e100:
        return Finding("no number", f"A model cannot begin with {number_text(data)}.")
    if data == TWIN_START:
        return Finding("same number", f"{name} begins with that number anyway: nothing changes.")
    gradients, slopes = twins(name, data)
    if min(slopes) < FLAT:
        return Finding(
            "saturated",
            f"With {name} = {number_text(data)} the twins differ, but one of them is so far out "
            "that its tanh is flat: hardly anything reaches its weight. Take a smaller change.",
        )
    if gradients["w1"] != gradients["w2"] and _seem_equal(gradients):
        return Finding(
            "too small",
            f"With {name} = {data!r} they differ by less than can be seen here. Take a larger "
            "change.",
        )
    if _seem_equal(gradients) and name not in ("v1", "v2", "c"):
        return Finding(
            "mirrored",
            f"With {name} = {number_text(data)} the two sums are opposite numbers, and tanh is "
            "equally steep there: both weights have the same gradient. Take another number.",
        )
    if _seem_equal(gradients):
        return Finding(
            "still twins",
            f"With {name} = {number_text(data)} the weights of both neurons have the gradient "
            f"{number_text(gradients['w1'])}. They stay twins. What belongs to one of them alone?",
        )
    return None


EXERCISES = (
    AnswerExercise(
        name="09.1",
        title="Six gradients without a walk",
        shape=numbers("total", *NEURON),
        judge=_judge_neuron,
        right="The sum's gradient, times an input or times a weight: that is all a neuron does.",
        hints=(
            "Begin with the sum: calculate it, and then the local derivative of tanh there.",
            "The local derivative of tanh is 1 - tanh(...)**2, and math.tanh knows tanh.",
            "The bias gets the gradient of the sum. A weight gets it times its input, an input "
            "gets it times its weight.",
        ),
    ),
    AnswerExercise(
        name="09.2",
        title="Which gradients are zero?",
        shape=all_of(LAYER, one_of(ZERO, NOT_ZERO)),
        judge=_judge_zeros,
        right="A closed ReLU and an unused weight learn nothing; an input of 0 has a gradient.",
        hints=(
            "First calculate the two sums. Which ReLU is open, and which is closed?",
            "Nothing gets through a closed ReLU: all parameters behind it receive 0.",
            "A weight's gradient has its input as a factor, and an input's gradient has its weight "
            "as a factor. Mind which one of u2 and x2 is 0.",
        ),
    ),
    FunctionExercise(
        name="09.3",
        title="Count the parameters",
        cases=(_model(2, 3, 1), _model(2, 16, 16, 1), _model(3, 5), _model(1, 4, 2, 3)),
        reference=_count,
        shape=number,
        suspects=COUNT_SUSPECTS,
        forbidden={"engine.nn.MLP", "engine.nn.Layer", "engine.nn.Neuron"},
        right="Each neuron: one weight for each number it reads, and one bias.",
        hints=(
            "How many parameters has one neuron that reads n numbers?",
            "A layer has that many for each of its neurons. The next layer reads as many numbers "
            "as this one has neurons.",
            "Keep a variable for how many numbers the present layer reads. It begins with inputs, "
            "and after each layer it is the size of that layer.",
        ),
    ),
    FunctionExercise(
        name="09.4",
        title="Write a neuron",
        cases=(
            _neuron_case("a neuron of two inputs", (0.5, -1.0), (2.0, 0.5), 0.1),
            _neuron_case("a neuron of three inputs", (1.5, -0.5, 0.3), (-0.2, 0.7, 1.1), -0.4),
            _neuron_case("a neuron of one input", (0.8,), (0.6,), 0.2),
        ),
        reference=_neuron,
        shape=_neuron_shape,
        observe=_seen_neuron,
        suspects=NEURON_SUSPECTS,
        forbidden={"engine.nn.MLP", "engine.nn.Layer", "engine.nn.Neuron"},
        right="Multiply, add, bend: and the gradients come by themselves.",
        hints=(
            "Three things: multiply each input by its weight, add, bend.",
            "zip(weights, inputs) goes through both lists together. sum(...) adds a list of "
            "Values.",
            "Add the bias to the sum, put parentheses around both, and call .tanh() on that.",
        ),
    ),
    FunctionExercise(
        name="09.5",
        title="Write a layer",
        cases=(
            _layer_case(
                "a layer of two neurons", [0.5, -1.0], [[2.0, 0.5], [-0.3, 0.8]], [0.1, -0.2]
            ),
            _layer_case(
                "a layer of three neurons",
                [1.2, 0.4],
                [[0.3, -0.6], [0.9, 0.1], [-0.5, 0.7]],
                [0.0, 0.3, -0.1],
            ),
        ),
        reference=_layer,
        shape=_layer_shape,
        observe=_seen_layer,
        suspects=LAYER_SUSPECTS,
        forbidden={"engine.nn.MLP", "engine.nn.Layer", "engine.nn.Neuron"},
        right="The list keeps the neurons together, and no rule had to be added.",
        hints=(
            "Begin with an empty list, and append the answer of each neuron.",
            "zip(rows, biases) gives you the weights and the bias of one neuron after the other.",
            "Call your function of the exercise before: my_neuron(inputs, row, bias).",
        ),
    ),
    AnswerExercise(
        name="09.6",
        title="Part the twins",
        shape=fields(parameter=one_of(*TWIN_PARAMETERS), number=number),
        judge=_judge_twins,
        right="One different number is enough: from the next step on, they go their own ways.",
        hints=(
            "Draw the model: which parameters belong to one neuron, and which one to none?",
            "The gradient of w1 is made of the input, the slope of the first tanh and v1.",
            "Change a parameter of one neuron, or the weight by which its answer is multiplied, "
            "and only a little.",
        ),
    ),
)
