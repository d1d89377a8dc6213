"""Arrays give the gradients of central differences, and those of single numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import ReverseWalk, Value, gradient_check, reverse_walk
from engine.array_graph import graph_of
from engine.arrays import Array, creation_order
from engine.gpt import GPT, Shape, encode
from engine.gpt_arrays import batch_loss, weights_of

CHANCE = np.random.default_rng(7)
A, B = CHANCE.uniform(0.5, 2.0, (2, 3, 4)), CHANCE.uniform(0.5, 2.0, (2, 3, 4))
ROW, COLUMN, TABLE = A[0, 0], A[0, :, :1], B[0]
OPERATIONS: dict[str, tuple[Callable[..., Array], tuple[Any, ...]]] = {
    "add": (lambda a, b: a + b, (A, B)),
    "add a row": (lambda a, b: a + b, (A, ROW)),
    "subtract a column": (lambda a, b: b - a, (A, COLUMN)),
    "one number on both sides": (lambda a, b: 3.0 - a * b, (A, np.array(2.0))),
    "multiply rows and columns": (lambda a, b: a * b, (ROW, COLUMN)),
    "divide": (lambda a, b: a / b + 1.0 / b, (A, COLUMN)),
    "NumPy on the left": (lambda a: A * a - TABLE, (ROW,)),
    "matmul": (lambda a, b: a @ b.T, (TABLE, A[1])),
    "matmul of a batch and one table": (lambda a, b: a @ b.T, (A, TABLE)),
    "matmul of two batches": (lambda a, b: a @ b.transpose(0, 2, 1), (A, B)),
    "NumPy @": (lambda a: TABLE @ a, (A[1].T,)),
    "exp and log": (lambda a: (a.exp() + 1.0).log(), (A,)),
    "power": (lambda a: a**-0.5 + a**3, (A,)),
    "relu": (lambda a: (a - 1.2).relu(), (A,)),
    "maximum": (lambda a, b: a.maximum(b).maximum(1.0), (A, B)),
    "sum of all": (lambda a: a.sum() * a, (A,)),
    "sum along an axis": (lambda a: a.sum(axis=1) * ROW, (A,)),
    "sum that keeps its axis": (lambda a: a / a.sum(axis=-1, keepdims=True), (A,)),
    "reshape": (lambda a: a.reshape(6, -1) @ TABLE.T, (A,)),
    "transpose": (lambda a: a.transpose(1, 2, 0) @ np.eye(2), (A,)),
    "a slice": (lambda a: a[:, 1:] * 2.0, (A,)),
    "a row twice": (lambda a: a[[0, 2, 0]] * A[0], (TABLE,)),
    "one of each row": (lambda a: a[np.arange(3), [1, 1, 0]], (TABLE,)),
    "used twice": (lambda a: a * a + a, (A,)),
}


def measured(total: Callable[..., Array], blocks: tuple[Any, ...], side: int) -> np.ndarray:
    """The central difference of each number of one block."""
    found = np.zeros(np.shape(blocks[side]))
    for place in np.ndindex(found.shape):
        ends = []
        for h in (1e-5, -1e-5):
            moved = [np.array(block) for block in blocks]
            moved[side][place] += h
            ends.append(total(*map(Array, moved)).data.item())
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_agrees_with_central_differences(name: str) -> None:
    operation, blocks = OPERATIONS[name]
    result = operation(*map(Array, blocks))
    factors = np.random.default_rng(1).normal(size=result.shape)

    def total(*arrays: Array) -> Array:
        return (operation(*arrays) * factors).sum()

    arrays = [Array(block) for block in blocks]
    total(*arrays).backward()
    for side, array in enumerate(arrays):
        assert array.grad.shape == array.shape
        np.testing.assert_allclose(array.grad, measured(total, blocks, side), rtol=1e-6, atol=1e-8)


def test_at_a_kink_the_choice_is_the_stated_one() -> None:
    a, b = Array([0.0, 2.0]), Array([0.0, 2.0])
    (a.relu() + a.maximum(b)).sum().backward()
    assert a.grad.tolist() == [0.5, 1.5]
    assert b.grad.tolist() == [0.5, 0.5]


def test_a_second_walk_doubles_leaves_and_begins_computed_nodes_afresh() -> None:
    x = Array([1.0, 2.0])
    y = x * 3.0
    total = y.sum()
    total.backward()
    total.backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([6.0, 6.0], [1.0, 1.0])


def test_data_cannot_change_under_a_recording() -> None:
    given = np.array([1.0, 2.0])
    x = Array(given)
    given[0] = 5.0
    assert x.data.tolist() == [1.0, 2.0]
    y = (x * x).sum()
    with pytest.raises(ValueError, match="read-only"):
        x.data -= 1.0
    x.data = x.data - 1.0
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Array([1.0, 2.0]).backward(), "begins at one number, not at (2,): sum() first"),
        (lambda: Array([0.0, 1.0]).log(), "'log' of shape (2,) holds a number that is infinite"),
        (lambda: Array([1.0]) / 0.0, "infinite or NaN"),
        (lambda: Array([1e200]) * 1e200, "'*' of shape (1,)"),
        (lambda: Array([-1.0]) ** 0.5, "'**'"),
        (lambda: Array([1.0, 2.0]) @ np.eye(2), "'@' needs rows and columns"),
        (lambda: Array([float("nan")]), "an array of shape (1,)"),
        (lambda: Array(["a"]), "needs real numbers"),
        (lambda: Array([[1.0, 2.0], [3.0]]), "inhomogeneous"),
        (lambda: Array([1.0, 2.0]) + np.ones(3), "could not be broadcast"),
    ],
)
def test_what_cannot_be_computed_is_refused(wrong: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        wrong()
    assert words in str(caught.value)


def test_a_gradient_that_no_float_holds_leaves_every_gradient_as_it_was() -> None:
    x = Array([1e-200])
    x.grad = np.array([5.0])
    y = (x**0.5 * 1e250 / 1e-40).sum()
    with pytest.raises(ValueError, match="the gradient of"):
        y.backward()
    assert x.grad.tolist() == [5.0]


def test_a_chain_of_many_nodes_needs_no_recursion() -> None:
    x = Array([1.0])
    y = x
    for _ in range(5_000):
        y = y + 1.0
    y.backward()
    assert (len(creation_order(y)), x.grad.tolist()) == (5_001, [1.0])


SHAPES = (Shape(), Shape(layers=2, width=6, heads=3, context=9))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("names", [["stella"], ["ada", "stella", "bo"]], ids=" ".join)
def test_the_gpt_has_the_loss_and_gradients_of_single_numbers(
    shape: Shape, names: list[str]
) -> None:
    gpt = GPT(shape, seed=1)
    weights = weights_of(gpt)
    batch = batch_loss(weights, [encode(name) for name in names], shape)
    batch.backward()
    losses = [gpt.read(encode(name)).loss / len(names) for name in names]
    for loss in losses:
        loss.backward()
    assert batch.data.item() == pytest.approx(sum(loss.data for loss in losses), abs=1e-12)
    for name, matrix in gpt.weights.items():
        singles = np.array([[weight.grad for weight in row] for row in matrix])
        np.testing.assert_allclose(weights[name].grad, singles, rtol=0, atol=1e-12)


def test_the_views_walk_a_graph_of_arrays_with_shapes_in_its_boxes() -> None:
    x, w = Array([[1.0, 5.0], [2.0, 6.0]], "x"), Array([[3.0, 4.0]], "w")
    y = (x @ w.T * [[2.0], [-1.0]]).sum()
    y.backward()
    graph = graph_of(y)
    walk = reverse_walk(graph)
    for node, array in zip(graph.nodes, creation_order(y), strict=True):
        seed_or_block = walk.gradients[node.index]
        np.testing.assert_array_equal(getattr(seed_or_block, "numbers", seed_or_block), array.grad)
    view = ReverseWalk(graph)
    assert "y" in graph.names
    assert "(2, 1)" in str(view.picture())
    said = " ".join(view.step(3).state.sentences)
    assert "local derivative [@] × upstream gradient (2, 1) = contribution (2, 2)" in said


def test_one_number_in_each_array_is_the_engine_of_single_numbers() -> None:
    def formula(a: Any, b: Any) -> Any:
        return (a * b + a / b - b.exp()) ** 2 * (a + 3.0).log() + (b - a).relu()

    values, arrays = (Value(1.5), Value(0.7)), (Array(1.5), Array(0.7))
    formula(*values).backward()
    formula(*arrays).backward()
    assert [a.grad.item() for a in arrays] == pytest.approx([v.grad for v in values], rel=1e-13)
    assert gradient_check(formula, [1.5, 0.7]).passed
