"""JupyterHub on this machine: every student a user of their own, reached from here alone."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.rehearsal.image import Image
from tests.rehearsal.repository import LOCALHOST, free_port
from tests.rehearsal.users import User

PASSWORD = "rehearsal"
PROXY = "configurable-http-proxy"
START_SECONDS = 120

CONFIG = """
c = get_config()
c.JupyterHub.bind_url = "http://{host}:{port}"
c.JupyterHub.hub_bind_url = "http://{host}:{hub_port}"
c.JupyterHub.db_url = "sqlite:///{base}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{base}/cookie-secret"
c.ConfigurableHTTPProxy.api_url = "http://{host}:{proxy_port}"
c.ConfigurableHTTPProxy.command = ["{proxy}"]
c.ConfigurableHTTPProxy.pid_file = "{base}/proxy.pid"
c.ConfigurableHTTPProxy.auth_token = "{token}"
# Whoever knows the password of the rehearsal is who they say.
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "{password}"
c.Authenticator.allowed_users = set({names})
# The spawner that JupyterHub brings: the server of a student runs as the user of that name.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = ["{programs}/jupyterhub-singleuser"]
c.Spawner.default_url = "/lab"
c.Spawner.env_keep = []
c.Spawner.environment = {environment}
# A socket's path may have 107 characters; the usual folder is deeper than that here.
def runtime_folder(spawner):
    return "{homes}/" + spawner.user.name + "/.run"

c.Spawner.environment["JUPYTER_RUNTIME_DIR"] = runtime_folder
# A whole class at once on a small machine takes longer than a student alone.
c.Spawner.start_timeout = 600
c.Spawner.http_timeout = 600
c.JupyterHub.concurrent_spawn_limit = {students}
"""


@dataclass(frozen=True)
class Hub:
    """A JupyterHub that answers.

    Attributes:
        url: its address, ending with a slash.
        environ: the variables of a student's server.
    """

    url: str
    environ: dict[str, str]


def install_proxy(folder: Path) -> Path:
    """Get JupyterHub's proxy from npm, once.

    Args:
        folder: where to.

    Returns:
        The program.
    """
    program = folder / "node_modules" / ".bin" / PROXY
    if not program.exists():
        subprocess.run(
            ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder, PROXY],
            check=True,
            capture_output=True,
        )
    return program


@contextlib.contextmanager
def running(
    image: Image, proxy: Path, students: Sequence[User], settings: Path, base: Path
) -> Iterator[Hub]:
    """Run a hub until the block ends.

    Args:
        image: what its students work in.
        proxy: the program from `install_proxy`.
        students: who may come.
        settings: a folder of Jupyter's configuration, for all of them.
        base: a folder that only the hub can enter.
    """
    base.mkdir(mode=0o700)
    port, hub_port, proxy_port = free_port(), free_port(), free_port()
    environ = {"PATH": image.environ["PATH"], "JUPYTER_CONFIG_PATH": str(settings)}
    environ |= {"LANG": "C.UTF-8"}
    config = base / "jupyterhub_config.py"
    config.write_text(
        CONFIG.format(
            host=LOCALHOST,
            port=port,
            hub_port=hub_port,
            proxy_port=proxy_port,
            proxy=proxy,
            token=os.urandom(16).hex(),
            password=PASSWORD,
            names=[student.name for student in students],
            programs=image.programs,
            environment=environ,
            students=len(students),
            base=base,
            homes=students[0].home.parent,
        ),
        "utf-8",
    )
    command = [str(image.programs / "jupyterhub"), f"--config={config}"]
    hub = Hub(f"http://{LOCALHOST}:{port}/", environ)
    with (base / "hub.log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=base,
            env=environ,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait(hub, process, base / "hub.log")
            yield hub
        finally:
            # It ends the students' servers and the proxy.
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(hub: Hub, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(f"{hub.url}hub/api/", timeout=5) as answer:
                json.load(answer)
                return
        except (urllib.error.URLError, OSError, ValueError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterHub does not answer:\n{log.read_text('utf-8')[-3000:]}")
