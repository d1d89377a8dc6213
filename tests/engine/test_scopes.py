"""Which part of a model a node belongs to, also where threads, tasks and generators take turns."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import pytest

from engine import Tape, Value, scope
from engine.recording import NO_TAG, Now, now


@pytest.fixture(autouse=True)
def plain_again() -> Iterator[None]:
    """Leave the quick way of looking up a scope to the tests that come after."""
    assert type(now) is Now
    yield
    assert now.tag.scope == ""
    now.__class__, now.tag = Now, NO_TAG


def scope_now() -> str:
    """Return the scope that a computed node and a leaf get here."""
    leaf, node = Value(1.0), Value(1.0, "x") * 2
    assert leaf.scope == node.scope
    return node.scope


def test_scopes_nest_and_end_also_after_an_error() -> None:
    with scope("layer0"):
        with scope("attention/head2"):
            assert scope_now() == "layer0/attention/head2"
        with pytest.raises(ZeroDivisionError), scope("attention"):
            Value(1.0) / 0
        assert scope_now() == "layer0"
    assert scope_now() == ""
    assert type(now) is Now


def test_each_thread_has_its_own_scope() -> None:
    barrier = Barrier(8, timeout=20)

    def work(name: str) -> set[str]:
        barrier.wait()
        with scope(name):
            barrier.wait()
            found = {scope_now() for _ in range(50)}
            with scope("inner"):
                barrier.wait()
                found |= {scope_now() for _ in range(50)}
        return found | {scope_now()}

    names = [f"thread{i}" for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, names))
    assert found == [{name, f"{name}/inner", ""} for name in names]


def test_each_task_has_its_own_scope() -> None:
    async def work(name: str) -> set[str]:
        found = set()
        with scope(name):
            for _ in range(3):
                await asyncio.sleep(0)
                found.add(scope_now())
        return found

    async def both() -> list[set[str]]:
        return await asyncio.gather(work("one"), work("two"))

    assert asyncio.run(both()) == [{"one"}, {"two"}]


def test_the_scope_of_a_generator_that_waits_is_not_open() -> None:
    def layers() -> Iterator[str]:
        for i in range(2):
            with scope(f"layer{i}"):
                yield scope_now()

    waiting = layers()
    with scope("model"):
        assert next(waiting) == "model/layer0"
        assert scope_now() == "model"
        assert next(waiting) == "model/layer1"
    assert scope_now() == ""
    assert list(waiting) == []
    assert scope_now() == ""


def test_a_scope_in_a_context_manager_stays_open_inside_it() -> None:
    @contextmanager
    def part(name: str) -> Iterator[None]:
        with scope("model"), scope(name):
            yield

    with part("head"):
        assert scope_now() == "model/head"
    assert scope_now() == ""
    assert type(now) is Now


def test_a_tape_takes_the_nodes_of_all_scopes_that_take_turns() -> None:
    def waiting() -> Iterator[None]:
        with scope("aside"):
            yield

    with Tape() as tape:
        generator = waiting()
        next(generator)
        x = Value(3.0)
        with scope("part"):
            y = x * x
        tape.backward(y + x)
        assert ([node.scope for node in tape.nodes], x.grad) == (["part", ""], 7.0)
        generator.close()
