"""What comes before JupyterLab starts: its environment, settings, trust and browser."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import nbformat
import pytest
import websocket
from nbformat.sign import NotebookNotary

from engine.course import lab
from engine.course.__main__ import main, parser, with_default
from engine.course.places import CourseError, Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "a cöurse")
    made.chapters.mkdir(parents=True)
    for name in ("06-walk", "00-start"):
        cell = nbformat.v4.new_code_cell("1", execution_count=1)
        cell.outputs = [nbformat.v4.new_output("display_data", data={"text/html": "<b>1</b>"})]
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), made.chapters / f"{name}.ipynb")
    return made


def trusted(places: Places, name: str) -> bool:
    notary = NotebookNotary(data_dir=str(places.jupyter / "data"))
    try:
        notebook = nbformat.read(places.work / name, as_version=4)
        return bool(notary.check_signature(notebook))
    finally:
        notary.store.close()


def test_the_first_chapter_is_the_lowest_number(places: Places) -> None:
    assert lab.first_chapter(places) == "notebooks/00-start.ipynb"


def test_every_folder_of_jupyters_is_ours(places: Places) -> None:
    theirs = {
        "JUPYTER_PATH": "x",
        "JUPYTER_CONFIG_PATH": "x",
        "JUPYTER_CONFIG_DIR": "x",
        "PATH": "p",
    }
    env = lab.environment(places, "secret", theirs)
    folders = {name: Path(value) for name, value in env.items() if name.endswith("DIR")}
    assert len(folders) == 6
    assert all(places.jupyter in folder.parents for folder in folders.values())
    assert "x" not in env.values()
    assert env["JUPYTER_PREFER_ENV_PATH"] == "1"


def test_the_programs_of_this_environment_come_first(places: Places) -> None:
    programs = str(Path(sys.executable).parent)
    for theirs in ({"PATH": "theirs"}, {}):
        first, *others = lab.environment(places, "secret", theirs)["PATH"].split(os.pathsep)
        assert first == programs
        assert others == (["theirs"] if theirs else os.defpath.split(os.pathsep))


def test_course_is_found_in_a_terminal_of_jupyterlab(places: Places) -> None:
    """Not only in its environment: a login shell would forget the path."""
    lab.prepare(places)
    running = lab.launch(places)
    try:
        said = in_a_terminal(running.server, "command -v course; echo e''nd")
    finally:
        running.stop()
    assert str(Path(sys.executable).with_name("course")) in said


def in_a_terminal(server: lab.Server, line: str) -> str:
    """What a terminal shows up to the word "end" when a line is typed there."""
    key = {"Authorization": f"token {server.token}"}
    made = urllib.request.Request(f"{server.url}api/terminals", b"", key)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(made) as answer:
        name = json.load(answer)["name"]
    address = f"{server.url}terminals/websocket/{name}".replace("http", "ws", 1)
    terminal = websocket.create_connection(
        address, timeout=60, header=key, http_no_proxy=["*"], suppress_origin=True
    )
    said = ""
    try:
        terminal.send(json.dumps(["stdin", f"{line}\r"]))
        while "end" not in said:
            kind, *text = json.loads(terminal.recv())
            said += "".join(text) if kind == "stdout" else ""
    finally:
        terminal.close()
    return said


def test_the_token_is_not_in_the_command(places: Places) -> None:
    assert lab.environment(places, "secret", {})["JUPYTER_TOKEN"] == "secret"
    assert not [word for word in lab.command(places) if word.lower().startswith("--identity")]
    assert "secret" not in lab.command(places)


def test_the_command_serves_the_copy_with_this_python(places: Places) -> None:
    command = lab.command(places, 9999, ["--more"])
    assert command[0] == sys.executable
    assert f"--ServerApp.root_dir={places.work}" in command
    assert "--ServerApp.port=9999" in command
    assert command[-1] == "--more"


@pytest.mark.parametrize("name", lab.SETTINGS)
def test_settings_are_seeded_once_and_never_over_the_learners(places: Places, name: Path) -> None:
    file = places.jupyter / "settings" / name
    lab.seed_settings(places)
    assert json.loads(file.read_text()) == lab.SETTINGS[name]
    file.write_text('{"theirs": true}')
    lab.seed_settings(places)
    assert file.read_text() == '{"theirs": true}'


def test_the_page_is_told_once_that_nothing_is_to_be_built(places: Places) -> None:
    file = places.jupyter / "config" / lab.PAGE
    lab.seed_settings(places)
    assert json.loads(file.read_text()) == lab.NO_BUILD
    file.write_text('{"theirs": true}')
    lab.seed_settings(places)
    assert file.read_text() == '{"theirs": true}'


@pytest.mark.parametrize("name", lab.SETTINGS)
def test_settings_have_the_names_that_jupyterlab_knows(name: Path) -> None:
    jupyter = Path(sys.prefix) / "share" / "jupyter"
    core = jupyter / "lab" / "schemas"
    extension = jupyter / "labextensions" / name.parent / "schemas"
    schemas = [(folder / name).with_suffix(".json") for folder in (core, extension)]
    schema = json.loads(next(file for file in schemas if file.exists()).read_text())
    assert set(lab.SETTINGS[name]) <= set(schema["properties"])


def test_copies_are_trusted_but_not_what_the_learner_changed(places: Places) -> None:
    lab.prepare(places)
    assert trusted(places, "notebooks/00-start.ipynb")
    changed = places.work / "notebooks" / "06-walk.ipynb"
    changed.write_text(changed.read_text().replace("<b>1</b>", "<b>2</b>"))
    lab.prepare(places)
    assert not trusted(places, "notebooks/06-walk.ipynb")


@pytest.mark.parametrize("changed", [True, False])
def test_a_newer_version_is_trusted_too(places: Places, changed: bool) -> None:
    lab.prepare(places)
    if changed:
        mine = places.work / "notebooks" / "06-walk.ipynb"
        mine.write_text(mine.read_text().replace("<b>1</b>", "<b>2</b>"))
    update(places, "06-walk")
    lab.prepare(places)
    assert trusted(places, f"notebooks/06-walk{'.newer' if changed else ''}.ipynb")


def update(places: Places, name: str) -> None:
    source = places.chapters / f"{name}.ipynb"
    source.write_text(source.read_text().replace("<b>1</b>", "<b>3</b>"))


def said_by_run(
    places: Places,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    already: bool,
) -> str:
    """What the command says; JupyterLab itself is not started."""
    server = lab.Server("http://localhost:1/", "secret")
    monkeypatch.setattr(lab, "running_server", lambda _: server if already else None)
    monkeypatch.setattr(lab, "_serve", lambda *_: 0)
    assert lab.run(places, browser=False) == 0
    return capsys.readouterr().out


def test_the_first_line_comes_before_the_work(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nobody sees a line before it is flushed."""
    file = places.root / "course.log"
    with file.open("w") as log, monkeypatch.context() as started:
        started.setattr(sys, "stdout", log)
        started.setattr(
            lab.copies, "refresh", lambda *_, **__: (_ for _ in ()).throw(OSError("no room"))
        )
        with pytest.raises(OSError, match="no room"):
            lab.run(places)
        assert str(places.work) in file.read_text()


