"""One JupyterLab and one browser of each engine for all tests, each test with pages of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

ROOT = HERE.parents[1]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: from their start to their end an event loop of Playwright's runs."""
    items.sort(key=lambda item: HERE in item.path.parents)


@pytest.fixture(scope="session")
def browsers() -> Iterator[Callable[[str], Browser]]:
    """Gives the browser of an engine, started when first asked for."""
    from engines import started
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        open_ones: list[Browser] = []

        @cache
        def browser(engine: str) -> Browser:
            open_ones.append(started(playwright, engine))
            return open_ones[-1]

        yield browser
        for browser_ in open_ones:
            browser_.close()


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    """The engine of a test: Chromium, if it has no mark that says another."""
    return getattr(request, "param", "chromium")


@pytest.fixture
def browser(browsers: Callable[[str], Browser], engine: str) -> Browser:
    return browsers(engine)


@pytest.fixture(scope="session")
def lab_session(
    browsers: Callable[[str], Browser], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[object]:
    from lab import start_lab

    folder = tmp_path_factory.mktemp("a course") / "Kürs 1"
    lab = start_lab(browsers("chromium"), ROOT, folder)
    try:
        yield lab
    finally:
        lab.close_pages()
        lab.running.stop()


@pytest.fixture
def lab(lab_session, browser):  # type: ignore[no-untyped-def]
    """The server and the browser, with no page open; afterwards every page is closed."""
    lab_session.browser = browser
    yield lab_session
    lab_session.close_pages()
