"""What the explorer takes, from a recording of tens of thousands of nodes to each drawing."""

import statistics
import time
from collections.abc import Callable, Iterator

from engine import Graph, GraphExplorer
from engine.drawing.renderer import renderer
from tests.bench.gpt_shaped import NAME, SHORT_NAME, GptShaped
from tests.bench.size import FULL, Size

FIRST_BAR = 1.0
OPENING_BAR = 0.3
INNER = "token0/layer0/attention"
WEIGHT = "wq[3][5]"


def report(size: Size) -> Iterator[str]:
    """Time the first drawing, and what is done with it, in repeated turns."""
    yield "EXPLORER"
    names, width = (NAME, 16) if size == FULL else (SHORT_NAME, 8)
    model = GptShaped(width)
    first, snapshot, opened, single = [], [], [], []
    for _ in range(size.steps):
        loss = model.loss(names)
        snapshot.append(seconds(lambda loss=loss: Graph.of(loss)))
        first.append(seconds(lambda loss=loss: GraphExplorer(loss)))
        view = GraphExplorer(loss)
        view.strongest_path("wq[0][0]").back()
        opened.append(seconds(lambda view=view: view.open(INNER)))
        single.append(seconds(lambda view=view: view.strongest_path(WEIGHT)))
    yield (
        f"  {len(view.graph):,} nodes, medians of {size.steps} turns; positions by "
        f"{renderer() or 'nothing: there is no Graphviz program'}"
    )
    yield f"  snapshot of the recording alone: {1000 * statistics.median(snapshot):.0f} ms"
    yield line("first drawing, snapshot included", first, FIRST_BAR)
    yield line(f"opening {INNER}", opened, OPENING_BAR)
    yield line(f"strongest path from {WEIGHT}", single, OPENING_BAR)


def seconds(action: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def line(what: str, times: list[float], bar: float) -> str:
    """One measurement beside its bar."""
    median = statistics.median(times)
    verdict = "met" if median <= bar else "MISSED"
    return f"  {what}: {1000 * median:.0f} ms; bar {1000 * bar:.0f} ms: {verdict}"
