"""Many documents in one replay: the same recording, with a column of numbers for each document.

>>> from engine.replay import Replay
>>> from engine.value import Parameter, Value
>>> x, w = Value(0.0, "x"), Parameter(3.0, "w")
>>> replay = Replay(w * x * x, inputs=[x])
>>> batch = Batch(replay, documents=3)
>>> batch.forward(inputs=[[1.0], [2.0], [3.0]])
array([ 3., 12., 27.])
>>> batch.backward()
>>> replay.parameters.grad
array([14.])
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.numbers import whole
from engine.replay.levels import Levels
from engine.replay.snapshot import first_error
from engine.text import shown

if TYPE_CHECKING:
    from engine.replay import Replay

Floats = NDArray[np.float64]


class Batch:
    """Documents that are computed together, each with picks and inputs of its own.

    The parameters are the same for all, so sums of products with them become products of
    matrices: per document many times as fast as one replay after the other. NumPy computes them,
    and no single number is kept to be looked at: what the last digits are depends on how it adds.

    Args:
        replay: the recording. Its vector of parameters is read, and gets the gradients.
        documents: how many are computed at once, at most.

    Raises:
        ValueError: ``documents`` is below 1.
    """

    def __init__(self, replay: "Replay", documents: int = 32) -> None:
        self._replay, self._documents = replay, whole(documents, "the number of documents")
        if self._documents < 1:
            raise ValueError(f"a batch has at least 1 document, got {self._documents}.")
        leaves = len(replay.parameters) + len(replay.inputs)
        shared = len(replay.parameters)
        self._levels = Levels(replay.cells, leaves, self._documents, shared)
        self._leaves = np.empty((leaves, self._documents))
        self._seed: Floats | None = None

    def forward(
        self,
        picks: Sequence[Sequence[int]] | None = None,
        inputs: Sequence[Sequence[float]] | Floats | None = None,
    ) -> Floats:
        """Compute the output of every document.

        Args:
            picks: for each document an option for every ``Choice``, as in ``Replay.bind``; by
                default those that the replay is bound to for all.
            inputs: for each document a number for every input; by default those of
                ``replay.inputs`` for all.

        Returns:
            One number for each document.

        Raises:
            TypeError: picks or inputs are no lists of numbers.
            ValueError: there are too many documents, or none, or too many numbers for one; or as
                when recording.
            ZeroDivisionError, OverflowError: as when recording, for the first document that
                cannot be computed.
        """
        self._seed = None
        chosen, numbers = self._checked(picks, inputs)
        count = len(chosen)
        shared = len(self._replay.parameters)
        self._leaves[:shared] = self._replay.parameters.data[:, None]
        self._leaves[shared:] = _filled(numbers, self._documents).T
        self._levels.bind(_filled(chosen, self._documents).T)
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                outputs = self._levels.forward(self._leaves)[:count].copy()
            sound = bool(np.isfinite(outputs).all() and np.isfinite(self._leaves).all())
        except FloatingPointError:
            sound = False
        if not sound:
            raise self._first_error(chosen, numbers)
        self._seed = np.zeros(self._documents)
        self._seed[:count] = 1.0
        return outputs

    def backward(self, upstream: float = 1.0) -> None:
        """Add the gradients of all outputs together to those of the parameters.

        Args:
            upstream: the gradient that each output begins with: with 1 what is added is the
                gradient of the sum of the outputs, with 1/32 that of the mean of 32.

        Raises:
            RuntimeError: there was no ``forward``, or it failed.
            OverflowError: as in ``Replay.backward``; the parameters keep the gradients they had.
        """
        if self._seed is None:
            raise RuntimeError("nothing is computed yet: call forward() first.")
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                gradients = self._levels.backward(upstream * self._seed)
                total = gradients[: len(self._replay.parameters), 0]
        except FloatingPointError:
            total = np.array([np.nan])
        self._replay.add_gradients(total)

    def _checked(self, picks: Any, inputs: Any) -> tuple[NDArray[np.intp], Floats]:
        replay = self._replay
        given = inputs if picks is None else picks
        count = 1 if given is None else len(given)
        picks = [replay.picks] * count if picks is None else picks
        inputs = [replay.inputs.data] * count if inputs is None else inputs
        chosen = _table(picks, "iu", len(replay.options), "picks")
        numbers = _table(inputs, "fiu", len(replay.inputs), "inputs").astype(np.float64)
        if not 1 <= len(chosen) == len(numbers) <= self._documents:
            raise ValueError(
                f"this batch takes 1 to {self._documents} documents, got {len(chosen)} with picks "
                f"and {len(numbers)} with inputs."
            )
        wrong = (chosen < 0) | (chosen >= np.array(replay.options, dtype=np.intp))
        for document, choice in zip(*np.nonzero(wrong), strict=True):
            raise ValueError(
                f"a pick is a number from 0 to {replay.options[choice] - 1}, "
                f"got {chosen[document, choice]}."
            )
        return chosen, numbers

    def _first_error(self, chosen: NDArray[np.intp], numbers: Floats) -> Exception:
        for picks, inputs in zip(chosen.tolist(), numbers, strict=True):
            leaves = np.concatenate((self._replay.parameters.data, inputs))
            error = first_error(self._replay.cells, picks, leaves)
            if error is not None:
                return error
        return OverflowError("a number left the range of floats. Scale the numbers.")


def _table(rows: ArrayLike, kinds: str, width: int, what: str) -> NDArray[Any]:
    try:
        table = np.array(rows)
    except ValueError:  # rows of several lengths
        table = np.array(None)
    if table.size == 0 and table.ndim == 2:
        table = table.astype(np.intp)
    if table.dtype.kind not in kinds:
        raise TypeError(f"{what} come as a list of numbers for each document, got {shown(rows)}.")
    if table.ndim != 2 or table.shape[1] != width:
        raise ValueError(f"{width} {what} are needed for each document, got {shown(rows)}.")
    return table


def _filled(rows: NDArray[Any], count: int) -> NDArray[Any]:
    """As many rows as there is room for; the first document stands in for those that are not."""
    return rows[np.arange(count) * (np.arange(count) < len(rows))]
