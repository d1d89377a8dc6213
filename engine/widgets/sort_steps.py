"""``SortSteps(y)``: how the order of a walk is made, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.graph import Graph
from engine.value import Value
from engine.widgets import front_end
from engine.widgets.payload import drawings
from engine.widgets.reverse_walk import require_readable
from engine.widgets.view import SteppedView
from engine.words.naming import graph_summary, name, number

HINT = "Arrow keys or a clicker step, Home and End jump, Space plays."
NOTHING = "nothing yet"


@dataclass(frozen=True)
class SortState:
    """What the sort holds at one position.

    Attributes:
        node: index of the node that is looked at, None at the start and at the end.
        visited: indices of the nodes that were visited, in this order.
        stack: of those that wait for their inputs, the latest last.
        list: of those that are in the list, every input before the node that uses it.
        heading: what is done.
        sentence: why.
    """

    node: int | None
    visited: tuple[int, ...]
    stack: tuple[int, ...]
    list: tuple[int, ...]
    heading: str
    sentence: str


class SortSteps(SteppedView):
    """The sort that makes the order of a walk: a visited set, a stack and a list, step by step.

    It goes depth first from the output, left operand first. A node enters the list when all its
    inputs are in it; read from the back, the list is the order of the walk.

    Args:
        output: the last number of the calculation, or a Graph kept from it.
        index: the position, from 0 to ``last``.
        presenter: begin in presenter mode.

    Attributes:
        index: the position, to be read and set.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        ValueError: the graph has too many nodes to be followed with the eye.

    >>> x = Value(3.0)
    >>> view = SortSteps(x * x)
    >>> view.step(4).state.heading
    'x was visited before: pass over it'
    """

    _esm = front_end.script("sort_steps")

    positions = "this sort has the positions"

    def __init__(self, output: Value | Graph, *, index: int = 0, presenter: bool = False) -> None:
        self.graph = output if isinstance(output, Graph) else Graph.of(output)
        require_readable(len(self.graph))
        self._states = tuple(_sorted_by_steps(self.graph))
        names = [name(self.graph, place) for place in range(len(self.graph))]
        payload = {
            "summary": f"The sort that makes the order. {graph_summary(self.graph)}.",
            **drawings(self.graph),
            "gradients": [number(node.grad) for node in self.graph.nodes],
            "hint": HINT,
            "columns": ["visited", "stack", "list"],
            "nothing": NOTHING,
            "names": names,
            "positions": [vars(state) for state in self._states],
        }
        super().__init__(view="sort", payload=payload, index=index, presenter=presenter)

    @property
    def last(self) -> int:
        """The last position."""
        return len(self._states) - 1

    @property
    def state(self) -> SortState:
        """What the sort holds now."""
        return self._states[self.index]

    def __repr__(self) -> str:
        return "\n".join(f"{place}. {state.heading}" for place, state in enumerate(self._states))

    def still(self) -> Graph:
        """The graph that is sorted."""
        return self.graph


def _sorted_by_steps(graph: Graph) -> Iterator[SortState]:
    names = [name(graph, place) for place in range(len(graph))]
    output = graph.output.index
    visited: list[int] = []
    stack: list[tuple[int, list[int]]] = []
    done: list[int] = []

    def state(node: int | None, heading: str, sentence: str) -> SortState:
        waiting = tuple(place for place, _ in stack)
        return SortState(node, tuple(visited), waiting, tuple(done), heading, sentence)

    def visit(node: int) -> SortState:
        inputs = list(graph.nodes[node].inputs)
        visited.append(node)
        stack.append((node, inputs))
        told = " and ".join(dict.fromkeys(names[place] for place in inputs))
        why = (
            f"It waits on the stack: first come its inputs, {told}."
            if inputs
            else ("It is a leaf: there is nothing to wait for.")
        )
        return state(node, f"Visit {names[node]}: mark it, and put it on the stack", why)

    yield state(
        None,
        f"Start from the output, {names[output]}",
        "Every node has to stand in the list after all of its inputs.",
    )
    yield visit(output)
    while stack:
        node, inputs = stack[-1]
        if not inputs:
            stack.pop()
            done.append(node)
            why = (
                "All its inputs are in the list."
                if graph.nodes[node].inputs
                else "It has no inputs."
            )
            yield state(node, f"{names[node]} goes from the stack to the end of the list", why)
        elif (target := inputs.pop(0)) in visited:
            why = f"{names[node]} needs it, and a node stands in the list only once."
            yield state(target, f"{names[target]} was visited before: pass over it", why)
        else:
            yield visit(target)
    backward = ", ".join(names[place] for place in reversed(done))
    yield state(None, "The list is complete", f"Read from the back it is the order: {backward}.")
