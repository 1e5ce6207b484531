"""axe-core finds nothing, on any page, in any state: WCAG 2.2, levels A and AA, and its best practices."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ADMIN_KEY, assert_accessible


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_translation_page(open_page, scheme):
    page = open_page(color_scheme=scheme, locale="de-DE" if scheme == "dark" else "en-GB")
    page.locator("#source-language").select_option("de")
    assert_accessible(page)
    page.locator("#source-text").fill("Guten Morgen! Ein LOOP hier.")
    expect(page.locator("#output")).to_have_text("Good morning! [en] Ein LOOP hier.")
    page.locator("#output").focus()
    page.keyboard.press("ArrowRight")
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(page.locator("#menu button").first).to_be_focused()
    assert_accessible(page, "#menu")  # it covers a part of the buttons behind it until it is closed
    page.keyboard.press("Escape")
    page.locator("#help").click()
    assert_accessible(page)


def test_a_phone_and_an_error(open_page):
    page = open_page(
        viewport={"width": 360, "height": 740}, is_mobile=True, is_expected=lambda text: "status of" in text
    )
    page.locator("#source-language").select_option("de")
    page.locator("#source-text").fill("Ein FAIL.")
    expect(page.get_by_role("alert")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_operators_page(open_page, scheme):
    page = open_page("admin", color_scheme=scheme, is_expected=lambda text: "status of 401" in text)
    assert_accessible(page)
    page.get_by_label("Admin key").fill(ADMIN_KEY)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("rowheader", name="fake")).to_be_visible()
    assert_accessible(page)


def test_zoomed_to_400_percent_nothing_is_lost(open_page):
    page = open_page(viewport={"width": 320, "height": 256})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for name in ("source-text", "output", "swap", "copy"):
        page.locator(f"#{name}").scroll_into_view_if_needed()
        expect(page.locator(f"#{name}")).to_be_in_viewport()
