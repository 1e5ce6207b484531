"""The pictures of the page in docs/images, and others to look at when the page changes.

    python -m benchmarks.screenshots docs/images
    python -m benchmarks.screenshots --all build/screenshots

Needs Debian's Chromium (apt-get install chromium). A server process of its own serves the shipped model.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from playwright.sync_api import Browser, Page

from benchmarks.interactive import server
from tests.support.browser import chromium
from tests.support.page import place_of

TEXT = (
    "Guten Morgen! Der Zug nach Berlin fährt heute von einem anderen Gleis ab.\n\n"
    "Wir treffen uns um neun Uhr vor dem Bahnhof. Bring bitte einen Regenschirm mit, denn es soll am Nachmittag regnen."
)
MANUAL = """# Wartung der Heizungsanlage

Lesen Sie diese Anleitung vor der Inbetriebnahme sorgfältig durch. Prüfen Sie den Druck einmal im Monat. Liegt er unter
1,5 bar, füllen Sie Wasser nach.

* Schrauben Sie den Deckel ab.
* Reinigen Sie das Sieb mit **klarem** Wasser.
* Setzen Sie die Dichtung wieder ein.
"""
WORD = "station"
PAIRS = {
    "Mit freundlichen Grüßen": "Kind regards",
    "Wir treffen uns um zehn Uhr vor dem Rathaus.": "We'll meet at ten in front of the town hall.",
    "Guten Morgen!": "Good morning to you all!",
}
SUGGESTIONS = {
    "Der Zug fährt heute von einem anderen Gleis ab.": "The train leaves from a different platform today.",
    "Bring bitte einen Regenschirm mit.": "Please bring an umbrella.",
}
ADMIN_KEY = secrets.token_hex(16)
TALL = {"width": 1200, "height": 1120}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def main(
    out: Annotated[Path, typer.Argument(help="Folder for the pictures.")],
    every: Annotated[
        bool, typer.Option("--all", help="Also pictures of states that the documents don't show.")
    ] = False,
) -> None:
    """Take the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as data, settings(data), server() as url, chromium() as browser:
        picture(browser, url, out / "page.png", steps=("translate", "menu"))
        picture(browser, url, out / "page-dark.png", steps=("translate", "point"), color_scheme="dark")
        picture(browser, url, out / "page-phone.png", steps=("translate",), **PHONE)
        picture(browser, url, out / "page-inside.png", steps=("translate", "attention"), viewport=TALL)
        picture(browser, url, out / "page-search.png", steps=("translate", "search"), viewport=TALL)
        picture(browser, url, out / "page-documents.png", steps=("documents",), viewport=TALL)
        picture(browser, url, out / "page-desk.png", steps=("desk",), viewport={"width": 1200, "height": 760})
        picture(browser, url, out / "page-glossary.png", steps=("translate", "glossary"), viewport=TALL)
        picture(browser, url, out / "page-memory.png", steps=("translate", "memory"), viewport=TALL)
        admin = {"width": 1200, "height": 1660}
        picture(browser, url + "/admin", out / "page-admin.png", steps=("admin",), viewport=admin)
        if every:
            take_states(browser, url, out)


def take_states(browser: Browser, url: str, out: Path) -> None:
    """Pictures of states that the documents don't show."""
    picture(browser, url, out / "empty.png")
    picture(browser, url, out / "alignment.png", steps=("translate", "inside"))
    picture(browser, url, out / "search-german.png", steps=("translate", "search"), locale="de-DE")
    picture(browser, url, out / "key.png", steps=("key",))
    picture(browser, url, out / "glossary-phone.png", steps=("translate", "glossary"), locale="de-DE", **PHONE)
    picture(browser, url, out / "memory-german.png", steps=("translate", "memory"), locale="de-DE", viewport=TALL)
    picture(browser, url, out / "memory-dark.png", steps=("translate", "memory"), color_scheme="dark")
    picture(browser, url, out / "memory-phone.png", steps=("translate", "memory"), **PHONE)
    picture(
        browser,
        url,
        out / "memory-offer.png",
        steps=("translate", "memory", "top", "menu"),
        color_scheme="dark",
    )
    picture(browser, url, out / "suggest.png", steps=("translate", "suggest"))
    picture(browser, url, out / "suggest-phone.png", steps=("translate", "suggest"), locale="de-DE", **PHONE)
    picture(browser, url, out / "narrow.png", steps=("translate",), viewport={"width": 320, "height": 640})
    picture(browser, url, out / "zoomed.png", steps=("translate",), viewport={"width": 640, "height": 400})
    picture(browser, url, out / "attention-dark.png", steps=("translate", "attention"), color_scheme="dark")
    picture(browser, url, out / "attention-phone.png", steps=("translate", "attention"), **PHONE)
    picture(browser, url, out / "formatted.png", steps=("format", "point-formatted"))
    picture(browser, url, out / "long.png", steps=("long",))
    picture(browser, url, out / "documents-phone.png", steps=("documents",), locale="de-DE", **PHONE)
    picture(browser, url, out / "desk-dark.png", steps=("desk",), color_scheme="dark", locale="de-DE")
    picture(browser, url, out / "desk-phone.png", steps=("desk",), **PHONE)
    picture(browser, url, out / "shortcuts.png", steps=("help",))
    picture(browser, url, out / "loading.png", steps=("stall", "type"))
    picture(browser, url, out / "error.png", steps=("away", "type", "notice"), locale="de-DE")
    picture(browser, url, out / "phone-dark.png", steps=("translate", "menu"), color_scheme="dark", **PHONE)
    picture(browser, url + "/admin", out / "admin-key.png")
    picture(browser, url + "/admin", out / "admin-dark.png", steps=("admin",), color_scheme="dark", locale="de-DE")
    picture(browser, url + "/admin", out / "admin-phone.png", steps=("admin",), **PHONE)
    picture(browser, url + "/docs", out / "docs.png", steps=("operations",))
    picture(browser, url + "/docs", out / "docs-dark.png", steps=("operations",), color_scheme="dark")


