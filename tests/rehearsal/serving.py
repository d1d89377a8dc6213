"""A JupyterLab of the image, started as a visit to Binder starts it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.rehearsal.image import Image

START_SECONDS = 120


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab of the image.

    Attributes:
        url: its address, ending with a slash.
        token: what it asks for.
    """

    url: str
    token: str

    def get(self, path: str) -> Any:
        """Return the JSON that the server answers with."""
        asked = urllib.request.Request(
            self.url + path, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)


@contextlib.contextmanager
def serving(image: Image, runtime: Path, *arguments: str) -> Iterator[Lab]:
    """Start the JupyterLab of the image, and end it with the block.

    Args:
        image: from `image.build`.
        runtime: an empty folder for its log and its runtime files.
        arguments: more for the command line.
    """
    command = ["jupyter", "lab", "--no-browser", "--allow-root", "--ServerApp.port_retries=50"]
    environ = image.environ | {"JUPYTER_RUNTIME_DIR": str(runtime)}
    program = str(image.programs / command[0])
    with (runtime / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [program, *command[1:], *arguments],
            cwd=image.tree,
            env=environ,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield _wait(server, runtime)
        finally:
            server.terminate()
            server.wait(timeout=60)


def _wait(server: subprocess.Popen[bytes], runtime: Path) -> Lab:
    """Wait until a server answers, and return its address."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert server.poll() is None, (runtime / "log.txt").read_text("utf-8")
        for path in runtime.glob("jpserver-*.json"):
            facts = json.loads(path.read_text("utf-8"))
            found = Lab(facts["url"], facts["token"])
            try:
                found.get("api/status")
            except OSError:
                break
            return found
        time.sleep(0.2)
    raise AssertionError((runtime / "log.txt").read_text("utf-8"))
