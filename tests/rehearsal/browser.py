"""The first drawing in a real browser: from the address of a page to a picture just computed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from engine.course.lab import Server
from tests.browser.engines import find_browser, start_browser
from tests.browser.lab import HEIGHT, WIDTH, LabPage
from tests.rehearsal.hub import PASSWORD

# A whole class at once on a small machine takes longer than a person alone.
PATIENCE = 900_000.0
# The second animation frame after the message begins when what it brought is painted.
_WATCH = """kinds => {
  const panel = window.jupyterapp.shell.currentWidget;
  window.__drawn = new Promise(resolve => {
    panel.sessionContext.iopubMessage.connect((_, message) => {
      const data = message.content.data || {};
      if (!kinds.some(kind => kind in data)) return;
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(Date.now())));
    });
  });
}"""
_SHOWN = """path => {
  const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget;
  return panel && panel.context && panel.context.path === path && panel.context.isReady;
}"""
ROOT = Path(__file__).parents[2]
PICTURES = ["image/svg+xml", "application/vnd.jupyter.widget-view+json"]


@dataclass(frozen=True)
class Seen:
    """What a person waited for, in seconds from when they opened the address.

    Attributes:
        stored: until the notebook is shown, with its stored pictures.
        drawn: until the first drawing that was computed anew.
    """

    stored: float
    drawn: float


@contextmanager
def browser() -> Iterator[Browser]:
    """The machine's browser, with an empty profile."""
    path = find_browser()
    if path is None:
        raise RuntimeError("no Chromium or Chrome on the PATH: install one, or use --browsers 0")
    with sync_playwright() as playwright:
        started = start_browser(playwright, path)
        try:
            yield started
        finally:
            started.close()


def first_drawing(page: Page, server: Server, path: str, start: float, save: bool) -> Seen:
    """Wait for a notebook, run all its cells as a person would, and look for the first drawing.

    Args:
        page: on its way to the notebook.
        server: of the notebook, with a token.
        path: of the notebook on that server.
        start: when the address was opened, as `time.time` says it.
        save: the notebook, at the end.
    """
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=PATIENCE)
    page.wait_for_function(_SHOWN, arg=path, timeout=PATIENCE)
    page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=PATIENCE)
    stored = time.time() - start
    page.evaluate(_WATCH, PICTURES)
    shown = LabPage(page, server, path)
    shown.run_all()
    drawn = page.evaluate("() => window.__drawn") / 1000 - start
    if save:
        shown.command("docmanager:save")
    return Seen(stored, drawn)


def follow_link(name: str, token: str, link: str, server: str, path: str) -> Seen:
    """Follow a class's link as a student without a server does: log in, wait, pull, run.

    Args:
        name: of the student.
        token: of the student, to ask the server with.
        link: what the instructor gave.
        server: the address of the student's server.
        path: of the notebook.
    """
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(PATIENCE)
        page.goto(link)
        page.fill("#username_input", name)
        page.fill("#password_input", PASSWORD)
        start = time.time()
        page.click("#login_submit")
        return first_drawing(page, Server(server, token), path, start, save=True)


async def follow_link_apart(name: str, token: str, link: str, server: str, path: str) -> Seen:
    """Do the same in a process of its own, which ends with us, whatever happens.

    Args:
        name: as for `follow_link`.
        token: likewise.
        link: likewise.
        server: likewise.
        path: likewise.

    Raises:
        RuntimeError: it did not come to the end.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.rehearsal.browser"),
        cwd=ROOT,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
    )
    try:
        request = json.dumps([name, token, link, server, path])
        told, said = await process.communicate(request.encode())
        if process.returncode != 0:
            raise RuntimeError(f"the browser of {name}: {said.decode()[-2000:]}")
        return Seen(**json.loads(told))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    print(json.dumps(asdict(follow_link(*json.load(sys.stdin)))))
