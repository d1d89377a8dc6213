"""The exercises of chapter 14: attention, and the paths that lead through it.

>>> [exercise.name for exercise in EXERCISES]
['14.1', '14.2', '14.3', '14.4', '14.5']
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    all_of,
    among,
    fields,
    numbers,
    one_of,
)
from engine.course.checks.plain import Calculation, in_words
from engine.gpt import attend, dot, softmax
from engine.value import Value

# 14.1: a head whose lists have one number each.
QUERY = 2.0
KEYS = (math.log(2), 0.0)
VALUES = (5.0, 10.0)
# 14.4: the numbers of three positions; they decide nothing, since none of them is 0.
THREE = {"query": (0.5, -1.5, 1.0), "key": (1.0, 0.4, -0.8), "value": (2.0, -1.0, 3.0)}
ZERO, NOT_ZERO = "zero", "not zero"
# 14.5: the letters that are read, the numbers of the matrices, and the suspicious lines.
LETTERS = (1.0, -0.5, 2.0)
MATRICES = {"wq": 0.7, "wk": -0.4, "wv": 1.2}
LINES = ("A", "B", "C")


# 14.1


def smallest_head() -> dict[str, float]:
    """The engine's answers to 14.1.

    >>> found = smallest_head()
    >>> abs(found["key_0.grad"] + found["key_1.grad"]) < 1e-12
    True
    """
    query = Value(QUERY)
    keys, values = [Value(key) for key in KEYS], [Value(value) for value in VALUES]
    (mixture,), weights = attend([query], [[key] for key in keys], [[value] for value in values])
    mixture.backward()
    return {
        "weight_0": weights[0].data,
        "weight_1": weights[1].data,
        "mixture": mixture.data,
        "value_1.grad": values[1].grad,
        "key_0.grad": keys[0].grad,
        "key_1.grad": keys[1].grad,
    }


def _head_slips(name: str) -> Iterable[WrongNumber]:
    """What known mistakes lead to for one number of 14.1."""
    right = smallest_head()
    place = int(name[-1]) if name.startswith("weight") else int(name[4:5] == "1")
    weights = (right["weight_0"], right["weight_1"])
    if name.startswith("weight"):
        of_keys = [math.exp(key) for key in KEYS]
        yield WrongNumber(
            of_keys[place] / sum(of_keys),
            "query forgotten",
            "That is softmax of the keys. A score is the query times the key.",
        )
        yield WrongNumber(
            math.exp(QUERY * KEYS[place]), "power", "That is its power. Divide it by the total."
        )
        yield WrongNumber(weights[1 - place], "exchanged", "That is the weight of the other one.")
        yield WrongNumber(
            VALUES[place] / sum(VALUES),
            "of the values",
            "That is made of the values. Attention compares the query with the keys.",
        )
    elif name == "mixture":
        yield WrongNumber(
            sum(VALUES) / len(VALUES),
            "mean",
            "That is the mean, as if both weights were equal.",
        )
        yield WrongNumber(
            weights[0] * VALUES[1] + weights[1] * VALUES[0],
            "exchanged",
            "Each value got the weight of the other one.",
        )
        yield WrongNumber(
            weights[0] * KEYS[0] + weights[1] * KEYS[1],
            "keys mixed",
            "That is a mixture of the keys. The values are what is handed over.",
        )
        yield WrongNumber(sum(VALUES), "weights forgotten", "That is the sum of the values.")
    elif name == "value_1.grad":
        yield WrongNumber(
            VALUES[1], "own data", "That is its data. Its local derivative is its partner."
        )
        yield WrongNumber(weights[0], "exchanged", "That is the gradient of the other value.")
        yield WrongNumber(1.0, "weight forgotten", "A value is not added as it is: it is weighted.")
    else:
        yield WrongNumber(
            QUERY * weights[place] * VALUES[place],
            "one path",
            "That is the path through its own power alone. The power is also in the total, by "
            "which both weights are divided.",
        )
        yield WrongNumber(
            weights[place] * (VALUES[place] - right["mixture"]),
            "query forgotten",
            "That is the gradient of the score. The score is the query times the key.",
        )
        yield WrongNumber(
            -right[name],
            "sign",
            "The size is right. More attention to this one: does the mixture rise or fall?",
        )
        yield WrongNumber(0.0, "no path", "If this key moves, its score moves, and the weights.")


def _judge_head(answer: dict[str, float]) -> Finding | None:
    for name, right in smallest_head().items():
        found = among(answer[name], right, *_head_slips(name), tolerance=1e-5, name=name)
        if found:
            return found
    return None


# 14.2 and 14.3: lists of Values, however deep.

Vectors = Sequence[Sequence[Value]]


def _flat(thing: Any) -> list[Any]:
    if isinstance(thing, list | tuple):
        return [leaf for member in thing for leaf in _flat(member)]
    return [thing]


def _data(thing: Any) -> Any:
    if isinstance(thing, list | tuple):
        return [_data(member) for member in thing]
    return thing.data


def _seen(arguments: tuple[Any, ...], result: Any) -> Any:
    """The data of the results, and the gradient of each leaf.

    Each result counts differently, so that no mistake can cancel out.
    """
    outputs = _flat(result)
    if not outputs or not isinstance(result, list | tuple):
        return result
    if not all(isinstance(output, Value) for output in outputs):
        return result
    weighed = [output * place for place, output in enumerate(outputs, start=2)]
    sum(weighed[1:], weighed[0]).backward()
    gradients = {f"gradient of {leaf.label}": leaf.grad for leaf in _flat(arguments)}
    return {"results": _data(result), **gradients}


def _inside(lists: list[list[Any]]) -> list[Any]:
    """The members of all lists, one level down."""
    return [member for inner in lists for member in inner]


def _shape(deep: bool) -> Any:
    wanted = "a list with one mixture for each position" if deep else "a list of Values"

    def shape(answer: Any) -> Finding | None:
        if isinstance(answer, dict) and "results" in answer:
            lists = [isinstance(member, list) for member in answer["results"]]
            if deep and not all(lists):
                yours = in_words(answer["results"])
                return Finding(
                    "one mixture", f"it gives the numbers {yours}, and should give {wanted}."
                )
            if deep and any(isinstance(part, list) for part in _inside(answer["results"])):
                return Finding(
                    "mixture and weights",
                    "there are lists inside its mixtures. attend gives back two things, the "
                    "mixture and the weights: take the first one.",
                )
            if not deep and any(lists):
                return Finding(
                    "several lists", "it gives lists inside a list. Give back the mixture alone."
                )
            return None
        if isinstance(answer, Calculation):
            return Finding("one number", f"it gives {in_words(answer)}, and should give {wanted}.")
        if any(isinstance(member, float) for member in _flat(answer)):
            return Finding(
                "no record", "it gives plain numbers, without a record. Calculate with the Values."
            )
        return Finding("type", f"it gives {in_words(answer)}, and should give {wanted}.")

    return shape


def _vector(name: str, data: Iterable[float]) -> list[Value]:
    return [Value(each, f"{name}[{k}]") for k, each in enumerate(data)]


def _vectors(name: str, rows: Sequence[Sequence[float]]) -> list[list[Value]]:
    return [_vector(f"{name}[{k}]", row) for k, row in enumerate(rows)]


def _head(
    words: str,
    query: Sequence[float],
    keys: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
) -> Case:
    return Case(
        words,
        lambda: (_vector("query", query), _vectors("keys", keys), _vectors("values", values)),
    )


def _weights(query: Sequence[Value], keys: Vectors, divisor: float | None = None) -> list[Value]:
    by = math.sqrt(len(query)) if divisor is None else divisor
    return softmax([dot(query, key) / by for key in keys])


def _shares(query: Sequence[Value], keys: Vectors) -> list[Value]:
    scores = [dot(query, key) / math.sqrt(len(query)) for key in keys]
    return [score / sum(scores[1:], scores[0]) for score in scores]


def _mixed(weights: Sequence[Value], values: Vectors) -> list[Value]:
    return [dot(weights, column) for column in zip(*values, strict=True)]


def _attended(query: Sequence[Value], keys: Vectors, values: Vectors) -> list[Value]:
    return attend(query, keys, values)[0]


def _constant_weights(query: Sequence[Value], keys: Vectors, values: Vectors) -> list[Value]:
    weights = [weight.data for weight in _weights(query, keys)]
    columns = zip(*values, strict=True)
    return [sum((w * v for w, v in zip(weights, c, strict=True)), Value(0.0)) for c in columns]


ATTEND_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            lambda query, keys, values: _mixed(_weights(query, keys, 1.0), values),
            "no root",
            "The scores are not divided by the root of the length.",
        ),
        (
            lambda query, keys, values: _mixed(_weights(query, keys, len(query)), values),
            "length for root",
            "The scores are divided by the length. Take its root.",
        ),
        (
            lambda query, keys, values: _mixed(_weights(query, keys, math.sqrt(len(keys))), values),
            "root of the positions",
            "The root is that of the number of positions. It should be that of the length of the "
            "query.",
        ),
        (
            lambda query, keys, values: _mixed(
                [dot(query, key) / math.sqrt(len(query)) for key in keys], values
            ),
            "no softmax",
            "The scores are used as weights. Weights are positive and add up to one: softmax.",
        ),
        (
            lambda query, keys, values: _mixed(
                _weights(query, keys, 1 / math.sqrt(len(query))), values
            ),
            "times the root",
            "The scores are multiplied by the root. Divide them.",
        ),
        (
            lambda query, keys, values: _weights(query, keys),
            "weights alone",
            "These are the weights alone. With them the values are mixed.",
        ),
        (
            lambda query, keys, values: _mixed(_weights(query, keys), keys),
            "keys mixed",
            "It mixes the keys. They were only compared; the values are handed over.",
        ),
        (
            lambda query, keys, values: [dot(_weights(query, keys), value) for value in values],
            "rows",
            "The weights are multiplied with one value after the other, number by number. But one "
            "weight belongs to all numbers of one value: take the columns, zip(*values).",
        ),
        (
            lambda query, keys, values: _mixed(_weights(query, values), values),
            "values compared",
            "It compares the query with the values. The keys are the signs.",
        ),
        (
            _constant_weights,
            "weights are constants",
            "The results are right and the gradients are not: the weights are used as plain "
            "numbers, so nothing reaches the query and the keys.",
        ),
        (
            lambda query, keys, values: [Value(v.data) for v in _attended(query, keys, values)],
            "record lost",
            "The results are right, and no gradient reaches the leaves: the record was lost on the "
            "way, with .data.",
        ),
    )
)


# 14.3


def _for_each(queries: Vectors, keys: Vectors, values: Vectors, seen: Any) -> list[list[Value]]:
    """One mixture for each position, which sees some slice of the positions."""
    return [
        _attended(query, keys[seen(position)], values[seen(position)])
        for position, query in enumerate(queries)
    ]


def _causal(queries: Vectors, keys: Vectors, values: Vectors) -> list[list[Value]]:
    return _for_each(queries, keys, values, lambda position: slice(position + 1))


def _copied(queries: Vectors, keys: Vectors, values: Vectors) -> list[list[Value]]:
    """Only the own key is alive, as in the mistake of the chapter."""
    return [
        _attended(
            query,
            [*([Value(number.data) for number in key] for key in keys[:position]), keys[position]],
            values[: position + 1],
        )
        for position, query in enumerate(queries)
    ]


def reading(queries: Any, keys: Any, values: Any, ahead: int = 1, part: int = 0) -> list[Any]:
    """Attention of each position with the first keys, up to this place and some further on."""
    ends = range(ahead, ahead + len(queries))
    return [attend(q, keys[:n], values[:n])[part] for n, q in zip(ends, queries, strict=True)]


CAUSAL_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}. {words}")
    for function, kind, words in (
        (
            lambda q, k, v: _for_each(q, k, v, lambda position: slice(None)),
            "not causal",
            "Every position reads from all of them, also from later ones: it sees what it should "
            "guess.",
        ),
        (
            lambda q, k, v: _for_each(q, k, v, lambda position: slice(position)),
            "own left out",
            "A position reads from itself too. Without itself, the first one has nothing to read.",
        ),
        (
            lambda q, k, v: _for_each(q, k, v, lambda position: slice(position, position + 1)),
            "own alone",
            "Each position reads from itself alone. It may read from the earlier ones too.",
        ),
        (
            lambda q, k, v: _for_each(q, k, v, lambda position: slice(position, None)),
            "backward",
            "Each position reads from itself and from later ones. It should be the earlier ones.",
        ),
        (
            lambda q, k, v: _causal([q[0]] * len(q), k, v),
            "one query",
            "All positions ask with the query of the first one.",
        ),
        (
            _copied,
            "copied",
            "The results are right and the gradients are not: earlier keys are used as plain "
            "numbers. They have to stay alive.",
        ),
    )
)


def _positions(words: str, *rows: Sequence[Sequence[float]]) -> Case:
    names = ("queries", "keys", "values")
    pairs = list(zip(names, rows, strict=True))
    return Case(words, lambda: tuple(_vectors(name, vectors) for name, vectors in pairs))


# 14.4


def first_two_mixtures() -> dict[str, float]:
    """The gradients that 14.4 asks about.

    >>> first_two_mixtures()["value_2"]
    0.0
    """
    leaves = {kind: [Value(data) for data in THREE[kind]] for kind in THREE}
    mixtures = [
        attend(
            [leaves["query"][position]],
            [[key] for key in leaves["key"][: position + 1]],
            [[value] for value in leaves["value"][: position + 1]],
        )[0][0]
        for position in range(2)
    ]
    (mixtures[0] + mixtures[1]).backward()
    return {
        f"{kind}_{position}": leaf.grad
        for kind in leaves
        for position, leaf in enumerate(leaves[kind])
    }


ZERO_SLIPS = (
    (
        ("query_2", "key_2", "value_2"),
        "future",
        "The third position comes later. Do the first two mixtures read from it?",
    ),
    (
        ("query_0",),
        "one score",
        "The first position has a single score. What does softmax make of it, whatever it is?",
    ),
    (
        ("key_0", "value_0"),
        "still alive",
        "The first key and the first value are read again later, by the second position.",
    ),
    (
        ("query_1", "key_1", "value_1"),
        "too many zeros",
        "The second position compares its query with two keys, and mixes two values.",
    ),
)


def _judge_zeros(answer: dict[str, str]) -> Finding | None:
    grads = first_two_mixtures()
    right = {name: ZERO if abs(grad) < 1e-12 else NOT_ZERO for name, grad in grads.items()}
    wrong = {name for name in right if answer[name] != right[name]}
    seen = f"{len(right) - len(wrong)} of {len(right)} are right."
    for names, kind, words in ZERO_SLIPS:
        if wrong & set(names):
            return Finding(kind, f"{seen} {words}")
    return None


# 14.5


def last_mixture(wq: Value, wk: Value, wv: Value, cut: Collection[str] = LINES) -> Value:
    """The program of 14.5, in which each of three lines may use plain numbers or Values.

    Args:
        wq: makes queries.
        wk: makes keys.
        wv: makes values.
        cut: the lines that use plain numbers; in the notebook all three do.
    """
    keys: list[Value] = []
    values: list[Value] = []
    seen: list[list[float | Value]] = []
    mixture = Value(0.0)
    for letter in LETTERS:
        query = wq * letter
        keys.append(wk * letter)
        values.append(wv * letter)
        scores = [query * key for key in keys]
        highest = max(scores, key=lambda score: score.data)
        largest = highest.data if "A" in cut else highest
        powers = [(score - largest).exp() for score in scores]
        total = sum(powers[1:], powers[0])
        weights = [power / total for power in powers]
        seen.append([weight.data if "B" in cut else weight for weight in weights])
        products = [weight * value for weight, value in zip(weights, values, strict=True)]
        mixture = sum(products[1:], products[0])
        if "C" in cut:
            values = [Value(value.data) for value in values]
    return mixture


def harmed(line: str) -> set[str]:
    """Whose gradients are wrong when one line alone uses plain numbers.

    Args:
        line: its letter.

    >>> harmed("A")
    set()
    """
    found = []
    for cut in ((), (line,)):
        leaves = {name: Value(data) for name, data in MATRICES.items()}
        last_mixture(leaves["wq"], leaves["wk"], leaves["wv"], cut).backward()
        found.append({name: leaf.grad for name, leaf in leaves.items()})
    live, tried = found
    return {name for name in MATRICES if not math.isclose(live[name], tried[name], rel_tol=1e-9)}


LINE_WORDS = {
    "A": "takes off the largest score as a plain number. Any number that is taken off all scores "
    "cancels, so its path may be cut (chapter 13)",
    "B": "keeps the weights as plain numbers, to look at them later. Nothing is calculated from "
    "what it keeps",
}


def _judge_planted(answer: dict[str, str]) -> Finding | None:
    line, matrix = answer["line"], answer["matrix"]
    guilty = harmed(line)
    if not guilty:
        return Finding(f"innocent {line}", f"Line {line} {LINE_WORDS[line]}.")
    if matrix in guilty:
        return None
    return Finding(
        "other matrix",
        f"Line {line} cuts a path, but not one that leads to {matrix}: its gradient is right. What "
        "is it that this line copies?",
    )


EXERCISES = (
    AnswerExercise(
        name="14.1",
        title="The smallest head, by hand",
        shape=numbers(*smallest_head()),
        judge=_judge_head,
        right="A value gets its weight, and the two keys get opposite pushes.",
        hints=(
            "The scores are query times key. Two times log 2 is the logarithm of what number?",
            "A value's gradient is its attention weight.",
            "A score's gradient is its weight times (its value - the mixture): the part through "
            "its own power and the part through the total. The key's has the query as one more "
            "factor.",
        ),
    ),
    FunctionExercise(
        name="14.2",
        title="Write a head",
        cases=(
            _head(
                "three positions",
                (1.0, 2.0),
                ((0.0, 1.0), (1.0, 0.0), (2.0, -1.0)),
                ((3.0, 0.5), (0.0, 3.0), (2.0, -3.0)),
            ),
            _head(
                "two positions of four numbers",
                (0.5, -1.0, 2.0, 0.3),
                ((1.0, 0.2, -0.5, 0.7), (-0.4, 0.9, 1.1, 0.6)),
                ((0.1, 0.2, 0.3, 0.4), (-1.0, 2.0, -3.0, 4.0)),
            ),
            _head("one position", (0.7, 0.1), ((2.0, 1.0),), ((5.0, -6.0),)),
        ),
        reference=_attended,
        shape=_shape(deep=False),
        observe=_seen,
        suspects=ATTEND_SUSPECTS,
        forbidden={"engine.gpt.attend"},
        mistakes="""
