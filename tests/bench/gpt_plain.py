"""The tiny GPT of `engine.gpt` once more, for numbers of any engine with the nine operations."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import micrograd.engine

import engine
from engine.gpt import EPSILON, GPT
from tests.bench import reference

Vector = list[Any]
Weights = dict[str, list[Vector]]


@dataclass(frozen=True)
class Numbers:
    """The numbers of an engine.

    Attributes:
        make: makes a parameter.
        exp: the number e to the power of one.
        log: the natural logarithm of one.
    """

    make: Callable[[float], Any]
    exp: Callable[[Any], Any]
    log: Callable[[Any], Any]

    def weights(self, gpt: GPT) -> Weights:
        """The same weights as those of the GPT."""
        return {
            name: [[self.make(weight.data) for weight in row] for row in matrix]
            for name, matrix in gpt.weights.items()
        }


def loss(numbers: Numbers, weights: Weights, tokens: Sequence[int], heads: int = 4) -> Any:
    """The loss of one document by a GPT with one layer."""
    keys: list[Vector] = []
    values: list[Vector] = []
    losses = []
    for position, (token, following) in enumerate(pairwise(tokens)):
        row, place = weights["wte"][token], weights["wpe"][position]
        stream = rmsnorm([a + b for a, b in zip(row, place, strict=True)])
        normed = rmsnorm(stream)
        keys.append(matvec(weights["wk"], normed))
        values.append(matvec(weights["wv"], normed))
        mixed = attention(numbers, matvec(weights["wq"], normed), keys, values, heads)
        stream = added(stream, matvec(weights["wo"], mixed))
        hidden = [number.relu() for number in matvec(weights["fc1"], rmsnorm(stream))]
        stream = added(stream, matvec(weights["fc2"], hidden))
        shares = softmax(numbers, matvec(weights["lm_head"], stream))
        losses.append(-numbers.log(shares[following]))
    return total(losses) / len(losses)


def attention(
    numbers: Numbers, query: Vector, keys: list[Vector], values: list[Vector], heads: int
) -> Vector:
    """What each head takes from the positions so far, side by side."""
    size = len(query) // heads
    mixed: Vector = []
    for start in range(0, len(query), size):
        part = slice(start, start + size)
        scores = [dot(query[part], key[part]) / math.sqrt(size) for key in keys]
        shares = softmax(numbers, scores)
        columns = zip(*(value[part] for value in values), strict=True)
        mixed += [dot(shares, column) for column in columns]
    return mixed


def total(terms: Vector) -> Any:
    """Add from left to right."""
    result, *others = terms
    for term in others:
        result = result + term
    return result


def dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The sum of the products."""
    return total([a * b for a, b in zip(left, right, strict=True)])


def matvec(rows: Sequence[Vector], vector: Vector) -> Vector:
    """A matrix times a vector."""
    return [dot(row, vector) for row in rows]


def added(left: Vector, right: Vector) -> Vector:
    """Pair by pair."""
    return [a + b for a, b in zip(left, right, strict=True)]


def rmsnorm(vector: Vector) -> Vector:
    """Divided by the root of the mean square."""
    scale = (dot(vector, vector) / len(vector) + EPSILON) ** -0.5
    return [number * scale for number in vector]


def softmax(numbers: Numbers, scores: Vector) -> Vector:
    """Shares that add up to 1."""
    largest = max(score.data for score in scores)
    powers = [numbers.exp(score - largest) for score in scores]
    together = total(powers)
    return [power / together for power in powers]


def micrograd_exp(value: Any) -> Any:
    """The number e to a power, in the style of micrograd, which does not have it."""
    result = micrograd.engine.Value(math.exp(value.data), (value,), "exp")

    def backward() -> None:
        value.grad += result.data * result.grad

    result._backward = backward
    return result


def micrograd_log(value: Any) -> Any:
    """The natural logarithm, in the style of micrograd, which does not have it."""
    result = micrograd.engine.Value(math.log(value.data), (value,), "log")

    def backward() -> None:
        value.grad += result.grad / value.data

    result._backward = backward
    return result


OURS = Numbers(engine.Parameter, engine.Value.exp, engine.Value.log)
REFERENCE = Numbers(reference.Value, reference.Value.exp, reference.Value.log)
MICROGRAD = Numbers(micrograd.engine.Value, micrograd_exp, micrograd_log)
