"""What the front end is told about a walk: texts and places, no numbers to compute with."""

from typing import Any

from engine.drawing.layout import layout
from engine.drawing.renderer import placed_or_why
from engine.drawing.svg import caption_width, svg
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
    placed, why_none = placed_or_why(
        lambda: layout(graph, [c.after for c in contributions], map(product, contributions))
    )
    start = walk.gradients_after(0)
    return {
        "summary": f"Reverse walk. {graph_summary(graph)}.",
        "svg": "" if placed is None else svg(graph, placed, captions=True),
        "notice": why_none,
        "output": graph.output.index,
        "receives": "+=" if walk.accumulate else "=",
        "gradients": [number(gradient) for gradient in start],
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
            "width": caption_width(product(contribution)),
            "grad": number(contribution.after),
        }
        for contribution in step.contributions
    ]
