"""The review desk: a document sentence by sentence, by keyboard alone, on a phone, while the server is away."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import assert_accessible, assert_accessible_in_light_and_dark

LETTER = "Guten Morgen! Ein LOOP. Wo ist der Bahnhof? Guten Morgen!"
KEPT = re.compile("[1-9]")


def open_desk(page: Page, text: str = LETTER, name: str = "letter.txt") -> None:
    page.get_by_label("From").select_option("de")
    page.get_by_role("tab", name="Files").click()
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name=f"Review: {name}").press("Enter")
    expect(page.locator(".sentences textarea").first).to_be_focused()


def translation(page: Page, number: int) -> Locator:
    return page.get_by_label(f"Translation of sentence {number}", exact=True)


def saved(page: Page, press: Callable[[], None]) -> str:
    with page.expect_download() as download:
        press()
    return download.value.path().read_text()


def test_a_document_is_reviewed_with_the_keyboard_alone(page):
    open_desk(page)
    told = page.locator("#desk .told")
    expect(told).to_contain_text("0 of 4 sentences confirmed, 1 doubtful left.")
    expect(page.locator("#output")).not_to_be_visible()
    keys = page.keyboard
    keys.press("Control+a")
    keys.type("A very good morning!")
    keys.press("Enter")
    expect(told).to_contain_text("1 of 4 sentences confirmed, 1 doubtful left.")
    expect(told).to_contain_text("Equal sentences were changed, too: 1.")
    expect(translation(page, 4)).to_have_value("A very good morning!")
    expect(translation(page, 2)).to_be_focused()
    keys.press("Alt+ArrowDown")
    expect(translation(page, 3)).to_be_focused()
    expect(page.get_by_role("button", name="Where's the station?")).to_be_visible()
    keys.press("Alt+a")
    keys.press("Enter")
    expect(translation(page, 3)).to_be_focused()
    expect(translation(page, 3)).to_have_value("Where's the station?")
    keys.press("Alt+n")
    expect(translation(page, 2)).to_be_focused()
    expect(page.locator("#desk aside")).to_contain_text("Check this sentence: it ends too early")
    keys.press("Enter")
    expect(told).to_contain_text("2 of 4 sentences confirmed, 0 doubtful left.")
    text = saved(page, lambda: page.get_by_role("button", name="Save the document").press("Enter"))
    assert text == "A very good morning! [en] Ein LOOP. Where's the station? A very good morning!"
    page.get_by_role("button", name="Close", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Review: letter.txt")).to_be_focused()
    keys.press("Enter")
    expect(translation(page, 1)).to_have_value("A very good morning!")


CATALOG = 'msgid "Guten Morgen!"\nmsgstr ""\n\nmsgid "Ein LOOP."\nmsgstr ""\n\nmsgid "Wo ist der Bahnhof?"\nmsgstr ""\n'


def test_a_review_goes_on_in_another_browser(page, open_page):
    open_desk(page, CATALOG, "app.po")
    translation(page, 1).fill("A very good morning!")
    translation(page, 1).press("Enter")
    translation(page, 3).fill("Where would the station be?")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the review for later").click()
    expect(page.locator("#desk .told")).to_contain_text("Choose that file under Files to go on.")
    assert download.value.suggested_filename == "app.po.review"
    assert page.evaluate("Object.entries({...localStorage, ...sessionStorage}).join()").count("morning") == 0
    other = open_page()
    other.get_by_role("tab", name="Files").click()
    kept = {"name": "app.po.review", "mimeType": "application/json", "buffer": download.value.path().read_bytes()}
    other.locator("#file").set_input_files(kept)
    expect(translation(other, 1)).to_have_value("A very good morning!")
    expect(translation(other, 3)).to_have_value("Where would the station be?")
    expect(other.locator(".sentences .state")).to_have_text(["confirmed", "check", "changed"])
    expect(translation(other, 2)).to_be_focused()
    assert_accessible(other)
    text = saved(other, lambda: other.get_by_role("button", name="Save the document").click())
    assert 'msgid "Guten Morgen!"\nmsgstr "A very good morning!"\n' in text
    assert '; truncated\n#, fuzzy\nmsgid "Ein LOOP."\n' in text and text.count("fuzzy") == 1
    other.get_by_label("Write states into the file").uncheck()
    text = saved(other, lambda: other.get_by_role("button", name="Save the document").click())
    assert 'msgstr "Where would the station be?"' in text and "fuzzy" not in text


def test_a_file_that_is_no_review_is_told(page):
    page.get_by_role("tab", name="Files").click()
    for number, kept in enumerate(["{", "[]", '{"document": {"name": "a", "content": "ä"}, "target": "en"}'], 1):
        file = {"name": f"{number}.review", "mimeType": "application/json", "buffer": kept.encode()}
        page.locator("#file").set_input_files(file)
        told = page.locator("#documents li", has_text=f"{number}.review")
        expect(told).to_contain_text("This is not a saved review, or it is damaged.")


def test_confirmed_sentences_go_into_the_chosen_memory(page, server):
    open_desk(page)
    page.get_by_role("button", name="New memory").click()
    page.get_by_label("Name", exact=True).fill("Reviewed")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Confirmed sentences go into")).to_have_value(KEPT)
    number = page.get_by_label("Confirmed sentences go into").input_value()
    translation(page, 3).fill("Where would the station be?")
    with page.expect_response(lambda response: response.url.endswith("/segments")):
        page.get_by_role("button", name="Confirm", exact=True).click()
    segments = page.request.get(f"{server.url}v3/translation_memories/{number}/segments").json()["segments"]
    assert [(each["source_text"], each["targets"][0]["target_text"]) for each in segments] == [
        ("Wo ist der Bahnhof?", "Where would the station be?")
    ]
    translation(page, 1).focus()
    translation(page, 3).focus()
    expect(page.locator("#desk aside")).to_contain_text("100% · Wo ist der Bahnhof?")


def test_a_correction_that_loses_a_placeholder_is_pointed_out(page):
    open_desk(page, "Guten Morgen! Hallo {name}, %d Briefe sind 100 % deine.", "app.txt")
    row = page.locator(".sentences > li").nth(1)
    expect(row.locator(".state")).to_be_empty()
    translation(page, 2).fill("Hello {name}, you have letters.")
    expect(row.locator(".state")).to_have_text("check")
    expect(page.locator("#desk aside")).to_contain_text("The correction lacks: %d")
    translation(page, 2).fill("Well, {name}, you have %d letters.")
    expect(row.locator(".state")).to_have_text("changed")
    expect(page.locator("#desk aside")).not_to_contain_text("The correction lacks")


def test_only_doubtful_sentences_are_shown_on_request(page):
    open_desk(page)
    page.get_by_label("Only doubtful sentences").check()
    expect(page.locator(".sentences textarea")).to_have_count(1)
    translation(page, 2).press("Enter")
    expect(page.locator("#desk .told")).to_contain_text("1 of 4 sentences confirmed, 0 doubtful left.")
    page.get_by_label("Only doubtful sentences").uncheck()
    page.get_by_label("Only doubtful sentences").check()
    expect(page.locator(".sentences")).to_have_text("No doubtful sentence is left.")
    assert_accessible(page)


def test_the_user_chooses_what_is_doubtful(page):
    def review(route: Route) -> None:
        answer = route.fetch(max_retries=1).json()
        for sentence, confidence in zip(answer["sentences"], (0.95, 0.95, 0.75, 0.35), strict=True):
            sentence["confidence"] = confidence
        route.fulfill(body=json.dumps(answer))

    page.route("**/sentences", review)
    open_desk(page)
    told = page.locator("#desk .told")
    threshold = page.get_by_label("Doubtful below a confidence of")
    states = page.locator(".sentences .state")
    expect(threshold.locator("option:checked")).to_have_text("40 %")
    expect(states).to_have_text(["", "check", "", "check"])
    threshold.select_option("80 %")
    expect(told).to_contain_text("0 of 4 sentences confirmed, 3 doubtful left.")
    expect(states).to_have_text(["", "check", "check", "check"])
    translation(page, 3).focus()
    expect(page.locator("#desk aside")).to_contain_text("the model is only 75% sure")
    page.get_by_label("Only doubtful sentences").check()
    expect(page.locator(".sentences textarea")).to_have_count(3)
    threshold.focus()
    threshold.select_option("none, failed checks only")
    expect(page.locator(".sentences textarea")).to_have_count(1)
    expect(threshold).to_be_focused()
    assert_accessible(page)
    page.reload()
    open_desk(page)
    expect(threshold.locator("option:checked")).to_have_text("none, failed checks only")
    expect(told).to_contain_text("0 of 4 sentences confirmed, 1 doubtful left.")


def long_review(route: Route) -> None:
    """The server's sentences as if they were 5,000, from a language that is written from right to left."""
    review: dict[str, Any] = route.fetch(max_retries=1).json()
    [first, *_] = review["sentences"]
    sentences = [{**first, "source": f"שלום {number}", "verdicts": []} for number in range(5_000)]
    sentences[4_321]["verdicts"] = ["truncated"]
    route.fulfill(body=json.dumps({**review, "source": "he", "sentences": sentences}))


