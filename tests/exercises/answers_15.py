"""Wrong answers to the exercises of chapter 15, each with the kind of wrong it must be told."""

import math
from functools import cache
from typing import Any

from engine.gpt import GPT, Shape, encode

COUNTS = {"log": 5, "**": 15, "relu": 320, "exp": 195}
WHY = {
    "wte[4][0]": "not in the graph",
    "wpe[9][0]": "not in the graph",
    "fc1[30][0]": "closed ReLU behind it",
    "fc2[0][30]": "multiplied by zero",
    "wq[0][0]": "only one score",
}


def first_layer(layers, width, context, vocabulary):
    return (2 * vocabulary + context) * width + 12 * width**2


def everything_in_each_layer(layers, width, context, vocabulary):
    return layers * ((2 * vocabulary + context) * width + 12 * width**2)


def tied(layers, width, context, vocabulary):
    return (vocabulary + context) * width + layers * 12 * width**2


def no_positions(layers, width, context, vocabulary):
    return 2 * vocabulary * width + layers * 12 * width**2


def attention_alone(layers, width, context, vocabulary):
    return (2 * vocabulary + context) * width + layers * 4 * width**2


def one_matrix_of_the_mlp(layers, width, context, vocabulary):
    return (2 * vocabulary + context) * width + layers * (4 + 4) * width**2


def narrow(layers, width, context, vocabulary):
    return (2 * vocabulary + context) * width + layers * (4 + 2) * width**2


def no_output_matrix(layers, width, context, vocabulary):
    return (2 * vocabulary + context) * width + layers * (3 + 8) * width**2


def with_biases(layers, width, context, vocabulary):
    return no_positions(layers, width, context, vocabulary) + context * width + 9 * layers * width


def by_the_engine(layers, width, context, vocabulary):
    shape = Shape(layers, width, 1, context, vocabulary)
    return sum(math.prod(size) for size in shape.matrices.values())


def edges_once(nodes):
    paths = {nodes[0]: 1}
    for node in nodes[1:]:
        paths[node] = sum(paths[given] for given in set(node.inputs))
    return paths[nodes[-1]]


def from_all_leaves(nodes):
    paths = {}
    for node in nodes:
        paths[node] = sum(paths[given] for given in node.inputs) if node.inputs else 1
    return paths[nodes[-1]]


def how_many_nodes(nodes):
    return len(nodes)


def how_many_edges(nodes):
    return sum(len(node.inputs) for node in nodes)


def longest(nodes):
    length = {}
    for node in nodes:
        length[node] = 1 + max((length[given] for given in node.inputs), default=0)
    return length[nodes[-1]]


def how_many_uses(nodes):
    return sum(given is nodes[0] for node in nodes for given in node.inputs)


def with_local_derivatives(nodes):
    grad = dict.fromkeys(nodes, 0.0)
    grad[nodes[-1]] = 1.0
    for node in reversed(nodes):
        for given, slope in zip(node.inputs, node.local_derivatives, strict=True):
            grad[given] += slope * grad[node]
    return grad[nodes[0]]


def products(nodes):
    paths = {nodes[0]: 1}
    for node in nodes[1:]:
        paths[node] = math.prod(paths[given] for given in node.inputs)
    return paths[nodes[-1]]


def one_by_one(nodes):
    def below(node):
        if node is nodes[0]:
            return 1
        return sum(below(given) for given in node.inputs)

    return below(nodes[-1])


def one_too_many(nodes):
    paths = {nodes[0]: 1}
    for node in nodes[1:]:
        paths[node] = sum(paths[given] for given in node.inputs)
    return paths[nodes[-1]] + 1


@cache
def checked(label, step=1e-6):
    gpt = GPT(seed=1)
    weight = next(weight for weight in gpt.parameters() if weight.label == label)
    gpt.read(encode("otto")).loss.backward()
    held, sides = weight.data, []
    for number in (held + step, held - step):
        weight.data = number
        sides.append(gpt.read(encode("otto")).loss.data)
    return weight.grad, (sides[0] - sides[1]) / (2 * step)


GRADIENT, MEASURED = checked("lm_head[14][3]")


