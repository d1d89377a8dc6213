"""``Predict`` in a real JupyterLab: typed by keyboard, judged by Python, nothing told too early."""

from __future__ import annotations

import time
from base64 import b64decode
from pathlib import Path
from typing import Any

from axe import assert_accessible
from lab import Lab, LabPage, wait_until
from playwright.sync_api import Locator

from engine.text import number_text

IMPORTS = "from engine import Predict, Value"
SQUARE = "x = Value(3.0)\nu = x * x\ny = u + x\nquiz = Predict(y)\nquiz"
# Gradients that are no number of the forward pass: 0.916..., -0.833..., 0.583...
SECRET = """\
a, b, c = Value(0.637), Value(-0.91), Value(0.283)
e = a * b
d = e + c
z = d.tanh()
z.backward()
secret = Predict(z, ask='contributions')
secret"""
HOSTILE = """\
p = Value(2.0, "<img src=x onerror='window.hacked=1'>")
q = p * p
q.label = '</text><script>window.hacked = 1</script>'
Predict(q)"""
REPORT = "print('heard', quiz.state.number, quiz.state.tries, quiz.summary.mistakes)"

# What x*x + x at 3 can tell apart: each mistake once, with words of its hint.
MISTAKES = [
    ("12", "data of y"),
    ("0", "starts here"),
    ("-1", "sign is not"),
    ("1", "✓ Right"),
    ("9", "data of u"),
    ("0.5", "does not share"),
    ("3", "no multiplication"),
    ("1,0", "✓ Right"),
    ("4", "uses x twice"),
    ("3", "would overwrite"),
    ("9", "were multiplied"),
    ("6", "missing"),
    ("\u22127", "sign is not"),
    ("x7", "does not count as a try"),
    ("7", "✓ Right"),
]


def view_of(page: LabPage, number: int) -> Locator:
    view = page.page.locator(".rw-view").nth(number)
    view.scroll_into_view_if_needed()
    return view


def type_answer(page: LabPage, view: Locator, text: str) -> str:
    """Type into the focused field, press Enter, and return the verdict when it is there."""
    keyboard = page.page.keyboard
    shown = view.locator(".rw-verdict")
    shown.evaluate(
        "element => element.querySelectorAll('strong').forEach(part => { part.dataset.old = ''; })"
    )
    keyboard.type(text)
    keyboard.press("Enter")
    wait_until(lambda: shown.locator("strong:not([data-old])").count() == 1, f"a verdict on {text}")
    return shown.inner_text()


def focused(page: LabPage) -> str:
    return str(
        page.page.evaluate(
            "() => document.activeElement.className || document.activeElement.tagName"
        )
    )


def frames(page: LabPage) -> list[str]:
    """Everything that comes to the page over its web sockets from now on."""
    heard: list[str] = []

    def keep(event: dict[str, Any]) -> None:
        frame = event["response"]
        text = frame["payloadData"]
        heard.append(text if frame["opcode"] == 1 else b64decode(text).decode("utf-8", "replace"))

    page.devtools.on("Network.webSocketFrameReceived", keep)
    page.devtools.send("Network.enable")
    return heard


def secrets() -> list[float]:
    """The gradients of the second view, from the engine alone."""
    from engine import Value

    a, b, c = Value(0.637), Value(-0.91), Value(0.283)
    d = a * b + c
    z = d.tanh()
    z.backward()
    return [d.grad, a.grad, b.grad]


