"""Build the course that needs no Python: JupyterLab and its kernel run in the reader's browser."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.parser import Parser
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nbformat.v4 import new_markdown_cell

from engine.course import atomic, build, lab, manifest, notebook_files
from engine.course.doctor import DISTRIBUTION, pip_install
from engine.course.places import CHAPTERS, CHECKPOINTS, EXERCISES, INSIDE, CourseError, Places
from engine.drawing import page_renderer

FOLDER = "lite"
COMMAND = "course lite"
ENGINE = Path(__file__).parents[1]
REQUIREMENTS = Path(__file__).parent / "assets" / "lite" / "requirements.txt"
GRAPHVIZ = "@hpcc-js/wasm-graphviz@1.29.2"
GRAPHVIZ_LICENSE = "LICENSE-graphviz.txt"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
KERNEL = "@jupyterlite/pyodide-kernel-extension"
EXTENSIONS = (KERNEL, "@jupyter-widgets/jupyterlab-manager", "anywidget")
# Chapters that were run in a browser from top to bottom. Others may need NumPy or matplotlib:
# wheels of these for a browser are in no package index.
RUN = ("00", "01", "02", "03", "04", "05", "06", "07", "08")
READ_ONLY_CHAPTER = (
    "**In this browser you can read this chapter, but not run all of it.** It needs NumPy or "
    "matplotlib, and the Python of this page has neither. To run it, open it in JupyterLab on a "
    "computer with Python, or on Binder."
)
READ_ONLY_EXERCISES = (
    "**In this browser the checks of these exercises do not work.** They run your answer in a "
    "process of its own, and a page has no processes. Do the exercises in JupyterLab on a computer "
    "with Python, or on Binder."
)


@dataclass(frozen=True)
class Runtime:
    """What the page's Python is made of.

    Args:
        pyodide: the folder of the npm package ``pyodide``.
        graphviz: the folder of the npm package of Graphviz.
        wheels: every package that the kernel and the course import, but the course itself.
    """

    pyodide: Path
    graphviz: Path
    wheels: tuple[Path, ...]


def run(places: Places, output: Path | None) -> int:
    """The command ``course lite``.

    Args:
        places: the folders of the checkout.
        output: where to, ``work/lite`` when None.

    Returns:
        0.

    Raises:
        CourseError: something to build with is missing, or the folder holds other files.
        OSError: the folder cannot be written to.
    """
    folder = output or places.work / FOLDER
    manifest.known(folder, COMMAND)
    require_jupyterlite(places)
    atomic.make_folder(folder)
    with tempfile.TemporaryDirectory(prefix="course-lite-") as name:
        here = Path(name)
        runtime = fetch(here)
        source = write_source(places, runtime, here / "source")
        built = here / "built"
        _build(source, built)
        files = contents(built)
    manifest.put(files, folder, COMMAND)
    size = sum(map(len, files.values())) / 1e6
    print(f"{folder}  {len(files)} files, {size:.0f} MB. Serve it, and open the address it tells:")
    print(f'    "{sys.executable}" -m http.server --bind localhost --directory "{folder}"')
    return 0


def require_jupyterlite(places: Places) -> None:
    """See that the extra ``lite`` is installed.

    Args:
        places: the folders of the checkout.

    Raises:
        CourseError: it is not.
    """
    for module in ("jupyterlite_core", "jupyterlite_pyodide_kernel", "pip"):
        try:
            importlib.import_module(module)
        except ImportError:
            name = module.replace("_", "-")
            what = (
                f'"{DISTRIBUTION}[lite]"' if places.root == INSIDE else f'-e "{places.root}[lite]"'
            )
            command = f"{pip_install()} {what}"
            raise CourseError(
                f"`course lite` builds with {name}, which is not installed. Run: {command}"
            ) from None


def fetch(folder: Path) -> Runtime:
    """Download what the page's Python is made of, by name and version.

    Args:
        folder: where to.

    Raises:
        CourseError: npm or pip is missing, or cannot get a package.
    """
    constants = importlib.import_module("jupyterlite_pyodide_kernel.constants")
    pyodide = _npm(f"pyodide@{constants.PYODIDE_VERSION}", folder / "pyodide")
    graphviz = _npm(GRAPHVIZ, folder / "graphviz")
    information = json.loads((pyodide / LOCK).read_text(encoding="utf-8"))["info"]
    wheels = folder / "wheels"
    platform = f"pyemscripten_{information['abi_version']}_wasm32"
    _call(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--only-binary", ":all:", "--platform", platform, "--implementation", "cp"),
            *("--python-version", constants.PYODIDE_PYTHON_VERSION),
            *("--dest", str(wheels), "--requirement", str(REQUIREMENTS)),
        ],
        "pip could not get the packages of the page's Python",
    )
    kernel = _extension(KERNEL) / "static" / "pypi"
    ours = ("ipykernel", "piplite", "pyodide_kernel")
    own = [path for name in ours for path in sorted(kernel.glob(f"{name}-*.whl"))]
    return Runtime(pyodide, graphviz, (*sorted(wheels.glob("*.whl")), *own))


def _npm(package: str, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise CourseError(
            f"`course lite` gets {package} with the program npm, which was not found. It comes "
            "with Node.js: install that, and run `course lite` again."
        )
    folder.mkdir()
    _call(
        [npm, "pack", package, "--silent", "--pack-destination", str(folder)],
        f"npm could not get {package}",
    )
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def _call(command: Sequence[str], problem: str, folder: Path | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-15:])
        raise CourseError(f"{problem}. Its last words:\n{last}")


def _extension(name: str) -> Path:
    return Path(sys.prefix) / "share" / "jupyter" / "labextensions" / name


def write_source(places: Places, runtime: Runtime, folder: Path) -> Path:
    """Write what JupyterLite builds from.

    Args:
        places: the folders of the checkout.
        runtime: what the page's Python is made of.
        folder: where to; it is made.

    Returns:
        The folder.
    """
    pyodide = folder / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in RUNTIME:
        shutil.copyfile(runtime.pyodide / name, pyodide / name)
    course = pyodide / f"{DISTRIBUTION.replace('-', '_')}-{version(DISTRIBUTION)}-py3-none-any.whl"
    write_wheel(course, runtime.graphviz / "dist" / "index.js")
    packages: dict[str, dict[str, Any]] = {}
    for wheel in runtime.wheels:
        shutil.copyfile(wheel, pyodide / wheel.name)
    for wheel in sorted(pyodide.glob("*.whl")):
        packages |= locked(wheel)
    lock = json.loads((runtime.pyodide / LOCK).read_text(encoding="utf-8"))
    (pyodide / LOCK).write_text(json.dumps({**lock, "packages": packages}), encoding="utf-8")
    shutil.copyfile(runtime.graphviz / "LICENSE", folder / "static" / GRAPHVIZ_LICENSE)
    for name, settings in (
        ("jupyter-lite.json", _page_settings(packages)),
        ("overrides.json", _overrides()),
        ("jupyter_lite_config.json", _build_settings(folder)),
    ):
        (folder / name).write_text(json.dumps(settings, indent=1), encoding="utf-8")
    write_notebooks(places, folder / "contents")
    return folder


def write_wheel(file: Path, graphviz: Path) -> None:
    """Pack the engine for the page's Python, with the Graphviz that its renderer asks there.

    Args:
        file: the wheel to write.
        graphviz: Graphviz as a JavaScript module.
    """
    name = f"{DISTRIBUTION.replace('-', '_')}-{version(DISTRIBUTION)}.dist-info"
    facts = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {version(DISTRIBUTION)}\n"
    kind = "Wheel-Version: 1.0\nGenerator: course lite\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in sorted(ENGINE.rglob("*")):
            inside = path.relative_to(ENGINE).as_posix()
            if not path.is_file() or "__pycache__" in path.parts or INSIDE in path.parents:
                continue
            wheel.writestr(f"engine/{inside}", path.read_bytes())
        wheel.writestr(f"engine/drawing/{page_renderer.GRAPHVIZ.name}", graphviz.read_bytes())
        wheel.writestr(f"{name}/METADATA", facts)
        wheel.writestr(f"{name}/WHEEL", kind)
        wheel.writestr(f"{name}/RECORD", "")


def locked(wheel: Path) -> dict[str, dict[str, Any]]:
    """What Pyodide's lock says of a wheel that lies beside it.

    Args:
        wheel: the file.

    Returns:
        One entry, by the package's normal name.
    """
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        facts = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(packed.read(facts).decode())
    first = {name.split("/")[0] for name in names}
    modules = {
        name.removesuffix(".py") for name in first if not name.endswith((".dist-info", ".data"))
    }
    name = re.sub(r"[-_.]+", "-", metadata["Name"]).lower()
    entry = {
        "name": name,
        "version": metadata["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(modules),
        # Every package is loaded at the start, so that none has to name another.
        "depends": [],
        "unvendored_tests": False,
    }
    return {name: entry}


def _page_settings(packages: Iterable[str]) -> dict[str, Any]:
    kernel = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": sorted(packages)},
    }
    data = {
        "appName": "Reverse Walk",
        "exposeAppInBrowser": True,
        "litePluginSettings": {f"{KERNEL}:kernel": kernel},
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def _overrides() -> dict[str, Any]:
    """The settings of ``course lab``, by the names of the plugins they belong to."""
    return {
        f"{name.parent.as_posix()}:{name.name.split('.')[0]}": settings
        for name, settings in lab.SETTINGS.items()
    }


def _build_settings(folder: Path) -> dict[str, Any]:
    """Only the extensions that the course needs: others may ask for a server."""
    return {
        "LiteBuildConfig": {
            "contents": [str(folder / "contents")],
            "federated_extensions": [str(_extension(name)) for name in EXTENSIONS],
            "ignore_sys_prefix": ["federated_extensions"],
            "apps": ["lab"],
            "no_sourcemaps": True,
        }
    }


def write_notebooks(places: Places, folder: Path) -> None:
    """Write the notebooks a page shows; what does not run there says so at its top.

    Args:
        places: the folders of the checkout.
        folder: where to.
    """
    ignore = shutil.ignore_patterns(CHECKPOINTS, ".*")
    for name in (CHAPTERS, EXERCISES):
        if (places.root / name).is_dir():
            shutil.copytree(places.root / name, folder / name, ignore=ignore)
    runs = {f"{number}-" for number in RUN}
    for file in sorted((folder / CHAPTERS).glob("*.ipynb")):
        if file.name[:1].isdecimal() and file.name[:3] not in runs:
            _put_first(READ_ONLY_CHAPTER, file)
    for file in sorted((folder / EXERCISES).glob("*.ipynb")):
        _put_first(READ_ONLY_EXERCISES, file)


def _put_first(words: str, file: Path) -> None:
    notebook = build.read_with_ids(file)
    notebook.cells.insert(0, new_markdown_cell(words, id="in-a-browser"))
    notebook_files.write(notebook, file)


def _build(source: Path, built: Path) -> None:
    _call(
        [
            *(sys.executable, "-m", "jupyterlite_core", "build"),
            *("--lite-dir", str(source), "--output-dir", str(built)),
        ],
        "JupyterLite could not build the page",
        source.parent,  # it keeps notes for its next build in the folder where it runs
    )


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their paths in it.

    Args:
        folder: the folder.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     atomic.write(Path(folder) / "lab" / "index.html", b"a page")
    ...     contents(Path(folder))
    {'lab/index.html': b'a page'}
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
