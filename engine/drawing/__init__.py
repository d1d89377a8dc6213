"""Drawings of a recorded calculation: positions by Graphviz, everything else ours."""

from engine.drawing.picture import Picture, draw
from engine.drawing.renderer import renderer

__all__ = ["Picture", "draw", "renderer"]