@pytest.mark.parametrize("already", [True, False])
def test_new_versions_are_told(
    places: Places,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    already: bool,
) -> None:
    lab.prepare(places)
    mine = places.work / "notebooks" / "06-walk.ipynb"
    mine.write_text(mine.read_text().replace("<b>1</b>", "<b>2</b>"))
    for name in ("00-start", "06-walk"):
        update(places, name)
    said = said_by_run(places, monkeypatch, capsys, already)
    assert "beside yours as 06-walk.newer.ipynb" in said
    replaced = "1 file that you had not changed: now as in the newest version of the course"
    waiting = "1 file that you have not changed: the course has newer ones"
    assert (replaced in said, waiting in said) == (not already, already)
    assert said.count("(notebooks/00-start.ipynb)") == 1
    assert ("Reload its page" in said) == already
    again = said_by_run(places, monkeypatch, capsys, already)
    assert ("Reload its page" in again, "newer.ipynb" in again) == (False, False)
    assert (waiting in again) == already


def test_of_many_files_some_are_named(
    places: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"{number}-more" for number in range(10, 15)]
    for name in names:
        shutil.copy(places.chapters / "06-walk.ipynb", places.chapters / f"{name}.ipynb")
    said = said_by_run(places, monkeypatch, capsys, already=False)
    assert "7 files were copied" in said
    for name in ("00-start", "06-walk", *names):
        update(places, name)
    said = said_by_run(places, monkeypatch, capsys, already=False)
    assert "7 files that you had not changed" in said
    assert "12-more.ipynb, and 2 more)" in said