no softmax | = lambda query, keys, values: _mixed(_shares(query, keys), values)
    The scores are divided by their total, and that is no softmax: it takes exp of each first.
""",
        given=globals(),
        right="Compare, weigh, mix: and each gradient finds its way back.",
        hints=(
            "Three steps: one score for each key, softmax of the scores, the mixture.",
            "A score is dot(query, key), divided by the root of len(query).",
            "zip(*values) gives the columns: all first numbers, then all second ones. Each number "
            "of the mixture is a dot product of the weights and one column.",
        ),
    ),
    FunctionExercise(
        name="14.3",
        title="Only what came before",
        cases=(
            _positions(
                "three positions",
                ((1.0, 2.0), (-0.5, 0.5), (0.3, -1.0)),
                ((0.0, 1.0), (1.0, 0.0), (2.0, -1.0)),
                ((3.0, 0.5), (0.0, 3.0), (2.0, -3.0)),
            ),
            _positions(
                "two positions",
                ((0.4, -0.6), (1.2, 0.8)),
                ((0.9, -0.3), (-0.2, 0.5)),
                ((1.0, 2.0), (-4.0, 3.0)),
            ),
        ),
        reference=_causal,
        shape=_shape(deep=True),
        observe=_seen,
        suspects=CAUSAL_SUSPECTS,
        mistakes="""
