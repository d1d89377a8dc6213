"""A batch computes what one replay after the other does: outputs, summed gradients, refusals."""

import operator
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_graphs import Calculation, calculations
from test_random_graphs import OURS

from engine import Parameter, Value
from engine.gpt import GPT, Shape, encode, softmax
from engine.replay import Batch, Choice, Replay
from engine.training import TOGETHER, Trainer

NAMES = ["emmaly", "bo", "al", "zoe", "stella", "ottokar", "bo", "anna"]
SMALL = Shape(layers=2, width=8, heads=2, context=8)


def one_by_one(
    replay: Replay, picks: Sequence[Sequence[int]], inputs: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]:
    """The outputs, and the sum of the gradients of the parameters."""
    outputs = []
    for pick, numbers in zip(picks, inputs, strict=True):
        replay.bind(pick)
        replay.inputs.data = numbers
        outputs.append(replay.forward())
        replay.backward()
    gradients = replay.parameters.grad.tolist()
    replay.parameters.grad = 0.0
    return outputs, gradients


def require_same(
    replay: Replay, picks: Sequence[Sequence[int]], inputs: Sequence[Sequence[float]]
) -> None:
    """Compare a batch, with room for more documents than there are, with single replays."""
    outputs, gradients = one_by_one(replay, picks, inputs)
    batch = Batch(replay, len(picks) + 2)
    assert batch.forward(picks, inputs).tolist() == pytest.approx(outputs, rel=1e-12)
    batch.backward()
    assert replay.parameters.grad.tolist() == pytest.approx(gradients, rel=1e-12, abs=1e-12)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(calculations(), st.lists(st.sampled_from([1.0, 0.999, 1.002]), min_size=1, max_size=4))
def test_a_batch_equals_single_replays(calculation: Calculation, factors: list[float]) -> None:
    leaves = [(Value, Parameter)[place % 2](x) for place, x in enumerate(calculation.leaves)]
    output: Value = calculation.run(leaves, OURS)[-1]
    replay = Replay(output, inputs=leaves[0::2], names={}, compiled=False)
    inputs = [[x * factor for x in calculation.leaves[0::2]] for factor in factors]
    require_same(replay, [[]] * len(factors), inputs)


def layered(chance: random.Random) -> tuple[Value, list[Value], list[Choice]]:
    """Rows of a table, two layers with weights on either side of *, softmax, and a choice of it."""

    def weights(rows: int) -> list[list[Parameter]]:
        return [[Parameter(chance.gauss(0, 1)) for _ in range(3)] for _ in range(rows)]

    table, inputs = weights(4), [Value(chance.gauss(0, 1)) for _ in range(3)]
    rows = [row * factor for row, factor in zip(table[1], inputs, strict=True)]
    hidden = [sum(map(operator.mul, row, rows)).relu() for row in weights(6)]
    hidden += [sum(map(operator.mul, rows, row)).tanh() for row in weights(2)]
    scores = [sum(map(operator.mul, row, hidden[k : k + 3])) for row in weights(2) for k in (0, 5)]
    log = softmax([*scores, scores[0] * scores[1]])[2].log()
    choices = [Choice([(row, 0) for row in rows], table)]
    return log * 2.0 + sum(scores, inputs[0] * inputs[1]), inputs, choices


@pytest.mark.parametrize("seed", range(10))
def test_layers_and_choices_equal_single_replays(seed: int) -> None:
    chance = random.Random(seed)
    output, inputs, choices = layered(chance)
    replay = Replay(output, choices=choices, inputs=inputs, names={}, compiled=False)
    picks = [[chance.randrange(4)] for _ in range(5)]
    require_same(replay, picks, [[chance.gauss(0, 1) for _ in inputs] for _ in picks])


def test_a_sum_with_an_input_beside_weights_differs_from_document_to_document() -> None:
    w, x = Parameter(3.0), Value(1.0)
    y, z = x.exp(), x.tanh()
    replay = Replay(w * y + x * z, inputs=[x], names={}, compiled=False)
    require_same(replay, [[], []], [[0.5], [2.0]])


@pytest.mark.parametrize("shape", [Shape(), SMALL])
def test_documents_of_several_lengths_have_the_mean_of_their_gradients(shape: Shape) -> None:
    trainer = Trainer(GPT(shape, seed=3), compiled=False)
    documents = [encode(name) for name in (NAMES * 4)[: TOGETHER + 3]]
    losses = [trainer.loss(tokens) for tokens in documents]
    expected = trainer.parameters.grad / len(documents)
    trainer.parameters.grad = 0.0
    assert trainer.losses(documents) == pytest.approx(losses, rel=1e-12)
    assert not trainer.parameters.grad.any()
    mean = trainer.mean_loss(documents)
    assert mean == pytest.approx(sum(losses) / len(losses), rel=1e-12)
    assert np.abs(trainer.parameters.grad - expected).max() < 1e-12
    trainer.mean_loss(iter(documents))
    assert np.abs(trainer.parameters.grad - 2 * expected).max() < 1e-12


