"""The GPT of :mod:`engine.gpt` out of arrays: all positions of a batch of documents at once.

>>> from engine.gpt import GPT, encode
>>> gpt = GPT(seed=1)
>>> weights = weights_of(gpt)
>>> loss = batch_loss(weights, [encode("ada"), encode("stella")], gpt.shape)
>>> loss.backward()
>>> round(loss.data.item(), 4), weights["wq"].grad.shape
(3.3778, (16, 16))
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.gpt import EPSILON, GPT, Shape
from engine.recording import scope

Weights = Mapping[str, Array]


def weights_of(gpt: GPT) -> dict[str, Array]:
    """The weight matrices of a GPT as leaves of their own."""
    return {
        name: Array([[weight.data for weight in row] for row in matrix], name)
        for name, matrix in gpt.weights.items()
    }


def softmax(scores: Array) -> Array:
    """Probabilities along the last axis. The maximum is a constant, as in chapter 13."""
    powers: Array = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    return powers / powers.sum(axis=-1, keepdims=True)


def rmsnorm(x: Array) -> Array:
    """Each row divided by the root of its mean square."""
    mean_square = (x * x).sum(axis=-1, keepdims=True) / x.shape[-1]
    return x * (mean_square + EPSILON) ** -0.5


def attention(x: Array, weights: Weights, name: Sequence[str], heads: int) -> Array:
    """All heads and all positions at once; a mask keeps each position from looking ahead.

    Args:
        x: documents x positions x width.
        weights: by name.
        name: of the four matrices for queries, keys, values and the output.
        heads: how many heads share the width.
    """
    documents, positions, width = x.shape
    split = documents, positions, heads, width // heads
    query, key, value = (
        (x @ weights[matrix].T).reshape(*split).transpose(0, 2, 1, 3) for matrix in name[:3]
    )
    later = np.triu(np.full((positions, positions), -1e9), 1)  # exp(-1e9) is exactly 0
    scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(width // heads)
    mixture = (softmax(scores + later) @ value).transpose(0, 2, 1, 3)
    mixed: Array = mixture.reshape(*x.shape)
    return mixed @ weights[name[3]].T


def logits(weights: Weights, read: NDArray[np.int64], shape: Shape) -> Array:
    """For each document and position, a score for every token that may come next."""
    with scope("embed"):
        x = rmsnorm(weights["wte"][read] + weights["wpe"][: read.shape[1]])
    for layer in range(shape.layers):
        wq, wk, wv, wo, fc1, fc2 = (
            shape.name(layer, matrix) for matrix in ("wq", "wk", "wv", "wo", "fc1", "fc2")
        )
        with scope(f"layer{layer}"):
            with scope("attention"):
                x = x + attention(rmsnorm(x), weights, (wq, wk, wv, wo), shape.heads)
            with scope("mlp"):
                x = x + (rmsnorm(x) @ weights[fc1].T).relu() @ weights[fc2].T
    with scope("logits"):
        return x @ weights["lm_head"].T


def batch_loss(weights: Weights, documents: Sequence[Sequence[int]], shape: Shape) -> Array:
    """The mean loss of some documents, each of them the mean over its own positions.

    Short documents are padded at the end. Padding counts nothing: its share in the mean is 0, and
    no real position looks at a later one.

    Args:
        weights: by name, such as ``weights_of(gpt)``.
        documents: tokens with BOS at both ends, such as ``encode("ada")``.
        shape: of the model.
    """
    positions = max(map(len, documents)) - 1
    read = np.zeros((len(documents), positions), dtype=int)
    following, share = read.copy(), np.zeros(read.shape)
    for row, tokens in enumerate(documents):
        real = len(tokens) - 1
        read[row, :real], following[row, :real] = tokens[:-1], tokens[1:]
        share[row, :real] = 1.0 / (real * len(documents))
    scores = logits(weights, read, shape)
    with scope("loss"):
        chosen = softmax(scores)[(*np.indices(read.shape), following)]
        return -(chosen.log() * share).sum()
