"""Make a talk of a chapter: a deck of reveal.js in one file, with steppable views, offline."""

from __future__ import annotations

import copy
import html
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from engine.course import atomic, build, manifest, offline
from engine.course.places import CourseError, Places

FOLDER = "slides"
COMMAND = "course slides"
HEADING = re.compile(r"^#{1,3} +(.+?) *$", re.MULTILINE)
WAYS = re.compile(r"^\[(?:Back|On): .*\]\([^)]*\)\n*", re.MULTILINE)
EMPTY_LINES = re.compile(r"\n{3,}")
DETAILS = re.compile(r"<details(?=[\s>])", re.IGNORECASE)


@dataclass
class Slide:
    """What is shown at once.

    Attributes:
        parts: groups of cells; each group after the first waits for a key when ``waits`` says so.
        waits: for each group, whether it is a fragment.
        notes: cells for the speaker alone.
        under: the heading that a slide without one of its own stands under.
    """

    parts: list[list[NotebookNode]] = field(default_factory=list)
    waits: list[bool] = field(default_factory=list)
    notes: list[NotebookNode] = field(default_factory=list)
    under: str = ""


def slide_type(cell: NotebookNode) -> str:
    """What a cell's metadata says of its place in a talk, ``"-"`` when it says nothing.

    Args:
        cell: a cell of a notebook.
    """
    return str(cell.metadata.get("slideshow", {}).get("slide_type", "-"))


def stacks(cells: Iterable[NotebookNode]) -> list[list[Slide]]:
    """The slides of a chapter: each stack is a slide and its subslides.

    Args:
        cells: the cells, in order.

    >>> from nbformat.v4 import new_markdown_cell as cell
    >>> kinds = ("slide", "-", "fragment", "notes", "subslide", "skip", "slide")
    >>> cells = [cell(kind, metadata={"slideshow": {"slide_type": kind}}) for kind in kinds]
    >>> for stack in stacks(cells):
    ...     print([[[cell.source for cell in part] for part in slide.parts] for slide in stack])
    [[['slide', '-'], ['fragment']], [['subslide']]]
    [[['slide']]]
    """
    found: list[list[Slide]] = []
    for cell in cells:
        kind = slide_type(cell)
        if kind == "skip":
            continue
        if kind == "slide" or not found:
            found.append([Slide()])
        elif kind == "subslide":
            found[-1].append(Slide())
        _put(cell, kind, found[-1][-1])
    _name_headings(chain.from_iterable(found))
    return found


def _name_headings(slides: Iterable[Slide]) -> None:
    latest = ""
    for slide in slides:
        sources = [cell.source for part in slide.parts for cell in part]
        if not sources or not HEADING.match(sources[0]):
            slide.under = latest
        headings = [found[1] for source in sources for found in HEADING.finditer(source)]
        latest = (headings or [latest])[-1]


def _put(cell: NotebookNode, kind: str, slide: Slide) -> None:
    if kind == "notes":
        slide.notes.append(cell)
    elif kind == "fragment" or not slide.parts:
        slide.parts.append([cell])
        slide.waits.append(kind == "fragment")
    else:
        slide.parts[-1].append(cell)


def slide_html(slide: Slide, name: str) -> str:
    """One slide as an element of the deck.

    Args:
        slide: what is shown at once.
        name: its own name; of the hidden answers of one slide only one is open at a time.
    """
    parts = []
    if slide.under:
        parts.append(f'<div class="kicker">\n{offline.markdown_html(slide.under)}</div>')
    for cells, waits in zip(slide.parts, slide.waits, strict=True):
        shown = "\n".join(map(_cell_html, cells))
        parts.append(f'<div class="fragment">\n{shown}\n</div>' if waits else shown)
    body = DETAILS.sub(f'<details name="answers-{name}"', "\n".join(parts))
    notes = "\n".join(offline.cell_html(cell) for cell in slide.notes)
    aside = f'\n<aside class="notes">\n{notes}\n</aside>' if notes else ""
    fit = f'<div class="fit" style="--longest: {_longest_line(chain.from_iterable(slide.parts))}">'
    return f'<section>\n<div class="room">{fit}\n{body}\n</div></div>{aside}\n</section>'


