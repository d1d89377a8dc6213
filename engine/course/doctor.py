"""Tell what the course misses on this machine, and the one command that mends each thing."""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine.course.lab import has_browser
from engine.course.places import INSIDE, CourseError, Places, find_places

DISTRIBUTION = "reverse-walk"
RENDERER = "graphviz-pure"
# What no shell reads as anything but a part of a name.
PLAIN_WORD = re.compile(r"[\w./\\:+@%=,-]+")
State = Literal["ok", "warning", "missing"]


@dataclass(frozen=True)
class Check:
    """One thing looked at.

    Args:
        state: "ok", "warning" (the course runs without it) or "missing".
        what: the thing and what was found.
        mend: the one command that mends it, empty when there is nothing to mend.

    >>> print(Check("missing", "anywidget is not installed.", "pip install -e ."))
    missing  anywidget is not installed. Run: pip install -e .
    """

    state: State
    what: str
    mend: str = ""

    def __str__(self) -> str:
        mend = f" Run: {self.mend}" if self.mend else ""
        return f"{self.state:8} {self.what}{mend}"


def quoted(path: Path | str) -> str:
    """A path as a shell takes it, in double quotes where a shell would read more than a word.

    Args:
        path: the path.

    >>> quoted("my courses/walk"), quoted("R&D/walk"), quoted("kürs/walk")
    ('"my courses/walk"', '"R&D/walk"', 'kürs/walk')
    """
    return str(path) if PLAIN_WORD.fullmatch(str(path)) else f'"{path}"'


def pip_install() -> str:
    """The words that install something into this environment; one made by uv has no pip.

    >>> pip_install().split()[-1]
    'install'
    """
    if any(importlib.metadata.distributions(name="pip")):
        return f"{quoted(sys.executable)} -m pip install"
    return f"uv pip install --python {quoted(sys.executable)}"


def install_command(root: Path | None) -> str:
    """The command that installs the course and all it needs into this environment.

    Args:
        root: the checkout; the person has to be in its folder when None.
    """
    if root == INSIDE:
        return f"{pip_install()} --upgrade {DISTRIBUTION}"
    return f"{pip_install()} -e {quoted(root) if root is not None else '.'}"


def check_python(wanted: str, found: str) -> Check:
    """Compare Python's version with the range the course asks for.

    Args:
        wanted: a version range, such as ">=3.11".
        found: a version.

    >>> print(check_python(">=3.11", "3.9.1"))
    missing  Python 3.9.1 is not in the range >=3.11. Run: python3.11 -m venv --clear .venv
    """
    from packaging.specifiers import SpecifierSet

    if SpecifierSet(wanted).contains(found, prereleases=True):
        return Check("ok", f"Python {found}")
    lowest = wanted.removeprefix(">=").split(",")[0]
    mend = f"python{lowest} -m venv --clear .venv"
    return Check("missing", f"Python {found} is not in the range {wanted}.", mend)


def needed(requirements: Iterable[str]) -> list[tuple[str, str]]:
    """Names and version ranges of what the course needs on this machine, without extras.

    Args:
        requirements: as an installed package states them.

    >>> needed(["nbformat<6,>=5.10", 'pytest>=9; extra == "test"'])
    [('nbformat', '<6,>=5.10')]
    """
    from packaging.requirements import Requirement

    parsed = [Requirement(text) for text in requirements]
    here = [r for r in parsed if r.marker is None or r.marker.evaluate({"extra": ""})]
    return [(requirement.name, str(requirement.specifier)) for requirement in here]


def check_package(name: str, wanted: str, mend: str) -> Check:
    """Tell whether a package is installed, within its range, and can be imported.

    Args:
        name: the name of the distribution.
        wanted: its version range.
        mend: the command to name when it is not there or out of range.

    >>> check_package("no-such-package", ">=1", "pip install -e .").what
    'no-such-package is not installed.'
    """
    from packaging.specifiers import SpecifierSet

    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check("missing", f"{name} is not installed.", mend)
    if not SpecifierSet(wanted).contains(found, prereleases=True):
        return Check("missing", f"{name} {found} is not in the range {wanted}.", mend)
    error = import_error(import_name(name))
    if error:
        again = f"{pip_install()} --force-reinstall {name}=={found}"
        return Check("missing", f"{name} {found} is broken: {error}.", again)
    return Check("ok", f"{name} {found}")


def import_name(distribution: str) -> str | None:
    """The module that a distribution is known by, None when it only brings programs.

    Args:
        distribution: its name.

    >>> import_name("nbformat")
    'nbformat'
    """
    module = distribution.replace("-", "_").lower()
    files = importlib.metadata.files(distribution) or []
    named = {file.parts[0] for file in files}
    return module if {module, f"{module}.py"} & named else None


