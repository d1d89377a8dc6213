"""Binder: repo2docker's own steps, taken in a fresh environment, end in a chapter that runs."""

import json
import re
import shutil
import stat
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.rehearsal.image import (
    BINDER,
    ROOT,
    RUNTIME,
    Image,
    build,
    dockerfile,
    python_of_runtime,
    steps,
)
from tests.rehearsal.serving import Lab, serving

CHAPTER = "notebooks/06-the-seven-node-walk.ipynb"

EXECUTE = """
import sys
from pathlib import Path
import nbformat
from engine.course import build

path = Path(sys.argv[1])
nbformat.write(build.executed(path), path)
"""

linux_only = pytest.mark.skipif(
    sys.platform == "win32", reason="repo2docker builds Linux images and does not run on Windows"
)


def pinned() -> dict[str, Requirement]:
    """Return the requirements of the image by name, without the package itself."""
    lines = (BINDER / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith(("#", "-e"))]
    return {canonicalize_name(requirement.name): requirement for requirement in wanted}


def declared() -> dict[str, Requirement]:
    """Return the direct dependencies of pyproject.toml by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [Requirement(line) for line in project["dependencies"]]
    return {canonicalize_name(requirement.name): requirement for requirement in wanted}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Follow repo2docker's steps in a fresh environment and a copy of the tree."""
    return build(tmp_path_factory.mktemp("binder"))


def test_the_direct_dependencies_are_pinned_inside_their_ranges() -> None:
    pins = pinned()
    assert declared().keys() <= pins.keys()
    for name, requirement in pins.items():
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        assert "*" not in specifier.version
        if name in declared():
            assert declared()[name].specifier.contains(specifier.version), name


def test_the_package_itself_is_installed_from_the_root() -> None:
    assert "-e ." in (BINDER / "requirements.txt").read_text("utf-8").splitlines()


def test_no_file_switches_the_others_off() -> None:
    assert not (BINDER / "environment.yml").exists()
    assert not (ROOT / ".binder").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no executable bit")
def test_the_scripts_stop_at_the_first_error_and_hand_over() -> None:
    scripts = [path for path in BINDER.iterdir() if path.name in {"postBuild", "start"}]
    assert BINDER / "postBuild" in scripts
    for script in scripts:
        lines = script.read_text("utf-8").splitlines()
        assert lines[0].startswith("#!")
        assert script.stat().st_mode & stat.S_IXUSR
        if script.name == "postBuild":
            assert any(re.match(r"set -e", line) for line in lines)
        else:
            assert lines[-1] == 'exec "$@"'


@linux_only
def test_repo2docker_takes_the_steps_we_follow() -> None:
    text = dockerfile(ROOT)
    assert f"python={RUNTIME.removeprefix('python-')}\n" in text
    pip, *rest = steps(text)
    assert pip.endswith('pip install --no-cache-dir -r "binder/requirements.txt"')
    assert rest == ["chmod +x binder/postBuild", "./binder/postBuild"]


@linux_only
def test_the_python_of_runtime_txt_is_at_hand() -> None:
    if python_of_runtime() is None:
        pytest.skip(f"{RUNTIME} is not at hand: the steps were followed with {sys.version}")


@linux_only
def test_nothing_in_the_image_contradicts_the_pins(image: Image) -> None:
    image.run("pip", "check")
    listed = json.loads(image.run("pip", "list", "--format=json").stdout)
    installed = {canonicalize_name(entry["name"]): entry["version"] for entry in listed}
    for name, requirement in pinned().items():
        assert requirement.specifier.contains(installed[name]), name


@pytest.fixture
def lab(image: Image, tmp_path: Path) -> Iterator[Lab]:
    """Start the JupyterLab of the image, as a visit does."""
    with serving(image, tmp_path) as started:
        yield started


@linux_only
def test_a_visit_is_quiet_and_the_chapter_is_trusted(lab: Lab) -> None:
    answer = lab.get("lab/api/settings/@jupyterlab/apputils-extension:notification")
    chosen = json.loads((BINDER / "overrides.json").read_text("utf-8"))
    for name, value in chosen["@jupyterlab/apputils-extension:notification"].items():
        assert answer["schema"]["properties"][name]["default"] == value
    cells = lab.get(f"api/contents/{CHAPTER}")["content"]["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["metadata"]["trusted"] for cell in code)


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what each code cell printed."""
    return [
        "".join(out["text"] for out in cell["outputs"] if out["output_type"] == "stream")
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@linux_only
def test_the_chapter_runs_and_prints_its_facts(image: Image, tmp_path: Path) -> None:
    ran = tmp_path / "ran.ipynb"
    shutil.copy(image.tree / CHAPTER, ran)
    image.run("python", "-c", EXECUTE, str(ran))
    stored = printed(nbformat.read(ROOT / CHAPTER, as_version=4))
    assert any(stored)
    assert printed(nbformat.read(ran, as_version=4)) == stored
