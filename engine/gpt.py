"""A tiny GPT out of nine operations on single numbers; no derivative is written here.

GPT stands for generative pre-trained transformer: a stack of self-attention and MLPs (that is a
transformer, here its decoder) that is trained to guess the next token, and so can write text.

Structure and sizes follow A. Karpathy's microgpt: one layer, four heads, 4,192 parameters.

>>> gpt = GPT(seed=1)
>>> len(gpt.parameters())
4192
>>> reading = gpt.read(encode("ada"))
>>> reading.loss.backward()
>>> 3.0 < reading.loss.data < 3.6
True
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from operator import index
from pathlib import Path
from random import Random
from typing import NoReturn

from engine.constants import Literal, Maximum
from engine.numbers import not_negative, whole
from engine.recording import scope
from engine.tape import Tape
from engine.text import shown
from engine.value import Parameter, Value

LETTERS = "abcdefghijklmnopqrstuvwxyz"
BOS = len(LETTERS)
EPSILON = 1e-5
DEVIATION = 0.08

Vector = list[Value]
Matrix = list[list[Parameter]]


# -- letters and tokens --------------------------------------------------------------------------


def encode(name: str) -> list[int]:
    """Write a name as tokens: a number for each letter, and BOS at both ends.

    Args:
        name: small letters from a to z.

    Raises:
        TypeError: the name is no text.
        ValueError: another character.

    >>> encode("ada")
    [26, 0, 3, 0, 26]
    """
    if not isinstance(name, str):
        raise TypeError(f"a name is text, got {shown(name)} ({type(name).__name__}).")
    for letter in name:
        if letter not in LETTERS:
            raise ValueError(f"the vocabulary is a to z, but {shown(name)} holds {letter!r}.")
    return [BOS, *map(LETTERS.index, name), BOS]


def decode(tokens: Iterable[int]) -> str:
    """Read tokens as letters; BOS is no letter.

    Raises:
        TypeError: ``tokens`` is no list.
        ValueError: something is no token.

    >>> decode([26, 0, 3, 0, 26])
    'ada'
    """
    return "".join(LETTERS[token] for token in checked_tokens(tokens) if token != BOS)


def checked_tokens(tokens: Iterable[int], vocabulary: int = BOS + 1) -> list[int]:
    """Refuse what is no token: a negative number would count from the end of a list.

    Args:
        tokens: whole numbers, also those of NumPy.
        vocabulary: how many tokens there are.

    Returns:
        The same tokens, as Python's whole numbers.

    Raises:
        TypeError: ``tokens`` is no list.
        ValueError: something is no token.

    >>> checked_tokens([26, 27])
    Traceback (most recent call last):
        ...
    ValueError: a token is a whole number from 0 to 26, got 27.
    """
    if not isinstance(tokens, Iterable):
        raise TypeError(f"tokens come in a list, such as {encode('ada')}, got {shown(tokens)}.")
    listed = list(tokens)
    for token in listed:
        is_whole = hasattr(token, "__index__") and not isinstance(token, bool)
        if not is_whole or not 0 <= token < vocabulary:
            raise ValueError(
                f"a token is a whole number from 0 to {vocabulary - 1}, got {shown(token)}."
            )
    return [*map(index, listed)]


# -- vectors -------------------------------------------------------------------------------------


def dot(left: Sequence[Value], right: Sequence[Value]) -> Value:
    """Multiply pair by pair, and add the products from left to right.

    >>> dot([Value(1.0), Value(2.0)], [Value(3.0), Value(4.0)]).data
    11.0
    """
    if len(left) != len(right) or not left:
        raise ValueError(f"a dot product needs two equal lengths, got {len(left)}, {len(right)}.")
    products = [a * b for a, b in zip(left, right, strict=True)]
    return sum(products[1:], products[0])


def matvec(rows: Sequence[Sequence[Value]], vector: Sequence[Value]) -> Vector:
    """Take the dot product of each row with the vector: a matrix times a vector.

    >>> vector = [Value(1.0), Value(2.0)]
    >>> [number.data for number in matvec([[Value(3.0), Value(4.0)], vector], vector)]
    [11.0, 5.0]
    """
    return [dot(row, vector) for row in rows]


def addvec(left: Sequence[Value], right: Sequence[Value]) -> Vector:
    """Add pair by pair.

    >>> [number.data for number in addvec([Value(1.0), Value(2.0)], [Value(3.0), Value(4.0)])]
    [4.0, 6.0]
    """
    return [a + b for a, b in zip(left, right, strict=True)]


def softmax(scores: Sequence[Value]) -> Vector:
    """Turn scores into probabilities: positive numbers that add up to 1.

    The largest score is taken off first, so that no power can overflow. It may be a literal: the
    same number off every score cancels in the quotient, so its derivative is 0.

    >>> [probability.data for probability in softmax([Value(1000.0), Value(1000.0)])]
    [0.5, 0.5]
    """
    largest = Maximum(scores)
    powers = [(score - largest).exp() for score in scores]
    total = sum(powers[1:], powers[0])
    return [power / total for power in powers]


def rmsnorm(vector: Sequence[Value]) -> Vector:
    """Divide by the root of the mean square, so that the new mean square is about 1.

    Source: B. Zhang and R. Sennrich, Root Mean Square Layer Normalization (2019), without gain.

    >>> [round(number.data, 3) for number in rmsnorm([Value(3.0), Value(-4.0)])]
    [0.849, -1.131]
    """
    mean_square = dot(vector, vector) / len(vector)
    scale = (mean_square + Literal(EPSILON, "epsilon")) ** -0.5
    return [number * scale for number in vector]


def attend(
    query: Sequence[Value], keys: Sequence[Sequence[Value]], values: Sequence[Sequence[Value]]
) -> tuple[Vector, Vector]:
    """One head of self-attention, for one position: read from all positions so far.

    Source: A. Vaswani et al., Attention Is All You Need (2017), section 3.2.1.

    Args:
        query: what this position looks for.
        keys: what each position so far offers, one vector each.
        values: what each position so far hands over, one vector each.

    Returns:
        The mixture of the values, and the attention weights: how much it took of each.

    >>> same = [Value(1.0), Value(0.0)]
    >>> mixture, weights = attend(same, keys=[same, same], values=[[Value(2.0)], [Value(4.0)]])
    >>> [number.data for number in mixture], [weight.data for weight in weights]
    ([3.0], [0.5, 0.5])
    """
    root = Literal(math.sqrt(len(query)), "root")
    weights = softmax([dot(query, key) / root for key in keys])
    return [dot(weights, column) for column in zip(*values, strict=True)], weights


# -- the model -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """How large a GPT is.

    Attributes:
        layers: how often attention and MLP follow each other.
        width: how many numbers stand for one position.
        heads: how many heads share the width in attention.
        context: how many positions it can read, at most.
        vocabulary: how many tokens there are; the last one opens and closes a document.

    Raises:
        TypeError: a size is no whole number.
        ValueError: a size is below 1, or the heads cannot share the width evenly.

    >>> Shape(layers=2, width=8)
    Shape(layers=2, width=8, heads=4, context=16, vocabulary=27)
    """

    layers: int = 1
    width: int = 16
    heads: int = 4
    context: int = 16
    vocabulary: int = BOS + 1

    def __post_init__(self) -> None:
        """Refuse sizes below 1, and heads that cannot share the width."""
        for name, given in asdict(self).items():
            size = whole(given, name)
            if size < 1:
                raise ValueError(f"{name} is a whole number from 1 on, got {size}.")
            object.__setattr__(self, name, size)  # a NumPy number would not fit into save()
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share a width of {self.width} evenly.")

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """Rows and columns of each weight matrix, by name.

        >>> sum(rows * columns for rows, columns in Shape().matrices.values())
        4192
        """
        width = self.width
        sizes = {
            "wte": (self.vocabulary, width),
            "wpe": (self.context, width),
            "lm_head": (self.vocabulary, width),
        }
        for layer in range(self.layers):
            sizes |= {self.name(layer, name): (width, width) for name in ("wq", "wk", "wv", "wo")}
            sizes[self.name(layer, "fc1")] = (4 * width, width)
            sizes[self.name(layer, "fc2")] = (width, 4 * width)
        return sizes

    def name(self, layer: int, matrix: str) -> str:
        """What a matrix of a layer is called: the layer is left out where there is but one."""
        return matrix if self.layers == 1 else f"layer{layer}.{matrix}"


class Weights(dict[str, Matrix]):
    """The weight matrices by name."""

    def __missing__(self, name: str) -> NoReturn:
        """Say which names there are: with several layers, each has matrices of its own."""
        raise KeyError(
            f"no matrix is called {shown(name)}; there are {', '.join(self)}. "
            "gpt.matrix(name, layer) finds the one of a layer, whatever the number of layers."
        )


class Cache:
    """The KV cache: keys and values of the positions read so far, as live nodes for the gradients.

    Attributes:
        keys: for each layer, one vector for each position.
        values: likewise.
        attention: for each layer, head and position, the attention weights.
    """

    def __init__(self, shape: Shape) -> None:
        layers, heads = range(shape.layers), range(shape.heads)
        self.keys: list[list[Vector]] = [[] for _ in layers]
        self.values: list[list[Vector]] = [[] for _ in layers]
        self.attention: list[list[list[Vector]]] = [[[] for _ in heads] for _ in layers]


@dataclass(frozen=True)
class Reading:
    """What one pass over a document made.

    Attributes:
        loss: the mean over all positions of -log(probability of the token that came next).
        embedded: for each position, the sum of its token's row and its place's row.
        probabilities: for each position, the probability of every token to come next.
        logs: for each position, the logarithm of the one probability that counts.
        attention: for each layer, head and position, the attention weights.
    """

    loss: Value
    embedded: list[Vector]
    probabilities: list[Vector]
    logs: Vector
    attention: list[list[list[Vector]]]


class GPT:
    """The model: a dictionary of weight matrices, and the way through them.

    Args:
        shape: how large it is.
        seed: of the initial weights, which are normal with standard deviation 0.08.
        weights: initial weights by name, row by row, instead of random ones.

    Raises:
        ValueError: the given weights do not fit the shape.
    """

    def __init__(
        self,
        shape: Shape | None = None,
        seed: int = 0,
        weights: Mapping[str, Sequence[Sequence[float]]] | None = None,
    ) -> None:
        self.shape = shape or Shape()
        sizes = self.shape.matrices
        numbers = _random_weights(sizes, Random(seed)) if weights is None else weights
        _require_fit(numbers, sizes)
        self.weights = Weights(
            (
                name,
                [
                    [Parameter(number, f"{name}[{i}][{j}]") for j, number in enumerate(row)]
                    for i, row in enumerate(numbers[name])
                ],
            )
            for name in sizes
        )

    def parameters(self) -> list[Parameter]:
        """All weights, matrix by matrix, row by row."""
        return [weight for matrix in self.weights.values() for row in matrix for weight in row]

    def matrix(self, name: str, layer: int = 0) -> Matrix:
        """The matrix of a layer, such as ``"wq"``; the layer is counted from 0.

        Raises:
            KeyError: no layer has a matrix of this name, or there is no such layer.

        >>> gpt = GPT(Shape(layers=2))
        >>> gpt.matrix("wq", layer=1) is gpt.weights["layer1.wq"]
        True
        """
        if layer not in range(self.shape.layers):
            raise KeyError(f"there is no layer {shown(layer)}: this model has {self.shape.layers}.")
        return self.weights[self.shape.name(layer, name)]

    def read(self, tokens: Sequence[int]) -> Reading:
        """Record the cross-entropy of one document: how little each of its tokens was expected.

        Args:
            tokens: two or more, such as ``encode("ada")``; at most one more than the context.

        Raises:
            TypeError: ``tokens`` is no list.
            ValueError: too few or too many tokens, or one that is not in the vocabulary.
        """
        tokens = self.checked(tokens)
        cache = Cache(self.shape)
        embedded, probabilities, logs = [], [], []
        for position, (token, following) in enumerate(pairwise(tokens)):
            with scope(f"position{position}"):
                embedded.append(self.embed(token, position))
                logits = self.logits(embedded[-1], cache)
                with scope("loss"):
                    probabilities.append(softmax(logits))
                    logs.append(probabilities[-1][following].log())
        with scope("loss"):
            surprises = [-log for log in logs]
            loss = sum(surprises[1:], surprises[0]) / len(surprises)
            loss.label = "loss"
        return Reading(loss, embedded, probabilities, logs, cache.attention)

    def checked(self, tokens: Iterable[int]) -> list[int]:
        """Refuse what is no document for this model.

        Args:
            tokens: as for ``read``.

        Returns:
            The same tokens, as Python's whole numbers.

        Raises:
            TypeError: ``tokens`` is no list.
            ValueError: too few or too many tokens, or one that is not in the vocabulary.
        """
        listed = checked_tokens(tokens, self.shape.vocabulary)
        most = self.shape.context + 1
        if not 2 <= len(listed) <= most:
            raise ValueError(f"a document has 2 to {most} tokens, got {len(listed)}.")
        return listed

    def embed(self, token: int, position: int) -> Vector:
        """The row of the token plus the row of the position.

        Raises:
            TypeError: the position is no whole number.
            ValueError: the token is not in the vocabulary, or the position not in the context.
        """
        (token,) = checked_tokens([token], self.shape.vocabulary)
        position = whole(position, "a position")
        if position not in range(self.shape.context):
            last = self.shape.context - 1
            raise ValueError(f"a position is a whole number from 0 to {last}, got {position}.")
        with scope("embed"):
            return addvec(self.weights["wte"][token], self.weights["wpe"][position])

    def logits(self, embedded: Vector, cache: Cache) -> Vector:
        """A score for every token that may come next: softmax makes it a probability.

        Args:
            embedded: the token that is read now, with its position.
            cache: the positions before it; this one is added.
        """
        with scope("embed"):
            stream = rmsnorm(embedded)
        for layer in range(self.shape.layers):
            with scope(f"layer{layer}"):
                with scope("attention"):
                    stream = addvec(stream, self._attention(layer, rmsnorm(stream), cache))
                with scope("mlp"):
                    stream = addvec(stream, self._mlp(layer, rmsnorm(stream)))
        with scope("logits"):
            return matvec(self.weights["lm_head"], stream)

    def _attention(self, layer: int, vector: Vector, cache: Cache) -> Vector:
        query = matvec(self.matrix("wq", layer), vector)
        cache.keys[layer].append(matvec(self.matrix("wk", layer), vector))
        cache.values[layer].append(matvec(self.matrix("wv", layer), vector))
        size = self.shape.width // self.shape.heads
        mixed: Vector = []
        for head, attention in enumerate(cache.attention[layer]):
            part = slice(head * size, (head + 1) * size)
            with scope(f"head{head}"):
                mixture, weights = attend(
                    query[part],
                    [key[part] for key in cache.keys[layer]],
                    [value[part] for value in cache.values[layer]],
                )
            mixed += mixture
            attention.append(weights)
        return matvec(self.matrix("wo", layer), mixed)

    def _mlp(self, layer: int, vector: Vector) -> Vector:
        hidden = [number.relu() for number in matvec(self.matrix("fc1", layer), vector)]
        return matvec(self.matrix("fc2", layer), hidden)

    def sample(self, chance: Random, temperature: float = 0.5) -> list[int]:
        """Write a document, token after token, drawn by chance with the model's probabilities.

        Args:
            chance: decides; the same state writes the same document.
            temperature: logits are divided by it: below 1 likely tokens become likelier. At 0
                the likeliest token is taken each time, which is called greedy.

        Raises:
            TypeError: the temperature is no number, or ``chance`` no ``Random``.
            ValueError: the temperature is negative, or so small that a logit divided by it
                is too large for a float.
            RuntimeError: a tape is recording.
        """
        if not hasattr(chance, "choices"):
            raise TypeError(
                f"chance is a Random of Python, such as Random(1), got {shown(chance)}."
            )
        temperature = not_negative(temperature, "a temperature")
        vocabulary = range(self.shape.vocabulary)
        bos = vocabulary[-1]
        tokens = [bos]
        cache = Cache(self.shape)
        with Tape():
            while len(tokens) <= self.shape.context:
                embedded = self.embed(tokens[-1], len(tokens) - 1)
                logits = self.logits(embedded, cache)
                if temperature == 0.0:
                    tokens.append(max(vocabulary, key=lambda token: logits[token].data))
                else:
                    probabilities = softmax(_divided(logits, temperature))
                    tokens += chance.choices(vocabulary, [p.data for p in probabilities])
                if tokens[-1] == bos:
                    break
        return tokens

    def save(self, path: Path | str) -> None:
        """Write shape and weights into a new file, as JSON.

        Args:
            path: of a file that does not exist yet.

        Raises:
            FileExistsError: it exists, and is left as it is.
        """
        numbers = {
            name: [[weight.data for weight in row] for row in matrix]
            for name, matrix in self.weights.items()
        }
        text = json.dumps({"shape": asdict(self.shape), "weights": numbers}, allow_nan=False)
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise FileExistsError(
                f"{path} is there already, and nothing is written over it: choose another name, "
                "or delete the file first."
            ) from None

    @classmethod
    def load(cls, path: Path | str) -> "GPT":
        """Read a model that ``save`` wrote.

        Raises:
            ValueError: the file holds something else.
        """
        try:
            stored = json.loads(Path(path).read_text("utf-8"))
            return cls(Shape(**stored["shape"]), weights=stored["weights"])
        except (
            AttributeError,
            KeyError,
            OverflowError,
            RecursionError,
            TypeError,
            ValueError,
        ) as problem:
            raise ValueError(f"{path} is no model as save() writes it: {problem}") from None

    def __repr__(self) -> str:
        shape = self.shape
        return (
            f"GPT({shape.layers} layer{'s' * (shape.layers != 1)}, width {shape.width}, "
            f"{shape.heads} head{'s' * (shape.heads != 1)}, {len(self.parameters())} parameters)"
        )


def _divided(logits: Vector, temperature: float) -> Vector:
    try:
        return [logit / temperature for logit in logits]
    except OverflowError:
        raise ValueError(
            f"a temperature of {shown(temperature)} is too small: a logit divided by it is too "
            "large for a float. Try 0.1."
        ) from None


def _random_weights(
    sizes: Mapping[str, tuple[int, int]], chance: Random
) -> dict[str, list[list[float]]]:
    return {
        name: [[chance.gauss(0.0, DEVIATION) for _ in range(columns)] for _ in range(rows)]
        for name, (rows, columns) in sizes.items()
    }


def _require_fit(
    weights: Mapping[str, Sequence[Sequence[float]]], sizes: Mapping[str, tuple[int, int]]
) -> None:
    if set(weights) != set(sizes):
        raise ValueError(f"weights are needed for {sorted(sizes)}, got {sorted(weights)}.")
    for name, (rows, columns) in sizes.items():
        got = len(weights[name]), {len(row) for row in weights[name]}
        if got != (rows, {columns}):
            raise ValueError(
                f"{name!r} needs {rows} rows of {columns} numbers, got {got[0]} rows "
                f"of {', '.join(map(str, sorted(got[1])))}."
            )