DAMAGED = ["", "{", "{}", '{"url": 1}', "[]", "null", "3", '"url token root_dir"', "[" * 100_000]
WRONG = {"url": 1, "token": 1, "root_dir": 1}


def left_behind(places: Places, content: str) -> None:
    runtime = places.jupyter / "runtime"
    runtime.mkdir(parents=True)
    (runtime / "jpserver-1.json").write_text(content)


@pytest.mark.parametrize("content", [*DAMAGED, json.dumps(WRONG)], ids=range(len(DAMAGED) + 1))
def test_a_damaged_runtime_file_is_no_server(places: Places, content: str) -> None:
    left_behind(places, content)
    assert lab.running_server(places) is None


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"url": 1},
        {"token": None},
        {"root_dir": ["work"]},
        {"root_dir": "a\0b"},
        {"url": "nonsense/"},
        {"url": "http://[/"},
        {"url": "http://localhost:port/"},
        {"url": "http://a b/"},
        {"url": ""},
        {"token": "two\nlines"},
        {"token": "→"},
    ],
    ids=str,
)
def test_a_server_that_has_gone_is_no_server(places: Places, change: dict[str, object]) -> None:
    gone = {"url": "http://localhost:9/", "token": "t", "root_dir": str(places.work)}
    left_behind(places, json.dumps(gone | change))
    assert lab.running_server(places) is None


