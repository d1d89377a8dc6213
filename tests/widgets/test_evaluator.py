"""The page's evaluator against the engine: node by node, refusal by refusal, digit by digit."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from engine import Graph, Value
from engine.recompute import OPERATIONS, moved, recomputed
from engine.rules import RULES
from engine.text import number_text
from engine.walk import reverse_walk
from engine.widgets import front_end
from engine.widgets.live_words import page_words
from engine.words.naming import MINUS

T = TypeVar("T")

GRAPHS = 1000
MOVES = 2000
# V8 and the C library of Python differ in the last bits of exp, log, tanh and **; what follows
# multiplies that, and a difference of two near numbers shows more of it.
RELATIVE, ABSOLUTE = 1e-11, 1e-11
CLOSED_FORM = {"exp", "log", "tanh", "**"}

PAGE = """
const { graphs, moves, wiggles, numbers, words } = JSON.parse(require("fs").readFileSync(0));
const tried = (act) => {
  try { return act(); } catch (error) {
    if (!(error instanceof OutOfDomain)) throw error;
    return { refused: error.message };
  }
};
const data = (nodes) => nodes.map((node) => node.data);
const changed = (list, place, number) => list.map((x, i) => (i === place ? number : x));
process.stdout.write(JSON.stringify({
  graphs: graphs.map((nodes) => evaluate(nodes, data(nodes), words)),
  moves: moves.map(([graph, place, number]) => tried(() =>
    evaluate(graphs[graph], changed(data(graphs[graph]), place, number), words))),
  wiggles: wiggles.map(([graph, place, h]) => tried(() => {
    const found = wiggle(graphs[graph], data(graphs[graph]), place, h, words);
    return { ...found, arrows: [...found.arrows] };
  })),
  texts: numbers.map((number) => numberText(number)),
  fitting: numbers.map((number) => fittingText(number, 9)),
}));
"""
CONSTANTS: dict[str, Callable[[Value, float], Value]] = {
    "x+c": lambda x, c: x + c,
    "c-x": lambda x, c: c - x,
    "x*c": lambda x, c: x * c,
    "x/c": lambda x, c: x / c,
    "c/x": lambda x, c: c / x,
    "x**c": lambda x, c: x**c,
    "c**x": lambda x, c: c**x,
}


def random_graph(dice: random.Random) -> Graph:
    """A graph of 5 to 45 nodes of any operations, whose gradients are numbers."""
    while True:
        pool = [Value(round(dice.uniform(-3, 3), 2)) for _ in range(dice.randint(1, 6))]
        for _ in range(dice.randint(3, 30)):
            x, c = dice.choice(pool[-8:]), dice.choice([2.0, -1.5, 0.5, 3.0, 10.0])
            operation = dice.choice([*OPERATIONS, *CONSTANTS])
            try:
                if operation in CONSTANTS:
                    made = CONSTANTS[operation](x, c)
                elif operation in ("neg", "exp", "log", "relu", "tanh"):
                    made = OPERATIONS[operation](x)
                else:
                    made = OPERATIONS[operation](x, dice.choice(pool[-12:]))
            except (ArithmeticError, ValueError):
                continue
            if abs(made.data) < 1e6:
                pool.append(made)
        output = pool[-1]
        for value in pool[-6:-1]:
            output = output + value if dice.random() < 0.6 else output * value.tanh()
        try:
            graph = Graph.of(output, {})
            return graph.with_gradients(reverse_walk(graph).gradients)
        except OverflowError:
            continue


def plain(graph: Graph) -> list[dict[str, Any]]:
    return [
        {
            "op": node.op,
            "operands": [o if isinstance(o, int) else {"c": o.data} for o in node.operands],
            "data": node.data,
            "title": graph.title(node.index),
        }
        for node in graph.nodes
    ]


@pytest.fixture(scope="module")
def asked() -> dict[str, Any]:
    dice = random.Random(1)
    graphs = [random_graph(dice) for _ in range(GRAPHS)]
    leaves = [[n.index for n in graph.nodes if not n.op] for graph in graphs]
    moves, wiggles = [], []
    for _ in range(MOVES):
        graph = dice.randrange(GRAPHS)
        number = dice.choice([0.0, dice.uniform(-4, 4), dice.uniform(-50, 50), 1e3, 1e-300])
        moves.append((graph, dice.choice(leaves[graph]), number))
        place = dice.randrange(len(graphs[graph]))
        wiggles.append((graph, place, dice.choice([1.0, 0.1, 1e-3])))
    numbers = [dice.choice([1, -1]) * 10 ** dice.uniform(-12, 12) for _ in range(20_000)]
    numbers += [k / 2 ** dice.randint(0, 24) for k in range(-10_000, 10_000)]
    numbers += [100000.5, 100001.5, 1e9, 0.0, -0.0, 12345.65, 1 / 3, 5e-324, 1.7e308, 9.999995]
    return {"graphs": graphs, "moves": moves, "wiggles": wiggles, "numbers": numbers}


@pytest.fixture(scope="module")
def answered(asked: dict[str, Any]) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the PATH; the browser tests use the evaluator as well")
    told = {**asked, "graphs": [plain(graph) for graph in asked["graphs"]], "words": page_words()}
    script = (front_end.FRONT / "eval.js").read_text(encoding="utf-8") + PAGE
    done = subprocess.run(
        [node, "-e", script], input=json.dumps(told), capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def tried(compute: Callable[[], T]) -> tuple[T | None, str]:
    """What is computed, or why it is refused."""
    try:
        return compute(), ""
    except (ArithmeticError, ValueError) as error:
        return None, str(error)


def gradients_at(graph: Graph, place: int, number: float) -> tuple[float, ...]:
    return reverse_walk(recomputed(graph, {place: number})).gradients


def near(one: float, other: float, size: float = 0.0) -> bool:
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE * max(1.0, size))


def test_every_number_of_every_node_is_the_engines(
    asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    used, total, same = set(), 0, 0
    for graph, page in zip(asked["graphs"], answered["graphs"], strict=True):
        exact = not CLOSED_FORM & {node.op for node in graph.nodes}
        largest = max(abs(node.grad) for node in graph.nodes)
        for node in graph.nodes:
            used.add(node.op)
            local = [x for x in page["local"][node.index] if x is not None]
            pairs = [(node.data, page["data"][node.index], 0.0)]
            pairs += [(x, y, 0.0) for x, y in zip(node.local_derivatives, local, strict=True)]
            pairs.append((node.grad, page["grads"][node.index], largest))
            for ours, theirs, size in pairs:
                assert ours == theirs if exact else near(ours, theirs, size), graph.title(
                    node.index
                )
                total, same = total + 1, same + (ours == theirs)
    assert used == {"", *RULES} == {"", *OPERATIONS}
    assert total > 40_000
    assert same > 0.9 * total


def test_a_number_is_refused_where_the_engine_refuses_it_and_in_its_words(
    asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    refused = 0
    for (which, place, number), page in zip(asked["moves"], answered["moves"], strict=True):
        gradients, why = tried(lambda: gradients_at(asked["graphs"][which], place, number))  # noqa: B023
        if gradients is None:
            refused += 1
            in_walk = why.startswith("a gradient left the range of floats")
            text = page["refused"].replace(MINUS, "-")
            assert text.startswith("The gradient of") if in_walk else text == why
        else:
            largest = max(map(abs, gradients))
            assert all(near(x, y, largest) for x, y in zip(gradients, page["grads"], strict=True))
    assert refused > MOVES / 10


def test_a_wiggle_moves_every_node_as_far_as_the_engine_does(
    asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    measured = 0
    for (which, place, h), page in zip(asked["wiggles"], answered["wiggles"], strict=True):
        ours, why = tried(lambda: moved(asked["graphs"][which], place, h))  # noqa: B023
        if ours is None:
            assert page["refused"].replace(MINUS, "-") == why
            continue
        measured += 1
        size = max(map(abs, (*ours.low, *ours.high))) / h
        for end in ("low", "high"):
            assert all(near(x, y) for x, y in zip(getattr(ours, end), page[end], strict=True))
        arrows = {tuple(map(int, edge.split("-"))): found for edge, found in page["arrows"]}
        for arrow in ours.along.keys() & arrows.keys():  # an end may differ by its last bit
            assert near(ours.along[arrow], arrows[arrow]["ratio"], size) or h < 0.1
        for arrow in ours.parts.keys() & arrows.keys():
            assert near(ours.parts[arrow], arrows[arrow]["part"], size)
    assert measured > MOVES / 4


def test_numbers_are_written_as_python_writes_them(
    asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    for number, text in zip(asked["numbers"], answered["texts"], strict=True):
        assert text.replace(MINUS, "-") == number_text(number)


def test_a_number_in_a_box_has_as_many_digits_as_fit(
    asked: dict[str, Any], answered: dict[str, Any]
) -> None:
    for number, text in zip(asked["numbers"], answered["fitting"], strict=True):
        assert len(text) <= 9
        if len(number_text(number)) <= 9:
            assert text.replace(MINUS, "-") == number_text(number)
