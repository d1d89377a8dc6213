"""Wrong answers to the exercises of chapter 14, each with the kind of wrong it must be told."""

import math
from typing import Any

from engine import Value
from engine.gpt import attend, dot, softmax

HEAD = {
    "weight_0": 0.8,
    "weight_1": 0.2,
    "mixture": 6,
    "value_1.grad": 0.2,
    "key_0.grad": -1.6,
    "key_1.grad": 1.6,
}
ZEROS = {
    **{f"{kind}_{k}": "not zero" for kind in ("query", "key", "value") for k in range(3)},
    **dict.fromkeys(("query_0", "query_2", "key_2", "value_2"), "zero"),
}


def mixed(weights, values):
    return [dot(weights, column) for column in zip(*values, strict=True)]


def without_root(query, keys, values):
    return mixed(softmax([dot(query, key) for key in keys]), values)


def times_the_root(query, keys, values):
    return mixed(softmax([dot(query, key) * len(query) ** 0.5 for key in keys]), values)


def by_the_length(query, keys, values):
    return mixed(softmax([dot(query, key) / len(query) for key in keys]), values)


def by_the_positions(query, keys, values):
    return mixed(softmax([dot(query, key) / math.sqrt(len(keys)) for key in keys]), values)


def scores_as_weights(query, keys, values):
    return mixed([dot(query, key) / math.sqrt(len(query)) for key in keys], values)


def right_weights(query, keys):
    return softmax([dot(query, key) / math.sqrt(len(query)) for key in keys])


def keys_mixed(query, keys, values):
    return mixed(right_weights(query, keys), keys)


def row_by_row(query, keys, values):
    return [dot(right_weights(query, keys), value) for value in values]


def values_compared(query, keys, values):
    return mixed(right_weights(query, values), values)


def weights_as_numbers(query, keys, values):
    weights = [weight.data for weight in right_weights(query, keys)]
    columns = zip(*values, strict=True)
    return [sum(w * v for w, v in zip(weights, column, strict=True)) for column in columns]


def record_lost(query, keys, values):
    return [Value(number.data) for number in mixed(right_weights(query, keys), values)]


def plain_numbers(query, keys, values):
    return [number.data for number in mixed(right_weights(query, keys), values)]


def one_number(query, keys, values):
    return sum(mixed(right_weights(query, keys), values))


def the_engines_head(query, keys, values):
    return attend(query, keys, values)[0]


def weighted_values(query, keys, values):
    pairs = zip(right_weights(query, keys), values, strict=True)
    return [[weight * number for number in value] for weight, value in pairs]


def weights_alone(query, keys, values):
    return right_weights(query, keys)


def all_at_once(queries, keys, values):
    return [attend(query, keys, values)[0] for query in queries]


def without_itself(queries, keys, values):
    return [attend(q, keys[:k], values[:k])[0] for k, q in enumerate(queries)]


def itself_alone(queries, keys, values):
    return [attend(q, [keys[k]], [values[k]])[0] for k, q in enumerate(queries)]


def the_later_ones(queries, keys, values):
    return [attend(q, keys[k:], values[k:])[0] for k, q in enumerate(queries)]


def with_one_query(queries, keys, values):
    return [attend(queries[0], keys[: k + 1], values[: k + 1])[0] for k in range(len(queries))]


def with_copied_keys(queries, keys, values):
    mixtures, known = [], []
    for k, query in enumerate(queries):
        known = [[Value(number.data) for number in key] for key in known]
        known.append(keys[k])
        mixtures.append(attend(query, known, values[: k + 1])[0])
    return mixtures


def last_one(queries, keys, values):
    return attend(queries[-1], keys, values)[0]


def both_things(queries, keys, values):
    return [attend(q, keys[: k + 1], values[: k + 1]) for k, q in enumerate(queries)]


def turned_around(queries, keys, values):
    mixtures = [attend(q, keys[: k + 1], values[: k + 1])[0] for k, q in enumerate(queries)]
    return mixtures[::-1]


def as_plain_numbers(queries, keys, values):
    mixtures = [attend(q, keys[: k + 1], values[: k + 1])[0] for k, q in enumerate(queries)]
    return [[number.data for number in mixture] for mixture in mixtures]


def printed(queries, keys, values):
    print([attend(q, keys[: k + 1], values[: k + 1])[0] for k, q in enumerate(queries)])


