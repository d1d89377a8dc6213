"""What a learner typed, as a number: written the way people write numbers, not programs."""

import math
import re

from engine.drawing.words import label
from engine.text import shown

LONGEST_ANSWER = 60
MINUS_SIGNS = "\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d"
SLASHES = "\u2044\u2215\u00f7\uff0f"
SAME_MEANING = str.maketrans(
    {
        **dict.fromkeys(MINUS_SIGNS, "-"),
        **dict.fromkeys(SLASHES, "/"),
        "\uff0b": "+",
        "\uff0c": ",",
        "\u066b": ".",
        "\uff0e": ".",
    }
)
UNSIGNED = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?"
NUMBER = re.compile(rf"[+-]?{UNSIGNED}")
FRACTION = re.compile(rf"([+-]?{UNSIGNED})/([+-]?{UNSIGNED})")
THOUSANDS_OR_DECIMALS = re.compile(r"(?<![\d.,])(?!0)\d{1,3},\d{3}(?![\d.,eE])")
HOW_TO_WRITE = "Numbers such as 6, -0.5, 0,5, 1/3 or 2e-3 are understood."


class NotANumber(ValueError):  # noqa: N818 - nothing failed; a person is told what to type
    """What was typed cannot be read as a number; the message says it to the learner."""


def typed_number(text: str) -> float:
    """Read a number as a person writes it.

    A hyphen and the typographic minus are the same, so are decimal point and decimal comma; a
    fraction is worked out; spaces around the parts do not matter. A comma before exactly three
    digits could part thousands or begin decimals, and is asked back.

    Args:
        text: what was typed.

    Raises:
        NotANumber: the text is something else, or the number has no finite value.

    >>> [typed_number(text) for text in ("6", " \u2212 4", "+0,5", "-1/4", "2e-3")]
    [6.0, -4.0, 0.5, -0.25, 0.002]
    """
    if len(text) > LONGEST_ANSWER:
        raise NotANumber(f"That is longer than {LONGEST_ANSWER} characters. {HOW_TO_WRITE}")
    written = text.translate(SAME_MEANING).strip()
    if not written:
        raise NotANumber(f"Nothing is there to check yet. {HOW_TO_WRITE}")
    if re.search(r"[\d.,]\s+[\d.,]", written):
        raise NotANumber(f"There is a space inside {_quoted(text)}: one number, please.")
    if unclear := THOUSANDS_OR_DECIMALS.search(written):
        read = unclear.group()
        whole, decimal = read.replace(",", ""), read.replace(",", ".")
        raise NotANumber(
            f"{_quoted(text)} can be read in two ways: write {whole} without a comma, or "
            f"{decimal} with a point, please."
        )
    number = _value("".join(written.split()), text)
    if not math.isfinite(number):
        raise NotANumber(f"{_quoted(text)} is larger than any number this view can hold.")
    return number


def _value(written: str, text: str) -> float:
    if NUMBER.fullmatch(written):
        return _decimal(written)
    if fraction := FRACTION.fullmatch(written):
        numerator, denominator = map(_decimal, fraction.groups())
        if denominator == 0.0:
            raise NotANumber(f"{_quoted(text)} divides by zero, and that has no value.")
        return numerator / denominator
    if "," in written and "." in written:
        raise NotANumber(
            f"{_quoted(text)} has both a comma and a point. Write it without separators for "
            "thousands, please."
        )
    if re.search(r"\d", written) and re.search(r"[*^()\u00d7\u00b7=+-]", written):
        raise NotANumber(f"{_quoted(text)} is a calculation: type its result, please.")
    raise NotANumber(f"{_quoted(text)} is not a number. {HOW_TO_WRITE}")


def _decimal(written: str) -> float:
    return float(written.replace(",", "."))


def _quoted(text: str) -> str:
    return label(shown(text)[1:-1])
