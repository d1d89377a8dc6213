"""Tapes: what they hold, the same gradients without a sort, and nothing left behind."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from types import FrameType
from typing import Any

import numpy as np
import pytest
from each import each

from engine import Graph, Literal, Parameter, ReleasedError, Tape, Value, draw, scope
from engine.guards import Number


@pytest.fixture(autouse=True)
def collector_is_put_back() -> Iterator[None]:
    """Leave the garbage collector as it was, also when a test fails."""
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


def alive() -> int:
    """Count the nodes that exist, of every kind."""
    return sum(issubclass(type(thing), Number) for thing in gc.get_objects())


def record(w: Parameter, x: Value) -> Value:
    """Calculate something with shared nodes, a literal and every kind of leaf."""
    u = w * x
    return ((u + Literal(1.5, "shift")).tanh() * u + w.exp()) / 2


# -- what a tape holds --------------------------------------------------------------------------


def test_a_tape_holds_the_computed_nodes_in_creation_order_and_nothing_else() -> None:
    w = Parameter(0.5)
    with Tape() as tape:
        x = Value(3.0)
        u = w * x
        v = u + Literal(1.0, "one")
        y = 2 * v - u
        assert tape.nodes[:2] == (u, v)
        assert tape.nodes[-1] is y
        assert [node.op for node in tape.nodes] == ["*", "+", "*", "-"]
        assert len(tape) == 4


def test_nothing_is_recorded_before_and_after_the_block() -> None:
    x = Value(3.0)
    x * 2
    with Tape() as tape:
        assert tape.nodes == ()
    y = x * 2
    y.backward()
    assert (len(tape), tape.nodes, x.grad, type(y)) == (0, (), 2.0, Value)


def test_a_tape_says_what_it_is_doing() -> None:
    tape = Tape()
    assert repr(tape) == "Tape(0 nodes, new)"
    with tape:
        Value(3.0) * 2
        assert repr(tape) == "Tape(1 node, recording)"
        Value(3.0) * 2
        assert repr(tape) == "Tape(2 nodes, recording)"
    assert repr(tape) == "Tape(0 nodes, ended)"


# -- the same gradients -------------------------------------------------------------------------


def test_a_tape_gives_the_gradients_of_the_sort() -> None:
    w, x = Parameter(0.3), Value(-1.2)
    record(w, x).backward()
    expected = (w.grad, x.grad)
    w.grad = x.grad = 0.0
    with Tape() as tape:
        tape.backward(record(w, x))
    assert (w.grad, x.grad) == pytest.approx(expected, rel=1e-12, abs=0.0)


def test_computed_nodes_get_their_gradient_on_a_tape_too() -> None:
    x = Value(3.0)
    with Tape() as tape:
        u = x * x
        v = u * 2
        y = u + v
        tape.backward(y)
        assert (y.grad, v.grad, u.grad, x.grad) == (1.0, 1.0, 3.0, 18.0)


def test_a_second_walk_of_a_tape_doubles_the_leaves_and_restarts_computed_nodes() -> None:
    w, x = Parameter(0.1), Value(0.7)
    with Tape() as tape:
        y = ((w * x).tanh() * w + w.exp()) * 1.1 + w
        tape.backward(y)
        once = (w.grad, x.grad, [node.grad for node in tape.nodes])
        tape.backward(y)
        assert (w.grad, x.grad) == (2 * once[0], 2 * once[1])
        assert [node.grad for node in tape.nodes] == once[2]


def test_gradients_add_up_over_tapes_until_they_are_cleared() -> None:
    w = Parameter(3.0)
    for expected in (6.0, 12.0, 18.0):
        with Tape() as tape:
            tape.backward(w * w)
        assert w.grad == expected
    w.grad = 0.0
    with Tape() as tape:
        tape.backward(w * w)
    assert w.grad == 6.0


def test_the_output_may_stand_anywhere_on_the_tape() -> None:
    x = Value(3.0)
    with Tape() as tape:
        unused = x * 100
        y = x * x
        later = y * 50
        tape.backward(later)
        x.grad = 0.0
        tape.backward(y)
        assert (x.grad, y.grad, unused.grad, later.grad) == (6.0, 1.0, 0.0, 0.0)


def test_both_ways_back_work_inside_the_block() -> None:
    x = Value(3.0)
    with Tape() as tape:
        y = x * x
        tape.backward(y)
        y.backward()
    assert x.grad == 12.0


def test_a_label_given_on_the_tape_leaves_the_node_on_it() -> None:
    x = Value(3.0)
    with Tape() as tape:
        u = x * x
        u.label = "u"
        tape.backward(u * 2)
    assert (x.grad, u.label) == (12.0, "u")


def test_scopes_and_tapes_may_begin_and_end_in_any_nesting() -> None:
    x = Value(3.0)
    with scope("outer"):
        with Tape() as tape:
            with scope("inner"):
                u = x * x
            y = u * 2
            tape.backward(y)
        after = x * 2
    assert (u.scope, y.scope, after.scope, x.grad) == ("outer/inner", "outer", "outer", 12.0)
    with Tape() as tape:
        with scope("outer"):
            u = x * x
        tape.backward(u * 2)
    assert ((x * 2).scope, x.grad) == ("", 24.0)
    (x * 2 + after).backward()


def test_a_scope_may_end_while_a_tape_that_began_in_it_still_records() -> None:
    x = Value(3.0)
    with ExitStack() as stack:
        stack.enter_context(scope("outer"))
        with Tape() as tape:
            u = x * x
            stack.close()
            y = u * 2
            tape.backward(y)
    assert (u.scope, y.scope, x.grad) == ("outer", "", 12.0)


def test_a_scope_that_began_on_a_tape_may_end_after_it() -> None:
    x = Value(3.0)
    with ExitStack() as stack:
        with Tape():
            stack.enter_context(scope("inner"))
        u = x * x
    with Tape() as tape:
        y = x * 2
        tape.backward(y)
    (u + x * 5).backward()
    assert (u.scope, y.scope, x.grad) == ("inner", "", 2.0 + 6.0 + 5.0)


# -- one tape at a time -------------------------------------------------------------------------


def test_a_second_tape_inside_is_refused_and_the_first_goes_on() -> None:
    x = Value(3.0)
    with Tape() as tape:
        u = x * x
        with pytest.raises(RuntimeError, match=r"Tape\(1 node, recording\) is still recording"):
            Tape().__enter__()
        tape.backward(u * 2)
        assert len(tape) == 2
    assert x.grad == 12.0


def test_a_tape_serves_once() -> None:
    with Tape() as tape:
        pass
    with pytest.raises(RuntimeError, match="this tape has been used: make a new Tape"), tape:
        pass
    with Tape() as another:
        assert len(another) == 0


def test_an_output_of_another_recording_is_refused_and_no_gradient_changes() -> None:
    x = Value(3.0)
    before = x * x
    with Tape() as tape:
        y = x * 2
        for foreign in (before, x):
            with pytest.raises(ValueError, match="was not recorded on this tape"):
                tape.backward(foreign)
        assert (x.grad, y.grad, before.grad) == (0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="was not recorded on this tape"):
        Tape().backward(before)


@pytest.mark.parametrize("use", [lambda x, u: x + u, lambda x, u: u + x, lambda x, u: u * 2])
def test_a_node_computed_before_the_tape_is_refused(use: Callable[..., Value]) -> None:
    x = Value(3.0)
    u = x * x
    with Tape() as tape:
        y = use(x, u)
        with pytest.raises(ValueError, match=r"made from Value\(data=9.*computed before the tape"):
            tape.backward(y)
        assert (x.grad, u.grad, y.grad) == (0.0, 0.0, 0.0)
        y.backward()
    assert x.grad > 0.0


# -- the garbage collector ----------------------------------------------------------------------


def test_the_collector_is_paused_in_the_block_and_on_again_after_it() -> None:
    gc.enable()
    with Tape():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_stays_off_if_it_was_off() -> None:
    gc.disable()
    with Tape():
        assert not gc.isenabled()
    assert not gc.isenabled()


@pytest.mark.parametrize("was_on", [True, False])
def test_an_error_in_the_block_ends_the_tape_and_puts_the_collector_back(was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    x = Value(3.0)
    kept = []
    tape = Tape()

    def fail_inside() -> None:
        with tape:
            kept.append(x * 2)
            x / 0

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert gc.isenabled() is was_on
    assert (len(tape), repr(tape)) == (0, "Tape(0 nodes, ended)")
    with pytest.raises(ReleasedError):
        kept[0].backward()
    with Tape() as another:
        another.backward(x * x)
    assert x.grad == 6.0


@contextmanager
def interrupt_at_line(number: int) -> Iterator[None]:
    """Interrupt, as Ctrl+C would, before this line of a function called inside is run."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        nonlocal lines
        lines += event == "line"
        if lines == number and event == "line":
            raise KeyboardInterrupt
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(outer)


