"""The doctor: one line for each thing, the command that mends it, and an honest exit code."""

from __future__ import annotations

import importlib.metadata
import json
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from engine.course import doctor
from engine.course.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "a cöurse")
    made.chapters.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(), made.chapters / "00.ipynb")
    return made


def test_a_sound_machine_passes_and_is_left_as_it_was(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor.run(places.root) == 0
    lines = capsys.readouterr().out.splitlines()
    names = {name for name, _ in doctor.needed(importlib.metadata.requires("reverse-walk") or [])}
    assert "jupyterlab" in names
    assert {line.split()[1] for line in lines} >= {*names, "Python", "kernel"}
    assert not places.work.exists()


def test_ranges_are_those_the_package_states() -> None:
    wanted = dict(doctor.needed(importlib.metadata.requires("reverse-walk") or []))
    assert "pytest" not in wanted
    assert "<5" in wanted["jupyterlab"]


def test_a_package_out_of_its_range_is_named_with_both(places: Places) -> None:
    check = doctor.check_package("nbformat", ">=1000", doctor.install_command(places.root))
    assert check.state == "missing"
    assert importlib.metadata.version("nbformat") in check.what
    assert ">=1000" in check.what
    assert shlex.split(check.mend)[-1] == str(places.root)


def test_a_package_that_cannot_be_imported_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    check = doctor.check_package("nbformat", "", "")
    assert check.state == "missing"
    assert "--force-reinstall nbformat==" in check.mend


def test_without_the_course_itself_one_command_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DISTRIBUTION", "no-such-package")
    missing = [check for check in doctor.examine() if "no-such-package" in check.what]
    assert [check.state for check in missing] == ["missing"]
    assert "-m pip install -e" in missing[0].mend


def test_without_a_renderer_it_warns_and_the_course_runs(
    places: Places, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REVERSE_WALK_DOT", "")
    assert doctor.run(places.root) == 0
    assert "warning  no Graphviz program" in capsys.readouterr().out


def test_a_missing_wheel_of_the_renderer_only_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "RENDERER", "nbformat")
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "nbformat":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    states = [check.state for check in doctor.examine() if check.what.startswith("nbformat")]
    assert states == ["warning"]


def test_the_kernel_must_start_a_program_that_is_there(tmp_path: Path) -> None:
    kernel = tmp_path / "share" / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    spec = {"display_name": "x", "language": "python", "argv": ["/moved/away/python", "-m", "x"]}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    check = doctor.check_kernel("", str(tmp_path))
    assert check.state == "missing"
    assert "/moved/away/python" in check.what
    assert "ipykernel install --sys-prefix" in check.mend


def test_a_folder_that_cannot_be_written_is_named(places: Places) -> None:
    places.work.write_text("a file where the folder should be")
    check = doctor.check_writable(places.work)
    assert check.state == "missing"
    assert str(places.work) in check.what


def test_no_browser_is_a_warning_and_says_what_happens() -> None:
    assert doctor.check_browser(False).state == "warning"
    assert "prints the address" in doctor.check_browser(False).what
    assert doctor.check_browser(True).state == "ok"


def test_without_chapters_the_exit_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor.run(tmp_path) == 1
    assert "clone the repository" in capsys.readouterr().out


WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
from engine.course.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


def course_without(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a Python that lacks a module."""
    command = [sys.executable, "-c", WITHOUT, module, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    "module",
    ["packaging", "jupyterlab", "jupyter_client", "nbformat", "nbclient", "graphviz", "matplotlib"],
)
def test_whatever_is_missing_is_named_with_a_command(places: Places, module: str) -> None:
    result = course_without(module, "doctor", "--root", str(places.root))
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    named = [line for line in result.stdout.splitlines() if module in line]
    assert [line for line in named if line.startswith("missing") and " Run: " in line]


def test_the_other_commands_send_to_the_doctor(places: Places) -> None:
    result = course_without("nbformat", "--no-browser", "--root", str(places.root))
    assert result.returncode == 1
    assert "course doctor" in result.stderr
    assert "Traceback" not in result.stderr
