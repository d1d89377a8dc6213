"""The site in a real browser: from a folder and from a server, both without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from axe import LEAST_CONTRAST, faint_texts
from axe_playwright_python.sync_playwright import Axe
from engines import BOTH
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, Response

from engine.course import build, offline
from engine.course.places import Places

ROOT = Path(__file__).resolve().parents[2]
PLACES = Places(ROOT)
CHAPTERS = [f"notebooks/{file.stem}.html" for file in build.chapter_files(PLACES)]
EXERCISES = [f"exercises/{file.stem}.html" for file in sorted(PLACES.exercises.glob("*.ipynb"))]
ADDRESSES = ["index.html", *CHAPTERS, "notebooks/glossary.html", *EXERCISES]
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
SEVEN_NODES = "notebooks/06-the-seven-node-walk.html"

SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What is wider than the window, though no box around it scrolls.
TOO_WIDE = """() => {
  const inBox = part => part.closest('pre, .picture, .table, .rw-scene, .rw-order, .formula');
  const found = [...document.querySelectorAll('body *')].filter(part =>
    part.checkVisibility() && !inBox(part.parentElement) && !part.closest('.skip, svg svg *') &&
    part.getBoundingClientRect().right > innerWidth + 1);
  if (document.documentElement.scrollWidth > innerWidth) found.push(document.documentElement);
  return found.map(part => part.outerHTML.slice(0, 80));
}"""
# A box that scrolls must be reached by the Tab key.
OUT_OF_REACH = """() => [...document.querySelectorAll('pre, .picture, .table')]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0)
  .map(box => box.outerHTML.slice(0, 80))"""
# A picture that is made of pixels must be seen as a whole; a graph may be moved sideways.
CUT_OFF = """() => [...document.querySelectorAll('.picture:has(img)')]
  .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map(box => box.innerText)"""
# What axe finds. Its rule on contrast takes long, and code has thousands of words: see below.
VIOLATIONS = """async onlyContrast => {
  const runs = [[{ exclude: ['svg text', 'pre'] }, { runOnly: ['color-contrast'] }]];
  const others = { rules: { 'color-contrast': { enabled: false } } };
  if (!onlyContrast) runs.push([{ exclude: ['svg text'] }, others]);
  const found = [];
  for (const [part, options] of runs) {
    const told = { ...options, resultTypes: ['violations', 'passes'], preload: false };
    const { violations, passes } = await axe.run(part, told);
    if (!passes.length) found.push('axe saw nothing');
    for (const { id, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${id}: ${html.slice(0, 80)}: ${failureSummary}`);
  }
  return found;
}"""
# Words of code and of what it printed that stand out too little from what is behind them.
FAINT_CODE = """least => {
  const luminance = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = part => {
    for (let around = part; around; around = around.parentElement) {
      const color = getComputedStyle(around).backgroundColor;
      if (!/^rgba\\(.*, 0\\)$/.test(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = new Set();
  for (const part of document.querySelectorAll('pre, pre *')) {
    const [ink, ground] = [getComputedStyle(part).color, behind(part)];
    const [low, high] = [luminance(ink), luminance(ground)].sort((one, other) => one - other);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < least) faint.add(`${part.className}: ${ink} on ${ground}, ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""
# What a person does in each view; each key changes what it shows, or what it says.
KEYS = {
    "walk": ("End", "PageUp", "ArrowLeft"),
    "check": ("Home", "ArrowRight", "End"),
    "predict": ("1",),
    "playground": ("ArrowRight",),
    "explorer": ("PageDown", "Home"),
    "rates": ("End", "ArrowLeft", "Home"),
}


@dataclass
class Visit:
    """A page of the site, and what went wrong on it."""

    page: Page
    top: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def listen(self) -> Visit:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._answered)
        return self

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _failed(self, request: Request) -> None:
        # Whoever goes to the next page early leaves the icon of this one behind.
        if request.failure != "net::ERR_ABORTED":
            self.errors.append(f"{request.url}: {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.url}: {response.status}")

    def open(self, address: str) -> Visit:
        self.page.goto(f"{self.top}{address}")
        return self.settle()

    def settle(self) -> Visit:
        self.page.evaluate(SETTLED)
        return self

    def press(self, *keys: str) -> Visit:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    @property
    def theme(self) -> str:
        theme: str = self.page.evaluate("() => document.documentElement.dataset.theme")
        return theme

    @property
    def focused(self) -> Locator:
        return self.page.locator(":focus")

    def check_silent(self) -> None:
        self.page.evaluate("() => 0")
        assert not self.errors
        assert not [url for url in self.requests if not url.startswith((self.top, "data:"))]


@pytest.fixture
def visit(browser: Browser, site: Path) -> Iterator[Callable[..., Visit]]:
    """Open a page from the folder; the network is closed."""
    contexts = []

    def opened(address: str, **options: Any) -> Visit:
        options = {"viewport": WIDE, "offline": True, "reduced_motion": "reduce", **options}
        contexts.append(browser.new_context(**options))
        return Visit(contexts[-1].new_page(), f"{site.as_uri()}/").listen().open(address)

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_is_whole_in_both_themes_and_on_a_phone(
    address: str, visit: Callable[..., Visit]
) -> None:
    shown = visit(address, color_scheme="light", viewport=PHONE)
    page = shown.page
    assert page.locator("h1").count() == 1
    assert page.locator(".live").count() == page.locator(".live > .rw-view").count()
    shown.settle()
    assert not page.evaluate(TOO_WIDE)
    assert not page.evaluate(OUT_OF_REACH)
    assert not page.evaluate(CUT_OFF)
    page.set_viewport_size(WIDE)
    shown.settle()
    assert not page.evaluate(TOO_WIDE)
    page.evaluate(Axe().axe_script)
    assert not page.evaluate(VIOLATIONS, False)
    assert not faint_words(page)

    page.emulate_media(color_scheme="dark")
    shown.settle()
    assert shown.theme == "dark"
    assert not page.evaluate(VIOLATIONS, True)
    assert not faint_words(page)
    shown.check_silent()


def faint_words(page: Page) -> list[str]:
    """Words in code and in drawings with too little contrast."""
    code: list[str] = page.evaluate(FAINT_CODE, LEAST_CONTRAST)
    return code + faint_texts(page.locator("html"))


@pytest.mark.parametrize(
    ("address", "engine"),
    [*((address, "chromium") for address in ["index.html", *CHAPTERS]), (SEVEN_NODES, "firefox")],
    indirect=["engine"],
)
def test_every_view_moves_by_keys(address: str, visit: Callable[..., Visit]) -> None:
    shown = visit(address)
    for place in range(shown.page.locator(".live").count()):
        live = shown.page.locator(".live").nth(place)
        kind = live.get_attribute("data-view") or ""
        view = live.locator(".rw-view")
        view.focus()
        before = looks(view)
        for key in KEYS.get(kind, ("ArrowRight",)):
            shown.press(key)
            after = looks(view)
            assert after != before, f"{kind} {place + 1}: {key} changes nothing"
            before = after
        if kind in ASK:
            ASK[kind](shown, live)
    shown.check_silent()


def looks(view: Locator) -> str:
    """All that a view shows, and what in it has the focus, as text."""
    told: str = view.evaluate(
        """view => [view.innerText, view.querySelector('svg')?.textContent,
          [...view.querySelectorAll('input')].map(input => input.value),
          [...view.querySelectorAll('*')].indexOf(document.activeElement)].join('|')"""
    )
    return told


def ask_predict(shown: Visit, live: Locator) -> None:
    gradients = live.locator(".rw-grad")
    verdict = live.locator(".rw-verdict")
    assert set(gradients.all_text_contents()) == {"?"}
    shown.press("Enter")
    assert "\u2713 Right" in verdict.inner_text()
    assert gradients.all_text_contents().count("1") == 1
    count = gradients.count()
    for known in range(2, count + 1):
        for typed in ("999", "888"):
            shown.press(*typed, "Enter")
            assert f"\u2717 Not {typed}" in verdict.inner_text()
        live.get_by_role("button", name="Show me").press("Enter")
        assert verdict.inner_text().startswith("\u2192 Shown")
        assert gradients.all_text_contents().count("?") == count - known
    assert "1 of" in live.locator(".rw-story:not(.rw-verdict)").inner_text()
    assert not live.locator("xpath=following-sibling::p").count()


def ask_playground(shown: Visit, live: Locator) -> None:
    shown.press("Home", "Space")
    place = live.locator(".rw-place")
    assert place.inner_text().startswith("1 /")
    shown.press("Backspace")
    assert place.inner_text().startswith("0 /")


def ask_explorer(shown: Visit, live: Locator) -> None:
    live.locator(".rw-scene [tabindex='0']").focus()
    shown.press("Enter")
    assert live.locator(".rw-notice").inner_text() == offline.NO_PYTHON


ASK = {"predict": ask_predict, "playground": ask_playground, "explorer": ask_explorer}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def server(site: Path) -> Iterator[str]:
    """The site behind a server of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as http:
        thread = Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/"
        http.shutdown()
        thread.join()


def test_a_server_needs_nothing_else(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport=WIDE)
    try:
        shown = Visit(context.new_page(), server).listen()
        context.route(lambda url: not url.startswith(server), lambda route: route.abort())
        for address in ADDRESSES:
            shown.open(address)
            views = shown.page.locator(".live > .rw-view")
            assert views.count() == shown.page.locator(".live").count()
        shown.check_silent()
    finally:
        context.close()


@BOTH
def test_search_goes_to_a_heading_and_to_a_word_by_keys(visit: Callable[..., Visit]) -> None:
    shown = visit("index.html")
    field = shown.page.get_by_role("searchbox")
    status = shown.page.locator(".found [role=status]")
    field.focus()
    shown.press(*"upstream times", "x")
    assert status.inner_text() == "Nothing found"
    shown.press("Backspace", "Escape")
    assert shown.page.locator(".found").is_hidden()
    field.fill("two numbers, one product")
    shown.press("ArrowDown")
    assert shown.focused.inner_text().startswith("Two numbers, one product")
    shown.press("Escape")
    assert shown.page.locator(".found").is_hidden(), "Escape closes the list from inside, too"
    assert field.evaluate("field => field === document.activeElement")
    shown.press("ArrowDown", "ArrowUp")
    assert field.evaluate("field => field === document.activeElement")
    shown.press("Enter")
    shown.page.wait_for_url("**/notebooks/03-local-times-upstream.html#*")
    shown.settle()
    heading = shown.page.get_by_role("heading", name="Two numbers, one product")
    assert 0 <= heading.bounding_box()["y"] < 100  # type: ignore[index]
    shown.page.get_by_role("searchbox").fill("seed gradient")
    shown.press("Enter")
    shown.page.wait_for_url("**/notebooks/glossary.html#word-seed-gradient")
    assert "seed gradient" in shown.page.locator("tr:target").inner_text()
    shown.check_silent()


def test_a_link_to_a_heading_below_views_shows_it(visit: Callable[..., Visit]) -> None:
    shown = visit(f"{SEVEN_NODES}#A-common-mistake:-the-upstream-gradient-forgotten")
    box = shown.page.get_by_role("heading", name="A common mistake").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 100


def test_the_keyboard_reaches_the_text_and_goes_through_the_course(
    visit: Callable[..., Visit],
) -> None:
    shown = visit("index.html")
    shown.press("Tab", "Enter")
    assert shown.page.url.endswith("#main")
    shown.press("Tab")
    assert shown.focused.inner_text() == "Begin: 00 · Start here"
    shown.press("Enter")
    shown.page.wait_for_url("**/00-start-here.html")
    for address in CHAPTERS[1:]:
        shown.page.locator(".ways .next").focus()
        shown.press("Enter")
        shown.page.wait_for_url(f"**/{address}")
    shown.page.locator(".ways .prev").focus()
    shown.press("Enter")
    shown.page.wait_for_url(f"**/{CHAPTERS[-2]}")
    here = shown.page.locator(".contents [aria-current=page]")
    assert here.get_attribute("href") == CHAPTERS[-2].removeprefix("notebooks/")
    shown.check_silent()


@BOTH
def test_on_a_phone_the_contents_open_by_key_and_close_when_used(
    visit: Callable[..., Visit],
) -> None:
    shown = visit(SEVEN_NODES, viewport=PHONE)
    contents = shown.page.locator("#contents")
    menu = shown.page.get_by_role("button", name="Contents")
    assert contents.is_hidden()
    menu.focus()
    shown.press("Enter")
    assert contents.is_visible()
    assert menu.get_attribute("aria-expanded") == "true"
    shown.settle()
    assert not shown.page.evaluate(TOO_WIDE)
    contents.get_by_role("link", name="By hand").click()
    assert contents.is_hidden()
    heading = shown.page.get_by_role("heading", name="By hand").bounding_box()
    assert heading is not None
    assert 0 <= heading["y"] < 100


def test_the_theme_follows_the_system_until_one_is_chosen(visit: Callable[..., Visit]) -> None:
    shown = visit("index.html", color_scheme="dark")
    assert shown.theme == "dark"
    assert shown.page.locator(".rw-view").get_attribute("data-theme") == "dark"
    shown.page.get_by_label("Theme").select_option("light")
    shown.open(SEVEN_NODES)
    assert shown.theme == "light"
    assert shown.page.locator(".rw-view").first.get_attribute("data-theme") == "light"
    shown.page.get_by_label("Theme").select_option("")
    assert shown.theme == "dark"
    shown.page.emulate_media(color_scheme="light")
    assert shown.settle().theme == "light"


def test_on_paper_a_chapter_is_light_and_its_views_are_pictures(
    visit: Callable[..., Visit],
) -> None:
    shown = visit(SEVEN_NODES, color_scheme="dark", viewport={"width": 700, "height": 1000})
    page = shown.page
    page.emulate_media(media="print")
    shown.settle()
    assert shown.theme == "light"
    walk = page.locator("[data-view=walk] .rw-view").first
    assert walk.get_attribute("data-theme") == "light"
    assert walk.locator("svg").first.is_visible()
    assert walk.locator("table").first.is_visible()
    for part in (".bar", ".contents", ".ways", "footer", ".view .rw-controls", ".view .rw-hint"):
        assert not page.locator(part).filter(visible=True).count(), part
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(media="screen")
    assert shown.settle().theme == "dark"


def test_a_printed_chapter_is_a_handout_and_the_page_is_itself_again(
    visit: Callable[..., Visit],
) -> None:
    shown = visit(SEVEN_NODES)
    page = shown.page
    walk = page.locator("[data-view=walk]").first
    walk.locator(".rw-view").focus()
    shown.press("PageDown", "PageDown")
    before = page.locator("main").inner_text()

    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    shown.settle()
    assert walk.is_hidden()
    steps = page.locator(".rw-handout figure")
    told = steps.locator("figcaption strong").all_inner_texts()
    assert [text.split(":")[0] for text in told] == [
        "Start, before step 1 of 7",
        *(f"Step {step} of 7" for step in range(1, 8)),
    ]
    assert steps.locator('[data-state="current"]').count() == 7
    assert steps.nth(3).locator(".rw-caption[data-active]").count() == 2
    for svg in steps.locator("svg").all():
        drawn, seen = svg.evaluate(
            "svg => [svg.getBBox(), svg.viewBox.baseVal].map(b => [b.x + b.width, b.y + b.height])"
        )
        assert drawn[0] <= seen[0] + 1
        assert drawn[1] <= seen[1] + 1
    folded = page.locator("main .text details:not(.notes)")
    answers = page.locator(".rw-answers > ol > li")
    assert answers.count() == folded.count() > 0
    assert all(answers.all_inner_texts())
    assert "(1, at the end)" in folded.first.inner_text()

    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator("main").inner_text() == before
    shown.check_silent()


@BOTH
def test_a_link_opens_a_view_at_a_step_and_steps_write_their_link(
    visit: Callable[..., Visit],
) -> None:
    shown = visit(f"{SEVEN_NODES}#view-2/step-3")
    view = shown.page.locator("#view-2")
    place = view.locator(".rw-place")
    assert place.inner_text() == "3 / 7"
    box = view.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 100
    shown.press("PageDown")
    assert place.inner_text() == "4 / 7"
    assert shown.page.url.endswith("#view-2/step-4")
    shown.page.evaluate("() => { location.hash = '#view-2/step-99'; }")
    shown.settle()
    assert place.inner_text() == "7 / 7"
    shown.check_silent()


def test_without_javascript_there_are_pictures_and_text(browser: Browser, site: Path) -> None:
    context = browser.new_context(
        viewport=WIDE, offline=True, java_script_enabled=False, color_scheme="dark"
    )
    try:
        page = context.new_page()
        page.goto((site / SEVEN_NODES).as_uri())
        assert page.locator(".view .picture svg").first.is_visible()
        tables = page.locator(".view pre.output").filter(has_text="hands on")
        assert tables.first.is_visible()
        assert page.locator(".contents").is_visible()
        assert page.locator(".search").is_hidden()
    finally:
        context.close()
