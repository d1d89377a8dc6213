"""The exercises of chapter 12: what is on a tape, how to walk it, and what stays alive.

>>> [exercise.name for exercise in EXERCISES]
['12.1', '12.2', '12.3', '12.4', '12.5']
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from engine.constants import Literal
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    all_of,
    as_they_are,
    choices_by,
    gradients_by_name,
    number,
    number_by,
    one_of,
)
from engine.course.checks.plain import in_words
from engine.course.checks.stand_ins import (
    WALKS,
    StandIn,
    clear_gradients,
    gradients,
    stand_ins,
    walk_back,
)
from engine.graph import Graph
from engine.tape import Tape
from engine.value import Parameter, Value

ON_TAPE, LEAF, NO_NODE = "on the tape", "leaf", "no node"
LEAK, NO_LEAK = "leak", "no leak"
# 12.5: how many documents are read, and how many more the second time.
DOCUMENTS = 3


# 12.1


def counted(with_unused: bool = True) -> Tape:
    """Record the calculation of 12.1.

    Args:
        with_unused: also what leads nowhere.

    Returns:
        A tape of that many nodes, still recording: the caller ends it.
    """
    w, x = Parameter(0.5), Value(2.0)
    tape = Tape()
    tape.__enter__()
    a = w * x
    b = a * 3 + 1
    c = (b + Literal(0.1, "shift")) ** 2
    sum([a, b, c, a])
    if with_unused:
        a.tanh()
    return tape


def nodes_on_tape(with_unused: bool = True) -> int:
    """How many nodes the calculation of 12.1 has.

    Args:
        with_unused: also what leads nowhere.

    >>> nodes_on_tape() - nodes_on_tape(with_unused=False)
    1
    """
    tape = counted(with_unused)
    try:
        return len(tape)
    finally:
        tape.__exit__(None, None, None)


# 12.2


def places() -> dict[str, str]:
    """Where each number of 12.2 is, as the engine tells it.

    >>> places()["unused"]
    'on the tape'
    """
    w, x = Parameter(0.5), Value(2.0)
    epsilon = Literal(1e-5, "epsilon")
    with Tape() as tape:
        product = w * x
        root = (product + epsilon) ** 0.5
        unused = product * 100
        start = Value(1.0)
        things: dict[str, Any] = {
            "w": w,
            "x": x,
            "epsilon": epsilon,
            "100": 100,
            "product": product,
            "root": root,
            "unused": unused,
            "start": start,
        }
        recorded = set(map(id, tape.nodes))
        return {
            name: ON_TAPE
            if id(thing) in recorded
            else LEAF
            if isinstance(thing, Value)
            else NO_NODE
            for name, thing in things.items()
        }


# 12.3


def seven_nodes() -> Graph:
    """The graph of chapter 06."""
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    L = d * f  # noqa: N806 (the loss is called L)
    return Graph.of(L, {"a": a, "b": b, "c": c, "f": f, "e": e, "d": d, "L": L})


def used_twice() -> Graph:
    """A graph in which x is used three times, twice by one node."""
    x = Value(3.0)
    u = x * x
    y = u + x
    return Graph.of(y, {"x": x, "u": u, "y": y})


def long_way() -> Graph:
    """A graph in which u has a short way and a long way to the output."""
    x, k = Value(2.0), Value(-1.5)
    u = x * k
    v = u * k
    y = v * u
    return Graph.of(y, {"x": x, "k": k, "u": u, "v": v, "y": y})


def with_unused() -> Graph:
    """A graph whose last node joins the output y with a node that y does not use."""
    x, w = Value(1.5), Value(-2.0)
    u = x * w
    y = u * x
    unused = u * 5
    both = y + unused
    return Graph.of(both, {"x": x, "w": w, "u": u, "y": y, "unused": unused, "both": both})


def _computed(graph: Graph) -> list[StandIn]:
    return [node for node in stand_ins(graph) if node.op]


def _tape_case(words: str, graph: Callable[[], Graph], output: int = -1) -> Case:
    """A tape that ends before the last nodes of a graph, if its output is not the last."""

    def arguments() -> tuple[tuple[StandIn, ...], StandIn]:
        nodes = tuple(_computed(graph()))
        if output == -1:
            return nodes, nodes[-1]
        return nodes[:-1], nodes[output]

    return Case(words, arguments)


# 12.4


def in_creation_order(nodes: Sequence[StandIn]) -> bool:
    """Whether every input that is in a list stands before the node that uses it.

    Args:
        nodes: without the leaves.

    >>> nodes = _computed(long_way())
    >>> in_creation_order(nodes), in_creation_order(nodes[::-1])
    (True, False)
    """
    place = {node: k for k, node in enumerate(nodes)}
    return all(place.get(i, -1) < place[node] for node in nodes for i in node.inputs)


def neighbors_in_order(nodes: Sequence[StandIn]) -> bool:
    """A check of nodes that stand side by side alone."""
    return all(later not in earlier.inputs for earlier, later in pairwise(nodes))


def _truth(answer: Any) -> Finding | None:
    if isinstance(answer, bool):
        return None
    return Finding("type", f"it gives {in_words(answer)}, and should give True or False.")


def _list_case(words: str, graph: Callable[[], Graph], *order: int) -> Case:
    """The computed nodes of a graph in another order."""

    def arguments() -> tuple[list[StandIn]]:
        nodes = _computed(graph())
        return ([nodes[k] for k in order],)

    return Case(words, arguments)


def three_branches() -> Graph:
    """A graph in which a node and one that uses it may stand far apart."""
    x = Value(2.0)
    a = x * 3
    b = x + 1
    c = a * b
    d = b * 2
    y = c + d
    return Graph.of(y, {"x": x, "a": a, "b": b, "c": c, "d": d, "y": y})


def branches() -> Graph:
    """A graph of two branches that are joined twice."""
    x = Value(2.0)
    a = x * 3
    b = x + 1
    c = a * b
    y = c + a
    return Graph.of(y, {"x": x, "a": a, "b": b, "c": c, "y": y})


# 12.5


def _read(w: Value, document: int) -> Value:
    return (w * (1.0 / (document + 1))).tanh() ** 2


def _losses_kept(w: Value, documents: int) -> Any:
    return [_read(w, k) for k in range(documents)]


def _numbers_kept(w: Value, documents: int) -> Any:
    return [_read(w, k).data for k in range(documents)]


def _total_of_values(w: Value, documents: int) -> Any:
    total: Any = 0
    for k in range(documents):
        total = total + _read(w, k)
    return total


def _total_of_numbers(w: Value, documents: int) -> Any:
    return sum(_read(w, k).data for k in range(documents))


def _losses_from_tapes(w: Value, documents: int) -> Any:
    kept = []
    for k in range(documents):
        with Tape():
            loss = _read(w, k)
        kept.append(loss)
    return kept


def _best_kept(w: Value, documents: int) -> Any:
    best = None
    for k in range(documents):
        loss = _read(w, k)
        if best is None or loss.data < best.data:
            best = loss
    return best


KEEPERS: dict[str, Callable[[Value, int], Any]] = {
    "A": _losses_kept,
    "B": _numbers_kept,
    "C": _total_of_values,
    "D": _total_of_numbers,
    "E": _losses_from_tapes,
    "F": _best_kept,
}


def leaks(keeper: Callable[[Value, int], Any]) -> bool:
    """Whether more nodes stay alive when more documents are read.

    Args:
        keeper: reads some documents with a parameter, and gives back what it keeps.

    >>> leaks(_losses_kept), leaks(_numbers_kept)
    (True, False)
    """
    return _alive_after(keeper, 2 * DOCUMENTS) > _alive_after(keeper, DOCUMENTS)


def _alive_after(keeper: Callable[[Value, int], Any], documents: int) -> int:
    before = _alive()
    kept = keeper(Parameter(0.5), documents)
    found = _alive() - before
    del kept
    return found


def _alive() -> int:
    return sum(type(thing) is Value and thing.op != "" for thing in gc.get_objects())


def _leaks() -> dict[str, str]:
    return {name: LEAK if leaks(keeper) else NO_LEAK for name, keeper in KEEPERS.items()}


EXERCISES = (
    AnswerExercise(
        name="12.1",
        title="How many nodes are on the tape?",
        shape=number,
        judge=number_by(
            lambda: {"every": nodes_on_tape(), "used": nodes_on_tape(with_unused=False)},
            """
