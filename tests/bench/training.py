"""A training of the tiny GPT from the first recording to the last step; Adam beside PyTorch's."""

import importlib.util
import random
import time
from collections.abc import Iterator, Sequence

from engine.documents import first_names
from engine.gpt import GPT, Shape, encode
from engine.optim import Adam
from engine.training import Trainer
from tests.bench import gpt_plain
from tests.bench.gpt_plain import REFERENCE
from tests.bench.size import FULL, Size

STEPS = 1000
BAR = 20.0
RATE = 0.01
BETAS = 0.85, 0.99
CHECKED = 1e-12


def report(size: Size) -> Iterator[str]:
    """Train by replay, and measure a part of the same training with the reference."""
    yield "TRAINING"
    steps, measured, shape = (STEPS, 20, Shape()) if size == FULL else (4, 2, Shape(width=4))
    documents = shuffled_documents(steps)
    start = time.process_time()
    losses = trained(GPT(shape, seed=1), documents)
    mine = time.process_time() - start
    start = time.process_time()
    expected = trained_with_reference(GPT(shape, seed=1), documents[:measured], steps)
    part = time.process_time() - start
    whole = part * positions(documents) / positions(documents[:measured])
    apart = max(abs(a - b) for a, b in zip(losses, expected, strict=False))
    yield (
        f"  {steps:,} steps of Adam on names, recordings included: {mine:.2f} s by replay; "
        f"loss {losses[0]:.3f} at first, {sum(losses[-100:]) / len(losses[-100:]):.3f} on average "
        "over the last 100"
    )
    yield (
        f"  reference (tuples, recursion): the first {measured} of these steps took {part:.2f} s "
        f"(losses within {apart:.0e}); that makes {whole:.0f} s for all, by number of letters"
    )
    verdict = "met" if whole / mine >= BAR else "MISSED"
    yield f"  bar: replay >= {BAR:g} x reference: {whole / mine:.1f} x, {verdict}"
    yield from adam_beside_torch()


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


def trained(gpt: GPT, documents: Sequence[Sequence[int]]) -> list[float]:
    """Train by replay and return all losses."""
    trainer = Trainer(gpt)
    optimizer = Adam([trainer.parameters], RATE, *BETAS)
    losses = []
    for document, rate in zip(documents, rates(len(documents)), strict=True):
        optimizer.zero_grad()
        losses.append(trainer.loss(document))
        optimizer.step(rate)
    trainer.write_back()
    return losses


def trained_with_reference(gpt: GPT, documents: Sequence[Sequence[int]], steps: int) -> list[float]:
    """Train as far as these documents go, in a training of so many steps."""
    weights = REFERENCE.weights(gpt)
    parameters = [weight for matrix in weights.values() for row in matrix for weight in row]
    optimizer = Adam(parameters, RATE, *BETAS)
    losses = []
    for document, rate in zip(documents, rates(steps), strict=False):
        optimizer.zero_grad()
        loss = gpt_plain.loss(REFERENCE, weights, document)
        loss.backward()
        losses.append(float(loss.data))
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
