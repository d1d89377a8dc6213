"""A page and a deck in WebKitGTK, by the few words of WebDriver that this needs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from engines import missing
from lab import wait_until

PROGRAMS = ("WebKitWebDriver", "Xvfb")
KEYS = {"End": "\ue010", "Home": "\ue011", "PageUp": "\ue00e", "PageDown": "\ue00f"}
LIVE = ".live > .rw-view"
VIEW = "[...document.querySelectorAll('[data-view=walk] .rw-view')].at(-1)"


class WebKit:
    """One window, through the driver that listens on a port."""

    def __init__(self, port: int) -> None:
        self.session = f"http://127.0.0.1:{port}/session"
        answer = self.ask("POST", "", {"capabilities": {}})
        self.session += f"/{answer['sessionId']}"

    def ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self.session}{path}", data, method=method), timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, file: Path, size: tuple[int, int]) -> None:
        self.ask("POST", "/window/rect", {"width": size[0], "height": size[1]})
        self.ask("POST", "/url", {"url": file.as_uri()})

    def run(self, script: str) -> Any:
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def press(self, *keys: str) -> None:
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.ask("POST", "/actions", {"actions": [keyboard]})

    def shows(self, part: str, text: str) -> None:
        told = f"return {VIEW}.querySelector('{part}').textContent"
        wait_until(lambda: text in self.run(told), f"{part} says {text}", 20)


@pytest.fixture(scope="module")
def webkit() -> Iterator[WebKit]:
    for program in PROGRAMS:
        if shutil.which(program) is None:
            missing(f"no {program}")
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(screen, stdout=subprocess.PIPE, stderr=quiet, text=True) as server:
        display = server.stdout.readline().strip() if server.stdout else ""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = ["WebKitWebDriver", f"--port={port}"]
        environment = {**os.environ, "DISPLAY": f":{display}"}
        with subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet) as driver:
            try:
                window = wait_until(lambda: opened(port), "WebKit's driver answers")
                yield window
                window.ask("DELETE", "")
            finally:
                driver.terminate()
                server.terminate()


def opened(port: int) -> WebKit | None:
    try:
        return WebKit(port)
    except URLError:
        return None


def test_a_page_steps(webkit: WebKit, site: Path) -> None:
    webkit.open(site / "notebooks" / "06-the-seven-node-walk.html", (1280, 800))
    live = "document.querySelectorAll('.live').length"
    assert webkit.run(f"return {live} > 0 && {live} === document.querySelectorAll('{LIVE}').length")
    webkit.run(f"{VIEW}.focus()")
    webkit.press("End", "PageUp")
    webkit.shows(".rw-place", "6 / 7")
    webkit.shows(".rw-story", "Step 6 of 7")
    assert webkit.run("return document.documentElement.scrollWidth <= innerWidth")


def test_a_deck_steps(webkit: WebKit, decks: Path) -> None:
    webkit.open(decks / "06-the-seven-node-walk.html", (1280, 720))
    wait_until(lambda: webkit.run("return window.Reveal && Reveal.isReady()"), "the deck is ready")
    webkit.press("PageDown", "PageDown", "PageUp")
    assert webkit.run("return Reveal.getSlidePastCount()") == 1
    webkit.run(
        f"const {{ h, v }} = Reveal.getIndices({VIEW}.closest('section')); Reveal.slide(h, v, 99);"
    )
    webkit.press("v", "Home", "PageDown", "PageDown")
    webkit.shows(".rw-place", "2 / 7")
