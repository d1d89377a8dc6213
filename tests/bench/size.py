"""How large a benchmark is: the real one, and a tiny one that only proves it still runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """The numbers that make a benchmark long or short.

    Attributes:
        points: how many points the small network sees in one step.
        width: neurons in each layer of the wide network.
        depth: layers of the wide network.
        rounds: how often every engine gets its turn.
        steps: how often it repeats a step in its turn; the median of all steps counts.
        others: how many other objects are alive meanwhile, one round for each.
        copies: how many recordings are held at once to measure memory.
        starts: how often an interpreter is started to measure an import.
    """

    points: int
    width: int
    depth: int
    rounds: int
    steps: int
    others: tuple[int, ...]
    copies: int
    starts: int


FULL = Size(
    points=100, width=64, depth=7, rounds=3, steps=10, others=(0, 200_000), copies=5, starts=21
)
TINY = Size(points=2, width=4, depth=2, rounds=2, steps=2, others=(0, 10), copies=1, starts=1)
