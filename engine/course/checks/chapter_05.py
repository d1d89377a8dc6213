"""The exercises of chapter 05: orders, and the function that finds one.

>>> [exercise.name for exercise in EXERCISES]
['05.1', '05.2', '05.3', '05.4', '05.5', '05.6']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    all_of,
    as_they_are,
    number,
    number_by,
    numbers,
    numbers_by,
    one_letter_names,
    one_of,
    order_of_names,
)
from engine.course.checks.gaps import Gaps
from engine.course.checks.plain import in_words
from engine.course.checks.stand_ins import (
    StandIn,
    everything_behind,
    forty_doublings,
    stand_ins,
)
from engine.graph import Graph
from engine.text import number_text
from engine.value import Value
from engine.walk import reverse_walk

VALID, TOO_EARLY = "valid", "too early"
# 05.1: the five orders to judge.
ORDERS = {"A": "yqpabc", "B": "ypqabc", "C": "yqcpba", "D": "yqapbc", "E": "qypabc"}
# 05.3: somebody's order for the graph of 05.2.
EARLY = ("y", "w", "u", "v", "x", "k")


def first_graph() -> Graph:
    """The calculation of 05.1."""
    a, b, c = Value(2.0), Value(-3.0), Value(4.0)
    p = a * b
    q = p + c
    y = q * p
    return Graph.of(y, {"a": a, "b": b, "c": c, "p": p, "q": q, "y": y})


def second_graph() -> Graph:
    """The calculation of 05.2 and 05.3."""
    x, k = Value(2.0), Value(5.0)
    u = x + k
    v = u * x
    w = u * 3
    y = v + w
    return Graph.of(y, {"x": x, "k": k, "u": u, "v": v, "w": w, "y": y})


def counted_graph() -> Graph:
    """The calculation of 05.5."""
    a, b = Value(2.0), Value(3.0)
    p = a * a
    q = b + 1
    y = p * q
    return Graph.of(y, {"a": a, "b": b, "p": p, "q": q, "y": y})


def too_early(graph: Graph, order: Iterable[str]) -> list[str]:
    """The nodes of an order that stand before a node that uses them.

    Args:
        graph: the calculation.
        order: the name of each of its nodes, first to be processed first.

    >>> too_early(second_graph(), EARLY), too_early(second_graph(), "ywvuxk")
    (['u'], [])
    """
    place = {name: k for k, name in enumerate(order)}
    return [
        name
        for name in place
        if any(
            place[graph.names[user]] > place[name] for user in graph.consumers[graph.index(name)]
        )
    ]


# 05.1


def _judge_orders(answer: dict[str, Any]) -> Finding | None:
    graph = first_graph()
    right = {
        name: TOO_EARLY if too_early(graph, order) else VALID for name, order in ORDERS.items()
    }
    wrong = [name for name in ORDERS if answer[name] != right[name]]
    if not wrong:
        return None
    seen = f"{len(ORDERS) - len(wrong)} of {len(ORDERS)} are judged right."
    if all(answer[name] == VALID for name in wrong):
        return Finding(
            "called valid",
            f"{seen} You call an order valid in which a node goes before one that uses it."
            + (" Look also at the leaves." if "D" in wrong else ""),
        )
    if all(answer[name] == TOO_EARLY for name in wrong):
        return Finding(
            "called too early",
            f"{seen} You reject an order in which every node comes after all nodes that use it. "
            "There is not only one valid order.",
        )
    return Finding(
        "both ways",
        f"{seen} Some that you call valid are too early, and some that you reject are valid. Go "
        "from node to node, and ask each time: have all nodes that use it had their turn?",
    )


# 05.2


def _judge_order(given: Sequence[str]) -> Finding | None:
    answer = one_letter_names(given)
    graph = second_graph()
    unknown = [name for name in answer if name not in graph.names]
    if unknown:
        return Finding("unknown", f'There is no "{unknown[0]}" in this graph.')
    repeated = [name for name, times in Counter(answer).items() if times > 1]
    if repeated:
        return Finding(
            "repeated", f"{repeated[0]} stands there more than once: a node has one turn."
        )
    missing = [name for name in graph.names if name not in answer]
    if missing:
        return Finding(
            "missing", f"Each node needs its turn, leaves too. Not there yet: {', '.join(missing)}."
        )
    early = too_early(graph, answer)
    if early and not too_early(graph, answer[::-1]):
        return Finding(
            "turned around",
            "This is the order of the forward pass, inputs first. The walk goes the other way.",
        )
    if early:
        return Finding(
            "too early",
            f"{early[0]} has its turn while a node that uses it is still waiting.",
        )
    return None


# 05.3


def _walks() -> dict[str, Any]:
    """The walk in the wrong order, the one in a right order, and what arrives in the wrong one."""
    graph = second_graph()
    walk, right = reverse_walk(graph, EARLY), reverse_walk(graph)
    held = next(step.upstream for step in walk.steps if graph.names[step.node] == "u")
    parts = [arrived.amount for arrived in walk.arrivals[graph.index("x")]]
    data = {name: graph.nodes[graph.index(name)].data for name in graph.names}
    return {"walk": walk, "right": right, "held": held, "parts": parts, "data": data, "math": math}


# 05.4


def leaf_alone() -> Graph:
    """A graph of one node."""
    x = Value(3.0)
    return Graph.of(x, {"x": x})


def same_input_twice() -> Graph:
    """A graph in which one operation uses one number for both inputs."""
    x = Value(3.0)
    y = x + x
    return Graph.of(y, {"x": x, "y": y})


def chapter_graph() -> Graph:
    """The graph of the chapter, with its short way and its long way."""
    x = Value(3.0)
    u = x * x
    v = u * 2
    y = u + v
    return Graph.of(y, {"x": x, "u": u, "v": v, "y": y})


def _reference_order(output: StandIn) -> list[StandIn]:
    return everything_behind(output)


def _level_by_level(output: StandIn) -> list[StandIn]:
    order = [output]
    for node in order:
        order += [operand for operand in dict.fromkeys(node.inputs) if operand not in order]
    return order[::-1]


def _labels(arguments: tuple[Any, ...], result: Any) -> Any:
    if not isinstance(result, list | tuple):
        return result
    own = everything_behind(arguments[0])
    return [node.label if node in own else _foreign(node) for node in result]


def _foreign(node: Any) -> Any:
    return f"{node.label} of an earlier call" if isinstance(node, StandIn) else [node]


def _list_of_nodes(answer: Any) -> Finding | None:
    if not isinstance(answer, list):
        yours = in_words(answer)
        return Finding("type", f"it gives {yours}. It should give a list of nodes.")
    if any(not isinstance(label, str) for label in answer):
        return Finding("no nodes", "there is something in its list that is no node of the graph.")
    return None


def _judge_found_order(arguments: tuple[Any, ...], found: list[str]) -> Finding | None:
    nodes = everything_behind(arguments[0])
    place = {name: k for k, name in enumerate(found)}
    told = f"For the graph of {in_words([node.label for node in nodes])} it gives {in_words(found)}"
    if len(place) < len(found):
        return Finding("repeated", f"{told}: a node stands there more than once.")
    if set(place) != {node.label for node in nodes}:
        return Finding("missing", f"{told}: {len(nodes) - len(found)} of its nodes left out.")
    early = [
        node.label for node in nodes for i in node.inputs if place[i.label] > place[node.label]
    ]
    if early:
        return Finding(
            "before its inputs", f"{told}: {early[0]} stands before something it was made from."
        )
    return None


def _case(words: str, graph: Callable[[], Graph], too_long: str = "") -> Case:
    return Case(words, lambda: (stand_ins(graph())[-1],), too_long)


# 05.5


def orders_that(graph: Graph, holds: Callable[[Sequence[str]], bool]) -> int:
    """Count the orders of a tiny graph's nodes for which something holds.

    Args:
        graph: the calculation.
        holds: tells it of one order.

    >>> orders_that(leaf_alone(), lambda order: True)
    1
    """
    return sum(holds(order) for order in permutations(graph.names))


def _judge_count(answer: float) -> Finding | None:
    if answer != int(answer) or answer < 1:
        return Finding("no count", f"{number_text(answer)} is no number of orders.")
    return COUNTED(answer)


COUNTED = number_by(
    lambda: {"graph": counted_graph(), **globals()},
    """
