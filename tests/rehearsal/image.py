"""The image of ``binder/`` without a container: repo2docker's own steps in a fresh environment."""

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
RUNTIME = (BINDER / "runtime.txt").read_text("utf-8").strip()


@dataclass(frozen=True)
class Image:
    """What the steps leave behind: the tree, which is also the home folder, and its variables."""

    tree: Path
    environ: dict[str, str]

    @property
    def programs(self) -> Path:
        """The folder of the environment's programs."""
        return Path(self.environ["NB_PYTHON_PREFIX"]) / "bin"

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the tree as the image would, and insist that it succeeds."""
        result = subprocess.run(
            command, cwd=self.tree, env=self.environ, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
        return result


def build(base: Path, more: Sequence[str] = (), python: str | None = None) -> Image:
    """Follow repo2docker's steps in a fresh environment and a copy of the tree.

    Args:
        base: the folder to build in. What an earlier call built there is used as it is.
        more: requirements beyond those of ``binder/``.
        python: the interpreter; the one that runtime.txt names, where it is at hand, when None.
    """
    tree, prefix = base / "home", base / "environment"
    image = Image(tree, _environ(tree, prefix))
    complete = base / "complete"
    if complete.exists():
        return image
    tree.mkdir(parents=True)
    copy_tracked_files(tree)
    python = python or python_of_runtime() or sys.executable
    subprocess.run([python, "-m", "venv", prefix], check=True)
    image.run("pip", "install", "--quiet", *packages_of_the_image())
    for step in steps(dockerfile(tree)):
        image.run("bash", "-c", step)
    if more:
        image.run("pip", "install", "--quiet", *more)
    complete.touch()
    return image


def _environ(tree: Path, prefix: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))}
    return kept | {
        "HOME": str(tree),
        "REPO_DIR": str(tree),
        "KERNEL_PYTHON_PREFIX": str(prefix),
        "NB_PYTHON_PREFIX": str(prefix),
        "PATH": f"{prefix}/bin:/usr/local/bin:/usr/bin:/bin",
    }


def python_of_runtime() -> str | None:
    """Return the path of the Python that runtime.txt names, None where it is not at hand."""
    version = RUNTIME.removeprefix("python-")
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    found = shutil.which(f"python{version}")
    # A version manager leaves a program of that name which only says that it is not installed.
    works = found and subprocess.run([found, "-c", ""], capture_output=True, check=False)
    return found if works and works.returncode == 0 else None


def python_for_everybody() -> str | None:
    """Return the path of a Python of runtime.txt's version that every user may run, or None."""
    places = os.pathsep.join([os.environ["PATH"], os.defpath])
    name = f"python{RUNTIME.removeprefix('python-')}"
    for folder in places.split(os.pathsep):
        program = (Path(folder) / name).resolve()
        if program.is_file() and all(p.stat().st_mode & stat.S_IXOTH for p in program.parents):
            return str(program)
    return None


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
