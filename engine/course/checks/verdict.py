"""What ``check`` and ``hint`` show: a few plain sentences, the same each time."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass

WIDTH = 80


@dataclass(frozen=True)
class Verdict:
    """What is said about an answer; in a notebook it shows itself.

    Attributes:
        name: of the exercise, ``""`` where there is none.
        state: ``"right"``, ``"wrong"``, ``"untouched"``, ``"failed"`` or ``"told"``.
        heading: in a word or two.
        words: for the learner.
        kind: of wrong.

    >>> Verdict("01.1", "right", "Right", "It is steep.")
    01.1 · Right. It is steep.
    """

    name: str
    state: str
    heading: str
    words: str
    kind: str = ""

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return self.state == "right"

    def __str__(self) -> str:
        start = " · ".join(part for part in (self.name, self.heading) if part)
        text = f"{start}. {self.words}" if start else self.words
        return "\n".join(textwrap.fill(line, WIDTH) for line in text.splitlines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        start = " · ".join(html.escape(part) for part in (self.name, self.heading) if part)
        lines = [html.escape(line, quote=False) for line in self.words.splitlines()]
        lines[0] = f"<strong>{start}.</strong> {lines[0]}" if start else lines[0]
        return "".join(f"<p>{line}</p>" for line in lines)
