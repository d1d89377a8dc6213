"""The decks in a real browser, from a file and without a network, on a screen of 1280 x 720."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe import assert_accessible
from engines import BOTH
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

from engine.course import build
from engine.course.offline import NO_PYTHON
from engine.course.places import Places

ROOT = Path(__file__).resolve().parents[2]
NAMES = [file.stem for file in build.chapter_files(Places(ROOT))]
SMALLEST = 0.7
CURRENT = ".slides > section.present:not(.stack), .slides > section.present > section.present"

# What is too large for its place on the slide that is shown, with every fragment there.
TOO_LARGE = """() => {
  const slide = Reveal.getCurrentSlide();
  const content = slide.querySelector('.fit');
  const room = content.parentElement.getBoundingClientRect();
  const named = part => (part.textContent || part.outerHTML).trim().slice(0, 40);
  const found = [];
  const size = Number(content.style.getPropertyValue('--fit'));
  if (!(size >= SMALLEST)) found.push(`the size is ${size}`);
  if (room.bottom > innerHeight || room.right > innerWidth) found.push('the room is too large');
  for (const part of [content, ...content.querySelectorAll('*')]) {
    // A drawing may be larger than the window on it: that one has to be in sight.
    if (part.closest('svg') !== part && part.closest('svg')) continue;
    if (part.parentElement.closest('.rw-scene')) continue;
    if (!part.checkVisibility()) continue;
    const box = part.getBoundingClientRect();
    if (box.bottom > room.bottom + 1 || box.right > room.right + 1 || box.left < room.left - 6)
      found.push(`${part.tagName} ${named(part)}`);
    if (part.matches('pre, .rw-order') && part.scrollWidth > part.clientWidth + 1)
      found.push(`${part.tagName} ${named(part)} would have to be scrolled`);
  }
  return found;
}""".replace("SMALLEST", str(SMALLEST))
# The size of the smallest word on the slide that is shown, in pixels, and the word.
SMALLEST_WORD = """() => {
  const slide = Reveal.getCurrentSlide();
  const fit = Number(slide.querySelector('.fit').style.getPropertyValue('--fit'));
  const found = [];
  for (const part of slide.querySelector('.fit').querySelectorAll('*')) {
    const words = [...part.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    const text = words.map(node => node.data).join('').trim();
    if (!text || !part.checkVisibility() || part.matches('title, desc, script')) continue;
    const drawn = part instanceof SVGElement;
    const scale = drawn ? Math.hypot(part.getScreenCTM().a, part.getScreenCTM().b)
      : fit * part.currentCSSZoom;
    found.push([parseFloat(getComputedStyle(part).fontSize) * scale, text]);
  }
  return found.sort(([one], [other]) => one - other)[0];
}"""
READABLE = 14
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Deck:
    """A deck in a page of its own, and what went wrong in it."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def open(self, file: Path, query: str = "") -> Deck:
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(f"{file.as_uri()}{query}")
        self.page.wait_for_function("() => window.Reveal && Reveal.isReady()")
        return self

    def slides(self) -> Iterator[int]:
        """Show each slide with all its fragments, and give its place."""
        for place in range(self.page.evaluate("() => Reveal.getTotalSlides()")):
            self.show(f"Reveal.getSlides()[{place}]")
            yield place

    def show(self, slide: str) -> None:
        """Show a slide, given as JavaScript, with all its fragments."""
        self.page.evaluate(
            f"() => {{ const {{ h, v }} = Reveal.getIndices({slide}); Reveal.slide(h, v, 99); }}"
        )
        self.page.evaluate(SETTLED)

    def show_view(self, view: str) -> None:
        self.show(f"document.querySelector('[data-view={view}]').closest('section')")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def place(self) -> int:
        """How many slides lie before the one that is shown."""
        place: int = self.page.evaluate("() => Reveal.getSlidePastCount()")
        return place

    def part(self, selector: str) -> Locator:
        """A part of the slide that is shown."""
        return self.page.locator(CURRENT).locator(selector)

    def text(self, selector: str) -> str:
        """The text of a part of the slide that is shown."""
        return self.part(selector).inner_text()

    def check_silent(self) -> None:
        assert not self.errors
        assert not [url for url in self.requests if not url.startswith(("file:", "data:"))]


@pytest.fixture
def deck(browser: Browser, decks: Path) -> Iterator[Callable[..., Deck]]:
    """Open a deck by its name; the network is closed."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, offline=True, reduced_motion="reduce"
    )
    try:
        yield lambda name, query="": Deck(context.new_page()).open(decks / f"{name}.html", query)
    finally:
        context.close()


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_on_its_slide(name: str, deck: Callable[..., Deck]) -> None:
    shown = deck(name)
    wrong = []
    for place in shown.slides():
        wrong += [f"slide {place + 1}: {what}" for what in shown.page.evaluate(TOO_LARGE)]
        answers = shown.part("details")
        for number in range(answers.count()):
            answers.nth(number).locator("summary").first.click()
            shown.page.evaluate(SETTLED)
            found = shown.page.evaluate(TOO_LARGE)
            wrong += [f"slide {place + 1}, answer {number + 1}: {what}" for what in found]
    assert not wrong, "\n".join(wrong)
    shown.check_silent()


@BOTH
def test_a_clicker_steps_the_slides_and_inside_a_view_the_view(deck: Callable[..., Deck]) -> None:
    shown = deck("06-the-seven-node-walk")
    shown.press("PageDown", "PageDown", "PageUp")
    assert shown.place == 1
    shown.show_view("walk")
    here = shown.place
    shown.press("v", "PageDown", "PageDown", "PageDown", "PageUp")
    assert (shown.place, shown.text(".rw-place")) == (here, "2 / 7")
    assert "Step 2 of 7" in shown.text(".rw-story")
    shown.press("Escape", "PageDown", "PageUp")
    assert (shown.place, shown.text(".rw-place")) == (here, "2 / 7")
    shown.part(".rw-node").first.click()
    shown.press("Home", "PageDown")
    assert shown.text(".rw-place") == "1 / 7"
    shown.page.mouse.click(640, 704)
    shown.press("PageDown")
    assert shown.place == here + 1
    shown.check_silent()


@BOTH
def test_every_view_does_what_it_can_without_python(deck: Callable[..., Deck]) -> None:
    shown = deck("01-wiggle-a-number")
    shown.show_view("check")
    shown.press("v", "Home")
    assert shown.text(".rw-place") == "h = 1e−15"
    shown.press("Escape")

    shown = deck("06-the-seven-node-walk")
    shown.show_view("predict")
    assert set(shown.part(".rw-grad").all_text_contents()) == {"?"}
    shown.press("v")
    for typed, told in (("-2", "data of money"), ("3", "Show me"), ("1,0", "\u2713 Right")):
        shown.press(*typed, "Enter")
        assert told in shown.text(".rw-verdict")
        shown.page.evaluate(SETTLED)
        assert not shown.page.evaluate(TOO_LARGE)
    assert sorted(shown.part(".rw-grad").all_text_contents()) == ["1", *"??????"]
    here = shown.place
    shown.press("Escape", "PageDown")
    assert shown.place == here + 1
    shown.check_silent()

    shown = deck("05-order-matters")
    shown.show_view("playground")
    for name in ("y", "u", "v", "x"):
        shown.part(".rw-controls button").filter(has_text=name).first.click()
    assert "6" in shown.text(".rw-story")
    assert "18" in shown.text(".rw-story")
    shown.page.evaluate(SETTLED)
    assert not shown.page.evaluate(TOO_LARGE)
    shown.check_silent()


@pytest.mark.parametrize("name", ["09-neurons-and-layers", "15-the-whole-gpt"])
def test_a_folded_graph_has_its_slide_and_can_be_read_at_every_step(
    name: str, deck: Callable[..., Deck]
) -> None:
    shown = deck(name)
    explorers = shown.page.locator("[data-view=explorer]").count()
    assert explorers
    for number in range(explorers):
        shown.show(
            f"document.querySelectorAll('[data-view=explorer]')[{number}].closest('section')"
        )
        here = shown.place
        shown.press("v")
        last = int(shown.text(".rw-place").removeprefix("0 / "))
        for step in range(last + 1):
            shown.page.evaluate(SETTLED)
            assert shown.text(".rw-place") == f"{step} / {last}"
            assert not shown.page.evaluate(TOO_LARGE)
            size, word = shown.page.evaluate(SMALLEST_WORD)
            assert size >= READABLE - 0.01, word
            shown.press("PageDown")
        shown.part('.rw-node[data-state="current"]').click()
        assert "nodes" in shown.text(".rw-details") or "Used" in shown.text(".rw-details")
        shown.press("Enter")
        shown.page.wait_for_function(
            "told => Reveal.getCurrentSlide().innerText.includes(told)", arg=NO_PYTHON
        )
        shown.press("p")
        shown.page.evaluate(SETTLED)
        assert not shown.page.evaluate(TOO_LARGE)
        shown.press("p")
        shown.page.add_style_tag(content=".fit { transform: none !important; }")
        assert_accessible(shown.part(".fit"))
        shown.press("Escape", "PageDown")
        assert shown.place == here + 1
    shown.check_silent()


def test_a_printed_deck_has_a_page_for_each_slide_and_one_for_four_steps(
    deck: Callable[..., Deck],
) -> None:
    shown = deck("06-the-seven-node-walk")
    slides = shown.page.evaluate("() => Reveal.getTotalSlides()")
    printed = shown.page.pdf(prefer_css_page_size=True)
    # The slide of the walk gives its place to two pages of steps; the answers are the last page.
    assert len(re.findall(rb"/Type /Page\b", printed)) == slides - 1 + 2 + 1

    shown.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    shown.page.emulate_media(media="print")
    cut = shown.page.evaluate(
        """() => [...document.querySelectorAll('.fit, .rw-handout figure')].filter(part => {
          const [inner, room] = [part, part.parentElement].map(p => p.getBoundingClientRect());
          return inner.bottom > room.bottom + 1 || inner.right > room.right + 1;
        }).map(part => part.textContent.trim().slice(0, 60))"""
    )
    assert not cut
    assert shown.page.locator(".rw-handout figure").count() == 8
    shown.page.emulate_media(media="screen")
    shown.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    shown.press("PageDown")
    assert shown.place == 1
    assert not shown.page.evaluate(TOO_LARGE)
    shown.check_silent()


def test_two_pictures_of_one_cell_stand_side_by_side(deck: Callable[..., Deck]) -> None:
    shown = deck("10-learning")
    shown.show("document.querySelector('.picture + .picture').closest('section')")
    first, second = (shown.part(".picture img").nth(place).bounding_box() for place in (0, 1))
    assert first is not None
    assert second is not None
    assert first["x"] + first["width"] <= second["x"]
    assert abs(first["y"] - second["y"]) < first["height"] / 2


def test_an_attention_map_is_large_and_stands_beside_its_code(deck: Callable[..., Deck]) -> None:
    shown = deck("14-attention")
    maps = "[...document.querySelectorAll('.picture > img[alt^=Attention]')]"
    for number in range(shown.page.evaluate(f"() => {maps}.length")):
        shown.show(f"{maps}[{number}].closest('section')")
        code = shown.part(".highlight").bounding_box()
        picture = shown.part(".picture img").bounding_box()
        assert code is not None
        assert picture is not None
        assert code["x"] + code["width"] <= picture["x"]
        assert picture["width"] > 0.28 * 1280


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_deck_is_light_or_dark_and_accessible(theme: str, deck: Callable[..., Deck]) -> None:
    shown = deck("06-the-seven-node-walk", f"?theme={theme}")
    themes = (
        "() => [document.documentElement, document.querySelector('.rw-view')]"
        ".map(part => part.dataset.theme)"
    )
    assert shown.page.evaluate(themes) == [theme, theme]
    # axe cannot tell what lies behind text that is scaled; colors are the same at every size.
    shown.page.add_style_tag(content=".fit { transform: none !important; }")
    for view in ("walk", "predict"):
        shown.show_view(view)
        assert_accessible(shown.part(".fit"))
    for place in (0, 7, 11):
        shown.show(f"Reveal.getSlides()[{place}]")
        assert_accessible(shown.part(".fit"))
    shown.press("t")
    other = {"light": "dark", "dark": "light"}[theme]
    shown.page.evaluate(SETTLED)
    assert shown.page.evaluate(themes) == [other, other]
    shown.check_silent()


def test_the_keys_are_told_and_a_focused_answer_opens_by_key(deck: Callable[..., Deck]) -> None:
    shown = deck("06-the-seven-node-walk")
    shown.press("Shift+?")
    told = shown.page.locator(".r-overlay").inner_text()
    assert "Step the view" in told
    assert "Light or dark" in told
    shown.press("Escape")
    shown.show("document.querySelector('.text details').closest('section')")
    here = shown.place
    shown.part(".text summary").first.focus()
    shown.press("Space")
    assert shown.part(".text details[open]").count() == 1
    assert shown.place == here
    shown.press("PageDown")
    assert shown.place == here + 1


def test_the_speaker_sees_the_notes_in_a_window_of_their_own(deck: Callable[..., Deck]) -> None:
    shown = deck("01-wiggle-a-number")
    shown.show("document.querySelector('aside.notes').closest('section')")
    note = shown.part("aside.notes").text_content() or ""
    with shown.page.expect_popup() as opened:
        shown.press("s")
    speaker = opened.value
    speaker.wait_for_function("note => document.body.innerText.includes(note)", arg=note.strip())
