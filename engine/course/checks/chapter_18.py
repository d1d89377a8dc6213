"""The exercises of chapter 18: shapes, ways back of blocks, and lines of PyTorch.

>>> [exercise.name for exercise in EXERCISES]
['18.1', '18.2', '18.3', '18.4', '18.5']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array
from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    fields,
    number,
    numbers,
    numbers_by,
)
from engine.course.checks.plain import in_words
from engine.optim import SGD

Floats = NDArray[np.float64]
Sizes = tuple[int, ...]

CHAPTER = "../notebooks/18-from-here-to-pytorch.ipynb"

# 18.1: what is added to what.
PAIRS: dict[str, tuple[Sizes, Sizes]] = {
    "A": ((32, 7, 16), (16,)),
    "B": ((7, 16), (7, 1)),
    "C": ((4, 1), (5,)),
    "D": ((3, 4), (3,)),
    "E": ((2, 1, 6), (5, 1)),
}
NO_FIT = "no"


def broadcast(pair: tuple[Sizes, Sizes]) -> Sizes | str:
    """The shape of the sum of two blocks of these shapes, as NumPy has it, or "no".

    >>> broadcast(PAIRS["B"]), broadcast(PAIRS["D"])
    ((7, 16), 'no')
    """
    try:
        return np.broadcast_shapes(*pair)
    except ValueError:
        return NO_FIT


def from_the_front(pair: tuple[Sizes, Sizes]) -> Sizes | str:
    """The same by somebody who compares the axes from the front.

    >>> from_the_front(((3, 4), (3,)))
    (3, 4)
    """
    axes = [*zip_longest(*pair, fillvalue=1)]
    fits = all(1 in axis or axis[0] == axis[1] for axis in axes)
    return tuple(map(max, axes)) if fits else NO_FIT


def _sizes(answer: Any) -> Finding | None:
    if answer == NO_FIT:
        return None
    if isinstance(answer, float):
        return Finding(
            "one number", f"{in_words(answer)} is one size. A shape has a comma: ({answer:g},)."
        )
    is_shape = isinstance(answer, list | tuple) and all(isinstance(n, float) for n in answer)
    if is_shape:
        return None
    return Finding(
        "type", f'{in_words(answer)} is no shape: write (3, 4), or "no" where they do not fit.'
    )


def _judge_shapes(answer: dict[str, Any]) -> Finding | None:
    for name, pair in PAIRS.items():
        right, given = broadcast(pair), answer[name]
        sizes = given if given == NO_FIT else tuple(map(int, given))
        if sizes == right:
            continue
        yours = f"{name}: {in_words(given)} is not it."
        if sizes == from_the_front(pair):
            return Finding(
                "from the front", f"{yours} Did you compare from the front? Begin with the last."
            )
        if sizes == NO_FIT:
            return Finding(
                "they fit", f"{yours} They do fit: compare from the back, and look at the ones."
            )
        if right == NO_FIT:
            return Finding(
                "no fit", f"{yours} Compare from the back: two axes differ, and neither is 1."
            )
        if len(sizes) != len(right):
            return Finding(
                "axes", f"{yours} The result has as many axes as the longer of the two shapes."
            )
        return Finding(
            "sizes", f"{yours} Along an axis where one shape has 1, the other one decides."
        )
    return None


# 18.2


def _back_by_engine(upstream: Floats, shape: Sizes) -> Floats:
    """What the engine hands to a block of this shape that was broadcast and added."""
    block = Array(np.zeros(shape))
    ((block + np.zeros(upstream.shape)) * upstream).sum().backward()
    gradient: Floats = block.grad
    return gradient


def _lists(_arguments: tuple[Any, ...], result: Any) -> Any:
    """A block as nested lists; what else was given back stays."""
    return result.tolist() if isinstance(result, np.ndarray) else result


def _block(answer: Any) -> Finding | None:
    if isinstance(answer, list):
        return None
    return Finding("type", f"it gives {in_words(answer)}, and should give an array of NumPy.")


def _sum_case(words: str, shape: Sizes, onto: Sizes, seed: int) -> Case:
    def arguments() -> tuple[Any, ...]:
        return np.random.default_rng(seed).integers(-4, 9, shape).astype(float), onto

    return Case(words, arguments)


# 18.3


def _running_by_engine(a: Floats, upstream: Floats) -> Floats:
    """The way back of running sums, each of them written out with primitives."""
    leaf = Array(a)
    total = Array(0.0)
    for place, factor in enumerate(upstream):
        total = total + leaf[: place + 1].sum() * factor
    total.backward()
    gradient: Floats = leaf.grad
    return gradient


def _row_case(words: str, a: Sequence[float], upstream: Sequence[float]) -> Case:
    return Case(words, lambda: (np.array(a), np.array(upstream)))


# 18.4: what four programs of PyTorch leave in x.grad, or in w.

PROGRAMS = """
x = torch.tensor(3.0, requires_grad=True)
(x * x.detach() + x).backward()
print("A:", x.grad.item())

