"""The colors of every drawing and view, for a light and a dark page.

The hues are those of Okabe and Ito, "Color Universal Design" (2008), which people with any kind
of color vision can tell apart. No state is told by a color alone.
"""

# A drawing in a page of unknown color: cards are opaque, and lines are as far from white as
# from black.
CARD = "#ffffff"
CARD_BORDER = "#6b6b6b"
INK = "#111111"
MUTED = "#595959"
ARROW = "#767676"

# The hues of plots. Lines and marks are drawn in hues that keep a contrast of 3 to 1 with the card
# behind them, light or dark; the light ones fill areas; yellow is left out, being too light for
# both. A second sign (marker, dash, hatching) tells series apart without any hue.
PLOT_LINES = {
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#008a64",  # a little darker than the original #009e73, for contrast
    "purple": "#b8578e",  # likewise; the original is #cc79a7
}
PLOT_AREAS = {"sky": "#56b4e9", "orange": "#e69f00"}

LIGHT = {
    "page": "#ffffff",
    "ink": "#111111",
    "muted": "#595959",
    "line": "#767676",
    "card": "#ffffff",
    "border": "#6b6b6b",
    "current": "#e69f00",
    "current-ink": "#111111",
    "current-border": "#111111",
    "done": "#e2f3ec",
    "done-border": "#00694e",
    "active": "#0067a3",
    "wrong": "#a83c00",
    "other": "#8f3f70",
    "control": "#ececec",
}
DARK = {
    "page": "#111111",
    "ink": "#f2f2f2",
    "muted": "#b8b8b8",
    "line": "#8c8c8c",
    "card": "#1e1e1e",
    "border": "#9a9a9a",
    "current": "#e69f00",
    "current-ink": "#111111",
    "current-border": "#ffffff",
    "done": "#12392d",
    "done-border": "#45d0a4",
    "active": "#6cc0f0",
    "wrong": "#ff9a5c",
    "other": "#e79bc5",
    "control": "#333333",
}
# What the colors of a plot become on a dark page; those that are missing stay as they are.
ON_PALE = "#010101"
PLOT_DARK = {
    CARD: DARK["page"],
    INK: DARK["ink"],
    MUTED: DARK["muted"],
    ARROW: DARK["line"],
    LIGHT["control"]: DARK["control"],
    PLOT_LINES["blue"]: DARK["active"],
    PLOT_LINES["vermilion"]: DARK["wrong"],
    PLOT_LINES["green"]: DARK["done-border"],
    PLOT_LINES["purple"]: DARK["other"],
    ON_PALE: "#ffffff",
}
# Text and what lies behind it; each pair keeps a contrast of 4.5 to 1.
TEXT_PAIRS = (
    ("ink", "page"),
    ("muted", "page"),
    ("active", "page"),
    ("wrong", "page"),
    ("other", "page"),
    ("ink", "card"),
    ("muted", "card"),
    ("active", "card"),
    ("wrong", "card"),
    ("other", "card"),
    ("ink", "done"),
    ("muted", "done"),
    ("done-border", "page"),
    ("current-ink", "current"),
    ("ink", "control"),
)


def css_variables(of: str = ".rw-view") -> str:
    """The palette as style rules: ``--rw-ink`` and so on, by ``data-theme``.

    Args:
        of: the selector of what has a ``data-theme``: a view, or a whole page.

    >>> css_variables().splitlines()[0]
    '.rw-view[data-theme="light"] {'
    """
    rules = []
    for theme, colors in (("light", LIGHT), ("dark", DARK)):
        lines = [f"  --rw-{name}: {color};" for name, color in colors.items()]
        rules.append(
            "\n".join([f'{of}[data-theme="{theme}"] {{', f"  color-scheme: {theme};", *lines, "}"])
        )
    return "\n".join(rules)


def plot_style() -> str:
    """The colors of a plot as a style sheet inside its SVG: ``--c111111`` and so on.

    The plot is an image, and ``prefers-color-scheme`` in one is the scheme of the page around.
    """
    light, dark = (
        "".join(f"--c{color[1:]}:{looks};" for color, looks in colors)
        for colors in (((color, color) for color in PLOT_DARK), PLOT_DARK.items())
    )
    return f"<style>svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
