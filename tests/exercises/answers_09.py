"""Wrong answers to the exercises of chapter 09, each with the kind of wrong it must be told."""

import math
from typing import Any

from engine import Value
from engine.nn import MLP, Neuron

SLOPE = 1 - math.tanh(0.5) ** 2
GRADIENTS = {
    "total": SLOPE,
    "b": SLOPE,
    "w1": 1.5 * SLOPE,
    "w2": -2 * SLOPE,
    "x1": 0.5 * SLOPE,
    "x2": 0.25 * SLOPE,
}
ZEROS = {
    **dict.fromkeys(("x1", "x2", "u1", "c"), "not zero"),
    **dict.fromkeys(("u2", "v1", "v2", "d"), "zero"),
}


def weights_alone(inputs, sizes):
    count = 0
    for size in sizes:
        count += inputs * size
        inputs = size
    return count


def one_bias_for_each_layer(inputs, sizes):
    count = 0
    for size in sizes:
        count += inputs * size + 1
        inputs = size
    return count


def inputs_with_biases(inputs, sizes):
    return weights_alone(inputs, sizes) + inputs + sum(sizes)


def neurons(inputs, sizes):
    return sum(sizes)


def width_not_kept(inputs, sizes):
    count = 0
    for size in sizes:
        count += (inputs + 1) * size
    return count


def returned_in_the_loop(inputs, sizes):
    return (inputs + 1) * next(iter(sizes))


def last_layer_forgotten(inputs, sizes):
    count = 0
    for size in sizes[:-1]:
        count += (inputs + 1) * size
        inputs = size
    return count


def by_the_engine(inputs, sizes):
    return len(MLP(inputs, sizes).parameters())


def all_multiplied(inputs, sizes):
    return inputs * math.prod(sizes)


def products_of(inputs, weights):
    return [w * x for w, x in zip(weights, inputs, strict=True)]


def bias_forgotten(inputs, weights, bias):
    return sum(products_of(inputs, weights)).tanh()


def not_bent(inputs, weights, bias):
    return sum(products_of(inputs, weights)) + bias


def bias_after_tanh(inputs, weights, bias):
    return sum(products_of(inputs, weights)).tanh() + bias


def bias_in_each_product(inputs, weights, bias):
    return sum(w * x + bias for w, x in zip(weights, inputs, strict=True)).tanh()


def tanh_of_each_product(inputs, weights, bias):
    return sum(product.tanh() for product in products_of(inputs, weights)) + bias


def first_product(inputs, weights, bias):
    return (weights[0] * inputs[0] + bias).tanh()


def sums_multiplied(inputs, weights, bias):
    return (sum(weights) * sum(inputs) + bias).tanh()


def record_lost(inputs, weights, bias):
    total = sum(w.data * x.data for w, x in zip(weights, inputs, strict=True))
    return Value(math.tanh(total + bias.data))


def plain_number(inputs, weights, bias):
    total = sum(w.data * x.data for w, x in zip(weights, inputs, strict=True))
    return math.tanh(total + bias.data)


def list_of_products(inputs, weights, bias):
    return [(product + bias).tanh() for product in products_of(inputs, weights)]


def relu_instead(inputs, weights, bias):
    return (sum(products_of(inputs, weights)) + bias).relu()


def math_tanh(inputs, weights, bias):
    return math.tanh(sum(products_of(inputs, weights)) + bias)


def the_engines_neuron(inputs, weights, bias):
    neuron = Neuron(len(inputs))
    neuron.weights, neuron.bias = weights, bias
    return neuron(inputs)


def a_text(inputs, weights, bias):
    return str(bias)


def neuron(inputs, weights, bias):
    return (sum(products_of(inputs, weights)) + bias).tanh()


def first_weights_for_all(inputs, rows, biases):
    return [neuron(inputs, rows[0], bias) for bias in biases]


def first_bias_for_all(inputs, rows, biases):
    return [neuron(inputs, row, biases[0]) for row in rows]


def by_columns(inputs, rows, biases):
    columns = zip(*rows, strict=True)
    pairs = zip(columns, biases, strict=False)
    return [
        (sum(w * x for w, x in zip(column, inputs, strict=False)) + bias).tanh()
        for column, bias in pairs
    ]


def return_in_the_loop(inputs, rows, biases):
    return [neuron(inputs, rows[0], biases[0])]


def one_after_the_other(inputs, rows, biases):
    read, answers = list(inputs), []
    for row, bias in zip(rows, biases, strict=True):
        read[0] = neuron(read, row, bias)
        answers.append(read[0])
    return answers


def straight(inputs, rows, biases):
    return [sum(products_of(inputs, row)) + b for row, b in zip(rows, biases, strict=True)]


def answers_added(inputs, rows, biases):
    return sum(neuron(inputs, row, bias) for row, bias in zip(rows, biases, strict=True))


