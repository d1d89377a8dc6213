"""The exercises of chapter 17: ways back of whole tables, and the engine from memory.

>>> [exercise.name for exercise in EXERCISES]
['17.1', '17.2', '17.3', '17.4']
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    Suspect,
    fields,
    number,
    one_of,
    placed,
)
from engine.course.checks.plain import in_words
from engine.course.checks.stand_ins import Borrowed
from engine.gpt import dot, softmax
from engine.measuring import central_difference
from engine.value import Value

Floats = NDArray[np.float64]
Back = Callable[[Floats, Floats, Floats], Any]
Rows = list[list[Value]]

# 17.3: the lines of the backward pass, and the tables that it is tried with.
LINES = ("A", "B", "C", "D")
POSITIONS = 3
STEP, AGREES = 1e-5, 1e-7
# 17.4: how many nodes the graphs by chance have before they are added up.
NODES = 14


# 17.1


def _rows(table: Floats) -> Rows:
    return [[Value(each) for each in row] for row in table]


def _gradients(rows: Rows) -> Floats:
    return np.array([[each.grad for each in row] for row in rows])


def _weighed(results: Rows, upstream: Floats) -> Value:
    """The sum of all results, each times a number: that number is its upstream gradient."""
    total = Value(0.0)
    for row, factors in zip(results, upstream, strict=True):
        for each, factor in zip(row, factors, strict=True):
            total = total + each * factor
    return total


def _linear_by_engine(x: Floats, weights: Floats, upstream: Floats) -> tuple[Floats, Floats]:
    """The backward pass of ``x @ weights.T`` in single numbers."""
    positions, rows = _rows(x), _rows(weights)
    results = [[dot(row, position) for row in rows] for position in positions]
    _weighed(results, upstream).backward()
    return _gradients(positions), _gradients(rows)


def _tables(_arguments: tuple[Any, ...], result: Any) -> Any:
    """Tables as lists of rows; what else was given back stays."""
    if isinstance(result, list | tuple):
        return [_tables((), member) for member in result]
    return result.tolist() if isinstance(result, np.ndarray) else result


def _is_table(answer: Any) -> bool:
    return isinstance(answer, list) and all(
        isinstance(row, list) and row and all(isinstance(each, float) for each in row)
        for row in answer
    )


def _two_tables(answer: Any) -> Finding | None:
    if _is_table(answer):
        return Finding(
            "one table", "it gives one table. Two are asked for: one for x, one for the weights."
        )
    if isinstance(answer, list) and len(answer) == 2 and all(map(_is_table, answer)):
        return None
    return Finding("type", f"it gives {in_words(answer)}, and should give two tables.")


def _linear_case(words: str, positions: int, results: int, width: int, seed: int) -> Case:
    def arguments() -> tuple[Any, ...]:
        chance = np.random.default_rng(seed)
        shapes = ((positions, width), (results, width), (positions, results))
        return tuple(chance.integers(-4, 5, shape).astype(float) for shape in shapes)

    return Case(words, arguments)


# 17.2


def _loss_by_engine(logits: Floats, following: Sequence[int]) -> Floats:
    rows = _rows(logits)
    logs = [
        softmax(row)[target].log() * (-1 / len(rows))
        for row, target in zip(rows, following, strict=True)
    ]
    sum(logs[1:], logs[0]).backward()
    return _gradients(rows)


def _probabilities(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    table: Floats = powers / powers.sum(axis=1, keepdims=True)
    return table


def _unguarded(logits: Floats, following: Sequence[int]) -> Floats:
    with np.errstate(all="ignore"):
        powers = np.exp(logits)
        table: Floats = powers / powers.sum(axis=1, keepdims=True)
    table[np.arange(len(following)), following] -= 1.0
    return table / len(following)


def _one_table(answer: Any) -> Finding | None:
    if _is_table(answer):
        return None
    if isinstance(answer, float):
        return Finding(
            "one number", f"it gives {in_words(answer)}. Each logit has a gradient: give a table."
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a table.")


def _loss_case(words: str, rows: Sequence[Sequence[float]], following: Sequence[int]) -> Case:
    return Case(words, lambda: (np.array(rows), list(following)))


# 17.3: each line of the backward pass of attention can be wrong or right.


def attention(
    queries: Floats, keys: Floats, values: Floats, turned: str = ""
) -> tuple[Floats, Callable[[Floats], tuple[Floats, Floats, Floats]]]:
    """A head of attention and its backward pass, for all positions at once and without a mask.

    Args:
        queries: one row for each position.
        keys: likewise.
        values: likewise.
        turned: letters of the lines that have a transpose too many or too few.

    Returns:
        The mixtures, and the backward pass: to the queries, the keys and the values.
    """
    root = keys.shape[1] ** 0.5
    weights = _probabilities(queries @ keys.T / root)

    def backward(upstream: Floats) -> tuple[Floats, Floats, Floats]:
        to_values = (weights if "A" in turned else weights.T) @ upstream
        to_weights = upstream @ (values if "B" in turned else values.T)
        dots = (to_weights * weights).sum(axis=1, keepdims=True)
        to_scores = weights * (to_weights - dots) / root
        to_queries = to_scores @ (keys.T if "C" in turned else keys)
        to_keys = (to_scores if "D" in turned else to_scores.T) @ queries
        return to_queries, to_keys, to_values

    return weights @ values, backward


PLANTED = "D"
TABLES = ("queries", "keys", "values")


def wrong_tables(turned: str) -> set[str]:
    """Which gradients of attention differ from central differences.

    Args:
        turned: letters of the wrong lines.

    >>> wrong_tables("")
    set()
    """
    chance = np.random.default_rng(3)
    tables = [chance.normal(size=(POSITIONS, POSITIONS)) for _ in TABLES]
    upstream = chance.normal(size=(POSITIONS, POSITIONS))
    queries, keys, values = tables
    gradients = attention(queries, keys, values, turned)[1](upstream)
    found = set()
    for name, table, gradient in zip(TABLES, tables, gradients, strict=True):
        for place in np.ndindex(table.shape):
            kept, sides = table[place], []
            for moved in (kept + STEP, kept - STEP):
                table[place] = moved
                mixtures = attention(queries, keys, values)[0]
                sides.append(float((mixtures * upstream).sum()))
            table[place] = kept
            if abs((sides[0] - sides[1]) / (2 * STEP) - gradient[place]) > AGREES:
                found.add(name)
    return found


def _judge_transpose(answer: dict[str, str]) -> Finding | None:
    line, table = answer["line"], answer["table"]
    mended = PLANTED.replace(line, "") if line in PLANTED else PLANTED + line
    if wrong_tables(mended):
        if table in wrong_tables(PLANTED):
            return Finding(
                "other line",
                f"The gradient of the {table} is wrong, but with line {line} changed it stays so. "
                "Which line makes it?",
            )
        return Finding(
            "innocent line",
            f"With a transpose more or less in line {line}, there would be two mistakes. For each "
            "line ask: what are the rows of each table, and over what does the product add?",
        )
    if table not in wrong_tables(PLANTED):
        return Finding(
            "other table",
            f"The line is found, but the gradient of the {table} agrees with central differences. "
            "Where does the result of the line go?",
        )
    return None


# 17.4: calculations of the learner's own numbers.

Calculation = Callable[..., Any]
Gradients = Callable[[Calculation, list[float]], list[float]]


class Repeated(Exception):  # noqa: N818 (what happened, as a check names it)
    """The calculation was made more than once."""


def _for_numbers(calculation: Calculation) -> Calculation:
    """A calculation that refuses plain numbers, so that nobody measures instead of walking."""
    calls = []

    def refusing(*numbers: Any) -> Any:
        calls.append(numbers)
        if len(calls) > 1:
            raise Repeated("the calculation is made once: one walk back gives all gradients.")
        if any(type(each) in (int, float) for each in numbers):
            raise Borrowed("this calculation takes Numbers, and no plain numbers.")
        return calculation(*numbers)

    return refusing


def _random_graph(seed: int) -> Calculation:
    """A calculation of four numbers in which many nodes are shared."""

    def calculation(*leaves: Any) -> Any:
        chance = Random(seed)
        nodes = list(leaves)
        while len(nodes) < NODES:
            operation = chance.choice((operator.add, operator.mul))
            nodes.append(operation(chance.choice(nodes[-6:]), chance.choice(nodes[-6:])))
        total = nodes[0]
        for node in nodes[1:]:
            total = total + node
        return total

    return calculation


def _later(y: Any, k: Any) -> Any:
    u = y * y
    return u + u * k


def _calculation(words: str, calculation: Calculation, *data: float, too_long: str = "") -> Case:
    return Case(words, lambda: (_for_numbers(calculation), list(data)), too_long)


def _of_all_sizes(a: Any, b: Any, c: Any) -> Any:
    """A calculation that no step can measure: it is too large for b, or too small for a."""
    return a * a * a * a + b + c * c * c


def _doublings(x: Any) -> Any:
    for _ in range(40):
        x = x + x
    return x


def _by_engine(calculation: Calculation, data: list[float]) -> list[float]:
    leaves = [Value(each) for each in data]
    calculation(*leaves).backward()
    return [leaf.grad for leaf in leaves]


class _Slip:
    """A Number with one mistake; its subclasses say which."""

    def __init__(
        self, data: float, inputs: Sequence[_Slip] = (), slopes: Sequence[float] = ()
    ) -> None:
        self.data, self.grad = data, 0.0
        self.inputs, self.slopes = inputs, slopes

    def __add__(self, other: _Slip) -> _Slip:
        return type(self)(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: _Slip) -> _Slip:
        return type(self)(self.data * other.data, (self, other), (other.data, self.data))

    def seed(self) -> float:
        return 1.0

    def hand_on(self) -> None:
        for given, slope in zip(self.inputs, self.slopes, strict=True):
            given.grad += slope * self.grad

    def order(self) -> list[_Slip]:
        found: dict[_Slip, None] = {}

        def visit(node: _Slip) -> None:
            if node not in found:
                for given in node.inputs:
                    visit(given)
                found[node] = None

        visit(self)
        return [*found][::-1]

    def backward(self) -> None:
        self.grad = self.seed()
        for node in self.order():
            node.hand_on()


class _NoSeed(_Slip):
    def seed(self) -> float:
        return 0.0


class _SeedIsData(_Slip):
    def seed(self) -> float:
        return self.data


class _Overwrites(_Slip):
    def hand_on(self) -> None:
        for given, slope in zip(self.inputs, self.slopes, strict=True):
            given.grad = slope * self.grad


class _ForgetsUpstream(_Slip):
    def hand_on(self) -> None:
        for given, slope in zip(self.inputs, self.slopes, strict=True):
            given.grad += slope


class _OwnData(_Slip):
    def __mul__(self, other: _Slip) -> _Slip:
        return type(self)(self.data * other.data, (self, other), (self.data, other.data))


class _OnceForEachInput(_Slip):
    def hand_on(self) -> None:
        for given, slope in dict(zip(self.inputs, self.slopes, strict=True)).items():
            given.grad += slope * self.grad


class _Recursive(_Slip):
    """Each node goes on at once, with all that it holds."""

    def backward(self) -> None:
        self.grad = 1.0
        self.go_on()

    def go_on(self) -> None:
        self.hand_on()
        for given in self.inputs:
            given.go_on()  # type: ignore[attr-defined]


class _RecursiveOneByOne(_Slip):
    """Each node goes on at once, from one input to the next."""

    def backward(self) -> None:
        self.grad = 1.0
        self.go_on()

    def go_on(self) -> None:
        for given, slope in zip(self.inputs, self.slopes, strict=True):
            given.grad += slope * self.grad
            given.go_on()  # type: ignore[attr-defined]


class _OverwritesAlongTheTape(_Overwrites):
    """The last contribution is another one when the nodes have their turns as they were made."""

    tape: ClassVar[list[_Slip]] = []

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.tape.append(self)

    def order(self) -> list[_Slip]:
        nodes = self.tape[::-1]
        self.tape.clear()
        return nodes


class _WithAStack(_Slip):
    """Each node goes on whenever it comes off a list that it may stand on several times."""

    taken_from = -1

    def backward(self) -> None:
        self.grad = 1.0
        waiting: list[_Slip] = [self]
        while waiting:
            node = waiting.pop(self.taken_from)
            node.hand_on()
            waiting.extend(node.inputs)


class _WithAQueue(_WithAStack):
    taken_from = 0


class _PreOrder(_Slip):
    def order(self) -> list[_Slip]:
        found: list[_Slip] = []

        def visit(node: _Slip) -> None:
            if node not in found:
                found.append(node)
                for given in node.inputs:
                    visit(given)

        visit(self)
        return found


class _BreadthFirst(_Slip):
    """The order in which a list gives up its nodes, each put on it once."""

    taken_from = 0

    def order(self) -> list[_Slip]:
        waiting: list[_Slip] = [self]
        order: list[_Slip] = []
        found: set[_Slip] = {self}
        while waiting:
            node = waiting.pop(self.taken_from)
            order.append(node)
            for given in node.inputs:
                if given not in found:
                    found.add(given)
                    waiting.append(given)
        return order


class _StackOnce(_BreadthFirst):
    taken_from = -1


class _FromTheFront(_Slip):
    def order(self) -> list[_Slip]:
        return super().order()[::-1]


ENGINE_SLIPS = (
    (_NoSeed, "no seed", "All gradients are 0: what does the walk start with?"),
    (
        _SeedIsData,
        "seed is data",
        "The walk starts with the data of the output. How fast does a number change with itself?",
    ),
    (
        _FromTheFront,
        "from the front",
        "The leaves hand on first, while they still hold nothing. Walk from the back.",
    ),
    (
        _ForgetsUpstream,
        "upstream forgotten",
        "The local derivatives are handed on alone. Multiply each by the gradient of the node.",
    ),
    (
        _OwnData,
        "own data",
        "In a product each factor gets its own data. Its local derivative is the other factor.",
    ),
    (
        _Overwrites,
        "overwritten",
        "A second contribution overwrites the first one. They are added: +=.",
    ),
    (
        _OverwritesAlongTheTape,
        "overwritten",
        "A second contribution overwrites the first one. They are added: +=.",
    ),
    (
        _OnceForEachInput,
        "one edge",
        "A number that an operation uses twice has two edges there. Keep both.",
    ),
    *(
        (
            walk,
            "no order",
            "A node hands on each time something arrives, and each time all that it holds. First "
            "make a list, and walk along it.",
        )
        for walk in (_Recursive, _RecursiveOneByOne, _WithAStack, _WithAQueue)
    ),
    *(
        (
            order,
            "too early",
            "A node hands on before all who use it have had their turn. Put a node into the list "
            "behind its inputs, and walk the list from the back.",
        )
        for order in (_PreOrder, _BreadthFirst, _StackOnce)
    ),
)


def _with(number_class: type[_Slip]) -> Gradients:
    """The gradients that an engine with this class gives."""

    def gradients(calculation: Calculation, data: list[float]) -> list[float]:
        leaves = [number_class(each) for each in data]
        calculation(*leaves).backward()
        return [leaf.grad for leaf in leaves]

    return gradients


def _measured(calculation: Calculation, data: list[float]) -> list[float]:
    return [*central_difference(calculation, data)]


def _one_input_after_the_other(calculation: Calculation, data: list[float]) -> list[float]:
    found = []
    for place in range(len(data)):
        leaves = [Value(each) for each in data]
        calculation(*leaves).backward()
        found.append(leaves[place].grad)
    return found


def _every_number_twice(calculation: Calculation, data: list[float]) -> list[float]:
    return [calculation(*map(Value, data)).data for _ in (*data, *data)]


ENGINE_SUSPECTS = (
    *(
        Suspect(
            function,
            "no walk back",
            "It makes the calculation again and again, as somebody does who measures or goes "
            "forward. Make it once: one walk back gives all gradients.",
        )
        for function in (_one_input_after_the_other, _every_number_twice)
    ),
    Suspect(
        _measured,
        "plain numbers",
        "It hands plain numbers to the calculation, and they forget what made them. First make a "
        "Number of each.",
    ),
    *(
        Suspect(_with(number_class), kind, f"For {{case}} it gives {{got}}. {words}")
        for number_class, kind, words in ENGINE_SLIPS
    ),
)


def _gradients_shape(answer: Any) -> Finding | None:
    if not isinstance(answer, list | tuple):
        return Finding("type", f"it gives {in_words(answer)}. Give back a list of gradients.")
    wrong = next((found for member in answer if (found := number(member))), None)
    return placed("in its list, ", wrong) if wrong else None


EXERCISES = (
    FunctionExercise(
        name="17.1",
        title="The backward pass of a matrix product",
        cases=(
            _linear_case("a square table", 2, 2, 2, seed=5),
            _linear_case("three positions, two results", 3, 2, 4, seed=6),
        ),
        reference=_linear_by_engine,
        shape=_two_tables,
        observe=_tables,
        solution='''
def linear_back(x, weights, upstream):
    """What flows to x, and what flows to weights."""
    return upstream @ weights, upstream.T @ x
''',
        mistakes="""
