"""What a gradient check says in words: on the page with typographic signs, and as plain text.

The plain text is the same on every machine: the last digits of a measured number, which depend
on how a machine rounds, are left out of it.
"""

import math

from engine.drawing.step_chart import exponent_text
from engine.gradcheck import (
    SMALLEST_TOLD,
    VARYING_REMEDY,
    CheckedInput,
    Verdict,
    varying_text,
)
from engine.gradcheck import error_text as stable_error_text
from engine.step_sizes import Cause, Shape, StepSizes
from engine.text import number_text, one_line, table_lines
from engine.words.naming import MINUS, label, number

MARKS = {
    Verdict.AGREE: "\N{CHECK MARK}",
    Verdict.DIFFER: "\N{MULTIPLICATION SIGN}",
    Verdict.NOTHING: "\N{EMPTY SET}",
    Verdict.KINK: "\N{LOGICAL AND}",
    Verdict.VARIES: "\N{TILDE OPERATOR}",
    Verdict.UNKNOWN: "?",
}
COUNTED = {
    Verdict.AGREE: ("agrees", "agree"),
    Verdict.DIFFER: ("differs", "differ"),
    Verdict.NOTHING: ("says nothing", "say nothing"),
    Verdict.KINK: ("meets a kink", "meet a kink"),
    Verdict.VARIES: ("varies", "vary"),
    Verdict.UNKNOWN: ("has no number", "have no number"),
}
DIGITS = 10
TEXT_DIGITS = 6
CLEAR = 100.0


def measured_text(value: float) -> str:
    """Write a measured number with as many digits as show how rounding spoils it.

    >>> measured_text(-5.995204332975845), measured_text(float("nan"))
    ('−5.995204333', '?')
    """
    if math.isnan(value):
        return "?"
    return f"{value:.{DIGITS}g}".replace("-", MINUS)


def error_text(error: float) -> str:
    """Write an error with two digits.

    >>> error_text(2.18e-13), error_text(0.0), error_text(3.0)
    ('2.2e−13', '0', '3')
    """
    if math.isnan(error):
        return "?"
    if error == 0.0 or 0.001 <= error < 1000.0:
        return f"{error:.2g}"
    return exponent_text(error, 1)


def sure_text(checked: CheckedInput) -> str:
    """Write a central difference with the digits that rounding leaves alone.

    >>> from engine.gradcheck import gradient_check
    >>> sure_text(gradient_check(lambda x: x * x, [3.0], step=1e-13).inputs[0])
    '6'
    """
    value, rounding = checked.central_difference, checked.measured.rounding
    if math.isnan(value):
        return "?"
    if abs(value) <= rounding:
        return "0"
    sure = math.log10(abs(value) / rounding) if rounding > 0.0 else TEXT_DIGITS
    return number_text(float(f"{value:.{min(max(int(sure), 1), TEXT_DIGITS)}g}"))


def size_text(checked: CheckedInput) -> str:
    """Write how large a relative error is: a bound where it may be rounding.

    >>> from engine.gradcheck import gradient_check
    >>> size_text(gradient_check(lambda x: x * x, [3.0]).inputs[0])
    'below 1e-8'
    """
    error = checked.relative_error
    larger = max(abs(checked.gradient), abs(checked.central_difference))
    if math.isnan(error):
        return "?"
    if larger == 0.0 or checked.verdict is Verdict.NOTHING:
        return "-"
    if error < SMALLEST_TOLD:
        return stable_error_text(error)
    noise = CLEAR * checked.measured.rounding / larger
    if error > noise:
        return f"{error:.1g}"
    return f"below {number_text(10.0 ** math.ceil(math.log10(noise)))}"


