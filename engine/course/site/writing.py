"""Write the pages: the cells of a notebook, and around them the ways to all others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any
from urllib.parse import quote

from nbformat.notebooknode import NotebookNode

from engine.course import build, offline
from engine.course.site.pages import INDEX, NAME, Page, Site, way
from engine.course.site.text import Heading, Text
from engine.course.slides import WAYS, slide_type

# What each view lacks on a page, when it lacks anything.
LACKS = {
    "playground": "In a graph of this size Python follows your picks, and there is no Python on "
    "this page.",
    "explorer": "You can walk over the boxes that you see. To open others, to search and to follow "
    "a path, this view needs Python, and there is none on this page.",
}
LACKS_PYTHON = "A part of this view needs Python, and there is none on this page."
READ_ONLY = (
    "This page is for reading. Your answers are checked by Python, and there is none on this page."
)
ALREADY_RUN = (
    "On these pages all code has run already, and you can step through the views. To change the "
    "code and to run it, you need Python."
)
EXERCISES_WORD = "Exercises"
ROW = re.compile(r"<tr>\n *<td>(.+?)</td>")


@dataclass(frozen=True)
class Written:
    """A page when its text is written.

    Args:
        page: what it is made of.
        body: its cells as HTML.
        headings: in order.
        pictures: paths in the checkout of the files that it shows.
    """

    page: Page
    body: str
    headings: Sequence[Heading]
    pictures: frozenset[str]

    @property
    def sections(self) -> list[Heading]:
        """The headings that a contents list names; it has links to exercises of its own."""
        return [
            heading
            for heading in self.headings
            if heading.level == 2 and heading.words != EXERCISES_WORD
        ]


@dataclass(frozen=True)
class Doors:
    """Where a reader of a page can run what it shows.

    Args:
        binder: the link that opens the course in a Binder, up to its question mark, or None.
    """

    binder: str | None

    def to_binder(self, page: Page) -> str | None:
        """The link that opens the notebook of a page, None without a Binder.

        Args:
            page: the page.

        >>> Doors("https://b.example/v2/gh/o/r/1").to_binder(Page("a/b.ipynb", NotebookNode()))
        'https://b.example/v2/gh/o/r/1?labpath=a%2Fb.ipynb'
        """
        return f"{self.binder}?labpath={quote(page.path, safe='')}" if self.binder else None

    def sentence(self, page: Page) -> str:
        """Where to go, as HTML.

        Args:
            page: the page that says it.
        """
        here = f'<a href="{way(page.address, INDEX)}#run">run the course on your computer</a>'
        there = self.to_binder(page)
        if there is None:
            return f"To go on with Python, {here}."
        return f'Open this page <a href="{escape(there)}">with Python on Binder</a>, or {here}.'


def written(page: Page, site: Site, doors: Doors) -> Written:
    """Write the text of a page.

    Args:
        page: the page.
        site: all pages, for the links.
        doors: where its notebook can be run.
    """
    text = Text(page.path, {other.path for other in site.pages})
    cells = [_cell(cell, text, page, doors) for cell in page.notebook.cells]
    if page in site.exercises or page == site.chapters[0]:
        told = READ_ONLY if page in site.exercises else ALREADY_RUN
        cells.insert(1, f'<p class="lacks">{told} {doors.sentence(page)}</p>')
    body = "\n".join(cells)
    if page == site.glossary:
        body = ROW.sub(_named_row, body)
    return Written(page, body, text.headings, frozenset(text.pictures))


def _named_row(row: re.Match[str]) -> str:
    return f'<tr id="{escape(word_anchor(row[1]))}">\n<td>{row[1]}</td>'


def word_anchor(word: str) -> str:
    """The anchor of a word of the glossary.

    Args:
        word: with its marks or tags.

    >>> word_anchor("seed gradient"), word_anchor("`backward()`")
    ('word-seed-gradient', 'word-backward()')
    """
    return "word-" + unescape(re.sub(r"<[^>]+>|`", "", word)).replace(" ", "-")


def _cell(cell: NotebookNode, text: Text, page: Page, doors: Doors) -> str:
    if cell.cell_type == "markdown":
        text.attachments = cell.get("attachments", {})
        body = text.write(WAYS.sub("", cell.source))
        if slide_type(cell) == "notes":
            body = f'<details class="notes"><summary>For teachers</summary>\n{body}</details>\n'
        return f'<div class="text">\n{body}</div>'
    if cell.cell_type != "code":
        return offline.cell_html(cell)
    outputs = [_output(output, text, page, doors) for output in cell.outputs]
    return "\n".join([offline.code_html(cell.source), *outputs])


def _output(output: NotebookNode, text: Text, page: Page, doors: Doors) -> str:
    data = output.get("data", {})
    if offline.LIVE in data:
        return view_html(data[offline.LIVE], data, doors.sentence(page))
    if offline.kind_of(output) == "text/markdown":
        return f'<div class="text">\n{text.write(data["text/markdown"])}</div>'
    return offline.output_html(output)


def view_html(traits: Mapping[str, Any], data: Mapping[str, Any], where: str) -> str:
    """A view that works without Python as far as it can, and says what is lacking.

    Args:
        traits: what the front end reads of it.
        data: all that its output holds: a still picture and a text too.
        where: what says where Python is, as HTML.
    """
    output = NotebookNode(output_type="display_data", data={**data, offline.LIVE: dict(traits)})
    still = data.get(build.SVG, "")
    words = escape(data.get("text/plain", ""), quote=False)
    payload = traits["payload"]
    asks = ""
    if "noPython" in payload and not (payload.get("table") or payload.get("answers")):
        lacks = LACKS.get(traits["view"], LACKS_PYTHON)
        asks = f'\n<p class="lacks">{lacks} {where}</p>'
    return (
        f'<div class="view">\n{offline.output_html(output)}\n<noscript>'
        f'<div class="picture">{still}</div><pre class="output">{words}</pre>'
        f"<p>With JavaScript this is a view that you can step through.</p></noscript>{asks}\n</div>"
    )


def page_html(this: Written, site: Site, doors: Doors, license_name: str | None) -> str:
    """A whole page.

    Args:
        this: the page, written.
        site: all pages.
        doors: where its notebook can be run.
        license_name: the file of the license beside the index, or None.
    """
    page = this.page
    return framed(
        page.address,
        title=f"{page.title} · {NAME}",
        contents=contents(page.address, site, this),
        main="\n".join(
            [_actions(page, site, doors), f"<article>\n{this.body}\n</article>", _ways(page, site)]
        ),
        license_name=license_name,
    )


def framed(address: str, title: str, contents: str, main: str, license_name: str | None) -> str:
    """What all pages have in common, around what is a page's own.

    Args:
        address: of the page.
        title: for the browser's tab.
        contents: the list of all pages, as HTML.
        main: what is the page's own, as HTML.
        license_name: the file of the license beside the index, or None.
    """
    mine = f'<a href="{way(address, license_name)}">License</a>' if license_name else ""
    return filled(
        offline.asset("site.html"),
        {
            "TITLE": escape(title),
            "NAME": NAME,
            "TOP": way(address, INDEX).removesuffix(INDEX),
            "CONTENTS": contents,
            "MAIN": main,
            "VIEWS": _views_script(address) if re.search('class="live"|<details', main) else "",
            "LICENSE": mine,
        },
    )


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its places filled.

    Args:
        template: with places such as ``{{ TITLE }}``.
        values: what goes there.

    >>> filled("<b>{{ WORD }}</b>", {"WORD": "so"})
    '<b>so</b>'
    """
    return re.sub(r"\{\{ (\w+) \}\}", lambda place: values[place[1]], template)


