"""What a person meets who runs ``course``: the first chapter, and nothing in its way."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from lab import Lab, LabPage, wait_until

from engine.course import lab as course_lab
from engine.course.places import Places

ADDRESS = re.compile(r"(http://\S+/)lab/tree/(\S+)\?token=(\w+)")


@dataclass(frozen=True)
class Command:
    """A running ``course`` and what it has said."""

    process: subprocess.Popen[str]
    address: str
    server: course_lab.Server


def course_command(places: Places) -> list[str]:
    return [sys.executable, "-m", "engine.course", "--no-browser", "--root", str(places.root)]


def server_in(said: str) -> course_lab.Server:
    url, _path, token = ADDRESS.search(said).groups()  # type: ignore[union-attr]
    return course_lab.Server(url, token)


@pytest.fixture
def places(lab: Lab, tmp_path: Path) -> Places:
    """A copy of the course that nobody has worked in."""
    made = Places(tmp_path / "ein Kurs für alle")
    shutil.copytree(lab.places.chapters, made.chapters)
    return made


@pytest.fixture
def command(places: Places, lab: Lab) -> Iterator[Command]:
    """``course --no-browser``, as a process of its own."""
    process = subprocess.Popen(course_command(places), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = ""
    while not ADDRESS.search(said) and (line := process.stdout.readline()):
        said += line
    found = ADDRESS.search(said)
    try:
        assert found, said
        yield Command(process, found[0], server_in(said))
    finally:
        lab.close_pages()
        process.terminate()
        process.communicate(timeout=60)


def in_the_way(page: LabPage) -> list[str]:
    """Every dialog and notice on the page."""
    found = page.page.locator(".jp-Dialog, .Toastify__toast").all()
    return [item.inner_text() for item in found]


def test_the_first_chapter_opens_ready_and_quiet(lab: Lab, command: Command) -> None:
    path = course_lab.first_chapter(lab.places)
    page = lab.visit(command.address, path, command.server)
    page.wait_for_kernel()
    page.page.wait_for_load_state("networkidle")
    assert page.kernel is not None
    assert page.kernel["name"] == "python3"
    assert page.page.locator(".lm-TabBar-tab.lm-mod-current", has_text=Path(path).name).count() == 1
    assert in_the_way(page) == []
    assert page.page.get_by_title("No notifications").count() == 1
    assert page.page.get_by_title(re.compile("Notebook trusted")).count() == 1
    assert page.foreign_requests == []
    assert not [url for url in page.requests if "api/build" in url]
    assert page.console_errors == []


def test_a_second_start_finds_the_first(command: Command, places: Places) -> None:
    second = subprocess.run(
        course_command(places), capture_output=True, text=True, check=True, timeout=120
    )
    assert "running on your copy already" in second.stdout
    assert server_in(second.stdout) == command.server


def test_another_copy_gets_another_port(command: Command, lab: Lab) -> None:
    assert command.server.url != lab.server.url


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_its_server(command: Command, places: Places, ending: signal.Signals) -> None:
    assert course_lab.running_server(places) == command.server
    command.process.send_signal(ending)
    assert command.process.wait(timeout=60) == 0
    assert course_lab.running_server(places) is None


def test_a_chapter_runs_in_the_learners_copy(lab: Lab) -> None:
    page = lab.notebook(["import engine\nengine.Value(2.0).data"]).run_all()
    assert "2.0" in page.code_cell(0).inner_text()
    assert page.foreign_requests == []
    assert page.console_errors == []


def test_errors_of_the_page_and_of_a_cell_are_seen(lab: Lab) -> None:
    page = lab.notebook(["1 / 0"])
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        page.run_all()
    page.page.evaluate("() => console.error('seen')")
    page.page.evaluate("() => { setTimeout(() => { throw new Error('thrown') }) }")
    wait_until(lambda: len(page.console_errors) == 2, "two errors were collected")
    page.page.evaluate("() => { new Image().src = 'http://127.0.0.1:9/x.png' }")
    wait_until(lambda: page.foreign_requests, "a foreign request was collected")


def test_theme_and_zoom_are_those_asked_for(lab: Lab) -> None:
    page = lab.theme("dark").notebook(["1"]).zoom(2.0)
    body = page.page.locator("body")
    assert body.get_attribute("data-jp-theme-light") == "false"
    assert page.theme("light").page.locator('body[data-jp-theme-light="true"]').count() == 1
    assert page.page.evaluate("() => [innerWidth, devicePixelRatio]") == [640, 2]


def test_a_kernel_can_be_shut_down(lab: Lab) -> None:
    page = lab.notebook(["1"]).run_all()
    page.shutdown_kernel()
    assert page.kernel is None
    assert "[1]:" in page.code_cell(0).inner_text()


@pytest.mark.parametrize(
    "heading", ["Why it *matters*: `grad`", "1. `x + x` is 2, not 1", "Größe?"]
)
def test_headings_get_the_anchors_that_the_link_check_expects(lab: Lab, heading: str) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
    from hygiene import heading_anchor

    page = lab.notebook([nbformat.v4.new_markdown_cell(f"## {heading}")])
    shown = page.page.locator(".jp-Notebook h2")
    shown.wait_for()
    ids = shown.evaluate_all(
        "headings => headings.map(h => h.id || h.getAttribute('data-jupyter-id'))"
    )
    assert ids == [heading_anchor(heading)]
