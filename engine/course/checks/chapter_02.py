"""The exercises of chapter 02: recorded calculations.

>>> Graph.of(example(), {}).output.data
5.0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.course.checks.calculations import arrows, leaves
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    among,
    as_they_are,
    calculation,
    number,
    numbers,
    one_letter_names,
    order_of_names,
)
from engine.course.checks.gaps import Gaps
from engine.course.checks.plain import Calculation, in_words
from engine.graph import Graph
from engine.value import Value, topological_order

# 02.3: what is to be built.
NODES, ARROWS, LEAF, RESULT = 3, 4, 3.0, 12.0


def example() -> Value:
    """The calculation that 02.1 and 02.2 ask about."""
    p, q = Value(3.0, "p"), Value(-2.0, "q")
    s = p + q
    s.label = "s"
    t = s * s
    t.label = "t"
    m = t * p
    m.label = "m"
    y = m + 2
    y.label = "y"
    return y


# 02.1


def _judge_counts(answer: dict[str, float]) -> Finding | None:
    graph = Graph.of(example(), {})
    constants = sum(len(node.operands) - len(node.inputs) for node in graph.nodes)
    different = sum(len(set(node.inputs)) for node in graph.nodes)
    computed = len(graph) - len(leaves(graph))
    literal = "The plain 2 is a literal: it is part of the operation, without a box of its own."
    found = among(
        answer["nodes"],
        len(graph),
        WrongNumber(len(graph) + constants, "literal", literal),
        WrongNumber(computed, "computed", "The leaves are boxes too."),
        WrongNumber(len(leaves(graph)), "leaves", "The computed numbers are boxes too."),
        WrongNumber(
            arrows(graph) + 1,
            "uses",
            "That counts each use. A number has one box, however often it is used.",
        ),
        name="nodes",
    )
    return found or among(
        answer["arrows"],
        arrows(graph),
        WrongNumber(
            different,
            "different inputs",
            "In s * s, the same number is used twice: these are two arrows.",
        ),
        WrongNumber(arrows(graph) + constants, "literal", f"{literal} So no arrow begins there."),
        WrongNumber(len(graph), "nodes", "That is the number of boxes."),
        name="arrows",
    )


# 02.2


def _judge_order(given: list[str] | str) -> Finding | None:
    answer = one_letter_names(given)
    graph = Graph.of(example(), {})
    known = list(graph.names)
    for name in answer:
        if name not in known:
            return Finding("unknown", f"No number here is called {name}.")
    twice = [name for name, times in Counter(answer).items() if times > 1]
    if twice:
        return Finding("twice", f"{twice[0]} is there more than once. Each number is made once.")
    missing = [name for name in known if name not in answer]
    if missing:
        return Finding("missing", f"Not there yet: {', '.join(missing)}.")
    for place, name in enumerate(answer):
        for index in graph.nodes[graph.index(name)].inputs:
            if graph.names[index] in answer[place + 1 :]:
                return Finding(
                    "too early",
                    f"{name} is too early: it is made from {graph.names[index]}, which comes only "
                    "later.",
                )
    if answer[0] != "q":
        return Finding("start", f"A good order, but it begins with {answer[0]} and not with q.")
    return None


# 02.3


def _judge_built(answer: Calculation) -> Finding | None:
    graph = answer.graph
    if len(graph) != NODES:
        return Finding("nodes", f"Yours has {_count(len(graph), 'node')}. {_how_it_looks(graph)}")
    if len(leaves(graph)) != 1:
        return Finding("leaves", f"Yours has {_count(len(leaves(graph)), 'leaf', 'leaves')}.")
    if leaves(graph)[0].data != LEAF:
        return Finding("leaf", f"The leaf of yours is {in_words(leaves(graph)[0].data)}.")
    if arrows(graph) != ARROWS:
        return Finding(
            "arrows", f"Yours has {_count(arrows(graph), 'arrow')}. {_how_it_looks(graph)}"
        )
    if graph.output.data != RESULT:
        return Finding(
            "result", f"The shape is right. The result of yours is {in_words(graph.output.data)}."
        )
    return None


def _count(number_of: int, one: str, many: str = "") -> str:
    return f"{number_of} {one if number_of == 1 else many or one + 's'}"


def _how_it_looks(graph: Graph) -> str:
    constants = [operand for node in graph.nodes for operand in node.operands]
    if sum(len(node.inputs) for node in graph.nodes) < len(constants):
        return "A plain number in it has neither a box nor an arrow."
    return "A box is made by each operation, and each use of a number is an arrow."


# 02.4


def seven_nodes() -> Value:
    """The example of the chapter."""
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    return (a * b + c) * f


def used_twice() -> Value:
    """Three nodes and four arrows."""
    x = Value(3.0)
    return x * x + x


def equal_numbers() -> Value:
    """Two leaves that hold the same number."""
    return Value(3.0) * Value(3.0)


def doubled(times: int) -> Value:
    """A node on each floor, and many paths.

    Args:
        times: how often.

    >>> doubled(10).data
    1024.0
    """
    x = Value(1.0)
    for _ in range(times):
        x = x + x
    return x


def _reference_count(y: Value) -> int:
    return len(topological_order(y))


def _without_visited(y: Value) -> int:
    return 1 + sum(_without_visited(node) for node in y.inputs)


def _without_visited_each_input_once(y: Value) -> int:
    return 1 + sum(_without_visited_each_input_once(node) for node in set(y.inputs))


def _by_data(y: Value) -> int:
    return len({node.data for node in topological_order(y)})


def _output_left_out(y: Value) -> int:
    return len(topological_order(y)) - 1


def _leaves_alone(y: Value) -> int:
    return sum(not node.op for node in topological_order(y))


def leaves_by_path(y: Value) -> int:
    """How many paths lead to leaves."""
    return sum(map(leaves_by_path, y.inputs)) if y.inputs else 1


def _computed_alone(y: Value) -> int:
    return sum(bool(node.op) for node in topological_order(y))


def _direct_inputs(y: Value) -> int:
    return 1 + len(y.inputs)


def _direct_different_inputs(y: Value) -> int:
    return 1 + len(set(y.inputs))


def _arrows(y: Value) -> int:
    return sum(len(node.inputs) for node in topological_order(y))


DIRECT = (
    "For {case} it gives {got}. It sees the inputs of the result, and not what these were made "
)
COUNT_SUSPECTS = (
    *(
        Suspect(
            function,
            "no visited set",
            "For {case} it gives {got}: a node that is used twice is counted twice. Remember which "
            "nodes were seen already.",
        )
        for function in (_without_visited, _without_visited_each_input_once)
    ),
    Suspect(
        _by_data,
        "by data",
        "For {case} it gives {got}. Two nodes may hold the same number: remember the objects, not "
        "their data.",
    ),
    Suspect(
        _output_left_out,
        "output left out",
        "For {case} it gives {got}: one too few. Does the result itself count?",
    ),
    Suspect(_leaves_alone, "leaves", "For {case} it gives {got}: only the leaves are counted."),
    Suspect(
        _computed_alone,
        "computed",
        "For {case} it gives {got}: only computed numbers are counted. Leaves are nodes too.",
    ),
    Suspect(_direct_inputs, "direct inputs", f"{DIRECT}from."),
    Suspect(_direct_different_inputs, "direct inputs", f"{DIRECT}from."),
    Suspect(_arrows, "arrows", "For {case} it gives {got}: that is the number of arrows."),
)


# 02.5

COUNTING = Gaps(
    """
