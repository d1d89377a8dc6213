"""``draw(y)``: a graph as a picture that needs no widget, no script and no network."""

from engine.drawing.layout import Layout, layout
from engine.drawing.renderer import placed_or_why
from engine.drawing.svg import LEAST_SCALE, PAGE_WIDTH, svg
from engine.graph import Graph
from engine.value import Value
from engine.words.naming import graph_text

LARGEST_DRAWING = 150


def page_picture(graph: Graph) -> tuple[str | None, str]:
    """A graph as a picture by itself, placed from left to right or, on a page too narrow, downward.

    Returns:
        SVG markup and "", or None and the sentence that says why there is none.
    """
    placed, why_none = placed_or_why(lambda: _for_page(graph))
    return (None if placed is None else svg(graph, placed)), why_none


def _for_page(graph: Graph) -> Layout | None:
    across = layout(graph)
    if across is None or across.width * LEAST_SCALE <= PAGE_WIDTH:
        return across
    down = layout(graph, down=True)
    return down if down and down.width < across.width else across


class Picture:
    """A drawing of a graph; a notebook shows it as an image, anything else as a table.

    Args:
        graph: what to draw.

    Attributes:
        svg: the picture as SVG markup, or None where there is no Graphviz program.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.svg, self._why_none = page_picture(graph)

    def __repr__(self) -> str:
        text = graph_text(self.graph)
        return text if self.svg is not None else f"{text}\n{self._why_none}"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        picture = self.svg
        bundle = {"text/plain": repr(self)}
        return bundle if picture is None else {**bundle, "image/svg+xml": picture}


def draw(output: Value | Graph) -> Picture:
    """Draw everything a number was made from, with the data and the gradient of each node.

    Args:
        output: the last number of the calculation, or a Graph kept from it.

    Raises:
        ReleasedError: the tape that recorded ``output`` has ended.
        TypeError: ``output`` is neither a Value nor a Graph.
        ValueError: the graph has too many nodes to be readable.

    >>> a, b = Value(2.0), Value(-3.0)
    >>> e = a * b
    >>> draw(e)  # doctest: +ELLIPSIS
    node       data  grad
    a             2     0
    b            -3     0
    e = a * b    -6     0...
    """
    graph = output if isinstance(output, Graph) else Graph.of(output)
    if len(graph) > LARGEST_DRAWING:
        raise ValueError(
            f"a drawing of {len(graph)} nodes would be unreadable (the limit is "
            f"{LARGEST_DRAWING}). GraphExplorer(y) opens a graph of any size; or draw an earlier "
            "node."
        )
    return Picture(graph)
