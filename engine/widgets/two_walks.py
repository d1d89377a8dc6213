"""``TwoWalks(left, right)``: two walks side by side, and where they part."""

import math
from dataclasses import dataclass

from engine.graph import Graph
from engine.text import number_of
from engine.value import Value
from engine.walk import Walk, reverse_walk
from engine.widgets import front_end
from engine.widgets.payload import walk_payload
from engine.widgets.reverse_walk import require_readable
from engine.widgets.view import SteppedView
from engine.words.naming import number
from engine.words.walks import WalkWords

HINT = "Arrow keys or a clicker step both walks, Home and End jump, Space plays. Gradients that "
HINT += "differ are underlined."


@dataclass(frozen=True)
class TwoWalksState:
    """Two walks at one position; the shorter one stays at its end.

    Attributes:
        index: the position.
        left: the gradient of every node of the left walk, by its own name.
        right: the same of the right walk.
        differs: the names whose gradients differ, or that only one of the two has.
    """

    index: int
    left: dict[str, float]
    right: dict[str, float]
    differs: tuple[str, ...]


class TwoWalks(SteppedView):
    """Two walks under one clicker, with the gradients that differ marked.

    Such as ``+=`` beside ``=``, a valid order beside an early one, or a right local derivative
    beside a wrong one.

    Args:
        left: the last number of a calculation, a Graph, or a Walk.
        right: what to put beside it.
        titles: what to call the two.
        index: the position, from 0 to ``last``.
        presenter: begin in presenter mode.

    Attributes:
        index: the position of both, to be read and set.

    Raises:
        TypeError: one of the two is nothing that can be walked.
        ValueError: a walk is too long to be followed with the eye.

    >>> x = Value(3.0)
    >>> graph = Graph.of(x * x + x)
    >>> both = TwoWalks(graph, reverse_walk(graph, accumulate=False), titles=("+=", "="))
    >>> both.step(both.last).state.differs
    ('x',)
    """

    _esm = front_end.script("reverse_walk", "two_walks")

    def __init__(
        self,
        left: Value | Graph | Walk,
        right: Value | Graph | Walk,
        titles: tuple[str, str] = ("", ""),
        *,
        index: int = 0,
        presenter: bool = False,
    ) -> None:
        self.walks = (_walk(left), _walk(right))
        self._titles = titles
        payload = {
            "summary": "Two walks side by side",
            "walks": [walk_payload(walk) for walk in self.walks],
            "titles": list(titles),
            "hint": HINT,
            "differs": [self._told(place) for place in range(self.last + 1)],
        }
        super().__init__(view="twins", payload=payload, index=index, presenter=presenter)

    @property
    def last(self) -> int:
        """The last position: the steps of the longer walk."""
        return max(len(walk.steps) for walk in self.walks)

    @property
    def state(self) -> TwoWalksState:
        """What is shown now."""
        return self._at(self.index)

    def _at(self, index: int) -> TwoWalksState:
        left, right = (
            dict(zip(walk.graph.own_names, gradients, strict=True))
            for walk in self.walks
            for gradients in [walk.gradients_after(min(index, len(walk.steps)))]
        )
        differs = tuple(
            name
            for name in {**left, **right}
            if name not in left or name not in right or not math.isclose(left[name], right[name])
        )
        return TwoWalksState(index, left, right, differs)

    def _told(self, index: int) -> dict[str, object]:
        """What the page shows of the differences at one position."""
        state = self._at(index)
        count = len(state.differs)
        heading = f"{number_of(count, 'gradient')} differ{'s' if count == 1 else ''}"
        return {
            "nodes": [
                [names.index(name) for name in state.differs if name in names]
                for names in (walk.graph.own_names for walk in self.walks)
            ],
            "heading": heading if count else "So far the two agree",
            "sentence": " ".join(
                f"{name}.grad is {left} on the left and {right} on the right."
                for name, left, right in _numbers(state)
            ),
        }

    def __repr__(self) -> str:
        tables = [
            f"{title or side}\n{WalkWords(walk).text()}"
            for title, side, walk in zip(self._titles, ("left", "right"), self.walks, strict=True)
        ]
        ends = [f"{name}.grad: {x} and {y}" for name, x, y in _numbers(self._at(self.last))]
        return "\n\n".join([*tables, "\n".join(["what differs in the end:", *ends])])

    def still(self) -> Graph:
        """The left graph with the gradients of the left walk at this position."""
        walk = self.walks[0]
        gradients = walk.gradients_after(min(self.index, len(walk.steps)))
        return walk.graph.with_gradients(gradients)


def _walk(output: Value | Graph | Walk) -> Walk:
    if not isinstance(output, Walk):
        graph = output if isinstance(output, Graph) else Graph.of(output)
        require_readable(len(graph))
        output = reverse_walk(graph)
    require_readable(len(output.steps))
    return output


def _numbers(state: TwoWalksState) -> list[tuple[str, str, str]]:
    """Name and both gradients where both walks have the node and they differ."""
    both = [name for name in state.differs if name in state.left and name in state.right]
    return [(name, number(state.left[name]), number(state.right[name])) for name in both]
