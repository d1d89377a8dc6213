"""What a notebook of the course must hold to, as functions that list what is wrong with one."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import nbformat
from nbformat.notebooknode import NotebookNode

from engine.course.build import KERNELSPEC, SVG, WIDGET_VIEW
from engine.course.places import COPIED_FOLDERS

MOST_LINES = 15
LEAST_HIDDEN_ANSWERS = 3
SLIDE_TYPES = {"slide", "subslide", "fragment", "skip", "notes", "-"}
MACHINE_FOLDERS = "bin|etc|home|lib|mnt|opt|private|root|srv|tmp|usr|var|work|Users|Volumes"
MACHINE_WORDS = re.compile(
    rf"(?<![\w./:])/(?:{MACHINE_FOLDERS})/\w\S*"  # a path of Linux or macOS
    r"|(?<!\w)[A-Z]:\\\w\S*"  # a path of Windows
    r"|\b0x[0-9a-f]{6,}\b"  # where an object was in memory
    r"|\bipykernel_\d+"  # the temporary file of a cell
)
WARNING = re.compile(r"\b\w*Warning:")
IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(\s*<?([^)>\s]+)>?[^)]*\)")
HTML_LINK = re.compile(r"""<a\s[^>]*href\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
HTML_IMAGE = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
HTML_ALT = re.compile(r"""\balt\s*=\s*["'][^"']*[^"'\s]""")
STICKS = re.compile(r"</details>\s*(?!<p></p>|\s|\Z)", re.IGNORECASE)
DETAILS = re.compile(
    r"<details[^>]*>\s*<summary[^>]*>(.+?)</summary>(.+?)</details>", re.DOTALL | re.IGNORECASE
)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
BRITISH = re.compile(
    r"""\b(?:un|re|non-?)?(?:
      (?:behavi|col|fav|flav|hon|hum|lab|neighb|rig)our\w*
    | (?:calib|cent|fib|kilomet|met)re[sd]?
    | (?:cancel|label|level|model|signal|total|travel)l(?:ed|ing|er|ers)
    | (?:categor|emphas|factor|final|general|initial|maxim|memor|minim|normal|optim|organ|parameter
        |random|real|recogn|regular|serial|special|summar|util|vector|visual)
      is(?:e|ed|es|ing|er|ers|ation|ations)
    | analys(?:e|ed|ing) | defence | greys? | learnt | programmes? | spelt | whilst
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class Chapter:
    """A notebook and where it stands."""

    file: Path
    notebook: NotebookNode

    @property
    def code(self) -> list[NotebookNode]:
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @property
    def markdown(self) -> list[NotebookNode]:
        return [cell for cell in self.notebook.cells if cell.cell_type == "markdown"]


def read(file: Path) -> Chapter:
    return Chapter(file, nbformat.read(file, as_version=4))


def outputs(chapter: Chapter) -> Iterator[tuple[NotebookNode, NotebookNode]]:
    """Every output, with its cell."""
    for cell in chapter.code:
        for output in cell.outputs:
            yield cell, output


def shown_text(output: Mapping[str, object]) -> str:
    """All text of one output, whatever its kind."""
    parts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    parts += [
        data
        for kind, data in output.get("data", {}).items()
        if kind.startswith("text/") or kind == SVG
    ]
    return "\n".join(str(part) for part in parts)


def named(cell: NotebookNode) -> str:
    """A cell, as a person finds it."""
    line = cell.source.strip().partition("\n")[0]
    return f"cell {cell.get('id')} ({line[:50]!r})"


def prose(cell: NotebookNode) -> str:
    """A markdown cell without its blocks of code, where brackets are no links."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", cell.source))


# Rules for every notebook.


def executed_in_order(chapter: Chapter) -> list[str]:
    wrong = [f"{named(cell)} is empty" for cell in chapter.code if not cell.source.strip()]
    counts = [cell.execution_count for cell in chapter.code]
    if counts != list(range(1, len(counts) + 1)):
        wrong.append(f"the cells were not run from top to bottom in a fresh kernel: {counts}")
    return wrong


def no_live_view_stored(chapter: Chapter) -> list[str]:
    wrong = ["the state of widgets is stored"] if "widgets" in chapter.notebook.metadata else []
    return wrong + [
        f"{named(cell)} stores a widget, which is nothing without its kernel"
        for cell, output in outputs(chapter)
        if WIDGET_VIEW in output.get("data", {})
    ]


def no_warning(chapter: Chapter) -> list[str]:
    return [
        f"{named(cell)} warns: {shown_text(output)[:80]!r}"
        for cell, output in outputs(chapter)
        if output.get("name") == "stderr" or WARNING.search(shown_text(output))
    ]


def errors_only_where_expected(chapter: Chapter) -> list[str]:
    wrong = []
    for cell in chapter.code:
        failed = any(output.output_type == "error" for output in cell.outputs)
        expected = "raises-exception" in cell.metadata.get("tags", [])
        if failed and not expected:
            wrong.append(f"{named(cell)} fails, and is not tagged raises-exception")
        if expected and not failed:
            wrong.append(f"{named(cell)} is tagged raises-exception, and does not fail")
    return wrong


