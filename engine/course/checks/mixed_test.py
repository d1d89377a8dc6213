"""The mixed test at the end of the exercises of chapter 08: what chapters 01 to 08 taught, at once.

>>> [exercise.name for exercise in EXERCISES]
['08.6', '08.7', '08.8']
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.course.checks.exercise import (
    AnswerExercise,
    Case,
    Finding,
    FunctionExercise,
    fields,
    number,
    numbers,
    numbers_by,
    one_of,
)

Function = Callable[[float], float]

# 08.7: what may have gone wrong, and what each person saw.
CAUSES = ("overwritten", "too early", "walked twice", "step too small", "nothing")
PEOPLE = {
    "Ada": ("walked twice", "Twice as large, and none of them wrong: who walked before?"),
    "Bo": ("overwritten", "Exactly one contribution is there. What happened to the others?"),
    "Cem": ("step too small", "It is the measurement that cannot be right here."),
    "Dina": (
        "too early",
        "0 went on, and the right number arrived too late. Whose turn came when?",
    ),
    "Eli": ("nothing", "Look at the two numbers: how many digits agree?"),
}


def _judge_causes(answer: dict[str, str]) -> Finding | None:
    for name, (cause, words) in PEOPLE.items():
        if answer[name] != cause:
            return Finding("cause", f'{name}: "{answer[name]}" does not explain it. {words}')
    return None


def wave(x: float) -> float:
    """A curve that bends both ways."""
    return math.sin(x)


def cube(x: float) -> float:
    """A curve whose bend grows along it."""
    return x * x * x


def square(x: float) -> float:
    """A curve that bends everywhere alike."""
    return x * x


def _bend(f: Function, x: float, h: float) -> float:
    return (f(x + h) - 2 * f(x) + f(x - h)) / (h * h)


EXERCISES = (
    AnswerExercise(
        name="08.6",
        title="Mixed test: four gradients",
        task="""
This and the next two exercises are a mixed test of chapters 01 to 08.

`a` is 3 and `b` is -2. The calculation is

```python
p = a * b
q = p + a
y = q * q
```

**Find the gradients of `q`, `p`, `b` and `a`, for the output `y`**, with pencil and paper.

Help: [Multiply along a path](../notebooks/04-shared-numbers-add-up.ipynb#Different-paths)
""",
        answer="""
gradients = {"q": ..., "p": ..., "b": ..., "a": ...}
### BEGIN SOLUTION
gradients = {"q": -6, "p": -6, "b": -18, "a": 6}
### END SOLUTION
""",
        shape=numbers("q", "p", "b", "a"),
        judge=numbers_by(
            {"a": 3.0, "b": -2.0, "q": -3.0},
            q="""
= 2 * q
one use | q
    {} is one contribution to q. It is used twice in q * q.
square | q * q
    {} is the result y, not how fast it moves with q.
""",
            p="""
= 2 * q
local alone | 1
    1 is the local derivative of the addition. What is its upstream gradient?
""",
            b="""
= a * 2 * q
own data | b * 2 * q
    The local derivative of a product for b is the data of the other input.
no upstream | a
    {} is the local derivative alone. Multiply by the upstream gradient of p.
""",
            a="""
= b * 2 * q + 2 * q
overwritten | 2 * q
    {} is what comes by the addition alone. There is another way from y to a.
one way | b * 2 * q
    {} is what comes by the product alone. There is another way from y to a.
multiplied | b * 2 * q * 2 * q
    Along one path you multiply. Across paths you add.
""",
        ),
        right="Multiplied along each path, and added across the paths.",
        hints=(
            "Begin at y: its gradient is 1. q is used twice there.",
            "The addition hands on the same number to p and to a.",
            "a gets two contributions: one from q, and one from p.",
        ),
    ),
    AnswerExercise(
        name="08.7",
        title="Mixed test: what went wrong?",
        task="""
Five people have checked the gradient of `x` in `y = x * x + x` at 3, where it is 7. What explains
what each of them saw?

- Ada: the engine says 14, measured is 7.
- Bo: the walk gives 1, the contribution of the direct arrow, measured is 7.
- Cem: the engine says 7, measured is 0.
- Dina: in her own walk the node `u = x * x` ends with its right gradient 1, and still `x` gets
  nothing through it.
- Eli: the engine says 7, measured is 7.00000000012.

Choose for each of them one of `"overwritten"`, `"too early"`, `"walked twice"`, `"step too
small"`, `"nothing"`. Each fits once.

Help: [A plan for checking](../notebooks/08-trusting-a-gradient.ipynb#A-plan-for-checking)
""",
        answer="""
causes = {"Ada": ..., "Bo": ..., "Cem": ..., "Dina": ..., "Eli": ...}
### BEGIN SOLUTION
causes = {"Ada": "walked twice", "Bo": "overwritten", "Cem": "step too small"}
causes |= {"Dina": "too early", "Eli": "nothing"}
### END SOLUTION
""",
        shape=fields(**{name: one_of(*CAUSES) for name in PEOPLE}),
        judge=_judge_causes,
        right="The wrong number alone often tells which mistake was made.",
        hints=(
            "Three of them made a mistake in a walk, one in a measurement.",
            "Chapter 04 ends with two walks, chapter 05 begins with an order.",
            "If 3 + h is 3 again, what does a measurement give?",
        ),
    ),
    FunctionExercise(
        name="08.8",
        title="Harder, for the fast: measure the bend",
        task="""
Chapter 01 spoke of the *bend* of a curve: how fast its slope changes. Measure it with three
values of the function, at `x + h`, `x` and `x - h`: the slope of the right half minus the slope
of the left half, divided by `h`.

**Write the function.** `f` is a function of one number, `x` the point, `h` the step.

Help: [Step to both sides](../notebooks/01-wiggle-a-number.ipynb#Step-to-both-sides)
""",
        solution='''
def measure_bend(f, x, h):
    """How fast the slope of f changes at x."""
    return (f(x + h) - 2 * f(x) + f(x - h)) / (h * h)
''',
        cases=(
            Case("the square at 3 with h = 0.5", lambda: (square, 3.0, 0.5)),
            Case("the cube at 2 with h = 0.25", lambda: (cube, 2.0, 0.25)),
            Case("math.sin at 1 with h = 0.1", lambda: (wave, 1.0, 0.1)),
        ),
        reference=_bend,
        shape=number,
        mistakes="""
slope of the whole | - 2 * f(x) + f(x - h)) / (h * h) -> - f(x - h)) / (2 * h)
    That is the slope, a central difference. How fast does the slope change?
divided once | (h * h) -> h
    For {case} it gives {got}. Each half slope is divided by h, and their difference once more.
one middle | 2 * f(x) -> f(x)
    For {case} it gives {got}. Each of the two half slopes uses f(x).
""",
        right="That is the second derivative. Where it changes, differences have truncation.",
        hints=(
            "The right half: (f(x + h) - f(x)) / h. The left half: (f(x) - f(x - h)) / h.",
            "Subtract the left slope from the right one, and divide by h once more.",
        ),
    ),
)
