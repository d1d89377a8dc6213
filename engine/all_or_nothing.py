"""A walk back changes every gradient or none, and adds to what the leaves held before it."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any

from engine.guards import named
from engine.text import number_text, shown


class Keeping:
    """The gradients that leaves held before their first walk in a block; None outside of one."""

    gradients: dict[Any, float] | None = None


@contextmanager
def gradients_kept() -> Iterator[None]:
    """Put back at the end the gradient that every leaf held before a walk inside reached it.

    What was written into a gradient by hand before that walk stays. Computed nodes are not kept:
    they would hold the graphs of all walks until the end.

    >>> from engine.value import Parameter
    >>> w = Parameter(2.0)
    >>> with gradients_kept():
    ...     (w * 3).backward()
    ...     w.grad
    3.0
    >>> w.grad
    0.0
    """
    inner: dict[Any, float] = {}
    outer, Keeping.gradients = Keeping.gradients, inner
    try:
        yield
    finally:
        Keeping.gradients = outer
        for leaf, gradient in inner.items():
            leaf.grad = gradient


@contextmanager
def all_or_nothing(leaves: Sequence[Any], nodes: Sequence[Any], output: Any) -> Iterator[None]:
    """Begin each gradient of a walk at 0, and add at its end what the leaves held before.

    That is added as one number, so a second walk gives exactly twice the first: contribution by
    contribution it would round differently. After an error every leaf holds what it held before.

    Args:
        leaves: the numbers the output was made from.
        nodes: computed from them, inputs before results.
        output: the number to differentiate.

    Raises:
        TypeError: the gradient of a leaf was replaced by something that is not a number.
        OverflowError: a gradient, or its sum with what the leaf holds, is too large for a float.
    """
    held = [leaf.grad for leaf in leaves]
    if Keeping.gradients is not None:
        for leaf, gradient in zip(leaves, held, strict=True):
            Keeping.gradients.setdefault(leaf, gradient)
    before = _as_floats(leaves, held)
    try:
        for node in leaves:
            node.grad = 0.0
        for node in nodes:
            node.grad = 0.0
        yield
        if any(before):
            sums = _sums(leaves, nodes, output, before)
            for leaf, total in zip(leaves, sums, strict=True):
                leaf.grad = total
        else:
            _require_range(leaves, nodes, output)
    except BaseException:
        for leaf, gradient in zip(leaves, held, strict=True):
            leaf.grad = gradient
        raise


def _as_floats(leaves: Sequence[Any], gradients: list[float]) -> list[float]:
    if {float}.issuperset(map(type, gradients)):
        return gradients
    return [_as_float(leaf, grad) for leaf, grad in zip(leaves, gradients, strict=True)]


def _as_float(leaf: Any, gradient: object) -> float:
    if not isinstance(gradient, Real):
        raise TypeError(
            f"backward() needs every gradient to be a number, but found {shown(leaf)}. "
            "Set it to 0.0."
        )
    try:
        return float(gradient)
    except OverflowError:
        raise OverflowError(
            f"backward() adds to the gradient that a leaf holds, and that of {shown(leaf)} is too "
            "large for a float. Set it to 0.0."
        ) from None


def _sums(
    leaves: Sequence[Any], nodes: Sequence[Any], output: Any, before: Sequence[float]
) -> list[float]:
    """The gradients of this walk and those of before, added up; none may leave the floats."""
    sums = [leaf.grad + held for leaf, held in zip(leaves, before, strict=True)]
    if not math.isfinite(sum(sums)):
        _require_range(leaves, nodes, output)
        for leaf, held, total in zip(leaves, before, sums, strict=True):
            if math.isinf(total) and math.isfinite(held):
                raise OverflowError(
                    f"gradients add up, and the sum for {named(leaf)} is too large for a float: "
                    f"it held {number_text(held)} and gets {number_text(leaf.grad)} more. "
                    "The leaves keep the gradients they had. Set the gradients to 0 before the "
                    "walk, or scale the numbers."
                )
    return sums


def _require_range(leaves: Sequence[Any], nodes: Sequence[Any], output: Any) -> None:
    # Whatever leaves the floats on the way arrives at a leaf.
    if math.isfinite(sum([leaf.grad for leaf in leaves])):
        return
    for node in reversed([*leaves, *nodes]):
        if not math.isfinite(node.grad):
            raise OverflowError(
                f"a gradient left the range of floats: {shown(node)}, on the way back from "
                f"{shown(output)}. The leaves keep the gradients they had. "
                "Scale the numbers so that the factors on this path are smaller."
            )
