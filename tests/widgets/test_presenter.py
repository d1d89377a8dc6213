"""Presenter mode from Python: an argument, a trait, and nothing else that changes."""

from typing import Any

import pytest
import traitlets

from engine import GradientCheck, GraphExplorer, OrderPlayground, Predict, ReverseWalk
from engine.widgets.view import View

from .examples import seven_nodes, shared


def cube(**options: Any) -> GradientCheck:
    return GradientCheck(lambda x: x * x * x, [2.0], **options)


MAKERS = {
    "walk": lambda **options: ReverseWalk(shared(), **options),
    "predict": lambda **options: Predict(shared(), **options),
    "playground": lambda **options: OrderPlayground(shared(), **options),
    "check": cube,
    "explorer": lambda **options: GraphExplorer(shared(), **options),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_view_is_for_a_projector_when_it_is_told(make: Any) -> None:
    usual, large = make(), make(presenter=True)
    assert isinstance(usual, View)
    assert (usual.presenter, large.presenter) == (False, True)
    usual.presenter = True
    assert usual.get_state(["presenter"]) == {"presenter": True}, "the page is told"
    with pytest.raises(traitlets.TraitError, match="presenter"):
        usual.presenter = "yes"


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_a_view_shows_is_the_same_for_a_projector(make: Any) -> None:
    usual, large = make(), make(presenter=True)
    assert large.payload == usual.payload
    assert repr(large) == repr(usual)
    assert large.picture() == usual.picture()


def test_a_walk_takes_it_beside_the_options_of_the_walk() -> None:
    view = ReverseWalk(shared(), presenter=True, order=["y", "u", "v", "x"])
    assert view.presenter
    assert view.walk.grad("x") == 6.0
    kept = ReverseWalk(view.walk, presenter=True)
    assert kept.walk is view.walk
    assert ReverseWalk(seven_nodes()).presenter is False
