"""The browsers of this machine: Chromium and Firefox, both behind Playwright.

A test that asks for ``browser`` or ``lab`` runs in Chromium; with the mark ``BOTH`` it runs once in
each of the two. WebKit has no such driver on Linux: ``test_webkit.py`` speaks to it on its own.
"""

from __future__ import annotations

import os
import shutil

import pytest
from playwright.sync_api import Browser, Playwright

BOTH = pytest.mark.parametrize("engine", ["chromium", "firefox"], indirect=True)
PROGRAMS = {
    "chromium": ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser"),
    "firefox": ("firefox-esr", "firefox"),
}
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# How large the screen is that a headless Firefox fills.
SCREEN = {"MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "720"}
# Without a desktop Firefox takes the system for a dark one; a page's own choice goes before it.
PREFERENCES: dict[str, str | float | bool] = {"layout.css.prefers-color-scheme.content-override": 1}


def find_browser(engine: str = "chromium") -> str | None:
    """The path of a browser with this engine, if this machine has one."""
    return next((path for name in PROGRAMS[engine] if (path := shutil.which(name))), None)


def start_browser(playwright: Playwright, path: str, engine: str = "chromium") -> Browser:
    """Start the machine's own browser, with a new empty profile and no traffic of its own."""
    if engine == "chromium":
        return playwright.chromium.launch(executable_path=path, args=list(FLAGS))
    # By this channel Playwright speaks WebDriver BiDi, and takes a Firefox as it comes.
    return playwright.firefox.launch(
        executable_path=path,
        channel="moz-firefox",
        firefox_user_prefs=PREFERENCES,
        env={**os.environ, **SCREEN},
    )


def started(playwright: Playwright, engine: str) -> Browser:
    """The browser with this engine; without one the test is skipped, but fails in CI."""
    path = find_browser(engine)
    if path is None:
        missing(f"none of {', '.join(PROGRAMS[engine])}")
    return start_browser(playwright, str(path), engine)


def missing(what: str) -> None:
    """Say what this machine lacks: in CI that is a failure, not a reason to skip."""
    reason = f"{what} on the PATH: install it to run this browser test"
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(reason)
    pytest.skip(reason)