def test_the_longest_document_fits_and_what_does_not_is_refused() -> None:
    trainer = Trainer(GPT(SMALL, seed=3), compiled=False)
    longest = encode("abcdefg")
    assert trainer.losses([longest]) == pytest.approx([trainer.evaluate(longest)], rel=1e-12)
    with pytest.raises(ValueError, match="at least one document"):
        trainer.mean_loss([])
    with pytest.raises(ValueError, match="a document has 2 to 9 tokens"):
        trainer.losses([longest, encode("abcdefgh")])


def test_a_batch_that_fails_halfway_adds_no_gradient() -> None:
    trainer = Trainer(GPT(SMALL, seed=3), compiled=False)
    trainer.parameters.grad = 1.0
    short, long = [encode("a")] * TOGETHER, [encode("abcdefg")]
    trainer.mean_loss([*short, *long])
    kept = trainer.parameters.grad.copy()
    place = [w.label for w in trainer.gpt.parameters()].index("wpe[7][0]")
    trainer.parameters.data[place] = np.nan  # a number that only the long document reads
    with pytest.raises(ValueError, match=r"wpe\[7\]\[0\] holds nan"):
        trainer.mean_loss([*short, *long])
    assert (trainer.parameters.grad == kept).all()


def test_the_first_document_that_cannot_be_computed_is_named_as_in_a_single_replay() -> None:
    x, w = Value(1.0, "x"), Parameter(1.0, "w")
    y = (x * w).log()
    y.label = "y"
    replay = Replay(y, inputs=[x])
    batch = Batch(replay, 3)
    for numbers, message in (([2.0, 0.0], r"log\(0\).*at 'y'"), ([1e308, 1.0], "too large")):
        replay.parameters.data[0] = 10.0
        with pytest.raises((ValueError, OverflowError), match=message):
            batch.forward(inputs=[[number] for number in numbers])
        with pytest.raises(RuntimeError, match="call forward"):
            batch.backward()
    assert not replay.parameters.grad.any()


def test_products_too_large_for_a_float_are_refused_also_where_nothing_shows_them() -> None:
    weights = [Parameter(1e200), Parameter(1e200)]
    x = [Value(1.0), Value(1.0)]
    replay = Replay((-(weights[0] * x[0] + weights[1] * x[1])).exp(), inputs=x)
    with pytest.raises(OverflowError, match="too large for a float"):
        Batch(replay, 2).forward(inputs=[[1.0, 1.0], [1e200, 1.0]])


def test_the_upstream_gradient_decides_between_sum_and_mean() -> None:
    w, x = Parameter(3.0), Value(0.0)
    replay = Replay(w * x, inputs=[x])
    batch = Batch(replay, 4)
    batch.forward(inputs=[[1.0], [2.0], [6.0]])
    for upstream, gradient in ((1.0, 9.0), (1 / 3, 3.0)):
        replay.parameters.grad = 0.0
        batch.backward(upstream)
        assert replay.parameters.grad.tolist() == [pytest.approx(gradient)]
    with pytest.raises(OverflowError, match="the vectors keep"):
        batch.backward(1.7e308)
    assert replay.parameters.grad.tolist() == [pytest.approx(3.0)]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (lambda b: b.forward(inputs=[[1.0]] * 3), ValueError, "takes 1 to 2 documents, got 3 "),
        (lambda b: b.forward([[0]], [[1.0]] * 2), ValueError, "got 1 with picks and 2 with inputs"),
        (lambda b: b.forward(picks=[], inputs=[]), (TypeError, ValueError), "for each document"),
        (lambda b: b.forward(inputs=[[1.0, 2.0]]), ValueError, "1 inputs are needed for each"),
        (lambda b: b.forward(inputs=["a"]), TypeError, "inputs come as a list of numbers"),
        (lambda b: b.forward(picks=[[0.5]]), TypeError, "picks come as a list of numbers"),
        (lambda b: b.forward(picks=[[0], []]), TypeError, "picks come as a list of numbers"),
        (lambda b: b.forward(picks=[[0], [2]]), ValueError, "from 0 to 1, got 2"),
        (lambda b: b.forward(picks=[[-1]]), ValueError, "from 0 to 1, got -1"),
        (lambda b: b.backward(), RuntimeError, "call forward"),
    ],
)
def test_what_does_not_fit_is_refused(
    given: Callable[[Batch], object], error: type[Exception], message: str
) -> None:
    x, rows = Value(1.0), [Parameter(1.0), Parameter(2.0)]
    y = rows[0] * x
    replay = Replay(y, choices=[Choice([(y, 0)], [[row] for row in rows])], inputs=[x])
    with pytest.raises(error, match=message):
        given(Batch(replay, 2))
    with pytest.raises(ValueError, match="at least 1 document"):
        Batch(replay, 0)