class CheckWords:
    """What the view says at each step about each input.

    Args:
        study: the checks with all steps.

    >>> words = CheckWords(StepSizes.of(lambda x: x * x * x, [2.0], steps=[1e-5]))
    >>> words.heading(0)
    'h = 1e−5: x agrees.'
    """

    def __init__(self, study: StepSizes) -> None:
        self._study = study
        self._names = [label(checked.name) for checked in study.results[0].inputs]

    def heading(self, place: int) -> str:
        """How many inputs agree at one step."""
        return f"h = {exponent_text(self._study.steps[place])}: {self._summary(place)}"

    def sentences(self, place: int, index: int) -> tuple[str, ...]:
        """What one step says about one input, and why."""
        first, *more = self._told(place, index)
        return (f"{self._names[index]}: {first}", *more)

    def note(self, index: int) -> str:
        """What the plot of one input shows over all steps."""
        shape, best = self._study.shape(index), self._study.best(index)
        checks = self._study.checks(index)
        if all(c.verdict is Verdict.NOTHING for c in checks):
            return ""
        if shape is Shape.ROUNDING_ONLY:
            return (
                "There is no V: where the third derivative is 0, a central difference "
                "has no truncation error. Only rounding is left, and a large step is best."
            )
        if shape is Shape.FLAT:
            return "The error is the same at every step that measures well: no step mends it."
        if shape is Shape.V and best is not None:
            return (
                "The error falls and rises like a V: truncation at large steps, rounding at small "
                f"ones. It is smallest near h = {exponent_text(best)}."
            )
        if shape is Shape.KINK:
            if any(c.measured.kink == 0.0 for c in checks):
                return "At a kink no step helps: there is one slope on each side."
            return "Only a step that does not reach the kink measures the slope here."
        return ""

    def alt(self, index: int) -> str:
        """The plot of one input in one sentence, for a reader who does not see it."""
        errors = [error.central for error in self._study.errors(index)]
        steps = self._study.steps
        range_of_errors = (
            f"The central difference's error lies between {error_text(min(errors))} "
            f"and {error_text(max(errors))}."
            if errors
            else "Nothing could be measured."
        )
        return (
            f"Error against step for {self._names[index]}, both on logarithmic axes, h from "
            f"{exponent_text(steps[0])} to {exponent_text(steps[-1])}. {range_of_errors} "
            f"{self.note(index)}"
        ).strip()

    def text(self, place: int) -> str:
        """One step's check as a table, with what there is to say about each input."""
        result = self._study.results[place]
        heading = f"Gradient check with step h = {number_text(result.step)}: {self._summary(place)}"
        rows = [("input", "data", "gradient", "central difference", "relative error", "verdict")]
        rows += [_text_row(checked) for checked in result.inputs]
        told: dict[str, list[str]] = {}
        for index, checked in enumerate(result.inputs):
            line = " ".join(filter(None, (*self._reasons(place, index), self._plain_note(index))))
            if line:
                told.setdefault(line, []).append(one_line(checked.name))
        notes = [f"{', '.join(names)}: {line}" for line, names in told.items()]
        return "\n".join([heading, *table_lines(rows, left={0, 5}), *notes]).replace(MINUS, "-")

    def _plain_note(self, index: int) -> str:
        """The note, where it neither names a machine's best step nor repeats the verdict."""
        always = self._study.shape(index) is Shape.ROUNDING_ONLY
        return self.note(index) if always else ""

    def _told(self, place: int, index: int) -> tuple[str, ...]:
        checked = self._study.results[place].inputs[index]
        if checked.verdict is Verdict.AGREE:
            return (f"{_both(checked)}; they agree.",)
        if checked.verdict is Verdict.DIFFER:
            return (f"{_both(checked)}; they differ.", self._why(place, index))
        return self._reasons(place, index)

    def _reasons(self, place: int, index: int) -> tuple[str, ...]:
        """What is said besides the numbers."""
        checked = self._study.results[place].inputs[index]
        if checked.verdict is Verdict.DIFFER:
            return (self._why(place, index),)
        if checked.verdict is Verdict.NOTHING:
            exactly = abs(checked.central_difference) <= checked.measured.rounding
            return (
                f"the gradient is 0, and {'0' if exactly else 'almost 0'} is measured.",
                "This says nothing: behind a closed ReLU or a factor 0, a wrong local derivative "
                "also gives 0. Check at a place where the gradient is not 0.",
            )
        if checked.verdict is Verdict.KINK:
            return _about_kink(checked)
        if checked.verdict is Verdict.VARIES:
            return (varying_text(checked.measured), VARYING_REMEDY)
        if checked.verdict is Verdict.UNKNOWN:
            problem = one_line(checked.measured.problem)
            return ("nothing can be measured with this step.", problem)
        return ()

    def _summary(self, place: int) -> str:
        inputs = self._study.results[place].inputs
        counts = {v: sum(c.verdict is v for c in inputs) for v in Verdict}
        told = {verdict: count for verdict, count in counts.items() if count}
        if len(inputs) == 1:
            return f"{self._names[0]} {COUNTED[inputs[0].verdict][0]}."
        if len(told) == 1:
            return f"all {len(inputs)} {COUNTED[inputs[0].verdict][1]}."
        parts = [f"{count} {COUNTED[verdict][count > 1]}" for verdict, count in told.items()]
        return f"of {len(inputs)} inputs {', '.join(parts)}."

    def _why(self, place: int, index: int) -> str:
        cause, best = self._study.cause(place, index), self._study.best(index)
        if cause is Cause.GRADIENT:
            return (
                "They agree at no step, so this is not the step's error: look for a wrong local "
                "derivative, or a contribution that is lost."
            )
        if cause is Cause.ROUNDING:
            why = (
                "The step is too small: f(x+h) and f(x\N{MINUS SIGN}h) are almost equal, and what "
                "is left after subtracting is mostly rounding."
            )
        else:
            why = (
                "The step is too large: the curve bends between x\N{MINUS SIGN}h and x+h "
                "(truncation)."
            )
        return f"{why} With another step they agree." if best is not None else why


