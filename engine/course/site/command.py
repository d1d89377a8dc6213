"""The command ``course site``: run the chapters, write all pages, and leave nothing half done."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from engine.course import atomic, badges, build, glossary, manifest, offline, rules_page
from engine.course.places import CHAPTERS, EXERCISES, CourseError, Places
from engine.course.site.home import home_html, read_readme
from engine.course.site.pages import INDEX, Page, Site
from engine.course.site.writing import Doors, page_html, titles_script, word_anchor, written
from engine.drawing.palette import DARK, LIGHT
from engine.widgets import front_end

FOLDER = "site"
COMMAND = "course site"
LICENSE = "LICENSE"
EXPORTED = "export default { render };\n"


def run(places: Places, output: Path | None, binder: str | None) -> int:
    """The command ``course site``.

    Args:
        places: the folders of the checkout.
        output: where to, ``work/site`` when None.
        binder: the address of the repository on a BinderHub, or None.

    Returns:
        1 when a chapter failed, else 0.

    Raises:
        CourseError: the folder holds other files, or the address is none.
        OSError: the folder cannot be written to.
    """
    folder = output or places.work / FOLDER
    doors = Doors(None if binder is None else badges.binder(binder))
    manifest.known(folder, COMMAND)
    atomic.make_folder(folder)
    site = _site(places)
    if site is None:
        return 1
    files = site_files(site, places, doors)
    manifest.put(files, folder, COMMAND)
    pages = sum(name.endswith(".html") for name in files)
    size = sum(map(len, files.values())) / 1e6
    print(f"{folder / INDEX}  {pages} pages, {size:.1f} MB")
    return 0


def _site(places: Places) -> Site | None:
    """All pages, with chapters executed; None when one of them failed, which is told."""
    files = build.chapter_files(places)
    chapters, failed = [], False
    for file, notebook in offline.all_executed(files, places.work / offline.KEPT):
        if isinstance(notebook, CourseError):
            print(notebook, file=sys.stderr)
            failed = True
        else:
            chapters.append(Page(f"{CHAPTERS}/{file.name}", notebook))
    if failed:
        return None
    exercises = sorted(places.exercises.glob("*.ipynb"))
    beside = [
        file
        for file in (*build.page_files(places), places.chapters / rules_page.FILE_NAME)
        if file.exists()
    ]
    return Site(
        chapters,
        [Page(f"{EXERCISES}/{file.name}", build.read_with_ids(file)) for file in exercises],
        _glossary(files),
        [Page(f"{CHAPTERS}/{file.name}", build.read_with_ids(file)) for file in beside],
    )


def _glossary(files: Sequence[Path]) -> Page | None:
    """The words of these very chapters; None when they explain none."""
    if not any(map(glossary.words_of, files)):
        return None
    return Page(f"{CHAPTERS}/{glossary.FILE_NAME}", glossary.glossary(files))


def site_files(site: Site, places: Places, doors: Doors) -> dict[str, bytes]:
    """Every file of the site, by its address.

    Args:
        site: all pages.
        places: the folders of the checkout.
        doors: where notebooks can be run.

    Raises:
        CourseError: a page shows a picture that is not there.
        OSError: a file of the checkout cannot be read.
    """
    license_file = places.root / LICENSE
    license_name = f"{LICENSE}.txt" if license_file.is_file() else None
    pages = [written(page, site, doors) for page in site.pages]
    files = {
        INDEX: home_html(site, doors, read_readme(places.root), license_name).encode(),
        "assets/site.css": style().encode(),
        "assets/site.js": offline.asset("site.js").encode(),
        "assets/views.js": views_script().encode(),
        "assets/titles.js": titles_script(pages, _words(site, places)).encode(),
        "assets/icon.svg": offline.asset("site-icon.svg").encode(),
    }
    for this in pages:
        files[this.page.address] = page_html(this, site, doors, license_name).encode()
        files |= dict(_pictures(this.pictures, this.page, places))
    if license_name:
        files[license_name] = license_file.read_bytes()
    return files


def _pictures(pictures: frozenset[str], page: Page, places: Places) -> Iterator[tuple[str, bytes]]:
    for name in sorted(pictures):
        file = places.root / name
        if not file.resolve().is_relative_to(places.root) or not file.is_file():
            raise CourseError(f"{page.path} shows {name}, and there is no such picture.")
        yield name, file.read_bytes()


def _words(site: Site, places: Places) -> list[tuple[str, str]]:
    if site.glossary is None:
        return []
    files = [places.root / page.path for page in site.chapters]
    names = {word.word for file in files for word in glossary.words_of(file)}
    return [(name, f"{site.glossary.address}#{quote(word_anchor(name))}") for name in sorted(names)]


def style() -> str:
    """The one style sheet: the palette, the views, and the pages around them."""
    dark = f"@media (prefers-color-scheme: dark) {{\n{_root(DARK)}\n}}"
    parts = (
        _root(LIGHT),
        dark,
        offline.views_style(),
        offline.asset("site.css"),
    )
    return "\n".join(map(str, parts))


def _root(colors: Mapping[str, str]) -> str:
    lines = "\n".join(f"  --rw-{name}: {color};" for name, color in colors.items())
    return f":root {{\n{lines}\n}}"


def views_script() -> str:
    """The views' front end as a plain script: a page that is opened from a folder loads no module.

    Raises:
        CourseError: the front end has another end than we know.
    """
    views = front_end.script()
    if views.count(EXPORTED) != 1:
        raise CourseError("The front end of the views does not export what the pages expect.")
    after = "".join((*offline.views_assets(), offline.asset("pages.js")))
    return f"(() => {{\n{views.replace(EXPORTED, '')}{after}}})();\n"