= orders_that(graph, lambda order: not too_early(graph, order))
any order | orders_that(graph, lambda order: True)
    {} counts every way to line up five nodes, valid or not.
only y first | orders_that(graph, lambda order: order[0] == "y")
    {} counts every order that begins with y. Also a and b have to wait: for whom?
level by level | orders_that(graph, lambda order: {*order[1:3]} == {"p", "q"} and order[0] == "y")
    {} counts the orders in which p and q both come before a and b. Can a go before q?
one side first | orders_that(graph, lambda order: "".join(order) in ("ypaqb", "yqbpa"))
    {} counts the orders in which one side is finished before the other begins. The two sides may
    mix.
one alone | 1
    There is more than one: p and q can both go first after y.
""",
)


# 05.6

ORDERING = Gaps(
    """
def my_topological_order(output):
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            (1)
            for operand in node.inputs:
                (2)
            (3)

    visit(output)
    return order
""",
    {
        "1": {"A": "order.append(node)", "B": "visited.add(node)", "C": "visited.add(output)"},
        "2": {"A": "order.append(operand)", "B": "visit(operand)", "C": "visited.add(operand)"},
        "3": {"A": "order.append(node)", "B": "order.insert(0, node)", "C": "visit(node)"},
    },
)
FINDING = "../notebooks/05-order-matters.ipynb#How-to-find-an-order"
ORDERING_MISTAKES = {
    "1 A": (
        "append first",
        "The node would stand before its inputs. What comes first?",
    ),
    "1 C": ("always the output", "The node of this visit has to be remembered."),
    "2 A": ("one step only", "The inputs have inputs too: who visits those?"),
    "2 C": ("not visited", "It is only remembered, and never visited."),
    "3 B": ("turned around", "That is the order of the walk. Asked for is inputs first."),
    "3 C": ("never appended", "No node ever comes into the list."),
}


def _orders(order: Callable[[StandIn], list[StandIn]]) -> list[list[str]]:
    graphs = (leaf_alone(), same_input_twice(), chapter_graph(), first_graph(), second_graph())
    return [[node.label for node in order(stand_ins(graph)[-1])] for graph in graphs]


EXERCISES = (
    AnswerExercise(
        name="05.1",
        title="Valid, or too early?",
        shape=all_of(ORDERS, one_of(VALID, TOO_EARLY)),
        judge=_judge_orders,
        right="Every node after all nodes that use it: that is the whole question.",
        hints=(
            "For each number, find the nodes that use it: follow the arrows that leave its box.",
            "p is used by q and by y. So p has to come after both.",
            "Go through an order from left to right. At each node ask: is a node that uses it "
            "still to come? If so, this node is too early.",
        ),
    ),
    AnswerExercise(
        name="05.2",
        title="Give a valid order",
        shape=order_of_names,
        judge=_judge_order,
        right="Each of its nodes is complete when its turn comes.",
        hints=(
            "Start with the node that nothing uses.",
            "Cross out a node that has had its turn. A node is next when all nodes that use it are "
            "crossed out.",
            "u is used twice, and x is used twice. Who uses them?",
        ),
    ),
    AnswerExercise(
        name="05.3",
        title="What the wrong order says",
        shape=numbers("u", "x"),
        judge=numbers_by(
            _walks,
            u="""
