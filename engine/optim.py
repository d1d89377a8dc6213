"""Optimizers: from gradients to new parameters.

They need only ``data`` and ``grad`` of what they move, and the same lines work for a single
number and for a whole NumPy array of them.

>>> from engine.value import Parameter
>>> w = Parameter(3.0)
>>> optimizer = SGD([w], rate=0.1)
>>> for _ in range(3):
...     optimizer.zero_grad()
...     (w * w).backward()
...     optimizer.step()
>>> round(w.data, 4)
1.536
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from engine.domain import finite
from engine.text import number_text, shown


class Trainable(Protocol):
    """Anything with a number and its gradient, or an array of both."""

    data: Any
    grad: Any


def zero_grad(parameters: Iterable[Trainable]) -> None:
    """Set these gradients to 0, and no others: the next walk then begins afresh.

    >>> from engine.value import Parameter
    >>> w = Parameter(3.0)
    >>> (w * 2).backward()
    >>> zero_grad([w])
    >>> w.grad
    0.0
    """
    for parameter in parameters:
        parameter.grad = 0.0


class SGD:
    """Gradient descent: move every parameter a little against its gradient.

    "Stochastic" (the S) says that the gradient may come from a few examples drawn by chance.

    Args:
        parameters: what to move.
        rate: the learning rate: how far to go for a gradient of 1.

    Raises:
        TypeError: something has no data and gradient.
        ValueError: there is nothing to move, something stands there twice or was computed, or
            the rate is not a positive number.
    """

    def __init__(self, parameters: Iterable[Trainable], rate: float) -> None:
        self.parameters = _movable(parameters)
        self.rate = _positive(rate, "the learning rate")

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        zero_grad(self.parameters)

    def step(self, rate: float | None = None) -> None:
        """Move every parameter once, or none if something interrupts.

        Args:
            rate: the learning rate of this step, instead of the usual one.
        """
        rate = self.rate if rate is None else _not_negative(rate, "the learning rate")
        _move_all(self.parameters, [p.data - rate * p.grad for p in self.parameters])


class Adam:
    """Gradient descent with a momentum, and with a step length of its own for each parameter.

    Source of the formulas: D. P. Kingma and J. Ba, Adam: A Method for Stochastic Optimization
    (2015), algorithm 1.

    Args:
        parameters: what to move.
        rate: the learning rate: about how far a parameter goes in one step.
        beta1: how much of the mean gradient is kept from step to step.
        beta2: how much of the mean squared gradient is kept.
        epsilon: keeps the division possible where all gradients were 0.

    Attributes:
        steps: how many steps were made.
        momentum: the running mean of each parameter's gradient.
        scale: the running mean of its square.

    Raises:
        TypeError: something has no data and gradient.
        ValueError: as for SGD, or a beta is not between 0 and 1.

    >>> from engine.value import Parameter
    >>> w = Parameter(3.0)
    >>> optimizer = Adam([w], rate=0.1)
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> round(w.data, 6)
    2.9
    """

    def __init__(
        self,
        parameters: Iterable[Trainable],
        rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        self.parameters = _movable(parameters)
        self.rate = _positive(rate, "the learning rate")
        self.beta1 = _share(beta1, "beta1")
        self.beta2 = _share(beta2, "beta2")
        self.epsilon = _positive(epsilon, "epsilon")
        self.steps = 0
        self.momentum: list[Any] = [0.0] * len(self.parameters)
        self.scale: list[Any] = [0.0] * len(self.parameters)

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        zero_grad(self.parameters)

    def step(self, rate: float | None = None) -> None:
        """Move every parameter once, or none if something interrupts.

        Args:
            rate: the learning rate of this step, instead of the usual one.
        """
        rate = self.rate if rate is None else _not_negative(rate, "the learning rate")
        steps = self.steps + 1
        gradients = [p.grad for p in self.parameters]
        momentum = _mixed(self.beta1, self.momentum, gradients)
        scale = _mixed(self.beta2, self.scale, [g * g for g in gradients])
        # Both means began at 0, and are too small by this factor.
        full_momentum, full_scale = 1.0 - self.beta1**steps, 1.0 - self.beta2**steps
        _move_all(
            self.parameters,
            [
                p.data - rate * (m / full_momentum) / ((s / full_scale) ** 0.5 + self.epsilon)
                for p, m, s in zip(self.parameters, momentum, scale, strict=True)
            ],
        )
        self.steps, self.momentum, self.scale = steps, momentum, scale


def _mixed(kept: float, means: list[Any], new: list[Any]) -> list[Any]:
    return [kept * mean + (1.0 - kept) * number for mean, number in zip(means, new, strict=True)]


def _move_all(parameters: Sequence[Trainable], moved: list[Any]) -> None:
    before = [parameter.data for parameter in parameters]
    try:
        for parameter, data in zip(parameters, moved, strict=True):
            parameter.data = data
    except BaseException:
        for parameter, data in zip(parameters, before, strict=True):
            parameter.data = data
        raise


def _movable(parameters: Iterable[Trainable]) -> list[Trainable]:
    listed = list(parameters)
    if not listed:
        raise ValueError("an optimizer needs at least one parameter, got none.")
    for parameter in listed:
        if not hasattr(parameter, "data") or not hasattr(parameter, "grad"):
            raise TypeError(
                f"an optimizer moves numbers with data and a gradient, got {shown(parameter)}. "
                "Give it a list: SGD(model.parameters(), rate=0.1)."
            )
        if getattr(parameter, "op", ""):
            raise ValueError(
                f"{shown(parameter)} was computed, so moving it changes nothing: the next forward "
                "pass computes it anew. Give the optimizer the leaves it was made from."
            )
    if len({id(parameter) for parameter in listed}) < len(listed):
        raise ValueError("a parameter stands in the list twice: it would be moved twice a step.")
    return listed


def _not_negative(number: object, name: str) -> float:
    checked = finite(number, name)
    if checked < 0.0:
        raise ValueError(f"{name} is 0 or larger, got {number_text(checked)}.")
    return checked


def _positive(number: object, name: str) -> float:
    checked = finite(number, name)
    if checked <= 0.0:
        raise ValueError(f"{name} is above 0, got {number_text(checked)}.")
    return checked


def _share(number: object, name: str) -> float:
    checked = finite(number, name)
    if not 0.0 <= checked < 1.0:
        raise ValueError(f"{name} is at least 0 and below 1, got {number_text(checked)}.")
    return checked
