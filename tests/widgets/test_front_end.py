"""What all views share: one front end, as text; and a closed view is gone."""

import gc
import shutil
import subprocess
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import (
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
    TwoWalks,
)
from engine.widgets import front_end
from engine.widgets.training import _Bar

from .examples import seven_nodes

MAKERS: dict[str, Callable[[], object]] = {
    "reverse_walk": lambda: ReverseWalk(seven_nodes()),
    "predict": lambda: Predict(seven_nodes()),
    "order_playground": lambda: OrderPlayground(seven_nodes()),
    "gradient_check": lambda: GradientCheck(lambda x: x * x, [3.0]),
    "graph_explorer": lambda: GraphExplorer(seven_nodes()),
    "live_graph": lambda: LiveGraph(seven_nodes()),
    "slope_view": lambda: SlopeView(lambda x: x * x, 3.0),
    "product_rule": lambda: ProductRule(3.0, 2.0),
    "sort_steps": lambda: SortSteps(seven_nodes()),
    "two_walks": lambda: TwoWalks(seven_nodes(), seven_nodes()),
    "rates": lambda: LearningRates(lambda w: w * w, 1.0, [0.1], 2),
    "training": lambda: _Bar(),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_closed_view_is_freed(make: Callable[[], object]) -> None:
    view = make()
    gone = weakref.ref(view)
    view.close()  # type: ignore[attr-defined]
    del view
    gc.collect()
    assert gone() is None


def test_all_files_together_are_one_strict_module(tmp_path: Path) -> None:
    """Each name at the top of a file is the only one of its kind, and there is one export."""
    module = front_end.script()
    assert module.count("export default") == 1
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the PATH: the browser tests load the module as well")
    file = tmp_path / "views.mjs"
    file.write_text(module, encoding="utf-8")
    done = subprocess.run([node, "--check", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
