"""The benchmarks of replays compare ways that compute the same."""

import math
from typing import Any

import pytest

from engine.gpt import GPT, Shape, encode
from tests.bench import gpt_plain, replay, training

TOKENS = encode("emmaly")


@pytest.fixture(scope="module")
def expected() -> tuple[float, list[float]]:
    gpt = GPT(seed=1)
    loss = gpt.read(TOKENS).loss
    loss.backward()
    return loss.data, [parameter.grad for parameter in gpt.parameters()]


def require_same(way: replay.Contestant, expected: tuple[float, list[float]]) -> None:
    loss, gradients = expected
    assert way.step() == pytest.approx(loss, rel=1e-12)
    found = way.gradients()
    assert max(abs(a - b) for a, b in zip(found, gradients, strict=True)) < replay.CHECKED


def test_tensors_of_pytorch_compute_the_same_loss_and_gradients_as_single_nodes(
    expected: tuple[float, list[float]],
) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    require_same(replay.with_torch(GPT(seed=1), TOKENS), expected)


def test_arrays_of_jax_compute_the_same_loss_and_gradients_as_single_nodes(
    expected: tuple[float, list[float]],
) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    require_same(replay.with_jax(GPT(seed=1), TOKENS), expected)


def test_other_engines_and_replays_compute_the_same_loss_and_gradients() -> None:
    tokens = encode("a")
    gpt = GPT(seed=1)
    loss = gpt.read(tokens).loss
    loss.backward()
    gradients = [parameter.grad for parameter in gpt.parameters()]
    ways = [
        replay.recorded(replay.REFERENCE_NAME, gpt_plain.REFERENCE, gpt, tokens),
        replay.recorded(replay.MICROGRAD_NAME, gpt_plain.MICROGRAD, gpt, tokens),
        replay.recorded(replay.TAPE, gpt_plain.OURS, gpt, tokens),
        replay.replayed(replay.NUMPY, gpt, tokens, compiled=False),
    ]
    for way in ways:
        require_same(way, (loss.data, gradients))


def test_ways_that_compute_something_else_are_not_compared() -> None:
    right = replay.Contestant("right", lambda: 1.0, lambda: [2.0])
    wrong = replay.Contestant("wrong", lambda: 1.0, lambda: [math.nan])
    with pytest.raises(AssertionError, match="wrong does not compute the same as right"):
        list(replay.agreement([right, wrong]))


def test_a_bar_is_met_from_its_ratio_on_and_left_out_where_a_contestant_is_missing() -> None:
    seconds = {replay.REFERENCE_NAME: 50.0, replay.NUMPY: 1.0, replay.TAPE: 17.0}
    verdicts = [line.rsplit(", ", 1)[1] for line in replay.bars(seconds)]
    assert verdicts == ["MISSED", "met"]


def test_the_adam_of_pytorch_moves_numbers_to_the_same_places() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert training.largest_difference(steps=30) < training.CHECKED


@pytest.mark.parametrize("way", [training.with_reference, training.with_tape])
def test_a_training_by_replay_loses_the_same_as_one_that_records_each_step(way: Any) -> None:
    documents = [encode("al"), encode("bo")]
    shape = Shape(width=4)
    by_replay = training.by_replay(GPT(shape, seed=1), documents)
    expected = way(GPT(shape, seed=1), documents, steps=2)
    assert by_replay == pytest.approx(expected, rel=1e-9)
