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

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from engine.numbers import finite, not_negative, positive
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
    for parameter in _listed(parameters):
        parameter.grad = 0.0


class Optimizer:
    """What all optimizers have: the parameters they move, and a learning rate.

    Args:
        parameters: what to move.
        rate: the learning rate of every step that is given none of its own.

    >>> from engine.value import Parameter
    >>> w = Parameter(3.0)
    >>> (w * 2).backward()
    >>> Optimizer([w], rate=0.1).zero_grad()
    >>> w.grad
    0.0
    """

    def __init__(self, parameters: Iterable[Trainable], rate: float) -> None:
        self.parameters = _movable(parameters)
        self.rate = positive(rate, "the learning rate")

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to 0."""
        zero_grad(self.parameters)

    def _chosen(self, rate: float | None) -> float:
        return self.rate if rate is None else not_negative(rate, "the learning rate")


class SGD(Optimizer):
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

    def step(self, rate: float | None = None) -> None:
        """Move every parameter once, or none if something interrupts.

        Args:
            rate: the learning rate of this step, instead of the usual one.

        Raises:
            TypeError: a number or a gradient was replaced by something else, such as None.
            ValueError: a number or a gradient is infinite or NaN.
            OverflowError: a parameter would become too large for a float.
        """
        rate = self._chosen(rate)
        with _no_number_named(self.parameters):
            moved = [p.data - rate * p.grad for p in self.parameters]
        _require_finite(self.parameters, moved)
        _set_all([(p, "data", data) for p, data in zip(self.parameters, moved, strict=True)])


class Adam(Optimizer):
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
        momentum: the running mean of each parameter's gradient (the first moment, m).
        squares: the running mean of its square (the second moment, v).

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
        super().__init__(parameters, rate)
        self.beta1 = _share(beta1, "beta1")
        self.beta2 = _share(beta2, "beta2")
        self.epsilon = positive(epsilon, "epsilon")
        self.steps = 0
        self.momentum: list[Any] = [0.0] * len(self.parameters)
        self.squares: list[Any] = [0.0] * len(self.parameters)

    def step(self, rate: float | None = None) -> None:
        """Move every parameter once, or none if something interrupts.

        Args:
            rate: the learning rate of this step, instead of the usual one.

        Raises:
            TypeError: a number or a gradient was replaced by something else, such as None.
            ValueError: a number or a gradient is infinite or NaN.
            OverflowError: a parameter, or the square of a gradient, would become too large for
                a float.
        """
        rate = self._chosen(rate)
        steps = self.steps + 1
        # Both means began at 0, and are too small by this factor.
        full_momentum, full_squares = 1.0 - self.beta1**steps, 1.0 - self.beta2**steps
        with _no_number_named(self.parameters):
            gradients = [1.0 * p.grad for p in self.parameters]
            momentum = _mixed(self.beta1, self.momentum, gradients)
            squares = _mixed(self.beta2, self.squares, [g * g for g in gradients])
            moved = [
                p.data - rate * (m / full_momentum) / ((v / full_squares) ** 0.5 + self.epsilon)
                for p, m, v in zip(self.parameters, momentum, squares, strict=True)
            ]
        _require_finite(self.parameters, moved, squares)
        # The means go with the parameters: an interrupt leaves all of them or none as they were.
        means = [(self, "steps", steps), (self, "momentum", momentum), (self, "squares", squares)]
        _set_all([*((p, "data", n) for p, n in zip(self.parameters, moved, strict=True)), *means])


@contextmanager
def _no_number_named(parameters: Sequence[Trainable]) -> Iterator[None]:
    """Where a calculation fails for what is no number, name the parameter that holds it."""
    try:
        yield
    except (TypeError, OverflowError):
        for parameter in parameters:
            for name, held in (("number", parameter.data), ("gradient", parameter.grad)):
                _require_number(held, f"the {name} of {shown(parameter)}")
        raise


def _require_number(held: Any, which: str) -> None:
    try:
        _ = 0.0 - 1.0 * held
    except (TypeError, OverflowError) as problem:
        raise type(problem)(
            f"nothing was moved: {which} is no number that a float can hold. Give it one again."
        ) from None


def _mixed(kept: float, means: list[Any], new: list[Any]) -> list[Any]:
    return [kept * mean + (1.0 - kept) * number for mean, number in zip(means, new, strict=True)]


def _set_all(new: Sequence[tuple[Any, str, Any]]) -> None:
    """Set attributes (of what, its name, what it becomes): all of them, or none."""
    before = [(holder, name, getattr(holder, name)) for holder, name, _ in new]
    try:
        for holder, name, thing in new:
            setattr(holder, name, thing)
    except BaseException:
        for holder, name, thing in before:
            setattr(holder, name, thing)
        raise


def _require_finite(
    parameters: Sequence[Trainable], moved: Sequence[Any], squares: Sequence[Any] = ()
) -> None:
    """Refuse a step whose numbers are not finite, and name the first parameter it fails at.

    A square that is too large for a float is not to be seen in the moved number: it makes the
    step 0.
    """
    if _all_finite([*moved, *squares]):
        return
    for parameter, square, number in zip(
        parameters, squares or [0.0] * len(moved), moved, strict=True
    ):
        if _all_finite([square, number]):
            continue
        for name, held in (("number", parameter.data), ("gradient", parameter.grad)):
            if not _all_finite([held]):
                raise ValueError(
                    f"nothing was moved: a {name} of {shown(parameter)} is infinite or NaN."
                )
        otherwise = (
            "the step would move it too far for a float"
            if _all_finite([square])
            else "its square is too large for a float"
        )
        raise OverflowError(
            f"nothing was moved: with the gradient {shown(parameter.grad)} of "
            f"{shown(parameter)} {otherwise}. Try a smaller learning rate, or a smaller loss."
        )


def _all_finite(numbers: Sequence[Any]) -> bool:
    """Whether all of these, numbers or arrays of numbers, are neither infinite nor NaN."""
    if {float}.issuperset(map(type, numbers)):
        return all(map(math.isfinite, numbers))
    return all(map(_is_finite, numbers))


def _is_finite(number: Any) -> bool:
    inside = abs(number) < math.inf
    return bool(inside.all() if hasattr(inside, "all") else inside)


def _listed(parameters: Iterable[Trainable]) -> list[Trainable]:
    try:
        return list(parameters)
    except TypeError:
        has_them = hasattr(parameters, "parameters")
        hint = (
            "Give its parameters: model.parameters()." if has_them else "Put it into a list: [w]."
        )
        raise TypeError(f"parameters come in a list, got {shown(parameters)}. {hint}") from None


def _movable(parameters: Iterable[Trainable]) -> list[Trainable]:
    listed = _listed(parameters)
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


def _share(number: object, name: str) -> float:
    checked = finite(number, name)
    if not 0.0 <= checked < 1.0:
        raise ValueError(f"{name} is at least 0 and below 1, got {number_text(checked)}.")
    return checked
