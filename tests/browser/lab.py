"""A real JupyterLab in a real browser, behind a few words that the tests share.

``lab`` (a fixture) is the server and the browser. ``lab.open("06-the-seven-node-walk.ipynb")`` and
``lab.notebook(["1 + 1"])`` give a ``LabPage``; all but reading happens through the page, as a
person would do it.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import nbformat
from nbformat.notebooknode import NotebookNode
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Locator,
    Page,
    expect,
)

from engine.course import lab as course_lab
from engine.course.places import Places

WIDTH, HEIGHT = 1280, 900
PATIENCE = 120.0
# On a busy machine a page may take long: that is no mistake of the page.
expect.set_options(timeout=PATIENCE * 1000)
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
THEME_SETTINGS = Path("@jupyterlab/apputils-extension/themes.jupyterlab-settings")

# Words JupyterLab itself writes to the console as errors, with what they come from.
NOISE: tuple[tuple[str, str], ...] = (
    ("@jupyterlite/services", "the extra lite, whose extension looks for a page without a server"),
    (r"^Error \[.*/static/lab/", "the same in Firefox, which gives no words of an error"),
)


def wait_until(true: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Ask again and again until the answer is true, and return it."""
    deadline = time.monotonic() + seconds
    while True:
        answer = true()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        time.sleep(0.1)


def text_pixels(picture: Locator) -> float:
    """How large the texts of a plot are shown."""
    return float(
        picture.evaluate("""img => {
          const text = atob(img.src.split(",")[1]);
          const [, width, height] = /viewBox="0 0 ([0-9.]+) ([0-9.]+)"/.exec(text).map(Number);
          const sizes = [...text.matchAll(/font-size: ([0-9.]+)px/g)].map((found) => found[1]);
          const { width: w, height: h } = img.getBoundingClientRect();
          return Math.min(...sizes) * Math.min(w / width, h / height);
        }""")
    )


