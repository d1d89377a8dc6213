"""The exercises of chapter 11: running means, a step of Adam, and a bug in one.

>>> [exercise.name for exercise in EXERCISES]
['11.1', '11.2', '11.3', '11.4', '11.5']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
from engine.course.checks.plain import in_words, same
from engine.optim import SGD, Adam, zero_grad
from engine.text import number_text
from engine.value import Parameter, Value

Triple = tuple[float, float, float]

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
# 11.1: the gradients whose mean is asked for.
GRADIENTS = (2.0, -1.0, 4.0)
# 11.3: the learning rate of the step.
RATE = 0.1
# 11.4: so many times as large is the loss, and so large was a gradient before.
LARGER, GRADIENT = 10.0, 3.0


# 11.1 and 11.2


def running_means(gradients: Sequence[float], beta: float, start: float = 0.0) -> list[float]:
    """The running mean after each gradient, uncorrected.

    Args:
        gradients: one after the other.
        beta: how much of the mean is kept.
        start: what the mean is before the first.

    >>> running_means([8.0, 0.0], 0.5)
    [4.0, 2.0]
    """
    means, mean = [], start
    for gradient in gradients:
        mean = beta * mean + (1 - beta) * gradient
        means.append(mean)
    return means


def corrected_means(gradients: Sequence[float], beta: float) -> list[float]:
    """The running means, each divided by the part of it that comes from gradients.

    Args:
        gradients: one after the other.
        beta: how much of the mean is kept.

    >>> corrected_means([-0.5, -0.5], 0.5)
    [-0.5, -0.5]
    """
    return [mean / (1 - beta**t) for t, mean in enumerate(running_means(gradients, beta), start=1)]


def _list_of_means(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple) and all(isinstance(member, float) for member in answer):
        return None
    if isinstance(answer, float):
        return Finding(
            "one number",
            f"it gives {number_text(answer)}. Asked for is a list, with one mean for each "
            "gradient.",
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give a list of numbers.")


def _gradients_case(beta: float, *gradients: float) -> Case:
    listed = ", ".join(map(number_text, gradients))
    return Case(f"the gradients {listed} and beta {beta}", lambda: (list(gradients), beta))


# 11.3


def _step_of_the_engine(w: float, gradient: float, m: float, v: float, t: float) -> Triple:
    return with_betas(w, gradient, m, v, t, BETA1, BETA2)


def with_betas(
    w: float, gradient: float, m: float, v: float, t: float, beta1: float, beta2: float
) -> Triple:
    """A step of the engine's Adam."""
    parameter = Parameter(w)
    parameter.grad = gradient
    adam = Adam([parameter], RATE, beta1, beta2, EPSILON)
    adam.steps, adam.momentum, adam.squares = int(t) - 1, [m], [v]
    adam.step()
    return parameter.data, adam.momentum[0], adam.squares[0]


def rearranged(w: float, gradient: float, m: float, v: float, t: float) -> Triple:
    """The form of Kingma and Ba in which the rate takes the corrections in."""
    _, m, v = _step_of_the_engine(w, gradient, m, v, t)
    rate = RATE * (1 - BETA2**t) ** 0.5 / (1 - BETA1**t)
    return w - rate * m / (v**0.5 + EPSILON), m, v


def _triple(answer: Any) -> Finding | None:
    if isinstance(answer, list | tuple) and len(answer) == 3:
        wrong = next((found for member in answer if (found := number(member))), None)
        return Finding(wrong.kind, wrong.words) if wrong else None
    if isinstance(answer, float):
        return Finding(
            "w alone",
            f"it gives {number_text(answer)} alone. The next step needs m and v too: return w, m, "
            "v.",
        )
    return Finding("type", f"it gives {in_words(answer)}, and should give w, m and v.")


def _step_case(words: str, *inputs: float) -> Case:
    return Case(words, lambda: (*inputs[:-1], int(inputs[-1])))


# 11.4


def first_step(name: str, gradient: float) -> float:
    """How far a first step goes.

    Args:
        name: of the optimizer.
        gradient: what the parameter holds.

    >>> first_step("gradient descent", 3.0) == 3 * first_step("gradient descent", 1.0)
    True
    """
    w = Parameter(0.0)
    w.grad = gradient
    if name == "Adam":
        Adam([w], RATE).step()
    elif name == "momentum":
        w.grad = running_means([gradient], BETA1)[0]
        SGD([w], RATE).step()
    else:
        SGD([w], RATE).step()
    return abs(w.data)


