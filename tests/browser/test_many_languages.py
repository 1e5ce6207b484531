"""The lists of languages of a server with fifty of them: searched, by keyboard and by finger, in any script."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import assert_accessible

CODES = (
    "ar az be bg bn ca cs da de el es et fa fi fr gu he hi hr hu hy id is it ja ka kn ko lt lv mk ml ms mt nb nl pl pt "
    "pt-br ro ru sk sl sq sr sv th tr uk zh-hans"
).split()
PAIRS = frozenset((source, target) for source in ["en", *CODES] for target in ["en", *CODES] if source != target)
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture
def open_many(open_page, server):
    server.engine.pairs = server.engine.next_pairs = PAIRS

    def open_path(**options) -> Page:
        page = open_page(**options)
        page.locator("#target-language-button").wait_for()
        return page

    return open_path


def test_a_language_is_found_by_either_name_and_chosen_by_keyboard(open_many):
    page = open_many()
    page.locator("#target-language-button").focus()
    page.keyboard.press("Enter")
    assert_accessible(page, "#target-language + button + .language-list")
    names = page.locator("#target-language-list [role=option] > span:first-child").all_inner_texts()
    assert names == sorted(names, key=str.casefold)
    assert len(names) == len(CODES) + 1
    for typed, found in (("zzz", []), ("turkce", ["tr"]), ("hebr", ["he"])):
        page.keyboard.press("Control+A")
        page.keyboard.type(typed)
        options = page.locator("#target-language-list [role=option]")
        expect(options).to_have_count(len(found))
        assert [option.get_attribute("data-code") for option in options.all()] == found
    expect(page.locator("#target-language-list .own")).to_have_attribute("dir", "rtl")
    expect(page.locator("#target-language-list .own")).to_have_attribute("lang", "he")
    page.keyboard.press("Enter")
    expect(page.locator("#target-language-button")).to_be_focused()
    expect(page.locator("#target-language-button")).to_have_text("Hebrew")
    expect(page.locator("#output")).to_have_attribute("dir", "rtl")
    expect(page.locator("#output")).to_have_attribute("lang", "he")
    page.keyboard.press("Enter")
    expect(page.locator("#target-language-list [role=group]").first).to_have_attribute("aria-label", "Recent")
    expect(page.locator("#target-language-list [role=option]").first).to_have_attribute("data-code", "he")
    page.keyboard.press("Escape")
    expect(page.locator("#target-language-button")).to_be_focused()


def test_on_a_phone_the_list_fits_and_a_tap_chooses(open_many):
    page = open_many(**PHONE)
    page.locator("#source-language-button").tap()
    box = page.locator("#source-language + button + .language-list").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 844
    page.locator("#source-language-list [data-code=ar]").first.tap()
    expect(page.locator("#source-language-button")).to_have_text("Arabic")
    assert_accessible(page)