@dataclass
class LabPage:
    """One notebook, open in JupyterLab in a browser page of its own."""

    page: Page
    server: course_lab.Server
    path: str
    all_console_errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    # What went on behind the page.

    @property
    def console_errors(self) -> list[str]:
        """Errors on the console and uncaught errors of the page, without ``NOISE``."""
        self._catch_up()
        return [
            error
            for error in self.all_console_errors
            if not any(re.search(pattern, error) for pattern, _reason in NOISE)
        ]

    @property
    def foreign_requests(self) -> list[str]:
        """Addresses, asked by the page, that are not the server's."""
        self._catch_up()
        ours = urlsplit(self.server.url).netloc
        network = ("http", "https", "ws", "wss")
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme in network and urlsplit(url).netloc != ours
        ]

    def _catch_up(self) -> None:
        """Events arrive only while the page is asked something."""
        self.page.evaluate("() => 0")

    def _listen(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.all_console_errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location.get("url", "")
            self.all_console_errors.append(f"{message.text} [{where}]")

    # The server's side.

    def api(self, path: str, method: str = "GET", data: object = None) -> Any:
        """Ask the server; one HTTP 500 while it starts a kernel is forgiven."""
        for attempt in (1, 2):
            answer = self.page.request.fetch(
                f"{self.server.url}api/{path}",
                method=method,
                data=None if data is None else json.dumps(data),
                headers={"Authorization": f"token {self.server.token}"},
            )
            if answer.status != 500 or attempt == 2:
                break
            time.sleep(1)
        if not answer.ok:
            raise RuntimeError(f"{method} {path}: HTTP {answer.status} {answer.text()}")
        return answer.json() if answer.body() else None

    @property
    def kernel(self) -> dict[str, Any] | None:
        """What the server says of this notebook's kernel."""
        for session in self.api("sessions"):
            if session["path"] == self.path and session["kernel"]:
                kernel: dict[str, Any] = session["kernel"]
                return next((k for k in self.api("kernels") if k["id"] == kernel["id"]), None)
        return None

    def wait_for_kernel(self) -> None:
        """Wait until the page is connected to an idle kernel; the page says "Idle" too early."""

        def ready() -> bool:
            kernel = self.kernel
            return bool(
                kernel and kernel["connections"] > 0 and kernel["execution_state"] == "idle"
            )

        what = f"an idle kernel connected to {self.path}"
        try:
            wait_until(ready, what, PATIENCE / 2)
        except TimeoutError:
            self._begin_again()
            wait_until(ready, what)

    def _begin_again(self) -> None:
        """Give the notebook another kernel.

        Two kernels that start at the same moment on one machine can choose the same port; then
        one of them never answers. A restart would keep the port.
        """
        self._end_kernel()
        self.page.reload()
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        self.page.wait_for_function(_SHOWN, arg=self.path)
        self._without_splash()
        self.all_console_errors.clear()

    def _end_kernel(self) -> None:
        for session in self.api("sessions"):
            if session["path"] == self.path:
                self.api(f"sessions/{session['id']}", "DELETE")

    # What a person does.

    def run_all(self, allow_errors: bool = False) -> LabPage:
        """Press Run > Run All Cells, and wait until every code cell has run and the kernel idles.

        Raises AssertionError with the error's text when a cell fails, unless errors are allowed.
        """
        self.wait_for_kernel()
        self.page.evaluate(_COUNT_RUNS)
        wanted = len([cell for cell in self.cells() if cell["code"] and cell["source"].strip()])
        self.menu("Run", "Run All Cells")

        def done() -> bool:
            ran = self.page.evaluate("() => window.__runs.length")
            failed = self.page.evaluate("() => window.__errors.length")
            return bool(ran >= wanted or failed) and self._idle()

        wait_until(done, f"{wanted} code cells of {self.path} have run")
        errors = self.page.evaluate("() => window.__errors")
        if not allow_errors:
            assert not errors, f"{self.path} failed: {errors}"
            assert self.page.evaluate("() => window.__runs.length") == wanted
            wait_until(self._counted, f"every code cell of {self.path} has its count")
        return self

    def run_cell(self, number: int, keys: str = "Control+Enter") -> str:
        """Run one code cell by these keys, wait until all of it has arrived, and read its output.

        A view is in the page before the cell has its count, and before the kernel idles.
        """
        cell = self.code_cell(number)
        before = self._count(number)
        self.wait_for_kernel()
        cell.locator(".cm-content").click()
        self.page.keyboard.press(keys)
        what = f"code cell {number} of {self.path} has run"
        wait_until(lambda: self._count(number) not in (None, before) and self._idle(), what)
        output = cell.locator(".jp-OutputArea-output")
        return output.first.inner_text().strip() if output.count() else ""

    def _count(self, number: int) -> int | None:
        counts: list[int | None] = [cell["count"] for cell in self.cells() if cell["code"]]
        return counts[number]

    def _counted(self) -> bool:
        counts = [c["count"] for c in self.cells() if c["code"] and c["source"].strip()]
        return None not in counts

    def _idle(self) -> bool:
        idle = self.page.evaluate(f"() => {{ {_PANEL}; return panel && {_KERNEL_IDLE}; }}")
        kernel = self.kernel
        return bool(idle and kernel and kernel["execution_state"] == "idle")

    def cells(self) -> list[dict[str, Any]]:
        """Each cell: ``code`` (true or false), ``source``, ``count``."""
        cells: list[dict[str, Any]] = self.page.evaluate(f"() => {{ {_PANEL}; {_CELLS} }}")
        return cells

    def cell(self, number: int) -> Locator:
        """The cell at a place counted from 0, scrolled into view."""
        cell = self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"]')
        cell.scroll_into_view_if_needed()
        return cell

    def code_cell(self, number: int) -> Locator:
        """The code cell at a place counted from 0 among code cells, scrolled into view."""
        places = [place for place, cell in enumerate(self.cells()) if cell["code"]]
        return self.cell(places[number])

    def menu(self, *path: str) -> None:
        """Choose an entry of the menu bar: ``menu("Kernel", "Shut Down Kernel")``."""
        self.page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{path[0]}$")).click()
        for name in path[1:]:
            label = re.compile(f"^{re.escape(name)}(…|\\.\\.\\.)?$")
            self.page.locator(
                ".lm-Menu-item:visible", has=self.page.locator(".lm-Menu-itemLabel", has_text=label)
            ).last.click()

    def command(self, name: str, **arguments: Any) -> None:
        """Run one of JupyterLab's commands, for what has no short way through the page."""
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args)", [name, arguments]
        )

    def theme(self, name: str) -> LabPage:
        """Show this page in the "light" or in the "dark" theme."""
        self.command("apputils:change-theme", theme=THEMES[name])
        light = "true" if name == "light" else "false"
        self.page.wait_for_selector(f'body[data-jp-theme-light="{light}"]', state="attached")
        return self._without_splash()

    def _without_splash(self) -> LabPage:
        """Wait until JupyterLab's moons no longer cover the page."""
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")
        return self

    def zoom(self, factor: float) -> LabPage:
        """Zoom as a browser does: fewer CSS pixels, each made of more pixels of the screen."""
        size = {"width": round(WIDTH / factor), "height": round(HEIGHT / factor)}
        self.page.set_viewport_size(size)
        self.devtools.send(
            "Emulation.setDeviceMetricsOverride",
            {**size, "deviceScaleFactor": factor, "mobile": False},
        )
        self.page.wait_for_function(
            "([width, factor]) => innerWidth === width && devicePixelRatio === factor",
            arg=[size["width"], factor],
        )
        return self

    @property
    def chromium(self) -> bool:
        browser = self.page.context.browser
        return browser is not None and browser.browser_type.name == "chromium"

    @cached_property
    def devtools(self) -> CDPSession:
        """Chromium's own protocol, for what Playwright has no word for."""
        return self.page.context.new_cdp_session(self.page)

    def shutdown_kernel(self) -> LabPage:
        """End the notebook's kernel through the menu, and wait until it is gone."""
        self.menu("Kernel", "Shut Down Kernel")
        wait_until(lambda: self.kernel is None, "the kernel is gone")
        return self

    def screenshot(self, path: Path | str) -> Path:
        """A picture of the page as it is; Playwright's own would end a zoom in Chromium."""
        if not self.chromium:
            self.page.screenshot(path=path)
            return Path(path)
        picture = self.devtools.send("Page.captureScreenshot", {"format": "png"})
        Path(path).write_bytes(b64decode(picture["data"]))
        return Path(path)

    def close(self) -> None:
        """Close the page and its context, and end its kernel on the server."""
        try:
            self._end_kernel()
        finally:
            self.page.context.close()