transpose too many | @ weights -> @ weights.T
    To x: the table of weights is turned over. With a square table every shape fits, and still it
    reads columns instead of rows.
weights turned | upstream.T @ x -> x.T @ upstream
    To the weights: this has a row for each number of x. The weights have a row for each result.
transpose missing | upstream.T -> upstream
    To the weights: the positions have to meet, so that it adds over them. In upstream they are the
    rows.
exchanged | = lambda *inputs: solution(*inputs)[::-1]
    The two have changed places: first to x, then to the weights.
upstream forgotten | = lambda x, weights, upstream: solution(x, weights, np.ones_like(upstream))
    The upstream gradients play no part.
mean | upstream.T @ x -> upstream.T @ x / len(x)
    To the weights: it takes the mean over the positions. The contributions are added.
forward | upstream @ weights -> x @ weights.T
    To x: that is the forward pass. Which numbers arrive from above?
""",
        given=globals(),
        right="Both += of the walk are inside the two products.",
        hints=(
            "Two matrix products with @. The result has the shape of the table it belongs to.",
            "To x: each weight times the upstream gradient of its result, added over the results.",
            "To the weights: each number of x times the upstream gradient, added over the "
            "positions. So the positions have to be the columns of what stands on the left.",
        ),
    ),
    FunctionExercise(
        name="17.2",
        title="Softmax and loss in one step back",
        cases=(
            _loss_case("two positions", ((0.7, -1.3, 2.4), (1.5, 0.2, -0.6)), (2, 0)),
            _loss_case(
                "three positions, one target twice",
                ((0.1, 0.5, -0.5, 1.0), (2.0, -1.0, 0.3, 0.4), (-0.7, 0.9, 0.0, 1.2)),
                (1, 3, 1),
            ),
            _loss_case("logits of 1000", ((1000.0, 999.0, 998.0), (-1.0, 0.5, 0.0)), (1, 2)),
        ),
        reference=_loss_by_engine,
        shape=_one_table,
        observe=_tables,
        solution='''
def loss_back(logits, following):
    """The gradient of each logit."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    gradients = powers / powers.sum(axis=1, keepdims=True)
    gradients[np.arange(len(following)), following] -= 1.0
    return gradients / len(following)
