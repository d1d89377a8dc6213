"""A training of the tiny GPT from the first recording to the last step; Adam beside PyTorch's."""

import importlib.util
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from engine.documents import first_names
from engine.gpt import GPT, Shape, encode
from engine.optim import Adam
from engine.replay.compiled import is_available
from engine.tape import Tape
from engine.training import Trainer
from tests.bench import gpt_plain
from tests.bench.gpt_plain import REFERENCE
from tests.bench.replay import NUMBA, NUMPY, REFERENCE_NAME, TAPE
from tests.bench.size import FULL, Size

STEPS = 1000
BAR = 20.0
RATE = 0.01
BETAS = 0.85, 0.99
CHECKED = 1e-12


def report(size: Size) -> Iterator[str]:
    """Train by replay, and measure a part of the same training with what records every step."""
    yield "TRAINING"
    steps, measured, shape = (STEPS, 20, Shape()) if size == FULL else (4, 2, Shape(width=4))
    documents = shuffled_documents(steps)
    part = documents[:measured]
    yield f"  {steps:,} steps of Adam on names, recordings included; seconds of the processor"
    whole = {}
    for name, way in ((REFERENCE_NAME, with_reference), (TAPE, with_tape)):
        expected, took = timed(partial(way, GPT(shape, seed=1), part, steps))
        whole[name] = took * positions(documents) / positions(part)
        yield (
            f"  {name:32} {whole[name]:7.2f}, by number of letters: "
            f"its first {measured} steps took {took:.2f}"
        )
    for name, compiled in installed():
        losses, took = timed(partial(by_replay, GPT(shape, seed=1), documents, compiled))
        apart = max(abs(a - b) for a, b in zip(losses, expected, strict=False))
        yield (
            f"  {name:32} {took:7.2f}, losses within {apart:.0e}; "
            f"mean of the last 100: {statistics.mean(losses[-100:]):.3f}"
        )
        yield from bars(name, took, whole)
    yield from adam_beside_torch()


def bars(name: str, took: float, whole: dict[str, float]) -> Iterator[str]:
    """Whether a replay is as fast as it has to be."""
    faster = whole[REFERENCE_NAME] / took
    verdict = "met" if faster >= BAR else "MISSED"
    yield f"  bar: {name} >= {BAR:g} x {REFERENCE_NAME}: {faster:.1f} x, {verdict}"


def installed() -> Iterator[tuple[str, bool]]:
    """What can replay here, and whether it is compiled."""
    yield NUMPY, False
    if is_available():
        yield NUMBA, True


def timed(train: Callable[[], list[float]]) -> tuple[list[float], float]:
    """The losses of a training, and how many seconds of the processor it took."""
    start = time.process_time()
    losses = train()
    return losses, time.process_time() - start


def shuffled_documents(count: int) -> list[list[int]]:
    """The first documents of a shuffled list of names."""
    names = first_names()
    random.Random(42).shuffle(names)
    return [encode(name) for name in names[:count]]


def positions(documents: Sequence[Sequence[int]]) -> int:
    """How many tokens are predicted."""
    return sum(len(document) - 1 for document in documents)


def rates(steps: int) -> list[float]:
    """A learning rate that falls to 0."""
    return [RATE * (1.0 - step / steps) for step in range(steps)]


def by_replay(
    gpt: GPT, documents: Sequence[Sequence[int]], compiled: bool | None = None
) -> list[float]:
    """Train on all documents, with one recording for each length; return the losses."""
    trainer = Trainer(gpt, compiled)
    losses = descend([trainer.parameters], trainer.loss, documents, len(documents))
    trainer.write_back()
    return losses


def with_reference(gpt: GPT, documents: Sequence[Sequence[int]], steps: int) -> list[float]:
    """Train on as many documents as there are, in a training of so many steps."""
    weights = REFERENCE.weights(gpt)

    def loss_of(document: Sequence[int]) -> float:
        loss = gpt_plain.loss(REFERENCE, weights, document)
        loss.backward()
        return float(loss.data)

    parameters = [weight for matrix in weights.values() for row in matrix for weight in row]
    return descend(parameters, loss_of, documents, steps)


def with_tape(gpt: GPT, documents: Sequence[Sequence[int]], steps: int) -> list[float]:
    """Train as with the reference, each document on a tape of its own."""

    def loss_of(document: Sequence[int]) -> float:
        with Tape() as tape:
            loss = gpt.read(document).loss
            tape.backward(loss)
        return loss.data

    return descend(gpt.parameters(), loss_of, documents, steps)


def descend(
    parameters: Sequence[Any],
    loss_of: Callable[[Sequence[int]], float],
    documents: Sequence[Sequence[int]],
    steps: int,
) -> list[float]:
    """Take a step of Adam for each document.

    Args:
        parameters: numbers, or a vector of them.
        loss_of: computes the loss of a document, and adds its gradients.
        documents: in their order.
        steps: after so many of them the learning rate would be 0.
    """
    optimizer = Adam(parameters, RATE, *BETAS)
    losses = []
    for document, rate in zip(documents, rates(steps), strict=False):
        optimizer.zero_grad()
        losses.append(loss_of(document))
        optimizer.step(rate)
    return losses


def adam_beside_torch() -> Iterator[str]:
    """Move the same numbers along the same gradients with both."""
    if importlib.util.find_spec("torch") is None:
        yield "  Adam beside PyTorch's: PyTorch is not installed, left out"
        return
    apart = largest_difference(steps=100)
    verdict = "equal" if apart < CHECKED else "DIFFERENT"
    yield f"  Adam beside PyTorch's, 100 steps of 50 numbers: within {apart:.0e}, {verdict}"


def largest_difference(steps: int) -> float:
    """How far apart our Adam and PyTorch's are at most."""
    import torch

    from engine.value import Parameter

    draw = random.Random(7).gauss
    mine = [Parameter(draw(0, 1)) for _ in range(50)]
    theirs = torch.tensor([p.data for p in mine], dtype=torch.float64, requires_grad=True)
    ours, other = Adam(mine, RATE, *BETAS), torch.optim.Adam([theirs], RATE, BETAS)
    apart = 0.0
    for _ in range(steps):
        gradients = [draw(0, 10.0 ** draw(0, 2)) for _ in mine]
        for parameter, gradient in zip(mine, gradients, strict=True):
            parameter.grad = gradient
        theirs.grad = torch.tensor(gradients, dtype=torch.float64)
        ours.step()
        other.step()
        pairs = zip(mine, theirs.tolist(), strict=True)
        apart = max(apart, *(abs(parameter.data - number) for parameter, number in pairs))
    return apart
