"""One JupyterLab and one browser for all browser tests, each test with pages of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

ROOT = HERE.parents[1]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: from their start to their end an event loop of Playwright's runs."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def lab_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from lab import find_browser, in_ci, start_lab
    from playwright.sync_api import sync_playwright

    browser = find_browser()
    if browser is None:
        reason = "no Chromium or Chrome on the PATH: install one to run the browser tests"
        if in_ci():
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("a course") / "Kürs 1"
    with sync_playwright() as playwright:
        lab = start_lab(playwright, browser, ROOT, folder)
        try:
            yield lab
        finally:
            lab.close_pages()
            lab.browser.close()
            lab.running.stop()


@pytest.fixture
def lab(lab_session):  # type: ignore[no-untyped-def]
    """The server and the browser, with no page open; afterwards every page is closed."""
    yield lab_session
    lab_session.close_pages()
