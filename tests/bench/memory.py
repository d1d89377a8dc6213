"""Bytes for each node, and what a step leaves to the garbage collector."""

import gc
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import engine
from tests.bench.size import Size
from tests.bench.workloads import CONTESTANTS, Contestant, Workload, workloads

ROOT = Path(__file__).parents[2]
BYTES_BAR = 170
RESIDENT = Path("/proc/self/statm")


def report(size: Size) -> Iterator[str]:
    """Measure memory while a tape holds a recording, and garbage after a step."""
    yield "MEMORY"
    workload, _ = workloads(size)
    traced = traced_bytes(workload)
    yield f"{workload.name}, held by a tape with its gradients:"
    yield f"  bytes a node, by tracemalloc: {traced:.0f}; bar {BYTES_BAR}: {verdict(traced)}"
    if RESIDENT.exists():
        grown = resident_bytes_in_a_new_process(size)
        yield (
            f"  bytes a node, by the growth of the resident memory of a new process that holds "
            f"{size.copies} of them: {grown:.0f}"
        )
    else:
        yield "  resident memory: not measured on this system"
    yield "  Leaves made for the inputs and the tape's list are counted in, as part of each node."
    for rival in CONTESTANTS:
        found = garbage(rival, workload)
        yield f"  objects gc.collect() finds after a step of {rival.name}: {found}"


def verdict(found: float) -> str:
    """Say whether the bar is met."""
    return "met" if found <= BYTES_BAR else "MISSED"


def traced_bytes(workload: Workload) -> float:
    """Count the bytes that Python allocates for a recording, for each computed node.

    A step before it warms up: what Python keeps in stock from then on belongs to no node.
    """
    layers = workload.parameters(engine.Parameter)
    gc.collect()
    with engine.Tape() as tape:
        tape.backward(workload.loss(engine.Value, layers))
    tracemalloc.start()
    with engine.Tape() as tape:
        before, _ = tracemalloc.get_traced_memory()
        tape.backward(workload.loss(engine.Value, layers))
        after, _ = tracemalloc.get_traced_memory()
        nodes = len(tape)
    tracemalloc.stop()
    return (after - before) / nodes


def resident_bytes(size: Size) -> float:
    """Count the bytes by which this process grows while a tape holds several recordings."""
    workload, _ = workloads(size)
    layers = workload.parameters(engine.Parameter)
    with engine.Tape() as tape:
        before = resident()
        for _ in range(size.copies):
            tape.backward(workload.loss(engine.Value, layers))
        return (resident() - before) / len(tape)


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(RESIDENT.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def resident_bytes_in_a_new_process(size: Size) -> float:
    """Measure where no earlier benchmark has left free memory behind."""
    code = f"""
from tests.bench.memory import resident_bytes
from tests.bench.size import Size
print(resident_bytes({size!r}))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(result.stdout)


def garbage(rival: Contestant, workload: Workload) -> int:
    """Count what only the garbage collector could free after a step."""
    layers = workload.parameters(rival.parameter)
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    rival.step(lambda: workload.loss(rival.leaf, layers))
    found = gc.collect()
    if was_on:
        gc.enable()
    return found