x = torch.tensor(3.0, requires_grad=True)
y = x * x + x
y.backward(retain_graph=True)
y.backward()
print("B:", x.grad.item())

x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    k = x * x
(k * x).backward()
print("C:", x.grad.item())

w = torch.tensor(3.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(2):
    (w * w).backward()
    optimizer.step()
print("D:", w.item())
"""


def _slope(formula: Callable[[Array], Array], walks: int = 1) -> float:
    x = Array(3.0)
    y = formula(x)
    for _ in range(walks):
        y.backward()
    return float(x.grad)


def _descent(clears: bool, steps: int = 2) -> float:
    w = Array(3.0)
    optimizer = SGD([w], rate=0.1)
    for _ in range(steps):
        if clears:
            optimizer.zero_grad()
        (w * w).backward()
        optimizer.step()
    return float(w.data)


def printed() -> dict[str, Any]:
    """What our engine says to the same programs, and what is used to name the mistakes.

    >>> printed()["right"]["A"]
    4.0
    """
    return {
        "slope": _slope,
        "descent": _descent,
        "right": {
            "A": _slope(lambda x: x * x.data + x),
            "B": _slope(lambda x: x * x + x, walks=2),
            "C": _slope(lambda x: x * (x * x).data),
            "D": _descent(clears=False),
        },
    }


# 18.5


def _training(start: float, targets: Sequence[float], rate: float) -> tuple[Any, ...]:
    w = Array([start, -start])
    batches = [np.array([target, 1.0]) for target in targets]
    return (lambda batch: ((w - batch) ** 2).sum()), SGD([w], rate=rate), batches


def _losses_and_end(arguments: tuple[Any, ...], result: Any) -> Any:
    """The list of losses, and where the parameters are in the end."""
    return {"losses": result, "parameters": arguments[1].parameters[0].data.tolist()}


def _list_of_losses(answer: dict[str, Any]) -> Finding | None:
    losses = answer["losses"]
    if not isinstance(losses, list | tuple):
        return Finding("type", f"it gives {in_words(losses)}. Give back the list of all losses.")
    if any(type(loss).__name__ == "Other" for loss in losses):
        return Finding(
            "graph kept",
            "its list holds the losses themselves, each with the graph behind it. Keep plain "
            "numbers: PyTorch would say loss.item(), here it is loss.data.item().",
        )
    return next((found for loss in losses if (found := number(loss))), None)


def _trained(loss_of: Callable[[Floats], Array], optimizer: SGD, batches: list[Floats]) -> Any:
    """The same steps, with gradients of a recording that is made anew each time."""
    losses = []
    for batch in batches:
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        losses.append(float(loss.data))
        optimizer.step()
    return losses


EXERCISES = (
    AnswerExercise(
        name="18.1",
        title="Which shape?",
        task=f"""
Two blocks are added. Which shape has the result? Write each shape in parentheses, such as `(3, 4)`,
and `"no"` where the two do not fit.

| | one | other |
|---|---|---|
| A | (32, 7, 16) | (16,) |
| B | (7, 16) | (7, 1) |
| C | (4, 1) | (5,) |
| D | (3, 4) | (3,) |
| E | (2, 1, 6) | (5, 1) |

Help in the chapter: [Broadcasting]({CHAPTER}#Broadcasting)
""",
        answer="""
shapes = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
### BEGIN SOLUTION
shapes = {"A": (32, 7, 16), "B": (7, 16), "C": (4, 5), "D": "no", "E": (2, 5, 6)}
### END SOLUTION
""",
        shape=fields(**dict.fromkeys(PAIRS, _sizes)),
        judge=_judge_shapes,
        right="From the back, and an axis of 1 goes along with any other.",
        hints=(
            "Write the two shapes below each other so that their last axes stand below each other.",
            "An axis that is missing at the front counts as 1. Where one of the two is 1, the "
            "other one stays; two others have to be equal.",
        ),
    ),
    FunctionExercise(
        name="18.2",
        title="The way back of a broadcast addition",
        task=f"""
A block was broadcast and added to something larger. `upstream` is the upstream gradient, in the
shape of the result; `shape` is the shape that the block has. Give back the contribution to the
block, in **its** shape. Do it with `.sum(...)` of NumPy.

Two kinds of axes are added up: those that the block does not have, at the front, and those along
which it has 1.

Help in the chapter: [Broadcasting]({CHAPTER}#Broadcasting)
""",
        cases=(
            _sum_case("a bias: (3, 2) onto (2,)", (3, 2), (2,), 1),
            _sum_case("a column: (3, 2) onto (3, 1)", (3, 2), (3, 1), 2),
            _sum_case("nothing was broadcast: (2, 3)", (2, 3), (2, 3), 3),
            _sum_case("(4, 3, 2) onto (3, 1)", (4, 3, 2), (3, 1), 4),
            _sum_case("(2, 3, 4) onto (2, 1, 4)", (2, 3, 4), (2, 1, 4), 5),
        ),
        reference=_back_by_engine,
        shape=_block,
        observe=_lists,
        forbidden={"engine.arrays.summed_to", "engine.arrays.Array"},
        solution='''
def back_to(upstream, shape):
    """The contribution to a block of this shape."""
    while upstream.ndim > len(shape):
        upstream = upstream.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            upstream = upstream.sum(axis=axis, keepdims=True)
    return upstream
''',
        mistakes="""
not summed | = lambda upstream, shape: upstream
    that is the upstream gradient as it came. Each number was used several times: add up.
keepdims | , keepdims=True -> , keepdims=False
    an axis of 1 has vanished from the shape. keepdims=True keeps it.
first use | sum(axis=0) -> take(0, axis=0) | sum(axis=axis, keepdims=True) -> take([0], axis=axis)
    it takes the contribution of one use alone. All uses are added.
mean | sum(axis=0) -> mean(axis=0) | sum(axis=axis, keepdims=True) -> mean(axis=axis, keepdims=True)
    it takes the mean. Contributions are added.
front axes forgotten | upstream.ndim > len(shape) -> False
    the axes that the block does not have are still there.
axes of 1 forgotten | size == 1 -> False
    the axes along which the block has 1 are not added up.
last axis | sum(axis=0) -> sum(axis=-1)
    it adds up axes at the end. Shapes are compared from the back, so those too many are in front.
""",
        given=globals(),
        right="Used again and again on the way there, added up on the way back.",
        hints=(
            "A row that was added to three rows gets three contributions, so axis 0 is summed.",
            "First, while upstream has more axes than shape: sum over axis 0.",
            "Then, for each axis where shape has 1: .sum(axis=axis, keepdims=True).",
        ),
    ),
    FunctionExercise(
        name="18.3",
        title="A rule for running sums",
        task=f"""
The array engine has no running sums. NumPy calls them `cumsum`: the numbers 1, 2, 5 become
1, 1 + 2 = 3, 1 + 2 + 5 = 8. Write the rule for this primitive: `a` is the row of numbers that goes
in, `upstream` is the upstream gradient, one number for each result. Give back the contribution to
`a`.

Help in the chapter:
[A rule in place of a local derivative]({CHAPTER}#A-rule-in-place-of-a-local-derivative)
""",
        cases=(
            _row_case("upstream gradients of 1, 10 and 100", (1.0, 2.0, 5.0), (1.0, 10.0, 100.0)),
            _row_case("only the second result counts", (4.0, -1.0, 3.0, 2.0), (0.0, 2.5, 0.0, 0.0)),
            _row_case("five numbers", (0.5, 1.5, -2.0, 1.0, 3.0), (1.0, -2.0, 0.5, 3.0, -1.5)),
        ),
        reference=_running_by_engine,
        shape=_block,
        observe=_lists,
        forbidden={"engine.arrays.Array"},
        solution='''
def running_sums_rule(a, upstream):
    """What flows to a, when the result is np.cumsum(a)."""
    return np.cumsum(upstream[::-1])[::-1]
''',
        mistakes="""
forward | np.cumsum(upstream[::-1])[::-1] -> np.cumsum(upstream)
    those are running sums from the front. Into which results did the last number of a go?
not turned back | np.cumsum(upstream[::-1])[::-1] -> np.cumsum(upstream[::-1])
    the sums are right, and stand in the order from the back.
own result alone | np.cumsum(upstream[::-1])[::-1] -> 1.0 * upstream
    each number gets the contribution of its own result alone. It went into all later ones too.
all results | np.cumsum(upstream[::-1])[::-1] -> np.full(len(a), upstream.sum())
    each number gets all contributions. It did not go into the results before it.
own result forgotten | np.cumsum(upstream[::-1])[::-1] -> np.cumsum(upstream[::-1])[::-1] - upstream
    the result at its own place is missing: a number goes into that one too.
upstream forgotten | np.cumsum(upstream[::-1])[::-1] -> np.arange(len(a), 0, -1.0)
    it counts the results a number went into. Each of them has an upstream gradient of its own.
data | np.cumsum(upstream[::-1])[::-1] -> np.cumsum(a)
    that is the forward pass.
""",
        given=globals(),
        right="Shared numbers add up: the running sum goes backward.",
        hints=(
            "The local derivatives are all 1 or 0: does this number go into that result?",
            "The first number goes into all results, the last one only into the last.",
            "Running sums from the back: upstream[::-1] turns a row around.",
        ),
    ),
    AnswerExercise(
        name="18.4",
        title="What does it print?",
        task=f"""
Four small programs of PyTorch. You need no PyTorch: you know what each line does. **Which number
does each print?**

```python
import torch
{PROGRAMS}```

Help in the chapter: [From our words to theirs]({CHAPTER}#From-our-words-to-theirs)
""",
        answer="""
printed = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
printed = {"A": 4, "B": 14, "C": 9, "D": 1.32}
### END SOLUTION
""",
        shape=numbers("A", "B", "C", "D"),
        judge=numbers_by(
            printed,
            A="""
= right["A"]
not detached | slope(lambda x: x * x + x)
    {} has both uses in the product. x.detach() is a constant: nothing flows back through it.
one path | slope(lambda x: x * x.data)
    {} is the product alone. x is added once more.
data | (lambda x: x * x + x)(3.0)
    {} is the data of the result.
""",
            B="""
= right["B"]
one walk | slope(lambda x: x * x + x)
    {} is what one walk leaves. The second one adds.
one path | slope(lambda x: x * x, walks=2)
    {} leaves out the + x.
compounded | 3 * slope(lambda x: x * x + x)
    {} is three times one walk. The second walk begins again with a seed of 1.
data | (lambda x: x * x + x)(3.0)
    {} is the data of y.
""",
            C="""
= right["C"]
recorded | slope(lambda x: x * x * x)
    {} counts the way through k too. Inside no_grad nothing is recorded, so k is a constant.
inside alone | slope(lambda x: x * x)
    {} is the gradient of x * x, of which nothing was recorded.
data | 3.0 ** 3
    {} is the data of k * x.
""",
            D="""
= right["D"]
cleared | descent(clears=True)
    {} is right for a loop with zero_grad(). This one has none: what does step 2 find in w.grad?
one step | descent(clears=False, steps=1)
    {} is w after one step. There are two.
gradient | slope(lambda x: x * x) + 2 * descent(clears=False, steps=1)
    {} is the gradient that the second step uses. Asked for is w after it.
""",
        ),
        right="You read PyTorch.",
        hints=(
            "detach, and everything inside no_grad, makes constants. backward adds to grad.",
            "D: the first step takes w from 3 to 2.4. The second gradient alone is 4.8, and it is "
            "added to what is still there.",
        ),
    ),
    FunctionExercise(
        name="18.5",
        title="Mend the loop",
        task=f"""
Somebody has written a training loop in the style of PyTorch:

```python
def train(loss_of, optimizer, batches):
    losses = []
    for batch in batches:
        loss = loss_of(batch)
        optimizer.step()
        loss.backward()
        losses.append(loss)
    return losses
```

It runs, it learns badly, and it needs more and more memory. **Write it so that it is right.**
`loss_of(batch)` is the forward pass and gives an `Array`, `optimizer` has `zero_grad()` and
`step()`, and what comes back is a list of plain numbers: the loss of each batch, before its step.

Help in the chapter:
[A training loop, line by line]({CHAPTER}#A-training-loop,-line-by-line)
""",
        cases=(
            Case("four batches", lambda: _training(3.0, (1.0, 2.0, 0.0, 1.5), 0.1)),
            Case("one batch again and again", lambda: _training(-1.0, (2.0,) * 6, 0.2)),
        ),
        reference=_trained,
        shape=_list_of_losses,
        observe=_losses_and_end,
        solution='''
def train(loss_of, optimizer, batches):
    """The loss of each batch, as a plain number; the parameters move on the way."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.data.item())
    return losses
''',
        mistakes=r"""
no zero_grad | optimizer.zero_grad() -> pass
    nothing forgets the gradients of the step before, and backward adds.
no move | optimizer.step() -> pass
no move | loss.backward() -> pass
no move | optimizer.zero_grad() -> pass | loss.backward() -> loss.backward(); optimizer.zero_grad()
    no parameter has moved. backward fills the gradients, step uses them, and they are forgotten
    after that.
step first | optimizer.zero_grad() -> pass | loss.backward() -> optimizer.step(); loss.backward()
| loss.backward()\n        optimizer.step() -> loss.backward()
    it steps before it walks back, with what is left of earlier batches. A step needs the gradients
    of this batch.
loss after the step | loss.data.item() -> loss_of(batch).data.item()
    those are the losses after each step. Asked for are those before it.
last loss | losses.append(loss.data.item()) -> losses = [loss.data.item()]
    only the last loss is there. Give back the loss of each batch.
""",
        given=globals(),
        right="Forget, forward, back, step, one plain number: so goes every training loop.",
        hints=(
            "Three things are wrong: an order, a missing line, and what is kept in the list.",
            "In each step: forget the old gradients, forward, backward, and only then step.",
            "A list of losses keeps every graph alive. loss.data.item() is a plain number.",
        ),
    ),
)