= every
unused forgotten | used
    {} leaves out the node that the loss does not use. The tape records everything.
sum as one | every - 2
    {} counts the sum as one node. Each addition has two inputs: how many are needed for four
    numbers?
sum as one, unused forgotten | used - 2
    {} counts the sum as one node, and leaves out what the loss does not use.
start of the sum | every + 1
    {} counts an addition too many in the sum. It begins at 0, and the engine takes care that this
    costs no node.
leaves | every + 2
    {} counts the leaves. They are not on the tape.
plain numbers | every + 4
    {} counts the plain numbers, and the Literal. They are no nodes.
everything | every + 4 + 2
    {} counts leaves and plain numbers too. Only results are on the tape.
names | 5
    {} counts the lines. A line may have several operations, and each makes a node.
""",
        ),
        right="One node for each operation, whoever uses it; nothing else costs anything.",
        hints=(
            "Go through the lines, and write down each operation.",
            "Leaves, plain numbers and Literals are no operations. tanh and ** are.",
            "To add four numbers, how many plus signs do you need?",
        ),
    ),
    AnswerExercise(
        name="12.2",
        title="Node, leaf, or neither?",
        shape=all_of(places(), one_of(ON_TAPE, LEAF, NO_NODE)),
        judge=choices_by(
            places,
            """
