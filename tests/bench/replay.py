"""One document of the tiny GPT, forward and back: recorded, replayed, and with tensors."""

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import engine
from engine.gpt import GPT, Shape, encode
from engine.replay import ParameterVector, Replay
from engine.replay.compiled import is_available
from engine.training import choices_of
from tests.bench import gpt_plain
from tests.bench.gpt_plain import MICROGRAD, OURS, REFERENCE, Numbers
from tests.bench.size import FULL, Size

DOCUMENT = "emmaly"
REFERENCE_NAME = "reference (tuples, recursion)"
TAPE, NO_TAPE, MICROGRAD_NAME = "this engine, with a tape", "this engine, without", "micrograd"
NUMPY, NUMBA = "replay, NumPy", "replay, numba"
TORCH, JAX = "PyTorch, eager tensors", "JAX, jit"
# How many times as fast as a rival a contestant has to be.
BARS = (
    (TAPE, REFERENCE_NAME, 3.0),
    (TAPE, MICROGRAD_NAME, 8.0),
    (NUMPY, REFERENCE_NAME, 50.0),
    (NUMBA, REFERENCE_NAME, 300.0),
    (NUMBA, TORCH, 1.0),
    (NUMPY, TORCH, 1.0),
)
CHECKED = 1e-10


@dataclass(frozen=True)
class Contestant:
    """One way to the loss and the gradients of a document.

    Attributes:
        name: of the way.
        step: computes both once; returns the loss.
        gradients: of the last step, in the order of ``GPT.parameters()``.
        turns: how many steps it takes for one of a slow engine.
    """

    name: str
    step: Callable[[], float]
    gradients: Callable[[], list[float]]
    turns: int = 1


def report(size: Size) -> Iterator[str]:
    """Compare all ways with few and with many other objects alive."""
    yield "REPLAY"
    gpt, tokens = GPT(Shape() if size == FULL else Shape(width=4), seed=1), encode(DOCUMENT)
    ways = [*contestants(gpt, tokens)]
    nodes = len(engine.Graph.of(gpt.read(tokens).loss, names={}))
    yield (
        f"  forward and backward of a document of {len(tokens)} tokens, {nodes:,} nodes with the "
        f"leaves; seconds of the processor, median of {size.rounds} rounds of {size.steps} steps "
        "or more, every way in turn; the garbage collector as Python ships it."
    )
    for name in (NUMBA, TORCH, JAX):
        if name not in [way.name for way in ways]:
            yield f"  {name}: not installed, left out"
    yield from agreement(ways)
    for others in size.others:
        alive = [[number] for number in range(others)]
        seconds = compared(ways, size)
        del alive
        yield ""
        yield f"  {others:,} other objects alive"
        yield from table(seconds)
        yield from bars(seconds)


def contestants(gpt: GPT, tokens: list[int]) -> Iterator[Contestant]:
    """Every way that is installed."""
    yield recorded(TAPE, OURS, gpt, tokens)
    yield recorded(NO_TAPE, OURS, gpt, tokens)
    yield recorded(REFERENCE_NAME, REFERENCE, gpt, tokens)
    yield recorded(MICROGRAD_NAME, MICROGRAD, gpt, tokens)
    yield replayed(NUMPY, gpt, tokens, compiled=False)
    if is_available():
        yield replayed(NUMBA, gpt, tokens, compiled=True)
    with suppress(ModuleNotFoundError):
        yield with_torch(gpt, tokens)
    with suppress(ModuleNotFoundError):
        yield with_jax(gpt, tokens)


def recorded(name: str, numbers: Numbers, gpt: GPT, tokens: list[int]) -> Contestant:
    """Record every time."""
    weights = numbers.weights(gpt)
    leaves = [weight for matrix in weights.values() for row in matrix for weight in row]

    def step() -> float:
        for leaf in leaves:
            leaf.grad = 0.0
        if name == TAPE:
            with engine.Tape() as tape:
                loss = gpt_plain.loss(numbers, weights, tokens)
                tape.backward(loss)
        else:
            loss = gpt_plain.loss(numbers, weights, tokens)
            loss.backward()
        return float(loss.data)

    return Contestant(name, step, lambda: [leaf.grad for leaf in leaves])