@contextmanager
def settings(data: str) -> Iterator[None]:
    """Settings that switch on the operator's page, API keys, glossaries, memories and suggestions."""
    values = {
        "DRAGOMAN_ADMIN_KEY": ADMIN_KEY,
        "DRAGOMAN_KEYS": "optional",
        "DRAGOMAN_DATA": data,
        "DRAGOMAN_SUGGESTIONS": "true",
    }
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def picture(browser: Browser, url: str, path: Path, *, steps: tuple[str, ...] = (), **options: Any) -> None:
    """One picture, after these steps."""
    context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1200, "height": 720}, **options})
    page = context.new_page()
    page.goto(url, wait_until="networkidle")
    for step in steps:
        STEPS[step](page)
    page.screenshot(path=path)
    page.unroute_all(behavior="ignoreErrors")
    context.close()
    print(path)


def write(page: Page) -> None:
    """Type the text."""
    page.locator("#source-text").fill(TEXT)


def write_and_wait(page: Page) -> None:
    """Type the text, and wait for the page's message when there is no answer."""
    write(page)
    page.wait_for_timeout(1500)


def translate(page: Page) -> None:
    """Type the text, and wait for its translation."""
    write(page)
    page.locator("#output .sentence").nth(3).wait_for()
    page.locator("#output[aria-busy=false]").wait_for()


def open_menu(page: Page) -> None:
    """Click a word, and wait for its alternatives."""
    page.mouse.click(*place_of(page, WORD))
    page.locator("#menu .choices button").last.wait_for()
    page.wait_for_timeout(500)  # both lists


def look_inside(page: Page) -> None:
    """Show the alignment of a sentence."""
    open_menu(page)
    page.locator("#menu .last button:last-child").click()
    page.locator("#inspector svg").wait_for()


def show_attention(page: Page) -> None:
    """Show the weights of the alignment head, in the second layer."""
    look_inside(page)
    page.locator("#view-attention").click()
    page.locator("#attention-layer").select_option("1")
    page.locator("#inspector svg .cell").first.wait_for()
    page.locator("#inspector").scroll_into_view_if_needed()


def show_search(page: Page) -> None:
    """Show every step of the search."""
    look_inside(page)
    page.locator("#view-beam").click()
    page.locator("#inspector svg .node").first.wait_for()
    page.locator("#inspector").scroll_into_view_if_needed()


def translate_documents(page: Page) -> None:
    """Translate one document, and fail with another."""
    page.locator("#open-documents").click()
    files = [("notes.md", f"# Reise\n\n{TEXT}\n".encode()), ("picture.png", b"PNG")]
    page.locator("#file").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": content} for name, content in files]
    )
    page.locator("#documents li button").last.wait_for()
    page.locator("#documents li.failed").wait_for()


def review_document(page: Page) -> None:
    """Open the desk for a document, and go to a doubtful sentence."""
    page.locator("#source-language").select_option("de")
    page.locator("#open-documents").click()
    file = {"name": "manual.md", "mimeType": "text/markdown", "buffer": MANUAL.encode()}
    page.locator("#file").set_input_files([file])
    page.locator("#documents li button").first.click()
    page.locator(".sentences textarea").first.press("Enter")
    page.keyboard.press("Alt+n")
    page.locator(".desk .option").first.wait_for()


def save_terms(page: Page) -> None:
    """Open the glossary, and save terms."""
    page.locator("#open-glossary").click()
    page.locator("#glossary .chooser > button").click()
    page.locator("#glossary-name").fill("Travel")
    page.locator("#glossary-name").press("Enter")
    for term, translation in (("Bahnhof", "railway station"), ("Regenschirm", "brolly")):
        page.locator("#term-source").fill(term)
        page.locator("#term-target").fill(translation)
        page.locator("#term-target").press("Enter")
        page.locator("#glossary td", has_text=translation).wait_for()
    page.locator("#output[aria-busy=false] .sentence").last.wait_for()
    page.wait_for_timeout(1000)