def nothing_of_this_machine(chapter: Chapter) -> list[str]:
    own = [str(Path.home()), tempfile.gettempdir(), str(chapter.file.resolve().parents[1])]
    texts = [(cell, cell.source) for cell in chapter.notebook.cells]
    texts += [(cell, shown_text(output)) for cell, output in outputs(chapter)]
    wrong = []
    for cell, text in texts:
        found = MACHINE_WORDS.findall(text) + [name for name in own if f"{name}{os.sep}" in text]
        wrong += [f"{named(cell)} names this machine's {word}" for word in found]
    return wrong


def is_answer(cell: NotebookNode) -> bool:
    """Whether learners write this cell themselves; then it is as long as their answer."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def height(cell: NotebookNode) -> int:
    """How many lines of a cell count: blank ones too where it is shown on a slide."""
    lines = cell.source.splitlines()
    return len(lines if "slideshow" in cell.metadata else [*filter(str.strip, lines)])


def short_cells(chapter: Chapter) -> list[str]:
    wrong = []
    for cell in chapter.code:
        if height(cell) > MOST_LINES and not is_answer(cell):
            wrong.append(f"{named(cell)} has {height(cell)} lines; {MOST_LINES} are the most")
        lines = [line for line in cell.source.splitlines() if line.strip()]
        if re.search(r"^\s*from\s+\S+\s+import\s+\*", cell.source, re.MULTILINE):
            wrong.append(f"{named(cell)} imports *, so nobody sees where a name comes from")
        if lines and lines[-1].rstrip().endswith(";"):
            wrong.append(
                f"{named(cell)} ends in a semicolon, which hides nothing when tests run it"
            )
    return wrong


def pictures_have_words(chapter: Chapter) -> list[str]:
    wrong = []
    for cell in chapter.markdown:
        text = FENCE.sub("", cell.source)
        wrong += [
            f"{named(cell)} has an image without alt text"
            for alt in IMAGE.findall(text)
            if not alt.strip()
        ]
        wrong += [
            f"{named(cell)} has an image without alt text: {tag}"
            for tag in HTML_IMAGE.findall(text)
            if not HTML_ALT.search(tag)
        ]
    for cell, output in outputs(chapter):
        for tag in HTML_IMAGE.findall(output.get("data", {}).get("text/html", "")):
            if not HTML_ALT.search(tag):
                wrong.append(f"{named(cell)}: its picture has no alt text")
        svg = output.get("data", {}).get(SVG)
        if svg is not None:
            wrong += [f"{named(cell)}: {problem}" for problem in svg_problems(svg)]
    return wrong


def svg_problems(svg: str) -> list[str]:
    """What keeps a screen reader from an SVG."""
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        return [f"the SVG is not well formed: {error}"]
    titles = [child.text or "" for child in root if child.tag.rpartition("}")[2] == "title"]
    problems = []
    if root.get("role") != "img":
        problems.append('the SVG has no role="img"')
    if not any(words.strip() for words in [root.get("aria-label", ""), *titles]):
        problems.append("the SVG has no title and no aria-label")
    return problems


def links_resolve(chapter: Chapter) -> list[str]:
    wrong = []
    for cell in chapter.markdown:
        for target in targets(cell):
            problem = link_problem(chapter.file, target)
            if problem:
                wrong.append(f"{named(cell)} links to {target}: {problem}")
    return wrong


def targets(cell: NotebookNode) -> list[str]:
    """The addresses that a markdown cell links to or shows as images."""
    text = prose(cell)
    images = re.findall(r"!\[[^\]]*\]\(\s*<?([^)>\s]+)", text)
    sources = re.findall(r"""<img\b[^>]*\bsrc\s*=\s*["']([^"']+)""", text, re.IGNORECASE)
    return [target for _, target in LINK.findall(text)] + HTML_LINK.findall(text) + images + sources


def link_problem(file: Path, target: str) -> str:
    """What is wrong with one link, empty when it leads somewhere in the learner's copy too."""
    if re.match(r"(https?:|mailto:|data:)", target):
        return ""
    path, _, anchor = target.partition("#")
    there = (file.parent / unquote(path)).resolve() if path else file.resolve()
    root = file.resolve().parents[1]
    if not there.is_file():
        return "there is no such file"
    if there.relative_to(root).parts[0] not in {*COPIED_FOLDERS, file.parent.name}:
        return "the learner's copy does not have that folder"
    if anchor and there.suffix == ".ipynb" and unquote(anchor) not in anchors(read(there)):
        return "there is no such heading"
    return ""


def anchors(chapter: Chapter) -> set[str]:
    """The anchors of a notebook's headings."""
    lines = [line for cell in chapter.markdown for line in FENCE.sub("", cell.source).splitlines()]
    headings = [match[1] for line in lines if (match := re.match(r"#{1,6}\s+(.+?)\s*#*\s*$", line))]
    return {heading_anchor(heading) for heading in headings}


def heading_anchor(heading: str) -> str:
    """The anchor JupyterLab gives a heading: its words, with a dash for each space.

    >>> heading_anchor("Why it *matters*: `grad`")
    'Why-it-matters:-grad'
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[*`]", "", text).replace(" ", "-")


def american(chapter: Chapter) -> list[str]:
    texts = [(cell, cell.source) for cell in chapter.notebook.cells]
    texts += [(cell, shown_text(output)) for cell, output in outputs(chapter)]
    return [
        f"{named(cell)} spells {word!r} the British way"
        for cell, text in texts
        for word in british_words(text)
    ]


def british_words(text: str) -> list[str]:
    """British forms in a text.

    >>> british_words("A labelled colour, normalised; precise, programmed, analyses, contour")
    ['labelled', 'colour', 'normalised']
    """
    return [match[0] for match in BRITISH.finditer(text)]


def plain_metadata(chapter: Chapter) -> list[str]:
    metadata = chapter.notebook.metadata
    wrong = []
    if metadata.get("kernelspec") != KERNELSPEC:
        wrong.append(f"the kernelspec is {metadata.get('kernelspec')}")
    if "version" in metadata.get("language_info", {}):
        wrong.append("the version of one machine's Python is stored")
    # Read as it stands in the file: nbformat would quietly give new ids to repeated ones.
    ids = Counter(cell.get("id") for cell in json.loads(chapter.file.read_text("utf-8"))["cells"])
    wrong += [f"the id {name} is used {count} times" for name, count in ids.items() if count > 1]
    wrong += [
        f"{named(cell)} stores when it ran" for cell in chapter.code if "execution" in cell.metadata
    ]
    return wrong


# Rules for a chapter.


def every_cell_has_a_slide_type(chapter: Chapter) -> list[str]:
    wrong = []
    for cell in chapter.notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind not in SLIDE_TYPES:
            wrong.append(f"{named(cell)} has the slide type {kind!r}")
    return wrong


def hidden_answers(chapter: Chapter) -> list[str]:
    text = "\n".join(cell.source for cell in chapter.markdown)
    answers = [body for summary, body in DETAILS.findall(text) if summary.strip() and body.strip()]
    wrong = []
    if len(re.findall(r"<details", text, re.IGNORECASE)) != len(answers):
        wrong.append("a <details> is not closed, or lacks its summary or its answer")
    if len(answers) < LEAST_HIDDEN_ANSWERS:
        wrong.append(
            f"there are {len(answers)} hidden answers; {LEAST_HIDDEN_ANSWERS} are the least"
        )
    # JupyterLab leaves no room below a closed answer: the next question would stick to it.
    wrong += [
        f"in {named(cell)} what follows a </details> sticks to it: put <p></p> between them"
        for cell in chapter.markdown
        if STICKS.search(cell.source)
    ]
    return wrong


def shows_a_graph(chapter: Chapter) -> list[str]:
    if any(SVG in output.get("data", {}) for _, output in outputs(chapter)):
        return []
    return ["no cell shows a graph"]


def begins_with_one_title(chapter: Chapter) -> list[str]:
    first = chapter.notebook.cells[0] if chapter.notebook.cells else None
    if first is None or first.cell_type != "markdown" or not first.source.startswith("# "):
        return ["the first cell is not a title"]
    lines = [line for cell in chapter.markdown for line in FENCE.sub("", cell.source).splitlines()]
    titles = [line for line in lines if line.startswith("# ")]
    return [] if len(titles) == 1 else [f"there are {len(titles)} titles: {titles}"]


# Rules for all chapters together.


def way(chapter: Chapter, word: str) -> list[str]:
    """The files that a chapter's links lead "On" or "Back" to, by the word they begin with."""
    text = "\n".join(cell.source for cell in chapter.markdown)
    found = re.findall(rf"\[{word}: [^\[\]]*\]\(([^)\s]+)\)", text)
    return sorted({unquote(target.partition("#")[0]) for target in found})


def ways_are_mutual(chapters: list[Chapter]) -> list[str]:
    names = sorted(chapter.file.name for chapter in chapters)
    on = {chapter.file.name: way(chapter, "On") for chapter in chapters}
    back = {chapter.file.name: way(chapter, "Back") for chapter in chapters}
    wrong = []
    for name, following in pairwise(names):
        if on[name] != [following]:
            wrong.append(f"{name} should lead on to {following}, not to {on[name]}")
        if back[following] != [name]:
            wrong.append(f"{following} should lead back to {name}, not to {back[following]}")
    if any(back[name] for name in names[:1]) or any(on[name] for name in names[-1:]):
        wrong.append("the first chapter leads back, or the last one leads on")
    return wrong


Rule = Callable[[Chapter], list[str]]
EVERY_NOTEBOOK: tuple[Rule, ...] = (
    executed_in_order,
    no_live_view_stored,
    no_warning,
    errors_only_where_expected,
    nothing_of_this_machine,
    short_cells,
    pictures_have_words,
    links_resolve,
    american,
    plain_metadata,
)
EVERY_CHAPTER: tuple[Rule, ...] = (
    every_cell_has_a_slide_type,
    hidden_answers,
    shows_a_graph,
    begins_with_one_title,
)