def test_every_mistake_once_by_keyboard_alone(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook([IMPORTS, SQUARE, REPORT], "predict.ipynb")
    page.run_all()
    cells = page.cells()
    view = view_of(page, 0)
    field = view.locator("input")
    show_me = view.get_by_role("button", name="Show me")
    field.focus()
    tries = 0
    for typed, told in MISTAKES:
        assert (
            field.get_attribute("aria-label")
            == view.locator(".rw-story:not(.rw-verdict) strong").inner_text().split(": ")[1]
        )
        assert show_me.is_visible() == (tries >= 2)
        verdict = type_answer(page, view, typed)
        assert told in verdict, (typed, verdict)
        if told.startswith("✓"):
            tries = 0
        elif "does not count" not in told:
            tries += 1
        finished = "All 3 questions" in view.inner_text()
        assert focused(page).startswith("rw-view" if finished else "INPUT")
        assert field.input_value() == ("" if told.startswith("✓") else typed)
    assert "0 of 3 right at the first try." in view.inner_text()
    assert "counted one use of two: once" in view.inner_text()
    assert view.locator(".rw-grad").all_text_contents() == ["7", "1", "1"]
    page.page.keyboard.press("x")
    page.page.keyboard.press("j")
    page.page.keyboard.press("d")
    page.page.keyboard.press("d")
    assert page.cells() == cells
    assert focused(page).startswith("rw-view")
    for theme in ("light", "dark"):
        page.theme(theme)
        view_of(page, 0)
        assert_accessible(view)
        page.screenshot(tmp_path / f"end-{theme}.png")
    printed = page.run_cell(2)
    assert "heard 3 0" in printed
    assert "'counted one use of two': 1" in printed
    again = view.get_by_role("button", name="Start again")
    again.focus()
    page.page.keyboard.press("Enter")
    wait_until(field.is_visible, "the first question is asked again")
    assert "What is y.grad?" in view.inner_text()
    assert view.locator(".rw-grad").all_text_contents() == ["?", "?", "?"]
    assert focused(page) == "INPUT"
    assert not page.console_errors
    assert not page.foreign_requests


def test_nothing_is_in_the_page_before_it_is_answered(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook([IMPORTS, SECRET, HOSTILE], "secret.ipynb")
    heard = frames(page)
    page.run_all()
    view = view_of(page, 0)
    view.locator("input").focus()
    d, a, b = secrets()
    for typed, hidden in (("99", (d, a, b)), ("0.1", (d, a, b)), (repr(d), (a, b))):
        type_answer(page, view, typed)
        everything = "\n".join(heard) + page.page.content()
        for secret in hidden:
            digits = number_text(abs(secret))
            assert digits not in everything, f"{digits} is told before it is answered"
    assert number_text(d) in "\n".join(heard), "the frames are not what is looked at"
    assert number_text(d) in view.locator(".rw-grad").all_text_contents()
    captions = view.locator(".rw-caption[data-active] .rw-product").all_text_contents()
    assert "?" in captions

    page.zoom(2.0)
    view_of(page, 0)
    assert view.evaluate("e => e.scrollWidth <= e.clientWidth + 1"), "wider than its cell"
    field = view.locator("input")
    field.focus()
    assert field.bounding_box()["width"] > 50  # type: ignore[index]
    assert_accessible(view)
    page.screenshot(tmp_path / "zoom.png")
    page.zoom(1.0)

    hostile = view_of(page, 1)
    hostile.locator("input").focus()
    assert "Not 4" in type_answer(page, hostile, "4")
    assert "script" in hostile.inner_text()
    assert page.page.evaluate("() => window.hacked") is None
    assert_accessible(hostile)

    # One Enter too many belongs to the question before, not to the next one.
    page.page.keyboard.type("1")
    hostile.locator("input").evaluate(
        """field => {
          const press = () => field.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
          press();
          press();
        }"""
    )
    wait_until(lambda: "Question 2 of 2" in hostile.inner_text(), "the second question")
    time.sleep(0.5)
    assert "✓ Right" in hostile.locator(".rw-verdict").inner_text()

    page.shutdown_kernel()
    hostile.locator("input").focus()
    page.page.keyboard.type("4")
    page.page.keyboard.press("Enter")
    notice = hostile.locator(".rw-notice")
    wait_until(lambda: "run this cell again" in notice.inner_text(), "it says Python is gone")
    assert not page.foreign_requests


def test_keys_that_run_or_edit_a_cell_stay_in_the_field(lab: Lab) -> None:
    page = lab.notebook([IMPORTS, SQUARE], "keys.ipynb")
    page.run_all()
    view = view_of(page, 0)
    counts = [cell["count"] for cell in page.cells()]
    view.locator("input").focus()
    for typed, keys in (("12", "Control+Enter"), ("14", "Enter")):
        page.page.keyboard.press("Control+a")
        page.page.keyboard.type(typed)
        assert view.locator("input").input_value() == typed
        page.page.keyboard.press(keys)
        told = f"Not {typed}"
        wait_until(lambda told=told: told in view.inner_text(), told)
    assert [cell["count"] for cell in page.cells()] == counts
    assert focused(page) == "INPUT"

    # What is typed before Python has answered is the beginning of the next answer.
    page.page.keyboard.press("Control+a")
    page.page.keyboard.type("1")
    view.locator("input").evaluate(
        """field => {
          field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
          document.execCommand('insertText', false, '7');
        }"""
    )
    wait_until(lambda: "Question 2 of 3" in view.inner_text(), "the second question")
    assert view.locator("input").input_value() == "7"