def import_error(module: str | None) -> str:
    """What goes wrong when a module is imported, empty when nothing does.

    Args:
        module: its name; there is nothing to import when None.

    >>> import_error("no_such_module")
    "No module named 'no_such_module'"
    """
    if module is None:
        return ""
    try:
        importlib.import_module(module)
    except Exception as error:  # noqa: BLE001 (a broken package may raise anything)
        return str(error) or type(error).__name__
    return ""


def check_renderer(mend: str) -> Check:
    """Tell whether a program that places the nodes of a graph is at hand.

    Args:
        mend: the command to name when there is none.
    """
    broken = import_error("engine.drawing")
    if broken:
        return Check("missing", f"graphs cannot be drawn: {broken}.", mend)
    from engine.drawing.renderer import RenderingError, renderer

    try:
        program = renderer()
    except RenderingError as error:
        return Check("missing", str(error))
    if program:
        return Check("ok", f"Graphviz: {program}")
    return Check("warning", "no Graphviz program: graphs are shown as tables.", mend)


def check_kernel(mend: str, prefix: str = sys.prefix) -> Check:
    """Tell whether JupyterLab finds this environment's Python kernel.

    Args:
        mend: the command to name when Jupyter's own part is missing.
        prefix: the environment's folder.
    """
    error = import_error("jupyter_client")
    if error:
        return Check("missing", f"no kernel can be started: {error}.", mend)
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    again = f"{quoted(sys.executable)} -m ipykernel install --sys-prefix"
    folder = Path(prefix) / "share" / "jupyter" / "kernels"
    manager = KernelSpecManager(kernel_dirs=[str(folder)])
    try:
        program = manager.get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        return Check("missing", "there is no kernel named python3.", again)
    # Jupyter reads a bare "python" as the Python it runs in itself.
    if program != "python" and shutil.which(program) is None:
        return Check("missing", f"the kernel python3 starts {program}, which is not there.", again)
    return Check("ok", "kernel python3")


def check_browser(found: bool) -> Check:
    """Tell whether JupyterLab can be opened from here.

    Args:
        found: whether a browser was found.
    """
    if found:
        return Check("ok", "a browser")
    return Check("warning", "no browser was found: `course lab` prints the address to open.")


def check_writable(folder: Path) -> Check:
    """Tell whether the learner's copy can be written.

    Args:
        folder: the folder of the copy; it may be missing.
    """
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return Check("ok", f"your copy can be written in {folder}")
    except OSError as error:
        what = f"{existing} cannot be written: {error.strerror or error}."
        mine = hasattr(os, "geteuid") and existing.stat().st_uid == os.geteuid()
        if mine and error.errno != errno.EROFS:
            return Check("missing", what, f"chmod u+rwx {quoted(existing)}")
        return Check("missing", what, _copy_command(folder.parent, Path.home()))


def _copy_command(root: Path, home: Path) -> str:
    """A course that a person may only read works from a copy of theirs."""
    copy = quoted(home / root.name)
    python = quoted(sys.executable)
    return (
        f"cp -R {quoted(root)} {quoted(home)} && chmod -R u+w {copy} && "
        f"{python} -m engine.course --root {copy}"
    )


def examine(root: Path | None = None) -> list[Check]:
    """Look at everything the course needs.

    Args:
        root: the folder that holds ``notebooks/``; found when None.
    """
    places, chapters = _find(root)
    mend = install_command(places.root if places else None)
    checks = [*_check_packages(mend), check_renderer(mend), check_kernel(mend), chapters]
    checks.append(check_browser(has_browser(os.environ)))
    if places is not None:
        checks.append(check_writable(places.work))
    return checks


def _find(root: Path | None) -> tuple[Places | None, Check]:
    try:
        places = find_places(root)
    except CourseError as error:
        return None, Check("missing", str(error))
    return places, Check("ok", f"the chapters in {places.chapters}")


def _check_packages(mend: str) -> list[Check]:
    """What pip installs; without the course's own record there are no ranges to compare with."""
    if import_error("packaging"):
        return [Check("missing", "packaging is not installed.", mend)]
    itself = check_package(DISTRIBUTION, "", mend)
    if itself.state != "ok":
        return [itself]
    wanted = needed(importlib.metadata.requires(DISTRIBUTION) or [])
    python = importlib.metadata.metadata(DISTRIBUTION)["Requires-Python"]
    return [
        check_python(python, platform.python_version()),
        *(_softened(check_package(name, versions, mend), name) for name, versions in wanted),
    ]


def _softened(check: Check, name: str) -> Check:
    """The course runs without the renderer of the wheel, with tables for its pictures."""
    if name == RENDERER and check.state == "missing":
        return replace(check, state="warning")
    return check


def run(root: Path | None = None) -> int:
    """The command ``course doctor``.

    Args:
        root: the folder that holds ``notebooks/``; found when None.

    Returns:
        0 when the course can run, 1 when something is missing.
    """
    checks = examine(root)
    for check in checks:
        print(check)
    if any(check.state == "missing" for check in checks):
        print("The course cannot run yet: run the commands above from the top.")
        return 1
    print("The course can run.")
    return 0
