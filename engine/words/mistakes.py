"""Which mistake a wrong gradient comes from: each is worked out on the walk's own numbers.

A mistake can be recognized only where it gives a number of its own. Where all upstream gradients
are 1, leaving them out changes nothing; where a node has one consumer, nothing can be overwritten.
``WrongAnswer`` says what each mistake gives at a question, and ``distinctions`` which mistakes a
question can tell apart.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import prod
from typing import NamedTuple

from engine.graph import Constant, Node
from engine.walk import Contribution, Walk
from engine.words.naming import label, title
from engine.words.naming import name as node_name

SAME = 1e-5  # relative; the page shows six significant digits
NOISE = 1e-9  # relative to the largest contribution: what is left when contributions cancel
ROUNDED = 5e-3
ROUNDED_TOO_FAR = 0.1
MOST_LEFT_OUT_OF = 8


class Mistake(StrEnum):
    """The kinds of mistakes that are recognized, named for the summary."""

    DATA = "gave the data for the gradient"
    START = "gave the 0 from before the walk"
    OVERWROTE = "overwrote instead of added"
    ONE_USE = "counted one use of two"
    LEFT_OUT = "left out a contribution"
    MULTIPLIED = "multiplied contributions instead of adding them"
    TOTAL = "gave the gradient for the contribution"
    BOTH_USES = "counted both uses in one contribution"
    OWN_DATA = "used its own data instead of the other input's"
    OTHER_GRADIENT = "used the other input's gradient instead of its data"
    NO_UPSTREAM = "forgot the upstream gradient"
    NO_LOCAL = "forgot the local derivative"
    UPSTREAM_DATA = "took data for the upstream gradient"
    SHARED_OUT = "shared the gradient out between the inputs"
    AS_PRODUCT = "treated an addition like a multiplication"
    NO_EXPONENT = "left the exponent out of the derivative of a power"
    SAME_POWER = "did not lower the power by one"
    RECIPROCAL = "multiplied where the derivative divides"
    SQUARE = "forgot the square in the derivative of a quotient"
    SIGN = "got the sign wrong"
    ROUNDING = "rounded too far"
    OTHER = "something else"


@dataclass(frozen=True)
class Question:
    """One number that is asked for.

    Attributes:
        node: index of the node whose gradient it is, or which receives the contribution.
        contributions: what the gradient is the sum of; none for the output.
        answer: the right number.
        single: whether one contribution is asked for, and not a whole gradient.
    """

    node: int
    contributions: tuple[Contribution, ...]
    answer: float
    single: bool = False

    @property
    def scale(self) -> float:
        """The size of the largest number that goes into the answer."""
        return max((abs(c.amount) for c in self.contributions), default=abs(self.answer))


class WrongAnswer(NamedTuple):
    """What one mistake gives at one question.

    Attributes:
        mistake: the kind.
        number: what comes out.
        hint: what to tell a learner who typed it; the right number is not in it.
        plain: whether the mistake was made everywhere it can be made here. Plain explanations
            come before those of a single slip in a sum.
    """

    mistake: Mistake
    number: float
    hint: str
    plain: bool = True


class Distinction(NamedTuple):
    """Which mistakes one question can tell apart.

    Attributes:
        question: the node's name, or ``"u to x"`` for a contribution.
        groups: mistakes that give a wrong number; those in one group give the same.
        unseen: mistakes that give the right number here and so cannot be caught.
    """

    question: str
    groups: tuple[tuple[Mistake, ...], ...]
    unseen: tuple[Mistake, ...]


class _Slip(NamedTuple):
    mistake: Mistake
    amount: float
    hint: str


def questions(walk: Walk, single: bool = False) -> tuple[Question, ...]:
    """Everything a walk can ask for, in its order.

    Args:
        walk: a complete walk in a valid order.
        single: ask for each contribution instead of each gradient.

    >>> from engine import Graph, Value, reverse_walk
    >>> x = Value(3.0)
    >>> walk = reverse_walk(Graph.of(x * x + x))
    >>> [question.answer for question in questions(walk)]
    [1.0, 1.0, 7.0]
    >>> [question.answer for question in questions(walk, single=True)]
    [1.0, 1.0, 3.0, 3.0]
    """
    if single:
        return tuple(
            Question(c.target, (c,), c.amount, single=True)
            for step in walk.steps
            for c in step.contributions
        )
    return tuple(
        Question(step.node, walk.arrivals[step.node], walk.gradients[step.node])
        for step in walk.steps
    )


def is_same(typed: float, number: float, scale: float = 0.0) -> bool:
    """Whether two numbers are the same to the digits that a page shows.

    >>> is_same(0.333333, 1 / 3), is_same(0.33, 1 / 3)
    (True, False)
    """
    return abs(typed - number) <= SAME * abs(number) + NOISE * scale


def is_rounded(typed: float, number: float) -> bool:
    """Whether a number is close enough to count as a rounding of the other.

    >>> is_rounded(0.333, 1 / 3), is_rounded(0.3, 1 / 3)
    (True, False)
    """
    return abs(typed - number) <= ROUNDED * abs(number)


def is_rounded_too_far(typed: float, number: float) -> bool:
    """Whether a number is the other one with too few digits left.

    >>> is_rounded_too_far(0.3, 1 / 3), is_rounded_too_far(0.31, 1 / 3)
    (True, False)
    """
    near = abs(typed - number) <= ROUNDED_TOO_FAR * abs(number)
    return near and any(is_same(typed, float(f"{number:.{digits}g}")) for digits in (1, 2))


def explanations(
    walk: Walk, question: Question, typed: float, made: Sequence[WrongAnswer] | None = None
) -> tuple[WrongAnswer, ...]:
    """The mistakes that lead to a number, one of each kind.

    Args:
        walk: the walk the question is about.
        question: what was asked.
        typed: a number that is not the answer.
        made: the ``wrong_answers`` to the question, worked out anew when None.

    Returns:
        All plain ones, and before them a single contribution that is missing or that is all there
        is; if there are none, those of a single slip in a sum. Empty if the number comes from no
        known mistake.

    >>> from engine import Graph, Value, reverse_walk
    >>> x = Value(3.0)
    >>> walk = reverse_walk(Graph.of(x * x + x))
    >>> *_, gradient_of_x = questions(walk)
    >>> [str(found.mistake) for found in explanations(walk, gradient_of_x, 4.0)]
    ['counted one use of two']
    """
    made = wrong_answers(walk, question) if made is None else made
    fitting = [w for w in made if is_same(typed, w.number)]
    if not fitting and not is_rounded(typed, question.answer):
        fitting = [w for w in made if is_rounded(typed, w.number)]
    plain = [w for w in fitting if w.plain]
    fitting = [*_one_missing(question, fitting), *plain] or fitting
    return tuple({w.mistake: w for w in reversed(fitting)}.values())[::-1]


def _one_missing(question: Question, fitting: list[WrongAnswer]) -> list[WrongAnswer]:
    """That one contribution is missing, or that one is all there is, unless it is said already."""
    if any(w.mistake in (Mistake.OVERWROTE, Mistake.ONE_USE) for w in fitting):
        return []
    near = [n for c in question.contributions for n in (c.amount, question.answer - c.amount)]
    return [
        w
        for w in fitting
        if w.mistake is Mistake.LEFT_OUT and any(is_same(w.number, number) for number in near)
    ]


def distinctions(walk: Walk, asked: Sequence[Question]) -> tuple[Distinction, ...]:
    """For each question, which mistakes it can tell apart; the numbers are left out."""
    return tuple(_distinction(walk, question) for question in asked)


def wrong_answers(walk: Walk, question: Question) -> tuple[WrongAnswer, ...]:
    """What every mistake that can be made at a question gives there.

    Args:
        walk: the walk the question is about.
        question: what is asked.

    Returns:
        In the order in which a learner should hear of them. A mistake may give the right number.
    """
    found = [*_instead_of_the_gradient(walk, question)]
    if question.single:
        found += _about_one_contribution(walk, question)
    elif len(question.contributions) > 1:
        found += _about_the_sum(walk, question)
    found += _about_factors(walk, question)
    found += _about_the_sign(walk, question)
    return tuple(found)


def _is_answer(number: float, question: Question) -> bool:
    return is_same(number, question.answer, question.scale)


def _distinction(walk: Walk, question: Question) -> Distinction:
    plain = [w for w in wrong_answers(walk, question) if w.plain]
    groups: list[tuple[float, list[Mistake]]] = []
    unseen = []
    for wrong in plain:
        if _is_answer(wrong.number, question):
            unseen.append(wrong.mistake)
            continue
        group = next((ms for number, ms in groups if is_same(number, wrong.number)), None)
        if group is None:
            groups.append((wrong.number, [wrong.mistake]))
        else:
            group.append(wrong.mistake)
    names = walk.graph.names
    name = names[question.node]
    if question.single:
        name = f"{names[question.contributions[0].source]} to {name}"
    return Distinction(
        name, tuple(tuple(dict.fromkeys(ms)) for _, ms in groups), tuple(dict.fromkeys(unseen))
    )


def _instead_of_the_gradient(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    name = node_name(walk.graph, question.node)
    output = node_name(walk.graph, walk.graph.output.index)
    meaning = (
        f"Its gradient says how fast {output} changes when {name} changes."
        if question.contributions
        else f"Its gradient says how far {name} moves if {name} moves a little."
    )
    yield WrongAnswer(
        Mistake.DATA,
        walk.graph.nodes[question.node].data,
        f"That is the data of {name}. {meaning}",
    )
    yield WrongAnswer(Mistake.START, 0.0, _not_zero(walk, question))


def _not_zero(walk: Walk, question: Question) -> str:
    name = node_name(walk.graph, question.node)
    if question.single:
        source = node_name(walk.graph, question.contributions[0].source)
        return f"0 would mean that {source} does not change when {name} changes."
    if question.contributions:
        return "0 is what a gradient holds before the walk has reached it, not where it ends."
    return (
        f"The walk starts here, and not with 0: if {name} moves a little, how far does {name} move?"
    )


def _about_the_sum(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    name = node_name(walk.graph, question.node)
    amounts = [c.amount for c in question.contributions]
    last = node_name(walk.graph, question.contributions[-1].source)
    yield WrongAnswer(
        Mistake.OVERWROTE,
        amounts[-1],
        f"That is the last contribution alone, the one from {last}. {name}.grad held something "
        "before: contributions are added with +=, and = would overwrite.",
    )
    yield from _one_use(walk, question)
    yield WrongAnswer(
        Mistake.MULTIPLIED,
        prod(amounts),
        "The contributions were multiplied. Numbers are multiplied along a path; contributions "
        "of different paths are added.",
    )
    if len(amounts) <= MOST_LEFT_OUT_OF:
        yield from _left_out(walk, question)


def _one_use(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    name = node_name(walk.graph, question.node)
    uses = Counter(c.source for c in question.contributions)
    for source, times in uses.items():
        if times == 2:
            for repeated in (c for c in question.contributions if c.source == source):
                yield WrongAnswer(
                    Mistake.ONE_USE,
                    question.answer - repeated.amount,
                    f"{title(walk.graph, source)} uses {name} twice: each use gives a contribution "
                    "of its own.",
                )


def _left_out(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    """Without any one of the contributions, without any two, and so on."""
    name = node_name(walk.graph, question.node)
    sets = [
        missing
        for size in range(1, len(question.contributions))
        for missing in combinations(question.contributions, size)
    ]
    numbers = [question.answer - sum(c.amount for c in missing) for missing in sets]
    sources = [tuple(dict.fromkeys(c.source for c in missing)) for missing in sets]
    for number, missing_sources in zip(numbers, sources, strict=True):
        told = f"look again at what {name} gets from {_names(walk, missing_sources)}."
        alike = {s for n, s in zip(numbers, sources, strict=True) if is_same(n, number)}
        if len(alike) > 1:
            every = dict.fromkeys(c.source for c in question.contributions)
            told = (
                f"{name} gets something from {_names(walk, every, 'from ')}. Which of them did "
                "you leave out?"
            )
        yield WrongAnswer(Mistake.LEFT_OUT, number, f"Something is missing: {told}", plain=False)


def _names(walk: Walk, nodes: Iterable[int], before: str = "") -> str:
    """Names as a sentence lists them, with a word before each but the first."""
    *most, last = (node_name(walk.graph, node) for node in nodes)
    return f" and {before}".join([f", {before}".join(most), last] if most else [last])


def _about_one_contribution(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    (contribution,) = question.contributions
    name = node_name(walk.graph, question.node)
    yield WrongAnswer(
        Mistake.TOTAL,
        contribution.after,
        f"That is {name}.grad after the contribution was added. Asked for is the contribution "
        "alone.",
    )
    twins = [c for c in walk.arrivals[question.node] if c.source == contribution.source]
    if len(twins) > 1:
        yield WrongAnswer(
            Mistake.BOTH_USES,
            sum(c.amount for c in twins),
            f"{title(walk.graph, contribution.source)} uses {name} twice, and each use is asked "
            "for on its own.",
        )


def _about_factors(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    slips = [{slip.mistake: slip for slip in _slips(walk, c)} for c in question.contributions]
    amounts = [c.amount for c in question.contributions]
    for mistake in dict.fromkeys(m for made in slips for m in made):
        made = [(k, slip[mistake]) for k, slip in enumerate(slips) if mistake in slip]
        changed = [slip for k, slip in made if not is_same(slip.amount, amounts[k])]
        hints = " ".join(dict.fromkeys(slip.hint for slip in changed or [made[0][1]]))
        replaced = {k: slip.amount for k, slip in made}
        yield WrongAnswer(
            mistake, sum(replaced.get(k, amount) for k, amount in enumerate(amounts)), hints
        )
        if len(made) > 1:
            for k, slip in made:
                number = question.answer - amounts[k] + slip.amount
                yield WrongAnswer(mistake, number, slip.hint, plain=False)


def _about_the_sign(walk: Walk, question: Question) -> Iterator[WrongAnswer]:
    yield WrongAnswer(
        Mistake.SIGN,
        -question.answer,
        "The size is right, the sign is not."
        if question.contributions
        else "The sign is not right: does the output move with itself or against itself?",
    )
    if len(question.contributions) > 1:
        for c in question.contributions:
            yield WrongAnswer(
                Mistake.SIGN,
                question.answer - 2 * c.amount,
                f"One sign is not right: the one of the contribution from "
                f"{node_name(walk.graph, c.source)}.",
                plain=False,
            )


def _slips(walk: Walk, c: Contribution) -> Iterator[_Slip]:
    """What goes wrong inside one contribution, local derivative times upstream gradient."""
    graph = walk.graph
    source, name = graph.nodes[c.source], node_name(graph, c.target)
    upstream_name, made_by = node_name(graph, c.source), title(graph, c.source)
    yield _Slip(
        Mistake.NO_UPSTREAM,
        c.local_derivative,
        f"The upstream gradient is missing: the local derivative of {made_by} still has to be "
        f"multiplied by {upstream_name}.grad.",
    )
    yield _Slip(
        Mistake.NO_LOCAL,
        c.upstream,
        f"The local derivative is missing: {upstream_name}.grad still has to be multiplied by "
        f"how fast {made_by} changes with {name}.",
    )
    yield _Slip(
        Mistake.UPSTREAM_DATA,
        c.local_derivative * source.data,
        f"The local derivative was multiplied by the data of {upstream_name}. The upstream "
        f"gradient is {upstream_name}.grad.",
    )
    for slip in _RULES.get(source.op, ()):
        yield from slip(walk, c, source)


def _product_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    graph, other = walk.graph, _Operand(walk, source, 1 - _side(source, c))
    name, made_by = node_name(graph, c.target), title(graph, c.source)
    yield _Slip(
        Mistake.OWN_DATA,
        graph.nodes[c.target].data * c.upstream,
        f"That is with the data of {name} itself. In {made_by} the local derivative for {name} "
        f"is the data of the other input, {other.name}.",
    )
    gradient = other.gradient_before(c.target)
    if gradient is not None:
        yield _Slip(
            Mistake.OTHER_GRADIENT,
            gradient * c.upstream,
            f"That is with {other.name}.grad. In {made_by} the local derivative for {name} is "
            f"the data of {other.name}; two gradients are never multiplied.",
        )


def _sum_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    other, made_by = _Operand(walk, source, 1 - _side(source, c)), title(walk.graph, c.source)
    if len(source.inputs) > 1:
        yield _Slip(
            Mistake.SHARED_OUT,
            c.amount / 2,
            f"{made_by} does not share its gradient out: each input gets the whole of it.",
        )
    yield _Slip(
        Mistake.AS_PRODUCT,
        other.data * c.upstream,
        f"{made_by} is no multiplication: its local derivative is not the data of {other.name}.",
    )


def _quotient_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    side = _side(source, c)
    other, made_by = _Operand(walk, source, 1 - side), title(walk.graph, c.source)
    if side == 0:
        yield _Slip(
            Mistake.RECIPROCAL,
            other.data * c.upstream,
            f"{made_by} divides by {other.name}: so does its local derivative.",
        )
    else:
        name = node_name(walk.graph, c.target)
        yield _Slip(
            Mistake.SQUARE,
            c.amount * walk.graph.nodes[c.target].data,
            f"In the local derivative of {made_by} for {name} the square of {name} divides.",
        )


def _log_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    name, made_by = node_name(walk.graph, c.target), title(walk.graph, c.source)
    yield _Slip(
        Mistake.RECIPROCAL,
        walk.graph.nodes[c.target].data * c.upstream,
        f"The local derivative of {made_by} is 1 divided by {name}.",
    )


def _exp_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    name, made_by = node_name(walk.graph, c.target), title(walk.graph, c.source)
    yield _Slip(
        Mistake.OWN_DATA,
        walk.graph.nodes[c.target].data * c.upstream,
        f"That is with the data of {name}. The local derivative of {made_by} is its own result.",
    )


def _power_slips(walk: Walk, c: Contribution, source: Node) -> Iterator[_Slip]:
    if _side(source, c) == 1:
        return
    base, exponent = walk.graph.nodes[c.target].data, _Operand(walk, source, 1)
    made_by = title(walk.graph, c.source)
    if exponent.data != 0.0:
        yield _Slip(
            Mistake.NO_EXPONENT,
            c.amount / exponent.data,
            f"In the local derivative of {made_by} the exponent {exponent.name} is a factor.",
        )
    yield _Slip(
        Mistake.SAME_POWER,
        c.amount * base,
        f"In the local derivative of {made_by} the power is lower by one.",
    )


_Rule = Callable[[Walk, Contribution, Node], Iterator[_Slip]]
_RULES: dict[str, tuple[_Rule, ...]] = {
    "+": (_sum_slips,),
    "-": (_sum_slips,),
    "*": (_product_slips,),
    "/": (_quotient_slips,),
    "**": (_power_slips,),
    "log": (_log_slips,),
    "exp": (_exp_slips,),
}


class _Operand:
    """One side of an operation, whether it is a node or a constant."""

    def __init__(self, walk: Walk, source: Node, side: int) -> None:
        self._walk = walk
        operand = source.operands[side]
        self._index = None if isinstance(operand, Constant) else operand
        if isinstance(operand, Constant):
            self.name, self.data = label(operand.text), operand.data
        else:
            self.name = node_name(walk.graph, operand)
            self.data = walk.graph.nodes[operand].data

    def gradient_before(self, node: int) -> float | None:
        """Its gradient, if the walk reaches it before a node, so that a learner has seen it."""
        order = self._walk.order
        if self._index is None or order.index(self._index) >= order.index(node):
            return None
        return self._walk.gradients[self._index]


def _side(source: Node, c: Contribution) -> int:
    """The place of an input among the operands, constants counted too."""
    places = [k for k, operand in enumerate(source.operands) if not isinstance(operand, Constant)]
    return places[c.slot]
