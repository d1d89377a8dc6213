r"""A function with gaps, for each of which learners choose one of several lines.

Which lines are right is found by running the function that they make.

>>> twice = Gaps("def twice(x):\n    (1)", {"1": {"A": "return x + x", "B": "return x"}})
>>> twice.filled({"1": "A"})(3.0)
6.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.course.checks.exercise import Finding, Shape, fields, one_of
from engine.course.checks.mistakes import made


@dataclass(frozen=True)
class Gaps:
    """A function in which each gap, such as ``(1)``, stands for a line.

    Attributes:
        function: its text.
        lines: for each gap, the lines to choose from, by letter.
        given: what the function uses from elsewhere, by name.
    """

    function: str
    lines: Mapping[str, Mapping[str, str]]
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> Shape:
        """A letter for each gap."""
        return fields(**{gap: one_of(*lines) for gap, lines in self.lines.items()})

    @property
    def task(self) -> str:
        """The function and the lines, as the text of a task shows them."""
        listed = (
            f"- {gap} {letter}: `{line}`"
            for gap, lines in self.lines.items()
            for letter, line in lines.items()
        )
        return "```\n" + self.function.strip() + "\n```\n\n" + "\n".join(listed)

    @property
    def answer(self) -> str:
        """The answer cell of learners, with its gaps open."""
        return f"lines = {{{', '.join(f'{gap!r}: ...' for gap in self.lines)}}}".replace("'", '"')

    def filled(self, answer: Mapping[str, str]) -> Callable[..., Any]:
        """The function with the chosen lines.

        Args:
            answer: a letter for each gap.
        """
        text = self.function
        for gap, letter in answer.items():
            text = text.replace(f"({gap})", self.lines[gap][letter])
        return made(text.strip(), self.given)

    def judge(
        self,
        run: Callable[[Callable[..., Any]], Any],
        right: Callable[..., Any],
        mistakes: Mapping[str, tuple[str, str]],
    ) -> Callable[[dict[str, str]], Finding | None]:
        """Judge the chosen lines by what they do.

        Args:
            run: what a function comes to on its cases.
            right: a function that is right.
            mistakes: kind and words of each wrong line, by gap and letter, such as ``"1 B"``.
        """

        def judge(answer: dict[str, str]) -> Finding | None:
            try:
                same = run(self.filled(answer)) == run(right)
            except Exception:  # noqa: BLE001 (lines that do not fit may raise anything)
                same = False
            if same:
                return None
            wrong = (f"{gap} {answer[gap]}" for gap in self.lines)
            place, told = next((place, mistakes[place]) for place in wrong if place in mistakes)
            return Finding(told[0], f"({place[0]}) {told[1]}")

        return judge
