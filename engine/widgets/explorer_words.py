"""What the explorer says about a folded graph, a neighborhood and a path, in words."""

import math
from collections.abc import Sequence

from engine.boxes import Arrow, Box, FoldedGraph
from engine.drawing.folded import (
    arrow_text,
    arrows_into,
    box_title,
    boxes_text,
    product_text,
    scope_title,
)
from engine.folding import Folding
from engine.paths import Neighborhood, Path
from engine.text import number_text, one_line, table_lines
from engine.words.naming import TIMES, label, name, number, operand

MOST_NAMED = 3
MOST_PATHS_COUNTED = 1e15
NO_PYTHON = (
    "Opening, searching and looking at single nodes needs a running kernel: run this cell again. "
    "The walk over the boxes that are drawn works without one."
)
HINT = (
    "Click a box, or reach it with Tab and the arrow keys. Enter or a double click opens it, "
    "Backspace goes back to the drawing before. Page keys step the walk, Home and End jump. The "
    "bar in a box is the largest |gradient| in it: a quarter shorter for a tenth of the size."
)


def nodes_text(count: int) -> str:
    """A number of nodes in words.

    >>> nodes_text(1), nodes_text(14064)
    ('1 node', '14,064 nodes')
    """
    return counted(count, "node")


def counted(count: float, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "edge"), counted(2, "edge"), counted(1e300, "path")
    ('1 edge', '2 edges', 'about 1e+300 paths')
    """
    if count > MOST_PATHS_COUNTED:
        about = "more than 1e308" if math.isinf(count) else f"about {number_text(count)}"
        return f"{about} {thing}s"
    return f"{count:,.0f} {thing}{'' if count == 1 else 's'}"


def listed(things: Sequence[str], most: int = MOST_NAMED) -> str:
    """Join the first few things in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e"])
    ('a', 'a, b and c', 'a, b, c and 2 more')
    """
    shown, left = list(things[:most]), len(things) - most
    if left > 0:
        shown.append(f"{left} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def box_name(folding: Folding, folded: FoldedGraph, place: int) -> str:
    """What a box is called in a sentence; with its frame, where two boxes have one name."""
    box = folded.boxes[place]
    if box.node is not None:
        return name(folding.graph, box.node)
    title = box_title(folding, box)
    alike = sum(box_title(folding, other) == title for other in folded.boxes if other.path)
    return f"{title}{_frame_text(folded, box)}" if alike > 1 else title


def _frame_text(folded: FoldedGraph, box: Box) -> str:
    around = [frame for frame in folded.frames if frame.path == box.frame]
    return "".join(f" in {scope_title(f.path, f.members, f.rest)}" for f in around)


def drawing_story(folding: Folding, folded: FoldedGraph) -> tuple[str, ...]:
    """The heading and the sentences for a folded graph."""
    output = output_name(folding)
    return (
        f"{nodes_text(len(folding.graph))} in {boxes_text(len(folded.boxes))}",
        "The number on an arrow counts its edges. Gradients are those of the walk over the whole "
        f"graph: how far {output} moves if a node moves a little.",
    )


def output_name(folding: Folding) -> str:
    """The name of the output in a sentence."""
    return name(folding.graph, folding.graph.output.index)


def neighborhood_story(folding: Folding, around: Neighborhood) -> tuple[str, ...]:
    """The heading and the sentences for a neighborhood."""
    total = len(around.nodes) + around.left_out
    who = name(folding.graph, around.node)
    whole = (
        f"Gradients are those of the walk over all {nodes_text(len(folding.graph))}, not only "
        "over these."
    )
    heading = f"{nodes_text(total)} within {counted(around.hops, 'hop')} of {who}"
    if not around.left_out:
        return (heading, whole)
    left = (
        f"{len(around.nodes)} of them are drawn, near ones and large gradients first; "
        f"{around.left_out:,} are left out."
    )
    return (heading, left, whole)


def path_story(folding: Folding, path: Path) -> tuple[str, ...]:
    """The heading and the sentences for a strongest path."""
    start = name(folding.graph, path.nodes[0])
    gradient = folding.gradients[path.nodes[0]]
    return (
        f"The strongest path from {start} to {output_name(folding)}: {nodes_text(len(path.nodes))}",
        f"The product of its {counted(len(path.local_derivatives), 'local derivative')} is "
        f"{product_text(path.local_derivatives)}. "
        f"The whole gradient is {start}.grad = {number(gradient)}.",
        _share(path, gradient),
    )


def _share(path: Path, gradient: float) -> str:
    if path.ways == 1:
        return _alone(path, gradient)
    others = counted(path.ways - 1, "other path")
    if 0.0 in path.local_derivatives:
        return f"Like the {others}, it is interrupted by a local derivative of 0."
    if path.product == 0.0:
        return f"It is not 0, but too small to compare with the {others}."
    if gradient == 0.0:
        return f"Together with the {others} it adds up to 0."
    share = path.product / gradient
    if not math.isfinite(share):
        return f"These numbers are too large to compare it with the {others}."
    if share < 0.0:
        return f"Its sign is the opposite: the {others} outweigh it."
    if share > 1.0:
        return (
            f"Alone it would be {number(_rounded(share))} times the gradient; the {others} "
            "together take some of it back."
        )
    percent = number(_rounded(100 * share))
    return f"It alone is {percent} % of the gradient; the {others} add the rest."


def _alone(path: Path, gradient: float) -> str:
    fits = 0.0 in path.local_derivatives or (path.product != 0.0 and math.isfinite(path.product))
    if fits and math.isclose(path.product, gradient):
        return "There is no other path, so the two are the same."
    return (
        "There is no other path: the two would be the same, had the walk back met no number that "
        "is too small or too large for a float."
    )


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def box_sentences(folding: Folding, folded: FoldedGraph, place: int) -> tuple[str, ...]:
    """What there is to know about a box that was chosen."""
    box = folded.boxes[place]
    if box.node is not None:
        return _node_sentences(folding, box.node)
    if not box.path:
        return _between_sentences(folding, box) if box.between else _additions_sentences(box)
    said = [f"{nodes_text(box.count)}, {counted(box.inside, 'edge')} between them."]
    if box.members:
        said.append(f"It stands for {listed([label(member) for member in box.members])}.")
    incoming = [(arrow.start, arrow) for arrow in folded.arrows if arrow.end == place]
    outgoing = [(arrow.end, arrow) for arrow in folded.arrows if arrow.start == place]
    for verb, arrows in (("Made from", incoming), ("Used by", outgoing)):
        if arrows:
            said.append(f"{verb} {_ends(folding, folded, arrows)}.")
    return tuple(said)


def _additions_sentences(box: Box) -> tuple[str, ...]:
    return (f"{nodes_text(box.count)} that only add, each with the local derivative 1.",)


def _between_sentences(folding: Folding, box: Box) -> tuple[str, ...]:
    largest = name(folding.graph, box.largest)
    return (
        f"{nodes_text(box.count)} in the middle of the path, as one box.",
        f"From the first of them to the last, the product of the "
        f"{counted(len(box.between), 'local derivative')} is {product_text(box.between)}.",
        f"The largest gradient in it is {largest}.grad = {number(folding.gradients[box.largest])}.",
        f"To see steps of the middle, search for the node halfway, n{box.halfway}, and show the "
        "strongest path from there.",
    )


def _ends(folding: Folding, folded: FoldedGraph, arrows: Sequence[tuple[int, Arrow]]) -> str:
    return listed(
        [
            f"{box_name(folding, folded, place)} ({counted(arrow.count, 'edge')})"
            if arrow.local_derivative is None
            else f"{box_name(folding, folded, place)} ({arrow_text(arrow)})"
            for place, arrow in sorted(arrows, key=lambda end: -end[1].count)
        ]
    )


def _node_sentences(folding: Folding, index: int) -> tuple[str, ...]:
    graph = folding.graph
    node, who = graph.nodes[index], name(graph, index)
    where = f"in {label(node.scope)}" if node.scope else "in no scope"
    made = {"parameter": "A parameter", "leaf": "A leaf"}.get(node.kind, "A computed node")
    expression = graph.expressions[index]
    said = [f"{made} {where}."]
    if expression:
        said.append(f"{who} = {label(expression)}." if node.label else f"{label(expression)}.")
    uses = graph.consumers[index]
    if uses:
        said.append(f"Used {'once' if len(uses) == 1 else f'{len(uses):,} times'}.")
    return tuple(said)


def walk_heading(folding: Folding, folded: FoldedGraph, order: Sequence[int], index: int) -> str:
    """Where the walk over the boxes is."""
    if index == 0:
        return f"Walk back, box by box: {len(order)} steps"
    box = folded.boxes[order[index - 1]]
    return f"Step {index} of {len(order)}: {box_title(folding, box)}{_frame_text(folded, box)}"


def walk_sentences(
    folding: Folding, folded: FoldedGraph, place: int, in_circle: bool
) -> tuple[str, ...]:
    """What the walk does at one box."""
    box, into = folded.boxes[place], arrows_into(folded)[place]
    if box.node is not None:
        return _node_step(folding, folded, box.node, into)
    if not box.path:
        gradient = number(folding.gradients[box.last])
        if box.between:
            return (
                f"The last of these {nodes_text(box.count)} has the gradient {gradient}. What it "
                "hands on along this path is multiplied by each local derivative in turn, "
                f"together by their product: {product_text(box.between)}.",
            )
        return (f"Additions hand their gradient on as it is; the last one has {gradient}.",)
    largest = name(folding.graph, box.largest)
    said = [
        f"The largest gradient of its {nodes_text(box.count)} is "
        f"{largest}.grad = {number(folding.gradients[box.largest])}."
    ]
    if into:
        arrows = [(arrow.start, arrow) for arrow in into]
        said.append(f"Contributions go back to {_ends(folding, folded, arrows)}.")
    else:
        said.append("There is nothing to hand on to.")
    if in_circle:
        said.append(
            "Folded like this it leads to another box and back, so the walk over single nodes "
            "comes through more than once. The gradients shown are complete."
        )
    return tuple(said)


def _node_step(
    folding: Folding, folded: FoldedGraph, index: int, into: Sequence[Arrow]
) -> tuple[str, ...]:
    graph, upstream = folding.graph, folding.gradients[index]
    said = [f"{name(graph, index)}.grad = {number(upstream)}."]
    for arrow in into:
        start = folded.boxes[arrow.start]
        who = box_name(folding, folded, arrow.start)
        if arrow.local_derivative is None:
            said.append(f"A contribution goes back to {who}.")
            continue
        amount = arrow.local_derivative * upstream
        gradient = number(folding.gradients[start.last])
        whole = "" if start.path else f" of {who}.grad = {gradient}"
        if start.node is None and not start.path:
            whole = f", a part of the gradient {gradient} of the last of them"
        said.append(
            f"To {who}: local derivative {number(arrow.local_derivative)} {TIMES} upstream "
            f"gradient {operand(upstream)} = {number(amount)}{whole}."
        )
    return tuple(said)


def drawing_text(folding: Folding, folded: FoldedGraph, story: Sequence[str]) -> str:
    """A drawing as a table: every box with its count, its largest gradient and its inputs."""
    rows = [("box", "nodes", "max |grad|", "made from")]
    for box, into in zip(folded.boxes, arrows_into(folded), strict=True):
        ends = [(arrow.start, arrow) for arrow in into]
        rows.append(
            (
                one_line(box.path) or box_title(folding, box),
                f"{box.count:,}",
                number_text(folding.gradient_size(box.largest)),
                _ends(folding, folded, ends) if ends else "-",
            )
        )
    return "\n".join([*story, *table_lines(rows, left={0, 3})])
