"""The exercises of chapter 06: the whole walk, on paper and in Python.

>>> [exercise.name for exercise in EXERCISES]
['06.1', '06.2', '06.3', '06.4', '06.5', '06.6']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    WrongNumber,
    among,
    gradients_by_name,
    number,
    numbers,
    placed,
)
from engine.course.checks.gaps import Gaps
from engine.course.checks.plain import in_words, same
from engine.course.checks.stand_ins import (
    Borrowed,
    StandIn,
    clear_gradients,
    everything_behind,
    forty_doublings,
    stand_ins,
)
from engine.graph import Graph
from engine.text import number_text
from engine.value import Value
from engine.walk import Walk, reverse_walk

# 06.2: the first steps of the walk, which the table shows.
TABLE_STEPS = 3
TABLE_NODES = ("u", "w", "x")
# 06.4: what is held while u moves.
HELD_X, HELD_W = 3.0, -2.0
# 06.5: how far two of the inputs are moved.
MOVES = {"a": 0.01, "f": -0.02}


def calculate(a: float, b: float, c: float, f: float) -> float:
    """The calculation of the chapter."""
    return (a * b + c) * f


NUMBERS = {"a": 4.0, "b": -2.0, "c": 3.0, "f": 0.5}


def seven_nodes() -> Graph:
    """The graph of the chapter with the numbers of 06.1."""
    a, b, c, f = (Value(data) for data in NUMBERS.values())
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


def of_the_chapter() -> Graph:
    """The same calculation with the numbers of the chapter."""
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    e = a * b
    d = e + c
    L = d * f  # noqa: N806 (the loss is called L)
    return Graph.of(L, {"a": a, "b": b, "c": c, "f": f, "e": e, "d": d, "L": L})


def _judge_gradients(answer: dict[str, float]) -> Finding | None:
    walk = reverse_walk(seven_nodes())
    chapter = reverse_walk(of_the_chapter())
    if all(same(answer[name], chapter.grad(name)) for name in answer):
        return Finding(
            "the chapter's", "These are the gradients of the chapter. Here the numbers are others."
        )
    for index in walk.order:
        name = walk.graph.names[index]
        wrong = _mistakes(walk, index)
        found = among(answer[name], walk.gradients[index], *wrong, name=name)
        if found:
            return found
    return None


def _mistakes(walk: Walk, index: int) -> Iterator[WrongNumber]:
    """What known mistakes lead to for one node of a walk in which every node is used once."""
    node = walk.graph.nodes[index]
    if not walk.arrivals[index]:
        yield WrongNumber(
            node.data,
            "seed is data",
            "That is the data of the output. The seed gradient does not depend on it: how fast "
            "does a number change with itself?",
        )
        yield WrongNumber(0.0, "no seed", "With 0 at the start, nothing arrives anywhere.")
        return
    (arrived,) = walk.arrivals[index]
    local, upstream = arrived.local_derivative, arrived.upstream
    user = walk.graph.nodes[arrived.source]
    name = walk.graph.names[user.index]
    yield WrongNumber(
        local,
        "upstream forgotten",
        f"{number_text(local)} is the local derivative alone: how fast {name} changes. Multiply it "
        f"by the gradient of {name}.",
    )
    if user.op == "*":
        yield WrongNumber(
            node.data * upstream,
            "own data",
            "This uses its own data. The local derivative of a product is the other input.",
        )
    if user.op == "+":
        yield WrongNumber(
            upstream / len(user.inputs),
            "shared out",
            "An addition does not share the gradient out like a cake: each input gets all of it.",
        )
        other = math.prod(walk.graph.nodes[k].data for k in user.inputs if k != index)
        yield WrongNumber(
            other * upstream,
            "as a product",
            "That would be right for a product. An addition hands the gradient on as it is.",
        )
    yield WrongNumber(
        upstream,
        "local derivative forgotten",
        f"{number_text(upstream)} is the gradient of {name}. Multiply it by the local derivative.",
    )
    yield WrongNumber(
        local + upstream, "added", "Local derivative and upstream gradient are multiplied."
    )
    yield WrongNumber(node.data, "data", "That is the data, not the gradient.")


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


def _walk_back(
    output: StandIn,
    seed: Callable[[StandIn], float] = lambda output: 1.0,
    order: Callable[[StandIn], Sequence[StandIn]] = lambda output: everything_behind(output)[::-1],
    amount: Callable[[StandIn, float], float] = lambda node, slope: slope * node.grad,
    keep: float = 1.0,
) -> None:
    output.grad = seed(output)
    for node in order(output):
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad = keep * operand.grad + amount(node, slope)


def _overwriting(output: StandIn) -> None:
    _walk_back(output, keep=0.0)


def _without_seed(output: StandIn) -> None:
    _walk_back(output, seed=lambda output: 0.0)


def _seed_is_data(output: StandIn) -> None:
    _walk_back(output, seed=lambda output: output.data)


def _local_alone(output: StandIn) -> None:
    _walk_back(output, amount=lambda node, slope: slope)


def _upstream_alone(output: StandIn) -> None:
    _walk_back(output, amount=lambda node, slope: node.grad)


def _added(output: StandIn) -> None:
    _walk_back(output, amount=lambda node, slope: slope + node.grad)


def _data_for_gradient(output: StandIn) -> None:
    _walk_back(output, amount=lambda node, slope: slope * node.data)


def _level_by_level(output: StandIn) -> None:
    def order(output: StandIn) -> list[StandIn]:
        found = [output]
        for node in found:
            found += [operand for operand in dict.fromkeys(node.inputs) if operand not in found]
        return found

    _walk_back(output, order=order)


def _in_the_order_of_preorder(output: StandIn) -> None:
    def order(output: StandIn) -> list[StandIn]:
        found: list[StandIn] = []

        def visit(node: StandIn) -> None:
            if node not in found:
                found.append(node)
                for operand in node.inputs:
                    visit(operand)

        visit(output)
        return found

    _walk_back(output, order=order)


def _without_visited(output: StandIn) -> None:
    def order(node: StandIn) -> list[StandIn]:
        return [inner for operand in node.inputs for inner in order(operand)] + [node]

    _walk_back(output, order=lambda output: order(output)[::-1])


def _without_visited_down(output: StandIn) -> None:
    """Each node hands on to an input and goes on there at once."""
    output.grad = 1.0

    def visit(node: StandIn) -> None:
        for operand, slope in zip(node.inputs, node.local_derivatives, strict=True):
            operand.grad += slope * node.grad
            visit(operand)

    visit(output)


def _one_slot_for_each_node(output: StandIn) -> None:
    output.grad = 1.0
    for node in everything_behind(output)[::-1]:
        slopes = dict(zip(node.inputs, node.local_derivatives, strict=True))
        for operand, slope in slopes.items():
            operand.grad += slope * node.grad


def _output_alone(output: StandIn) -> None:
    _walk_back(output, order=lambda output: [output])


def _borrowed(_output: StandIn) -> None:
    raise Borrowed


def _gradients(arguments: tuple[Any, ...], _result: Any) -> dict[str, Any]:
    return {node.label: node.grad for node in everything_behind(arguments[0])}


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


BACKWARD_SUSPECTS = (
    Suspect(
        _without_seed,
        "no seed",
        "For {case} the gradients are {got}. What does the walk start with?",
    ),
    Suspect(
        _seed_is_data,
        "seed is data",
        "For {case} the gradients are {got}: the walk starts with the data of the output. How fast "
        "does a number change with itself?",
    ),
    Suspect(
        _output_alone,
        "output alone",
        "For {case} the gradients are {got}: only the output has handed on. Either the others have "
        "no turn, or they have it before the output, while they still hold 0.",
    ),
    Suspect(
        _overwriting,
        "overwritten",
        "For {case} the gradients are {got}: a second contribution overwrites the first one. They "
        "have to be added.",
    ),
    Suspect(
        _local_alone,
        "upstream forgotten",
        "For {case} the gradients are {got}: the local derivative is handed on alone. Multiply it "
        "by the upstream gradient.",
    ),
    Suspect(
        _upstream_alone,
        "local derivative forgotten",
        "For {case} the gradients are {got}: the upstream gradient is handed on as it is. Multiply "
        "it by the local derivative.",
    ),
    Suspect(
        _added,
        "added",
        "For {case} the gradients are {got}: local derivative and upstream gradient are added. "
        "They have to be multiplied.",
    ),
    Suspect(
        _data_for_gradient,
        "data",
        "For {case} the gradients are {got}: the local derivative is multiplied by the data of the "
        "node, and not by its gradient.",
    ),
    Suspect(
        _without_visited,
        "no visited set",
        "For {case} the gradients are {got}: a node that is used twice has two turns. Who has been "
        "visited?",
    ),
    Suspect(
        _without_visited_down,
        "no order",
        "For {case} the gradients are {got}: a node hands on each time something arrives, and each "
        "time all that it holds. First make a list of the nodes, then walk along it.",
    ),
    Suspect(
        _level_by_level,
        "too early",
        "For {case} the gradients are {got}: a node hands on before all nodes that use it have "
        "been processed. In which order do you go?",
    ),
    Suspect(
        _in_the_order_of_preorder,
        "too early",
        "For {case} the gradients are {got}: a node hands on before all nodes that use it have "
        "been processed. In which order do you go?",
    ),
    Suspect(
        _one_slot_for_each_node,
        "one slot only",
        "For {case} the gradients are {got}: where a node uses one number twice, both "
        "contributions count. A dictionary or a set of inputs keeps only one.",
    ),
    Suspect(_borrowed, "borrowed", "It asks the engine to walk. Write the walk yourself."),
)


# 06.4


def _from_u(u: float) -> float:
    return (u + HELD_X) * HELD_W


# 06.5


def _judge_prediction(answer: float) -> Finding | None:
    walk = reverse_walk(seven_nodes())
    parts = [walk.grad(name) * by for name, by in MOVES.items()]
    before = walk.graph.output.data
    after = calculate(**{k: data + MOVES.get(k, 0.0) for k, data in NUMBERS.items()})
    return among(
        answer,
        sum(parts),
        WrongNumber(
            after - before,
            "calculated again",
            f"{number_text(after - before)} is how far L really moves. Asked for is what the "
            "gradients predict, and they hold for tiny moves only. That is why the two differ.",
        ),
        WrongNumber(
            sum(walk.grad(name) * abs(by) for name, by in MOVES.items()),
            "direction",
            "A number that falls moves by a negative amount: mind the sign of the move of f.",
        ),
        *(
            WrongNumber(part, "one alone", f"{number_text(part)} is the part of one of the two.")
            for part in parts
        ),
        WrongNumber(
            sum(walk.grad(name) for name in MOVES),
            "moves forgotten",
            "The gradients are added here. Multiply each by how far its number moves.",
        ),
        WrongNumber(
            before + sum(parts), "where, not how far", "That is where L ends, not how far it moves."
        ),
    )


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
        found.append(_gradients((output,), None))
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
        reference=_walk_back,
        shape=gradients_by_name,
        observe=_gradients,
        renew=clear_gradients,
        suspects=BACKWARD_SUSPECTS,
        forbidden={
            "engine.value.topological_order",
            "engine.value.push_back",
            "engine.value.walk_back",
            "engine.walk.reverse_walk",
            "engine.measuring.central_difference",
        },
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
        reference=_from_u,
        shape=number,
        suspects=(
            Suspect(
                lambda u: (HELD_X * HELD_W + HELD_X) * HELD_W,
                "starts too early",
                "For {case} it gives {got}, as for every other u: it calculates u anew from x and "
                "w. Start with the u that is given.",
            ),
            Suspect(
                lambda u: u + HELD_X,
                "stops too early",
                "For {case} it gives {got}. That is v; go on to y.",
            ),
            Suspect(
                lambda u: u * HELD_W,
                "a step left out",
                "For {case} it gives {got}. On the way to y, x is added.",
            ),
            Suspect(
                lambda u: u + HELD_X * HELD_W,
                "parentheses",
                "For {case} it gives {got}. The sum is multiplied by w, and not x alone.",
            ),
            Suspect(
                lambda u: HELD_W,
                "derivative",
                "It gives {got} for each u: that is a derivative. Asked for is y; measuring comes "
                "afterward.",
            ),
        ),
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
        judge=_judge_prediction,
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
        judge=WALKING.judge(_walks, _walk_back, WALKING_MISTAKES),
        right="A seed gradient, an order from the back, and one rule.",
        hints=(
            "The output changes exactly as fast as itself.",
            "In the list, inputs stand first. Who has to hand on first?",
        ),
    ),
)
