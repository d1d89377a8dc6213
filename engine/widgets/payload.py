"""What the front end is told about a walk: texts and places, no numbers to compute with."""

from collections.abc import Iterable, Sequence
from typing import Any

from engine.drawing.layout import layout
from engine.drawing.renderer import HOW_TO_GET_PICTURES, placed_or_why
from engine.drawing.svg import svg
from engine.graph import Graph
from engine.walk import Step, Walk
from engine.words.naming import graph_summary, number, product, title
from engine.words.walks import WalkWords


def walk_payload(walk: Walk) -> dict[str, Any]:
    """Turn a walk into what the front end shows.

    Args:
        walk: the walk, already complete.

    Returns:
        Plain data for JSON: the drawing, one entry for each position of the walk (0 is the seed
        gradient alone), and one row for each step.

    >>> from engine import Graph, Value, reverse_walk
    >>> x = Value(3.0)
    >>> payload = walk_payload(reverse_walk(Graph.of(x + x)))
    >>> [position["node"] for position in payload["positions"]]
    [None, 1, 0]
    """
    graph, words = walk.graph, WalkWords(walk)
    contributions = [c for step in walk.steps for c in step.contributions]
    captions = [product(contribution) for contribution in contributions]
    start = walk.gradients_after(0)
    return {
        "summary": f"Reverse walk. {graph_summary(graph)}.",
        **drawings(graph, [c.after for c in contributions], captions),
        "output": graph.output.index,
        "receives": "+=" if walk.accumulate else "=",
        "gradients": [number(gradient) for gradient in start],
        "arrows": {
            f"{node.index}-{slot}": words.arrow(node.index, slot)
            for node in graph.nodes
            for slot in range(len(node.inputs))
        },
        "rows": [_row(walk, step) for step in walk.steps],
        "positions": [
            {
                "heading": words.heading(position),
                "sentences": list(words.sentences(position)),
                "node": walk.steps[position - 1].node if position else None,
                "contributions": step_contributions(walk.steps[position - 1]) if position else [],
            }
            for position in range(len(walk.steps) + 1)
        ],
    }


def drawings(
    graph: Graph,
    gradients: Iterable[float] = (),
    captions: Iterable[str] = (),
    texts: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The drawing of a graph, from left to right and from top to bottom; a page shows what fits.

    Args:
        graph: the graph.
        gradients: every gradient that a box will have to hold.
        captions: every text that an arrow will have to carry.
        texts: what to write for the gradient of each node at first, by default the number.

    Returns:
        ``svg``, a list of the two, and ``notice``: "" or, with an empty list, why there is none.
    """
    gradients, captions = list(gradients), list(captions)
    placed, why_none = placed_or_why(
        lambda: [layout(graph, gradients, captions, down) for down in (False, True)]
    )
    drawn = [svg(graph, one, True, texts) for one in placed or () if one is not None]
    return {"svg": drawn, "notice": why_none if drawn or why_none else HOW_TO_GET_PICTURES}


def _row(walk: Walk, step: Step) -> dict[str, Any]:
    node = walk.graph.nodes[step.node]
    return {
        "node": step.node,
        "title": title(walk.graph, step.node),
        "data": number(node.data),
    }


def step_contributions(step: Step) -> list[dict[str, Any]]:
    """What the arrows carry at one step of a walk."""
    return [
        {
            "target": contribution.target,
            "edge": f"{contribution.source}-{contribution.slot}",
            "caption": product(contribution),
            "grad": number(contribution.after),
        }
        for contribution in step.contributions
    ]