''',
        mistakes="""
no mean | gradients / len(following) -> gradients
    The loss is the mean over the positions: each of them counts only a part.
one-hot forgotten | -= 1.0 -> -= 0.0
    Those are the probabilities. From the one of each target something is taken off.
probabilities | -= 1.0 -> -= 0.0 | gradients / len(following) -> gradients
    Those are the probabilities: two things are still missing.
sign | return gradients -> return -gradients
    All signs are turned. Should the score of a target rise or fall to make the loss smaller?
columns | powers.sum(axis=1 -> powers.sum(axis=0
    The powers are divided by the total of their column. The probabilities of one position stand in
    a row: axis=1.
total of all | powers.sum(axis=1 -> powers.sum(axis=None
    The powers are divided by the total of the whole table. Each position has a total of its own:
    axis=1, keepdims=True.
every row | [np.arange(len(following)), following] -> [:, following]
    It takes 1 off in every row, at all targets. Each row has one target:
    [np.arange(len(following)), following].
not stable | = _unguarded
    Large logits overflow. Take the largest of each row off first.
""",
        given=globals(),
        right="Five local derivatives in a row, and most of them have canceled.",
        hints=(
            "The gradient of a logit is its probability, minus one if it is the target.",
            "Probabilities by rows: axis=1 and keepdims=True, for the largest logit and for the "
            "total.",
            "table[np.arange(len(following)), following] is the target of each row. In the end "
            "divide by the number of positions.",
        ),
    ),
    AnswerExercise(
        name="17.3",
        title="The missing transpose",
        shape=fields(line=one_of(*LINES), table=one_of(*TABLES)),
        judge=_judge_transpose,
        right="Every shape fitted, and only the witness could tell.",
        hints=(
            "Write beside each line what its rows are: positions that read, or positions that are "
            "read.",
            "to_scores has a row for each position that reads. Whose gradient needs a row for each "
            "position that is read?",
            "Or measure: the chapter has the function agrees, which takes an operation and its "
            "tables.",
        ),
    ),
    FunctionExercise(
        name="17.4",
        title="The engine, from memory",
        cases=(
            _calculation("(a * b + c) * f", lambda a, b, c, f: (a * b + c) * f, 2, -3, 10, -2),
            _calculation("x + x", lambda x: x + x, 3.0),
            _calculation("x * x + x", lambda x: x * x + x, 3.0),
            _calculation("u = y * y; u + u * k", _later, 3.0, 2.0),
            _calculation("a graph by chance", _random_graph(1), 0.75, -1.25, 1.5, 0.5),
            _calculation("another graph by chance", _random_graph(2), -0.5, 1.25, 0.75, -1.0),
            _calculation(
                "a sum of a large and two small numbers, which no step can measure",
                _of_all_sizes,
                1000.0,
                2.0,
                0.01,
            ),
            _calculation(
                "forty doublings",
                _doublings,
                1.0,
                too_long="The gradients are right, but it walks every path by itself. Let each "
                "node hand on once.",
            ),
        ),
        reference=_by_engine,
        shape=_gradients_shape,
        suspects=ENGINE_SUSPECTS,
        forbidden={
            "engine.value.Value",
            "engine.value.Parameter",
            "engine.value.topological_order",
            "engine.measuring.central_difference",
            "engine.gradcheck.gradient_check",
            "engine.walk.reverse_walk",
        },
        right="You have built what this course is about. Whatever comes next stands on it.",
        hints=(
            "What has a Number to remember for the walk: its data, its grad, and what else?",
            "__add__ and __mul__ make a new Number that knows its two inputs and the local "
            "derivative for each.",
            "backward: a list with every node behind its inputs, each once; the gradient of the "
            "output is one; then from the back, each node adds to its inputs.",
        ),
    ),
)
