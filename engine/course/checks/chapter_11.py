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
    Suspect,
    WrongNumber,
    among,
    fields,
    number,
    numbers,
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


def _slip(number_: float, kind: str, words: str) -> WrongNumber:
    """A known mistake; two braces in its words stand for the number it leads to."""
    return WrongNumber(number_, kind, words.format(number_text(number_)))


def _judge_means(answer: dict[str, float]) -> Finding | None:
    mean, count = running_means(GRADIENTS, BETA1)[-1], len(GRADIENTS)
    kept_part = BETA1**count
    found = among(
        answer["m"],
        mean,
        _slip(
            running_means(GRADIENTS, 1 - BETA1)[-1],
            "exchanged",
            "The two parts are exchanged: the mean keeps most of itself.",
        ),
        _slip(
            sum(GRADIENTS) / count,
            "plain mean",
            "{} is the plain mean, in which all gradients count alike.",
        ),
        _slip(
            running_means(GRADIENTS[:-1], BETA1)[-1],
            "one too few",
            "There is one gradient more to take in.",
        ),
        _slip(
            running_means(GRADIENTS[1:], BETA1, start=GRADIENTS[0])[-1],
            "other start",
            "{} is a mean that began with the first gradient. This one begins at zero.",
        ),
        _slip(corrected_means(GRADIENTS, BETA1)[-1], "corrected", "{} is corrected already."),
        name="m",
    )
    return found or among(
        answer["corrected"],
        corrected_means(GRADIENTS, BETA1)[-1],
        _slip(mean, "not corrected", "{} is the mean before the correction."),
        _slip(
            mean * (1 - kept_part), "multiplied", "The mean is too small: divide, to enlarge it."
        ),
        _slip(
            mean / kept_part,
            "other part",
            "{} comes from a division by the part of the zero at the start. The rest is wanted.",
        ),
        _slip(
            mean / (1 - BETA1),
            "first step",
            "{} is the correction of the first step. How many gradients came in?",
        ),
        _slip(
            mean / (1 - BETA1 ** (count - 1)),
            "one too few",
            "{} is the correction of the step before.",
        ),
        _slip(
            mean / (1 - BETA1 * count),
            "times for power",
            "The part of the start shrinks by a factor in every step: that is a power.",
        ),
        name="corrected",
    )


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


def _correction_kept(gradients: Sequence[float], beta: float) -> list[float]:
    means, mean = [], 0.0
    for t, gradient in enumerate(gradients, start=1):
        mean = (beta * mean + (1 - beta) * gradient) / (1 - beta**t)
        means.append(mean)
    return means


def _begun_with_the_first(gradients: Sequence[float], beta: float) -> list[float]:
    return running_means(gradients, beta, start=gradients[0])


def _corrected_by(
    means: Callable[[Sequence[float], float], list[float]],
    part: Callable[[float, int], float] = lambda beta, t: 1 - beta**t,
) -> Callable[[Sequence[float], float], list[float]]:
    """Means, each divided by what is taken for the part of it that comes from gradients."""

    def corrected(gradients: Sequence[float], beta: float) -> list[float]:
        return [mean / part(beta, t) for t, mean in enumerate(means(gradients, beta), start=1)]

    return corrected


