"""Turn the text of a notebook into the text of a page: links lead to pages, headings have names."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple
from urllib.parse import unquote

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from engine.course.places import CHAPTERS, EXERCISES
from engine.course.site.pages import INDEX, address_of, way, words_of_html

FOREIGN = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
# A formula in code is read as one word; a longer one must break on a phone.
LONGEST_WORD = 20
# What a notebook may link to besides notebooks, and where the first page tells the same.
ELSEWHERE = {
    "README.md": "run",
    CHAPTERS: "chapters",
    EXERCISES: "chapters",
    f"{EXERCISES}/README.md": "chapters",
}


class Heading(NamedTuple):
    """A heading of a page.

    Attributes:
        level: 1 for the title.
        anchor: its name in a link.
        words: as they are read.
    """

    level: int
    anchor: str
    words: str


class Text(IPythonRenderer):
    """Writes all text of one page, and remembers what it met.

    Args:
        path: of the notebook in the checkout, to which its links are relative.
        pages: the paths of all notebooks that become pages.

    Attributes:
        headings: those written so far.
        pictures: paths in the checkout of the pictures that the page shows.
    """

    def __init__(self, path: str, pages: Collection[str]) -> None:
        super().__init__(escape=False, exclude_anchor_links=True)
        self.page = path
        self.pages = pages
        self.headings: list[Heading] = []
        self.pictures: set[str] = set()

    def write(self, source: str) -> str:
        """Some markdown as HTML.

        Args:
            source: the text of a cell.

        >>> text = Text("notebooks/02-b.ipynb", ["notebooks/01-a.ipynb"])
        >>> print(text.write("See [a](01-a.ipynb#An-idea) and [b](../engine/b.py)."), end="")
        <p>See <a href="01-a.html#An-idea">a</a> and b.</p>
        """
        return str(MarkdownWithMath(renderer=self).render(source))

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        """A heading with the anchor that JupyterLab gives it."""
        words = words_of_html(text)
        anchor = words.replace(" ", "-")
        taken = {heading.anchor for heading in self.headings}
        count = 2
        while anchor in taken:
            anchor = f"{words.replace(' ', '-')}-{count}"
            count += 1
        self.headings.append(Heading(level, anchor, words))
        return f'<h{level} id="{html.escape(anchor)}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to a page of the site; where there is none, the words alone."""
        target = self.target(url)
        return text if target is None else str(super().link(text, target, title))

    def target(self, url: str) -> str | None:
        """Where a link of the notebook leads in the site; None when nowhere.

        Args:
            url: as the notebook has it.
        """
        if FOREIGN.match(url) or url.startswith("#"):
            return url
        path, mark, anchor = url.partition("#")
        there = self._in_checkout(path)
        here = address_of(self.page)
        if there in self.pages:
            return way(here, address_of(there)) + mark + anchor
        return f"{way(here, INDEX)}#{ELSEWHERE[there]}" if there in ELSEWHERE else None

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture; a file is copied to the same place beside the page."""
        if not FOREIGN.match(url):
            self.pictures.add(self._in_checkout(url))
        picture = super().image(text, url, title)
        return f'<span class="picture">{picture}</span>'

    def _in_checkout(self, url: str) -> str:
        return normpath(join(dirname(self.page), unquote(url)))

    def codespan(self, text: str) -> str:
        """Code in a line; what is short stays on one line."""
        code = str(super().codespan(text))
        short = len(html.unescape(text)) <= LONGEST_WORD
        return code.replace("<code>", '<code class="word">', 1) if short else code

    def table(self, text: str) -> str:
        """A table in a box in which it can be scrolled."""
        return f'<div class="table"><table>\n{text}</table></div>\n'

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        """A cell of a table; an empty one heads nothing."""
        start, end = ('th scope="col"', "th") if head and text else ("td", "td")
        style = f' style="text-align:{align}"' if align else ""
        return f"  <{start}{style}>{text}</{end}>\n"

    def block_math(self, body: str) -> str:
        """A formula on a line of its own, as MathML."""
        return f'<p class="formula">{mathml(body, "block")}</p>\n'

    def inline_math(self, body: str) -> str:
        """A formula in a line, as MathML."""
        return mathml(body, "inline")

    def latex_environment(self, name: str, body: str) -> str:
        """A formula that is written as an environment, as MathML."""
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def mathml(formula: str, display: str) -> str:
    r"""A formula in the browser's own language for formulas, which needs no font and no script.

    Args:
        formula: in LaTeX.
        display: ``"block"`` or ``"inline"``.

    >>> "<mfrac>" in mathml(r"\frac{1}{2}", "inline")
    True
    """
    from latex2mathml.converter import convert

    return convert(formula.strip(), display=display)