OPTIMIZERS = ("gradient descent", "momentum", "Adam")
SLIPS = {
    "gradient descent": """
unchanged | 1.0
    The gradients have grown, and the step is the rate times them.""",
    "momentum": """
unchanged | 1.0
    A mean of larger gradients is larger. Nothing divides it here.""",
    "Adam": """
scale forgotten | LARGER
    {} is how much the momentum grows. It is divided by something that has grown too.""",
}
LENGTHS = {
    name: f"""
= first_step({name!r}, LARGER * GRADIENT) / first_step({name!r}, GRADIENT){slip}
squared | LARGER**2
    Something grows as the square, but not the step.
upside down | 1 / LARGER
    Upside down: the step does not get shorter.
root | LARGER**0.5
    A root of something that has grown as the square: how has that grown?
"""
    for name, slip in SLIPS.items()
}


# 11.5

BROKEN = """\
def train(loss_of, parameters, rate, steps):
    t, m, v = 0, [0.0] * len(parameters), [0.0] * len(parameters)
    for _ in range(steps):
        loss_of(*parameters).backward()
        for i, p in enumerate(parameters):
            t += 1
            m[i] = 0.9 * m[i] + 0.1 * p.grad
            v[i] = 0.999 * v[i] + 0.001 * p.grad**2
            scale = (v[i] / (1 - 0.999**t)) ** 0.5 + 1e-8
            p.data -= rate * m[i] / (1 - 0.9**t) / scale
        zero_grad(parameters)
"""
Train = Callable[[Callable[..., Value], list[Parameter], float, int], None]


def moved(line: int, after: int) -> str:
    """The function of 11.5 with one line moved.

    Args:
        line: its number, from 1.
        after: the number of the line that it then follows, and like which it is indented.

    >>> moved(6, 5) == BROKEN
    True
    """
    lines = BROKEN.splitlines()
    before = lines[after - 1]
    indent = len(before) - len(before.lstrip()) + 4 * before.endswith(":")
    lines.insert(after, " " * indent + lines[line - 1].lstrip())
    del lines[line - 1 if line <= after else line]
    return "\n".join([*lines, ""])


def made(source: str) -> Train:
    """The function that a source defines.

    Args:
        source: of the function of 11.5.

    Raises:
        SyntaxError: that is no Python.
    """
    variables: dict[str, Any] = {"zero_grad": zero_grad}
    exec(compile(source, "train", "exec"), variables)
    function: Train = variables["train"]
    return function


def bowl(*parameters: Value) -> Value:
    """A loss for any number of parameters.

    Args:
        *parameters: the first counts once, the second twice, and so on.
    """
    return sum(((p - 1) ** 2 * k for k, p in enumerate(parameters, start=2)), Value(0.0))


def trained(train: Train | None, count: int, steps: int = 4) -> list[float]:
    """Where some parameters get to.

    Args:
        train: moves them; None for the engine's Adam.
        count: how many parameters.
        steps: how many steps.
    """
    parameters = [Parameter(3.0 - k) for k in range(count)]
    if train is not None:
        train(bowl, parameters, RATE, steps)
    else:
        adam = Adam(parameters, RATE)
        for _ in range(steps):
            adam.zero_grad()
            bowl(*parameters).backward()
            adam.step()
    return [parameter.data for parameter in parameters]


def _judge_repair(answer: dict[str, float]) -> Finding | None:
    line, after, count = answer["line"], answer["after"], len(BROKEN.splitlines())
    if not {line, after} <= set(range(1, count + 1)):
        return Finding("no line", f"The lines have the numbers 1 to {count}.")
    if after == line or moved(int(line), int(after)) == BROKEN:
        return Finding("not moved", "There the line stands already.")
    try:
        function = made(moved(int(line), int(after)))
        alone, together = trained(function, 1), trained(function, 3)
    except SyntaxError:
        return Finding("unreadable", "Python cannot read the function with this line moved.")
    except Exception as error:  # noqa: BLE001 (a line in the wrong place may raise anything)
        return Finding("stops", f"Moved so, the function stops with {type(error).__name__}.")
    if same(alone, trained(None, 1)) and same(together, trained(None, 3)):
        return None
    if same(together, trained(made(BROKEN), 3)):
        return Finding("nothing changed", "Moved so, the function does just what it did before.")
    if same(alone, trained(None, 1)):
        return Finding(
            "one parameter",
            "Moved so, it is right for one parameter alone, as before, and not for several.",
        )
    return Finding(
        "worse", "Moved so, it is wrong even for a single parameter, for which it was right."
    )


