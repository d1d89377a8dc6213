"""The interactive views: each shows plain data that Python computed, and computes nothing."""

from engine.widgets.gradient_check import CheckState, GradientCheck
from engine.widgets.graph_explorer import ExplorerState, GraphExplorer
from engine.widgets.live_graph import LiveGraph, LiveState
from engine.widgets.order_playground import OrderPlayground, PlaygroundState
from engine.widgets.predict import Predict, PredictState
from engine.widgets.product_rule import ProductRule, ProductState
from engine.widgets.rates import LearningRates, RateState
from engine.widgets.reverse_walk import ReverseWalk, WalkState
from engine.widgets.slope_view import SlopeState, SlopeView
from engine.widgets.sort_steps import SortState, SortSteps
from engine.widgets.training import Training
from engine.widgets.two_walks import TwoWalks, TwoWalksState

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
    "ProductRule",
    "ProductState",
    "RateState",
    "ReverseWalk",
    "SlopeState",
    "SlopeView",
    "SortState",
    "SortSteps",
    "Training",
    "TwoWalks",
    "TwoWalksState",
    "WalkState",
]