_PANEL = "const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget"
_KERNEL_IDLE = "panel.sessionContext.session?.kernel?.status === 'idle'"
_SHOWN = f"""path => {{
  {_PANEL};
  return !window.jupyterapp || (panel?.context?.path === path && panel.context.isReady);
}}"""
_CELLS = """
return Array.from(panel.content.model.cells, cell => ({
  code: cell.type === 'code',
  source: cell.sharedModel.getSource(),
  count: cell.type === 'code' ? cell.executionCount : null,
}));
"""
# Stored notebooks carry execution counts already: what tells a run is the kernel's own messages.
_COUNT_RUNS = f"""() => {{
  {_PANEL};
  window.__runs = [];
  window.__errors = [];
  panel.sessionContext.iopubMessage.connect((_, message) => {{
    if (message.header.msg_type === 'execute_input') window.__runs.push(message.content.code);
    if (message.header.msg_type === 'error')
      window.__errors.push(message.content.ename + ': ' + message.content.evalue);
  }});
}}"""


@dataclass
class Lab:
    """A JupyterLab server on a copy of the course, and a browser to open it with."""

    places: Places
    source: Path
    browser: Browser
    running: course_lab.Running
    pages: list[LabPage] = field(default_factory=list)
    opened: int = 0

    @property
    def server(self) -> course_lab.Server:
        return self.running.server

    def theme(self, name: str) -> Lab:
        """The theme of the pages opened from now on: "light" or "dark"."""
        self._theme_settings.parent.mkdir(parents=True, exist_ok=True)
        self._theme_settings.write_text(json.dumps({"theme": THEMES[name]}))
        return self

    @property
    def _theme_settings(self) -> Path:
        return self.places.jupyter / "settings" / THEME_SETTINGS

    def open(self, notebook: str, folder: str = "notebooks") -> LabPage:
        """Open a notebook of the course, fresh as it is stored, and wait until it is shown."""
        path = f"{folder}/{notebook}"
        shutil.copyfile(self.source / path, self.places.work / path)
        course_lab.trust(self.places, [path])
        return self._open(path)

    def notebook(self, cells: Sequence[str | NotebookNode], name: str = "ad-hoc.ipynb") -> LabPage:
        """Write a notebook into the server's root, and open it; a plain string is a code cell."""
        new_code = nbformat.v4.new_code_cell
        made = [new_code(cell) if isinstance(cell, str) else cell for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=made)
        notebook.metadata["kernelspec"] = {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        }
        nbformat.write(notebook, self.places.work / name)
        return self._open(name)

    def open_again(self, path: str) -> LabPage:
        """Open a notebook as it was saved, by its path below the server's root."""
        return self._open(path)

    def _open(self, path: str) -> LabPage:
        self.opened += 1
        workspace = f"lab/workspaces/page-{self.opened}/tree/{quote(path)}"
        return self.visit(f"{self.server.url}{workspace}?token={self.server.token}", path)

    def visit(self, address: str, path: str, server: course_lab.Server | None = None) -> LabPage:
        """Go to an address in a context of its own, and wait until the notebook is shown."""
        context: BrowserContext = self.browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT},
            # What moves is looked at by a test of its own; all others see where it ends.
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE * 1000)
        shown = LabPage(context.new_page(), server or self.server, path)
        shown._listen()
        self.pages.append(shown)
        shown.page.goto(address)
        shown.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        shown.page.wait_for_function(_SHOWN, arg=path)
        return shown._without_splash()

    def close_pages(self) -> None:
        """Close every page and end its kernel; the theme is light again."""
        while self.pages:
            self.pages.pop().close()
        self._theme_settings.unlink(missing_ok=True)


def copy_course(root: Path, into: Path) -> Places:
    """Copy what the learner gets of a checkout."""
    for folder in ("notebooks", "exercises"):
        if (root / folder).is_dir():
            ignore = shutil.ignore_patterns(".*")
            shutil.copytree(root / folder, into / folder, ignore=ignore)
    return Places(into)


def start_lab(browser: Browser, root: Path, folder: Path) -> Lab:
    """Copy the course into a folder, and serve it by the course's own code."""
    places = copy_course(root, folder)
    course_lab.prepare(places)
    running = course_lab.launch(places, extra=["--LabApp.expose_app_in_browser=True"])
    return Lab(places, root, browser, running)


__all__ = ["Lab", "LabPage", "start_lab", "wait_until"]
