"""Optimizers: the formulas, what they refuse, and what an interrupt leaves."""

import numpy as np
import pytest

from engine import Parameter, Tape, Value
from engine.moons import two_moons
from engine.nn import MLP
from engine.optim import SGD, Adam, zero_grad

GRADIENTS = (4.0, -2.0, 1.0, 0.0, 1e-9, -300.0)


class Holder:
    """Arrays in the place of single numbers."""

    def __init__(self, data):
        self.data = np.array(data)
        self.grad = np.zeros_like(self.data)


class Stubborn(Parameter):
    """A parameter that cannot be moved: something interrupts."""

    __slots__ = ("_number",)

    @property
    def data(self):
        return self._number

    @data.setter
    def data(self, number):
        if hasattr(self, "_number") and number != self._number:
            raise KeyboardInterrupt
        self._number = number


def by_the_paper(gradients, start, rate, beta1, beta2, epsilon):
    """Algorithm 1 of Kingma and Ba, with every mean written as the sum that it is."""
    w, places = start, []
    for t in range(1, len(gradients) + 1):
        seen = gradients[:t]
        m = (1 - beta1) * sum(beta1 ** (t - 1 - k) * g for k, g in enumerate(seen))
        v = (1 - beta2) * sum(beta2 ** (t - 1 - k) * g**2 for k, g in enumerate(seen))
        w -= rate * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)) ** 0.5 + epsilon)
        places.append(w)
    return places


@pytest.mark.parametrize(("beta1", "beta2"), [(0.9, 0.999), (0.85, 0.99), (0.0, 0.0)])
def test_adam_goes_where_the_paper_says(beta1: float, beta2: float) -> None:
    w = Parameter(3.0)
    adam = Adam([w], rate=0.1, beta1=beta1, beta2=beta2)
    expected = by_the_paper(GRADIENTS, 3.0, 0.1, beta1, beta2, 1e-8)
    for gradient, place in zip(GRADIENTS, expected, strict=True):
        w.grad = gradient
        adam.step()
        assert w.data == pytest.approx(place, rel=1e-12)


@pytest.mark.parametrize("make", [lambda p: SGD(p, rate=0.1), lambda p: Adam(p, rate=0.1)])
def test_an_array_moves_as_its_numbers_would(make) -> None:
    numbers = [Parameter(float(k)) for k in range(5)]
    array = Holder([float(k) for k in range(5)])
    one_by_one, together = make(numbers), make([array])
    for step in range(4):
        for place, number in enumerate(numbers):
            number.grad = array.grad[place] = (place - 2.0) * 3.0**step
        one_by_one.step()
        together.step()
    assert [number.data for number in numbers] == array.data.tolist()


def test_gradient_descent_moves_against_the_gradient_by_rate_times_gradient() -> None:
    w = Parameter(1.0)
    w.grad = 4.0
    SGD([w], rate=0.25).step()
    assert w.data == 0.0


@pytest.mark.parametrize("make", [lambda p: SGD(p, rate=1.0), lambda p: Adam(p, rate=1.0)])
def test_a_step_may_have_a_rate_of_its_own(make) -> None:
    w = Parameter(1.0)
    w.grad = 2.0
    optimizer = make([w])
    optimizer.step(rate=0.0)
    assert w.data == 1.0
    optimizer.step(rate=0.5)
    assert w.data < 1.0
    assert optimizer.rate == 1.0


def test_a_parameter_that_never_had_a_gradient_stays_where_it_is() -> None:
    used, unused = Parameter(1.0), Parameter(1.0)
    adam = Adam([used, unused], rate=0.1)
    for _ in range(3):
        adam.zero_grad()
        (used * used).backward()
        adam.step()
    assert unused.data == 1.0
    assert used.data != 1.0


def test_zero_grad_clears_the_parameters_it_was_given_and_no_others() -> None:
    mine, other, x = Parameter(2.0), Parameter(3.0), Value(5.0)
    y = mine * other * x
    y.backward()
    SGD([mine], rate=0.1).zero_grad()
    assert (mine.grad, other.grad, x.grad, y.grad) == (0.0, 10.0, 6.0, 1.0)
    zero_grad([other, x])
    assert (other.grad, x.grad) == (0.0, 0.0)


