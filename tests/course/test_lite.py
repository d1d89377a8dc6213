"""What ``course lite`` builds from: the engine's wheel, the lock, and notes where nothing runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest

from engine.course import lite
from engine.course.places import CourseError, Places
from engine.drawing import page_renderer
from engine.drawing.renderer import ENVIRONMENT_VARIABLE, RenderingError, positions

PLAIN = "graph 1 1 1\nstop\n"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "a cöurse")
    for folder, names in (
        (made.chapters, ("06-walk", "15-gpt", "glossary")),
        (made.exercises, ("06-walk",)),
    ):
        folder.mkdir(parents=True)
        for name in names:
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
            nbformat.write(notebook, folder / f"{name}.ipynb")
    return made


def first_words(file: Path) -> str:
    return str(nbformat.read(file, as_version=4).cells[0].source)


# --- what goes in, and where to --------------------------------------------------------------


def test_what_does_not_run_says_so_and_the_source_stays(places: Places, tmp_path: Path) -> None:
    lite.write_notebooks(places, tmp_path / "contents")
    written = tmp_path / "contents"
    assert first_words(written / "notebooks" / "06-walk.ipynb") == "1"
    assert first_words(written / "notebooks" / "glossary.ipynb") == "1"
    assert first_words(written / "notebooks" / "15-gpt.ipynb") == lite.READ_ONLY_CHAPTER
    assert first_words(written / "exercises" / "06-walk.ipynb") == lite.READ_ONLY_EXERCISES
    assert first_words(places.chapters / "15-gpt.ipynb") == "1"


def test_a_folder_with_other_files_is_left_alone(places: Places, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("mine")
    with pytest.raises(CourseError, match="stay as they are"):
        lite.run(places, mine)
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


# --- what is missing is named ----------------------------------------------------------------


def test_without_jupyterlite_the_command_that_installs_it_is_named(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlite_core", None)
    with pytest.raises(CourseError, match=r'jupyterlite-core.* -m pip install -e ".*\[lite\]"'):
        lite.run(places, None)


def test_without_npm_it_says_where_npm_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(CourseError, match=r"npm.* Node\.js"):
        lite._npm("pyodide@1", tmp_path / "pyodide")


def test_what_a_program_said_last_is_told() -> None:
    with pytest.raises(CourseError, match=r"no package\. Its last words:\nout of disk"):
        lite._call([sys.executable, "-c", "raise SystemExit('out of disk')"], "no package")


def test_a_program_may_say_its_last_words_in_any_letters() -> None:
    says = "import sys; sys.stderr.buffer.write(b'kein Platz f\\xfcr Pyodide'); sys.exit(1)"
    with pytest.raises(CourseError, match=r"kein Platz f.r Pyodide"):
        lite._call([sys.executable, "-c", says], "no package")


# --- the wheel and the lock ------------------------------------------------------------------


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    graphviz = tmp_path / "index.js"
    graphviz.write_text("export {};")
    file = tmp_path / "reverse_walk-1-py3-none-any.whl"
    lite.write_wheel(file, graphviz)
    return file


def test_the_lock_knows_the_wheel_by_its_facts(wheel: Path) -> None:
    (entry,) = lite.locked(wheel).values()
    assert entry["name"] == "reverse-walk"
    assert entry["imports"] == ["engine"]
    assert entry["file_name"] == wheel.name


def test_the_engine_of_the_wheel_is_this_engine_with_graphviz_beside_it(
    wheel: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    engine = tmp_path / "site" / "engine"
    for source in lite.ENGINE.rglob("*.py"):
        packed_source = engine / source.relative_to(lite.ENGINE)
        assert packed_source.read_bytes() == source.read_bytes()
    code = (
        "from engine.drawing.page_renderer import GRAPHVIZ; print(f'{str(GRAPHVIZ)!a}', "
        "GRAPHVIZ.read_text())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "site",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{str(engine / 'drawing' / 'graphviz.js')!a} export {{}};\n"


# --- Graphviz in the page --------------------------------------------------------------------


class Promise:
    """What JavaScript gives for a thing that is on its way."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []

    def then(self, call: Any) -> None:
        self.waiting.append(call)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """Stand-ins for Pyodide's modules: ``page.jspi`` tells whether Python can wait."""

    def layout(source: str, form: str, engine: str) -> str:
        if "no graph" in source:
            raise ValueError("syntax error")
        return f"{PLAIN}{form} {engine}"

    graphviz = SimpleNamespace(layout=layout)
    made = SimpleNamespace(jspi=True, loads=0, graphviz=graphviz, promise=Promise())

    def load(_text: str) -> Promise:
        made.loads += 1
        return made.promise

    waiting = SimpleNamespace(
        can_run_sync=lambda: made.jspi,
        run_sync=lambda _promise: graphviz,
        create_once_callable=lambda call: call,
    )
    monkeypatch.setitem(sys.modules, "pyodide.ffi", waiting)
    monkeypatch.setitem(sys.modules, "pyodide.code", SimpleNamespace(run_js=lambda _code: load))
    monkeypatch.setattr(page_renderer, "GRAPHVIZ", tmp_path / "graphviz.js")
    monkeypatch.setattr(page_renderer, "_loading", [])
    monkeypatch.setattr(page_renderer, "_loaded", [])
    (tmp_path / "graphviz.js").write_text("export {};")
    return made


def test_in_a_browser_the_page_places_nodes_and_no_program_is_sought(
    page: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "")
    assert positions("digraph {}") is None
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert positions("digraph {}") == f"{PLAIN}plain dot"


def test_graphviz_is_loaded_once(page: SimpleNamespace) -> None:
    assert page_renderer.positions("digraph {}") == f"{PLAIN}plain dot"
    assert page_renderer.positions("digraph {}") == f"{PLAIN}plain dot"
    assert page.loads == 1


def test_where_python_cannot_wait_the_second_time_has_the_picture(page: SimpleNamespace) -> None:
    page.jspi = False
    for _ in range(2):
        with pytest.raises(RenderingError, match="run this cell again"):
            page_renderer.positions("digraph {}")
    (arrived,) = page.promise.waiting
    arrived(page.graphviz)
    assert page_renderer.positions("digraph {}").startswith("graph")
    assert page.loads == 1


def test_what_graphviz_says_is_told(page: SimpleNamespace) -> None:
    with pytest.raises(RenderingError, match="could not place the nodes: syntax error"):
        page_renderer.positions("no graph")


def test_every_package_of_the_page_is_pinned() -> None:
    lines = lite.REQUIREMENTS.read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert all(line.count("==") == 1 for line in pins)


def test_the_settings_of_the_page_are_those_of_the_lab() -> None:
    overrides = json.loads(json.dumps(lite._overrides()))
    assert overrides["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert len(overrides) == len(lite.lab.SETTINGS)