def _both(checked: CheckedInput) -> str:
    return (
        f"gradient {number(checked.gradient)}, central difference "
        f"{measured_text(checked.central_difference)}, relative error "
        f"{error_text(checked.relative_error)}"
    )


def _about_kink(checked: CheckedInput) -> tuple[str, ...]:
    left, right = (
        number(float(f"{slope:.3g}"))
        for slope in (checked.measured.backward, checked.measured.forward)
    )
    slopes = f"measured to the left the slope is {left}, to the right {right}"
    if not checked.measured.kink:
        return (
            f"there is a kink right here: {slopes}.",
            f"So there is no derivative. The gradient {number(checked.gradient)} is a choice, "
            "which no central difference can confirm.",
        )
    distance = number(float(f"{checked.measured.kink:.2g}"))
    return (
        f"the step straddles a kink that is {distance} away: {slopes}.",
        "The central difference mixes the slopes of both sides. Take a step that does not reach "
        "the kink.",
    )


def _text_row(checked: CheckedInput) -> tuple[str, str, str, str, str, str]:
    return (
        one_line(checked.name),
        number_text(checked.data),
        number_text(checked.gradient),
        sure_text(checked),
        size_text(checked),
        str(checked.verdict),
    )


def page_row(checked: CheckedInput) -> dict[str, str]:
    """What the table on the page shows of one input at one step.

    >>> from engine.gradcheck import gradient_check
    >>> page_row(gradient_check(lambda x: x * x, [3.0]).inputs[0])["verdict"]
    'agree'
    """
    return {
        "state": checked.verdict.name.lower(),
        "mark": MARKS[checked.verdict],
        "central": measured_text(checked.central_difference),
        "absolute": error_text(checked.absolute_error),
        "relative": error_text(checked.relative_error),
        "verdict": str(checked.verdict),
    }