MEAN_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (running_means, "not corrected", "the means are not corrected."),
        (
            lambda gradients, beta: corrected_means(gradients, 1 - beta),
            "exchanged",
            "beta and 1 - beta have changed places.",
        ),
        (
            lambda gradients, beta: [
                mean / (1 - beta**t) for t, mean in enumerate(running_means(gradients, beta))
            ],
            "counted from zero",
            "in the first step, t is one. Does your t begin at zero?",
        ),
        (
            _correction_kept,
            "correction kept",
            "the corrected mean goes into the next step. Correct a copy; the running mean itself "
            "goes on uncorrected.",
        ),
        (
            lambda gradients, beta: [mean / (1 - beta) for mean in running_means(gradients, beta)],
            "same correction",
            "each step is corrected like the first one. The correction depends on t.",
        ),
        (
            lambda gradients, beta: [
                mean * (1 - beta**t)
                for t, mean in enumerate(running_means(gradients, beta), start=1)
            ],
            "multiplied",
            "it multiplies by the part that comes from gradients. Divide by it.",
        ),
        (
            lambda gradients, beta: [sum(gradients[:t]) / t for t in range(1, len(gradients) + 1)],
            "plain mean",
            "these are plain means, in which all gradients count alike.",
        ),
        *(
            (
                function,
                "other start",
                "the mean begins with the first gradient. This one begins at 0, and the correction "
                "makes up for it.",
            )
            for function in (_begun_with_the_first, _corrected_by(_begun_with_the_first))
        ),
        (
            _corrected_by(running_means, lambda beta, t: 1 - beta * t),
            "times for power",
            "it takes beta times t. The part of the start shrinks by beta in every step: that is a "
            "power, beta**t.",
        ),
        *(
            (
                function,
                "beta typed in",
                "it works with 0.9, whatever beta is. Write beta in its place.",
            )
            for function in (
                lambda gradients, _beta: corrected_means(gradients, BETA1),
                _corrected_by(running_means, lambda _beta, t: 1 - BETA1**t),
                _corrected_by(lambda gradients, _beta: running_means(gradients, BETA1)),
            )
        ),
    )
)


def _gradients_case(beta: float, *gradients: float) -> Case:
    listed = ", ".join(map(number_text, gradients))
    return Case(f"the gradients {listed} and beta {beta}", lambda: (list(gradients), beta))


# 11.3


def _step_of_the_engine(w: float, gradient: float, m: float, v: float, t: float) -> Triple:
    parameter = Parameter(w)
    parameter.grad = gradient
    adam = Adam([parameter], RATE, BETA1, BETA2, EPSILON)
    adam.steps, adam.momentum, adam.squares = int(t) - 1, [m], [v]
    adam.step()
    return parameter.data, adam.momentum[0], adam.squares[0]


def _step_with(
    *,
    means: Callable[[float, float, float], tuple[float, float]] | None = None,
    correct_m: bool = True,
    correct_v: bool = True,
    late: int = 0,
    scale: Callable[[float], float] = lambda v: v**0.5 + EPSILON,
    rate: float = RATE,
    gradient_itself: bool = False,
    corrected_back: bool = False,
) -> Callable[[float, float, float, float, float], Triple]:
    """A step in which something may be different."""

    def step(w: float, gradient: float, m: float, v: float, t: float) -> Triple:
        m, v = (means or _mixed())(gradient, m, v)
        full_m = m / (1 - BETA1 ** (t - late)) if correct_m else m
        full_v = v / (1 - BETA2 ** (t - late)) if correct_v else v
        w -= rate * (gradient if gradient_itself else full_m) / scale(full_v)
        return (w, full_m, full_v) if corrected_back else (w, m, v)

    return step


def _mixed(
    beta1: float = BETA1,
    beta2: float = BETA2,
    square: Callable[[float, float], float] = lambda gradient, _m: gradient**2,
) -> Callable[[float, float, float], tuple[float, float]]:
    def means(gradient: float, m: float, v: float) -> tuple[float, float]:
        m = beta1 * m + (1 - beta1) * gradient
        return m, beta2 * v + (1 - beta2) * square(gradient, m)

    return means


def _root_first(w: float, gradient: float, m: float, v: float, t: float) -> Triple:
    m, v = _mixed()(gradient, m, v)
    scale = v**0.5 / (1 - BETA2**t) + EPSILON
    return w - RATE * m / (1 - BETA1**t) / scale, m, v


def _m_first(*inputs: float) -> Triple:
    w, m, v = _step_with()(*inputs)
    return m, v, w


def _v_before_m(*inputs: float) -> Triple:
    w, m, v = _step_with()(*inputs)
    return w, v, m


