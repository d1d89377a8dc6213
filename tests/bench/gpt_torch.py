"""The tiny GPT of `engine.gpt` out of PyTorch tensors, all positions of a document at once."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from engine.gpt import EPSILON, GPT

Weights = dict[str, torch.Tensor]


def weights_of(gpt: GPT) -> Weights:
    """The same weights as those of the GPT, in double precision."""
    return {
        name: torch.tensor(
            [[weight.data for weight in row] for row in matrix],
            dtype=torch.float64,
            requires_grad=True,
        )
        for name, matrix in gpt.weights.items()
    }


def loss(
    weights: Mapping[str, torch.Tensor], tokens: Sequence[int], heads: int = 4
) -> torch.Tensor:
    """The loss of one document by a GPT with one layer."""
    read = torch.tensor(tokens[:-1])
    following = torch.tensor(tokens[1:])
    count = len(read)
    stream = rmsnorm(weights["wte"][read] + weights["wpe"][:count])
    normed = rmsnorm(stream)
    query, key, value = (
        (normed @ weights[name].T).view(count, heads, -1).transpose(0, 1)
        for name in ("wq", "wk", "wv")
    )
    mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    stream = stream + mixed.transpose(0, 1).reshape(count, -1) @ weights["wo"].T
    hidden = torch.relu(rmsnorm(stream) @ weights["fc1"].T)
    stream = stream + hidden @ weights["fc2"].T
    return torch.nn.functional.cross_entropy(stream @ weights["lm_head"].T, following)


def rmsnorm(rows: torch.Tensor) -> torch.Tensor:
    """Each row divided by the root of its mean square."""
    return rows * ((rows * rows).mean(-1, keepdim=True) + EPSILON) ** -0.5


def step(weights: Weights, tokens: Sequence[int]) -> float:
    """Compute the loss and all gradients, and return the loss."""
    for weight in weights.values():
        weight.grad = None
    result = loss(weights, tokens)
    result.backward()
    return float(result.detach())


def gradients(weights: Weights) -> list[float]:
    """All gradients, matrix by matrix, row by row."""
    found: list[Any] = [weight.grad.flatten().tolist() for weight in weights.values()]
    return [gradient for matrix in found for gradient in matrix]