def save_pairs(page: Page) -> None:
    """Open the memory, and save pairs, of which one is in the text and another similar to it."""
    page.locator("#open-memory").click()
    page.locator("#memory-choice").wait_for()
    if page.locator("#memory-choice option").count() > 1:
        page.locator("#memory-choice").select_option(label="Letters")
    else:
        page.locator("#memory .chooser > button").click()
        page.locator("#memory-name").fill("Letters")
        page.locator("#memory-name").press("Enter")
    for source, target in PAIRS.items():
        page.locator("#entry-source").fill(source)
        page.locator("#entry-target").fill(target)
        page.locator("#memory form .main:visible").click()
        page.locator("#memory td", has_text=target).wait_for()
    page.locator("#output[aria-busy=false] .remembered").first.wait_for()
    page.locator("#hits:not(:empty)").wait_for()


def suggest(page: Page) -> None:
    """Suggest another translation of a sentence."""
    open_menu(page)
    page.locator("#menu .last button").first.click()
    page.locator("#edited").fill("We'll meet in front of the station at nine.")
    page.locator("#menu form .controls button").last.wait_for()
    page.locator("#menu form .controls button:nth-last-child(2)").click()
    page.locator("#menu [role=status]:not(:empty)").wait_for()


def open_admin(page: Page) -> None:
    """Enter the admin key, make API keys, and wait while there is something to see."""
    page.locator("#key").fill(ADMIN_KEY)
    page.locator("#key-form button").click()
    page.locator("#keys h2").wait_for()
    if not page.locator("#keys tbody tr").count():
        for name, limit in (("website", "500000"), ("translator's desk", "")):
            page.locator("#new-key-name").fill(name)
            page.locator("#new-key-characters").fill(limit)
            page.locator("#keys form button").click()
            page.locator("#keys tbody tr", has_text=name).wait_for()
    if not page.locator("#suggestions li").count():
        for text, better in SUGGESTIONS.items():
            body = {"q": text, "s": better, "source": "de", "target": "en"}
            page.request.post(page.url.removesuffix("admin") + "suggest", data=body)
        page.reload()
        page.locator("#suggestions li").nth(1).wait_for()
    key = page.locator(".new-key").inner_text() if page.locator(".new-key").count() else None
    for number in range(8):
        for sentence in TEXT.split(". "):
            body = {"q": f"{sentence} {number}.", "source": "de", "target": "en"}
            page.request.post(
                page.url.removesuffix("admin") + "translate", data=body | ({"api_key": key} if key else {})
            )
        page.wait_for_timeout(1000)


def paste_formatted(page: Page) -> None:
    """Paste formatted text, and wait for its translation."""
    bold = TEXT.replace("neun Uhr", "<b>neun Uhr</b>")
    html = f"<h2>Reise</h2><p>{bold}</p><ul><li>Fahrkarte</li><li>Regenschirm</li></ul>"
    page.evaluate(
        """html => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/html", html);
            const options = { clipboardData, bubbles: true, cancelable: true };
            document.getElementById("source-text").dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        html,
    )
    page.locator("#rich-output li").last.wait_for()
    page.locator("#rich-output[aria-busy=false]").wait_for()


def write_long(page: Page) -> None:
    """Type a long text, wait for its translation, and scroll."""
    page.locator("#source-text").fill("\n".join([TEXT] * 12))
    page.locator("#output .sentence").nth(40).wait_for()
    page.locator("#output[aria-busy=false]").wait_for()
    page.locator("#output").evaluate("pane => { pane.scrollTop = pane.scrollHeight / 2; }")
    page.wait_for_timeout(300)


STEPS = {
    "translate": translate,
    "type": write_and_wait,
    "point": lambda page: page.mouse.move(*place_of(page, WORD)),
    "menu": open_menu,
    "inside": look_inside,
    "attention": show_attention,
    "search": show_search,
    "documents": translate_documents,
    "desk": review_document,
    "glossary": save_terms,
    "memory": save_pairs,
    "suggest": suggest,
    "top": lambda page: page.evaluate("scrollTo(0, 0)"),
    "admin": open_admin,
    "key": lambda page: page.locator("#key-button").click(),
    "format": paste_formatted,
    "point-formatted": lambda page: page.mouse.move(*place_of(page, WORD, "rich-output")),
    "long": write_long,
    "operations": lambda page: page.locator(".opblock").last.wait_for(),
    "help": lambda page: page.locator("#help").click(),
    "stall": lambda page: page.route("**/translate", lambda route: None),
    "away": lambda page: page.route("**/translate", lambda route: route.abort()),
    "notice": lambda page: page.locator("#notice").wait_for(),
}

if __name__ == "__main__":
    typer.run(main)
