"""The pages in a real browser, served by an engine without a model that tests can stop and let go on."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from app.settings import Settings
from tests.support.browser import CHROMIUM, chromium
from tests.support.fakes import FakeEngine
from tests.support.threads import Server

ADMIN_KEY = "a key of sixteen or more"
TIMEOUT_MS = 60_000  # an upper bound for what should happen at once, on a machine with much else to do
expect.set_options(timeout=TIMEOUT_MS / 2)


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLORS = ["color-contrast", "link-in-text-block"]  # the rules that read colors
AXE = Axe()


# Not longer than this folder: while Playwright runs, no other event loop can run in this thread, as other tests need.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        reason = "Chromium is not installed: apt-get install chromium-headless-shell"
        if os.environ.get("BROWSER_REQUIRED"):  # as .ci/run sets it
            pytest.fail(reason)
        pytest.skip(reason)
    with chromium("--in-process-gpu", "--renderer-process-limit=1") as browser:  # fewer processes to start
        yield browser


@pytest.fixture(scope="package")
def started_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Settings(admin_key=ADMIN_KEY, data=tmp_path_factory.mktemp("data"), suggestions=True))
    yield server
    server.stop()


@pytest.fixture
def server(started_server: Server) -> Server:
    """A server whose engine is as new."""
    vars(started_server.engine).update(vars(FakeEngine()))
    return started_server


Open = Callable[..., Page]
WINDOW = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB"}


@pytest.fixture(scope="package")
def usual_context(browser: Browser, started_server: Server) -> Iterator[BrowserContext]:
    """Where most tests open their page: its scripts are fetched and compiled once, all in the same process."""
    context = browser.new_context(**WINDOW)
    context.new_page().goto(started_server.url + "web/icon.svg")  # it stays open, and so the process stays
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, usual_context: BrowserContext, server: Server) -> Iterator[Open]:
    """Open a path in a new page; at the end nothing may have complained or asked another host.

    The first page without options is in the usual context, each other one in a context of its own.
    """
    pages: list[Page] = []
    complaints: list[str] = []
    origins: set[str] = set()

    def open_path(
        path: str = "",
        *,
        is_expected: Callable[[str], bool] = lambda text: False,
        has_clock: bool = False,  # of its own, which a test puts forward
        **options: Any,
    ) -> Page:
        is_usual = not (has_clock or options or pages)
        context = usual_context if is_usual else browser.new_context(**WINDOW | options)
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        pages.append(page)
        page.on("request", lambda request: origins.add("/".join(request.url.split("/")[:3]) + "/"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type in ("error", "warning") and not is_expected(message.text)
                else None
            ),
        )
        if has_clock:
            page.clock.install()
        page.goto(server.url + path)
        return page

    yield open_path
    for page in pages:
        if page.context is usual_context:
            page.close()
            usual_context.pages[0].evaluate("localStorage.clear()")
        else:
            page.context.close()
    assert complaints == []
    assert {origin for origin in origins if not origin.startswith(("blob:", "data:"))} <= {server.url}


@pytest.fixture
def page(open_page: Open) -> Page:
    """The translation page, in English."""
    page = open_page()
    page.locator("#target-language option").first.wait_for(state="attached")
    return page


def assert_accessible_in_light_and_dark(page: Page, within: str | None = None) -> None:
    """The same in the colors of both schemes. All but the colors is asked for once, for schemes change nothing else."""
    page.emulate_media(color_scheme="dark")
    assert_accessible(page, within, only=COLORS)
    page.emulate_media(color_scheme="light")
    assert_accessible(page, within)


def assert_accessible(page: Page, within: str | None = None, only: list[str] = TAGS) -> None:
    """axe-core finds nothing, on the page or within an element, by rules with these tags or names."""
    # The policy lets nobody eval, so axe-core comes by the debugger's door.
    found = AXE.run(page, context=within, options={"runOnly": only, "resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


# Pastes HTML and its text into the element of a selector.
PASTE = """([selector, html, text]) => {
    const data = new DataTransfer();
    data.setData("text/html", html);
    data.setData("text/plain", text);
    const options = { clipboardData: data, bubbles: true, cancelable: true };
    document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", options));
}"""


def offer(page: Page, **changes: Any) -> None:
    """Reload the page as if the server could do more."""
    capabilities = changes.pop("capabilities", {})

    def answer(route: Route) -> None:
        settings = route.fetch(max_retries=1).json()  # a connection that was idle for long may be closed
        settings["capabilities"] |= capabilities
        route.fulfill(json=settings | changes)

    page.route("**/frontend/settings", answer)
    page.reload()