def _views_script(address: str) -> str:
    return f'<script defer src="{way(address, "assets/views.js")}"></script>'


def contents(address: str, site: Site, this: Written | None = None) -> str:
    """The list of all pages; a reader's own page also shows its headings.

    Args:
        address: the page that has the list.
        site: all pages.
        this: the page, if it is made of a notebook.
    """
    here = this.page if this else None
    entries = [_entry(address, INDEX, "Start", here is None)]
    for page in [*site.chapters, *site.after_the_chapters]:
        inside = ""
        if here and (page == here or (here in site.exercises and here.number == page.number)):
            inside = _inside(page, here, this, site)
        entries.append(_entry(address, page.address, page.title, page == here, inside))
    return "<ul>\n" + "\n".join(entries) + "\n</ul>"


def _inside(page: Page, here: Page, this: Written | None, site: Site) -> str:
    entries = []
    headings = [_entry("", f"#{head.anchor}", head.words) for head in this.sections] if this else []
    if page == here:
        entries += headings
    exercises = site.exercises_of(page)
    if exercises:
        mine = "<ul>\n" + "\n".join(headings) + "\n</ul>" if exercises == here else ""
        entries.append(
            _entry(here.address, exercises.address, EXERCISES_WORD, exercises == here, mine)
        )
    return "<ul>\n" + "\n".join(entries) + "\n</ul>" if entries else ""


def _entry(address: str, target: str, words: str, here: bool = False, inside: str = "") -> str:
    link = target if target.startswith("#") else way(address, target)
    current = ' aria-current="page"' if here else ""
    return f'<li><a href="{escape(link)}"{current}>{escape(words, quote=False)}</a>{inside}</li>'


def _actions(page: Page, site: Site, doors: Doors) -> str:
    links = []
    binder = doors.to_binder(page)
    if binder and page != site.glossary:
        links.append(f'<a class="button" href="{escape(binder)}">Open on Binder</a>')
    exercises = site.exercises_of(page)
    if exercises and exercises != page:
        links.append(
            f'<a class="button" href="{way(page.address, exercises.address)}">Exercises</a>'
        )
    return f'<p class="actions">{" ".join(links)}</p>' if links else ""


def _ways(page: Page, site: Site) -> str:
    before, after = site.ways(page)
    links = [_way(page, before.address if before else INDEX, before.title if before else "Start")]
    if after:
        links.append(_way(page, after.address, after.title, on=True))
    return '<nav class="ways" aria-label="Back and on">\n' + "\n".join(links) + "\n</nav>"


def _way(page: Page, address: str, title: str, on: bool = False) -> str:
    kind, word = ("next", "On") if on else ("prev", "Back")
    words = f"<span>{word}</span> {escape(title, quote=False)}"
    return f'<a class="{kind}" rel="{kind}" href="{way(page.address, address)}">{words}</a>'


def titles_script(pages: Iterable[Written], words: Iterable[tuple[str, str]]) -> str:
    """What the search looks through: every heading, and every word of the glossary.

    Args:
        pages: all pages.
        words: those of the glossary, each with the address of its line.
    """
    found = [
        (heading.words, this.page.title, _place(this.page, heading))
        for this in pages
        for heading in this.headings
    ]
    found += [(word.replace("`", ""), "Glossary", address) for word, address in words]
    rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in found)
    return f"const courseTitles = [\n{rows}\n];\n"


def _place(page: Page, heading: Heading) -> str:
    address = way(INDEX, page.address)
    return address if heading.level == 1 else f"{address}#{quote(heading.anchor)}"
