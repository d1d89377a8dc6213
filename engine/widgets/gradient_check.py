"""``GradientCheck(f, at)``: the engine's gradients beside measured ones, for any step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from engine.drawing.step_chart import StepChart, exponent_text
from engine.gradcheck import TOLERANCE, GradientCheckResult, Verdict, gradient_check
from engine.measuring import STEP, Inputs
from engine.step_sizes import FINE_STEPS, StepSizes
from engine.text import number_text
from engine.value import Value
from engine.widgets import front_end
from engine.widgets.gradient_check_words import CheckWords, page_row
from engine.widgets.view import SteppedView
from engine.words.naming import label, number

LARGEST_CHECKED = 30
COLUMNS = (
    "plot",
    "input",
    "data",
    "gradient",
    "central difference",
    "absolute error",
    "relative error",
    "verdict",
)
HINT = (
    "Click here, then: left and right arrow keys or a clicker change h, Home and End go to the "
    "smallest and the largest; up and down choose the input of the plot."
)


@dataclass(frozen=True)
class CheckState:
    """What a ``GradientCheck`` shows.

    Attributes:
        h: the step of the differences.
        input: name of the input whose plot is shown.
        verdicts: for each input by name: ``"agree"``, ``"differ"``, ``"says nothing"``,
            ``"kink"``, ``"varies"`` or ``"no number"``.
        heading: the line above the sentences.
        sentences: what this step says about this input, and why.
    """

    h: float
    input: str
    verdicts: dict[str, str]
    heading: str
    sentences: tuple[str, ...]


class GradientCheck(SteppedView):
    """Compare ``backward()`` with central differences, for steps from large to tiny.

    A table has one row for each input; the plot shows how the errors of one of them depend on
    the step. The slider, or the keys for left and right, change the step; up and down choose
    the input.

    All steps are measured at once, so that the slider needs no kernel: the function runs some
    two hundred times for each input. For one that takes long give fewer ``steps``.

    Args:
        function: takes Values, gives a Value.
        at: the inputs, in order or by name, as plain numbers.
        step: the h that is shown first.
        tolerance: the largest relative error that passes.
        steps: the h the slider goes through; ``step`` is added to them.
        presenter: begin in presenter mode, with large type for a projector.

    Attributes:
        index: which of the steps is shown, counted from the smallest, to be read and set.
        chosen: which input's plot is shown, counted from 0, to be read and set.
        study: the checks with all steps.

    Raises:
        TypeError: the function does not give a Value, or an input is not a real number.
        ValueError: there is no input, or more than can be looked at; or the step is not above
            0, does not move an input, or leaves the place where the function exists.
        traitlets.TraitError: ``index`` or ``chosen`` is set to what does not exist.

    >>> check = GradientCheck(lambda x: x * x * x, [2.0])
    >>> check
    Gradient check with step h = 1e-05: x agrees.
    input  data  gradient  central difference  relative error  verdict
    x         2        12                  12      below 1e-8  agree
    >>> check.h = 1e-1
    >>> check.state.verdicts, round(check.result.inputs[0].central_difference, 6)
    ({'x': 'differ'}, 12.01)
    """

    _esm = front_end.script("gradient_check")

    chosen = traitlets.Int(0).tag(sync=True)
    positions = "the steps of this check have the positions"

    study: StepSizes

    def __init__(
        self,
        function: Callable[..., Value],
        at: Inputs,
        step: float = STEP,
        tolerance: float = TOLERANCE,
        steps: Sequence[float] = FINE_STEPS,
        presenter: bool = False,
    ) -> None:
        _require_few(at)
        first = gradient_check(function, at, step, tolerance)
        self.study = StepSizes.of(function, at, [*steps, step], tolerance)
        self._words = CheckWords(self.study)
        super().__init__(
            view="check",
            payload=check_payload(self.study),
            index=self.study.steps.index(step),
            chosen=_most_telling(first),
            presenter=presenter,
        )

    @property
    def h(self) -> float:
        """The step of the differences; it can be set to any of ``study.steps``."""
        return self.study.steps[self.index]

    @h.setter
    def h(self, step: float) -> None:
        if step not in self.study.steps:
            few = ", ".join(map(number_text, self.study.steps[::-1][:4]))
            raise ValueError(
                f"{step!r} is none of the {len(self.study.steps)} steps of this check: {few}, "
                "... Make a new check with step=... for another one."
            )
        self.index = self.study.steps.index(step)

    @property
    def result(self) -> GradientCheckResult:
        """The gradient check with this step."""
        return self.study.results[self.index]

    @property
    def state(self) -> CheckState:
        """What is shown now."""
        return CheckState(
            h=self.h,
            input=self.result.inputs[self.chosen].name,
            verdicts={c.name: str(c.verdict) for c in self.result.inputs},
            heading=self._words.heading(self.index),
            sentences=self._words.sentences(self.index, self.chosen),
        )

    @property
    def last(self) -> int:
        """The last position: the largest step."""
        return len(self.study.steps) - 1

    @traitlets.validate("chosen")
    def _known_input(self, proposal: dict[str, Any]) -> int:
        chosen, last = int(proposal["value"]), len(self.study.results[0].inputs) - 1
        if not 0 <= chosen <= last:
            raise traitlets.TraitError(f"chosen goes from 0 to {last} here, got {chosen}.")
        return chosen

    def __repr__(self) -> str:
        return self._words.text(self.index)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, str], dict[str, Any]]:
        bundle, metadata = super()._repr_mimebundle_(**options)
        chart = step_chart(self.study, self._words, self.chosen)
        return {**bundle, "image/svg+xml": chart.svg(self.index)}, metadata


def check_payload(study: StepSizes) -> dict[str, Any]:
    """Turn the checks with all steps into what the front end shows.

    Returns:
        Plain data for JSON: for each input its plot, and what there is to say about it at each
        step; for each step the rows of the table.

    >>> payload = check_payload(StepSizes.of(lambda x: x * x, [3.0], steps=[1e-5, 1e-3]))
    >>> [place["step"] for place in payload["places"]]
    ['1e−5', '1e−3']
    """
    words, inputs = CheckWords(study), study.results[0].inputs
    charts = [step_chart(study, words, index) for index in range(len(inputs))]
    names = ", ".join(label(checked.name) for checked in inputs)
    return {
        "summary": f"Gradient check of {len(inputs)} inputs: {names}"
        if len(inputs) > 1
        else f"Gradient check of {names}",
        "caption": "The engine's gradients beside measured ones",
        "columns": list(COLUMNS),
        "slider": "Step h",
        "hint": HINT,
        "places": [
            {
                "step": exponent_text(result.step),
                "heading": words.heading(place),
                "x": f"{charts[0].x(result.step):.1f}",
                "rows": [page_row(checked) for checked in result.inputs],
            }
            for place, result in enumerate(study.results)
        ],
        "inputs": [
            {
                "name": label(checked.name),
                "data": number(checked.data),
                "gradient": number(checked.gradient),
                "svg": charts[index].svg(0),
                "note": words.note(index),
                "sentences": [
                    list(words.sentences(place, index)) for place in range(len(study.steps))
                ],
            }
            for index, checked in enumerate(inputs)
        ],
    }


def step_chart(study: StepSizes, words: CheckWords, index: int) -> StepChart:
    """The plot of one input's errors against the step."""
    errors = study.errors(index)
    checks = study.checks(index)
    kinks = [c.measured.kink for c in checks if c.measured.kink]
    gradient = abs(checks[0].gradient)
    return StepChart(
        errors=errors,
        places=tuple(study.steps.index(error.step) for error in errors),
        steps=study.steps,
        alt=words.alt(index),
        agreement=study.results[0].tolerance * gradient or None,
        kink=min(kinks, default=None),
    )


def _most_telling(result: GradientCheckResult) -> int:
    verdicts = [checked.verdict for checked in result.inputs]
    return next((i for i, v in enumerate(verdicts) if v is not Verdict.AGREE), 0)


def _require_few(at: Inputs) -> None:
    count = len(at) if hasattr(at, "__len__") else 0
    if count > LARGEST_CHECKED:
        raise ValueError(
            f"a check of {count} inputs is too long to look at (the limit is {LARGEST_CHECKED}). "
            "Check some of them, with a function of these alone; or print gradient_check(f, at)."
        )
