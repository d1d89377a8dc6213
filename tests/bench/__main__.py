"""Print every benchmark: `python -m tests.bench`; with `--tiny`, only see that each still runs."""

import sys
import threading
from collections.abc import Callable, Iterator

from tests.bench import browser, explorer, imports, memory, replay, speed, training
from tests.bench.size import FULL, TINY, Size

# A section takes the size and yields its lines as it gets them.
SECTIONS: tuple[Callable[[Size], Iterator[str]], ...] = (
    speed.report,
    replay.report,
    training.report,
    memory.report,
    imports.report,
    explorer.report,
    browser.report,
)

# Two of the engines sort by recursion.
RECURSION_LIMIT = 1_000_000
STACK_BYTES = 512 * 1024 * 1024


def main(size: Size) -> None:
    """Print all sections, each line as soon as it is known."""
    for section in SECTIONS:
        for line in section(size):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    sys.setrecursionlimit(RECURSION_LIMIT)
    threading.stack_size(STACK_BYTES)
    failures: list[threading.ExceptHookArgs] = []
    threading.excepthook = failures.append
    thread = threading.Thread(target=main, args=(TINY if "--tiny" in sys.argv[1:] else FULL,))
    thread.start()
    thread.join()
    if failures:
        raise failures[0].exc_value or SystemExit(1)