leaf | w, x
    w and x were not calculated. A tape holds results only.
made inside | start
    start is made inside the block. But is it calculated from anything?
plain number | epsilon, 100
    A plain number costs no node, even if it has a name.
unused | unused
    Nobody uses unused, and still it was calculated while the tape recorded.
result | product, root
    product and root are results.
""",
        ),
        right="What was calculated is on the tape, wherever it leads.",
        hints=(
            "Three questions for each: is it a Value at all? Was it calculated? Did a tape record?",
            "A Literal is a plain number with a name.",
            "The place where a line stands does not count, only whether an operation made it.",
        ),
    ),
    FunctionExercise(
        name="12.3",
        title="Walk a tape",
        cases=(
            _tape_case("L = (a*b + c) * f", seven_nodes),
            _tape_case("y = x*x + x", used_twice),
            _tape_case("a graph with a short and a long way", long_way),
            _tape_case("a tape with an unused node at its end", with_unused, output=1),
        ),
        reference=lambda nodes, output: walk_back(output),
        shape=gradients_by_name,
        observe=gradients,
        renew=clear_gradients,
        solution="""
def my_tape_backward(nodes, output):
    \"\"\"Fill in the gradients, walking the list from its end.\"\"\"
    output.grad = 1.0
    for node in reversed(nodes):
        for operand, local in zip(node.inputs, node.local_derivatives):
            operand.grad += local * node.grad
""",
        gives="the gradients are",
        mistakes=r"""
no seed | 1.0 -> 0.0
    nothing arrives anywhere. What does the walk start with?
seed is data | 1.0 -> output.data
    the walk starts with the data of the output.
last node | output.grad -> nodes[-1].grad
    the walk starts at the last node of the tape. The output is another one.
every node seeded | output.grad = 1.0 -> for node in nodes: node.grad = 1.0
    every node has a seed. Only the output begins with one.
seed at each turn | output.grad = 1.0 ->
| reversed(nodes): -> reversed(nodes):\n        node.grad = 1.0
    each node gets a seed at its turn, and what has arrived is lost. Set the seed of the output
    before the loop.
overwritten | += -> =
    a second contribution overwrites the first one. They have to be added.
upstream forgotten | local * node.grad -> local
    the local derivative is handed on alone.
local derivative forgotten | local * node.grad -> node.grad
    the upstream gradient is handed on as it is.
output alone | reversed(nodes) -> [output]
    only the output has handed something on. Either the others have no turn, or they have it before
    the output, while they still hold 0.
one slot only | in zip( -> in dict(zip( | derivatives): -> derivatives)).items():
    where a node uses one number twice, both contributions count.