def test_five_thousand_sentences_come_page_by_page(open_page):
    page = open_page(is_expected=lambda text: "status of 400" in text)  # the server has no Hebrew
    page.route("**/sentences", long_review)
    open_desk(page)
    expect(page.locator(".sentences > li")).to_have_count(50)
    expect(page.locator(".sentences p").first).to_have_attribute("dir", "rtl")
    page.keyboard.press("Alt+n")
    expect(translation(page, "4,322")).to_be_focused()
    expect(page.locator(".pages")).to_contain_text("Page 87 of 100")
    page.get_by_role("button", name="Next page").click()
    expect(translation(page, "4,351")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(translation(page, "4,350")).to_be_focused()


def test_a_server_that_is_away_loses_nothing(open_page, server):
    page = open_page(is_expected=lambda text: "Failed to load resource" in text)
    open_desk(page)
    translation(page, 1).fill("Hello!")
    server.stop()
    page.get_by_role("button", name="Save the document").click()
    expect(page.locator("#desk .told")).to_contain_text(
        "The server can't be reached. The page will try again automatically."
    )
    server.start()
    assert saved(page, lambda: None).startswith("Hello! [en] Ein LOOP.")


def test_a_document_that_expired_says_so(open_page):
    page = open_page(is_expected=lambda text: "status of 404" in text)
    page.route("**/v2/document/*/result", lambda route: route.continue_(post_data='{"document_key": "A"}'))
    page.get_by_label("From").select_option("de")
    page.get_by_role("tab", name="Files").click()
    page.locator("#file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen!"})
    expect(page.locator("#documents li")).to_contain_text("The server has deleted the document")


def test_axe_finds_nothing_at_the_desk(page):
    open_desk(page)
    expect(page.get_by_role("button", name="Good morning to you!")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#desk aside")).to_contain_text("Check this sentence")
    page.locator("#desk summary").click()
    assert_accessible_in_light_and_dark(page)


def test_the_desk_fits_a_phone(open_page):
    page = open_page(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    open_desk(page)
    expect(page.locator(".sentences li[aria-current] aside")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Confirm", exact=True).tap()
    expect(translation(page, 2)).to_be_focused()
    expect(page.locator(".sentences li").nth(1).locator("aside")).to_be_visible()
    assert_accessible(page)
