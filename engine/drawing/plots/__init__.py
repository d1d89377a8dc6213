"""Plots by matplotlib, which is imported only when one is made.

Each is a small picture that a notebook shows, with a text that says in words and numbers what is
to be seen. Each is an SVG whose colors follow the page around it, light or dark, and
whose width follows the room it has.
"""

from engine.drawing.plots.attention import attention_map
from engine.drawing.plots.boundary import decision_boundary
from engine.drawing.plots.contours import descent_paths
from engine.drawing.plots.descent import descent_on_curve
from engine.drawing.plots.errors import error_against_step
from engine.drawing.plots.histogram import gradient_histogram
from engine.drawing.plots.loss import LossCurve, loss_curve
from engine.drawing.plots.plot import Plot
from engine.drawing.plots.redrawn import Live, live

__all__ = [
    "Live",
    "LossCurve",
    "Plot",
    "attention_map",
    "decision_boundary",
    "descent_on_curve",
    "descent_paths",
    "error_against_step",
    "gradient_histogram",
    "live",
    "loss_curve",
]
