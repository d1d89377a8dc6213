"""``ReverseWalk(y)``: step back through a calculation, one node at a time."""

from dataclasses import dataclass
from typing import Any

from engine.graph import Graph
from engine.value import Value
from engine.walk import Walk, reverse_walk
from engine.widgets import front_end
from engine.widgets.payload import walk_payload
from engine.widgets.view import SteppedView
from engine.words.walks import WalkWords

LARGEST_STEPPED = 60


@dataclass(frozen=True)
class WalkState:
    """What a ``ReverseWalk`` shows at one position.

    Attributes:
        index: the position: 0 is the seed gradient alone, then one for each step.
        node: name of the node being processed, or None at position 0.
        gradients: the gradient of every node, by name. Nodes that share a name have their place
            in it as well, such as ``a * b (n2)``.
        heading: the line above the sentences.
        sentences: what happens at this position.
    """

    index: int
    node: str | None
    gradients: dict[str, float]
    heading: str
    sentences: tuple[str, ...]


class ReverseWalk(SteppedView):
    """Walk back from an output, one node at a time, with buttons, keys or from Python.

    Arrow keys or a clicker's page keys step, Home and End jump, Space plays; a click on a node
    goes to its step.

    Args:
        output: the last number of the calculation, or a Graph or a Walk kept from it.
        presenter: begin in presenter mode, with large type for a projector.
        **options: ``order``, ``accumulate`` and ``visit_once`` of ``reverse_walk``, to see what
            goes wrong in another order, with ``=`` for ``+=``, or without a visited set.

    Attributes:
        index: the position, to be read and set: 0 is the seed gradient alone.
        walk: the walk that is shown.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is none of the three.
        ValueError: the walk is too long to be followed with the eye.
        traitlets.TraitError: ``index`` is set to a position that does not exist.

    >>> x = Value(3.0)
    >>> y = x * x + x
    >>> view = ReverseWalk(y)
    >>> view.step().state.heading
    'Step 1 of 3: y = x * x + x'
    >>> view.step(2).state.gradients["x"]
    7.0
    """

    _esm = front_end.script("reverse_walk")

    walk: Walk

    def __init__(
        self, output: Value | Graph | Walk, *, presenter: bool = False, **options: Any
    ) -> None:
        self.walk = _walk(output, options)
        self._words = WalkWords(self.walk)
        super().__init__(view="walk", payload=walk_payload(self.walk), presenter=presenter)

    @property
    def graph(self) -> Graph:
        """The graph that is walked."""
        return self.walk.graph

    @property
    def last(self) -> int:
        """The last position: the number of steps."""
        return len(self.walk.steps)

    @property
    def state(self) -> WalkState:
        """What is shown now."""
        names = self.graph.own_names
        step = self.walk.steps[self.index - 1] if self.index else None
        gradients = self.walk.gradients_after(self.index)
        return WalkState(
            index=self.index,
            node=names[step.node] if step else None,
            gradients=dict(zip(names, gradients, strict=True)),
            heading=self._words.heading(self.index),
            sentences=self._words.sentences(self.index),
        )

    def __repr__(self) -> str:
        return self._words.text()

    def still(self) -> Graph:
        """The graph with the gradients the walk starts with: whoever looks can guess first."""
        return self.graph.with_gradients(self.walk.gradients_after(0))


def _walk(output: Value | Graph | Walk, options: dict[str, Any]) -> Walk:
    if isinstance(output, Walk):
        if options:
            raise TypeError(f"a Walk is complete: {', '.join(options)} cannot change it any more.")
        walk = output
    else:
        graph = output if isinstance(output, Graph) else Graph.of(output)
        require_readable(len(graph))
        walk = reverse_walk(graph, **options)
    require_readable(len(walk.steps))
    return walk


def require_readable(steps: int) -> None:
    """Refuse a graph with more steps than an eye can follow."""
    if steps > LARGEST_STEPPED:
        raise ValueError(
            f"a walk of {steps} steps cannot be followed with the eye (the limit is "
            f"{LARGEST_STEPPED}). GraphExplorer(y) walks back over a graph of any size; or walk "
            "back from an earlier node."
        )
