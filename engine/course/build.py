"""Run the chapters again and store what they show, the same on every machine."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.notebooknode import NotebookNode

from engine.course import (
    atomic,
    exercise_cells,
    exercise_notebooks,
    glossary,
    kernels,
    notebook_files,
    rules_page,
)
from engine.course.checks import catalog
from engine.course.doctor import RENDERER, pip_install
from engine.course.places import CourseError, Places
from engine.drawing.renderer import ENVIRONMENT_VARIABLE, RenderingError, positions

CELL_SECONDS = 600
# The pages that are made from the chapters, each with what makes it.
MADE: dict[str, Callable[[Sequence[Path]], NotebookNode]] = {
    glossary.FILE_NAME: glossary.glossary,
    rules_page.FILE_NAME: rules_page.page,
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
SVG = "image/svg+xml"
MARKDOWN = "text/markdown"
MEASURED = re.compile(r"\*\*[0-9.]+ times\*\* as fast")
HTML = "text/html"
PLOT = re.compile(r"<img src=\"data:image/svg")
PIXELS = ("image/png", "image/jpeg")
NO_PICTURES = "The chapters would lose their pictures, so none was run"
ANSI_COLOR = re.compile(r"\x1b\[[0-9;]*m")
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# What a kernel reports, without its version, which differs between machines.
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def chapter_files(places: Places, names: Sequence[str] = ()) -> list[Path]:
    """The chapters that a person named, all of them when none is named.

    Args:
        places: the folders of the checkout.
        names: file names, with or without their ending, or only their numbers: 06 or 6.

    Raises:
        CourseError: a name fits no chapter.
    """
    every = sorted(places.chapters.glob("[0-9]*.ipynb"))
    if not names:
        return every
    return [file for name in names for file in _named(name, every)]


def page_files(places: Places) -> list[Path]:
    """The notebooks beside the chapters that a person has written, such as the warm-up.

    Args:
        places: the folders of the checkout.
    """
    others = {*chapter_files(places), *(places.chapters / name for name in MADE)}
    return sorted(set(places.chapters.glob("*.ipynb")) - others)


def _named(name: str, files: Sequence[Path]) -> list[Path]:
    stem = Path(name).name.removesuffix(".ipynb")
    number = stem.zfill(2) if stem.isdecimal() else stem
    found = [file for file in files if file.stem == stem or file.stem.startswith(f"{number}-")]
    if found:
        return found
    if stem.isdecimal():
        numbers = ", ".join(file.stem.partition("-")[0] for file in files)
        raise CourseError(f"There is no chapter {name}. There are: {numbers}.")
    known = ", ".join(file.stem for file in files)
    raise CourseError(f'No chapter is called "{name}". There are: {known}.')


def read_with_ids(file: Path) -> NotebookNode:
    """Read a notebook; a cell without an id gets its place as one, where nbformat would draw lots.

    Args:
        file: the notebook's file.

    Raises:
        CourseError: the file is no notebook.
    """
    return _parsed(file.read_bytes(), file.name)


def _parsed(content: bytes, name: str) -> NotebookNode:
    try:
        data = json.loads(content.decode())
        for place, cell in enumerate(data["cells"]):
            cell.setdefault("id", f"cell-{place:02}")
        data["nbformat_minor"] = max(5, data["nbformat_minor"])
        notebook: NotebookNode = nbformat.reads(json.dumps(data), as_version=4)
        nbformat.validate(notebook)
    except (ValueError, KeyError, TypeError, nbformat.ValidationError) as error:
        raise CourseError(f"{name} is not a valid notebook: {error}") from error
    return notebook


def executed(
    file: Path,
    prepare: Callable[[NotebookClient], None] = lambda client: None,
    notebook: NotebookNode | None = None,
) -> NotebookNode:
    """Run every cell of a notebook in a fresh kernel of this environment, in its own folder.

    Args:
        file: the notebook's file.
        prepare: what to do with the client before it runs the cells.
        notebook: what to run in the file's place; read from the file when None.

    Returns:
        The notebook as it is to be stored.

    Raises:
        CourseError: the file is no notebook, or a cell failed that is not tagged
            ``raises-exception``.
    """
    notebook = read_with_ids(file) if notebook is None else notebook
    for cell in _code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "IPYTHONDIR": str(Path(folder, "ipython"))}
        client = _client(notebook, file.parent, kernels.manager(Path(folder)))
        prepare(client)
        try:
            _run(client, variables)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            what = ANSI_COLOR.sub("", str(error)).strip()
            raise CourseError(f"{file.name} failed, so nothing was stored: {what}") from error
    return settled(notebook)


class _Loop(asyncio.SelectorEventLoop):
    """Leaves Ctrl+C to Python: nbclient would end one kernel, and the build would go on."""

    def add_signal_handler(self, *_: object) -> None:
        raise RuntimeError("Ctrl+C ends the whole command")


def _run(client: NotebookClient, variables: Mapping[str, str]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.run(_run_until_ctrl_c(client, variables))
    else:
        client.execute(env=variables, cleanup_kc=True)


async def _run_until_ctrl_c(client: NotebookClient, variables: Mapping[str, str]) -> None:
    running = asyncio.ensure_future(client.async_execute(env=variables, cleanup_kc=True))
    manager = client.km
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        client.shutdown_kernel = "immediate"  # asked politely, it would tell what it was doing
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        client.km = manager  # when Python ends, nbclient looks whether the kernel is gone
        raise


def _client(notebook: NotebookNode, folder: Path, kernel: AsyncKernelManager) -> NotebookClient:
    return NotebookClient(
        notebook,
        km=kernel,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
    )


def _code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def settled(notebook: NotebookNode) -> NotebookNode:
    """A notebook without what differs between machines and runs.

    A live view is nothing without its kernel, so a stored output keeps only the picture and the
    text that came with it. Of a traceback it keeps the last line: the others name files of this
    machine.

    Args:
        notebook: an executed notebook; it is changed in place.
    """
    notebook.metadata.pop("widgets", None)
    notebook.metadata.kernelspec = nbformat.from_dict(KERNELSPEC)
    notebook.metadata.language_info = nbformat.from_dict(LANGUAGE)
    for cell in _code_cells(notebook):
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            output.get("data", {}).pop(WIDGET_VIEW, None)
            if output.output_type == "error":
                output.traceback = [f"{output.ename}: {output.evalue}"]
    return notebook


def facts(notebook: NotebookNode) -> dict[str, Any]:
    """What a notebook says, without coordinates and pixels.

    Two versions of Graphviz place the same nodes a little apart: of an SVG only its words count.
    A ratio of speeds is another one each time: of a sentence around it all else counts.

    Args:
        notebook: a notebook; it stays as it is.
    """
    plain: dict[str, Any] = json.loads(notebook_files.text(notebook))
    for cell in plain["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if SVG in data:
                data[SVG] = svg_words("".join(data[SVG]))
            if MARKDOWN in data:
                data[MARKDOWN] = MEASURED.sub("measured", "".join(data[MARKDOWN]))
            if PLOT.match("".join(data.get(HTML, ""))):
                data[HTML] = "pixels"
            data.update({kind: "pixels" for kind in PIXELS if kind in data})
    return plain


def svg_words(svg: str) -> list[str]:
    """The words of an SVG, in order.

    Args:
        svg: its source.

    >>> svg_words('<svg><title>two boxes</title><text x="3">a</text></svg>')
    ['two boxes', 'a']
    """
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError:
        return [svg]
    return [words for text in root.itertext() if (words := text.strip())]


def build(file: Path) -> bool:
    """Run a chapter and store it.

    Args:
        file: the notebook's file.

    Returns:
        True when the stored file has changed.

    Raises:
        CourseError: the chapter failed, or somebody changed the file meanwhile.
    """
    before = file.read_bytes()
    notebook = executed(file, notebook=_with_checks(file, _parsed(before, file.name)))
    changed = notebook_files.text(notebook).encode() != before
    if changed:
        _store(notebook, file, before)
    return changed


def would_change(file: Path) -> bool:
    """Tell whether a chapter, run again, says anything else than what is stored.

    Args:
        file: the notebook's file.

    Raises:
        CourseError: the chapter failed.
    """
    stored = read_with_ids(file)
    made = executed(file, notebook=_with_checks(file, copy.deepcopy(stored)))
    return facts(made) != facts(stored)


def _with_checks(file: Path, notebook: NotebookNode) -> NotebookNode:
    """A notebook of solutions with what stands with the checks; any other one as it is."""
    if file.parent.name != "solutions":
        return notebook
    return exercise_cells.written_into(notebook, catalog.of_chapter(file.name[:2]))


def solution_files(places: Places, chapters: Sequence[Path]) -> list[Path]:
    """The solutions of chapters, which have the chapters' names.

    Args:
        places: the folders of the checkout.
        chapters: their files.
    """
    files = [places.solutions / chapter.name for chapter in chapters]
    return [file for file in files if file.exists()]


def build_exercise(solution: Path, places: Places, check: bool) -> bool:
    """Make the exercise notebook of a solution, run it untouched, and store it.

    Args:
        solution: the solution's file.
        places: the folders of the checkout.
        check: tell whether it would change, and store nothing.

    Returns:
        True when the stored exercise notebook is, or would be, another one.

    Raises:
        CourseError: the solution has marks that do not fit, the exercise notebook failed, or
            somebody has written into the stored one.
    """
    file = places.exercises / solution.name
    made = exercise_notebooks.exercise(read_with_ids(solution), solution.name)
    notebook_files.sealed(made)
    before = _bytes(file)
    if before is None:
        if check:
            return True
        file.parent.mkdir(exist_ok=True)
    elif not check:
        _require_nobodys(before, file, made)
    notebook = executed(file, notebook=made)
    if before is not None and facts(notebook) == facts(_parsed(before, file.name)):
        return False
    if not check:
        _store(notebook, file, before)
    return True


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _require_nobodys(before: bytes, file: Path, made: NotebookNode) -> None:
    """See that in place of what is made there is only what an earlier build has made."""
    stored = _parsed(before, file.name)
    same = notebook_files.sources(stored) == notebook_files.sources(made)
    if not same and not notebook_files.is_as_made(stored):
        raise CourseError(
            f"{file} holds words that `course build` did not write, so it stays as it is. Move it "
            "to another place, such as work/, where your own copies are, and build again."
        )


def _store(notebook: NotebookNode, file: Path, before: bytes | None) -> None:
    """Store a notebook over the bytes that were judged, or over nothing where there was nothing."""
    content = notebook_files.text(notebook).encode()
    if before is None:
        stored = atomic.write_new(file, content)
    else:
        stored = atomic.write_over(file, before, content)
    if not stored:
        raise CourseError(
            f"{file.name} was changed while it was built, so it was not stored. Build it again."
        )


def build_made(name: str, places: Places, check: bool) -> bool:
    """Make a page that is gathered from the chapters: the glossary or the page of rules.

    Args:
        name: of its file, one of ``MADE``.
        places: the folders of the checkout.
        check: tell whether it would change, and store nothing.

    Returns:
        True when the stored page is, or would be, another one.

    Raises:
        CourseError: somebody has written into the stored one, earlier or meanwhile.
    """
    file = places.chapters / name
    before = _bytes(file)
    notebook = notebook_files.sealed(settled(MADE[name](chapter_files(places))))
    if notebook_files.text(notebook).encode() == before:
        return False
    if check:
        return True
    if before is not None:
        _require_nobodys(before, file, notebook)
    _store(notebook, file, before)
    return True


def run(places: Places, names: Sequence[str], check: bool) -> int:
    """The command ``course build``.

    Args:
        places: the folders of the checkout.
        names: the chapters to run, all when empty.
        check: tell what would change, and store nothing.

    Returns:
        1 when a chapter failed, or when a check found a change; else 0.

    Raises:
        CourseError: a name fits no chapter, or nothing draws their pictures.
    """
    for folder in (places.chapters, places.exercises, places.solutions):
        atomic.remove_unfinished(folder)
    pages = [file for file in page_files(places) if not names or file.stem in names]
    others = [name for name in names if name not in {file.stem for file in pages}]
    chapters = chapter_files(places, others) if others or not names else []
    require_pictures()
    solutions = solution_files(places, chapters)
    steps = [(file, partial(_built, file, check)) for file in (*chapters, *pages, *solutions)]
    steps += [
        (places.exercises / file.name, partial(build_exercise, file, places, check))
        for file in solutions
    ]
    if not names:
        steps += [
            (places.chapters / name, partial(build_made, name, places, check)) for name in MADE
        ]
    return max([_step(file, places, work, check) for file, work in steps], default=0)


def require_pictures() -> None:
    """See that graphs can be drawn: a chapter would be stored with tables for its pictures.

    Raises:
        CourseError: there is no Graphviz program, or it does not work.
    """
    try:
        placed = positions("digraph { a -> b }")
    except RenderingError as error:
        raise CourseError(f"{NO_PICTURES}: {' '.join(str(error).split())}") from error
    if placed is not None:
        return
    mend = f"{pip_install()} {RENDERER}"
    why = "no Graphviz program was found"
    if os.environ.get(ENVIRONMENT_VARIABLE) == "":
        why = f"the environment variable {ENVIRONMENT_VARIABLE} is set to no Graphviz program"
        mend = f"unset {ENVIRONMENT_VARIABLE} && {mend}"
    raise CourseError(f"{NO_PICTURES}: {why}. Run: {mend}")


def _built(file: Path, check: bool) -> bool:
    return would_change(file) if check else build(file)


def _step(file: Path, places: Places, work: Callable[[], bool], check: bool) -> int:
    try:
        changed = work()
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    name = file.name if file.parent == places.chapters else f"{file.parent.name}/{file.name}"
    print(f"{_verdict(changed, check)} {name}", flush=True)
    return int(check and changed)


def _verdict(changed: bool, check: bool) -> str:
    if not changed:
        return "unchanged   "
    return "would change" if check else "stored      "
