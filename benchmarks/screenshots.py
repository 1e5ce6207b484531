"""The pictures of the page in docs/images, and others to look at when the page changes.

    python -m benchmarks.screenshots docs/images
    python -m benchmarks.screenshots --all build/screenshots

Needs Debian's Chromium (apt-get install chromium). A server process of its own serves the shipped model.
"""

from pathlib import Path
from typing import Annotated, Any

import typer
from playwright.sync_api import Browser, Page

from benchmarks.interactive import server
from tests.support.browser import chromium

TEXT = (
    "Guten Morgen! Der Zug nach Berlin fährt heute von einem anderen Gleis ab.\n\n"
    "Wir treffen uns um neun Uhr vor dem Bahnhof. Bring bitte einen Regenschirm mit, denn es soll am Nachmittag regnen."
)
WORD = "station"
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def main(
    out: Annotated[Path, typer.Argument(help="Folder for the pictures.")],
    every: Annotated[
        bool, typer.Option("--all", help="Also pictures of states that the documents don't show.")
    ] = False,
) -> None:
    """Take the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with server() as url, chromium() as browser:
        picture(browser, url, out / "page.png", steps=("translate", "menu"))
        picture(browser, url, out / "page-dark.png", steps=("translate", "point"), color_scheme="dark")
        picture(browser, url, out / "page-phone.png", steps=("translate",), **PHONE)
        picture(browser, url, out / "page-inside.png", steps=("translate", "inside"))
        if every:
            picture(browser, url, out / "empty.png")
            picture(browser, url, out / "search.png", steps=("translate", "inside", "search"))
            picture(browser, url, out / "shortcuts.png", steps=("help",))
            picture(browser, url, out / "loading.png", steps=("stall", "type"))
            picture(browser, url, out / "error.png", steps=("away", "type", "notice"), locale="de-DE")
            picture(browser, url, out / "phone-dark.png", steps=("translate", "menu"), color_scheme="dark", **PHONE)
            picture(browser, url + "/admin", out / "admin.png")
            picture(browser, url + "/docs", out / "docs.png")


def picture(browser: Browser, url: str, path: Path, *, steps: tuple[str, ...] = (), **options: Any) -> None:
    """One picture, after these steps."""
    context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1200, "height": 720}, **options})
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    for step in steps:
        STEPS[step](page)
    page.screenshot(path=path)
    context.close()
    print(path)


def write(page: Page) -> None:
    """Type the text."""
    page.locator("#source-text").fill(TEXT)


def translate(page: Page) -> None:
    """Type the text, and wait for its translation."""
    write(page)
    page.locator("#output .sentence").nth(3).wait_for()
    page.locator("#output[aria-busy=false]").wait_for()


def find(page: Page) -> tuple[float, float]:
    """The place of a word of the translation."""
    x, y = page.evaluate(
        """word => {
            for (const span of document.querySelectorAll("#output .sentence")) {
                const at = span.firstChild.data.indexOf(word);
                if (at < 0) continue;
                const range = new Range();
                range.setStart(span.firstChild, at);
                range.setEnd(span.firstChild, at + word.length);
                const box = range.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }
        }""",
        WORD,
    )
    return x, y


def open_menu(page: Page) -> None:
    """Click a word, and wait for its alternatives."""
    page.mouse.click(*find(page))
    page.locator("#menu .choices button").last.wait_for()
    page.wait_for_timeout(500)  # both lists


def look_inside(page: Page) -> None:
    """Show the alignment of a sentence."""
    open_menu(page)
    page.locator("#menu > button").click()
    page.locator("#inspector svg").wait_for()


def show_search(page: Page) -> None:
    """Show its search."""
    page.locator("#view-beam").click()
    page.locator("#inspector svg .node").first.wait_for()


STEPS = {
    "translate": translate,
    "type": lambda page: (write(page), page.wait_for_timeout(1500)),
    "point": lambda page: page.mouse.move(*find(page)),
    "menu": open_menu,
    "inside": look_inside,
    "search": show_search,
    "help": lambda page: page.locator("#help").click(),
    "stall": lambda page: page.route("**/translate", lambda route: None),
    "away": lambda page: page.route("**/translate", lambda route: route.abort()),
    "notice": lambda page: page.locator("#notice").wait_for(),
}

if __name__ == "__main__":
    typer.run(main)
