"""The decks: how many slides, what is in them, and that they fetch nothing from anywhere."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

from engine import widgets
from engine.course import atomic, build, manifest, offline, slides
from engine.course.__main__ import main
from engine.course.places import CourseError, Places
from engine.widgets.view import View

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = build.chapter_files(Places(ROOT))
VIEWS = {name for name in widgets.__all__ if issubclass(getattr(widgets, name), View)}
FEWEST, MOST = 15, 25
FETCHED = {"src", "srcset", "href", "poster", "data", "action"}


class Page(HTMLParser):
    """A page as its elements: what each tag fetches, and what stands in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[tuple[str, str]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.tags: list[str] = []
        self.views: list[str] = []
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._inside = tag
        if tag in self.raw:
            self.raw[tag].append("")
        self.fetched += [(tag, value or "") for name, value in attrs if name in FETCHED]
        self.views += [value or "" for name, value in attrs if name == "data-view"]

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside][-1] += data


def cell(kind: str, source: str, outputs: Sequence[NotebookNode] | None = None) -> NotebookNode:
    metadata = {"slideshow": {"slide_type": kind}}
    if outputs is None:
        return nbformat.v4.new_markdown_cell(source, metadata=metadata)
    return nbformat.v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))


def notebook(*cells: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_notebook(cells=list(cells))


def written(folder: Path, *cells: NotebookNode) -> Path:
    file = folder / "notebooks" / "99-a-talk.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(notebook(*cells), file)
    return file


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_chapter_makes_a_talk_of_fair_length(file: Path) -> None:
    stacks = slides.stacks(build.read_with_ids(file).cells)
    count = sum(len(stack) for stack in stacks)
    assert FEWEST <= count <= MOST
    assert all(slide.parts for stack in stacks for slide in stack)


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_deck_fetches_nothing_and_has_every_view(file: Path, decks: Path) -> None:
    text = (decks / f"{file.stem}.html").read_text("utf-8")
    page = Page(text)
    for tag, address in page.fetched:
        assert tag == "a" or address.startswith("data:"), f"<{tag}> fetches {address}"
    assert "link" not in page.tags
    for style in page.raw["style"]:
        assert "@import" not in style
        assert all(url.startswith("data:") for url in re.findall(r"url\(['\"]?([^)'\"]+)", style))
    cells = build.read_with_ids(file).cells
    named = names_of_views(cells)
    shown = [cell for cell in cells if slides.slide_type(cell) != "skip"]
    assert len(page.views) == sum(shows_a_view(cell, named) for cell in shown)
    assert all(json.loads(script)["payload"] for script in page.raw["script"] if is_data(script))


def shows_a_view(cell: NotebookNode, named: set[str]) -> bool:
    """A cell has a stored picture, and its last line begins with a view or the name of one."""
    kinds = {build.SVG, build.HTML}
    if not any(kinds & set(output.get("data", {})) for output in cell.get("outputs", ())):
        return False
    first_word = re.match(r"\w+", ast.unparse(ast.parse(cell.source).body[-1]))
    return first_word is not None and first_word[0] in VIEWS | named


def names_of_views(cells: Sequence[NotebookNode]) -> set[str]:
    """The variables of a chapter that hold views."""
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    return {
        ast.unparse(line.targets[0])
        for source in sources
        for line in ast.parse(source).body
        if isinstance(line, ast.Assign) and makes_a_view(line.value)
    }


def makes_a_view(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in VIEWS


def is_data(script: str) -> bool:
    return script.startswith("{")


def test_a_view_is_kept_as_it_was_when_its_cell_had_run(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        cell("slide", "from engine import ReverseWalk, Value\nx = Value(3.0)\ny = x * x", []),
        cell("slide", "walk = ReverseWalk(y)\nwalk", []),
        cell("slide", "walk.index = 2\nwalk", []),
    )
    ran = offline.executed(file)
    first, second = (ran.cells[place].outputs[0].data[offline.LIVE] for place in (1, 2))
    assert (first["view"], first["index"], second["index"]) == ("walk", 0, 2)
    assert not [name for name in first if name.startswith("_")]
    deck = slides.deck(ran)
    assert Page(deck).views == ["walk", "walk"]


def test_answers_are_kept_for_a_talk_and_never_in_a_notebook(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        cell("slide", "from engine import Predict, Value\nx = Value(3.0)\nPredict(x * x)", []),
        cell("slide", "'os' in dir()", []),
    )
    ran = offline.executed(file)
    assert ran.cells[0].outputs[0].data[offline.LIVE]["payload"]["answers"]
    assert ran.cells[1].outputs[0].data["text/plain"] == "False"
    assert [cell.execution_count for cell in ran.cells] == [1, 2]
    payloads = []

    def listen(client: NotebookClient) -> None:
        client.store_widget_state = True
        client.on_notebook_complete = lambda notebook: payloads.extend(
            state["payload"] for state in client.widget_state.values() if "payload" in state
        )

    build.executed(file, listen)
    assert ["answers" in payload for payload in payloads] == [False]


def test_hostile_words_stay_words() -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    live = {"view": "walk", "payload": {"summary": hostile}, "index": 0}
    data = {offline.LIVE: live, "text/plain": hostile}
    view = nbformat.v4.new_output("execute_result", data=data)
    printed = nbformat.v4.new_output("stream", text=hostile)
    page = Page(
        slides.deck(notebook(cell("slide", "# `</title><img>`"), cell("-", "1", [view, printed])))
    )
    assert json.loads(next(filter(is_data, page.raw["script"]))) == live
    assert page.tags.count("img") == 0
    assert page.tags.count("script") == 4  # the view's data, reveal.js, its notes, our own


def test_notes_are_for_the_speaker_and_skipped_cells_for_nobody() -> None:
    (stack,) = slides.stacks(
        [cell("slide", "# Seen"), cell("notes", "Say it slowly."), cell("skip", "Not here.")]
    )
    text = slides.slide_html(stack[0], "0")
    shown, _, aside = text.partition('<aside class="notes">')
    assert "Seen" in shown
    assert "slowly" not in shown
    assert "slowly" in aside
    assert "Not here" not in text


def test_a_slide_without_a_heading_says_where_it_belongs() -> None:
    (stack,) = slides.stacks(
        [cell("slide", "## A rule"), cell("subslide", "More."), cell("subslide", "## Another")]
    )
    texts = [slides.slide_html(slide, str(place)) for place, slide in enumerate(stack)]
    assert ['class="kicker"' in text for text in texts] == [False, True, False]
    assert "A rule" in texts[1]


def test_hidden_answers_of_a_slide_open_one_at_a_time() -> None:
    answer = "<details><summary>Answer</summary>\n\n1\n\n</details>"
    (first,), (second,) = slides.stacks(
        [cell("slide", f"{answer}\n\n{answer}"), cell("slide", answer)]
    )
    names = [
        re.findall(r'<details name="(.+?)"', slides.slide_html(slide, str(place)))
        for place, slide in enumerate((first, second))
    ]
    assert [len(found) for found in names] == [2, 1]
    assert len(set(names[0])) == 1
    assert names[0][0] != names[1][0]


def test_the_command_names_the_deck_and_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, cell("slide", "# A talk"), cell("subslide", "print(6 * 7)", []))
    assert main(["slides", "99", "--root", str(tmp_path)]) == 0
    target = tmp_path.resolve() / "work" / "slides" / "99-a-talk.html"
    assert capsys.readouterr().out == f"{target}  2 slides\n"
    text = target.read_text("utf-8")
    assert "<title>A talk</title>" in text
    assert '<pre class="output">42</pre>' in text


def test_a_chapter_without_slides_says_how_to_get_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, nbformat.v4.new_markdown_cell("# No talk"))
    with pytest.raises(CourseError, match="Slide Type"):
        slides.write_deck(file, build.read_with_ids(file), tmp_path)
    assert main(["slides", "--all", "--root", str(tmp_path)]) == 1
    assert file.name in capsys.readouterr().err


