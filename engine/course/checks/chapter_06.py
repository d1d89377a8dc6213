"""The exercises of chapter 06: the whole walk, on paper and in Python.

>>> [exercise.name for exercise in EXERCISES]
['06.1', '06.2', '06.3', '06.4', '06.5', '06.6']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    among,
    gradients_by_name,
    number,
    number_by,
    numbers,
    numbers_by,
    placed,
)
from engine.course.checks.gaps import Gaps
from engine.course.checks.plain import in_words, same
from engine.course.checks.stand_ins import (
    WALKS,
    StandIn,
    clear_gradients,
    everything_behind,
    forty_doublings,
    gradients,
    stand_ins,
    walk_back,
)
from engine.graph import Graph
from engine.value import Value
from engine.walk import Walk, reverse_walk

# 06.2: the first steps of the walk, which the table shows.
TABLE_STEPS = 3
TABLE_NODES = ("u", "w", "x")
# 06.4: what is held while u moves.
HELD_X, HELD_W = 3.0, -2.0
# 06.5: how far two of the inputs are moved.
MOVES = {"a": 0.01, "f": -0.02}


NUMBERS = {"a": 4.0, "b": -2.0, "c": 3.0, "f": 0.5}
OF_THE_CHAPTER = {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}


def seven_nodes(numbers: Mapping[str, float] = NUMBERS) -> Graph:
    """The graph of the chapter.

    Args:
        numbers: of its leaves, those of 06.1 if none are given.
    """
    a, b, c, f = (Value(data) for data in numbers.values())
    e = a * b
    d = e + c
    L = d * f  # noqa: N806 (the loss is called L)
    return Graph.of(L, {"a": a, "b": b, "c": c, "f": f, "e": e, "d": d, "L": L})


def shared_graph() -> Graph:
    """The graph of 06.2 and 06.4, in which x and w are used twice."""
    x, w = Value(HELD_X), Value(HELD_W)
    u = x * w
    v = u + x
    y = v * w
    return Graph.of(y, {"x": x, "w": w, "u": u, "v": v, "y": y})


# 06.1


SEED = """
= gradient(name)
seed is data | data[name]
    That is the data of the output. The seed gradient does not depend on it: how fast does a number
    change with itself?
no seed | 0.0
    With 0 at the start, nothing arrives anywhere.
"""
OF_A_PRODUCT = """own data | data[name] * upstream[name]
    This uses its own data. The local derivative of a product is the other input."""
OF_A_SUM = """shared out | upstream[name] / 2
    An addition does not share the gradient out like a cake: each input gets all of it.
as a product | data[other[name]] * upstream[name]
    That would be right for a product. An addition hands the gradient on as it is."""


def _handed_on_by(user: str, mistakes: str) -> str:
    return f"""
= gradient(name)
upstream forgotten | local[name]
    {{}} is the local derivative alone: how fast {user} changes. Multiply it by the gradient of
    {user}.
{mistakes}
local derivative forgotten | upstream[name]
    {{}} is the gradient of {user}. Multiply it by the local derivative.
added | local[name] + upstream[name]
    Local derivative and upstream gradient are multiplied.
data | data[name]
    That is the data, not the gradient.
