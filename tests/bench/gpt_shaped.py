"""A recording with the size and the scopes of a tiny GPT, for what has to work on large graphs."""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.constants import Literal
from engine.recording import scope
from engine.value import Parameter, Value

VOCABULARY = 27
Vector = list[Value]


@dataclass
class GptShaped:
    """Tokens x layers x heads, out of single numbers.

    Attributes:
        width: numbers in the residual stream.
        heads: attention heads in each layer; they share the width.
        layers: how often attention and multilayer perceptron are repeated.
        seed: of the initial weights.
    """

    width: int = 16
    heads: int = 4
    layers: int = 1
    seed: int = 1
    weights: dict[str, list[list[Parameter]]] = field(init=False)

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)

        def matrix(name: str, rows: int, columns: int) -> list[list[Parameter]]:
            return [
                [Parameter(chance.gauss(0, 0.3), f"{name}[{i}][{j}]") for j in range(columns)]
                for i in range(rows)
            ]

        width = self.width
        self.weights = {
            "wte": matrix("wte", VOCABULARY, width),
            "wpe": matrix("wpe", 16, width),
            "head": matrix("head", VOCABULARY, width),
        }
        for layer in range(self.layers):
            for name in ("wq", "wk", "wv", "wo"):
                self.weights[self._name(name, layer)] = matrix(
                    self._name(name, layer), width, width
                )
            self.weights[self._name("fc1", layer)] = matrix(
                self._name("fc1", layer), 4 * width, width
            )
            self.weights[self._name("fc2", layer)] = matrix(
                self._name("fc2", layer), width, 4 * width
            )

    def _name(self, name: str, layer: int) -> str:
        return name if self.layers == 1 else f"layer{layer}.{name}"

    def loss(self, tokens: Sequence[int]) -> Value:
        """The mean loss of each token after the one before it."""
        keys: list[list[Vector]] = [[] for _ in range(self.layers)]
        values: list[list[Vector]] = [[] for _ in range(self.layers)]
        losses = []
        for position, (token, target) in enumerate(pairwise(tokens)):
            with scope(f"token{position}"):
                losses.append(self._token(position, token, target, keys, values))
        with scope("loss"):
            return sum_of(losses) * (1 / len(losses))

    def _token(
        self,
        position: int,
        token: int,
        target: int,
        keys: list[list[Vector]],
        values: list[list[Vector]],
    ) -> Value:
        with scope("embed"):
            row, place = self.weights["wte"][token], self.weights["wpe"][position]
            stream = normed([a + b for a, b in zip(row, place, strict=True)])
        for layer in range(self.layers):
            with scope(f"layer{layer}"):
                with scope("attention"):
                    stream = self._attention(stream, layer, keys[layer], values[layer])
                with scope("mlp"):
                    stream = self._mlp(stream, layer)
        with scope("logits"):
            logits = self._times("head", stream)
        with scope("loss"):
            return -softmax(logits)[target].log()

    def _attention(
        self, stream: Vector, layer: int, keys: list[Vector], values: list[Vector]
    ) -> Vector:
        rooted = normed(stream)
        query = self._times(self._name("wq", layer), rooted)
        keys.append(self._times(self._name("wk", layer), rooted))
        values.append(self._times(self._name("wv", layer), rooted))
        size = self.width // self.heads
        joined: Vector = []
        for head in range(self.heads):
            with scope(f"head{head}"):
                part = slice(head * size, (head + 1) * size)
                scores = [
                    dot(query[part], key[part]) / Literal(math.sqrt(size), "root") for key in keys
                ]
                weights = softmax(scores)
                joined += [
                    dot(weights, [value[place] for value in values])
                    for place in range(part.start, part.stop)
                ]
        return added(stream, self._times(self._name("wo", layer), joined))

    def _mlp(self, stream: Vector, layer: int) -> Vector:
        hidden = [h.relu() for h in self._times(self._name("fc1", layer), normed(stream))]
        return added(stream, self._times(self._name("fc2", layer), hidden))

    def _times(self, name: str, vector: Vector) -> Vector:
        return [dot(row, vector) for row in self.weights[name]]


def sum_of(numbers: Iterable[Value]) -> Value:
    """Add them from left to right."""
    first, *rest = numbers
    for number in rest:
        first = first + number
    return first


def dot(left: Sequence[Value], right: Sequence[Value]) -> Value:
    """The sum of the products."""
    return sum_of(a * b for a, b in zip(left, right, strict=True))


def added(left: Vector, right: Vector) -> Vector:
    """Each number of the one plus the number of the other."""
    return [a + b for a, b in zip(left, right, strict=True)]


def normed(vector: Vector) -> Vector:
    """Divided by the root of the mean square."""
    scale = (dot(vector, vector) * (1 / len(vector)) + Literal(1e-5, "epsilon")) ** -0.5
    return [number * scale for number in vector]


def softmax(logits: Vector) -> Vector:
    """Shares that add up to 1."""
    highest = Literal(max(number.data for number in logits), "max")
    powers = [(number - highest).exp() for number in logits]
    total = sum_of(powers)
    return [power / total for power in powers]


# Six letters between two ends make about 56,000 nodes.
NAME = (0, 5, 13, 1, 12, 9, 3, 0)
SHORT_NAME = (0, 5, 13, 1)
