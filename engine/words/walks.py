"""How a walk is told: what happens at each of its steps, with the numbers."""

import math

from engine.text import number_text, table_lines
from engine.walk import Contribution, Step, Walk, reverse_walk
from engine.words.naming import TIMES, name, number, operand, title

# What is said where all is right; a view that computes in the page fills these in itself.
SEED = "{name}.grad = 1: if {name} moves a little, {name} moves just as much."
COMPLETE = "{name}.grad = {grad} is complete, and is the upstream gradient here."
LEAF = "{name}.grad = {grad} is complete. {name} is a leaf: there is nothing to hand on."
MULTIPLIED = (
    f"To {{name}}: local derivative {{local}} {TIMES} upstream gradient {{upstream}} "
    "= contribution {amount}."
)
ADDED = "{name}.grad = {before} + {amount} = {after}."
STEP = "Step {step} of {steps}: {title}"
START = "Start, before step 1 of {steps}: the seed gradient"


class WalkWords:
    r"""What a view says at each position of a walk; position 0 is before the first step.

    Args:
        walk: the walk to tell.

    >>> from engine.graph import Graph
    >>> from engine.value import Value
    >>> from engine.walk import reverse_walk
    >>> x = Value(3.0)
    >>> y = x * 2
    >>> print(*WalkWords(reverse_walk(Graph.of(y))).sentences(1), sep="\n")
    y.grad = 1 is complete, and is the upstream gradient here.
    To x: local derivative 2 × upstream gradient 1 = contribution 2. x.grad = 0 + 2 = 2.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._graph = walk.graph
        self._names = [name(walk.graph, index) for index in range(len(walk.graph))]
        self._right = reverse_walk(walk.graph).gradients
        self._spoiled: set[int] = set()
        for step in walk.steps:
            if self._missing(step.number, step.node) or self._what_went_wrong(step):
                self._spoiled.add(step.number)

    def heading(self, position: int) -> str:
        """Where the walk is."""
        total = len(self._walk.steps)
        if position == 0:
            return START.format(steps=total)
        node = self._walk.steps[position - 1].node
        return STEP.format(step=position, steps=total, title=title(self._graph, node))

    def sentences(self, position: int) -> tuple[str, ...]:
        """What happens there, with the numbers."""
        if position == 0:
            return self._seed()
        step = self._walk.steps[position - 1]
        contributions = (self._contribution(position, c) for c in step.contributions)
        return (self._state(position, step), *contributions)

    def arrow(self, source: int, slot: int) -> str:
        """What an arrow will do, before its node is reached."""
        node = self._graph.nodes[source]
        name, target = self._names[source], self._names[node.inputs[slot]]
        return (
            f"To {target}: local derivative {number(node.local_derivatives[slot])} {TIMES} "
            f"upstream gradient {name}.grad, when {name} is reached."
        )

    def text(self) -> str:
        """The whole walk as a table: one line for each step."""
        graph, walk = self._graph, self._walk
        rows = [("step", "node", "data", "grad", "hands on")]
        rows += [
            (
                str(step.number),
                title(graph, step.node),
                number_text(graph.nodes[step.node].data),
                number_text(step.upstream),
                ", ".join(
                    f"{number_text(c.amount)} to {self._names[c.target]}"
                    for c in step.contributions
                )
                or "-",
            )
            for step in walk.steps
        ]
        return "\n".join(table_lines(rows, left={1, 4}))

    def _seed(self) -> tuple[str, ...]:
        output = self._graph.output
        name = self._names[output.index]
        first = SEED.format(name=name)
        if output.data == 1.0:
            return (first,)
        return (first, f"That {name} has the value {number(output.data)} does not matter here.")

    def _state(self, position: int, step: Step) -> str:
        name = self._names[step.node]
        gradient = f"{name}.grad = {number(step.upstream)}"
        if step.node in self._walk.order[: position - 1]:
            again = "now it counts once more" if step.contributions else "a leaf hands nothing on"
            return f"{gradient}, but {name} was processed before: {again}."
        if missing := self._missing(position, step.node):
            have = "has" if len(missing) == 1 else "have"
            late = " and ".join(missing)
            return f"{gradient} is not complete: {late} {have} not been processed yet."
        if wrong := self._what_went_wrong(step):
            return f"{gradient} is not right: {wrong}."
        said = COMPLETE if step.contributions else LEAF
        return said.format(name=name, grad=number(step.upstream))

    def _missing(self, position: int, node: int) -> list[str]:
        done = set(self._walk.order[:position])
        late = sorted({c for c in self._graph.consumers[node] if c not in done})
        return [self._names[consumer] for consumer in late]

    def _what_went_wrong(self, step: Step) -> str:
        """Why a gradient that got all its contributions is not right, or ``""``."""
        right = self._right[step.node]
        if math.isclose(step.upstream, right, rel_tol=1e-9, abs_tol=1e-12):
            return ""
        done = self._walk.steps[: step.number - 1]
        sources = [s for s in done for c in s.contributions if c.target == step.node]
        if len(sources) > 1 and not self._walk.accumulate:
            return "a contribution that had arrived was overwritten"
        wrong = sorted({s.node for s in sources if s.number in self._spoiled})
        names = " and ".join(f"{self._names[source]}.grad" for source in wrong)
        was = "was" if len(wrong) == 1 else "were"
        return f"{names} {was} not right when handed on" if wrong else ""

    def _is_too_late(self, position: int, node: int) -> bool:
        order = self._walk.order
        return (
            bool(self._graph.nodes[node].inputs)
            and node in order[: position - 1]
            and node not in order[position:]
        )

    def _contribution(self, position: int, contribution: Contribution) -> str:
        name = self._names[contribution.target]
        multiplied = MULTIPLIED.format(
            name=name,
            local=number(contribution.local_derivative),
            upstream=operand(contribution.upstream),
            amount=number(contribution.amount),
        )
        before, after = number(contribution.before), number(contribution.after)
        if self._walk.accumulate:
            amount = operand(contribution.amount)
            change = ADDED.format(name=name, before=before, amount=amount, after=after)
        elif contribution.before == 0.0:
            change = f"{name}.grad = {after}."
        else:
            change = f"{name}.grad = {after}; the {before} it held is overwritten."
        late = self._is_too_late(position, contribution.target)
        too_late = f" Too late: {name} was processed before and hands nothing on again."
        return f"{multiplied} {change}{too_late if late else ''}"