@each(product(range(3, 32), [True, False]))
def test_an_interrupt_while_a_tape_ends_puts_everything_back(line: int, was_on: bool) -> None:
    (gc.enable if was_on else gc.disable)()
    x = Value(3.0)
    tape = Tape()
    tape.__enter__()
    y = x
    for _ in range(10):
        y = y * 2
    recorded = tape.nodes
    with pytest.raises(KeyboardInterrupt), interrupt_at_line(line):
        tape.__exit__(None, None, None)
    assert (gc.isenabled(), len(tape), repr(tape)) == (was_on, 0, "Tape(0 nodes, ended)")
    for node in recorded:
        if isinstance(node, Value):
            node.backward()
    with Tape() as another:
        another.backward(x * 2)


@pytest.mark.parametrize("was_on", [True, False])
def test_an_interrupt_while_a_tape_begins_puts_everything_back(
    was_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (gc.enable if was_on else gc.disable)()
    disable = gc.disable

    def interrupted() -> None:
        disable()
        raise KeyboardInterrupt

    monkeypatch.setattr(gc, "disable", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Tape().__enter__()
    monkeypatch.undo()
    assert gc.isenabled() == was_on
    with Tape() as another:
        another.backward(Value(3.0) * 2)


@pytest.mark.parametrize("refused", [Tape.__enter__, lambda tape: tape.backward(3)])
def test_a_refused_call_leaves_the_collector_alone(refused: Callable[[Tape], object]) -> None:
    with Tape() as used:
        pass
    gc.enable()
    with pytest.raises((RuntimeError, TypeError)):
        refused(used)
    assert gc.isenabled()


def with_tape(w: Parameter) -> None:
    with Tape() as tape:
        x = Value(0.5)
        tape.backward(record(w, x))


def without_tape(w: Parameter) -> None:
    record(w, Value(0.5)).backward()


@pytest.mark.parametrize("step", [with_tape, without_tape])
def test_a_step_leaves_nothing_behind_and_nothing_to_collect(
    step: Callable[[Parameter], None],
) -> None:
    w = Parameter(0.3)
    gc.collect()
    gc.disable()
    before = alive()
    step(w)
    assert alive() == before
    assert gc.collect() == 0
    assert w.grad != 0.0


def test_of_a_recording_only_what_somebody_holds_survives_the_block() -> None:
    gc.collect()
    gc.disable()
    before = alive()
    w = Parameter(0.3)
    with Tape() as tape:
        loss = record(w, Value(0.5))
        assert alive() == before + 2 + len(tape)
    assert alive() == before + 2
    assert loss.data > 0.0


def test_a_released_node_does_not_hold_on_to_its_inputs() -> None:
    with Tape():
        x = Value(3.0)
        y = x * x
    assert y not in gc.get_referrers(x)


# -- released nodes -----------------------------------------------------------------------------


@pytest.fixture
def released() -> Any:
    """Return a node whose tape has ended."""
    x = Value(3.0)
    with Tape() as tape:
        y = x * x
        y.label = "y"
        tape.backward(y)
    return y


USES: dict[str, Callable[[Any], object]] = {
    "r + 1": lambda r: r + 1,
    "1 + r": lambda r: 1 + r,
    "0 + r": lambda r: 0 + r,
    "sum([r])": lambda r: sum([r]),
    "r - 1": lambda r: r - 1,
    "1 - r": lambda r: 1 - r,
    "r * 2": lambda r: r * 2,
    "2 * r": lambda r: 2 * r,
    "r / 2": lambda r: r / 2,
    "2 / r": lambda r: 2 / r,
    "r ** 2": lambda r: r**2,
    "2 ** r": lambda r: 2**r,
    "-r": lambda r: -r,
    "+r": lambda r: +r,
    "abs(r)": abs,
    "r % 2": lambda r: r % 2,
    "2 % r": lambda r: 2 % r,
    "r // 2": lambda r: r // 2,
    "2 // r": lambda r: 2 // r,
    "r @ r": lambda r: r @ r,
    "divmod(r, 2)": lambda r: divmod(r, 2),
    "divmod(2, r)": lambda r: divmod(2, r),
    "r + r": lambda r: r + r,
    "numpy * r": lambda r: np.float32(2) * r,
    "literal * r": lambda r: Literal(2.0, "two") * r,
    "value + r": lambda r: Value(2.0) + r,
    "value - r": lambda r: Value(2.0) - r,
    "value * r": lambda r: Value(2.0) * r,
    "value / r": lambda r: Value(2.0) / r,
    "value ** r": lambda r: Value(2.0) ** r,
    "r * value": lambda r: r * Value(2.0),
    "parameter + r": lambda r: Parameter(2.0) + r,
    "parameter - r": lambda r: Parameter(2.0) - r,
    "parameter * r": lambda r: Parameter(2.0) * r,
    "parameter / r": lambda r: Parameter(2.0) / r,
    "parameter ** r": lambda r: Parameter(2.0) ** r,
    "r * parameter": lambda r: r * Parameter(2.0),
    "exp": lambda r: r.exp(),
    "log": lambda r: r.log(),
    "relu": lambda r: r.relu(),
    "tanh": lambda r: r.tanh(),
    "backward": lambda r: r.backward(),
    "inputs": lambda r: r.inputs,
    "operands": lambda r: r.operands,
    "local_derivatives": lambda r: r.local_derivatives,
    "Graph.of": Graph.of,
    "draw": draw,
    "Tape().backward": lambda r: Tape().backward(r),
}


def test_a_released_node_refuses_everything_that_needs_its_record(
    released: Any, subtests: pytest.Subtests
) -> None:
    for name, use in USES.items():
        with subtests.test(name):
            with pytest.raises(ReleasedError) as caught:
                use(released)
            assert "Released(data=9, grad=1, op='*', label='y')" in str(caught.value)
            assert "inside the 'with Tape()' block, or keep a Graph" in str(caught.value)


def test_data_gradient_and_name_of_a_released_node_stay(released: Any) -> None:
    assert (released.data, released.grad, released.op, released.label) == (9.0, 1.0, "*", "y")
    assert repr(released) == "Released(data=9, grad=1, op='*', label='y')"
    assert released == released
    assert len({released, released}) == 1


def test_a_released_node_is_no_plain_number_either(released: Any) -> None:
    with pytest.raises(TypeError, match="would lose the record"):
        float(released)
    with pytest.raises(TypeError, match="cannot order"):
        released < 3  # noqa: B015


def test_parameters_and_leaves_outlive_the_tape_with_their_gradients() -> None:
    w = Parameter(0.3, "w")
    with Tape() as tape:
        x = Value(3.0)
        tape.backward(w * x)
    assert (w.data, w.grad, x.data, x.grad) == (0.3, 3.0, 3.0, 0.3)
    (w * x).backward()
    assert (w.grad, x.grad) == (6.0, 0.6)


def test_a_graph_kept_from_the_block_is_still_there_after_it() -> None:
    x = Value(3.0)
    with Tape() as tape:
        y = x * x
        tape.backward(y)
        kept = Graph.of(y)
    assert kept.output.data == 9.0
    assert [node.grad for node in kept.nodes] == [6.0, 1.0]