@pytest.mark.parametrize("make", [lambda p: SGD(p, rate=0.1), lambda p: Adam(p, rate=0.1)])
def test_an_interrupt_leaves_every_parameter_where_it_was(make) -> None:
    first, stubborn, last = Parameter(1.0), Stubborn(1.0), Parameter(1.0)
    for parameter in (first, stubborn, last):
        parameter.grad = 1.0
    optimizer = make([first, stubborn, last])
    before = {name: value for name, value in vars(optimizer).items() if name != "parameters"}
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert (first.data, stubborn.data, last.data) == (1.0, 1.0, 1.0)
    assert {name: getattr(optimizer, name) for name in before} == before


@pytest.mark.parametrize("interrupted", ["steps", "momentum", "squares"])
def test_an_interrupt_after_the_last_parameter_leaves_everything_as_it_was(interrupted) -> None:
    class Interrupted(Adam):
        """Once it stands, something interrupts when one of its attributes was set."""

        interrupts = False

        def __setattr__(self, name, thing):
            super().__setattr__(name, thing)
            if self.interrupts and name == interrupted:
                type(self).interrupts = False
                raise KeyboardInterrupt

    w = Parameter(1.0)
    w.grad = 1.0
    adam = Interrupted([w], rate=0.1)
    before = dict(vars(adam))
    Interrupted.interrupts = True
    with pytest.raises(KeyboardInterrupt):
        adam.step()
    assert (w.data, vars(adam)) == (1.0, before)


@pytest.mark.parametrize("make", [SGD, Adam])
@pytest.mark.parametrize("which", ["data", "grad"])
@pytest.mark.parametrize(
    ("held", "error", "told"),
    [
        (None, TypeError, "None"),
        ("a", TypeError, "'a'"),
        (10**400, OverflowError, "1000"),
    ],
    ids=["None", "text", "too large"],
)
def test_what_is_no_number_for_a_step_is_named_and_nothing_moves(
    make, which: str, held: object, error: type[Exception], told: str
) -> None:
    w, b = Parameter(1.0, "w"), Parameter(2.0, "b")
    w.grad = b.grad = 1.0
    setattr(b, which, held)
    optimizer = make([w, b], rate=0.1)
    name = {"data": "number", "grad": "gradient"}[which]
    with pytest.raises(error, match=rf"nothing was moved: the {name} of .*{told}.*label='b'"):
        optimizer.step()
    assert (w.data, getattr(b, which)) == (1.0, held)


def test_adam_shows_the_two_moments_it_keeps() -> None:
    w, b = Parameter(1.0), Parameter(2.0)
    adam = Adam([w, b], beta1=0.75, beta2=0.5)
    w.grad, b.grad = 4.0, -8.0
    adam.step()
    assert (adam.momentum, adam.squares) == ([1.0, -2.0], [8.0, 32.0])
    w.grad, b.grad = 0.0, 8.0
    adam.step()
    assert (adam.momentum, adam.squares) == ([0.75, 0.5], [4.0, 48.0])


def test_an_interrupted_training_goes_on_as_if_nothing_had_happened() -> None:
    def losses(interrupted_at: int | None) -> list[float]:
        points, labels = two_moons(12, seed=1)
        model = MLP(2, (4, 1), seed=1)
        adam = Adam(model.parameters(), rate=0.05)
        found: list[float] = []
        while len(found) < 8:
            try:
                with Tape() as tape:
                    misses = [
                        (1 - model(p)[0] * label).relu()
                        for p, label in zip(points, labels, strict=True)
                    ]
                    loss = sum(misses[1:], misses[0])
                    tape.backward(loss)
                    if len(found) == interrupted_at:
                        interrupted_at = None
                        raise KeyboardInterrupt
                adam.step()
                found.append(loss.data)
            except KeyboardInterrupt:
                pass
            adam.zero_grad()
        return found

    assert losses(3) == losses(None)
    assert losses(None)[-1] < losses(None)[0]


