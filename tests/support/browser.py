"""Debian's Chromium, driven by Playwright: how tests and benchmarks start it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

# The shell is Chromium without its windows: the tests of the pages take a third less processor time in it.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
# Without a display, a GPU or a sandbox, which containers don't allow; and without calls of the browser's own.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A browser, with more flags if there are any, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()