no order | for node in reversed(nodes): -> def go(node):
| local * node.grad -> local * node.grad\n        for each in node.inputs: go(each)\n    go(output)
no order | output.grad = 1.0 -> output.grad, nodes = 1.0, [output] | reversed(nodes) -> nodes
| local * node.grad -> local * node.grad\n        nodes.extend(node.inputs)
no order | output.grad = 1.0 -> output.grad, nodes = 1.0, [output]
| for node in reversed(nodes): -> while nodes:\n        node = nodes.pop()
| local * node.grad -> local * node.grad\n        nodes.extend(node.inputs)
    a node hands on each time something arrives, and each time all that it holds. Go through the
    tape, in which each node has one turn.
borrowed | output.grad = 1.0 -> output.backward()
    ~It asks the engine to walk. Write the walk yourself.
""",
        forbidden=WALKS,
        right="No search, no visited set: the order was there before anyone asked.",
        hints=(
            "Two parts: the seed gradient of the output, and a loop over the tape.",
            "reversed(nodes) goes through a list from its end.",
            "Inside the loop stands the rule of chapter 06: for each input, input.grad += local "
            "derivative * node.grad.",
        ),
    ),
    FunctionExercise(
        name="12.4",
        title="Is it a creation order?",
        cases=(
            _list_case("a tape of one node", seven_nodes, 0),
            _list_case("the tape of L = (a*b + c) * f", seven_nodes, 0, 1, 2),
            _list_case("the same list turned around", seven_nodes, 2, 1, 0),
            _list_case("two branches", branches, 0, 1, 2, 3),
            _list_case("two branches, the other one first", branches, 1, 0, 2, 3),
            _list_case("two branches, b after c", branches, 0, 2, 1, 3),
            _list_case("two branches, a after c", branches, 1, 2, 0, 3),
            _list_case("two branches, a at the end", branches, 1, 2, 3, 0),
            _list_case("three branches, a long after c", three_branches, 1, 2, 3, 0, 4),
        ),
        reference=in_creation_order,
        shape=_truth,
        renew=as_they_are,
        solution="""
def is_creation_order(nodes):
    \"\"\"Whether inputs stand before the nodes that use them.\"\"\"
    seen = set()
    for node in nodes:
        if any(operand in nodes and operand not in seen for operand in node.inputs):
            return False
        seen.add(node)
    return True
""",
        mistakes="""
always true | return False -> pass
    it says the same of every list.
always false | operand in nodes and ->
    it calls every list wrong. An input that is not in the list is a leaf: it was there before, and
    nothing is wrong with it.
turned around | = lambda nodes: not solution(nodes)
    true and false have changed places.
users first | in nodes: -> in nodes[::-1]:
    it wants the nodes that use an input before it. That is the order of the walk.
first node alone | seen.add(node) -> return True
    only the first node is looked at. Is there a return inside the loop?
first input alone | node.inputs -> node.inputs[:1]
    only the first input of each node is looked at.
last input alone | node.inputs -> node.inputs[-1:]
    only the last input of each node is looked at.
neighbors alone | = neighbors_in_order
    only nodes that stand side by side are compared.
""",
        given=globals(),
        right="Every tape passes, since nothing can be calculated before its inputs.",
        hints=(
            "Go through the list, and keep a set of the nodes that you have seen.",
            "An input is wrong if it is in the list and has not been seen yet. A leaf is not in "
            "the list.",
            "Return False as soon as you meet such an input, and True only after the loop.",
        ),
    ),
    AnswerExercise(
        name="12.5",
        title="Find the leaks",
        shape=all_of(KEEPERS, one_of(LEAK, NO_LEAK)),
        judge=choices_by(
            _leaks,
            """
list missed | A
    Look at the list of losses: what does each of them remember?
total missed | C
    A total of Values is a Value. It remembers what it was made from.
number blamed | B, D
    A plain number remembers nothing.
tape blamed | E
    When a tape ends, what do its nodes still know of their inputs?
best blamed | F
    Only one loss is kept at a time. What becomes of the graph of the one before?
""",
        ),
        right="Whoever keeps a Value keeps everything it was made from, unless a tape let it go.",
        hints=(
            "For each program ask: what is kept at the end, a number or a Value?",
            "A Value keeps its inputs, these keep theirs. When a tape ends, its nodes forget them.",
            "A leak grows with every document. Is it one graph that stays, or all of them?",
        ),
    ),
)