def test_a_failing_chapter_leaves_the_deck_of_before(tmp_path: Path) -> None:
    written(tmp_path, cell("slide", "1 / 0", []))
    old = tmp_path / "99-a-talk.html"
    old.write_text("before")
    assert main(["slides", "99", "--root", str(tmp_path), "--output", str(tmp_path)]) == 1
    assert old.read_text() == "before"


@pytest.mark.parametrize("taken", ["out", "out/99-a-talk.html", "out/99-a-talk.html/x"])
def test_a_place_where_no_deck_can_be_written_is_told_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], taken: str
) -> None:
    written(tmp_path, cell("slide", "# A talk"))
    (tmp_path / taken).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / taken).write_text("theirs")
    output = tmp_path / "out"
    assert main(["slides", "99", "--root", str(tmp_path), "--output", str(output)]) == 1
    told = f"cannot use {output}:" if taken == "out" else f"in {output}, or they have changed since"
    assert told in capsys.readouterr().err
    assert (tmp_path / taken).read_text() == "theirs"


def test_a_new_deck_replaces_only_the_old_one_while_nobody_has_changed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, cell("slide", "# A talk"))
    output = tmp_path / "talks"
    atomic.write(output / "mine.html", b"mine")
    command = ["slides", "99", "--root", str(tmp_path), "--output", str(output)]
    assert main(command) == 0
    (other := file.with_name("98-another.ipynb")).write_bytes(file.read_bytes())
    assert main([*command[:1], "98", *command[2:]]) == 0
    nbformat.write(notebook(cell("slide", "# A better talk")), file)
    assert main(command) == 0
    deck = output / "99-a-talk.html"
    assert "A better talk" in deck.read_text("utf-8")
    names = {"mine.html", deck.name, f"{other.stem}.html", manifest.NAME}
    assert {path.name for path in output.iterdir()} == names
    assert (output / "mine.html").read_text() == "mine"
    deck.write_text("changed by hand")
    capsys.readouterr()
    assert main(["slides", "--all", *command[2:]]) == 1
    out, err = capsys.readouterr()
    assert "98-another.html  1 slides" in out
    assert f"{deck.name}. They stay as they are" in err
    assert deck.read_text() == "changed by hand"


def test_the_folder_of_another_command_takes_no_deck(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, cell("slide", "1 / 0", []))
    manifest.put({"index.html": b"a page"}, tmp_path / "site", "course site")
    command = ["slides", "99", "--root", str(tmp_path), "--output", str(tmp_path / "site")]
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "holds other files than those of `course slides`" in told
    assert file.name not in told
    assert {path.name for path in (tmp_path / "site").iterdir()} == {"index.html", manifest.NAME}


@pytest.mark.parametrize("words", [["slides"], ["slides", "06", "--all"]])
def test_a_person_says_which_chapters(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "--all" in capsys.readouterr().err


def test_what_others_wrote_stands_under_their_license() -> None:
    license_text = offline.asset("reveal/LICENSE")
    for words in ("Hakim El Hattab", "MarkedJS", "John Gruber", "WITHOUT WARRANTY OF ANY KIND"):
        assert words in license_text
    (version,) = re.findall(r"reveal\.js (\d+\.\d+\.\d+)", license_text)
    assert version in offline.asset("reveal/reveal.js")
