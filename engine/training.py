"""Train the tiny GPT by replay: one recording for each length of a document, used again and again.

>>> from engine.gpt import GPT, encode
>>> from engine.optim import SGD
>>> trainer = Trainer(GPT(seed=1))
>>> optimizer = SGD([trainer.parameters], rate=0.1)
>>> before = trainer.loss(encode("ada"))
>>> optimizer.step()
>>> trainer.evaluate(encode("ada")) < before
True

Or many documents in each step, per document several times as fast:

>>> optimizer.zero_grad()
>>> before = trainer.mean_loss([encode("ada"), encode("bo"), encode("alan")])
>>> optimizer.step()
>>> sum(trainer.losses([encode("ada"), encode("bo"), encode("alan")])) / 3 < before
True
"""

from collections.abc import Iterable, Sequence
from typing import NoReturn, SupportsIndex

from engine.gpt import GPT, Reading
from engine.replay import Batch, Choice, ParameterVector, Replay
from engine.tape import Tape
from engine.value import Value

TOGETHER = 16
PADDED = 4


class Trainer:
    """Loss and gradients of one document after the other, without recording each of them.

    All documents of one length have the same graph. Two things differ: which row of the token
    embedding is read at each position, and which probability counts there. Both are bound anew
    for each document, and everything else is computed again from the parameters as they are now.

    Args:
        gpt: the model; its weights are read once, at the start.
        compiled: as for ``Replay``: True is numba, False is NumPy, None the faster one of those
            that are installed.

    Attributes:
        gpt: the model, with the weights of the last ``write_back``.
        parameters: all weights and their gradients as one vector, for ``Adam([...])``.
    """

    def __init__(self, gpt: GPT, compiled: bool | None = None) -> None:
        self.gpt = gpt
        self.parameters = ParameterVector(gpt.parameters())
        self._compiled = compiled
        self._replays: dict[int, Replay] = {}
        self._batches: dict[int, Batch] = {}

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse to be copied or stored, as the replays in it do."""
        raise TypeError(
            "a Trainer belongs to its model and its replays, and a copy of it would go on with "
            "other numbers. Copy or store the model, trainer.write_back(), and make a Trainer of "
            "that; or copy the numbers alone: trainer.parameters.data.copy()."
        )

    @property
    def recorded(self) -> tuple[int, ...]:
        """The lengths, in tokens, that have been recorded so far."""
        return tuple(self._replays)

    def loss(self, tokens: Sequence[int]) -> float:
        """Compute the loss of a document, and add its gradients to those of the vector.

        To look at a loss without a step, use ``evaluate``.

        Args:
            tokens: a document, such as ``encode("ada")``.

        Raises:
            ValueError: too few or too many tokens, or one that is not in the vocabulary.

        >>> from engine.gpt import encode
        >>> trainer = Trainer(GPT(seed=1))
        >>> loss = trainer.loss(encode("bo"))
        >>> bool(trainer.parameters.grad.any())
        True
        """
        replay = self.replay(tokens)
        loss = replay.forward()
        replay.backward()
        return loss

    def evaluate(self, tokens: Sequence[int]) -> float:
        """Compute the loss of a document, and leave all gradients as they are.

        Args:
            tokens: a document, such as ``encode("ada")``.

        Raises:
            ValueError: as for ``loss``.

        >>> from engine.gpt import encode
        >>> trainer = Trainer(GPT(seed=1))
        >>> loss = trainer.evaluate(encode("bo"))
        >>> bool(trainer.parameters.grad.any())
        False
        """
        return self.replay(tokens).forward()

    def mean_loss(self, documents: Iterable[Sequence[int]]) -> float:
        """Compute the mean loss of a batch of documents, and add the gradients of that mean.

        Each document counts as much as another, however long it is. They are computed together,
        about equally long ones at once, the shorter ones of them filled up: what stands behind
        the end of a document changes nothing before it, and counts 0.

        Args:
            documents: such as ``[encode("ada"), encode("bo")]``, in any order and number.

        Raises:
            ValueError: there is no document; or as for ``loss``.

        >>> from engine.gpt import encode
        >>> trainer = Trainer(GPT(seed=1))
        >>> mean = trainer.mean_loss([encode("bo"), encode("ada")])
        >>> abs(mean - (trainer.loss(encode("bo")) + trainer.loss(encode("ada"))) / 2) < 1e-12
        True
        """
        losses = self._in_batches(documents, with_gradients=True)
        return sum(losses) / len(losses)

    def losses(self, documents: Iterable[Sequence[int]]) -> list[float]:
        """Compute the loss of each of many documents, and leave all gradients as they are.

        Raises:
            ValueError: as for ``mean_loss``.

        >>> from engine.gpt import encode
        >>> trainer = Trainer(GPT(seed=1))
        >>> len(trainer.losses([encode("bo"), encode("ada")]))
        2
        """
        return self._in_batches(documents, with_gradients=False)

    def _in_batches(self, documents: Iterable[Sequence[int]], with_gradients: bool) -> list[float]:
        checked = [self.gpt.checked(tokens) for tokens in documents]
        if not checked:
            raise ValueError("a batch needs at least one document.")
        losses, before = [0.0] * len(checked), self.parameters.grad
        by_length = sorted(range(len(checked)), key=lambda place: len(checked[place]))
        try:
            for start in range(0, len(checked), TOGETHER):
                places = by_length[start : start + TOGETHER]
                some = [checked[place] for place in places]
                batch, length = self._batch(some[-1])
                picks, shares = zip(*(_filled_up(tokens, length) for tokens in some), strict=True)
                outputs = batch.forward(picks, shares)
                if with_gradients:
                    batch.backward(1.0 / len(checked))
                for place, loss in zip(places, outputs.tolist(), strict=True):
                    losses[place] = loss
        except BaseException:
            self.parameters.grad = before
            raise
        return losses

    def _batch(self, longest: Sequence[int]) -> tuple[Batch, int]:
        """The recording for documents of at most this length, and its length in tokens read."""
        length = min(-(-(len(longest) - 1) // PADDED) * PADDED, self.gpt.shape.context)
        if length not in self._batches:
            with Tape():
                reading = self.gpt.read([*longest, *[longest[-1]] * (length + 1 - len(longest))])
                shares = [Value(0.0) for _ in reading.logs]
                terms = [log * share for log, share in zip(reading.logs, shares, strict=True)]
                loss = sum(terms[1:], terms[0])
                choices = choices_of(self.gpt, reading)
                replay = Replay(loss, self.parameters, choices, inputs=shares, compiled=False)
                self._batches[length] = Batch(replay, TOGETHER)
        return self._batches[length], length

    def replay(self, tokens: Sequence[int]) -> Replay:
        """The recording for documents of this length, bound to this one.

        Args:
            tokens: a document; the first one of its length is recorded.

        Raises:
            ValueError: as for ``loss``.
        """
        tokens = self.gpt.checked(tokens)
        if len(tokens) not in self._replays:
            with Tape():
                reading = self.gpt.read(tokens)
                choices = choices_of(self.gpt, reading)
                self._replays[len(tokens)] = Replay(
                    reading.loss, self.parameters, choices, compiled=self._compiled
                )
        replay = self._replays[len(tokens)]
        replay.bind([*tokens[:-1], *tokens[1:]])
        return replay

    def write_back(self) -> GPT:
        """Put the weights, as they are now, into the model, and return it."""
        self.parameters.write_back()
        return self.gpt


def _filled_up(tokens: Sequence[int], length: int) -> tuple[list[int], list[float]]:
    """The picks of a document in a longer recording, and how much each of its logarithms counts."""
    read, to_come, missing = tokens[:-1], tokens[1:], length + 1 - len(tokens)
    fill = [tokens[-1]] * missing
    return [*read, *fill, *to_come, *fill], [-1.0 / len(read)] * len(read) + [0.0] * missing


def choices_of(gpt: GPT, reading: Reading) -> list[Choice]:
    """What differs between documents of one length: the tokens read, and the tokens to come.

    Args:
        gpt: the model.
        reading: a document that it read.

    Returns:
        For each position the row of the token embedding, and then for each position the
        probability whose logarithm counts. A pick is a token.

    >>> from engine.gpt import encode
    >>> gpt = GPT(seed=1)
    >>> tokens = encode("bo")
    >>> [choice.recorded for choice in choices_of(gpt, gpt.read(tokens))]
    [26, 1, 14, 1, 14, 26]
    >>> [*tokens[:-1], *tokens[1:]]
    [26, 1, 14, 1, 14, 26]
    """
    rows = gpt.weights["wte"]
    read = [Choice([(number, 0) for number in embedded], rows) for embedded in reading.embedded]
    to_come = [
        Choice([(log, 0)], [[probability] for probability in probabilities])
        for log, probabilities in zip(reading.logs, reading.probabilities, strict=True)
    ]
    return [*read, *to_come]
