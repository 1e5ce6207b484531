"""Actions of people on the translation page."""

from playwright.sync_api import Page, expect

MORNING = "Guten Morgen! Wo ist der Bahnhof?"
MORNING_IN_ENGLISH = "Good morning! Where is the station?"


def asked(page: Page) -> list[dict]:
    """The bodies of all translation requests from now on."""
    bodies: list[dict] = []
    page.on(
        "request", lambda request: bodies.append(request.post_data_json) if request.url.endswith("/translate") else None
    )
    return bodies


def source(page: Page):
    return page.get_by_role("textbox", name="Text to translate")


def output(page: Page):
    return page.locator("#output")


def type_and_wait(page: Page, text: str = MORNING, translation: str = MORNING_IN_ENGLISH) -> None:
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("en")
    source(page).press_sequentially(text)
    expect(output(page)).to_have_text(translation)


def highlights(page: Page) -> dict[str, list[str]]:
    return page.evaluate(
        "Object.fromEntries([...CSS.highlights].map(([name, ranges]) => [name, [...ranges].map(String)]))"
    )


def place_of(page: Page, word: str, within: str = "output") -> list[float]:
    """The middle of a word of the translation, or of another element."""
    place: list[float] = page.evaluate(
        """([word, id]) => {
            const walker = document.createTreeWalker(document.getElementById(id), NodeFilter.SHOW_TEXT);
            for (let node; (node = walker.nextNode()); ) {
                const at = node.data.indexOf(word);
                if (at < 0) continue;
                const range = new Range();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const box = range.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }
        }""",
        [word, within],
    )
    return place


def point_at(page: Page, word: str, *, within: str = "output", click: bool = False) -> None:
    """Move the pointer over a word."""
    x, y = place_of(page, word, within)
    page.mouse.move(x, y)
    if click:
        page.mouse.click(x, y)