@pytest.mark.parametrize(
    "greeting",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\n\r\n<h1>Another service</h1>",
        b"HTTP/1.1 200 OK\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\n\r\n{"status": "well"}',
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
    ],
)
def test_another_service_on_the_port_is_no_server(places: Places, greeting: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as service:

        def greet() -> None:
            with service.accept()[0] as visitor:
                visitor.recv(65536)
                visitor.sendall(greeting)

        threading.Thread(target=greet, daemon=True).start()
        port = service.getsockname()[1]
        details = {"url": f"http://127.0.0.1:{port}/", "token": "t", "root_dir": str(places.work)}
        left_behind(places, json.dumps(details))
        assert lab.running_server(places) is None


def test_a_server_that_ends_at_once_is_told_with_its_last_words(places: Places) -> None:
    lab.prepare(places)
    with pytest.raises(
        CourseError, match=r"(?s)ended while it was starting.*course doctor.*no_such"
    ):
        lab.launch(places, extra=["--ServerApp.port=no_such"])


@pytest.mark.skipif(sys.platform == "win32", reason="there nothing can refuse to end")
def test_a_server_that_neither_answers_nor_ends_is_ended(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.prepare(places)
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('deaf', flush=True); time.sleep(120)"
    )
    monkeypatch.setattr(lab, "command", lambda *_: [sys.executable, "-c", deaf])
    monkeypatch.setattr(lab, "START_SECONDS", 2)
    monkeypatch.setattr(lab, "STOP_SECONDS", 0.2)
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    begun = time.monotonic()
    with pytest.raises(CourseError, match=r"(?s)did not answer within 2 s.*deaf"):
        lab.launch(places)
    assert time.monotonic() - begun < 60
    assert [process.poll() for process in started] == [-signal.SIGKILL]


def test_without_a_display_there_is_no_browser() -> None:
    assert not lab.has_browser({}, "linux")


def test_without_a_browser_the_address_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(lab, "has_browser", lambda _: False)
    lab.show("http://localhost:1/lab", browser=True)
    assert "No browser was found" in (said := capsys.readouterr().out)
    assert "http://localhost:1/lab" in said
    lab.show("http://localhost:1/lab", browser=False)
    assert "http://localhost:1/lab" in capsys.readouterr().out


def test_lab_is_the_default_command() -> None:
    assert with_default([]) == ["lab"]
    assert with_default(["--no-browser"]) == ["lab", "--no-browser"]
    assert with_default(["build"]) == ["build"]


def test_help_names_the_commands_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    assert {"lab", "check", "doctor", "build", "slides", "site", "lite"} <= set(said.split())


@pytest.mark.parametrize("full", [False, True])
def test_where_nothing_can_be_written_jupyterlab_starts_all_the_same(
    places: Places,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    full: bool,
) -> None:
    lab.prepare(places)
    data = places.jupyter / "data"
    if full:
        shutil.rmtree(data)
        data.write_text("in the way")
    else:
        # Root may write everywhere: what sqlite says on a read-only disk is said for it.
        sign = NotebookNotary.sign

        def refused(notary: NotebookNotary, notebook: Any) -> None:
            if notary.data_dir == str(data):
                raise sqlite3.OperationalError("attempt to write a readonly database")
            sign(notary, notebook)

        monkeypatch.setattr(NotebookNotary, "sign", refused)
    served: list[Places] = []
    monkeypatch.setattr(lab, "_serve", lambda ready, *_: served.append(ready) or 0)
    assert lab.run(places, browser=False) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Nothing can be written in {places.work}: " in said
    assert "will not be saved there" in said
    (ready,) = served
    assert ready.work == places.work
    assert ready.jupyter.parent != places.work
    assert not ready.jupyter.exists(), "it is gone with JupyterLab"


def test_of_two_that_start_at_once_one_serves_the_copy(
    places: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[lab.Server] = []
    both, ended = threading.Barrier(2), threading.Event()

    def serve(*arguments: Any) -> int:
        time.sleep(0.3)  # longer than the other one needs to look for a server
        found.append(lab.Server("http://localhost:1/", "secret"))
        arguments[-1]()
        assert ended.wait(60), "the other one waits for the end of the first"
        return 0

    def run() -> None:
        both.wait()
        lab.run(places, browser=False)
        ended.set()

    monkeypatch.setattr(lab, "_serve", serve)
    monkeypatch.setattr(lab.signal, "signal", lambda *_: None)
    monkeypatch.setattr(lab, "running_server", lambda _: found[0] if found else None)
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
    assert "is running on your copy already" in capsys.readouterr().out


def test_what_killed_writings_left_is_removed_everywhere(places: Places) -> None:
    for folder in (places.chapters, places.work / "notebooks"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".course-1.part").touch()
        os.utime(folder / ".course-1.part", (0, 0))
        (folder / ".course-2.part").touch()
    lab.prepare(places)
    left = sorted(path.name for path in places.root.rglob(".course-*.part"))
    assert left == [".course-2.part"] * 2, "one that is being written stays"


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["lap"])
    assert "lap" in capsys.readouterr().err


def test_no_chapters_end_in_a_sentence_and_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--root", str(tmp_path)]) == 1
    assert "clone the repository" in capsys.readouterr().err


def test_a_file_where_jupyters_folder_should_be_is_told_and_stays(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    places.work.mkdir()
    places.jupyter.write_text("theirs")
    assert main(["lab", "--no-browser", "--root", str(places.root)]) == 1
    assert f"cannot use {places.jupyter.resolve()}" in capsys.readouterr().err
    assert places.jupyter.read_text() == "theirs"


@pytest.mark.parametrize("port", [0, 9000, 65535])
def test_the_port_is_a_number(port: int) -> None:
    assert parser().parse_args(["lab", "--port", str(port)]).port == port


@pytest.mark.parametrize("word", ["65536", "99999", "-1", "²", "http", "88.8", ""])
def test_a_port_that_no_browser_finds_is_told(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["lab", f"--port={word}"])
    assert f"from 0 to 65535, not {word}." in capsys.readouterr().err
