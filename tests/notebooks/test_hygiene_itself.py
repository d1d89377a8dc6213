"""Each rule lets a good notebook pass and catches a bad one, so that none of them is empty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hygiene
import nbformat
import pytest
from hygiene import EVERY_CHAPTER, EVERY_NOTEBOOK
from nbformat.notebooknode import NotebookNode

from engine.course.build import KERNELSPEC, SVG, WIDGET_VIEW

ACCESSIBLE = '<svg xmlns="http://www.w3.org/2000/svg" role="img"><title>two nodes</title></svg>'
ANSWER = "<details><summary>Answer</summary>\n\nIt is 2.\n\n</details>\n\n<p></p>\n"
TITLE = "# A chapter\n\n## Why it *matters*\n\n[on](other.ipynb#The-other) [up](#Why-it-matters)"


def output(**data: Any) -> NotebookNode:
    return nbformat.v4.new_output("display_data", data=data)


def printed(text: str, name: str = "stdout") -> NotebookNode:
    return nbformat.v4.new_output("stream", name=name, text=text)


def good(folder: Path) -> NotebookNode:
    """A notebook that breaks no rule, beside another one that it links to."""
    (folder / "notebooks").mkdir()
    other = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# The other")])
    nbformat.write(other, folder / "notebooks" / "other.ipynb")
    code = nbformat.v4.new_code_cell
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(TITLE),
            code("draw(y)", execution_count=1, outputs=[output(**{SVG: ACCESSIBLE})]),
            code("print(2)", execution_count=2, outputs=[printed("2\n")]),
            nbformat.v4.new_markdown_cell(ANSWER * 3),
        ],
        metadata={"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}},
    )
    for cell in notebook.cells:
        cell.metadata.slideshow = {"slide_type": "slide"}
    return notebook


def broken_rules(notebook: NotebookNode, folder: Path) -> set[str]:
    file = folder / "notebooks" / "00-chapter.ipynb"
    file.write_text(nbformat.v4.writes(notebook), "utf-8")
    chapter = hygiene.read(file)
    return {rule.__name__ for rule in (*EVERY_NOTEBOOK, *EVERY_CHAPTER) if rule(chapter)}


def test_a_good_notebook_breaks_no_rule(tmp_path: Path) -> None:
    assert broken_rules(good(tmp_path), tmp_path) == set()


def source(cell: int, text: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[cell].source = text

    return change


def added(cell: int, text: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[cell].source += text

    return change


def shows(*outputs: NotebookNode) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[2].outputs = list(outputs)

    return change


def metadata(cell: int, **values: Any) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        notebook.cells[cell].metadata.update(nbformat.from_dict(values))

    return change


def counts(*values: int | None) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        for cell, value in zip(notebook.cells[1:3], values, strict=True):
            cell.execution_count = value

    return change


def widget_state(notebook: NotebookNode) -> None:
    notebook.metadata.widgets = {}


def kernel(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec["display_name"] = "my-env"


def language_version(notebook: NotebookNode) -> None:
    notebook.metadata.language_info["version"] = "3.11.7"


def same_ids(notebook: NotebookNode) -> None:
    notebook.cells[1].id = notebook.cells[2].id


def no_slide(notebook: NotebookNode) -> None:
    del notebook.cells[2].metadata["slideshow"]


def no_graph(notebook: NotebookNode) -> None:
    notebook.cells[1].outputs = []


ERROR = nbformat.v4.new_output("error", ename="E", evalue="", traceback=["E"])
MANY_LINES = "\n".join(f"x{i} = {i}" for i in range(16))
BLANK_LINES = "\n\n\n".join(f"x{i} = {i}" for i in range(6))
NO_ROLE = ACCESSIBLE.replace(' role="img"', "")
NO_TITLE = ACCESSIBLE.replace("two nodes", " ")

BAD = [
    ("executed_in_order", counts(None, None)),
    ("executed_in_order", counts(2, 3)),
    ("executed_in_order", counts(2, 1)),
    ("executed_in_order", source(2, " ")),
    ("no_live_view_stored", shows(output(**{WIDGET_VIEW: {"model_id": "x"}}))),
    ("no_live_view_stored", widget_state),
    ("no_warning", shows(printed("note\n", "stderr"))),
    ("no_warning", shows(printed("DeprecationWarning: old\n"))),
    ("errors_only_where_expected", shows(ERROR)),
    ("errors_only_where_expected", metadata(2, tags=["raises-exception"])),
    ("nothing_of_this_machine", shows(printed("in /home/ada/x.py\n"))),
    ("nothing_of_this_machine", shows(printed("in C:\\Users\\ada\n"))),
    ("nothing_of_this_machine", shows(printed("in /tmp/tmp1/x\n"))),
    ("nothing_of_this_machine", shows(printed("<function f at 0x7f2a6c0>\n"))),
    ("nothing_of_this_machine", source(2, "open('/usr/share/x')")),
    ("short_cells", source(2, MANY_LINES)),
    ("short_cells", source(2, BLANK_LINES)),
    ("short_cells", source(2, "from engine import *")),
    ("short_cells", source(2, "plot(x);")),
    ("pictures_have_words", added(0, "\n![](other.ipynb)")),
    ("pictures_have_words", added(0, '\n<img src="other.ipynb">')),
    ("pictures_have_words", added(0, '\n<img src="other.ipynb" alt="">')),
    ("pictures_have_words", shows(output(**{SVG: NO_ROLE}))),
    ("pictures_have_words", shows(output(**{SVG: NO_TITLE}))),
    ("pictures_have_words", shows(output(**{SVG: "<svg>"}))),
    ("pictures_have_words", shows(output(**{"text/html": '<img src="data:,">'}))),
    ("links_resolve", added(0, "\n[gone](gone.ipynb)")),
    ("links_resolve", added(0, "\n[gone](#Gone)")),
    ("links_resolve", added(0, "\n[gone](other.ipynb#Gone)")),
    ("links_resolve", added(0, '\n<a href="gone.ipynb">gone</a>')),
    ("links_resolve", added(0, "\n![a graph](gone.png)")),
    ("links_resolve", added(0, "\n[not copied](../README.md)")),
    ("american", added(0, "\nThe colour of a node.")),
    ("american", source(2, "# initialise the weights")),
    ("american", shows(printed("labelled\n"))),
    ("plain_metadata", kernel),
    ("plain_metadata", language_version),
    ("plain_metadata", same_ids),
    ("plain_metadata", metadata(2, execution={"iopub.execute_input": "2026"})),
    ("every_cell_has_a_slide_type", no_slide),
    ("every_cell_has_a_slide_type", metadata(2, slideshow={"slide_type": "page"})),
    ("hidden_answers", source(3, ANSWER * 2)),
    ("hidden_answers", added(3, "<details>\n\nNo summary.\n\n</details>")),
    ("hidden_answers", added(3, ANSWER.replace("<p></p>", "**2.** It sticks."))),
    ("shows_a_graph", no_graph),
    ("begins_with_one_title", added(3, "\n# Another title")),
    ("begins_with_one_title", source(0, TITLE.replace("# A", "A", 1))),
]


@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
@pytest.mark.parametrize(("rule", "spoil"), BAD)
def test_a_bad_notebook_breaks_just_its_rule(
    rule: str, spoil: Callable[[NotebookNode], None], tmp_path: Path
) -> None:
    notebook = good(tmp_path)
    (tmp_path / "README.md").write_text("not copied")
    spoil(notebook)
    assert broken_rules(notebook, tmp_path) == {rule}


def test_every_rule_has_a_bad_notebook() -> None:
    rules = {rule.__name__ for rule in (*EVERY_NOTEBOOK, *EVERY_CHAPTER)}
    assert {rule for rule, _ in BAD} == rules


def chapters(folder: Path, **texts: str) -> list[hygiene.Chapter]:
    made = []
    for name, text in texts.items():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)])
        made.append(hygiene.Chapter(folder / f"{name}.ipynb", notebook))
    return made


def test_chapters_that_point_at_each_other_agree(tmp_path: Path) -> None:
    good_ones = chapters(
        tmp_path, a="[On: b](b.ipynb)", b="[Back: a](a.ipynb), [On and on](a.ipynb)"
    )
    assert hygiene.ways_are_mutual(good_ones) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("[On: b](b.ipynb)", "nothing"),
        ("nothing", "[Back: a](a.ipynb)"),
        ("[On: c](c.ipynb)", "[Back: a](a.ipynb)"),
        ("[On: b](b.ipynb) [Back: b](b.ipynb)", "[Back: a](a.ipynb)"),
        ("[On: b](b.ipynb)", "[Back: a](a.ipynb) [On: a](a.ipynb)"),
    ],
)
def test_chapters_that_do_not_agree_are_caught(a: str, b: str, tmp_path: Path) -> None:
    assert hygiene.ways_are_mutual(chapters(tmp_path, a=a, b=b))
