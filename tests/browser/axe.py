"""The accessibility rules of axe-core, run on one element of a page.

``assert_accessible(view)`` takes any locator; what breaks a rule is named with its rule, its
element, and how to mend it.
"""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator

_HAS_AXE = "() => Boolean(window.axe)"
_RUN = "element => axe.run(element, { resultTypes: ['violations'] })"


def violations(element: Locator) -> list[dict[str, Any]]:
    """What axe finds wrong with an element as it is shown now, and all in it."""
    page = element.page
    if not page.evaluate(_HAS_AXE):
        page.evaluate(Axe().axe_script)
    element.scroll_into_view_if_needed()
    found: list[dict[str, Any]] = element.evaluate(_RUN)["violations"]
    return found


def assert_accessible(element: Locator) -> None:
    """Raises AssertionError with a readable list when axe finds anything wrong."""
    found = violations(element)
    report = "\n".join(_told(violation) for violation in found)
    assert not found, f"axe found {len(found)} broken rules:\n{report}"


def _told(violation: dict[str, Any]) -> str:
    lines = [f"- {violation['id']} ({violation['impact']}): {violation['help']}"]
    for node in violation["nodes"]:
        lines.append(f"    {' '.join(map(str, node['target']))}")
        lines.append(f"      {node['html']}")
        lines += [f"      {line}" for line in node["failureSummary"].splitlines()]
    return "\n".join(lines)