def replayed(name: str, gpt: GPT, tokens: list[int], compiled: bool) -> Contestant:
    """Record once."""
    vector = ParameterVector(gpt.parameters())
    with engine.Tape():
        reading = gpt.read(tokens)
        choices = choices_of(gpt, reading)
        replay = Replay(reading.loss, vector, choices, names={}, compiled=compiled)
    picks = [*tokens[:-1], *tokens[1:]]

    def step() -> float:
        vector.grad = 0.0
        replay.bind(picks)
        loss = replay.forward()
        replay.backward()
        return loss

    return Contestant(name, step, lambda: vector.grad.tolist(), turns=20)


def with_torch(gpt: GPT, tokens: list[int]) -> Contestant:
    """Tensors, every operation called from Python."""
    from tests.bench import gpt_torch

    weights = gpt_torch.weights_of(gpt)
    return Contestant(
        TORCH,
        lambda: gpt_torch.step(weights, tokens),
        lambda: gpt_torch.gradients(weights),
        turns=20,
    )


def with_jax(gpt: GPT, tokens: list[int]) -> Contestant:
    """Arrays, compiled as a whole."""
    from tests.bench import gpt_jax

    weights = gpt_jax.weights_of(gpt)

    def gradients() -> list[float]:
        _, found = gpt_jax.step(weights, tokens)
        return [float(number) for name in weights for number in found[name].ravel()]

    return Contestant(JAX, lambda: gpt_jax.step(weights, tokens)[0], gradients, turns=20)


def agreement(ways: list[Contestant]) -> Iterator[str]:
    """Refuse to compare ways that do not compute the same, and say how close they are."""
    first, *others = ways
    loss, gradients = first.step(), first.gradients()
    for way in others:
        pairs = [(way.step(), loss), *zip(way.gradients(), gradients, strict=True)]
        apart = [abs(one - other) for one, other in pairs]
        if not all(distance < CHECKED for distance in apart):
            raise AssertionError(f"{way.name} does not compute the same as {first.name}.")
        yield f"  {way.name}: loss and gradients within {max(apart):.0e} of {first.name}"


def compared(ways: list[Contestant], size: Size) -> dict[str, float]:
    """Return for each way the median seconds of a step."""
    seconds: dict[str, list[float]] = {way.name: [] for way in ways}
    for _ in range(size.rounds):
        for way in ways:
            gc.collect()
            way.step()
            for _ in range(size.steps * way.turns):
                start = time.process_time()
                way.step()
                seconds[way.name].append(time.process_time() - start)
    return {name: statistics.median(found) for name, found in seconds.items()}


def table(seconds: dict[str, float]) -> Iterator[str]:
    """Show milliseconds and how many times faster than each rival every way is."""
    rivals = [name for name in (REFERENCE_NAME, MICROGRAD_NAME, TORCH) if name in seconds]
    yield f"  {'':32}{'ms':>9}" + "".join(f"{name.split(' ')[0]:>13} = 1" for name in rivals)
    for name, mine in seconds.items():
        ratios = "".join(f"{seconds[rival] / mine:16.2f}x" for rival in rivals)
        yield f"  {name:32}{1000 * mine:9.3f}{ratios}"


def bars(seconds: dict[str, float]) -> Iterator[str]:
    """Say which bars are met, of those whose contestants are here."""
    for mine, rival, bar in BARS:
        ratio = seconds.get(rival, math.nan) / seconds.get(mine, math.nan)
        if not math.isnan(ratio):
            verdict = "met" if ratio >= bar else "MISSED"
            yield f"  bar: {mine} >= {bar:g} x {rival}: {ratio:.2f} x, {verdict}"
