"""Backpropagation, one node at a time."""

from engine.gradcheck import central_difference, error_by_step, gradient_check, relative_error
from engine.graph import Graph, Node
from engine.tape import Tape
from engine.value import Literal, Parameter, ReleasedError, Value, scope, topological_order
from engine.walk import Contribution, Step, Walk, reverse_walk

__all__ = [
    "Contribution",
    "Graph",
    "Literal",
    "Node",
    "Parameter",
    "ReleasedError",
    "Step",
    "Tape",
    "Value",
    "Walk",
    "central_difference",
    "error_by_step",
    "gradient_check",
    "relative_error",
    "reverse_walk",
    "scope",
    "topological_order",
]
