"""Calculations that the tests of several views walk back through."""

from engine import Value


def seven_nodes() -> Value:
    a, b, c, f = (
        Value(x, label) for x, label in ((2.0, "a"), (-3.0, "b"), (10.0, "c"), (-2.0, "f"))
    )
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    last = d * f
    last.label = "L"
    return last


def shared() -> Value:
    """At 3 the gradient of x is 18; with u too early 6, without a visited set 36."""
    x = Value(3.0, "x")
    u = x * x
    u.label = "u"
    v = u * 2
    v.label = "v"
    y = u + v
    y.label = "y"
    return y


def same_name() -> Value:
    """Two nodes are named a * b: the one at place 2 has the gradient 2, the one at 4 has 1."""
    a, b = Value(2.0, "a"), Value(3.0, "b")
    y = (a * b) * 2 + (a * b)
    y.label = "y"
    return y


def distinctive() -> Value:
    """No gradient but the seed gradient is also a number of the forward pass."""
    a, b, c = Value(0.637, "a"), Value(-0.91, "b"), Value(0.283, "c")
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    y = d.tanh()
    y.label = "y"
    return y
