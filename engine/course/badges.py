"""Print links that open each chapter on Binder, in markdown to paste."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from engine.course import build, notebook_files, slides
from engine.course.places import CHAPTERS, CourseError, Places

FORM = "BINDER/v2/gh/OWNER/REPOSITORY/TAG"
# A picture of our own, shown from the repository itself: nothing is fetched from anywhere.
PICTURE = "engine/course/assets/open-in-jupyterlab.svg"
WORDS = "Open in JupyterLab"
HOST = re.compile(r"([\w.-]+|\[[0-9a-f:.]+\])(:\d+)?", re.IGNORECASE)


def binder(address: str) -> str:
    """Check the address of a repository on a BinderHub, and put it into one form.

    Args:
        address: what a person typed; what follows a question mark is left out.

    Raises:
        CourseError: it is no such address.

    >>> binder("https://binder.example/v2/gh/someone/walk/v1/?labpath=x")
    'https://binder.example/v2/gh/someone/walk/v1'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    path = parts.path.rstrip("/")
    provider, *words = path.partition("/v2/")[2].split("/")
    # The owner and the repository are two words on GitHub; elsewhere they are one.
    complete = all(words) and len(words) >= (3 if provider == "gh" else 2)
    if parts.scheme not in ("http", "https") or not HOST.fullmatch(parts.netloc) or not complete:
        raise CourseError(
            f'"{address}" is not the address of a repository on Binder. It has the form {FORM}, '
            "where BINDER is the address of a BinderHub and begins with https://, and TAG is a "
            "tag or a branch."
        )
    return f"{parts.scheme}://{parts.netloc}{quote(path, safe='/%')}"


def link(address: str, notebook: str) -> str:
    """The address that opens one notebook in JupyterLab.

    Args:
        address: from `binder`.
        notebook: its path in the repository.

    >>> link("https://binder.example/v2/gh/someone/walk/v1", "notebooks/06-walk.ipynb")
    'https://binder.example/v2/gh/someone/walk/v1?labpath=notebooks%2F06-walk.ipynb'
    """
    return f"{address}?labpath={quote(notebook, safe='')}"


def badge(words: str, address: str, picture: str = PICTURE) -> str:
    """A picture that is a link, in markdown.

    Args:
        words: for who does not see the picture.
        address: where it leads.
        picture: its path from the file that shows it.

    >>> badge("Open 06", "https://binder.example", "badge.svg")
    '[![Open 06](badge.svg)](https://binder.example)'
    """
    return f"[![{words}]({picture})]({address})"


def markdown(places: Places, address: str) -> str:
    """A badge for the course and a table with a badge for each chapter.

    Args:
        places: the folders of the checkout.
        address: of the repository on a BinderHub.

    Raises:
        CourseError: the address is none, or there is no chapter.
    """
    found = binder(address)
    chapters = build.chapter_files(places)
    rows = [_row(file, found) for file in chapters]
    start = badge(WORDS, link(found, f"{CHAPTERS}/{chapters[0].name}"))
    return "\n".join([start, "", "| chapter | on Binder |", "|---|---|", *rows])


def _row(file: Path, address: str) -> str:
    title = slides.title(notebook_files.read(file))
    shown = badge(f"Open {file.stem[:2]} in JupyterLab", link(address, f"{CHAPTERS}/{file.name}"))
    # A stroke in a title would end its cell of the table.
    return "| {} | {} |".format(title.replace("|", r"\|"), shown)


def run(places: Places, address: str) -> int:
    """The command ``course badges``.

    Args:
        places: the folders of the checkout.
        address: of the repository on a BinderHub.

    Returns:
        The exit code.
    """
    print(markdown(places, address))
    return 0
