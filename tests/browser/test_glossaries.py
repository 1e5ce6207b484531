"""The panel of the glossary."""

import re

from playwright.sync_api import Page, Response, Route, expect

from tests.browser.conftest import assert_accessible, offer


def open_panel(page: Page):
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("en")
    page.get_by_role("button", name="Glossary", exact=True).click()
    return page.get_by_role("region", name="Glossary")


def make(panel, name: str) -> None:
    """Make a glossary with one term."""
    panel.get_by_role("button", name="New glossary").click()
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_role("button", name="Save", exact=True).click()
    save_term(panel, "Bahnhof", "depot")


def save_term(panel, term: str, translation: str) -> None:
    panel.get_by_label("Term", exact=True).fill(term)
    panel.get_by_label("Translation", exact=True).fill(translation)
    panel.get_by_role("button", name="Save the term").click()
    expect(panel.get_by_role("row", name=term)).to_contain_text(translation)


def sent(page: Page, text: str) -> dict:
    """The request that the page sends when this is typed, and that the server has begun to answer."""

    def is_about_text(response: Response) -> bool:  # not an answer to something before
        return response.url.endswith("/translate") and text in (response.request.post_data or "")

    with page.expect_response(is_about_text) as response:
        page.get_by_role("textbox", name="Text to translate").fill(text)
    return response.value.request.post_data_json or {}


def test_a_glossary_is_made_filled_renamed_used_and_removed(page, server):
    page.on("dialog", lambda dialog: dialog.accept())
    panel = open_panel(page)
    make(panel, "Railway")
    expect(panel.get_by_label("Glossary for translations")).to_have_text(re.compile("Railway"))
    save_term(panel, "Vorstand", "board")
    panel.get_by_role("button", name="Change: Bahnhof").click()
    panel.get_by_label("Term", exact=True).fill("Hauptbahnhof")
    panel.get_by_label("Translation", exact=True).fill("main station")
    panel.get_by_role("button", name="Save the term").click()
    expect(panel.get_by_role("row")).to_have_text(
        [re.compile("^Term"), re.compile("^Hauptbahnhof"), re.compile("^Vor")]
    )
    panel.get_by_role("button", name="Rename").click()
    assert_accessible(page)
    panel.get_by_label("Name", exact=True).fill("Trains")
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel.get_by_label("Glossary for translations").locator("option:checked")).to_have_text("Trains")
    [stored] = [
        each for each in page.request.get(f"{server.url}v3/glossaries").json()["glossaries"] if each["name"] == "Trains"
    ]
    assert sent(page, "Wo ist der Bahnhof?")["glossary_id"] == stored["glossary_id"]
    panel.get_by_label("Look up").fill("board")
    expect(panel.get_by_role("row")).to_have_count(2)
    panel.get_by_role("button", name="Remove: Vorstand").click()
    expect(panel).to_contain_text("No such term for German → English.")
    panel.get_by_role("button", name="Undo").click()
    expect(panel.get_by_role("row", name="Vorstand")).to_be_visible()
    panel.get_by_role("button", name="Remove: Trains").click()
    expect(panel.get_by_label("Glossary for translations").locator("option:checked")).to_have_text(
        "Terms in this browser"
    )
    assert page.request.get(f"{server.url}v3/glossaries/{stored['glossary_id']}").status == 404
    assert not {"glossary", "glossary_id"} & sent(page, "Guten Morgen!").keys()


def test_the_chosen_glossary_is_remembered_and_only_used_for_its_languages(page):
    panel = open_panel(page)
    make(panel, "Remembered")
    page.reload()
    expect(page.locator("#target-language option")).to_have_count(2)
    chosen = sent(page, "Wo ist der Bahnhof?")["glossary_id"]
    page.get_by_role("button", name="Swap languages").click()
    assert "glossary_id" not in sent(page, "Where is the station?")
    panel = open_panel(page)
    panel.get_by_label("Glossary for translations").select_option("None")
    expect(panel).to_contain_text("Translations use no glossary.")
    assert "glossary_id" not in sent(page, "Guten Morgen!")
    panel.get_by_label("Glossary for translations").select_option("Remembered")
    expect(panel.get_by_role("row", name="Bahnhof")).to_be_visible()
    assert sent(page, "Wo ist der Bahnhof?")["glossary_id"] == chosen


def test_the_panel_opens_when_the_glossaries_are_read(page):
    """A term typed before that went into the browser's terms, and the glossary made for it was lost."""
    held: list[Route] = []
    page.route(
        "**/v3/glossaries", lambda route: held.append(route) if route.request.method == "GET" else route.fallback()
    )
    with page.expect_request("**/v3/glossaries"):
        panel = open_panel(page)
    expect(panel).not_to_be_visible()
    held.pop().continue_()
    make(panel, "Slowly")
    expect(panel.get_by_label("Glossary for translations").locator("option:checked")).to_have_text("Slowly")


