"""Which program places the nodes, and what a learner is told when none does."""

import os
import sys
from importlib import import_module
from pathlib import Path

import pytest
from drawn_graphs import RENDERERS, find_renderer

from engine import GraphExplorer, OrderPlayground, Predict, ReverseWalk, Value, draw
from engine.course.doctor import check_renderer
from engine.drawing.renderer import (
    ENVIRONMENT_VARIABLE,
    HOW_TO_GET_PICTURES,
    RenderingError,
    positions,
    renderer,
)

# The package gives this name to the function in it.
module = import_module("engine.drawing.renderer")
SOURCE = "digraph { n0 -> n1 }"
scripts_can_be_programs = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows runs no scripts that begin with #!"
)


def example() -> Value:
    a, b = Value(2.0, "a"), Value(-3.0, "b")
    return a * b


def program(tmp_path: Path, body: str) -> str:
    """A Python script that stands for a Graphviz program."""
    path = tmp_path / "a renderer"
    path.write_text(f"#!{sys.executable}\nimport sys, time\nsource = sys.stdin.read()\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("name", RENDERERS)
def test_either_program_places_the_nodes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_renderer(name)
    if found is None:
        pytest.skip(f"this machine has no {name}")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, found)
    assert renderer() == found
    words = [line.split()[0] for line in (positions(SOURCE) or "").splitlines()]
    assert words == ["graph", "node", "node", "edge", "stop"]


def test_the_program_of_the_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    assert renderer() == find_renderer("graphviz-pure")


def test_a_program_on_the_path_serves_where_the_environment_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dot = tmp_path / ("dot.exe" if sys.platform == "win32" else "dot")
    dot.write_text("")
    dot.chmod(0o755)
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    monkeypatch.setattr(module.sysconfig, "get_path", lambda name: os.devnull)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert renderer() == str(dot)


def test_without_a_program_there_are_tables_and_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "")
    y = example()
    assert renderer() is None
    assert positions(SOURCE) is None
    picture = draw(y)
    assert picture.svg is None
    assert picture._repr_mimebundle_() == {"text/plain": repr(picture)}
    assert repr(picture).splitlines()[-1] == HOW_TO_GET_PICTURES
    assert repr(picture).splitlines()[1].split() == ["a", "2", "0"]
    view = ReverseWalk(y)
    assert view.payload["svg"] == []
    assert view.payload["notice"] == HOW_TO_GET_PICTURES
    assert "image/svg+xml" not in view._repr_mimebundle_()[0]
    assert view.step().state.gradients["a"] == -3.0
    assert "pip install graphviz-pure" in HOW_TO_GET_PICTURES


def test_a_named_program_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "no-such-program")
    with pytest.raises(RenderingError, match=r"REVERSE_WALK_DOT names 'no-such-program'.*unset"):
        positions(SOURCE)
    assert "no-such-program" in str(check_renderer("pip install"))


BROKEN = {
    "fails": ("sys.exit('syntax error in line 1')", "could not place the nodes: syntax error"),
    "fails in silence": ("sys.exit(3)", "could not place the nodes: it ended with exit code 3"),
    "says nothing": ("", "could not place the nodes: it wrote '' instead of positions"),
    "says something else": ("print('Usage: dot [-V]')", "it wrote 'Usage: dot \\[-V\\]' instead"),
    "stops half-way": ("print('graph 1 2 3')", "it wrote 'graph 1 2 3' instead of positions"),
    "speaks another encoding": (
        "sys.stderr.buffer.write(b'Gr\\xf6\\xdfe'); sys.exit(1)",
        "could not place the nodes: Gr",
    ),
}


@scripts_can_be_programs
@pytest.mark.parametrize(("body", "message"), BROKEN.values(), ids=BROKEN)
def test_a_program_that_does_not_do_its_work_is_told_of(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, program(tmp_path, body))
    with pytest.raises(RenderingError, match=message) as error:
        positions(SOURCE)
    assert "a renderer" in str(error.value)


@scripts_can_be_programs
def test_a_program_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.5)
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, program(tmp_path, "time.sleep(60)"))
    with pytest.raises(RenderingError, match=r"took longer than 0\.5 s to place") as error:
        positions(SOURCE)
    assert "a renderer" in str(error.value)


@scripts_can_be_programs
def test_a_file_that_cannot_be_run_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF is not enough")
    broken.chmod(0o755)
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(broken))
    with pytest.raises(RenderingError, match="could not place the nodes"):
        positions(SOURCE)


@scripts_can_be_programs
def test_a_program_that_fails_takes_away_the_picture_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = program(tmp_path, "sys.exit('out of order')")
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, failing)
    sentence = f"There is no picture: {failing} could not place the nodes: out of order."
    y = example()
    assert repr(draw(y)).splitlines()[-1] == sentence
    assert draw(y)._repr_mimebundle_() == {"text/plain": repr(draw(y))}
    for view in (ReverseWalk(y), Predict(y), OrderPlayground(y)):
        assert (view.payload["svg"], view.payload["notice"]) == ([], sentence)
        assert view.picture() is None
    explorer = GraphExplorer(y)
    assert (explorer.shown["svg"], explorer.shown["noPicture"]) == ([], sentence)
    assert explorer.picture() is None


@scripts_can_be_programs
def test_no_label_reaches_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'w').write(source); sys.exit(1)"
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, program(tmp_path, body))
    secret, other = Value(2.0, "secret"), Value(3.0, "\N{GREEK SMALL LETTER PI}")
    draw((secret * other).tanh())
    source = seen.read_text()
    assert "n0" in source
    for word in ("secret", "\N{GREEK SMALL LETTER PI}", "tanh", "*"):
        assert word not in source
