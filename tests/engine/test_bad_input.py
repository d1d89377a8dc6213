"""Bad input: a clear error with the learner's own numbers, and nothing half-done."""

import copy
import gc
import json
import math
import operator
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from each import each

from engine import (
    Graph,
    Literal,
    Parameter,
    ReleasedError,
    Tape,
    Value,
    central_difference,
    error_by_step,
    gradient_check,
    record,
    relative_error,
    reverse_walk,
    scope,
    topological_order,
)

HUGE = 10**400
UNPRINTABLE = 10**5000
MISSING = np.ma.array(2.0, mask=True)
DIVISION, OVERFLOW = ZeroDivisionError, OverflowError


@dataclass
class World:
    """What a learner has on the table when something goes wrong."""

    x: Value = field(default_factory=lambda: Value(3.0, "x"))
    w: Parameter = field(default_factory=lambda: Parameter(-2.0, "w"))
    zero: Value = field(default_factory=lambda: Value(0.0))
    before: Value = field(init=False)
    released: Any = field(init=False)
    tape: Tape = field(default_factory=Tape)

    def __post_init__(self) -> None:
        self.before = self.x * self.w
        self.before.backward()
        with Tape():
            self.released = self.x * 5

    @property
    def graph(self) -> Graph:
        """A graph of three nodes: x, w and y."""
        return Graph.of(self.before, {"y": self.before})

    @property
    def state(self) -> tuple[object, ...]:
        """Everything that a refused call must leave alone."""
        values = (self.x, self.w, self.zero, self.before, self.released)
        return (
            [(v.data, v.grad, v.op, v.label, v.scope) for v in values],
            repr(self.tape),
            gc.isenabled(),
            self.before.inputs,
        )


def square(x: Any) -> Any:
    return x * x


class Unprintable:
    def __repr__(self) -> str:
        raise AttributeError("no text yet")


LONG_CHAIN = Value(3.0)
for _ in range(10_000):
    LONG_CHAIN = -LONG_CHAIN

Act = Callable[[World], object]

