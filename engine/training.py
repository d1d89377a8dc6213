"""Train the tiny GPT by replay: one recording for each length of a document, used again and again.

>>> from engine.gpt import GPT, encode
>>> from engine.optim import SGD
>>> trainer = Trainer(GPT(seed=1))
>>> optimizer = SGD([trainer.parameters], rate=0.1)
>>> before = trainer.loss(encode("ada"))
>>> optimizer.step()
>>> trainer.evaluate(encode("ada")) < before
True
"""

from collections.abc import Sequence
from typing import NoReturn, SupportsIndex

from engine.gpt import GPT, Reading
from engine.replay import Choice, ParameterVector, Replay
from engine.tape import Tape


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
