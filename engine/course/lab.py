"""Start JupyterLab on the learner's copy, quietly and apart from the person's own Jupyter."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlencode

from engine.course import atomic, copies
from engine.course.places import CHAPTERS, CourseError, Places

DEFAULT_PORT = 8888
START_SECONDS = 180
STOP_SECONDS = 20
TOLD = 5  # files that are named one by one
NOTIFICATIONS = Path("@jupyterlab/apputils-extension/notification.jupyterlab-settings")
WIDGETS = Path("@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings")
# Without its saved state a view in a notebook opened again is only an error message.
SETTINGS = {
    NOTIFICATIONS: {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    WIDGETS: {"saveState": True},
}
PAGE = Path("labconfig/page_config.json")
# Nothing here is built from source, and to look at each start whether it should be takes a second.
NO_BUILD = {"buildAvailable": False, "buildCheck": False}


@dataclass(frozen=True)
class Server:
    """A JupyterLab server that answers.

    Args:
        url: its address, ending with a slash.
        token: what a browser must show to be let in.
    """

    url: str
    token: str

    def address(self, notebook: str | None = None) -> str:
        """The address of JupyterLab, or of one notebook in it, with the token.

        Args:
            notebook: a path below ``work/``.

        >>> Server("http://localhost:8888/", "secret").address("notebooks/00 é.ipynb")
        'http://localhost:8888/lab/tree/notebooks/00%20%C3%A9.ipynb?token=secret'
        """
        page = "lab" if notebook is None else f"lab/tree/{quote(notebook)}"
        return f"{self.url}{page}?{urlencode({'token': self.token})}"


@dataclass(frozen=True)
class Running:
    """A server and the process we started for it."""

    server: Server
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End the server, and with it its kernels."""
        _end_process(self.process)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and end it when it does not."""
    process.terminate()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def first_chapter(places: Places) -> str:
    """The path of the first chapter below ``work/``.

    Args:
        places: the folders of the checkout.
    """
    names = sorted(path.name for path in places.chapters.glob("*.ipynb"))
    return f"{CHAPTERS}/{names[0]}"


def environment(places: Places, token: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of the server: the person's, with every Jupyter folder of our own.

    A password, a kernel called "python3" or a start-up script in the person's home would otherwise
    get in the way, and our settings would end up among theirs. The programs beside this Python come
    first, so that ``course`` is found in a terminal of JupyterLab.

    Args:
        places: the folders of the checkout.
        token: the server's token; in the environment no other user of the machine can read it.
        inherited: the environment to start from.

    >>> theirs = {"HOME": "me", "JUPYTER_PATH": "theirs"}
    >>> env = environment(Places(Path("course")), "secret", theirs)
    >>> env["HOME"], env["JUPYTER_TOKEN"], "JUPYTER_PATH" in env
    ('me', 'secret', False)
    """
    ours = {name: value for name, value in inherited.items() if not name.startswith("JUPYTER")}
    ours |= {variable: str(folder) for variable, folder in _folders(places).items()}
    ours |= {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_TOKEN": token}
    # Not resolved: the Python of an environment is a link that leads out of it.
    programs = str(Path(sys.executable).parent)
    ours["PATH"] = os.pathsep.join([programs, inherited.get("PATH", os.defpath)])
    return ours


def _folders(places: Places) -> dict[str, Path]:
    base = places.jupyter
    return {
        "JUPYTER_CONFIG_DIR": base / "config",
        "JUPYTER_DATA_DIR": base / "data",
        "JUPYTER_RUNTIME_DIR": base / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": base / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": base / "workspaces",
        "IPYTHONDIR": base / "ipython",
    }


def command(places: Places, port: int = DEFAULT_PORT, extra: Sequence[str] = ()) -> list[str]:
    """The command that starts the server; a taken port makes it try others.

    Args:
        places: the folders of the checkout.
        port: the port to try first.
        extra: further arguments for JupyterLab.

    >>> command(Places(Path("course")), 8890)[1:3]
    ['-m', 'jupyterlab']
    """
    arguments = [
        sys.executable,
        *("-m", "jupyterlab"),
        "--ServerApp.ip=localhost",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={places.work}",
        "--ServerApp.open_browser=False",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        *_shell(os.environ),
    ]
    if _is_root():
        arguments.append("--ServerApp.allow_root=True")
    return [*arguments, *extra]


def _shell(variables: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """What makes the shell of JupyterLab's terminals the person's, as it is in their own terminal.

    Without it JupyterLab asks for a login shell, which forgets the ``PATH`` it was started with.
    """
    if platform == "win32":
        return []
    settings = {"shell_command": [variables.get("SHELL") or "sh"]}
    return [f"--ServerApp.terminado_settings={json.dumps(settings)}"]


def _is_root() -> bool:
    """A container's only user is often root, and Jupyter asks for a word about that."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def seed_settings(places: Places) -> None:
    """Silence JupyterLab's news, save views with a notebook; what the learner has set stays.

    Args:
        places: the folders of the checkout.
    """
    folders = _folders(places)
    files = {folders["JUPYTERLAB_SETTINGS_DIR"] / name: said for name, said in SETTINGS.items()}
    for file, said in {**files, folders["JUPYTER_CONFIG_DIR"] / PAGE: NO_BUILD}.items():
        atomic.write_new(file, json.dumps(said, indent=4).encode())


def trust(places: Places, names: Iterable[str]) -> None:
    """Sign notebooks that are as the course gave them, so that their stored pictures are shown.

    What a learner changed in JupyterLab is signed by JupyterLab when it is saved.

    Args:
        places: the folders of the checkout.
        names: paths below ``work/``.
    """
    from nbformat.sign import NotebookNotary

    from engine.course import notebook_files

    data = _folders(places)["JUPYTER_DATA_DIR"]
    data.mkdir(parents=True, exist_ok=True)
    notary = NotebookNotary(data_dir=str(data))
    try:
        for name in names:
            if name.endswith(".ipynb"):
                notary.sign(notebook_files.read(places.work / name))
    finally:
        notary.store.close()


def equip(places: Places, report: copies.Report) -> None:
    """Settings for JupyterLab, and trust in what the course gave.

    Args:
        places: the folders of the checkout.
        report: what the refresh of the copy did.

    Raises:
        OSError, sqlite3.Error: Jupyter's folders cannot be written to.
    """
    seed_settings(places)
    trust(places, report.untouched)


def prepare(places: Places, may_be_open: bool = False) -> copies.Report:
    """Everything that comes before the start: the copy, the settings, the trust.

    Args:
        places: the folders of the checkout.
        may_be_open: whether somebody may have the files of the copy open.

    Raises:
        CourseError: ``work/`` cannot be written to.
    """
    report = copies.refresh(places, may_be_open)
    equip(places, report)
    return report


@contextlib.contextmanager
def equipped(places: Places, report: copies.Report) -> Iterator[Places]:
    """Prepare Jupyter's folders: in the copy or, where that cannot be written to, for the moment.

    Args:
        places: the folders of the checkout.
        report: what the refresh of the copy did.

    Yields:
        The places to start JupyterLab with.
    """
    try:
        equip(places, report)
    except (OSError, sqlite3.Error) as error:
        if places.jupyter.exists() and not places.jupyter.is_dir():
            raise
        print(
            f"Nothing can be written in {places.work}: {error}. You can look at everything and run "
            "it, but what you change will not be saved there. Check that this folder is yours and "
            "that the disk is not full.",
            flush=True,
        )
    else:
        yield places
        return
    with tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as folder:
        other = replace(places, elsewhere=Path(folder))
        equip(other, report)
        yield other


def running_server(places: Places) -> Server | None:
    """The server that already serves this learner's copy, if one answers.

    Args:
        places: the folders of the checkout.
    """
    for details in _runtime_files(places):
        server = Server(details["url"], details["token"])
        if _same_folder(details["root_dir"], places.work) and _answers(server):
            return server
    return None


def _runtime_files(places: Places) -> Iterator[dict[str, str]]:
    for file in _folders(places)["JUPYTER_RUNTIME_DIR"].glob("jpserver-*.json"):
        with contextlib.suppress(OSError, ValueError, RecursionError):
            details = json.loads(file.read_text(encoding="utf-8"))
            names = ("url", "token", "root_dir")
            if isinstance(details, dict) and all(isinstance(details.get(n), str) for n in names):
                yield details


def _same_folder(one: str, other: Path) -> bool:
    try:
        return Path(one).resolve() == other.resolve()
    except (OSError, ValueError):
        return False


def _answers(server: Server) -> bool:
    # A proxy of the person's must not stand between this machine and itself.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        request = urllib.request.Request(
            f"{server.url}api/status", headers={"Authorization": f"token {server.token}"}
        )
        with opener.open(request, timeout=10) as answer:
            status = json.load(answer)
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
        return False  # nobody is there, or something else has the port by now
    return isinstance(status, dict) and "kernels" in status


def launch(places: Places, port: int = DEFAULT_PORT, extra: Sequence[str] = ()) -> Running:
    """Start a server on the prepared copy, and wait until it answers.

    Args:
        places: the folders of the checkout.
        port: the port to try first.
        extra: further arguments for JupyterLab.

    Raises:
        CourseError: the server ended, or did not answer in time.
    """
    token = secrets.token_hex(24)
    log = places.jupyter / "lab.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(places, port, extra),
            cwd=places.work,
            env=environment(places, token, os.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        return Running(_wait(places, process, token), process)
    except BaseException:
        _end_process(process)
        raise


def _wait(places: Places, process: subprocess.Popen[bytes], token: str) -> Server:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise CourseError(_failed("JupyterLab ended while it was starting.", places))
        for details in _runtime_files(places):
            server = Server(details["url"], token)
            if details["token"] == token and _answers(server):
                return server
        time.sleep(0.1)
    raise CourseError(_failed(f"JupyterLab did not answer within {START_SECONDS} s.", places))


def _failed(what: str, places: Places) -> str:
    log = places.jupyter / "lab.log"
    last = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    return f"{what} Run `course doctor` to see what is missing. Its last words, from {log}:\n{last}"


def has_browser(variables: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Tell whether a browser with windows can be opened from here.

    Without a display Python would offer a browser for the terminal, which cannot show JupyterLab.

    Args:
        variables: the environment.
        platform: as ``sys.platform`` names it.

    >>> has_browser({}, "linux")
    False
    """
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if platform not in ("darwin", "win32") and not any(variables.get(name) for name in displays):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def show(address: str, browser: bool) -> None:
    """Open the address in a browser, and print it in any case.

    Args:
        address: the address with the token.
        browser: False when the person asked for none.
    """
    if not browser:
        print(f"Open this address in a browser:\n\n    {address}\n", flush=True)
    elif has_browser(os.environ) and webbrowser.open(address):
        print(f"JupyterLab opens in your browser. Its address:\n\n    {address}\n", flush=True)
    else:
        print(f"No browser was found. Open this address in one:\n\n    {address}\n", flush=True)


def run(places: Places, port: int = DEFAULT_PORT, browser: bool = True) -> int:
    """The command ``course lab``.

    Args:
        places: the folders of the checkout.
        port: the port to try first.
        browser: open one, or only print the address.

    Returns:
        The exit code.

    Raises:
        CourseError: something a person can mend.
    """
    print(f"Looking at your copy in {places.work} ...", flush=True)
    with contextlib.ExitStack() as alone:
        # Of two that are started at once, the second one waits, and then finds the first one.
        alone.enter_context(atomic.locked(places.memory / "start.lock"))
        already = running_server(places)
        report = copies.refresh(places, may_be_open=already is not None)
        for sentence in _told(report, places):
            print(sentence, flush=True)
        chapter = first_chapter(places)
        if already is not None:
            print("JupyterLab is running on your copy already.")
            if report.copied or report.newer:
                print("Reload its page in the browser to see the new files.")
            show(already.address(chapter), browser)
            return 0
        signal.signal(signal.SIGTERM, _end)
        try:
            with equipped(places, report) as ready:
                return _serve(ready, port, chapter, browser, alone.close)
        except KeyboardInterrupt:
            print("\nJupyterLab has stopped.", flush=True)
            return 0


def _end(_signal: int, _frame: object) -> None:
    """A polite end of this process ends the server too, as Ctrl+C does."""
    raise KeyboardInterrupt


def _serve(
    places: Places, port: int, chapter: str, browser: bool, started: Callable[[], None]
) -> int:
    print("Starting JupyterLab ...", flush=True)
    running = launch(places, port)
    started()
    try:
        show(running.server.address(chapter), browser)
        print("Leave this window open while you work. Stop with Ctrl+C.", flush=True)
        return running.process.wait()
    finally:
        running.stop()


def _told(report: copies.Report, places: Places) -> list[str]:
    sentences = list(report.notes)
    if report.replaced:
        sentences.append(
            f"{_files(report.replaced)} that you had not changed: now as in the newest version of "
            f"the course ({_some(report.replaced)})."
        )
    if report.waiting:
        sentences.append(
            f"{_files(report.waiting)} that you have not changed: the course has newer ones "
            f"({_some(report.waiting)}). They may be open in the browser, so they are as they "
            "were. Stop JupyterLab with Ctrl+C in its window, and run `course` again."
        )
    if report.copied:
        were = "was" if len(report.copied) == 1 else "were"
        sentences.append(
            f"{_files(report.copied)} {were} copied to {places.work}. That copy is yours to change."
        )
    return sentences


def _files(names: Sequence[str]) -> str:
    return "1 file" if len(names) == 1 else f"{len(names)} files"


def _some(names: Sequence[str]) -> str:
    more = f", and {len(names) - TOLD} more" if len(names) > TOLD else ""
    return f"{', '.join(names[:TOLD])}{more}"
