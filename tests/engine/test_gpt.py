"""The tiny GPT against a second computation of the same model, and against measuring."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import autograd
import autograd.numpy as np
import pytest

from engine import (
    Graph,
    Literal,
    Parameter,
    Tape,
    Value,
    central_difference,
    gradient_check,
    relative_error,
    topological_order,
)
from engine.gpt import (
    BOS,
    EPSILON,
    GPT,
    Cache,
    Shape,
    addvec,
    attend,
    decode,
    dot,
    encode,
    matvec,
    rmsnorm,
    softmax,
)
from engine.training import Trainer

GROUPS = {
    "wte": 432,
    "wpe": 256,
    "lm_head": 432,
    "wq": 256,
    "wk": 256,
    "wv": 256,
    "wo": 256,
    "fc1": 1024,
    "fc2": 1024,
}
SMALL = Shape(layers=2, width=4, heads=2, context=6, vocabulary=5)
Weights = dict[str, Any]


# -- the same model a second time, in NumPy, differentiated by another library ---------------------


def arrays(gpt: GPT) -> Weights:
    return {
        name: np.array([[w.data for w in row] for row in matrix])
        for name, matrix in gpt.weights.items()
    }


def gradients(gpt: GPT) -> Weights:
    return {
        name: np.array([[w.grad for w in row] for row in matrix])
        for name, matrix in gpt.weights.items()
    }


def norm(rows: Any) -> Any:
    return rows / np.sqrt(np.mean(rows**2, axis=1, keepdims=True) + 1e-5)


def log_softmax(scores: Any) -> Any:
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def loss_of(weights: Weights, tokens: list[int], shape: Shape) -> Any:
    """All positions at once, as rows of matrices; what comes later is masked out."""
    count, size = len(tokens) - 1, shape.width // shape.heads
    later = np.triu(np.full((count, count), -1e30), 1)
    stream = norm(weights["wte"][tokens[:-1]] + weights["wpe"][:count])
    for layer in range(shape.layers):
        wq, wk, wv, wo, fc1, fc2 = (
            weights[shape.name(layer, name)] for name in ("wq", "wk", "wv", "wo", "fc1", "fc2")
        )
        rows = norm(stream)
        mixed = []
        for head in range(shape.heads):
            part = slice(head * size, (head + 1) * size)
            q, k, v = rows @ wq[part].T, rows @ wk[part].T, rows @ wv[part].T
            mixed.append(np.exp(log_softmax(q @ k.T / math.sqrt(size) + later)) @ v)
        stream = stream + np.concatenate(mixed, axis=1) @ wo.T
        stream = stream + np.maximum(norm(stream) @ fc1.T, 0.0) @ fc2.T
    logs = log_softmax(stream @ weights["lm_head"].T)
    return -np.mean(logs[np.arange(count), np.array(tokens[1:])])


def walked(gpt: GPT, tokens: list[int]) -> float:
    reading = gpt.read(tokens)
    reading.loss.backward()
    return reading.loss.data


@pytest.mark.parametrize(
    ("gpt", "tokens"),
    [
        (GPT(seed=3), encode("emma")),
        (GPT(Shape(layers=2), seed=4), encode("bo")),
        (GPT(SMALL, seed=5), [4, 0, 3, 1, 1, 2, 4]),
        (GPT(Shape(width=6, heads=1, context=4, vocabulary=7), seed=6), [6, 5, 5]),
    ],
    ids=["reference width", "two layers", "small, whole context", "one head"],
)
def test_loss_and_gradients_are_those_of_another_library(gpt: GPT, tokens: list[int]) -> None:
    loss = walked(gpt, tokens)
    weights = arrays(gpt)
    expected = autograd.grad(loss_of)(weights, tokens, gpt.shape)
    assert loss == pytest.approx(float(loss_of(weights, tokens, gpt.shape)), abs=1e-12)
    for name, gradient in gradients(gpt).items():
        assert np.any(gradient != 0.0), name
        assert np.max(np.abs(gradient - expected[name])) < 1e-10, name


# -- against measuring -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def checked() -> GPT:
    """A model of reference width with the gradients of one short document."""
    gpt = GPT(seed=1)
    walked(gpt, encode("ada"))
    return gpt


@pytest.mark.parametrize("group", ["wq", "fc1"])
def test_a_weight_agrees_with_the_central_difference(checked: GPT, group: str) -> None:
    weights = [weight for row in checked.weights[group] for weight in row]
    weight = next(weight for weight in weights if weight.grad != 0.0)
    held = weight.data

    def loss(number: float) -> float:
        weight.data = number
        return checked.read(encode("ada")).loss.data

    try:
        (measured,) = central_difference(loss, [held])
    finally:
        weight.data = held
    assert relative_error(weight.grad, measured) < 1e-6


def test_a_closed_relu_leaves_weights_without_a_gradient(checked: GPT) -> None:
    rows = gradients(checked)["fc1"]
    closed = [not row.any() for row in rows]
    assert 0 < sum(closed) < len(closed)


def test_weights_of_all_groups_agree_with_central_differences(checked: GPT) -> None:
    chance, weights, found = Random(0), arrays(checked), gradients(checked)
    # A smaller step than usual: moving an embedding by 1e-5 carries a ReLU across its kink.
    tokens, step, compared = encode("ada"), 1e-6, 0
    for name, array in weights.items():
        places = np.argwhere(found[name] != 0.0).tolist()
        for place in map(tuple, chance.sample(places, 12)):
            held = array[place]
            array[place] = held + step
            above = loss_of(weights, tokens, checked.shape)
            array[place] = held - step
            below = loss_of(weights, tokens, checked.shape)
            array[place] = held
            measured = float((above - below) / (2 * step))
            assert found[name][place] == pytest.approx(measured, rel=1e-6, abs=3e-9), (name, place)
            compared += 1
    assert compared >= 100


def test_what_a_document_does_not_use_gets_no_gradient(checked: GPT) -> None:
    found = gradients(checked)
    assert set(np.flatnonzero(found["wte"].any(axis=1))) == {0, 3, BOS}
    assert set(np.flatnonzero(found["wpe"].any(axis=1))) == {0, 1, 2, 3}


def test_a_tape_gives_the_same_gradients(checked: GPT) -> None:
    gpt = GPT(seed=1)
    with Tape() as tape:
        tape.backward(gpt.read(encode("ada")).loss)
    for weight, expected in zip(gpt.parameters(), checked.parameters(), strict=True):
        assert weight.grad == pytest.approx(expected.grad, rel=1e-12, abs=1e-15)


# -- sizes -----------------------------------------------------------------------------------------


def test_the_reference_model_has_the_groups_it_should_have() -> None:
    gpt = GPT()
    sizes = {name: sum(map(len, matrix)) for name, matrix in gpt.weights.items()}
    assert sizes == GROUPS
    assert len(gpt.parameters()) == sum(GROUPS.values()) == 4192
    assert len(set(gpt.parameters())) == 4192
    assert repr(gpt) == "GPT(1 layer, width 16, 4 heads, 4192 parameters)"


def test_weights_are_normal_and_follow_the_seed() -> None:
    numbers = [w.data for w in GPT(seed=2).parameters()]
    again, other = ([w.data for w in GPT(seed=seed).parameters()] for seed in (2, 3))
    assert numbers == again != other
    assert np.std(numbers) == pytest.approx(0.08, rel=0.05)
    assert np.mean(numbers) == pytest.approx(0.0, abs=0.005)


def test_a_six_letter_name_has_the_reference_number_of_nodes() -> None:
    gpt = GPT()
    assert 50_000 < len(topological_order(gpt.read(encode("martin")).loss)) < 70_000


def test_the_graph_of_eight_layers_needs_no_recursion() -> None:
    gpt = GPT(Shape(layers=8, width=4, heads=2))
    walked(gpt, encode("a"))
    assert all(any(w.grad for row in gpt.weights[f"layer{k}.wv"] for w in row) for k in range(8))


def test_every_computed_node_has_a_scope() -> None:
    graph = Graph.of(GPT(SMALL).read([4, 0, 4]).loss, names={})
    scopes = {node.scope for node in graph.nodes if node.kind == "computed"}
    assert scopes == {
        "loss",
        *(
            f"position{position}/{part}"
            for position in (0, 1)
            for part in (
                "embed",
                "logits",
                "loss",
                *(
                    f"layer{layer}/{inner}"
                    for layer in (0, 1)
                    for inner in ("attention", "attention/head0", "attention/head1", "mlp")
                ),
            )
        ),
    }


def test_only_the_operations_of_the_course_are_recorded() -> None:
    graph = Graph.of(GPT(SMALL).read([4, 0, 4]).loss, names={})
    assert {node.op for node in graph.nodes} == set("+-*/") | {
        "",
        "**",
        "exp",
        "log",
        "neg",
        "relu",
    }


# -- the parts -------------------------------------------------------------------------------------


def with_maximum(a: Value, b: Value, c: Value) -> Value:
    return weighted(softmax([a, b, c]))


def with_literal_zero(a: Value, b: Value, c: Value) -> Value:
    zero = Literal(0.0, "zero")
    powers = [(score - zero).exp() for score in (a, b, c)]
    return weighted([power / sum(powers) for power in powers])


def with_live_maximum(a: Value, b: Value, c: Value) -> Value:
    largest = max((a, b, c), key=lambda score: score.data)
    powers = [(score - largest).exp() for score in (a, b, c)]
    return weighted([power / sum(powers) for power in powers])


def weighted(probabilities: list[Value]) -> Value:
    return dot(probabilities, [Value(0.7), Value(-1.3), Value(2.4)])


@pytest.mark.parametrize("version", [with_literal_zero, with_live_maximum])
def test_the_gradients_of_softmax_do_not_depend_on_what_is_taken_off(version: Any) -> None:
    at = [0.3, -1.1, 2.2]
    check, other = gradient_check(with_maximum, at), gradient_check(version, at)
    assert check.passed
    assert [i.gradient for i in check.inputs] == pytest.approx(
        [i.gradient for i in other.inputs], abs=1e-15
    )


def test_softmax_of_huge_scores_does_not_overflow() -> None:
    scores = [Value(1000.0), Value(999.0), Value(-1000.0)]
    probabilities = softmax(scores)
    probabilities[0].backward()
    assert [p.data for p in probabilities] == pytest.approx([1 / (1 + math.exp(-1)), 0.2689414, 0])
    assert sum(score.grad for score in scores) == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(OverflowError):
        with_literal_zero(*scores)


def test_rmsnorm_gives_mean_square_one_and_ignores_the_scale() -> None:
    numbers = [0.5, -2.0, 1.5]
    normed = rmsnorm([Value(x) for x in numbers])
    assert sum(x.data**2 for x in normed) / 3 == pytest.approx(1.0, rel=1e-4)
    larger = rmsnorm([Value(1000 * x) for x in numbers])
    assert [x.data for x in larger] == pytest.approx([x.data for x in normed], rel=1e-4)
    assert [x.data for x in rmsnorm([Value(0.0)] * 2)] == [0.0, 0.0]
    tiny = rmsnorm([Value(1e-4)])[0].data
    assert tiny == pytest.approx(1e-4 / math.sqrt(1e-8 + EPSILON))


def test_attention_mixes_values_by_weights_that_add_up_to_one() -> None:
    def mixed(q: Value, k: Value, v: Value) -> Value:
        keys, values = [[k, Value(0.4)], [Value(-0.3), k]], [[v, q], [Value(1.5), v]]
        mixture, weights = attend([q, Value(-0.8)], keys, values)
        assert sum(w.data for w in weights) == pytest.approx(1.0)
        scores = [(q.data * key[0].data - 0.8 * key[1].data) / math.sqrt(2) for key in keys]
        share = 1 / (1 + math.exp(scores[1] - scores[0]))
        assert weights[0].data == pytest.approx(share)
        assert mixture[0].data == pytest.approx(share * v.data + (1 - share) * 1.5)
        return mixture[0] * mixture[1]

    assert gradient_check(mixed, [0.6, 1.2, -0.9]).passed


def test_the_constants_with_a_meaning_are_named() -> None:
    graph = Graph.of(GPT(SMALL).read([4, 1, 4]).loss, names={})
    constants = {
        (node.op, operand.label)
        for node in graph.nodes
        for operand in node.operands
        if not isinstance(operand, int)
    }
    named = {(op, label) for op, label in constants if label}
    assert named == {("/", "root"), ("-", "max"), ("+", "epsilon")}


def test_vectors_are_loops_of_products_and_sums() -> None:
    a, b = [Value(1.0), Value(2.0), Value(4.0)], [Value(3.0), Value(5.0), Value(7.0)]
    assert dot(a, b).data == 41.0
    assert len(topological_order(dot(a, b))) == 6 + 3 + 2
    assert [x.data for x in matvec([a, b], a)] == [21.0, 41.0]
    assert [x.data for x in addvec(a, b)] == [4.0, 7.0, 11.0]
    for left, right in ((a, b[:2]), ([], [])):
        with pytest.raises(ValueError, match="two equal lengths"):
            dot(left, right)


# -- causality -------------------------------------------------------------------------------------


def test_a_later_token_changes_no_earlier_probability() -> None:
    gpt = GPT(seed=7)
    first, second = (gpt.read(encode(name)) for name in ("abcd", "abzz"))
    numbers = [[[p.data for p in row] for row in r.probabilities] for r in (first, second)]
    assert numbers[0][:3] == numbers[1][:3]
    assert numbers[0][3] != numbers[1][3]


def test_a_later_loss_flows_into_an_earlier_key_and_value() -> None:
    gpt = GPT(seed=7)
    cache = Cache(gpt.shape)
    for position, token in enumerate(encode("ab")[:-1]):
        logits = gpt.logits(gpt.embed(token, position), cache)
    softmax(logits)[BOS].log().backward()
    for vectors in (cache.keys[0], cache.values[0]):
        assert all(any(number.grad for number in vector) for vector in vectors)


def test_the_attention_of_a_reading_grows_by_one_with_each_position() -> None:
    reading = GPT(SMALL).read([4, 0, 1, 4])
    assert [len(heads) for heads in reading.attention] == [2, 2]
    for head in (head for layer in reading.attention for head in layer):
        assert [len(row) for row in head] == [1, 2, 3]
        assert [sum(w.data for w in row) for row in head] == pytest.approx([1.0] * 3)


def test_a_reading_holds_what_the_loss_was_made_of() -> None:
    gpt, tokens = GPT(seed=1), encode("ada")
    reading = gpt.read(tokens)
    for log, row, following in zip(reading.logs, reading.probabilities, tokens[1:], strict=True):
        assert sum(p.data for p in row) == pytest.approx(1.0)
        assert log.data == math.log(row[following].data)
    assert reading.loss.data == pytest.approx(-sum(log.data for log in reading.logs) / 4)
    first = gpt.weights["wte"][BOS][5].data + gpt.weights["wpe"][0][5].data
    assert reading.embedded[0][5].data == first


# -- weights in and out ----------------------------------------------------------------------------


def plain(gpt: GPT) -> dict[str, list[list[float]]]:
    return {name: array.tolist() for name, array in arrays(gpt).items()}


def test_weights_can_be_given() -> None:
    given = plain(GPT(SMALL, seed=9))
    gpt = GPT(SMALL, weights=given)
    assert plain(gpt) == given
    assert all(type(weight) is Parameter for weight in gpt.parameters())
    assert gpt.weights["layer1.fc1"][2][3].label == "layer1.fc1[2][3]"


def wrong_weights() -> Iterator[tuple[str, Any]]:
    good = plain(GPT(SMALL))
    yield "weights are needed for", {k: v for k, v in good.items() if k != "wte"}
    yield "weights are needed for", {**good, "bias": [[0.0]]}
    yield "'wpe' needs 6 rows of 4 numbers, got 5 rows", {**good, "wpe": good["wpe"][1:]}
    yield "'wte' needs 5 rows of 4 numbers", {**good, "wte": [row[1:] for row in good["wte"]]}
    ragged = [good["wte"][0][1:], *good["wte"][1:]]
    yield "got 5 rows of 3, 4", {**good, "wte": ragged}


@pytest.mark.parametrize(("words", "weights"), [*wrong_weights()])
def test_weights_that_do_not_fit_are_refused(words: str, weights: Any) -> None:
    with pytest.raises(ValueError, match=words):
        GPT(SMALL, weights=weights)


def test_a_saved_model_comes_back_number_by_number(tmp_path: Path) -> None:
    gpt = GPT(SMALL, seed=9)
    gpt.save(tmp_path / "model.json")
    loaded = GPT.load(tmp_path / "model.json")
    assert loaded.shape == SMALL
    assert plain(loaded) == plain(gpt)


def test_saving_never_writes_over_a_file(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text("mine")
    with pytest.raises(FileExistsError, match="nothing is written over it"):
        GPT(SMALL).save(file)
    assert file.read_text() == "mine"


def test_a_model_that_cannot_be_saved_leaves_no_file(tmp_path: Path) -> None:
    gpt = GPT(SMALL)
    gpt.parameters()[0].data = math.nan
    with pytest.raises(ValueError, match="JSON"):
        gpt.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


HUGE_WEIGHT = json.dumps({"shape": vars(Shape()), "weights": plain(GPT())}).replace(
    '"wte": [[', f'"wte": [[{10**400}, ', 1
)


@pytest.mark.parametrize(
    "text",
    ["", "[1, 2]", "{}", '{"shape": {"depth": 1}, "weights": {}}', HUGE_WEIGHT, "[" * 100_000],
    ids=["empty", "list", "no shape", "no such size", "huge weight", "deep"],
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "model.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"model\.json is no model"):
        GPT.load(file)


def test_a_saved_model_is_plain_json(tmp_path: Path) -> None:
    GPT(SMALL).save(tmp_path / "model.json")
    stored = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert stored["shape"]["width"] == 4
    assert len(stored["weights"]["wte"]) == 5


# -- letters, documents, samples -------------------------------------------------------------------


def test_a_name_becomes_tokens_and_comes_back() -> None:
    assert encode("az") == [BOS, 0, 25, BOS]
    assert decode(encode("zebra")) == "zebra"
    with pytest.raises(ValueError, match="the vocabulary is a to z"):
        encode("Ada")
    for name in (["ab", "c"], 5, None):
        with pytest.raises(TypeError, match="a name is text, got"):
            encode(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("tokens", [[-1], [27], [30], [1.0], [True], ["a"], "ada", [None]])
def test_what_is_no_token_is_no_letter(tokens: Any) -> None:
    with pytest.raises(ValueError, match="a token is a whole number from 0 to 26, got"):
        decode(tokens)


def test_tokens_come_in_a_list_also_of_numpy() -> None:
    assert decode(iter(encode("ada"))) == decode(np.array(encode("ada"))) == "ada"
    with pytest.raises(TypeError, match=r"such as \[26, 0, 3, 0, 26\], got 5"):
        decode(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tokens come in a list"):
        GPT(SMALL).read(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([4], "2 to 7 tokens, got 1"),
        ([4] * 8, "2 to 7 tokens, got 8"),
        ([4, 5], "from 0 to 4, got 5"),
        ([-1, 4], "from 0 to 4, got -1"),
        ([4, 1.0, 4], "from 0 to 4, got 1.0"),
    ],
)
def test_documents_that_cannot_be_read_are_refused(tokens: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GPT(SMALL).read(tokens)


def test_a_later_document_of_the_same_length_is_checked_as_the_first() -> None:
    trainer = Trainer(GPT(SMALL))
    trainer.loss([4, 1, 4])
    for wrong in (5, -1, 1.0):
        with pytest.raises(ValueError, match=f"a token is a whole number from 0 to 4, got {wrong}"):
            trainer.loss([4, wrong, 4])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("place", "words"),
    [((-1, 0), "a token is .* got -1"), ((0, -1), "a position is .* 0 to 5"), ((0, 6), "got 6")],
)
def test_what_has_no_row_is_not_embedded(place: tuple[int, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GPT(SMALL).embed(*place)


def test_one_head_is_told_as_one() -> None:
    assert repr(GPT(Shape(width=4, heads=1))).startswith("GPT(1 layer, width 4, 1 head, ")
    assert repr(GPT(SMALL)).startswith("GPT(2 layers, width 4, 2 heads, ")


def test_heads_have_to_share_the_width_evenly() -> None:
    with pytest.raises(ValueError, match="3 heads cannot share a width of 16"):
        Shape(heads=3)


@pytest.mark.parametrize("size", [0, -1, np.int64(0)])
def test_sizes_are_from_one_on(size: Any) -> None:
    with pytest.raises(ValueError, match=f"layers is a whole number from 1 on, got {size}"):
        Shape(layers=size)


@pytest.mark.parametrize("size", [1.5, True, "2", np.float64(2.0), None])
def test_sizes_are_whole_numbers(size: Any) -> None:
    with pytest.raises(TypeError, match="layers is a whole number, got"):
        Shape(layers=size)


def test_sizes_may_be_whole_numbers_of_numpy(tmp_path: Path) -> None:
    gpt = GPT(Shape(layers=np.int64(1), width=np.int32(4), heads=np.uint8(2)), seed=1)
    assert gpt.shape == Shape(layers=1, width=4, heads=2)
    gpt.save(tmp_path / "model.json")
    assert GPT.load(tmp_path / "model.json").shape == gpt.shape


@pytest.mark.parametrize("position", [1.0, True, "1"])
def test_a_position_is_a_whole_number(position: Any) -> None:
    gpt = GPT(SMALL)
    assert len(gpt.embed(0, np.int64(1))) == SMALL.width
    with pytest.raises(TypeError, match="a position is a whole number, got"):
        gpt.embed(0, position)


def test_samples_follow_the_seed() -> None:
    gpt = GPT(seed=1)
    samples = [gpt.sample(Random(seed)) for seed in (0, 0, 1)]
    assert samples[0] == samples[1] != samples[2]
    assert samples[0][0] == BOS
    assert all(token in range(27) for token in samples[0])


def test_a_sample_ends_at_bos_or_where_the_context_does() -> None:
    samples = [GPT(SMALL).sample(Random(seed)) for seed in range(30)]
    bos = SMALL.vocabulary - 1
    assert all(len(tokens) <= SMALL.context + 1 for tokens in samples)
    assert all(tokens[-1] == bos or len(tokens) == SMALL.context + 1 for tokens in samples)
    assert all(bos not in tokens[1:-1] for tokens in samples)
    assert {tokens[-1] == bos for tokens in samples} == {True, False}


def test_a_low_temperature_takes_the_likeliest_token_and_a_high_one_any() -> None:
    gpt = GPT(seed=1)
    cold = {tuple(gpt.sample(Random(seed), temperature=1e-6)) for seed in range(4)}
    hot = [gpt.sample(Random(seed), temperature=1e6) for seed in range(40)]
    assert len(cold) == 1
    (tokens,) = cold
    likeliest = [max(range(27), key=lambda k: row[k].data) for row in read_again(gpt, tokens)]
    assert list(tokens[1:]) == likeliest
    assert len({tokens[1] for tokens in hot}) > 15


def read_again(gpt: GPT, tokens: tuple[int, ...]) -> list[list[Value]]:
    return gpt.read(tokens).probabilities


def test_samples_follow_the_probabilities() -> None:
    gpt = GPT(Shape(width=4, heads=1, context=1, vocabulary=3), seed=1)
    for weight in gpt.parameters():
        weight.data *= 10.0
    (probabilities,) = gpt.read([2, 0]).probabilities
    chance = Random(0)
    counts = [0, 0, 0]
    for _ in range(3000):
        counts[gpt.sample(chance, temperature=1.0)[1]] += 1
    assert [c / 3000 for c in counts] == pytest.approx([p.data for p in probabilities], abs=0.03)


@pytest.mark.parametrize("temperature", [-1.0, math.inf, math.nan])
def test_a_temperature_is_not_negative(temperature: float) -> None:
    with pytest.raises(
        ValueError, match=r"a temperature (is 0 or larger|needs a finite number), got"
    ):
        GPT(SMALL).sample(Random(0), temperature)


def test_at_temperature_0_the_likeliest_token_is_taken_whatever_chance_says() -> None:
    gpt = GPT(SMALL, seed=3)
    greedy = {tuple(gpt.sample(Random(seed), temperature=0)) for seed in range(4)}
    assert greedy == {tuple(gpt.sample(Random(0), temperature=1e-6))}


@pytest.mark.parametrize("layers", [1, 2])
def test_a_matrix_that_is_not_there_is_told_with_those_that_are(layers: int) -> None:
    gpt = GPT(Shape(layers=layers, width=4, heads=2), seed=1)
    with pytest.raises(KeyError, match=r"no matrix is called 'wx'; there are wte, wpe, .*fc2"):
        gpt.weights["wx"]
    with pytest.raises(KeyError, match=f"there is no layer {layers}"):
        gpt.matrix("wq", layer=layers)
    assert gpt.matrix("wq", layer=layers - 1)[0][0].label.endswith("wq[0][0]")


def test_a_temperature_too_small_for_its_logits_is_told() -> None:
    with pytest.raises(ValueError, match="a temperature of 1e-310 is too small"):
        GPT(SMALL).sample(Random(0), 1e-310)


def test_what_cannot_make_a_sample_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="a temperature needs a real number, got 'a'"):
        GPT(SMALL).sample(Random(0), "a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"such as Random\(1\), got 5"):
        GPT(SMALL).sample(5)  # type: ignore[arg-type]


def test_a_sample_leaves_no_gradient_and_no_open_tape() -> None:
    gpt = GPT(SMALL)
    gpt.sample(Random(0))
    assert all(weight.grad == 0.0 for weight in gpt.parameters())
    with Tape(), pytest.raises(RuntimeError, match="still recording"):
        gpt.sample(Random(0))


def test_documents_can_be_read_one_after_another() -> None:
    gpt = GPT(SMALL, seed=2)
    alone = gpt.read([4, 1, 4]).loss.data
    gpt.read([4, 0, 3, 4])
    assert gpt.read([4, 1, 4]).loss.data == alone
