"""What a learner typed, as a number: written the way people write numbers, not programs."""

import math
import re
import unicodedata
from typing import Any

from engine.words.naming import LONGEST_LABEL, label

LONGEST_ANSWER = 60
MINUS_SIGNS = "\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d"
SLASHES = "\u2044\u2215\u00f7\uff0f"
SAME_MEANING = {
    **dict.fromkeys(MINUS_SIGNS, "-"),
    **dict.fromkeys(SLASHES, "/"),
    "\uff0b": "+",
    "\uff0c": ",",
    "\u066b": ".",
    "\uff0e": ".",
}
TRANSLATION = str.maketrans(SAME_MEANING)
# A page without Python reads with the same patterns and says the same sentences: see ``reading``.
UNSIGNED = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?"
PATTERNS = {
    "number": rf"^[+-]?{UNSIGNED}$",
    "fraction": rf"^([+-]?{UNSIGNED})/([+-]?{UNSIGNED})$",
    "space": r"[\d.,]\s+[\d.,]",
    "twoWays": r"(?<![\d.,])(?!0)\d{1,3},\d{3}(?![\d.,eE])",
    "digit": r"\d",
    "calculation": r"[*^()\u00d7\u00b7=+-]",
}
HOW_TO_WRITE = "Numbers such as 6, -0.5, 0,5, 1/3 or 2e-3 are understood."
SENTENCES = {
    "long": f"That is longer than {LONGEST_ANSWER} characters. {HOW_TO_WRITE}",
    "empty": f"Nothing is there to check yet. {HOW_TO_WRITE}",
    "space": "There is a space inside {text}: one number, please.",
    "twoWays": "{text} can be read in two ways: write {whole} without a comma, or {decimal} with "
    "a point, please.",
    "large": "{text} is larger than any number this view can hold.",
    "zero": "{text} divides by zero, and that has no value.",
    "separators": "{text} has both a comma and a point. Write it without separators for "
    "thousands, please.",
    "calculation": "{text} is a calculation: type its result, please.",
    "other": f"{{text}} is not a number. {HOW_TO_WRITE}",
}


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
        raise _not_a_number("long", text)
    written = "".join(map(_plain_digit, text.translate(TRANSLATION))).strip()
    if not written:
        raise _not_a_number("empty", text)
    if _find("space", written):
        raise _not_a_number("space", text)
    if unclear := _find("twoWays", written):
        whole, decimal = (unclear.group().replace(",", instead) for instead in ("", "."))
        raise _not_a_number("twoWays", text, whole=whole, decimal=decimal)
    number = _value("".join(written.split()), text)
    if not math.isfinite(number):
        raise _not_a_number("large", text)
    return number


def reading() -> dict[str, Any]:
    """How ``typed_number`` reads, for a page that has to read without Python.

    >>> sorted(reading())
    ['longest', 'longestQuoted', 'patterns', 'same', 'sentences']
    """
    return {
        "longest": LONGEST_ANSWER,
        "longestQuoted": LONGEST_LABEL,
        "same": SAME_MEANING,
        "patterns": PATTERNS,
        "sentences": SENTENCES,
    }


def _value(written: str, text: str) -> float:
    if _find("number", written):
        return _decimal(written)
    if fraction := _find("fraction", written):
        numerator, denominator = map(_decimal, fraction.groups())
        if denominator == 0.0:
            raise _not_a_number("zero", text)
        return numerator / denominator
    if "," in written and "." in written:
        raise _not_a_number("separators", text)
    if _find("digit", written) and _find("calculation", written):
        raise _not_a_number("calculation", text)
    raise _not_a_number("other", text)


def _find(pattern: str, written: str) -> re.Match[str] | None:
    return re.search(PATTERNS[pattern], written)


def _plain_digit(character: str) -> str:
    return str(unicodedata.decimal(character, character))


def _decimal(written: str) -> float:
    return float(written.replace(",", "."))


def _not_a_number(why: str, text: str, **read: str) -> NotANumber:
    return NotANumber(SENTENCES[why].format(text=label(text), **read))
