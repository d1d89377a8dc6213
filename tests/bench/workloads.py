"""The calculations that every engine performs, and the engines that perform them."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import micrograd.engine

import engine
from tests.bench import reference
from tests.bench.size import Size

Layers = list[list[list[Any]]]  # layer, neuron, weights and one bias


@dataclass(frozen=True)
class Workload:
    """A network and the points it sees in one step.

    Attributes:
        name: what it is.
        widths: the width of its input, then of each layer.
        points: the inputs of one step.
    """

    name: str
    widths: tuple[int, ...]
    points: tuple[tuple[float, ...], ...]

    def parameters(self, make: Callable[[float], Any]) -> Layers:
        """Make the same weights for every engine, as numbers of that engine."""
        draw = random.Random(1).gauss
        pairs = zip(self.widths, self.widths[1:], strict=False)
        return [
            [
                [make(draw(0, math.sqrt(2 / inputs))) for _ in range(inputs + 1)]
                for _ in range(outputs)
            ]
            for inputs, outputs in pairs
        ]

    def loss(self, make: Callable[[float], Any], layers: Layers) -> Any:
        """Calculate the sum of the squared outputs; ReLU follows every layer but the last."""
        total = make(0.0)
        for point in self.points:
            numbers = [make(number) for number in point]
            for layer in layers:
                numbers = [self._neuron(weights, numbers) for weights in layer]
                if layer is not layers[-1]:
                    numbers = [number.relu() for number in numbers]
            for number in numbers:
                total = total + number * number
        return total

    @staticmethod
    def _neuron(weights: list[Any], numbers: list[Any]) -> Any:
        total = weights[-1]
        for weight, number in zip(weights, numbers, strict=False):
            total = total + weight * number
        return total

    def nodes(self) -> int:
        """Count the computed nodes of one step."""
        with engine.Tape() as tape:
            self.loss(engine.Value, self.parameters(engine.Parameter))
            return len(tape)


@dataclass(frozen=True)
class Contestant:
    """An engine, and how one step is taken with it.

    Attributes:
        name: of the engine.
        leaf: makes a number of an input.
        parameter: makes a number of a weight.
        step: records a loss and computes all gradients; takes the function that records.
    """

    name: str
    leaf: Callable[[float], Any]
    parameter: Callable[[float], Any]
    step: Callable[[Callable[[], Any]], None]


def with_tape(record: Callable[[], Any]) -> None:
    """Take a step on a tape."""
    with engine.Tape() as tape:
        tape.backward(record())


def without_tape(record: Callable[[], Any]) -> None:
    """Take a step the way every other engine does."""
    record().backward()


TAPE = Contestant("this engine, with a tape", engine.Value, engine.Parameter, with_tape)
NO_TAPE = Contestant("this engine, without", engine.Value, engine.Parameter, without_tape)
MICROGRAD = Contestant("micrograd", micrograd.engine.Value, micrograd.engine.Value, without_tape)
REFERENCE = Contestant(
    "reference (tuples, recursion)", reference.Value, reference.Value, without_tape
)
CONTESTANTS = (TAPE, NO_TAPE, REFERENCE, MICROGRAD)


def workloads(size: Size) -> tuple[Workload, Workload]:
    """Return the two calculations: many small graphs in one, and one wide and deep graph."""
    draw = random.Random(2).gauss

    def points(count: int, width: int) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(draw(0, 1) for _ in range(width)) for _ in range(count))

    small = (2, 16, 16, 1)
    wide = (size.width,) * (size.depth + 1)
    return (
        Workload(f"2-16-16-1 MLP over {size.points} points", small, points(size.points, 2)),
        Workload(
            f"one point through {size.depth} layers of {size.width}", wide, points(1, size.width)
        ),
    )