def check_of(gradient=GRADIENT, measured=MEASURED, weight="lm_head[14][3]"):
    return {"weight": weight, "gradient": gradient, "measured": measured}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "15.1": [
        (first_layer, "one layer"),
        (everything_in_each_layer, "tables in each layer"),
        (tied, "lm_head forgotten"),
        (no_positions, "wpe forgotten"),
        (attention_alone, "MLP forgotten"),
        (one_matrix_of_the_mlp, "half a layer"),
        (narrow, "MLP too narrow"),
        (no_output_matrix, "wo forgotten"),
        (with_biases, "other"),
        (by_the_engine, "forbidden"),
        (4192, "no function"),
        (
            lambda layers, width, context, vocabulary: (
                (2 * vocabulary + context) * width + layers * (4 * width * width + 2 * 64 * width)
            ),
            "width of 64 typed in",
        ),
    ],
    "15.2": [
        ({**COUNTS, "log": 4}, "letters"),
        ({**COUNTS, "log": 6}, "last token"),
        ({**COUNTS, "log": 1}, "one position"),
        ({**COUNTS, "log": 135}, "every token"),
        ({**COUNTS, "**": 12}, "letters"),
        ({**COUNTS, "**": 10}, "norm forgotten"),
        ({**COUNTS, "relu": 64}, "one position"),
        ({**COUNTS, "relu": 80}, "width"),
        ({**COUNTS, "relu": 384}, "last token"),
        ({**COUNTS, "exp": 135}, "attention forgotten"),
        ({**COUNTS, "exp": 60}, "loss forgotten"),
        ({**COUNTS, "exp": 150}, "one head"),
        ({**COUNTS, "exp": 235}, "not causal"),
        ({**COUNTS, "exp": 155}, "one score"),
        ({**COUNTS, "exp": 194.5}, "other"),
        ({**COUNTS, "exp": ...}, "unfinished"),
        ({"log": 5}, "missing"),
    ],
    "15.3": [
        ({**WHY, "wte[4][0]": "closed ReLU behind it"}, "not in the graph"),
        ({**WHY, "wpe[9][0]": "multiplied by zero"}, "not in the graph"),
        ({**WHY, "fc1[30][0]": "multiplied by zero"}, "closed ReLU behind it"),
        ({**WHY, "fc2[0][30]": "closed ReLU behind it"}, "multiplied by zero"),
        ({**WHY, "wq[0][0]": "not in the graph"}, "only one score"),
        ({**WHY, "wq[0][0]": "because"}, "choice"),
        ({**WHY, "wq[0][0]": ...}, "unfinished"),
        ("only one score", "type"),
    ],
    "15.4": [
        (check_of(0.0, 0.0, "wte[4][0]"), "zero"),
        (check_of(0.0, 0.0, "fc1[30][0]"), "zero"),
        (check_of(0.0, 0.0, "fc2[0][40]"), "zero"),
        (check_of(2 * GRADIENT), "added up"),
        (check_of(0.0), "no walk"),
        (check_of(-GRADIENT), "sign"),
        (check_of(1.01 * GRADIENT), "other"),
        (check_of(1.002 * GRADIENT), "rounded"),
        (check_of(measured=GRADIENT), "copied"),
        (check_of(measured=2 * MEASURED), "one step"),
        (check_of(measured=MEASURED / 2), "divided too often"),
        (check_of(measured=0.0), "not moved"),
        (check_of(measured=-MEASURED), "sign"),
        (check_of(measured=7), "other"),
        (check_of(measured="7"), "text"),
        (check_of(weight="lm_head"), "no weight"),
        (check_of(weight="wq[16][0]"), "no weight"),
        (check_of(weight=3), "type"),
        (check_of(weight=...), "unfinished"),
    ],
    "15.5": [
        (edges_once, "repeats lost"),
        (from_all_leaves, "every leaf"),
        (how_many_nodes, "nodes"),
        (how_many_edges, "edges"),
        (longest, "longest path"),
        (how_many_uses, "uses"),
        (with_local_derivatives, "gradient"),
        (products, "multiplied"),
        (one_by_one, "too long"),
        (one_too_many, "other"),
        (lambda nodes: nodes, "type"),
    ],
}