EXERCISES = (
    AnswerExercise(
        name="11.1",
        title="A running mean by hand",
        shape=numbers("m", "corrected"),
        judge=numbers_by(
            globals(),
            m="""
= running_means(GRADIENTS, BETA1)[-1]
exchanged | running_means(GRADIENTS, 1 - BETA1)[-1]
    The two parts are exchanged: the mean keeps most of itself.
plain mean | sum(GRADIENTS) / len(GRADIENTS)
    {} is the plain mean, in which all gradients count alike.
one too few | running_means(GRADIENTS[:-1], BETA1)[-1]
    There is one gradient more to take in.
other start | running_means(GRADIENTS[1:], BETA1, start=GRADIENTS[0])[-1]
    {} is a mean that began with the first gradient. This one begins at zero.
corrected | corrected_means(GRADIENTS, BETA1)[-1]
    {} is corrected already.
""",
            corrected="""
= corrected_means(GRADIENTS, BETA1)[-1]
not corrected | running_means(GRADIENTS, BETA1)[-1]
    {} is the mean before the correction.
multiplied | running_means(GRADIENTS, BETA1)[-1] * (1 - BETA1**len(GRADIENTS))
    The mean is too small: divide, to enlarge it.
other part | running_means(GRADIENTS, BETA1)[-1] / BETA1**len(GRADIENTS)
    {} comes from a division by the part of the zero at the start. The rest is wanted.
first step | running_means(GRADIENTS, BETA1)[-1] / (1 - BETA1)
    {} is the correction of the first step. How many gradients came in?
one too few | running_means(GRADIENTS, BETA1)[-1] / (1 - BETA1 ** (len(GRADIENTS) - 1))
    {} is the correction of the step before.
times for power | running_means(GRADIENTS, BETA1)[-1] / (1 - BETA1 * len(GRADIENTS))
    The part of the start shrinks by a factor in every step: that is a power.
""",
        ),
        right="The correction takes the zero of the start out of the mean.",
        hints=(
            "The mean begins at 0. In each step it keeps 0.9 of itself and takes in 0.1 of the "
            "gradient.",
            "There are three gradients, so three lines like those of the chapter.",
            "Of the mean, 0.9 ** 3 comes from the start. Divide by the rest.",
        ),
    ),
    FunctionExercise(
        name="11.2",
        title="Write the corrected means",
        cases=(
            _gradients_case(0.9, 3.0, -3.0, 3.0, -3.0),
            _gradients_case(0.9, -0.3, -0.3, -0.3),
            _gradients_case(0.5, 2.0, -1.0, 4.0),
            _gradients_case(0.99, 7.0),
        ),
        reference=corrected_means,
        shape=_list_of_means,
        solution="""
def corrected_means(gradients, beta):
    \"\"\"The corrected running mean after each gradient.\"\"\"
    m, means = 0.0, []
    for t, gradient in enumerate(gradients, start=1):
        m = beta * m + (1 - beta) * gradient
        means.append(m / (1 - beta**t))
    return means
""",
        mistakes="""
not corrected | m / (1 - beta**t) -> m
    the means are not corrected.
exchanged | = lambda gradients, beta: solution(gradients, 1 - beta)
    beta and 1 - beta have changed places.
counted from zero | , start=1 ->
    in the first step, t is one. Does your t begin at zero?
correction kept | means.append(m / (1 - beta**t)) -> m /= 1 - beta**t; means.append(m)
    the corrected mean goes into the next step. Correct a copy; the running mean itself goes on
    uncorrected.
same correction | beta**t -> beta
    each step is corrected like the first one. The correction depends on t.
multiplied | m / (1 -> m * (1
    it multiplies by the part that comes from gradients. Divide by it.
plain mean | beta * m + (1 - beta) * gradient -> m + gradient | m / (1 - beta**t) -> m / t
    these are plain means, in which all gradients count alike.
other start | means = 0.0, -> means = gradients[0],
other start | = lambda gradients, beta: running_means(gradients, beta, start=gradients[0])
    the mean begins with the first gradient. This one begins at 0, and the correction makes up for
    it.
times for power | beta**t -> beta * t
    it takes beta times t. The part of the start shrinks by beta in every step: that is a power,
    beta**t.
beta typed in | = lambda gradients, beta: solution(gradients, BETA1)
beta typed in | beta**t -> 0.9**t
beta typed in | beta * m + (1 - beta) -> 0.9 * m + 0.1
    it works with 0.9, whatever beta is. Write beta in its place.
""",
        given=globals(),
        right="Corrected from the first step on, without forgetting what came before.",
        hints=(
            "Begin with m = 0.0 and an empty list, and go through the gradients.",
            "enumerate(gradients, start=1) gives you t and the gradient together.",
            "In each round: make the new m, then append m / (1 - beta**t). m itself stays as it "
            "is.",
        ),
    ),
    FunctionExercise(
        name="11.3",
        title="Write a step of Adam",
        cases=(
            _step_case("the first step, gradient 4", 3.0, 4.0, 0.0, 0.0, 1),
            _step_case("the second step, gradient -2", 2.9, -2.0, 0.4, 0.016, 2),
            _step_case("nothing but zeros", 1.0, 0.0, 0.0, 0.0, 1),
            _step_case("a tiny gradient", 0.5, 1e-4, 0.0, 0.0, 1),
            _step_case("step 50, gradient 0", 1.0, 0.0, 0.05, 0.001, 50),
        ),
        reference=_step_of_the_engine,
        also=(rearranged,),
        shape=_triple,
        solution="""
def adam_step(w, gradient, m, v, t):
    \"\"\"The new w, m and v after step t.\"\"\"
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient**2
    full_m, full_v = m / (1 - 0.9**t), v / (1 - 0.999**t)
    return w - 0.1 * full_m / (full_v**0.5 + 1e-8), m, v
""",
        mistakes="""
epsilon inside the root | full_v**0.5 + 1e-8 -> (full_v + 1e-8)**0.5
    where gradients are tiny, the step is too short. Is epsilon inside the root? It is added to the
    root.
no epsilon | + 1e-8 ->
    zero divided by zero. What is added below the line?
not squared | gradient**2 -> gradient
    v is a mean of the gradients. It should be one of their squares.
momentum squared | gradient**2 -> m**2
    v takes in the square of the momentum. It should be the square of the gradient.
no root | full_v**0.5 -> full_v
    the momentum is divided by a mean of squares. The root of it is missing.
nothing corrected | / (1 - 0.9**t) -> | / (1 - 0.999**t) ->
    the two means are not corrected.
m not corrected | / (1 - 0.9**t) ->
    m is not corrected, v is.
v not corrected | / (1 - 0.999**t) ->
    v is not corrected, m is.
one step late | = lambda w, gradient, m, v, t: solution(w, gradient, m, v, t - 1)
    it corrects for one step less than were made. t is one in the first step already.
corrected handed back | 1e-8), m, v -> 1e-8), full_m, full_v
    it gives back the corrected m and v. The next step goes on with those that are not.
uphill | w - 0.1 -> w + 0.1
    w moves to where the loss grows.
rate forgotten | w - 0.1 * -> w -
    the learning rate has no part in it.
no momentum | 0.1 * full_m -> 0.1 * gradient
    w moves by the last gradient, divided by the scale. It should be the momentum.
betas exchanged | 0.9 * m + 0.1 -> 0.999 * m + 0.001 | 0.999 * v + 0.001 -> 0.9 * v + 0.1
betas exchanged | = lambda *inputs: with_betas(*inputs, BETA2, BETA1)
    beta1 belongs to m and beta2 to v.
parts exchanged | 0.9 * m + 0.1 -> 0.1 * m + 0.9 | 0.999 * v + 0.001 -> 0.001 * v + 0.999
    a running mean keeps most of itself, and takes in the smaller part.
root first | v / (1 - 0.999**t) -> (v**0.5 / (1 - 0.999**t))**2
    the root of v is taken, and then corrected. Correct v, and then take the root.
order | = lambda *inputs: solution(*inputs)[1:] + solution(*inputs)[:1]
order | = lambda *inputs: solution(*inputs)[:1] + solution(*inputs)[:0:-1]
    the three numbers are right, in another order. Return w, m, v.
""",
        given=globals(),
        forbidden={"engine.optim.Adam"},
        right="Two means, two corrections, one division: that is all of Adam.",
        hints=(
            "First the new m and the new v, as in the chapter. v takes in gradient**2.",
            "Then two other variables for the corrected ones: m / (1 - 0.9**t), and v likewise "
            "with its own beta.",
            "Last: w minus rate times corrected m, divided by the root of corrected v plus "
            "epsilon. Mind the parentheses; ** 0.5 is the root.",
        ),
    ),
    AnswerExercise(
        name="11.4",
        title="Ten times the loss",
        shape=numbers(*OPTIMIZERS),
        judge=numbers_by(globals(), **LENGTHS),
        right="Adam divides by a size that has grown as much, so it does not notice.",
        hints=(
            "All gradients get ten times as large. What is each of the three steps made of?",
            "v takes in squares. How much larger is a square, and how much larger is its root?",
            "Try it: two parameters, one with the gradient 3 and one with 30, and a step of each.",
        ),
    ),
    AnswerExercise(
        name="11.5",
        title="Find the planted bug",
        shape=fields(line=number, after=number),
        judge=_judge_repair,
        right="t counts steps, not parameters. With a single one nobody could see it.",
        hints=(
            "Go through the function on paper for two parameters and two steps. What is each "
            "variable when the second parameter has its turn?",
            "One line is run once for each parameter, and should be run once for each step.",
            "The correction of the second parameter is that of a later step. Who counts the steps?",
        ),
    ),
)
