"""What several chapters ask about recorded calculations, judged with an engine of this process.

>>> x = Value(3.0)
>>> judge_gradients(x * x + x, {"x": x}, {"x": 6.0}).kind
'left out'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.constants import Literal
from engine.course.checks.exercise import Finding, WrongNumber, among
from engine.course.checks.plain import same
from engine.graph import Constant, Graph, Node
from engine.text import number_text
from engine.value import Value
from engine.walk import Walk, reverse_walk
from engine.words import mistakes, verdicts

INFIX: dict[str, Callable[[Any, Any], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
FUNCTIONS: dict[str, Callable[[Any], Value]] = {
    "neg": lambda a: -a,
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "relu": lambda a: a.relu(),
    "tanh": lambda a: a.tanh(),
}


def rebuilt(graph: Graph) -> Value:
    """Calculate a graph again from its leaves, with the engine as it is here.

    An engine that was changed in a notebook may have recorded anything.

    Args:
        graph: what the learner recorded.

    Raises:
        ValueError: an operation is none of the engine's.
        ArithmeticError: an operation has no result for its inputs.

    >>> x = Value(3.0)
    >>> rebuilt(Graph.of(x * 2 - x)).data
    3.0
    """
    made: list[Value] = []
    for node in graph.nodes:
        operands = [_operand(operand, made) for operand in node.operands]
        if not node.op:
            made.append(Value(node.data, node.label))
        elif node.op in INFIX and len(operands) == 2:
            made.append(INFIX[node.op](*operands))
        elif node.op in FUNCTIONS and len(operands) == 1:
            made.append(FUNCTIONS[node.op](*operands))
        else:
            raise ValueError(node.op)
    return made[-1]


def _operand(operand: int | Constant, made: list[Value]) -> Value | Literal:
    if isinstance(operand, Constant):
        return Literal(operand.data, operand.label)
    return made[operand]


def walked(graph: Graph) -> Walk | None:
    """The reverse walk of a graph that was calculated again, None if it cannot be.

    Args:
        graph: what the learner recorded.
    """
    try:
        return reverse_walk(Graph.of(rebuilt(graph), {}))
    except (ValueError, ArithmeticError, TypeError):
        return None


def leaves(graph: Graph) -> list[Node]:
    """The nodes that nothing made.

    Args:
        graph: of the calculation.
    """
    return [node for node in graph.nodes if not node.op]


def arrows(graph: Graph) -> int:
    """How many arrows a graph has: one for each use of a node.

    Args:
        graph: of the calculation.
    """
    return sum(len(node.inputs) for node in graph.nodes)


def judge_gradients(
    output: Value, names: Mapping[str, Value], answers: Mapping[str, float]
) -> Finding | None:
    """Judge gradients by the mistakes that lead to wrong ones, the first of the walk first.

    Args:
        output: what the gradients are of.
        names: of its nodes.
        answers: the learner's gradient for some of these names.
    """
    walk = reverse_walk(Graph.of(output, names))
    for question in mistakes.questions(walk):
        name = walk.graph.names[question.node]
        if name not in answers or same(answers[name], question.answer):
            continue
        found = mistakes.explanations(walk, question, answers[name])
        if not found:
            data = walk.graph.nodes[question.node].data
            own = WrongNumber(
                data * question.answer,
                "own data",
                "That is the gradient times its own data, and its own data has no part in it.",
            )
            return among(answers[name], question.answer, own, name=name)
        first, *others = found
        kind = first.mistake.name.lower().replace("_", " ")
        both = [first, *(o for o in others if o.mistake is mistakes.Mistake.SIGN)]
        words = verdicts.maybe([explained.hint for explained in both])
        if len(both) > 1:
            yours = number_text(answers[name])
            words = (verdicts.mistakes_that_give(len(both), yours), *words)
        return Finding(kind, f"{name}: {' '.join(words)}")
    return None