STEP_SUSPECTS = tuple(
    Suspect(function, kind, f"For {{case}} it gives {{got}}: {words}")
    for function, kind, words in (
        (
            _step_with(scale=lambda v: (v + EPSILON) ** 0.5),
            "epsilon inside the root",
            "where gradients are tiny, the step is too short. Is epsilon inside the root? It is "
            "added to the root.",
        ),
        (
            _step_with(scale=lambda v: v**0.5),
            "no epsilon",
            "zero divided by zero. What is added below the line?",
        ),
        (
            _step_with(means=_mixed(square=lambda gradient, _m: gradient)),
            "not squared",
            "v is a mean of the gradients. It should be one of their squares.",
        ),
        (
            _step_with(means=_mixed(square=lambda _gradient, m: m**2)),
            "momentum squared",
            "v takes in the square of the momentum. It should be the square of the gradient.",
        ),
        (
            _step_with(scale=lambda v: v + EPSILON),
            "no root",
            "the momentum is divided by a mean of squares. The root of it is missing.",
        ),
        (
            _step_with(correct_m=False, correct_v=False),
            "nothing corrected",
            "the two means are not corrected.",
        ),
        (_step_with(correct_m=False), "m not corrected", "m is not corrected, v is."),
        (_step_with(correct_v=False), "v not corrected", "v is not corrected, m is."),
        (
            _step_with(late=1),
            "one step late",
            "it corrects for one step less than were made. t is one in the first step already.",
        ),
        (
            _step_with(corrected_back=True),
            "corrected handed back",
            "it gives back the corrected m and v. The next step goes on with those that are not.",
        ),
        (_step_with(rate=-RATE), "uphill", "w moves to where the loss grows."),
        (_step_with(rate=1.0), "rate forgotten", "the learning rate has no part in it."),
        (
            _step_with(gradient_itself=True),
            "no momentum",
            "w moves by the last gradient, divided by the scale. It should be the momentum.",
        ),
        (
            _step_with(means=_mixed(BETA2, BETA1)),
            "betas exchanged",
            "beta1 belongs to m and beta2 to v.",
        ),
        (
            _step_with(means=_mixed(1 - BETA1, 1 - BETA2)),
            "parts exchanged",
            "a running mean keeps most of itself, and takes in the smaller part.",
        ),
        (
            _root_first,
            "root first",
            "the root of v is taken, and then corrected. Correct v, and then take the root.",
        ),
        *(
            (function, "order", "the three numbers are right, in another order. Return w, m, v.")
            for function in (_m_first, _v_before_m)
        ),
    )
)


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
SQUARED = _slip(LARGER**2, "squared", "Something grows as the square, but not the step.")
UPSIDE_DOWN = _slip(1 / LARGER, "upside down", "Upside down: the step does not get shorter.")


def _judge_larger_loss(answer: dict[str, float]) -> Finding | None:
    slips = {
        "gradient descent": _slip(
            1.0, "unchanged", "The gradients have grown, and the step is the rate times them."
        ),
        "momentum": _slip(
            1.0, "unchanged", "A mean of larger gradients is larger. Nothing divides it here."
        ),
        "Adam": _slip(
            LARGER,
            "scale forgotten",
            "{} is how much the momentum grows. It is divided by something that has grown too.",
        ),
    }
    root = _slip(
        LARGER**0.5, "root", "A root of something that has grown as the square: how has that grown?"
    )
    for name in OPTIMIZERS:
        right = first_step(name, GRADIENT * LARGER) / first_step(name, GRADIENT)
        found = among(answer[name], right, slips[name], SQUARED, UPSIDE_DOWN, root, name=name)
        if found:
            return found
    return None


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
        judge=_judge_means,
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
        suspects=MEAN_SUSPECTS,
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
        shape=_triple,
        suspects=STEP_SUSPECTS,
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
        judge=_judge_larger_loss,
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
