"""What a ``LiveGraph`` says: the page gets these sentences with named places, and fills them."""

import math
from collections.abc import Callable

from engine.graph import Graph
from engine.recompute import Moved
from engine.text import number_text, table_lines
from engine.value import Value
from engine.words import walks
from engine.words.naming import TIMES, name, number, operand, title

DELTA = "\N{GREEK CAPITAL LETTER DELTA}"
NO_GAP = 1e-9

# The page's name of each sentence.
SENTENCES = {
    # Take hold
    "ready": "Take hold of a number.",
    "howto": "Drag a blue number left or right, step it with the arrow keys, or type. "
    "All that is computed from it follows, and so do the gradients.",
    "rate": "If {name} moves a little, {output} moves {grad} times as far: {name}.grad = {grad}.",
    "at": "{name} = {data}",
    "went": "{name} went from {before} to {data}, {output} from {outputBefore} to {outputData}.",
    "times": "That is {ratio} times as far. For a small step from here it is {name}.grad = {grad}.",
    # Wiggle
    "wiggled": "{name} moves {run} in all, {output} moves {rise}: {ratio} times as far.",
    "through": "By the arrow to {source}{side} alone, {output} moves {part} times as far.",
    "together": "The parts add up: {parts} = {sum}.",
    "measured": "Measured {ratio}, and {name}.grad = {grad}: {gap}.",
    "same": "the same but for rounding",
    "differ": "they differ by {gap}. A smaller h brings them together",
    "stuck": "{name} cannot move by h = {h} both ways here. Make h smaller.",
    "left": " (left)",
    "right": " (right)",
    # An arrow
    "arrow": "If {target} moves a little, {source} moves {local} times as far: this is the local "
    "derivative.",
    "arrowBack": f"Back along this arrow: local derivative {{local}} {TIMES} upstream gradient "
    "{upstream} = contribution {amount}.",
    "arrowWiggled": "{target} moves {run}, and through this arrow {source} moves {rise}: {ratio} "
    "times as far.",
    # A node
    "node": "{title}: data {data}, gradient {grad}",
    "nodeWiggled": "{title}: moves {delta}, {ratio} times as far as {name}",
    "leaf": "{name}, a number to take hold of",
    # A number that is refused
    "stays": "{why} {name} stays {data}.",
    "noNumber": "{typed} is not a number.",
    "valueTooLarge": "{title} is too large for a float.",
    "gradTooLarge": "The gradient of {title} is too large for a float.",
    "stepTooSmall": "a step of {h} is too small to move {number}.",
    # Walk back
    "start": walks.START,
    "step": walks.STEP,
    "seed": walks.SEED,
    "complete": walks.COMPLETE,
    "leafDone": walks.LEAF,
    "multiplied": walks.MULTIPLIED,
    "added": walks.ADDED,
}
LABELS = {
    "hold": "Take hold",
    "wiggle": "Wiggle",
    "walk": "Walk back",
    "reset": "Start values",
    "wiggledNumber": "wiggle",
    "step": "by h",
    "table": "All numbers as a table",
    "node": "node",
    "data": "data",
    "grad": "grad",
    "delta": DELTA,
    "ratio": f"{DELTA}{{node}}/{DELTA}{{name}}",
    "shortRatio": f"{TIMES}",
    "measured": "measured",
    "still": "stays",
    "modes": "What to do",
}
HINTS = {
    "hold": "Left and right step the number, up and down go to another one, Shift steps "
    "further; Enter or a digit types, Home takes it back. W wiggles it, B walks back.",
    "wiggle": "Up and down go to another number, Page Down makes h smaller and Page Up larger; "
    "left and right step the number itself. T takes hold, B walks back.",
    "walk": "Arrow keys or a clicker step, Home and End jump, Space plays. T takes hold, W "
    "wiggles.",
}
# What an operation refuses, to ask the engine for its words, and the numbers to make places of.
REFUSALS: dict[str, tuple[Callable[[], Value], dict[str, str]]] = {
    "divideByZero": (lambda: Value(1.5) / Value(0.0), {"1.5": "{a}"}),
    "quotientTooLarge": (
        lambda: Value(1.5e300) / Value(2.5e-300),
        {"1.5e+300": "{a}", "2.5e-300": "{b}"},
    ),
    "exponentVaries": (lambda: Value(-1.5) ** Value(2.25), {"(-1.5) ** 2.25": "{applied}"}),
    "powerOfZero": (lambda: Value(0.0) ** -2.25, {"0 ** (-2.25)": "{applied}"}),
    "notReal": (lambda: Value(-1.5) ** 2.25, {"(-1.5) ** 2.25": "{applied}"}),
    "powerTooLarge": (lambda: Value(1.5e300) ** 2.25, {"1.5e+300 ** 2.25": "{applied}"}),
    "logarithm": (Value(-1.5).log, {"-1.5": "{a}"}),
    "expTooLarge": (Value(1234.5).exp, {"1234.5": "{a}"}),
    "localTooLarge": (
        lambda: Value(1.5) / Value(2.5e-200),
        {"1.5 / 2.5e-200": "{applied}"},
    ),
}


