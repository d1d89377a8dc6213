"""Random recordings with shared nodes, and labels that people and attackers come up with."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from hypothesis import strategies as st

from engine import Graph, Value
from engine.drawing.renderer import ENVIRONMENT_VARIABLE

RENDERERS = ("graphviz-pure", "dot")

HOSTILE = {
    "script": "<script>window.hacked = 1</script>",
    "image": "<img src=x onerror='window.hacked = 1'>",
    "closing tags": "</text></svg></script><script>window.hacked = 1</script>",
    "cdata": "]]><script>window.hacked = 1</script><![CDATA[",
    "comment": "--><script>window.hacked = 1</script><!--",
    "double quote": '"] hacked [label="',
    "single quote": "' onload='window.hacked = 1",
    "backslash": "a\\b\\n\\N\\",
    "record": "{a|<p>b}",
    "entity": "&amp;&lt;&#60;",
    "right to left": "שלום עולם",
    "override": "a\N{RIGHT-TO-LEFT OVERRIDE}b",
    "nul": "a\0b",
    "controls": "a\x01\x08\x1b[31m\x7f\x9fb",
    "newlines": "first\nsecond\r\nthird\u2028fourth",
    "surrogate": "a\ud800b",
    "noncharacter": "a\ufffe\uffffb",
    "emoji": "\N{FAMILY}\N{FACE WITH TEARS OF JOY}" * 3,
    "combining": "Z" + "\N{COMBINING GRAVE ACCENT}" * 200,
    "long": "x" * 10_000,
    "whitespace": " \t ",
    "empty": "",
    "python": "__import__('os')",
    "template": "${window.hacked = 1}{{ 7 * 7 }}",
    "javascript": "javascript:window.hacked = 1",
}


def find_renderer(name: str) -> str | None:
    """The path of a renderer of this environment or machine."""
    beside_python = shutil.which(name, path=str(Path(sys.executable).parent))
    return beside_python or shutil.which(name)


@contextmanager
def rendering_with(program: str) -> Iterator[None]:
    """Let this program place the nodes; the empty name is no program at all."""
    with patch.dict(os.environ, {ENVIRONMENT_VARIABLE: program}):
        yield


def hostile_value(label: str) -> Value:
    """A small calculation in which every node has the same label."""
    a, b = Value(2.0, label), Value(-3.0, label)
    product = a * b
    product.label = label
    return product + a


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Graphs of up to 15 nodes: chains, stars, shared nodes, numbers short and long."""
    values = [
        Value(draw(st.sampled_from((1.0, -2.5, 123456.789, -1e-9))), draw(st.sampled_from("abc")))
        for _ in range(draw(st.integers(1, 4)))
    ]
    for _ in range(draw(st.integers(1, 11))):
        one = values[draw(st.integers(0, len(values) - 1))]
        other = values[draw(st.integers(0, len(values) - 1))]
        label = draw(st.sampled_from(("", "h", "a longer name than others")))
        made = draw(st.sampled_from((one + other, one * other, one - other, one.tanh())))
        made.label = label
        values.append(made)
    total = values[-1]
    for value in values[:-1]:
        if draw(st.booleans()):
            total = total + value
    return Graph.of(total, {})
