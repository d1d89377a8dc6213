"""The numbers of a rehearsal, as tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence

from tests.rehearsal import memory
from tests.rehearsal.memory import MB, Memory
from tests.rehearsal.room import Class
from tests.rehearsal.table import table

SERVER, KERNEL = "jupyterhub-singleuser", "ipykernel_launcher"
NAMES = {SERVER: "server", KERNEL: "kernels"}
WAITS = {
    "server": "the server is ready",
    "pulled": "the exercises are there",
    "drawn": "the first drawing",
    "ran": "the chapter has run",
}


def measure(klass: Class, what: str) -> None:
    """Keep the memory of each student's server and kernels, now.

    Args:
        klass: whose.
        what: is running.
    """
    sums = [memory.of_user(person.user.number, (SERVER, KERNEL)) for person in klass.people]
    for kind in (SERVER, KERNEL):
        _note_memory(klass, f"{what}: {NAMES[kind]}", [found[kind] for found in sums])
    totals = [sum(found.values(), Memory()) for found in sums]
    _note_memory(klass, f"{what}: together", totals)


def _note_memory(klass: Class, what: str, found: Sequence[Memory]) -> None:
    pss, rss = ([getattr(one, kind) / MB for one in found] for kind in ("pss", "rss"))
    klass.memory.append((what, *(f"{n:.0f}" for n in (_median(pss), max(pss), _median(rss)))))


def _median(numbers: Iterable[float]) -> float:
    return statistics.median(list(numbers))


def _print(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(f"\n{title.upper()}\n\n{table(head, rows)}", flush=True)


def _waited(klass: Class) -> Iterator[tuple[str, ...]]:
    browsers = klass.plan.browsers
    parts = {"no browser": klass.people[browsers:], "a browser": klass.people[:browsers]}
    for where, people in parts.items():
        for what, until in WAITS.items():
            times = [getattr(person.waits, what) for person in people]
            if any(times):
                numbers = (min(times), _median(times), max(times))
                yield (where, until, *(f"{number:.1f}" for number in numbers))


def show(klass: Class) -> None:
    """Print all numbers, and what was not as it must be.

    Args:
        klass: after the last step.
    """
    head: tuple[str, ...] = ("", "PSS median", "PSS largest", "RSS median")
    _print("memory of each student, in MB", head, klass.memory)
    head = ("students", "until", "first", "median", "last")
    _print('seconds from "start my server"', head, _waited(klass))
    came = sorted(klass.came.items())
    _print("attempts to read another's files", ("attempt", "times"), came)
    head = ("in notebooks that students had changed", "students")
    _print("what of the update arrived", head, sorted(klass.reached.items()))
    _print("facts", ("", ""), klass.facts)
    if klass.problems:
        print(f"\n{len(klass.problems)} outcomes are wrong:")
        print("\n".join(f"- {problem}" for problem in klass.problems))
    else:
        print("\nNothing was lost, every grade is the right one, and nobody read another's files.")