def page_words() -> dict[str, str]:
    """Every sentence the page may have to fill in, those of the engine's refusals included.

    >>> page_words()["divideByZero"]
    '{a} / 0 does not exist: the number below the line is 0.'
    """
    return SENTENCES | {name: _refusal(*asked) for name, asked in REFUSALS.items()}


def _refusal(refused: Callable[[], Value], places: dict[str, str]) -> str:
    try:
        refused()
    except (ArithmeticError, ValueError) as error:
        text = str(error)
    for written, place in places.items():
        text = text.replace(written, place)
    return text


class LiveWords:
    """What a ``LiveGraph`` says in Python, where the page fills the same sentences.

    Args:
        graph: the graph at its present numbers, with its gradients.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._names = [name(graph, index) for index in range(len(graph))]

    def held(self) -> tuple[str, ...]:
        """The number of the output, and how fast it changes with each leaf."""
        graph, names = self._graph, self._names
        output = names[graph.output.index]
        return (
            _say("at", name=output, data=number(graph.output.data)),
            *(
                _say("rate", name=names[n.index], output=output, grad=number(n.grad))
                for n in graph.nodes
                if not n.op
            ),
        )

    def wiggled(self, moved: Moved) -> tuple[str, ...]:
        """How far the output goes, through which arrows, and how this fits the gradient."""
        names, output = self._names, self._graph.output.index
        me, deltas, ratio = names[moved.node], moved.deltas, moved.ratios[-1]
        heading = _say(
            "wiggled",
            name=me,
            run=number(deltas[moved.node]),
            output=names[output],
            rise=number(deltas[output]),
            ratio=number(ratio),
        )
        parts = [
            _say(
                "through",
                source=names[source],
                side=self._side(source, slot),
                output=names[output],
                part=number(part),
            )
            for (source, slot), part in moved.parts.items()
        ]
        if len(parts) > 1:
            shares = " + ".join(
                number(part) if place == 0 else operand(part)
                for place, part in enumerate(moved.parts.values())
            )
            total = number(math.fsum(moved.parts.values()))
            parts.append(_say("together", parts=shares, sum=total))
        return (heading, *(parts if len(parts) > 1 else ()), self._compared(moved))

    def _side(self, source: int, slot: int) -> str:
        inputs = self._graph.nodes[source].inputs
        return SENTENCES[("left", "right")[slot]] if len(set(inputs)) < len(inputs) else ""

    def _compared(self, moved: Moved) -> str:
        grad, ratio = self._graph.nodes[moved.node].grad, moved.ratios[-1]
        return _say(
            "measured",
            ratio=number(ratio),
            name=self._names[moved.node],
            grad=number(grad),
            gap=_say("same") if is_rounding(ratio, grad) else _say("differ", gap=gap(ratio, grad)),
        )

    def stuck(self, index: int, h: float, why: str) -> str:
        """That a number cannot go so far, and why."""
        return f"{why} {_say('stuck', name=self._names[index], h=number(h))}"

    def text(self, moved: Moved | None, why: str = "") -> str:
        """The graph as a table; wiggled, with how far and how many times as far each node goes."""
        graph = self._graph
        rows = [("node", "data", "grad", *(("moves", "times as far") if moved else ()))]
        for node in graph.nodes:
            numbers = [node.data, node.grad]
            if moved:
                numbers += [moved.deltas[node.index], moved.ratios[node.index]]
            rows.append((title(graph, node.index), *map(number_text, numbers)))
        last = (self._compared(moved),) if moved else (why,) if why else ()
        return "\n".join([*table_lines(rows), *last])


def is_rounding(ratio: float, grad: float) -> bool:
    """Whether a measured ratio is as near to the gradient as rounding lets it come.

    >>> is_rounding(6.0000000001, 6.0), is_rounding(6.001, 6.0)
    (True, False)
    """
    return abs(ratio - grad) < NO_GAP * max(1.0, abs(grad))


def gap(ratio: float, grad: float) -> str:
    """The difference of the two, in two digits.

    >>> gap(2.8329, 2.7182)
    '0.11'
    """
    return number(float(f"{abs(ratio - grad):.2g}"))


def _say(sentence: str, **values: str) -> str:
    return SENTENCES[sentence].format(**values)
