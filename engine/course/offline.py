"""Show a chapter where no kernel and no network is: its cells as HTML, its views as they were."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import html
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import distributions
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

from engine.course import atomic, build
from engine.course.places import CourseError
from engine.drawing.palette import css_variables
from engine.drawing.renderer import ENVIRONMENT_VARIABLE
from engine.widgets import front_end, kept

ASSETS = Path(__file__).parent / "assets"
ENGINE = Path(__file__).parents[1]
KEPT = ".ran"
# Tells a kernel, before the first cell, that what it makes is to be read without one.
KEEP_ANSWERS = f"import os; os.environ[{kept.ENVIRONMENT_VARIABLE!r}] = '1'; del os"
LIVE = "application/vnd.reverse-walk.view+json"
NO_PYTHON = "This needs Python, and there is none on this page. Open the chapter in JupyterLab."
NOTEBOOK_LINK = re.compile(r'<a href="(?![a-z]+:)[^"#]*\.ipynb[^"]*">(.*?)</a>', re.DOTALL)
# An output can be shown in several ways; the first of these that it has is taken.
BEST_FIRST = (
    LIVE,
    build.SVG,
    "text/html",
    "text/markdown",
    "image/png",
    "image/jpeg",
    "text/plain",
)


def executed(file: Path) -> NotebookNode:
    """Run a chapter, and keep each view as it was when its cell had run.

    Args:
        file: the notebook's file.

    Returns:
        The notebook; an output that showed a view holds the view's traits under ``LIVE``.

    Raises:
        CourseError: the file is no notebook, or a cell failed.
    """

    def prepare(client: NotebookClient) -> None:
        client.store_widget_state = True
        client.on_notebook_start = lambda notebook: _keep_answers(client)
        client.on_cell_executed = lambda cell, **_reply: _keep_views(cell, client.widget_state)

    return build.executed(file, prepare)


def all_executed(
    files: Sequence[Path], kept: Path
) -> Iterator[tuple[Path, NotebookNode | CourseError]]:
    """Run chapters, one on each processor, and keep them: what has not changed runs only once.

    Args:
        files: the chapters' notebooks.
        kept: the folder where executed chapters are kept, one file for each.

    Yields:
        Each file in its turn, with its executed notebook or with what went wrong.
    """
    before = {file: _kept(file, kept) for file in files}
    changed = [file for file in files if before[file] is None]
    run = partial(_executed_anew, kept=kept)
    if len(changed) < 2:
        yield from ((file, before[file] or run(file)) for file in files)
        return
    # Each in a process of its own: event loops that were opened in a thread are left open there.
    workers = min(len(changed), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        with _inherited_without_ctrl_c():
            results = iter([pool.submit(run, file) for file in changed])
        try:
            yield from ((file, before[file] or next(results).result()) for file in files)
        except BaseException:
            for worker in active_children():
                worker.terminate()  # its kernel ends with it
            raise


@contextlib.contextmanager
def _inherited_without_ctrl_c() -> Iterator[None]:
    """A terminal sends Ctrl+C to every process; only the one that a person started tells of it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _kept(file: Path, kept: Path) -> NotebookNode | None:
    try:
        before = json.loads((kept / f"{file.stem}.json").read_text(encoding="utf-8"))
        return nbformat.from_dict(before["notebook"]) if before["stamp"] == _stamp(file) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nothing is kept, or half of it


def _executed_anew(file: Path, kept: Path) -> NotebookNode | CourseError:
    stamp = _stamp(file)
    try:
        notebook = executed(file)
    except CourseError as error:
        return error
    content = json.dumps({"stamp": stamp, "notebook": notebook}).encode()
    with contextlib.suppress(OSError):  # the checkout of a class may be read-only
        atomic.write(kept / f"{file.stem}.json", content)
    return notebook


def _stamp(file: Path) -> str:
    """What the result of a chapter depends on: itself, the engine, Python and all packages."""
    return hashlib.sha256(file.read_bytes() + _surroundings()).hexdigest()


@cache
def _surroundings() -> bytes:
    sources = [source.read_bytes() for source in sorted(ENGINE.rglob("*.py"))]
    packages = sorted(f"{found.name} {found.version}" for found in distributions())
    dot = os.environ.get(ENVIRONMENT_VARIABLE, "")
    return b"\n".join([*sources, "\n".join([sys.version, dot, *packages]).encode()])


def _keep_answers(client: NotebookClient) -> None:
    if client.kc is not None:
        client.kc.execute(KEEP_ANSWERS, silent=True)


def _keep_views(cell: NotebookNode, states: Mapping[str, Mapping[str, Any]]) -> None:
    for output in cell.get("outputs", ()):
        shown = output.get("data", {}).get(build.WIDGET_VIEW)
        traits = traits_of_view(states[shown["model_id"]]) if shown else None
        if traits:
            output.data[LIVE] = nbformat.from_dict(traits)


