"""Backpropagation, one node at a time."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.constants import Literal, Maximum
from engine.gradcheck import gradient_check
from engine.graph import Graph, Node
from engine.guards import ReleasedError
from engine.measuring import (
    central_difference,
    error_by_step,
    measured_gradient,
    relative_error,
)
from engine.own_operations import record
from engine.recording import scope
from engine.tape import Tape
from engine.value import Parameter, Value, topological_order
from engine.walk import Contribution, Step, Walk, reverse_walk

if TYPE_CHECKING:
    from engine.drawing import draw
    from engine.widgets import (
        GradientCheck,
        GraphExplorer,
        LearningRates,
        LiveGraph,
        OrderPlayground,
        Predict,
        ProductRule,
        ReverseWalk,
        SlopeView,
        SortSteps,
        Training,
        TwoWalks,
    )

_LOADED_WHEN_USED = {
    "GradientCheck": "engine.widgets",
    "GraphExplorer": "engine.widgets",
    "LearningRates": "engine.widgets",
    "LiveGraph": "engine.widgets",
    "OrderPlayground": "engine.widgets",
    "Predict": "engine.widgets",
    "ProductRule": "engine.widgets",
    "ReverseWalk": "engine.widgets",
    "SlopeView": "engine.widgets",
    "SortSteps": "engine.widgets",
    "Training": "engine.widgets",
    "TwoWalks": "engine.widgets",
    "draw": "engine.drawing",
}

__all__ = [
    "Contribution",
    "GradientCheck",
    "Graph",
    "GraphExplorer",
    "LearningRates",
    "Literal",
    "LiveGraph",
    "Maximum",
    "Node",
    "OrderPlayground",
    "Parameter",
    "Predict",
    "ProductRule",
    "ReleasedError",
    "ReverseWalk",
    "SlopeView",
    "SortSteps",
    "Step",
    "Tape",
    "Training",
    "TwoWalks",
    "Value",
    "Walk",
    "central_difference",
    "draw",
    "error_by_step",
    "gradient_check",
    "measured_gradient",
    "record",
    "relative_error",
    "reverse_walk",
    "scope",
    "topological_order",
]


def __getattr__(name: str) -> Any:
    """Load the drawings and the views when they are first asked for: they are heavy."""
    if name in _LOADED_WHEN_USED:
        return getattr(import_module(_LOADED_WHEN_USED[name]), name)
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