def count_nodes(y):
    waiting, seen = [y], set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            (1)
            (2)
    return (3)
""",
    {
        "1": {"A": "seen.add(node.data)", "B": "seen.add(node)", "C": "seen.add(y)"},
        "2": {
            "A": "waiting.extend(node.inputs)",
            "B": "waiting = []",
            "C": "waiting.extend(y.inputs[:0])",
        },
        "3": {"A": "len(waiting)", "B": "len(seen)", "C": "len(seen) + 1"},
    },
)
WHOLE = "../notebooks/02-record-a-calculation.ipynb#The-whole-calculation"
COUNTING_MISTAKES = {
    "1 A": ("by data", "Two nodes may hold the same number: remember the node."),
    "1 C": ("always y", "That remembers y again and again. Which node was taken out?"),
    "2 B": ("stops", "Nothing waits any more: who looks at the inputs?"),
    "2 C": ("stops", "That puts nothing into the list: who looks at the inputs?"),
    "3 A": ("empty list", "At the end nothing waits any more. Where are the nodes that were seen?"),
    "3 C": ("one too many", "y itself is in the set already."),
}


def _counts(count: Callable[[Value], int]) -> list[int]:
    return [count(y) for y in (seven_nodes(), used_twice(), Value(3.0), equal_numbers())]


EXERCISES = (
    AnswerExercise(
        name="02.1",
        title="Read a graph",
        shape=numbers("nodes", "arrows"),
        judge=_judge_counts,
        right="One box for each number, one arrow for each use, and nothing for a literal.",
        hints=(
            "Draw it on paper: first p and q, then a new box for each operation.",
            "A plain number such as 2 gets no box. A number used twice by one operation gets two "
            "arrows to it.",
            "Go through the operations one by one. Each makes one box; how many boxes does it use?",
        ),
    ),
    AnswerExercise(
        name="02.2",
        title="Another forward order",
        shape=order_of_names,
        judge=_judge_order,
        right="Many orders are possible. All keep one rule: inputs first.",
        hints=(
            "A leaf needs nothing: p and q may come at any time before they are used.",
            "Read each line of the calculation: what stands on the right side must be there.",
            "Begin with q and p. After that, only one number at a time has all its inputs.",
        ),
    ),
    AnswerExercise(
        name="02.3",
        title="Build a graph",
        shape=calculation,
        judge=_judge_built,
        right="Three boxes and four arrows: the one leaf is used more than once.",
        hints=(
            "There is one leaf, so two operations make the other two nodes.",
            "Each of the two operations has two inputs. There is no literal among them.",
            "Make u from x and x. Then make y from u and one of the two numbers that are there.",
        ),
    ),
    FunctionExercise(
        name="02.4",
        title="Count the nodes",
        cases=(
            Case("(a * b + c) * f", lambda: (seven_nodes(),)),
            Case("x * x + x", lambda: (used_twice(),)),
            Case("a single leaf", lambda: (Value(3.0),)),
            Case(
                "the product of two different leaves that both hold 3", lambda: (equal_numbers(),)
            ),
            Case("a number doubled ten times by x = x + x", lambda: (doubled(10),)),
        ),
        reference=_reference_count,
        shape=number,
        suspects=COUNT_SUSPECTS,
        renew=as_they_are,
        forbidden={"engine.value.topological_order", "engine.graph.Graph"},
        mistakes="""