"""


def _seen_by_name() -> dict[str, Any]:
    """What each node has and gets, in a walk in which every node is used once."""
    walk = reverse_walk(seven_nodes())
    names = walk.graph.names
    arrived = {names[node]: each[0] for node, each in enumerate(walk.arrivals) if each}
    return {
        "gradient": walk.grad,
        "data": {names[node.index]: node.data for node in walk.graph.nodes},
        "local": {name: each.local_derivative for name, each in arrived.items()},
        "upstream": {name: each.upstream for name, each in arrived.items()},
        "other": {"e": "c", "c": "e"},
    }


_judge_each = numbers_by(
    _seen_by_name,
    L=SEED,
    **dict.fromkeys("df", _handed_on_by("L", OF_A_PRODUCT)),
    **dict.fromkeys("ec", _handed_on_by("d", OF_A_SUM)),
    **dict.fromkeys("ab", _handed_on_by("e", OF_A_PRODUCT)),
)


def _judge_gradients(answer: dict[str, float]) -> Finding | None:
    chapter = reverse_walk(seven_nodes(OF_THE_CHAPTER))
    if all(same(answer[name], chapter.grad(name)) for name in answer):
        return Finding(
            "the chapter's", "These are the gradients of the chapter. Here the numbers are others."
        )
    return _judge_each(answer)


# 06.2


def _lists(answer: Any) -> Finding | None:
    if not isinstance(answer, dict) or set(answer) != set(TABLE_NODES):
        return Finding("type", "The answer is a dictionary with a list each for u, w and x.")
    for name in TABLE_NODES:
        column = answer[name]
        if not isinstance(column, list | tuple) or len(column) != TABLE_STEPS:
            return Finding("length", f"{name}: write a list of {TABLE_STEPS} numbers.")
        if ... in column:
            return Finding("unfinished", f"{name}: there are still dots in {in_words(column)}.")
        wrong = next((found for member in column if (found := number(member))), None)
        if wrong:
            return placed(f"{name}: ", wrong)
    return None


Table = dict[str, list[float]]


def _table(walk: Walk, after: Iterable[int]) -> Table:
    rows = [walk.gradients_after(step) for step in after]
    return {name: [row[walk.graph.index(name)] for row in rows] for name in TABLE_NODES}


def _arrivals(held: Table) -> Table:
    """What each step adds."""
    return {
        name: [now - before for before, now in zip([0.0, *column], column, strict=False)]
        for name, column in held.items()
    }


def _judge_table(answer: dict[str, list[float]]) -> Finding | None:
    graph = shared_graph()
    walk, steps = reverse_walk(graph), range(1, TABLE_STEPS + 1)
    held = _table(walk, steps)
    suspects = (
        (
            _arrivals(held),
            "arrivals",
            "These are the contributions of each step. Asked for is what the nodes hold after it: "
            "what was there before stays there.",
        ),
        (
            _table(reverse_walk(graph, accumulate=False), steps),
            "overwritten",
            "A later contribution has overwritten an earlier one. They are added: +=.",
        ),
        (
            _table(walk, [TABLE_STEPS] * TABLE_STEPS),
            "final",
            "These are the gradients at the end, in every row. Early on, not all has arrived.",
        ),
        (
            _table(walk, range(TABLE_STEPS)),
            "before the step",
            "These are the numbers before each step. Asked for are those after it.",
        ),
    )
    for table, kind, words in suspects:
        if same(answer, table):
            return Finding(kind, words)
    for step in steps:
        for name in TABLE_NODES:
            place = f"{name} after step {step}"
            found = among(answer[name][step - 1], held[name][step - 1], name=place)
            if found:
                return found
    return None


# 06.3


def twice() -> Graph:
    """A graph in which one operation uses one number for both inputs."""
    x = Value(3.0)
    y = x * x
    return Graph.of(y, {"x": x, "y": y})


def short_and_long() -> Graph:
    """A graph in which u has a short way and a long way to the output."""
    x, k = Value(2.0), Value(-1.5)
    u = x * k
    v = u * k
    w = v - x
    y = u * w
    return Graph.of(y, {"x": x, "k": k, "u": u, "v": v, "w": w, "y": y})


def _case(words: str, graph: Callable[[], Graph], too_long: str = "") -> Case:
    return Case(words, lambda: (stand_ins(graph())[-1],), too_long)


# 06.5


def _moved() -> dict[str, Any]:
    walk = reverse_walk(seven_nodes())
    after = seven_nodes({k: data + MOVES.get(k, 0.0) for k, data in NUMBERS.items()})
    part_a, part_f = (walk.grad(name) * by for name, by in MOVES.items())
    return {
        "part_a": part_a,
        "part_f": part_f,
        "gradients": walk.grad("a") + walk.grad("f"),
        "before": walk.graph.output.data,
        "after": after.output.data,
    }


# 06.6

WALKING = Gaps(
    """
def my_backward(output):
    order = my_topological_order(output)
    (1)
    for node in (2):
        for operand, slope in zip(node.inputs, node.local_derivatives):
            (3)
