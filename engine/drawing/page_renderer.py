"""Place the nodes of a graph in a browser, where no program runs: Graphviz as WebAssembly.

``engine.drawing.renderer`` asks it there. ``course lite`` puts the Graphviz that it runs beside it.
The modules of Pyodide are there only in a browser.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from engine.drawing.renderer import RenderingError

GRAPHVIZ = Path(__file__).with_name("graphviz.js")
LOAD = """async text => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return await (await import(url)).Graphviz.load();
  } finally {
    URL.revokeObjectURL(url);
  }
}"""

_loading: list[Any] = []
_loaded: list[Any] = []


def positions(source: str) -> str:
    """Place the nodes of a DOT source.

    Args:
        source: a graph in the DOT language.

    Returns:
        Graphviz's plain output format: one line for each node and edge, in inches.

    Raises:
        RenderingError: Graphviz failed, or is not loaded yet.
    """
    try:
        return str(_graphviz().layout(source, "plain", "dot"))
    except RenderingError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever JavaScript throws)
        raise RenderingError(f"Graphviz could not place the nodes: {error}") from None


def _graphviz() -> Any:
    """Load Graphviz once; Python can wait for that where the browser has JSPI."""
    waiting = import_module("pyodide.ffi")
    if not _loading:
        load = import_module("pyodide.code").run_js(LOAD)
        _loading.append(load(GRAPHVIZ.read_text(encoding="utf-8")))
        if not waiting.can_run_sync():
            _loading[0].then(waiting.create_once_callable(_loaded.append))
    if waiting.can_run_sync() and not _loaded:
        _loaded.append(waiting.run_sync(_loading[0]))
    if not _loaded:
        raise RenderingError(
            "Graphviz is still on its way, and this browser cannot wait for it: run this cell again"
        )
    return _loaded[0]
