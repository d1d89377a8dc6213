"""Binder: repo2docker's own steps, taken in a fresh environment, end in a chapter that runs."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
BINDER = ROOT / "binder"
CHAPTER = "notebooks/06-the-seven-node-walk.ipynb"
RUNTIME = (BINDER / "runtime.txt").read_text("utf-8").strip()
START_SECONDS = 120

EXECUTE = """
import sys
import nbclient
import nbformat

path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
here = {"metadata": {"path": "notebooks"}}
nbclient.NotebookClient(notebook, timeout=120, resources=here).execute()
nbformat.write(notebook, path)
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


def python_of_runtime() -> str | None:
    """Return the path of the Python that runtime.txt names, None where it is not at hand."""
    version = RUNTIME.removeprefix("python-")
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(f"python{version}")
    # A version manager leaves a program of that name which only says that it is not installed.
    works = found and subprocess.run([found, "-c", ""], capture_output=True, check=False)
    return found if works and works.returncode == 0 else None


def copy_tracked_files(target: Path) -> None:
    """Copy the files that a clone would hold, as they are now."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def dockerfile(tree: Path) -> str:
    """Return the Dockerfile that repo2docker writes for a tree, without building it."""
    result = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout + result.stderr


def steps(text: str) -> list[str]:
    """Return the commands of a Dockerfile that follow the copying of the tree."""
    after = text.split("COPY --chown=0:0 src/ ${REPO_DIR}/", 1)[1]
    return [line.removeprefix("RUN ") for line in after.splitlines() if line.startswith("RUN ")]


def packages_of_the_image() -> list[str]:
    """Return what repo2docker's image holds before the steps, as pip requirements."""
    spec = find_spec("repo2docker")
    assert spec is not None
    assert spec.origin is not None
    conda = Path(spec.origin).parent / "buildpacks" / "conda"
    stem = f"environment.py-{RUNTIME.removeprefix('python-')}"
    names = re.findall(r"^- ([\w-]+)==", (conda / f"{stem}.yml").read_text("utf-8"), re.MULTILINE)
    lock = (conda / f"{stem}-linux-64.lock").read_text("utf-8")
    found = []
    for name in names:
        version = re.search(rf"/{re.escape(name)}-(\d[\w.]*)-\w+\.conda", lock)
        assert version, f"{name} is not in repo2docker's lock file"
        found.append(f"{name.removesuffix('-singleuser')}=={version[1]}")
    return found


@dataclass(frozen=True)
class Image:
    """What the steps leave behind: the tree, which is also the home folder, and its variables."""

    tree: Path
    environ: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the tree as the image would, and insist that it succeeds."""
        result = subprocess.run(
            command, cwd=self.tree, env=self.environ, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
        return result


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Follow repo2docker's steps in a fresh environment and a copy of the tree."""
    base = tmp_path_factory.mktemp("binder")
    tree, prefix = base / "home", base / "environment"
    tree.mkdir()
    copy_tracked_files(tree)
    subprocess.run([python_of_runtime() or sys.executable, "-m", "venv", prefix], check=True)
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))}
    made = Image(
        tree,
        kept
        | {
            "HOME": str(tree),
            "REPO_DIR": str(tree),
            "KERNEL_PYTHON_PREFIX": str(prefix),
            "NB_PYTHON_PREFIX": str(prefix),
            "PATH": f"{prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        },
    )
    made.run("pip", "install", "--quiet", *packages_of_the_image())
    for step in steps(dockerfile(tree)):
        made.run("bash", "-c", step)
    return made


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


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab of the image."""

    url: str
    token: str

    def get(self, path: str) -> Any:
        """Return the JSON that the server answers with."""
        asked = urllib.request.Request(
            self.url + path, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)


@pytest.fixture
def lab(image: Image, tmp_path: Path) -> Iterator[Lab]:
    """Start the JupyterLab of the image, as a visit does."""
    command = ["jupyter", "lab", "--no-browser", "--allow-root", "--ServerApp.port_retries=50"]
    environ = image.environ | {"JUPYTER_RUNTIME_DIR": str(tmp_path)}
    with (tmp_path / "log.txt").open("w") as log:
        server = subprocess.Popen(
            command, cwd=image.tree, env=environ, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            yield wait_for_lab(server, tmp_path)
        finally:
            server.terminate()
            server.wait(timeout=60)


def wait_for_lab(server: subprocess.Popen[bytes], runtime: Path) -> Lab:
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