""",
    {
        "1": {
            "A": "output.grad = 0.0",
            "B": "output.grad = output.data",
            "C": "output.grad = 1.0",
        },
        "2": {"A": "order", "B": "reversed(order)", "C": "order[-1:]"},
        "3": {
            "A": "operand.grad = slope * node.grad",
            "B": "operand.grad += slope",
            "C": "operand.grad += slope * node.grad",
        },
    },
    {"my_topological_order": everything_behind},
)
WALKING_MISTAKES = {
    "1 A": ("no seed", "With 0 at the start, nothing arrives anywhere."),
    "1 B": ("seed is data", "How fast does a number change with itself?"),
    "2 A": ("from the front", "The leaves would go first, while they still hold 0."),
    "2 C": ("output alone", "Only the output hands something on."),
    "3 A": ("overwritten", "A second contribution overwrites the first one."),
    "3 B": ("upstream forgotten", "The local derivative is handed on alone."),
}


def _walks(walk: Callable[[StandIn], object]) -> list[dict[str, float]]:
    found = []
    for graph in (seven_nodes(), twice(), shared_graph(), short_and_long()):
        output = stand_ins(graph)[-1]
        walk(output)
        found.append(gradients((output,), None))
    return found


EXERCISES = (
    AnswerExercise(
        name="06.1",
        title="All seven gradients",
        shape=numbers(*"Ldfecab"),
        judge=_judge_gradients,
        right="Seven numbers, each a local derivative times an upstream gradient.",
        hints=(
            "Start with L: how fast does L change with L?",
            "L = d * f: to d it hands on f times the gradient of L, to f it hands on d times that.",
            "d = e + c hands its whole gradient on to e and to c. e = a * b hands on b times its "
            "gradient to a, and a times its gradient to b.",
        ),
    ),
    AnswerExercise(
        name="06.2",
        title="A table of the walk",
        shape=_lists,
        judge=_judge_table,
        right="What has arrived stays; what arrives later is added.",
        hints=(
            "Before the first step y holds 1, and everything else holds 0.",
            "Step 1 processes y = v * w: w receives the data of v. Step 2 processes v = u + x: "
            "both inputs receive what v holds.",
            "Step 3 processes u = x * w. To what x holds, add w times the gradient of u; to what w "
            "holds, add x times the gradient of u.",
        ),
    ),
    FunctionExercise(
        name="06.3",
        title="Write backward",
        cases=(
            _case("L = (a*b + c) * f", seven_nodes),
            _case("y = x * x", twice),
            _case("the graph of 06.2", shared_graph),
            _case("a graph with a short and a long way", short_and_long),
            _case(
                "forty doublings",
                forty_doublings,
                "The gradients are right, but it walks every path by itself. Let each node hand on "
                "once.",
            ),
        ),
        reference=walk_back,
        shape=gradients_by_name,
        observe=gradients,
        renew=clear_gradients,
        solution="""
def my_backward(output):
    \"\"\"Fill in the gradients of the output and of everything it was made from.\"\"\"
    order = []

    def visit(node):
        if node not in order:
            for operand in node.inputs:
                visit(operand)
            order.append(node)

    visit(output)
    output.grad = 1.0
    for node in reversed(order):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad
""",
        gives="the gradients are",
        mistakes=r"""
no seed | 1.0 -> 0.0
    For {case} the gradients are {got}. What does the walk start with?
seed is data | 1.0 -> output.data
    the walk starts with the data of the output. How fast does a number change with itself?
output alone | reversed(order) -> [output]
    only the output has handed on. Either the others have no turn, or they have it before the
    output, while they still hold 0.
overwritten | += -> =
    a second contribution overwrites the first one. They have to be added.
upstream forgotten | slope * node.grad -> slope
    the local derivative is handed on alone. Multiply it by the upstream gradient.
local derivative forgotten | slope * node.grad -> node.grad
    the upstream gradient is handed on as it is. Multiply it by the local derivative.
added | slope * node.grad -> slope + node.grad
    local derivative and upstream gradient are added. They have to be multiplied.
data | slope * node.grad -> slope * node.data
    the local derivative is multiplied by the data of the node, and not by its gradient.
no visited set | if node not in order: -> if True:
    a node that is used twice has two turns. Who has been visited?
no order | for node in reversed(order): -> def go(node):
| slope * node.grad -> slope * node.grad\n            go(operand)\n    go(output)
    a node hands on each time something arrives, and each time all that it holds. First make a list
    of the nodes, then walk along it.
