"""This engine beside an earlier one, in one run: `python -m tests.bench.before [REVISION]`."""

import gc
import importlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import engine
from engine.gpt import GPT, Shape, encode
from tests.bench import gpt_plain, reference, replay, workloads
from tests.bench.__main__ import RECURSION_LIMIT, STACK_BYTES
from tests.bench.size import FULL, TINY, Size

ROOT = Path(__file__).parents[2]
EARLIER = "engine_before"
Step = Callable[[], object]


def earlier_engine(revision: str, folder: Path) -> ModuleType:
    """Import the engine of a revision under another name.

    Args:
        revision: as git names it.
        folder: where to put its files.
    """
    packed = subprocess.run(
        ["git", "archive", revision, "engine"], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "x", "-C", str(folder)], input=packed.stdout, check=True)
    (folder / "engine").rename(folder / EARLIER)
    for path in (folder / EARLIER).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        renamed = re.sub(r"\bengine\.|(?<=from )engine(?= import)", _renamed, text)
        path.write_text(renamed, encoding="utf-8")
    sys.path.insert(0, str(folder))
    return importlib.import_module(EARLIER)


def _renamed(found: re.Match[str]) -> str:
    return found.group().replace("engine", EARLIER)


def steps_of(made_by: Any, size: Size, tape: bool) -> Iterator[tuple[str, Step]]:
    """One step of each calculation: recorded, and walked back, with gradients set to 0 before.

    Args:
        made_by: the engine, or the reference.
        size: of the calculations.
        tape: whether the step is taken on a tape.
    """
    parameter = getattr(made_by, "Parameter", made_by.Value)

    def step(leaves: list[Any], record: Callable[[], Any]) -> Step:
        def taken() -> None:
            for leaf in leaves:
                leaf.grad = 0.0
            if tape:
                with made_by.Tape() as recording:
                    recording.backward(record())
            else:
                record().backward()

        return taken

    for workload in workloads.workloads(size):
        layers = workload.parameters(parameter)
        leaves = [weight for layer in layers for neuron in layer for weight in neuron]
        record = lambda w=workload, ls=layers: w.loss(made_by.Value, ls)  # noqa: E731
        yield workload.name, step(leaves, record)
    gpt = GPT(Shape() if size == FULL else Shape(width=4), seed=1)
    numbers = gpt_plain.Numbers(parameter, lambda x: x.exp(), lambda x: x.log())
    weights, tokens = numbers.weights(gpt), encode(replay.DOCUMENT)
    leaves = [weight for matrix in weights.values() for row in matrix for weight in row]
    yield "GPT", step(leaves, lambda: gpt_plain.loss(numbers, weights, tokens))


def report(revision: str, size: Size) -> Iterator[str]:
    """Compare with and without a tape, with few and with many other objects alive."""
    with tempfile.TemporaryDirectory() as folder:
        before = earlier_engine(revision, Path(folder))
        rows = {
            "tape": list(steps_of(engine, size, tape=True)),
            "tape before": list(steps_of(before, size, tape=True)),
            "plain": list(steps_of(engine, size, tape=False)),
            "plain before": list(steps_of(before, size, tape=False)),
            "reference": list(steps_of(reference, size, tape=False)),
        }
    for place, (name, _) in enumerate(rows["tape"]):
        for others in size.others:
            alive = [[number] for number in range(others)]
            seconds = compared({row: steps[place][1] for row, steps in rows.items()}, size)
            del alive
            yield f"{name}; {others:,} other objects alive"
            for mine in ("tape", "plain"):
                now, then, usual = (seconds[row] for row in (mine, f"{mine} before", "reference"))
                yield (
                    f"  {mine:5} {1000 * now:8.2f} ms, {usual / now:5.2f} x the usual style; "
                    f"at {revision} {1000 * then:8.2f} ms, {usual / then:5.2f} x: "
                    f"{now / then:.3f} of its time"
                )


def compared(steps: dict[str, Step], size: Size) -> dict[str, float]:
    """Return for each row the mean processor seconds of a step, all rows in turn.

    Without a tape the garbage collector makes some steps three times as long as others: a median
    would tell which kind was more frequent.
    """
    seconds: dict[str, list[float]] = {row: [] for row in steps}
    for _ in range(size.rounds):
        for row, step in steps.items():
            gc.collect()
            step()
            for _ in range(size.steps):
                start = time.process_time()
                step()
                seconds[row].append(time.process_time() - start)
    return {row: statistics.fmean(found) for row, found in seconds.items()}


def main(revision: str, size: Size) -> None:
    """Print every line as soon as it is known."""
    for line in report(revision, size):
        print(line, flush=True)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--tiny"]
    chosen = (words[0] if words else "HEAD~1", TINY if "--tiny" in sys.argv[1:] else FULL)
    sys.setrecursionlimit(RECURSION_LIMIT)
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=main, args=chosen)
    thread.start()
    thread.join()
