"""The pages: what is on them, where their links lead, and what the command does to a folder."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from test_badges import NOT_ADDRESSES
from test_slides import names_of_views, shows_a_view

from engine.course import badges, build, manifest, offline
from engine.course.__main__ import main
from engine.course.places import CourseError, Places
from engine.course.site import command
from engine.course.site.home import read_readme, run_html
from engine.course.site.pages import Page, Site
from engine.course.site.text import Text
from engine.course.site.writing import Doors, page_html, written

ROOT = Path(__file__).resolve().parents[2]
PLACES = Places(ROOT)
CHAPTERS = build.chapter_files(PLACES)
BINDER = "https://binder.example/v2/gh/owner/name/v1"
FETCHED = {"src", "srcset", "href", "poster", "data", "action"}
FOLDERS = ("notebooks", "exercises")
CHAPTER = """# 01 · A chapter

[Back: nothing](01-a.ipynb)

See [itself](01-a.ipynb#An-idea), [the exercises](../exercises/01-a.ipynb), [code](../engine/a.py).

## An idea
"""


class Html(HTMLParser):
    """A page as its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.fetched: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.views: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append(name)
            if name == "id":
                self.ids.append(value or "")
            if name in FETCHED:
                self.fetched.append((tag, value or ""))
            if name == "data-view":
                self.views.append(value or "")


class Built:
    """A site in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def pages(self) -> dict[str, Html]:
        return {
            file.relative_to(self.folder).as_posix(): Html(file.read_text("utf-8"))
            for file in sorted(self.folder.rglob("*.html"))
        }

    def broken_links(self) -> list[str]:
        """Links to a file or an anchor that is not there."""
        return [
            f"{name}: {target}"
            for name, page in self.pages.items()
            for tag, target in page.fetched
            if not self._leads_somewhere(name, tag, target)
        ]

    def _leads_somewhere(self, name: str, tag: str, target: str) -> bool:
        if tag == "a" and target.startswith(("https:", "http:", "mailto:")):
            return True
        if tag == "img" and target.startswith("data:"):
            return True
        path, _, anchor = target.partition("#")
        there = normpath(join(dirname(name), unquote(path))) if path else name
        if not (self.folder / there).is_file():
            return False
        return not anchor or unquote(anchor) in self.pages[there].ids


@pytest.fixture
def built(site: Path) -> Built:
    return Built(site)


def chapter(*cells: NotebookNode | str) -> NotebookNode:
    made = [nbformat.v4.new_markdown_cell(c) if isinstance(c, str) else c for c in cells]
    return nbformat.v4.new_notebook(cells=made)


def code(source: str, *outputs: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_code_cell(source, outputs=list(outputs))


def course(folder: Path, *cells: NotebookNode | str) -> Places:
    """A course of one chapter with exercises."""
    for name in FOLDERS:
        (folder / name).mkdir()
    nbformat.write(chapter(*cells), folder / "notebooks" / "01-a.ipynb")
    exercise = chapter("# Exercises 01 · A chapter", "[Back](../notebooks/01-a.ipynb)")
    nbformat.write(exercise, folder / "exercises" / "01-a.ipynb")
    return Places(folder.resolve())


def shown(*cells: NotebookNode | str, binder: str | None = None) -> str:
    """The page of a chapter."""
    first = Page("notebooks/00-z.ipynb", chapter("# First"))
    page = Page("notebooks/01-a.ipynb", chapter(*cells))
    site, doors = Site([first, page], [], None), Doors(binder)
    return page_html(written(page, site, doors), site, doors, None)


def make(places: Places, *words: str) -> int:
    return main(["site", "--root", str(places.root), *words])


# The site of this course.


def test_every_notebook_has_its_page(built: Built) -> None:
    notebooks = [*PLACES.chapters.glob("*.ipynb"), *PLACES.exercises.glob("*.ipynb")]
    expected = {f"{file.parent.name}/{file.stem}.html" for file in notebooks}
    assert set(built.pages) == expected | {"index.html"}
    files = {file.relative_to(built.folder).as_posix() for file in built.folder.rglob("*.*")}
    assert files == {*manifest.known(built.folder, "course site"), manifest.NAME}


def test_no_link_is_broken_and_no_anchor_is_there_twice(built: Built) -> None:
    assert not built.broken_links()
    for name, page in built.pages.items():
        assert not [anchor for anchor, count in Counter(page.ids).items() if count > 1], name


def test_a_page_fetches_only_what_lies_beside_it(built: Built) -> None:
    for page in built.pages.values():
        assert not {"iframe", "object", "embed", "base", "form"} & set(page.tags)
        assert not [name for name in page.attributes if name.startswith("on")]
    for asset in (built.folder / "assets").iterdir():
        text = asset.read_text("utf-8").replace("http://www.w3.org/", "")
        assert not re.search(r"https?:|@import|\bfetch\(|\bimport\b[ (]|url\(", text), asset.name


def test_every_view_of_the_chapters_is_on_its_page(built: Built) -> None:
    for file in CHAPTERS:
        cells = build.read_with_ids(file).cells
        named = names_of_views(cells)
        expected = sum(shows_a_view(cell, named) for cell in cells)
        page = built.pages[f"notebooks/{file.stem}.html"]
        assert len(page.views) == expected, file.name
    assert built.pages["index.html"].views == ["walk"]


def test_the_search_knows_every_heading_and_word(built: Built) -> None:
    text = (built.folder / "assets" / "titles.js").read_text("utf-8")
    rows = json.loads(text.removeprefix("const courseTitles = ").rstrip(";\n"))
    for words, place, address in rows:
        path, _, anchor = address.partition("#")
        assert not anchor or unquote(anchor) in built.pages[path].ids, (words, place)
    found = {(words, address) for words, _, address in rows}
    walk = "notebooks/06-the-seven-node-walk.html"
    assert ("06 · The seven-node walk", walk) in found
    assert ("By measuring", f"{walk}#By-measuring") in found
    assert ("upstream gradient", "notebooks/glossary.html#word-upstream-gradient") in found


# A page.


def test_links_lead_to_pages_or_keep_their_words() -> None:
    text = Text("notebooks/01-a.ipynb", ["notebooks/01-a.ipynb", "exercises/01-a.ipynb"])
    assert text.target("01-a.ipynb#An-idea") == "01-a.html#An-idea"
    assert text.target("../exercises/01-a.ipynb") == "../exercises/01-a.html"
    assert text.target("../README.md") == "../index.html#run"
    assert text.target("../exercises/") == "../index.html#chapters"
    assert text.target("https://example.org/a") == "https://example.org/a"
    assert text.target("#An-idea") == "#An-idea"
    assert text.target("02-not-there.ipynb") is None
    html = text.write("[Soon](02-not-there.ipynb) and [code](../engine/a.py)")
    assert html == "<p>Soon and code</p>\n"


def test_headings_have_the_anchors_of_jupyterlab_and_none_twice() -> None:
    text = Text("notebooks/01-a.ipynb", [])
    html = text.write("## Why *it* matters: `grad` < 1\n\n## Questions\n\n## Questions")
    assert [heading.anchor for heading in text.headings] == [
        "Why-it-matters:-grad-<-1",
        "Questions",
        "Questions-2",
    ]
    assert '<h2 id="Why-it-matters:-grad-&lt;-1">' in html


def test_a_short_formula_in_code_is_one_word() -> None:
    text = Text("notebooks/01-a.ipynb", [])
    assert text.write("`L = a * b < c`") == '<p><code class="word">L = a * b &lt; c</code></p>\n'
    long = "input.grad += contribution"
    assert text.write(f"`{long}`") == f"<p><code>{long}</code></p>\n"


def test_a_column_without_a_name_has_no_heading() -> None:
    html = Text("notebooks/01-a.ipynb", []).write("| | a |\n|---|--:|\n| b | 1 |")
    assert re.findall("<th[ >].*?</th>", html) == [
        '<th scope="col" style="text-align:right">a</th>'
    ]
    assert html.count("<td") == 3


def test_a_formula_is_readable_without_a_script() -> None:
    text = Text("notebooks/01-a.ipynb", [])
    html = text.write("The speed $\\frac{\\partial L}{\\partial x}$ and\n\n$$s = \\sum_i x_i$$")
    page = Html(html)
    assert page.tags.count("math") == 2
    assert "mfrac" in page.tags
    assert "$" not in html
    assert 'display="block"' in html


def test_a_picture_tells_what_it_shows_in_the_words_of_its_output() -> None:
    plot = nbformat.v4.new_output(
        "display_data",
        data={"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"},
        metadata={"image/png": {"alt": 'A curve that "falls"', "width": 640}},
    )
    html = shown("# A", code("plot()", plot))
    assert 'alt="A curve that &quot;falls&quot;" width="640"' in html
    plain = nbformat.v4.new_output("display_data", data={"image/png": "", "text/plain": "A <B>"})
    assert 'alt="A &lt;B&gt;"' in shown("# A", code("plot()", plain))


def test_markdown_that_a_cell_displays_is_text() -> None:
    table = nbformat.v4.new_output(
        "display_data",
        data={"text/markdown": "| a | b |\n|---|---|\n| 1 | 2 |", "text/plain": "<Markdown>"},
    )
    html = shown("# A", code("show()", table))
    assert "Markdown" not in html
    assert html.count("<td>") == 2


def test_hostile_words_stay_words() -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    live = {"view": "walk", "payload": {"summary": hostile}, "index": 0}
    view = nbformat.v4.new_output(
        "execute_result", data={offline.LIVE: live, "text/plain": hostile}
    )
    printed = nbformat.v4.new_output("stream", text=hostile)
    page = Html(shown(f"# `{hostile}`", code(f"# {hostile}", view, printed)))
    assert "img" not in page.tags
    assert "onerror" not in page.attributes
    assert page.tags.count("script") == 4  # titles, the page's own, the views, a view's data


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("01 · The slope of `x*x`", "01 · The slope of x*x"),
        ("01 · *Two* **strong** words of __init__", "01 · Two strong words of init"),
        ("01 · 2 * 3 * x", "01 · 2 * 3 * x"),
        ("01 · `a < b` & <b>c</b>", "01 · a < b & c"),
    ],
)
def test_a_title_reads_as_the_heading_does(heading: str, words: str) -> None:
    page = Page("notebooks/01-a.ipynb", chapter(f"# {heading}"))
    text = Text(page.path, [])
    text.write(f"# {heading}")
    assert page.title == words == text.headings[0].words


def test_a_title_is_text_wherever_it_stands(tmp_path: Path) -> None:
    places = course(tmp_path, "# `<img src=x>` · 01 · <i>B</i> · C")
    assert make(places) == 0
    site = Built(places.work / "site")
    for page in site.pages.values():
        assert "img" not in page.tags
    index = (site.folder / "index.html").read_text("utf-8")
    assert '<span class="number">01</span>' in index
    assert "&lt;img src=x&gt; · 01 · B · C</a>" in index


def test_links_lead_to_files_of_any_name(tmp_path: Path) -> None:
    places = course(tmp_path, "# 01 · A")
    names = ["00-a\"b<i>&'c", "02-q#1?", "03-50%20 off", "04-a:b"]
    for name in names:
        for folder in (places.chapters, places.exercises):
            nbformat.write(chapter(f"# {name[:2]} · A", "## B"), folder / f"{name}.ipynb")
    link = "[there](02-q%231%3F.ipynb#B)"
    nbformat.write(chapter("# 05 · A", link), places.chapters / "05-a.ipynb")
    assert make(places) == 0
    site = Built(places.work / "site")
    assert not site.broken_links()
    reached = {unquote(target.partition("#")[0]) for _, target in site.pages["index.html"].fetched}
    assert {f"{folder}/{name}.html" for name in names for folder in FOLDERS} <= reached
    titles = (site.folder / "assets" / "titles.js").read_text("utf-8")
    assert '"notebooks/02-q%231%3F.html#B"' in titles


def test_what_needs_python_says_so_and_where_python_is() -> None:
    payload = {"summary": "", "noPython": offline.NO_PYTHON}
    explorer = {"view": "explorer", "payload": payload}
    predict = {"view": "predict", "payload": {**payload, "answers": "e30="}}
    table = {"view": "playground", "payload": {**payload, "table": {"states": []}}}
    walk = {"view": "walk", "payload": {"summary": ""}}

    def page(live: dict[str, object], binder: str | None = None) -> str:
        data = {offline.LIVE: live, "text/plain": ""}
        output = nbformat.v4.new_output("execute_result", data=data)
        return shown("# A", code("1", output), binder=binder)

    link = f"{BINDER}?labpath=notebooks%2F01-a.ipynb"
    assert 'class="lacks"' in page(explorer)
    assert 'href="../index.html#run"' in page(explorer)
    assert link not in page(explorer)
    assert page(explorer, BINDER).count(link) == 2  # above the chapter, and below the view
    assert 'class="lacks"' not in page(predict)
    assert 'class="lacks"' not in page(table)
    assert 'class="lacks"' not in page(walk)


def test_notes_for_teachers_are_folded_up() -> None:
    note = nbformat.v4.new_markdown_cell(
        "Ask the class.", metadata={"slideshow": {"slide_type": "notes"}}
    )
    html = shown("# A", note)
    assert re.search(r'<details class="notes"><summary>For teachers</summary>\n<p>Ask', html)


def test_the_first_page_tells_how_the_readme_starts_the_course() -> None:
    readme = read_readme(ROOT)
    command_line = re.search(r"<!-- command: start -->\n```bash\n(.+)\n```", readme)
    assert command_line is not None
    assert command_line[1].replace("&", "&amp;") in run_html(readme)
    assert "Scripts\\course" in run_html(readme)


# The command.


def test_the_command_writes_a_whole_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, CHAPTER, code("print(6 * 7)"), "![A dot](images/dot.png)")
    (places.chapters / "images").mkdir()
    (places.chapters / "images" / "dot.png").write_bytes(b"a dot")
    (tmp_path / "LICENSE").write_text("Do what you like.")
    assert make(places, "--binder", BINDER) == 0
    folder = places.work / "site"
    assert capsys.readouterr().out.startswith(f"{folder / 'index.html'}  3 pages, ")
    assert not Built(folder).broken_links()
    page = (folder / "notebooks" / "01-a.html").read_text("utf-8")
    assert "all code has run already" in page
    assert '<pre class="output">42</pre>' in page
    assert "[Back" not in page
    assert "Back: nothing" not in page
    assert f"{BINDER}?labpath=notebooks%2F01-a.ipynb" in page
    assert (folder / "notebooks" / "images" / "dot.png").read_bytes() == b"a dot"
    assert (folder / "LICENSE.txt").read_text() == "Do what you like."
    exercises = (folder / "exercises" / "01-a.html").read_text("utf-8")
    assert "This page is for reading" in exercises
    assert f"{BINDER}?labpath=exercises%2F01-a.ipynb" in exercises


def test_a_new_site_takes_the_place_of_the_old_one_and_of_nothing_else(tmp_path: Path) -> None:
    places = course(tmp_path, "# A chapter")
    assert make(places) == 0
    folder = places.work / "site"
    (folder / "theirs.txt").write_text("theirs")
    (places.chapters / "01-a.ipynb").rename(places.chapters / "01-b.ipynb")
    (places.exercises / "01-a.ipynb").unlink()
    assert make(places) == 0
    assert not (folder / "notebooks" / "01-a.html").exists()
    assert not (folder / "exercises" / "01-a.html").exists()
    assert (folder / "notebooks" / "01-b.html").exists()
    assert (folder / "theirs.txt").read_text() == "theirs"


def test_pages_of_somebody_s_own_in_an_older_site_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, "# A chapter")
    assert make(places) == 0
    theirs = places.work / "site" / "notebooks" / "01-b.html"
    theirs.write_text("theirs")
    (places.chapters / "01-a.ipynb").rename(places.chapters / "01-b.ipynb")
    assert make(places) == 1
    assert "notebooks/01-b.html" in capsys.readouterr().err
    assert theirs.read_text() == "theirs"
    assert theirs.with_name("01-a.html").exists()


def test_a_folder_with_a_list_of_files_is_not_yet_a_site(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    places = course(tmp_path / "course", "# A")
    photos = tmp_path / "photos"
    photos.mkdir()
    names = {"a.jpg", "b.jpg", "index.html", "files.txt", manifest.NAME}
    for name in names:
        (photos / name).write_text("a.jpg\nb.jpg\n")
    assert make(places, "--output", str(photos)) == 1
    assert {path.name for path in photos.iterdir()} == names
    assert (photos / "index.html").read_text() == "a.jpg\nb.jpg\n"


def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, "# A chapter")
    assert make(places, "--output", str(tmp_path)) == 1
    assert "other files" in capsys.readouterr().err
    assert not (tmp_path / "index.html").exists()


def test_a_failing_chapter_leaves_the_site_of_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, "# A chapter")
    assert make(places) == 0
    nbformat.write(chapter("# Another", code("1 / 0")), places.chapters / "01-a.ipynb")
    assert make(places) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    page = (places.work / "site" / "notebooks" / "01-a.html").read_text("utf-8")
    assert "A chapter" in page


def test_a_picture_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, "# A\n\n![](images/none.png)")
    assert make(places) == 1
    assert "images/none.png" in capsys.readouterr().err


@pytest.mark.parametrize("link", NOT_ADDRESSES)
def test_a_link_that_opens_no_repository_is_told(
    link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = course(tmp_path, "# A")
    assert make(places, "--binder", link) == 1
    assert "/v2/gh/OWNER/REPOSITORY" in capsys.readouterr().err


def test_a_link_is_read_as_that_of_the_badges_is(tmp_path: Path) -> None:
    places = course(tmp_path, CHAPTER)
    address = "https://hub.example/binder/v2/gh/o/r/one two"
    assert make(places, "--binder", f'{address}"<script>/?labpath=x') == 0
    page = (places.work / "site" / "notebooks" / "01-a.html").read_text("utf-8")
    assert f"{badges.binder(address)}%22%3Cscript%3E?labpath=notebooks" in page


# What ran once.


def test_a_chapter_runs_again_only_when_it_has_changed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    count = f"with open({str(trace)!r}, 'a') as file:\n    print('ran', file=file)\nprint('done')"
    places = course(tmp_path, code(count))
    kept = tmp_path / "kept"

    def ran() -> NotebookNode:
        ((_, notebook),) = offline.all_executed([places.chapters / "01-a.ipynb"], kept)
        assert isinstance(notebook, NotebookNode)
        return notebook

    first, second = ran(), ran()
    assert first == second
    assert second.cells[0].outputs[0].text == "done\n"
    assert trace.read_text().count("ran") == 1
    (kept / "01-a.json").write_text('{"stamp": "half')
    ran()
    nbformat.write(chapter(code(count), "more"), places.chapters / "01-a.ipynb")
    ran()
    assert trace.read_text().count("ran") == 3


def test_several_chapters_come_in_their_order_and_one_that_failed_is_not_kept(
    tmp_path: Path,
) -> None:
    names = ["01-a", "02-b", "03-c"]
    files = [tmp_path / f"{name}.ipynb" for name in names]
    for file, source in zip(files, ["print('a')", "1 / 0", "print('c')"], strict=True):
        nbformat.write(chapter(code(source)), file)
    results = list(offline.all_executed(files, tmp_path / "kept"))
    assert [file for file, _ in results] == files
    assert [isinstance(result, CourseError) for _, result in results] == [False, True, False]
    kept = sorted(file.stem for file in (tmp_path / "kept").iterdir())
    assert kept == ["01-a", "03-c"]


def test_a_place_where_nothing_can_be_kept_is_no_reason_to_fail(tmp_path: Path) -> None:
    places = course(tmp_path, code("print(1)"))
    (tmp_path / "kept").write_text("a file, not a folder")
    ((_, result),) = offline.all_executed([places.chapters / "01-a.ipynb"], tmp_path / "kept")
    assert isinstance(result, NotebookNode)


def test_the_front_end_is_one_plain_script() -> None:
    script = command.views_script()
    assert script.startswith("(() => {")
    assert not re.search(r"^(export|import)\b", script, re.MULTILINE)
