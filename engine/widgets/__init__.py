"""The interactive views: each shows plain data that Python computed, and computes nothing."""

from engine.widgets.gradient_check import CheckState, GradientCheck
from engine.widgets.graph_explorer import ExplorerState, GraphExplorer
from engine.widgets.live_graph import LiveGraph, LiveState
from engine.widgets.order_playground import OrderPlayground, PlaygroundState
from engine.widgets.predict import Predict, PredictState
from engine.widgets.rates import LearningRates, RateState
from engine.widgets.reverse_walk import ReverseWalk, WalkState
from engine.widgets.training import Training

__all__ = [
    "CheckState",
    "ExplorerState",
    "GradientCheck",
    "GraphExplorer",
    "LearningRates",
    "LiveGraph",
    "LiveState",
    "OrderPlayground",
    "PlaygroundState",
    "Predict",
    "PredictState",
    "RateState",
    "ReverseWalk",
    "Training",
    "WalkState",
]
