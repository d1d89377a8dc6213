"""Training by replay: the same numbers as recording every document afresh."""

import copy
import math
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine import GraphExplorer, Tape
from engine.gpt import BOS, GPT, Shape, encode
from engine.optim import Adam
from engine.replay.compiled import loops
from engine.training import Trainer

DOCUMENTS = ["anna", "bo", "emma", "otto", "bo", "zoe"]
SMALL = Shape(layers=2, width=8, heads=2, context=8)


def recorded_loss(gpt: GPT, name: str) -> float:
    """Add the gradients of a document that is recorded afresh."""
    with Tape() as tape:
        loss = gpt.read(encode(name)).loss
        tape.backward(loss)
    return float(loss.data)


def gradients(gpt: GPT) -> np.ndarray:
    """The gradients that the model's own parameters hold."""
    return np.array([parameter.grad for parameter in gpt.parameters()])


def trained(optimizer: Adam, loss: Callable[[str], float]) -> list[float]:
    """One step for each document, with a rate that falls as in the course."""
    losses = []
    for step, name in enumerate(DOCUMENTS):
        optimizer.zero_grad()
        losses.append(loss(name))
        optimizer.step(rate=0.01 * (1 - step / 1000))
    return losses


@pytest.mark.parametrize("shape", [Shape(), SMALL])
def test_steps_equal_those_of_recording_every_document_afresh(shape: Shape) -> None:
    afresh, replayed = GPT(shape, seed=3), GPT(shape, seed=3)
    trainer = Trainer(replayed)
    settings = {"beta1": 0.85, "beta2": 0.99, "epsilon": 1e-8}
    expected = trained(Adam(afresh.parameters(), **settings), lambda n: recorded_loss(afresh, n))
    got = trained(Adam([trainer.parameters], **settings), lambda n: trainer.loss(encode(n)))
    assert got == pytest.approx(expected, rel=0, abs=1e-10)
    weights = [parameter.data for parameter in afresh.parameters()]
    assert np.abs(trainer.parameters.data - weights).max() < 1e-10
    assert len({round(loss, 6) for loss in got}) == len(DOCUMENTS)


@pytest.mark.parametrize("name", ["emma", "aaaa", "otto", "zzyx"])
def test_a_document_bound_anew_has_the_gradients_of_its_own_recording(name: str) -> None:
    gpt = GPT(seed=2)
    trainer = Trainer(gpt)
    trainer.loss(encode("anna"))
    trainer.parameters.grad = 0.0
    assert trainer.loss(encode(name)) == pytest.approx(recorded_loss(gpt, name), abs=1e-12)
    assert np.abs(trainer.parameters.grad - gradients(gpt)).max() < 1e-12


def test_each_length_is_recorded_once() -> None:
    trainer = Trainer(GPT(SMALL))
    for name in DOCUMENTS:
        trainer.loss(encode(name))
    assert trainer.recorded == (6, 4, 5)
    assert trainer.replay(encode("anna")) is trainer.replay(encode("otto"))
    assert trainer.replay(encode("anna")) is not trainer.replay(encode("bo"))


def test_gradients_add_up_until_they_are_cleared() -> None:
    trainer = Trainer(GPT(SMALL))
    trainer.loss(encode("bo"))
    once = trainer.parameters.grad.copy()
    trainer.loss(encode("bo"))
    assert np.array_equal(trainer.parameters.grad, 2 * once)
    assert once.any()


@pytest.mark.parametrize("name", ["bo", "anna"])
def test_an_evaluation_gives_the_same_loss_and_leaves_the_gradients_alone(name: str) -> None:
    trainer = Trainer(GPT(SMALL))
    loss = trainer.loss(encode("bo"))
    before = trainer.parameters.grad.copy()
    assert trainer.evaluate(encode(name)) == trainer.evaluate(encode(name))
    assert np.array_equal(trainer.parameters.grad, before)
    assert trainer.evaluate(encode("bo")) == loss
    assert trainer.evaluate(encode(name)) == trainer.loss(encode(name))


@pytest.mark.parametrize(
    "tokens", [[26], [26, 0, 27, 26], [26, 0, -1, 26], [26, *[0] * 8, 26]], ids=str
)
def test_a_document_that_the_model_cannot_read_changes_nothing(tokens: list[int]) -> None:
    trainer = Trainer(GPT(SMALL))
    trainer.loss(encode("bo"))
    before = trainer.parameters.grad.copy()
    with pytest.raises(ValueError, match=r"token|pick"):
        trainer.loss(tokens)
    with pytest.raises(ValueError, match=r"token|pick"):
        trainer.evaluate(tokens)
    assert np.array_equal(trainer.parameters.grad, before)
    assert trainer.loss(encode("bo")) > 0.0


def test_the_model_gets_its_weights_when_somebody_looks(tmp_path: Path) -> None:
    gpt = GPT(SMALL, seed=1)
    start = [parameter.data for parameter in gpt.parameters()]
    trainer = Trainer(gpt)
    optimizer = Adam([trainer.parameters], rate=0.01)
    trainer.loss(encode("bo"))
    optimizer.step()
    assert [parameter.data for parameter in gpt.parameters()] == start
    assert trainer.write_back() is gpt
    assert [parameter.data for parameter in gpt.parameters()] == trainer.parameters.data.tolist()
    gpt.save(tmp_path / "model.json")
    again = Trainer(GPT.load(tmp_path / "model.json"))
    assert np.array_equal(again.parameters.data, trainer.parameters.data)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("names", [[], ["bo"]])
def test_a_trainer_is_not_copied_but_its_model_is(
    duplicate: Callable[[object], object], names: list[str]
) -> None:
    trainer = Trainer(GPT(SMALL, seed=2))
    before = [trainer.loss(encode(name)) for name in names]
    with pytest.raises(TypeError, match=r"a Trainer .* other numbers.*write_back\(\)"):
        duplicate(trainer)
    other = Trainer(copy.deepcopy(trainer.write_back()))
    other.parameters.data[:] = 0.0
    assert other.loss(encode("bo")) == pytest.approx(math.log(BOS + 1))
    assert [trainer.loss(encode(name)) for name in names] == before


def test_every_node_of_a_replay_can_be_opened() -> None:
    trainer = Trainer(GPT(SMALL))
    loss = trainer.loss(encode("bo"))
    graph = trainer.replay(encode("bo"))
    graph.forward()
    assert graph.graph().output.data == loss
    assert "loss" in repr(GraphExplorer(graph.graph()))


def test_a_compiled_training_is_refused_without_the_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    loops.cache_clear()
    assert Trainer(GPT(SMALL, seed=3), compiled=False).loss(encode("anna")) > 0
    with pytest.raises(ImportError, match="numba"):
        Trainer(GPT(SMALL, seed=3), compiled=True).loss(encode("anna"))