one too many | = lambda queries, keys, values: reading(queries, keys, values, ahead=2)
    A position reads one position ahead: keys[:n] has n keys, and the first position is number 0.
weights | = lambda queries, keys, values: reading(queries, keys, values, part=1)
    Those are the weights. attend gives back two things, and the mixture is the first.
""",
        given=globals(),
        right="Nothing is forbidden: what comes later is not in the lists yet.",
        hints=(
            "Make a list, and append one mixture for each position.",
            "keys[: n] is the list of the first n keys. How many may the first position read from?",
            "enumerate(queries) gives each position together with its query. attend gives back two "
            "things: the mixture and the weights.",
        ),
    ),
    AnswerExercise(
        name="14.4",
        title="Whose gradient is zero?",
        shape=all_of(first_two_mixtures(), one_of(ZERO, NOT_ZERO)),
        judge=_judge_zeros,
        right="Later positions receive nothing, and neither does a query without a choice.",
        hints=(
            "First ask who is read: by the first mixture, and by the second one.",
            "The first mixture is made of one value, with a weight that is always the same.",
            "Whatever the second position reads has a path to the sum, also what was computed "
            "earlier.",
        ),
    ),
    AnswerExercise(
        name="14.5",
        title="The line that cuts a path",
        shape=fields(line=one_of(*LINES), matrix=one_of(*MATRICES)),
        judge=_judge_planted,
        right="Plain numbers are harmless to look at, and harmful to go on with.",
        hints=(
            "Which of the three lines makes something that a later calculation uses?",
            "gradient_check(last_mixture, [0.7, -0.4, 1.2]) says whose gradient is wrong.",
            "Change one line after the other so that it uses the Values themselves, and check "
            "again.",
        ),
    ),
)