too early | visit(output) -> order = [output] | reversed(order) -> order
| * node.grad -> * node.grad\n            if operand not in order: order.append(operand)
too early | visit(operand)\n            order.append(node) -> visit(operand)
| if node not in order: -> if node not in order:\n            order.append(node)
| reversed(order) -> order
    a node hands on before all nodes that use it have been processed. In which order do you go?
one slot only | in zip( -> in dict(zip( | strict=True): -> strict=True)).items():
    where a node uses one number twice, both contributions count. A dictionary or a set of inputs
    keeps only one.
borrowed | output.grad = 1.0 -> output.backward()
    ~It asks the engine to walk. Write the walk yourself.
""",
        forbidden=WALKS,
        right="This is the whole method. Everything else in an engine is operations.",
        hints=(
            "Three parts: a list with inputs first (chapter 05), the seed gradient, and a loop "
            "over the list from the back.",
            "In the loop, for each input of a node: input.grad += local derivative * node.grad. "
            "zip(node.inputs, node.local_derivatives) goes through both together.",
            "Copy your function of 05.4 into the cell. Then: output.grad = 1.0, and below it `for "
            "node in reversed(order):` with the loop over zip inside.",
        ),
    ),
    FunctionExercise(
        name="06.4",
        title="Start in the middle",
        cases=(
            Case("u = -6", lambda: (-6.0,)),
            Case("u = -5.5", lambda: (-5.5,)),
            Case("u = 4", lambda: (4.0,)),
        ),
        reference=lambda u: (u + HELD_X) * HELD_W,
        shape=number,
        solution="""
def from_u(u):
    \"\"\"Calculate y, starting at u.\"\"\"
    return (u + 3) * -2
""",
        mistakes="""
starts too early | u + 3 -> 3 * -2 + 3
    For {case} it gives {got}, as for every other u: it calculates u anew from x and w. Start with
    the u that is given.
stops too early | (u + 3) * -2 -> u + 3
    That is v; go on to y.
a step left out | (u + 3) -> u
    On the way to y, x is added.
parentheses | (u + 3) -> u + 3
    The sum is multiplied by w, and not x alone.
derivative | (u + 3) * -2 -> -2
    It gives {got} for each u: that is a derivative. Asked for is y; measuring comes afterward.
""",
        right="What comes before u plays no part in how fast y changes with u.",
        hints=(
            "Which operations come after u? There are two.",
            "v is u plus x, and y is v times w. Hold x and w at 3 and -2.",
            "One line: a sum in parentheses, times a number.",
        ),
    ),
    AnswerExercise(
        name="06.5",
        title="Two moves at once",
        shape=number,
        judge=number_by(
            _moved,
            """
= part_a + part_f
calculated again | after - before
    {} is how far L really moves. Asked for is what the gradients predict, and they hold for tiny
    moves only. That is why the two differ.
direction | part_a - part_f
    A number that falls moves by a negative amount: mind the sign of the move of f.
one alone | part_a
one alone | part_f
    {} is the part of one of the two.
moves forgotten | gradients
    The gradients are added here. Multiply each by how far its number moves.
where, not how far | before + part_a + part_f
    That is where L ends, not how far it moves.
""",
        ),
        right="Each gradient says what its own number adds, and the parts add up.",
        hints=(
            "A gradient says how many times as fast L moves. How far does L move for a alone?",
            "Gradient times move, for a and for f. f falls, so its move is negative.",
            "Add the two parts: gradient of a times 0.01, and gradient of f times -0.02.",
        ),
    ),
    AnswerExercise(
        name="06.6",
        title="Write backward, line by line",
        task=f"""
The walk of 06.3 with three gaps; `my_topological_order` is the function of 05.4. **Which line
belongs into each gap?** If 06.3 was too empty a page, begin here, and go back to it then.

{WALKING.task}

Help in the chapter: [The one rule](../notebooks/06-the-seven-node-walk.ipynb#The-one-rule)
""",
        answer=f"""
{WALKING.answer}
### BEGIN SOLUTION
lines = {{"1": "C", "2": "B", "3": "C"}}
### END SOLUTION
""",
        shape=WALKING.shape,
        judge=WALKING.judge(_walks, walk_back, WALKING_MISTAKES),
        right="A seed gradient, an order from the back, and one rule.",
        hints=(
            "The output changes exactly as fast as itself.",
            "In the list, inputs stand first. Who has to hand on first?",
        ),
    ),
)
