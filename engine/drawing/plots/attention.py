"""Which earlier tokens each token reads from, and how much."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.drawing.palette import CARD, LIGHT, MUTED, ON_PALE, PLOT_LINES
from engine.drawing.plots.plot import FONT_POINTS, Plot, legend_above, plain, plot
from engine.text import number_text
from engine.words.naming import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TOKENS = 40
MOST_NUMBERS = 12
# Numbers on a light card are black up to the second of these weights and white above, on a dark
# card white up to the first and black above: so no contrast is below 4.3 to 1.
PALE, DARK = 0.6, 0.915
BLACK = "#000000"
LARGEST_SIDE = 5.8
LETTER, SCALE_HEIGHT = 0.09, 0.3
SCALE = (0.0, 0.25, 0.5, 0.75, 1.0)
SLACK = 1e-6


def attention_map(weights: Sequence[Sequence[object]], tokens: Sequence[str]) -> Plot:
    """Plot attention weights as a grid: one row for each token that reads.

    Args:
        weights: one row for each token: how much it takes from the first token, the second, and
            so on, as numbers or Values between 0 and 1. A row may stop at its own token, as in a
            causal model; what it cannot see is hatched.
        tokens: their names, in order.

    Raises:
        TypeError: a weight is not a real number.
        ValueError: there is no token, or too many to read; the rows do not fit the tokens; or a
            weight is not between 0 and 1.

    >>> attention_map([[1.0], [0.25, 0.75]], ["B", "a"])
    Attention of 2 tokens; each row says what one token reads.
    1 B: 1.00 from B
    2 a: 0.75 from a, 0.25 from B
    """
    names = [label(str(token)) for token in tokens]
    rows = _rows(weights, names)
    text = "\n".join(
        [
            f"Attention of {len(names)} tokens; each row says what one token reads.",
            *(
                f"{place} {name}: {_reads(row, names)}"
                for place, name, row in _numbered(names, rows)
            ),
        ]
    )
    side = min(2.2 + 0.4 * len(names), LARGEST_SIDE)
    beside = LETTER * max(map(len, names))
    above = SCALE_HEIGHT if len(names) > MOST_NUMBERS else 0.0
    return plot(
        lambda axes: _draw(axes, rows, names), text, width=side + beside, height=side + above
    )


def _rows(weights: Sequence[Sequence[object]], names: list[str]) -> list[list[float]]:
    if not 1 <= len(names) <= MOST_TOKENS:
        raise ValueError(f"a map can show 1 to {MOST_TOKENS} tokens, got {len(names)}.")
    if len(weights) != len(names):
        raise ValueError(f"{len(names)} tokens need as many rows of weights, got {len(weights)}.")
    rows = []
    for place, row in enumerate(weights, start=1):
        numbers = [plain(weight, f"row {place}") for weight in row]
        if not 1 <= len(numbers) <= len(names):
            raise ValueError(f"row {place} needs 1 to {len(names)} weights, got {len(numbers)}.")
        for number in numbers:
            if not -SLACK <= number <= 1.0 + SLACK:
                raise ValueError(
                    f"row {place}: a weight lies between 0 and 1, got {number_text(number)}. "
                    "Are these the scores from before the softmax?"
                )
        rows.append(numbers)
    return rows


def _numbered(names: list[str], rows: list[list[float]]) -> list[tuple[int, str, list[float]]]:
    return [(k, name, row) for k, (name, row) in enumerate(zip(names, rows, strict=True), start=1)]


def _reads(row: list[float], names: list[str]) -> str:
    """The three largest weights of a row, the largest first."""
    places = sorted(range(len(row)), key=lambda k: -round(row[k], 2))[:3]
    return ", ".join(f"{row[k]:.2f} from {names[k]}" for k in places)


def _draw(axes: "Axes", rows: list[list[float]], names: list[str]) -> None:
    count = len(names)
    axes.grid(False)
    for y, row in enumerate(rows):
        for x in range(count):
            if x < len(row):
                _draw_weight(axes, x, y, row[x], with_number=count <= MOST_NUMBERS)
            else:
                _draw_unseen(axes, x, y)
    if count > MOST_NUMBERS:
        _draw_scale(axes)
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_aspect("equal")
    _label_axes(axes, names)


def _shade(weight: float) -> dict[str, Any]:
    """The looks of a cell: so much of the blue lies over the card."""
    return {
        "facecolor": (PLOT_LINES["blue"], min(max(weight, 0.0), 1.0)),
        "edgecolor": CARD,
        "linewidth": 1.0,
    }


def _draw_weight(axes: "Axes", x: int, y: int, weight: float, with_number: bool) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1.0, 1.0, **_shade(weight)))
    if with_number:
        color = number_color(weight)
        axes.text(x, y, f"{weight:.2f}", ha="center", va="center", color=color, size=FONT_POINTS)


def _draw_unseen(axes: "Axes", x: int, y: int) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle(
            (x - 0.5, y - 0.5),
            1.0,
            1.0,
            facecolor=LIGHT["control"],
            edgecolor=MUTED,
            linewidth=0.0,
            hatch="////",
        )
    )


def _label_axes(axes: "Axes", names: list[str]) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(range(len(names)), names, parse_math=False)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=90 if max(map(len, names)) > 3 else 0)
    axes.set_xlabel("is read (key)")
    axes.set_ylabel("reads (query)")
    for spine in axes.spines.values():
        spine.set_visible(False)


def number_color(weight: float) -> str:
    """The color in which the number of a cell is read best."""
    return ON_PALE if weight < PALE else CARD if weight > DARK else BLACK


def _draw_scale(axes: "Axes") -> None:
    from matplotlib.patches import Rectangle

    for weight in SCALE:
        looks = {**_shade(weight), "edgecolor": MUTED}
        axes.add_patch(Rectangle((0.0, 0.0), 0.0, 0.0, label=f"{weight:g}", **looks))
    legend_above(axes, columns=len(SCALE))