def answers_as_numbers(inputs, rows, biases):
    return [neuron(inputs, row, bias).data for row, bias in zip(rows, biases, strict=True)]


def answers_turned_around(inputs, rows, biases):
    return [neuron(inputs, row, b) for row, b in zip(rows, biases, strict=True)][::-1]


def answers_by_name(inputs, rows, biases):
    return {k: neuron(inputs, *pair) for k, pair in enumerate(zip(rows, biases, strict=True))}


def change(parameter, number):
    return {"parameter": parameter, "number": number}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "09.1": [
        ({**GRADIENTS, "total": 1}, "tanh forgotten"),
        ({**GRADIENTS, "total": math.tanh(0.5)}, "result"),
        ({**GRADIENTS, "total": 1 - math.tanh(0.5)}, "not squared"),
        ({**GRADIENTS, "total": 0.75}, "input squared"),
        ({**GRADIENTS, "total": 0.786}, "rounded"),
        ({**GRADIENTS, "b": 0.25}, "data"),
        ({**GRADIENTS, "w1": 0.5 * SLOPE}, "own data"),
        ({**GRADIENTS, "w1": SLOPE}, "product forgotten"),
        ({**GRADIENTS, "w1": 1.5}, "tanh forgotten"),
        ({**GRADIENTS, "w2": 2 * SLOPE}, "sign"),
        ({**GRADIENTS, "w2": 0.25}, "data"),
        ({**GRADIENTS, "x1": 1.5 * SLOPE}, "own data"),
        ({**GRADIENTS, "x2": 0.25 * math.tanh(0.5)}, "result"),
        ({**GRADIENTS, "x2": 7}, "other"),
        ({**GRADIENTS, "x2": ...}, "unfinished"),
        ({"total": SLOPE}, "missing"),
    ],
    "09.2": [
        ({**ZEROS, "v1": "not zero"}, "closed"),
        ({**ZEROS, "d": "not zero"}, "closed"),
        (dict.fromkeys(ZEROS, "not zero"), "closed"),
        ({**ZEROS, "u2": "not zero"}, "unused"),
        ({**ZEROS, "x2": "zero"}, "own zero"),
        ({**ZEROS, "u2": "not zero", "x2": "zero"}, "unused"),
        ({**ZEROS, "c": "zero"}, "too many zeros"),
        ({**ZEROS, "x1": "zero", "u1": "zero"}, "too many zeros"),
        ({**ZEROS, "u1": 0}, "type"),
        ({**ZEROS, "u1": "0"}, "choice"),
        ({**ZEROS, "u1": ...}, "unfinished"),
    ],
    "09.3": [
        (weights_alone, "no bias"),
        (one_bias_for_each_layer, "a bias for each layer"),
        (inputs_with_biases, "a bias for each input"),
        (neurons, "neurons"),
        (width_not_kept, "all read the inputs"),
        (returned_in_the_loop, "first layer only"),
        (last_layer_forgotten, "last layer forgotten"),
        (by_the_engine, "forbidden"),
        (all_multiplied, "other"),
        (lambda inputs: inputs, "signature"),
        (337, "no function"),
    ],
    "09.4": [
        (bias_forgotten, "no bias"),
        (not_bent, "not bent"),
        (bias_after_tanh, "bias too late"),
        (bias_in_each_product, "a bias for each product"),
        (tanh_of_each_product, "each product bent"),
        (first_product, "first product only"),
        (sums_multiplied, "sums multiplied"),
        (record_lost, "record lost"),
        (plain_number, "no record"),
        (list_of_products, "list"),
        (relu_instead, "other"),
        (math_tanh, "raised"),
        (the_engines_neuron, "forbidden"),
        (a_text, "type"),
    ],
    "09.5": [
        (first_weights_for_all, "same weights"),
        (first_bias_for_all, "same bias"),
        (by_columns, "columns"),
        (return_in_the_loop, "first neuron only"),
        (one_after_the_other, "in a row"),
        (straight, "not bent"),
        (answers_added, "one number"),
        (answers_as_numbers, "no record"),
        (answers_turned_around, "other"),
        (answers_by_name, "type"),
        (neuron, "raised"),
    ],
    "09.6": [
        (change("c", 0.1), "still twins"),
        (change("w1", 0.5), "same number"),
        (change("v1", 0.50000001), "too small"),
        (change("w2", 100), "saturated"),
        (change("b1", -50), "saturated"),
        (change("v1", float("inf")), "no number"),
        (change("w1 and b1", 0.1), "choice"),
        (change("w1", "0.1"), "text"),
        (change("w1", ...), "unfinished"),
        ("w1", "type"),
        ({"parameter": "b1", "number": -1}, "mirrored"),
        ({"parameter": "w1", "number": -2.5}, "mirrored"),
    ],
}