# what was done: the act, the error, and words of the message
BAD: dict[str, tuple[Act, type[BaseException], list[str]]] = {
    # -- not a real number ----------------------------------------------------------------------
    "a value of text": (lambda o: Value("3"), TypeError, ["Value", "real number", "'3'", "str"]),
    "a value of None": (lambda o: Value(None), TypeError, ["Value", "None"]),
    "a value of a list": (lambda o: Value([1, 2]), TypeError, ["Value", "[1, 2]", "list"]),
    "a value of a value": (lambda o: Value(o.x), TypeError, ["Value(data=3", "label='x'"]),
    "a value of an array": (lambda o: Value(np.array([1.5])), TypeError, ["array([1.5])"]),
    "a value of a truth value": (lambda o: Value(True), TypeError, ["Value", "True", "bool"]),
    "a value of numpy's truth value": (lambda o: Value(np.bool_(0)), TypeError, ["False", "bool"]),
    "a value of a long list": (lambda o: Value([7] * 10_000), TypeError, ["[7, 7, 7", "..."]),
    "a value of what cannot be shown": (
        lambda o: Value(Unprintable()),
        TypeError,
        ["Value needs a real number", "an unprintable Unprintable"],
    ),
    "a complex value": (lambda o: Value(1 + 2j), TypeError, ["(1+2j)", "complex"]),
    "a decimal value": (lambda o: Value(Decimal("1.5")), TypeError, ["Decimal('1.5')"]),
    "a parameter of None": (lambda o: Parameter(None), TypeError, ["Parameter", "None"]),
    "a literal of text": (lambda o: Literal("e"), TypeError, ["Literal", "'e'"]),
    "NaN": (lambda o: Value(math.nan), ValueError, ["Value", "finite", "nan"]),
    "infinity": (lambda o: Parameter(-math.inf), ValueError, ["Parameter", "finite", "-inf"]),
    "numpy's NaN": (lambda o: Literal(np.float32("nan")), ValueError, ["Literal", "nan"]),
    "a masked value": (lambda o: Value(np.ma.masked), ValueError, ["Value", "a masked one"]),
    "a masked literal": (lambda o: Literal(MISSING), ValueError, ["Literal", "a masked one"]),
    "a huge whole number": (lambda o: Value(HUGE), OVERFLOW, ["Value", "too large for a float"]),
    "an unprintable number": (lambda o: Value(UNPRINTABLE), OVERFLOW, ["too large for a float"]),
    "a label that is a number": (lambda o: Value(1, 5), TypeError, ["label is text", "5 (int)"]),
    "a label that is None": (lambda o: Value(1, None), TypeError, ["label is text", "None"]),
    "a label set to a list": (
        lambda o: setattr(o.x, "label", ["x"]),
        TypeError,
        ["label is text", "['x'] (list)"],
    ),
    "a scope that is a number": (lambda o: scope(7).__enter__(), TypeError, ["text", "7 (int)"]),
    # -- operands -------------------------------------------------------------------------------
    "value + text": (lambda o: o.x + "4", TypeError, ["'+' with 3", "'4' (str)"]),
    "text + value": (lambda o: "4" + o.x, TypeError, ["'+' with 3", "'4' (str)"]),
    "value - None": (lambda o: o.x - None, TypeError, ["'-' with 3", "None"]),
    "None - value": (lambda o: None - o.x, TypeError, ["'-' with 3", "None"]),
    "text * value": (lambda o: "ab" * o.x, TypeError, ["'*' with 3", "'ab' (str)"]),
    "list * value": (lambda o: [1] * o.x, TypeError, ["'*' with 3", "[1] (list)"]),
    "value * array": (lambda o: o.x * np.array([1, 2]), TypeError, ["'*' with 3", "[1, 2]"]),
    "array * value": (lambda o: np.array([1, 2]) * o.x, TypeError, ["'*' with 3", "[1, 2]"]),
    "value * truth value": (lambda o: o.x * (2 > 1), TypeError, ["'*' with 3", "True (bool)"]),
    "truth value * value": (lambda o: False + o.x, TypeError, ["'+' with 3", "False (bool)"]),
    "value / complex": (lambda o: o.x / 1j, TypeError, ["'/' with 3", "1j (complex)"]),
    "decimal / value": (lambda o: Decimal(2) / o.x, TypeError, ["'/' with 3", "Decimal('2')"]),
    "value ** text": (lambda o: o.x ** "2", TypeError, ["'**' with 3", "'2' (str)"]),
    "value * the class": (lambda o: o.x * Value, TypeError, ["'*' with 3", "Value"]),
    "value * function": (lambda o: o.x * o.x.exp, TypeError, ["'*' with 3", "exp"]),
    "value * infinity": (lambda o: o.x * math.inf, ValueError, ["'*' with 3", "inf"]),
    "value + masked": (lambda o: o.x + np.ma.masked, ValueError, ["'+' with 3", "a masked one"]),
    "masked * value": (lambda o: np.ma.masked * o.x, ValueError, ["'*' with 3", "a masked one"]),
    "NaN + value": (lambda o: math.nan + o.x, ValueError, ["'+' with 3", "nan"]),
    "value * huge": (lambda o: o.x * HUGE, OVERFLOW, ["'*' with 3", "too large for a float"]),
    "sum of text and value": (lambda o: sum(["a"], o.x), TypeError, ["'+' with 3", "'a'"]),
    "parameter * released": (lambda o: o.w * o.released, ReleasedError, ["data=15", "op='*'"]),
    # -- outside the domain ---------------------------------------------------------------------
    "value / 0": (lambda o: o.x / 0, DIVISION, ["3 / 0", "does not exist"]),
    "value / -0.0": (lambda o: o.x / -0.0, DIVISION, ["3 / 0"]),
    "value / value at 0": (lambda o: o.w / o.zero, DIVISION, ["-2 / 0"]),
    "1 / value at 0": (lambda o: 1 / o.zero, DIVISION, ["1 / 0"]),
    "value / numpy's 0": (lambda o: o.x / np.int64(0), DIVISION, ["3 / 0"]),
    "log of 0": (lambda o: o.zero.log(), ValueError, ["log(0)", "above 0"]),
    "log of a negative number": (lambda o: o.w.log(), ValueError, ["log(-2)", "above 0"]),
    "root of a negative number": (lambda o: o.w**0.5, ValueError, ["(-2) ** 0.5", "not a real"]),
    "0 ** -1": (lambda o: o.zero**-1, DIVISION, ["0 ** (-1)", "divides by 0"]),
    "negative base, value exponent": (lambda o: o.w**o.x, ValueError, ["(-2) ** 3", "log(base)"]),
    "base 0, value exponent": (lambda o: o.zero**o.x, ValueError, ["0 ** 3", "above 0"]),
    "negative number ** value": (lambda o: (-3) ** o.x, ValueError, ["(-3) ** 3", "above 0"]),
    "0 ** value": (lambda o: 0**o.x, ValueError, ["0 ** 3", "above 0"]),
    # -- too large ------------------------------------------------------------------------------
    "exp of 1000": (lambda o: Value(1000).exp(), OVERFLOW, ["exp(1000)", "709.78"]),
    "10 ** 1000": (lambda o: Value(10.0) ** 1000, OVERFLOW, ["10 ** 1000", "too large"]),
    "10 ** value": (lambda o: 10 ** Value(400.0), OVERFLOW, ["10 ** 400", "too large"]),
    "1 / tiny": (lambda o: 1 / Value(1e-310), OVERFLOW, ["1 / 1e-310", "too large"]),
    "value / tiny": (lambda o: o.x / 1e-310, OVERFLOW, ["3 / 1e-310", "too large"]),
    "derivative of 0 / tiny": (
        lambda o: o.zero / Value(1e-310),
        OVERFLOW,
        ["local derivative of 0 / 1e-310", "too large"],
    ),
    "derivative of 0 / tiny number": (
        lambda o: o.zero / 1e-310,
        OVERFLOW,
        ["local derivative of 0 / 1e-310", "too large"],
    ),
    "derivative of tiny / tiny number": (
        lambda o: Value(1e-310) / 1e-309,
        OVERFLOW,
        ["local derivative of 1e-310 / 1e-309", "too large"],
    ),
    "derivative of 1 / small": (
        lambda o: 1 / Value(1e-200),
        OVERFLOW,
        ["local derivative of 1 / 1e-200", "too large"],
    ),
    "derivative of value / small value": (
        lambda o: o.x / Value(1e-200),
        OVERFLOW,
        ["local derivative of 3 / 1e-200", "too large"],
    ),
    "derivative of log": (
        lambda o: Value(1e-310).log(),
        OVERFLOW,
        ["local derivative of log(1e-310)", "too large"],
    ),
    "derivative of a power": (
        lambda o: Value(1e-200) ** -1,
        OVERFLOW,
        ["local derivative of 1e-200 ** (-1)", "too large"],
    ),
    "derivative of a power by its factor": (
        lambda o: Value(1.0000001) ** 7e9,
        OVERFLOW,
        ["local derivative of 1 ** 7e+09", "too large"],
    ),
    "slope by the exponent": (
        lambda o: Value(1e300) ** Value(1.0199),
        OVERFLOW,
        ["local derivative of 1e+300 ** 1.0199", "too large"],
    ),
    "derivative of number ** value": (
        lambda o: 1e300 ** Value(1.0199),
        OVERFLOW,
        ["local derivative of 1e+300 ** 1.0199", "too large"],
    ),
    # -- losing the record ----------------------------------------------------------------------
    "math.exp(value)": (lambda o: math.exp(o.x), TypeError, ["data=3", "x.exp()", "x.data"]),
    "float(value)": (lambda o: float(o.x), TypeError, ["data=3", "lose the record", "x.data"]),
    "a layout": (lambda o: f"{o.x:.3f}", TypeError, ["'.3f'", "data=3", "f'{x.data:.3f}'"]),
    "a layout of a released node": (lambda o: f"{o.released:>9}", TypeError, ["'>9'", "x.data"]),
    "numpy's exp": (lambda o: np.exp(o.x), TypeError, ["NumPy's exp", "data=3", "x.exp()"]),
    "numpy's tanh": (lambda o: np.tanh(o.w), TypeError, ["NumPy's tanh", "data=-2", "x.tanh()"]),
    "numpy's maximum": (lambda o: np.maximum(0, o.x), TypeError, ["maximum", "0, ", "x.relu()"]),
    "numpy's sine": (lambda o: np.sin(o.x), TypeError, ["NumPy's sin", "exp, log", "x.data"]),
    "numpy's product": (lambda o: np.multiply(o.x, o.w), TypeError, ["multiply", "Write x * y"]),
    "numpy's product of one": (lambda o: np.multiply(o.x, o.x), TypeError, ["Write x * y"]),
    "numpy's outer product": (
        lambda o: np.multiply.outer([1.0], o.x),
        TypeError,
        ["multiply", "x * y"],
    ),
    "an array that grows by a value": (
        lambda o: operator.iadd(np.ones(2), o.x),
        TypeError,
        ["NumPy's add", "array([1., 1.])", "Write x + y"],
    ),
    "numpy's truth value & value": (
        lambda o: np.bool_(True) & o.x,
        TypeError,
        ["bitwise_and", "data=3"],
    ),
    "numpy's exp of a released node": (
        lambda o: np.exp(o.released),
        ReleasedError,
        ["data=15", "has ended"],
    ),
    "numpy's number * released": (
        lambda o: np.float64(2.0) * o.released,
        ReleasedError,
        ["data=15", "has ended"],
    ),
    "value < number": (lambda o: o.x < 4, TypeError, ["data=3", "4", "a.data < b.data"]),
    "number < value": (lambda o: np.float64(2.5) < o.x, TypeError, ["data=3", "2.5"]),
    "max of values": (lambda o: max(o.x, o.w), TypeError, ["data=3", "data=-2", "cannot order"]),
    # -- what people try ------------------------------------------------------------------------
    "abs(value)": (lambda o: abs(o.x), TypeError, ["data=3", "x.relu() + (-x).relu()"]),
    "value % 2": (lambda o: o.x % 2, TypeError, ["not recorded", "data=3", "x.data"]),
    "5 % value": (lambda o: 5 % o.x, TypeError, ["not recorded", "data=3", "5"]),
    "value // value": (lambda o: o.x // o.w, TypeError, ["not recorded", "label='x'", "label='w'"]),
    "5 // value": (lambda o: 5 // o.x, TypeError, ["not recorded", "data=3"]),
    "value @ value": (lambda o: o.x @ o.w, TypeError, ["not recorded", "label='x'", "label='w'"]),
    "array @ value": (lambda o: np.ones(2) @ o.x, TypeError, ["not recorded", "array([1., 1.])"]),
    "divmod(value, 2)": (lambda o: divmod(o.x, 2), TypeError, ["not recorded", "data=3"]),
    "divmod(5, value)": (lambda o: divmod(5, o.x), TypeError, ["not recorded", "data=3"]),
    "int(value)": (lambda o: int(o.x), TypeError, ["data=3", "x.data"]),
    "round(value)": (lambda o: round(o.x), TypeError, ["data=3", "x.data"]),
    "round(value, 2)": (lambda o: round(o.x, 2), TypeError, ["data=3", "x.data"]),
    "trunc(value)": (lambda o: math.trunc(o.x), TypeError, ["data=3", "x.data"]),
    "copy of a node": (lambda o: copy.copy(o.before), TypeError, ["data=-6", "keep a Graph"]),
    "a deep copy": (lambda o: copy.deepcopy(LONG_CHAIN), TypeError, ["Copy the leaves"]),
    "a pickled node": (lambda o: pickle.dumps(o.before), TypeError, ["data=-6", "keep a Graph"]),
    "a copy of a released node": (lambda o: copy.copy(o.released), TypeError, ["data=15"]),
    "a sum of one": (lambda o: record("+", 1.0, (o.x, 1.0)), ValueError, ["'+'", "another name"]),
    "a power of one": (lambda o: record("**", 1.0, (o.x, 1.0)), ValueError, ["'**'", "not have 1"]),
    "neg of two": (
        lambda o: record("neg", 1.0, (o.x, 1.0), (o.w, 2.0)),
        ValueError,
        ["'neg'", "not have 2 inputs", "another name"],
    ),
    # -- backward -------------------------------------------------------------------------------
    "backward from infinity": (
        lambda o: ((o.x + 1e308) * 10).backward(),
        ValueError,
        ["'*' applied to 1e+308, 10 gave inf", "output inf"],
    ),
    "backward from NaN": (
        lambda o: ((o.x * 1e308) - (o.x * 1e308)).backward(),
        ValueError,
        ["'*' applied to 3, 1e+308 gave inf", "output nan"],
    ),
    "backward through infinity": (
        lambda o: (o.x * 1e308).tanh().backward(),
        ValueError,
        ["'*' applied to 3, 1e+308 gave inf", "output 1"],
    ),
    "an order of a number": (lambda o: topological_order(5), TypeError, ["Value", "5 (int)"]),
    # -- tapes ----------------------------------------------------------------------------------
    "backward of a tape not begun": (
        lambda o: o.tape.backward(o.before),
        ValueError,
        ["data=-6", "not recorded on this tape"],
    ),
    "backward of a tape from a number": (
        lambda o: o.tape.backward(3.5),
        TypeError,
        ["Value", "3.5 (float)"],
    ),
    "backward of a tape from nothing": (lambda o: o.tape.backward(None), TypeError, ["None"]),
    "backward after the tape has ended": (
        lambda o: o.tape.backward(o.released),
        ReleasedError,
        ["data=15", "has ended"],
    ),
    # -- graphs ---------------------------------------------------------------------------------
    "a graph of a number": (lambda o: Graph.of(5), TypeError, ["Value", "5 (int)"]),
    "a graph of the class": (lambda o: Graph.of(Value), TypeError, ["Value", "(type)"]),
    "a graph of a graph": (lambda o: Graph.of(o.graph), TypeError, ["Value", "(Graph)"]),
    "a graph of a released node": (lambda o: Graph.of(o.released), ReleasedError, ["data=15"]),
    "names in a list": (lambda o: Graph.of(o.x, ["x"]), TypeError, ["names", "['x']"]),
    "names that are numbers": (lambda o: Graph.of(o.x, {1: o.x}), TypeError, ["text", "1 (int)"]),
    "an unknown name": (lambda o: o.graph.index("z"), KeyError, ["'z'", "x, w, y"]),
    "an unknown place": (lambda o: o.graph.index(3), KeyError, ["no node 3", "3 nodes"]),
    "a place from the back": (lambda o: o.graph.index(-1), KeyError, ["no node -1"]),
    "a place that is no place": (lambda o: o.graph.index(1.0), KeyError, ["1.0 is neither"]),
    "an unprintable place": (lambda o: o.graph.index(UNPRINTABLE), KeyError, ["unprintable int"]),
    "a name of two": (
        lambda o: Graph.of(Value(1, "a") + Value(2, "a")).index("a"),
        KeyError,
        ["2 nodes are named 'a'"],
    ),
    "gradients for fewer nodes": (
        lambda o: o.graph.with_gradients([1.0]),
        ValueError,
        ["each of the", "got 1"],
    ),
    "text that is no graph": (lambda o: Graph.from_json("abc"), ValueError, ["'abc'", "to_json"]),
    "JSON that is no graph": (lambda o: Graph.from_json("[1, 2]"), ValueError, ["'[1, 2]'"]),
    "an empty graph": (lambda o: Graph.from_json("[]"), ValueError, ["'[]'"]),
    "no text": (lambda o: Graph.from_json(None), ValueError, ["None"]),
    "half a graph": (
        lambda o: Graph.from_json(o.graph.to_json()[:100]),
        ValueError,
        ["not a graph", '[{"index": 0'],
    ),
    # -- walks ----------------------------------------------------------------------------------
    "a walk of a value": (lambda o: reverse_walk(o.before), TypeError, ["Graph.of(y)", "data=-6"]),
    "a walk of nothing": (lambda o: reverse_walk(None), TypeError, ["Graph.of(y)", "None"]),
    "an order of one number": (lambda o: reverse_walk(o.graph, 2), TypeError, ["order", "got 2"]),
    "an order as text": (lambda o: reverse_walk(o.graph, "ywx"), TypeError, ["order", "'ywx'"]),
    "an order as bytes": (lambda o: reverse_walk(o.graph, b"ab"), TypeError, ["order", "b'ab'"]),
    "an order as a set": (lambda o: reverse_walk(o.graph, {0, 1, 2}), TypeError, ["{0, 1, 2}"]),
    "an order with a repeat": (
        lambda o: reverse_walk(o.graph, ["y", "w", "w", "x"]),
        ValueError,
        ["3 nodes exactly once", "more than once: w"],
    ),
    "an order with a gap": (
        lambda o: reverse_walk(o.graph, ["y", "x"]),
        ValueError,
        ["3 nodes exactly once", "missing: w"],
    ),
    "an order with a gap and a repeat": (
        lambda o: reverse_walk(o.graph, [2, 0, 0]),
        ValueError,
        ["missing: w; more than once: x"],
    ),
    "an empty order": (lambda o: reverse_walk(o.graph, []), ValueError, ["missing: x, w, y"]),
    "an order with an unknown name": (
        lambda o: reverse_walk(o.graph, ["y", "w", "z"]),
        KeyError,
        ["'z'", "x, w, y"],
    ),
    "an order with an unknown place": (
        lambda o: reverse_walk(o.graph, [2, 1, 7]),
        KeyError,
        ["no node 7"],
    ),
    "an order of truth values": (
        lambda o: reverse_walk(o.graph, [2, True, False]),
        KeyError,
        ["True is neither"],
    ),
    "an order of values": (
        lambda o: reverse_walk(o.graph, [o.before, o.w, o.x]),
        KeyError,
        ["data=-6", "neither the name nor the index"],
    ),
    "an order for the walk without a visited set": (
        lambda o: reverse_walk(o.graph, [2, 1, 0], visit_once=False),
        ValueError,
        ["visit_once=False", "order"],
    ),
    "a gradient by an unknown name": (
        lambda o: reverse_walk(o.graph).grad("q"),
        KeyError,
        ["'q'", "x, w, y"],
    ),
    "gradients after too many steps": (
        lambda o: reverse_walk(o.graph).gradients_after(4),
        ValueError,
        ["3 steps", "no step 4"],
    ),
    "gradients before the start": (
        lambda o: reverse_walk(o.graph).gradients_after(-1),
        ValueError,
        ["3 steps", "no step -1"],
    ),
    # -- central differences --------------------------------------------------------------------
    "a result as function": (lambda o: central_difference(9.0, [3]), TypeError, ["f itself", "9"]),
    "a value as function": (lambda o: gradient_check(o.before, [3]), TypeError, ["data=-6"]),
    "a number as inputs": (lambda o: central_difference(square, 3), TypeError, ["[3.0]", "got 3"]),
    "text as inputs": (lambda o: central_difference(square, "3"), TypeError, ["[3.0]", "'3'"]),
    "bytes as inputs": (lambda o: central_difference(square, b"a"), TypeError, ["list", "b'a'"]),
    "bytes as steps": (
        lambda o: error_by_step(square, 3.0, 6.0, steps=b"a"),
        TypeError,
        ["list", "b'a'"],
    ),
    "too few inputs": (
        lambda o: gradient_check(lambda x, y: x * y, [3.0]),
        TypeError,
        ["takes (x, y)", "missing", "'y'"],
    ),
    "too many inputs": (
        lambda o: central_difference(lambda x: x, [3.0, 4.0]),
        TypeError,
        ["takes (x)", "too many"],
    ),
    "an input of another name": (
        lambda o: gradient_check(lambda x: x, {"z": 3.0}),
        TypeError,
        ["takes (x)", "'x'"],
    ),
    "a step too large for a difference": (
        lambda o: gradient_check(lambda x: x * 1, [1.0], step=1e308),
        OverflowError,
        ["the step is too large", "1e-5"],
    ),
    "a step too large for a central difference": (
        lambda o: central_difference(lambda x: 1.0, [1.0], 1e308),
        OverflowError,
        ["over inf", "the step is too large"],
    ),
    "a step too small for a difference": (
        lambda o: gradient_check(lambda x: x * 0, [0.0], step=5e-324),
        OverflowError,
        ["too small"],
    ),
    "a result that overflows one step away": (
        lambda o: central_difference(lambda h: h * 1e200 * 1e200, [1e-300]),
        ValueError,
        ["a step of 1e-05 above the input 1e-300", "inf"],
    ),
    "text as an input": (lambda o: gradient_check(square, ["3"]), TypeError, ["input x", "'3'"]),
    "a value as an input": (lambda o: gradient_check(square, [o.x]), TypeError, ["input x"]),
    "an infinite input": (lambda o: central_difference(square, [math.inf]), ValueError, ["inf"]),
    "an input by number": (lambda o: central_difference(square, {1: 2.0}), TypeError, ["1 (int)"]),
    "no inputs": (lambda o: gradient_check(lambda: o.x, []), ValueError, ["at least one input"]),
    "step 0": (lambda o: central_difference(square, [3], 0), ValueError, ["above 0", "got 0"]),
    "a negative step": (lambda o: gradient_check(square, [3], -1e-5), ValueError, ["-1e-05"]),
    "a NaN step": (lambda o: central_difference(square, [3], math.nan), ValueError, ["nan"]),
    "a step of text": (lambda o: gradient_check(square, [3], "h"), TypeError, ["step", "'h'"]),
    "a step too small": (
        lambda o: central_difference(square, [3.0], 1e-17),
        ValueError,
        ["1e-17", "too small to move 3"],
    ),
    "a tolerance below 0": (
        lambda o: gradient_check(square, [3], tolerance=-1.0),
        ValueError,
        ["tolerance", "-1"],
    ),
    "a NaN tolerance": (
        lambda o: gradient_check(square, [3], tolerance=math.nan),
        ValueError,
        ["tolerance", "nan"],
    ),
    "a function without return": (
        lambda o: central_difference(lambda x: None, [3]),
        TypeError,
        ["the function's result", "None"],
    ),
    "a check of a function without return": (
        lambda o: gradient_check(lambda x: None, [3]),
        TypeError,
        ["must give a Value", "None"],
    ),
    "a check of plain numbers": (
        lambda o: gradient_check(lambda x: x.data * 2, [3]),
        TypeError,
        ["must give a Value", "6.0 (float)", "not with their data"],
    ),
    "a complex result": (
        lambda o: central_difference(lambda x: (-x) ** 0.5, [3.0]),
        TypeError,
        ["the function's result", "complex"],
    ),
    "a NaN result": (
        lambda o: central_difference(lambda x: x - x + math.nan, [3.0]),
        ValueError,
        ["the function's result", "nan"],
    ),
    "a released result": (
        lambda o: gradient_check(lambda x: o.released, [3.0]),
        ReleasedError,
        ["data=15"],
    ),
    "one step instead of steps": (
        lambda o: error_by_step(square, 3.0, 6.0, steps=0.1),
        TypeError,
        ["steps", "[1e-5]", "0.1"],
    ),
    "steps with 0 among them": (
        lambda o: error_by_step(square, 3.0, 6.0, steps=[0.1, 0.0]),
        ValueError,
        ["above 0", "got 0"],
    ),
    "an exact derivative of text": (
        lambda o: error_by_step(square, 3.0, "6"),
        TypeError,
        ["the exact derivative", "'6'"],
    ),
    "the error of a value": (lambda o: relative_error(o.x, 6.0), TypeError, ["data=3", "Value"]),
    "the error of text": (lambda o: relative_error(6.0, "6"), TypeError, ["'6' (str)"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_clear_error_and_changes_nothing(name: str) -> None:
    act, error, words = BAD[name]
    world = World()
    before = world.state
    with pytest.raises(error) as caught:
        act(world)
    message = str(caught.value)
    assert [word for word in words if word not in message] == []
    assert caught.type is error
    assert len(message) < 500
    assert "\n" not in message
    assert world.state == before
    require_that_a_recording_tape_still_serves(act, error)
    if name in REFUSED_OPERATIONS:
        world = World()
        with Tape() as tape:
            with pytest.raises(error):
                act(world)
            assert tape.nodes == (), "a refused operation puts no node on the tape"


def require_that_a_recording_tape_still_serves(act: Act, error: type[BaseException]) -> None:
    world = World()
    x = Value(3.0)
    with Tape() as tape:
        u = x * x
        recorded = tape.nodes
        with pytest.raises(error):
            act(world)
        assert tape.nodes[:1] == recorded
        assert not gc.isenabled()
        y = u * 2
        tape.backward(y)
    assert x.grad == 12.0
    assert (x * 2).scope == ""


REFUSED_OPERATIONS = list(BAD)[: list(BAD).index("backward from infinity")]


def test_there_are_enough_kinds_of_bad_input() -> None:
    assert len(BAD) >= 40


# -- learners replace what a node holds ---------------------------------------------------------


def test_a_gradient_set_to_none_is_named_and_no_gradient_changes() -> None:
    x, w = Value(3.0, "x"), Parameter(2.0, "w")
    w.grad = None  # type: ignore[assignment]
    y = x * w + x
    with pytest.raises(TypeError, match=r"gradient to be a number.*grad=None, label='w'.*0\.0"):
        y.backward()
    assert (x.grad, w.grad, y.grad) == (0.0, None, 0.0)
    w.grad = 0.0
    y.backward()
    assert (x.grad, w.grad) == (3.0, 3.0)


@pytest.mark.parametrize("side", ["left", "right", "output"])
def test_a_gradient_set_to_none_is_named_on_a_tape_too(side: str) -> None:
    w = Parameter(2.0, "w")
    w.grad = None  # type: ignore[assignment]
    with Tape() as tape:
        y = w * 2 if side == "left" else 2 * w
        with pytest.raises(TypeError, match=r"grad=None, label='w'.*Set it to 0\.0"):
            w.backward() if side == "output" else tape.backward(y)
        w.grad = 0.0
        tape.backward(y)
    assert w.grad == 2.0


def test_a_leaf_that_diverged_is_named() -> None:
    x = Value(3.0)
    y = x * 2
    x.data = math.nan
    with pytest.raises(ValueError, match="a leaf holds nan, on the way to the output 6"):
        y.backward()
    assert x.grad == 0.0


def test_infinity_beside_the_output_does_not_matter() -> None:
    x = Value(3.0)
    with Tape() as tape:
        x * 1e308  # infinite, but not on the way to y
        y = x * x
        tape.backward(y)
    assert x.grad == 6.0


def test_infinity_after_the_output_does_not_matter() -> None:
    x = Value(3.0)
    with Tape() as tape:
        y = x * x
        y * (x * 1e308)  # infinite, with an infinite local derivative for y
        tape.backward(y)
    assert (y.grad, x.grad) == (1.0, 6.0)


def test_numbers_whose_sum_would_overflow_are_finite_all_the_same() -> None:
    x, z = Value(1e308), Value(1e308)
    y = (x + 1) * 0.5 + (z + 1) * 0.5
    y.backward()
    assert (x.grad, z.grad) == (0.5, 0.5)


def test_nan_does_not_hide_in_a_relu() -> None:
    x = Value(3.0)
    y = ((x * 1e308) - (x * 1e308)).relu()
    assert math.isnan(y.data)
    with pytest.raises(ValueError, match="gave inf"):
        y.backward()


def test_dividing_what_is_infinite_already_leaves_the_report_to_backward() -> None:
    infinite = Value(1e308) * 10
    for y in (infinite / 2, infinite / Value(2.0), 1 / infinite, infinite**2, infinite.log()):
        with pytest.raises(ValueError, match=r"'\*' applied to 1e\+308, 10 gave inf"):
            y.backward()


TAMPERED: list[dict[str, object]] = [
    {"index": 1},
    {"inputs": [1]},
    {"inputs": []},
    {"operands": [2, 1], "inputs": [2, 1]},
    {"operands": [-1, 1], "inputs": [-1, 1]},
    {"local_derivatives": [1.0]},
    {"color": "red"},
]


@each(TAMPERED)
def test_a_graph_that_was_tampered_with_is_refused(change: dict[str, object]) -> None:
    records = json.loads(World().graph.to_json())
    records[2].update(change)
    with pytest.raises(ValueError, match="not a graph as to_json"):
        Graph.from_json(json.dumps(records))


@each(product(("leaf", "computed"), ("data", "grad"), ("3", None, 1j, [2.0], SimpleNamespace())))
def test_a_graph_refuses_what_is_no_number_in_a_node(which: str, name: str, held: object) -> None:
    x = Value(3.0, "x")
    y = x * 2
    setattr(x if which == "leaf" else y, name, held)
    with pytest.raises(TypeError, match=r"needs numbers, but found Value.* replaced") as caught:
        Graph.of(y, {})
    assert f"{name}={held!r}" in str(caught.value)


def test_a_graph_refuses_a_whole_number_that_is_too_large() -> None:
    x = Value(3.0, "x")
    x.data = HUGE
    with pytest.raises(OverflowError, match=r"label='x'.* too large for a float"):
        Graph.of(x, {})


@pytest.mark.parametrize("kind", [int, np.float32, np.int64, np.array, Decimal])
def test_a_graph_holds_plain_numbers_whatever_kind_a_node_holds(kind: Callable[..., Any]) -> None:
    x = Value(1.0)
    x.data = kind(3)
    x.grad = kind(2)
    graph = Graph.of(x, {})
    assert [type(held) for held in (graph.output.data, graph.output.grad)] == [float, float]
    assert Graph.from_json(graph.to_json()) == graph
    assert (graph.output.data, graph.output.grad) == (3.0, 2.0)


def test_numpy_compares_a_value_by_what_it_is() -> None:
    x = Value(3.0)
    assert np.float64(3.0) != x
    assert x not in [np.float64(3.0)]
    assert np.equal(x, x)
    assert not np.not_equal(x, x)


def test_long_lists_of_names_are_cut_short_in_errors() -> None:
    graph = Graph.of(sum(Value(i, f"x{i}") for i in range(100)), {})
    with pytest.raises(ValueError, match=r"missing: x0, x1, .*\.\.\.") as caught:
        reverse_walk(graph, [])
    assert len(str(caught.value)) < 300


def test_an_unwalkable_number_of_paths_is_refused_in_time() -> None:
    x = Value(1.0)
    y = x
    for _ in range(60):
        y = (y + y) * 0.5
    with pytest.raises(ValueError, match=r"121 nodes has more than 10,000 steps"):
        reverse_walk(Graph.of(y, {}), visit_once=False)


def test_odd_variables_of_a_caller_do_not_matter() -> None:
    x = Value(3.0)
    odd = {("a", 1): x * 2, None: 5, 3: [x, "text", None]}
    names = {"odd": odd, "holder": SimpleNamespace(x=x), "nothing": None, "x": x}
    assert Graph.of(odd[("a", 1)], names).names == ("x", "odd[('a', 1)]")