= walk.grad("u")
when processed | held
    {} is what u holds when it has its turn. Asked for is what it holds at the end: v still adds
    something.
last one alone | walk.grad("u") - held
    {} is the contribution that comes late. It is added to what is there.
data | data["u"]
    That is the data of u.
""",
            x="""
= walk.grad("x")
right walk | right.grad("x")
    {} is the gradient of a walk in a valid order. Here u hands on what it holds when its turn
    comes, and nothing later.
one part | parts[0]
one part | parts[1]
    {} is one of the contributions to x. There is another one.
multiplied | math.prod(parts)
    The contributions to x were multiplied: they add up.
data | data["x"]
    That is the data of x.
""",
        ),
        right="u ends with its right gradient, and handed on too little. No error message at all.",
        hints=(
            "Play the walk on paper: each node hands on what it holds at its turn, once.",
            "When u has its turn, only w has handed something on to it.",
            "x is used by u and by v. From u it gets what u holds at its turn; from v, the data of "
            "u times the gradient of v.",
        ),
    ),
    FunctionExercise(
        name="05.4",
        title="Write topological_order",
        cases=(
            _case("x alone", leaf_alone),
            _case("y = x + x", same_input_twice),
            _case("the graph of the chapter", chapter_graph),
            _case("the graph of 05.1", first_graph),
            _case("the graph of 05.2", second_graph),
            _case(
                "forty doublings",
                forty_doublings,
                "The orders are right, but it goes along every path by itself. Visit each node "
                "once.",
            ),
        ),
        reference=_reference_order,
        shape=_list_of_nodes,
        observe=_labels,
        accept=_judge_found_order,
        renew=as_they_are,
        solution="""