def _cell_html(cell: NotebookNode) -> str:
    """A talk has its own way on and back, no room for empty lines, and views before their code."""
    cell = copy.deepcopy(cell)
    if cell.cell_type == "markdown":
        cell.source = WAYS.sub("", cell.source)
        return offline.cell_html(cell)
    cell.source = EMPTY_LINES.sub("\n\n", cell.source)
    if not any(offline.LIVE in output.get("data", {}) for output in cell.outputs):
        return offline.cell_html(cell)
    code = f'<details class="source"><summary>Code</summary>{offline.code_html(cell.source)}'
    return "\n".join([f"{code}</details>", *map(offline.output_html, cell.outputs)])


def _longest_line(cells: Iterable[NotebookNode]) -> int:
    """How many characters the longest line of code has."""
    texts = [cell.source for cell in cells if cell.cell_type == "code"]
    return max((len(line) for text in texts for line in text.splitlines()), default=1)


def slides_html(found: Sequence[Sequence[Slide]]) -> str:
    """All slides of a deck.

    Args:
        found: the stacks.
    """
    written = []
    for place, stack in enumerate(found):
        sections = [slide_html(slide, f"{place}-{depth}") for depth, slide in enumerate(stack)]
        joined = "\n".join(sections)
        written.append(joined if len(sections) == 1 else f"<section>\n{joined}\n</section>")
    return "\n".join(written)


def deck(notebook: NotebookNode) -> str:
    """A whole page: the slides and all that they need.

    Args:
        notebook: an executed chapter, with its views.
    """
    page = offline.asset("slides.html")
    values = {
        "TITLE": html.escape(title(notebook)),
        "STYLE": "\n".join(
            [
                offline.asset("reveal/reveal.css"),
                offline.views_style(),
                offline.asset("slides.css"),
            ]
        ),
        "SLIDES": slides_html(stacks(notebook.cells)),
        "SCRIPTS": "\n".join(
            [
                offline.script(offline.asset("reveal/reveal.js")),
                offline.script(offline.asset("reveal/notes.js")),
                offline.views_script(offline.asset("slides.js")),
            ]
        ),
    }
    return re.sub(r"\{\{ (\w+) \}\}", lambda place: values[place[1]], page)


def title(notebook: NotebookNode) -> str:
    """The title of a chapter: its first heading.

    Args:
        notebook: the chapter.
    """
    headings = (re.match(r"#\s+(.+)", cell.source) for cell in notebook.cells)
    return next((found[1].strip() for found in headings if found), "Slides")


def write_deck(file: Path, notebook: NotebookNode, folder: Path) -> tuple[Path, int]:
    """Write the deck of a chapter.

    Args:
        file: the chapter's file.
        notebook: the chapter, executed, with its views.
        folder: where to; an older deck is replaced, unless somebody has changed it.

    Returns:
        The file of the deck, and how many slides it has.

    Raises:
        CourseError: the chapter says nothing of slides, or its deck's place is taken.
        OSError: the folder cannot be written to.
    """
    if not any(slide_type(cell) == "slide" for cell in notebook.cells):
        raise CourseError(
            f"No cell of {file.name} has the slide type Slide, so there is no talk in it. "
            "Choose one in JupyterLab: Property Inspector > Common Tools > Slide Type."
        )
    name = f"{file.stem}.html"
    manifest.add({name: deck(notebook).encode()}, folder, COMMAND)
    return folder / name, sum(len(stack) for stack in stacks(notebook.cells))


def run(places: Places, names: Sequence[str], output: Path | None) -> int:
    """The command ``course slides``.

    Args:
        places: the folders of the checkout.
        names: the chapters, all when empty.
        output: where to, ``work/slides`` when None.

    Returns:
        1 when a chapter failed, or the place of its deck is taken; else 0.

    Raises:
        CourseError: a name fits no chapter, or the folder is another command's.
        OSError: the folder cannot be written to.
    """
    files = build.chapter_files(places, names)
    folder = output or places.work / FOLDER
    manifest.listed(folder, COMMAND)
    atomic.make_folder(folder)
    code = 0
    for file, notebook in offline.all_executed(files, places.work / offline.KEPT):
        try:
            if isinstance(notebook, CourseError):
                raise notebook
            target, count = write_deck(file, notebook, folder)
        except CourseError as error:
            print(error, file=sys.stderr)
            code = 1
            continue
        print(f"{target}  {count} slides", flush=True)
    return code
