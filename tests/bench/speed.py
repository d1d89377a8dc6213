"""Processor seconds for recording and backward, engine beside engine."""

import gc
import math
import statistics
import sys
import time
from collections.abc import Iterator

from tests.bench.size import Size
from tests.bench.workloads import (
    CONTESTANTS,
    MICROGRAD,
    NO_TAPE,
    REFERENCE,
    TAPE,
    Contestant,
    Layers,
    Workload,
    workloads,
)

# How many times as fast as a rival the engine has to be.
BARS = (
    (TAPE, REFERENCE, 3.0),
    (TAPE, MICROGRAD, 8.0),
    (NO_TAPE, REFERENCE, 1.5),
)


def report(size: Size) -> Iterator[str]:
    """Compare all engines on all calculations."""
    yield "RECORDING + BACKWARD"
    yield (
        f"Python {sys.version.split()[0]}, garbage collector "
        f"{'on' if gc.isenabled() else 'OFF'} with thresholds {gc.get_threshold()}, as Python "
        "ships it."
    )
    yield (
        f"In each of {size.rounds} rounds every engine in turn takes {size.steps} steps in a row, "
        "after one to warm up; the median of all counts. Before each turn gc.collect() clears "
        "what the one before left; between steps the gradients are cleared, off the clock. "
        "Seconds are those of the processor, so that other programs on the machine matter little."
    )
    for workload in workloads(size):
        require_same_gradients(workload)
        for others in size.others:
            yield ""
            yield f"{workload.name}: {workload.nodes():,} nodes; {others:,} other objects alive"
            alive = [[number] for number in range(others)]
            seconds = compared(workload, size)
            del alive
            yield from table(seconds)
            yield from bars(seconds)


def table(seconds: dict[str, float]) -> Iterator[str]:
    """Show seconds and how many times faster than each rival the engine is."""
    yield f"  {'':32}{'seconds':>10}{'reference = 1':>16}{'micrograd = 1':>16}"
    for name, mine in seconds.items():
        ratios = [seconds[rival.name] / mine for rival in (REFERENCE, MICROGRAD)]
        yield f"  {name:32}{mine:10.4f}" + "".join(f"{ratio:15.2f}x" for ratio in ratios)


def bars(seconds: dict[str, float]) -> Iterator[str]:
    """Say which bars are met."""
    for mine, rival, bar in BARS:
        ratio = seconds[rival.name] / seconds[mine.name]
        verdict = "met" if ratio >= bar else "MISSED"
        yield f"  bar: {mine.name} >= {bar:g} x {rival.name}: {ratio:.2f} x, {verdict}"


def compared(workload: Workload, size: Size) -> dict[str, float]:
    """Return for each engine the median seconds of a step."""
    steps: dict[str, list[float]] = {rival.name: [] for rival in CONTESTANTS}
    for _ in range(size.rounds):
        for rival in CONTESTANTS:
            steps[rival.name] += turn(rival, workload, size.steps)
    return {name: statistics.median(seconds) for name, seconds in steps.items()}


def turn(rival: Contestant, workload: Workload, steps: int) -> list[float]:
    """Time a block of steps of one engine."""
    layers = workload.parameters(rival.parameter)

    def record() -> object:
        return workload.loss(rival.leaf, layers)

    gc.collect()
    rival.step(record)
    seconds = []
    for _ in range(steps):
        clear_gradients(layers)
        start = time.process_time()
        rival.step(record)
        seconds.append(time.process_time() - start)
    return seconds


def clear_gradients(layers: Layers) -> None:
    """Set the gradients of all parameters to 0, as between two steps of training."""
    for layer in layers:
        for neuron in layer:
            for weight in neuron:
                weight.grad = 0.0


def require_same_gradients(workload: Workload) -> None:
    """Refuse to compare engines that do not compute the same."""
    gradients = {rival.name: first_gradients(rival, workload) for rival in CONTESTANTS}
    expected = gradients[TAPE.name]
    for name, found in gradients.items():
        pairs = zip(found, expected, strict=True)
        if not all(math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9) for one, other in pairs):
            raise AssertionError(f"{name} computes other gradients than {TAPE.name}.")


def first_gradients(rival: Contestant, workload: Workload) -> list[float]:
    """Take one step and return the gradient of every parameter."""
    layers = workload.parameters(rival.parameter)
    rival.step(lambda: workload.loss(rival.leaf, layers))
    return [weight.grad for layer in layers for neuron in layer for weight in neuron]