@pytest.mark.parametrize("make", [lambda p: SGD(p, rate=0.1), Adam])
@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ([], ValueError, "at least one parameter"),
        ([3.0], TypeError, "data and a gradient, got 3.0"),
        ([Value(2.0) * 3], ValueError, "was computed, so moving it changes nothing"),
        ([Parameter(1.0)] * 2, ValueError, "stands in the list twice"),
    ],
)
def test_what_cannot_be_moved_is_refused(make, parameters, error, words: str) -> None:
    with pytest.raises(error, match=words):
        make(parameters)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: SGD(p, rate=0.0), "learning rate is above 0, got 0"),
        (lambda p: SGD(p, rate=-0.1), "got -0.1"),
        (lambda p: SGD(p, rate=float("nan")), "got nan"),
        (lambda p: Adam(p, rate=float("inf")), "got inf"),
        (lambda p: Adam(p, beta1=1.0), "beta1 is at least 0 and below 1, got 1"),
        (lambda p: Adam(p, beta2=-0.5), "beta2 is at least 0 and below 1, got -0.5"),
        (lambda p: Adam(p, epsilon=0.0), "epsilon is above 0"),
        (lambda p: SGD(p, rate=0.1).step(rate=-1.0), "0 or larger, got -1"),
        (lambda p: Adam(p, rate=0.1).step(rate=float("nan")), "got nan"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make([Parameter(1.0)])


def single(number, gradient):
    parameter = Parameter(number, "w")
    parameter.grad = gradient
    return parameter


def several(number, gradient):
    holder = Holder([1.0, number])
    holder.grad = np.array([1.0, gradient])
    return holder


@pytest.mark.parametrize("kind", [single, several])
@pytest.mark.parametrize(
    ("make", "number", "gradient", "error", "words"),
    [
        (lambda p: SGD(p, rate=10.0), 1e308, -1e308, OverflowError, "too far for a float"),
        (lambda p: SGD(p, rate=0.1), 1.0, float("nan"), ValueError, "a gradient of .* is infinite"),
        (lambda p: SGD(p, rate=0.1), 1.0, float("inf"), ValueError, "a gradient of .* or NaN"),
        (Adam, 1.0, 1e160, OverflowError, "its square is too large"),
        (lambda p: Adam(p, rate=1e308), 1.7e308, -1.0, OverflowError, "too far for a float"),
        (Adam, 1.0, float("nan"), ValueError, "a gradient of .* or NaN"),
    ],
)
def test_a_step_out_of_the_floats_moves_nothing(
    kind, make, number, gradient, error, words: str
) -> None:
    well, ill = single(1.0, 1.0), kind(number, gradient)
    optimizer = make([well, ill])
    before = {name: value for name, value in vars(optimizer).items() if name != "parameters"}
    kept = np.array(ill.data)
    with np.errstate(all="ignore"), pytest.raises(error, match=words):
        optimizer.step()
    assert well.data == 1.0
    assert np.array_equal(ill.data, kept, equal_nan=True)
    assert {name: getattr(optimizer, name) for name in before} == before


def test_a_number_that_is_none_is_told_from_its_gradient() -> None:
    w = single(1.0, 1.0)
    w.data = float("nan")
    with pytest.raises(ValueError, match=r"a number of .* is infinite or NaN"):
        SGD([w], rate=0.1).step()


@pytest.mark.parametrize("use", [zero_grad, Adam, lambda p: SGD(p, rate=0.1)])
def test_what_is_no_list_is_refused_in_words(use) -> None:
    with pytest.raises(TypeError, match=r"come in a list.*model\.parameters\(\)"):
        use(MLP(2, (1,)))
    with pytest.raises(TypeError, match=r"come in a list.*\[w\]"):
        use(Parameter(1.0))


def test_a_rate_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="the learning rate needs a real number"):
        SGD([Parameter(1.0)], rate="0.1")


def test_a_whole_number_as_a_gradient_is_told_as_the_same_float_would_be() -> None:
    said = []
    for gradient in (1e200, 10**200):
        w = Parameter(2.0, "w")
        w.grad = gradient
        with pytest.raises(OverflowError, match="its square is too large for a float") as problem:
            Adam([w], rate=0.1).step()
        said.append(str(problem.value).partition(" of ")[2])
    assert said[0] == said[1]
