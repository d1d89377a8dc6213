"""The accessibility rules of axe-core, run on one element of a page.

``assert_accessible(view)`` takes any locator; what breaks a rule is named with its rule, its
element, and how to mend it. axe cannot tell what lies behind the text of a drawing, and gives its
rule on contrast up at text that is scrolled out of sight, so the contrast there is measured here.
"""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator

LEAST_CONTRAST = 4.5

_HAS_AXE = "() => Boolean(window.axe)"
# JupyterLab's body is 0 pixels high and hides what overflows: to axe, nothing would be visible,
# and rules such as the one on contrast would find nothing to look at.
_RUN = """async element => {
  const style = document.body.style;
  const before = style.overflow;
  style.overflow = 'visible';
  try {
    const part = { include: [element], exclude: ['svg text'] };
    return await axe.run(part, { resultTypes: ['violations', 'passes'] });
  } finally {
    style.overflow = before;
  }
}"""
# Of a view that is higher than the page, some text has to be in sight.
_TO_THE_MIDDLE = """element =>
  (element.querySelector('.rw-said') ?? element).scrollIntoView({ block: 'center' })"""
_FAINT = """(element, least) => {
  const rgba = color => (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const luminance = color => {
    const [r, g, b] = rgba(color).map(part => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const painted = part => {
    const { fill, visibility } = getComputedStyle(part);
    return visibility === 'visible' && fill !== 'none' && (rgba(fill)[3] ?? 1) > 0;
  };
  const page = part => {
    for (let around = part; around; around = around.parentElement) {
      const color = getComputedStyle(around).backgroundColor;
      if ((rgba(color)[3] ?? 1) > 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const behind = (text, svg) => {
    const box = text.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const under = [...svg.querySelectorAll('rect')].filter(rect => {
      const edge = rect.getBoundingClientRect();
      return painted(rect) && edge.left <= x && x <= edge.right && edge.top <= y && y <= edge.bottom
        && rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    return under.length ? getComputedStyle(under.at(-1)).fill : page(svg);
  };
  const faint = [];
  for (const text of element.querySelectorAll('svg text')) {
    if (!text.textContent.trim() || !painted(text)) continue;
    const [ink, ground] = [getComputedStyle(text).fill, behind(text, text.closest('svg'))];
    const ratio = contrast(ink, ground);
    const told = `"${text.textContent}": ${ink} on ${ground}, ${ratio.toFixed(2)}`;
    if (ratio < least) faint.push(told);
  }
  return faint;
}"""


def assert_accessible(element: Locator) -> None:
    """Raises AssertionError with a readable list when anything on or in the element is wrong."""
    problems = [_told(violation) for violation in violations(element)]
    problems += [f"- too little contrast in a drawing: {text}" for text in faint_texts(element)]
    report = "\n".join(problems)
    assert not problems, f"{len(problems)} rules of accessibility are broken:\n{report}"


def violations(element: Locator) -> list[dict[str, Any]]:
    """What axe finds wrong with an element as it is shown now, and with all in it."""
    page = element.page
    if not page.evaluate(_HAS_AXE):
        page.evaluate(Axe().axe_script)
    element.evaluate(_TO_THE_MIDDLE)
    results = element.evaluate(_RUN)
    looked_at = {rule["id"] for rule in results["passes"] + results["violations"]}
    assert "color-contrast" in looked_at, f"axe saw no text on the page, only {looked_at}"
    found: list[dict[str, Any]] = results["violations"]
    return found


def faint_texts(element: Locator) -> list[str]:
    """The texts in the drawings of an element that stand out too little from what is behind."""
    found: list[str] = element.evaluate(_FAINT, LEAST_CONTRAST)
    return found


def _told(violation: dict[str, Any]) -> str:
    lines = [f"- {violation['id']} ({violation['impact']}): {violation['help']}"]
    for node in violation["nodes"]:
        lines.append(f"    {' '.join(map(str, node['target']))}")
        lines.append(f"      {node['html']}")
        lines += [f"      {line}" for line in node["failureSummary"].splitlines()]
    return "\n".join(lines)
