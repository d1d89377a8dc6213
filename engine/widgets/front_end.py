"""The front end of the views as text: what all of them share, then one file for each."""

from pathlib import Path

from engine.drawing.palette import css_variables

FRONT = Path(__file__).parent / "front"
SHARED = "shared"


def script(*views: str) -> str:
    """One JavaScript module that shows some views.

    As text, and not as a path: anywidget would watch a path for as long as Python runs, and keep
    every view that was ever made.

    Args:
        views: names of their files; all views there are, if none is named.

    >>> "VIEWS.walk = " in script("reverse_walk"), "VIEWS.walk = " in script("predict")
    (True, False)
    """
    return "\n".join((FRONT / f"{name}.js").read_text("utf-8") for name in _names(views, "js"))


def style() -> str:
    """The palette and the style of all views, always in the same order."""
    sheets = [(FRONT / f"{name}.css").read_text("utf-8") for name in _names((), "css")]
    return "\n".join([css_variables(), *sheets])


def _names(views: tuple[str, ...], kind: str) -> list[str]:
    every = sorted(path.stem for path in FRONT.glob(f"*.{kind}"))
    return [SHARED, *(views or [name for name in every if name != SHARED])]
