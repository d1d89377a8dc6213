"""Labels come from people: any text is kept as it is, and harms no graph, table or error."""

import json

import pytest
from each import each

from engine import Graph, Literal, Parameter, Tape, Value, gradient_check, reverse_walk, scope

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "double quote": '"',
    "single quote": "'",
    "triple quote": '"""',
    "backslash": "\\",
    "backslash at the end": "x\\",
    "record separators": "a|b{c}<d>",
    "brace": "{",
    "closing brace": "}",
    "format": "{0} %s {x!r}",
    "entity": "&amp;",
    "ampersand": "a & b",
    "right to left": "\u05e9\u05dc\u05d5\u05dd",
    "right-to-left override": "\u202egnp.exe",
    "isolate without an end": "\u2067abc",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "combining": "e\u0301" * 20,
    "newline": "one\ntwo",
    "carriage return": "one\rtwo",
    "line separator": "one\u2028two",
    "form of a table": "a\nb    1     2",
    "tab": "one\ttwo",
    "NUL": "a\0b",
    "escape": "\x1b[31mred",
    "lone surrogate": "\ud800",
    "10,000 characters": "x" * 10_000,
    "10,000 newlines": "\n" * 10_000,
    "empty": "",
    "blank": " ",
    "blanks": "   \u00a0\u3000 ",
    "place of another node": "n1",
    "expression": "a * b",
    "number": "2",
    "operator": "-",
    "In": "In",
    "underscore": "_",
    "dunder": "__class__",
    "None": "None",
}

every_hostile_label = each(HOSTILE)


def graph_with(label: str) -> Graph:
    """Give one label to a leaf, a constant, a computed node and a scope."""
    x, w = Value(3.0, label), Parameter(2.0, "w")
    with scope(label):
        u = x * w - Literal(1.0, label)
    u.label = label
    y = (-u) ** 2
    y.backward()
    return Graph.of(y, {})


@every_hostile_label
def test_a_label_is_kept_to_the_letter(label: str) -> None:
    graph = graph_with(label)
    x, _, _, u, _, _ = graph.nodes
    assert (x.label, u.label, u.scope) == (label, label, label)
    assert Value(1.0, label).label == Parameter(1.0, label).label == label
    assert Literal(1.0, label).label == label


@every_hostile_label
def test_a_label_does_not_change_a_number(label: str) -> None:
    graph, plain = graph_with(label), graph_with("plain")
    assert [(n.data, n.grad, n.inputs) for n in graph.nodes] == [
        (n.data, n.grad, n.inputs) for n in plain.nodes
    ]
    assert reverse_walk(graph).gradients == reverse_walk(plain).gradients


@every_hostile_label
def test_a_label_stays_on_its_own_line_of_the_table(label: str) -> None:
    graph = graph_with(label)
    lines = str(graph).splitlines()
    assert len(lines) == len(graph) + 1
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) < 120
    assert [line.split()[-2:] for line in lines[1:]] == [
        line.split()[-2:] for line in str(graph_with("plain")).splitlines()[1:]
    ]


@every_hostile_label
def test_a_table_holds_no_character_that_moves_others(label: str) -> None:
    moving = [*map(chr, range(32)), *map(chr, range(0x7F, 0xA0))]
    moving += "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    text = str(graph_with(label)).replace("\n", "")
    assert [character for character in moving if character in text] == []


@every_hostile_label
def test_names_and_titles_are_text_for_every_node(label: str) -> None:
    graph = graph_with(label)
    for node in graph.nodes:
        name, title = graph.names[node.index], graph.title(node.index)
        assert name
        assert title.startswith(name)
    assert len(graph.expressions) == len(graph.names) == len(graph)


@every_hostile_label
def test_an_unlabeled_node_never_grows_with_the_labels_of_its_inputs(label: str) -> None:
    graph = graph_with(label)
    assert all(len(graph.names[node.index]) <= 16 for node in graph.nodes if not node.label)


@every_hostile_label
def test_json_brings_the_label_back(label: str) -> None:
    graph = graph_with(label)
    text = graph.to_json()
    assert Graph.from_json(text) == graph
    assert text.isascii()
    assert json.loads(text)[0]["label"] == label


@every_hostile_label
def test_a_repr_with_the_label_is_one_line_of_python(label: str) -> None:
    text = repr(Value(3.0, label))
    assert len(text.splitlines()) == 1
    assert (f"label={label!r}" in text) is (label != "")


@every_hostile_label
def test_errors_that_quote_the_label_stay_short_and_on_one_line(label: str) -> None:
    x = Value(3.0, label)
    graph = graph_with(label)
    errors = []
    for act in (lambda: x < 4, lambda: float(x), lambda: graph.index("no such name")):
        with pytest.raises((TypeError, KeyError)) as caught:
            act()
        errors.append(caught.value)
    with Tape() as tape, pytest.raises(ValueError, match="not recorded") as caught:
        tape.backward(x)
    errors.append(caught.value)
    with pytest.raises(ValueError, match="missing") as caught:
        reverse_walk(graph, [])
    errors.append(caught.value)
    for error in errors:
        assert len(error.args[0].splitlines()) == 1
        assert len(error.args[0]) < 600


@every_hostile_label
def test_a_gradient_check_names_inputs_like_that_too(label: str) -> None:
    def square(**inputs: Value) -> Value:
        (x,) = inputs.values()
        return x * x

    result = gradient_check(square, {label: 3.0})
    assert result.inputs[0].name == label
    assert len(str(result).splitlines()) == 3


@every_hostile_label
def test_a_name_of_one_node_finds_it(label: str) -> None:
    x = Value(3.0, label)
    graph = Graph.of(x * 2 + 1, {})
    assert graph.index(graph.names[0]) == 0
    assert reverse_walk(graph).grad(graph.names[0]) == 2.0


@every_hostile_label
def test_what_is_printed_can_be_written_to_a_file(label: str) -> None:
    graph = graph_with(label)
    assert str(graph).encode("utf-8")
