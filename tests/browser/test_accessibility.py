"""axe-core finds nothing, on any page, in any state: WCAG 2.2, levels A and AA, and its best practices."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ADMIN_KEY, assert_accessible, assert_accessible_in_light_and_dark


def test_the_translation_page(open_page):
    page = open_page(locale="de-DE")
    page.locator("#source-language").select_option("de")
    assert_accessible_in_light_and_dark(page)
    page.locator("#source-text").fill("Guten Morgen! Ein LOOP hier.")
    expect(page.locator("#output")).to_have_text("Good morning! [en] Ein LOOP hier.")
    page.locator("#output").focus()
    page.keyboard.press("ArrowRight")
    assert_accessible_in_light_and_dark(page)
    page.keyboard.press("Enter")
    expect(page.locator("#menu button").first).to_be_focused()
    assert_accessible_in_light_and_dark(page, "#menu")  # it covers a part of the buttons behind it until it is closed
    page.keyboard.press("Escape")
    page.locator("#help").click()
    assert_accessible_in_light_and_dark(page)


def test_a_phone_and_an_error(open_page):
    page = open_page(
        viewport={"width": 360, "height": 740}, is_mobile=True, is_expected=lambda text: "status of" in text
    )
    page.locator("#source-language").select_option("de")
    page.locator("#source-text").fill("Ein FAIL.")
    expect(page.get_by_role("alert")).to_be_visible()
    assert_accessible(page)


def test_the_operators_page(open_page):
    page = open_page("admin", is_expected=lambda text: "status of 401" in text)
    assert_accessible_in_light_and_dark(page)
    page.get_by_label("Admin key").fill(ADMIN_KEY)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("rowheader", name="fake")).to_be_visible()
    assert_accessible_in_light_and_dark(page)


# What is wider than the window, or than the element around it that can't be scrolled sideways.
CUT_OFF = """() => {
    const isCut = (element) => element.checkVisibility() && getComputedStyle(element).clipPath === "none" && (
        element.getBoundingClientRect().right > innerWidth + 1 || element.getBoundingClientRect().left < -1
        || (element.matches("button, label, h1, h2, p") && element.scrollWidth > element.clientWidth + 1
            && getComputedStyle(element).display !== "inline"));
    const all = document.querySelectorAll("body *:not(.scroll *, .drawing *, .skip, option)");
    return [...all].filter(isCut).map((element) => element.outerHTML.slice(0, 100));
}"""


def assert_fits(page: Page) -> None:
    """Nothing needs scrolling sideways and nothing is cut off."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CUT_OFF) == []


NAME_OF_FOCUSED = """() => {
    const element = document.activeElement;
    return element.ariaLabel ?? (element.labels?.[0]?.innerText.trim() || element.innerText);
}"""


# A window of 1280 pixels, zoomed to 200 and to 400 percent.
@pytest.mark.parametrize(("width", "locale"), [(640, "en-GB"), (320, "de-DE")])
def test_zoomed_nothing_is_lost_and_nothing_moves_by_itself(open_page, width, locale):
    page = open_page(viewport={"width": width, "height": width // 2}, locale=locale, reduced_motion="reduce")
    page.locator("#source-language").select_option("de")
    page.locator("#source-text").fill("Guten Morgen! Ein LOOP hier, und Donaudampfschifffahrtsgesellschaftskapitän.")
    expect(page.locator("#output .doubtful")).to_be_visible()
    assert_fits(page)
    for name in ("source-text", "output", "swap", "copy", "theme", "help", "ui-language"):
        page.locator(f"#{name}").scroll_into_view_if_needed()
        expect(page.locator(f"#{name}")).to_be_in_viewport()
    for name, part in (("documents", ".drop"), ("glossary", "h2"), ("memory", "h2")):
        page.locator(f"#open-{name}").click()
        expect(page.locator(f"#{name} {part}")).to_be_visible()
        assert_fits(page)
        assert page.evaluate("document.getAnimations().length") == 0
    page.locator("#open-text").click()
    page.locator("#output").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#menu .last button").first).to_be_visible()
    assert_fits(page)
    page.locator("#menu .last button").first.click()
    expect(page.locator("#edited")).to_be_focused()
    assert_fits(page)
    header = page.locator(".site-header").bounding_box()
    assert header is not None
    assert header["height"] < 110  # two rows


def test_the_zoomed_operators_page(open_page):
    page = open_page("admin", viewport={"width": 320, "height": 400}, is_expected=lambda text: "status of 401" in text)
    page.locator("#key").fill(ADMIN_KEY)
    page.locator("#key-form button").click()
    expect(page.locator("#suggestions h2")).to_be_visible()
    assert_fits(page)


def test_languages_from_right_to_left(open_page, server):
    server.engine.pairs = server.engine.next_pairs = frozenset({("de", "ar"), ("ar", "de"), ("de", "en"), ("en", "de")})
    page = open_page()
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("ar")
    page.locator("#source-text").fill("Guten Morgen!")
    output = page.locator("#output")
    expect(output).to_have_attribute("dir", "rtl")
    expect(output).to_have_attribute("lang", "ar")
    page.get_by_role("button", name="Swap languages").click()
    page.locator("#source-text").fill("صباح الخير يا صديقي")
    expect(output).to_have_attribute("dir", "ltr")
    assert page.locator("#source-text").evaluate("area => area.matches(':dir(rtl)')")
    page.get_by_role("button", name="Swap languages").click()
    page.locator("#source-text").fill("صباح الخير")
    expect(output).to_have_text("[ar] صباح الخير")
    line = output.locator(".line")
    assert line.evaluate("line => getComputedStyle(line).textAlign") == "start"
    output.focus()
    page.keyboard.press("ArrowLeft")  # forward, in this direction
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("[...CSS.highlights.get('cursor')].map(String)") == ["صباح"]
    page.keyboard.press("Enter")
    page.locator("#menu").get_by_role("button", name="Edit").click()
    page.locator("#edited").fill("صباح النور")
    assert page.locator("#edited").evaluate("area => area.matches(':dir(rtl)')")
    assert_accessible(page, "#menu")


def test_the_panels_by_keyboard_alone(page):
    page.locator("#source-language").select_option("de")
    page.locator("#open-memory").focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Translation memory")
    expect(panel.get_by_label("Memory for translations")).to_be_visible()

    def tab_to(name: str) -> None:
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate(NAME_OF_FOCUSED) == name:
                return
        raise AssertionError(f"Tab doesn't reach {name!r}")

    tab_to("New memory")
    page.keyboard.press("Enter")
    page.keyboard.type("By keys")
    page.keyboard.press("Enter")
    expect(panel.get_by_label("Memory for translations")).to_be_focused()
    expect(panel).to_contain_text("Nothing is saved for German → English yet.")
    tab_to("Text")
    page.keyboard.type("Ja.")
    tab_to("Translation")
    page.keyboard.type("Yes.")
    tab_to("Save the pair")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("row", name="Ja.")).to_contain_text("Yes.")
    expect(panel.get_by_label("Text", exact=True)).to_be_focused()
    tab_to("Change: Ja.")
    page.keyboard.press("Enter")
    expect(panel.get_by_label("Translation", exact=True)).to_be_focused()
    page.keyboard.type("Yeah.")
    tab_to("Save the pair")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("row", name="Ja.")).to_contain_text("Yeah.")
    tab_to("Remove: Ja.")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel.get_by_role("row", name="Ja.")).to_contain_text("Yeah.")
