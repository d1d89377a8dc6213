"""The course as a JupyterLab without a server: chapters run in the page's own Python.

Not in every CI run: it needs the extra ``lite`` and npm, and without them it is skipped.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import wait_until
from playwright.sync_api import Browser, Locator, Page

from engine.course.lite import RUN

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
RUNNING = [name for name in CHAPTERS if name[:2] in RUN]
WIDGET = "application/vnd.jupyter.widget-view+json"
PATIENCE = 300.0

missing = [
    *(
        name
        for name in ("jupyterlite_core", "jupyterlite_pyodide_kernel")
        if importlib.util.find_spec(name) is None
    ),
    *(["npm"] if shutil.which("npm") is None else []),
]
pytestmark = pytest.mark.skipif(
    bool(missing),
    reason=f"the page is built with {', '.join(missing)}: install Node.js and the extra lite",
)

_STATUS = """() => {
  const session = window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session;
  return session?.kernel?.status ?? null;
}"""
_RUN_ALL = """() => {
  window.__ran = false;
  jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.__ran = true; });
}"""
_CODE_CELLS = """() => {
  const cells = jupyterapp.shell.currentWidget.content.model.cells;
  return Array.from(cells, (cell, place) => cell.type !== 'code' ? null : {
    place, source: cell.sharedModel.getSource(), outputs: cell.outputs.toJSON(),
  }).filter(Boolean);
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Python's own static server, without its log."""

    def log_message(self, *_words: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is served, made by the command as a person would."""
    folder = tmp_path_factory.mktemp("ein Kurs für alle") / "lite"
    command = [sys.executable, "-m", "engine.course", "lite", "--output", str(folder)]
    here = tmp_path_factory.mktemp("where one types")
    made = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert str(folder) in made.stdout
    assert list(here.iterdir()) == []
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


@dataclass
class LitePage:
    """One notebook in the page, with what went on behind it."""

    page: Page
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def run_all(self) -> LitePage:
        wait_until(lambda: self.page.evaluate(_STATUS) == "idle", "the kernel idles", PATIENCE)
        self.page.evaluate(_RUN_ALL)
        wait_until(lambda: self.page.evaluate("() => window.__ran"), "all cells ran", PATIENCE)
        return self

    def code_cells(self) -> list[dict[str, Any]]:
        cells: list[dict[str, Any]] = self.page.evaluate(_CODE_CELLS)
        return cells

    def cell(self, place: int) -> Locator:
        cell = self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{place}"]')
        cell.scroll_into_view_if_needed()
        return cell


def opened(
    browser: Browser, address: str, path: str, pyodide: Callable[[Any], None] | None = None
) -> LitePage:
    """Open a notebook with nothing stored from before, and the network closed."""
    shown = LitePage(browser.new_context(viewport={"width": 1280, "height": 900}).new_page())
    page = shown.page

    def closed(route: Any) -> None:
        shown.foreign.append(route.request.url)
        route.abort()

    page.context.route(lambda url: url.startswith("http") and not url.startswith(address), closed)
    if pyodide:
        page.context.route("**/pyodide.mjs", pyodide)
    page.on("pageerror", lambda error: shown.errors.append(str(error)))
    page.on(
        "console",
        lambda said: (
            shown.errors.append(f"{said.text} [{said.location.get('url')}]")
            if said.type == "error" and "/favicon.ico" not in said.location.get("url", "")
            else None
        ),
    )
    page.goto(f"{address}lab/index.html?path={path}")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=PATIENCE * 1000)
    return shown


@pytest.fixture
def browser(browser: Browser) -> Iterator[Browser]:
    yield browser
    for context in browser.contexts:
        context.close()


def words(outputs: list[dict[str, Any]]) -> list[str]:
    """What outputs say, each in plain text; streams that came in pieces are one."""
    texts: list[str] = []
    kinds: list[str] = []
    for output in outputs:
        stream = output.get("name", "")
        text = (
            output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue")
        )
        joined = "".join(text or [])
        if stream and kinds and kinds[-1] == stream:
            texts[-1] += joined
        else:
            texts.append(joined)
        kinds.append(stream)
    return texts


@pytest.mark.parametrize("name", RUNNING)
def test_a_chapter_runs_without_a_server(browser: Browser, address: str, name: str) -> None:
    shown = opened(browser, address, f"notebooks/{name}").run_all()
    stored = nbformat.read(ROOT / "notebooks" / name, as_version=4).cells
    expected = [words(cell.outputs) for cell in stored if cell.cell_type == "code"]
    cells = shown.code_cells()
    assert [words(cell["outputs"]) for cell in cells] == expected
    for cell in cells:
        views = sum(WIDGET in output.get("data", {}) for output in cell["outputs"])
        if views:
            live = shown.cell(cell["place"]).locator(".rw-view")
            wait_until(lambda live=live, views=views: live.count() == views, "views are live", 60)
            assert live.first.is_visible()
            assert live.first.locator("svg, table").count()
            assert "There is no picture" not in live.first.inner_text()
    assert shown.foreign == []
    assert shown.errors == []


def test_views_step_and_ask_the_python_of_the_page(browser: Browser, address: str) -> None:
    shown = opened(browser, address, "notebooks/03-local-times-upstream.ipynb").run_all()
    places = [cell["place"] for cell in shown.code_cells() if "Predict(" in cell["source"]]
    view = shown.cell(places[-1]).locator(".rw-view").last
    view.locator("input").first.click()
    shown.page.keyboard.type("1")
    shown.page.keyboard.press("Enter")
    wait_until(lambda: "Right" in view.locator(".rw-verdict").inner_text(), "a verdict", 60)
    places = [cell["place"] for cell in shown.code_cells() if "ReverseWalk(" in cell["source"]]
    view = shown.cell(places[-1]).locator(".rw-view").last
    before = view.locator(".rw-place").inner_text()
    view.locator(".rw-place").click()
    view.get_by_role("button", name="Last", exact=True).click()
    wait_until(lambda: view.locator(".rw-place").inner_text() != before, "the view stepped", 60)
    assert shown.errors == []


def test_what_does_not_run_says_so_at_its_top(browser: Browser, address: str) -> None:
    exercise = sorted(path.name for path in (ROOT / "exercises").glob("*.ipynb"))[0]
    shown = opened(browser, address, f"exercises/{exercise}")
    assert "the checks of these exercises do not work" in shown.cell(0).inner_text()


def test_without_jspi_the_picture_comes_the_second_time(browser: Browser, address: str) -> None:
    """Not every browser lets Python wait for JavaScript."""
    without = "delete WebAssembly.Suspending; delete WebAssembly.promising;\n"

    def weaker(route: Any) -> None:
        body = without + route.fetch().text()
        route.fulfill(body=body, content_type="text/javascript")

    shown = opened(browser, address, "notebooks/02-record-a-calculation.ipynb", weaker)
    assert "run this cell again" in said(shown.run_all())
    assert "There is no picture" not in said(shown.run_all())


def said(shown: LitePage) -> str:
    return "\n".join(text for cell in shown.code_cells() for text in words(cell["outputs"]))
