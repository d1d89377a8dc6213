"""``Predict`` on a page without Python: what it shows is what Python shows, key by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe import assert_accessible
from lab import Lab
from playwright.sync_api import Locator, Page

from engine import Predict, Value, reverse_walk
from engine.course import offline
from engine.text import number_text
from engine.walk import Walk
from engine.widgets import kept
from engine.words.mistakes import Question, questions, wrong_answers
from engine.words.verdicts import judge
from tests.widgets.examples import distinctive, seven_nodes, shared
from tests.widgets.typed import NO_NUMBERS, NUMBERS

ISOLATES = re.compile("[\u2068\u2069]")  # they keep words of any direction apart, unseen
SHOW_ME = "Show me"
# The parts of a view that a person reads.
SHOWN = """view => {
  const texts = (selector, part = view) => [...part.querySelectorAll(selector)]
    .map(element => element.textContent);
  const [verdict, question] = [...view.querySelectorAll('.rw-said')].map(
    story => [...story.children].map(element => element.textContent));
  return {
    question, verdict,
    rows: [...view.querySelectorAll('tbody tr')].map(row => texts('td, th', row)),
    gradients: texts('.rw-grad'),
    captions: texts('.rw-caption[data-active] .rw-product').sort(),
    place: view.querySelector('.rw-place').textContent,
    mayShow: view.querySelectorAll('.rw-controls button')[1].checkVisibility(),
  };
}"""


def told_by_python(view: Predict) -> dict[str, Any]:
    page = view.shown
    verdict = page["verdict"]
    return {
        "question": [page["heading"], *page["summary"]],
        "verdict": [verdict["heading"], *verdict["sentences"]] if verdict else [],
        "rows": [row["cells"] for row in page["rows"]],
        "gradients": [node["grad"] for node in page["nodes"]],
        "captions": sorted(arrow["caption"] for arrow in page["contributions"]),
        "place": page["place"],
        "mayShow": page["mayShow"] and not page["finished"],
    }


def plain(told: object) -> object:
    """Without what only keeps words apart."""
    if isinstance(told, str):
        return ISOLATES.sub("", told)
    if isinstance(told, dict):
        return {name: plain(value) for name, value in told.items()}
    return [plain(part) for part in told] if isinstance(told, list) else told


@pytest.fixture
def on_a_page(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Value, str], tuple[Page, Predict]]]:
    """A view on a page of its own without a network, and its twin in Python."""
    context = lab.browser.new_context(viewport={"width": 1000, "height": 800}, offline=True)
    errors: list[str] = []

    def opened(output: Value, ask: str = "gradients") -> tuple[Page, Predict]:
        with monkeypatch.context() as only_here:
            only_here.setenv(kept.ENVIRONMENT_VARIABLE, "1")
            traits = offline.traits_of_view(Predict(output, ask=ask).get_state())
        shown = nbformat.v4.new_output("display_data", data={offline.LIVE: traits})
        file = tmp_path / "page.html"
        file.write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>'
            f"<style>{offline.views_style()}</style><main>{offline.output_html(shown)}</main>"
            f"{offline.views_script()}</html>",
            encoding="utf-8",
        )
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(file.as_uri())
        return page, Predict(output, ask=ask)

    yield opened
    context.close()
    assert not errors


def act(view: Locator, python: Predict, text: str) -> None:
    """Answer on the page and in Python, or have the answer shown."""
    if text == SHOW_ME:
        view.get_by_role("button", name=SHOW_ME).click()
        python.show_me()
        return
    view.locator("input").fill(text)
    view.locator("input").press("Enter")
    python.answer(text)


def check_same(view: Locator, python: Predict) -> None:
    assert plain(view.evaluate(SHOWN)) == plain(told_by_python(python))


def texts_for(walk: Walk, question: Question, number: int) -> list[str]:
    """What is typed at a question: known mistakes and others, and then the answer, or its end."""
    made = wrong_answers(walk, question)[number % 3 :: 2]
    texts = [number_text(wrong.number) for wrong in made]
    texts = [text for text in texts if not judge(walk, question, text, tries=0).right]
    if number % 2:
        return [*texts, "12345", "x", "-0,125", SHOW_ME]
    rounded = f"{question.answer:.3g}".replace(".", ",")
    return [*texts, rounded if number % 4 else repr(question.answer)]


@pytest.mark.parametrize("make", [seven_nodes, shared, distinctive])
@pytest.mark.parametrize("ask", ["gradients", "contributions"])
def test_a_round_is_told_as_python_tells_it(
    make: Callable[[], Value], ask: str, on_a_page: Callable[..., tuple[Page, Predict]]
) -> None:
    page, python = on_a_page(make(), ask)
    view = page.locator(".rw-view")
    walk = reverse_walk(python.graph)
    check_same(view, python)
    for number, question in enumerate(questions(walk, single=ask == "contributions")):
        for text in texts_for(walk, question, number):
            act(view, python, text)
            check_same(view, python)
    assert python.state.finished
    assert python.summary.shown
    assert python.summary.mistakes
    view.get_by_role("button", name="Start again").press("Enter")
    check_same(view, python.start_again())
    assert view.locator("input").evaluate("field => field === document.activeElement")


def test_what_is_typed_is_read_as_python_reads_it(
    on_a_page: Callable[..., tuple[Page, Predict]],
) -> None:
    page, python = on_a_page(distinctive())
    view = page.locator(".rw-view")
    # A text field holds no line break, and a message to the browser no half of a character.
    cannot_arrive = ("\n", "\ud800")
    act(view, python, "1")  # the next answer is none of the numbers that follow
    for text, _ in (*NUMBERS, *NO_NUMBERS):
        if not text.strip() or not any(sign in text for sign in cannot_arrive):
            act(view, python, text)
            check_same(view, python)
    assert python.state.tries > 20
    assert python.state.number == 2


def test_keys_do_what_they_do_in_a_notebook(
    on_a_page: Callable[..., tuple[Page, Predict]],
) -> None:
    page, python = on_a_page(shared())
    view = page.locator(".rw-view")
    field = view.locator("input")
    view.focus()
    page.keyboard.type("9")  # goes to the field, wherever in the view the focus is
    page.keyboard.press("Enter")
    python.answer("9")
    check_same(view, python)
    assert field.input_value() == "9"
    page.keyboard.type("1")  # what was wrong is selected, so that it is typed over
    page.keyboard.press("Control+Enter")
    python.answer("1")
    check_same(view, python)
    assert field.input_value() == ""
    assert field.evaluate("field => field === document.activeElement")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_verdict_is_accessible_in_both_themes(
    theme: str, on_a_page: Callable[..., tuple[Page, Predict]], tmp_path: Path
) -> None:
    page, python = on_a_page(shared())
    view = page.locator(".rw-view")
    ground = {"light": "#ffffff", "dark": "#111111"}[theme]
    page.evaluate("ground => { document.body.style.background = ground; }", ground)
    for text in ("12", "13", SHOW_ME, "x", "1", "9"):
        act(view, python, text)
        assert view.get_attribute("data-theme") == theme
        assert_accessible(view)
    page.screenshot(path=tmp_path / f"{theme}.png")
