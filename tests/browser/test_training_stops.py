"""A training in a real notebook: seen, stopped, interrupted; and the slider of learning rates."""

from __future__ import annotations

from pathlib import Path

from axe import assert_accessible
from lab import Lab, LabPage, text_pixels, wait_until
from matplotlib.image import imread
from playwright.sync_api import Locator

LOOP = """import time
from engine import Training
learned = 0
training = Training(20000)
for step in training:
    time.sleep(0.02)
    learned += 1"""
TELL = "print(learned, training.done, training.stopped)"
RATES = """from engine import LearningRates
rates = LearningRates(lambda w: (w - 3) ** 2, start=5.0, rates=[0.01, 0.3, 0.9, 1.1], steps=12)
rates"""
TELL_RATE = "print(rates.rate)"


def start(page: LabPage) -> Locator:
    """Press Run All, and return the running training's button."""
    page.menu("Run", "Run All Cells")
    stop = page.page.get_by_role("button", name="Stop after this step")
    stop.wait_for()
    wait_until(lambda: page.page.locator("progress").evaluate("bar => bar.value") > 0, "a step")
    return stop


def stopped_after(page: LabPage) -> int:
    """Wait for the end of both cells; returns how many steps were done."""
    end = page.page.locator(".rw-training-end").filter(has_text="what was learned is kept")
    end.wait_for()
    wait_until(page._idle, "the kernel idles")
    done = int(end.inner_text().split()[2])
    assert end.inner_text() == f"Stopped after {done} of 20000 steps; what was learned is kept."
    told = page.code_cell(1).locator(".jp-OutputArea-output")
    wait_until(lambda: told.all_inner_texts() == [f"{done} {done} True\n"], "the next cell's words")
    return done


def test_a_running_training_is_ended_by_its_button_and_by_an_interrupt(
    lab: Lab, tmp_path: Path
) -> None:
    page = lab.notebook([LOOP, TELL], "training.ipynb")
    page.wait_for_kernel()
    press = page.page.keyboard.press
    sources = [cell["source"] for cell in page.cells()]

    stop = start(page)
    assert page.page.get_by_role("progressbar", name="Training").count() == 1
    for theme in ("light", "dark"):
        page.theme(theme)
        assert_accessible(page.page.locator(".rw-training"))
        page.screenshot(tmp_path / f"running-{theme}.png")
    stop.focus()
    for key in ("x", "d", "d", "j", "a", "b"):
        press(key)
    assert page.page.locator("progress").evaluate("bar => bar.value < bar.max")
    press("Enter")
    assert 0 < stopped_after(page) < 20000
    assert [cell["source"] for cell in page.cells()] == sources
    end = page.page.locator(".rw-training-end")
    wait_until(lambda: end.evaluate("end => end === document.activeElement"), "the end has focus")
    assert_accessible(page.page.locator(".rw-training"))
    page.theme("light")
    assert_accessible(page.page.locator(".rw-training"))

    start(page).dblclick()  # a second click must not break the step off
    assert 0 < stopped_after(page) < 20000

    start(page)
    page.code_cell(0).locator(".jp-InputPrompt").click()
    press("i")
    press("i")
    assert 0 < stopped_after(page) < 20000
    assert page.console_errors == []
    assert page.foreign_requests == []


def test_the_slider_of_learning_rates_goes_by_keyboard(lab: Lab, tmp_path: Path) -> None:
    page = lab.notebook([RATES, TELL_RATE], "rates.ipynb").run_all()
    press = page.page.keyboard.press
    sources = [cell["source"] for cell in page.cells()]
    view = page.page.locator(".rw-view")
    slider = view.get_by_role("slider", name="Learning rate")
    story, picture = view.locator(".rw-story"), view.get_by_role("img")

    def shows(rate: str, words: str) -> None:
        wait_until(lambda: slider.get_attribute("aria-valuetext") == rate, f"rate {rate}")
        assert story.locator("strong").inner_text().startswith(f"Learning rate {rate}: ")
        assert words in story.inner_text()
        assert "Descent on a curve, w from 5" in (picture.get_attribute("alt") or "")

    shows("0.01", "still far")
    picture.click()
    pictures = {picture.get_attribute("src")}
    for key, rate, words in (
        ("ArrowRight", "0.3", "it arrives"),
        ("PageDown", "0.01", "still far"),
        ("End", "1.1", "it grows: the last are"),
        ("ArrowLeft", "0.9", "jumps over"),
    ):
        press(key)
        shows(rate, words)
        pictures.add(picture.get_attribute("src"))
    assert len(pictures) == 4
    slider.focus()
    press("Home")
    shows("0.01", "still far")
    press("ArrowUp")
    shows("0.3", "it arrives")
    for key in ("x", "j", "k", "d", "d", "a", "b", "m", "y", "z"):
        press(key)
    assert [cell["source"] for cell in page.cells()] == sources
    view.get_by_role("button", name="Larger").click()
    shows("0.9", "jumps over")

    corners = []
    for theme in ("light", "dark"):
        page.theme(theme)
        assert_accessible(view)
        page.screenshot(tmp_path / f"rates-{theme}.png")
        picture.screenshot(path=tmp_path / "plot.png")
        corners.append(imread(tmp_path / "plot.png")[2, 2, :3].mean())
    assert corners[0] > 0.95, "a light card on a light page"
    assert corners[1] < 0.15, "a dark card on a dark page"
    for key, least in (("p", 16), ("f", 24)):
        press(key)
        wait_until(lambda least=least: text_pixels(picture) >= least, f"texts of {least} pixels")
    press("f")
    press("p")
    page.zoom(2.0)
    assert view.evaluate("view => view.scrollWidth <= view.clientWidth + 1")
    page.zoom(1.0)

    assert page.run_cell(1) == "0.9"
    assert page.console_errors == []
    assert page.foreign_requests == []