def traits_of_view(state: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the front end reads of a view; None where a widget is not one of our views.

    Args:
        state: all traits of a widget that it shares with its front end.

    >>> traits_of_view({"view": "walk", "payload": {}, "index": 0, "layout": "x", "_esm": "..."})
    {'view': 'walk', 'payload': {}, 'index': 0}
    """
    if "view" not in state or "payload" not in state:
        return None
    every_widget_has = {"layout", "tabbable", "tooltip"}
    kept = {
        name: value
        for name, value in state.items()
        if not name.startswith("_") and name not in every_widget_has
    }
    kept = copy.deepcopy(kept)
    if "noPython" in kept["payload"]:
        kept["payload"]["noPython"] = NO_PYTHON
    return kept


def cell_html(cell: NotebookNode) -> str:
    r"""One cell as HTML: text as text, code with its outputs, without prompts.

    Args:
        cell: a cell of an executed notebook.

    >>> cell_html(nbformat.v4.new_markdown_cell("An *idea*."))
    '<div class="text">\n<p>An <em>idea</em>.</p>\n</div>'
    """
    if cell.cell_type == "markdown":
        return f'<div class="text">\n{markdown_html(cell.source)}</div>'
    if cell.cell_type == "code":
        return "\n".join([code_html(cell.source), *map(output_html, cell.outputs)])
    return f"<pre>{html.escape(cell.source)}</pre>"


def markdown_html(source: str) -> str:
    """Markdown as HTML; a link to another notebook keeps its words, since that is not there.

    Args:
        source: the text of a cell.

    >>> print(markdown_html("See [chapter 01](01-wiggle-a-number.ipynb)."), end="")
    <p>See chapter 01.</p>
    """
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)
    return NOTEBOOK_LINK.sub(r"\1", str(MarkdownWithMath(renderer=renderer).render(source)))


def code_html(source: str) -> str:
    """Python code as HTML, its words marked by what they are.

    Args:
        source: the code.
    """
    from nbconvert.filters.highlight import Highlight2HTML

    highlight: Callable[[str], str] = Highlight2HTML(pygments_lexer="python")
    return highlight(source)


def output_html(output: NotebookNode) -> str:
    r"""One output as HTML, in the best way that it can be shown.

    Args:
        output: an output of a code cell.

    >>> output_html(nbformat.v4.new_output("stream", text="1 < 2\n"))
    '<pre class="output">1 &lt; 2</pre>'
    """
    if output.output_type == "stream":
        return _printed(output.text)
    if output.output_type == "error":
        return _printed("\n".join(output.traceback))
    kind = kind_of(output)
    if kind is None:
        return ""
    content = output.data[kind]
    words = output.data.get("text/plain", "")
    if kind == LIVE:
        return f'<div class="live" data-view="{content["view"]}">{_data(content)}</div>'
    if kind == "text/markdown":
        return f'<div class="text">\n{markdown_html(content)}</div>'
    if kind.startswith("image/") and kind != build.SVG:
        image = _image(kind, content, output.metadata.get(kind, {}), words)
        return f'<div class="picture">{image}</div>'
    if kind == "text/plain":
        return _printed(content)
    return f'<div class="picture">{content}</div>'


def kind_of(output: NotebookNode) -> str | None:
    """The best of the ways in which an output can be shown, None when there is none.

    Args:
        output: an output of a code cell.
    """
    return next((kind for kind in BEST_FIRST if kind in output.get("data", {})), None)


def _image(kind: str, content: str, metadata: Mapping[str, Any], words: str) -> str:
    """A picture with what its output says of it, in the size in which a notebook shows it."""
    address = f"data:{kind};base64,{''.join(content.split())}"
    size = {name: metadata[name] for name in ("width", "height") if name in metadata}
    attributes = {"src": address, "alt": metadata.get("alt") or words, **size}
    told = " ".join(f'{name}="{html.escape(str(value))}"' for name, value in attributes.items())
    return f"<img {told}>"


def _printed(text: str) -> str:
    return f'<pre class="output">{html.escape(text.rstrip(), quote=False)}</pre>'


def _data(value: object) -> str:
    """JSON in a page; an escaped "<" keeps it from ending its element."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{written}</script>'


def script(*sources: str, kind: str = "text/javascript") -> str:
    r"""JavaScript in a page; an escaped "</script" keeps it from ending its element.

    Args:
        sources: one after the other.
        kind: ``"module"``, or a plain script.

    >>> print(script("a = '</script>'"))
    <script type="text/javascript">a = '<\/script>'</script>
    """
    joined = re.sub(r"</(?=script)", r"<\\/", "\n".join(sources), flags=re.IGNORECASE)
    return f'<script type="{kind}">{joined}</script>'


@cache
def asset(name: str) -> str:
    """The text of a file that the course brings.

    Args:
        name: its path below ``assets/``.
    """
    return (ASSETS / name).read_text(encoding="utf-8")


def views_script(*after: str) -> str:
    """The front end of the views, and what starts it on a page with no kernel.

    Args:
        after: JavaScript for when the views are there.
    """
    return script(front_end.script(), *views_assets(), *after, kind="module")


def views_assets() -> tuple[str, str]:
    """What starts views where no kernel is, and what makes a handout of a page that is printed."""
    return asset("live.js"), asset("paper.js")


def views_style() -> str:
    """The style of the views, and the palette for the page around them."""
    return f"{css_variables('html')}\n{front_end.style()}\n{asset('paper.css')}"
