"""From a key to the new picture: how long a step of ``ReverseWalk`` takes in a real JupyterLab.

The clock starts with the key event's own time stamp. It stops at the second animation frame after
the page has changed: the first one begins with the change not yet painted, the second one begins
when it is. So one to two frames, 17 to 33 ms at 60 frames per second, are in every number.
"""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.size import FULL, Size
from tests.browser.engines import find_browser, start_browser
from tests.browser.lab import LabPage, start_lab

ROOT = Path(__file__).parents[2]
PRESSES, FEW_PRESSES = 60, 3
BARS = {7: 50.0, 50: 100.0}

SEVEN = """
a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
e = a * b
d = e + c
y = d * f
"""
FIFTY = """
values = [Value(1.0 + i / 10) for i in range(10)]
while len(values) < 50:
    values.append(values[-1] + values[-10])
y = values[-1]
"""
RECORDINGS = {7: SEVEN, 50: FIFTY}
BUSY = "import time\ntime.sleep(600)"

_WATCH = """() => {
  window.paints = [];
  if (window.watches) return;
  window.watches = true;
  let pressed = null;
  addEventListener('keydown', event => { pressed = event.timeStamp; }, { capture: true });
  const changed = () => {
    const start = pressed;
    pressed = null;
    if (start === null) return;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.paints.push(performance.now() - start);
    }));
  };
  new MutationObserver(changed).observe(document.querySelector('.rw-view'), {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
}"""


def report(size: Size) -> Iterator[str]:
    """Time single steps in graphs of 7 and of 50 nodes, with the kernel idle and busy."""
    yield "KEY TO PAINT"
    path = find_browser()
    if path is None:
        yield "  left out: there is no Chromium or Chrome on the PATH"
        return
    presses = PRESSES if size == FULL else FEW_PRESSES
    yield f"  medians of {presses} single steps in JupyterLab; one to two frames are included"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = start_browser(playwright, path)
        lab = start_lab(browser, ROOT, Path(folder) / "course")
        try:
            for nodes, recording in RECORDINGS.items():
                code = f"from engine import ReverseWalk, Value\n{recording}\nReverseWalk(y)"
                page = lab.notebook([code, ""]).run_all()
                yield line(f"{nodes} nodes", times(page.page, presses), BARS[nodes])
                keep_busy(page)
                busy = times(page.page, presses)
                yield line(f"{nodes} nodes, while the kernel is busy", busy, BARS[nodes])
                lab.close_pages()
        finally:
            lab.close_pages()
            browser.close()
            lab.running.stop()


def times(page: Page, presses: int) -> list[float]:
    """Step to the end and back again, and return the milliseconds of each step."""
    page.locator(".rw-view .rw-said").click()
    page.keyboard.press("Home")
    page.evaluate(_WATCH)
    last = int(page.locator(".rw-place").inner_text().split(" / ")[1])
    for number in range(presses):
        forward = number // last % 2 == 0
        page.keyboard.press("ArrowRight" if forward else "ArrowLeft")
        page.wait_for_function("number => window.paints.length > number", arg=number)
    found: list[float] = page.evaluate("() => window.paints")
    return found


def keep_busy(page: LabPage) -> None:
    """Start a cell that takes longer than all the steps."""
    cell = page.code_cell(1)
    cell.locator(".cm-content").click()
    page.page.keyboard.insert_text(BUSY)
    page.page.keyboard.press("Shift+Enter")
    cell.get_by_text("[*]:").wait_for()


def line(what: str, found: list[float], bar: float) -> str:
    """One measurement beside its bar."""
    median, worst = statistics.median(found), max(found)
    verdict = "met" if median <= bar else "MISSED"
    return f"  {what}: {median:.0f} ms, slowest {worst:.0f} ms; bar {bar:.0f} ms: {verdict}"