leaves | = leaves_by_path
    only the leaves are counted, and once for each path that leads to them.
""",
        given=globals(),
        right="It finds everything that took part, and counts each node once.",
        hints=(
            "Start with a list of nodes to look at that holds only y, and with an empty set of "
            "nodes that were seen.",
            "Take a node out of the list. If it was seen, go on with the next one; else add it to "
            "the set, and its inputs to the list.",
            "while waiting: node = waiting.pop(), and so on until the list is empty. Then the "
            "length of the set is asked for.",
        ),
    ),
    AnswerExercise(
        name="02.5",
        title="Count the nodes, line by line",
        task=f"""
The function of 02.4 with three gaps. **Which line belongs into each gap?** If 02.4 was too empty a
page, begin here, and go back to it then.

{COUNTING.task}

Help in the chapter: [The whole calculation]({WHOLE})
""",
        answer=f"""
{COUNTING.answer}
### BEGIN SOLUTION
lines = {{"1": "B", "2": "A", "3": "B"}}
### END SOLUTION
""",
        shape=COUNTING.shape,
        judge=COUNTING.judge(_counts, _reference_count, COUNTING_MISTAKES),
        right="Look at a node, remember it, and go on with its inputs.",
        hints=(
            "The set holds the nodes that were seen. What goes into it in each round?",
            "The list holds what still has to be looked at: the inputs of the node.",
        ),
    ),
)