def test_glossaries_read_again_take_no_new_one_back(open_page):
    """The page reads them again when the server has the one in use no more: here while the user makes another."""
    page = open_page(is_expected=lambda text: "status of 404" in text)
    panel = open_panel(page)
    make(panel, "Going")
    gone = sent(page, "Wo ist der Bahnhof?")["glossary_id"]
    page.request.delete(f"{page.url}v3/glossaries/{gone}")
    held: list[Route] = []
    page.route(
        "**/v3/glossaries", lambda route: held.append(route) if route.request.method == "GET" else route.fallback()
    )
    with page.expect_request("**/v3/glossaries"):
        page.get_by_role("textbox", name="Text to translate").fill("Guten Morgen!")
    make(panel, "Coming")
    held.pop().continue_()
    expect(page.locator("#output")).to_have_text("Good morning!")
    expect(panel.get_by_label("Glossary for translations").locator("option:checked")).to_have_text("Coming")
    assert "glossary_id" in sent(page, "Guten Tag!")


def test_what_the_server_refuses_is_said_and_nothing_is_lost(open_page):
    page = open_page(is_expected=lambda text: "status of 400" in text)
    panel = open_panel(page)
    make(panel, "Refusing")
    panel.get_by_label("Term", exact=True).fill("word " * 30)
    panel.get_by_label("Translation", exact=True).fill("x")
    panel.get_by_role("button", name="Save the term").click()
    expect(panel).to_contain_text("has more than 20 words")
    expect(panel.get_by_label("Translation", exact=True)).to_have_value("x")


def test_a_glossary_that_somebody_else_removed_is_not_missed(open_page, server):
    page = open_page(is_expected=lambda text: "status of 404" in text)
    panel = open_panel(page)
    make(panel, "Vanishing")
    chosen = sent(page, "Wo ist der Bahnhof?")["glossary_id"]
    page.request.delete(f"{server.url}v3/glossaries/{chosen}")
    page.get_by_role("textbox", name="Text to translate").fill("Guten Morgen!")
    expect(page.locator("#output")).to_have_text("Good morning!")
    expect(page.get_by_role("alert")).not_to_be_visible()


def test_a_chosen_translation_stays_when_the_glossary_changes(page):
    panel = open_panel(page)
    page.get_by_role("textbox", name="Text to translate").fill("Guten Morgen! Wo ist der Bahnhof?")
    output = page.locator("#output")
    output.get_by_text("Good").click()
    page.get_by_role("button", name="Morning!", exact=True).first.click()
    with page.expect_response("**/translate"):
        save_term(panel, "Bahnhof", "depot")
    expect(output).to_have_text("Morning! Where is the station?")


def test_five_thousand_terms(page, server):
    entries = "\n".join(f"Wort {number}\tword {number}" for number in range(5000))
    dictionary = {"source_lang": "de", "target_lang": "en", "entries": entries, "entries_format": "tsv"}
    body = {"name": "Large", "dictionaries": [dictionary]}
    assert page.request.post(f"{server.url}v3/glossaries", data=body).status == 201
    panel = open_panel(page)
    panel.get_by_label("Glossary for translations").select_option("Large")
    expect(panel).to_contain_text("Terms for German → English: 5,000.")
    expect(panel.get_by_role("row")).to_have_count(101)
    panel.get_by_role("button", name="Show more").click()
    expect(panel.get_by_role("row")).to_have_count(201)
    panel.get_by_label("Look up").fill("word 4321")
    expect(panel.get_by_role("row")).to_have_count(2)


def test_without_storage_the_terms_stay_in_the_browser_and_go_with_the_text(page):
    offer(page, capabilities={"glossaries": False})
    page.get_by_role("button", name="Glossary", exact=True).click()
    panel = page.get_by_role("region", name="Glossary")
    expect(page.get_by_label("From")).to_have_value("auto")
    expect(panel).to_contain_text("There are no terms for German → English yet.")
    expect(panel.get_by_label("Glossary for translations")).not_to_be_visible()
    save_term(panel, "Bahnhof", "depot")
    save_term(panel, "Vorstand", "board")
    panel.get_by_role("button", name="Change: Bahnhof").click()
    panel.get_by_label("Translation", exact=True).fill("station")
    panel.get_by_role("button", name="Save the term").click()
    expect(panel.get_by_role("cell", name="station")).to_be_visible()
    assert_accessible(page)
    page.reload()
    assert sent(page, "Wo ist der Bahnhof?")["glossary"] == {"Bahnhof": "station", "Vorstand": "board"}
    expect(page.locator("#output")).to_have_text("Where is the station?")