def my_topological_order(output):
    \"\"\"List everything the output was made from, inputs first.\"\"\"
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    return order
""",
        mistakes=r"""
append first | visited.add(node) -> visited.add(node); order.append(node)
| visit(operand)\n            order.append(node) -> visit(operand)
    a node is put into the list before its inputs are. Where does append stand?
no visited set | visited.add(node) -> pass
    a node that is reached twice is there twice. Remember which nodes have been visited.
first input only | in node.inputs -> in node.inputs[:1]
    it follows the first input alone. Go through all.
turned around | order.append(node) -> order.insert(0, node)
    that is the reverse walk. Asked for is the order with inputs first.
level by level | = _level_by_level
    it goes level by level. A node with a short way and a long way to the output comes at the wrong
    time.
one step only | visit(operand) -> order.extend([operand] * (operand not in order))
    the inputs have inputs too. The function has to call itself for each of them.
output missing | return order -> return order[:-1]
    the node itself belongs into the list too.
borrowed | return order -> return output.backward()
    ~It asks the engine to walk. Write it yourself.
""",
        given=globals(),
        forbidden={
            "engine.value.topological_order",
            "engine.walk.reverse_walk",
            "engine.graph.Graph",
        },
        right="Inputs first, each node once. Taken from the back, it is the reverse walk.",
        hints=(
            "Write a helper inside: visit(node). It puts all inputs of a node into the list, and "
            "then the node itself.",
            "visit ends at once when the node is in a set of visited nodes; otherwise it adds the "
            "node to that set.",
            "In visit: the test, the add, a loop over node.inputs that calls visit, and after the "
            "loop the append. Below it: call visit(output) and return the list.",
        ),
    ),
    AnswerExercise(
        name="05.5",
        title="How many orders?",
        shape=number,
        judge=_judge_count,
        right="Two sides that do not need each other can be mixed in every way.",
        hints=(
            "y is first in each of them. Then four nodes remain.",
            "a comes after p, and b comes after q. Nothing else is asked for.",
            "Write down all orders that go on with p. As many go on with q.",
        ),
    ),
    AnswerExercise(
        name="05.6",
        title="Write topological_order, line by line",
        task=f"""
The function of 05.4 with three gaps. **Which line belongs into each gap?** If 05.4 was too empty a
page, begin here, and go back to it then.

{ORDERING.task}

Help in the chapter: [How to find an order]({FINDING})
""",
        answer=f"""
{ORDERING.answer}
### BEGIN SOLUTION
lines = {{"1": "B", "2": "B", "3": "A"}}
### END SOLUTION
""",
        shape=ORDERING.shape,
        judge=ORDERING.judge(_orders, everything_behind, ORDERING_MISTAKES),
        right="Remember, visit the inputs, and only then append.",
        hints=(
            "What has to be known when the same node is reached a second time?",
            "When all inputs have been visited, they are in the list. What comes next?",
        ),
    ),
)
