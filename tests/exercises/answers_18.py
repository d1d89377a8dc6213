"""Wrong answers to the exercises of chapter 18, each with the kind of wrong it must be told."""

from typing import Any

import numpy as np

from engine.arrays import summed_to

SHAPES: dict[str, Any] = {
    "A": (32, 7, 16),
    "B": (7, 16),
    "C": (4, 5),
    "D": "no",
    "E": (2, 5, 6),
}
PRINTED: dict[str, Any] = {"A": 4, "B": 14, "C": 9, "D": 1.32}


def as_it_came(upstream, shape):
    return upstream


def dropping_axes(upstream, shape):
    while upstream.ndim > len(shape):
        upstream = upstream.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            upstream = upstream.sum(axis=axis)
    return upstream


def one_use(upstream, shape):
    for _ in range(upstream.ndim - len(shape)):
        upstream = upstream[0]
    for axis, size in enumerate(shape):
        if size == 1:
            upstream = upstream.take([0], axis=axis)
    return upstream


def mean_of_uses(upstream, shape):
    while upstream.ndim > len(shape):
        upstream = upstream.mean(axis=0)
    ones = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return upstream.mean(axis=ones, keepdims=True) if ones else upstream


def ones_alone(upstream, shape):
    for axis, size in enumerate(shape):
        if size == 1:
            upstream = upstream.sum(axis=axis, keepdims=True)
    return upstream


def front_alone(upstream, shape):
    return upstream.sum(axis=tuple(range(upstream.ndim - len(shape))))


def from_the_end(upstream, shape):
    while upstream.ndim > len(shape):
        upstream = upstream.sum(axis=-1)
    for axis, size in enumerate(shape):
        if size == 1:
            upstream = upstream.sum(axis=axis, keepdims=True)
    return upstream


def of_the_engine(upstream, shape):
    return summed_to(upstream, shape)


def its_shape(upstream, shape):
    return shape


def twice(upstream, shape):
    return 2 * summed(upstream, shape)


def summed(upstream, shape):
    upstream = upstream.sum(axis=tuple(range(upstream.ndim - len(shape))))
    ones = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return upstream.sum(axis=ones, keepdims=True)


def from_the_front(a, upstream):
    return np.cumsum(upstream)


def left_turned(a, upstream):
    return np.cumsum(upstream[::-1])


def own_alone(a, upstream):
    return upstream.copy()


def everything(a, upstream):
    return np.ones(len(a)) * upstream.sum()


def later_alone(a, upstream):
    return np.array([upstream[place + 1 :].sum() for place in range(len(a))])


def uses_counted(a, upstream):
    return np.array([float(len(a) - place) for place in range(len(a))])


def sums_again(a, upstream):
    return a.cumsum()


def as_text(a, upstream):
    return str(upstream)


def never_cleared(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.data.item())
    return losses


def cleared_between(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.data.item())
    return losses


def no_step(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        losses.append(float(loss.data))
    return losses


def step_first(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        optimizer.step()
        loss.backward()
        losses.append(loss.data.item())
    return losses


def losses_after(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss_of(batch).backward()
        optimizer.step()
        losses.append(loss_of(batch).data.item())
    return losses


def graphs_kept(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def last_alone(loss_of, optimizer, batches):
    return [never_cleared_but_last(loss_of, optimizer, batches)]


def never_cleared_but_last(loss_of, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
    return loss.data.item()


def as_it_was(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        loss = loss_of(batch)
        optimizer.step()
        loss.backward()
        losses.append(loss.data.item())
    return losses


def gradients_halved(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        (loss * 0.5).backward()
        optimizer.step()
        losses.append(loss.data.item())
    return losses


WRONG: dict[str, list[tuple[Any, str]]] = {
    "18.1": [
        ({**SHAPES, "D": (3, 4)}, "from the front"),
        ({**SHAPES, "A": "no"}, "from the front"),
        ({**SHAPES, "B": "no"}, "they fit"),
        ({**SHAPES, "D": (3,)}, "no fit"),
        ({**SHAPES, "B": (7, 1)}, "sizes"),
        ({**SHAPES, "C": (4, 1)}, "sizes"),
        ({**SHAPES, "A": (16,)}, "axes"),
        ({**SHAPES, "E": (5, 6)}, "axes"),
        ({**SHAPES, "C": 20}, "one number"),
        ({**SHAPES, "C": "4, 5"}, "type"),
        ({**SHAPES, "C": ...}, "unfinished"),
        ([(32, 7, 16)], "type"),
    ],
    "18.2": [
        (as_it_came, "not summed"),
        (dropping_axes, "keepdims"),
        (one_use, "first use"),
        (mean_of_uses, "mean"),
        (ones_alone, "front axes forgotten"),
        (front_alone, "axes of 1 forgotten"),
        (from_the_end, "last axis"),
        (of_the_engine, "forbidden"),
        (its_shape, "type"),
        (twice, "other"),
        (lambda upstream: upstream, "signature"),
    ],
    "18.3": [
        (from_the_front, "forward"),
        (left_turned, "not turned back"),
        (own_alone, "own result alone"),
        (everything, "all results"),
        (later_alone, "own result forgotten"),
        (uses_counted, "upstream forgotten"),
        (sums_again, "data"),
        (as_text, "type"),
        (lambda a: a, "signature"),
    ],
    "18.4": [
        ({**PRINTED, "A": 7}, "not detached"),
        ({**PRINTED, "A": 3}, "one path"),
        ({**PRINTED, "A": 12}, "data"),
        ({**PRINTED, "B": 7}, "one walk"),
        ({**PRINTED, "B": 12}, "one path"),
        ({**PRINTED, "B": 21}, "compounded"),
        ({**PRINTED, "C": 27}, "recorded"),
        ({**PRINTED, "C": 6}, "inside alone"),
        ({**PRINTED, "D": 1.92}, "cleared"),
        ({**PRINTED, "D": 2.4}, "one step"),
        ({**PRINTED, "D": 10.8}, "gradient"),
        ({**PRINTED, "D": 5}, "other"),
        ({**PRINTED, "C": -9}, "sign"),
        (4, "type"),
    ],
    "18.5": [
        (never_cleared, "no zero_grad"),
        (cleared_between, "no move"),
        (no_step, "no move"),
        (step_first, "no move"),
        (losses_after, "loss after the step"),
        (graphs_kept, "graph kept"),
        (last_alone, "last loss"),
        (never_cleared_but_last, "type"),
        (as_it_was, "step first"),
        (gradients_halved, "other"),
        (lambda loss_of: [], "signature"),
    ],
}
