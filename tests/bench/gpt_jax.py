"""The tiny GPT of `engine.gpt` out of JAX arrays, compiled as a whole."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from engine.gpt import EPSILON, GPT

jax.config.update("jax_enable_x64", True)

Weights = dict[str, Any]


def weights_of(gpt: GPT) -> Weights:
    """The same weights as those of the GPT, in double precision."""
    return {
        name: jnp.array([[weight.data for weight in row] for row in matrix])
        for name, matrix in gpt.weights.items()
    }


def loss(weights: Weights, tokens: Any) -> Any:
    """The loss of one document by a GPT with one layer and four heads."""
    read, following = tokens[:-1], tokens[1:]
    count = len(read)
    stream = rmsnorm(weights["wte"][read] + weights["wpe"][:count])
    normed = rmsnorm(stream)
    query, key, value = (
        (normed @ weights[name].T).reshape(count, 4, -1).transpose(1, 0, 2)
        for name in ("wq", "wk", "wv")
    )
    scores = query @ key.transpose(0, 2, 1) / query.shape[-1] ** 0.5
    earlier = jnp.tril(jnp.ones((count, count), dtype=bool))
    shares = jax.nn.softmax(jnp.where(earlier, scores, -jnp.inf), axis=-1)
    mixed = (shares @ value).transpose(1, 0, 2).reshape(count, -1)
    stream = stream + mixed @ weights["wo"].T
    hidden = jax.nn.relu(rmsnorm(stream) @ weights["fc1"].T)
    stream = stream + hidden @ weights["fc2"].T
    logs = jax.nn.log_softmax(stream @ weights["lm_head"].T)
    return -logs[jnp.arange(count), following].mean()


def rmsnorm(rows: Any) -> Any:
    """Each row divided by the root of its mean square."""
    return rows * ((rows * rows).mean(-1, keepdims=True) + EPSILON) ** -0.5


_compiled = jax.jit(jax.value_and_grad(loss))


def step(weights: Weights, tokens: Sequence[int]) -> tuple[float, Weights]:
    """Compute the loss and all gradients, and wait until they are there."""
    result, gradients = jax.block_until_ready(_compiled(weights, jnp.array(tokens)))
    return float(result), gradients