def planted(line, matrix):
    return {"line": line, "matrix": matrix}


def scores_as_shares(query, keys, values):
    scores = [dot(query, key) / math.sqrt(len(query)) for key in keys]
    weights = [score / sum(scores) for score in scores]
    return [dot(weights, column) for column in zip(*values, strict=True)]


def one_key_too_many(queries, keys, values):
    return [attend(q, keys[: p + 2], values[: p + 2])[0] for p, q in enumerate(queries)]


def the_weights(queries, keys, values):
    return [attend(q, keys[: p + 1], values[: p + 1])[1] for p, q in enumerate(queries)]


WRONG: dict[str, list[tuple[Any, str]]] = {
    "14.1": [
        ({**HEAD, "weight_0": 2 / 3}, "query forgotten"),
        ({**HEAD, "weight_0": 4}, "power"),
        ({**HEAD, "weight_0": 0.2}, "exchanged"),
        ({**HEAD, "weight_1": 10 / 15}, "of the values"),
        ({**HEAD, "mixture": 7.5}, "mean"),
        ({**HEAD, "mixture": 9}, "exchanged"),
        ({**HEAD, "mixture": 0.8 * math.log(2)}, "keys mixed"),
        ({**HEAD, "mixture": 15}, "weights forgotten"),
        ({**HEAD, "value_1.grad": 10}, "own data"),
        ({**HEAD, "value_1.grad": 0.8}, "exchanged"),
        ({**HEAD, "value_1.grad": 1}, "weight forgotten"),
        ({**HEAD, "key_0.grad": 8}, "one path"),
        ({**HEAD, "key_0.grad": -0.8}, "query forgotten"),
        ({**HEAD, "key_1.grad": -1.6}, "sign"),
        ({**HEAD, "key_1.grad": 0}, "no path"),
        ({**HEAD, "key_1.grad": 7}, "other"),
        ({**HEAD, "key_1.grad": ...}, "unfinished"),
        ({**HEAD, "key_1.grad": "1.6"}, "text"),
    ],
    "14.2": [
        (times_the_root, "times the root"),
        (without_root, "no root"),
        (by_the_length, "length for root"),
        (by_the_positions, "root of the positions"),
        (scores_as_weights, "no softmax"),
        (keys_mixed, "keys mixed"),
        (row_by_row, "rows"),
        (values_compared, "values compared"),
        (weights_as_numbers, "weights are constants"),
        (record_lost, "record lost"),
        (plain_numbers, "no record"),
        (one_number, "one number"),
        (the_engines_head, "forbidden"),
        (weighted_values, "several lists"),
        (weights_alone, "weights alone"),
        (lambda query, keys: query, "signature"),
        (scores_as_shares, "no softmax"),
    ],
    "14.3": [
        (all_at_once, "not causal"),
        (without_itself, "own left out"),
        (itself_alone, "own alone"),
        (the_later_ones, "backward"),
        (with_one_query, "one query"),
        (with_copied_keys, "copied"),
        (last_one, "one mixture"),
        (both_things, "mixture and weights"),
        (turned_around, "other"),
        (as_plain_numbers, "no record"),
        (printed, "returns nothing"),
        (one_key_too_many, "one too many"),
        (the_weights, "weights"),
    ],
    "14.4": [
        ({**ZEROS, "value_2": "not zero"}, "future"),
        ({**ZEROS, "query_2": "not zero"}, "future"),
        (dict.fromkeys(ZEROS, "not zero"), "future"),
        ({**ZEROS, "query_0": "not zero"}, "one score"),
        ({**ZEROS, "key_0": "zero"}, "still alive"),
        ({**ZEROS, "query_0": "not zero", "value_0": "zero"}, "one score"),
        ({**ZEROS, "key_1": "zero"}, "too many zeros"),
        ({**ZEROS, "key_1": 0}, "type"),
        ({**ZEROS, "key_1": "null"}, "choice"),
        ({**ZEROS, "key_1": ...}, "unfinished"),
    ],
    "14.5": [
        (planted("A", "wq"), "innocent A"),
        (planted("A", "wv"), "innocent A"),
        (planted("B", "wk"), "innocent B"),
        (planted("C", "wk"), "other matrix"),
        (planted("C", "wq"), "other matrix"),
        (planted("D", "wv"), "choice"),
        (planted("C", ...), "unfinished"),
        ("C", "type"),
    ],
}
