"""Write the first page: what the course is, a walk to try, the chapters, and how to run it."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from engine.course import build, offline
from engine.course.site.pages import INDEX, NAME, Page, Site, way
from engine.course.site.writing import Doors, contents, filled, framed, view_html
from engine.value import Value
from engine.widgets.reverse_walk import ReverseWalk

START = re.compile(r"<!-- command: start -->\n```bash\n(.+?)\n```", re.DOTALL)
WINDOWS = re.compile(r"```powershell\n(.+?)\n```", re.DOTALL)
# A line of the table of chapters: number, title (a link or not), what a reader learns.
LINE = re.compile(r"^\| (?P<number>\d\d) \| [^|]+ \| (?P<learned>[^|]+?) \|$", re.MULTILINE)


def home_html(site: Site, doors: Doors, readme: str, license_name: str | None) -> str:
    """The first page.

    Args:
        site: all pages.
        doors: where notebooks can be run.
        readme: the text of the checkout's README, empty when there is none.
        license_name: the file of the license beside this page, or None.
    """
    first = site.chapters[0]
    main = filled(
        offline.asset("site-home.html"),
        {
            "FIRST": way(INDEX, first.address),
            "FIRST_TITLE": escape(first.title, quote=False),
            "WALK": _walk(),
            "CHAPTERS": "\n".join(_line(page, site, doors) for page in site.chapters),
            "GLOSSARY": way(INDEX, site.glossary.address) if site.glossary else "#chapters",
            "BINDER": _binder(first, doors),
            "RUN": run_html(readme),
        },
    )
    return framed(
        INDEX,
        title=f"{NAME}: backpropagation, one node at a time",
        contents=contents(INDEX, site),
        main=main,
        license_name=license_name,
    )


def _walk() -> str:
    """The course's own example, as a view at its first step."""
    a, b, c, f = (
        Value(number, label)
        for number, label in ((2.0, "a"), (-3.0, "b"), (10.0, "c"), (-2.0, "f"))
    )
    e = a * b
    d = e + c
    output = d * f
    e.label, d.label, output.label = "e", "d", "L"
    view = ReverseWalk(output)
    view.index = 1
    traits = offline.traits_of_view(view.get_state())
    if traits is None:
        raise TypeError("a view has no traits to show")
    data = {build.SVG: view.picture() or "", "text/plain": repr(view)}
    return view_html(traits, data, "")


def _line(page: Page, site: Site, doors: Doors) -> str:
    exercises = site.exercises_of(page)
    links = []
    if exercises:
        links.append(_link(way(INDEX, exercises.address), "exercises", page))
    binder = doors.to_binder(page)
    if binder:
        links.append(_link(binder, "Binder", page))
    title = page.title.removeprefix(f"{page.number} · ")
    words = escape(learned(site).get(page.number, ""), quote=False)
    return (
        f'<li><span class="number">{page.number}</span>'
        '<span class="chapter">'
        f'<a href="{way(INDEX, page.address)}">{escape(title, quote=False)}</a>'
        f'<span class="learned">{words}</span></span>'
        f'<span class="more">{" ".join(links)}</span></li>'
    )


def _link(address: str, word: str, page: Page) -> str:
    """A link whose name tells it from those in the other lines."""
    told = escape(f"{word} of {page.title}")
    return f'<a href="{escape(address)}" aria-label="{told}">{word}</a>'


def learned(site: Site) -> dict[str, str]:
    """What a reader learns in each chapter, as the first chapter's table tells it.

    Args:
        site: all pages.

    Returns:
        A few words by the number of a chapter.
    """
    sources = [cell.source for cell in site.chapters[0].notebook.cells]
    return {line["number"]: line["learned"] for source in sources for line in LINE.finditer(source)}


def _binder(first: Page, doors: Doors) -> str:
    address = doors.to_binder(first)
    if address is None:
        return ""
    return f'<a class="button" href="{escape(address)}">Open the course on Binder</a>'


def run_html(readme: str) -> str:
    """How to run the course on one's own computer, as the README tells it.

    Args:
        readme: its text.

    >>> run_html("nothing of it")
    '<p>Clone the repository of the course: its README says how it is started.</p>'
    """
    start, windows = START.search(readme), WINDOWS.search(readme)
    if not start or not windows:
        return "<p>Clone the repository of the course: its README says how it is started.</p>"
    return (
        "<p>You need Python 3.11 or newer. Clone the repository of the course, go into its folder, "
        f"and run this on Linux or macOS:</p>\n{_command(start[1])}\n"
        f"<p>On Windows, in PowerShell:</p>\n{_command(windows[1])}\n"
        "<p>It makes an environment of its own in that folder, and opens JupyterLab at the first "
        "chapter.</p>"
    )


def _command(command: str) -> str:
    shown = escape(command, quote=False)
    return f'<div class="highlight command"><pre><code>{shown}</code></pre></div>'


def read_readme(root: Path) -> str:
    """The README of a checkout, empty when there is none.

    Args:
        root: the folder of the checkout.
    """
    file = root / "README.md"
    return file.read_text(encoding="utf-8") if file.is_file() else ""
