"""Neurons, layers and multilayer perceptrons: their answers, their gradients, their names."""

import math
from random import Random

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import grad

from engine import Graph, Value, central_difference, relative_error
from engine.nn import ACTIVATIONS, MLP, Layer, Neuron

POINT = [0.5, -1.3]
INDEPENDENT = {"tanh": anp.tanh, "relu": lambda s: anp.maximum(s, 0.0), "linear": lambda s: s}


def independent_answers(matrices, biases, bends, x):
    """The answers of the last layer, by NumPy arrays instead of single numbers."""
    for matrix, bias, bend in zip(matrices, biases, bends, strict=True):
        x = INDEPENDENT[bend](anp.dot(matrix, x) + bias)
    return x


def arrays_of(model):
    matrices = [
        anp.array([[w.data for w in neuron.weights] for neuron in layer.neurons])
        for layer in model.layers
    ]
    biases = [anp.array([neuron.bias.data for neuron in layer.neurons]) for layer in model.layers]
    return matrices, biases, [layer.neurons[0].activation for layer in model.layers]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_neuron_bends_the_sum_of_its_products_and_its_bias(activation: str) -> None:
    neuron = Neuron(3, activation)
    for parameter, number in zip(neuron.parameters(), (0.7, -1.1, 0.4, 0.25), strict=True):
        parameter.data = number
    total = 0.7 * 1.5 - 1.1 * -0.5 + 0.4 * 2.0 + 0.25
    expected = {"tanh": math.tanh(total), "relu": max(total, 0.0), "linear": total}
    assert neuron([1.5, -0.5, 2.0]).data == pytest.approx(expected[activation], rel=1e-15)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_gradients_of_an_mlp_are_those_of_autograd(activation: str) -> None:
    model = MLP(2, (5, 4, 2), activation, seed=3)
    first, second = model(POINT)
    (first * 2 + second).backward()
    matrices, biases, bends = arrays_of(model)

    def output(matrices, biases):
        answers = independent_answers(matrices, biases, bends, anp.array(POINT))
        return answers[0] * 2 + answers[1]

    slopes, bias_slopes = grad(output, 0)(matrices, biases), grad(output, 1)(matrices, biases)
    for layer, matrix, bias in zip(model.layers, slopes, bias_slopes, strict=True):
        for neuron, row, slope in zip(layer.neurons, matrix, bias, strict=True):
            assert [w.grad for w in neuron.weights] == pytest.approx(list(row), rel=1e-12)
            assert neuron.bias.grad == pytest.approx(slope, rel=1e-12)


def test_the_gradients_of_an_mlp_are_those_that_are_measured() -> None:
    model = MLP(2, (4, 3, 1), seed=1)
    model(POINT)[0].backward()
    for parameter in model.parameters():

        def answer(number, parameter=parameter):
            parameter.data = number
            return model(POINT)[0].data

        kept = parameter.data
        (measured,) = central_difference(answer, [kept])
        parameter.data = kept
        assert relative_error(parameter.grad, measured) < 1e-6


def test_the_same_seed_gives_the_same_model_and_another_seed_another() -> None:
    numbers = [[p.data for p in MLP(2, (3, 1), seed=seed).parameters()] for seed in (4, 4, 5)]
    assert numbers[0] == numbers[1]
    assert numbers[0] != numbers[2]


def test_first_weights_are_smaller_where_a_neuron_has_more_inputs() -> None:
    chance = Random(1)
    for inputs in (4, 400):
        weights = [
            w.data for _ in range(4000 // inputs) for w in Neuron(inputs, "tanh", chance).weights
        ]
        mean_square = sum(w * w for w in weights) / len(weights)
        assert mean_square == pytest.approx(1 / inputs, rel=0.1)


def test_an_mlp_has_its_parameters_in_order_and_named_by_layer() -> None:
    model = MLP(2, (16, 16, 1))
    labels = [parameter.label for parameter in model.parameters()]
    assert len(labels) == len(set(labels)) == 2 * 16 + 16 + 16 * 16 + 16 + 16 + 1
    assert labels[:4] == ["layer0.w[0][0]", "layer0.w[0][1]", "layer0.b[0]", "layer0.w[1][0]"]
    assert labels[-1] == "layer2.b[0]"


def test_every_computed_node_knows_its_layer_and_its_neuron() -> None:
    graph = Graph.of(MLP(2, (3, 2))(POINT)[1], names={})
    scopes = {node.scope for node in graph.nodes if node.kind == "computed"}
    assert scopes == {"layer0/neuron0", "layer0/neuron1", "layer0/neuron2", "layer1/neuron1"}


def test_the_last_layer_is_linear_and_the_others_bend() -> None:
    model = MLP(2, (3, 3, 1), "relu")
    assert [layer.neurons[0].activation for layer in model.layers] == ["relu", "relu", "linear"]


def test_a_neuron_of_one_input_is_named_so() -> None:
    assert (repr(Neuron(1)), repr(Neuron(2))) == ("Neuron(1 input, tanh)", "Neuron(2 inputs, tanh)")


def test_a_layer_of_one_neuron_still_answers_with_a_list() -> None:
    (answer,) = Layer(2, 1)(POINT)
    assert answer.op == "tanh"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Neuron(0), "at least one input, got 0"),
        (lambda: Neuron(2, "sigmoid"), "one of tanh, relu, linear, got 'sigmoid'"),
        (lambda: Layer(2, 0), "at least one neuron, got 0"),
        (lambda: MLP(2, ()), "at least one layer"),
        (lambda: Neuron(2)([1.0]), "takes 2 inputs, got 1"),
        (lambda: Neuron(1)([1.0, 2.0]), "takes 1 input, got 2"),
        (lambda: MLP(2, (3, 1))([1.0, 2.0, 3.0]), "takes 2 inputs, got 3"),
        (lambda: MLP(2, (1,), "sigmoid"), "one of tanh, relu, linear, got 'sigmoid'"),
        (lambda: Neuron(2, ["tanh"]), r"one of tanh, relu, linear, got \['tanh'\]"),
    ],
)
def test_what_does_not_fit_is_said_in_words(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Neuron("2"), "number of inputs is a whole number, got '2'"),
        (lambda: Neuron(2.0), "number of inputs is a whole number, got 2.0"),
        (lambda: Neuron(True), "number of inputs is a whole number, got True"),
        (lambda: Layer(2, 1.5), "number of neurons is a whole number, got 1.5"),
        (lambda: MLP(2, 3), r"sizes are a list.*got 3. Try MLP\(2, \(3, 1\)\)"),
        (lambda: MLP(2, (3, "1")), "number of neurons is a whole number, got '1'"),
        (lambda: Neuron(2)(3.0), "takes a list of numbers, got 3.0"),
        (lambda: MLP(2, (3, 1))(Value(1.0)), "takes a list of numbers, got Value"),
        (lambda: Neuron(2, "tanh", 5), r"such as Random\(1\), got 5"),
    ],
)
def test_what_is_of_the_wrong_kind_is_said_in_words(make, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        make()


def test_sizes_of_numpy_are_welcome() -> None:
    assert len(MLP(np.int64(2), np.array([3, 1])).parameters()) == 13


def test_neurons_differ_when_they_share_a_chance_and_are_the_same_without_one() -> None:
    def weights(neuron: Neuron) -> list[float]:
        return [w.data for w in neuron.weights]

    chance = Random(0)
    first, second = Neuron(2, chance=chance), Neuron(2, chance=chance)
    assert weights(first) != weights(second)
    assert weights(Neuron(2)) == weights(Neuron(2)) == weights(first)
