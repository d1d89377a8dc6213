"""Record once, replay many: a recorded graph is data, and runs again with other numbers.

Recording makes an object for each number. A replay makes none: it reads the recording once, and
then computes numbers and gradients in arrays. In a graph of + - * / and relu alone every number is
the same to the last bit. What exp, log, tanh and ** give may differ in the last digits, since NumPy
computes them in its own way; and so may gradients, since their contributions may be added in
another order.

>>> from engine.value import Parameter
>>> w = Parameter(3.0, "w")
>>> replay = Replay(w * w + w)
>>> replay.parameters.data[0] = 5.0
>>> replay.forward()
30.0
>>> replay.backward()
>>> replay.parameters.grad
array([11.])
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import index
from typing import NoReturn, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from engine.graph import Graph, collector_paused
from engine.replay.batch import Batch
from engine.replay.cells import Choice, parameters_of, read_cells
from engine.replay.compiled import Compiled, is_available
from engine.replay.levels import Levels
from engine.replay.snapshot import first_error, graph_of
from engine.replay.vector import ParameterVector
from engine.text import shown
from engine.value import Value
from engine.variables import caller_variables, named_values

__all__ = ["Batch", "Choice", "ParameterVector", "Replay"]

Floats = NDArray[np.float64]

OUT_OF_RANGE = (
    "left the range of floats; the vectors keep the gradients they had. Scale the numbers so that "
    "the factors on the way are smaller."
)
SUM_OUT_OF_RANGE = (
    "gradients add up, and the sum of what a vector holds and a new gradient is too large for a "
    "float; the vectors keep the gradients they had. Set them to 0 before the walk, or scale the "
    "numbers."
)


class Replay:
    """A recording that can be run again with other numbers in its leaves.

    Every node is computed, with the numbers that a recording would give, up to the last digits of
    exp, log, tanh and ** and of gradients; what was decided by the numbers, such as the side of a
    ReLU or a ``Maximum``, is decided again. No Value is kept but those of the vectors, so the tape
    may end.

    Args:
        output: the number to compute and to differentiate, such as a loss.
        parameters: where parameters are read and gradients are added; together with
            ``inputs`` it must hold every parameter of the recording, with those of maxima and
            options. By default a vector of them is made, without those of ``inputs``.
        choices: operands that may be bound anew; see ``bind``.
        inputs: other leaves that get new numbers. The rest keep the numbers they have now.
        names: variables that may name nodes without a label, as in ``Graph.of``.
        compiled: whether numba compiles the replay (True), or NumPy computes it (False). By
            default numba does where it is installed (the extra ``fast``), after a second or two
            in the first replay to compile.

    Attributes:
        parameters: the vector of the parameters.
        inputs: the vector of the inputs.
        cells: the recording, as it was read.
        options: how many options each choice has.
        picks: the options that are bound.

    Raises:
        ReleasedError: the tape that recorded ``output``, or what it needs, has ended.
        TypeError: an argument is of another kind, or what a leaf holds.
        OverflowError: a leaf holds a whole number too large for a float.
        ValueError: the recording has an operation without a formula, or a parameter that
            ``parameters`` does not hold; or a leaf is both a parameter and an input.

    >>> from engine.value import Parameter
    >>> x, w = Value(2.0, "x"), Parameter(3.0, "w")
    >>> replay = Replay((w * x).tanh(), inputs=[x])
    >>> replay.inputs.data[0] = 0.0
    >>> replay.forward()
    0.0
    >>> replay.backward()
    >>> replay.inputs.grad, replay.parameters.grad
    (array([3.]), array([0.]))
    """

    def __init__(
        self,
        output: Value,
        parameters: ParameterVector | None = None,
        choices: Sequence[Choice] = (),
        inputs: Iterable[Value] = (),
        names: Mapping[str, object] | None = None,
        compiled: bool | None = None,
    ) -> None:
        self.inputs = ParameterVector(inputs)
        if parameters is None:
            held = set(self.inputs.leaves)
            found = parameters_of(output, choices)
            parameters = ParameterVector([leaf for leaf in found if leaf not in held])
        self.parameters = parameters
        self._require_vectors()
        leaves = self.parameters.leaves + self.inputs.leaves
        named = dict(named_values(caller_variables() if names is None else names))
        self.cells = read_cells(output, leaves, choices, named)
        self._require_all_parameters()
        self.options = [len(choice.options) for choice in choices]
        self._compiled = is_available() if compiled is None else compiled
        self._bound: list[int] | None = None
        self.bind([choice.recorded for choice in choices])

    @cached_property
    def _engine(self) -> Compiled | Levels:
        leaves = len(self.parameters) + len(self.inputs)
        return Compiled(self.cells, leaves) if self._compiled else Levels(self.cells, leaves)

    def bind(self, picks: Sequence[int]) -> None:
        """Choose an option for every ``Choice``, in their order: part of the next ``forward``.

        Raises:
            TypeError: a pick is not a whole number.
            ValueError: there are more or fewer picks than choices, or there is no such option.

        >>> from engine.value import Parameter
        >>> table = [Parameter(1.0), Parameter(2.0)]
        >>> doubled = table[0] * 2
        >>> choice = Choice(edges=[(doubled, 0)], options=[[row] for row in table])
        >>> replay = Replay(doubled, ParameterVector(table), choices=[choice])
        >>> replay.bind([1])
        >>> replay.forward()
        4.0
        """
        picks = list(map(index, picks))
        if len(picks) != len(self.options):
            raise ValueError(f"{len(self.options)} picks are needed, got {len(picks)}.")
        for pick, count in zip(picks, self.options, strict=True):
            if not 0 <= pick < count:
                raise ValueError(f"a pick is a number from 0 to {count - 1}, got {shown(pick)}.")
        self._state = "nothing is computed yet"
        self.picks = picks

    def forward(self) -> float:
        """Compute every node from the numbers in the vectors, and return the output.

        Where recording would refuse a local derivative, this refuses it too.

        Raises:
            ValueError, ZeroDivisionError, OverflowError: as when recording; the message names
                the first node that cannot be computed.
        """
        self._state = "the last forward pass failed"
        leaves = np.concatenate((self.parameters.data, self.inputs.data))
        if self._bound is not self.picks:
            self._engine.bind(self.picks)
            self._bound = self.picks
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                output = float(self._engine.forward(leaves))
            sound = math.isfinite(output) and bool(np.isfinite(leaves).all())
        except FloatingPointError:
            sound = False
        if not sound:
            error = first_error(self.cells, self.picks, leaves)
            raise error or OverflowError(f"a number {OUT_OF_RANGE}")
        self._state = "forward"
        return output

    def backward(self) -> None:
        """Compute the gradient of every node, and add those of the vectors to theirs.

        Raises:
            RuntimeError: there was no ``forward``, or it failed.
            OverflowError: a gradient, or its sum with what a vector holds, is too large for a
                float; the vectors keep what they had.
        """
        self._require("forward", "backward")
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                gradients = self._engine.backward()
            sound = bool(np.isfinite(gradients).all())
        except FloatingPointError:
            sound = False
        if not sound:
            raise OverflowError(f"a gradient {OUT_OF_RANGE}")
        self.add_gradients(gradients)
        self._state = "backward"

    def add_gradients(self, gradients: Floats) -> None:
        """Add to the gradients of the parameters, and then to those of the inputs if there are any.

        Raises:
            OverflowError: one of them, or a sum, is too large for a float; the vectors keep what
                they had.
        """
        if not np.isfinite(gradients).all():
            raise OverflowError(f"a gradient {OUT_OF_RANGE}")
        size = len(self.parameters)
        try:
            with np.errstate(over="raise"):
                of_parameters = self.parameters.grad + gradients[:size]
                of_inputs = self.inputs.grad + (gradients[size:] if len(gradients) > size else 0.0)
        except FloatingPointError:
            raise OverflowError(SUM_OUT_OF_RANGE) from None
        # In one go, past the setters: an interrupt leaves both as they were, or neither.
        self.parameters._grad, self.inputs._grad = of_parameters, of_inputs

    def graph(self) -> Graph:
        """Every node of the last replay, as ``Graph.of`` would show a recording of it.

        Last digits may differ, as the class says. The gradients are those of one walk back, the
        last one, however many were added up in the vectors. Before a walk back they are 0.

        Raises:
            RuntimeError: there was no ``forward`` since the last ``bind``, or it failed.

        >>> from engine.value import Parameter
        >>> x = Parameter(3.0, "x")
        >>> replay = Replay(x * x)
        >>> _ = replay.forward()
        >>> replay.graph() == Graph.of(x * x)
        True
        """
        self._require("forward", "backward")
        data = self._engine.data()
        grad = self._engine.gradients() if self._state == "backward" else np.zeros(len(data))
        with collector_paused():
            return graph_of(self.cells, self.picks, data, grad)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse to be copied or stored: a copy would compute in arrays that nobody fills."""
        raise TypeError(
            "a Replay computes in arrays that belong together, and a copy of it would go on with "
            "other numbers. Make another Replay of the recording, or copy the numbers alone: "
            "replay.parameters.data.copy()."
        )

    def _require_vectors(self) -> None:
        if not isinstance(self.parameters, ParameterVector):
            raise TypeError(
                f"a ParameterVector is needed here, got {shown(self.parameters)}: "
                "make it with ParameterVector(parameters)."
            )
        for leaf in set(self.parameters.leaves) & set(self.inputs.leaves):
            raise ValueError(f"{shown(leaf)} is both a parameter and an input: leave one out.")

    def _require(self, *states: str) -> None:
        if self._state not in states:
            raise RuntimeError(f"{self._state}: call forward() first.")

    def _require_all_parameters(self) -> None:
        read = len(self.parameters) + len(self.inputs)
        missing = [cell for cell in self.cells.parameters if cell >= read]
        if missing:
            label = self.cells.label(missing[0])
            raise ValueError(
                f"the recording uses the parameter {label}, which is not in the vector: "
                "make the vector from all parameters of the model."
            )
